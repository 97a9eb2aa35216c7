"""Requests that are in order nowhere: a short run with a fixed seed."""

from __future__ import annotations

from pathlib import Path

from support.fuzzing import attack, watched


@watched
def test_mutated_requests_are_answered_refused_or_closed(tmp_path: Path) -> None:
    assert "300 requests, seed 0: " in attack("http_requests.py", 300, tmp_path)
