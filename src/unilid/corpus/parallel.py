"""Parallel text: which lines are translations of each other, so that they are held out together.

Languages share little but names, numbers and what relatives write alike. So a word that occurs in one line of each of
two languages mostly occurs, in parallel text, in lines that are translations of each other (`benchmarks/parallel.py`
prints how often).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import accumulate, pairwise

from unilid.corpus.holding import Line

COMPARED = 100
"""Lines of a language that say whether those of the same number are translations."""
ENOUGH = 10
"""Words in lines of the same number that are not there by chance."""
MOST = 0.8
"""From this share of such words in lines of the same number on, no line is missing anywhere."""
LINKS = 2
"""Words that two lines alone share if they are translations; one may be there by chance."""
LINKED = 0.1
"""From this share of linked lines on the text is parallel. Fewer may be lines of one article."""


def are_translations(languages: Sequence[Sequence[Line]]) -> bool:
    """Whether lines with the same key, which is their number, are translations of each other in most languages.

    >>> towns = ["Oslo", "Bergen", "Voss", "Moss", "Narvik", "Bodø", "Hamar", "Molde", "Skien", "Larvik"]
    >>> english = [Line(number, f"I live in {town}".encode(), 1) for number, town in enumerate(towns)]
    >>> french = [Line(number, f"J'habite à {town}".encode(), 1) for number, town in enumerate(towns)]
    >>> are_translations([english, french]), are_translations([english, french[:5]])
    (True, False)
    """
    shared, same = shared_words(languages)
    return same >= max(ENOUGH, MOST * shared)


def shared_words(languages: Sequence[Sequence[Line]]) -> tuple[int, int]:
    """Return how many words occur in one line of a language and in one of the next, and how many of them in the same.

    >>> shared_words([[Line(1, b"nach Oslo", 1), Line(2, b"nach Bonn", 1)], [Line(1, b"to Oslo or Bonn", 1)]])
    (2, 1)
    """
    shared = same = 0
    compared = [own[:COMPARED] for own in languages]
    alone = zip(compared, map(_words_of_one_line, compared), strict=True)
    for (lines, one), (others, other) in pairwise(alone):
        both = one.keys() & other.keys()
        shared += len(both)
        same += sum(lines[one[word]].key == others[other[word]].key for word in both)
    return shared, same


def linked(languages: Sequence[Sequence[Line]]) -> list[list[Line]]:
    """Return the lines of languages with the same key where two words say that they are translations of each other.

    This is for parallel text whose lines are in another order, or not all there, in some languages. Lines that are
    linked get the key of the first of them. Where hardly any are, all lines keep their keys.

    >>> english = [Line(5, b"Oslo or Bergen?", 1), Line(7, b"Voss or Moss?", 1)]
    >>> french = [Line(1, b"Oslo, Voss ou Moss?", 1), Line(3, b"Narvik ou Bergen?", 1)]
    >>> [[line.key for line in own] for own in linked([english, french])]
    [[5, 7], [3, 7]]
    """
    starts = [0, *accumulate(map(len, languages))]
    first = list(range(starts[-1]))  # an earlier line that a line is linked with, or itself (union-find)

    def first_of(line: int) -> int:
        while first[line] != line:
            first[line] = first[first[line]]
            line = first[line]
        return line

    links: Counter[tuple[int, int]] = Counter()
    met: dict[bytes, tuple[int, int]] = {}  # the first and the latest line of a word: a new one is compared with both
    for start, lines in zip(starts, languages, strict=False):
        for word, place in _words_of_one_line(lines).items():
            line = start + place
            ends = met.get(word, ())
            links.update((other, line) for other in set(ends))
            met[word] = (ends[0] if ends else line), line
    for pair, words in links.items():
        if words >= LINKS:
            one, other = sorted(map(first_of, pair))
            first[other] = one
    firsts = [first_of(line) for line in range(len(first))]
    keys = [line.key for own in languages for line in own]
    together: defaultdict[int, set[int]] = defaultdict(set)  # copies of a line have one key, and say nothing
    for own_first, key in zip(firsts, keys, strict=True):
        together[own_first].add(key)
    if sum(len(together[own_first]) > 1 for own_first in firsts) < LINKED * len(firsts):
        return [list(own) for own in languages]
    return [
        sorted(line._replace(key=keys[firsts[start + place]]) for place, line in enumerate(own))
        for start, own in zip(starts, languages, strict=False)
    ]


def _words_of_one_line(lines: Sequence[Line]) -> dict[bytes, int]:
    """Return the words that occur in one line alone, with the place of that line."""
    places: dict[bytes, int] = {}
    repeated: set[bytes] = set()
    for place, line in enumerate(lines):
        for word in set(line.text.split()):
            if word in places:
                repeated.add(word)
            places[word] = place
    return {word: place for word, place in places.items() if word not in repeated}
