"""The languages of a mixed text: ``cpp/spans/spans.h``."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from itertools import groupby

from unilid.plain.scoring import is_linguistic
from unilid.plain.scripts import Scripts, excluded, foreign
from unilid.plain.words import Word, split_words


def votes(word: Word, scripts: Scripts = (), competing: Collection[int] = ()) -> bool:
    """Say whether a word has a say in what language stands where it is.

    It has if it is in a script that one of the languages that compete is written in.
    """
    unknown = any(scripts) and all(foreign(word.script, [scripts[row] for row in competing]))
    return is_linguistic(word) and not unknown


def best_path(vectors: Sequence[Sequence[int]], entry: Sequence[int], change: int) -> list[int]:
    """Return the language of each word: Viterbi with a cost for each change, and for entering each language.

    >>> best_path([[0, 5], [9, 0], [0, 5]], [0, 0], 3), best_path([[0, 5], [9, 0], [0, 5]], [0, 0], 5)
    ([0, 1, 0], [0, 0, 0])
    """
    costs, came_from = list(entry), []
    for number, vector in enumerate(vectors):
        best = min(range(len(costs)), key=lambda row: (costs[row], row))
        enter = [costs[best] + change + own for own in entry]
        stays = [number == 0 or costs[row] <= enter[row] for row in range(len(costs))]
        came_from.append([row if stays[row] else best for row in range(len(costs))])
        costs = [(costs[row] if stays[row] else enter[row]) + vector[row] for row in range(len(costs))]
    path = [min(range(len(costs)), key=lambda row: (costs[row], row))]
    for origins in reversed(came_from[1:]):
        path.append(origins[path[-1]])
    return path[::-1][: len(vectors)]


def quotations(vectors: Sequence[Sequence[int]], entry: Sequence[int], cost: int, base: Sequence[int]) -> list[int]:
    """Return the language of each word, given the base: what is quoted is entered at a cost, and left for nothing.

    >>> quotations([[0, 5], [9, 0], [0, 5]], [0, 0], 8, [0, 0, 0]), quotations([[9, 0], [0, 5]], [0, 0], 8, [0, 0])
    ([0, 1, 0], [1, 0])
    """
    in_base, costs, entered = 0.0, [math.inf] * len(entry), [0] * len(entry)
    steps = []  # of each word: the language it was left in, and the word where that began
    for number, (vector, own) in enumerate(zip(vectors, base, strict=True)):
        for row, cost_of_word in enumerate(vector):
            if in_base + cost + entry[row] < costs[row]:
                costs[row], entered[row] = in_base + cost + entry[row], number
            costs[row] += cost_of_word
        best = min(range(len(costs)), key=lambda row: (costs[row], row))
        in_base += vector[own]
        steps.append((own, number) if in_base <= costs[best] else (best, entered[best]))
        in_base = min(in_base, costs[best])
    path: list[int] = []
    while len(path) < len(steps):
        end = len(steps) - len(path)
        row, start = steps[end - 1]
        path += [row] * (end - start)
    return path[::-1]


def span_path(vectors: Sequence[Sequence[int]], entry: Sequence[int], change: int, short_text: int) -> list[int]:
    """Return the language of each word: the languages that a text is written in, and what is quoted among them.

    A change costs more in a longer text, up to as much as a quotation.

    >>> words = [[0, 4]] * 5 + [[20, 0]] + [[0, 4]] * 5 + [[12, 0]]
    >>> span_path(words, [0, 0], 8, 12), span_path(words, [0, 0], 8, 3)
    ([0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1], [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0])
    """
    growth = min(max(math.sqrt(len(vectors) / short_text), 1), 2)
    base = best_path(vectors, entry, round(change * growth))
    return quotations(vectors, entry, 2 * change, base)


def most_spoken(path: Sequence[int], letters: Sequence[int], most: int) -> set[int]:
    """Return the languages with the most letters; ties go to the lower row."""
    totals: dict[int, int] = defaultdict(int)
    for row, size in zip(path, letters, strict=True):
        totals[row] += size
    return set(sorted(totals, key=lambda row: (-totals[row], row))[:most])


def without_short(path: Sequence[int], letters: Sequence[int], least: int) -> list[int]:
    """Give stretches of fewer letters to the one before, the first ones to the first that is long enough.

    >>> without_short([0, 1, 0], [9, 2, 9], 3), without_short([0, 1], [1, 2], 3)
    ([0, 0, 0], [1, 1])
    """
    stretches: list[tuple[int, int, int]] = []  # language, words, letters
    for row, group in groupby(zip(path, letters, strict=True), key=lambda pair: pair[0]):
        sizes = [size for _, size in group]
        stretches.append((row, len(sizes), sum(sizes)))
    long = [row for row, _, size in stretches if size >= least]
    current = long[0] if long else max(stretches, key=lambda stretch: stretch[2])[0] if stretches else 0
    result = []
    for row, count, size in stretches:
        current = row if size >= least else current
        result += [current] * count
    return result


def span_starts(text: bytes, voting: Iterable[Word], path: Sequence[int], apart: int) -> list[tuple[int, int | None]]:
    """Return where spans begin and their languages, given those words that vote and theirs; None: no language.

    What stands between two words that vote comes in runs without a space. A run that touches a word belongs to it,
    other runs to the word before, unless there is so much that it is kept apart.
    """
    spans: list[tuple[int, int | None]] = []

    def open_span(start: int, row: int | None) -> None:
        spans.append((start if spans else 0, row))

    languages = iter(path)
    votes = {word.begin for word in voting}
    runs: list[tuple[int, int]] = []  # begin, visible characters of the runs since the last word that votes
    touching = False  # whether the first of these touches that word
    end_before = 0
    for word in [*split_words(text), None]:
        begin, end = (len(text), len(text)) if word is None else (word.begin, word.end)
        spaced = word is None or word.spaced
        if word is not None and word.begin not in votes:
            if spaced or not runs:
                touching = touching if runs else not spaced
                runs.append((begin, 0))
            runs[-1] = (runs[-1][0], runs[-1][1] + word.letters)
            continue
        tail = runs[0][1] if runs and touching else 0
        one = bool(runs) and touching and len(runs) == 1 and not spaced  # touches both words
        head = runs[-1][1] if runs and not spaced and not one else 0
        inner = sum(visible for _, visible in runs) - tail - head
        first = runs[1][0] if touching and len(runs) > 1 else runs[0][0] if runs and not touching else begin
        last = begin if spaced or one or not runs else runs[-1][0]
        visible = sum(part for part in (tail, head) if part >= apart) + inner
        row = None if word is None else next(languages)
        if visible >= apart or (word is None and not spans and text):
            open_span(end_before if tail >= apart else first, None)
            if row is not None:
                open_span(begin if head >= apart else last, row)
        elif row is not None and (not spans or spans[-1][1] != row):
            open_span(last, row)
        runs, touching, end_before = [], False, end
    return spans


def own_script(
    words: Iterable[Word],
    row: int | None,
    keys: Sequence[float],
    scripts: Scripts,
    competing: Collection[int],
) -> int | None:
    """Return the language of a span, or the best other one, if none of its scripts occurs in it; None if none is left.

    Where languages have handicaps, which the way through the words does not know, `row` is None: the best one is taken.

    >>> word = Word(b"a", 5, script=6)
    >>> own_script([word], 0, [-1.0, -9.0], [[9], [6]], [0, 1]), own_script([word], 0, [-1.0, -9.0], [[9], [6]], [0])
    (1, None)
    """
    out = excluded(words, scripts)
    if row is not None and not (out and out[row]):
        return row
    others = (row for row in competing if not (out and out[row]))
    return max(others, key=lambda row: (keys[row], -row), default=None)
