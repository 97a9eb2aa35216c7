"""Why a text got its language: what each of its words says for one language and against another.

The scores of words add up, so the answer has an exact reason: the differences of the words and the difference of the
priors are the difference of the two languages. What else had a hand in it is found out by leaving it out.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from unilid import _kernel
from unilid.answers import REASONS, Prediction, predictions
from unilid.costs import STEP
from unilid.errors import UnilidError
from unilid.settings import WHOLE

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

    from unilid.model import Model

Kind = Literal["letters", "digits", "signs"]
_KINDS: dict[int, Kind] = {0: "signs", 2: "digits", 4: "letters"}  # cpp/unicode_tables.h
_CACHE_MEGABYTES = 1


@dataclass(frozen=True, slots=True)
class TokenReason:
    """A token of a word's most probable segmentation under a language."""

    token: bytes
    score: float
    """Log-probability, in nats."""
    unseen: bool
    """Whether the language never saw it: then it has the score of all such tokens."""


@dataclass(frozen=True, slots=True)
class CharacterReason:
    """A character of a word after those before it, under the context model of a language."""

    character: bytes
    """Empty for the end of the word."""
    score: float


@dataclass(frozen=True, slots=True)
class WordScore:
    """What a word says of one language; all scores are log-probabilities in nats."""

    tokens: tuple[TokenReason, ...]
    """They add up to `unigram`."""
    characters: tuple[CharacterReason, ...]
    """They add up to `context`."""
    unigram: float | None
    """Under the unigram model alone; None where the model has none, and so on."""
    context: float | None
    weighted: float
    """Both, by their weights."""
    score: float
    """What is added to the score of the text if the word counts: a lone letter a quarter, and bounded."""
    bounded: bool
    """Whether it lies so far below the best language's score that what goes further counted a quarter."""


@dataclass(frozen=True, slots=True)
class WordReason:
    """What a word says for one language and against the other."""

    text: bytes
    """As it stands in the text."""
    start: int
    """Where, in bytes of the text."""
    end: int
    read: bytes
    """As the word models read it: with the space before it, and in small letters where all were capitals."""
    kind: Kind
    noise: str | None
    """What it is a part of, if that is no language: an address, an e-mail, an identifier."""
    counts: bool
    """Noise does not count, unless there is nothing else."""
    cut: bool
    """Whether letters touch it, so that it may be a part of a word."""
    lone: bool
    """Whether it is a single letter that no space precedes: it counts a quarter where words are bounded."""
    best: str
    """The language that explains it best, of all that the model knows."""
    language: WordScore
    instead: WordScore

    @property
    def difference(self) -> float:
        """Nats by which the word speaks for the language (below zero: against it); 0 where it does not count."""
        return self.language.score - self.instead.score if self.counts else 0.0


@dataclass(frozen=True, slots=True)
class Without:
    """The same text, decided without one of the things that had a hand in it."""

    name: Literal["context", "bound", "unseen", "prior", "languages", "calibrated", "abstain"]
    answer: Prediction
    changed: bool
    """Whether that would have been another answer."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a text is in one language rather than in another."""

    text: bytes
    answer: Prediction
    """What `identify` says."""
    language: str | None
    """The language that is explained; None where a text has no words and none was asked for."""
    instead: str | None
    score: float
    """Log-probability of the text under the language, in nats."""
    instead_score: float
    prior: float
    """Log prior of the language minus that of the other."""
    unigram_weight: float
    """The share of the unigram model in the scores of words; the rest is the context model's."""
    bound: float | None
    """Nats below the best language's score up to which a word counts in full, and beyond a quarter."""
    words: tuple[WordReason, ...]
    """In the order of the text."""
    without: tuple[Without, ...]
    """What would have been said without each of the things that were in force.

    They are named after the settings and options. ``context``: by the unigram model alone. ``bound``: with all words in
    full. ``unseen``: where a token that a language never saw costs it no more than its rarest one. ``prior``: with
    none. ``languages``: where all compete. ``calibrated``: without re-examination. ``abstain``: where a language must
    be named. The first three change the scores, to which rejection was fitted: they always name a language.
    """

    @property
    def difference(self) -> float:
        """Nats by which the language is ahead: the sum over the words, and the prior."""
        return self.score - self.instead_score + self.prior

    @property
    def deciding(self) -> tuple[WordReason, ...]:
        """The words by weight: those that make the greatest difference first."""
        return tuple(sorted(self.words, key=lambda word: -abs(word.difference)))

    def record(self) -> dict[str, Any]:
        """Return all of it as JSON can have it; what is no UTF-8 is written with backslashes."""
        differences = [{"difference": word.difference} for word in self.words]
        found = {**asdict(self), "difference": self.difference}
        found["words"] = [{**word, **more} for word, more in zip(found["words"], differences, strict=True)]
        return _plain(found)  # type: ignore[no-any-return]

    def to_json(self) -> str:
        """Return `record` as one line of JSON."""
        return json.dumps(self.record(), ensure_ascii=False)

    def __str__(self) -> str:
        """Return it as text, the words that decide first."""
        from unilid import explanation_views

        return explanation_views.text(self)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield what `rich` shows on a terminal."""
        from unilid import explanation_views

        yield from explanation_views.rich(self, options.max_width)

    def _repr_html_(self) -> str:
        """Return what a notebook shows: HTML that needs nothing else."""
        from unilid import explanation_views

        return explanation_views.html(self)


def _plain(value: Any) -> Any:
    if isinstance(value, Prediction):
        return value._asdict()
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else value


def _nats(cost: int) -> float:
    """Return a cost as a score: 0, not -0, for nothing."""
    return 0.0 - STEP * cost


class Explainer:
    """The scorers of a model, and those that leave something out."""

    def __init__(self, model: Model, *, calibrated: bool) -> None:
        self.model = model
        self.calibrated = calibrated
        self.scorer = model.scorer(calibrated=calibrated)
        self.tokens = model.unigram_kernel(calibrated=calibrated)
        self.weight = model.settings.unigram_weight
        self.bound = model.settings.bound_steps

    @cached_property
    def unbounded(self) -> _kernel.Scorer:
        """All words in full."""
        return self._scorer(self.tokens, self.weight, 0) if self.bound else self.scorer

    @cached_property
    def unigram(self) -> _kernel.Scorer:
        """Tokens alone, in full."""
        return self._scorer(self.tokens, WHOLE, 0)

    @cached_property
    def context(self) -> _kernel.Scorer:
        """Characters alone, in full."""
        return self._scorer(self.tokens, 0, 0)

    @cached_property
    def without_context(self) -> _kernel.Scorer:
        """Tokens alone."""
        return self._scorer(self.tokens, WHOLE, self.bound)

    @cached_property
    def without_unseen(self) -> _kernel.Scorer:
        """What a language never saw costs it as much as the rarest token that it saw."""
        unigram = self.model.unigram
        kernel = replace(unigram, unseen=unigram.rarest()).kernel(self.model.vocabulary)
        return self._scorer(kernel, self.weight, self.bound)

    def _scorer(self, tokens: _kernel.UnigramModel, weight: int, bound: int) -> _kernel.Scorer:
        return self.model.make_scorer(tokens, weight=weight, bound=bound, cache_megabytes=_CACHE_MEGABYTES)

    def words(self, text: bytes, rows: Sequence[int]) -> Iterable[WordReason]:
        """Yield the words of a text with what they say of two languages."""
        index = np.array(rows, np.uint16)
        found, final, best, _ = self.scorer.explain(text, index)
        empty: list[list[int]] = [[]] * len(found)

        def costs(scorer: _kernel.Scorer) -> list[list[int]]:
            return scorer.explain(text, index)[1].tolist()  # type: ignore[no-any-return]

        weighted = costs(self.unbounded) if self.bound else final.tolist()
        unigram = costs(self.unigram) if self.weight else empty
        context = costs(self.context) if self.weight < WHOLE else empty
        known: dict[tuple[bytes, bool, bool], list[WordScore]] = {}  # what a word says depends on the word alone
        everything = zip(found, final.tolist(), best.tolist(), weighted, unigram, context, strict=True)
        for word, score, best_row, sums, by_unigram, by_context in everything:
            read, start, end, kind, noise, cut_left, cut_right, lone, counts = word
            sides = known.get((read, cut_left, cut_right))
            if sides is None:
                characters = self._characters(read, cut_left, cut_right, rows)
                quarter = lone and self.bound > 0
                sides = known[read, cut_left, cut_right] = [
                    WordScore(
                        self._tokens(read, row),
                        characters[side],
                        _nats(by_unigram[side]) if by_unigram else None,
                        _nats(by_context[side]) if by_context else None,
                        _nats(sums[side]),
                        _nats(score[side]),
                        score[side] < (sums[side] // 4 if quarter else sums[side]),
                    )
                    for side, row in enumerate(rows)
                ]
            yield WordReason(
                text[start:end],
                start,
                end,
                read,
                _KINDS[kind],
                REASONS.get(noise),
                counts,
                cut_left or cut_right,
                lone,
                self.model.languages[best_row],
                *sides,
            )

    def _tokens(self, word: bytes, row: int) -> tuple[TokenReason, ...]:
        if not self.weight:
            return ()
        vocabulary, table = self.model.vocabulary.tokens, self.model.unigram
        return tuple(
            TokenReason(vocabulary[token], _nats(cost), not table.has_seen(token, row))
            for token, _, _, cost in self.tokens.segment(word, row)
        )

    def _characters(
        self, word: bytes, cut_left: bool, cut_right: bool, rows: Sequence[int]
    ) -> list[tuple[CharacterReason, ...]]:
        if self.weight == WHOLE:
            return [()] * len(rows)
        ascending = sorted(rows)
        sizes, costs = self.model.context_kernel.characters(word, cut_left, cut_right, np.array(ascending, np.uint16))
        ends = np.cumsum(sizes, dtype=np.int64).tolist()
        characters = [word[end - size : end] for end, size in zip(ends, sizes.tolist(), strict=True)]
        return [
            tuple(
                CharacterReason(character, _nats(cost))
                for character, cost in zip(characters, costs[:, ascending.index(row)].tolist(), strict=True)
            )
            for row in rows
        ]


def explain(
    explainer: Explainer,
    text: bytes,
    *,
    language: str | None,
    instead: str | None,
    log_prior: npt.NDArray[np.float64],
    unrestricted: npt.NDArray[np.float64] | None,
    rate: float | None,
) -> Explanation:
    """Explain a text; see `Model.explain`.

    `unrestricted` is the prior where all languages compete, None where they do.
    """
    model, calibrated = explainer.model, explainer.calibrated

    def decided(
        scorer: _kernel.Scorer = explainer.scorer,
        log_prior: npt.NDArray[np.float64] = log_prior,
        calibrated: bool = calibrated,
        rate: float | None = rate,
        k: int = 1,
    ) -> list[Prediction]:
        decision = model.decisions.kernel(log_prior, calibrated=calibrated, rate=rate)
        rows, scores, probabilities, verdicts = scorer.decide([text], decision, k, 1)
        return predictions(
            model.languages,
            rows[0].tolist(),
            scores[0].tolist(),
            probabilities[0].tolist(),
            int(verdicts[0]),
            abstain=rate is not None,
        )

    [answer] = decided()
    named = decided(rate=None, k=min(2, len(model.languages)))
    costs = explainer.scorer.costs([text], 1)[0][0]
    keys = log_prior - STEP * costs.astype(np.float64)
    rows: tuple[int, int] | None = None
    if named[0].reason is None or language is not None or instead is not None:
        best = [model.row(p.label) for p in named if p.reason is None] or np.argsort(-keys, kind="stable")[:2].tolist()
        rows = _pair(model, keys, best, language, instead)

    allowed = np.isfinite(log_prior)
    uniform = np.where(allowed, -np.log(allowed.sum()), -np.inf)
    alternatives: list[tuple[Any, Callable[[], list[Prediction]], bool]] = [
        ("context", lambda: decided(explainer.without_context, rate=None), 0 < explainer.weight < WHOLE),
        ("bound", lambda: decided(explainer.unbounded, rate=None), explainer.bound > 0),
        ("unseen", lambda: decided(explainer.without_unseen, rate=None), explainer.weight > 0),
        ("prior", lambda: decided(log_prior=uniform), not np.allclose(log_prior[allowed], uniform[allowed])),
        ("languages", lambda: decided(log_prior=unrestricted), unrestricted is not None),  # type: ignore[arg-type]
        ("calibrated", lambda: decided(model.scorer(), calibrated=False), calibrated),
        ("abstain", lambda: decided(rate=None), rate is not None),
    ]
    without = []
    for name, decide, in_force in alternatives:
        if in_force:
            [other] = decide()
            usual = named[0] if name in ("context", "bound", "unseen") else answer
            without.append(Without(name, other, other.label != usual.label))
    first, second = rows or (None, None)
    return Explanation(
        text,
        answer,
        None if first is None else model.languages[first],
        None if second is None else model.languages[second],
        0.0 if first is None else _nats(int(costs[first])),
        0.0 if second is None else _nats(int(costs[second])),
        0.0 if first is None or second is None else float(log_prior[first] - log_prior[second]),
        explainer.weight / WHOLE,
        model.settings.bound,
        tuple(explainer.words(text, rows)) if rows else (),
        tuple(without),
    )


def _pair(
    model: Model, keys: npt.NDArray[np.float64], best: list[int], language: str | None, instead: str | None
) -> tuple[int, int]:
    """Return the rows of the two languages to compare; of what a code stands for, those that explain the text best."""

    def competing(code: str, but: Sequence[int]) -> int:
        rows = [row for row in model.rows(code) if row not in but]
        if not rows:
            raise UnilidError(f"{code} is the language that it shall be compared with; name another one")
        row = max(rows, key=lambda row: (keys[row], -row))
        if keys[row] == -np.inf:
            label = model.languages[row]
            raise UnilidError(f"{label} does not compete: it is not among the languages, or its prior is 0")
        return row

    def other(but: Sequence[int]) -> int:
        rows = [row for row in best if row not in but and keys[row] > -np.inf]
        if not rows:
            raise UnilidError(f"only {model.languages[but[0]]} competes: there is nothing to compare")
        return rows[0]

    if language is not None:
        first = competing(language, [])
        return first, other([first]) if instead is None else competing(instead, [first])
    if instead is None:
        return best[0], other([best[0]])
    alternatives = model.rows(instead)
    first = best[0] if alternatives != [best[0]] else other(alternatives)
    return first, competing(instead, [first])
