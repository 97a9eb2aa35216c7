"""Processes that make attempts, and a parent that goes on behind one that ended its process.

A worker notes what came of each attempt in memory that it shares with the parent, and sends only what failed. That an
attempt takes too long is noticed by the system: timers of the worker run out, and their signals end it. So nobody waits
for anybody, and nothing is looked up again and again.
"""

from __future__ import annotations

import ctypes
import multiprocessing
import resource
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from outcomes import FAILED, Outcome

MOST_SECONDS = 5.0
"""Of a processor, for one attempt. A machine that is busy with other work makes no failure of it."""
MOST_SECONDS_WAITING = 60
"""By the clock: nothing happens any more."""
MOST_MEMORY = 1 << 30
ADDRESS_SPACE = 6 << 30
"""So that an attempt that wants far too much does not take the machine's memory."""
TELLING_SECONDS = 10.0
"""How often the parent says how far it is."""

NOT_TRIED = ""
HANGS = {
    signal.SIGPROF: f"hang: more than {MOST_SECONDS:.0f} s of the processor",
    signal.SIGALRM: f"hang: more than {MOST_SECONDS_WAITING} s by the clock",
}


def peak_memory() -> int:
    """Return the most memory that this process had, in bytes."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


@dataclass(frozen=True)
class Attack:
    """What is tried many times; a seed and a number say what exactly."""

    things: str
    """What is tried, in the plural, for the report."""
    outcomes: tuple[str, ...]
    """What may come of one, beside that it failed."""
    attempt: Callable[[int, int, Path], Outcome]
    """Tries what a seed and a number say, in a folder of its own."""
    shown: Callable[[int, int], tuple[bytes, str]]
    """Returns what a seed and a number say: the content of a file to keep, and what was changed."""
    suffix: str
    """Of such a file."""
    ready: Callable[[], AbstractContextManager[object]] = nullcontext
    """What must be there while attempts are made, once for all of them."""
    memory: Callable[[], int] = peak_memory
    """Returns the most memory that was taken so far, in bytes."""
    afterwards: Callable[[], None] = lambda: None
    """Checks, when all attempts were made, what must be there still."""
    workers: int = 2


def in_a_thread(function: Callable[..., None], arguments: tuple[Any, ...]) -> None:
    """Call a function beside the main thread: there, the kernel would start a thread in every long call."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    thread = threading.Thread(target=function, args=arguments)
    thread.start()
    thread.join()


def work(attack: Attack, seed: int, numbers: Sequence[int], board: Any, first: int, failures: Connection) -> None:
    """Make attempts from the `first` of the numbers on; the process may end at any of them."""
    if int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize() < ADDRESS_SPACE:
        resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))  # a sanitizer has taken terabytes
    outcomes = (NOT_TRIED, *attack.outcomes, FAILED)
    in_memory = Path("/dev/shm")  # to wait for a disk would be most of the time
    with tempfile.TemporaryDirectory(dir=in_memory if in_memory.is_dir() else None) as folder:
        for place in range(first, len(numbers)):
            board.current = place
            signal.setitimer(signal.ITIMER_PROF, MOST_SECONDS)
            signal.alarm(MOST_SECONDS_WAITING)
            outcome, detail = attack.attempt(seed, numbers[place], Path(folder))
            memory = attack.memory()
            board.memory = max(board.memory, memory)
            if memory > MOST_MEMORY:
                outcome, detail = FAILED, f"memory: {memory >> 20} MB"
            board.outcomes[place] = outcomes.index(outcome)
            if detail:
                failures.send((numbers[place], detail))
            if memory > MOST_MEMORY:  # the next process starts from little
                return


class Worker:
    """A process that makes some of the attempts, and is started again behind one that ended it."""

    def __init__(self, attack: Attack, seed: int, numbers: range) -> None:
        class Board(ctypes.Structure):
            _fields_ = (
                ("current", ctypes.c_int64),  # the place of what is being tried
                ("memory", ctypes.c_int64),
                ("outcomes", ctypes.c_uint8 * len(numbers)),
            )

        self.attack, self.seed, self.numbers = attack, seed, numbers
        self.outcomes = (NOT_TRIED, *attack.outcomes, FAILED)
        self.board: Any = multiprocessing.get_context("fork").RawValue(Board)
        self.failures: list[tuple[int, str]] = []
        self.start(0)

    def start(self, first: int) -> None:
        """Go on with the numbers that are left."""
        forking = multiprocessing.get_context("fork")
        self.done = first == len(self.numbers)
        if self.done:
            return
        self.board.current = first
        self.failed, send = forking.Pipe(duplex=False)
        arguments = (self.attack, self.seed, self.numbers, self.board, first, send)
        self.process = forking.Process(target=in_a_thread, args=(work, arguments))
        self.process.start()
        send.close()

    def take(self) -> None:
        """Take one failure, or find that the process has ended: blame the attempt at hand, and go on behind it."""
        try:
            self.failures.append(self.failed.recv())
        except (EOFError, OSError):
            self.failed.close()
            self.process.join()
            place = self.board.current
            if self.board.outcomes[place] == self.outcomes.index(NOT_TRIED):
                self.board.outcomes[place] = self.outcomes.index(FAILED)
                self.failures.append((self.numbers[place], how_it_ended(self.process.exitcode or 0)))
            self.start(place + 1)

    def end(self) -> None:
        """End the process, if there is one."""
        if not self.done:
            self.process.kill()
            self.process.join()
            self.failed.close()

    def counts(self) -> Counter[str]:
        """Return how many attempts came to what."""
        counts = Counter(self.outcomes[outcome] for outcome in self.board.outcomes)
        del counts[NOT_TRIED]
        return counts


def how_it_ended(code: int) -> str:
    """Say what ended a process."""
    if code >= 0:
        return f"crash: exit status {code}"
    return HANGS.get(signal.Signals(-code), f"crash: {signal.Signals(-code).name}")


def counts_of(workers: Sequence[Worker]) -> Counter[str]:
    """Return how many attempts of all workers came to what."""
    return sum((worker.counts() for worker in workers), Counter[str]())


def fuzz(attack: Attack, seed: int, numbers: range, workers: int, seconds: float) -> list[Worker]:
    """Make all attempts, or as many as there is time for, and say on standard error how far it is."""
    until = time.monotonic() + min(seconds, 1e6)
    all_workers: list[Worker] = []
    with attack.ready():  # once, before the processes begin
        try:
            all_workers += [Worker(attack, seed, numbers[n::workers]) for n in range(min(workers, len(numbers)))]
            telling = time.monotonic() + TELLING_SECONDS
            while (busy := [worker for worker in all_workers if not worker.done]) and time.monotonic() < until:
                if time.monotonic() >= telling:
                    counts = counts_of(all_workers)
                    told = f"{sum(counts.values()):,} of {len(numbers):,}, {counts[FAILED]:,} failed"
                    print(told, file=sys.stderr, flush=True)
                    telling = time.monotonic() + TELLING_SECONDS
                left = min(until, telling) - time.monotonic()
                ready = wait([worker.failed for worker in busy], timeout=max(0.0, left))
                for worker in busy:
                    if worker.failed in ready:
                        worker.take()
            check_afterwards(attack, all_workers)
        finally:
            for worker in all_workers:
                worker.end()
    return all_workers


def check_afterwards(attack: Attack, workers: Sequence[Worker]) -> None:
    """Note what is wrong when all attempts were made, as if it were the last one that failed."""
    try:
        attack.afterwards()
    except Exception as error:  # noqa: BLE001  # whatever it is, it is what is looked for
        workers[-1].failures.append((workers[-1].numbers[-1], f"afterwards: {error}"))
