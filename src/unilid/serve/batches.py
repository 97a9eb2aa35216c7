"""Questions that come at the same time become one call of the kernel."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable, Sequence
from typing import Any, NamedTuple

from unilid.model import Model
from unilid.records.answers import Answer, ask
from unilid.texts import Text

SHORT = 4096
"""Characters of the texts of a request up to which they are answered in the event loop, together with others."""


class _Question(NamedTuple):
    """What is asked with the same options: all texts, and who waits for the answers to which of them."""

    options: dict[str, Any]
    texts: list[Text]
    waiting: list[tuple[asyncio.Future[list[Answer]], int, int]]


class Batches:
    """Collects short texts until the event loop has heard all who are there, and asks the model once for each question.

    What takes time in a call for one short text is the call. Where one request is there, it is answered at once; where
    sixty are, they share the call.
    """

    def __init__(self, model: Model, counted: Callable[[int], None]) -> None:
        self._model, self._counted = model, counted
        self._questions: dict[Hashable, _Question] = {}

    def ask(self, key: Hashable, options: dict[str, Any], texts: Sequence[Text]) -> asyncio.Future[list[Answer]]:
        """Return the answers to come; `key` tells options apart."""
        loop = asyncio.get_running_loop()
        if not self._questions:
            loop.call_soon(self._answer)
        question = self._questions.get(key)
        if question is None:
            question = self._questions[key] = _Question(options, [], [])
        _, asked, waiting = question
        start = len(asked)
        asked.extend(texts)
        future: asyncio.Future[list[Answer]] = loop.create_future()
        waiting.append((future, start, len(asked)))
        return future

    def _answer(self) -> None:
        questions, self._questions = self._questions, {}
        for options, texts, waiting in questions.values():
            self._counted(len(texts))
            try:
                answers = ask(self._model, texts, threads=1, **options)
            except Exception as error:  # noqa: BLE001  # handed to all who wait
                for future, _, _ in waiting:
                    if not future.cancelled():
                        future.set_exception(error)
                continue
            for future, start, end in waiting:
                if not future.cancelled():
                    future.set_result(answers[start:end])
