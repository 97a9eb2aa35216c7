"""Calibrated UniLID is what the paper says: thresholds, replacements and answers, once more in plain Python."""

from __future__ import annotations

import math
from dataclasses import asdict, replace
from statistics import median
from typing import Any

import numpy as np
import pytest
from support.calibration import (
    MODELS,
    RULES,
    TRAINING,
    VALIDATION,
    context_model,
    keys_of,
    paper_model,
    percentile,
    plain_margins,
    short_texts,
    with_constant,
    with_lines,
)
from support.models import fitted_model, small_model

import unilid
from unilid import Model, Rules, UnilidError, plain
from unilid.decisions.calibration import raise_unseen
from unilid.decisions.fitting import RAISED_UNSEEN
from unilid.models.costs import STEP


def plain_entropy(model: Model, row: int) -> float:
    unigram = model.parameters.unigram
    weights = [math.exp(-STEP * cost) for cost in unigram.costs[unigram.languages == row].tolist()]
    total = math.fsum(weights)
    return -math.fsum(weight / total * math.log(weight / total) for weight in weights)


def plain_standardised(model: Model, label: str) -> float:
    script = label.split("_")[1]
    group = [plain_entropy(model, row) for row, other in enumerate(model.languages) if other.endswith(script)]
    middle = median(group)
    deviation = median(abs(value - middle) for value in group)
    distance = plain_entropy(model, model.row_of(label)) - middle
    return distance / deviation if deviation else 0.0


def plain_threshold(model: Model, label: str, rules: Rules, prior: Any, validated: bool) -> float:
    lines = int(model.lines[model.row_of(label)])
    margins = plain_margins(model, label, TRAINING[label], rules, prior)
    z = plain_standardised(model, label)
    taken = own = 0
    if validated:
        for truth, texts in VALIDATION.items():
            found = [model.languages[plain.ranked(keys)[0]] for keys in keys_of(model, texts, rules, prior)]
            taken += 0 if truth == label else found.count(label)
        own = len(VALIDATION[label])
    entropic = z > rules.entropy_alone or (validated and z > rules.entropy and taken > rules.absorbed * own)
    if len(margins) < rules.min_margins or not (lines < rules.low_resource or entropic):
        return 0.0
    share = rules.percentile
    if lines < rules.low_resource:
        share *= 1 - lines / rules.low_resource
    return percentile(margins, share)


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("validated", [False, True])
@pytest.mark.parametrize("prior", [None, {"dum_Latn": 0.7}], ids=repr)
def test_calibration_is_what_the_paper_says(kind: str, name: str, validated: bool, prior: Any) -> None:
    model, rules = MODELS[kind](), RULES[name]
    calibrated = unilid.calibrate(
        model, TRAINING, validation=VALIDATION if validated else None, rules=rules, prior=prior, threads=2
    )
    found = calibrated.decisions.calibration
    assert found is not None
    assert found.rules == rules
    expected = [plain_threshold(model, label, rules, prior, validated) for label in model.languages]
    assert found.thresholds.tolist() == pytest.approx(expected)
    assert found.replaces.tolist() == [int(lines >= rules.replacement) for lines in model.lines]
    assert found.unseen.tolist() == with_constant(model, rules.unseen).parameters.unigram.unseen.tolist()
    assert (calibrated.scores(["Brot"]) == model.scores(["Brot"])).all()

    texts = short_texts(150)
    keys = keys_of(model, texts, rules, prior)
    wanted = [
        plain.reranked(
            row, found.thresholds.tolist(), found.replaces.tolist(), distance=rules.distance, ranks=rules.ranks
        )
        for row in keys
    ]
    answers = calibrated.identify(texts, prior=prior, abstain=False)
    assert [p.label for p in answers] == [model.languages[row] for row in wanted]
    for answer, row, scores in zip(answers, wanted, with_constant(model, rules.unseen).scores(texts), strict=True):
        assert answer.score == scores[row]


def test_the_rules_that_are_tried_above_do_change_answers() -> None:
    model, texts = paper_model(), short_texts(150)
    for name in ("re-rank most", "entropy with validation"):
        found = unilid.calibrate(model, TRAINING, validation=VALIDATION, rules=RULES[name])
        bare = [plain.ranked(keys)[0] for keys in keys_of(model, texts, RULES[name])]
        assert [model.row_of(p.label) for p in found.identify(texts, prior=None, abstain=False)] != bare


@pytest.mark.parametrize("kind", MODELS)
def test_without_calibration_a_calibrated_model_gives_the_answers_it_gave_before(kind: str) -> None:
    model, texts = MODELS[kind](), short_texts(150)
    calibrated = unilid.calibrate(model, TRAINING, rules=RULES["re-rank most"])
    assert calibrated.identify(texts, k=4, calibrated=False) == model.identify(texts, k=4)
    assert calibrated.identify(texts, k=4) == calibrated.identify(texts, k=4, calibrated=True)
    assert calibrated.identify(texts, k=4) != model.identify(texts, k=4)


def test_asking_a_model_that_was_not_calibrated_for_calibrated_answers_is_an_error() -> None:
    for model in (small_model(), fitted_model()):
        with pytest.raises(UnilidError, match="not calibrated"):
            model.identify("snow", calibrated=True)
        with pytest.raises(UnilidError, match="not calibrated"):
            model.explain("snow", calibrated=True)
        assert model.identify("snow", calibrated=False) == model.identify("snow")


def test_the_papers_constants_are_the_papers_whatever_the_corpus() -> None:
    found = unilid.calibrate(paper_model(), TRAINING, validation=VALIDATION, rules="paper").decisions.calibration
    assert found is not None
    assert found.rules == Rules()
    assert asdict(Rules()) == {
        "unseen": -17.0, "low_resource": 18_000, "replacement": 100_000, "percentile": 5.0, "distance": 21.0,
        "ranks": 5, "max_margins": 2_000, "min_margins": 200, "entropy": 1.5, "entropy_alone": 5.0, "absorbed": 2.0,
        "percentiles": None,
    }  # fmt: skip


def test_a_language_may_replace_another_from_exactly_so_many_lines() -> None:
    model = with_lines(paper_model(), [99_999, 500, 100_000, 100_001])
    found = unilid.calibrate(model, TRAINING, rules="paper").decisions.calibration
    assert found is not None
    assert found.replaces.tolist() == [0, 0, 1, 1]


def test_only_so_many_training_lines_are_asked_for_their_margins() -> None:
    few = unilid.calibrate(paper_model(), TRAINING, rules=Rules(max_margins=199)).decisions.calibration
    assert few is not None
    assert not few.thresholds.any()
    enough = unilid.calibrate(paper_model(), TRAINING, rules=Rules(max_margins=250)).decisions.calibration
    assert enough is not None
    assert enough.thresholds.any()


def test_where_no_other_language_competes_there_is_no_margin_and_no_threshold() -> None:
    model = unilid.calibrate(paper_model(), TRAINING, rules="paper", prior={"dum_Latn": 1.0})
    assert model.decisions.calibration is not None
    assert model.decisions.calibration.thresholds.tolist() == [0.0] * 4


# ---- unseen tokens


def test_the_constant_lowers_unseen_tokens_only_where_they_are_more_probable() -> None:
    costs = np.array([0, 135, 136, 137, 255], np.uint8)
    assert raise_unseen(costs, -17.0).tolist() == [136, 136, 136, 137, 255]
    assert raise_unseen(costs, -1e-9).tolist() == costs.tolist()


def test_a_calibration_without_a_lower_constant_scores_as_before() -> None:
    model = context_model()
    found = unilid.calibrate(model, TRAINING).decisions.calibration
    assert found is not None
    assert found.rules.unseen == 0
    assert found.unseen.tolist() == model.parameters.unigram.unseen.tolist()


def test_validation_lines_choose_the_constant_of_the_papers_base() -> None:
    found = unilid.calibrate(paper_model(), TRAINING, validation=VALIDATION).decisions.calibration
    assert found is not None
    rules = {constant: Rules(unseen=constant) for constant in RAISED_UNSEEN}

    def right(constant: float) -> int:
        return sum(
            plain.ranked(keys)[0] == paper_model().row_of(label)
            for label, texts in VALIDATION.items()
            for keys in keys_of(paper_model(), texts, rules[constant])
        )

    assert right(found.rules.unseen) == max(map(right, rules))
    alone = unilid.calibrate(paper_model(), TRAINING).decisions.calibration
    assert alone is not None
    assert alone.rules.unseen == Rules().unseen


# ---- languages come and go


def calibrated() -> Model:
    return unilid.calibrate(paper_model(), TRAINING, rules=Rules(percentile=30.0))


def test_an_added_language_has_a_threshold_from_its_own_lines_and_changes_no_other() -> None:
    part = calibrated().remove_languages(["eng_Latn"])
    lines = TRAINING["eng_Latn"]
    grown = part.add_language("eng_Latn", lines)
    old, new = part.decisions.calibration, grown.decisions.calibration
    assert old is not None
    assert new is not None
    assert new.thresholds[:3].tolist() == old.thresholds.tolist()
    assert new.replaces.tolist() == [*old.replaces.tolist(), 0]
    assert new.unseen[:3].tolist() == old.unseen.tolist()
    assert new.rules == old.rules
    margins = plain_margins(grown, "eng_Latn", lines, new.rules, None)
    assert new.thresholds[3] == pytest.approx(percentile(margins, 30.0 * (1 - 300 / 18_000)))
    few = part.add_language("eng_Latn", lines[:199]).decisions.calibration
    assert few is not None
    assert few.thresholds[3] == 0


def test_a_language_added_where_validation_lines_chose_follows_the_papers_rule() -> None:
    model = unilid.calibrate(context_model(), TRAINING, validation=VALIDATION)
    assert model.decisions.calibration is not None
    part = model.remove_languages(["eng_Latn"])
    grown = part.add_language("eng_Latn", TRAINING["eng_Latn"]).decisions.calibration
    assert grown is not None
    assert grown.rules.percentiles is not None
    rules = replace(grown.rules, percentiles=None)
    assert grown.rules.percentiles["eng_Latn"] == rules.percentile_of("eng_Latn", 300, high_entropy=False)
    assert grown.thresholds[3] > 0
    assert grown.replaces.tolist() == [1, 1, 1, 1]


def test_a_subset_carries_thresholds_over() -> None:
    model = calibrated()
    part = model.subset(["rus_Cyrl", "dum_Latn"])
    whole, found = model.decisions.calibration, part.decisions.calibration
    assert whole is not None
    assert found is not None
    assert whole.thresholds[1] > 0
    for name in ("thresholds", "replaces", "unseen"):
        assert getattr(found, name).tolist() == getattr(whole, name)[[3, 1]].tolist()
    assert found.rules == whole.rules
    assert model.subset(model.languages).to_bytes() == model.to_bytes()


def test_removing_undoes_adding_in_a_calibrated_model() -> None:
    model = calibrated()
    grown = model.add_language("tok_Latn", ["mi moku e kili", "ona li lape"])
    assert grown.remove_languages(["tok_Latn"]).to_bytes() == model.to_bytes()


def test_blank_lines_before_the_first_words_of_an_added_language_do_no_harm() -> None:
    lines = ["", " ", "", "", "mi moku e kili"]
    for model in (fitted_model(), calibrated()):
        assert model.add_language("tok_Latn", lines).identify("mi moku e kili", abstain=False).label == "tok_Latn"
