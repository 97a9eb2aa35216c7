"""The most probable segmentation of a text: what the paper asks the tokenizer of a language for."""

from __future__ import annotations

from collections.abc import Sequence
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
    content = utf8(text)
    for word in _kernel.split_words(content):
        places = _places(word, content)
        for piece in model.segment(word.bytes, row):
            start, end = places[piece.begin], places[piece.end]
            segments.append(Segment(vocabulary.tokens[piece.token], start, end, -STEP * piece.cost))
    return segments


def _places(word: _kernel.Word, text: bytes) -> Sequence[int]:
    """Return, for each byte of a word as it is read, and for its end, where in the text it stands."""
    spaces = [word.begin] * word.bytes.startswith(b" ")
    return [*spaces, *(word.begin + place for place in _kernel.places_in_word(text[word.begin : word.end]))]
