"""Other spellings of words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.strategies import Pairs, counts, words_of

from unilid import _kernel, plain
from unilid.corpus.counts import Words

characters = "aé中" + "".join(
    map(chr, (0x643, 0x6A9, 0x6AC, 0x762, 0x64E, 0x650, 0x652, 0x653, 0x640, 0x628, 0x5D0, 0x5B8))
)
words = st.one_of(
    st.tuples(st.sampled_from(["", " "]), st.text(characters, min_size=1, max_size=8)).map(
        lambda parts: "".join(parts).encode()
    ),
    st.binary(min_size=1, max_size=6),
)
any_words = st.lists(st.tuples(words, counts), min_size=1, max_size=12, unique_by=lambda pair: pair[0])


@given(any_words, st.sampled_from([0.3, 1.0, 4.0]))
def test_they_are_those_of_the_reference(pairs: Pairs, share: float) -> None:
    found = dict(Words.of(_kernel.with_spellings(words_of(pairs), share)).pairs())
    assert found == pytest.approx(plain.with_spellings(dict(pairs), share))
    assert list(found) == sorted(found)


@pytest.mark.parametrize(
    ("word", "others"),
    [
        (" مُحَمَّد", [" محمد"]),
        (" كتاب", [" کتاب"]),
        ("کِتاب", ["كتاب", "كِتاب", "کتاب"]),
        (" שָׁלוֹם", [" שלום"]),
        (" ســلام", [" سلام"]),
        (" café", []),
        (" मुझे", []),
        (" ئێمە", []),
        (" \u064e", []),  # nothing would be left
    ],
)
def test_points_may_be_missing_and_kafs_are_exchanged(word: str, others: list[str]) -> None:
    found = Words.of(_kernel.with_spellings(words_of([(word.encode(), 10.0)]), 0.5)).pairs()
    assert dict(found) == {word.encode(): 10.0, **{other.encode(): 5.0 for other in others}}
