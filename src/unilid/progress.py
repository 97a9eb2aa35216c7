"""Progress of long work, told to whoever watches. The library itself never prints."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol, TypeAlias

from unilid.errors import UnilidError

Advance: TypeAlias = Callable[[int], None]
"""Called with each amount of work that was done, for example with bytes read."""


class Progress(Protocol):
    """Shows how far the stages of some work are."""

    def stage(self, name: str, total: int | None) -> AbstractContextManager[Advance]:
        """Begin a stage and return what to call with each amount done; `total` is None where nobody knows it."""
        ...

    def say(self, message: str) -> None:
        """Show a message."""
        ...


def ignore(amount: int) -> None:  # what Advance asks for
    """Advance without showing it."""


class Silent:
    """A progress that shows nothing."""

    @contextmanager
    def stage(self, name: str, total: int | None) -> Iterator[Advance]:  # noqa: ARG002  # what Progress asks for
        """Begin a stage."""
        yield ignore

    def say(self, message: str) -> None:
        """Say nothing."""


def watched_by(progress: Progress | None) -> Progress:
    """Return the progress that a caller gave, or one that shows nothing; refuse what is none before the work."""
    if progress is None:
        return Silent()
    for method in ("stage", "say"):
        if not callable(getattr(progress, method, None)):
            raise UnilidError(f"progress must have the methods stage and say, and {progress!r} has no {method}")
    return progress
