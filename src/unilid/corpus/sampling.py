"""Which lines of a corpus are taken or sampled: the same for the same lines, whatever else there is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from unilid import _kernel
from unilid.corpus.formats import Batch
from unilid.corpus.holding import MOST_KEY


@dataclass(slots=True)
class SmallestKeys:
    """Finds the key up to which the lines of a label are taken, where it has more than `cap`, in any order.

    Copies of a line have one key, and are taken together or not at all.

    >>> smallest = SmallestKeys(cap=3)
    >>> smallest.add("deu", np.array([7, 2, 9, 4, 4]))
    >>> smallest.limits()
    {'deu': 4}
    """

    cap: int
    keys: dict[str, npt.NDArray[np.int64]] = field(default_factory=dict)

    def add(self, label: str, keys: npt.NDArray[np.int64]) -> None:
        """Take lines into account."""
        known = np.concatenate([self.keys.get(label, keys[:0]), keys])
        # One more than are taken says that there are more.
        self.keys[label] = known if len(known) <= 2 * self.cap else np.partition(known, self.cap)[: self.cap + 1]

    def add_batch(self, batch: Batch, seed: int) -> None:
        """Take the lines of a batch into account, by their text."""
        keys = _kernel.hash_texts(batch.texts, seed)
        labels, rows = np.unique(batch.labels, return_inverse=True)
        for row, label in enumerate(labels.tolist()):
            self.add(label, keys[rows == row])

    def limits(self) -> dict[str, int]:
        """Return the largest key of a line that is taken, for the labels that have too many."""
        limits = {}
        for label, keys in self.keys.items():
            if len(keys) > self.cap:
                beyond = np.partition(keys, self.cap)[self.cap]
                limits[label] = int(max(keys[keys < beyond], default=beyond))  # a line that is too frequent is taken
        return limits


def find_limits(batches: Iterable[Batch], cap: int, seed: int) -> dict[str, int]:
    """Choose about `cap` lines of every label that has more, by their text; whatever the other labels are."""
    smallest = SmallestKeys(cap)
    for batch in batches:
        smallest.add_batch(batch, seed)
    return smallest.limits()


def within(batch: Batch, limits: Mapping[str, int], seed: int) -> Batch:
    """Return the lines of a batch that are taken."""
    if not limits:
        return batch
    keys = _kernel.hash_texts(batch.texts, seed).tolist()
    taken = [place for place, label in enumerate(batch.labels) if keys[place] <= limits.get(label, MOST_KEY)]
    return batch if len(taken) == len(keys) else batch.take(taken)


def take_first(batches: Iterable[Batch], cap: int) -> Iterator[Batch]:
    """Yield the first `cap` lines of every label."""
    lines: dict[str, int] = {}
    for batch in batches:
        taken = []
        for place, label in enumerate(batch.labels):
            if lines.get(label, 0) < cap:
                lines[label] = lines.get(label, 0) + 1
                taken.append(place)
        yield batch.take(taken)


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
