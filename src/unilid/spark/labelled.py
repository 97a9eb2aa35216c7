"""Data frames of texts, and of labelled text: their columns are checked before a job starts."""

from __future__ import annotations

from typing import NamedTuple

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.types import BinaryType, DataType, IntegralType, StringType

from unilid.corpus.formats import Batch, Labels, LineError, parse_columns
from unilid.errors import CorpusError, UnilidError

TEXT = (StringType, BinaryType)
KEY = (StringType, BinaryType, IntegralType)


class Columns(NamedTuple):
    """The columns of a labelled frame."""

    label: str
    text: str
    key: str | None = None

    def select(self, frame: DataFrame) -> DataFrame:
        """Return these columns of a frame that has them."""
        check_column(frame, self.label)
        check_column(frame, self.text)
        if self.key is not None:
            check_column(frame, self.key, KEY)
        return frame.select(*dict.fromkeys(name for name in self if name is not None))

    def batch(self, part: pa.RecordBatch, labels: Labels) -> Batch:
        """Return rows as a batch; a null or a label that is not allowed is an error."""
        try:
            return parse_columns([texts_of(part, name) for name in self if name is not None], labels)
        except LineError as fault:
            raise CorpusError(f"a row of the frame cannot be used: {fault}") from None


def check_column(frame: DataFrame, name: str, kinds: tuple[type[DataType], ...] = TEXT) -> None:
    """Refuse a frame that has no such column, two of them, or one of another type."""
    if not isinstance(frame, DataFrame):
        raise UnilidError(f"expected a data frame of Spark, not {type(frame).__name__}")
    found = [field for field in frame.schema.fields if field.name == name]
    if not found:
        columns = ", ".join(map(repr, frame.columns))
        raise UnilidError(f"the frame has no column {name!r}; the columns are {columns}")
    if len(found) > 1:
        raise UnilidError(f"the frame has {len(found)} columns {name!r}; rename all but one")
    if not isinstance(found[0].dataType, kinds):
        what = "strings or whole numbers" if kinds == KEY else "strings"
        raise UnilidError(f"{name!r} must be a column of {what}, not of {found[0].dataType.simpleString()}")


def texts_of(batch: pa.RecordBatch, name: str) -> list[bytes | None]:
    """Return the texts of a column, or its whole numbers as texts."""
    column = batch.column(batch.schema.get_field_index(name))
    if pa.types.is_integer(column.type):
        column = column.cast(pa.string())
    texts: list[bytes | None] = column.cast(pa.large_binary()).to_pylist()
    return texts
