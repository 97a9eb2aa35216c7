"""Choosing the constants of a model on held-out training lines."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from unilid.decisions.decide import Decisions
from unilid.decisions.fitting import fit_to
from unilid.decisions.held_out import TOP, HeldOut
from unilid.decisions.prior import even_prior, log_prior
from unilid.models import unigram as unigrams
from unilid.models.settings import Settings
from unilid.training.engine import Candidate, Engine
from unilid.training.estimates import Estimates, of_fold

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

BEYOND_CHANCE = 2.0
"""Standard errors of the lines on which two settings disagree by which another one must win."""
BEYOND_CHANCE_ALONE = 1.0
"""The same for adding a lexicon, and for dropping the context model, which saves room."""


Right: TypeAlias = npt.NDArray[np.bool_]
"""Whether each line is answered right."""


def tune(
    engine: Engine,
    folds: Sequence[Estimates],
    settings: Settings,
    *,
    choose_bound: bool,
    choose_context: bool,
    choose_lexicon: bool,
) -> tuple[Settings, Right]:
    """Choose constants one after the other by the accuracy on the lines of folds, each estimated without its lines.

    Returns them, and which of the lines are right then.
    """
    languages = np.concatenate([engine.evaluated(of_fold(own)) for own in folds])
    rights: dict[Settings, Right] = {}

    def is_right(settings: Settings) -> Right:
        return rights[settings]

    def better(first: Settings, others: Sequence[Settings], errors: float = BEYOND_CHANCE) -> Settings:
        """Return the first, unless another one wins beyond chance."""
        new = [settings for settings in dict.fromkeys([first, *others]) if settings not in rights]
        if new:
            answers = [engine.answers(own, [candidate(engine, own, settings) for settings in new]) for own in folds]
            rights.update({s: np.concatenate(rows) == languages for s, *rows in zip(new, *answers, strict=True)})
        winner = first
        for other in others:
            if is_better(is_right(other), is_right(winner), errors):
                winner = other
        return winner

    def cheaper(first: Settings, other: Settings) -> Settings:
        """Return the other one, which `better` has seen, if it is clearly no more than WORTH behind."""
        difference = is_right(first).astype(int) - is_right(other)
        most = difference.sum() + math.sqrt((difference != 0).sum() + 1)
        return other if most < WORTH * len(difference) else first

    if choose_lexicon:
        settings = replace(settings, lexicon_size=0)
    alone = replace(settings, order=None, unigram_weight=1.0)
    with engine.progress.stage("choosing constants", None):
        if settings.unseen == "shared":
            alone = replace(alone, unseen_log_p=unigrams.default_unseen(folds[0].expected))
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
        return better(settings, []), is_right(settings)


def fit_decisions(engine: Engine, folds: Sequence[Estimates], candidates: Sequence[Candidate]) -> Decisions:
    """Let models that never saw the lines of a fold say how sure they can be, and what their languages usually score.

    Few labels, such as dialects, have a prior by which none of them wins only because there was more text of it.
    """
    count = len(engine.labels)
    with engine.progress.stage("fitting probabilities", None):
        held = engine.scored(folds[0], candidates[0])
        decisions = fit_to(held, Decisions(), count)
        if count > TOP:
            return decisions
        others = [engine.scored(own, tried) for own, tried in zip(folds[1:], candidates[1:], strict=True)]
        prior = even_prior(HeldOut.joined([held, *others]), count, decisions.temperature)
        if prior is None:
            return decisions
        return fit_to(held.with_prior(log_prior(prior)), replace(decisions, prior=prior), count)


def candidate(engine: Engine, estimates: Estimates, settings: Settings) -> Candidate:
    """Return the model with these settings, with a lexicon where they ask for one."""
    return Candidate(settings, engine.lexicon(estimates, settings) if settings.lexicon_size else None)


def is_better(right: Right, other: Right, errors: float = BEYOND_CHANCE) -> bool:
    """Whether more lines are right than otherwise, by so many standard errors of the lines on which the two differ."""
    return int(right.sum()) - int(other.sum()) > errors * math.sqrt((right != other).sum())
