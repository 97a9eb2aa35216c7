"""The context model against the reference."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.strategies import (
    Pairs,
    bent,
    estimated,
    small_words,
    words_of,
)

from unilid import _kernel, plain
from unilid._kernel import WEIGHT_STEPS
from unilid.models.context import ContextTable, first_of, nodes_of
from unilid.plain.context import Gram


def costs_of_words(table: ContextTable, words: list[bytes]) -> npt.NDArray[np.float64]:
    return _kernel.Scorer([(table.kernel(), WEIGHT_STEPS)], len(table.root_backoff), 0, 1 << 16).costs(words, 1).all


@given(small_words, st.sampled_from([2, 3, 4, 5]), st.sampled_from([0.0, 0.01, 0.1, 0.7]), st.sampled_from([2, 3, 4]))
def test_kneser_ney_is_that_of_the_reference(pairs: Pairs, order: int, prune: float, shortest: int) -> None:
    [found] = _kernel.estimate_contexts([words_of(pairs)], order, 0.8, 1e-5, prune, shortest, 1)
    p, backoff = plain.kneser_ney(dict(pairs), order=order, discount=0.8, base=1e-5, prune=prune, prune_from=shortest)
    assert found.root_backoff == pytest.approx(math.log(backoff[()]), abs=1e-12)
    grams: list[list[Gram]] = []
    for k, level in enumerate(found.levels):
        before = grams[-1] if grams else [()]
        grams.append(
            [
                (*(before[parent] if k else ()), character)
                for parent, character in zip(level.parents.tolist(), level.characters.tolist(), strict=True)
            ]
        )
        for gram, value, weight in zip(grams[-1], level.log_p.tolist(), level.log_backoff.tolist(), strict=True):
            if gram != (_kernel.WORD_START,):
                assert value == pytest.approx(math.log(p[gram]), abs=1e-9)
            if k + 1 < order:
                assert weight == pytest.approx(math.log(backoff.get(gram, 1.0)), abs=1e-9)
    assert sum(map(len, grams)) == len(p)


def test_kneser_ney_probabilities_of_a_context_add_up_to_one() -> None:
    pairs = [(b" abc", 3.0), (b" abd", 1.0), (b"bca", 2.0), (b" cab", 5.0)]
    p, backoff = plain.kneser_ney(dict(pairs), order=3, discount=0.8, base=0.0)
    # With base 0 the mass that the first order leaves to unknown characters is lost; at the higher ones nothing is.
    known = 1 - backoff[()]
    for context_seen in {seen[:-1] for seen in p if len(seen) == 3}:
        mass = 0.0
        for character in {seen[0] for seen in p if len(seen) == 1} - {_kernel.WORD_START}:
            weight = 1.0
            gram: Gram = (*context_seen, character)
            while gram not in p:
                weight *= backoff.get(gram[:-1], 1.0)
                gram = gram[1:]
            mass += weight * p[gram]
        lost = (1 - known) * backoff[context_seen] * backoff.get(context_seen[1:], 1.0)
        assert mass == pytest.approx(1 - lost, abs=1e-9)


@given(st.lists(small_words, min_size=3, max_size=6), st.data())
@settings(max_examples=40)
def test_context_languages_come_and_go_without_touching_others(languages: list[Pairs], data: st.DataObject) -> None:
    order = 4
    whole = estimated(languages, order)
    cut = data.draw(st.integers(1, len(languages) - 1))
    grown = estimated(languages[:cut], order).append(estimated(languages[cut:], order))
    rows = data.draw(st.permutations(range(len(languages)))).copy()[:cut]
    picked = whole.select(rows)
    alone = estimated([languages[row] for row in rows], order)
    batch = [word for pairs in languages for word, _ in pairs] + [b"cab \xc3\xa9 xyz"]
    costs = costs_of_words(whole, batch)
    assert (costs_of_words(grown, batch) == costs).all()
    assert (costs_of_words(picked, batch) == costs[:, rows]).all()
    assert (costs_of_words(alone, batch) == costs[:, rows]).all()
    assert [level.size for level in picked.levels] == [level.size for level in alone.levels]


@given(st.lists(small_words, min_size=3, max_size=6), st.data())
@settings(max_examples=40)
def test_an_n_gram_that_hangs_on_nothing_costs_the_same_among_some_languages(
    languages: list[Pairs], data: st.DataObject
) -> None:
    whole = estimated(languages, 4)
    random = np.random.default_rng(data.draw(st.integers(0, 999)))
    levels = []
    for (
        level
    ) in whole.levels:  # entries are lost at random, and n-grams keep languages that their beginnings do not have
        kept = random.random(len(level.entries)) < 0.6
        first_entry = first_of(nodes_of(level.first_entry)[kept], level.size)
        levels.append(replace(level, first_entry=first_entry, entries=level.entries[kept]))
    table = replace(whole, levels=tuple(levels))
    rows = data.draw(st.permutations(range(len(languages)))).copy()[:2]
    batch = [word for pairs in languages for word, _ in pairs]
    assert (costs_of_words(table.select(rows), batch) == costs_of_words(table, batch)[:, rows]).all()


@given(st.data(), st.lists(small_words, min_size=1, max_size=4), st.sampled_from([2, 4]))
def test_a_table_of_any_shape_is_refused_or_scores(data: st.DataObject, languages: list[Pairs], order: int) -> None:
    table = estimated(languages, order)
    chosen = data.draw(st.integers(0, order))  # of the levels, or what they share
    levels = []
    try:
        for k, level in enumerate(table.levels):
            children = None if k + 1 == order else table.levels[k + 1].first_of_parent
            arrays: list[Any] = [level.characters, children, level.first_entry, level.entries.view(np.uint8)]
            if k == chosen:
                arrays = [None if array is None else data.draw(bent(array)) for array in arrays]
            levels.append(_kernel.ContextLevel(*arrays))
        shared: list[Any] = [table.code_points, table.root_backoff]
        if chosen == order:
            shared = [data.draw(bent(array)) for array in shared]
        kernel = _kernel.ContextModel(shared[0], levels, shared[1], table.base)
    except (ValueError, TypeError):  # a sentence, or nanobind's for an array of another type
        return
    rows = np.arange(len(shared[1]), dtype=np.uint16)
    scorer = _kernel.Scorer([(kernel, WEIGHT_STEPS)], len(rows), 0, 1 << 16)
    assert scorer.costs([b"ab cab \xff", b"x" * 300], 1).all.shape == (2, len(rows))
    assert kernel.characters(b" abc", cut_left=False, cut_right=True, rows=rows).costs.shape == (4, len(rows))
