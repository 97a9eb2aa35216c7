"""Threads: how many a call may use, and work that runs beside the caller's."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Generic, Literal, TypeAlias, TypeVar

from unilid._kernel import MAX_THREADS
from unilid.numbers import whole_number

T = TypeVar("T")
U = TypeVar("U")

Threads: TypeAlias = int | Literal["auto"]
"""How many threads a call may use: a number, or ``"auto"`` for as many as this process has cores."""

_POLL_SECONDS = 0.1  # seconds until Ctrl-C is heard while the caller waits


def number_of_threads(threads: Threads) -> int:
    """Return how many threads a call may use; every function that takes `threads` asks here.

    More than 256 count as 256: no machine is faster with them, and some would not survive them. Where there is little
    to do, the kernel uses fewer.

    >>> number_of_threads(3), number_of_threads(2**70), number_of_threads("auto") == cores()
    (3, 256, True)
    """
    number = cores() if isinstance(threads, str) and threads == "auto" else whole_number("threads", threads)
    return min(number, MAX_THREADS)


def cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Beside(Generic[T]):
    """Some work that was begun in a thread; it is done at once where the system has no room for another thread.

    It is also done at once if it is so little that a thread would take longer (`little`).

    >>> work = Beside(lambda: 6 * 7)
    >>> work.result()
    42
    """

    def __init__(self, work: Callable[[], T], *, little: bool = False) -> None:
        self._work = work
        self._results: list[T] = []
        self._errors: list[BaseException] = []
        self._thread = threading.Thread(target=self._run)
        if little:
            self._run()
            return
        try:
            self._thread.start()
        except RuntimeError:  # the system has no more threads, or Python is about to end
            self._run()

    def _run(self) -> None:
        try:
            self._results.append(self._work())
        except BaseException as error:  # noqa: BLE001  # handed to whoever waits
            self._errors.append(error)

    def wait(self) -> None:
        """Wait until the work has ended; Ctrl-C is heard meanwhile."""
        while self._thread.ident is not None and self._thread.is_alive():
            self._thread.join(_POLL_SECONDS)

    def result(self) -> T:
        """Wait for the work and return its result, or raise its error."""
        self.wait()
        if self._errors:
            raise self._errors[0]
        return self._results[0]


def ahead(make: Callable[[T], U], items: Sequence[T]) -> Iterator[U]:
    """Yield make(item) for each item; the next one is made while the caller is busy with this one.

    Nobody is left working: whoever stops early, by Ctrl-C for example, waits for the one that was begun.

    >>> list(ahead(str, [1, 2, 3]))
    ['1', '2', '3']
    """
    work: Beside[U] | None = None
    try:
        for item in items:
            following = partial(make, item)
            if work is not None:
                result = work.result()
                work = Beside(following)
                yield result
            else:
                work = Beside(following)
        if work is not None:
            yield work.result()
    finally:
        if work is not None:
            work.wait()
