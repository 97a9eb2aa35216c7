"""The kernel's decision is that of the reference implementation; and what all decisions leave as it was."""

from __future__ import annotations

import math
from dataclasses import fields
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from support.corpora import sentences, text_of_all
from support.models import fitted_model, small_model

import unilid
from unilid import Model, _kernel, plain
from unilid.corpus.sampling import LabelledTexts
from unilid.decisions.decide import Decisions
from unilid.decisions.fitting import fit_confidence
from unilid.decisions.rejection import Rejection
from unilid.models.costs import STEP
from unilid.models.unigram import UnigramTable
from unilid.models.vocabulary import Vocabulary


def scorer_of(languages: int, seed: int, largest: int) -> _kernel.Scorer:
    """Every byte has a cost of its own in every language; small ones make ties."""
    random = np.random.default_rng(seed)
    table = UnigramTable(
        np.arange(257, dtype=np.int64) * languages,
        np.tile(np.arange(languages, dtype=np.uint16), 256),
        random.integers(0, largest + 1, 256 * languages).astype(np.uint8),
        np.full(languages, 255, np.uint8),
    )
    vocabulary = Vocabulary.of([])
    return _kernel.Scorer([(table.kernel(vocabulary), 16)], languages, 0, 1 << 16)


steps = st.integers(0, 40).map(lambda n: n * STEP)  # scores are whole steps, so that equality happens


@st.composite
def decisions(draw: st.DrawFn, languages: int) -> dict[str, Any]:
    prior = draw(st.lists(st.sampled_from([0.0, 1.0, 1.0, 2.0]), min_size=languages, max_size=languages))
    prior[draw(st.integers(0, languages - 1))] = 1.0
    with np.errstate(divide="ignore"):
        log_prior = np.log(np.array(prior))
    again = rejection = None
    if draw(st.booleans()):
        thresholds = draw(st.lists(steps, min_size=languages, max_size=languages))
        replaces = draw(st.lists(st.booleans(), min_size=languages, max_size=languages))
        again = (np.array(thresholds), np.array(replaces, np.uint8), draw(steps), draw(st.integers(1, 5)))
    if draw(st.booleans()):
        usual = draw(st.lists(st.sampled_from([0.0, 0.5, 1.0, 3.0]), min_size=languages, max_size=languages))
        spread = draw(st.lists(st.floats(0.1, 3), min_size=languages, max_size=languages))
        shared, sampling = draw(st.floats(0.01, 1)), draw(st.floats(0.01, 5))
        rejection = (np.array(usual), np.array(spread), shared, sampling, draw(st.floats(0, 4)), draw(st.floats(0, 1)))
    temperature = (draw(st.floats(0.2, 2)), draw(st.floats(1, 20)), draw(st.floats(0, 1)))
    handicaps = draw(st.none() | st.lists(steps, min_size=languages, max_size=languages))
    return {
        "log_prior": log_prior, "temperature": temperature, "rerank": again, "rejection": rejection,
        "handicaps": None if handicaps is None else np.array(handicaps),
    }  # fmt: skip


def reference_answer(
    how: dict[str, Any], costs: list[float], linguistic: list[float], letters: int, reason: int, k: int
) -> Any:
    """Rows, probabilities and the verdict, by the reference."""
    handicaps = [0.0] * len(costs) if how["handicaps"] is None else how["handicaps"].tolist()
    keys = [
        plain.key(prior, STEP * cost, handicap, letters)
        for prior, cost, handicap in zip(how["log_prior"].tolist(), costs, handicaps, strict=True)
    ]
    order = plain.ranked(keys)
    probabilities = plain.posterior(keys, plain.temperature(letters, *how["temperature"]))
    if reason == 1:
        return [-1] * k, None, reason
    if how["rerank"] is not None:
        thresholds, replaces, distance, ranks = how["rerank"]
        answer = plain.reranked(keys, thresholds, replaces, distance=distance, ranks=ranks)
        order.remove(answer)
        order.insert(0, answer)
    verdict = reason
    if how["rejection"] is not None and not reason:
        usual, spread, shared, sampling, limit, least = how["rejection"]
        best = order[0]
        if plain.unlike(STEP * linguistic[best], letters, usual[best], spread[best], shared, sampling, limit):
            verdict = 17
        else:
            assume(abs(max(probabilities) - least) > 1e-9)
            verdict = 16 if max(probabilities) < least else 0
    rows = (order + [-1] * k)[:k]
    return rows, [probabilities[row] if row >= 0 else 0.0 for row in rows], verdict


@given(st.data(), st.integers(1, 6), st.integers(0, 999), st.sampled_from([2, 9, 60]), st.integers(1, 7))
@settings(max_examples=300)
def test_the_decision_is_the_references(data: st.DataObject, languages: int, seed: int, largest: int, k: int) -> None:
    scorer = scorer_of(languages, seed, largest)
    how = data.draw(decisions(languages))
    texts = data.draw(st.lists(st.text("abcdж 1.@", max_size=12).map(str.encode), min_size=1, max_size=4))
    decision = _kernel.Decision(
        how["log_prior"],
        STEP,
        _kernel.Temperature(*how["temperature"]),
        None if how["rerank"] is None else _kernel.Rerank(*how["rerank"]),
        None if how["rejection"] is None else _kernel.Rejection(*how["rejection"]),
        how["handicaps"],
    )
    if k > languages:
        with pytest.raises(ValueError, match="k must be 1 to the number of languages"):
            scorer.decide(texts, decision, k, 1)
        k = languages
    answers, text_costs = scorer.decide(texts, decision, k, 1), scorer.costs(texts, 1)
    for i in range(len(texts)):
        costs, linguistic = text_costs.all[i].tolist(), text_costs.linguistic[i].tolist()
        expected = reference_answer(how, costs, linguistic, int(text_costs.letters[i]), int(text_costs.reasons[i]), k)
        assert (answers.rows[i].tolist(), int(answers.verdicts[i])) == (expected[0], expected[2])
        if expected[1] is not None:
            assert answers.probabilities[i].tolist() == pytest.approx(expected[1], abs=1e-6)  # single precision
            wanted = [-STEP * costs[row] if row >= 0 else -math.inf for row in expected[0]]
            assert answers.scores[i].tolist() == wanted


def test_where_few_languages_compete_all_of_them_stand_behind_an_answer_that_is_none() -> None:
    answers = unilid.load().identify("qqzx kkk", k=5, languages=["eng_Latn", "deu_Latn"])
    assert [answer.label for answer in answers] == ["und", "eng_Latn", "deu_Latn"]
    assert answers[0].guess == "eng_Latn"


# ---- all that decisions can have


def everything() -> Model:
    """A model with all that decisions can have."""
    model = fitted_model()
    corpus, more = text_of_all(100), text_of_all(40, seed=6)
    return unilid.calibrate(model, corpus, validation=more, prior_from=more["deu_Latn"] + more["rus_Cyrl"][:10])


def test_decisions_come_back_as_they_were_saved(tmp_path: Any) -> None:
    model = everything()
    again = model.save(tmp_path / "all.unilid")
    assert again.to_bytes() == model.to_bytes()
    old, new = model.decisions, again.decisions
    assert new.temperature == old.temperature
    assert old.rejection is not None
    assert new.rejection is not None
    for field in fields(Rejection):
        assert np.array_equal(getattr(new.rejection, field.name), getattr(old.rejection, field.name))
    assert old.calibration is not None
    assert new.calibration is not None
    assert new.calibration.rules == old.calibration.rules
    for name in ("thresholds", "replaces", "unseen"):
        assert np.array_equal(getattr(new.calibration, name), getattr(old.calibration, name))
    assert old.prior is not None
    assert new.prior is not None
    assert np.array_equal(new.prior, old.prior)
    texts = [
        "今日はパンを買いに町へ行きます。",
        *(text for texts in text_of_all(20, seed=8).values() for text in texts),
        "",
        "12",
    ]
    for options in ({}, {"calibrated": False}, {"prior": None}, {"abstain": 0.1}, {"abstain": False}):
        assert again.identify(texts, k=4, **options) == model.identify(texts, k=4, **options)


def test_fitting_changes_no_score() -> None:
    texts = [text for texts in text_of_all(20, seed=8).values() for text in texts]
    assert (everything().scores(texts) == fitted_model().scores(texts)).all()


def test_few_held_out_lines_leave_a_model_that_can_be_saved() -> None:
    for count in (1, 5, 6, 11):
        corpus = {label: sentences(label, count) for label in ("deu_Latn", "eng_Latn")}
        model = unilid.train(corpus, vocabulary=300, threads=1)
        assert Model.from_bytes(model.to_bytes()).to_bytes() == model.to_bytes()
        assert model.identify(corpus["eng_Latn"][0]).label == "eng_Latn"


def test_no_held_out_texts_change_nothing() -> None:
    none = LabelledTexts(np.zeros(0, np.int64), [])
    scorer = small_model()._answerer.scorers.scorer
    assert fit_confidence(Decisions(), scorer, 5, none, threads=1) == Decisions()
