"""Apache Spark: identification, training and evaluation where the data frames are, on any number of machines.

Frames go in and frames come out; texts stay on the executors. unilid must be installed on all of them, in the same
version.

>>> import unilid.spark
>>> frame = spark.createDataFrame([("Wo ist der Bahnhof?",), (None,)], "text string")
>>> unilid.spark.identify(frame, "text").groupBy("language.label").count().filter("label is null").collect()
[Row(label=None, count=1)]
"""

from __future__ import annotations

try:
    import pyspark as _pyspark  # noqa: F401
except ImportError as error:
    raise ImportError("unilid.spark needs pyspark: pip install 'unilid[spark]', and Java 17 or newer") from error

from unilid.spark.evaluation import evaluate
from unilid.spark.identification import identify, register
from unilid.spark.training import train

__all__ = ["evaluate", "identify", "register", "train"]
