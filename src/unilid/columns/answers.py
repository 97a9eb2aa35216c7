"""Answers as a column of Arrow, for any library that takes the Arrow PyCapsule interface."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from unilid import _kernel
from unilid.columns.texts import ArrowStream, Column, is_column, is_stream, open_stream, read_array, read_stream
from unilid.decisions.answerer import Answerer, Request
from unilid.decisions.decide import answers_in_chunks, in_chunks
from unilid.errors import UnilidError
from unilid.spans.spans import find_shares

BATCH = 65_536
"""Rows of a batch of answers in a stream, at most."""


@dataclass(frozen=True, eq=False)
class AnswerArray:
    """The answers to a column in one piece; a stream of one batch, too, for those who take only that."""

    _column: _kernel.Column

    def __len__(self) -> int:
        return len(self._column)

    def __arrow_c_schema__(self) -> Any:
        """Return the type of the column, in a capsule."""
        return self._column.schema()

    def __arrow_c_array__(self, requested_schema: Any = None) -> tuple[Any, Any]:
        """Return the type and the rows of the column, in capsules."""
        return self._column.schema(), self._column.array()

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Return the column as a stream, in a capsule."""
        return self._column.stream([self._column])

    def as_table(self) -> AnswerArray:
        """Return the answers as a table, in which all columns are null where the text is."""
        return AnswerArray(_table(self._column))


class AnswerStream:
    """The answers to a column that comes in pieces: a batch is computed when the consumer asks for it.

    It can be read as often as the column of texts can.
    """

    def __init__(
        self,
        column: ArrowStream,
        answer: Callable[[list[_kernel.TextColumn]], _kernel.Column],
        opened: _kernel.TextStream | None = None,
    ) -> None:
        self._column = column
        self._answer = answer
        # At once: what is no text is refused here.
        self._opened: _kernel.TextStream | None = opened or open_stream(column)
        self._schema = answer([])

    def __arrow_c_schema__(self) -> Any:
        """Return the type of the column, in a capsule."""
        return self._schema.schema()

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Return the stream, in a capsule."""
        return self._schema.stream(self._batches(self._take()))

    def _take(self) -> _kernel.TextStream:
        """Return the texts from their beginning: some columns can be opened once only."""
        opened, self._opened = self._opened, None
        return opened or open_stream(self._column)

    def _batches(self, stream: _kernel.TextStream) -> Iterator[_kernel.Column]:
        for texts in read_stream(stream):
            for rows in texts.parts(BATCH, sys.maxsize):
                yield self._answer(in_chunks(rows))

    def as_table(self) -> AnswerStream:
        """Return the answers as a table, in which all columns are null where the text is."""
        return AnswerStream(self._column, lambda chunks: _table(self._answer(chunks)), self._take())


def _table(column: _kernel.Column) -> _kernel.Column:
    try:
        return column.table()
    except ValueError:
        raise UnilidError("a ranking of several languages (k) is no table") from None


@dataclass(frozen=True)
class Question:
    """What is asked of each text of a column."""

    answerer: Answerer
    request: Request
    k: int | None
    shares: bool
    threads: int

    def answers(self, chunks: list[_kernel.TextColumn]) -> _kernel.Column:
        """Return the answers to some texts."""
        builder = _kernel.AnswerBuilder(
            self.answerer.words, ranked=self.k is not None, shares=self.shares, abstain=self.request.rate is not None
        )
        all_answers = answers_in_chunks(
            self.request.scorers.scorer,
            chunks,
            self.request.decision,
            k=min(self.k or 1, len(self.answerer.parameters.languages)),
            threads=self.threads,
            budget=self.request.budget,
        )
        for chunk, answers in zip(chunks, all_answers, strict=True):
            builder.append(answers, chunk, self._shares(chunk) if self.shares else None)
        return builder.finish()

    def _shares(self, texts: _kernel.TextColumn) -> _kernel.Shares:
        scorer, decisions = self.answerer.scorers.scorer, self.answerer.decisions
        return find_shares(scorer, decisions, texts, self.request.log_prior, threads=self.threads)


def identify_column(column: Column, question: Question) -> AnswerArray | AnswerStream:
    """Return the answers to a column; see `Model.identify_column`."""
    if question.k is not None and question.shares:
        raise UnilidError("k ranks languages of the whole text, and shares are of its parts: ask for one of them")
    if not is_column(column):
        raise UnilidError(
            f"expected a column that offers the Arrow PyCapsule interface, not {type(column).__name__}; "
            "for a list of texts, or a Series of pandas 2, `identify` answers"
        )
    if is_stream(column):
        return AnswerStream(column, question.answers)
    return AnswerArray(question.answers(in_chunks(read_array(column))))
