"""What a model is made with: the constants of its word models and of their sum."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from unilid import context
from unilid.context import ContextTable
from unilid.costs import STEP
from unilid.counts import Words
from unilid.errors import UnilidError

WHOLE = 16
"""Weights of word models are sixteenths."""


def positive(name: str, value: object, least: int = 1) -> int:
    """Return a whole number of any integer type that is at least `least`."""
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        number = least - 1
    if number < least or isinstance(value, bool):
        raise UnilidError(f"{name} must be a whole number from {least}, not {value!r}")
    return number


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
    """How much an n-gram must matter to be kept; see ``cpp/context.h``."""
    unigram_weight: int = WHOLE
    """Sixteenths; the rest is the context model's."""
    bound: float | None = None
    """Nats up to which one word may speak against a language in full; what goes further, a name, a loan or a typing
    error, counts a quarter, and so does a lone letter that no space precedes. None for neither."""
    fragments: float = 0.0
    """Share of its count that a word gives to its beginnings and ends when the unigram model is learned; 0 for the
    paper's."""

    def __post_init__(self) -> None:
        """Refuse what no scorer can be made of."""
        for name in (
            "unseen_log_p",
            "discount",
            "base",
            "prune",
            "fragments",
            *(["bound"] if self.bound is not None else []),
        ):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
                raise UnilidError(f"{name} must be a number, not {value!r}")
        if not isinstance(self.unigram_weight, int) or not isinstance(self.order, int | None):
            raise UnilidError("unigram_weight and order must be whole numbers")
        if not (0 < self.discount < 1 and self.base < 0 and self.unseen_log_p < 0):
            raise UnilidError("the discount must lie between 0 and 1, and log-probabilities below 0")
        if self.unseen not in ("shared", "additive"):
            raise UnilidError(f"unseen must be 'shared' or 'additive', not {self.unseen!r}")
        if self.order is not None and self.order not in context.ORDERS:
            raise UnilidError(f"the order of the context model must be one of {context.ORDERS}, not {self.order!r}")
        if not 0 <= self.unigram_weight <= WHOLE or (self.order is None and self.unigram_weight != WHOLE):
            raise UnilidError(f"the unigram model cannot have {self.unigram_weight} sixteenths of the weight")
        if not 0 <= self.prune < 1000:
            raise UnilidError(f"prune must be 0 or more and less than 1000, not {self.prune!r}")
        if not 0 <= self.fragments <= 10:
            raise UnilidError(f"fragments must be a share from 0 to 10, not {self.fragments!r}")
        if self.bound is not None and not STEP <= self.bound < 1000:
            raise UnilidError(f"the bound must be {STEP} nats or more and less than 1000, not {self.bound!r}")

    def estimate_context(self, words: Sequence[Words], threads: int) -> ContextTable:
        """Return the context table of languages under these settings."""
        assert self.order is not None
        return context.estimate(
            words, order=self.order, discount=self.discount, base=self.base, prune=self.prune, threads=threads
        )

    @property
    def bound_steps(self) -> int:
        """The bound as the kernel wants it: whole steps, 0 for none."""
        return 0 if self.bound is None else round(self.bound / STEP)

    @property
    def shared_unseen(self) -> float | None:
        """The log-probability of an unseen token; None where each language has its own."""
        return self.unseen_log_p if self.unseen == "shared" else None
