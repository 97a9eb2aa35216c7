"""A corpus as the counts of its words: all that estimation needs, so the text itself is dropped while it is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from unilid import _kernel
from unilid.corpus.formats import Batch
from unilid.corpus.holding import Candidates, Line, folds_of, most_candidates
from unilid.corpus.parallel import are_translations, linked
from unilid.corpus.sampling import LabelledTexts
from unilid.errors import CorpusError
from unilid.languages.labels import check_label, check_number_of_labels

MAX_WORDS = 2_000_000
"""Distinct words of a language that are learned from: the most common ones, and of equally common ones those whose
bytes come first."""

Part: TypeAlias = int | None
"""A part of a corpus: what is left of it without a fold, or all of it."""
HELD = 0
"""The fold of the lines that are held out; the others are those of lessons."""

MAX_COUNT = 1e100
"""What the counts of a language may add up to: all sums and products of such numbers are finite."""


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

    def without(self, held: Sequence[Line]) -> Words:
        """Return the words that are left when lines are held out; all copies of a line are."""
        counter = _kernel.Counter()
        copies = np.array([line.copies for line in held], np.float64)
        counter.add(np.zeros(len(held), np.int32), [line.text for line in held], copies)
        return Words.of(_kernel.subtract_words(self, Words.of(counter.take(0))))

    def most_common(self, most: int) -> Words:
        """Return the most common words; of equally common ones, those whose bytes come first."""
        if len(self.counts) <= most:
            return self
        return Words.of(_kernel.merge_words([self], most).words)


def merged(parts: Sequence[Words], most: int) -> Words:
    """Add up what was counted of a language in parts, and return its most common words."""
    return parts[0].most_common(most) if len(parts) == 1 else Words.of(_kernel.merge_words(list(parts), most).words)


class Language(NamedTuple):
    """What was counted of a language."""

    words: Words
    folds: Sequence[Sequence[Line]] = ()
    """The lines that are held out, and the folds of lessons; all of them are part of `words`."""

    @staticmethod
    def of(words: Words, candidates: Sequence[Line], lines: int) -> Language:
        """Return a language of so many lines. Where no word would be left, none of them is held out."""
        folds = folds_of(candidates, lines)
        return Language(words, folds if folds[HELD] and len(words.without(folds[HELD]).counts) else ())

    def fold(self, number: int) -> Sequence[Line]:
        """Return the lines of a fold."""
        return self.folds[number] if self.folds else ()

    def part(self, part: Part) -> Words:
        """Return all words, or those that are left without a fold; where none would be left, all."""
        held = () if part is None else self.fold(part)
        kept = self.words.without(held) if held else self.words
        return kept if len(kept.counts) else self.words


@dataclass(frozen=True, slots=True)
class Corpus:
    """What was counted of every language."""

    labels: tuple[str, ...]
    lines: npt.NDArray[np.int64]  # per label
    languages: tuple[Language, ...]

    @property
    def words(self) -> tuple[Words, ...]:
        """The words of every language."""
        return self.part(None)

    def part(self, part: Part) -> tuple[Words, ...]:
        """Return the words of every language, all or without a fold."""
        return tuple(language.part(part) for language in self.languages)

    def fold(self, number: int) -> LabelledTexts:
        """Return the lines of a fold, sorted by their language."""
        folds = [language.fold(number) for language in self.languages]
        rows = np.repeat(np.arange(len(folds)), [len(lines) for lines in folds])
        return LabelledTexts(rows, [line.text for lines in folds for line in lines])


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
    may_be_parallel: bool = False
    """Translations are looked for, to be held out together. The keys of batches are the numbers of lines."""
    threads: int = 1
    rows: dict[str, int] = field(default_factory=dict)
    lines: list[int] = field(default_factory=list)
    candidates: list[Candidates] = field(default_factory=list)  # to be held out
    numbered: list[Candidates] = field(default_factory=list)  # the same, if the text is parallel
    parts: list[list[Words]] = field(default_factory=list)  # counted before, where there are many words
    kernel: _kernel.Counter = field(default_factory=_kernel.Counter)

    def add(self, batch: Batch) -> None:
        """Count a batch. A word list counts as one line a word, and none of it is held out."""
        for label in dict.fromkeys(batch.labels):
            if label not in self.rows:
                self._start(label)
        rows = np.fromiter(map(self.rows.__getitem__, batch.labels), np.int32, len(batch.labels))
        for row, lines in enumerate(np.bincount(rows).tolist()):
            self.lines[row] += lines
        if self.hold_out and batch.counts is None:
            own = batch.texts if batch.keys is None or self.may_be_parallel else batch.keys
            self._find_candidates(self.candidates, rows, batch.texts, own)
            if self.may_be_parallel and batch.keys is not None:
                self._find_candidates(self.numbered, rows, batch.texts, batch.keys)
        counts = None if batch.counts is None else np.asarray(batch.counts, np.float64)
        self.kernel.add(rows, batch.texts, counts, self.threads)
        # Words that were met once take most of the room in the tables of the kernel, and a third of it in these.
        for row in np.flatnonzero(self.kernel.sizes() >= 2 * MAX_WORDS).tolist():
            self.parts[row].append(Words.of(self.kernel.take(row)))

    def _find_candidates(
        self, among: list[Candidates], rows: npt.NDArray[np.int32], texts: Sequence[bytes], keyed: Sequence[bytes]
    ) -> None:
        """Take lines into account that may be held out: those with the smallest hashes of what they are keyed by."""
        keys = _kernel.hash_texts(keyed)
        largest = np.array([candidates.largest for candidates in among], np.int64)
        places = np.flatnonzero(keys <= largest[rows])
        places = places[np.argsort(rows[places], kind="stable")]
        lines = [(key, texts[place]) for key, place in zip(keys[places].tolist(), places.tolist(), strict=True)]
        found, starts = np.unique(rows[places], return_index=True)
        for row, start, end in zip(found.tolist(), starts.tolist(), [*starts[1:].tolist(), len(lines)], strict=True):
            among[row].extend(lines[start:end], most_candidates(len(self.rows)))

    def candidates_of(self, row: int) -> list[Line]:
        """Return the lines of a label that may be held out."""
        return self.candidates[row].lines(most_candidates(len(self.rows)))

    def numbered_lines(self) -> list[list[Line]]:
        """Return the lines of each label that may be held out if the text is parallel, labels sorted."""
        most = most_candidates(len(self.rows))
        return [self.numbered[self.rows[label]].lines(most) for label in sorted(self.rows)]

    def take(self, row: int) -> Words:
        """Return what was counted so far of one label, of which no word is counted then."""
        self.parts[row].append(Words.of(self.kernel.take(row)))
        parts, self.parts[row] = self.parts[row], []
        return merged(parts, MAX_WORDS)

    def _start(self, label: str) -> None:
        check_label(label)
        self.rows[label] = len(self.rows)
        self.lines.append(0)
        self.candidates.append(Candidates())
        self.numbered.append(Candidates())
        self.parts.append([])

    def corpus(self) -> Corpus:
        """Return the counts, labels sorted."""
        labels = tuple(sorted(self.rows))
        order = [self.rows[label] for label in labels]
        words = self._words(order)
        check_number_of_labels(labels)
        for label, language in zip(labels, words, strict=True):
            check_counts(label, language)
        candidates, lines = [self.candidates_of(row) for row in order], [self.lines[row] for row in order]
        if self.may_be_parallel:
            numbered = self.numbered_lines()
            candidates = numbered if are_translations(numbered) else linked(candidates)
        languages = tuple(map(Language.of, words, candidates, lines))
        return Corpus(labels, np.array(lines, np.int64), languages)

    def _words(self, rows: list[int]) -> tuple[Words, ...]:
        tables = map(Words.of, self.kernel.tables(rows, self.threads))
        return tuple(merged([*self.parts[row], table], MAX_WORDS) for row, table in zip(rows, tables, strict=True))


def check_counts(label: str, words: Words) -> None:
    """Refuse the words of a language that nothing can be learned from."""
    with np.errstate(over="ignore"):
        total = float(words.counts.sum())
    if total > MAX_COUNT:
        raise CorpusError(f"{label}: its counts add up to {total:g}; the most is {MAX_COUNT:g}")
    if not total > 0:
        raise CorpusError(f"{label}: the corpus has no usable text for this label; add some or leave it out")
    if total < 1:
        raise CorpusError(f"{label}: its counts add up to {total:g}; give counts, not frequencies")


def counted_lines(texts: Mapping[str, list[bytes]]) -> Corpus:
    """Count the lines of each label."""
    counter = Counter()
    for label, lines in texts.items():
        counter.add(Batch([label] * len(lines), lines))
    return counter.corpus()
