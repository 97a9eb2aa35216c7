"""Texts of every kind."""

from __future__ import annotations

from support.corpora import SENTENCES

# Many scripts, mixed texts, long words, nothing at all, bytes that are not UTF-8.
TEXTS: list[str | bytes | None] = [
    *SENTENCES,
    "The bus og taget δίχτυα 雪",
    "x" * 700,
    "1234 !? 5",
    "",
    None,
    b"\xff\xfd\x00 net",
    "Hvorfor kommer snø og sne når regnet har holdt op " * 40,
]
