"""Parallel text: whether lines of the same number are translations of each other.

Languages share little but names, numbers and what relatives write alike. So a word that occurs in one line of each of
two languages mostly occurs, in parallel text, in lines of the same number (`benchmarks/parallel.py` prints how often).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from unilid.corpus.holding import Line

COMPARED = 100
"""Lines of a language that are looked at."""
ENOUGH = 10
"""Words in lines of the same number that are not there by chance."""


def are_translations(languages: Sequence[Sequence[Line]]) -> bool:
    """Whether lines with the same key, which is their number, are translations of each other in most languages.

    >>> towns = ["Oslo", "Bergen", "Voss", "Moss", "Narvik", "Bodø", "Hamar", "Molde", "Skien", "Larvik"]
    >>> english = [Line(number, f"I live in {town}".encode(), 1) for number, town in enumerate(towns)]
    >>> french = [Line(number, f"J'habite à {town}".encode(), 1) for number, town in enumerate(towns)]
    >>> are_translations([english, french]), are_translations([english, french[:5]])
    (True, False)
    """
    shared, same = shared_words(languages)
    return same >= ENOUGH and 2 * same > shared


def shared_words(languages: Sequence[Sequence[Line]]) -> tuple[int, int]:
    """Return how many words occur in one line of a language and in one of the next, and how many of them in the same.

    >>> shared_words([[Line(1, b"nach Oslo", 1), Line(2, b"nach Bonn", 1)], [Line(1, b"to Oslo or Bonn", 1)]])
    (2, 1)
    """
    shared = same = 0
    for one, other in pairwise(map(_words_of_one_line, languages)):
        both = one.keys() & other.keys()
        shared += len(both)
        same += sum(one[word] == other[word] for word in both)
    return shared, same


def _words_of_one_line(lines: Sequence[Line]) -> dict[bytes, int]:
    """Return the words that occur in one line alone, with the key of that line."""
    keys: dict[bytes, int] = {}
    repeated: set[bytes] = set()
    for line in lines[:COMPARED]:
        for word in set(line.text.split()):
            if word in keys:
                repeated.add(word)
            keys[word] = line.key
    return {word: key for word, key in keys.items() if word not in repeated}
