"""Every figure of an evaluation against a plain computation from the lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from statistics import fmean
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.evaluation import Line, flat, pair_of_reports, some_lines, tallied, training

from unilid.errors import CorpusError, UnilidError
from unilid.evaluation.evaluate import relabelling
from unilid.evaluation.metrics import Tally, compare

# ---- a plain computation


def plain_label(lines: Sequence[Line], label: str) -> dict[str, Any]:
    own = [line for line in lines if line.truth == label]
    others = [line for line in lines if line.truth != label]
    hits = sum(line.answer == label for line in own)
    alarms = sum(line.answer == label for line in others)
    precision = hits / (hits + alarms) if hits else 0.0
    recall = hits / len(own)
    return {
        "label": label,
        "lines": len(own),
        "precision": precision,
        "recall": recall,
        "f1": 2 * precision * recall / (precision + recall) if hits else 0.0,
        "fpr": alarms / len(others) if others else 0.0,
    }


def plain_labels(lines: Sequence[Line]) -> list[dict[str, Any]]:
    return [plain_label(lines, label) for label in sorted({line.truth for line in lines})]


def mean_of(results: Sequence[dict[str, Any]], measure: str) -> float:
    return fmean(result[measure] for result in results)


def plain_bins(lines: Sequence[Line]) -> list[list[Line]]:
    sure = [line for line in lines if line.thousandths is not None]
    bins = [[line for line in sure if min((line.thousandths or 0) * 15 // 1000, 14) == n] for n in range(15)]
    return [lines for lines in bins if lines]


def probability(lines: Sequence[Line]) -> float:
    return fmean((line.thousandths or 0) / 1000 for line in lines)


def accuracy(lines: Sequence[Line]) -> float:
    return fmean(line.truth == line.answer for line in lines)


def plain_ece(lines: Sequence[Line]) -> float | None:
    bins = plain_bins(lines)
    if not bins:
        return None
    gaps = [len(lines) * abs(probability(lines) - accuracy(lines)) for lines in bins]
    return sum(gaps) / sum(map(len, bins))


def plain_stratum(lines: Sequence[Line], name: str, members: set[str]) -> dict[str, Any]:
    inside = [line for line in lines if line.truth in members]
    everywhere = [result for result in plain_labels(lines) if result["label"] in members]
    return {
        "name": name,
        "labels": len(members),
        "lines": len(inside),
        "f1_global": mean_of(everywhere, "f1"),
        "fpr_global": mean_of(everywhere, "fpr"),
        "f1_within": mean_of(plain_labels(inside), "f1"),
        "fpr_within": mean_of(plain_labels(inside), "fpr"),
    }


BUCKETS = {
    "0 to 19": range(20),
    "20 to 39": range(20, 40),
    "40 to 79": range(40, 80),
    "80 to 159": range(80, 160),
    "160 to 319": range(160, 320),
    "320 or more": range(320, 1 << 60),
}

TIERS = {
    "below 500": range(500),
    "500 to 999": range(500, 1_000),
    "1,000 to 11,999": range(1_000, 12_000),
    "12,000 to 17,999": range(12_000, 18_000),
    "18,000 to 34,999": range(18_000, 35_000),
    "35,000 or more": range(35_000, 1 << 60),
}

SCRIPTS = {"": {"tok"}, "Cyrl": {"srp_Cyrl", "rus_Cyrl"}, "Latn": {"deu_Latn", "eng_Latn", "srp_Latn"}}


def plain_report(lines: Sequence[Line], trained: dict[str, int] | None) -> dict[str, Any]:
    results = plain_labels(lines)
    known = {result["label"] for result in results}
    buckets = {name: [line for line in lines if line.length in span] for name, span in BUCKETS.items()}
    tiers = {
        name: {label for label in known if trained is not None and trained.get(label, 0) in span}
        for name, span in TIERS.items()
    }
    wrong = Counter((line.truth, line.answer) for line in lines if line.truth != line.answer)
    return {
        "lines": len(lines),
        "accuracy": accuracy(lines),
        "macro": {measure: mean_of(results, measure) for measure in ("f1", "precision", "recall", "fpr")},
        "weighted_f1": sum(result["f1"] * result["lines"] for result in results) / len(lines),
        "undetermined": fmean(line.answer == "und" for line in lines),
        "no_language": fmean(line.answer == "zxx" for line in lines),
        "ece": plain_ece(lines),
        "labels": [
            {**result, "training_lines": None if trained is None else trained.get(result["label"], 0)}
            for result in results
        ],
        "confused": [
            {"label": truth, "answer": answer, "lines": count, "examples": []}
            for count, truth, answer in sorted((-n, *pair) for pair, n in wrong.items())[:50]
            for count in [-count]
        ],
        "by_length": [
            {
                "name": name,
                "lines": len(inside),
                "accuracy": accuracy(inside) if inside else None,
                "macro_f1": mean_of(plain_labels(inside), "f1") if inside else None,
                "ece": plain_ece(inside),
            }
            for name, inside in buckets.items()
        ],
        "by_script": [plain_stratum(lines, name, known & all_) for name, all_ in SCRIPTS.items() if known & all_],
        "by_tier": [plain_stratum(lines, name, members) for name, members in tiers.items() if members],
        "reliability": [
            {"lines": len(inside), "probability": probability(inside), "accuracy": accuracy(inside)}
            for inside in plain_bins(lines)
        ],
        "unknown": [],
        "known_by": [],
    }


# ---- the figures


@given(lines=some_lines, trained=st.none() | training)
def test_every_figure_equals_a_plain_computation_from_the_lines(
    lines: list[Line], trained: dict[str, int] | None
) -> None:
    found = tallied(lines).report(trained)
    assert flat(asdict(found)) == pytest.approx(flat(plain_report(lines, trained)))


@given(lines=some_lines, trained=training, macrolanguages=st.booleans(), script_blind=st.booleans())
@settings(max_examples=50)
def test_labels_compared_as_others_give_the_figures_of_those_others(
    lines: list[Line], trained: dict[str, int], macrolanguages: bool, script_blind: bool
) -> None:
    def rename(label: str) -> str:
        label = label.replace("srp", "hbs") if macrolanguages else label
        return label.split("_")[0] if script_blind else label

    totals: Counter[str] = Counter()
    for label, count in trained.items():
        totals[rename(label)] += count
    renamed = [line._replace(truth=rename(line.truth), answer=rename(line.answer)) for line in lines]
    relabel = relabelling(macrolanguages=macrolanguages, script_blind=script_blind)
    assert tallied(lines, relabel).report(trained) == tallied(renamed).report(totals)


def test_the_figures_of_a_small_example_are_those_done_by_hand() -> None:
    lines = [
        *[Line("deu_Latn", "deu_Latn")] * 3,
        Line("deu_Latn", "eng_Latn"),
        *[Line("eng_Latn", "eng_Latn")] * 4,
        *[Line("rus_Cyrl", "rus_Cyrl"), Line("rus_Cyrl", "eng_Latn")],
    ]
    report = tallied(lines).report()
    german, english, russian = report.labels
    assert (german.precision, german.recall, german.f1, german.fpr) == (1, 3 / 4, 6 / 7, 0)
    assert (english.precision, english.recall, english.f1, english.fpr) == (4 / 6, 1, 8 / 10, 2 / 6)
    assert (russian.precision, russian.recall, russian.f1, russian.fpr) == (1, 1 / 2, 2 / 3, 0)
    assert report.accuracy == 8 / 10
    assert report.macro.f1 == pytest.approx((6 / 7 + 8 / 10 + 2 / 3) / 3)
    assert report.weighted_f1 == pytest.approx(0.4 * 6 / 7 + 0.4 * 8 / 10 + 0.2 * 2 / 3)
    cyrillic, latin = report.by_script
    assert (cyrillic.name, cyrillic.f1_global, cyrillic.f1_within) == ("Cyrl", 2 / 3, 2 / 3)
    # The Russian line taken for English is a false positive of English, but no line of the script.
    assert latin.fpr_global == pytest.approx((0 + 2 / 6) / 2)
    assert latin.fpr_within == pytest.approx((0 + 1 / 4) / 2)
    assert latin.f1_within == pytest.approx((6 / 7 + 8 / 9) / 2)


def test_probabilities_fall_into_fifteen_bins_of_which_the_last_has_one() -> None:
    ends = [n * 1000 // 15 for n in range(1, 15)]  # the last thousandth of each bin but those that end on one
    lines = [Line("deu_Latn", "deu_Latn", 30, n) for n in (0, *ends, *(end + 1 for end in ends), 1000)]
    found = tallied(lines).report().reliability
    assert [bin_.lines for bin_ in found] == [len(inside) for inside in plain_bins(lines)]
    assert len(found) == 15
    assert found[-1].probability == pytest.approx((0.934 + 1) / 2)


@pytest.mark.parametrize("answer", ["und", "zxx", "xyz_Latn", "eng", ""])
def test_an_answer_outside_the_test_set_is_wrong_and_no_label_of_its_own(answer: str) -> None:
    lines = [Line("deu_Latn", "deu_Latn"), Line("eng_Latn", "eng_Latn"), Line("eng_Latn", answer)]
    report = tallied(lines).report({answer: 1000})
    assert [result.label for result in report.labels] == ["deu_Latn", "eng_Latn"]
    assert [stratum.name for stratum in report.by_script] == ["Latn"]
    assert [stratum.name for stratum in report.by_tier] == ["below 500"]
    assert report.accuracy == 2 / 3
    assert (report.macro.recall, report.macro.precision) == (3 / 4, 1)
    assert report.macro.fpr == 0
    assert (report.undetermined, report.no_language) == ((answer == "und") / 3, (answer == "zxx") / 3)


def test_a_test_set_may_have_text_that_is_no_language() -> None:
    report = tallied([Line("zxx", "zxx"), Line("zxx", "deu_Latn"), Line("deu_Latn", "deu_Latn")]).report()
    assert {result.label: result.recall for result in report.labels} == {"deu_Latn": 1.0, "zxx": 1 / 2}


def test_a_label_alone_has_no_false_positives() -> None:
    report = tallied([Line("deu_Latn", "deu_Latn"), Line("deu_Latn", "eng_Latn")]).report()
    assert report.macro.fpr == 0
    assert report.macro.f1 == 2 / 3


def test_only_the_fifty_worst_confusions_are_named() -> None:
    lines = [Line(f"l{number:02}", "und") for number in range(60) for _ in range(number)]
    confused = tallied([Line("l00", "l00"), *lines]).report().confused
    assert [(c.label, c.lines) for c in confused] == [(f"l{number:02}", number) for number in range(59, 9, -1)]


def test_nothing_is_evaluated_from_nothing() -> None:
    with pytest.raises(CorpusError, match="nothing to evaluate"):
        Tally().report()


# ---- two systems


@pytest.mark.parametrize("labels", [1, 2, 7, 30])
@pytest.mark.parametrize("seed", [0, 1])
def test_the_difference_is_that_of_the_means_and_lies_in_its_interval(labels: int, seed: int) -> None:
    first, second = pair_of_reports(labels, seed)
    found = compare(first, second, samples=2000, seed=seed)
    assert [d.measure for d in found] == ["macro f1", "macro precision", "macro recall", "macro fpr"]
    for difference in found:
        measure = difference.measure.split()[1]
        one, two = getattr(first.macro, measure), getattr(second.macro, measure)
        assert [difference.first, difference.second] == pytest.approx([one, two])
        assert difference.difference == pytest.approx(two - one)
        assert difference.low - 1e-12 <= difference.difference <= difference.high + 1e-12
        assert difference.low < difference.high or labels == 1 or difference.low == difference.high == 0


def test_systems_that_answer_the_same_do_not_differ() -> None:
    report, _ = pair_of_reports(9, 0)
    assert {(d.difference, d.low, d.high) for d in compare(report, report)} == {(0, 0, 0)}


def test_the_other_way_round_is_the_opposite() -> None:
    first, second = pair_of_reports(9, 0)
    for there, back in zip(compare(first, second), compare(second, first), strict=True):
        assert back.difference == pytest.approx(-there.difference)
        assert [back.low, back.high] == pytest.approx([-there.high, -there.low])


def test_the_bootstrap_draws_labels_and_takes_both_systems_at_each() -> None:
    first, second = pair_of_reports(7, 3)
    samples = 500
    random = np.random.default_rng(11)
    draws = [[int(n) for n in random.integers(7, size=7)] for _ in range(samples)]
    for difference in compare(first, second, samples=samples, seed=11):
        measure = difference.measure.split()[1]
        means = sorted(
            fmean(getattr(second.labels[n], measure) - getattr(first.labels[n], measure) for n in draw)
            for draw in draws
        )

        def quantile(share: float, means: Sequence[float] = means) -> float:
            place = share * (len(means) - 1)
            below = int(place)
            return means[below] + (place - below) * (means[below + 1] - means[below])

        assert difference.low == pytest.approx(quantile(0.025))
        assert difference.high == pytest.approx(quantile(0.975))


def test_systems_asked_about_different_labels_are_not_compared() -> None:
    german, english = (tallied([Line(label, label)]).report() for label in ("deu_Latn", "eng_Latn"))
    both = tallied([Line("deu_Latn", "deu_Latn"), Line("eng_Latn", "eng_Latn")]).report()
    for first, second in ((german, english), (german, both), (both, german)):
        with pytest.raises(UnilidError, match="labels differ"):
            compare(first, second)
