"""The native kernel. It computes; Python checks what it is given and decides what it means."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

MAX_WORD_BYTES: int
MAX_TOKENS: int
LARGE: int

_Text = str | bytes | None
_Words = tuple[bytes, npt.NDArray[np.int64], npt.NDArray[np.float64]]

def instruction_sets() -> list[str]:
    """Return the instruction sets that this build has and this machine can run, best first; that one is in use."""

def use_instruction_set(name: str) -> str:
    """Use another instruction set in the whole process, and return the one before.

    For tests and measurements: answers are the same bits with any of them.
    """

def sum_up_sizes(
    sizes: npt.NDArray[np.uint8], large: npt.NDArray[np.uint32]
) -> tuple[npt.NDArray[np.uint32], int, int]:
    """Return where each group begins and the last one ends, that end again in full, and how many sizes are LARGE.

    What these are stands in `large`, in their order; 0 where it has no more.
    """

def split_words(text: bytes) -> list[tuple[bytes, int, int, bool, bool, int]]:
    """Return (bytes with the space before it, begin, end, cut left, cut right, why it is no language) of every word."""

def merge_words(languages: Sequence[_Words], max_words: int) -> tuple[_Words, int]:
    """Return the most common words of all languages, their counts added up, and the number of distinct words."""

def with_fragments(
    blob: bytes, offsets: npt.NDArray[np.int64], counts: npt.NDArray[np.float64], share: float
) -> _Words:
    """Return the words, and what is left of them where one character is lost."""

class Counter:
    def __init__(self, max_words: int) -> None: ...
    def add(
        self,
        labels: npt.NDArray[np.int32],
        texts: Sequence[_Text],
        counts: npt.NDArray[np.float64] | None = None,
        threads: int = 1,
    ) -> None:
        """Count the words of texts; those with a negative label are passed over."""
    def tables(self, labels: Sequence[int], threads: int = 1) -> list[_Words]:
        """Return the words of each label, sorted, with their counts."""

class Vocabulary:
    def __init__(self, blob: bytes, offsets: npt.NDArray[np.int64]) -> None: ...
    def __len__(self) -> int: ...
    def prefixes(self, text: bytes) -> list[tuple[int, int]]:
        """Return (token, length) of every token that the text begins with."""

def learn_vocabulary(
    blob: bytes,
    offsets: npt.NDArray[np.int64],
    weights: npt.NDArray[np.float64],
    size: int,
    max_characters: int,
    max_bytes: int,
    seeds: int,
    shrink: float,
    threads: int,
) -> list[bytes]: ...
def estimate(
    vocabulary: Vocabulary, languages: Sequence[_Words], rounds: int, tolerance: float, threads: int
) -> list[tuple[npt.NDArray[np.uint32], npt.NDArray[np.float64], float, int]]:
    """Return (tokens, expected counts, total, rounds) of every language."""

def estimate_contexts(
    languages: Sequence[_Words], order: int, discount: float, base: float, prune: float, prune_from: int, threads: int
) -> list[
    tuple[
        float,
        list[tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32], npt.NDArray[np.float64], npt.NDArray[np.float64]]],
    ]
]:
    """Return (log root back-off, [(parents, characters, log p, log back-off) of each order]) of every language."""

class UnigramModel:
    def __init__(
        self,
        vocabulary: Vocabulary,
        offsets: npt.NDArray[np.int64],
        languages: npt.NDArray[np.uint16],
        costs: npt.NDArray[np.uint8],
        unseen: npt.NDArray[np.uint8],
    ) -> None: ...
    def segment(self, word: bytes, language: int) -> list[tuple[int, int, int, int]]:
        """Return (token, begin, end, cost) of the most probable segmentation of a word."""
    def marginal(self, texts: Sequence[_Text], step: float, threads: int) -> npt.NDArray[np.float64]: ...

class ContextModel:
    def __init__(
        self,
        code_points: npt.NDArray[np.uint32],
        levels: list[tuple[Any, ...]],
        root_backoff: npt.NDArray[np.uint8],
        base: int,
    ) -> None: ...
    def characters(
        self, word: bytes, cut_left: bool, cut_right: bool, rows: npt.NDArray[np.uint16]
    ) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint32]]:
        """Return the sizes of the characters of a word, 0 for its end, and their costs under languages, ascending."""

class Decision:
    def __init__(
        self,
        log_prior: npt.NDArray[np.float64],
        step: float,
        temperature: tuple[float, float, float],
        reexamination: tuple[npt.NDArray[np.float64], npt.NDArray[np.uint8], float, int] | None = None,
        rejection: tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], float, float, float, float] | None = None,
    ) -> None: ...

class Scorer:
    def __init__(
        self, models: Sequence[tuple[UnigramModel | ContextModel, int]], languages: int, bound: int, cache_bytes: int
    ) -> None: ...
    def decide(
        self,
        texts: Sequence[_Text],
        decision: Decision,
        k: int,
        threads: int,
        second: tuple[ContextModel, int, int, int] | None = None,
        sure: bool = True,
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float64], npt.NDArray[np.float64], npt.NDArray[np.uint8]]:
        """Return (rows [n, k], scores [n, k], probabilities [n, k], verdicts [n]).

        `second`: (context model, weight of the unigram model, bound, number of candidates). Without `sure`, no
        probabilities are computed, and a decision that rejects needs them.
        """
    def explain(
        self, text: bytes, rows: npt.NDArray[np.uint16]
    ) -> tuple[
        list[tuple[bytes, int, int, int, int, bool, bool, bool, bool]],
        npt.NDArray[np.uint32],
        npt.NDArray[np.int32],
        npt.NDArray[np.uint32],
    ]:
        """Return the words of a text, their costs under some languages, and who explains each best at which cost.

        A word is (bytes with the space before it, begin, end, kind, why it is no language, cut left, cut right, lone,
        counts).
        """
    def costs(
        self, texts: Sequence[_Text], threads: int
    ) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64], npt.NDArray[np.int64], npt.NDArray[np.uint8]]:
        """Return (costs, costs of the words of letters [n, languages], letters [n], why it is no language [n])."""
    def spans(
        self,
        text: str | bytes,
        entry: npt.NDArray[np.uint32],
        decision: Decision,
        change: int,
        short_text: int,
        least: int,
        most: int,
        apart: int,
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[np.int64], npt.NDArray[np.float64]]:
        """Return (where it begins, row or -1, letters, probability) of each span; `change` and `entry` are in steps."""
