"""Long work in stages: said to whoever watches, interruptible, and not done twice."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np

from unilid.errors import UnilidError
from unilid.files import write_atomically
from unilid.modelfile import Arrays

T = TypeVar("T")

Advance = Callable[[int], None]

_KEY = 24  # hexadecimal digits of a stage's name


class Progress(Protocol):
    """Shows how far a stage is. `total` is None where nobody knows."""

    def stage(self, name: str, total: int | None) -> AbstractContextManager[Advance]:
        """Begin a stage and return what to call with each amount done."""
        ...

    def say(self, message: str) -> None:
        """Show a message."""
        ...


class Silent:
    """Shows nothing: the library never prints by itself."""

    @contextmanager
    def stage(self, name: str, total: int | None) -> Iterator[Advance]:
        """Begin a stage."""
        yield lambda amount: None

    def say(self, message: str) -> None:
        """Say nothing."""


def cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def interruptible(work: Callable[[], T]) -> T:
    """Run one long kernel call so that Ctrl-C is heard while it runs."""
    outcome: list[T] = []
    problem: list[BaseException] = []

    def run() -> None:
        try:
            outcome.append(work())
        except BaseException as error:  # handed to the caller
            problem.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(0.1)
    if problem:
        raise problem[0]
    return outcome[0]


class Finished:
    """The results of finished stages in a folder. A name contains all that a result depends on."""

    def __init__(self, folder: Path | None, progress: Progress) -> None:
        self.folder = folder
        self.progress = progress

    def reuse(self, stage: str, depends_on: Any, make: Callable[[], T], pack: Pack[T]) -> T:
        """Return the stored result of a stage, or make and store it. `depends_on` None: never stored."""
        if self.folder is None or depends_on is None:
            return make()
        import hashlib

        key = hashlib.sha256(json.dumps(depends_on, sort_keys=True).encode()).hexdigest()[:_KEY]
        path = self.folder / f"{stage}-{key}.npz"
        if path.exists():
            try:
                with np.load(path, allow_pickle=False) as stored:
                    result = pack.load(dict(stored))
            except Exception as error:
                self.progress.say(f"{path} cannot be reused ({error}): {stage} is done again")
            else:
                self.progress.say(f"reusing finished stage: {stage} ({path})")
                return result
        result = make()
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with write_atomically(path) as file:
                np.savez(file, **pack.dump(result))  # type: ignore[arg-type]
        except OSError as error:
            raise UnilidError(f"{path}: a finished stage cannot be stored: {error.strerror or error}") from error
        return result

    def clear(self) -> None:
        """Remove what was stored, and the folder if nothing else is in it."""
        if self.folder is not None and self.folder.is_dir():
            for path in self.folder.glob(f"*-{'[0-9a-f]' * _KEY}.npz"):
                path.unlink()
            with suppress(OSError):
                self.folder.rmdir()


class Pack(Protocol[T]):
    """How a result is stored."""

    def dump(self, result: T) -> Arrays:
        """Return the arrays of a result."""
        ...

    def load(self, arrays: Arrays) -> T:
        """Return the result of arrays."""
        ...
