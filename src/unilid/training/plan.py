"""What a model is to be made with, as far as it is said before its corpus is read, and how it is made then."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from unilid.corpus.counts import HELD, Part
from unilid.corpus.holding import LESSONS
from unilid.decisions.decide import Decisions
from unilid.decisions.held_out import TOP
from unilid.display import escaped
from unilid.errors import UnilidError, VocabularyError
from unilid.model import Model
from unilid.models import context as contexts
from unilid.models import unigram as unigrams
from unilid.models.scripts import grouped
from unilid.models.settings import Settings
from unilid.models.vocabulary import MAX_LEARNED, MIN_TOKENS, Vocabulary
from unilid.numbers import whole_number
from unilid.training import relatives
from unilid.training.engine import Engine
from unilid.training.estimates import Estimates
from unilid.training.tune import BEYOND_CHANCE_ALONE, Evidence, candidate, fit_decisions, is_better
from unilid.training.tune import tune as tune_settings

Context: TypeAlias = Literal["auto", "characters"] | None

ORDER_BY_WORDS = ((0, 4), (20_000, 6))
"""Words a language, on average, from which on an order of the context model pays for its room."""
LIGHT_PRUNE = 0.002
"""How much is pruned with the highest order: rare languages then gain a point of F1 for twice the room (validation
lines of Tatoeba)."""
UNIGRAM_WEIGHT = 3 / 16
"""Share of the unigram model beside a context model. Like BOUND and FRAGMENTS, good for 204 languages with 5 to 400
training lines each, on validation lines, clean and noisy."""
BOUND = 8.0
"""Nats beyond the best language's cost up to which a word counts in full."""
FRAGMENTS = 0.3
"""Share of its count that a word gives to its fragments."""
SPELLINGS = 0.3
"""Share of its count that a word gives to its other spellings. It is that of FRAGMENTS, and was not tuned."""

CROSS_VALIDATED = range(100, 2_000)
"""Up to so many held-out lines, choices are made on the lines of all folds: more are enough by themselves. From so many
on, the order and the size of the vocabulary are chosen, too."""
LARGER_VOCABULARY = 4
"""Times the usual size that cross-validation tries."""

ENOUGH_KEPT = 0.1
"""Share of held-out lines up to which a vocabulary learned without them is as good as one from all lines."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The options of training that do not depend on where the corpus is; `unilid.train` says what each means."""

    vocabulary: int | str | Path | Vocabulary = "auto"
    context: Context = "auto"
    order: int | Literal["auto"] = "auto"
    prune: float | Literal["auto"] | None = "auto"
    unseen: Literal["shared", "additive"] = "shared"
    bound: float | Literal["auto"] | None = "auto"
    fragments: float | None = FRAGMENTS
    spellings: float | None = SPELLINGS
    lexicon: int | Literal["auto"] | None = "auto"
    signs: bool = True
    scripts: bool = False
    relatives: Literal["auto"] | None = "auto"
    tune: bool = True
    cap: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse what no model can be made with, before the corpus is read."""
        if self.context not in ("auto", "characters", None):
            raise UnilidError(f"context must be 'auto', 'characters' or None, not {self.context!r}")
        if self.order is None:
            raise UnilidError("order must be 'auto' or a whole number, not None; without a context model: context=None")
        if self.relatives not in ("auto", None):
            raise UnilidError(f"relatives must be 'auto' or None, not {self.relatives!r}")
        object.__setattr__(self, "cap", None if self.cap is None else whole_number("cap", self.cap))
        object.__setattr__(self, "seed", whole_number("seed", self.seed, 0))
        _ = self.settings

    @property
    def settings(self) -> Settings:
        """The settings to begin with."""
        without, order = self.context is None, ORDER_BY_WORDS[0][1]
        return Settings(
            unseen=self.unseen,
            order=None if without else order if self.order == "auto" else self.order,
            prune=contexts.PRUNE if self.prune == "auto" else 0.0 if self.prune is None else self.prune,
            unigram_weight=1.0 if without else UNIGRAM_WEIGHT,
            bound=BOUND if self.bound == "auto" else self.bound,
            fragments=0.0 if self.fragments is None else self.fragments,
            spellings=0.0 if self.spellings is None else self.spellings,
            signs=self.signs,
            scripts=self.scripts,
            lexicon_size=0 if self.lexicon in ("auto", None) else whole_number("lexicon", self.lexicon),
        )

    def given_vocabulary(self) -> Vocabulary | int | None:
        """Return the vocabulary, or the size of the one to learn; None where the size is to be chosen."""
        return _given_vocabulary(self.vocabulary)

    def settings_for(self, engine: Engine) -> Settings:
        """Return the settings to begin with, for a corpus of that size."""
        settings = self.settings
        if self.context is None:
            return settings
        if self.order == "auto":
            words = float(engine.totals.sum()) / len(engine.labels)
            settings = replace(settings, order=max(n for least, n in ORDER_BY_WORDS if words >= least))
            if self.prune == "auto" and settings.order == ORDER_BY_WORDS[-1][1]:
                settings = replace(settings, prune=LIGHT_PRUNE)
        if self.prune == "auto" and len(engine.labels) <= TOP:
            settings = replace(settings, prune=0.0)  # few labels need little room
        return settings


def fit(plan: Plan, engine: Engine, vocabulary_of: Callable[[Part, int | None], Vocabulary]) -> Model:
    """Make a model of a counted corpus. `vocabulary_of`: the vocabulary of a part of it, of a size or a usual one."""
    settings, decisions, corrected = plan.settings_for(engine), Decisions(), None
    is_tuned = plan.tune and bool(len(engine.rows(HELD)))
    if is_tuned:
        settings, size, folds, _ = _choose(plan, engine, settings, vocabulary_of)
        is_enough = len(engine.rows(HELD)) <= ENOUGH_KEPT * engine.lines.sum()
        estimates = engine.estimate(None, folds[0].vocabulary if is_enough else vocabulary_of(None, size), settings)
        candidates = [candidate(engine, own, settings) for own in folds]
        if plan.relatives == "auto" and settings.order is not None:
            corrected, candidates = relatives.correct(engine, folds, candidates, estimates, settings)
        decisions = fit_decisions(engine, folds, candidates)
    else:
        estimates = engine.estimate(None, vocabulary_of(None, None), settings)
        if settings.unseen == "shared":
            settings = replace(settings, unseen_log_p=unigrams.default_unseen(estimates.expected))
    lexicon = engine.lexicon(estimates, settings) if settings.lexicon_size else None
    info = {
        "unilid": version("unilid"),
        "seed": plan.seed,
        "cap": plan.cap,
        "vocabulary": _described(plan.vocabulary),
        "tuned": is_tuned,
        "relatives": corrected is not None,
    }
    parameters = estimates.parameters(settings, lexicon, corrected, engine.lines)
    model = Model(parameters, decisions, info)
    if parameters.scripts is None:
        return model
    return model.subset(model.languages[row] for row in grouped(parameters.scripts))


class _Choice(NamedTuple):
    """What held-out lines chose."""

    settings: Settings
    size: int | None
    """Of the vocabulary; None where it is given, or follows from the amount of text."""
    folds: list[Estimates]
    """Estimated without the lines of the first fold, of the second, and so on."""
    evidence: Evidence


def _choose(
    plan: Plan, engine: Engine, settings: Settings, vocabulary_of: Callable[[Part, int | None], Vocabulary]
) -> _Choice:
    """Let held-out lines choose the constants of a model; of few lines, all of them, in turn (cross-validation).

    Unless they are very few, they also choose the order of the context model and the size of the vocabulary then:
    dialects of one language differ in what is best for them.
    """
    held = len(engine.rows(HELD))

    def choice(start: Settings, size: int | None) -> _Choice:
        folds = [
            engine.estimate(fold, vocabulary_of(fold, size), start)
            for fold in (range(1 + LESSONS) if held < CROSS_VALIDATED.stop else [HELD])
            if len(engine.rows(fold))
        ]
        best, evidence = tune_settings(
            engine,
            folds,
            start,
            choose_bound=plan.bound == "auto",
            choose_context=plan.context == "auto",
            choose_lexicon=plan.lexicon == "auto" and plan.context is not None,
        )
        return _Choice(best, size, folds, evidence)

    chosen = choice(settings, None)
    if held not in CROSS_VALIDATED:
        return chosen
    others: list[Callable[[], _Choice]] = []
    if settings.order is not None and plan.order == "auto":
        others += [
            partial(choice, replace(settings, order=order), None)
            for _, order in ORDER_BY_WORDS
            if order != settings.order
        ]
    if plan.vocabulary == "auto":
        larger = LARGER_VOCABULARY * len(chosen.folds[0].vocabulary)
        others.append(lambda: choice(replace(settings, order=chosen.settings.order or settings.order), larger))
    for other in others:
        tried = other()
        if is_better(tried.evidence, chosen.evidence, BEYOND_CHANCE_ALONE):
            chosen = tried
    return chosen


def _given_vocabulary(vocabulary: int | str | Path | Vocabulary) -> Vocabulary | int | None:
    """Return the vocabulary, or the size of the one to learn; None where the size is to be chosen."""
    if isinstance(vocabulary, Vocabulary):
        return vocabulary
    if isinstance(vocabulary, str) and vocabulary == "auto":
        return None
    if isinstance(vocabulary, str | Path):
        return Vocabulary.read(vocabulary)
    try:
        size = operator.index(vocabulary)
    except TypeError:
        raise UnilidError(f"vocabulary must be 'auto', a size, a file or a Vocabulary, not {vocabulary!r}") from None
    if size < MIN_TOKENS:
        raise VocabularyError(f"a vocabulary of {size} tokens is too small: the 256 bytes are always part of it")
    if size > MAX_LEARNED:
        raise VocabularyError(f"a vocabulary of {size:,} tokens is too large: {MAX_LEARNED:,} can be learned")
    return size


def _described(vocabulary: object) -> str:
    if isinstance(vocabulary, str | Path) and vocabulary != "auto":
        return escaped(Path(vocabulary).name)  # it need not be UTF-8
    return "given" if isinstance(vocabulary, Vocabulary) else "learned"
