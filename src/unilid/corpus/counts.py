"""A corpus as the counts of its words: all that estimation needs, so the text itself is dropped while it is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from unilid import _kernel
from unilid.corpus.formats import Batch
from unilid.corpus.sampling import lines_to_hold_out
from unilid.errors import CorpusError
from unilid.languages.labels import check_label, check_number_of_labels

MAX_WORDS = 2_000_000
"""Distinct words remembered for a language; at twice as many the rarest are forgotten."""

MAX_COUNT = 1e100
"""What the counts of a language may add up to: all sums and products of such numbers are finite."""

ASIDE = 1000
"""The first lines of a language, which are kept as text until all is read: the last of them may be held out."""


class Words(NamedTuple):
    """The distinct words of a language, sorted by their bytes, and how often each occurs."""

    blob: bytes
    offsets: npt.NDArray[np.int64]
    counts: npt.NDArray[np.float64]

    @staticmethod
    def of(table: _kernel.WordTable) -> Words:
        """Return the words of a table of the kernel."""
        return Words(table.blob, table.offsets, table.counts)

    def pairs(self) -> list[tuple[bytes, float]]:
        """Return every word with its count."""
        ends = self.offsets.tolist()
        return [(self.blob[ends[i] : ends[i + 1]], count) for i, count in enumerate(self.counts.tolist())]


@dataclass(frozen=True, slots=True)
class Corpus:
    """The words of every language, and lines that were held out of them."""

    labels: tuple[str, ...]
    lines: npt.NDArray[np.int64]  # per label
    words: tuple[Words, ...]
    kept: tuple[Words, ...]  # without the held-out lines
    held_rows: npt.NDArray[np.int32]
    held_texts: list[bytes]


@dataclass(slots=True)
class Counter:
    """Counts the words of a stream of batches.

    >>> counter = Counter()
    >>> counter.add(Batch(["deu", "eng"], [b"Guten Tag, guten Tag", b"Good day"]))
    >>> corpus = counter.corpus()
    >>> corpus.labels, corpus.lines.tolist()
    (('deu', 'eng'), [1, 1])
    >>> corpus.words[0].pairs()
    [(b' Guten', 1.0), (b' Tag', 2.0), (b' guten', 1.0), (b',', 1.0)]
    """

    hold_out: bool = False
    only: Mapping[str, npt.NDArray[np.bool_]] | None = None  # which of a language's lines to take
    cap: int | None = None  # lines to take of a language; of the first ones that come
    rows: dict[str, int] = field(default_factory=dict)
    read: list[int] = field(default_factory=list)  # lines met, per row, where not all are taken
    lines: list[int] = field(default_factory=list)  # lines taken
    aside: list[list[bytes]] = field(default_factory=list)
    threads: int = 1
    kernel: _kernel.Counter = field(default_factory=lambda: _kernel.Counter(MAX_WORDS))

    def add(self, batch: Batch) -> None:
        """Count a batch. A word list counts as one line a word, and none of it is held out."""
        for label in dict.fromkeys(batch.labels):
            if label not in self.rows:
                self._start(label)
        rows = np.fromiter(map(self.rows.__getitem__, batch.labels), np.int32, len(batch.labels))
        if self.cap is not None or self.only is not None:
            for i, row in enumerate(rows.tolist()):
                number = self.read[row]
                self.read[row] = number + 1
                if (self.cap is not None and self.lines[row] >= self.cap) or not self._wanted(batch.labels[i], number):
                    rows[i] = -1
                else:
                    self.lines[row] += 1
        else:
            for row, taken in enumerate(np.bincount(rows).tolist()):
                self.lines[row] += taken
        if self.hold_out and batch.counts is None:
            for i in np.flatnonzero(
                np.array([len(aside) < ASIDE for aside in self.aside], np.bool_)[rows] & (rows >= 0)
            ):
                if len(self.aside[rows[i]]) < ASIDE:
                    self.aside[rows[i]].append(batch.texts[i])
                    rows[i] = -1
        counts = None if batch.counts is None else np.asarray(batch.counts, np.float64)
        self.kernel.add(rows, batch.texts, counts, self.threads)

    def _start(self, label: str) -> None:
        check_label(label)
        self.rows[label] = len(self.rows)
        self.read.append(0)
        self.lines.append(0)
        self.aside.append([])

    def _wanted(self, label: str, number: int) -> bool:
        return self.only is None or label not in self.only or bool(self.only[label][number])

    def corpus(self) -> Corpus:
        """Return the counts, labels sorted. Held-out lines are part of `words`, and not of `kept`."""
        labels = tuple(sorted(self.rows))
        order = [self.rows[label] for label in labels]
        first = [len(texts) - lines_to_hold_out(self.lines[row], len(texts)) for row, texts in enumerate(self.aside)]
        held = [texts[start:] for texts, start in zip(self.aside, first, strict=True)]
        self._count([texts[:start] for texts, start in zip(self.aside, first, strict=True)])
        kept = words = self._words(order)
        if any(held):
            self._count(held)
            words = self._words(order)
        check_number_of_labels(labels)
        for label, language in zip(labels, words, strict=True):
            with np.errstate(over="ignore"):
                total = float(language.counts.sum())
            if total > MAX_COUNT:
                raise CorpusError(f"{label}: its counts add up to {total:g}; the most is {MAX_COUNT:g}")
            if not total > 0:
                raise CorpusError(f"{label}: the corpus has no usable text for this label; add some or leave it out")
            if total < 1:
                raise CorpusError(f"{label}: its counts add up to {total:g}; give counts, not frequencies")
        return Corpus(
            labels,
            np.array([self.lines[row] for row in order], np.int64),
            words,
            kept,
            np.repeat(np.arange(len(order), dtype=np.int32), [len(held[row]) for row in order]),
            [text for row in order for text in held[row]],
        )

    def words(self, row: int) -> Words:
        """Return what was counted so far of one label."""
        return self._words([row])[0]

    def _words(self, rows: list[int]) -> tuple[Words, ...]:
        return tuple(Words.of(table) for table in self.kernel.tables(rows, self.threads))

    def _count(self, texts: Sequence[list[bytes]]) -> None:
        """Count texts of each row."""
        rows = np.repeat(np.arange(len(texts), dtype=np.int32), [len(own) for own in texts])
        self.kernel.add(rows, [text for own in texts for text in own], None, self.threads)


def counted_lines(texts: Mapping[str, list[bytes]]) -> Corpus:
    """Count the lines of each label."""
    counter = Counter()
    for label, lines in texts.items():
        counter.add(Batch([label] * len(lines), lines))
    return counter.corpus()
