"""Texts as callers give them: one, many, or a column of Arrow in the memory of another library."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from contextlib import contextmanager
from typing import Any, Protocol, TypeAlias, TypeGuard

from unilid import _kernel
from unilid.errors import UnilidError
from unilid.texts import Text, check_text, check_texts, columns_of, is_one


class ArrowArray(Protocol):
    """What has its rows in one piece: an array of pyarrow, nanoarrow or arro3."""

    def __arrow_c_array__(self, requested_schema: Any = None) -> Any:
        """Return two capsules, of the type and of the rows."""


class ArrowStream(Protocol):
    """What has its rows in pieces: a column of polars or pandas, a chunked array of pyarrow, a query of DuckDB."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Return a capsule, of a stream."""


Column: TypeAlias = ArrowArray | ArrowStream
"""A column of texts: whatever offers the Arrow PyCapsule interface.

Strings or bytes with offsets of 32 or 64 bits or as views, dictionaries of these, chunked, sliced, with nulls; a table
of one such column, too.
"""


def is_column(texts: object) -> TypeGuard[Column]:
    """Say whether this is a column of Arrow."""
    return not isinstance(texts, list | str) and (is_stream(texts) or hasattr(texts, "__arrow_c_array__"))


def is_stream(texts: object) -> TypeGuard[ArrowStream]:
    """Say whether this is a column that comes in pieces."""
    return hasattr(texts, "__arrow_c_stream__")


def read_array(column: Column) -> _kernel.TextColumn:
    """Return the texts of a column in one piece."""
    with _understanding(column):
        return _kernel.TextColumn(*column.__arrow_c_array__())  # type: ignore[union-attr]


def open_stream(column: ArrowStream) -> _kernel.TextStream:
    """Begin to read a column that comes in pieces; what has no texts is refused."""
    with _understanding(column):
        return _kernel.TextStream(column.__arrow_c_stream__())


def read_stream(stream: _kernel.TextStream) -> Iterator[_kernel.TextColumn]:
    """Yield the pieces of a column."""
    while True:
        with _understanding():
            texts = stream.read()
        if texts is None:
            return
        yield texts


def batches_of(texts: Text | Iterable[Text] | Column) -> Iterator[Sequence[Text] | _kernel.TextColumn]:
    """Yield one text or many, or the pieces of a column."""
    if not is_column(texts):
        yield [check_text(texts)] if is_one(texts) else check_texts(texts)  # type: ignore[arg-type]
        return
    try:
        pieces = read_stream(open_stream(texts)) if is_stream(texts) else iter([read_array(texts)])
    except Exception:
        # Columns of pandas offer the interface also without pyarrow, which they need for it, and where their texts are
        # of several types, or all missing and thus numbers. They are lists of texts all the same, and so is the column
        # of a frame that has no other.
        if not type(texts).__module__.startswith("pandas") or not isinstance(texts, Iterable):
            raise
        yield check_texts(texts.squeeze("columns") if columns_of(texts) == 1 else texts)  # type: ignore[union-attr]
    else:
        yield from pieces


@contextmanager
def _understanding(column: object = None) -> Iterator[None]:
    """Turn what the kernel says of a broken column into an error of ours."""
    try:
        yield
    except UnilidError:
        raise
    except ValueError as error:
        if type(error) is not ValueError:
            raise
        raise UnilidError(_in_words(str(error), column)) from None


_TYPES = {
    "b": "bool",
    "c": "int8",
    "C": "uint8",
    "s": "int16",
    "S": "uint16",
    "i": "int32",
    "I": "uint32",
    "l": "int64",
    "L": "uint64",
    "e": "float16",
    "f": "float32",
    "g": "float64",
    "d:": "decimals",
    "w:": "bytes of a fixed length",
    "td": "dates",
    "tt": "times",
    "ts": "timestamps",
    "tD": "durations",
    "ti": "intervals",
    "+l": "lists",
    "+L": "lists",
    "+v": "lists",
    "+w": "lists",
    "+s": "structs",
    "+m": "maps",
    "+u": "unions",
    "+r": "runs",
}
"""What libraries call the types of Arrow, by the two letters that their formats begin with."""


def _in_words(problem: str, column: object) -> str:
    """Return what the kernel says, where a column is no text with what it has instead."""
    found = re.search("its Arrow format is '(.*?)'|the table has", problem)
    if found is None:
        return problem
    name = "dicts" if _has_dicts(column) else _TYPES.get((found.group(1) or "")[:2])
    return f"expected a column of strings or bytes, not of {name}" if name else problem


def _has_dicts(column: object) -> bool:
    """Say whether this is a column of structs, which looks like a table to whoever takes it by its interface."""
    if not isinstance(column, Sized) or not isinstance(column, Iterable) or columns_of(column) is not None:
        return False
    return isinstance(next((value for value in column if value is not None), None), Mapping)
