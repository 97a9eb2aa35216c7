"""The unigram model: one distribution over the vocabulary for every language, learned by EM.

Token-major and sparse: a token's entries are the languages that use it. A language without an entry pays its unseen
cost.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from unilid import _kernel
from unilid.corpus.counts import Words
from unilid.models.costs import quantise
from unilid.models.vocabulary import Vocabulary
from unilid.store.modelfile import Arrays
from unilid.store.packing import CheckedFile, Grouped, narrow, pack_sizes

ROUNDS = 20
TOLERANCE = 1e-6  # total variation
ADDED = 0.1
"""What the paper's base system adds to every count."""
FRAGMENT_ROUNDS = 6
"""Of EM where fragments are among the words: there are ten times as many, and more rounds gain nothing."""
MIN_COUNT = 0.1
"""Expected counts below this are taken for unseen: they cost room and change nothing."""


class Expected(NamedTuple):
    """The expected token counts of one language after EM."""

    tokens: npt.NDArray[np.uint32]
    counts: npt.NDArray[np.float64]
    total: float
    rounds: int


def expect(
    vocabulary: Vocabulary, words_of_all: Sequence[Words], *, fragments: float = 0.0, threads: int = 1
) -> list[Expected]:
    """Run EM on the words of each language, on its own.

    With `fragments`, also on what is left of a word where one character is lost: a word of n letters gives its count
    times `fragments` / n to each of its beginnings and ends.
    """
    words, rounds = list(words_of_all), ROUNDS
    if fragments:
        words, rounds = [Words.of(_kernel.with_fragments(own, fragments)) for own in words], FRAGMENT_ROUNDS
    estimates = _kernel.estimate(vocabulary.kernel, words, rounds, TOLERANCE, threads)
    return [Expected(e.tokens, e.counts, e.total, e.rounds) for e in estimates]


def default_unseen(expected: Sequence[Expected]) -> float:
    """Return the log-probability of an unseen token where no held-out text can choose it."""
    totals = [own.total for own in expected]
    return -8.0 - 0.3 * math.log(max(float(np.median(totals)), 1.0))


@dataclass(frozen=True, slots=True)
class UnigramTable:
    """Costs of tokens under languages."""

    offsets: npt.NDArray[np.int64]  # one more than tokens
    languages: npt.NDArray[np.uint16]  # ascending within a token
    costs: npt.NDArray[np.uint8]
    unseen: npt.NDArray[np.uint8]  # per language; no entry costs more

    @staticmethod
    def of(expected: Sequence[Expected], vocabulary_size: int, unseen: float | None) -> UnigramTable:
        """Turn expected counts into costs.

        With `unseen`, seen tokens keep their maximum-likelihood probability and every other token has this
        log-probability. With None, p = (c + 0.1) / (T + 0.1 V), the paper's base, whose unseen value falls with the
        size of the corpus.
        """
        unseen_costs = np.empty(len(expected), np.uint8)
        columns = []
        for row, language in enumerate(expected):
            if unseen is None:
                mass = language.total + ADDED * vocabulary_size
                unseen_costs[row] = quantise(_kernel.logarithms(np.array([ADDED / mass])), 255)[0]
                log_p = _kernel.logarithms((language.counts + ADDED) / mass)
            else:
                unseen_costs[row] = quantise(np.array([unseen]), 255)[0]
                seen = language.counts >= MIN_COUNT
                log_p = np.full(len(language.counts), -np.inf)
                log_p[seen] = _kernel.logarithms(language.counts[seen] / language.total)
            costs = quantise(log_p, 255)
            used = costs < unseen_costs[row]
            columns.append((language.tokens[used], np.full(int(used.sum()), row, np.uint16), costs[used]))
        tokens, languages, costs = (np.concatenate(parts) for parts in zip(*columns, strict=True))
        order = np.argsort(tokens, kind="stable")
        return UnigramTable(_offsets(tokens, vocabulary_size), languages[order], costs[order], unseen_costs)

    def has_seen(self, token: int, row: int) -> bool:
        """Say whether the language of a row uses a token."""
        entries = self.languages[self.offsets[token] : self.offsets[token + 1]]
        at = int(entries.searchsorted(np.uint16(row)))
        return at < len(entries) and int(entries[at]) == row

    def rarest(self) -> npt.NDArray[np.uint8]:
        """Return what the rarest token that a language uses costs it; that of an unseen one where it uses none."""
        costs = np.zeros(len(self.unseen), np.uint8)
        np.maximum.at(costs, self.languages, self.costs)
        return np.where(costs > 0, costs, self.unseen).astype(np.uint8)

    def kernel(self, vocabulary: Vocabulary) -> _kernel.UnigramModel:
        """Return the kernel's model of these arrays."""
        return _kernel.UnigramModel(vocabulary.kernel, self.offsets, self.languages, self.costs, self.unseen)

    def pack(self) -> Arrays:
        """Return the arrays of a file."""
        return {
            **pack_sizes("unigram.sizes", np.diff(self.offsets)),
            "unigram.languages": narrow(self.languages),
            "unigram.costs": self.costs,
            "unigram.unseen": self.unseen,
        }

    @staticmethod
    def unpack(file: CheckedFile, *, tokens: int, language_count: int) -> UnigramTable:
        """Take the table out of a file."""
        costs = file.take("unigram.costs", np.uint8)
        firsts = file.take_firsts("unigram.sizes", np.uint32, groups=tokens, members=len(costs))
        languages = file.take("unigram.languages", np.uint16, length=len(costs))
        file.check_keys([Grouped("unigram.languages", languages, firsts, language_count)])
        return UnigramTable(
            firsts.astype(np.int64),
            languages,
            costs,
            file.take("unigram.unseen", np.uint8, length=language_count),
        )

    @property
    def tokens(self) -> npt.NDArray[np.int64]:
        """The token of each entry."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))

    def append(self, other: UnigramTable) -> UnigramTable:
        """Return a table with the other's languages behind these; no entry of either changes."""
        after = self.offsets[other.tokens + 1]
        rows = (other.languages + len(self.unseen)).astype(np.uint16)
        return UnigramTable(
            self.offsets + other.offsets,
            np.insert(self.languages, after, rows),
            np.insert(self.costs, after, other.costs),
            np.concatenate([self.unseen, other.unseen]),
        )

    def select(self, rows: Sequence[int]) -> UnigramTable:
        """Return the table of some languages, in that order."""
        number = np.full(len(self.unseen), -1)
        number[list(rows)] = np.arange(len(rows))
        keep = number[self.languages] >= 0
        tokens, languages = self.tokens[keep], number[self.languages[keep]].astype(np.uint16)
        order = np.lexsort((languages, tokens))
        offsets = _offsets(tokens, len(self.offsets) - 1)
        return UnigramTable(offsets, languages[order], self.costs[keep][order], self.unseen[list(rows)])


def _offsets(tokens: npt.NDArray[np.integer], vocabulary_size: int) -> npt.NDArray[np.int64]:
    counts = np.bincount(tokens, minlength=vocabulary_size)
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
