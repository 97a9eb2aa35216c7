"""The context model: which characters follow which inside a word, for every language.

Per language, interpolated Kneser-Ney over the characters of its words (the formula stands in ``cpp/context.h``); over
all languages, one trie of n-grams with a level for each order. An n-gram is a node, and the languages that saw it are
its entries: the cost of its last character, and the cost of backing off from it as a context.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from unilid import _kernel
from unilid.costs import quantise
from unilid.counts import Words
from unilid.errors import UnilidError
from unilid.modelfile import Arrays
from unilid.packing import Checked, narrow, pack_sizes

Bytes: TypeAlias = npt.NDArray[np.uint8]
Shorts: TypeAlias = npt.NDArray[np.uint16]
Ints: TypeAlias = npt.NDArray[np.uint32]

ORDERS = (2, 3, 4, 5, 6)
DISCOUNT = 0.8
BASE = math.log(1e-4)
"""Log-probability of a character that nobody knows."""
PRUNE = 0.005
"""Saves a third of the entries for .001 of accuracy on validation lines (``benchmarks/context_size.py``)."""
PRUNE_FROM = 3
"""The shortest n-grams that may be dropped; 2 where room is scarce and characters are many."""
MAX_COST = 254
"""In the kernel's rows over all languages 255 says that a language has no entry."""
MAX_CHARACTERS = 65_535
WORD_END = 0x110101
"""The largest number of a character; see ``cpp/context.h``."""


@dataclass(frozen=True, slots=True)
class Level:
    """The n-grams of one order, sorted by parent and last character, with their entries."""

    parents: Ints  # nodes of the level before; of the first level, 0
    characters: Shorts  # last character, an index into the first level
    first_entry: Ints  # one more than nodes
    languages: Shorts  # ascending within a node
    costs: Bytes
    backoffs: Bytes  # empty at the last level

    @property
    def size(self) -> int:
        """The number of n-grams."""
        return len(self.characters)


@dataclass(frozen=True, slots=True)
class ContextTable:
    """The n-grams of all languages; everything in whole steps."""

    code_points: Ints  # the characters, in the order of the first level
    levels: tuple[Level, ...]
    root_backoff: Bytes  # per language
    base: int

    @property
    def order(self) -> int:
        """The length of the longest n-grams."""
        return len(self.levels)

    def kernel(self) -> _kernel.ContextModel:
        """Return the kernel's model of these arrays."""
        levels = []
        for k, level in enumerate(self.levels):
            last = k + 1 == self.order
            children = None if last else first_of(self.levels[k + 1].parents, level.size)
            backoffs = None if last else level.backoffs
            levels.append((level.characters, children, level.first_entry, level.languages, level.costs, backoffs))
        return _kernel.ContextModel(self.code_points, levels, self.root_backoff, self.base)

    def pack(self) -> Arrays:
        """Return the arrays of a file."""
        arrays: Arrays = {"context.code_points": self.code_points, "context.root_backoff": self.root_backoff}
        for k, level in enumerate(self.levels):
            name = f"context.{k + 1}"
            if k > 0:
                arrays[f"{name}.characters"] = level.characters
                siblings = np.bincount(level.parents, minlength=self.levels[k - 1].size)
                arrays |= pack_sizes(f"{name}.siblings", siblings)
            arrays |= pack_sizes(f"{name}.sizes", np.diff(level.first_entry))
            arrays[f"{name}.languages"] = narrow(level.languages)
            arrays[f"{name}.costs"] = level.costs
            if k + 1 < self.order:
                arrays[f"{name}.backoffs"] = level.backoffs
        return arrays

    @staticmethod
    def unpack(file: Checked, *, order: int, base: int, languages: int) -> ContextTable:
        """Take the table out of a file."""
        if order not in ORDERS or not 0 <= base < 256:
            raise file.fail(f"a context model of order {order} with base {base}")
        code_points = file.take("context.code_points", np.uint32, below=WORD_END + 1)
        if not 0 < len(code_points) <= MAX_CHARACTERS or len(np.unique(code_points)) < len(code_points):
            raise file.fail("the characters of the context model are not distinct")
        levels: list[Level] = []
        for k in range(order):
            name = f"context.{k + 1}"
            parents, characters = np.zeros(len(code_points), np.uint32), np.arange(len(code_points), dtype=np.uint16)
            if k > 0:
                characters = file.take(f"{name}.characters", np.uint16, below=len(code_points))
                siblings = file.take_firsts(
                    f"{name}.siblings", np.uint32, groups=levels[-1].size, members=len(characters)
                )
                parents = nodes_of(siblings)
            costs = file.take(f"{name}.costs", np.uint8)
            levels.append(
                Level(
                    parents,
                    characters,
                    file.take_firsts(f"{name}.sizes", np.uint32, groups=len(characters), members=len(costs)),
                    file.take(f"{name}.languages", np.uint16, length=len(costs), below=languages),
                    costs,
                    file.take(f"{name}.backoffs", np.uint8, length=len(costs))
                    if k + 1 < order
                    else np.zeros(0, np.uint8),
                )
            )
        root_backoff = file.take("context.root_backoff", np.uint8, length=languages)
        return ContextTable(code_points, tuple(levels), root_backoff, base)

    def append(self, other: ContextTable) -> ContextTable:
        """Return a table with the other's languages behind these; no entry of either changes."""
        return merge([self, other])

    def select(self, rows: Sequence[int]) -> ContextTable:
        """Return the table of some languages, in that order; n-grams that none of them saw are dropped."""
        number = np.full(len(self.root_backoff), -1)
        number[list(rows)] = np.arange(len(rows))
        levels = []
        for level in self.levels:
            kept = number[level.languages] >= 0
            nodes, languages = nodes_of(level.first_entry)[kept], number[level.languages[kept]]
            order = np.lexsort((languages, nodes))
            levels.append(
                Level(
                    level.parents,
                    level.characters,
                    first_of(nodes[order], level.size),
                    languages[order].astype(np.uint16),
                    level.costs[kept][order],
                    level.backoffs[kept][order] if len(level.backoffs) else level.backoffs,
                )
            )
        return _without_empty_nodes(
            ContextTable(self.code_points, tuple(levels), self.root_backoff[list(rows)], self.base)
        )


def first_of(groups: npt.NDArray[np.integer], count: int) -> Ints:
    """Return where each of `count` groups begins in a sorted array of group numbers, and the end.

    >>> first_of(np.array([0, 0, 2]), 3).tolist()
    [0, 2, 2, 3]
    """
    sizes = np.bincount(groups, minlength=count)
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.uint32)


def nodes_of(first: Ints) -> Ints:
    """Return the group number of each member; the inverse of `first_of`."""
    return np.repeat(np.arange(len(first) - 1, dtype=np.uint32), np.diff(first))


def estimate(
    languages: Sequence[Words],
    *,
    order: int,
    discount: float = DISCOUNT,
    base: float = BASE,
    prune: float = PRUNE,
    prune_from: int = PRUNE_FROM,
    threads: int = 1,
) -> ContextTable:
    """Estimate languages from their words, each on its own, and return their table."""
    parts = []
    for log_root, estimated in _kernel.estimate_contexts(
        list(languages), order, discount, math.exp(base), prune, prune_from, threads
    ):
        code_points = estimated[0][1]
        by_code_point = np.argsort(code_points)
        levels = []
        for k, (parents, characters, log_p, log_backoff) in enumerate(estimated):
            place = np.searchsorted(code_points, characters, sorter=by_code_point)
            levels.append(
                Level(
                    parents,
                    by_code_point[place].astype(np.uint16),
                    np.arange(len(parents) + 1, dtype=np.uint32),
                    np.zeros(len(parents), np.uint16),
                    quantise(log_p, MAX_COST),
                    quantise(log_backoff, 255) if k + 1 < order else np.zeros(0, np.uint8),
                )
            )
        root_backoff = quantise(np.array([log_root]), 255)
        parts.append(ContextTable(code_points, tuple(levels), root_backoff, int(quantise(np.array([base]), 255)[0])))
    return merge(parts)


def merge(parts: Sequence[ContextTable]) -> ContextTable:
    """Join tables of different languages; rows follow the order of the parts, as do the characters."""
    code_points, characters = _number([part.code_points for part in parts])
    if len(code_points) > MAX_CHARACTERS:
        raise UnilidError(f"{len(code_points)} distinct characters; the context model has room for {MAX_CHARACTERS}")
    first_row = np.cumsum([0, *(len(part.root_backoff) for part in parts)])
    levels: list[Level] = []
    nodes = characters
    for k in range(parts[0].order):
        own = [part.levels[k] for part in parts]
        keys = np.arange(len(code_points))
        if k > 0:
            part_keys = [
                (before[level.parents] << 16) | local[level.characters]
                for level, before, local in zip(own, nodes, characters, strict=True)
            ]
            keys, inverse = np.unique(np.concatenate(part_keys), return_inverse=True)
            nodes = np.split(inverse, np.cumsum([len(part) for part in part_keys])[:-1])
        of_entry = np.concatenate(
            [numbers[nodes_of(level.first_entry)] for numbers, level in zip(nodes, own, strict=True)]
        )
        languages = np.concatenate([level.languages + row for level, row in zip(own, first_row, strict=False)])
        order = np.argsort((of_entry << 16) | languages, kind="stable")
        backoffs = np.concatenate([level.backoffs for level in own])
        levels.append(
            Level(
                (keys >> 16).astype(np.uint32),  # the root's children are all below 2^16
                (keys & 0xFFFF).astype(np.uint16),
                first_of(of_entry[order], len(keys)),
                languages[order].astype(np.uint16),
                np.concatenate([level.costs for level in own])[order],
                backoffs[order] if len(backoffs) else backoffs,
            )
        )
    root_backoff = np.concatenate([part.root_backoff for part in parts])
    return ContextTable(code_points, tuple(levels), root_backoff, parts[0].base)


def _number(arrays: Sequence[Ints]) -> tuple[Ints, list[npt.NDArray[np.int64]]]:
    """Return the distinct values in the order in which they first occur, and the place of every value among them."""
    joined = np.concatenate(arrays)
    values, first, inverse = np.unique(joined, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    return values[order].astype(np.uint32), np.split(place[inverse], np.cumsum([len(a) for a in arrays])[:-1])


def _without_empty_nodes(table: ContextTable) -> ContextTable:
    # A language that saw an n-gram saw its first characters too: no node loses its parent.
    kept = [np.diff(level.first_entry) > 0 for level in table.levels]
    numbers = [np.cumsum(keep) - 1 for keep in kept]
    levels = [
        Level(
            (numbers[k - 1][level.parents[kept[k]]] if k else level.parents[kept[k]]).astype(np.uint32),
            numbers[0][level.characters[kept[k]]].astype(np.uint16),
            np.append(level.first_entry[:-1][kept[k]], level.first_entry[-1]).astype(np.uint32),
            level.languages,
            level.costs,
            level.backoffs,
        )
        for k, level in enumerate(table.levels)
    ]
    return ContextTable(table.code_points[kept[0]], tuple(levels), table.root_backoff, table.base)
