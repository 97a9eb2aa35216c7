"""Commands that are killed: a short run with a fixed seed."""

from __future__ import annotations

from pathlib import Path

from support.fuzzing import attack, watched


@watched
def test_killed_commands_leave_whole_files_and_the_next_run_cleans_up(tmp_path: Path) -> None:
    assert "5 killed commands, seed 0: " in attack("killed_commands.py", 5, tmp_path)
