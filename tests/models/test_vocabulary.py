"""The vocabulary: finding its tokens in a text, and learning it."""

from __future__ import annotations

import random
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.strategies import (
    Pairs,
    numbered,
    small_words,
    token_sets,
    vocabulary_of,
    words_of,
)

from unilid import _kernel, plain
from unilid.corpus.counts import Words
from unilid.errors import VocabularyError
from unilid.models.vocabulary import Vocabulary


def prefixes(vocabulary: Vocabulary, text: bytes) -> list[tuple[int, int]]:
    return [(prefix.token, prefix.length) for prefix in vocabulary.kernel.prefixes(text)]


@given(token_sets, st.text("abcé ", max_size=12).map(str.encode))
def test_prefixes_are_all_tokens_that_start_a_text(tokens: list[bytes], text: bytes) -> None:
    vocabulary = vocabulary_of(tokens)
    expected = [(number, len(token)) for token, number in numbered(vocabulary).items() if text.startswith(token)]
    assert sorted(prefixes(vocabulary, text)) == sorted(expected)


@given(st.lists(st.binary(min_size=1, max_size=6), max_size=300), st.binary(max_size=10))
def test_prefixes_of_arbitrary_bytes(tokens: list[bytes], text: bytes) -> None:
    vocabulary = vocabulary_of(tokens)
    expected = {(number, len(token)) for token, number in numbered(vocabulary).items() if text.startswith(token)}
    assert set(prefixes(vocabulary, text)) == expected


def test_a_crowded_trie_finds_every_token_and_nothing_else() -> None:
    # Wide nodes and narrow ones, until the trie has grown several times.
    chance = random.Random(3)
    tokens = [bytes([a, b]) for a in range(200, 230) for b in range(256)]
    tokens += [chance.randbytes(chance.randint(2, 9)) for _ in range(4_000)]
    tokens += [bytes(chance.choices(b"ab", k=chance.randint(2, 40))) for _ in range(2_000)]
    vocabulary = vocabulary_of(tokens)
    number = numbered(vocabulary)
    for text in [*vocabulary.tokens, *(chance.randbytes(12) for _ in range(2_000))]:
        expected = [(number[text[:n]], n) for n in range(1, len(text) + 1) if text[:n] in number]
        assert prefixes(vocabulary, text) == expected


# ---- learning


def test_learned_vocabulary_has_the_size_asked_for_and_frequent_words_in_it() -> None:
    words = words_of([(b" the", 90.0), (b" then", 20.0), (b" cat", 50.0), (b" cats", 30.0), (b" quz", 1.0)])
    vocabulary = Vocabulary.learn([words], 262)
    assert len(vocabulary) == 262
    assert b" the" in vocabulary.tokens
    assert b" cat" in vocabulary.tokens


def test_learned_vocabulary_keeps_characters_whole() -> None:
    words = words_of([(" кот".encode(), 9.0), (" ток".encode(), 7.0), (b" aaaaaaa", 100.0)])
    vocabulary = Vocabulary.learn([words], 270)
    assert {"к".encode(), "о".encode(), "т".encode()} <= set(vocabulary.tokens)
    for token in vocabulary.tokens:
        assert len(token) == 1 or token.decode()


def test_learning_begins_with_no_more_tokens_than_have_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    words = words_of([(bytes([32, a, b]), 1.0) for a in range(97, 123) for b in range(97, 123)])
    begun: list[int] = []

    def learn(words: Words, **limits: Any) -> list[bytes]:
        begun.append(256 + (limits["size"] - 256) // 2 + limits["seeds"])
        return _kernel.learn_vocabulary(words, **limits)

    monkeypatch.setattr("unilid.models.vocabulary.MAX_TOKENS", 400)
    monkeypatch.setattr("unilid.models.vocabulary.MAX_LEARNED", 350)
    monkeypatch.setattr(
        "unilid.models.vocabulary._kernel", SimpleNamespace(**{**vars(_kernel), "learn_vocabulary": learn})
    )
    assert len(Vocabulary.learn([words], 300)) == 300
    assert len(Vocabulary.learn([words], 10**30)) <= 400
    assert max(begun) <= 400


def test_a_vocabulary_of_more_tokens_than_have_numbers_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unilid.models.vocabulary.MAX_TOKENS", 258)
    assert len(vocabulary_of([b"aa", b"ab"])) == 258
    with pytest.raises(VocabularyError, match="at most 258 tokens, not 259"):
        vocabulary_of([b"aa", b"ab", b"ac"])


def test_learned_vocabulary_weighs_languages_equally() -> None:
    large = words_of([(b" alpha", 1e6), (b" omega", 1e6), (b" sigma", 1e6)])
    small = words_of([(b" uno", 1.0), (b" due", 1.0)])
    tokens = Vocabulary.learn([large, small], 264).tokens
    assert b" uno" in tokens
    assert b" due" in tokens


@given(small_words)
@settings(max_examples=30)
def test_learning_does_not_depend_on_the_number_of_threads(pairs: Pairs) -> None:
    words = [words_of(pairs)]
    assert Vocabulary.learn(words, 266, threads=1).tokens == Vocabulary.learn(words, 266, threads=4).tokens


@given(
    st.dictionaries(
        st.text("abcdeéж中 ", min_size=1, max_size=8).map(str.encode), st.floats(0.5, 9), min_size=4, max_size=30
    ),
    st.integers(256, 290),
    st.sampled_from([12, 60, 400]),
)
@settings(max_examples=60)
def test_learned_tokens_are_those_of_the_reference(weights: dict[bytes, float], size: int, seeds: int) -> None:
    words = words_of(list(weights.items()))
    learned = _kernel.learn_vocabulary(
        words, size=size, max_characters=8, max_bytes=64, seeds=seeds, shrink=0.6, threads=3
    )
    assert learned == plain.learn(weights, size, seeds)
