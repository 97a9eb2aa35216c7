"""Corpus files: how they are written, compressed and read."""

from __future__ import annotations

import bz2
import gzip
import importlib
import lzma
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow
from pyarrow import parquet

from unilid import files
from unilid.corpus import reading as corpus

COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".xz": lzma.compress,
    ".bz2": bz2.compress,
    ".zst": importlib.import_module(files.ZSTANDARD).compress,
}


def rows(sources: Any, **options: Any) -> list[tuple[Any, ...]]:
    found: list[tuple[Any, ...]] = []
    for batch in corpus.read(sources, **options):
        if batch.counts is None:
            found += zip(batch.labels, batch.texts, strict=True)
        else:
            found += zip(batch.labels, batch.texts, batch.counts, strict=True)
    return found


def write(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


def table(path: Path, columns: dict[str, object]) -> Path:
    parquet.write_table(pyarrow.table(columns), path)
    return path
