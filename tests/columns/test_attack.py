"""Columns that lie about themselves: a short run with a fixed seed."""

from __future__ import annotations

from pathlib import Path

from support.fuzzing import attack, watched


@watched
def test_columns_that_lie_are_refused_or_answered(tmp_path: Path) -> None:
    # With the allocator of C, a sanitizer sees where each buffer ends.
    assert "1,500 columns of Arrow, seed 0: " in attack("arrow_arrays.py", 1500, tmp_path, PYTHONMALLOC="malloc")
