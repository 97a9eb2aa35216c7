"""The words of an explanation are those of the reference implementation, and so are their costs."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from support.strategies import (
    estimated,
    reference_context,
    reference_cost,
    score_texts,
    small_words,
    unigram_vector,
    vocabulary_of,
    words_of,
)

from unilid import _kernel, plain
from unilid._kernel import WEIGHT_STEPS
from unilid.models import unigram
from unilid.models.costs import quantise
from unilid.models.unigram import UnigramTable


@given(st.lists(small_words, min_size=2, max_size=5), score_texts, st.sampled_from([0, 16]), st.integers(1, 15))
@settings(max_examples=40)
def test_explained_words_are_those_of_the_reference(
    languages: list[list[tuple[bytes, float]]], batch: list[bytes], bound: int, weight: int
) -> None:
    vocabulary = vocabulary_of([b"ab", b" a", b"bc"])
    unigrams = UnigramTable.of(
        unigram.expect(vocabulary, [words_of(pairs) for pairs in languages]), len(vocabulary), -8.0
    )
    contexts = estimated(languages, 3)
    references = [reference_context(pairs, 3) for pairs in languages]
    base = int(quantise(np.log([1e-5]), 255)[0])
    kernels = [(unigrams.kernel(vocabulary), weight), (contexts.kernel(), WEIGHT_STEPS - weight)]
    count = len(languages)
    rows = np.arange(count, dtype=np.uint16)[::-1].copy()  # in any order

    def scorer(models: list[Any], bound: int) -> _kernel.Scorer:
        return _kernel.Scorer(models, count, bound, 1 << 16)

    for text in batch:
        expected = plain.explained(
            text,
            [
                (lambda word: unigram_vector(word.text, vocabulary, unigrams), weight),
                (lambda word: [reference_cost(word, *one, 3, base) for one in references], WEIGHT_STEPS - weight),
            ],
            bound,
        )
        explained = scorer(kernels, bound).explain(text, rows)
        assert [
            (
                word.bytes,
                word.kind,
                _kernel.REASONS.get(word.noise),
                word.cut_left,
                word.cut_right,
                word.lone,
                word.counts,
            )
            for word in explained.words
        ] == [
            (
                one.word.text,
                one.word.kind,
                one.word.noise,
                one.word.cut_left,
                one.word.cut_right,
                one.word.lone,
                one.counts,
            )
            for one in expected
        ]
        assert [text[word.begin : word.end] for word in explained.words] == [
            one.word.text.removeprefix(b" ") for one in expected
        ]  # no capitals among these
        assert explained.costs[:, ::-1].tolist() == [one.bounded for one in expected]
        assert [word.best_cost for word in explained.words] == [min(one.bounded) for one in expected]
        assert [word.best for word in explained.words] == [one.bounded.index(min(one.bounded)) for one in expected]
        unbounded = scorer(kernels, 0).explain(text, rows).costs
        assert unbounded[:, ::-1].tolist() == [one.weighted for one in expected]
        for number, (kernel, _) in enumerate(kernels):
            alone = scorer([(kernel, WEIGHT_STEPS)], 0).explain(text, rows).costs
            assert alone[:, ::-1].tolist() == [one.models[number] for one in expected]
        for one in expected:
            word = one.word
            characters = contexts.kernel().characters(word.text, word.cut_left, word.cut_right, rows[::-1].copy())
            sizes = [len(encoded) for _, encoded in plain.characters(word.text)]
            assert characters.sizes.tolist() == sizes + [0] * (not word.cut_right)
            for row, (cost, backoff) in enumerate(references):
                each = plain.character_costs(
                    word.text,
                    cost,
                    backoff,
                    order=3,
                    base=base,
                    cut_left=word.cut_left,
                    cut_right=word.cut_right,
                )
                assert characters.costs[:, row].tolist() == each
