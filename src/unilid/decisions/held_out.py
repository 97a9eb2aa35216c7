"""Held-out texts as a model that never saw them scores them: what decisions are fitted on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from unilid import _kernel
from unilid.corpus.sampling import LabelledTexts
from unilid.models.costs import STEP
from unilid.texts import Text

Floats: TypeAlias = npt.NDArray[np.float64]

CUT_LENGTHS = (6, 12, 24, 48)
"""Characters to which held-out lines are cut, at a space where there is one; they also count as they are."""
MAX_CUT = 4_000
"""Lines that are cut, about: more do not change what is fitted."""
TOP = 16
"""The best languages of a text that are kept: they have all of the posterior."""
_CHUNK = 1024
"""Texts scored under all languages at once, so that their scores stay small."""


@dataclass(frozen=True, slots=True)
class HeldOut:
    """Held-out texts as a model that never saw them scores them."""

    top: Floats  # [texts, TOP] scores of the best languages, best first
    best: npt.NDArray[np.int64]  # [texts, TOP] these languages
    own: Floats  # score of the true language
    rows: npt.NDArray[np.int64]  # the true language
    letters: npt.NDArray[np.int64]
    cost: Floats  # of the words of letters, under the true language
    whole: npt.NDArray[np.bool_]  # not cut

    @staticmethod
    def of(
        scorer: _kernel.Scorer,
        lines: LabelledTexts,
        *,
        cut: bool = True,
        log_prior: Floats | None = None,
        threads: int,
    ) -> HeldOut:
        """Score texts, whole and cut, or whole alone, under every language; a prior is part of the scores."""
        step = cut_step(len(lines.texts)) if cut else None
        every = sorted(piece for place, text in enumerate(lines.texts) for piece in pieces(place, text, step))
        rows = np.array([lines.rows[piece.place] for piece in every], np.int64)
        return HeldOut.of_pieces(scorer, every, rows, log_prior=log_prior, threads=threads)

    @staticmethod
    def of_pieces(
        scorer: _kernel.Scorer,
        every: Sequence[Piece],
        truth: npt.NDArray[np.int64],
        *,
        log_prior: Floats | None = None,
        threads: int,
    ) -> HeldOut:
        """Score pieces of texts, whose languages are known."""
        texts = [piece.text for piece in every]
        parts = []
        for start, costs in in_scored_chunks(scorer, texts, threads=threads):
            scores = -STEP * costs.all + (0.0 if log_prior is None else log_prior)
            own = truth[start : start + _CHUNK, None]
            best = np.argsort(-scores, axis=1, kind="stable")[:, :TOP]
            parts.append(
                (
                    np.take_along_axis(scores, best, 1),
                    best,
                    np.take_along_axis(scores, own, 1)[:, 0],
                    costs.letters,
                    STEP * np.take_along_axis(costs.linguistic, own, 1)[:, 0],
                )
            )
        top, best, own_scores, letters, cost = (np.concatenate(part) for part in zip(*parts, strict=True))
        whole = np.array([piece.cut == 0 for piece in every], np.bool_)
        return HeldOut(top, best, own_scores, truth, letters, cost, whole)

    def take(self, wanted: npt.NDArray[np.bool_] | npt.NDArray[np.intp]) -> HeldOut:
        """Return some of the texts, or all of them in another order."""
        return HeldOut(*(part[wanted] for part in self.parts()))

    def with_handicaps(self, handicaps: Floats | None) -> HeldOut:
        """Return the same texts with handicaps as part of their scores. They must not bring others among the best."""
        if handicaps is None:
            return self
        roots = np.sqrt(self.letters)
        top = self.top - handicaps[self.best] * roots[:, None]
        order = np.argsort(-top, axis=1, kind="stable")
        return replace(
            self,
            top=np.take_along_axis(top, order, 1),
            best=np.take_along_axis(self.best, order, 1),
            own=self.own - handicaps[self.rows] * roots,
        )

    @staticmethod
    def joined(parts: Sequence[HeldOut]) -> HeldOut:
        """Return the texts of all parts."""
        return HeldOut(*(np.concatenate(arrays) for arrays in zip(*(part.parts() for part in parts), strict=True)))

    def parts(self) -> list[npt.NDArray[Any]]:
        """Return the arrays, which make a `HeldOut` again."""
        return [getattr(self, name) for name in self.__slots__]


def in_scored_chunks(
    scorer: _kernel.Scorer, texts: Sequence[Text], *, threads: int
) -> Iterator[tuple[int, _kernel.TextCosts]]:
    """Yield what texts cost every language, some at a time, with the place of the first one; one chunk at least."""
    for start in range(0, max(len(texts), 1), _CHUNK):
        yield start, scorer.costs(texts[start : start + _CHUNK], threads)


class Piece(NamedTuple):
    """A held-out text, whole or cut."""

    cut: int
    """0 for the whole text, n for one that is cut to the n-th of `CUT_LENGTHS`."""
    place: int
    """Of the text, among all."""
    text: bytes


def cut_step(texts: int) -> int:
    """Return the step in which texts are cut: of so many texts, about `MAX_CUT` are."""
    return 1 + texts // MAX_CUT


def pieces(place: int, text: bytes, step: int | None) -> Iterator[Piece]:
    """Yield a text as it is and, if it is its turn, cut to several lengths; without a step it never is."""
    yield Piece(0, place, text)
    if step is not None and place % step == 0:
        for number, length in enumerate(CUT_LENGTHS, 1):
            if begin := cut(text, length):
                yield Piece(number, place, begin)


def cut(text: bytes, length: int) -> bytes | None:
    """Return the beginning of a text, None where nothing is cut off.

    >>> cut("Wie spät ist es?".encode(), 10).decode(), cut("今日も屋根に雪".encode(), 3).decode(), cut(b"Hallo", 6)
    ('Wie spät', '今日も', None)
    """
    characters = text.decode("utf-8", "replace")
    if len(characters) <= length:
        return None
    begin = characters[: length + 1].rstrip()
    if len(begin) > length:  # inside a word
        begin = begin.rsplit(maxsplit=1)[0] if len(begin.split()) > 1 else characters[:length]
    return begin.encode()


def without_last(lines: Sequence[bytes], count: int) -> tuple[list[bytes], list[bytes]]:
    """Return the lines to learn from, and those that are held out: the last of the distinct ones.

    No copy of a line that is held out is learned from.

    >>> without_last([b"a", b"b", b"c", b"a", b"c", b"b"], 1)
    ([b'a', b'b', b'a', b'b'], [b'c'])
    """
    distinct = list(dict.fromkeys(lines))
    held = distinct[len(distinct) - count :]
    copies = set(held)
    return [line for line in lines if line not in copies], held


def descend(loss: Callable[[Floats], float], start: Floats, *, steps: int = 60) -> Floats:
    """Minimise a smooth function of a few parameters by trying one after the other in steps that shrink."""
    best, least, stride = start, loss(start), 0.5
    for _ in range(steps):
        moved = False
        for parameter in range(len(start)):
            for sign in (1, -1):
                tried = best.copy()
                tried[parameter] += sign * stride
                if (found := loss(tried)) < least:
                    best, least, moved = tried, found, True
                    break
        if not moved:
            stride /= 2
            if stride < 0.01:
                break
    return best
