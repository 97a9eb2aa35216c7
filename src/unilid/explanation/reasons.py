"""The reasons of an answer, as data: words, tokens and characters with their scores under two languages."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias

from unilid.decisions.answers import Prediction

Kind: TypeAlias = Literal["letters", "digits", "signs"]


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
    lexicon: float | None
    """What the language gains because it uses the whole word often; 0 where the lexicon does not have it."""
    weighted: float
    """Both by their weights, and the gain."""
    score: float
    """What is added to the score of the text if the word counts: a lone letter a quarter, and bounded."""
    bounded: bool
    """Whether it lies so far below the best language's score that what goes further counted a quarter."""
    foreign: bool
    """Whether the language is not written in the script of the word: then its score is that of all such languages."""


@dataclass(frozen=True, slots=True)
class WordReason:
    """What a word says for one language and against the other."""

    text: bytes
    """As it stands in the text."""
    start: int
    """Where, in bytes of the text."""
    end: int
    read: bytes
    """As the word models read it: with the space before it, in small letters where all were capitals, and with letters
    and their marks as one."""
    kind: Kind
    noise: str | None
    """What it is a part of, if that is no language: an address, an e-mail, an identifier."""
    counts: bool
    """Noise does not count, unless there is nothing else; nor do signs and digits in a model that reads none."""
    cut: bool
    """Whether letters touch it, so that it may be a part of a word."""
    lone: bool
    """Whether it is a single letter that no space precedes: it counts a quarter where words are bounded."""
    best: str
    """The language that explains it best, of all that the model knows."""
    language_score: WordScore
    """What it says of the language that is explained."""
    instead_score: WordScore
    """What it says of the language that it is compared with."""

    @property
    def difference(self) -> float:
        """Nats by which the word speaks for the language (below zero: against it); 0 where it does not count."""
        return self.language_score.score - self.instead_score.score if self.counts else 0.0


@dataclass(frozen=True, slots=True)
class Without:
    """The same text, decided without one of the things that had a hand in it."""

    name: Literal["context", "lexicon", "bound", "unseen", "prior", "handicaps", "languages", "calibrated", "abstain"]
    answer: Prediction
    changed: bool
    """Whether that would have been another answer."""


@dataclass(frozen=True)
class Reasons:
    """Why a text is in one language rather than in another, as data."""

    text: bytes
    answer: Prediction
    """What `identify` says."""
    language: str | None
    """The language that is explained; None where a text has no words of one, and none was asked for."""
    instead: str | None
    score: float
    """Log-probability of the text under the language, in nats."""
    instead_score: float
    prior: float
    """Log prior of the language minus that of the other."""
    handicap: float
    """Handicap of the other language minus that of the language, for so many letters; 0 where there are none."""
    unigram_weight: float
    """The share of the unigram model in the scores of words; the rest is the context model's."""
    bound: float | None
    """Nats below the best language's score up to which a word counts in full, and beyond a quarter."""
    words: tuple[WordReason, ...]
    """In the order of the text."""
    without: tuple[Without, ...]
    """What would have been said without each of the things that were in force.

    They are named after the settings and options. ``context``: by the unigram model alone. ``lexicon``: where no whole
    word gains. ``bound``: with all words in full. ``unseen``: where a token that a language never saw costs it no more
    than its rarest one. ``prior``: with none. ``handicaps``: with none. ``languages``: where all compete.
    ``calibrated``: without re-ranking. ``abstain``: where a language must be named. The first four change the scores,
    to which rejection was fitted: they always name a language.
    """

    @property
    def difference(self) -> float:
        """Nats by which the language is ahead: the sum over the words, the prior and the handicap."""
        return self.score - self.instead_score + self.prior + self.handicap

    @property
    def deciding(self) -> tuple[WordReason, ...]:
        """The words by weight: those that make the greatest difference first."""
        return tuple(sorted(self.words, key=lambda word: -abs(word.difference)))

    def record(self) -> dict[str, Any]:
        """Return all of it as JSON can have it; what is no UTF-8 is written with backslashes."""
        differences = [{"difference": word.difference} for word in self.words]
        record = {**asdict(self), "difference": self.difference}
        record["words"] = [{**word, **more} for word, more in zip(record["words"], differences, strict=True)]
        return {name: _plain(value) for name, value in record.items()}

    def to_json(self) -> str:
        """Return `record` as one line of JSON."""
        return json.dumps(self.record(), ensure_ascii=False)


def _plain(value: Any) -> Any:
    if isinstance(value, Prediction):
        return value._asdict()
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else value
