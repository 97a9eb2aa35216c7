"""Lessons: lines that several languages score nearly alike, and what can be learned from them.

Each language is estimated from its own words alone. What tells it from its relatives is learned afterwards, from lines
that the estimates never saw: corrections of the entries of the context model, by maximum conditional likelihood
(``cpp/models/discrimination.h`` has the formula). Which languages are relatives nobody has to say: those that lines
confuse are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from unilid import _kernel
from unilid.corpus.sampling import LabelledTexts
from unilid.decisions.held_out import in_scored_chunks
from unilid.decisions.temperature import Temperature
from unilid.models.context import ContextTable, Corrections
from unilid.models.costs import STEP
from unilid.scoring.scorers import Scorers

MOST_CANDIDATES = 8
"""The best languages of a line that it may teach something about."""
SURE = Temperature(scale=0.6)
"""How sure scores are taken to be: half as sure as held-out lines say, because text elsewhere leaves more room for
doubt than they do. This, REACH and RATE were chosen on lines 401 to 500 of FLORES, which come from other articles than
lines 1 to 400."""
REACH = 8.0
"""How far behind the best language a candidate may be, as a log-ratio of probabilities. A line whose own language is
further behind is more likely to have a wrong label than to teach anything."""
RATE = 0.02
"""Nats by which a line moves a correction at most, at first."""
ROUNDS = 5
"""How often each line is learned from."""


class Lessons(NamedTuple):
    """Lines with their candidates, and the entries that these have of the n-grams of the line."""

    candidate_ends: npt.NDArray[np.uint64]  # of each line
    right: npt.NDArray[np.uint64]  # of each line: the candidate that is right
    exponents: npt.NDArray[np.float64]  # of the posterior, for each line
    languages: npt.NDArray[np.uint16]  # of each candidate
    scores: npt.NDArray[np.float64]  # of each candidate, nats
    feature_ends: npt.NDArray[np.uint64]  # of each candidate
    entries: npt.NDArray[np.uint32]  # numbers of entries of the table that is to be corrected
    counts: npt.NDArray[np.uint8]


def lessons_of(scorers: Scorers, lines: LabelledTexts, learned: ContextTable, *, threads: int) -> Lessons:
    """Return what lines teach about the entries of `learned`. The scorers never saw these lines."""
    texts: list[bytes] = []
    parts = []
    for first, costs in in_scored_chunks(scorers.scorer, lines.texts, threads=threads):
        scores, letters = -STEP * costs.all, costs.letters
        exponents = SURE.at(letters)
        near = exponents[:, None] * (scores.max(axis=1, keepdims=True) - scores) < REACH
        if scores.shape[1] > MOST_CANDIDATES:
            beaten = np.partition(scores, -MOST_CANDIDATES - 1, axis=1)[:, [-MOST_CANDIDATES - 1]]
            near &= scores > beaten  # of those that are level with it none: so score all that do not know the script
        truth = lines.rows[first : first + len(scores)]
        used = np.flatnonzero(near[np.arange(len(truth)), truth] & (near.sum(axis=1) > 1) & (letters > 0))
        line, language = np.nonzero(near[used])
        is_right = language == truth[used][line]
        sizes = np.bincount(line, minlength=len(used))
        parts.append((sizes, exponents[used], language, scores[used][near[used]], is_right))
        texts += [lines.texts[first + place] for place in used.tolist()]
    sizes, exponents, languages, of_candidates, is_right = (np.concatenate(part) for part in zip(*parts, strict=True))
    ends = np.concatenate([[0], np.cumsum(sizes)]).astype(np.uint64)
    languages = languages.astype(np.uint16)
    seen = scorers.parameters.context
    assert seen is not None
    signs = scorers.parameters.settings.signs
    features = _kernel.context_features(seen.kernel(), learned.kernel(), texts, ends, languages, signs, threads)
    right = np.flatnonzero(is_right).astype(np.uint64)
    return Lessons(
        ends[1:], right, exponents, languages, of_candidates, features.ends, features.entries, features.counts
    )


def joined(parts: Sequence[Lessons]) -> Lessons:
    """Return all lessons as one."""
    candidates = np.cumsum([0, *(len(part.scores) for part in parts)])[:-1].tolist()
    features = np.cumsum([0, *(len(part.entries) for part in parts)])[:-1].tolist()
    moved = [
        part._replace(
            candidate_ends=part.candidate_ends + np.uint64(first),
            right=part.right + np.uint64(first),
            feature_ends=part.feature_ends + np.uint64(first_feature),
        )
        for part, first, first_feature in zip(parts, candidates, features, strict=True)
    ]
    return Lessons(*(np.concatenate(arrays) for arrays in zip(*moved, strict=True)))


def learn(learned: ContextTable, lessons: Lessons, advantages: npt.NDArray[np.float64] | None = None) -> Corrections:
    """Return the corrections of the entries of a table.

    `advantages` are added to the scores of candidates while corrections are learned; None: those of `of_numbers`.
    """
    return _kernel.learn_corrections(
        learned.kernel(),
        lessons.candidate_ends,
        lessons.right,
        lessons.exponents,
        lessons.scores + (of_numbers(lessons) if advantages is None else advantages),
        lessons.feature_ends,
        lessons.entries,
        lessons.counts,
        RATE,
        ROUNDS,
    )


def of_numbers(lessons: Lessons) -> npt.NDArray[np.float64]:
    """Return for each candidate the advantage of a language with more lines than others, in nats.

    Languages are not to win by the number of their lines: what is part of the scores while corrections are learned is
    no part of the corrections.
    """
    lines = np.bincount(lessons.languages[lessons.right], minlength=int(lessons.languages.max(initial=0)) + 1)
    sizes = np.diff(lessons.candidate_ends, prepend=np.uint64(0)).astype(np.int64)
    frequent = _kernel.logarithms(np.maximum(lines, 1).astype(np.float64))[lessons.languages]
    return np.asarray(frequent / np.repeat(lessons.exponents, sizes))


def only_of(rows: Sequence[int], lessons: Lessons) -> Lessons:
    """Return lessons from which only some languages learn; the others stay what they are compared with."""
    sizes = np.diff(lessons.feature_ends, prepend=np.uint64(0)).astype(np.int64)
    kept = np.repeat(np.isin(lessons.languages, rows), sizes)
    ends = np.cumsum(np.where(np.isin(lessons.languages, rows), sizes, 0)).astype(np.uint64)
    return lessons._replace(feature_ends=ends, entries=lessons.entries[kept], counts=lessons.counts[kept])
