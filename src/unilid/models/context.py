"""The context model: which characters follow which inside a word, for every language.

Per language, interpolated Kneser-Ney over the characters of its words (``cpp/models/context_estimation.h`` has the
formula); over all languages, one trie of n-grams with a level for each order. An n-gram is a node, and the languages
that saw it are its entries: the cost of its last character, and the cost of backing off from it as a context.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from unilid import _kernel
from unilid.corpus.counts import Words
from unilid.errors import UnilidError
from unilid.models.costs import STEP, quantise
from unilid.store.modelfile import Arrays
from unilid.store.packing import CheckedFile, Grouped, pack_sizes

Bytes: TypeAlias = npt.NDArray[np.uint8]
Shorts: TypeAlias = npt.NDArray[np.uint16]
Ints: TypeAlias = npt.NDArray[np.uint32]
Corrections: TypeAlias = npt.NDArray[np.float32]
"""Of the entries of a table, of all its levels one after the other."""

ORDERS = tuple(range(2, _kernel.MAX_ORDER + 1))
"""Lengths that the longest n-grams may have."""
DISCOUNT = 0.8
BASE = math.log(1e-4)
"""Log-probability of a character that nobody knows."""
PRUNE = 0.005
"""Saves a third of the entries for .001 of accuracy on validation lines (``benchmarks/context_size.py``)."""
PRUNE_FROM = 3
"""The shortest n-grams that may be dropped; 2 where room is scarce and characters are many."""
MAX_COST = 254
"""In steps, of a character; the kernel counts far less of it (``MAX_CHARACTER_COST``)."""

ENTRY = np.dtype([("language", "<u2"), ("cost", "u1"), ("backoff", "u1")])
"""What a language knows of an n-gram; side by side, because memory is slow."""
LAST_ENTRY = np.dtype([("language", "<u2"), ("cost", "u1")])
"""The longest n-grams are nobody's context."""
Entries: TypeAlias = npt.NDArray[np.void]


@dataclass(frozen=True, slots=True)
class Level:
    """The n-grams of one order, sorted by parent and last character, with their entries."""

    first_of_parent: Ints  # one more than nodes of the level before; the first level has one parent
    characters: Shorts  # last character, an index into the first level
    first_entry: Ints  # one more than nodes
    entries: Entries  # languages ascending within a node

    @property
    def size(self) -> int:
        """The number of n-grams."""
        return len(self.characters)

    @property
    def parents(self) -> Ints:
        """Nodes of the level before; of the first level, 0."""
        return nodes_of(self.first_of_parent)

    @property
    def languages(self) -> Shorts:
        """Of the entries."""
        return self.entries["language"]

    @property
    def costs(self) -> Bytes:
        """Of the last character, after the others."""
        return self.entries["cost"]

    @property
    def backoffs(self) -> Bytes | None:
        """Of the n-gram as a context; None at the last level."""
        return self.entries["backoff"] if self.entries.dtype == ENTRY else None


def _entries(languages: npt.NDArray[Any], costs: Bytes, backoffs: Bytes | None) -> Entries:
    entries = np.empty(len(languages), LAST_ENTRY if backoffs is None else ENTRY)
    entries["language"], entries["cost"] = languages, costs
    if backoffs is not None:
        entries["backoff"] = backoffs
    return entries


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

    def kernel(self, scripts: Sequence[tuple[int, int]] = ()) -> _kernel.ContextModel:
        """Return the kernel's model of these arrays; `scripts`: rows and the kernel's numbers of their scripts."""
        levels = []
        for k, level in enumerate(self.levels):
            children = None if k + 1 == self.order else self.levels[k + 1].first_of_parent
            levels.append(
                _kernel.ContextLevel(
                    characters=level.characters,
                    first_child=children,
                    first_entry=level.first_entry,
                    entries=level.entries.view(np.uint8),
                )
            )
        return _kernel.ContextModel(self.code_points, levels, self.root_backoff, self.base, scripts)

    def pack(self) -> Arrays:
        """Return the arrays of a file."""
        arrays: Arrays = {"context.code_points": self.code_points, "context.root_backoff": self.root_backoff}
        for k, level in enumerate(self.levels):
            name = f"context.{k + 1}"
            if k > 0:
                arrays[f"{name}.characters"] = level.characters
                arrays |= pack_sizes(f"{name}.siblings", np.diff(level.first_of_parent))
            arrays |= pack_sizes(f"{name}.sizes", np.diff(level.first_entry))
            arrays[f"{name}.entries"] = level.entries.view(np.uint8)
        return arrays

    @staticmethod
    def unpack(file: CheckedFile, *, order: int, base: int, language_count: int) -> ContextTable:
        """Take the table out of a file; it is safe to use after `check`."""
        if order not in ORDERS or not 0 <= base < 256:
            raise file.fail(f"a context model of order {order} with base {base}")
        code_points = file.take("context.code_points", np.uint32, below=_kernel.WORD_END + 1)
        if not 0 < len(code_points) <= _kernel.MAX_CHARACTERS or not np.diff(np.sort(code_points)).all():
            raise file.fail("the characters of the context model are not distinct")
        levels: list[Level] = []
        for k in range(order):
            name = f"context.{k + 1}"
            characters = np.arange(len(code_points), dtype=np.uint16)
            first_of_parent = np.array([0, len(code_points)], np.uint32)
            if k > 0:
                characters = file.take(f"{name}.characters", np.uint16)
                first_of_parent = file.take_firsts(
                    f"{name}.siblings", np.uint32, groups=levels[-1].size, members=len(characters)
                )
            kind = LAST_ENTRY if k + 1 == order else ENTRY
            data = file.take(f"{name}.entries", np.uint8)
            if len(data) % kind.itemsize:
                raise file.fail(f"the array '{name}.entries' ends within an entry")
            entries = data.view(kind)
            first_entry = file.take_firsts(f"{name}.sizes", np.uint32, groups=len(characters), members=len(entries))
            levels.append(Level(first_of_parent, characters, first_entry, entries))
        root_backoff = file.take("context.root_backoff", np.uint8, length=language_count)
        return ContextTable(code_points, tuple(levels), root_backoff, base)

    def check(self, file: CheckedFile) -> None:
        """Refuse the table of a file if an n-gram names what is not there, or if it is not sorted.

        This is most of the work of reading a file, and beside it there is other work to do.
        """
        tables = []
        for k, level in enumerate(self.levels):
            name = f"context.{k + 1}"
            tables += [
                Grouped(f"{name}.characters", level.characters, level.first_of_parent, len(self.code_points)),
                Grouped(f"{name}.entries", level.entries, level.first_entry, len(self.root_backoff)),
            ]
        file.check_keys(tables)

    def append(self, other: ContextTable) -> ContextTable:
        """Return a table with the other's languages behind these; no entry of either changes."""
        return merge([self, other])

    def corrected(self, learned: ContextTable, corrections: Corrections, share: float) -> ContextTable:
        """Return the table with costs that are lower by what was learned of the entries of `learned`, in nats.

        `share` is that of the context model in the score of a word: its costs change by so much more.
        """
        costs = _kernel.corrected_costs(self.kernel(), learned.kernel(), corrections, 1 / (STEP * share))
        levels, first = [], 0
        for level in self.levels:
            entries = level.entries.copy()
            entries["cost"] = costs[first : first + len(entries)]
            first += len(entries)
            levels.append(replace(level, entries=entries))
        return replace(self, levels=tuple(levels))

    def select(self, rows: Sequence[int]) -> ContextTable:
        """Return the table of some languages, in that order; n-grams that none of them saw are dropped."""
        number = np.full(len(self.root_backoff), -1)
        number[list(rows)] = np.arange(len(rows))
        levels = []
        for level in self.levels:
            kept = number[level.languages] >= 0
            nodes, entries = nodes_of(level.first_entry)[kept], level.entries[kept]
            entries["language"] = number[entries["language"]]
            order = np.lexsort((entries["language"], nodes))
            first_entry = first_of(nodes[order], level.size)
            levels.append(Level(level.first_of_parent, level.characters, first_entry, entries[order]))
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
    words_of_all: Sequence[Words],
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
    for estimated in _kernel.estimate_contexts(
        list(words_of_all), order, discount, _kernel.exponential(base), prune, prune_from, threads
    ):
        code_points = estimated.levels[0].characters
        by_code_point = np.argsort(code_points)
        levels = []
        for k, level in enumerate(estimated.levels):
            place = np.searchsorted(code_points, level.characters, sorter=by_code_point)
            entries = _entries(
                np.zeros(len(level.parents), np.uint16),
                quantise(level.log_p, MAX_COST),
                quantise(level.log_backoff, 255) if k + 1 < order else None,
            )
            single = np.arange(len(level.parents) + 1, dtype=np.uint32)
            levels.append(_Nodes(level.parents, by_code_point[place], single, entries))
        parts.append(_Part(code_points, levels, quantise(np.array([estimated.root_backoff]), 255)))
    return _join(parts, int(quantise(np.array([base]), 255)[0]))


class _Nodes(NamedTuple):
    """A level with its nodes in any order."""

    parents: npt.NDArray[Any]
    characters: npt.NDArray[Any]
    first_entry: Ints
    entries: Entries


class _Part(NamedTuple):
    """The n-grams of some languages."""

    code_points: Ints
    levels: Sequence[_Nodes]
    root_backoff: Bytes


def merge(parts: Sequence[ContextTable]) -> ContextTable:
    """Join tables of different languages; rows follow the order of the parts, as do the characters."""
    return _join(
        [
            _Part(
                part.code_points,
                [_Nodes(level.parents, level.characters, level.first_entry, level.entries) for level in part.levels],
                part.root_backoff,
            )
            for part in parts
        ],
        parts[0].base,
    )


def _join(parts: Sequence[_Part], base: int) -> ContextTable:
    code_points, characters = _number([part.code_points for part in parts])
    if len(code_points) > _kernel.MAX_CHARACTERS:
        room = _kernel.MAX_CHARACTERS
        raise UnilidError(f"{len(code_points)} distinct characters; the context model has room for {room}")
    first_row = np.cumsum([0, *(len(part.root_backoff) for part in parts)])
    levels: list[Level] = []
    nodes = characters
    for k in range(len(parts[0].levels)):
        own = [part.levels[k] for part in parts]
        keys = np.arange(len(code_points))  # (parent, character); the root's children are all below 2^16
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
        entries = np.concatenate([level.entries for level in own])
        entries["language"] += np.repeat(first_row[:-1], [len(level.entries) for level in own]).astype(np.uint16)
        order = np.argsort((of_entry << 16) | entries["language"], kind="stable")
        levels.append(
            Level(
                first_of(keys >> 16, levels[-1].size if k else 1),
                (keys & 0xFFFF).astype(np.uint16),
                first_of(of_entry[order], len(keys)),
                entries[order],
            )
        )
    return ContextTable(code_points, tuple(levels), np.concatenate([part.root_backoff for part in parts]), base)


def _number(arrays: Sequence[Ints]) -> tuple[Ints, list[npt.NDArray[np.int64]]]:
    """Return the distinct values in the order in which they first occur, and the place of every value among them."""
    joined = np.concatenate(arrays)
    values, first, inverse = np.unique(joined, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    return values[order].astype(np.uint32), np.split(place[inverse], np.cumsum([len(a) for a in arrays])[:-1])


def _without_empty_nodes(table: ContextTable) -> ContextTable:
    """Drop n-grams that no language saw.

    A language that saw an n-gram saw its beginning and its last character too; a file need not have been made so. What
    an n-gram hangs on stays, so that it costs the same in the table of some languages as in that of all.
    """
    kept = [np.diff(level.first_entry) > 0 for level in table.levels]
    for k in range(table.order - 1, 0, -1):
        level = table.levels[k]
        kept[k - 1][level.parents[kept[k]]] = True
        kept[0][level.characters[kept[k]]] = True
    numbers = [np.cumsum(keep) - 1 for keep in kept]
    levels = []
    for k, (level, keep) in enumerate(zip(table.levels, kept, strict=True)):
        parents = level.parents[keep]
        nodes = nodes_of(level.first_entry)
        levels.append(
            Level(
                first_of(numbers[k - 1][parents], int(kept[k - 1].sum())) if k else first_of(parents, 1),
                numbers[0][level.characters[keep]].astype(np.uint16),
                first_of(numbers[k][nodes[keep[nodes]]], int(keep.sum())),
                level.entries[keep[nodes]],
            )
        )
    return ContextTable(table.code_points[kept[0]], tuple(levels), table.root_backoff, table.base)
