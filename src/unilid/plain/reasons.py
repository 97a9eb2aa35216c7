"""Why a text is no language: ``cpp/words/noise.h``."""

from __future__ import annotations

import re
from itertools import pairwise

from unilid.plain.characters import characters
from unilid.plain.unicode import DIGIT, LETTER
from unilid.plain.words import split_words

_TELLING = ["empty", "signs", "digits", "emoji", "address", "e-mail", "identifier", "markup", "code", "mojibake"]
"""Reasons, the most telling one last."""
_SAMPLE = 512
"""Bytes of a text that are looked at for mojibake."""

_MISPLACED = (
    "\u1039(?![\u1000-\u1021\u1050-\u108f])"  # the sign of a stacked consonant, which is the killer in Zawgyi
    "|(?<![\u1000-\u102a\u1031\u1033-\u1035\u103a-\u103f\u1050-\u109f])[\u1031\u103b]"  # written before the consonant
    "|\u103a(?=[\u102b-\u102e\u1032])"  # the killer, which is a medial in Zawgyi
)
_SPECIALS = {ord(c) for c in bytes(range(0x80, 0xA0)).decode("cp1252", "ignore")}


def is_zawgyi(text: bytes) -> bool:
    """Say whether a text is Burmese in the code points of the font Zawgyi.

    >>> is_zawgyi("မြန်မာစာ".encode()), is_zawgyi("ျမန္မာစာ".encode())
    (False, True)
    """
    shown = "".join(c if isinstance(c, str) else "\ufffd" for c, _ in characters(text))
    burmese, visible = len(re.findall("[\u1000-\u109f]", shown)), sum(c > " " for c in shown)
    misplaced = len(re.findall(_MISPLACED, shown))
    others = len(re.findall("\u103a(?![\u102b-\u102e\u1032])", shown))
    return 2 * burmese >= visible and misplaced > 0 and (3 * misplaced >= others if misplaced > 1 else not others)


def is_mojibake(text: bytes) -> bool:
    """Say whether most of a text is what remains of one that was read in the wrong encoding.

    >>> is_mojibake("Привет, мир".encode().decode("latin-1").encode()), is_mojibake("Привет, мир".encode())
    (True, False)
    """
    nuls = text.count(0)  # of UTF-16
    if 0 in text[:8] and nuls >= 2 and 3 * nuls >= len(text):
        return True
    # Bytes that begin a Latin-1 or a replacement character, or none at all; that follow as many as announce them.
    odd = any(0xC0 <= b <= 0xC3 or b == 0xEF or b >= 0xF5 for b in text)
    missing = sum((b >= 0xC0) + (b >= 0xE0) + (b >= 0xF0) - (0x80 <= b < 0xC0) for b in text)
    cyrillic = text.count("Р".encode()) + text.count("С".encode()) >= 3
    if not odd and not missing and not cyrillic and b"\xe1\x80" not in text:
        return False
    every = [c for c, _ in characters(text)]
    visible = sum(isinstance(c, int) or c > " " for c in every)
    high, signs, after_high = 0, 0, False
    for c in every:
        code = 0xFF if isinstance(c, int) else ord(c)
        control = isinstance(c, int) or 0x80 <= code < 0xA0 or code == 0xFFFD
        sign = after_high and (0xA0 <= code < 0xC0 or code in _SPECIALS)
        signs += control or sign
        after_high = control or sign or 0xC0 <= code <= 0xFF
        high += after_high
    pairs = sum(
        a in ("Р", "С") and b not in ("Р", "С") and (isinstance(b, int) or b > "\x7f") for a, b in pairwise(every)
    )
    latin = high >= 4 and 10 * high >= 6 * visible and (4 * signs >= high or high >= 10)
    invalid = sum(isinstance(c, int) for c in every)
    binary = invalid >= 4 and 10 * invalid >= 4 * visible
    return latin or binary or (pairs >= 3 and 10 * pairs >= 4 * visible) or is_zawgyi(text)


def reason_of(text: bytes) -> str | None:
    """Say why a text is no language."""
    words = split_words(text)
    if any(word.kind == LETTER and word.noise is None for word in words):
        return "mojibake" if is_mojibake(text[:_SAMPLE]) else None
    reasons = ["empty"]
    for word in words:
        emoji = any(
            isinstance(c, str) and (ord(c) >= 0x1F000 or 0x2600 <= ord(c) < 0x27C0) for c, _ in characters(word.text)
        )
        broken = any(isinstance(c, int) or c == "\ufffd" for c, _ in characters(word.text))
        own = "digits" if word.kind == DIGIT else "mojibake" if broken else "emoji" if emoji else "signs"
        reasons.append(word.noise or own)
    return max(reasons, key=_TELLING.index)
