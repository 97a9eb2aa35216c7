"""Rows of Parquet in and out: every column, and the row groups, as they were, with the answers behind them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow
from pyarrow import parquet

from unilid.cli.records import Input
from unilid.corpus.parquet import opened, texts, told_by_rows
from unilid.errors import UnilidError
from unilid.progress import Advance
from unilid.records.answers import Answer, Fields
from unilid.records.reading import Records, collision

ROWS = 16_384
"""Rows of a batch, at most."""
BATCH_BYTES = 16 << 20
"""Bytes of a batch, about, where rows are long."""
GROUP_BYTES = 128 << 20
"""Bytes from which on a row group is written as several: one is held in memory until it is complete."""

_LABELS = pyarrow.dictionary(pyarrow.int32(), pyarrow.string())
_RANKED = pyarrow.list_(pyarrow.struct([("label", pyarrow.string()), ("probability", pyarrow.float64())]))
_SHARES = pyarrow.map_(pyarrow.string(), pyarrow.float64())
_NESTED = (".list.element.label", ".list.element.probability", ".key_value.key", ".key_value.value")
"""Where the leaves of lists and maps stand in the file, below the name of their column."""


def check(source: Input, added: Sequence[str]) -> None:
    """Fail where a file cannot be read, or has one of the columns that are to be added."""
    with opened(Path(source.path), [source.field]) as file:
        if problem := collision(file.schema_arrow.names, added, "column"):
            raise UnilidError(f"{source.path}: {problem}")


def read(source: Input, advance: Advance) -> Iterator[Records]:
    """Yield the rows, with all their columns."""
    path = Path(source.path)
    with opened(path, [source.field]) as file:
        told = told_by_rows(path, file, advance)
        for group in range(file.num_row_groups):
            metadata = file.metadata.row_group(group)
            bytes_a_row = metadata.total_byte_size // max(metadata.num_rows, 1) + 1
            rows = max(min(ROWS, BATCH_BYTES // bytes_a_row), 1)
            for batch in file.iter_batches(rows, row_groups=[group], use_threads=False):
                yield Records(texts(batch.column(source.field)), batch, group=group)
                told(len(batch))


class ParquetWriter:
    """Writes rows with their answers; a row group of the input is one of the output."""

    def __init__(self, file: BinaryIO, fields: Fields, inputs: Sequence[Input]) -> None:
        if others := [source.name for source in inputs if source.form != "parquet"]:
            raise UnilidError(f"{others[0]}: Parquet is written from Parquet alone; write this one --to jsonl")
        self._fields = fields
        # Others keep for themselves what was used once: the same run then needs a hundred megabytes more.
        pyarrow.set_memory_pool(pyarrow.system_memory_pool())
        kept, properties = _like(Path(inputs[0].path), [name for name, _ in _added(fields)])
        for source in inputs[1:]:
            with opened(Path(source.path), []) as other:
                if other.schema_arrow != kept:
                    raise UnilidError(
                        f"{source.path}: has other columns than {inputs[0].path}; write to a folder, or --to jsonl"
                    )
        schema = kept if fields.keep else pyarrow.schema([])
        for name, kind in _added(fields):
            schema = schema.append(pyarrow.field(name, kind))
        self._schema = schema
        self._writer = parquet.ParquetWriter(file, schema, **properties)
        self._pending: list[Any] = []
        self._bytes = 0
        self._group: tuple[str | None, int] | None = None

    def write(self, records: Records, answers: Sequence[Answer], places: Sequence[int] | None, file: str) -> None:
        """Write the records at these places, None for all."""
        if self._group != (file, records.group):
            self._flush()
            self._group = file, records.group
        columns = list(records.inputs.columns) if self._fields.keep else []
        columns += _columns(self._fields, answers, file)
        batch = pyarrow.RecordBatch.from_arrays(columns, schema=self._schema)
        if places is not None:
            batch = batch.take(pyarrow.array(places, pyarrow.int64()))
        if len(batch):
            self._pending.append(batch)
            self._bytes += batch.nbytes
        if self._bytes >= GROUP_BYTES:
            self._flush()

    def close(self) -> None:
        """Write what is left, and the end of the file."""
        self._flush()
        self._writer.close()

    def _flush(self) -> None:
        if self._pending:
            # Of batches with different dictionaries, only the first would be written with one.
            table = pyarrow.Table.from_batches(self._pending, self._schema).unify_dictionaries()
            self._pending, self._bytes = [], 0
            pyarrow.default_memory_pool().release_unused()  # what reading left
            self._writer.write_table(table, row_group_size=len(table))
            del table
            pyarrow.default_memory_pool().release_unused()


def _like(path: Path, added: Sequence[str]) -> tuple[Any, dict[str, Any]]:
    """Return the schema of a file, and what else makes another one, with columns added, like it."""
    with opened(path, []) as file:
        schema, metadata = file.schema_arrow, file.metadata
        properties: dict[str, Any] = {"version": metadata.format_version}
        if metadata.num_row_groups and metadata.num_columns:
            group = metadata.row_group(0)
            columns = [group.column(place) for place in range(group.num_columns)]
            codecs = [_codec(column) for column in columns]
            most = max(codecs, key=codecs.count)
            nested = [f"{name}{path}" for name in added for path in _NESTED]
            properties["compression"] = dict.fromkeys([*added, *nested], most)
            properties["compression"] |= {column.path_in_schema: _codec(column) for column in columns}
    if properties["version"] not in ("1.0", "2.4", "2.6"):
        del properties["version"]
    return schema, properties


def _codec(column: Any) -> str:
    codec = str(column.compression).lower()
    return {"uncompressed": "none"}.get(codec, codec)


def _added(fields: Fields) -> list[tuple[str, Any]]:
    text = pyarrow.string()
    kinds = {"label": _LABELS, "probability": pyarrow.float64(), "reason": text, "guess": text, "predictions": _RANKED}
    kinds |= {"shares": _SHARES, "file": _LABELS}
    return [(fields.prefix + name, kinds[name]) for name in fields.columns()]


def _columns(fields: Fields, answers: Sequence[Answer], file: str) -> list[Any]:
    """Return the answers to a batch as columns."""
    best = [answer.ranked[0] for answer in answers]
    written = fields.written
    values: dict[str, Any] = {
        "file": lambda: [file] * len(answers),
        "label": lambda: [written(p.label) for p in best],
        "probability": lambda: [p.probability for p in best],
        "reason": lambda: [p.reason for p in best],
        "guess": lambda: [p.guess and written(p.guess) for p in best],
        "predictions": lambda: [
            [{"label": written(p.label), "probability": p.probability} for p in answer.ranked] for answer in answers
        ],
        "shares": lambda: [list(fields.shares_of(answer).items()) for answer in answers],
    }
    kinds = _added(fields)
    return [
        pyarrow.array(values[name](), _plain(kind)).cast(kind)
        for name, (_, kind) in zip(fields.columns(), kinds, strict=True)
    ]


def _plain(kind: Any) -> Any:
    return kind.value_type if pyarrow.types.is_dictionary(kind) else kind
