"""The command, run as its users run it: in a pipe, in the background, on a terminal."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import pytest

MODULE = [sys.executable, "-m", "unilid"]
# What a continuous integration service sets to get colours is not part of these tests.
ENVIRONMENT = {name: value for name, value in os.environ.items() if not re.search("COLOR|TTY_", name)}
PATIENCE = 60  # seconds after which something hangs

posix = pytest.mark.skipif(sys.platform == "win32", reason="signals and terminals of POSIX")


def run(*arguments: object, stdin: bytes = b"", cwd: Path | None = None) -> subprocess.CompletedProcess[bytes]:
    command = [*MODULE, *map(str, arguments)]
    return subprocess.run(
        command, input=stdin, capture_output=True, cwd=cwd, env=ENVIRONMENT, timeout=PATIENCE, check=False
    )


def answers(*arguments: object, stdin: bytes = b"", cwd: Path | None = None) -> list[str]:
    """Run a command that must succeed without a word, and return its output lines."""
    done = run(*arguments, stdin=stdin, cwd=cwd)
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout.decode().splitlines()


def labels(lines: list[str]) -> list[str]:
    """The first column of output lines."""
    return [line.split("\t")[0] for line in lines]


def start(*arguments: object, **options: Any) -> subprocess.Popen[bytes]:
    """Start a command that goes on by itself."""
    # Whoever runs the tests in the background may ignore Ctrl-C, and children inherit that.
    return subprocess.Popen(
        [*MODULE, *map(str, arguments)],
        env=ENVIRONMENT,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509  # it takes no lock
        **{"stderr": subprocess.PIPE, **options},
    )


def on_terminal(
    *arguments: object, stdin: bytes = b"", stream: Literal["stdout", "stderr"] = "stdout", **environment: str
) -> str:
    """Run a command that must succeed, with a terminal for one of its outputs and no word on the other."""
    import pty

    reader, writer = pty.openpty()
    other = "stderr" if stream == "stdout" else "stdout"
    streams: dict[str, Any] = {stream: writer, other: subprocess.PIPE}
    process = subprocess.Popen(
        [*MODULE, *map(str, arguments)],
        stdin=subprocess.PIPE,
        env={**ENVIRONMENT, "TERM": "xterm", "COLUMNS": "80", **environment},
        **streams,
    )
    os.close(writer)
    assert process.stdin is not None
    with process:
        process.stdin.write(stdin)
        process.stdin.close()
        shown = b"".join(_chunks(reader))
        assert process.wait(PATIENCE) == 0
        assert getattr(process, other).read() == b""
    os.close(reader)
    return shown.decode().replace("\r\n", "\n")


def _chunks(descriptor: int) -> Iterator[bytes]:
    while True:
        try:
            chunk = os.read(descriptor, 1 << 16)
        except OSError:  # how Linux says that the other side of a terminal is closed
            return
        if not chunk:
            return
        yield chunk
