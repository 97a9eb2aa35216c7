"""The JavaScript package, asked through Node where that is installed."""

from __future__ import annotations

import atexit
import json
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from support.libraries import is_required

WEB = Path(__file__).parents[2] / "web"


def has_node() -> bool:
    """Say whether Node is there; where UNILID_REQUIRE names it or is `all`, tests fail without it."""
    return is_required("node") or shutil.which("node") is not None


needs_node = pytest.mark.skipif(not has_node(), reason="node is not installed")


@cache
def _process() -> subprocess.Popen[str]:
    """One process for all questions: its start takes longer than they do."""
    process = subprocess.Popen(
        ["node", str(Path(__file__).with_name("answer.mjs"))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )
    atexit.register(process.kill)
    return process


def results(model: Path, *questions: tuple[Any, ...]) -> list[dict[str, Any]]:
    """What loading and each question came to: an answer or an error; see ``answer.mjs``."""
    process = _process()
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps({"model": str(model), "questions": questions}) + "\n")
    process.stdin.flush()
    line = process.stdout.readline()
    assert line, "node ended"
    return json.loads(line)  # type: ignore[no-any-return]


def ask(model: Path, *questions: tuple[Any, ...]) -> list[Any]:
    """The answers to questions, of which none may fail."""
    came = results(model, *questions)
    failed = [result["error"] for result in came if "error" in result]
    assert not failed, failed
    return [result["answer"] for result in came[1:]]


def error_of(model: Path, *question: Any) -> tuple[str, str]:
    """The name and the message of the error that a question raises, or loading does, where nothing is asked."""
    name, message = results(model, *([question] if question else []))[-1]["error"]
    return name, message
