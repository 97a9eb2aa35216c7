"""Fitting decisions to text: probabilities, rejection and calibrated UniLID. Scores stay as they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from unilid import _kernel
from unilid.corpus.counts import Counter
from unilid.corpus.formats import Batch
from unilid.corpus.holding import lines_to_hold_out
from unilid.corpus.sampling import LabelledTexts
from unilid.decisions import calibration as calibrations
from unilid.decisions import prior as priors
from unilid.decisions.calibration import Calibration, Rules
from unilid.decisions.decide import Decisions, best
from unilid.decisions.held_out import Floats, HeldOut, without_last
from unilid.decisions.rejection import fit_rejection
from unilid.decisions.temperature import fit_temperature
from unilid.errors import UnilidError
from unilid.languages.labels import split
from unilid.models.parameters import Parameters
from unilid.scoring.scorers import Scorers

RAISED_UNSEEN = (-11.0, -13.0, -15.0, -17.0, -19.0, -21.0)
"""Log-probabilities that validation lines choose the constant for unseen tokens from."""


def fit_confidence(
    decisions: Decisions,
    scorer: _kernel.Scorer,
    language_count: int,
    lines: LabelledTexts,
    *,
    log_prior: Floats | None = None,
    threads: int,
) -> Decisions:
    """Return decisions with temperature and rejection fitted on lines that the scorer's models never saw.

    `log_prior` is that of the languages in the lines; None: they are equally frequent.
    """
    if not len(lines.texts):
        return decisions
    held = HeldOut.of(scorer, lines, log_prior=log_prior, threads=threads)
    return fit_to(held.with_handicaps(decisions.handicaps), decisions, language_count)


def fit_to(held: HeldOut, decisions: Decisions, language_count: int) -> Decisions:
    """Return decisions with temperature and rejection fitted on texts that were scored."""
    temperature = fit_temperature(held)
    return replace(decisions, temperature=temperature, rejection=fit_rejection(held, language_count, temperature))


def fit_calibration(
    scorers: Scorers,
    lines: LabelledTexts,
    validation: LabelledTexts | None,
    rules: Rules | Literal["auto", "paper"],
    log_prior: Floats,
    *,
    handicaps: Floats | None = None,
    threads: int,
) -> Calibration:
    """Return the thresholds of calibrated UniLID, from training lines; validation lines choose the constants."""
    if not (rules in ("auto", "paper") or isinstance(rules, Rules)):
        raise UnilidError(f"rules must be 'auto', 'paper' or Rules, not {rules!r}")
    parameters = scorers.parameters
    automatic = rules == "auto"
    if not isinstance(rules, Rules):
        rules = Rules() if rules == "paper" else Rules.scaled(parameters.lines)
    if automatic:
        # A constant that all languages share already needs no raising.
        shared = parameters.settings.unseen == "shared"
        rules = replace(
            rules, unseen=0.0 if shared else _choose_unseen(scorers, validation, log_prior, handicaps, threads)
        )
    count = len(parameters.languages)
    replaces = (parameters.lines >= rules.replacement).astype(np.uint8)
    unseen = calibrations.raise_unseen(parameters.unigram.unseen, rules.unseen)
    scorer = scorers.with_unseen(unseen).scorer
    margins = own_margins(scorer, lines, log_prior, handicaps=handicaps, threads=threads)

    misclassified = own = None
    if validation is not None:
        rows, keys = _at_least_two(scorer, validation.texts, log_prior, handicaps, rules.ranks, threads)
        answered = rows[:, 0] >= 0  # blank lines are not
        rows, keys, truth = rows[answered], keys[answered], validation.rows[answered]
        predicted = rows[:, 0]
        misclassified = np.bincount(predicted[predicted != truth], minlength=count)
        own = np.bincount(truth, minlength=count)
        if automatic:
            # Re-ranked is whatever validation lines speak for; any language may then be the answer instead.
            replaces = np.ones(count, np.uint8)
            near = (keys[:, :1] - keys[:, 1:] <= rules.distance) & (rows[:, 1:] >= 0)
            instead = np.where(near.any(axis=1), np.take_along_axis(rows, 1 + near.argmax(1)[:, None], 1)[:, 0], -1)
            percentiles = calibrations.choose_percentiles(
                parameters.languages, predicted, truth, instead, keys[:, 0] - keys[:, 1], margins, rules
            )
            rules = replace(rules, percentiles=percentiles, replacement=0)
    z = calibrations.standardised(
        calibrations.entropies(count, parameters.unigram.languages, parameters.unigram.costs),
        [split(label)[1] or "" for label in parameters.languages],
    )
    entropic = calibrations.high_entropy(rules, z, parameters.lines, misclassified, own)
    thresholds = [
        rules.threshold(label, int(parameters.lines[row]), margins[row], high_entropy=bool(entropic[row]))
        for row, label in enumerate(parameters.languages)
    ]
    return Calibration(rules, np.array(thresholds), replaces, unseen)


def _choose_unseen(
    scorers: Scorers, validation: LabelledTexts | None, log_prior: Floats, handicaps: Floats | None, threads: int
) -> float:
    """Return the constant under which most validation lines are right."""
    if validation is None:
        return Rules().unseen
    right = {}
    for constant in RAISED_UNSEEN:
        unseen = calibrations.raise_unseen(scorers.parameters.unigram.unseen, constant)
        scorer = scorers.with_unseen(unseen).scorer
        rows, _ = best(scorer, validation.texts, log_prior, handicaps=handicaps, threads=threads)
        right[constant] = int((rows[:, 0] == validation.rows).sum())
    return max(right, key=lambda constant: right[constant])


def _at_least_two(
    scorer: _kernel.Scorer,
    texts: Sequence[bytes],
    log_prior: Floats,
    handicaps: Floats | None,
    k: int,
    threads: int,
) -> tuple[np.ndarray, Floats]:
    """Return the k best languages of texts and their keys; where the model has one language, a second of none."""
    ranks = min(k, len(log_prior))
    rows, keys = best(scorer, texts, log_prior, handicaps=handicaps, k=ranks, threads=threads)
    if rows.shape[1] < 2:
        rows, keys = np.column_stack([rows, np.full(len(rows), -1, np.int32)]), np.column_stack([keys, keys - np.inf])
    return rows, keys


def own_margins(
    scorer: _kernel.Scorer,
    lines: LabelledTexts,
    log_prior: Floats,
    *,
    handicaps: Floats | None = None,
    threads: int = 1,
) -> list[Floats]:
    """Return, for each language, the margins of its lines that it wins."""
    rows, keys = _at_least_two(scorer, lines.texts, log_prior, handicaps, 2, threads)
    won = (rows[:, 0] == lines.rows) & (rows[:, 1] >= 0)  # with no other language behind it there is no margin
    margins, winners = keys[won, 0] - keys[won, 1], lines.rows[won]
    return [margins[winners == row] for row in range(len(log_prior))]


def extend(
    decisions: Decisions,
    before: Parameters,
    after: Scorers,
    texts: Mapping[str, list[bytes]],
    *,
    threads: int,
) -> Decisions:
    """Return decisions that also hold for languages added to a model, fitted on the texts of these alone."""
    if decisions.is_default:
        return decisions
    first, count = len(before.languages), len(after.parameters.languages)
    labels = after.parameters.languages[first:]
    rejection = None
    if decisions.rejection is not None:
        rejection = decisions.rejection.append(_hold_out(before, labels, texts, threads), count - first)
    prior = handicaps = None
    if decisions.prior is not None:
        # As much as the average language; the others keep their proportions.
        prior = np.concatenate([decisions.prior, np.full(count - first, 1 / count)])
        prior /= prior.sum()
    if decisions.handicaps is not None:
        handicaps = np.concatenate([decisions.handicaps, np.full(count - first, decisions.handicaps.mean())])
    calibration = None
    if decisions.calibration is not None:
        calibration = _extend_calibration(decisions.calibration, first, after, texts, handicaps, threads)
    return Decisions(decisions.temperature, rejection, calibration, prior, handicaps)


def _extend_calibration(
    calibration: Calibration,
    first: int,
    after: Scorers,
    texts: Mapping[str, list[bytes]],
    handicaps: Floats | None,
    threads: int,
) -> Calibration:
    parameters, rules = after.parameters, calibration.rules
    labels, lines = parameters.languages[first:], parameters.lines[first:]
    if rules.percentiles is not None:  # nobody chose for the new ones: the paper's rule
        paper = replace(rules, percentiles=None)
        percentiles = dict(rules.percentiles)
        for label, own in zip(labels, lines.tolist(), strict=True):
            percentile = paper.percentile_of(label, own, high_entropy=False)
            if percentile is not None:
                percentiles[label] = percentile
        rules = replace(rules, percentiles=percentiles)
    unseen = np.concatenate(
        [calibration.unseen, calibrations.raise_unseen(parameters.unigram.unseen[first:], rules.unseen)]
    )
    rows = np.concatenate([np.full(len(texts[label]), first + i) for i, label in enumerate(labels)])
    own_lines = LabelledTexts(rows, [text for label in labels for text in texts[label]])
    uniform = priors.log_prior(np.ones(len(parameters.languages)))
    scorer = after.with_unseen(unseen).scorer
    margins = own_margins(scorer, own_lines, uniform, handicaps=handicaps, threads=threads)
    thresholds = [
        rules.threshold(label, own, margins[first + i])
        for i, (label, own) in enumerate(zip(labels, lines.tolist(), strict=True))
    ]
    return Calibration(
        rules,
        np.concatenate([calibration.thresholds, thresholds]),
        np.concatenate([calibration.replaces, lines >= rules.replacement]).astype(np.uint8),
        unseen,
    )


def _hold_out(before: Parameters, labels: Sequence[str], texts: Mapping[str, list[bytes]], threads: int) -> HeldOut:
    """Score the last lines of new languages with what can be learned from the others of their lines."""
    counter = Counter()
    held_out: dict[str, list[bytes]] = {}
    for label in labels:
        lines = texts[label]
        kept, last = without_last(lines, lines_to_hold_out(len(lines), len(set(lines))))
        if last and any(word.noise == 0 for line in kept for word in _kernel.split_words(line)):
            counter.add(Batch([label] * len(kept), kept))  # which has words to learn from
            held_out[label] = last
    partial = before
    if held_out:
        counted = counter.corpus()
        partial = before.append(counted.labels, counted.words, counted.lines, threads=threads)
    row_of = {label: row for row, label in enumerate(partial.languages)}
    held_texts = [(label, text) for label, last in held_out.items() for text in last]
    rows = np.array([row_of[label] for label, _ in held_texts], np.int64)
    held = HeldOut.of(Scorers(partial).scorer, LabelledTexts(rows, [text for _, text in held_texts]), threads=threads)
    held = held.take(held.whole & (held.letters > 0) & (held.cost > 0))
    final_row = {row_of[label]: len(before.languages) + i for i, label in enumerate(labels) if label in held_out}
    return replace(held, rows=np.array([final_row[row] for row in held.rows.tolist()], np.int64))
