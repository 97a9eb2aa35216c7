"""Close relatives, told apart: the context model is corrected as far as held-out lines speak for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from unilid.corpus.formats import lines_of_labels
from unilid.corpus.holding import LESSONS
from unilid.corpus.sampling import LabelledTexts
from unilid.errors import UnilidError
from unilid.model import Model
from unilid.models.context import ContextTable
from unilid.models.settings import Settings
from unilid.scoring.scorers import Scorers
from unilid.threads import Threads, number_of_threads
from unilid.training.engine import Candidate, Engine
from unilid.training.estimates import Estimates, of_fold
from unilid.training.lessons import joined, learn, lessons_of, only_of
from unilid.training.tune import BEYOND_CHANCE, Evidence, candidate, evidence, is_better

SHARES = (1.0, 0.5, 0.25)
"""Of the corrections that were learned, how much may be used: all, unless lines that they were not learned from speak
for less, or for none."""
# Corrections help most on text that is unlike the training lines, which held-out lines among these cannot show: so
# these have to speak against them, beyond chance, not for them. Where all lines are asked in turn, the most decide.


def tell_apart(model: Model, corpus: Mapping[str, Iterable[str | bytes]], *, threads: Threads = "auto") -> Model:
    """Return a model that tells some of its languages better from each other, and from all others.

    Only the rows of these languages change: what a word costs in any other stays as it is, to the bit. So do scores,
    unless the model has a bound: then a word costs at most so much more than in its best language, which may change.

    Parameters
    ----------
    model
        A model with a context model.
    corpus
        Lines of each of the languages, which the model must not have learned from: what was learned from a line looks
        better on it than on any other. A few hundred of each are enough; a language that was just added may have some
        of its lines kept for this.
    threads
        How many threads work; ``"auto"``: as many as this process has cores.

    Examples
    --------
    >>> import unilid
    >>> lines = {"hrv_Latn": ["Tko je to rekao? Nitko ne zna."] * 5, "srp_Latn": ["Ko je to rekao? Niko ne zna."] * 5}
    >>> model = unilid.tell_apart(unilid.load(), lines)
    >>> model.identify("Ko to zna? Niko.", languages=["hrv_Latn", "srp_Latn"]).label
    'srp_Latn'
    """
    context = model.parameters.context
    if context is None:
        raise UnilidError("the model has no context model to correct; `unilid train` makes one that has")
    texts = lines_of_labels(corpus)
    rows = {label: model.row_of(label) for label in texts}
    lines = LabelledTexts(
        np.repeat(list(rows.values()), [len(texts[label]) for label in rows]).astype(np.int64),
        [line for label in rows for line in texts[label]],
    )
    lessons = lessons_of(Scorers(model.parameters), lines, context, threads=number_of_threads(threads))
    corrections = learn(context, only_of(list(rows.values()), lessons))
    corrected = context.corrected(context, corrections, 1 - model.settings.unigram_weight)
    return replace(model, parameters=replace(model.parameters, context=corrected))


def correct(
    engine: Engine,
    folds: Sequence[Estimates],
    candidates: Sequence[Candidate],
    estimates: Estimates,
    settings: Settings,
) -> tuple[ContextTable | None, list[Candidate]]:
    """Return the context model of `estimates` with corrections, and the candidates of `folds` with theirs.

    The first of the estimates `folds` never saw the held-out lines; those of other folds are made where there are none.
    What is learned from all folds but one is tried on the lines of that one: on the held-out lines, or where `folds`
    has estimates without other lines as well, which a choice between models was made on, on all of these
    (cross-validation). Where they speak against it, nothing is corrected: None, and the candidates as they were.
    """
    learned = estimates.context
    assert learned is not None
    there = {of_fold(own) for own in folds}
    missing = [fold for fold in range(1 + LESSONS) if fold not in there and len(engine.rows(fold))]
    others = [engine.estimate(fold, estimates.vocabulary, settings) for fold in missing]
    every = [*folds, *others]
    plain = [*candidates, *(candidate(engine, own, settings) for own in others)]
    with engine.progress.stage("telling relatives apart", None):
        parts = [engine.lessons(own, tried, learned) for own, tried in zip(every, plain, strict=True)]
        corrections = learn(learned, joined(parts))
        if not corrections.any():
            return None, list(candidates)
        share_of_context = 1 - settings.unigram_weight

        def without(fold: int) -> list[Candidate]:
            """Return, for every share, what the lines of all other folds make of the estimates without this one."""
            own = every[fold].context
            assert own is not None
            lessons = learn(learned, joined([part for place, part in enumerate(parts) if place != fold]))
            return [
                plain[fold]._replace(corrected=own.corrected(learned, np.float32(share) * lessons, share_of_context))
                for share in SHARES
            ]

        tried = [without(fold) for fold in range(len(folds))]
        ways = [[*shares, uncorrected] for shares, uncorrected in zip(tried, candidates, strict=True)]
        errors = BEYOND_CHANCE if len(folds) == 1 else 0.0
        chosen = _chosen(evidence(engine, folds, ways), errors)
        if chosen == len(SHARES):
            return None, list(candidates)
        corrected = learned.corrected(learned, np.float32(SHARES[chosen]) * corrections, share_of_context)
        return corrected, [shares[chosen] for shares in tried]


def _chosen(found: Sequence[Evidence], errors: float) -> int:
    """Return which of some ways to take: the first, unless lines speak for another one by so many standard errors.

    >>> few, more = (np.arange(100) < 50) * 1.0, (np.arange(100) < 52) * 1.0
    >>> _chosen([few, more, more], 0.0), _chosen([few, more, more], 2.0), _chosen([more, few, few], 0.0)
    (1, 0, 0)
    """
    winner = 0
    for place in range(1, len(found)):
        if is_better(found[place], found[winner], errors):
            winner = place
    return winner
