"""What characters are, and how they are read: ``cpp/words/characters.h``."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from unilid.plain.unicode import COMBINING, COMPOSING, COMPOSITIONS, FOLDS, MARK, RUNS, SIGN, STYLED

_STARTS = [start for start, _ in RUNS]
_COMBINING_STARTS = [start for start, _ in COMBINING]
_SMALL = {
    chr(capital): chr(capital + distance)
    for first, last, step, distance in FOLDS
    for capital in range(first, last + 1, step)
}
_SMALL_LETTERS = set(_SMALL.values())
_COMPOSED = {(letter, mark): one for letter, mark, one in COMPOSITIONS}
_STYLED = {
    chr(first + place): letter for first, letters in STYLED for place, letter in enumerate(letters) if letter != " "
}


def class_of(character: int | str) -> int:
    """Return what the splitter needs to know of a character; a byte that is not UTF-8 counts as a sign."""
    kind = SIGN if isinstance(character, int) else _raw_class(ord(character))
    return MARK if kind == COMPOSING else kind


def characters(text: bytes) -> Iterator[tuple[int | str, bytes]]:
    """Yield each character with its bytes; a byte that is not part of one stands for itself."""
    at = 0
    while at < len(text):
        for size in (1, 2, 3, 4):
            try:
                yield text[at : at + size].decode(), text[at : at + size]
            except UnicodeDecodeError:
                continue
            at += size
            break
        else:
            yield text[at], text[at : at + 1]
            at += 1


def folded(word: bytes) -> bytes:
    """Write a word that begins with a capital, has two of them and no small letter, in small letters.

    >>> folded(b" NATO"), folded(b" Nato"), folded(b" I")
    (b' nato', b' Nato', b' I')
    """
    letters = [character for character, _ in characters(word.removeprefix(b" "))]
    capitals = [character for character in letters if character in _SMALL]
    if letters[0] not in _SMALL or len(capitals) < 2 or _SMALL_LETTERS.intersection(letters):
        return word
    return small(word)


def small(word: bytes) -> bytes:
    """Write all capitals of a word as small letters, which have as many bytes."""
    return b"".join(
        _SMALL[character].encode() if character in _SMALL else encoded for character, encoded in characters(word)
    )


def composed(word: bytes) -> bytes:
    """Write a letter and the mark behind it as the letter with the mark that they are, where there is one.

    Marks of a lower combining class may stand between the two, as Unicode's NFD has it. Latin letters in a style (bold,
    italic) are written without.

    >>> composed("cafe\u0301 \u1112\u1161\u11ab o\u0329\u0301 𝐛𝐨𝐥𝐝".encode()).decode()
    'café 한 ó̩ bold'
    """
    read: list[bytes] = []
    letter, place = None, 0  # the last character that is no mark
    between = 0  # the highest combining class of the marks that stand by themselves behind it
    for character, encoded in characters(word):
        if character in _STYLED:
            character = _STYLED[character]  # noqa: PLW2901
            encoded = character.encode()  # noqa: PLW2901
        mark = None if isinstance(character, int) else ord(character)
        own = 0 if mark is None else _combining_class(mark)
        joins = between == 0 or (between < own and mark is not None and _raw_class(mark) == COMPOSING)
        one = _together(letter, mark) if letter is not None and mark is not None and joins else None
        if one is not None:
            letter = one
            read[place] = chr(one).encode()
            continue
        if own == 0:
            letter, place, between = mark, len(read), 0
        else:
            between = max(between, own)
        read.append(encoded)
    return b"".join(read)


def _combining_class(code_point: int) -> int:
    return COMBINING[bisect_right(_COMBINING_STARTS, code_point) - 1][1]


def _raw_class(code_point: int) -> int:
    return RUNS[bisect_right(_STARTS, code_point) - 1][1]


def _together(letter: int, mark: int) -> int | None:
    if 0x1100 <= letter < 0x1113 and 0x1161 <= mark < 0x1176:
        return 0xAC00 + ((letter - 0x1100) * 21 + mark - 0x1161) * 28
    if 0xAC00 <= letter < 0xD7A4 and 0x11A7 < mark < 0x11C3:
        return letter + mark - 0x11A7 if (letter - 0xAC00) % 28 == 0 else None
    return _COMPOSED.get((letter, mark))
