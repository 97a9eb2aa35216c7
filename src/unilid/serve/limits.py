"""Who may go on: so many requests at once, and short waits. Nobody queues for long."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any, ClassVar, TypeVar

from unilid.serve.problems import Problem, busy
from unilid.serve.settings import Limits

T = TypeVar("T")

PATIENCE = 0.02
"""Seconds that a request waits for a thread, at most; one that would wait longer is turned away."""

_SWEEP = 0.25
"""Seconds between two looks at what is late."""
_RECENT = 0.1
"""The weight of the last turn in the mean of how long one takes."""


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
        self._threads = threads
        self._waiting = 0
        self._usual = 0.0  # seconds that a turn takes

    def enter(self, *, heavy: bool) -> None:
        """Let a request in, or turn it away: before its body is read, where it is `heavy` and would wait too long."""
        if self.running >= self._limits.requests:
            raise busy(f"{self._limits.requests} requests are at work")
        if heavy:
            self._check_wait()
        self.running += 1
        self._noted(self.running)

    def leave(self) -> None:
        """Note that a request was answered."""
        self.running -= 1
        self._noted(self.running)

    def _check_wait(self) -> None:
        if self._waiting * self._usual / self._threads > PATIENCE:
            raise busy("all threads are at work")

    async def run(self, work: Callable[[], T], *, begun: bool = False) -> T:
        """Return what some work comes to, done in a thread; what was `begun` waits for its turn as long as it takes."""
        if begun or not self._free.locked():
            await self._free.acquire()
        else:
            self._check_wait()
            self._waiting += 1
            try:
                await asyncio.wait_for(self._free.acquire(), PATIENCE)
            except (asyncio.TimeoutError, TimeoutError):
                raise busy("all threads are at work") from None
            finally:
                self._waiting -= 1
        # The turn ends with the work, which a thread does to its end even where nobody waits for it any more.
        start = monotonic()
        done = asyncio.get_running_loop().run_in_executor(self._executor, work)
        done.add_done_callback(partial(self._release, start))
        return await asyncio.shield(done)

    def _release(self, start: float, done: asyncio.Future[T]) -> None:
        self._usual += _RECENT * (monotonic() - start - self._usual)
        self._free.release()
        if not done.cancelled():
            done.exception()  # seen, also where nobody waits for it any more


def reading(limits: Limits) -> Deadline:
    """Return the time that a client has to take a piece of an answer: one that does not is given up."""
    return Deadline(limits.seconds, 408, "nobody took the answer for {:g} s")


def close_blocked(limits: Limits) -> None:
    """Let the system close connections whose client takes nothing for so long: the server would wait for ever.

    Connections inherit it from the socket that they come in by. That one is the server's, and is found among the files
    of this process.
    """
    if not hasattr(socket, "TCP_USER_TIMEOUT"):  # of Linux
        return
    for path in list(Path("/proc/self/fd").iterdir()):
        with suppress(OSError):  # the one of the list itself is closed
            if not path.is_socket():
                continue
            with socket.socket(fileno=os.dup(int(path.name))) as found:
                if found.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
                    milliseconds = round(1000 * limits.seconds)
                    found.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, milliseconds)


class Deadline:
    """Ends what takes too long, as a problem, whose detail may tell the seconds.

    >>> async def slow() -> None:
    ...     with Deadline(0.01, 408, "the body did not come"):
    ...         await asyncio.sleep(1)
    >>> asyncio.run(slow())
    Traceback (most recent call last):
    ...
    unilid.serve.problems.Problem: the body did not come
    """

    __slots__ = ("_about", "_task")

    _task: asyncio.Task[Any]

    _ends: ClassVar[dict[asyncio.Task[Any], float]] = {}
    """When the tasks that wait for something are late; a task waits for one thing at a time."""
    _late: ClassVar[set[asyncio.Task[Any]]] = set()
    _swept: ClassVar[asyncio.AbstractEventLoop | None] = None

    def __init__(self, seconds: float, status: int, detail: str) -> None:
        self._about = seconds, status, detail

    def __enter__(self) -> None:
        loop, seconds = asyncio.get_running_loop(), self._about[0]
        task = asyncio.current_task(loop)
        assert task is not None
        self._task = task
        self._ends[task] = monotonic() + seconds
        if Deadline._swept is not loop:
            Deadline._swept = loop
            loop.call_later(min(_SWEEP, seconds), Deadline._sweep)

    @classmethod
    def _sweep(cls) -> None:
        """End what is late, and look again as long as there is anything that may be: a timer each would cost more."""
        now = monotonic()
        for task, end in list(cls._ends.items()):
            if end <= now:
                cls._late.add(task)
                task.cancel()
        loop, cls._swept = cls._swept, None
        if cls._ends and loop is not None:
            cls._swept = loop
            loop.call_later(_SWEEP, cls._sweep)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        task = self._task
        del self._ends[task]
        if self._late and task in self._late:
            self._late.discard(task)
            if kind is asyncio.CancelledError:
                if sys.version_info >= (3, 11):
                    task.uncancel()
                seconds, status, detail = self._about
                raise Problem(status, detail.format(seconds))
