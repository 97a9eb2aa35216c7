"""Columns of Parquet files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from unilid import files
from unilid.errors import CorpusError
from unilid.progress import Advance


def parquet_columns(
    path: Path, names: Sequence[str], rows: int, progress: Advance | None = None
) -> Iterator[list[tuple[bytes | None, ...]]]:
    """Yield the rows of the named columns, up to `rows` at a time."""
    try:
        import pyarrow  # an extra, and slow to import
        from pyarrow import parquet
    except ImportError as error:
        raise CorpusError(f"{path}: parquet needs pyarrow: pip install pyarrow") from error
    try:
        with files.naming(path), parquet.ParquetFile(path) as file:
            known = file.schema_arrow.names
            if missing := [name for name in names if name not in known]:
                raise CorpusError(f"{path}: no column {missing[0]!r}; the columns are {', '.join(map(repr, known))}")
            if twice := [name for name in names if known.count(name) > 1]:
                raise CorpusError(f"{path}: has {known.count(twice[0])} columns {twice[0]!r}; rename all but one")
            share = path.stat().st_size / max(file.metadata.num_rows, 1)
            done = 0
            for batch in file.iter_batches(rows, columns=list(names)):
                columns = [batch.column(name).cast(pyarrow.large_binary()).to_pylist() for name in names]
                if progress is not None:
                    progress(int((done + len(batch)) * share) - int(done * share))
                done += len(batch)
                yield list(zip(*columns, strict=True))
    except pyarrow.ArrowNotImplementedError as error:
        raise CorpusError(f"{path}: {' and '.join(map(repr, names))} must be columns of strings: {error}") from error
    except pyarrow.ArrowException as error:
        raise CorpusError(f"{path}: cannot be read: {error}") from error
