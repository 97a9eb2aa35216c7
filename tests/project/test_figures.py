"""The figures of the documentation show what they say."""

from __future__ import annotations

import importlib
import re
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import unilid
from unilid.model import Model

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def figures() -> Any:
    sys.path.insert(0, str(DOCS))
    return importlib.import_module("figures")


@pytest.fixture(scope="module")
def small(figures: Any) -> Model:
    return unilid.train(figures.SMALL, vocabulary=figures.TOKENS, context=None, threads=1)


def cheapest_path(tokens: list[tuple[int, int, float]], length: int) -> tuple[float, list[int]]:
    """The cost of the cheapest way through a word and the ends of its tokens, by relaxing arcs from left to right."""
    best: list[tuple[float, list[int]]] = [(0.0, [0])] + [(float("inf"), [])] * length
    for begin, end, cost in sorted(tokens):
        best[end] = min(best[end], (best[begin][0] + cost, [*best[begin][1], end]))
    return best[length]


@pytest.mark.parametrize(
    ("word", "language"),
    [
        ("machen", "deu_Latn"),  # begins with ` m`, and `m` is a token, too
        ("möchtest", "deu_Latn"),
        ("gehen", "deu_Latn"),
        ("the", "eng_Latn"),
        ("weather", "eng_Latn"),
        ("is", "eng_Latn"),
    ],
)
def test_the_coloured_path_of_the_lattice_is_the_best_one(figures: Any, small: Model, word: str, language: str) -> None:
    text = f" {word}".encode()
    cost, ends = cheapest_path([*figures.tokens_of(small, text, language)], len(text))
    chosen = figures.best_path(small, word, language)
    assert cost == -sum(segment.score for segment in small.segment(word, language))
    assert sorted(chosen) == [*pairwise(ends)]


def test_the_figure_colours_one_way_from_end_to_end(figures: Any, small: Model) -> None:
    """As it is drawn: arcs in the colour of the best path join, and are as many as its tokens."""
    drawn = (DOCS / "figures/lattice.svg").read_text(encoding="utf-8")
    arc = rf'<path d="M(\S+) \S+ Q\S+ \S+ (\S+) \S+" fill="none" stroke="{figures.COLOURS[0]}"'
    arcs = sorted((float(left), float(right)) for left, right in re.findall(arc, drawn))
    assert len(arcs) == len(small.segment(figures.WORD, figures.LANGUAGE))
    assert arcs[0][0] == figures.MARGIN
    assert arcs[-1][1] == figures.MARGIN + figures.STEP_WIDTH * len(f" {figures.WORD}")
    assert all(before[1] == after[0] for before, after in pairwise(arcs))
