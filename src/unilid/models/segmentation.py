"""The most probable segmentation of a text: what the paper asks the tokenizer of a language for."""

from __future__ import annotations

from dataclasses import dataclass

from unilid import _kernel
from unilid.errors import UnilidError
from unilid.models.costs import STEP
from unilid.models.vocabulary import Vocabulary
from unilid.texts import utf8


@dataclass(frozen=True, slots=True)
class Segment:
    """A token of the most probable segmentation."""

    token: bytes
    start: int
    """Where it begins, in bytes of the text; the space that belongs to a word is not part of it."""
    end: int
    score: float
    """Log-probability, in nats."""


def segment(model: _kernel.UnigramModel, vocabulary: Vocabulary, text: str | bytes, row: int) -> list[Segment]:
    """Return the tokens of the most probable segmentation of a text under a language."""
    if not isinstance(text, str | bytes):
        raise UnilidError(f"a text to segment is str or bytes, not {type(text).__name__}")
    segments = []
    for word in _kernel.split_words(utf8(text)):
        shift = word.begin - (len(word.bytes) - (word.end - word.begin))  # the space stands before `begin`
        for piece in model.segment(word.bytes, row):
            start = max(word.begin, shift + piece.begin)
            segments.append(Segment(vocabulary.tokens[piece.token], start, shift + piece.end, -STEP * piece.cost))
    return segments
