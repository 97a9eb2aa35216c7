"""Which lines of a corpus are taken or sampled: the same for the same lines, whatever else there is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from unilid import _kernel
from unilid.corpus.formats import Batch


class Share(NamedTuple):
    """Which lines of a label are taken where it has too many: those with the smallest keys."""

    below: int
    """Lines with a smaller key are taken."""
    copies: int
    """And so many with just this key, which are copies of one line."""


@dataclass(slots=True)
class Shares:
    """Finds the `cap` lines of every label whose keys are the smallest, in whatever order they come."""

    cap: int
    keys: dict[str, npt.NDArray[np.int64]] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)

    def add(self, label: str, keys: npt.NDArray[np.int64]) -> None:
        """Take lines into account."""
        self.lines[label] = self.lines.get(label, 0) + len(keys)
        known = np.concatenate([self.keys.get(label, keys[:0]), keys])
        self.keys[label] = known if len(known) <= 2 * self.cap else np.partition(known, self.cap - 1)[: self.cap]

    def found(self) -> dict[str, Share]:
        """Return the shares of the labels that have too many lines."""
        shares = {}
        for label, keys in self.keys.items():
            if self.lines[label] > self.cap:
                last = int(np.partition(keys, self.cap - 1)[self.cap - 1])
                shares[label] = Share(last, self.cap - int((keys < last).sum()))
        return shares


def find_shares(batches: Iterable[Batch], cap: int, seed: int) -> dict[str, Share]:
    """Choose `cap` lines of every label that has more, by their text; whatever the other labels are."""
    shares = Shares(cap)
    for batch in batches:
        keys = _kernel.hash_texts(batch.texts, seed)
        names, rows = np.unique(batch.labels, return_inverse=True)
        for row, label in enumerate(names.tolist()):
            shares.add(label, keys[rows == row])
    return shares.found()


def take_shares(batches: Iterable[Batch], shares: Mapping[str, Share], seed: int) -> Iterator[Batch]:
    """Yield the lines that shares say are taken."""
    left = {label: share.copies for label, share in shares.items()}
    for batch in batches:
        keys = _kernel.hash_texts(batch.texts, seed).tolist()
        taken = []
        for place, (label, key) in enumerate(zip(batch.labels, keys, strict=True)):
            share = shares.get(label)
            if share is not None and key >= share.below:
                if key > share.below or not left[label]:
                    continue
                left[label] -= 1
            taken.append(place)
        yield batch.take(taken)


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
