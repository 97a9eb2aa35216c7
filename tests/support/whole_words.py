"""Lexicons and scripts: made up, and those of a small model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import numpy as np
from hypothesis import strategies as st

from support.corpora import CORPUS
from support.models import small_model
from unilid import _kernel, plain
from unilid.corpus.counts import Counter, Words
from unilid.corpus.formats import Batch
from unilid.model import Model
from unilid.models import lexicon, unigram
from unilid.models.lexicon import LexiconTable
from unilid.models.parameters import Parameters

Gains = dict[int, dict[int, int]]
"""The gains of words under languages, by the keys of words."""

# Letters of several scripts, capitals among them, common ones, marks, apostrophes, digits and what makes noise.
LETTERS = "abABéÉжЖδ中ʻ\u0301"
several_scripts = st.lists(
    st.one_of(
        st.text(LETTERS + LETTERS + "'’.1_@  ", max_size=20),
        st.lists(st.sampled_from(["ab", "Ab", "AB", "жж", "ЖЖ", "δ", "中", "a'b", "ab’é", "12", "!", "a" * 130])).map(
            " ".join
        ),
    ).map(str.encode),
    min_size=1,
    max_size=4,
)
script_numbers = st.sampled_from([_kernel.SCRIPTS[name] for name in ("Latn", "Cyrl", "Grek")])  # nobody writes Han


@st.composite
def gains(draw: st.DrawFn, languages: int) -> Gains:
    """Gains of words that texts have, under the keys of the reference."""
    words = draw(st.lists(st.text(LETTERS.lower()[:-1], min_size=1, max_size=3), max_size=12))
    words += ["ab", "жж", "δ", "a"]
    own = st.dictionaries(st.integers(0, languages - 1), st.integers(1, 255), max_size=languages)
    keys = {plain.word_key(plain.split_words(word.encode())[0]) for word in words} - {_kernel.NO_KEY}
    return {key: draw(own) for key in sorted(keys)}


def written(languages: int) -> st.SearchStrategy[list[set[int]]]:
    """The scripts of languages; in a third of the examples nothing is known of them."""
    known = st.lists(st.sets(script_numbers, min_size=1), min_size=languages, max_size=languages)
    return st.one_of(st.just([set[int]()] * languages), known, known)


def pairs_of(written: Sequence[set[int]]) -> list[tuple[int, int]]:
    return [(row, script) for row, own in enumerate(written) for script in sorted(own)]


def table_of(gains: Gains, languages: int) -> LexiconTable:
    entries = [(key, row, gain) for key, own in sorted(gains.items()) for row, gain in sorted(own.items())]
    keys, rows, amounts = zip(*entries, strict=True) if entries else ((), (), ())
    return lexicon._table(np.array(keys, np.uint64), np.array(rows, int), np.array(amounts, np.uint8), languages)


def gains_of(table: LexiconTable) -> Gains:
    found: Gains = {}
    bounds = zip(table.keys.tolist(), table.first_entry[:-1].tolist(), table.first_entry[1:].tolist(), strict=True)
    for key, first, end in bounds:
        entries = table.entries[first:end]
        found[key] = dict(zip(entries["language"].tolist(), entries["cost"].tolist(), strict=True))
    return found


def words_of_corpus(labels: tuple[str, ...]) -> tuple[Words, ...]:
    counter = Counter()
    for label in labels:
        counter.add(Batch([label] * len(CORPUS[label]), [line.encode() for line in CORPUS[label]]))
    return counter.corpus().words


@cache
def whole_word_model() -> Model:
    """The small model with a lexicon, with scripts, and without signs."""
    model = small_model()
    words = words_of_corpus(model.languages)
    settings = replace(model.settings, signs=False, scripts=True, lexicon_size=30)
    expected = unigram.expect(model.vocabulary, words, fragments=settings.fragments)
    context, lines = model.parameters.context, model.parameters.lines
    parameters = Parameters.of(model.languages, model.vocabulary, expected, context, settings, lines, words)
    return replace(model, parameters=parameters)
