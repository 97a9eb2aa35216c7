"""The vector of a text by the reference implementation."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from unilid import plain


def text_vector(
    text: bytes,
    costs: Callable[[plain.Word], list[int]],
    *,
    languages: int,
    bound: int,
    lexicon: Mapping[int, Mapping[int, int]] | None = None,
    scripts: plain.Scripts = (),
    signs: bool = True,
    linguistic: bool = False,
) -> list[int]:
    """What a text costs each language, all of its words that count or its linguistic words alone."""
    words = plain.explained(text, [(costs, 1)], bound, lexicon=lexicon, scripts=scripts, signs=signs)
    vectors = [word.bounded for word in words if word.counts and (plain.is_linguistic(word.word) or not linguistic)]
    return [sum(vector[row] for vector in vectors) for row in range(languages)]
