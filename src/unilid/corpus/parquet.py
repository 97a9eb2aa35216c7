"""Parquet files: how they are opened, and their columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from unilid import files
from unilid.errors import CorpusError
from unilid.progress import Advance

_BUFFER = 1 << 20
"""Bytes of a column that are read at once."""


@contextmanager
def opened(path: Path, names: Sequence[str]) -> Iterator[Any]:
    """Yield a Parquet file that has these columns; every failure to read it names the file.

    The first two, of labels and texts, are columns of strings; a third, of keys, may also be one of whole numbers.
    """
    try:
        import pyarrow  # an extra, and slow to import
        from pyarrow import parquet
    except ImportError as error:
        raise CorpusError(f"{path}: parquet needs pyarrow: pip install 'unilid[parquet]'") from error
    try:
        # Reading ahead would keep what was read until the end of the file.
        with files.naming(path), parquet.ParquetFile(path, buffer_size=_BUFFER, pre_buffer=False) as file:
            known = file.schema_arrow.names
            if missing := [name for name in names if name not in known]:
                raise CorpusError(f"{path}: no column {missing[0]!r}; the columns are {', '.join(map(repr, known))}")
            if twice := [name for name in names if known.count(name) > 1]:
                raise CorpusError(f"{path}: has {known.count(twice[0])} columns {twice[0]!r}; rename all but one")
            for place, name in enumerate(names):
                kind = file.schema_arrow.field(name).type
                if not (_is_text(kind) or (place == 2 and pyarrow.types.is_integer(kind))):
                    raise CorpusError(f"{path}: {name!r} must be a column of strings, not of {kind}")
            yield file
    except pyarrow.ArrowException as error:
        raise CorpusError(f"{path}: cannot be read: {error}") from error


def texts(column: Any) -> list[bytes | None]:
    """Return the values of a column of strings, or of whole numbers as strings."""
    import pyarrow

    if pyarrow.types.is_integer(column.type):
        column = column.cast(pyarrow.string())
    values: list[bytes | None] = column.cast(pyarrow.large_binary()).to_pylist()
    return values


def parquet_columns(
    path: Path, names: Sequence[str], rows: int, progress: Advance | None = None
) -> Iterator[list[tuple[bytes | None, ...]]]:
    """Yield the rows of the named columns, up to `rows` at a time."""
    with opened(path, names) as file:
        told = told_by_rows(path, file, progress)
        for batch in file.iter_batches(rows, columns=list(names)):
            columns = [texts(batch.column(name)) for name in names]
            told(len(batch))
            yield list(zip(*columns, strict=True))


def told_by_rows(path: Path, file: Any, progress: Advance | None) -> Advance:
    """Return what to call with rows that were read, to tell the bytes that they take in the file."""
    share = path.stat().st_size / max(file.metadata.num_rows, 1)
    done = 0

    def told(rows: int) -> None:
        nonlocal done
        if progress is not None:
            progress(int((done + rows) * share) - int(done * share))
        done += rows

    return told


def _is_text(kind: Any) -> bool:
    from pyarrow import types

    if types.is_dictionary(kind):
        kind = kind.value_type
    views = (getattr(types, name, None) for name in ("is_string_view", "is_binary_view"))  # of newer versions
    tests = (types.is_string, types.is_large_string, types.is_binary, types.is_large_binary, types.is_null, *views)
    return any(test(kind) for test in tests if test is not None)
