"""Fitting the decisions of a model that exists: probabilities, rejection, calibrated UniLID and a prior."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from unilid.corpus import reading, sampling
from unilid.corpus.reading import Source
from unilid.corpus.sampling import LabelledTexts
from unilid.decisions.answerer import Answerer
from unilid.decisions.calibration import Rules
from unilid.decisions.decide import Decisions, answers_in_chunks, in_chunks
from unilid.decisions.fitting import fit_calibration, fit_confidence
from unilid.decisions.prior import Prior, fit_prior, log_prior
from unilid.errors import CorpusError, UnilidError
from unilid.model import Model
from unilid.progress import Progress, watched_by
from unilid.texts import Text, check_corpus, check_texts
from unilid.threads import Threads, number_of_threads

MAX_CONFIDENCE = 20_000
"""Validation lines that probabilities are fitted on, about: more do not change them."""
PRIOR_RANKS = 16
"""The best languages of a text among which it is shared when a prior is fitted."""


def calibrate(
    model: Model,
    corpus: Source | None = None,
    *,
    validation: Source | None = None,
    rules: Rules | Literal["auto", "paper"] = "auto",
    prior: Prior = "model",
    prior_from: Iterable[Text] | None = None,
    format: str = "auto",  # noqa: A002
    text_field: str = "text",
    label_field: str = "label",
    threads: Threads = "auto",
    progress: Progress | None = None,
) -> Model:
    """Return a model whose decisions were fitted; scores do not change.

    Parameters
    ----------
    model
        Any model.
    corpus
        The text that the model was trained on: gives the thresholds of calibrated UniLID. None leaves these alone.
    validation
        Labelled text that the model has not seen, in any format that training reads. Chooses the constants of
        calibrated UniLID, and fits probabilities and rejection.
    rules
        The constants: ``"auto"`` for the paper's, scaled to the model's corpus and chosen on validation lines where
        there are some; ``"paper"`` for exactly the paper's; or others.
    prior
        The prior that the model will be asked with; see `Options`.
    prior_from
        Texts like those that the model will be asked about, without labels: fits a prior, which ``prior="model"`` then
        uses.
    format, text_field, label_field
        The format of the files, and where in JSON Lines and Parquet the text and its label stand; ``"auto"``
        recognises the format.
    threads
        How many threads work; ``"auto"``: as many as this process has cores.
    progress
        Is told how far the work is.
    """
    progress = watched_by(progress)
    count = number_of_threads(threads)
    fields: dict[str, Any] = {"format": format, "text_field": text_field, "label_field": label_field}
    if corpus is None and validation is None and prior_from is None:
        raise UnilidError("nothing to calibrate with: give the training text, validation text or texts for a prior")

    def sampled(source: Source, size: int, stage: str) -> LabelledTexts:
        check_corpus(source)
        with progress.stage(stage, reading.size(source)) as advance:
            sample = sampling.sample(reading.read(source, progress=advance, **fields), size)
        known = sample.of(model.languages)
        if not len(known.texts):
            raise CorpusError("none of the text has a label that the model knows")
        return known

    languages, decisions = len(model.languages), model.decisions
    answerer = Answerer(model.parameters, decisions, cache_megabytes=model.cache_megabytes)
    # All of them: how often a language is met is part of what they say.
    held = None if validation is None else sampled(validation, sys.maxsize, "reading validation lines")
    if held is not None:
        some = held.every(1 + len(held.texts) // MAX_CONFIDENCE)
        with progress.stage("fitting probabilities", None):
            decisions = fit_confidence(decisions, answerer.scorers.scorer, languages, some, threads=count)
    if corpus is not None:
        size = rules.max_margins if isinstance(rules, Rules) else Rules().max_margins
        lines = sampled(corpus, size, "reading training lines")
        logs = answerer.log_prior(None, prior)
        with progress.stage("calibrating", None):
            calibration = fit_calibration(
                answerer.scorers, lines, held, rules, logs, handicaps=decisions.handicaps, threads=count
            )
        decisions = replace(decisions, calibration=calibration)
    if prior_from is not None:
        with progress.stage("fitting the prior", None):
            uniform = Decisions(decisions.temperature, handicaps=decisions.handicaps).kernel(
                log_prior(np.ones(languages)), calibrated=False, rate=None
            )
            ranks = min(PRIOR_RANKS, languages)
            chunks = answers_in_chunks(
                answerer.scorers.scorer, in_chunks(check_texts(prior_from)), uniform, k=ranks, threads=count
            )
            decisions = replace(decisions, prior=fit_prior(list(chunks), languages))
    return replace(model, decisions=decisions)
