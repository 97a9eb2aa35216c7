"""The vector of a text by the reference implementation."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from unilid import plain


def counted(text: bytes) -> list[plain.Word]:
    """The words that count: those of addresses and identifiers do not, unless there is nothing else."""
    words = plain.split_words(text)
    spoken = any(word.kind == plain.LETTER and word.noise is None for word in words)
    return [word for word in words if word.noise is None or not spoken]


def word_vector(word: plain.Word, vector: Sequence[int], bound: int) -> list[int]:
    """With a bound, a lone letter counts a quarter before its costs are bounded."""
    return plain.bounded([cost // 4 for cost in vector] if bound and word.lone else vector, bound)


def text_vector(
    text: bytes,
    costs: Callable[[plain.Word], Sequence[int]],
    *,
    languages: int,
    bound: int,
    words: Sequence[plain.Word] | None = None,
) -> list[int]:
    vectors = [word_vector(word, costs(word), bound) for word in (counted(text) if words is None else words)]
    return [sum(vector[row] for vector in vectors) for row in range(languages)]
