"""What answers: the scorers of a model and its decisions, brought together by the options of a call."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from unilid import _kernel
from unilid.decisions.decide import Decisions
from unilid.decisions.held_out import Floats
from unilid.decisions.options import BUDGET, Options, reading_budget, rejection_rate
from unilid.decisions.prior import Prior, log_prior, shares_of
from unilid.errors import UnilidError
from unilid.languages.codes import Index
from unilid.languages.labels import RESERVED
from unilid.models.parameters import Parameters
from unilid.scoring.scorers import Scorers


@dataclass(frozen=True, slots=True)
class Request:
    """What the options of a call come to for a model."""

    scorers: Scorers
    decision: _kernel.Decision
    log_prior: Floats
    unrestricted: Floats | None
    """The log prior where all languages compete; None where they do anyway."""
    calibrated: bool
    rate: float | None
    """The share of ordinary text that may be rejected; None for none."""
    budget: int | None
    """Bytes of a long text that may be read; None for all."""


class Answerer:
    """The scorers and the decisions of a model; kernel tables are built when they are first needed."""

    def __init__(self, parameters: Parameters, decisions: Decisions, *, cache_megabytes: int) -> None:
        self.parameters = parameters
        self.decisions = decisions
        self.index = Index(parameters.languages)
        self.scorers = Scorers(parameters, cache_megabytes=cache_megabytes)
        self._usual: dict[tuple[bool, float | None, int | None], Request] = {}

    @cached_property
    def words(self) -> _kernel.AnswerWords:
        """What columns of answers consist of."""
        return _kernel.AnswerWords([*self.parameters.languages, *RESERVED])

    @cached_property
    def calibrated_scorers(self) -> Scorers:
        """The scorers of calibrated UniLID: the cost of an unseen token is raised to that of a shared constant."""
        calibration = self.decisions.calibration
        return self.scorers if calibration is None else self.scorers.with_unseen(calibration.unseen)

    def request(
        self,
        *own: str,
        languages: Iterable[str] | None = None,
        prior: Prior = "model",
        calibrated: bool | Literal["auto"] = "auto",
        abstain: bool | float = True,
        budget: int | None = BUDGET,
        **unknown: object,
    ) -> Request:
        """Return what the options of a call come to; see `Options`. The usual ones are remembered.

        The call's `own` options are named beside these where there is no such option.
        """
        if unknown:
            known = ", ".join([*own, *Options.__annotations__])
            raise TypeError(f"there is no option {min(unknown)!r}; the options are {known}")
        if calibrated not in (True, False, "auto"):
            raise UnilidError(f"calibrated must be True, False or 'auto', not {calibrated!r}")
        if calibrated is True and self.decisions.calibration is None:
            raise UnilidError("the model was not calibrated; `unilid calibrate` does that")
        rerank = self.decisions.calibration is not None if calibrated == "auto" else calibrated is True
        rate, budget = rejection_rate(abstain), reading_budget(budget)
        usual = languages is None and isinstance(prior, str) and prior == "model" and isinstance(abstain, bool)
        usual = usual and budget in (BUDGET, None)
        if usual and (rerank, rate, budget) in self._usual:
            return self._usual[rerank, rate, budget]
        logs = self.log_prior(languages, prior)
        request = Request(
            self.calibrated_scorers if rerank else self.scorers,
            self.decisions.kernel(logs, calibrated=rerank, rate=rate),
            logs,
            None if languages is None else self.log_prior(None, prior),
            rerank,
            rate,
            budget,
        )
        if usual:
            self._usual[rerank, rate, budget] = request
        return request

    def log_prior(self, languages: Iterable[str] | None, prior: Prior) -> Floats:
        """Return the logarithm of each language's prior; -inf for those that do not compete."""
        shares = shares_of(prior, self.index, fitted=self.decisions.prior, lines=self.parameters.lines)
        return log_prior(shares, None if languages is None else self.index.rows_of_all(languages))
