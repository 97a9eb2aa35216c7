"""How good a model is on labelled text in a data frame of Spark; executors add up what is counted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812  # as everybody calls it

from unilid.corpus.formats import Labels
from unilid.evaluation.evaluate import relabelling
from unilid.evaluation.metrics import Counts, Report, Tally
from unilid.languages.labels import RESERVED
from unilid.loaded import ModelLike, loaded
from unilid.spark.labelled import Columns
from unilid.spark.sessions import collected, distribute, one_sentence, schema_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from unilid.decisions.options import Options
    from unilid.languages.usual import Codes

_COUNTS = "truth string, answer string, bucket int, place int, lines bigint, probability double, right bigint"
_SCHEMA = schema_of(_COUNTS)


def evaluate(
    frame: DataFrame,
    model: ModelLike = None,
    *,
    label: str = "label",
    text: str = "text",
    codes: Codes = "label",
    macrolanguages: bool = False,
    script_blind: bool = False,
    **options: Unpack[Options],
) -> Report:
    """Ask a model about labelled text and return how good its answers are.

    The figures are those of `unilid.evaluate`, but there are no examples of confused lines: texts stay where they are.

    Parameters
    ----------
    frame
        A data frame with a column of labels and one of texts.
    model
        As for `identify`.
    label, text
        The names of these columns.
    codes, macrolanguages, script_blind, options
        As for `unilid.evaluate`.

    Examples
    --------
    >>> frame = spark.createDataFrame([("deu_Latn", "Wo ist der Bahnhof?")], "label string, text string")
    >>> unilid.spark.evaluate(frame).accuracy
    1.0
    """
    columns = Columns(label, text)
    rows = columns.select(frame)
    own = loaded(model)
    if options.get("languages") is not None:
        options["languages"] = list(options["languages"] or ())
    own.identify([], **options)  # what is asked for is checked before anything is read
    relabel = relabelling(codes=codes, macrolanguages=macrolanguages, script_blind=script_blind)
    distributed = distribute(frame.sparkSession, model)

    def count(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        tally, labels = Tally(relabel), Labels()
        for part in batches:
            batch = columns.batch(part, labels)
            answers = distributed().identify(batch.texts, threads=1, **options)
            for truth, content, answer in zip(batch.labels, batch.texts, answers, strict=True):
                sure = None if answer.label in RESERVED else answer.probability
                tally.add(truth, answer.label, len(content.decode("utf-8", "replace")), sure)
        counted = [counts._asdict() for counts in tally.counts()]
        yield pa.RecordBatch.from_pylist(counted, _SCHEMA)

    with one_sentence():
        keys, sums = Counts._fields[:4], [F.sum(name).alias(name) for name in Counts._fields[4:]]
        counted = collected(rows.mapInArrow(count, _COUNTS).groupBy(*keys).agg(*sums))
    tally = Tally(relabel)
    for counts in sorted(Counts(**row) for row in counted.to_pylist()):
        tally.add_counts(counts)
    return tally.report(dict(zip(own.languages, own.lines.tolist(), strict=True)), known=own.languages)
