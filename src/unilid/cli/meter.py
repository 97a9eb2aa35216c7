"""How far a long run over files is: bytes, rows a second, time left, on a terminal."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from unilid.display import one_line

if TYPE_CHECKING:
    from rich.progress import Progress

PATIENCE = 1.0
"""Seconds after which a run is long enough to be shown."""


class Meter:
    """Shows bytes done, rows a second and the time left on standard error, where that is a terminal."""

    def __init__(self, total: int | None, *, shown: bool = True) -> None:
        self._total = total
        self._shown = shown and sys.stderr.isatty()
        self._start = time.monotonic()
        self._bytes = self._rows = 0
        self._progress: Progress | None = None

    def __enter__(self) -> Meter:
        return self

    def __exit__(self, *_: object) -> None:
        if self._progress is not None:
            self._progress.stop()

    def read(self, size: int) -> None:
        """Count bytes that were read."""
        self._bytes += size

    def answered(self, rows: int, name: str) -> None:
        """Count rows of a file that were answered, and show how far all is."""
        self._rows += rows
        if not self._shown:
            return
        seconds = time.monotonic() - self._start
        if self._progress is None:
            if seconds < PATIENCE:
                return
            self._progress = _progress(self._total)
            self._progress.start()
            self._task = self._progress.add_task("", total=self._total, rows="")
        self._progress.update(
            self._task, completed=self._bytes, description=one_line(name), rows=f"{self._rows / seconds:,.0f} rows/s"
        )


def _progress(total: int | None) -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.table import Column

    columns = [
        TextColumn("{task.description}", markup=False, table_column=Column(no_wrap=True, max_width=30)),
        BarColumn(),
        DownloadColumn(),
        TextColumn("{task.fields[rows]}", markup=False),
        TimeElapsedColumn() if total is None else TimeRemainingColumn(),
    ]
    return Progress(*columns, console=Console(stderr=True), transient=True)
