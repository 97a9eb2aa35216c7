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
from unilid.decisions.odds import even_odds, fit_handicaps
from unilid.decisions.temperature import Temperature, fit_temperature
from unilid.models import unigram as unigrams
from unilid.models.settings import Settings
from unilid.training.engine import Candidate, Engine
from unilid.training.estimates import Estimates, of_fold

UNSEEN_LOG_P = (-8.0, -9.0, -10.0, -11.0, -12.0, -13.0, -15.0)
"""Log-probabilities of an unseen token that held-out lines may choose instead of the default."""
UNIGRAM_WEIGHTS = (0.0, 1 / 16, 5 / 16, 8 / 16, 12 / 16)
"""Shares of the unigram model that held-out lines may choose instead of the default."""
WORTH = 0.002
"""What a unigram model beside the context model must add to the evidence of a line, give or take a standard error, or
else it is left out: it takes a quarter of the time."""
BOUNDS = (10.0, 6.0, None)
"""Bounds in nats that held-out lines may choose instead of the default."""
LEXICON_SIZE = 10_000
"""Words of a language in a lexicon, where held-out lines choose one."""

BEYOND_CHANCE = 2.0
"""Standard errors of the lines on which two settings disagree by which another one must win."""
BEYOND_CHANCE_ALONE = 1.0
"""The same for adding a lexicon, and for dropping the context model, which saves room."""


Evidence: TypeAlias = npt.NDArray[np.float64]
"""What each held-out line says for a model: 1 if it is answered right, else 0. Of few labels, its log-likelihood."""


def tune(
    engine: Engine,
    folds: Sequence[Estimates],
    settings: Settings,
    *,
    choose_bound: bool,
    choose_context: bool,
    choose_lexicon: bool,
) -> tuple[Settings, Evidence]:
    """Choose constants one after the other on the lines of folds, each estimated without its lines.

    Returns them, and what the lines say for them.
    """
    found: dict[Settings, Evidence] = {}

    def better(first: Settings, others: Sequence[Settings], errors: float = BEYOND_CHANCE) -> Settings:
        """Return the first, unless another one wins beyond chance."""
        new = [settings for settings in dict.fromkeys([first, *others]) if settings not in found]
        if new:
            tried = [[candidate(engine, own, settings) for settings in new] for own in folds]
            found.update(zip(new, evidence(engine, folds, tried), strict=True))
        winner = first
        for other in others:
            if is_better(found[other], found[winner], errors):
                winner = other
        return winner

    def cheaper(first: Settings, other: Settings) -> Settings:
        """Return the other one, which `better` has seen, if it is clearly no more than WORTH behind."""
        difference = found[first] - found[other]
        most = difference.sum() + math.sqrt((difference**2).sum() + 1)
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
        return better(settings, []), found[settings]


def evidence(engine: Engine, folds: Sequence[Estimates], candidates: Sequence[Sequence[Candidate]]) -> list[Evidence]:
    """Return what the lines of folds say for models; `candidates`: these models, as estimated without each fold.

    Few labels are compared at even odds: by how many lines are right, one might win that names the most frequent label
    too often, and of a few hundred lines the likelihood says more.
    """
    count = len(engine.labels)
    if count > TOP:
        truth = np.concatenate([engine.evaluated(of_fold(own)) for own in folds])
        answers = [engine.answers(own, tried) for own, tried in zip(folds, candidates, strict=True)]
        return [(np.concatenate(rows) == truth).astype(np.float64) for rows in zip(*answers, strict=True)]
    scored = [engine.scored(own, tried) for own, tried in zip(folds, candidates, strict=True)]
    return [even_odds(HeldOut.joined(parts), count, Temperature()).evidence for parts in zip(*scored, strict=True)]


def fit_decisions(engine: Engine, folds: Sequence[Estimates], candidates: Sequence[Candidate]) -> Decisions:
    """Let models that never saw the lines of a fold say how sure they can be, and what their languages usually score.

    Few labels, such as dialects, have handicaps, by which none of them wins only because there was more text of it.
    """
    count = len(engine.labels)
    with engine.progress.stage("fitting probabilities", None):
        parts = [engine.scored(own, [tried], cut=True) for own, tried in zip(folds, candidates, strict=True)]
        held = HeldOut.joined([scored for [scored] in parts])
        handicaps = None if count > TOP else fit_handicaps(held, count, fit_temperature(held))
        return fit_to(held.with_handicaps(handicaps), Decisions(handicaps=handicaps), count)


def candidate(engine: Engine, estimates: Estimates, settings: Settings) -> Candidate:
    """Return the model with these settings, with a lexicon where they ask for one."""
    return Candidate(settings, engine.lexicon(estimates, settings) if settings.lexicon_size else None)


def is_better(found: Evidence, other: Evidence, errors: float = BEYOND_CHANCE) -> bool:
    """Whether lines say more for a model than for another one, by so many standard errors of what they differ by."""
    difference = found - other
    return float(difference.sum()) > errors * math.sqrt((difference**2).sum())
