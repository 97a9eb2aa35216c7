"""What tells close relatives of the default model apart: corrections of its context model (`unilid.training.lessons`).

They are learned from lines in proportion to the prior, and from a few words of some. Were there as many lines of each
label, a large language would be the wrong answer to the lines of many small ones, and lose its own; were there whole
lines alone, it would lose its words.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import corpora
import numpy as np
from corpora import Parts

from unilid.corpus.sampling import LabelledTexts
from unilid.decisions.prior import log_prior
from unilid.model import Model
from unilid.models.context import Corrections
from unilid.scoring.scorers import Scorers
from unilid.training.lessons import Lessons, joined, learn, lessons_of, of_numbers

FOLDS = 4
TAUGHT = 2
"""So many folds of the lines are learned from, each scored by a model of all other lines."""
LINES = 400_000
LEAST = 200
"""Lines that all folds have: of a label, its share of the prior, and LEAST where there are so many."""
CUT_EVERY = 2
CUT_WORDS = 1, 2, 3
"""Of every so many-th line, so many words are learned from, too: the first, the second and the third number in turn."""
PRIOR_SHARE = 0.5
"""Corrections are learned as if a label had so much of the advantage that the prior gives it, and so much less of that
which its lines give it. Without this, small languages win too often; with all of it, they lose."""
SHARE = 0.5
"""How much of what was learned is used. All of these were chosen on held-out lines, as many of each label and in
natural proportions, whole and cut to one and two words, and on the choosing half of `benchmarks/everyday.tsv`: so that
some gain and none loses."""


def learned(
    parts: Parts, models: Sequence[Model], estimate: Callable[[Parts], Sequence[Model]], threads: int
) -> list[Corrections]:
    """Return the corrections of each model, all of which were estimated from `parts`."""
    chosen = _chosen(parts, models[0])
    lessons: list[list[Lessons]] = [[] for _ in models]
    for fold in range(TAUGHT):
        left, lines = dict(parts), []
        for key, places in chosen.items():
            part = parts[key]
            lines += [(models[0].row_of(key[1]), part.lines[i]) for i in places if i % FOLDS == fold]
            left[key] = corpora.take(part, (i for i in range(len(part.lines)) if i % FOLDS != fold))
        lines.sort()
        lines = sorted(lines + [(row, _cut(line, place)) for place, (row, line) in enumerate(lines)][::CUT_EVERY])
        labelled = LabelledTexts(np.array([row for row, _ in lines]), [line for _, line in lines])
        for own, model, seen in zip(lessons, models, estimate(left), strict=True):
            assert seen.languages == model.languages
            assert model.parameters.context is not None
            scorers = Scorers(seen.parameters)
            own.append(lessons_of(scorers, labelled, model.parameters.context, threads=threads))
    return [_learn(model, joined(own)) for own, model in zip(lessons, models, strict=True)]


def _cut(line: bytes, place: int) -> bytes:
    """Return a few words of a line, at a place that is another one in each line."""
    words, wanted = line.split(b" "), CUT_WORDS[place // CUT_EVERY % len(CUT_WORDS)]
    start = place % max(len(words) - wanted + 1, 1)
    return b" ".join(words[start : start + wanted])


def _learn(model: Model, lessons: Lessons) -> Corrections:
    shares, context = model.decisions.prior, model.parameters.context
    assert shares is not None
    assert context is not None
    of_prior = log_prior(shares)[lessons.languages]
    return learn(context, lessons, PRIOR_SHARE * of_prior + (1 - PRIOR_SHARE) * of_numbers(lessons))


def corrected(model: Model, plain: Model, corrections: Corrections) -> Model:
    """Return a model of the same labels as `plain`, with the corrections of that one."""
    assert model.languages == plain.languages
    context, other = model.parameters.context, plain.parameters.context
    assert context is not None
    assert other is not None
    share_of_context = 1 - model.settings.unigram_weight
    table = context.corrected(other, np.float32(SHARE) * corrections, share_of_context)
    return replace(model, parameters=replace(model.parameters, context=table))


def _chosen(parts: Parts, model: Model) -> dict[tuple[str, str], list[int]]:
    """Return which lines of running text are learned from: of each source, evenly spaced."""
    told = corpora.lines_of({key: part for key, part in parts.items() if corpora.is_told(key)})
    sources = {
        key: len(part.lines)
        for key, part in sorted(parts.items())
        if corpora.KINDS[key[0]] == "text"
        and len(part.lines) >= 2 * FOLDS  # else a fold would leave too little
        and (corpora.is_told(key) or told.get(key[1], 0) < corpora.ENOUGH)
    }
    lines = corpora.lines_of({key: parts[key] for key in sources})
    shares = model.decisions.prior
    assert shares is not None
    chosen = {}
    for (source, label), count in sources.items():
        share = min(1.0, max(LINES * float(shares[model.row_of(label)]), LEAST) / lines[label])
        taught = np.flatnonzero(np.arange(count) % FOLDS < TAUGHT)
        spaced = np.linspace(0, len(taught), round(len(taught) * share), endpoint=False).astype(int)
        chosen[source, label] = taught[spaced].tolist()
    return chosen
