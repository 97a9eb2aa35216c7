"""Processes that try mutants, and a parent that goes on behind one that ended its process.

A worker notes what came of each mutant in memory that it shares with the parent, and sends only what failed. That a
mutant takes too long is noticed by the system: timers of the worker run out, and their signals end it. So nobody waits
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
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

import mutations
import questions
from questions import FAILED, LOADED, REFUSED
from small_models import models

MOST_SECONDS = 5.0
"""Of a processor, for one mutant. A machine that is busy with other work makes no failure of it."""
MOST_SECONDS_WAITING = 60
"""By the clock: nothing happens any more."""
MOST_MEMORY = 1 << 30
ADDRESS_SPACE = 6 << 30
"""So that a mutant that wants far too much does not take the machine's memory."""

NOT_TRIED = ""
OUTCOMES = (NOT_TRIED, REFUSED, LOADED, FAILED)
HANGS = {
    signal.SIGPROF: f"hang: more than {MOST_SECONDS:.0f} s of the processor",
    signal.SIGALRM: f"hang: more than {MOST_SECONDS_WAITING} s by the clock",
}


def in_a_thread(function: Callable[..., None], arguments: tuple[Any, ...]) -> None:
    """Call a function beside the main thread: there, the kernel would start a thread in every long call."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    thread = threading.Thread(target=function, args=arguments)
    thread.start()
    thread.join()


def work(seed: int, numbers: Sequence[int], board: Any, first: int, failures: Connection) -> None:
    """Try mutants from the `first` of the numbers on; the process may end at any of them."""
    if int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize() < ADDRESS_SPACE:
        resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))  # a sanitizer has taken terabytes
    in_memory = Path("/dev/shm")  # to wait for a disk would be most of the time
    with tempfile.TemporaryDirectory(dir=in_memory if in_memory.is_dir() else None) as folder:
        for place in range(first, len(numbers)):
            board.current = place
            signal.setitimer(signal.ITIMER_PROF, MOST_SECONDS)
            signal.alarm(MOST_SECONDS_WAITING)
            encoded, _ = mutations.mutant(seed, numbers[place])
            outcome, detail = questions.outcome_of(encoded, Path(folder))
            memory = peak_memory()
            board.memory = max(board.memory, memory)
            if memory > MOST_MEMORY:
                outcome, detail = FAILED, f"memory: {memory >> 20} MB"
            board.outcomes[place] = OUTCOMES.index(outcome)
            if detail:
                failures.send((numbers[place], detail))
            if memory > MOST_MEMORY:  # the next process starts from little
                return


def peak_memory() -> int:
    """Return the most memory that this process had, in bytes."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


class Worker:
    """A process that tries some mutants, and is started again behind one that ended it."""

    def __init__(self, seed: int, numbers: range) -> None:
        class Board(ctypes.Structure):
            _fields_ = (
                ("current", ctypes.c_int64),  # the place of the mutant that is being tried
                ("memory", ctypes.c_int64),
                ("outcomes", ctypes.c_uint8 * len(numbers)),
            )

        self.seed, self.numbers = seed, numbers
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
        arguments = (self.seed, self.numbers, self.board, first, send)
        self.process = forking.Process(target=in_a_thread, args=(work, arguments))
        self.process.start()
        send.close()

    def take(self) -> None:
        """Take one failure, or find that the process has ended: blame the mutant at hand, and go on behind it."""
        try:
            self.failures.append(self.failed.recv())
        except (EOFError, OSError):
            self.failed.close()
            self.process.join()
            place = self.board.current
            if self.board.outcomes[place] == OUTCOMES.index(NOT_TRIED):
                self.board.outcomes[place] = OUTCOMES.index(FAILED)
                self.failures.append((self.numbers[place], how_it_ended(self.process.exitcode or 0)))
            self.start(place + 1)

    def end(self) -> None:
        """End the process, if there is one."""
        if not self.done:
            self.process.kill()
            self.process.join()
            self.failed.close()

    def counts(self) -> Counter[str]:
        """Return how many mutants came to what."""
        counts = Counter(OUTCOMES[outcome] for outcome in self.board.outcomes)
        del counts[NOT_TRIED]
        return counts


def how_it_ended(code: int) -> str:
    """Say what ended a process."""
    if code >= 0:
        return f"crash: exit status {code}"
    return HANGS.get(signal.Signals(-code), f"crash: {signal.Signals(-code).name}")


def fuzz(seed: int, numbers: range, workers: int, seconds: float) -> list[Worker]:
    """Try all mutants, or as many as there is time for."""
    models()  # once, before the processes begin
    all_workers = [Worker(seed, numbers[n::workers]) for n in range(min(workers, len(numbers)))]
    until = time.monotonic() + min(seconds, 1e6)
    try:
        while busy := [worker for worker in all_workers if not worker.done]:
            ready = wait([worker.failed for worker in busy], timeout=max(0.0, until - time.monotonic()))
            if not ready:
                break
            for worker in busy:
                if worker.failed in ready:
                    worker.take()
    finally:
        for worker in all_workers:
            worker.end()
    return all_workers
