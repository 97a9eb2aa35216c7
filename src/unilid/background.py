"""Work beside the caller's: in a thread where one is to be had, in place where not."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TypeVar

T = TypeVar("T")
U = TypeVar("U")


def beside(work: Callable[[], T]) -> Callable[[], T]:
    """Begin some work, and return what waits for its result.

    >>> result = beside(lambda: 6 * 7)
    >>> result()
    42
    """
    done: list[T] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            done.append(work())
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=run)
    try:
        thread.start()
    except RuntimeError:  # the system has no more threads, or Python is about to end
        run()

    def wait() -> T:
        if thread.ident is not None:
            thread.join()
        if failed:
            raise failed[0]
        return done[0]

    return wait


def ahead(make: Callable[[T], U], items: Sequence[T]) -> Iterator[U]:
    """Yield make(item) for each; the next is made while the caller is busy with this one.

    >>> list(ahead(str, [1, 2, 3]))
    ['1', '2', '3']
    """
    if not items:
        return
    following = beside(partial(make, items[0]))
    for item in items[1:]:
        made = following()
        following = beside(partial(make, item))
        yield made
    yield following()
