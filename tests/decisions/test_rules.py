"""The rules of calibrated UniLID, one by one: thresholds, entropy, and percentiles that validation lines choose."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from support.calibration import TRAINING, VALIDATION, context_model, percentile

import unilid
from unilid import Rules, UnilidError
from unilid.decisions.calibration import CHOICES, Calibration, choose_percentiles, entropies, high_entropy, standardised
from unilid.models.costs import STEP

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


def test_constants_are_scaled_to_a_corpus_with_another_cap() -> None:
    paper = Rules.scaled(np.array([100_000, 3]))
    assert (paper.low_resource, paper.min_margins) == (Rules().low_resource, Rules().min_margins)
    small = Rules.scaled(np.array([50, 100]))
    assert (small.low_resource, small.replacement, small.min_margins) == (18.0, 90.0, 20)
    assert small.distance == Rules().distance


def test_a_calibration_says_what_it_is_without_its_arrays() -> None:
    bare = Calibration(Rules(), np.zeros(2), np.zeros(2, np.uint8), np.zeros(2, np.uint8))
    assert bare.stored() == asdict(Rules())
    assert Rules.of(bare.stored()) == Rules()
    chosen = replace(bare, rules=Rules(percentiles={"a": 3.0}))
    assert Rules.of(chosen.stored()) == chosen.rules


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


MARGINS_OF_LANGUAGES = [(0.5, 40.5, 1), (0.5, 20.5, 0.5), (0.5, 5.5, 1)]
lines_of_validation = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(-1, 2), st.integers(0, 30)), min_size=1, max_size=40
).filter(lambda lines: all(predicted != instead for predicted, _, instead, _ in lines))


@given(lines_of_validation)
@settings(max_examples=200)
def test_validation_lines_choose_what_makes_more_of_them_right(lines: list[tuple[int, int, int, int]]) -> None:
    predicted, truth, instead, margin = ([line[i] for line in lines] for i in range(4))
    margins = [np.arange(first, end, step, np.float64) for first, end, step in MARGINS_OF_LANGUAGES]
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
    rules = Rules(min_margins=20)
    found = choose_percentiles(
        "abc", np.array(predicted), np.array(truth), np.array(instead), np.array(margin, float), margins, rules
    )
    assert found == expected


def test_a_language_that_takes_what_is_anothers_is_reranked() -> None:
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
    reranked = [label for label, threshold in zip(TRAINING, found.thresholds, strict=True) if threshold > 0]
    assert set(reranked) == set(found.rules.percentiles)


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({"ranks": 10**9}, "ranks must be at most"),
        ({"ranks": 0}, "ranks must be a whole number"),
        ({"ranks": 2.0}, "ranks must be a whole number"),
        ({"max_margins": 0}, "max_margins must be a whole number"),
        ({"distance": 10**400}, "distance must be a finite number"),
        ({"distance": math.nan}, "distance must be a finite number"),
        ({"absorbed": "2"}, "absorbed must be a finite number"),
        ({"percentile": 101}, "101 is not a percentile"),
        ({"percentiles": {"a": 10**400}}, "a: .* is not a percentile"),
        ({"percentiles": {"a": math.nan}}, "a: nan is not a percentile"),
        ({"percentiles": [1]}, "percentiles must be a mapping"),
    ],
    ids=str,
)
def test_rules_that_make_no_sense_are_refused(rules: dict[str, Any], message: str) -> None:
    with pytest.raises(UnilidError, match=message):
        Rules(**rules)


def test_rules_of_numpy_are_stored_as_those_of_python() -> None:
    numbers: dict[str, Any] = {"distance": np.float32(21), "ranks": np.int64(5), "percentiles": {"a": np.float32(3)}}
    rules = Rules(**numbers)
    assert rules == Rules(percentiles={"a": 3.0})
    assert json.loads(json.dumps(asdict(rules))) == asdict(rules)
