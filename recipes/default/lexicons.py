"""The lexicon of the default model: more words of languages that people write, and no word that decides nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from unilid import _kernel
from unilid.corpus.counts import Words
from unilid.decisions.prior import log_prior
from unilid.model import Model
from unilid.models import lexicon
from unilid.models.context import nodes_of
from unilid.models.costs import STEP
from unilid.models.lexicon import Keys, LexiconTable
from unilid.models.parameters import word_costs
from unilid.scoring.scorers import Scorers

LEAST = 1.0
"""Nats that a word gains at least."""
MANY_LINES = 5000
"""Lines of running text from which on a language has a large lexicon."""
_CHUNK = 4096
"""Words whose vectors are looked at together."""


@dataclass(frozen=True)
class Size:
    """How much room the lexicon gets. Chosen on held-out lines cut to one, two and four words."""

    large: int
    """Words of a language with MANY_LINES."""
    small: int
    """Words of the others."""
    reach: float
    """An entry is kept if its language is no further than so many nats behind the best one, gains included."""
    lead: float
    """An entry is dropped if its language is further than so many nats ahead of all others without it."""


DEFAULT = Size(large=15_000, small=1_000, reach=8.0, lead=4.0)
COMPACT = Size(large=4_000, small=300, reach=4.0, lead=0.0)


def estimate(model: Model, words: Sequence[Words], size: Size, threads: int) -> LexiconTable:
    """Return the lexicon of a model's languages, from their words."""
    table = frequent(model, words, size, threads)
    return lexicon.keep_entries(table, _deciding(added(model, table, size), table, words, size, threads))


def frequent(model: Model, words: Sequence[Words], size: Size, threads: int) -> LexiconTable:
    """Return the lexicon with words that decide nothing, too: scores are nearly the same, and it takes less time."""
    parameters = model.parameters
    costs = word_costs(parameters, words, threads)
    sizes = np.where(parameters.lines >= MANY_LINES, size.large, size.small).tolist()
    return lexicon.estimate(words, costs, sizes=sizes, least=LEAST)


def added(model: Model, table: LexiconTable, size: Size) -> Model:
    """Return a model with its lexicon; a language that is added later has a small one."""
    settings = replace(model.settings, lexicon_size=size.small, lexicon_least=LEAST)
    return replace(model, parameters=replace(model.parameters, lexicon=table, settings=settings))


def at_the_same_costs(before: Model, after: Model, words: Sequence[Words], threads: int) -> LexiconTable:
    """Return the lexicon of a model with gains for another context model, so that its words cost what they did.

    A gain is that of all forms of a word ("the", "The"), whose costs changed by different amounts: it follows their
    mean, each form as often as it occurs.
    """
    table = before.parameters.lexicon
    assert table is not None
    entry_keys, language = table.keys[nodes_of(table.first_entry)], table.entries["language"]
    costs = [word_costs(model.parameters, words, threads) for model in (before, after)]
    gains = table.entries["cost"].astype(np.int64)
    for row, (own, old, new) in enumerate(zip(words, *costs, strict=True)):
        entries = np.flatnonzero(language == row)
        if len(entries):
            gains[entries] += _mean_change(entry_keys[entries], own, new.astype(np.int64) - old)
    changed = table.entries.copy()
    changed["cost"] = np.clip(gains, 0, lexicon.MAX_GAIN)
    return lexicon.keep_entries(replace(table, entries=changed), changed["cost"] > 0)


def _mean_change(keys: Keys, words: Words, changes: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return by how much the words of some ascending keys cost more, each form of a word as often as it occurs."""
    of_words = _kernel.word_keys(words).keys
    place = np.minimum(np.searchsorted(keys, of_words), len(keys) - 1)
    known = keys[place] == of_words
    place, counts = place[known], words.counts[known]
    total = np.bincount(place, counts * changes[known], len(keys))
    return np.rint(total / np.bincount(place, counts, len(keys))).astype(np.int64)


def _deciding(
    model: Model, table: LexiconTable, words: Sequence[Words], size: Size, threads: int
) -> npt.NDArray[np.bool_]:
    """Say which entries can decide anything.

    One whose language is far ahead of all others without its gain decides nothing, nor does one whose language is far
    behind with it.
    """
    texts = _texts_of(table, words)
    assert model.decisions.prior is not None
    scorer = Scorers(model.parameters).make(bound_steps=0, cache_megabytes=4)
    logs = log_prior(model.decisions.prior)
    kept = np.zeros(len(table.entries), np.bool_)
    for start in range(0, len(texts), _CHUNK):
        end = min(start + _CHUNK, len(texts))
        keys = logs - STEP * scorer.costs(texts[start:end], threads).all
        first, last = table.first_entry[start], table.first_entry[end]
        word = nodes_of(table.first_entry[start : end + 1] - first)
        own = keys[word, table.entries["language"][first:last]]
        gain = STEP * table.entries["cost"][first:last]
        places = np.arange(end - start), keys.argmax(axis=1)
        best = keys[places]
        keys[places] = -np.inf
        second = keys.max(axis=1) if keys.shape[1] > 1 else best
        rival = np.where(own >= best[word], second[word], best[word])
        kept[first:last] = (own >= rival - size.reach) & (own - gain <= rival + size.lead)
    return kept


def _texts_of(table: LexiconTable, words: Sequence[Words]) -> list[bytes]:
    """Return for each key of the table the most frequent word that has it; of languages, the last one's."""
    known_keys = table.keys
    texts = [b""] * len(known_keys)
    for own in words if texts else ():
        keys = _kernel.word_keys(own).keys
        at = np.minimum(np.searchsorted(known_keys, keys), len(texts) - 1)
        known = np.flatnonzero(known_keys[at] == keys)
        for i in known[np.argsort(own.counts[known], kind="stable")].tolist():
            texts[at[i]] = own.blob[own.offsets[i] : own.offsets[i + 1]].strip()
    return texts
