"""A prior that is fitted to texts, and used from then on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.corpora import CORPUS, sentences
from support.models import fitted_model, small_model

import unilid
from unilid.decisions.decide import Decisions


def test_a_prior_is_fitted_to_the_shares_of_a_sample() -> None:
    model = fitted_model()
    shares = {"deu_Latn": 140, "dum_Latn": 10, "eng_Latn": 50}
    sample = [text for label, count in shares.items() for text in sentences(label, count, seed=4)]
    fitted = unilid.calibrate(model, prior_from=[*sample, "", "12345", None, "https://example.org"])
    assert fitted.decisions.prior is not None
    found = dict(zip(model.languages, fitted.decisions.prior.tolist(), strict=True))
    for label in model.languages:
        assert found[label] == pytest.approx(shares.get(label, 0) / len(sample), abs=0.02)
    # Not met yet, not impossible: half a text is shared by all.
    assert found["rus_Cyrl"] == pytest.approx(0.5 / 4 / (len(sample) + 0.5), rel=0.01)
    assert sum(found.values()) == pytest.approx(1)
    assert (fitted.decisions.temperature, fitted.decisions.rejection) == (
        model.decisions.temperature, model.decisions.rejection
    )  # fmt: skip


def test_a_fitted_prior_is_used_unless_another_is_asked_for() -> None:
    model = fitted_model()
    prior = np.array([0.001, 0.979, 0.01, 0.01])
    fitted = replace(model, decisions=replace(model.decisions, prior=prior))
    text = "einige"
    by_label = dict(zip(model.languages, prior.tolist(), strict=True))
    ranked = fitted.identify(text, k=4, abstain=False)
    assert ranked == fitted.identify(text, k=4, abstain=False, prior="model")
    assert ranked[0].label == "dum_Latn"
    explicit = model.identify(text, k=4, abstain=False, prior=by_label)
    assert [p.label for p in ranked] == [p.label for p in explicit]
    assert [p.probability for p in ranked] == pytest.approx([p.probability for p in explicit])
    assert fitted.identify(text, k=4, prior=None) == model.identify(text, k=4)
    assert fitted.identify(text, k=4, prior="training") == model.identify(text, k=4, prior="training")


def test_a_fitted_prior_goes_with_its_languages() -> None:
    prior = np.array([0.1, 0.2, 0.3, 0.4])
    model = replace(small_model().subset(["dan", "ell", "eng", "jpn"]), decisions=Decisions(prior=prior))
    part = model.subset(["jpn", "dan"]).decisions.prior
    assert part is not None
    assert part.tolist() == pytest.approx([0.8, 0.2])
    grown = model.add_language("nob", CORPUS["nob"]).decisions.prior
    assert grown is not None
    assert grown.sum() == pytest.approx(1)
    assert grown[:4] / grown[:4].sum() == pytest.approx(prior)
    assert grown[4] == pytest.approx(1 / 6)  # as much as the average language: a fifth more
    empty = replace(model, decisions=Decisions(prior=np.array([0.0, 0.0, 0.5, 0.5])))
    assert empty.subset(["dan", "ell"]).decisions.prior is None


def test_texts_without_language_fit_no_prior() -> None:
    with pytest.raises(unilid.CorpusError, match="no language"):
        unilid.calibrate(fitted_model(), prior_from=["", "123", "https://example.org"])
