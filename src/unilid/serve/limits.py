"""Who may go on: so many requests at once, and short waits. Nobody queues for long."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from unilid.serve.problems import Problem, busy
from unilid.serve.settings import Limits

T = TypeVar("T")

PATIENCE = 0.03
"""Seconds that a request waits for a thread, at most; one that would wait longer is turned away."""


class Turns:
    """The requests at work in a process.

    Little work is done in the event loop, because a thread would take longer than the work. All else takes turns in a
    few threads: the kernel leaves Python's lock to others meanwhile.
    """

    def __init__(self, limits: Limits, threads: int, noted: Callable[[int], None]) -> None:
        self.running = 0
        """Requests that were let in and are not answered yet."""
        self._noted = noted
        self._limits = limits
        self._executor = ThreadPoolExecutor(threads, thread_name_prefix="unilid")
        self._free = asyncio.Semaphore(threads)

    def enter(self) -> None:
        """Let a request in, or turn it away."""
        if self.running >= self._limits.requests:
            raise busy(f"{self._limits.requests} requests are at work")
        self.running += 1
        self._noted(self.running)

    def leave(self) -> None:
        """Note that a request was answered."""
        self.running -= 1
        self._noted(self.running)

    async def run(self, work: Callable[[], T], *, begun: bool = False) -> T:
        """Return what some work comes to, done in a thread; what was `begun` waits for its turn as long as it takes."""
        if begun or not self._free.locked():
            await self._free.acquire()
        else:
            try:
                await asyncio.wait_for(self._free.acquire(), PATIENCE)
            except (asyncio.TimeoutError, TimeoutError):
                raise busy("all threads are at work") from None
        # The turn ends with the work, which a thread does to its end even where nobody waits for it any more.
        done = asyncio.get_running_loop().run_in_executor(self._executor, work)
        done.add_done_callback(self._release)
        return await asyncio.shield(done)

    def _release(self, done: asyncio.Future[T]) -> None:
        self._free.release()
        if not done.cancelled():
            done.exception()  # seen, also where nobody waits for it any more


def reading(limits: Limits) -> Deadline:
    """Return the time that a client has to take a piece of an answer: one that does not is given up."""
    return Deadline(limits.seconds, 408, f"nobody took the answer for {limits.seconds:g} s")


class Deadline:
    """Ends what takes too long, as a problem.

    >>> async def slow() -> None:
    ...     with Deadline(0.01, 408, "the body did not come"):
    ...         await asyncio.sleep(1)
    >>> asyncio.run(slow())
    Traceback (most recent call last):
    ...
    unilid.serve.problems.Problem: the body did not come
    """

    __slots__ = ("_detail", "_handle", "_passed", "_seconds", "_status", "_task")

    def __init__(self, seconds: float, status: int, detail: str) -> None:
        self._seconds, self._status, self._detail, self._passed = seconds, status, detail, False

    def __enter__(self) -> None:
        self._task = asyncio.current_task()
        self._handle = asyncio.get_running_loop().call_later(self._seconds, self._end)

    def _end(self) -> None:
        self._passed = True
        if self._task is not None:
            self._task.cancel()

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._handle.cancel()
        if self._passed and kind is asyncio.CancelledError:
            if sys.version_info >= (3, 11) and self._task is not None:
                self._task.uncancel()
            raise Problem(self._status, self._detail)
