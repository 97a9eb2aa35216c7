"""The vector of a word: the weighted sum over word models, bounded. ``cpp/scoring/scorer.h``."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from unilid._kernel import WEIGHT_STEPS
from unilid.plain.lexicon import with_gains, word_key
from unilid.plain.scripts import Scripts, foreign, foreign_excess
from unilid.plain.unicode import LETTER
from unilid.plain.words import Word, split_words


def is_linguistic(word: Word) -> bool:
    """Say whether a word says something about the language: letters that are no part of an address or identifier."""
    return word.kind == LETTER and word.noise is None


def counted(text: bytes, *, signs: bool = True) -> list[Word]:
    """Return the words of a text that count.

    Noise does only where there is nothing else, and signs and digits only if they are not switched off. Signs inside a
    word are orthography: they always do.

    >>> [word.text for word in counted(b"don't go, 12 me@example.org", signs=False)]
    [b' don', b"'", b't', b' go']
    """
    words = split_words(text)
    spoken = any(map(is_linguistic, words))
    return [word for word in words if (not spoken if word.noise else signs or word.kind == LETTER or word.inner)]


def weighted(vectors: Sequence[tuple[Sequence[int], int]]) -> list[int]:
    """Add the vectors of word models, by weights in sixteenths, and round."""
    if len(vectors) == 1:
        return list(vectors[0][0])
    weights = [weight for _, weight in vectors]
    return [
        (sum(map(operator.mul, costs, weights)) + WEIGHT_STEPS // 2) // WEIGHT_STEPS
        for costs in zip(*(vector for vector, _ in vectors), strict=True)
    ]


def bounded(vector: Sequence[int], bound: int) -> list[int]:
    """Let a word speak against a language in full up to `bound` beyond the best one, then a quarter, at most 255.

    No bound is 0.
    """
    if not bound:
        return list(vector)
    least = min(vector)
    return [least + min(255, min(cost - least, bound) + max(cost - least - bound, 0) // 4) for cost in vector]


def word_vector(word: Word, vector: Sequence[int], bound: int, scripts: Scripts = ()) -> list[int]:
    """Return what a word adds to the cost of a text under each language.

    With a bound, a lone letter counts a quarter before its costs are bounded; a word in a script that some languages
    are not written in costs all of these the same; and one in a script of no language says nothing.
    """
    if not bound:
        return list(vector)
    vector = [cost // 4 for cost in vector] if word.lone else vector
    others = foreign(word.script, scripts) or [False] * len(vector)
    own = [cost for cost, other in zip(vector, others, strict=True) if not other]
    if not own:
        return [0] * len(vector)
    known = iter(bounded(own, bound))
    return [min(own) + foreign_excess(word) if other else next(known) for other in others]


@dataclass
class Explained:
    """What a word costs every language, on its way into the cost of a text."""

    word: Word
    counts: bool
    models: list[list[int]]  # for each word model
    weighted: list[int]  # less the gains of the lexicon
    bounded: list[int]  # what is added, if it counts


def explained(
    text: bytes,
    models: Sequence[tuple[Callable[[Word], list[int]], int]],
    bound: int,
    *,
    lexicon: Mapping[int, Mapping[int, int]] | None = None,
    scripts: Scripts = (),
    signs: bool = True,
) -> list[Explained]:
    """Return the words of a text with their costs.

    `models` are functions of a word, with their weights. `lexicon` has gains under languages by the keys of words.
    """
    count = {word.begin for word in counted(text, signs=signs)}
    result = []
    for word in split_words(text):
        vectors = [(model(word), weight) for model, weight in models]
        sums = with_gains(weighted(vectors), (lexicon or {}).get(word_key(word), {}))
        vector = word_vector(word, sums, bound, scripts)
        result.append(Explained(word, word.begin in count, [own for own, _ in vectors], sums, vector))
    return result
