"""From scores to answers: temperature, re-examination, rejection and prior, as a model keeps them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from unilid import _kernel
from unilid.confidence import RATES, Floats, Rejection, Temperature
from unilid.costs import STEP
from unilid.modelfile import Arrays
from unilid.packing import Checked

if TYPE_CHECKING:
    from unilid.calibration import Calibration


@dataclass(frozen=True, slots=True)
class Decisions:
    """All that comes after the scores. A model that was never fitted has the default temperature and nothing else."""

    temperature: Temperature = Temperature()  # noqa: RUF009  # frozen
    rejection: Rejection | None = None
    calibration: Calibration | None = None
    prior: Floats | None = None
    """Probabilities of the languages in the text that the model is for, where they were fitted."""

    @property
    def is_default(self) -> bool:
        """Whether nothing in it belongs to single languages."""
        return self.rejection is None and self.calibration is None and self.prior is None

    def kernel(self, log_prior: Floats, *, calibrated: bool, rate: float | None) -> _kernel.Decision:
        """Return the kernel's way to answer; `rate`: of false rejections, None for no rejection."""
        temperature, calibration, rejection = self.temperature, self.calibration, self.rejection
        reexamination = None
        if calibrated and calibration is not None:
            rules = calibration.rules
            reexamination = (calibration.thresholds, calibration.replaces, rules.distance, rules.ranks)
        rejecting = None
        if rate is not None and rejection is not None:
            limit, least = rejection.at(rate)
            rejecting = (rejection.usual, rejection.spread, rejection.shared, rejection.sampling, limit, least)
        return _kernel.Decision(
            log_prior, STEP, (temperature.scale, temperature.length, temperature.decay), reexamination, rejecting
        )

    def select(self, rows: Sequence[int]) -> Decisions:
        """Return what belongs to some of the languages."""
        prior = None if self.prior is None else self.prior[list(rows)]
        return Decisions(
            self.temperature,
            None if self.rejection is None else self.rejection.select(rows),
            None if self.calibration is None else self.calibration.select(rows),
            None if prior is None or not prior.sum() > 0 else prior / prior.sum(),
        )

    def placed(self, rows: Sequence[int], languages: int) -> Decisions:
        """Return the same for a model in which these languages have the given rows; of others nothing is known."""
        if self.rejection is None:
            return self
        usual, spread = np.zeros(languages), np.ones(languages)
        usual[list(rows)], spread[list(rows)] = self.rejection.usual, self.rejection.spread
        return replace(self, rejection=replace(self.rejection, usual=usual, spread=spread))

    def pack(self) -> tuple[Arrays, dict[str, Any]]:
        """Return the arrays and the metadata of a file."""
        arrays: Arrays = {}
        temperature = self.temperature
        stored: dict[str, Any] = {"temperature": [temperature.scale, temperature.length, temperature.decay]}
        if self.rejection is not None:
            stored["rejection"] = [self.rejection.shared, self.rejection.sampling]
            for name in _REJECTION:
                arrays[f"rejection.{name}"] = getattr(self.rejection, name)
        if self.calibration is not None:
            stored["calibration"] = self.calibration.stored()
            for name in _CALIBRATION:
                arrays[f"calibration.{name}"] = getattr(self.calibration, name)
        if self.prior is not None:
            arrays["prior"] = self.prior
        return arrays, stored

    @staticmethod
    def unpack(file: Checked, stored: Mapping[str, Any], *, languages: int) -> Decisions:
        """Take all of it out of a file."""
        numbers = [*stored["temperature"], *stored.get("rejection", ())]
        if len(stored["temperature"]) != 3 or not all(
            isinstance(number, float) and 0 < number < 1e9 for number in numbers
        ):
            raise file.fail(f"its decisions have the numbers {numbers}")
        rejection = calibration = prior = None
        if "rejection" in stored:
            shared, sampling = stored["rejection"]
            usual, spread = (file.take(f"rejection.{name}", np.float64, length=languages) for name in _REJECTION[:2])
            limits, least = (file.take(f"rejection.{name}", np.float64, length=len(RATES)) for name in _REJECTION[2:])
            rejection = Rejection(usual, spread, shared, sampling, limits, least)
        if "calibration" in stored:
            from unilid.calibration import Calibration, Rules

            calibration = Calibration(
                Rules.of(stored["calibration"]),
                file.take("calibration.thresholds", np.float64, length=languages),
                file.take("calibration.replaces", np.uint8, length=languages, below=2),
                file.take("calibration.unseen", np.uint8, length=languages),
            )
        if "prior" in file.arrays:
            prior = file.take("prior", np.float64, length=languages)
            if not 0.99 < prior.sum() < 1.01:
                raise file.fail(f"its prior adds up to {prior.sum():g}")
        return Decisions(Temperature(*stored["temperature"]), rejection, calibration, prior)


_REJECTION = ("usual", "spread", "limits", "least")
_CALIBRATION = ("thresholds", "replaces", "unseen")
