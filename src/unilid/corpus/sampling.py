"""Which lines of a corpus are taken, held out or sampled: the same for the same lines, whatever else there is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from unilid.corpus.formats import Batch


def lines_to_hold_out(lines: int, aside: int) -> int:
    """Return how many lines to hold out: a fifth of a small corpus, a tenth of a larger one.

    Consecutive lines, the last of those set aside: neighbours talk about the same things, and in parallel text the same
    lines are then held out of all languages.

    >>> lines_to_hold_out(5, 5), lines_to_hold_out(500, 500), lines_to_hold_out(1_000_000, 1000)
    (1, 50, 200)
    """
    return min(aside // 5, max(lines // 10, min(lines // 5, 20)))


def count_lines(batches: Iterable[Batch]) -> dict[str, int]:
    """Return the number of lines of every label."""
    lines: dict[str, int] = {}
    for batch in batches:
        for label in batch.labels:
            lines[label] = lines.get(label, 0) + 1
    return lines


def sample_lines(lines: Mapping[str, int], cap: int, seed: int) -> dict[str, npt.NDArray[np.bool_]]:
    """Choose `cap` lines of every label that has more; each label draws on its own, whatever the others are."""
    masks = {}
    for label, count in lines.items():
        if count > cap:
            random = np.random.default_rng([seed, *label.encode()])
            masks[label] = np.zeros(count, np.bool_)
            masks[label][random.choice(count, cap, replace=False)] = True
    return masks


class LabelledTexts(NamedTuple):
    """Texts and the rows of their languages."""

    rows: npt.NDArray[np.int64]
    texts: Sequence[bytes]

    def every(self, step: int) -> LabelledTexts:
        """Return every `step`-th of them."""
        return LabelledTexts(self.rows[::step], self.texts[::step])


@dataclass(slots=True)
class Sample:
    """Up to so many lines of every label of a stream, drawn evenly with a fixed seed."""

    size: int
    seed: int = 0
    lines: dict[str, list[bytes]] = field(default_factory=dict)
    seen: dict[str, int] = field(default_factory=dict)
    random: dict[str, np.random.Generator] = field(default_factory=dict)

    def add(self, batch: Batch) -> None:
        """Draw from a batch; each label on its own, whatever the others are."""
        for label, text in zip(batch.labels, batch.texts, strict=True):
            seen = self.seen.get(label, 0)
            self.seen[label] = seen + 1
            if seen < self.size:
                self.lines.setdefault(label, []).append(text)
                continue
            if label not in self.random:
                self.random[label] = np.random.default_rng([self.seed, *label.encode()])
            place = int(self.random[label].integers(seen + 1))
            if place < self.size:
                self.lines[label][place] = text

    def of(self, labels: Sequence[str]) -> LabelledTexts:
        """Return the lines of these labels, each with the place of its label among them."""
        rows = {label: row for row, label in enumerate(labels)}
        pairs = [(rows[label], text) for label, texts in sorted(self.lines.items()) if label in rows for text in texts]
        return LabelledTexts(np.array([row for row, _ in pairs], np.int64), [text for _, text in pairs])


def sample(batches: Iterable[Batch], size: int, *, seed: int = 0) -> Sample:
    """Draw lines from a stream."""
    result = Sample(size, seed)
    for batch in batches:
        result.add(batch)
    return result
