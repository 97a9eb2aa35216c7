"""Streams: JSON lines in, JSON lines out, answered as they come, in memory that does not grow."""

from __future__ import annotations

import codecs
import io
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial

from unilid.errors import UnilidError
from unilid.model import Model
from unilid.records.answers import Fields, JsonlWriter, ask, to_json
from unilid.records.reading import json_text, parsed
from unilid.serve.problems import Problem
from unilid.serve.requests import STREAMED, StreamOptions, given, wrong
from unilid.serve.settings import Limits

BATCH = 1000
"""Lines that are answered at once, at most."""


class Lines:
    """Answers the lines of a stream, which are what ``unilid identify --format jsonl`` takes and writes."""

    def __init__(self, model: Model, options: StreamOptions, limits: Limits, threads: int) -> None:
        self._model, self._options, self._limits, self._threads = model, options, limits, threads
        self._asked = given(options, but=("codes", *STREAMED))
        fields = Fields(codes=options.codes, prefix=options.prefix, ranked=options.k is not None, shares=options.shares)
        self._fields = replace(fields, keep=options.keep)
        self._done = 0
        try:
            ask(model, [], **self._asked)
        except UnilidError as error:
            raise wrong(error, model, self._asked, "query:") from None

    async def answered(
        self, pieces: AsyncIterator[bytes], run: Callable[[Callable[[], bytes]], Awaitable[bytes]]
    ) -> AsyncIterator[bytes]:
        """Yield the answers to the lines in pieces of a body, as soon as these have come.

        What is wrong with a line is its answer. What is wrong with the stream is the last answer.
        """
        try:
            async for lines in _lines(pieces, self._limits.text):
                for start in range(0, len(lines), BATCH):
                    yield await run(partial(self._answer, lines[start : start + BATCH]))
        except Problem as problem:
            if not self._done:
                raise
            yield to_json({self._options.prefix + "error": problem.detail}) + b"\n"

    @property
    def done(self) -> int:
        """Lines answered so far."""
        return self._done

    def _answer(self, lines: Sequence[bytes]) -> bytes:
        added = self._fields.added("jsonl")
        records = parsed(lines, lambda line: json_text(line, self._options.field, added), "stream", self._done)
        answers = ask(self._model, records.texts, threads=self._threads, **self._asked)
        written = io.BytesIO()
        JsonlWriter(written, self._fields).write(records, answers, None, "")
        self._done += len(lines)
        return written.getvalue()


async def _lines(pieces: AsyncIterator[bytes], most: int) -> AsyncIterator[list[bytes]]:
    """Yield the whole lines of each piece, without their ends; the last line may have none.

    A byte order mark belongs to the stream, not to its first line.
    """
    rest, mark = b"", codecs.BOM_UTF8
    async for piece in pieces:
        *lines, rest = (rest + piece).split(b"\n")
        if len(rest) > most or any(len(line) > most for line in lines):
            raise Problem(413, f"a line has at most {most:,} bytes; cut the text up", field="body")
        if lines:
            lines[0], mark = lines[0].removeprefix(mark), b""
            yield [line.removesuffix(b"\r") for line in lines]
    if rest := rest.removeprefix(mark):
        yield [rest.removesuffix(b"\r")]
