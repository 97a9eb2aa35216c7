"""Choosing the constants of a model on held-out training lines."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from functools import cache

import numpy as np
import numpy.typing as npt

from unilid.corpus.counts import Corpus
from unilid.corpus.sampling import LabelledTexts
from unilid.decisions.decide import Decisions, best
from unilid.decisions.fitting import fit_confidence
from unilid.decisions.prior import log_prior
from unilid.models import unigram as unigrams
from unilid.models.parameters import Parameters, lexicon_of
from unilid.models.scripts import of_words
from unilid.models.settings import Settings
from unilid.models.vocabulary import Vocabulary
from unilid.scoring.scorers import Scorers
from unilid.training.estimation import Estimation

UNSEEN_LOG_P = (-8.0, -9.0, -10.0, -11.0, -12.0, -13.0, -15.0)
"""Log-probabilities of an unseen token that held-out lines may choose instead of the default."""
UNIGRAM_WEIGHTS = (0.0, 1 / 16, 5 / 16, 8 / 16, 12 / 16)
"""Shares of the unigram model that held-out lines may choose instead of the default."""
WORTH = 0.002
"""What a unigram model beside the context model must add to the accuracy, give or take a standard error, or else it is
left out: it takes a quarter of the time."""
BOUNDS = (10.0, 6.0, None)
"""Bounds in nats that held-out lines may choose instead of the default."""
LEXICON_SIZE = 10_000
"""Words of a language in a lexicon, where held-out lines choose one."""

MAX_EVALUATED = 20_000
"""Held-out lines that a choice is made on, at most."""
BEYOND_CHANCE = 2.0
"""Standard errors of the lines on which two settings disagree by which another one must win."""
BEYOND_CHANCE_ALONE = 1.0
"""The same for adding a lexicon, and for dropping the context model, which saves room."""


def tune(
    corpus: Corpus,
    vocabulary: Vocabulary,
    settings: Settings,
    estimation: Estimation,
    *,
    choose_bound: bool,
    choose_context: bool,
    choose_lexicon: bool,
) -> tuple[Settings, Decisions]:
    """Choose constants one after the other by the accuracy on held-out lines, estimated without them.

    The model that never saw these lines then says how sure it can be, and what its languages usually score.
    """
    usable = [row for row, words in enumerate(corpus.kept) if len(words.counts)]
    labels = [corpus.labels[row] for row in usable]
    kept = [corpus.kept[row] for row in usable]
    expected = estimation.expect(vocabulary, kept, settings)
    table = None if settings.order is None else estimation.contexts(kept, settings)
    place = np.full(len(corpus.labels), -1)
    place[usable] = np.arange(len(usable))
    every = -(-len(corpus.held_texts) // MAX_EVALUATED)
    lines = LabelledTexts(place[corpus.held_rows], corpus.held_texts).every(every)
    uniform = log_prior(np.ones(len(usable)))

    counts = np.zeros(len(usable), np.int64)
    scripts = tuple(of_words(words) for words in kept) if settings.scripts else None

    def scorers_of(candidate: Settings) -> Scorers:
        own_table = table if candidate.order is not None else None
        bare = replace(candidate, scripts=False, lexicon_size=0)
        parameters = Parameters.of(labels, vocabulary, expected, own_table, bare, counts)
        lexicon = lexicon_of(parameters, candidate, kept, estimation.threads) if candidate.lexicon_size else None
        return Scorers(replace(parameters, lexicon=lexicon, scripts=scripts, settings=candidate))

    @cache
    def is_right(candidate: Settings) -> npt.NDArray[np.bool_]:
        rows, _ = best(scorers_of(candidate).scorer, lines.texts, uniform, threads=estimation.threads)
        return np.asarray(rows[:, 0] == lines.rows)

    def better(first: Settings, others: Iterable[Settings], errors: float = BEYOND_CHANCE) -> Settings:
        """Return the first, unless another one wins beyond chance."""
        winner = first
        for other in others:
            gain = int(is_right(other).sum()) - int(is_right(winner).sum())
            if gain > errors * math.sqrt((is_right(other) != is_right(winner)).sum()):
                winner = other
        return winner

    def cheaper(first: Settings, other: Settings) -> Settings:
        """Return the other one if it is clearly no more than WORTH behind."""
        difference = is_right(first).astype(int) - is_right(other)
        most = difference.sum() + math.sqrt((difference != 0).sum() + 1)
        return other if most < WORTH * len(difference) else first

    if choose_lexicon:
        settings = replace(settings, lexicon_size=0)
    alone = replace(settings, order=None, unigram_weight=1.0)
    with estimation.progress.stage("choosing constants", None):
        if settings.unseen == "shared":
            alone = replace(alone, unseen_log_p=unigrams.default_unseen(expected))
            alone = better(alone, [replace(alone, unseen_log_p=value) for value in UNSEEN_LOG_P])
            settings = replace(settings, unseen_log_p=alone.unseen_log_p)
        if settings.order is not None:
            settings = better(settings, [replace(settings, unigram_weight=weight) for weight in UNIGRAM_WEIGHTS])
            settings = cheaper(settings, replace(settings, unigram_weight=0.0))
            if choose_bound:
                settings = better(settings, [replace(settings, bound=bound) for bound in BOUNDS])
        if choose_lexicon:
            settings = better(settings, [replace(settings, lexicon_size=LEXICON_SIZE)], errors=BEYOND_CHANCE_ALONE)
        if settings.order is not None and choose_context:
            # Dialects differ by words more than by spelling: there the unigram model may be the better one.
            alternatives = [alone, replace(alone, lexicon_size=LEXICON_SIZE)] if choose_lexicon else [alone]
            settings = better(settings, alternatives, errors=BEYOND_CHANCE_ALONE)
    with estimation.progress.stage("fitting probabilities", None):
        known = np.flatnonzero(lines.rows >= 0)
        decisions = fit_confidence(
            Decisions(),
            scorers_of(settings).scorer,
            len(usable),
            LabelledTexts(lines.rows[known], [lines.texts[i] for i in known]),
            threads=estimation.threads,
        )
    return settings, decisions.placed(usable, len(corpus.labels))
