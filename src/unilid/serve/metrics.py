"""What the workers count together, in the text format of Prometheus.

Each worker has a row of one file, which all of them map. A row belongs to whoever has the lock of its byte, so that a
worker that takes the place of a dead one counts on where that one ended.
"""

from __future__ import annotations

import mmap
import os
from bisect import bisect_left
from collections.abc import Iterator
from pathlib import Path

from unilid.errors import UnilidError

ENDPOINTS = (
    *("identify", "stream", "spans", "explain", "languages", "health", "ready", "metrics", "openapi", "file"),
    "none",
)
"""What is counted apart; `none` is what there is no endpoint for."""
GONE = 499
"""What counts as the status where the client has left, or its body broke off."""
STATUSES = (200, 204, 304, 400, 404, 405, 408, 413, 415, 422, GONE, 500, 503)
BUCKETS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
"""Upper ends of the histogram of durations, in seconds."""

_WIDTH = len(STATUSES) + len(BUCKETS) + 2
"""Of an endpoint: requests by status, requests by duration, the last ones beyond all buckets, and their seconds."""
_TEXTS = len(ENDPOINTS) * _WIDTH
_CALLS, _RUNNING, _STARTS, _SERVING, _SLOTS = range(_TEXTS + 1, _TEXTS + 6)


def create(path: Path, workers: int) -> None:
    """Write the file for so many workers."""
    path.write_bytes(bytes(8 * _SLOTS * workers))


def all_serve(path: Path) -> bool:
    """Say whether all workers answer that have a row of a file."""
    rows = memoryview(path.read_bytes()).cast("d")
    return all(rows[row + _SERVING] for row in range(0, len(rows), _SLOTS))


class Metrics:
    """The counters of this worker, and a view of those of all."""

    def __init__(self, path: str | Path | None, *, workers: int = 1) -> None:
        if path is None:
            self._all = memoryview(bytearray(8 * _SLOTS)).cast("d")
            row = 0
        else:
            self._file = os.open(path, os.O_RDWR)
            self._all = memoryview(mmap.mmap(self._file, 0)).cast("d")
            row = self._claim(workers)
        self._own = self._all[row * _SLOTS : (row + 1) * _SLOTS]
        self._own[_RUNNING] = self._own[_SERVING] = 0

    def _claim(self, workers: int) -> int:
        """Return the row that nobody has; the system gives the lock back when this process ends, however it does."""
        import fcntl  # of POSIX

        for row in range(workers):
            try:
                fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, row)
            except OSError:
                continue
            return row
        raise UnilidError("there are more workers than the file of their metrics has rows")

    def serving(self) -> None:
        """Note that this worker answers from now on."""
        self._own[_SERVING] = 1
        self._own[_STARTS] += 1

    def count(self, endpoint: int, status: int, seconds: float) -> None:
        """Count a request that was answered."""
        own, start = self._own, endpoint * _WIDTH
        own[start + STATUSES.index(status)] += 1
        own[start + len(STATUSES) + bisect_left(BUCKETS, seconds)] += 1
        own[start + _WIDTH - 1] += seconds

    def texts(self, number: int) -> None:
        """Count texts that were answered."""
        self._own[_TEXTS] += number

    def batch(self, number: int) -> None:
        """Count a call of the kernel for so many short texts."""
        self._own[_CALLS] += 1
        self._own[_TEXTS] += number

    def running(self, number: int) -> None:
        """Note how many requests are at work."""
        self._own[_RUNNING] = number

    def render(self) -> bytes:
        """Return the counters of all workers together."""
        rows = range(0, len(self._all), _SLOTS)
        sums = [sum(self._all[row + slot] for row in rows) for slot in range(_SLOTS)]
        return "".join(f"{line}\n" for line in _lines(sums)).encode()


def _lines(sums: list[float]) -> Iterator[str]:
    yield "# HELP unilid_requests_total Requests by endpoint and status."
    yield "# TYPE unilid_requests_total counter"
    for number, endpoint in enumerate(ENDPOINTS):
        for place, status in enumerate(STATUSES):
            if count := sums[number * _WIDTH + place]:
                yield f'unilid_requests_total{{endpoint="{endpoint}",status="{status}"}} {count:.0f}'
    yield "# HELP unilid_request_seconds Time from a request to the end of its answer."
    yield "# TYPE unilid_request_seconds histogram"
    for number, endpoint in enumerate(ENDPOINTS):
        start = number * _WIDTH + len(STATUSES)
        counts = sums[start : start + len(BUCKETS) + 1]
        if not any(counts):
            continue
        total = 0.0
        for bucket, count in zip((*map(str, BUCKETS), "+Inf"), counts, strict=True):
            total += count
            yield f'unilid_request_seconds_bucket{{endpoint="{endpoint}",le="{bucket}"}} {total:.0f}'
        yield f'unilid_request_seconds_sum{{endpoint="{endpoint}"}} {sums[start + len(BUCKETS) + 1]:.6f}'
        yield f'unilid_request_seconds_count{{endpoint="{endpoint}"}} {total:.0f}'
    for name, slot, kind, about in (
        ("unilid_texts_total", _TEXTS, "counter", "Texts that were answered."),
        ("unilid_batches_total", _CALLS, "counter", "Calls of the kernel for short texts."),
        ("unilid_requests_running", _RUNNING, "gauge", "Requests at work."),
        ("unilid_worker_starts_total", _STARTS, "counter", "Workers that were started, again ones included."),
    ):
        yield f"# HELP {name} {about}"
        yield f"# TYPE {name} {kind}"
        yield f"{name} {sums[slot]:.0f}"
