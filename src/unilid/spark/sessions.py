"""What all jobs need: a model on every executor, small tables from there, and errors in one sentence."""

from __future__ import annotations

import atexit
import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark import SparkContext, SparkFiles
from pyspark.sql import DataFrame, SparkSession

from unilid import errors
from unilid.errors import ModelFileError, UnilidError
from unilid.loaded import ModelLike, loaded
from unilid.model import Model

_ARROW_TYPES = {
    "string": pa.string(),
    "binary": pa.binary(),
    "int": pa.int32(),
    "bigint": pa.int64(),
    "array<bigint>": pa.list_(pa.int64()),
    "double": pa.float64(),
}

_DIGITS = 16  # hexadecimal, of a distributed file's name


@contextmanager
def one_sentence() -> Iterator[None]:
    """Raise an error that an executor raised for its input as that error, without the traces around it."""
    try:
        yield
    except UnilidError:
        raise
    except Exception as error:
        found = re.search(r"^(?:\w+: )?unilid\.errors\.(\w+): (.+)$", str(error), re.MULTILINE)
        if found is None:
            raise
        raise getattr(errors, found[1])(found[2]) from None


_BATCH = "spark.sql.execution.arrow.maxRecordsPerBatch"
_MANY = 10_000


@contextmanager
def rows_at_once(spark: SparkSession, rows: int) -> Iterator[None]:
    """Let jobs that are planned meanwhile see so many rows at a time.

    Of large rows it must be one: a batch of many is more than Arrow can hold. Of small ones, a batch for each would
    fill the memory of the driver.
    """
    before = spark.conf.get(_BATCH)
    spark.conf.set(_BATCH, str(rows))
    try:
        yield
    finally:
        spark.conf.set(_BATCH, before)


def collected(frame: DataFrame) -> pa.Table:
    """Return a frame of small rows as a table of Arrow."""
    with rows_at_once(frame.sparkSession, _MANY):
        if hasattr(frame, "toArrow"):  # since Spark 4
            return frame.toArrow()
        written = ", ".join(f"{field.name} {field.dataType.simpleString()}" for field in frame.schema.fields)
        return pa.Table.from_batches(frame._collect_as_arrow(), schema_of(written))


def schema_of(written: str) -> pa.Schema:
    """Return the schema of Arrow for one that is written as in SQL.

    >>> schema_of("label string, lines bigint").names
    ['label', 'lines']
    """
    names, kinds = zip(*(field.split() for field in written.split(", ")), strict=True)
    return pa.schema([(name, _ARROW_TYPES[kind]) for name, kind in zip(names, kinds, strict=True)])


@dataclass(frozen=True, slots=True)
class DistributedModel:
    """A model as executors find it: in the package, or in a file that Spark brings them."""

    name: str | None
    """Of the model in the package (None, "compact"), or of the file."""
    is_file: bool
    version: str

    def __call__(self) -> Model:
        """Return the model, which a process loads once; its pages are shared by the processes of a machine."""
        check_version(self.version)
        if not self.is_file:
            return loaded(self.name)
        path = Path(SparkFiles.get(self.name or ""))
        if not path.is_file():
            raise ModelFileError(f"the executor has no file {path.name}: was it removed from Spark's working folder?")
        return loaded(path)


def check_version(wanted: str) -> None:
    """Refuse to work on an executor that has another version than the driver: answers may differ."""
    own = version("unilid")
    if own != wanted:
        raise UnilidError(f"an executor has unilid {own}, and the driver {wanted}: install the same version on all")


def distribute(spark: SparkSession, model: ModelLike) -> DistributedModel:
    """Let Spark bring a model to all executors, unless it is one of those in the package."""
    own = version("unilid")
    if model is None or model == "compact":
        return DistributedModel(model, False, own)
    model = loaded(model)  # what is no model is refused here, and not on the executors
    content = model.to_bytes() if model.path is None else model.path.read_bytes()
    context = spark.sparkContext
    name = f"unilid-{_digest(content)}.unilid"  # named by its content: two models never have one name
    file = _folder(context.applicationId) / name
    if not file.exists():
        file.write_bytes(content)
        context.addFile(str(file))
    return DistributedModel(name, True, own)


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:_DIGITS]


@cache
def _folder(application: str) -> Path:
    """Return a folder for the files that an application distributes; it is there as long as the driver is."""
    folder = tempfile.mkdtemp(prefix=f"unilid-{application}-")
    owner = os.getpid()
    atexit.register(lambda: shutil.rmtree(folder, ignore_errors=True) if os.getpid() == owner else None)
    return Path(folder)


class Broadcasts:
    """What was sent to the executors for a training run, and is no longer needed after it."""

    def __init__(self, context: SparkContext) -> None:
        self.context = context
        self._sent: list[Any] = []

    def send(self, value: Any) -> Any:
        """Send a value to all executors."""
        sent = self.context.broadcast(value)
        self._sent.append(sent)
        return sent

    def drop(self) -> None:
        """Let the executors forget what was sent."""
        for sent in self._sent:
            sent.unpersist()
        self._sent.clear()
