"""What an answer looks like, and the two answers that are not languages."""

from __future__ import annotations

from typing import NamedTuple

from unilid import _kernel
from unilid.languages.labels import NO_LANGUAGE, UNDETERMINED, Meaning, meaning


class Prediction(NamedTuple):
    """A language and how well it explains the text."""

    label: str
    """A label of the model; ``zxx`` where the text is no language; ``und`` where the model does not know."""
    probability: float
    """How likely the answer is right, fitted on held-out text; of `und`, what the guess would have had."""
    score: float
    """Log-probability of the text, or of what was read of it, under the language, in nats, before any prior."""
    reason: str | None = None
    """Why there is no language.

    Of ``zxx``: empty, digits, signs, emoji, address, e-mail, identifier, markup, code, mojibake. Of ``und``: unsure,
    unlike, script (no language that competes is written in the script of the text: then there is no guess either).
    """
    guess: str | None = None
    """Of `und`, the language that would have been named; None where its reason is `script`."""

    @property
    def meaning(self) -> Meaning:
        """All that is known of the label: names, codes, script, macrolanguage.

        >>> answer = Prediction("arz_Arab", 0.9, -20.0)
        >>> answer.iso639_3, answer.script, answer.name, answer.macrolanguage
        ('arz', 'Arab', 'Egyptian Arabic', 'ara')
        >>> answer = Prediction("cmn_Hant", 0.9, -20.0)
        >>> answer.iso639_1, answer.bcp47
        ('zh', 'zh-Hant')
        """
        return meaning(self.label)

    @property
    def iso639_3(self) -> str | None:
        """The language in ISO 639-3, if known."""
        return self.meaning.iso639_3

    @property
    def iso639_1(self) -> str | None:
        """The code of two letters that the language goes by, if it has one: ``zh`` for Mandarin; see `Meaning`."""
        return self.meaning.iso639_1

    @property
    def bcp47(self) -> str | None:
        """The tag of BCP 47 without the script that goes without saying, if the language is known; see `Meaning`."""
        return self.meaning.bcp47

    @property
    def script(self) -> str | None:
        """The script in ISO 15924, if the label names one."""
        return self.meaning.script

    @property
    def name(self) -> str:
        """The language in English; the label itself where unknown."""
        return self.meaning.name

    @property
    def macrolanguage(self) -> str | None:
        """The code of the macrolanguage that the language is part of."""
        return self.meaning.macrolanguage


_new = tuple.__new__  # what a named tuple does, without a call in between


def predictions(languages: tuple[str, ...], answers: _kernel.Answers, *, abstain: bool) -> list[Prediction]:
    """Return the best answer to each text."""
    made, others = _kernel.plain_predictions(Prediction, languages, answers)
    if others:  # few
        columns = (column[others, :1].tolist() for column in (answers.rows, answers.scores, answers.probabilities))
        for place, *best in zip(others, *columns, answers.verdicts[others].tolist(), strict=True):
            made[place] = _ranked(languages, *best, abstain=abstain)[0]
    return made


def ranked_predictions(
    languages: tuple[str, ...], answers: _kernel.Answers, *, abstain: bool
) -> list[list[Prediction]]:
    """Return the answers to each text, best first; an answer that is no language stands before them."""
    columns = answers.rows.tolist(), answers.scores.tolist(), answers.probabilities.tolist(), answers.verdicts.tolist()
    return [
        [
            _new(Prediction, (languages[row], probability, score, None, None))
            for row, score, probability in zip(rows, scores, probabilities, strict=True)
        ]
        if not verdict and rows[-1] >= 0  # nearly all
        else _ranked(languages, rows, scores, probabilities, verdict, abstain=abstain)
        for rows, scores, probabilities, verdict in zip(*columns, strict=True)
    ]


def _ranked(
    languages: tuple[str, ...],
    rows: list[int],
    scores: list[float],
    probabilities: list[float],
    verdict: int,
    *,
    abstain: bool,
) -> list[Prediction]:
    if rows[0] < 0 or (abstain and 0 < verdict < _kernel.FIRST_UNDETERMINED):
        return [Prediction(NO_LANGUAGE, 1.0, 0.0, _kernel.REASONS.get(verdict))]
    ranked = [
        Prediction(languages[row], probability, score)
        for row, probability, score in zip(rows, probabilities, scores, strict=True)
        if row >= 0
    ]
    if abstain and verdict:
        best = ranked[0]
        if _kernel.REASONS[verdict] == "script":  # a guess would be in another script
            return [Prediction(UNDETERMINED, 0.0, 0.0, "script")]
        undetermined = Prediction(UNDETERMINED, best.probability, best.score, _kernel.REASONS[verdict], best.label)
        return [undetermined, *ranked[: len(rows) - 1]]
    return ranked
