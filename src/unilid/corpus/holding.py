"""Which lines of a language are held out, and which are lessons: those with the smallest keys.

The key of a line is a hash of its text, or of what its corpus says belongs together: the number of a sentence whose
translations are all held out then, or the name of a document. So the same lines are held out in whatever order, and on
however many machines, a corpus is read: the lines with the smallest keys of all parts are the smallest of the whole (a
bottom-k sample).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

MOST_CANDIDATES = 20_000
"""Distinct lines of all languages together that may be held out; at most a fifth of them are. So a few dialects are
told apart by thousands of lines each."""
LEAST_CANDIDATES = 1000
"""Those of a language, however many languages there are."""
MOST_KEY = 2**63 - 1
LESSONS = 4
"""Folds of the other candidates: each in turn is scored by a model that never saw it, to learn what tells relatives
apart."""


class Line(NamedTuple):
    """A line that may be held out."""

    key: int
    text: bytes
    copies: int


def most_candidates(labels: int) -> int:
    """Return how many distinct lines of a language may be held out, where there are so many labels.

    >>> most_candidates(5), most_candidates(200)
    (4000, 1000)
    """
    return max(LEAST_CANDIDATES, MOST_CANDIDATES // labels)


def lines_to_hold_out(lines: int, distinct: int) -> int:
    """Return how many lines to hold out: a fifth of a small corpus, a tenth of a larger one.

    `distinct` is the number of its different lines, as far as they are candidates.

    >>> lines_to_hold_out(5, 5), lines_to_hold_out(500, 500), lines_to_hold_out(1_000_000, 1000)
    (1, 50, 200)
    """
    return min(distinct // 5, max(lines // 10, min(lines // 5, 20)))


class Candidates:
    """The lines of one language with the smallest keys, of which the first `most` are asked for in the end, or fewer.

    >>> candidates = Candidates()
    >>> candidates.extend([(7, b"Guten Tag"), (3, b"Hallo"), (7, b"Guten Tag")], most=10)
    >>> candidates.lines(10)
    [Line(key=3, text=b'Hallo', copies=1), Line(key=7, text=b'Guten Tag', copies=2)]
    """

    def __init__(self) -> None:
        self.largest = MOST_KEY
        """No line with a larger key can be among them any more."""
        self._copies: Counter[tuple[int, bytes]] = Counter()

    def extend(self, lines: Iterable[tuple[int, bytes]], most: int) -> None:
        """Take lines with their keys into account."""
        self._copies.update(lines)
        self._keep_smallest(most)

    def add(self, line: Line, most: int) -> None:
        """Take a line and its copies into account."""
        self._copies[line.key, line.text] += line.copies
        self._keep_smallest(most)

    def _keep_smallest(self, most: int) -> None:
        if len(self._copies) >= 2 * most:
            self._copies = Counter(dict(sorted(self._copies.items())[:most]))
            self.largest = max(key for key, _ in self._copies)

    def lines(self, most: int) -> list[Line]:
        """Return the lines with the smallest keys, in their order."""
        return [Line(*line, copies) for line, copies in sorted(self._copies.items())[:most]]


def held_out(candidates: Sequence[Line], lines: int) -> list[Line]:
    """Return the lines to hold out of a language with so many `lines`: all those of a key, or none.

    >>> candidates = [Line(1, b"a", 1), Line(2, b"b", 1), Line(2, b"c", 1), *(Line(9, b"%d" % n, 1) for n in range(7))]
    >>> held_out(candidates, 10)
    [Line(key=1, text=b'a', copies=1)]
    """
    wanted = lines_to_hold_out(lines, len(candidates))
    held: list[Line] = []
    for _, group in groupby(candidates, itemgetter(0)):
        together = list(group)
        if len(held) + len(together) > wanted:
            break
        held += together
    return held


def folds_of(candidates: Sequence[Line], lines: int) -> list[list[Line]]:
    """Return the lines to hold out of a language with so many `lines`, and the folds of its lessons: all others.

    All lines of a key are in one fold; of lessons, it is the same in all languages, so that a line with two labels is
    not learned from under one of them where it is kept under the other. A language without lines to hold out has no
    lessons.

    >>> [[line.text for line in fold] for fold in folds_of([Line(n, b"%d" % n, 1) for n in range(10)], 10)]
    [[b'0', b'1'], [b'4', b'8'], [b'5', b'9'], [b'2', b'6'], [b'3', b'7']]
    """
    held = held_out(candidates, lines)
    folds: list[list[Line]] = [held, *([] for _ in range(LESSONS))]
    for line in candidates[len(held) :] if held else ():
        folds[1 + line.key % LESSONS].append(line)
    return folds
