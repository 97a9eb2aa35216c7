"""The options of an answer, written once: what `identify`, `explain` and `evaluate` take."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, TypedDict

from unilid.decisions.prior import Prior
from unilid.decisions.rejection import DEFAULT_RATE
from unilid.errors import UnilidError
from unilid.numbers import finite_number, whole_number

BUDGET = 65_536
"""Bytes of a long text that are read at most, where a call does not say: some thousand sentences."""


class Options(TypedDict, total=False):
    """How a text is answered. Each has a default, so none need be given.

    >>> import unilid
    >>> options: unilid.Options = {"languages": ["de", "swe_Latn"], "abstain": False}
    >>> unilid.identify("Hur mår du i dag?", **options).label
    'swe_Latn'
    """

    languages: Iterable[str] | None
    """Only these compete; for what is read of a text, their scores are exactly those of the full model.

    Labels, or codes that stand for some: ISO 639 of any part, BCP 47 tags, macrolanguages (`Model.rows_matching`).
    None, the default: all languages of the model.
    """
    prior: Prior
    """How frequent languages are beforehand.

    ``"model"``, the default: the prior that was fitted for this model, uniform if none was. None: uniform.
    ``"training"``: the shares of the training lines. A mapping from labels or codes to probabilities: labels that a
    code stands for share its probability equally, and languages that are not named share what is left of 1. Handicaps,
    which training fits for few labels, count beside every prior.
    """
    calibrated: bool | Literal["auto"]
    """Whether narrow wins of over-predicted languages are re-ranked (the paper's calibrated UniLID).

    ``"auto"``, the default: where the model was calibrated.
    """
    abstain: bool | float
    """Whether a text may be answered ``zxx``, where it is no language, and ``und``, where the model cannot tell.

    A number is the share of ordinary text that may be answered ``und``; True, the default, means 0.002. False: the
    answer is always a language.
    """
    budget: int | None
    """How many bytes of a long text are read at most, if the first ones leave doubt; 65,536 is the default.

    Texts of up to 1,024 bytes are read as a whole. Of a longer one, excerpts that are spread over it are read: first
    256 bytes, then more, until the answer is beyond doubt and all excerpts agree. If they do not agree, which may mean
    several languages, the text is read as a whole, as far as the budget goes. None: every text is read as a whole.
    """


def reading_budget(budget: object) -> int | None:
    """Return how many bytes of a long text may be read; None for all.

    >>> reading_budget(None), reading_budget(4096)
    (None, 4096)
    """
    return None if budget is None else min(whole_number("budget", budget), 2**63 - 1)


def rejection_rate(abstain: object) -> float | None:
    """Return the share of ordinary text that may be rejected; None for never.

    >>> rejection_rate(True), rejection_rate(False), rejection_rate(0.05)
    (0.002, None, 0.05)
    """
    if isinstance(abstain, bool):
        return DEFAULT_RATE if abstain else None
    rate = finite_number(abstain)
    if rate is not None and 0 < rate < 1:
        return rate
    raise UnilidError(f"abstain must be True, False or a share of texts between 0 and 1, not {abstain!r}")
