"""Training on a cluster: the model is the one that one machine makes of the same lines, to the byte."""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from pyspark.sql import DataFrame

from unilid.errors import CorpusError
from unilid.model import Model
from unilid.models.vocabulary import Vocabulary
from unilid.progress import Progress, watched_by
from unilid.spark.cluster import Cluster
from unilid.spark.counting import count, find_limits, pack
from unilid.spark.labelled import Columns
from unilid.spark.sessions import one_sentence, rows_at_once
from unilid.training.plan import Plan, fit

if TYPE_CHECKING:
    from unilid.corpus.counts import Part


PARTITIONS = 16
"""Parts into which languages are divided, at least: the driver has room for one of them beside the model."""


def train(
    frame: DataFrame,
    *,
    label: str = "label",
    text: str = "text",
    key: str | None = None,
    partitions: int | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Model:
    """Learn a model from labelled text in a data frame.

    Words are counted where the text is and added up across the cluster, languages are estimated on the executors, each
    on its own, and held-out lines are scored there. The driver learns the vocabulary and puts the model together; no
    text comes to it. Whatever the number and the order of partitions, the model is equal, to the byte, to that of
    `unilid.train` with the same lines, options and key.

    Parameters
    ----------
    frame
        A data frame with a column of labels and one of texts, a line each.
    label, text
        The names of these columns.
    key
        The column that lines which are held out together have in common: in parallel text, the number of the sentence.
        None: the text, because the rows of a frame have no order by which they could be numbered. See `unilid.train`.
    partitions
        Into how many parts languages are divided for their estimation, of which the driver fetches one at a time; None:
        as many as there are cores, twice over, and at least 16.
    progress
        Is told how far the work is.
    options
        As for `unilid.train`: `vocabulary`, `context`, `order`, `prune`, `unseen`, `bound`, `fragments`, `spellings`,
        `lexicon`, `signs`, `scripts`, `relatives`, `tune`, `cap` and `seed`.

    Examples
    --------
    >>> lines = [("eng", "good morning"), ("eng", "good night"), ("deu", "guten Morgen"), ("deu", "gute Nacht")]
    >>> frame = spark.createDataFrame(lines, "label string, text string")
    >>> unilid.spark.train(frame).identify("gute Nacht und guten Morgen").label
    'deu'
    """
    progress = watched_by(progress)
    plan = Plan(**options)
    given = plan.given_vocabulary()
    columns = Columns(label, text, key)
    rows = columns.select(frame)
    context = frame.sparkSession.sparkContext
    with one_sentence():
        limits: dict[str, int] = {}
        if plan.cap is not None:
            with progress.stage("counting lines", None):
                limits = find_limits(rows, columns, plan.cap, plan.seed)
        with progress.stage("counting words", None):
            counted = count(rows, columns, limits, hold_out=plan.tune, seed=plan.seed, version=version("unilid"))
            labels = rows.select(label).distinct().count() if plan.tune else 1
            packed = pack(counted, partitions or max(2 * context.defaultParallelism, PARTITIONS), max(labels, 1))
            cluster = Cluster(packed, progress)
        try:
            if not cluster.labels:
                raise CorpusError("the corpus is empty: no labelled line was found")

            def vocabulary_of(part: Part, size: int | None) -> Vocabulary:
                return given if isinstance(given, Vocabulary) else cluster.learn(part, size or given)

            with rows_at_once(frame.sparkSession, 1):
                return fit(plan, cluster, vocabulary_of)
        finally:
            cluster.close()
