"""What tells close relatives of the default model apart: corrections of its context model (`unilid.training.lessons`).

They are learned from lines in proportion to the prior, and from a few words of each. Were there as many lines of each
label, a large language would be the wrong answer to the lines of many small ones, and lose its own; were there whole
lines alone, it would lose its words. The compact form stays as it is: corrections gain it hardly anything on held-out
lines, and cost it everyday words.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import corpora
import lexicons
import numpy as np
from corpora import Parts

from unilid.corpus.counts import Words
from unilid.corpus.sampling import LabelledTexts
from unilid.decisions.prior import log_prior
from unilid.model import Model
from unilid.models.context import ContextTable, Corrections
from unilid.scoring.scorers import Scorers
from unilid.training.lessons import Lessons, joined, learn, lessons_of, of_numbers

FOLDS = 4
"""Of the lines that are learned from, each scored by a model of all other lines."""
CUT_WORDS = 1, 2, 3
"""So many words are learned from where a line is cut: the first, the second and the third number in turn."""


@dataclass(frozen=True)
class Way:
    """How corrections are learned. `choosing.py` prints what other ways give, on held-out lines."""

    lines: int = 800_000
    """Lines of all folds, of each label its share of the prior."""
    least: int = 200
    """Lines of a label at least, where there are so many."""
    cut_every: int | None = 1
    """Of every so many-th line, a few words are learned from, too."""
    prior: float = 0.3
    """Weight of the prior in the advantage that a label has while corrections are learned; the rest is that of the
    number of its lines. With none of the prior, small languages win too often; with all of it, they lose."""
    share: float = 0.5
    """How much of what was learned is used."""


CHOSEN = Way()


def without_fold(parts: Parts, fold: int) -> Parts:
    """Return the lines without those of a fold: a model that is estimated from them scores that fold."""
    left = dict(parts)
    for key in _sources(parts):
        left[key] = corpora.take(parts[key], (i for i in range(len(parts[key].lines)) if i % FOLDS != fold))
    return left


def lessons(parts: Parts, model: Model, folds: Iterable[Model], *, threads: int, way: Way = CHOSEN) -> Lessons:
    """Return what lines say of a model that was estimated from `parts`.

    `folds` are the same model, estimated from what `without_fold` leaves, one fold after the other.
    """
    found: list[Lessons] = []
    for fold, seen in enumerate(folds):
        assert seen.languages == model.languages
        lines = _lines(parts, model, fold, way)
        found.append(lessons_of(Scorers(seen.parameters), lines, _context(model), threads=threads))
    return joined(found)


def learned(model: Model, lessons: Lessons, way: Way = CHOSEN) -> Corrections:
    """Return the corrections of a model that lessons teach."""
    shares = model.decisions.prior
    assert shares is not None
    of_prior = log_prior(shares)[lessons.languages]
    return learn(_context(model), lessons, way.prior * of_prior + (1 - way.prior) * of_numbers(lessons))


def corrected(
    model: Model, plain: Model, corrections: Corrections, words: Sequence[Words], *, threads: int, way: Way = CHOSEN
) -> Model:
    """Return `model` with the corrections that were learned for `plain`, which has the same labels.

    Words of the lexicon cost what they did: how frequent they are is known, and needs no correction.
    """
    assert model.languages == plain.languages
    share_of_context = 1 - model.settings.unigram_weight
    table = _context(model).corrected(_context(plain), np.float32(way.share) * corrections, share_of_context)
    after = replace(model, parameters=replace(model.parameters, context=table))
    lexicon = lexicons.at_the_same_costs(model, after, words, threads)
    return replace(after, parameters=replace(after.parameters, lexicon=lexicon))


def _context(model: Model) -> ContextTable:
    assert model.parameters.context is not None
    return model.parameters.context


def _lines(parts: Parts, model: Model, fold: int, way: Way) -> LabelledTexts:
    """Return the lines of a fold that are learned from: of each source, evenly spaced."""
    sources = _sources(parts)
    known = corpora.lines_of({key: parts[key] for key in sources})
    shares = model.decisions.prior
    assert shares is not None
    lines: list[tuple[int, bytes]] = []
    for source, label in sources:
        own, row = parts[source, label].lines, model.row_of(label)
        share = min(1.0, max(way.lines * float(shares[row]), way.least) / known[label])
        spaced = np.linspace(0, len(own), round(len(own) * share), endpoint=False).astype(int)
        lines += [(row, own[i]) for i in spaced.tolist() if i % FOLDS == fold]
    lines.sort()
    if way.cut_every is not None:
        cut = [(row, _cut(line, place, way.cut_every)) for place, (row, line) in enumerate(lines)]
        lines = sorted(lines + cut[:: way.cut_every])
    return LabelledTexts(np.array([row for row, _ in lines]), [line for _, line in lines])


def _sources(parts: Parts) -> list[tuple[str, str]]:
    """Return the parts that have lines to learn from."""
    told = corpora.lines_of({key: part for key, part in parts.items() if corpora.is_told(key)})
    return [
        key
        for key, part in sorted(parts.items())
        if corpora.KINDS[key[0]] == "text"
        and len(part.lines) >= 2 * FOLDS  # else a fold would leave too little
        and (corpora.is_told(key) or told.get(key[1], 0) < corpora.ENOUGH)
    ]


def _cut(line: bytes, place: int, every: int) -> bytes:
    """Return a few words of a line, at a place that is another one in each line."""
    words, wanted = line.split(b" "), CUT_WORDS[place // every % len(CUT_WORDS)]
    start = place % max(len(words) - wanted + 1, 1)
    return b" ".join(words[start : start + wanted])
