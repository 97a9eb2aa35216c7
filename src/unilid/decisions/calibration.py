"""Calibrated UniLID: narrow wins of over-predicted languages are re-ranked.

Exactly the paper's section "Calibrated UniLID" and its appendix. The distributions of small corpora, and a few others
of unusually high entropy, give every text a fair probability; a text that such a language wins by a small margin goes
to a well-known language close behind. (That a *probability* is honest is another matter:
`unilid.decisions.temperature`.)
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from unilid._kernel import MAX_LANGUAGES
from unilid.decisions.held_out import Floats
from unilid.errors import UnilidError
from unilid.models.costs import STEP, quantise
from unilid.numbers import finite_number, whole_number

PAPER_CAP = 100_000
"""Lines of a language in the paper's corpus, at most; its constants belong to it."""
CHOICES = (1.0, 2.0, 3.0, 5.0, 7.0, 10.0, 15.0, 20.0, 30.0)
"""Percentiles that validation lines may choose."""


@dataclass(frozen=True, slots=True)
class Rules:
    """The constants; the defaults are the paper's."""

    unseen: float = -17.0
    """Log-probability that an unseen token has at most."""
    low_resource: float = 18_000
    """A language with fewer lines is re-ranked."""
    replacement: float = 100_000
    """A language with at least so many lines may be the answer instead."""
    percentile: float = 5.0
    """Of a language's own training margins; falls linearly to zero at `low_resource` lines."""
    distance: float = 21.0
    """Nats between the best score and that of the replacement, at most."""
    ranks: int = 5
    """The replacement is among so many best languages."""
    max_margins: int = 2_000
    min_margins: int = 200
    """A language with fewer training lines that it wins has no threshold."""
    entropy: float = 1.5
    """Standardised entropy above which a language that takes too much has high entropy."""
    entropy_alone: float = 5.0
    """Standardised entropy that is too high in any case."""
    absorbed: float = 2.0
    """A language takes too much with more than so many misclassified validation lines for each of its own."""
    percentiles: Mapping[str, float] | None = None
    """Percentiles that validation lines chose, by label: then these languages and no others are re-ranked."""

    def __post_init__(self) -> None:
        """Refuse what makes no sense."""
        for name in (known.name for known in fields(Rules) if known.name != "percentiles"):
            value = getattr(self, name)
            number = finite_number(value)
            if name in ("ranks", "max_margins", "min_margins"):
                number = whole_number(name, value)
            if number is None:
                raise UnilidError(f"{name} must be a finite number, not {value!r}")
            object.__setattr__(self, name, number)  # numpy's, too, as Python's own
        if self.ranks > MAX_LANGUAGES:
            raise UnilidError(f"ranks must be at most {MAX_LANGUAGES}, the number of labels that a model can have")
        if not 0 <= self.percentile <= 100:
            raise UnilidError(f"percentile: {self.percentile!r} is not a percentile")
        if self.percentiles is not None:
            object.__setattr__(self, "percentiles", _checked_percentiles(self.percentiles))

    @staticmethod
    def scaled(lines: npt.NDArray[np.integer]) -> Rules:
        """Return the paper's constants for a corpus with another cap.

        >>> rules = Rules.scaled(np.array([50, 20_000, 19_500]))
        >>> rules.low_resource, rules.replacement, rules.min_margins
        (3600.0, 18000.0, 40)
        """
        cap = float(lines.max())
        return Rules(
            low_resource=Rules().low_resource * cap / PAPER_CAP,
            replacement=0.9 * cap,  # reached the cap, as far as one can see
            min_margins=max(20, math.ceil(Rules().min_margins * min(1.0, cap / PAPER_CAP))),
        )

    @staticmethod
    def of(stored: Mapping[str, Any]) -> Rules:
        """Return the rules that a model file has; what a later version added is passed over."""
        known = {field.name for field in fields(Rules)}
        return Rules(**{name: value for name, value in stored.items() if name in known})

    def percentile_of(self, label: str, lines: int, *, high_entropy: bool) -> float | None:
        """Return the percentile of a language's margins that is its threshold; None: it is never re-ranked."""
        if self.percentiles is not None:
            return self.percentiles.get(label)
        if lines < self.low_resource:
            return self.percentile * (1 - lines / self.low_resource)
        return self.percentile if high_entropy else None

    def threshold(self, label: str, lines: int, margins: Floats, *, high_entropy: bool = False) -> float:
        """Return the margin below which a prediction is re-ranked; 0: never."""
        percentile = self.percentile_of(label, lines, high_entropy=high_entropy)
        if percentile is None or len(margins) < self.min_margins:
            return 0.0
        return float(np.percentile(margins, percentile))


def _checked_percentiles(percentiles: object) -> dict[str, float]:
    if not isinstance(percentiles, Mapping):
        raise UnilidError(f"percentiles must be a mapping from labels, not {percentiles!r}")
    checked = {}
    for label, percentile in percentiles.items():
        number = finite_number(percentile)
        if number is None or not 0 <= number <= 100:
            raise UnilidError(f"{label}: {percentile!r} is not a percentile")
        checked[label] = number
    return checked


@dataclass(frozen=True, slots=True)
class Calibration:
    """What the rules gave for the languages of a model."""

    rules: Rules
    thresholds: Floats  # per language; 0: never re-ranked
    replaces: npt.NDArray[np.uint8]  # per language
    unseen: npt.NDArray[np.uint8] = field(repr=False)  # costs of unseen tokens with the constant applied

    def select(self, rows: Sequence[int]) -> Calibration:
        """Return what belongs to some of the languages; thresholds are carried over."""
        index = list(rows)
        return Calibration(self.rules, self.thresholds[index], self.replaces[index], self.unseen[index])

    def stored(self) -> dict[str, Any]:
        """Return the constants as a model file has them."""
        rules = asdict(self.rules)
        rules["percentiles"] = None if self.rules.percentiles is None else dict(self.rules.percentiles)
        return rules


def raise_unseen(unseen: npt.NDArray[np.uint8], constant: float) -> npt.NDArray[np.uint8]:
    """Raise the cost of an unseen token, under each language, to at least that of the constant.

    >>> raise_unseen(np.array([80, 200], np.uint8), -17.0).tolist()
    [136, 200]
    """
    return np.maximum(unseen, quantise(np.array([constant]), 255))


def entropies(languages: int, rows: npt.NDArray[np.integer], costs: npt.NDArray[np.uint8]) -> Floats:
    """Return the entropy of each language's distribution over the tokens it has seen, in nats."""
    p = np.exp(-STEP * costs.astype(np.float64))
    total = np.maximum(np.bincount(rows, p, minlength=languages), 1e-300)
    weighted = np.bincount(rows, p * STEP * costs, minlength=languages)
    return np.asarray(weighted / total + np.log(total))


def standardised(values: Floats, groups: Sequence[str]) -> Floats:
    """Return each value minus the median of its group, divided by the median absolute deviation there.

    >>> standardised(np.array([1.0, 2.0, 4.0, 9.0]), ["a", "a", "a", "b"]).tolist()
    [-1.0, 0.0, 2.0, 0.0]
    """
    result = np.zeros(len(values))
    names = np.array(groups)
    for name in set(groups):
        own = names == name
        distance = values[own] - np.median(values[own])
        scale = np.median(np.abs(distance))
        result[own] = distance / scale if scale > 0 else np.where(distance == 0, 0.0, np.copysign(np.inf, distance))
    return result


def high_entropy(
    rules: Rules,
    z: Floats,
    lines: npt.NDArray[np.integer],
    misclassified: npt.NDArray[np.integer] | None,
    own: npt.NDArray[np.integer] | None,
) -> npt.NDArray[np.bool_]:
    """Return which languages have a high entropy; those of few lines belong to the other group.

    `misclassified` and `own` count validation lines: those that a language took from others, and its own.
    """
    too_high = z > rules.entropy_alone
    if misclassified is not None and own is not None:
        too_high |= (z > rules.entropy) & (misclassified > rules.absorbed * own)
    return np.asarray(too_high & (lines >= rules.low_resource))


def choose_percentiles(
    labels: Sequence[str], predicted: npt.NDArray[np.integer], truth: npt.NDArray[np.integer],
    instead: npt.NDArray[np.integer], margin: Floats, margins: Sequence[Floats], rules: Rules,
) -> dict[str, float]:  # fmt: skip
    """Let validation lines choose which languages are re-ranked, and at which percentile of their margins.

    A language is, where that makes more lines right than wrong and raises the sum of the languages' F1, both by more
    than a standard error. `instead` is what each line would become, -1 for nothing.
    """
    percentiles: dict[str, float] = {}
    size = len(labels)
    hits = np.bincount(truth[predicted == truth], minlength=size)
    marked = np.maximum(np.bincount(truth, minlength=size) + np.bincount(predicted, minlength=size), 1)
    f1 = 2 * hits / marked
    right = (truth == instead).astype(np.float64) - (truth == predicted)
    # What a line changes in F1 = 2 hits / marked: of the language that gets it, and of the one that loses it.
    gets = (2 * (truth == instead) - f1[instead]) / marked[instead]
    loses = (f1[predicted] - 2 * (truth == predicted)) / marked[predicted]
    for row, label in enumerate(labels):
        if len(margins[row]) < rules.min_margins:
            continue
        own = (predicted == row) & (instead >= 0)
        best = 0.0
        for percentile in CHOICES:
            again = own & (margin < np.percentile(margins[row], percentile))
            gain = _beyond_chance(right[again])
            if gain > best and _beyond_chance((gets + loses)[again]) > 0:
                best, percentiles[label] = gain, percentile
    return percentiles


def _beyond_chance(changes: Floats) -> float:
    """Return by how much a sum of changes exceeds its standard error."""
    return float(changes.sum() - math.sqrt((changes**2).sum()))
