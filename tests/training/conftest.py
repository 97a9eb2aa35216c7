"""What several tests of training begin with."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.training import TSV


@pytest.fixture
def corpus_file(tmp_path: Path) -> Path:
    path = tmp_path / "train.tsv"
    path.write_bytes(TSV)
    return path
