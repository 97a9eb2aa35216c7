"""Hypothesis strategies that several tests draw from, and what is made of their examples."""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from unilid import plain
from unilid._kernel import MAX_WORD_BYTES, WORD_START
from unilid.corpus.counts import Words
from unilid.encodings import utf16
from unilid.models import context
from unilid.models.context import ContextTable
from unilid.models.costs import quantise
from unilid.models.unigram import Expected, UnigramTable
from unilid.models.vocabulary import Vocabulary, offsets_of
from unilid.plain.context import Gram

Pairs: TypeAlias = list[tuple[bytes, float]]
"""Words and their counts."""

# Letters of several scripts, marks, common letters, digits, signs, spaces, joiners.
ALPHABET = "ABÀÉЖЩİẞaàbé\u0301ʻßЖщ\u0483אבगि्หากี中日のカー한12٣५.,!?'\u200d\u200c \t\n\u00a0😀\u20e3"
# Words of one script, and what is nearly one.
WORDS = [
    "a", "I", "word", "Word", "WORD", "wORd", "café", "Élan", "ÉLAN", "AÉ", "naïvetés", "elevenchars", "twelveletter",
    "aBcDeFgHiJk", "aBcDeFgHiJkL", "слово", "Слово", "СЛОВО", "словоx", "xслово", "बोलना", "قال", "ไทย", "中文",
    "ʻokina", "e\u0301te\u0301", "co-op", "don't", "x1", "10", "1.5", "a.b", ".com",
]  # fmt: skip
BROKEN = [b"\xd1", b"\xe0\x80\x80", b"\xed\xa0\x80", b"\xc3", b"\xef\xbf\xbd"]


def runs_of(characters: str) -> st.SearchStrategy[bytes]:
    """Runs of one character that are too long for a word, and some that just are not."""
    return st.builds(
        lambda before, character, count, after: (before + character * count + after).encode(),
        st.sampled_from(["", " ", "a", "x ", "1"]),
        st.sampled_from(characters),
        st.integers(28, 130),
        st.sampled_from(["", " ", "b", "é", " y", "中"]),
    )


long_runs = runs_of("aéж中\U00010428A7!\u0301")
texts = st.one_of(
    long_runs,
    st.text(ALPHABET, max_size=40).map(str.encode),
    st.binary(max_size=40),
    st.lists(st.one_of(st.text(ALPHABET, max_size=8).map(str.encode), st.binary(max_size=3)), max_size=8).map(b"".join),
    st.text(max_size=30).map(lambda text: text.encode("utf-8", "surrogatepass")),
    st.integers(100, 400).map(lambda n: b"ab\xc3\xa9" * n),
    st.text("abcDEF019 @._-/:#~(é中", max_size=40).map(str.encode),
    st.builds(
        bytes.join,
        st.sampled_from([b" ", b", ", b". ", b"\n", b"  ", b"", b"\xc2\xa0"]),
        st.lists(st.sampled_from([*map(str.encode, WORDS), *BROKEN]), max_size=12),
    ),
).filter(lambda text: not utf16(text))
# Pieces of a file in which no beginning looks like UTF-16: 0 and 1 are line breaks, 2 is a tab.
_NO_UTF16 = bytes.maketrans(bytes([*range(3, 9), *range(11, 13), *range(14, 32), 0xFE, 0xFF]), b"x" * 28)
file_pieces = st.binary(max_size=8).map(
    lambda b: b.translate(_NO_UTF16).replace(b"\0", b"\n").replace(b"\1", b"\r\n").replace(b"\2", b"\t")
)
any_text = st.one_of(
    st.none(),
    long_runs,
    long_runs.map(bytes.decode),
    st.text(max_size=60),
    st.text("aeø δ雪.1 \ud800\0\u200d", max_size=40),
    st.binary(max_size=60).filter(lambda text: not utf16(text)),
)
# What a word may count. Sums of numbers further apart lose digits, and the reference adds up in another order.
counts = st.one_of(st.floats(0.5, 9), st.sampled_from([0.001, 1000.0]))
# As long as a word may be, and nearly so.
longest_words = st.builds(
    lambda character, less: (character * MAX_WORD_BYTES)[: MAX_WORD_BYTES - less],
    st.sampled_from([b"a", b"abc", "é".encode(), b" a"]),
    st.sampled_from([0, 1, 2, 8]),
)


def words_with_counts(words: st.SearchStrategy[bytes]) -> st.SearchStrategy[Pairs]:
    return st.lists(st.tuples(words, counts), min_size=1, max_size=12, unique_by=lambda pair: pair[0])


_short = st.text("abcé ", min_size=1, max_size=9).map(str.encode)
short_words = words_with_counts(_short)
small_words = words_with_counts(st.one_of(*[_short] * 7, longest_words))
PRUNE = 0.1
token_sets = st.lists(st.text("abcé ", min_size=2, max_size=4).map(str.encode), max_size=12)


# Numbers that no array should have.
EXTREMES = [0, 1, -1, 2, 120, 121, 255, 256, 65_535, 65_536, 2**31 - 1, 2**31, 2**32, 2**53, 2**62, -(2**62), 2**63 - 1]
NO_COUNTS = [0.0, -0.0, 1.0, 0.5, -1.0, 5e-324, 1e-300, 1e300, 1.7e308, math.nan, math.inf, -math.inf]
any_words = st.builds(
    lambda blob, offsets, own: Words(blob, np.array(offsets, np.int64), np.array(own, np.float64)),
    st.one_of(st.binary(max_size=9), long_runs),
    st.one_of(
        st.lists(st.integers(0, 9), max_size=5).map(sorted),
        st.lists(st.one_of(st.integers(-2, 200), st.sampled_from(EXTREMES)), max_size=5),
    ),
    st.lists(st.sampled_from(NO_COUNTS), max_size=5),
)
"""Words of any shape; hardly any are consistent."""


@st.composite
def bent(draw: st.DrawFn, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """An array of a table, which may have another length, shape or type, or values that are none of its own."""
    how = draw(
        st.sampled_from(["not", "values", "values", "values", "shorter", "longer", "none", "flat", "type", "strided"])
    )
    array = array.copy()
    if how == "values" and len(array):
        limit = np.iinfo(array.dtype)
        value = st.sampled_from([int(np.clip(number, limit.min, limit.max)) for number in EXTREMES])
        for place in draw(st.lists(st.integers(0, len(array) - 1), min_size=1, max_size=3)):
            array[place] = draw(value)
    if how == "shorter":
        return array[: draw(st.integers(0, len(array)))]
    if how == "longer":
        return np.concatenate([array, array[: draw(st.integers(0, len(array)))]])
    if how == "none":
        return array[:0]
    if how == "flat":
        return array.reshape(-1, 1)
    if how == "type":
        return array.astype(draw(st.sampled_from([np.uint8, np.int8, np.uint16, np.uint32, np.int64, np.float64])))
    return array[::-1] if how == "strided" else array


def words_of(pairs: Pairs) -> Words:
    pairs = sorted(pairs)
    return Words(
        b"".join(word for word, _ in pairs),
        offsets_of([word for word, _ in pairs]),
        np.array([count for _, count in pairs], np.float64),
    )


def vocabulary_of(tokens: list[bytes]) -> Vocabulary:
    return Vocabulary(tuple(sorted({bytes([byte]) for byte in range(256)} | set(tokens))))


def numbered(vocabulary: Vocabulary) -> dict[bytes, int]:
    return {token: number for number, token in enumerate(vocabulary.tokens)}


@st.composite
def unigram_tables(draw: st.DrawFn) -> tuple[Vocabulary, UnigramTable]:
    vocabulary = vocabulary_of(draw(token_sets))
    count = draw(st.sampled_from([1, 2, 5, 33, 70]))
    random = np.random.default_rng(draw(st.integers(0, 99)))
    used = [random.choice(len(vocabulary), random.integers(1, len(vocabulary)), replace=False) for _ in range(count)]
    expected = [
        Expected(np.sort(tokens).astype(np.uint32), random.gamma(0.3, 20, len(tokens)), 500.0, 20) for tokens in used
    ]
    return vocabulary, UnigramTable.of(expected, len(vocabulary), draw(st.sampled_from([-6.0, -11.0, None])))


def costs_of(table: UnigramTable, row: int) -> dict[int, int]:
    mine = table.languages == row
    return dict(zip(table.tokens[mine].tolist(), table.costs[mine].tolist(), strict=True))


def unigram_vector(word: bytes, vocabulary: Vocabulary, table: UnigramTable) -> list[int]:
    numbers = numbered(vocabulary)
    rows = range(len(table.unseen))
    return [plain.viterbi(word, numbers, costs_of(table, row), int(table.unseen[row])) for row in rows]


# Letters of another script cut a word; digits and signs leave lone letters and make identifiers.
score_texts = st.lists(
    st.one_of(*[st.text("abcéж中  .1_@", max_size=20).map(str.encode)] * 5, runs_of("aé中")), min_size=1, max_size=4
)


def reference_context(pairs: Pairs, order: int) -> tuple[dict[Gram, int], dict[Gram, int]]:
    p, backoff = plain.kneser_ney(dict(pairs), order=order, discount=0.8, base=1e-5, prune=PRUNE)
    costs = {gram: int(quantise(np.log([value]), 254)[0]) for gram, value in p.items() if gram != (WORD_START,)}
    weights = {gram: int(quantise(np.log([value]), 255)[0]) for gram, value in backoff.items()}
    return costs, weights


def reference_cost(word: plain.Word, costs: dict[Gram, int], weights: dict[Gram, int], order: int, base: int) -> int:
    return plain.context_cost(
        word.text, costs, weights, order=order, base=base, cut_left=word.cut_left, cut_right=word.cut_right
    )


def estimated(languages: list[Pairs], order: int) -> ContextTable:
    return context.estimate([words_of(pairs) for pairs in languages], order=order, base=math.log(1e-5), prune=PRUNE)
