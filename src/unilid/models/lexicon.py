"""The lexicon: how frequent whole words are in each language.

The context model forgets how frequent a word is: it gives "Hello" 15 nats where its frequency is worth 11. The lexicon
has a gain for some words and languages, by which such a word costs the language less than the other word models say
(``cpp/models/lexicon.h`` has the formula). Gains come from a language's own words and word models alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from unilid import _kernel
from unilid._kernel import LEXICON_BUCKETS, NO_KEY
from unilid.corpus.counts import Words
from unilid.models.context import LAST_ENTRY as ENTRY
from unilid.models.context import Entries, Ints, first_of, nodes_of
from unilid.models.costs import STEP
from unilid.store.modelfile import Arrays
from unilid.store.packing import CheckedFile, Grouped, pack_sizes

Keys: TypeAlias = npt.NDArray[np.uint64]

SHARE = 0.75
"""Of the difference between what a word costs and what its frequency is worth: the two are interpolated."""
DISCOUNT = 0.75
"""Subtracted from the count of a word: what was seen once is rarer than it looks."""
MAX_GAIN = 255
"""In steps."""


@dataclass(frozen=True, slots=True)
class LexiconTable:
    """The gains of words under languages, in steps; words ascend by their keys.

    A key has 48 bits: the first 16 are its bucket, the lower 32 its fingerprint.
    """

    buckets: Ints  # the first word of each, and the end
    fingerprints: Ints
    first_entry: Ints  # one more than words
    entries: Entries  # languages ascending within a word; the "cost" of an entry is its gain
    language_count: int

    def kernel(self) -> _kernel.Lexicon:
        """Return the kernel's lexicon of these arrays."""
        return _kernel.Lexicon(
            self.buckets, self.fingerprints, self.first_entry, self.entries.view(np.uint8), self.language_count
        )

    @property
    def keys(self) -> Keys:
        """The key of each word."""
        return nodes_of(self.buckets).astype(np.uint64) << np.uint64(32) | self.fingerprints

    def pack(self) -> Arrays:
        """Return the arrays of a file."""
        return {
            **pack_sizes("lexicon.buckets", np.diff(self.buckets)),
            "lexicon.fingerprints": self.fingerprints,
            **pack_sizes("lexicon.sizes", np.diff(self.first_entry)),
            "lexicon.entries": self.entries.view(np.uint8),
        }

    @staticmethod
    def unpack(file: CheckedFile, *, language_count: int) -> LexiconTable:
        """Take the table out of a file."""
        fingerprints = file.take("lexicon.fingerprints", np.uint32)
        buckets = file.take_firsts("lexicon.buckets", np.uint32, groups=LEXICON_BUCKETS, members=len(fingerprints))
        data = file.take("lexicon.entries", np.uint8)
        if len(data) % ENTRY.itemsize:
            raise file.fail("the array 'lexicon.entries' ends within an entry")
        entries = data.view(ENTRY)
        first_entry = file.take_firsts("lexicon.sizes", np.uint32, groups=len(fingerprints), members=len(entries))
        file.check_keys([Grouped("lexicon.entries", entries, first_entry, language_count)])
        is_first = np.zeros(len(fingerprints) + 1, np.bool_)
        is_first[buckets] = True
        if not (is_first[1:-1] | (fingerprints[1:] > fingerprints[:-1])).all():
            raise file.fail("the array 'lexicon.fingerprints' does not ascend within a bucket")
        return LexiconTable(buckets, fingerprints, first_entry, entries, language_count)

    def append(self, other: LexiconTable) -> LexiconTable:
        """Return a table with the other's languages behind these; no entry of either changes."""
        return _table(
            np.concatenate([self._key_of_entry, other._key_of_entry]),
            np.concatenate([self.entries["language"], other.entries["language"] + np.uint16(self.language_count)]),
            np.concatenate([self.entries["cost"], other.entries["cost"]]),
            self.language_count + other.language_count,
        )

    def select(self, rows: Sequence[int]) -> LexiconTable:
        """Return the table of some languages, in that order; words that none of them knows are dropped."""
        number = np.full(self.language_count, -1)
        number[list(rows)] = np.arange(len(rows))
        languages = number[self.entries["language"]]
        kept = languages >= 0
        return _table(self._key_of_entry[kept], languages[kept], self.entries["cost"][kept], len(rows))

    @property
    def _key_of_entry(self) -> Keys:
        return self.keys[nodes_of(self.first_entry)]


def _table(
    keys: Keys, languages: npt.NDArray[np.integer], gains: npt.NDArray[np.uint8], language_count: int
) -> LexiconTable:
    order = np.lexsort((languages, keys))
    entries = np.empty(len(keys), ENTRY)
    entries["language"], entries["cost"] = languages[order], gains[order]
    distinct, word = np.unique(keys[order], return_inverse=True)
    buckets = first_of((distinct >> np.uint64(32)).astype(np.int64), LEXICON_BUCKETS)
    return LexiconTable(buckets, distinct.astype(np.uint32), first_of(word, len(distinct)), entries, language_count)


def keep_entries(table: LexiconTable, kept: npt.NDArray[np.bool_]) -> LexiconTable:
    """Return the table with some of its entries."""
    return _table(
        table._key_of_entry[kept], table.entries["language"][kept], table.entries["cost"][kept], table.language_count
    )


def estimate(
    words_of_all: Sequence[Words],
    costs_of_all: Sequence[npt.NDArray[np.uint32]],
    *,
    sizes: Sequence[int],
    least: float,
) -> LexiconTable:
    """Return the gains of languages, each from its own words and what these cost it.

    A language keeps the words whose gains are worth most, as many as `sizes` says: a gain counts as often as its word
    occurs. Gains below `least` nats are not worth their room.
    """
    parts = [
        _gains(words, costs, size=size, least=least)
        for words, costs, size in zip(words_of_all, costs_of_all, sizes, strict=True)
    ]
    return _table(
        np.concatenate([keys for keys, _ in parts]),
        np.repeat(np.arange(len(parts), dtype=np.uint16), [len(keys) for keys, _ in parts]),
        np.concatenate([gains for _, gains in parts]),
        len(parts),
    )


def _gains(
    words: Words, costs: npt.NDArray[np.uint32], *, size: int, least: float
) -> tuple[Keys, npt.NDArray[np.uint8]]:
    """Return the keys of the words of a language that gain, and their gains in steps."""
    all_keys = _kernel.word_keys(words).keys
    # The forms of a word ("the", "The", with and without a space) are one; it costs what its most frequent form does.
    order = np.lexsort((-words.counts, all_keys))
    order = order[all_keys[order] != NO_KEY]
    keys, first = np.unique(all_keys[order], return_index=True)
    if not len(keys):
        return keys, np.zeros(0, np.uint8)
    counts = np.add.reduceat(words.counts[order], first)
    worth = -_kernel.logarithms(np.maximum(counts - DISCOUNT, DISCOUNT / 4) / words.counts.sum()) / STEP
    gains = np.rint(SHARE * (costs[order[first]] - worth)).clip(0, MAX_GAIN)
    kept = np.flatnonzero(gains * STEP >= least)
    value = counts[kept] * gains[kept]
    kept = np.sort(kept[np.lexsort((keys[kept], -value))[:size]])
    return keys[kept], gains[kept].astype(np.uint8)
