"""Spans are those of the reference implementation."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from support.corpora import CORPUS
from support.models import small_model
from support.strategies import texts, unigram_tables, unigram_vector

from unilid import _kernel, plain
from unilid._kernel import NO_ENTRY, WEIGHT_STEPS
from unilid.decisions.prior import Prior
from unilid.models.costs import STEP
from unilid.models.unigram import UnigramTable
from unilid.models.vocabulary import Vocabulary
from unilid.spans.spans import SHORT, entry_costs


class Reference:
    """Spans in plain Python, over the words' vectors of a made-up model."""

    def __init__(self, vocabulary: Vocabulary, table: UnigramTable, bound: int) -> None:
        self.languages = len(table.unseen)
        self.scorer = _kernel.Scorer([(table.kernel(vocabulary), WEIGHT_STEPS)], self.languages, bound, 1 << 16)
        self._vocabulary, self._table, self._bound = vocabulary, table, bound

    def _vector(self, word: plain.Word) -> list[int]:
        return plain.word_vector(word, unigram_vector(word.text, self._vocabulary, self._table), self._bound)

    def spans(
        self, text: bytes, entry: Sequence[int], *, change: int, short: int, least: int, most: int, apart: int
    ) -> list[tuple[int, int, int]]:
        voters = [word for word in plain.split_words(text) if plain.votes(word)]
        vectors = [self._vector(word) for word in voters]
        letters = [word.letters for word in voters]
        path = plain.span_path(vectors, entry, change, short)
        kept = plain.most_spoken(path, letters, most)
        if kept < set(path):
            entry = [own if row in kept else NO_ENTRY for row, own in enumerate(entry)]
            path = plain.span_path(vectors, entry, change, short)
        path = plain.without_short(path, letters, least)
        starts = plain.span_starts(text, path, apart)
        ends = [*(start for start, _ in starts[1:]), len(text)][: len(starts)]
        return [
            (start, -1 if row is None else row, sum(word.letters for word in voters if start <= word.begin < end))
            for (start, row), end in zip(starts, ends, strict=True)
        ]


mixed = st.one_of(texts, st.text("abcéж中  .1_@-/\n", max_size=60).map(str.encode))


@given(
    unigram_tables(),
    mixed,
    st.sampled_from([0, 8]),
    st.sampled_from([0, 3, 20, 100]),
    st.sampled_from([1, 3, 99]),
    st.sampled_from([1, 3, 8]),
    st.sampled_from([1, 2, 99]),
    st.sampled_from([1, 3, 8]),
    st.integers(0, 99),
)
@settings(deadline=None, max_examples=60)
def test_spans_are_those_of_the_reference(
    made: tuple[Vocabulary, UnigramTable],
    text: bytes,
    bound: int,
    change: int,
    short: int,
    least: int,
    most: int,
    apart: int,
    seed: int,
) -> None:
    reference = Reference(*made, bound)
    random = np.random.default_rng(seed)
    entry = random.choice([0, 0, 5, 40, NO_ENTRY], reference.languages).astype(np.uint32)
    entry[random.integers(reference.languages)] = 0
    decision = _kernel.Decision(-STEP * entry.astype(np.float64), STEP, _kernel.Temperature(1.0, 10.0, 0.5))
    most = min(most, reference.languages)
    spans = reference.scorer.spans(text, entry, decision, change, short, least, most, apart)
    found = list(zip(spans.begins.tolist(), spans.rows.tolist(), spans.letters.tolist(), strict=True))
    assert found == reference.spans(
        text, entry.tolist(), change=change, short=short, least=least, most=most, apart=apart
    )


# Long and short stretches by turns.
parts_of_text = st.lists(
    st.tuples(st.permutations(sorted(CORPUS)), st.integers(0, 99), st.integers(5, 30), st.integers(0, 3)),
    min_size=1,
    max_size=3,
)


@given(parts_of_text, st.integers(0, 120), st.booleans())
@settings(deadline=None, max_examples=200)
def test_spans_are_the_references_way_through_the_words(
    parts: list[tuple[list[str], int, int, int]], eighths: int, uniform: bool
) -> None:
    model = small_model()
    words: list[str] = []
    for labels, start, long, short in parts:
        for label, count in zip(labels, (long, short), strict=False):
            words += (" ".join(CORPUS[label]).split() * 9)[start : start + count]
    words = ["".join(filter(str.isalpha, word)) or "a" for word in words]
    prior: Prior = None if uniform else {sorted(CORPUS)[0]: 0.9}
    vectors = np.rint(-model.scores(words) / STEP).astype(int).tolist()
    path = plain.span_path(vectors, entry_costs(model._answerer.log_prior(None, prior)).tolist(), eighths, SHORT)
    found = model.spans(" ".join(words), switch=eighths * STEP, prior=prior)
    starts = np.cumsum([0, *(len(word) + 1 for word in words)]).tolist()
    by_word = [next(span.label for span in found if start < span.end) for start in starts[:-1]]
    assert by_word == [model.languages[row] for row in path]
