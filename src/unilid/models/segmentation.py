"""The most probable segmentation of a text: what the paper asks the tokenizer of a language for."""

from __future__ import annotations

import unicodedata
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
    letters = word.bytes[len(spaces) :]
    if len(letters) == word.end - word.begin:
        return [*spaces, *range(word.begin, word.end + 1)]
    # A letter that is read with its marks has as many parts as what stands in the text.
    places, at = spaces, word.begin
    standing = iter(text[word.begin : word.end].decode(errors="surrogateescape"))
    for letter in letters.decode(errors="surrogateescape"):
        parts, end = _parts(letter), at
        while parts > 0:
            own = next(standing)
            parts -= _parts(own)
            end += len(own.encode(errors="surrogateescape"))
        places += [min(at + byte, end) for byte in range(len(letter.encode(errors="surrogateescape")))]
        at = end
    return [*places, at]


def _parts(character: str) -> int:
    """Return of how many characters one consists: a letter and its marks."""
    return len(unicodedata.normalize("NFD", character))
