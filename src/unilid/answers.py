"""What an answer looks like, and the two answers that are not languages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from unilid import labels

NO_LANGUAGE = "zxx"
"""Nothing linguistic in it (ISO 639)."""
UNDETERMINED = "und"
"""The model cannot tell, or knows nothing like it."""

REASONS = {
    1: "empty",
    2: "digits",
    3: "signs",
    4: "emoji",
    5: "address",
    6: "e-mail",
    7: "identifier",
    8: "garbled",
    16: "unsure",
    17: "unlike",
}
"""By the kernel's number (``cpp/noise.h``, ``cpp/decide.h``); from 16 on, of `und`."""
FIRST_UNDETERMINED = 16


class Prediction(NamedTuple):
    """A language and how well it explains the text."""

    label: str
    """A label of the model; ``zxx`` where the text is no language; ``und`` where the model does not know."""
    probability: float
    """How likely the answer is right, fitted on held-out text; of `und`, what the guess would have had."""
    score: float
    """Log-probability of the text under the language, in nats, before any prior."""
    reason: str | None = None
    """Why there is no language: one of `REASONS`."""
    guess: str | None = None
    """Of `und`, the language that would have been named."""

    @property
    def language(self) -> str:
        """The language in ISO 639-3 if known, else the label's own part.

        >>> answer = Prediction("arz_Arab", 0.9, -20.0)
        >>> answer.language, answer.script, answer.name, answer.macrolanguage
        ('arz', 'Arab', 'Egyptian Arabic', 'ara')
        """
        return labels.meaning(self.label).language

    @property
    def script(self) -> str | None:
        """The script in ISO 15924, if the label names one."""
        return labels.meaning(self.label).script

    @property
    def name(self) -> str:
        """The language in English; the label itself where unknown."""
        return labels.meaning(self.label).name

    @property
    def macrolanguage(self) -> str | None:
        """The code of the macrolanguage that the language is part of."""
        return labels.meaning(self.label).macrolanguage


_new = tuple.__new__  # what a named tuple does, without a call in between


def best_predictions(
    languages: tuple[str, ...],
    rows: Sequence[int],
    scores: Sequence[float],
    probabilities: Sequence[float],
    verdicts: Sequence[int],
    *,
    abstain: bool,
) -> list[Prediction]:
    """Return the best answer to each text."""
    return [
        _new(Prediction, (languages[row], probability, score, None, None))
        if not verdict and row >= 0  # nearly all
        else predictions(languages, [row], [score], [probability], verdict, abstain=abstain)[0]
        for row, score, probability, verdict in zip(rows, scores, probabilities, verdicts, strict=True)
    ]


def predictions(
    languages: tuple[str, ...],
    rows: list[int],
    scores: list[float],
    probabilities: list[float],
    verdict: int,
    *,
    abstain: bool,
) -> list[Prediction]:
    """Return the answers to one text, best first; an answer that is no language stands before them."""
    if rows[0] < 0 or (abstain and 0 < verdict < FIRST_UNDETERMINED):
        return [Prediction(NO_LANGUAGE, 1.0, 0.0, REASONS.get(verdict))]
    ranked = [
        Prediction(languages[row], probability, score)
        for row, probability, score in zip(rows, probabilities, scores, strict=True)
        if row >= 0
    ]
    if abstain and verdict:
        best = ranked[0]
        refused = Prediction(UNDETERMINED, best.probability, best.score, REASONS[verdict], best.label)
        return [refused, *ranked[: len(rows) - 1]]
    return ranked
