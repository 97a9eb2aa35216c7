"""Close relatives, told apart: the context model is corrected as far as held-out lines speak for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from unilid.corpus.counts import HELD
from unilid.corpus.formats import lines_of_labels
from unilid.corpus.holding import LESSONS
from unilid.corpus.sampling import LabelledTexts
from unilid.decisions.decide import Decisions
from unilid.decisions.fitting import fit_to
from unilid.errors import UnilidError
from unilid.model import Model
from unilid.models.context import ContextTable
from unilid.models.settings import Settings
from unilid.scoring.scorers import Scorers
from unilid.threads import Threads, number_of_threads
from unilid.training.engine import Engine
from unilid.training.estimates import Estimates
from unilid.training.lessons import Lessons, joined, learn, lessons_of, only_of
from unilid.training.tune import candidate, is_better

SHARES = (1.0, 0.5)
"""Of the corrections that were learned, how much may be used: the first that held-out lines do not speak against."""
# Corrections help most on text that is unlike the training lines, which held-out lines among these cannot show: so
# these have to speak against them, beyond chance, not for them.


def tell_apart(model: Model, corpus: Mapping[str, Iterable[str | bytes]], *, threads: Threads = "auto") -> Model:
    """Return a model that tells some of its languages better from each other, and from all others.

    Only the rows of these languages change: scores of all others stay as they are, to the bit.

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
    engine: Engine, folds: Sequence[Estimates], estimates: Estimates, settings: Settings, decisions: Decisions
) -> tuple[ContextTable | None, Decisions]:
    """Return the context model of `estimates` with corrections, and decisions that are fitted with them.

    The first of the estimates `folds` never saw the held-out lines; those of other folds are made where there are none.
    What is learned from the other folds is tried on the held-out lines; what is learned from all is the result. Where
    held-out lines speak against it, nothing is corrected.
    """
    kept, *others = folds
    learned, of_kept = estimates.context, kept.context
    assert learned is not None
    assert of_kept is not None
    share_of_context = 1 - settings.unigram_weight

    def lessons(own: Estimates) -> Lessons:
        with engine.progress.stage("telling relatives apart", None):
            return engine.lessons(own, candidate(engine, own, settings), learned)

    parts = [lessons(own) for own in others]
    missing = range(1 + len(others), 1 + LESSONS)
    parts += [lessons(engine.estimate(fold, estimates.vocabulary, settings)) for fold in missing]
    with engine.progress.stage("telling relatives apart", None):
        corrections = learn(learned, joined(parts))
        if not corrections.any():
            return None, decisions
        plain = candidate(engine, kept, settings)
        tried = [
            plain._replace(corrected=of_kept.corrected(learned, np.float32(share) * corrections, share_of_context))
            for share in SHARES
        ]
        truth = engine.evaluated(HELD)
        before, *after = [rows == truth for rows in engine.answers(kept, [plain, *tried])]
        chosen = next((place for place, right in enumerate(after) if not is_better(before, right)), None)
        if chosen is None:
            return None, decisions
        fitted = fit_to(engine.scored(kept, tried[chosen]), decisions, len(engine.labels))
    parts.append(lessons(kept))
    with engine.progress.stage("telling relatives apart", None):
        corrections = np.float32(SHARES[chosen]) * learn(learned, joined(parts))
        return learned.corrected(learned, corrections, share_of_context), fitted
