"""Corpora that were changed in their bytes: a short run with a fixed seed."""

from __future__ import annotations

from pathlib import Path

from support.fuzzing import attack, watched


@watched
def test_mutated_corpora_are_refused_or_read(tmp_path: Path) -> None:
    assert "400 corpora, seed 0: " in attack("corpus_files.py", 400, tmp_path)
