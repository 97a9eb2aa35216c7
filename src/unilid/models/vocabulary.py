"""The shared vocabulary: byte strings that tokens are, learned from words or taken from an existing tokenizer."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from unilid import _kernel
from unilid.corpus.counts import Words
from unilid.errors import VocabularyError
from unilid.threads import Threads, number_of_threads

MAX_TOKEN_BYTES = 64
MAX_TOKEN_CHARACTERS = 8
"""Of a learned token: longer ones cover few words, and a limit in characters treats all scripts alike."""

SEEDS = 8
"""Substrings that learning starts from, for each token wanted."""

MAX_LEARN_WORDS = 1_500_000
SHARE_STEPS = 2.0**36
"""Steps of a share: the sum over 65,536 languages still has no more than 53 bits."""
MIN_SIZE, MAX_SIZE = 1_000, 100_000

MIN_TOKENS = 256
"""Single bytes are always part of a vocabulary."""

MAX_TOKENS = _kernel.MAX_TOKENS
"""What the kernel's numbers of tokens have room for, seeds included."""

MAX_LEARNED = MAX_TOKENS // 4
"""Tokens that can be learned: the seeds that learning starts from have numbers, too."""

_BYTES = {bytes([byte]) for byte in range(256)}


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """Tokens, sorted by their bytes; all 256 single bytes are among them, so nothing is ever unknown.

    >>> vocabulary = Vocabulary.of([b" the", b"th"])
    >>> len(vocabulary), [(prefix.token, prefix.length) for prefix in vocabulary.kernel.prefixes(b"the")]
    (258, [(117, 1), (118, 2)])
    """

    tokens: tuple[bytes, ...]
    kernel: _kernel.Vocabulary = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Build the trie, which needs what is checked here."""
        sizes = list(map(len, self.tokens))
        if not all(map(operator.lt, self.tokens, self.tokens[1:])):
            raise VocabularyError("the tokens of a vocabulary must be sorted and distinct")
        if not sizes or sizes[0] == 0 or max(sizes) > MAX_TOKEN_BYTES:
            raise VocabularyError(f"a token must have 1 to {MAX_TOKEN_BYTES} bytes")
        if len(sizes) > MAX_TOKENS:
            raise VocabularyError(f"a vocabulary has at most {MAX_TOKENS:,} tokens, not {len(sizes):,}")
        if sizes.count(1) < MIN_TOKENS:
            raise VocabularyError("a vocabulary must contain all 256 single bytes")
        object.__setattr__(self, "kernel", _kernel.Vocabulary(b"".join(self.tokens), _offsets(sizes)))

    def __len__(self) -> int:
        """Return the number of tokens."""
        return len(self.tokens)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the tokens; the trie is built anew."""
        return (Vocabulary, (self.tokens,))

    @staticmethod
    def of(tokens: Iterable[bytes]) -> Vocabulary:
        """Make a vocabulary of tokens in any order: bytes are completed, what can never occur is dropped."""
        tokens = list(tokens)
        if not all(isinstance(token, bytes) for token in tokens):
            raise VocabularyError("the tokens of a vocabulary are bytes")
        return Vocabulary(tuple(sorted(_BYTES.union(filter(_stays_inside_a_word, tokens)))))

    @staticmethod
    def read(path: str | Path) -> Vocabulary:
        """Take the vocabulary of an existing tokenizer (the paper's UniLID-X); see `unilid.models.tokenizers`."""
        from unilid.models.tokenizers import read_tokens  # here, because few models have the vocabulary of another

        return Vocabulary.of(read_tokens(path))

    @staticmethod
    def learn(
        words_of_all: Sequence[Words],
        size: int | None = None,
        *,
        importance: Sequence[float] | None = None,
        threads: Threads = "auto",
    ) -> Vocabulary:
        """Learn a vocabulary from the words of all languages, each weighing the same, or as `importance` says.

        `size` counts the 256 bytes; None chooses it from the number of distinct words.
        """
        weights = importance or [1.0] * len(words_of_all)
        shares = [
            Words(words.blob, words.offsets, shares_of(words.counts, weight))
            for words, weight in zip(words_of_all, weights, strict=True)
        ]
        merged = _kernel.merge_words(shares, MAX_LEARN_WORDS)
        return Vocabulary.learn_merged(Words.of(merged.words), merged.distinct, size, threads=threads)

    @staticmethod
    def learn_merged(words: Words, distinct: int, size: int | None = None, *, threads: Threads = "auto") -> Vocabulary:
        """Learn a vocabulary from the most common words of all languages, out of so many `distinct` ones."""
        size = default_size(distinct) if size is None else min(max(size, MIN_TOKENS), MAX_LEARNED)
        tokens = _kernel.learn_vocabulary(
            words,
            size=size,
            max_characters=MAX_TOKEN_CHARACTERS,
            max_bytes=MAX_TOKEN_BYTES,
            seeds=min(SEEDS * size, MAX_TOKENS - size),
            shrink=0.6,
            threads=number_of_threads(threads),
        )
        return Vocabulary(tuple(tokens))


def shares_of(counts: npt.NDArray[np.float64], weight: float = 1.0) -> npt.NDArray[np.float64]:
    """Return the shares of a language's words in its text, in whole steps.

    So the sum over languages is exact, and the same in whatever order they are added up.
    """
    return np.ceil(SHARE_STEPS * (weight * counts / float(counts.sum())))


def default_size(distinct_words: int) -> int:
    """Return how many tokens a corpus wants: a vocabulary must fit the amount of text.

    Fitted to the best sizes on validation lines of 204 languages with 5, 25, 100 and 400 training lines each.

    >>> default_size(16_000), default_size(600_000)
    (2472, 53824)
    """
    return min(max(round(0.66 * math.pow(distinct_words, 0.85)), MIN_SIZE), MAX_SIZE)


def offsets_of(strings: Sequence[bytes]) -> npt.NDArray[np.int64]:
    """Return where each string begins in their concatenation, and the end."""
    return _offsets([len(string) for string in strings])


def _offsets(sizes: list[int]) -> npt.NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(np.array(sizes, np.int64))]).astype(np.int64, copy=False)


def _stays_inside_a_word(token: bytes) -> bool:
    if not 0 < len(token) <= MAX_TOKEN_BYTES:
        return False
    try:
        token.decode()
    except UnicodeDecodeError:
        return True  # part of a character
    # With a letter's space before it the token must be one word, or the end of one.
    words = _kernel.split_words(token)
    return len(words) == 1 and words[0].bytes.removeprefix(b" ") == token.removeprefix(b" ")
