"""Why a text got its language: what each of its words says for one language and against another.

The scores of words add up, so the answer has an exact reason: the differences of the words, of the priors and of the
handicaps are the difference of the two languages. What else had a hand in it is found out by leaving it out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from unilid import _kernel
from unilid._kernel import WEIGHT_STEPS
from unilid.decisions import prior as priors
from unilid.decisions.answerer import Answerer, Request
from unilid.decisions.answers import Prediction, ranked_predictions
from unilid.decisions.decide import Decisions
from unilid.errors import UnilidError
from unilid.explanation import view
from unilid.explanation.reasons import (
    CharacterReason,
    Kind,
    Reasons,
    TokenReason,
    Without,
    WordReason,
    WordScore,
)
from unilid.languages.codes import Index
from unilid.models.costs import STEP
from unilid.models.scripts import uses
from unilid.scoring.scorers import Scorers

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

_KINDS: dict[int, Kind] = {_kernel.SIGN: "signs", _kernel.DIGIT: "digits", _kernel.LETTER: "letters"}
_CACHE_MEGABYTES = 1
"""Of the scorers that leave something out: an explanation is of one text."""


@dataclass(frozen=True)
class Explanation(Reasons):
    """Why a text is in one language rather than in another; it shows itself on a terminal and in a notebook."""

    def __str__(self) -> str:
        """Return it as text, the words that decide first."""
        return view.text(self)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:  # rich's
        """Yield what `rich` shows on a terminal."""
        yield from view.rich(self, options.max_width)

    def _repr_html_(self) -> str:
        """Return what a notebook shows: HTML that needs nothing else."""
        return view.html(self)


def _nats(cost: int) -> float:
    """Return a cost as a score: 0, not -0, for nothing."""
    return 0.0 - STEP * cost


class Explainer:
    """The scorers of a model, and those that leave something out."""

    def __init__(self, answerer: Answerer, *, calibrated: bool) -> None:
        self.answerer = answerer
        self.scorers = answerer.calibrated_scorers if calibrated else answerer.scorers
        self.parameters = self.scorers.parameters
        self.scorer = self.scorers.scorer
        self.weight = self.parameters.settings.weight_steps
        self.bound = self.parameters.settings.bound_steps
        self.has_lexicon = self.parameters.lexicon is not None
        self._uses = frozenset(uses(self.parameters.scripts))

    @cached_property
    def unbounded(self) -> _kernel.Scorer:
        """All words in full."""
        return _small(self.scorers, bound_steps=0) if self.bound else self.scorer

    @cached_property
    def unigram(self) -> _kernel.Scorer:
        """Tokens alone, in full."""
        return _small(self.scorers, weight_steps=WEIGHT_STEPS, bound_steps=0, lexicon=False)

    @cached_property
    def context(self) -> _kernel.Scorer:
        """Characters alone, in full."""
        return _small(self.scorers, weight_steps=0, bound_steps=0, lexicon=False)

    @cached_property
    def ungained(self) -> _kernel.Scorer:
        """Tokens and characters by their weights, in full."""
        return _small(self.scorers, bound_steps=0, lexicon=False)

    @cached_property
    def without_context(self) -> _kernel.Scorer:
        """No characters."""
        return _small(self.scorers, weight_steps=WEIGHT_STEPS)

    @cached_property
    def without_lexicon(self) -> _kernel.Scorer:
        """No whole words."""
        return _small(self.scorers, lexicon=False)

    @cached_property
    def without_unseen(self) -> _kernel.Scorer:
        """What a language never saw costs it as much as the rarest token that it saw."""
        return _small(self.scorers.with_unseen(self.parameters.unigram.rarest()))

    def words(self, text: bytes, rows: Sequence[int]) -> Iterable[WordReason]:
        """Yield the words of a text with what they say of two languages."""
        index = np.array(rows, np.uint16)
        explained = self.scorer.explain(text, index)
        empty: list[list[int]] = [[]] * len(explained.words)

        def costs(scorer: _kernel.Scorer) -> list[list[int]]:
            return scorer.explain(text, index).costs.tolist()  # type: ignore[no-any-return]

        final = explained.costs.tolist()
        weighted = costs(self.unbounded) if self.bound else final
        unigram = costs(self.unigram) if self.weight else empty
        context = costs(self.context) if self.weight < WEIGHT_STEPS else empty
        ungained = costs(self.ungained) if self.has_lexicon else empty
        known: dict[tuple[bytes, bool, bool], list[WordScore]] = {}  # what a word says depends on the word alone
        for word, score, sums, by_unigram, by_context, without_gain in zip(
            explained.words, final, weighted, unigram, context, ungained, strict=True
        ):
            key = word.bytes, word.cut_left, word.cut_right
            sides = known.get(key)
            if sides is None:
                characters = self._characters(word, rows)
                quarter = word.lone and self.bound > 0
                foreign = [self._is_foreign(word, row) for row in rows]
                sides = known[key] = [
                    WordScore(
                        self._tokens(word.bytes, row),
                        characters[side],
                        _nats(by_unigram[side]) if by_unigram else None,
                        _nats(by_context[side]) if by_context else None,
                        _nats(sums[side]) - _nats(without_gain[side]) if without_gain else None,
                        _nats(sums[side]),
                        _nats(score[side]),
                        not foreign[side] and score[side] < (sums[side] // 4 if quarter else sums[side]),
                        foreign[side],
                    )
                    for side, row in enumerate(rows)
                ]
            yield WordReason(
                text[word.begin : word.end],
                word.begin,
                word.end,
                word.bytes,
                _KINDS[word.kind],
                _kernel.REASONS.get(word.noise),
                word.counts,
                word.cut_left or word.cut_right,
                word.lone,
                self.parameters.languages[word.best],
                *sides,
            )

    def _is_foreign(self, word: _kernel.ExplainedWord, row: int) -> bool:
        """Say whether a word has the fixed score of languages that are not written in its script."""
        is_of_a_script = word.kind == _kernel.LETTER and word.script != _kernel.LETTER
        return self.bound > 0 and bool(self._uses) and is_of_a_script and (row, word.script) not in self._uses

    def _tokens(self, word: bytes, row: int) -> tuple[TokenReason, ...]:
        if not self.weight:
            return ()
        vocabulary, table = self.parameters.vocabulary.tokens, self.parameters.unigram
        return tuple(
            TokenReason(vocabulary[piece.token], _nats(piece.cost), not table.has_seen(piece.token, row))
            for piece in self.scorers.unigram.segment(word, row)
        )

    def _characters(self, word: _kernel.ExplainedWord, rows: Sequence[int]) -> list[tuple[CharacterReason, ...]]:
        if self.weight == WEIGHT_STEPS:
            return [()] * len(rows)
        ascending = sorted(rows)
        explained = self.scorers.context.characters(
            word.bytes, word.cut_left, word.cut_right, np.array(ascending, np.uint16)
        )
        ends = np.cumsum(explained.sizes, dtype=np.int64).tolist()
        characters = [word.bytes[end - size : end] for end, size in zip(ends, explained.sizes.tolist(), strict=True)]
        return [
            tuple(
                CharacterReason(character, _nats(cost))
                for character, cost in zip(characters, explained.costs[:, ascending.index(row)].tolist(), strict=True)
            )
            for row in rows
        ]


def _small(
    scorers: Scorers, *, weight_steps: int | None = None, bound_steps: int | None = None, lexicon: bool = True
) -> _kernel.Scorer:
    """Return a scorer that explains a few texts, and needs no room for the words of many."""
    return scorers.make(
        weight_steps=weight_steps, bound_steps=bound_steps, cache_megabytes=_CACHE_MEGABYTES, lexicon=lexicon
    )


def explain(
    explainer: Explainer,
    text: bytes,
    request: Request,
    *,
    language: str | None,
    instead: str | None,
) -> Explanation:
    """Explain a text; see `Model.explain`."""
    parameters, answerer = explainer.parameters, explainer.answerer
    log_prior, unrestricted, calibrated, rate = (
        request.log_prior,
        request.unrestricted,
        request.calibrated,
        request.rate,
    )

    def decided(
        scorer: _kernel.Scorer = explainer.scorer,
        log_prior: npt.NDArray[np.float64] = log_prior,
        calibrated: bool = calibrated,
        rate: float | None = rate,
        decisions: Decisions = answerer.decisions,
        k: int = 1,
    ) -> list[Prediction]:
        decision = decisions.kernel(log_prior, calibrated=calibrated, rate=rate)
        answers = scorer.decide([text], decision, k, 1)
        return ranked_predictions(parameters.languages, answers, abstain=rate is not None)[0]

    [answer] = decided()
    named = decided(rate=None, k=min(2, len(parameters.languages)))
    scored = explainer.scorer.costs([text], 1)
    costs, handicaps = scored.all[0], answerer.decisions.handicaps
    handicap = np.zeros(len(costs)) if handicaps is None else handicaps * np.sqrt(scored.letters[0])
    keys = log_prior - handicap - STEP * costs
    rows: tuple[int, int] | None = None
    if (named[0].reason is None and answer.reason != "script") or language is not None or instead is not None:
        best = [answerer.index.row_of(p.label) for p in named if p.reason is None]
        # Behind them those whose scripts do not occur: they are no answer, and may be compared with one.
        best += [row for row in np.argsort(-keys, kind="stable")[:3].tolist() if row not in best]
        rows = _pair(answerer.index, keys, best, language, instead)

    allowed = np.isfinite(log_prior)
    uniform = priors.log_prior(allowed.astype(np.float64))
    alternatives: list[tuple[Any, Callable[[], list[Prediction]], bool]] = [
        ("context", lambda: decided(explainer.without_context, rate=None), 0 < explainer.weight < WEIGHT_STEPS),
        ("lexicon", lambda: decided(explainer.without_lexicon, rate=None), explainer.has_lexicon),
        ("bound", lambda: decided(explainer.unbounded, rate=None), explainer.bound > 0),
        ("unseen", lambda: decided(explainer.without_unseen, rate=None), explainer.weight > 0),
        ("prior", lambda: decided(log_prior=uniform), not np.allclose(log_prior[allowed], uniform[allowed])),
        ("handicaps", lambda: decided(decisions=replace(answerer.decisions, handicaps=None)), handicaps is not None),
        ("languages", lambda: decided(log_prior=unrestricted), unrestricted is not None),  # type: ignore[arg-type]
        ("calibrated", lambda: decided(answerer.scorers.scorer, calibrated=False), calibrated),
        ("abstain", lambda: decided(rate=None), rate is not None),
    ]
    without = []
    for name, decide, in_force in alternatives:
        if in_force:
            [other] = decide()
            usual = named[0] if name in ("context", "lexicon", "bound", "unseen") else answer
            without.append(Without(name, other, other.label != usual.label))
    first, second = rows or (None, None)
    return Explanation(
        text,
        answer,
        None if first is None else parameters.languages[first],
        None if second is None else parameters.languages[second],
        0.0 if first is None else _nats(int(costs[first])),
        0.0 if second is None else _nats(int(costs[second])),
        0.0 if first is None or second is None else float(log_prior[first] - log_prior[second]),
        0.0 if first is None or second is None else float(handicap[second] - handicap[first]),
        parameters.settings.unigram_weight,
        parameters.settings.bound,
        tuple(explainer.words(text, rows)) if rows else (),
        tuple(without),
    )


def _pair(
    index: Index, keys: npt.NDArray[np.float64], best: list[int], language: str | None, instead: str | None
) -> tuple[int, int]:
    """Return the rows of the two languages to compare; of what a code stands for, those that explain the text best."""

    def competing(code: str, but: Sequence[int]) -> int:
        rows = [row for row in index.rows_matching(code) if row not in but]
        if not rows:
            raise UnilidError(f"{code} is the language that it shall be compared with; name another one")
        row = max(rows, key=lambda row: (keys[row], -row))
        if keys[row] == -np.inf:
            label = index.labels[row]
            raise UnilidError(f"{label} does not compete: it is not among the languages, or its prior is 0")
        return row

    def other(but: Sequence[int]) -> int:
        rows = [row for row in best if row not in but and keys[row] > -np.inf]
        if not rows:
            raise UnilidError(f"only {index.labels[but[0]]} competes: there is nothing to compare")
        return rows[0]

    if language is not None:
        first = competing(language, [])
        return first, other([first]) if instead is None else competing(instead, [first])
    if instead is None:
        return best[0], other([best[0]])
    alternatives = index.rows_matching(instead)
    first = best[0] if alternatives != [best[0]] else other(alternatives)
    return first, competing(instead, [first])
