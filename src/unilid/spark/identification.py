"""Names of languages as columns of a data frame of Spark."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812  # as everybody calls it
from pyspark.sql.types import ArrayType, DataType, DoubleType, StringType, StructField, StructType

from unilid.errors import UnilidError
from unilid.loaded import ModelLike, loaded
from unilid.spark.labelled import check_column
from unilid.spark.sessions import DistributedModel, distribute
from unilid.threads import Threads

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from unilid.decisions.options import Options

_ANSWER = {
    "label": (StringType(), pa.string()),
    "probability": (DoubleType(), pa.float64()),
    "score": (DoubleType(), pa.float64()),
    "reason": (StringType(), pa.string()),
    "guess": (StringType(), pa.string()),
}
_SHARE = {"label": (StringType(), pa.string()), "share": (DoubleType(), pa.float64())}


def identify(
    frame: DataFrame,
    column: str = "text",
    into: str = "language",
    *,
    model: ModelLike = None,
    k: int | None = None,
    shares: bool = False,
    threads: Threads = 1,
    **options: Unpack[Options],
) -> DataFrame:
    """Return a frame with the answers to a column of texts in a new column of structs; null where the text is.

    Parameters
    ----------
    frame
        Any data frame; all its columns are kept.
    column, into
        The texts, of strings or of bytes, and the name of the new column.
    model
        A model, the path of its file on the driver, which Spark then brings to the executors, or ``"compact"``; by
        default the model that comes with the package.
    k, shares, options
        As for `Model.identify_column`.
    threads
        Of one task: Spark runs as many tasks as there are cores, so one thread is the default.

    Examples
    --------
    >>> frame = spark.createDataFrame([(7, "Wo ist der Bahnhof?")], "id int, text string")
    >>> answers = unilid.spark.identify(frame, "text", languages=["de", "fr"])
    >>> answers.select("id", "language.label").collect()
    [Row(id=7, label='deu_Latn')]
    """
    check_column(frame, column)
    if into in frame.columns:
        raise UnilidError(f"the frame has a column {into!r} already; name another one with `into`")
    ask = question(frame.sparkSession, model, k=k, shares=shares, threads=threads, **options)
    schema = StructType([*frame.schema.fields, StructField(into, ask.spark_type)])

    def answered(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            answers = ask(batch.column(batch.schema.get_field_index(column)))
            yield pa.RecordBatch.from_arrays([*batch.columns, answers], [*batch.schema.names, into])

    return frame.mapInArrow(answered, schema)


def register(
    spark: SparkSession,
    name: str = "unilid",
    *,
    model: ModelLike = None,
    k: int | None = None,
    shares: bool = False,
    **options: Unpack[Options],
) -> Callable[..., Any]:
    """Register a function for SQL, and return it for expressions; parameters as for `identify`.

    It needs Spark 4.1 or newer.

    >>> function = unilid.spark.register(spark, "language")
    >>> spark.sql("SELECT language('Wo ist der Bahnhof?').label AS label").collect()
    [Row(label='deu_Latn')]
    """
    if not hasattr(F, "arrow_udf"):
        raise UnilidError("a function for SQL needs Spark 4.1 or newer; `identify` does not")
    ask = question(spark, model, k=k, shares=shares, threads=1, **options)

    def answers(texts: pa.Array) -> pa.Array:
        return ask(texts)

    answers.__annotations__ = {"texts": pa.Array, "return": pa.Array}  # from which Spark learns what it is
    function: Callable[..., Any] = spark.udf.register(name, F.arrow_udf(answers, ask.spark_type))
    return function


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of a column of texts on an executor."""

    model: DistributedModel
    k: int | None
    shares: bool
    threads: Threads
    options: dict[str, Any]

    @property
    def fields(self) -> dict[str, tuple[DataType, pa.DataType]]:
        """The types of an answer's fields, as Spark and as Arrow name them."""
        if not self.shares:
            return _ANSWER
        spark = ArrayType(StructType([StructField(name, kind) for name, (kind, _) in _SHARE.items()]))
        arrow = pa.list_(pa.struct([(name, kind) for name, (_, kind) in _SHARE.items()]))
        return {**_ANSWER, "shares": (spark, arrow)}

    @property
    def spark_type(self) -> DataType:
        """The type of an answer."""
        answer = StructType([StructField(name, kind) for name, (kind, _) in self.fields.items()])
        return answer if self.k is None else ArrayType(answer)

    @property
    def arrow_type(self) -> pa.DataType:
        """The same for Arrow."""
        answer = pa.struct([(name, kind) for name, (_, kind) in self.fields.items()])
        return answer if self.k is None else pa.list_(answer)

    def __call__(self, texts: pa.Array) -> pa.Array:
        """Return the answers to texts."""
        column = self.model().identify_column(texts, k=self.k, shares=self.shares, threads=self.threads, **self.options)
        return pa.array(column).cast(self.arrow_type)


def question(
    spark: SparkSession, model: ModelLike, *, k: int | None, shares: bool, threads: Threads, **options: Any
) -> Question:
    """Return what executors are to ask; what is wrong with it is said here."""
    if options.get("languages") is not None:
        options["languages"] = list(options["languages"])  # asked for again with every batch
    loaded(model).identify_column(pa.array([], pa.string()), k=k, shares=shares, threads=threads, **options)
    return Question(distribute(spark, model), k, shares, threads, options)
