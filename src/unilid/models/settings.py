"""What a model is made with: the constants of its word models and of their sum."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal

from unilid import _kernel
from unilid._kernel import WEIGHT_STEPS
from unilid.corpus.counts import Words
from unilid.errors import UnilidError
from unilid.models import context
from unilid.models.context import ContextTable
from unilid.models.costs import STEP
from unilid.numbers import finite_number


@dataclass(frozen=True, slots=True)
class Settings:
    """What a model was made with; everything that adding a language needs to know."""

    unseen: Literal["shared", "additive"] = "shared"
    unseen_log_p: float = -11.0
    """Log-probability of an unseen token, for `shared`."""
    order: int | None = None
    """Of the context model; None for the paper's UniLID, without context."""
    discount: float = context.DISCOUNT
    base: float = context.BASE
    prune: float = context.PRUNE
    """How much an n-gram must matter to be kept; see ``cpp/models/context_estimation.h``."""
    unigram_weight: float = 1.0
    """The share of the unigram model in the score of a word, from 0 to 1, a multiple of 1/16; the rest is the context
    model's."""
    bound: float | None = None
    """Nats beyond the best language's cost up to which a word counts in full against a language.

    What goes further, a name, a loan or a typing error, counts a quarter, and so does a lone letter that goes on
    from what stands before it. None for neither.
    """
    fragments: float = 0.0
    """Share of its count that a word gives to its beginnings and ends when the unigram model is learned.

    So what noise leaves of words is known too. 0 is the paper's.
    """

    spellings: float = 0.0
    """Share of its count that a word gives to its other spellings (``cpp/words/spellings.h``).

    So Arabic and Hebrew are known without vowel points too, and with another keyboard's letters. 0 is the paper's.
    """

    signs: bool = True
    """Whether signs, digits and emoji count as words do; a language is better told by words of letters alone."""
    scripts: bool = False
    """Whether a word in a script that a language is not written in says nothing about it, and a language none of whose
    scripts occurs in a text is never the answer."""
    lexicon_size: int = 0
    """The most words of a language in the lexicon; 0 for a model without one."""
    lexicon_least: float = 1.0
    """Nats that a word of the lexicon gains at least."""

    def __post_init__(self) -> None:
        """Refuse what no scorer can be made of."""
        numbers = ("unseen_log_p", "discount", "base", "prune", "fragments", "spellings", "unigram_weight",
                   "lexicon_least")  # fmt: skip
        for name in (*numbers, *(["bound"] if self.bound is not None else [])):
            if finite_number(getattr(self, name)) is None:
                raise UnilidError(f"{name} must be a number, not {getattr(self, name)!r:.40}")
        if not (0 < self.discount < 1 and self.base < 0 and self.unseen_log_p < 0):
            raise UnilidError("the discount must lie between 0 and 1, and log-probabilities below 0")
        if self.unseen not in ("shared", "additive"):
            raise UnilidError(f"unseen must be 'shared' or 'additive', not {self.unseen!r}")
        if self.order is not None and (not isinstance(self.order, int) or self.order not in context.ORDERS):
            raise UnilidError(f"the order of the context model must be one of {context.ORDERS}, not {self.order!r}")
        if not 0 <= self.unigram_weight <= 1 or not float(self.unigram_weight * WEIGHT_STEPS).is_integer():
            raise UnilidError(f"unigram_weight must be a number of sixteenths from 0 to 1, not {self.unigram_weight!r}")
        if self.order is None and self.unigram_weight != 1:
            raise UnilidError("without a context model the unigram model has all of the weight")
        if not 0 <= self.prune < 1000:
            raise UnilidError(f"prune must be 0 or more and less than 1000, not {self.prune!r}")
        for name in ("fragments", "spellings"):
            if not 0 <= getattr(self, name) <= 10:
                raise UnilidError(f"{name} must be a share from 0 to 10, not {getattr(self, name)!r}")
        for name in ("signs", "scripts"):
            if not isinstance(getattr(self, name), bool):
                raise UnilidError(f"{name} must be True or False, not {getattr(self, name)!r:.40}")
        if not isinstance(self.lexicon_size, int) or isinstance(self.lexicon_size, bool) or self.lexicon_size < 0:
            raise UnilidError(f"lexicon_size must be a whole number, 0 or more, not {self.lexicon_size!r:.40}")
        if not 0 < self.lexicon_least < 32:
            raise UnilidError(f"lexicon_least must be more than 0 and less than 32 nats, not {self.lexicon_least!r}")
        if self.bound is not None and not STEP <= self.bound < 1000:
            raise UnilidError(f"the bound must be {STEP} nats or more and less than 1000, not {self.bound!r}")

    def stored(self) -> dict[str, Any]:
        """Return the settings as a model file has them: the weight in whole steps."""
        return {**asdict(self), "unigram_weight": self.weight_steps}

    @staticmethod
    def of(stored: Mapping[str, Any]) -> Settings:
        """Return the settings that a model file has; what a later version added is passed over."""
        known = {field.name for field in fields(Settings)}
        values = {name: value for name, value in stored.items() if name in known}
        if type(values.get("unigram_weight", 0)) is not int:
            raise UnilidError("unigram_weight must be a whole number of sixteenths")
        values["unigram_weight"] = values.get("unigram_weight", WEIGHT_STEPS) / WEIGHT_STEPS
        return Settings(**values)

    def spelled(self, words: Sequence[Words]) -> list[Words]:
        """Return the words that languages are estimated from: theirs, and other spellings of these."""
        if not self.spellings:
            return list(words)
        return [Words.of(_kernel.with_spellings(own, self.spellings)) for own in words]

    def estimate_context(self, words: Sequence[Words], threads: int) -> ContextTable:
        """Return the context table of languages under these settings."""
        assert self.order is not None
        return context.estimate(
            words, order=self.order, discount=self.discount, base=self.base, prune=self.prune, threads=threads
        )

    @property
    def weight_steps(self) -> int:
        """The weight of the unigram model as the kernel wants it: whole steps."""
        return round(self.unigram_weight * WEIGHT_STEPS)

    @property
    def bound_steps(self) -> int:
        """The bound as the kernel wants it: whole steps, 0 for none."""
        return 0 if self.bound is None else round(self.bound / STEP)

    @property
    def shared_unseen(self) -> float | None:
        """The log-probability of an unseen token; None where each language has its own."""
        return self.unseen_log_p if self.unseen == "shared" else None
