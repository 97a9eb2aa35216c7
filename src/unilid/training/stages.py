"""Resumable stages: what a long run has finished is kept in a folder, and not done twice.

A stage is stored in one file, whole or not at all, behind a checksum. Its name contains all that its result depends on.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np

from unilid.errors import UnilidError
from unilid.files import remove_abandoned, write_atomically
from unilid.progress import Progress
from unilid.store.modelfile import Arrays

T = TypeVar("T")

_KEY = 24  # hexadecimal digits of a stage's key
_DIGEST = hashlib.sha256().digest_size
_TRIALS = 10  # to write into a folder that another run may remove at any time


class Form(Protocol[T]):
    """How a result is stored."""

    def dump(self, result: T) -> bytes:
        """Return the content of a result."""
        ...

    def load(self, content: bytes) -> T:
        """Return the result of a content."""
        ...


def dump_arrays(arrays: Arrays) -> bytes:
    """Return arrays as the content of a stage."""
    file = io.BytesIO()
    np.savez(file, **arrays)  # type: ignore[arg-type]
    return file.getvalue()


def load_arrays(content: bytes) -> Arrays:
    """Return the arrays that `dump_arrays` stored."""
    with np.load(io.BytesIO(content), allow_pickle=False) as stored:
        return dict(stored)


class Stages:
    """The finished stages of a run, in a folder."""

    def __init__(self, folder: Path | None, progress: Progress) -> None:
        self.folder = folder
        self.progress = progress

    def run(self, stage: str, depends_on: Any, make: Callable[[], T], form: Form[T]) -> T:
        """Return the stored result of a stage, or make and store it. `depends_on` None: it is never stored."""
        if self.folder is None or depends_on is None:
            return make()
        key = hashlib.sha256(json.dumps(depends_on, sort_keys=True).encode()).hexdigest()[:_KEY]
        path = self.folder / f"{stage}-{key}.stage"
        try:
            result = form.load(_checked(path.read_bytes()))
        except (FileNotFoundError, NotADirectoryError):
            pass
        except Exception as error:  # noqa: BLE001  # whatever is wrong with it, the stage can be done again
            self.progress.say(f"{path} cannot be reused ({error}): {stage} is done again")
        else:
            self.progress.say(f"reusing finished stage: {stage} ({path})")
            return result
        result = make()
        try:
            self._store(path, form.dump(result))
        except OSError as error:
            raise UnilidError(f"{path}: a finished stage cannot be stored: {error.strerror or error}") from error
        return result

    def _store(self, path: Path, content: bytes) -> None:
        for _ in range(_TRIALS):
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                with write_atomically(path) as file:
                    file.write(hashlib.sha256(content).digest())
                    file.write(content)
            except (FileNotFoundError, FileExistsError):  # noqa: PERF203  # another run has removed the folder
                if path.parent.is_file():
                    raise
            else:
                return
        # Nothing is lost: the result is here, and only a run that starts again would have used what was stored.
        self.progress.say(f"{path} is not kept: another run keeps removing its folder")

    def clear(self) -> None:
        """Remove what was stored, and the folder if nothing else is in it."""
        if self.folder is not None and self.folder.is_dir():
            with suppress(FileNotFoundError):  # another run to the same output does the same
                for path in list(self.folder.glob(f"*-{'[0-9a-f]' * _KEY}.stage")):
                    path.unlink(missing_ok=True)
            remove_abandoned(self.folder)
            with suppress(OSError):
                self.folder.rmdir()


def _checked(content: bytes) -> bytes:
    digest, rest = content[:_DIGEST], content[_DIGEST:]
    if hashlib.sha256(rest).digest() != digest:
        raise UnilidError("its checksum is wrong")
    return rest
