"""The programs of fuzz/, run as people run them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "fuzz"

watched = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="watches processes in /proc")


def attack(program: str, count: int, keep: Path, **environment: str) -> str:
    """Make so many attempts, none of which may fail, and return the line that says what came of them."""
    options = ["--count", str(count), "--seed", "0", "--keep", str(keep)]
    done = subprocess.run(
        [sys.executable, str(FOLDER / program), *options],
        check=False,
        capture_output=True,
        text=True,
        timeout=280,
        env={**os.environ, **environment},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert list(keep.iterdir()) == []
    line = done.stdout.splitlines()[0]
    assert line.startswith(f"{count:,} ")
    assert line.endswith(" 0 failed")
    return line
