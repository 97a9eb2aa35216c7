"""A corpus as the counts of its words: all that estimation needs, so the text itself is dropped while it is read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from unilid import _kernel
from unilid.corpus import Batch
from unilid.errors import CorpusError

MAX_WORDS = 2_000_000
"""Distinct words remembered for a language; at twice as many the rarest are forgotten."""

MAX_LABELS = 65_535

ASIDE = 1000
"""The first lines of a language, which are kept as text until all is read: the last of them may be held out."""


def held_out(lines: int, aside: int) -> int:
    """Return how many lines to hold out: a fifth of a small corpus, a tenth of a larger one.

    Consecutive lines, the last of those set aside: neighbours talk about the same things, and in parallel text the same
    lines are then held out of all languages.

    >>> held_out(5, 5), held_out(500, 500), held_out(1_000_000, 1000)
    (1, 50, 200)
    """
    return min(aside // 5, max(lines // 10, min(lines // 5, 20)))


RESERVED = ("zxx", "und")
"""Answers that are not languages."""


def check_label(label: object) -> None:
    """Refuse what cannot be a label: it must survive a line of TSV, and not mean something else."""
    if not isinstance(label, str) or not label or " " in label or not label.isprintable():
        raise CorpusError(f"{label!r} cannot be a label: expected a printable string without spaces")
    if label in RESERVED:
        raise CorpusError(f"{label!r} cannot be a label: it is the answer for a text that is no language")


class Words(NamedTuple):
    """The distinct words of a language, sorted by their bytes, and how often each occurs."""

    blob: bytes
    offsets: npt.NDArray[np.int64]
    counts: npt.NDArray[np.float64]

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
        first = [len(texts) - held_out(self.lines[row], len(texts)) for row, texts in enumerate(self.aside)]
        held = [texts[start:] for texts, start in zip(self.aside, first, strict=True)]
        self._count([texts[:start] for texts, start in zip(self.aside, first, strict=True)])
        kept = words = self._words(order)
        if any(held):
            self._count(held)
            words = self._words(order)
        if len(labels) > MAX_LABELS:
            raise CorpusError(f"{len(labels)} labels; a model has room for {MAX_LABELS}")
        for label, language in zip(labels, words, strict=True):
            total = float(language.counts.sum())
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
        return tuple(Words(*table) for table in self.kernel.tables(rows, self.threads))

    def _count(self, texts: Sequence[list[bytes]]) -> None:
        """Count texts of each row."""
        rows = np.repeat(np.arange(len(texts), dtype=np.int32), [len(own) for own in texts])
        self.kernel.add(rows, [text for own in texts for text in own], None, self.threads)


def count_lines(batches: Iterable[Batch]) -> dict[str, int]:
    """Return the number of lines of every label."""
    lines: dict[str, int] = {}
    for batch in batches:
        for label in batch.labels:
            lines[label] = lines.get(label, 0) + 1
    return lines


def sample_lines(lines: Mapping[str, int], cap: int, seed: int) -> dict[str, npt.NDArray[np.bool_]]:
    """Choose `cap` lines of every label that has more; each label draws on its own, whatever the others are."""
    chosen = {}
    for label, count in lines.items():
        if count > cap:
            random = np.random.default_rng([seed, *label.encode()])
            chosen[label] = np.zeros(count, np.bool_)
            chosen[label][random.choice(count, cap, replace=False)] = True
    return chosen
