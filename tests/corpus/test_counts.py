"""A corpus as the counts of its words."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.strategies import (
    Pairs,
    any_words,
    small_words,
    texts,
    vocabulary_of,
    words_of,
)

from unilid import _kernel, plain
from unilid._kernel import MAX_WORD_BYTES
from unilid.corpus.counts import Words


@given(st.lists(texts, max_size=5))
def test_counted_words_are_those_of_the_reference(batch: list[bytes]) -> None:
    counter = _kernel.Counter()
    counter.add(np.zeros(len(batch), np.int32), batch)
    expected: dict[bytes, float] = {}
    for text in batch:
        for word in plain.split_words(text):
            if word.noise is None:
                expected[word.text] = expected.get(word.text, 0) + 1
    assert Words.of(counter.tables([0])[0]).pairs() == sorted(expected.items())


@given(texts, texts)
def test_what_is_subtracted_is_gone(first: bytes, second: bytes) -> None:
    counter = _kernel.Counter()
    counter.add(np.array([0, 0, 1], np.int32), [first, second, second], np.array([1.0, 3.0, 3.0]))
    both, other = (Words.of(table) for table in counter.tables([0, 1]))
    alone = _kernel.Counter()
    alone.add(np.zeros(1, np.int32), [first])
    assert Words.of(_kernel.subtract_words(both, other)).pairs() == Words.of(alone.take(0)).pairs()
    counter.add(np.array([0], np.int32), [second], np.array([-3.0]))
    assert Words.of(counter.take(0)).pairs() == Words.of(_kernel.subtract_words(both, other)).pairs()
    assert counter.sizes().tolist()[0] == 0


@example(batch=[b"", b"\1", b"\2\0"], seed=0)
@given(st.lists(texts, max_size=5), st.integers(0, 2**64 - 1))
def test_the_hash_of_a_text_depends_on_its_bytes_and_the_seed_alone(batch: list[bytes], seed: int) -> None:
    hashes = _kernel.hash_texts(batch, seed).tolist()
    assert all(0 <= number < 2**63 for number in hashes)
    assert [_kernel.hash_texts([text], seed).tolist()[0] for text in batch] == hashes
    assert len(set(hashes)) == len(set(batch))


@given(st.lists(small_words, max_size=4), st.integers(1, 30))
def test_merged_words_are_the_most_common_of_all(languages: list[Pairs], most: int) -> None:
    merged = _kernel.merge_words([words_of(pairs) for pairs in languages], most)
    sums: dict[bytes, float] = {}
    for pairs in languages:
        for word, count in pairs:
            sums[word] = sums.get(word, 0.0) + count
    assert merged.distinct == len(sums)
    assert Words.of(merged.words).pairs() == sorted(sorted(sums.items(), key=lambda pair: (-pair[1], pair[0]))[:most])


# ---- words that are inconsistent


def words(blob: bytes, offsets: list[int], counts: list[float]) -> Words:
    return Words(blob, np.array(offsets, np.int64), np.array(counts, np.float64))


LONG = b" " + b"a" * MAX_WORD_BYTES  # as long as words get, with their space
GOOD = words(b" a" + LONG, [0, 2, 2 + len(LONG)], [2.0, 0.5])
INCONSISTENT: dict[str, tuple[Words, str]] = {
    "no offsets": (words(b"", [], []), "one offset more than counts"),
    "an offset too few": (words(b"ab", [0, 2], [1.0, 1.0]), "one offset more than counts"),
    "an offset too many": (words(b"ab", [0, 1, 2], [1.0]), "one offset more than counts"),
    "not from 0": (words(b"abc", [1, 2, 3], [1.0, 1.0]), "from 0 to the size of their bytes"),
    "from below 0": (words(b"abc", [-1, 2, 3], [1.0, 1.0]), "from 0 to the size of their bytes"),
    "end before the bytes do": (words(b"abc", [0, 1, 2], [1.0, 1.0]), "from 0 to the size of their bytes"),
    "end beyond the bytes": (words(b"abc", [0, 1, 4], [1.0, 1.0]), "from 0 to the size of their bytes"),
    "descend": (words(b"abc", [0, 2, 1, 3], [1.0, 1.0, 1.0]), "ascending from 0"),
    "beyond the bytes and back": (words(b"abc", [0, 2**62, 3], [1.0, 1.0]), "ascending from 0|longer than"),
    "below 0 and back": (words(b"abc", [0, -(2**62), 3], [1.0, 1.0]), "ascending from 0|longer than"),
    "too long": (words(LONG + b"a", [0, len(LONG) + 1], [1.0]), "no word may be longer than MAX_WORD_BYTES"),
    "negative count": (words(b"ab", [0, 1, 2], [1.0, -0.5]), "non-negative numbers"),
    "no number": (words(b"ab", [0, 1, 2], [math.nan, 1.0]), "non-negative numbers"),
    "too large a count": (words(b"ab", [0, 1, 2], [1e151, 1.0]), "more than 1e150"),
    "infinite count": (words(b"ab", [0, 1, 2], [math.inf, 1.0]), "non-negative numbers"),
}
LIMITS: dict[str, Any] = {"size": 260, "max_characters": 8, "max_bytes": 64, "seeds": 40, "shrink": 0.6, "threads": 1}
ENTRIES: dict[str, Callable[[Words], object]] = {
    "with_fragments": lambda own: _kernel.with_fragments(own, 0.3),
    "with_spellings": lambda own: _kernel.with_spellings(own, 0.3),
    "subtract_words": lambda own: _kernel.subtract_words(own, GOOD),
    "merge_words": lambda own: _kernel.merge_words([GOOD, own], 10),
    "learn_vocabulary": lambda own: _kernel.learn_vocabulary(own, **LIMITS),
    "estimate": lambda own: _kernel.estimate(vocabulary_of([]).kernel, [GOOD, own], 2, 1e-6, 1),
    "estimate_contexts": lambda own: _kernel.estimate_contexts([GOOD, own], 3, 0.8, 1e-5, 0.0, 3, 1),
}


@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize("case", INCONSISTENT)
def test_words_that_are_inconsistent_are_refused(entry: str, case: str) -> None:
    wrong, message = INCONSISTENT[case]
    with pytest.raises(ValueError, match=message):
        ENTRIES[entry](wrong)


def are_consistent(own: Words) -> bool:
    offsets, counts = own.offsets.tolist(), own.counts.tolist()
    sizes = [end - begin for begin, end in pairwise(offsets)]
    return (
        len(offsets) == len(counts) + 1
        and (offsets[0], offsets[-1]) == (0, len(own.blob))
        and all(0 <= size <= len(LONG) for size in sizes)
        and all(0 <= count < math.inf for count in counts)
        and sum(counts) <= 1e150
    )


@pytest.mark.parametrize("entry", ENTRIES)
@given(own=any_words)
def test_words_of_any_shape_are_taken_or_refused(entry: str, own: Words) -> None:
    if are_consistent(own):
        ENTRIES[entry](own)
    else:
        with pytest.raises(ValueError, match=r"words|counts"):
            ENTRIES[entry](own)


@pytest.mark.parametrize("entry", ENTRIES)
def test_words_as_long_as_words_get_are_taken(entry: str) -> None:
    assert ENTRIES[entry](GOOD)


@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize("wrong", [b"words", (b"a", [0, 1], [1.0])], ids=repr)
def test_what_is_no_words_is_refused(entry: str, wrong: Any) -> None:
    with pytest.raises(AttributeError, match="blob"):
        ENTRIES[entry](wrong)
