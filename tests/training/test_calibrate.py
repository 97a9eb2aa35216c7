"""Fitting the decisions of a model that exists: what `calibrate` is given, and what it leaves alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.calibration import TRAINING, VALIDATION, context_model
from support.corpora import CORPUS
from support.models import small_model

import unilid
from unilid import Model, UnilidError


@pytest.mark.parametrize("rules", ["papers", 5, {"percentile": 3}, True, None], ids=repr)
def test_rules_that_are_none_are_an_error(rules: Any) -> None:
    with pytest.raises(UnilidError, match="rules must be"):
        unilid.calibrate(small_model(), CORPUS, rules=rules)


def test_nothing_to_calibrate_with_is_an_error() -> None:
    with pytest.raises(UnilidError, match="nothing to calibrate with"):
        unilid.calibrate(small_model())


def test_text_of_languages_that_the_model_does_not_know_is_an_error_and_passed_over_among_others() -> None:
    model = small_model()
    with pytest.raises(unilid.CorpusError, match="none of the text"):
        unilid.calibrate(model, {"tok": ["mi moku"]})
    with pytest.raises(unilid.CorpusError, match="none of the text"):
        unilid.calibrate(model, validation={"tok": ["mi moku"]})
    assert unilid.calibrate(model, CORPUS).to_bytes() == unilid.calibrate(model, {**CORPUS, "tok": ["mi"]}).to_bytes()


def test_a_file_calibrates_as_the_text_in_it(tmp_path: Path) -> None:
    rows = [f"{label}\t{text}\n" for label, texts in TRAINING.items() for text in texts]
    (tmp_path / "training.tsv").write_text("".join(rows), encoding="utf-8")
    rows = [f"{label}\t{text}\n" for label, texts in VALIDATION.items() for text in texts]
    (tmp_path / "validation.tsv").write_text("".join(rows), encoding="utf-8")
    from_files = unilid.calibrate(
        context_model(), tmp_path / "training.tsv", validation=tmp_path / "validation.tsv", threads=1
    )
    assert from_files.to_bytes() == unilid.calibrate(context_model(), TRAINING, validation=VALIDATION).to_bytes()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("rules", ["auto", "paper"])
def test_blank_lines_among_the_texts_change_nothing(rules: Any) -> None:
    training = {label: [*lines, "", " "] for label, lines in TRAINING.items()}
    validation = {label: ["", *lines, " "] for label, lines in VALIDATION.items()}
    blank = unilid.calibrate(context_model(), training, validation=validation, rules=rules).decisions.calibration
    plain = unilid.calibrate(context_model(), TRAINING, validation=VALIDATION, rules=rules).decisions.calibration
    assert blank is not None
    assert plain is not None
    assert blank.rules == plain.rules
    assert blank.thresholds.tolist() == plain.thresholds.tolist()


def test_validation_lines_fit_probabilities_and_leave_the_rest() -> None:
    model = unilid.calibrate(context_model(), TRAINING, rules="paper")
    again = unilid.calibrate(model, validation=VALIDATION)
    assert again.decisions.calibration is model.decisions.calibration
    assert model.decisions.rejection is None
    assert again.decisions.rejection is not None
    assert again.decisions.temperature != model.decisions.temperature


@pytest.mark.parametrize("rules", ["auto", "paper"])
@pytest.mark.parametrize("validated", [False, True])
def test_a_model_of_one_language_can_be_calibrated(rules: Any, validated: bool) -> None:
    only = {"eng_Latn": TRAINING["eng_Latn"]}
    validation = {"eng_Latn": VALIDATION["eng_Latn"]} if validated else None
    model = unilid.calibrate(unilid.train(only, vocabulary=300), only, validation=validation, rules=rules)
    assert model.identify("the old man buys some apples", abstain=False).label == "eng_Latn"
    assert Model.from_bytes(model.to_bytes()).to_bytes() == model.to_bytes()
