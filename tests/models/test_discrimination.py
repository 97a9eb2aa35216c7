"""Discriminative training of the context model against the reference."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.strategies import NO_COUNTS, Pairs, bent, estimated, small_words, texts

from unilid import _kernel, plain
from unilid.models.context import ContextTable
from unilid.plain.context import Gram

ORDER = 3
languages_of_two = st.lists(small_words, min_size=3, max_size=3)


def entries_of(table: ContextTable) -> list[tuple[int, Gram, int]]:
    """Return the language, the n-gram and the cost of every entry, in the order of their numbers."""
    entries: list[tuple[int, Gram, int]] = []
    grams: list[Gram] = [()]
    for level in table.levels:
        grams = [
            (*grams[parent], int(table.code_points[character]))
            for parent, character in zip(level.parents.tolist(), level.characters.tolist(), strict=True)
        ]
        nodes = np.repeat(np.arange(level.size), np.diff(level.first_entry)).tolist()
        entries += [
            (language, grams[node], cost)
            for node, language, cost in zip(nodes, level.languages.tolist(), level.costs.tolist(), strict=True)
        ]
    return entries


def seen_by(table: ContextTable, language: int) -> set[Gram]:
    return {gram for own, gram, _ in entries_of(table) if own == language}


def features_of(
    seen: ContextTable, learned: ContextTable, lines: list[bytes], candidates: list[list[int]], signs: bool
) -> _kernel.Features:
    ends = np.cumsum([0, *map(len, candidates)]).astype(np.uint64)
    rows = np.array([row for own in candidates for row in own], np.uint16)
    return _kernel.context_features(seen.kernel(), learned.kernel(), lines, ends, rows, signs, 2)


@given(languages_of_two, languages_of_two, st.lists(texts, max_size=4), st.booleans())
@settings(max_examples=60)
def test_features_are_those_of_the_reference(
    some: list[Pairs], others: list[Pairs], lines: list[bytes], signs: bool
) -> None:
    learned = estimated([a + b for a, b in zip(some, others, strict=True)], ORDER)
    seen = estimated(some, ORDER)
    candidates = [[0, 2] if place % 2 else [0, 1, 2] for place in range(len(lines))]
    found = features_of(seen, learned, lines, candidates, signs)
    entries = entries_of(learned)
    first = 0
    expected_ends = found.ends.tolist()
    for line, own in zip(lines, candidates, strict=True):
        grams = plain.ngrams(line, ORDER, signs=signs)
        for language in own:
            end = expected_ends.pop(0)
            numbers = found.entries[first:end].tolist()
            assert all(entries[number][0] == language for number in numbers)
            kernel = dict(
                zip([entries[number][1] for number in numbers], found.counts[first:end].tolist(), strict=True)
            )
            assert kernel == plain.features(grams, seen_by(seen, language), seen_by(learned, language))
            first = end
    assert not expected_ends


@given(languages_of_two, st.lists(texts, min_size=1, max_size=5), st.integers(0, 99), st.sampled_from([0.02, 0.5]))
@settings(max_examples=40)
def test_corrections_and_the_costs_they_make_are_those_of_the_reference(
    languages: list[Pairs], lines: list[bytes], seed: int, rate: float
) -> None:
    random = np.random.default_rng(seed)
    table = estimated(languages, ORDER)
    candidates = [sorted(random.choice(3, size=random.integers(1, 4), replace=False).tolist()) for _ in lines]
    found = features_of(table, table, lines, candidates, True)
    ends = np.cumsum([len(own) for own in candidates]).astype(np.uint64)
    right = np.array([int(end) - len(own) for end, own in zip(ends, candidates, strict=True)], np.uint64)
    exponents, scores = random.uniform(0.1, 1.0, len(lines)), random.normal(0, 5, int(ends[-1]))
    learned = _kernel.learn_corrections(
        table.kernel(), ends, right, exponents, scores, found.ends, found.entries, found.counts, rate, 3
    )
    entries = entries_of(table)
    lessons = []
    for place, own in enumerate(candidates):
        first = int(right[place])
        spans = [(int(found.ends[c - 1]) if c else 0, int(found.ends[c])) for c in range(first, first + len(own))]
        features = [
            {
                entries[number][1]: int(count)
                for number, count in zip(found.entries[a:b], found.counts[a:b], strict=True)
            }
            for a, b in spans
        ]
        lessons.append(plain.Lesson(own, scores[first : first + len(own)].tolist(), features, 0, exponents[place]))
    corrections = plain.learn_corrections(lessons, rate=rate, rounds=3)
    for (language, gram, _), value in zip(entries, learned.tolist(), strict=True):
        assert value == pytest.approx(corrections.get((language, gram), 0.0), rel=1e-4, abs=1e-6)
    exact = {(language, gram): value for (language, gram, _), value in zip(entries, learned.tolist(), strict=True)}
    costs = _kernel.corrected_costs(table.kernel(), table.kernel(), learned, 8.0)
    assert costs.tolist() == [
        plain.corrected_cost(language, gram, cost, exact, steps=8.0) for language, gram, cost in entries
    ]


@given(languages_of_two, st.integers(0, 99))
@settings(max_examples=20)
def test_a_table_is_corrected_by_what_was_learned_of_another(languages: list[Pairs], seed: int) -> None:
    learned, table = estimated(languages, ORDER), estimated([pairs[::2] or pairs for pairs in languages], ORDER)
    corrections = np.random.default_rng(seed).normal(0, 1, len(entries_of(learned))).astype(np.float32)
    corrections[0] = 3.0
    known = {
        (language, gram): float(c) for (language, gram, _), c in zip(entries_of(learned), corrections, strict=True)
    }
    found = entries_of(table.corrected(learned, corrections, share=0.5))
    assert found == [
        (language, gram, plain.corrected_cost(language, gram, cost, known, steps=16.0))
        for language, gram, cost in entries_of(table)
    ]


@given(st.data(), languages_of_two)
@settings(max_examples=60)
def test_lessons_of_any_shape_are_refused_or_learned_from(data: st.DataObject, languages: list[Pairs]) -> None:
    table = estimated(languages, ORDER)
    found = features_of(table, table, [b"ab cab", b"abc"], [[0, 1], [1, 2]], True)
    arrays: list[Any] = [
        np.array([2, 4], np.uint64), np.array([0, 3], np.uint64), np.ones(2), np.zeros(4),
        found.ends, found.entries, found.counts,
    ]  # fmt: skip
    bent_one = data.draw(st.integers(0, len(arrays) - 1))
    numbers = st.lists(st.sampled_from(NO_COUNTS), max_size=5).map(np.array)
    arrays[bent_one] = data.draw(numbers if bent_one in (2, 3) else bent(arrays[bent_one]))
    arguments: list[Any] = [table.kernel(), *arrays, 0.1, 2]
    try:
        learned = _kernel.learn_corrections(*arguments)
    except (ValueError, TypeError):
        return
    assert len(learned) == len(entries_of(table))
    assert np.isfinite(learned).all()


def test_what_does_not_belong_together_is_refused_with_a_sentence() -> None:
    table = estimated([[(b" ab", 3.0)], [(b" ba", 2.0)]], ORDER)
    other, ends = estimated([[(b" ab", 3.0)]], ORDER), np.array([0, 1], np.uint64)
    with pytest.raises(ValueError, match="a language of both models"):
        _kernel.context_features(other.kernel(), table.kernel(), [b"ab"], ends, np.array([1], np.uint16), True, 1)
    with pytest.raises(ValueError, match="differ in their languages"):
        _kernel.corrected_costs(other.kernel(), table.kernel(), np.zeros(9, np.float32), 8.0)
    with pytest.raises(ValueError, match="every entry has a correction"):
        _kernel.corrected_costs(table.kernel(), table.kernel(), np.zeros(2, np.float32), 8.0)
    count = len(entries_of(table))
    with pytest.raises(ValueError, match="corrections are numbers"):
        _kernel.corrected_costs(table.kernel(), table.kernel(), np.full(count, np.nan, np.float32), 8.0)
