"""The unigram model against the reference: fragments, EM, segmentation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.strategies import (
    Pairs,
    bent,
    costs_of,
    counts,
    longest_words,
    numbered,
    short_words,
    small_words,
    token_sets,
    unigram_tables,
    unigram_vector,
    vocabulary_of,
    words_of,
)

from unilid import _kernel, plain
from unilid._kernel import WEIGHT_STEPS
from unilid.corpus.counts import Words
from unilid.models import unigram
from unilid.models.costs import STEP
from unilid.models.unigram import UnigramTable
from unilid.models.vocabulary import Vocabulary

any_words = st.lists(
    st.tuples(
        st.one_of(
            st.tuples(st.sampled_from(["", " "]), st.text("abé1.ж\u0301中", min_size=1, max_size=7)).map(
                lambda parts: "".join(parts).encode()
            ),
            st.binary(min_size=1, max_size=4),
            longest_words,
        ),
        counts,
    ),
    min_size=1,
    max_size=12,
    unique_by=lambda pair: pair[0],
).filter(lambda pairs: all(word != b" " for word, _ in pairs))


@given(any_words, st.sampled_from([0.3, 1.0, 4.0]))
def test_fragments_of_words_are_those_of_the_reference(pairs: Pairs, share: float) -> None:
    found = dict(Words.of(_kernel.with_fragments(words_of(pairs), share)).pairs())
    assert found == pytest.approx(plain.with_fragments(dict(pairs), share))
    assert list(found) == sorted(found)


def test_a_lost_character_leaves_a_beginning_and_an_end_and_a_number_leaves_nothing() -> None:
    words = words_of([(" wört".encode(), 4.0), (b" 123", 2.0)])
    found = dict(Words.of(_kernel.with_fragments(words, 0.5)).pairs())
    beginnings, ends = [b" w", " wö".encode(), " wör".encode()], ["ört".encode(), b"rt", b"t"]
    assert found == {" wört".encode(): 4.0, b" 123": 2.0, **dict.fromkeys([*beginnings, *ends], 0.5)}


@given(small_words, token_sets, st.sampled_from([1, 2, 20]))
def test_expected_counts_are_those_of_the_reference(pairs: Pairs, tokens: list[bytes], rounds: int) -> None:
    vocabulary = vocabulary_of(tokens)
    [found] = _kernel.estimate(vocabulary.kernel, [words_of(pairs)], rounds, 1e-6, 1)
    expected, expected_done = plain.expectation(dict(pairs), numbered(vocabulary), rounds=rounds)
    assert found.rounds == expected_done
    assert found.total == pytest.approx(sum(expected.values()), rel=1e-9)
    kernel = dict(zip(found.tokens.tolist(), found.counts.tolist(), strict=True))
    assert set(kernel) == set(expected)
    for token, count in expected.items():
        assert kernel[token] == pytest.approx(count, rel=1e-6, abs=1e-9)


@given(short_words, token_sets, st.sampled_from([0.3, 2.0]))  # the longest have hundreds of fragments
@settings(max_examples=40)
def test_expected_counts_with_fragments_are_those_of_the_reference(
    pairs: Pairs, tokens: list[bytes], share: float
) -> None:
    vocabulary = vocabulary_of(tokens)
    [found] = unigram.expect(vocabulary, [words_of(pairs)], fragments=share)
    words = plain.with_fragments(dict(pairs), share)
    expected, rounds = plain.expectation(words, numbered(vocabulary), rounds=unigram.FRAGMENT_ROUNDS)
    assert found.rounds == rounds
    kernel = dict(zip(found.tokens.tolist(), found.counts.tolist(), strict=True))
    assert {token for token, count in kernel.items() if count > 1e-9} <= set(expected)
    for token, count in expected.items():
        assert kernel[token] == pytest.approx(count, rel=1e-6, abs=1e-9)


def test_expected_counts_of_long_words_do_not_underflow() -> None:
    vocabulary = vocabulary_of([b"ab", b"ba", b"aab"])
    word = b" " + b"aab" * 40
    [found] = _kernel.estimate(vocabulary.kernel, [words_of([(word, 3.0)])], 4, 0.0, 1)
    expected, _ = plain.expectation({word: 3.0}, numbered(vocabulary), rounds=4, tolerance=0)
    assert found.total == pytest.approx(sum(expected.values()), rel=1e-9)
    kernel = dict(zip(found.tokens.tolist(), found.counts.tolist(), strict=True))
    for token, count in expected.items():
        assert kernel[token] == pytest.approx(count, rel=1e-6, abs=1e-12)


def test_words_that_occur_very_often_have_finite_counts() -> None:
    """A count is not divided by a probability so small that the quotient is infinite."""
    vocabulary = vocabulary_of([b"yz"])
    pairs = [(bytes(range(ord("a"), ord("y"))), 1e130), (b"z", 1e140)]
    [found] = _kernel.estimate(vocabulary.kernel, [words_of(pairs)], 3, 0.0, 1)
    kernel = dict(zip(found.tokens.tolist(), found.counts.tolist(), strict=True))
    numbers = numbered(vocabulary)
    assert [kernel[numbers[token]] for token in (b"a", b"x", b"z")] == pytest.approx([1e130, 1e130, 1e140])


def test_tokens_that_die_leave_finite_counts() -> None:
    # Round after round the losing tokens come closer to zero, through the denormal numbers.
    vocabulary = vocabulary_of([b"ab", b"ba", b"aab", b"abab", b"baba", b"bb"])
    pairs = [(b"ab" * 20, 5.0), (b"ba" * 18 + b"b", 2.0), (b"aab" * 12, 1.0), (b"abb", 3.0)]
    smallest = math.inf
    for rounds in range(20, 2000, 20):
        [found] = _kernel.estimate(vocabulary.kernel, [words_of(pairs)], rounds, 0.0, 1)
        assert np.isfinite(found.counts).all()
        assert math.isfinite(found.total)
        smallest = min(smallest, found.counts[found.counts > 0].min())
    assert smallest < 1e-300


def test_em_never_lowers_the_likelihood_of_the_corpus() -> None:
    pairs = [(b" abab", 3.0), (b" abba", 2.0), (b" baba", 1.0), (b"aab", 4.0)]
    vocabulary = vocabulary_of([b"ab", b"ba", b" a", b"abb", b" ab"])
    numbers = numbered(vocabulary)

    def log_likelihood(rounds: int) -> float:
        counts, _ = plain.expectation(dict(pairs), numbers, rounds=rounds, tolerance=0)
        total = sum(counts.values())
        likelihood = 0.0
        for word, count in pairs:
            forward = [0.0] + [-math.inf] * len(word)
            for start, end, token in plain.edges(word, numbers):
                p = counts.get(token, 0) / total
                if p > 0:
                    forward[end] = plain.log_add(forward[end], forward[start] + math.log(p))
            likelihood += count * forward[-1]
        return likelihood

    values = [log_likelihood(rounds) for rounds in (1, 2, 4, 8, 16)]
    assert values == sorted(values)


@given(unigram_tables(), st.text("abcé ", min_size=1, max_size=14).map(str.encode))
@settings(max_examples=60)
def test_segmentation_has_the_best_cost_and_covers_the_word(made: tuple[Vocabulary, UnigramTable], word: bytes) -> None:
    vocabulary, table = made
    kernel = table.kernel(vocabulary)
    best = unigram_vector(word, vocabulary, table)
    for row in range(len(table.unseen)):
        pieces = kernel.segment(word, row)
        assert b"".join(vocabulary.tokens[piece.token] for piece in pieces) == word
        assert [word[piece.begin : piece.end] for piece in pieces] == [vocabulary.tokens[p.token] for p in pieces]
        assert [piece.begin for piece in pieces] == [0, *(piece.end for piece in pieces[:-1])]
        assert sum(piece.cost for piece in pieces) == best[row]


@given(unigram_tables(), st.text("abcé .", max_size=30).map(str.encode))
@settings(max_examples=40)
def test_marginal_costs_are_those_of_the_reference(made: tuple[Vocabulary, UnigramTable], text: bytes) -> None:
    vocabulary, table = made
    numbers = numbered(vocabulary)
    kernel = table.kernel(vocabulary).marginal([text], STEP, 1)[0]
    for row in range(len(table.unseen)):
        costs, unseen = costs_of(table, row), int(table.unseen[row])
        expected = sum(plain.marginal(word.text, numbers, costs, unseen, STEP) for word in plain.split_words(text))
        assert kernel[row] == pytest.approx(expected, rel=1e-9, abs=1e-9)


@given(st.data(), unigram_tables())
def test_a_table_of_any_shape_is_refused_or_scores(data: st.DataObject, made: tuple[Vocabulary, UnigramTable]) -> None:
    vocabulary, table = made
    arrays = [data.draw(bent(array)) for array in (table.offsets, table.languages, table.costs, table.unseen)]
    try:
        kernel = _kernel.UnigramModel(vocabulary.kernel, *arrays)
    except (ValueError, TypeError):  # a sentence, or nanobind's for an array of another type
        return
    count = len(arrays[-1])
    scorer = _kernel.Scorer([(kernel, WEIGHT_STEPS)], count, 0, 1 << 16)
    assert scorer.costs([b"ab cab \xff", b"x" * 300], 1).all.shape == (2, count)
    assert b"".join(vocabulary.tokens[piece.token] for piece in kernel.segment(b" abc", count - 1)) == b" abc"
