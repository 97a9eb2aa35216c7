"""Texts, a model and the answers that every adapter must give."""

from __future__ import annotations

from functools import cache
from typing import Any

import unilid

TEXTS: list[str | None] = [
    "Wo ist der Bahnhof?",
    None,
    "Where is the station?\nI cannot find it.",
    "12:30",
    "ma",  # too little to tell
    "Où est la gare ?",
]
SPOKEN = [text for text in TEXTS if text is not None]


@cache
def compact() -> unilid.Model:
    return unilid.load("compact")


def expected(texts: list[str | None] = TEXTS, **options: Any) -> list[dict[str, Any] | None]:
    """The answers as rows; None where there is no text."""
    answers = compact().identify(texts, **options)
    return [None if text is None else answer._asdict() for text, answer in zip(texts, answers, strict=True)]


def expected_of(field: str, texts: list[str | None] = TEXTS, **options: Any) -> list[Any]:
    return [row and row[field] for row in expected(texts, **options)]
