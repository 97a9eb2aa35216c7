"""The scorer against the reference: what word models make of texts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.models import small_model
from support.reference import text_vector
from support.strategies import (
    Pairs,
    estimated,
    reference_context,
    reference_cost,
    score_texts,
    small_words,
    unigram_tables,
    unigram_vector,
    vocabulary_of,
    words_of,
)

from unilid import _kernel, plain
from unilid._kernel import WEIGHT_STEPS
from unilid.decisions.decide import Decisions
from unilid.models import unigram
from unilid.models.costs import quantise
from unilid.models.unigram import UnigramTable
from unilid.models.vocabulary import Vocabulary


@given(unigram_tables(), score_texts, st.sampled_from([0, 8, 40]))
@settings(max_examples=60)
def test_unigram_costs_are_those_of_the_reference(
    made: tuple[Vocabulary, UnigramTable], batch: list[bytes], bound: int
) -> None:
    vocabulary, table = made
    scorer = _kernel.Scorer([(table.kernel(vocabulary), WEIGHT_STEPS)], len(table.unseen), bound, 1 << 16)
    expected = [
        text_vector(
            text,
            lambda word: unigram_vector(word.text, vocabulary, table),
            languages=len(table.unseen),
            bound=bound,
        )
        for text in batch
    ]
    assert scorer.costs(batch, 1).all.tolist() == expected
    assert scorer.costs(batch, 1).all.tolist() == expected  # from the cache


@given(
    st.lists(small_words, min_size=1, max_size=12), st.sampled_from([0, 140]), st.sampled_from([2, 4, 5]), score_texts
)
@settings(max_examples=80)
def test_context_costs_are_those_of_the_reference(
    languages: list[Pairs], fillers: int, order: int, batch: list[bytes]
) -> None:
    filler = [(b" ab", 1.0)]  # among many languages, n-grams that few of them saw have lists instead of rows
    table = estimated([*languages, *[filler] * fillers], order)
    scorer = _kernel.Scorer([(table.kernel(), WEIGHT_STEPS)], len(languages) + fillers, 0, 1 << 16)
    references = [reference_context(pairs, order) for pairs in [*languages, filler]]
    base = int(quantise(np.log([1e-5]), 255)[0])

    def vector(word: plain.Word) -> list[int]:
        *own, last = (reference_cost(word, *reference, order, base) for reference in references)
        return own + [last] * fillers

    expected = [text_vector(text, vector, languages=len(languages) + fillers, bound=0) for text in batch]
    assert scorer.costs(batch, 1).all.tolist() == expected
    assert scorer.costs(batch, 1).all.tolist() == expected  # from the cache


@given(st.lists(small_words, min_size=2, max_size=5), score_texts, st.sampled_from([0, 16]), st.integers(1, 15))
@settings(max_examples=40)
def test_a_words_vector_is_the_bounded_weighted_sum_over_word_models(
    languages: list[Pairs], batch: list[bytes], bound: int, weight: int
) -> None:
    vocabulary = vocabulary_of([b"ab", b" a", b"bc"])
    unigrams = UnigramTable.of(
        unigram.expect(vocabulary, [words_of(pairs) for pairs in languages]), len(vocabulary), -8.0
    )
    contexts = estimated(languages, 3)
    scorer = _kernel.Scorer(
        [(unigrams.kernel(vocabulary), weight), (contexts.kernel(), WEIGHT_STEPS - weight)],
        len(languages),
        bound,
        1 << 16,
    )
    references = [reference_context(pairs, 3) for pairs in languages]
    base = int(quantise(np.log([1e-5]), 255)[0])

    def vector(word: plain.Word) -> list[int]:
        by_context = [reference_cost(word, *reference, 3, base) for reference in references]
        return plain.weighted(
            [(unigram_vector(word.text, vocabulary, unigrams), weight), (by_context, WEIGHT_STEPS - weight)]
        )

    expected = [text_vector(text, vector, languages=len(languages), bound=bound) for text in batch]
    assert scorer.costs(batch, 1).all.tolist() == expected


def decision_of(languages: int) -> _kernel.Decision:
    return Decisions().kernel(np.zeros(languages), calibrated=False, rate=None)


@pytest.mark.parametrize("languages", [1, 4, 6, 100])
def test_a_decision_for_another_number_of_languages_is_refused(languages: int) -> None:
    scorer = small_model()._answerer.scorers.scorer
    assert len(small_model().languages) == 5
    with pytest.raises(ValueError, match="another number of languages"):
        scorer.decide(["snow"], decision_of(languages), 1, 1)
    entry = np.zeros(5, np.uint32)
    with pytest.raises(ValueError, match="another number of languages"):
        scorer.spans("snow", entry, decision_of(languages), 100, 40, 1, 5, 1)
    with pytest.raises(ValueError, match="another number of languages"):
        scorer.spans("snow", np.zeros(languages, np.uint32), decision_of(5), 100, 40, 1, 5, 1)


@pytest.mark.parametrize("k", [0, 6])
def test_more_or_fewer_best_languages_than_there_are_are_refused(k: int) -> None:
    scorer = small_model()._answerer.scorers.scorer
    with pytest.raises(ValueError, match="k must be 1 to the number of languages"):
        scorer.decide(["snow"], decision_of(5), k, 1)
    assert scorer.decide(["snow"], decision_of(5), 5, 1).rows.shape == (1, 5)


def test_parts_of_a_decision_for_different_numbers_of_languages_are_refused() -> None:
    temperature = _kernel.Temperature(scale=1.0, length=1.0, decay=1.0)
    five, four = np.zeros(5), np.zeros(4)
    reranks = [
        _kernel.Rerank(thresholds=four, replaces=np.zeros(5, np.uint8), distance=1.0, ranks=2),
        _kernel.Rerank(thresholds=five, replaces=np.zeros(4, np.uint8), distance=1.0, ranks=2),
    ]
    rejections = [
        _kernel.Rejection(usual=usual, spread=spread, shared=1.0, sampling=1.0, limit=1.0, least_probability=0.1)
        for usual, spread in ((four, five), (five, four))
    ]
    for rerank, rejection in [*((rerank, None) for rerank in reranks), *((None, own) for own in rejections)]:
        with pytest.raises(ValueError, match="differ in their number of languages"):
            _kernel.Decision(log_prior=five, step=1.0, temperature=temperature, rerank=rerank, rejection=rejection)
