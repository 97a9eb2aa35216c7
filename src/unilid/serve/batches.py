"""Questions that come at the same time become one call of the kernel."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable
from typing import Any

from unilid.model import Model
from unilid.records.answers import Answer, ask

SHORT = 4096
"""Characters of a text up to which it is answered in the event loop, together with others."""


class Batches:
    """Collects short texts until the event loop has heard all who are there, and asks the model once for each question.

    What takes time in a call for one short text is the call. Where one request is there, it is answered at once; where
    sixty are, they share the call.
    """

    def __init__(self, model: Model, counted: Callable[[int], None]) -> None:
        self._model, self._counted = model, counted
        self._waiting: dict[Hashable, tuple[dict[str, Any], list[Any], list[asyncio.Future[Answer]]]] = {}

    def ask(self, key: Hashable, options: dict[str, Any], text: str | bytes | None) -> asyncio.Future[Answer]:
        """Return the answer to come; `key` tells options apart."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Answer] = loop.create_future()
        if not self._waiting:
            loop.call_soon(self._answer)
        _, texts, futures = self._waiting.setdefault(key, (options, [], []))
        texts.append(text)
        futures.append(future)
        return future

    def _answer(self) -> None:
        waiting, self._waiting = self._waiting, {}
        for options, texts, futures in waiting.values():
            self._counted(len(texts))
            try:
                answers = ask(self._model, texts, threads=1, **options)
            except Exception as error:  # noqa: BLE001  # handed to all who wait
                for future in futures:
                    if not future.cancelled():
                        future.set_exception(error)
                continue
            for future, answer in zip(futures, answers, strict=True):
                if not future.cancelled():
                    future.set_result(answer)
