"""Metrics: from counts of (true label, answer, length) and of probabilities. Of lines, a few wrong ones are kept.

Definitions are the paper's: F1, precision, recall and the false-positive rate are averaged over the labels of the test
set, each weighing the same. Every answer that is not a label of the test set, `und` and `zxx` included, is wrong.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import pairwise
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from unilid.display import one_line
from unilid.errors import CorpusError, UnilidError
from unilid.languages.labels import (
    NO_LANGUAGE,
    RESERVED,
    UNDETERMINED,
    split,
    with_macrolanguage,
    without_script,
    written_as,
)

BINS = 15
"""Bins of probability for reliability and the expected calibration error."""
LENGTHS = (20, 40, 80, 160, 320)
"""Characters at which a bucket of lengths ends."""
TIERS = (500, 1_000, 12_000, 18_000, 35_000)
"""Training lines at which a tier of the paper ends."""

EXAMPLES = 3
"""Lines of a confused pair that are shown."""
EXCERPT = 200
"""Characters of such a line that are kept, at most."""

Relabel: TypeAlias = Callable[[str], str]

_OTHERWISE: Mapping[str, Relabel] = {
    "script_blind": without_script,
    "codes=bcp47": partial(written_as, codes="bcp47"),
    "codes=iso639_1": partial(written_as, codes="iso639_1"),
    "macrolanguages": with_macrolanguage,
    "codes=macro": partial(written_as, codes="macro"),
}
"""Options by which labels are compared otherwise, those that tell most labels apart first."""
_OFFERED = 2
"""How many of them are offered, at most."""


def length_bucket(length: int) -> int:
    """Return the bucket of a length.

    >>> length_bucket(19), length_bucket(20), length_bucket(10_000)
    (0, 1, 5)
    """
    return sum(length >= end for end in LENGTHS)


class Counts(NamedTuple):
    """Part of a tally: lines with an answer, or lines whose probability is in a bin, and the right ones of these."""

    truth: str
    answer: str
    bucket: int
    place: int
    """Of the bin; -1 for the answers."""
    lines: int
    probability: float
    right: int


@dataclass(slots=True)
class Tally:
    """Counts answers as they come."""

    relabel: Relabel | None = None
    """What labels are compared as: see `unilid.languages.labels`."""
    answers: Counter[tuple[str, str, int]] = field(default_factory=Counter)
    """(true label, answer, bucket of length)"""
    reliability: npt.NDArray[np.float64] = field(default_factory=lambda: np.zeros((len(LENGTHS) + 1, BINS, 3)))
    """By bucket and bin of probability: lines, their probabilities, right ones."""
    examples: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    """The first lines of each confused pair."""
    _labels: dict[str, str] = field(default_factory=dict)

    def add(self, truth: str, answer: str, text: bytes | int, probability: float | None = None) -> bool:
        """Count an answer to a text, or to one of so many characters, and return whether it is right."""
        truth, answer = self._as(truth), self._as(answer)
        characters = text if isinstance(text, int) else text.decode("utf-8", "replace")
        bucket = length_bucket(characters if isinstance(characters, int) else len(characters))
        self.answers[truth, answer, bucket] += 1
        if probability is not None:
            place = min(int(probability * BINS), BINS - 1)
            self.reliability[bucket, place] += (1, probability, truth == answer)
        if truth != answer and isinstance(characters, str):
            examples = self.examples.setdefault((truth, answer), [])
            if len(examples) < EXAMPLES:
                examples.append(one_line(characters[:EXCERPT]))
        return truth == answer

    def counts(self) -> Iterator[Counts]:
        """Yield what was counted, without the examples: those of several tallies can be added up."""
        for (truth, answer, bucket), lines in self.answers.items():
            yield Counts(truth, answer, bucket, -1, lines, 0.0, 0)
        for bucket, place in np.argwhere(self.reliability[:, :, 0] > 0).tolist():
            lines, probability, right = self.reliability[bucket, place].tolist()
            yield Counts("", "", bucket, place, int(lines), probability, int(right))

    def add_counts(self, counts: Counts) -> None:
        """Add what another tally counted."""
        if counts.place < 0:
            self.answers[counts.truth, counts.answer, counts.bucket] += counts.lines
        else:
            self.reliability[counts.bucket, counts.place] += counts[-3:]

    def _as(self, label: str) -> str:
        if self.relabel is None:
            return label
        if label not in self._labels:
            self._labels[label] = self.relabel(label)
        return self._labels[label]

    def report(self, lines: Mapping[str, int] | None = None, *, known: Collection[str] | None = None) -> Report:
        """Return the figures. `lines`: of training, by label, for tiers; `known`: all labels that are ever answered."""
        if not self.answers:
            raise CorpusError("nothing to evaluate: there are no labelled lines")
        trained: dict[str, int] | None = None
        if lines is not None:
            trained = Counter()
            for label, count in lines.items():
                trained[self._as(label)] += count
        pairs: Counter[tuple[str, str]] = Counter()
        for (truth, answer, _), count in self.answers.items():
            pairs[truth, answer] += count
        per_label = _per_label(pairs, trained)
        total = sum(pairs.values())
        scripts = {result.label: split(result.label)[1] or "" for result in per_label}
        unknown: list[str] = []
        if known is not None:
            answered = {*map(self._as, known), *RESERVED}
            unknown = [result.label for result in per_label if result.label not in answered]
        tiers = {} if trained is None else {result.label: _tier(result.training_lines or 0) for result in per_label}
        return Report(
            lines=total,
            accuracy=sum(count for (a, b), count in pairs.items() if a == b) / total,
            macro=_macro(per_label),
            weighted_f1=sum(result.f1 * result.lines for result in per_label) / total,
            undetermined=sum(count for (_, b), count in pairs.items() if b == UNDETERMINED) / total,
            no_language=sum(count for (_, b), count in pairs.items() if b == NO_LANGUAGE) / total,
            ece=_ece(self.reliability.sum(axis=0)),
            labels=per_label,
            confused=[Confusion(a, b, n, self.examples.get((a, b), [])) for (a, b), n in _most(pairs)],
            by_length=[self._bucket(bucket) for bucket in range(len(LENGTHS) + 1)],
            by_script=_strata(pairs, per_label, scripts, sorted(set(scripts.values()))),
            by_tier=_strata(pairs, per_label, tiers, [name for name in _TIER_NAMES if name in set(tiers.values())]),
            reliability=_bins(self.reliability.sum(axis=0)),
            unknown=unknown,
            known_by=[] if known is None or self.relabel is not None else _known_by(unknown, known),
        )

    def _bucket(self, bucket: int) -> Bucket:
        pairs: Counter[tuple[str, str]] = Counter()
        for (truth, answer, own), count in self.answers.items():
            if own == bucket:
                pairs[truth, answer] += count
        total = sum(pairs.values())
        first = LENGTHS[bucket - 1] if bucket else 0
        name = f"{first} to {LENGTHS[bucket] - 1}" if bucket < len(LENGTHS) else f"{first} or more"
        if not total:
            return Bucket(name, 0, None, None, None)
        right = sum(count for (a, b), count in pairs.items() if a == b)
        return Bucket(name, total, right / total, _macro(_per_label(pairs, None)).f1, _ece(self.reliability[bucket]))


@dataclass(frozen=True, slots=True)
class Macro:
    """Averages over labels."""

    f1: float
    precision: float
    recall: float
    fpr: float


@dataclass(frozen=True, slots=True)
class LabelResult:
    """The figures of one label."""

    label: str
    lines: int
    precision: float
    recall: float
    f1: float
    fpr: float
    training_lines: int | None = None


@dataclass(frozen=True, slots=True)
class Confusion:
    """Lines of one label that were taken for another."""

    label: str
    answer: str
    lines: int
    examples: list[str] = field(default_factory=list)
    """The beginnings of some of them, where their text is known."""


@dataclass(frozen=True, slots=True)
class Bucket:
    """Lines of about the same length, in characters."""

    name: str
    lines: int
    accuracy: float | None
    macro_f1: float | None
    ece: float | None


@dataclass(frozen=True, slots=True)
class Stratum:
    """Labels of a script or of a resource tier, in the paper's two views.

    Global: every false positive counts. Within: only lines whose true label belongs to the stratum.
    """

    name: str
    labels: int
    lines: int
    f1_global: float
    fpr_global: float
    f1_within: float
    fpr_within: float


@dataclass(frozen=True, slots=True)
class Bin:
    """Answers of about the same probability."""

    lines: int
    probability: float
    accuracy: float


@dataclass(frozen=True, slots=True)
class Report:
    """All figures of an evaluation."""

    lines: int
    accuracy: float
    macro: Macro
    weighted_f1: float
    undetermined: float
    no_language: float
    ece: float | None
    labels: list[LabelResult]
    confused: list[Confusion]
    by_length: list[Bucket]
    by_script: list[Stratum]
    by_tier: list[Stratum]
    reliability: list[Bin]
    unknown: list[str] = field(default_factory=list)
    """Labels that are none of the model that was asked: no line of theirs can be answered right."""
    known_by: list[str] = field(default_factory=list)
    """Options of `evaluate` by which most of these would be compared with labels that the model has, if some do."""

    def to_json(self, differences: Sequence[Difference] = ()) -> str:
        """Return everything as JSON, with the differences from another system if there is one."""
        figures = asdict(self)
        if differences:
            figures["differences"] = [asdict(difference) for difference in differences]
        return json.dumps(figures, ensure_ascii=False, indent=1)

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the plots and tables of the page, without every label."""
        from unilid.evaluation import view  # which shows what is defined here

        return view.fragment(self)


def _known_by(unknown: Sequence[str], known: Collection[str]) -> list[str]:
    """Return the options by which most of the labels that are unknown stand for known ones; none where none does.

    >>> _known_by(["deu", "spam"], ["deu_Latn", "arb_Arab"]), _known_by(["ar"], ["deu_Latn", "arb_Arab"])
    (['script_blind', 'codes=bcp47'], ['codes=bcp47', 'codes=iso639_1'])
    """
    found = {}
    for option, relabel in _OTHERWISE.items():
        answered = set(map(relabel, known))
        found[option] = sum(relabel(label) in answered for label in unknown)
    most = max(found.values())
    return [option for option, count in found.items() if most and count == most][:_OFFERED]


_TIER_NAMES = [f"below {TIERS[0]:,}", *(f"{a:,} to {b - 1:,}" for a, b in pairwise(TIERS)),
               f"{TIERS[-1]:,} or more"]  # fmt: skip


def _tier(lines: int) -> str:
    return _TIER_NAMES[sum(lines >= end for end in TIERS)]


def _per_label(pairs: Mapping[tuple[str, str], int], lines: Mapping[str, int] | None) -> list[LabelResult]:
    """Return the figures of every label of the test set."""
    own: Counter[str] = Counter()
    said: Counter[str] = Counter()
    hits: Counter[str] = Counter()
    for (truth, answer), count in pairs.items():
        own[truth] += count
        said[answer] += count
        if truth == answer:
            hits[truth] += count
    total = sum(own.values())
    return [
        LabelResult(
            label,
            own[label],
            hits[label] / said[label] if said[label] else 0.0,
            hits[label] / own[label],
            2 * hits[label] / (own[label] + said[label]),
            (said[label] - hits[label]) / (total - own[label]) if total > own[label] else 0.0,
            None if lines is None else lines.get(label, 0),
        )
        for label in sorted(own)
    ]


def _macro(results: Sequence[LabelResult]) -> Macro:
    return Macro(
        *(float(np.mean([getattr(r, name) for r in results])) for name in ("f1", "precision", "recall", "fpr"))
    )


def _strata(
    pairs: Mapping[tuple[str, str], int], results: Sequence[LabelResult], of: Mapping[str, str], names: Sequence[str]
) -> list[Stratum]:
    strata = []
    for name in names:
        inside = [result for result in results if of.get(result.label) == name]
        within = _per_label({pair: n for pair, n in pairs.items() if of.get(pair[0]) == name}, None)
        everywhere, alone = _macro(inside), _macro(within)
        lines = sum(result.lines for result in inside)
        strata.append(Stratum(name, len(inside), lines, everywhere.f1, everywhere.fpr, alone.f1, alone.fpr))
    return strata


def _most(pairs: Mapping[tuple[str, str], int], count: int = 50) -> list[tuple[tuple[str, str], int]]:
    wrong = [(pair, n) for pair, n in pairs.items() if pair[0] != pair[1]]
    return sorted(wrong, key=lambda item: (-item[1], item[0]))[:count]


def _ece(bins: npt.NDArray[np.float64]) -> float | None:
    """Return the expected calibration error: how far probability and accuracy lie apart, over bins of probability."""
    total = bins[:, 0].sum()
    return float(np.abs(bins[:, 1] - bins[:, 2]).sum() / total) if total else None


def _bins(bins: npt.NDArray[np.float64]) -> list[Bin]:
    return [Bin(int(n), float(p / n), float(right / n)) for n, p, right in bins if n]


# ---- two systems


@dataclass(frozen=True, slots=True)
class Difference:
    """How much the second of two systems is better, and the interval in which 95 of 100 resamplings lie."""

    measure: str
    first: float
    second: float
    difference: float
    low: float
    high: float


def compare(first: Report, second: Report, *, samples: int = 10_000, seed: int = 0) -> list[Difference]:
    """Compare two systems on the same lines by a paired bootstrap over languages."""
    one, two = ({result.label: result for result in report.labels} for report in (first, second))
    if {name: result.lines for name, result in one.items()} != {name: result.lines for name, result in two.items()}:
        raise UnilidError("the two evaluations are of different lines: their labels differ, or the lines of a label")
    random = np.random.default_rng(seed)
    names = sorted(one)
    picks = random.integers(len(names), size=(samples, len(names)))
    differences = []
    for measure in ("f1", "precision", "recall", "fpr"):
        a, b = (np.array([getattr(report[name], measure) for name in names]) for report in (one, two))
        means = (b - a)[picks].mean(axis=1)
        low, high = np.percentile(means, [2.5, 97.5])
        differences.append(Difference(f"macro {measure}", *map(float, (a.mean(), b.mean(), (b - a).mean(), low, high))))
    return differences
