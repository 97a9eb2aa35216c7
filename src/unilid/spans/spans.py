"""The languages of a mixed text: which stretch is in which, and how much of it each one has."""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from types import MappingProxyType
from typing import Literal, overload

import numpy as np
import numpy.typing as npt

from unilid import _kernel
from unilid.decisions.decide import Decisions
from unilid.encodings import utf16
from unilid.errors import UnilidError
from unilid.languages.labels import NO_LANGUAGE, UNDETERMINED, Meaning, meaning
from unilid.models.costs import STEP
from unilid.numbers import whole_number
from unilid.texts import Text, utf8

SWITCH = 12.0
"""Penalty in nats for switching language, chosen by benchmarks/spans.py."""
SHORT = 10
"""Up to this many words of letters a switch costs `switch`; beyond, the cost grows as √(words / SHORT), to at most
twice."""
APART = 16
"""Visible characters in a row without a word of letters from which on they are a span of their own."""
MAX_SWITCH = 1_000_000
"""Nats: what the kernel's costs have room for."""

_SHOWN = 10  # spans in what is printed of many


def find_spans(
    scorer: _kernel.Scorer,
    decisions: Decisions,
    languages: tuple[str, ...],
    text: str | bytes,
    log_prior: npt.NDArray[np.float64],
    *,
    switch: float,
    least: int,
    most: int | None,
    offsets: Literal["auto", "characters", "bytes"],
) -> Spans:
    """Return the spans of a text; see `Model.spans`."""
    if not isinstance(text, str | bytes):
        raise UnilidError(f"a text with spans is str or bytes, not {type(text).__name__}")
    if offsets not in ("auto", "characters", "bytes"):
        raise UnilidError(f"offsets must be 'auto', 'characters' or 'bytes', not {offsets!r}")
    if offsets == "characters" and isinstance(text, bytes):
        raise UnilidError("offsets in characters need a str; the text is bytes")
    if isinstance(switch, bool) or not isinstance(switch, int | float) or not 0 <= switch <= MAX_SWITCH:
        raise UnilidError(f"switch must be a number of nats from 0 to {MAX_SWITCH:,}, not {switch!r}")
    encoded = utf8(text) or b" " * bool(text)  # a byte order mark alone is no language
    spans = scorer.spans(
        encoded,
        entry=entry_costs(log_prior),
        decision=decisions.kernel(log_prior, calibrated=False, rate=None),
        change=round(switch / STEP),
        short_text=SHORT,
        least=whole_number("least", least),
        most=len(languages) if most is None else whole_number("most", most),
        apart=APART,
    )
    starts, size = spans.begins, len(text)
    if isinstance(text, bytes):
        starts = bytes_before(text, encoded, starts)
    elif offsets == "bytes":
        size = len(encoded)
    elif not text.isascii():
        # A surrogate that stands for a byte is a character of its own, whatever the bytes around it.
        counted = text.encode("utf-8", "replace")
        starts = characters_before(counted if len(counted) == len(encoded) else encoded, starts)
    shown = text if size == len(text) else encoded
    return Spans(size, languages, starts, spans.rows, spans.letters, spans.probabilities, shown)


def find_shares(
    scorer: _kernel.Scorer,
    decisions: Decisions,
    texts: Sequence[Text] | _kernel.TextColumn,
    log_prior: npt.NDArray[np.float64],
    *,
    threads: int,
) -> _kernel.Shares:
    """Return the share of each language in the letters of texts, as `Spans.shares` has them."""
    return scorer.shares(
        texts,
        entry=entry_costs(log_prior),
        decision=decisions.kernel(log_prior, calibrated=False, rate=None),
        change=round(SWITCH / STEP),
        short_text=SHORT,
        apart=APART,
        threads=threads,
    )


def entry_costs(log_prior: npt.NDArray[np.float64]) -> npt.NDArray[np.uint32]:
    """Return what entering each language costs, in steps beyond that of the likeliest one.

    >>> entry_costs(np.array([-1.0, -3.0, -np.inf])).tolist()
    [0, 16, 268435456]
    """
    steps = np.minimum((log_prior.max() - log_prior) / STEP, _kernel.NO_ENTRY)
    return np.asarray(np.rint(steps), np.uint32)


def characters_before(encoded: bytes, offsets: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return how many characters of a text stand before each of some ascending offsets, of which the first is 0.

    >>> characters_before("Größe 中".encode(), np.array([0, 4, 8])).tolist()
    [0, 3, 6]
    """
    before, count = np.zeros_like(offsets), 0
    for index, (start, end) in enumerate(pairwise(offsets.tolist())):
        piece = np.frombuffer(encoded, np.uint8, end - start, start)
        count += int(np.count_nonzero((piece & 0xC0) != 0x80))
        before[index + 1] = count
    return before


def bytes_before(text: bytes, encoded: bytes, offsets: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return where some ascending offsets, of which the first is 0, are in a text that may have been read from UTF-16.

    >>> text = "Größe 中".encode("utf-16")
    >>> bytes_before(text, utf8(text), np.array([0, 4, 8])).tolist()
    [0, 8, 14]
    """
    if utf16(text) is None:
        return offsets
    sizes = [len(encoded[start:end].decode().encode("utf-16-le")) for start, end in pairwise(offsets.tolist())]
    if sizes and text.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        sizes[0] += 2
    return np.cumsum([0, *sizes])[: len(offsets)]


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a text in one language."""

    label: str
    """A label of the model; ``zxx`` where the stretch is no language, ``und`` where none is written in its script."""
    start: int
    end: int
    """Where it begins and ends: ``text[span.start:span.end]``."""
    probability: float
    """How likely the language is, of this stretch alone; of ``zxx``, 1; of ``und``, 0."""
    letters: int
    """Characters of its words; signs, digits and addresses do not count."""

    @property
    def meaning(self) -> Meaning:
        """All that is known of the label: names, codes, script, macrolanguage."""
        return meaning(self.label)


@dataclass(frozen=True, eq=False)
class Spans(Sequence[Span]):
    """The spans of a text, in order: from its beginning to its end, without gaps."""

    size: int
    """The length of the text, in the unit of the offsets."""
    _languages: tuple[str, ...] = field(repr=False)
    _starts: npt.NDArray[np.int64] = field(repr=False)
    _rows: npt.NDArray[np.int32] = field(repr=False)  # -1: zxx, -2: und
    _letters: npt.NDArray[np.int64] = field(repr=False)
    _probabilities: npt.NDArray[np.float64] = field(repr=False)
    _text: str | bytes = field(repr=False)  # in the unit of the offsets

    def __repr__(self) -> str:
        first = [f"{span.label} {span.start}:{span.end}" for span in self[:_SHOWN]]
        return f"<unilid.Spans {', '.join(first)}{', …' if len(self) > _SHOWN else ''}>" if first else "<unilid.Spans>"

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the text with a colour for each language."""
        from unilid.spans import view  # which shows what is defined here

        return view.html(self._text, self)

    def __len__(self) -> int:
        return len(self._starts)

    @overload
    def __getitem__(self, index: int) -> Span: ...
    @overload
    def __getitem__(self, index: slice) -> list[Span]: ...
    def __getitem__(self, index: int | slice) -> Span | list[Span]:
        if isinstance(index, slice):
            return [self._span(i) for i in range(*index.indices(len(self)))]
        return self._span(range(len(self))[index])

    def __iter__(self) -> Iterator[Span]:
        return map(self._span, range(len(self)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Spans) and self.size == other.size and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def _span(self, index: int) -> Span:
        row = int(self._rows[index])
        return Span(
            self._languages[row] if row >= 0 else NO_LANGUAGE if row == -1 else UNDETERMINED,
            int(self._starts[index]),
            int(self._starts[index + 1]) if index + 1 < len(self) else self.size,
            float(self._probabilities[index]),
            int(self._letters[index]),
        )

    @property
    def shares(self) -> Mapping[str, float]:
        """The share of each language in the letters of the text, largest first; empty where there are no letters.

        >>> import unilid
        >>> spans = unilid.load().spans("Wo ist denn hier der Bahnhof? Could you please help me?")
        >>> {label: round(share, 2) for label, share in spans.shares.items()}
        {'deu_Latn': 0.53, 'eng_Latn': 0.47}
        """
        return MappingProxyType(self._shares)

    @cached_property
    def _shares(self) -> dict[str, float]:  # a proxy cannot be pickled
        spoken = self._rows >= 0
        letters = np.bincount(self._rows[spoken], self._letters[spoken], minlength=1)
        order = np.argsort(-letters, kind="stable")[: np.count_nonzero(letters)]
        return {self._languages[row]: float(letters[row] / letters.sum()) for row in order}

    @property
    def label(self) -> str:
        """The main language: that of most letters; ``und`` where none is written in them, ``zxx`` without letters."""
        return next(iter(self.shares), UNDETERMINED if (self._rows == -2).any() else NO_LANGUAGE)
