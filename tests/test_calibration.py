"""Calibrated UniLID: every rule of the paper, stated once more in plain Python."""

from __future__ import annotations

import copy
import math
import re
from collections.abc import Callable
from dataclasses import asdict, replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

import numpy as np
import pytest
from helpers import CORPUS, GRAMMARS, decoded, fitted_model, small_model, text_of_all
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import unilid
from unilid import Rules, UnilidError, modelfile, plain
from unilid.calibration import (
    CHOICES,
    Calibration,
    Sample,
    choose_percentiles,
    entropies,
    high_entropy,
    lowered,
    sample,
    standardised,
)
from unilid.corpus import Batch
from unilid.costs import STEP
from unilid.decisions import Decisions
from unilid.model import Model

LABELS = list(GRAMMARS)
TRAINING = text_of_all(300)
# The ends of sentences: some of them two languages share.
VALIDATION = {
    label: [" ".join(line.split()[-2:]) for line in lines] for label, lines in text_of_all(60, seed=1).items()
}


def train(**options: Any) -> Model:
    return unilid.train(TRAINING, vocabulary=500, tune=False, threads=1, **options)


@cache
def paper_model() -> Model:
    """The paper's scoring, with line counts on both sides of its limits."""
    model = train(context=None, bound=None, fragments=0, unseen="additive")
    return replace(model, lines=np.array([100_000, 500, 18_000, 17_999]))


@cache
def context_model() -> Model:
    return replace(train(context="characters"), lines=np.array([100_000, 500, 99_999, 17_999]))


MODELS = {"paper": paper_model, "context": context_model}


def short_texts(count: int) -> list[str]:
    """One to three words of any language: small margins, and words that two languages share."""
    chance = Random(7)
    words = [word for text in text_of_all(40, seed=2).values() for line in text for word in line.split()]
    return [" ".join(chance.choices(words, k=chance.choice([1, 1, 2, 3]))) for _ in range(count)]


# ---- the rules in plain Python


def percentile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    place = share / 100 * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def with_constant(model: Model, constant: float) -> Model:
    """The model whose unseen tokens are no more probable than the constant."""
    unseen = np.array([max(cost, round(-constant / STEP)) for cost in model.unigram.unseen.tolist()], np.uint8)
    return replace(model, unigram=replace(model.unigram, unseen=unseen), decisions=Decisions())


def keys_of(model: Model, texts: list[str], rules: Rules, prior: Any = None) -> list[list[float]]:
    keys: list[list[float]] = (with_constant(model, rules.unseen).scores(texts) + model.log_prior(None, prior)).tolist()
    return keys


def plain_margins(model: Model, label: str, lines: list[str], rules: Rules, prior: Any) -> list[float]:
    margins = []
    for keys in keys_of(model, lines, rules, prior):
        best, second, *_ = plain.ranked(keys)
        if model.languages[best] == label:
            margins.append(keys[best] - keys[second])
    return margins


def plain_entropy(model: Model, row: int) -> float:
    weights = [math.exp(-STEP * cost) for cost in model.unigram.costs[model.unigram.languages == row].tolist()]
    total = math.fsum(weights)
    return -math.fsum(weight / total * math.log(weight / total) for weight in weights)


def plain_standardised(model: Model, label: str) -> float:
    script = label.split("_")[1]
    group = [plain_entropy(model, row) for row, other in enumerate(model.languages) if other.endswith(script)]
    middle = median(group)
    deviation = median(abs(value - middle) for value in group)
    distance = plain_entropy(model, model.row(label)) - middle
    return distance / deviation if deviation else 0.0


def plain_threshold(model: Model, label: str, rules: Rules, prior: Any, validated: bool) -> float:
    lines = int(model.lines[model.row(label)])
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


RULES = {
    "the paper's": Rules(),
    "examine most": Rules(percentile=60.0, low_resource=10**6, distance=4.0, ranks=3),
    "entropy": Rules(entropy_alone=0.5, percentile=40.0, replacement=500, low_resource=600),
    "entropy with validation": Rules(entropy=-9.0, absorbed=0.0, percentile=40.0, replacement=0, low_resource=0),
}


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
    assert found is not None and found.rules == rules
    expected = [plain_threshold(model, label, rules, prior, validated) for label in model.languages]
    assert found.thresholds.tolist() == pytest.approx(expected)
    assert found.replaces.tolist() == [int(lines >= rules.replacement) for lines in model.lines]
    assert found.unseen.tolist() == with_constant(model, rules.unseen).unigram.unseen.tolist()
    assert (calibrated.scores(["Brot"]) == model.scores(["Brot"])).all()

    texts = short_texts(150)
    keys = keys_of(model, texts, rules, prior)
    wanted = [
        plain.reexamined(
            row, found.thresholds.tolist(), found.replaces.tolist(), distance=rules.distance, ranks=rules.ranks
        )
        for row in keys
    ]
    answers = calibrated.identify(texts, prior=prior, abstain=False)
    assert [p.label for p in answers] == [model.languages[row] for row in wanted]
    assert calibrated.best_rows(texts, prior=prior, calibrated=True).tolist() == wanted
    for answer, row, scores in zip(answers, wanted, with_constant(model, rules.unseen).scores(texts), strict=True):
        assert answer.score == scores[row]


def test_the_rules_that_are_tried_above_do_change_answers() -> None:
    model, texts = paper_model(), short_texts(150)
    for name in ("examine most", "entropy with validation"):
        found = unilid.calibrate(model, TRAINING, validation=VALIDATION, rules=RULES[name])
        bare = [plain.ranked(keys)[0] for keys in keys_of(model, texts, RULES[name])]
        assert found.best_rows(texts, calibrated=True).tolist() != bare


@pytest.mark.parametrize("kind", MODELS)
def test_without_calibration_a_calibrated_model_gives_the_answers_it_gave_before(kind: str) -> None:
    model, texts = MODELS[kind](), short_texts(150)
    calibrated = unilid.calibrate(model, TRAINING, rules=RULES["examine most"])
    assert calibrated.identify(texts, k=4, calibrated=False) == model.identify(texts, k=4)
    assert calibrated.identify(texts, k=4) == calibrated.identify(texts, k=4, calibrated=True)
    assert calibrated.identify(texts, k=4) != model.identify(texts, k=4)
    assert calibrated.best_rows(texts).tolist() == model.best_rows(texts).tolist()


def test_every_language_a_candidate_leaves_calibrated_answers_as_they_are() -> None:
    calibrated = unilid.calibrate(context_model(), TRAINING, rules=RULES["examine most"])
    texts = short_texts(100)
    assert calibrated.identify(texts, k=4, candidates=4) == calibrated.identify(texts, k=4)


def test_asking_a_model_that_was_not_calibrated_for_calibrated_answers_is_an_error() -> None:
    for model in (small_model(), fitted_model()):
        with pytest.raises(UnilidError, match="not calibrated"):
            model.identify("snow", calibrated=True)
        with pytest.raises(UnilidError, match="not calibrated"):
            model.best_rows(["snow"], calibrated=True)
        assert model.identify("snow", calibrated=False) == model.identify("snow")


def test_the_papers_constants_are_the_papers_whatever_the_corpus() -> None:
    found = unilid.calibrate(paper_model(), TRAINING, validation=VALIDATION, rules="paper").decisions.calibration
    assert found is not None and found.rules == Rules()
    assert asdict(Rules()) == {
        "unseen": -17.0, "low_resource": 18_000, "replacement": 100_000, "percentile": 5.0, "distance": 21.0,
        "ranks": 5, "max_margins": 2_000, "min_margins": 200, "entropy": 1.5, "entropy_alone": 5.0, "absorbed": 2.0,
        "percentiles": None,
    }  # fmt: skip


# ---- thresholds


MARGINS = np.linspace(1.0, 11.0, 201)


def test_a_language_with_too_few_margins_has_no_threshold() -> None:
    rules = Rules()
    assert rules.threshold("a", 0, MARGINS[: rules.min_margins - 1]) == 0
    assert rules.threshold("a", 0, MARGINS[: rules.min_margins]) > 0


def test_the_percentile_falls_linearly_and_is_nothing_at_the_limit() -> None:
    rules = Rules()
    shares = [rules.percentile_of("a", lines, high_entropy=False) for lines in (0, 4_500, 9_000, 13_500, 17_999)]
    assert shares == pytest.approx([5.0, 3.75, 2.5, 1.25, 5.0 / 18_000])
    assert rules.threshold("a", 9_000, MARGINS) == pytest.approx(1.25)
    assert rules.threshold("a", 17_999, MARGINS) == pytest.approx(MARGINS.min(), abs=1e-3)


def test_a_language_with_as_many_lines_as_the_limit_is_not_low_resource() -> None:
    rules = Rules()
    assert rules.percentile_of("a", 18_000, high_entropy=False) is None
    assert rules.threshold("a", 18_000, MARGINS) == 0
    assert rules.threshold("a", 18_000, MARGINS, high_entropy=True) == pytest.approx(1.5)


def test_a_low_resource_language_of_high_entropy_keeps_the_percentile_of_its_lines() -> None:
    assert Rules().percentile_of("a", 9_000, high_entropy=True) == 2.5


def test_chosen_percentiles_are_for_the_languages_that_have_one() -> None:
    rules = Rules(percentiles={"a": 10.0})
    assert rules.threshold("a", 10**6, MARGINS) == pytest.approx(2.0)
    assert rules.threshold("b", 5, MARGINS) == 0
    assert rules.threshold("b", 10**6, MARGINS, high_entropy=True) == 0


def test_a_language_may_replace_another_from_exactly_so_many_lines() -> None:
    model = replace(paper_model(), lines=np.array([99_999, 500, 100_000, 100_001]))
    found = unilid.calibrate(model, TRAINING, rules="paper").decisions.calibration
    assert found is not None and found.replaces.tolist() == [0, 0, 1, 1]


def test_only_so_many_training_lines_are_asked_for_their_margins() -> None:
    few = unilid.calibrate(paper_model(), TRAINING, rules=Rules(max_margins=199)).decisions.calibration
    assert few is not None and not few.thresholds.any()
    enough = unilid.calibrate(paper_model(), TRAINING, rules=Rules(max_margins=250)).decisions.calibration
    assert enough is not None and enough.thresholds.any()


def test_constants_are_scaled_to_a_corpus_with_another_cap() -> None:
    paper = Rules.scaled(np.array([100_000, 3]))
    assert (paper.low_resource, paper.min_margins) == (Rules().low_resource, Rules().min_margins)
    small = Rules.scaled(np.array([50, 100]))
    assert (small.low_resource, small.replacement, small.min_margins) == (18.0, 90.0, 20)
    assert small.distance == Rules().distance


# ---- unseen tokens


def test_the_constant_lowers_unseen_tokens_only_where_they_are_more_probable() -> None:
    costs = np.array([0, 135, 136, 137, 255], np.uint8)
    assert lowered(costs, -17.0).tolist() == [136, 136, 136, 137, 255]
    assert lowered(costs, -1e-9).tolist() == costs.tolist()


def test_a_calibration_without_a_lower_constant_scores_as_before() -> None:
    model = context_model()
    found = unilid.calibrate(model, TRAINING).decisions.calibration
    assert found is not None
    assert found.rules.unseen == 0
    assert found.unseen.tolist() == model.unigram.unseen.tolist()


def test_validation_lines_choose_the_constant_of_the_papers_base() -> None:
    found = unilid.calibrate(paper_model(), TRAINING, validation=VALIDATION).decisions.calibration
    assert found is not None
    rules = {constant: Rules(unseen=constant) for constant in unilid.fitting.UNSEEN}

    def right(constant: float) -> int:
        return sum(
            plain.ranked(keys)[0] == paper_model().row(label)
            for label, texts in VALIDATION.items()
            for keys in keys_of(paper_model(), texts, rules[constant])
        )

    assert right(found.rules.unseen) == max(map(right, rules))
    alone = unilid.calibrate(paper_model(), TRAINING).decisions.calibration
    assert alone is not None and alone.rules.unseen == Rules().unseen


# ---- entropy


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 255)), min_size=1, max_size=30))
def test_the_entropy_is_that_of_the_seen_tokens(entries: list[tuple[int, int]]) -> None:
    rows, costs = (np.array(column) for column in zip(*entries, strict=True))
    found = entropies(4, rows, costs.astype(np.uint8))
    for row in set(rows.tolist()):
        weights = [math.exp(-STEP * cost) for cost in costs[rows == row].tolist()]
        total = math.fsum(weights)
        expected = -math.fsum(weight / total * math.log(weight / total) for weight in weights)
        assert found[row] == pytest.approx(expected, abs=1e-9)


def test_entropy_is_standardised_within_a_script_by_median_and_absolute_deviation() -> None:
    values = np.array([4.0, 5.0, 5.5, 7.0, 9.0, 1.0, 3.0])
    groups = ["Latn"] * 5 + ["Cyrl"] * 2
    assert standardised(values, groups) == pytest.approx([-1.0, -1 / 3, 0.0, 1.0, 7 / 3, -1.0, 1.0])


def test_a_script_whose_languages_hardly_differ_has_infinite_outliers() -> None:
    found = standardised(np.array([5.0, 5.0, 5.0, 6.0, 4.0]), ["Latn"] * 5)
    assert found.tolist() == [0.0, 0.0, 0.0, math.inf, -math.inf]
    assert standardised(np.array([5.0]), ["Latn"]).tolist() == [0.0]


@pytest.mark.parametrize(
    ("z", "lines", "misclassified", "own", "expected"),
    [
        (1.6, 18_000, 21, 10, True),
        (1.5, 18_000, 21, 10, False),  # exactly equal does not qualify
        (1.6, 18_000, 20, 10, False),
        (1.6, 17_999, 21, 10, False),  # few lines: the other group
        (5.1, 18_000, 0, 10, True),
        (5.0, 18_000, 0, 10, False),
        (5.1, 17_999, 99, 10, False),
        (math.inf, 10**6, 0, 10, True),
        (1.6, 18_000, 1, 0, True),
        (1.6, 18_000, 0, 0, False),
    ],
)
def test_a_language_has_high_entropy_where_it_takes_too_much_or_is_far_out(
    z: float, lines: int, misclassified: int, own: int, expected: bool
) -> None:
    arguments = (np.array([value]) for value in (z, lines, misclassified, own))
    assert high_entropy(Rules(), *arguments).tolist() == [expected]


def test_without_validation_lines_only_the_entropy_counts() -> None:
    z, lines = np.array([1.6, 4.9, 5.1]), np.full(3, 10**6)
    assert high_entropy(Rules(), z, lines, None, None).tolist() == [False, False, True]


# ---- percentiles that validation lines choose


def f1_sum(predicted: list[int], truth: list[int], languages: int) -> Fraction:
    total = Fraction(0)
    for row in range(languages):
        hits = sum(p == t == row for p, t in zip(predicted, truth, strict=True))
        total += Fraction(2 * hits, max(predicted.count(row) + truth.count(row), 1))
    return total


lines_of_validation = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(-1, 2), st.integers(0, 30)), min_size=1, max_size=40
).filter(lambda lines: all(predicted != instead for predicted, _, instead, _ in lines))


@given(lines_of_validation)
@settings(max_examples=200, deadline=None)
def test_validation_lines_choose_what_makes_more_of_them_right(lines: list[tuple[int, int, int, int]]) -> None:
    predicted, truth, instead, margin = ([line[i] for line in lines] for i in range(4))
    margins = [np.arange(0.5, 40.5), np.arange(0.5, 20.5, 0.5), np.arange(0.5, 5.5)]
    expected: dict[str, float] = {}
    for row, label in enumerate("ab"):  # the third has too few margins
        best = 0.0
        for choice in CHOICES:
            limit = percentile(margins[row].tolist(), choice)
            again = [p == row and i >= 0 and m < limit for p, i, m in zip(predicted, instead, margin, strict=True)]
            changed = [i if a else p for a, i, p in zip(again, instead, predicted, strict=True)]
            won = sum(a and t == i for a, t, i in zip(again, truth, instead, strict=True))
            lost = sum(a and t == row for a, t in zip(again, truth, strict=True))
            gain = won - lost - math.sqrt(won + lost)
            before, after = f1_sum(predicted, truth, 3), f1_sum(changed, truth, 3)
            assume(gain <= best or before != after)  # which a sum of floats may get wrong
            if gain > best and after > before:
                best, expected[label] = gain, choice
    columns = [np.array(column) for column in (predicted, truth, instead)]
    rules = Rules(min_margins=20)
    assert choose_percentiles("abc", *columns, np.array(margin, float), margins, rules) == expected


def test_a_language_that_takes_what_is_anothers_is_examined_again() -> None:
    predicted, truth, instead = (np.array(column) for column in ([0] * 30, [0] * 10 + [1] * 20, [1] * 30))
    margin = np.array([9.0] * 10 + [0.5] * 20)
    margins = [np.linspace(0.6, 30, 100), np.linspace(1, 2, 100)]
    assert choose_percentiles(["a", "b"], predicted, truth, instead, margin, margins, Rules(min_margins=20)) == {
        "a": CHOICES[0]
    }
    own = np.zeros(30, np.int64)  # all of its own: nothing to win
    assert choose_percentiles(["a", "b"], predicted, own, instead, margin, margins, Rules(min_margins=20)) == {}


def test_with_validation_lines_any_language_may_replace_another() -> None:
    found = unilid.calibrate(context_model(), TRAINING, validation=VALIDATION).decisions.calibration
    assert found is not None
    assert found.replaces.tolist() == [1, 1, 1, 1]
    assert found.rules.percentiles is not None
    examined = [label for label, threshold in zip(LABELS, found.thresholds, strict=True) if threshold > 0]
    assert set(examined) == set(found.rules.percentiles)


# ---- lines that are drawn


def test_a_sample_has_the_first_lines_or_draws_evenly() -> None:
    lines = [f"{n}".encode() for n in range(1000)]
    assert sample([Batch(["a"] * 1000, lines)], 1000).lines["a"] == lines
    drawn = [int(line) for line in sample([Batch(["a"] * 1000, lines)], 200).lines["a"]]
    assert len(set(drawn)) == 200
    assert 400 < sum(drawn) / 200 < 600
    other = sample([Batch(["a"] * 1000, lines)], 200, seed=1).lines["a"]
    assert [int(line) for line in other] != drawn


def test_a_label_draws_its_lines_whatever_the_others_are_and_however_they_come() -> None:
    lines = [f"{n}".encode() for n in range(300)]
    alone = sample([Batch(["a"] * 300, lines)], 50)
    mixed = Sample(50)
    for line in lines:
        mixed.add(Batch(["b", "a"], [b"other", line]))
    assert mixed.lines["a"] == alone.lines["a"]
    rows, texts = mixed.known({"a": 3})
    assert (set(rows.tolist()), texts) == ({3}, alone.lines["a"])


# ---- what is given to it


@pytest.mark.parametrize("rules", ["papers", 5, {"percentile": 3}, True], ids=repr)
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


def test_validation_lines_fit_probabilities_and_leave_the_rest() -> None:
    model = unilid.calibrate(context_model(), TRAINING, rules="paper")
    again = unilid.calibrate(model, validation=VALIDATION)
    assert again.decisions.calibration is model.decisions.calibration
    assert model.decisions.rejection is None and again.decisions.rejection is not None
    assert again.decisions.temperature != model.decisions.temperature


@pytest.mark.parametrize("rules", [None, "paper"])
@pytest.mark.parametrize("validated", [False, True])
def test_a_model_of_one_language_can_be_calibrated(rules: Any, validated: bool) -> None:
    only = {"eng_Latn": TRAINING["eng_Latn"]}
    validation = {"eng_Latn": VALIDATION["eng_Latn"]} if validated else None
    model = unilid.calibrate(unilid.train(only, vocabulary=300), only, validation=validation, rules=rules)
    assert model.identify("the old man buys some apples", abstain=False).label == "eng_Latn"
    assert Model.from_bytes(model.to_bytes()).to_bytes() == model.to_bytes()


def test_where_no_other_language_competes_there_is_no_margin_and_no_threshold() -> None:
    model = unilid.calibrate(paper_model(), TRAINING, rules="paper", prior={"dum_Latn": 1.0})
    assert model.decisions.calibration is not None
    assert model.decisions.calibration.thresholds.tolist() == [0.0] * 4


# ---- languages come and go


def calibrated() -> Model:
    return unilid.calibrate(paper_model(), TRAINING, rules=Rules(percentile=30.0))


def test_an_added_language_has_a_threshold_from_its_own_lines_and_changes_no_other() -> None:
    part = calibrated().remove_languages(["eng_Latn"])
    lines = TRAINING["eng_Latn"]
    grown = part.add_language("eng_Latn", lines)
    old, new = part.decisions.calibration, grown.decisions.calibration
    assert old is not None and new is not None
    assert new.thresholds[:3].tolist() == old.thresholds.tolist()
    assert new.replaces.tolist() == [*old.replaces.tolist(), 0]
    assert new.unseen[:3].tolist() == old.unseen.tolist()
    assert new.rules == old.rules
    margins = plain_margins(grown, "eng_Latn", lines, new.rules, None)
    assert new.thresholds[3] == pytest.approx(percentile(margins, 30.0 * (1 - 300 / 18_000)))
    few = part.add_language("eng_Latn", lines[:199]).decisions.calibration
    assert few is not None and few.thresholds[3] == 0


def test_a_language_added_where_validation_lines_chose_follows_the_papers_rule() -> None:
    model = unilid.calibrate(context_model(), TRAINING, validation=VALIDATION)
    assert model.decisions.calibration is not None
    part = model.remove_languages(["eng_Latn"])
    grown = part.add_language("eng_Latn", TRAINING["eng_Latn"]).decisions.calibration
    assert grown is not None and grown.rules.percentiles is not None
    rules = replace(grown.rules, percentiles=None)
    assert grown.rules.percentiles["eng_Latn"] == rules.percentile_of("eng_Latn", 300, high_entropy=False)
    assert grown.thresholds[3] > 0
    assert grown.replaces.tolist() == [1, 1, 1, 1]


def test_a_subset_carries_thresholds_over() -> None:
    model = calibrated()
    part = model.subset(["rus_Cyrl", "dum_Latn"])
    whole, found = model.decisions.calibration, part.decisions.calibration
    assert whole is not None and found is not None
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


# ---- damaged files: the checksum is right, the decisions are not

Change = Callable[[modelfile.Arrays, dict[str, Any]], object]


@cache
def everything() -> Model:
    prior_from = VALIDATION["deu_Latn"] + VALIDATION["rus_Cyrl"][:9]
    return unilid.calibrate(context_model(), TRAINING, validation=VALIDATION, rules="paper", prior_from=prior_from)


def refused(change: Change) -> str:
    arrays, metadata = decoded(everything().to_bytes())
    arrays, metadata = {name: array.copy() for name, array in arrays.items()}, copy.deepcopy(metadata)
    change(arrays, metadata)
    metadata.pop("format")
    with pytest.raises(unilid.ModelFileError, match="damaged: ") as caught:
        Model.from_bytes(modelfile.encode(arrays, metadata))
    return str(caught.value)


ARRAYS = [
    *(f"rejection.{name}" for name in ("usual", "spread", "limits", "least")),
    *(f"calibration.{name}" for name in ("thresholds", "replaces", "unseen")),
    "prior",
]


@pytest.mark.parametrize("name", ARRAYS)
def test_a_decision_array_that_is_not_one_is_named(name: str) -> None:
    array = decoded(everything().to_bytes())[0][name]
    for wrong in (array[:-1], array[:0], np.append(array, array[:1])):
        said = refused(lambda arrays, _, wrong=wrong: arrays.update({name: wrong}))
        assert f"'{name}'" in said
    if name != "prior":  # which a model need not have
        assert f"'{name}' is missing" in refused(lambda arrays, _: arrays.pop(name))
    if array.dtype == np.float64:
        for value in (-1.0, math.nan):
            assert f"'{name}'" in refused(lambda arrays, _, value=value: arrays[name].__setitem__(1, value))
    else:
        assert f"'{name}'" in refused(lambda arrays, _: arrays.update({name: array.astype(np.float64)}))


def test_a_language_that_replaces_more_than_once_is_refused() -> None:
    assert "'calibration.replaces'" in refused(lambda arrays, _: arrays["calibration.replaces"].__setitem__(0, 2))


def test_a_prior_that_adds_up_to_something_else_is_refused() -> None:
    for factor in (0.5, 2.0, 0.0):
        said = refused(lambda arrays, _, factor=factor: arrays.update(prior=arrays["prior"] * factor))
        assert "prior adds up to" in said


@pytest.mark.parametrize(
    "value",
    [None, [], 5, "123", [1.0, 2.0, 3.0, 4.0], [1.0, 0.0, 0.5], [1.0, -1.0, 0.5], [math.nan, 1.0, 1.0],
     [math.inf, 1.0, 1.0], ["1", 1.0, 1.0], [[1.0], 1.0, 1.0], {}],
    ids=repr,
)  # fmt: skip
def test_a_temperature_that_is_none_is_refused(value: Any) -> None:
    refused(lambda _, metadata: metadata["decisions"].update(temperature=value))


@pytest.mark.parametrize(
    "value", [[], [1.0], [1.0, -1.0], [1.0, 1.0, 1.0], ["a", 1.0], None, 3.0, [math.nan, 1.0]], ids=repr
)
def test_a_scatter_that_is_none_is_refused(value: Any) -> None:
    refused(lambda _, metadata: metadata["decisions"].update(rejection=value))


@pytest.mark.parametrize(
    ("name", "value"),
    [("ranks", 0), ("ranks", "5"), ("ranks", None), ("distance", math.nan), ("distance", "far"), ("percentile", []),
     ("unseen", True), ("low_resource", math.inf), ("min_margins", None)],
)  # fmt: skip
def test_rules_that_make_no_sense_are_refused_and_named(name: str, value: Any) -> None:
    assert re.search(name, refused(lambda _, metadata: metadata["decisions"]["calibration"].update({name: value})))


@pytest.mark.parametrize("value", [None, 5, [], "paper"], ids=repr)
def test_rules_that_are_no_rules_are_refused(value: Any) -> None:
    refused(lambda _, metadata: metadata["decisions"].update(calibration=value))


def test_rules_of_a_later_version_are_passed_over() -> None:
    arrays, metadata = decoded(everything().to_bytes())
    metadata["decisions"]["calibration"]["later"] = 1
    metadata["decisions"]["later"] = 1
    metadata.pop("format")
    assert Model.from_bytes(modelfile.encode(arrays, metadata)).to_bytes() == everything().to_bytes()


def test_a_calibration_says_what_it_is_without_its_arrays() -> None:
    bare = Calibration(Rules(), np.zeros(2), np.zeros(2, np.uint8), np.zeros(2, np.uint8))
    assert bare.stored() == asdict(Rules())
    assert Rules.of(bare.stored()) == Rules()
    chosen = replace(bare, rules=Rules(percentiles={"a": 3.0}))
    assert Rules.of(chosen.stored()) == chosen.rules
