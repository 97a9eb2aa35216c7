"""From scores to answers: temperature, re-ranking, rejection, prior and handicaps, as a model keeps them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import numpy.typing as npt

from unilid import _kernel
from unilid.decisions.held_out import Floats, in_scored_chunks
from unilid.decisions.rejection import RATES, Rejection
from unilid.decisions.temperature import Temperature
from unilid.errors import UnilidError
from unilid.models.costs import STEP
from unilid.store.modelfile import Arrays
from unilid.store.packing import CheckedFile
from unilid.texts import Text
from unilid.threads import ahead

if TYPE_CHECKING:
    from unilid.decisions.calibration import Calibration

CHUNK_TEXTS = 16_384
"""Texts in one kernel call: their answers are made while the next texts are scored."""
MAX_HANDICAP = 1e6
"""Nats, times the root of the letters; far more than any that is fitted."""
CHUNK_BYTES = 1 << 20
"""Characters (or bytes) of these texts, about: who presses Ctrl-C waits for one call at most."""


@overload
def in_chunks(texts: _kernel.TextColumn) -> list[_kernel.TextColumn]: ...
@overload
def in_chunks(texts: Sequence[Text]) -> list[list[Text]]: ...
def in_chunks(texts: Sequence[Text] | _kernel.TextColumn) -> list[list[Text]] | list[_kernel.TextColumn]:
    """Return texts in order, so many at a time; a text that is longer than a chunk stands alone."""
    if isinstance(texts, _kernel.TextColumn):
        return texts.parts(CHUNK_TEXTS, CHUNK_BYTES)
    return list(_chunks(texts))


def _chunks(texts: Sequence[Text]) -> Iterator[list[Text]]:
    for start in range(0, len(texts), CHUNK_TEXTS):
        chunk = list(texts[start : start + CHUNK_TEXTS])
        if sum(map(len, filter(None, chunk))) <= CHUNK_BYTES:
            yield chunk
            continue
        size, first = 0, 0
        for place, text in enumerate(chunk):
            length = len(text or b"")
            if place > first and size + length > CHUNK_BYTES:
                yield chunk[first:place]
                size, first = 0, place
            size += length
        yield chunk[first:]


def _is_long(chunk: list[Text] | _kernel.TextColumn) -> bool:
    if len(chunk) > 1:
        return False
    return (chunk.bytes if isinstance(chunk, _kernel.TextColumn) else len(chunk[0] or b"")) > CHUNK_BYTES


def answers_in_chunks(
    scorer: _kernel.Scorer,
    chunks: Sequence[list[Text] | _kernel.TextColumn],
    decision: _kernel.Decision,
    *,
    k: int = 1,
    threads: int,
    budget: int | None = None,
) -> Iterator[_kernel.Answers]:
    """Yield the answers to texts in columns, chunk by chunk (`in_chunks`); with threads, a chunk is made ahead.

    Without a `budget`, every text is read as a whole.
    """

    def decide(chunk: list[Text] | _kernel.TextColumn) -> _kernel.Answers:
        return scorer.decide(chunk, decision, k, threads, budget)

    if len(chunks) == 1:
        yield decide(chunks[0])
        return
    # The kernel hears Ctrl-C where it is called by the main thread, so it may take its time there.
    beside = threads > 1 and not any(map(_is_long, chunks))
    yield from (ahead if beside else map)(decide, chunks)


def best(
    scorer: _kernel.Scorer,
    texts: Sequence[Text],
    log_prior: Floats,
    *,
    handicaps: Floats | None = None,
    k: int = 1,
    threads: int,
) -> tuple[npt.NDArray[np.int32], Floats]:
    """Return the rows of the k best languages of each text and their keys, before any re-ranking.

    A key is log prior plus score, less the handicap. Where there are fewer languages, the row is -1.
    """
    decision = Decisions(handicaps=handicaps).kernel(log_prior, calibrated=False, rate=None)
    answers = answers_in_chunks(scorer, in_chunks(texts), decision, k=k, threads=threads)
    chunks = [(chunk.rows, chunk.scores) for chunk in answers]
    rows = np.concatenate([np.zeros((0, k), np.int32), *(rows for rows, _ in chunks)])
    scores = np.concatenate([np.zeros((0, k)), *(scores for _, scores in chunks)])
    keys = np.where(rows >= 0, scores + log_prior[np.maximum(rows, 0)], -np.inf)
    if handicaps is not None:
        letters = np.concatenate([costs.letters for _, costs in in_scored_chunks(scorer, texts, threads=threads)])
        keys -= handicaps[np.maximum(rows, 0)] * np.sqrt(letters)[:, None]
    return rows, keys


@dataclass(frozen=True, slots=True)
class Decisions:
    """All that comes after the scores. A model that was never fitted has the default temperature and nothing else."""

    temperature: Temperature = Temperature()  # noqa: RUF009  # frozen
    rejection: Rejection | None = None
    calibration: Calibration | None = None
    prior: Floats | None = None
    """Probabilities of the languages in the text that the model is for, where they were fitted."""
    handicaps: Floats | None = None
    """What languages score too much on every text, where that was fitted; see `unilid.decisions.odds`."""

    @property
    def is_default(self) -> bool:
        """Whether nothing in it belongs to single languages."""
        return all(part is None for part in (self.rejection, self.calibration, self.prior, self.handicaps))

    def kernel(self, log_prior: Floats, *, calibrated: bool, rate: float | None) -> _kernel.Decision:
        """Return the kernel's way to answer; `rate`: share of ordinary text that may be rejected, None for none."""
        temperature, calibration, rejection = self.temperature, self.calibration, self.rejection
        rerank = kernel_rejection = None
        if calibrated and calibration is not None:
            rules = calibration.rules
            rerank = _kernel.Rerank(
                thresholds=calibration.thresholds,
                replaces=calibration.replaces,
                distance=rules.distance,
                ranks=rules.ranks,
            )
        if rate is not None and rejection is not None:
            limit, least = rejection.at(rate)
            kernel_rejection = _kernel.Rejection(
                usual=rejection.usual,
                spread=rejection.spread,
                shared=rejection.shared,
                sampling=rejection.sampling,
                limit=limit,
                least_probability=least,
            )
        return _kernel.Decision(
            log_prior=log_prior,
            step=STEP,
            temperature=_kernel.Temperature(
                scale=temperature.scale, length=temperature.length, decay=temperature.decay
            ),
            rerank=rerank,
            rejection=kernel_rejection,
            handicaps=self.handicaps,
        )

    def check(self, language_count: int) -> None:
        """Refuse decisions that were made for another number of languages."""
        arrays: list[npt.NDArray[Any]] = [array for array in (self.prior, self.handicaps) if array is not None]
        if self.rejection is not None:
            arrays += [self.rejection.usual, self.rejection.spread]
        if self.calibration is not None:
            arrays += [self.calibration.thresholds, self.calibration.replaces, self.calibration.unseen]
        if any(len(array) != language_count for array in arrays):
            raise UnilidError(f"the decisions are not for {language_count} languages")

    def select(self, rows: Sequence[int]) -> Decisions:
        """Return what belongs to some of the languages."""
        prior = None if self.prior is None else self.prior[list(rows)]
        handicaps = None if self.handicaps is None else self.handicaps[list(rows)]
        return Decisions(
            self.temperature,
            None if self.rejection is None else self.rejection.select(rows),
            None if self.calibration is None else self.calibration.select(rows),
            None if prior is None or not prior.sum() > 0 else prior / prior.sum(),
            None if handicaps is None or len(handicaps) == 1 else handicaps,
        )

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
        if self.handicaps is not None:
            arrays["handicaps"] = self.handicaps
        return arrays, stored

    @staticmethod
    def unpack(file: CheckedFile, stored: Mapping[str, Any], *, language_count: int) -> Decisions:
        """Take all of it out of a file."""
        numbers = [*stored["temperature"], *stored.get("rejection", ())]
        if len(stored["temperature"]) != 3 or not all(
            isinstance(number, float) and 0 < number < 1e9 for number in numbers
        ):
            raise file.fail(f"its decisions have the numbers {numbers}")
        rejection = calibration = prior = handicaps = None
        if "rejection" in stored:
            shared, sampling = stored["rejection"]
            usual, spread = (
                file.take(f"rejection.{name}", np.float64, length=language_count) for name in _REJECTION[:2]
            )
            limits, least = (file.take(f"rejection.{name}", np.float64, length=len(RATES)) for name in _REJECTION[2:])
            rejection = Rejection(usual, spread, shared, sampling, limits, least)
        if "calibration" in stored:
            # Imported here because few models were calibrated, and all of them would wait for it.
            from unilid.decisions.calibration import Calibration, Rules

            calibration = Calibration(
                Rules.of(stored["calibration"]),
                file.take("calibration.thresholds", np.float64, length=language_count),
                file.take("calibration.replaces", np.uint8, length=language_count, below=2),
                file.take("calibration.unseen", np.uint8, length=language_count),
            )
        if "prior" in file.arrays:
            prior = file.take("prior", np.float64, length=language_count)
            if not 0.99 < prior.sum() < 1.01:
                raise file.fail(f"its prior adds up to {prior.sum():g}")
        if "handicaps" in file.arrays:
            handicaps = file.take("handicaps", np.float64, length=language_count)
            if not (handicaps >= 0).all() or not (handicaps < MAX_HANDICAP).all():
                raise file.fail("its handicaps are no numbers of nats")
        return Decisions(Temperature(*stored["temperature"]), rejection, calibration, prior, handicaps)


_REJECTION = ("usual", "spread", "limits", "least")
_CALIBRATION = ("thresholds", "replaces", "unseen")
