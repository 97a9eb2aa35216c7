"""How much of a long text is read: ``cpp/words/excerpts.h`` and ``cpp/decisions/documents.h``."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Literal, TypeAlias

from unilid._kernel import (
    DISSENT,
    EXCERPT_BYTES,
    FEW_DISSENTERS,
    MANY_DISSENTERS,
    MAX_WORD_BYTES,
    ROUNDS,
    SHORT_DOCUMENT,
    SURE,
)
from unilid.plain.scoring import counted, is_linguistic
from unilid.plain.words import Word

_LINE_BEFORE = 256
"""Bytes in which the beginning of a line is looked for."""

Judgement: TypeAlias = Literal["sure", "doubt", "dissent"]


def reading_start(text: bytes, begin: int) -> int:
    """Return where to begin reading, so that the words from a byte on are those of the whole text.

    That is the beginning of the line, the last space before the byte, or, in a run without spaces, a character.
    """
    line = text.rfind(b"\n", max(0, begin - _LINE_BEFORE), begin)
    if line >= 0 or begin <= _LINE_BEFORE:
        return line + 1
    spaces = [m.start() for m in re.finditer(rb"[ \t-\r]", text[begin - MAX_WORD_BYTES : begin + 1])]
    if spaces:
        return begin - MAX_WORD_BYTES + spaces[-1]
    while begin < len(text) and 0x80 <= text[begin] < 0xC0:
        begin += 1
    return begin


def excerpt(text: bytes, index: int, count: int, *, signs: bool = True) -> list[Word]:
    """Return the words of one of some excerpts that are spread over a text, as far as they count.

    Each stands in its own share of the text, at a place that differs from share to share.

    >>> [word.text for word in excerpt(b"one two " * 200, 0, 8)]
    [b' one', b' two', b' one', b' two', b' one', b' two', b' one', b' two']
    """
    begin, end = (len(text) // count * i + len(text) % count * i // count for i in (index, index + 1))
    room, fraction = end - begin - EXCERPT_BYTES, (index + 1) * 40503 % 65536  # of the golden ratio
    begin += room // 65536 * fraction + room % 65536 * fraction // 65536
    start = reading_start(text, begin)
    words = [word for word in counted(text[start:], signs=signs) if word.noise is None]
    return [word for word in words if begin <= start + word.begin < begin + EXCERPT_BYTES]


def excerpts(text: bytes, count: int, *, signs: bool = True) -> list[list[Word]]:
    """Return the words of so many excerpts; none if there is no letter in them."""
    every = [excerpt(text, index, count, signs=signs) for index in range(count)]
    return every if any(is_linguistic(word) for words in every for word in words) else []


def judgement(
    probability: float, *, is_language: bool, keys: Sequence[tuple[Sequence[float], float]], best: int, count: int
) -> Judgement:
    """Say whether an answer is beyond doubt.

    `keys` are those of each excerpt that has letters, out of `count`, with the exponent of its posterior; `best` is the
    answer's row.
    """
    dissenters = sum(exponent * (max(own) - own[best]) > DISSENT for own, exponent in keys)
    if dissenters > count // MANY_DISSENTERS:
        return "dissent"
    is_sure = is_language and probability >= SURE and dissenters <= count // FEW_DISSENTERS
    return "sure" if is_sure else "doubt"


def words_to_read(
    text: bytes, budget: int | None, judge: Callable[[list[list[Word]]], Judgement], *, signs: bool = True
) -> list[Word]:
    """Return the words on which the answer to a text rests; `judge` says what excerpts tell."""
    counts = []
    if budget is not None and len(text) > SHORT_DOCUMENT:
        counts = [n for n in ROUNDS if n == ROUNDS[0] or EXCERPT_BYTES * n <= min(budget, len(text) // 2)]
    for count in counts:
        read = excerpts(text, count, signs=signs)
        told = judge(read) if read else "doubt"
        if told == "sure":
            return [word for words in read for word in words]
        if told == "dissent":
            break
    if budget is not None and len(text) > max(budget, SHORT_DOCUMENT):
        read = excerpts(text, max(budget // EXCERPT_BYTES, ROUNDS[0]), signs=signs)
        if read:
            return [word for words in read for word in words]
    return counted(text, signs=signs)
