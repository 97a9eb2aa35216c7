"""Priors: how frequent each language is before a text was read."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from support.corpora import CORPUS
from support.models import small_model
from support.texts import TEXTS
from support.variants import answers, bare_best

import unilid
from unilid.model import Model


def log_odds(model: Model, text: str, **options: Any) -> dict[str, float]:
    """The logarithm of each probability without the temperature: the score with its prior, and a constant."""
    ranked = model.identify(text, k=len(model.languages), **options)
    exponent = float(model.decisions.temperature.at(len(text)))
    return {p.label: math.log(p.probability) / exponent for p in ranked}


def with_prior(model: Model, text: str, prior: dict[str, float]) -> dict[str, float]:
    """The scores with the logarithm of their prior, in the form of `log_odds`."""
    scores = dict(zip(model.languages, model.scores([text])[0].tolist(), strict=True))
    keys = {label: scores[label] + math.log(prior[label]) for label in prior}
    exponent = float(model.decisions.temperature.at(len(text)))
    total = math.fsum(math.exp(exponent * key) for key in keys.values())
    return {label: key - math.log(total) / exponent for label, key in keys.items()}


def test_prior_training_is_the_share_of_the_lines() -> None:
    corpus = {"eng": CORPUS["eng"], "dan": CORPUS["dan"][:3], "ell": CORPUS["ell"][:1]}
    model = unilid.train(corpus, tune=False, vocabulary=300)
    share = {"eng": 6 / 10, "dan": 3 / 10, "ell": 1 / 10}
    assert log_odds(model, "net", prior="training") == pytest.approx(with_prior(model, "net", share), rel=1e-5)


def test_what_a_prior_leaves_is_shared_by_the_labels_it_does_not_name() -> None:
    prior = {"nob": 0.6, "dan": 0.1, "ell": 0.1, "eng": 0.1, "jpn": 0.1}
    found = log_odds(small_model(), "net", prior={"nob": 0.6, "dan": 0.1})
    assert found == pytest.approx(with_prior(small_model(), "net", prior))


def test_a_prior_is_normalised_over_the_languages_that_compete() -> None:
    model = small_model()
    options: dict[str, Any] = {"prior": {"nob": 0.6, "dan": 0.2}, "languages": ["nob", "dan"]}
    assert log_odds(model, "net", **options) == pytest.approx(with_prior(model, "net", {"nob": 0.75, "dan": 0.25}))
    assert model._answerer.log_prior(["nob", "dan"], {"nob": 0.6, "dan": 0.2})[[4, 0]].tolist() == pytest.approx(
        [math.log(0.75), math.log(0.25)]
    )


def test_a_prior_moves_the_ranking_and_not_the_scores() -> None:
    model = small_model()
    even, uneven = (model.identify("net", k=5, prior=prior) for prior in (None, {"jpn": 1 - 1e-9}))
    assert uneven[0].label == "jpn" != even[0].label
    assert {p.label: p.score for p in even} == {p.label: p.score for p in uneven}


def test_a_prior_of_zero_excludes_a_language_and_of_one_all_others() -> None:
    model = small_model()
    without = model.identify(CORPUS["eng"], k=5, prior={"eng": 0})
    assert all({p.label for p in ranked} == set(CORPUS) - {"eng"} for ranked in without)
    only = model.identify(CORPUS["eng"], k=5, prior={"jpn": 1.0})
    assert [[p.label for p in ranked] for ranked in only] == [["jpn"]] * len(only)


def test_an_even_prior_changes_no_probability() -> None:
    model = small_model()
    for prior in ({}, "training", dict.fromkeys(CORPUS, 0.2)):
        for none, even in zip(answers(model, TEXTS), answers(model, TEXTS, prior=prior), strict=True):
            assert [p.label for p in none] == [p.label for p in even]
            assert [p.probability for p in none] == pytest.approx([p.probability for p in even], abs=1e-12)


@pytest.mark.parametrize(
    ("prior", "message"),
    [
        ({"eng": 0.7, "dan": 0.4}, r"adds up to 1\.1"),
        ({"eng": -0.1}, "eng is -0.1"),
        ({"eng": math.nan}, "eng is nan"),
        ({"eng": math.inf}, "eng is inf"),
        ({"eng": 10**400}, "eng is 1000"),
        ({"eng": np.float32("nan")}, r"eng is .*nan"),
        ({"eng": True}, "eng is True"),
        ({"eng": "0.5"}, "eng is '0.5'"),
        (np.ones(3), "prior must be None"),
        (5, "prior must be None"),
        (dict.fromkeys(CORPUS, 0.0), "excludes every language"),
        ("learned", "'learned'"),
    ],
)
def test_an_impossible_prior_is_an_error(prior: Any, message: str) -> None:
    with pytest.raises(unilid.UnilidError, match=message):
        small_model().identify("snow", prior=prior)


def test_a_prior_that_excludes_all_that_compete_is_an_error() -> None:
    with pytest.raises(unilid.UnilidError, match="excludes every language"):
        small_model().identify("snow", prior={"eng": 0}, languages=["eng"])


def test_the_bare_decision_is_the_best_prior_plus_score() -> None:
    model = small_model()
    prior = {"jpn": 1 - 1e-9, "dan": 9e-10}
    texts = [*TEXTS, "net"]
    keys = model.scores(texts) + model._answerer.log_prior(None, prior)
    rows, found = bare_best(model, texts, prior=prior, k=3)
    order = np.argsort(-keys, axis=1, kind="stable")[:, :3]
    spoken = rows[:, 0] >= 0  # of a text without words there is nothing to say
    assert rows[spoken].tolist() == order[spoken].tolist()
    assert found[spoken].tolist() == np.take_along_axis(keys, order, axis=1)[spoken].tolist()
    answered = [p.label for p in model.identify(texts, prior=prior, abstain=False)]
    assert answered == [model.languages[row] if row >= 0 else "zxx" for row in rows[:, 0]]
    assert answered != [p.label for p in model.identify(texts, abstain=False)]


def test_a_prior_may_be_of_any_real_numbers() -> None:
    model = small_model()
    kinds: list[Any] = [np.float32, np.float64, Fraction]
    for kind in kinds:
        assert model.identify("net", prior={"eng": kind(0.5)}) == model.identify("net", prior={"eng": 0.5})
