"""Fitting a model's decisions to text: confidence, rejection, calibrated UniLID, prior. Scores stay as they are."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from unilid import _kernel
from unilid import calibration as calibrations
from unilid import corpus as corpora
from unilid.calibration import Calibration, Floats, Rules
from unilid.confidence import Held, fit_rejection, fit_temperature
from unilid.corpus import Batch, Source
from unilid.counts import Counter, held_out
from unilid.decisions import Decisions
from unilid.errors import CorpusError, UnilidError
from unilid.labels import split
from unilid.model import Model, Prior, Text, check_texts
from unilid.stages import Progress, Silent, cores

UNSEEN = (-11.0, -13.0, -15.0, -17.0, -19.0, -21.0)
"""What validation lines choose the constant for unseen tokens from."""
MAX_CONFIDENCE = 20_000
"""Validation lines that probabilities are fitted on."""


def fit_confidence(
    model: Model, rows: npt.NDArray[np.integer], texts: Sequence[bytes], *, threads: int = 1
) -> Decisions:
    """Return the model's decisions with temperature and rejection fitted on lines that it never saw."""
    if not len(texts):
        return model.decisions
    held = Held.of(model.scorer(), rows, texts, threads=threads)
    temperature = fit_temperature(held)
    rejection = fit_rejection(held, len(model.languages), temperature)
    return replace(model.decisions, temperature=temperature, rejection=rejection)


def calibrate(
    model: Model,
    corpus: Source | None = None,
    *,
    validation: Source | None = None,
    rules: Rules | Literal["paper"] | None = None,
    prior: Prior = "model",
    prior_from: Iterable[Text] | None = None,
    format: str | None = None,  # noqa: A002
    text_field: str = "text",
    label_field: str = "label",
    threads: int | None = None,
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
        The constants: None for the paper's, scaled to the model's corpus and chosen on validation lines where there are
        some; ``"paper"`` for exactly the paper's; or others.
    prior
        That the model will be asked with; see `Model.identify`.
    prior_from
        Texts like those that the model will be asked about, without labels: fits a prior, which ``prior="model"`` then
        uses.
    format, text_field, label_field
        Of the files, where it cannot be found out.
    threads
        Default: all cores.
    progress
        Is told how far the work is.
    """
    progress = progress or Silent()
    threads = cores() if threads is None else threads
    fields: dict[str, Any] = {"format": format, "text_field": text_field, "label_field": label_field}
    if corpus is None and validation is None and prior_from is None:
        raise UnilidError("nothing to calibrate with: give the training text, validation text or texts for a prior")

    def drawn(source: Source, size: int, stage: str) -> tuple[npt.NDArray[np.int64], list[bytes]]:
        with progress.stage(stage, corpora.size(source)) as advance:
            sample = calibrations.sample(corpora.read(source, progress=advance, **fields), size)
        known = sample.known({label: row for row, label in enumerate(model.languages)})
        if not len(known[1]):
            raise CorpusError("none of the text has a label that the model knows")
        return known

    # All of them: how often a language is met is part of what they say.
    held = None if validation is None else drawn(validation, sys.maxsize, "reading validation lines")
    if held is not None:
        every = slice(None, None, 1 + len(held[1]) // MAX_CONFIDENCE)
        with progress.stage("fitting probabilities", None):
            model = replace(model, decisions=fit_confidence(model, held[0][every], held[1][every], threads=threads))
    if corpus is not None:
        size = rules.max_margins if isinstance(rules, Rules) else Rules().max_margins
        lines = drawn(corpus, size, "reading training lines")
        with progress.stage("calibrating", None):
            found = _calibration(model, lines, held, rules, prior, threads)
        model = replace(model, decisions=replace(model.decisions, calibration=found))
    if prior_from is not None:
        with progress.stage("fitting the prior", None):
            model = replace(model, decisions=replace(model.decisions, prior=fit_prior(model, prior_from, threads)))
    return model


def _calibration(
    model: Model,
    lines: tuple[npt.NDArray[np.int64], list[bytes]],
    held: tuple[npt.NDArray[np.int64], list[bytes]] | None,
    wanted: Rules | Literal["paper"] | None,
    prior: Prior,
    threads: int,
) -> Calibration:
    if not (wanted is None or wanted == "paper" or isinstance(wanted, Rules)):
        raise UnilidError(f"rules must be None, 'paper' or Rules, not {wanted!r}")
    rules = wanted if isinstance(wanted, Rules) else Rules() if wanted == "paper" else Rules.scaled(model.lines)
    count = len(model.languages)
    if wanted is None:
        # A constant that is shared already needs no lowering.
        shared = model.settings.unseen == "shared"
        rules = replace(rules, unseen=0.0 if shared else _choose_unseen(model, held, prior, threads))
    replaces = (model.lines >= rules.replacement).astype(np.uint8)
    unseen = calibrations.lowered(model.unigram.unseen, rules.unseen)
    bare = Calibration(rules, np.zeros(count), replaces, unseen)
    lowered = replace(model, decisions=replace(model.decisions, calibration=bare))
    margins = own_margins(lowered, *lines, prior=prior, threads=threads)

    misclassified = own = None
    if held is not None:
        truth, texts = held
        ranked, keys = _ranked(lowered, texts, rules.ranks, prior, threads)
        predicted = ranked[:, 0]
        misclassified = np.bincount(predicted[predicted != truth], minlength=count)
        own = np.bincount(truth, minlength=count)
        if wanted is None:
            # Examined again is whatever validation lines speak for; any language may then be the answer instead.
            replaces = np.ones(count, np.uint8)
            near = (keys[:, :1] - keys[:, 1:] <= rules.distance) & (ranked[:, 1:] >= 0)
            instead = np.where(near.any(axis=1), np.take_along_axis(ranked, 1 + near.argmax(1)[:, None], 1)[:, 0], -1)
            margin = keys[:, 0] - keys[:, 1]
            chosen = calibrations.choose_percentiles(model.languages, predicted, truth, instead, margin, margins, rules)
            rules = replace(rules, percentiles=chosen, replacement=0)
    z = calibrations.standardised(
        calibrations.entropies(count, model.unigram.languages, model.unigram.costs),
        [split(label)[1] or "" for label in model.languages],
    )
    entropic = calibrations.high_entropy(rules, z, model.lines, misclassified, own)
    thresholds = [
        rules.threshold(label, int(model.lines[row]), margins[row], high_entropy=bool(entropic[row]))
        for row, label in enumerate(model.languages)
    ]
    return Calibration(rules, np.array(thresholds), replaces, unseen)


def _choose_unseen(
    model: Model, held: tuple[npt.NDArray[np.int64], list[bytes]] | None, prior: Prior, threads: int
) -> float:
    """Return the constant under which most validation lines are right."""
    if held is None:
        return Rules().unseen
    truth, texts = held
    right = {}
    for constant in UNSEEN:
        bare = Calibration(
            Rules(unseen=constant),
            np.zeros(len(model.languages)),
            np.zeros(len(model.languages), np.uint8),
            calibrations.lowered(model.unigram.unseen, constant),
        )
        lowered = replace(model, decisions=replace(model.decisions, calibration=bare))
        rows = lowered.best_rows(texts, prior=prior, calibrated=True, threads=threads)
        right[constant] = int((rows == truth).sum())
    return max(right, key=lambda constant: right[constant])


def _ranked(
    model: Model, texts: Sequence[bytes], k: int, prior: Prior, threads: int
) -> tuple[npt.NDArray[np.int32], Floats]:
    """Return the k best rows of texts under the calibrated scorer, before any is examined again, and their keys."""
    k = min(k, len(model.languages))
    log_prior = model.log_prior(None, prior)
    decision = model.decisions.kernel(log_prior, calibrated=False, rate=None)
    rows, scores, _, _ = model.scorer(calibrated=True).decide(list(texts), decision, k, threads)
    keys = np.where(rows >= 0, scores + log_prior[np.maximum(rows, 0)], -np.inf)
    if k < 2:  # a model of one language: nothing to be confused with
        rows, keys = np.column_stack([rows, np.full(len(rows), -1, np.int32)]), np.column_stack([keys, keys - np.inf])
    return rows, keys


def own_margins(
    model: Model, truth: npt.NDArray[np.integer], texts: Sequence[bytes], *, prior: Prior = None, threads: int = 1
) -> list[Floats]:
    """Return, for each language, the margins of its lines that it wins."""
    rows, keys = _ranked(model, texts, 2, prior, threads)
    won = (rows[:, 0] == truth) & (rows[:, 1] >= 0)  # with no other language behind it there is no margin
    return [keys[won & (truth == row), 0] - keys[won & (truth == row), 1] for row in range(len(model.languages))]


def fit_prior(model: Model, texts: Iterable[Text], threads: int, *, rounds: int = 100) -> Floats:
    """Return the shares of languages in texts: those under which the texts are most probable (EM)."""
    scorer, k = model.scorer(), min(16, len(model.languages))
    uniform = model.decisions.kernel(model.log_prior(None, None), calibrated=False, rate=None)
    many = check_texts(texts)
    rows, _, probabilities, verdicts = scorer.decide(many, uniform, k, threads)
    language = verdicts == 0
    rows, probabilities = rows[language], probabilities[language]
    if not len(rows):
        raise CorpusError("the texts for the prior have no language in them")
    shares = np.full(len(model.languages), 1 / len(model.languages))
    for _ in range(rounds):
        weights = probabilities * shares[rows]
        weights /= weights.sum(axis=1, keepdims=True)
        # Half a text for all languages together: what was not seen yet is not impossible.
        counts = np.bincount(rows.ravel(), weights.ravel(), minlength=len(shares)) + 0.5 / len(shares)
        updated = counts / counts.sum()
        if np.abs(updated - shares).sum() < 1e-6:
            break
        shares = updated
    return np.asarray(shares)


def fit_added(before: Model, after: Model, texts: Mapping[str, list[bytes]], *, threads: int = 1) -> Model:
    """Return a model with languages added, its decisions extended to them from their own lines alone."""
    old = before.decisions
    first, count = len(before.languages), len(after.languages)
    labels = after.languages[first:]
    rejection = None
    if old.rejection is not None:
        rejection = old.rejection.append(_hold_out(before, labels, texts, threads), count - first)
    prior = None
    if old.prior is not None:
        # As much as the average language; the others keep their proportions.
        prior = np.concatenate([old.prior, np.full(count - first, 1 / count)])
        prior /= prior.sum()
    calibration = None
    if old.calibration is not None:
        rules = old.calibration.rules
        if rules.percentiles is not None:  # nobody chose for the new ones: the paper's rule
            chosen = {label: q for label in labels if (q := _paper_percentile(rules, after, label)) is not None}
            rules = replace(rules, percentiles={**rules.percentiles, **chosen})
        new = np.arange(first, count)
        calibration = Calibration(
            rules,
            np.concatenate([old.calibration.thresholds, np.zeros(len(new))]),
            np.concatenate([old.calibration.replaces, after.lines[new] >= rules.replacement]).astype(np.uint8),
            np.concatenate([old.calibration.unseen, calibrations.lowered(after.unigram.unseen[new], rules.unseen)]),
        )
        lowered = replace(after, decisions=replace(old, rejection=None, prior=None, calibration=calibration))
        rows = np.concatenate([np.full(len(texts[label]), first + i) for i, label in enumerate(labels)])
        margins = own_margins(lowered, rows, [text for label in labels for text in texts[label]], threads=threads)
        for row, label in zip(new.tolist(), labels, strict=True):
            calibration.thresholds[row] = rules.threshold(label, int(after.lines[row]), margins[row])
    return replace(after, decisions=Decisions(old.temperature, rejection, calibration, prior))


def _paper_percentile(rules: Rules, model: Model, label: str) -> float | None:
    return replace(rules, percentiles=None).percentile_of(label, int(model.lines[model.row(label)]), high_entropy=False)


def _hold_out(model: Model, labels: Sequence[str], texts: Mapping[str, list[bytes]], threads: int) -> Held:
    """Score the last lines of new languages with what can be learned from the others."""
    counter = Counter()
    kept: list[str] = []
    rows: list[int] = []
    held: list[bytes] = []
    for row, label in enumerate(labels, len(model.languages)):
        lines = texts[label]
        first = len(lines) - held_out(len(lines), len(lines))
        if first < len(lines) and any(word[5] == 0 for line in lines[:first] for word in _kernel.split_words(line)):
            counter.add(Batch([label] * first, lines[:first]))
            kept.append(label)
            rows += [row] * (len(lines) - first)
            held += lines[first:]
    counted = counter.corpus() if kept else None
    partial = model if counted is None else model.append(counted.labels, counted.words, counted.lines, threads=threads)
    number = {row: partial.row(label) for row, label in enumerate(labels, len(model.languages)) if label in kept}
    found = Held.of(partial.scorer(), np.array([number[row] for row in rows], np.int64), held, threads=threads)
    found = found.take(found.whole & (found.letters > 0) & (found.cost > 0))
    back = {new: row for row, new in number.items()}
    return replace(found, rows=np.array([back[row] for row in found.rows.tolist()], np.int64))
