"""Spark: what a cluster adds to one core, how it scales, and what a crawl takes.

    python benchmarks/cluster.py [--rows 5000000] [--price 0.05]

Lines of several corpora, repeated in random order, are written as a folder of Parquet files with their labels. One core
of this machine identifies them (`identify_column`) and counts their words (the reader and the counter of
`unilid.train`) without Spark. Then Spark does the same with one and with two executors of one core each, which are
processes of their own (`local-cluster`), and trains a model. Shuffle sizes are read from Spark's event log. From these
figures follow core hours, shuffle sizes and money for a crawl; `--price` is what a core hour costs, in dollars.
"""

import json
import math
import os
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from common import Report, arguments, labelled

import unilid
from unilid.corpus.counts import MAX_WORDS, Counter
from unilid.corpus.reading import read
from unilid.models.vocabulary import MAX_LEARN_WORDS

PACKAGES = ("unilid", "numpy", "pyarrow", "pyspark")
CORPORA = ("tatoeba/train", "tatoeba/test", "common_voice/train", "firefox_ui/train", "wikimedia_ui/train")
ROWS = 5_000_000
FILES = 32
PAGE = 3_000
"""Bytes of a page of a crawl, as text, about: 3 billion pages of Common Crawl have some 9 TB of it."""
PAGES = 3_000_000_000
WORD_BYTES = 30
"""Of a word with its count and its place, about."""
OPTIONS: dict[str, Any] = {"context": "characters", "order": 4, "lexicon": None, "bound": 8.0}
"""Of the model that is trained: with the choice of some constants left out, which costs the same on any corpus."""


def write(folder: Path, data: Path, rows: int) -> None:
    """Write files of labelled lines, drawn at random."""
    pairs: list[tuple[str, str]] = []
    for name in CORPORA:
        path = data / f"{name}.tsv.xz"
        if path.exists():
            for label, lines in labelled(path).items():
                pairs += [(label, text.decode("utf-8", "replace")) for text in lines]
    labels, texts = (pa.array(column) for column in zip(*pairs, strict=True))
    generator = np.random.default_rng(0)
    for number in range(FILES):
        drawn = pa.array(generator.integers(len(pairs), size=rows // FILES))
        pq.write_table(pa.table({"label": labels.take(drawn), "text": texts.take(drawn)}), folder / f"{number}.parquet")


def write_pages(folder: Path, lines: Path, pages: int) -> None:
    """Write pages: lines of one language, one after the other."""
    table = pq.read_table(sorted(lines.glob("*.parquet"))[0])
    texts: dict[str, list[str]] = {}
    for label, text in zip(table["label"].to_pylist(), table["text"].to_pylist(), strict=True):
        texts.setdefault(label, []).append(text)
    generator = random.Random(0)
    large = sorted(texts.values(), key=len)[-20:]
    made = []
    for _ in range(pages):
        own, page = generator.choice(large), ""
        while len(page.encode()) < PAGE:
            page += generator.choice(own) + "\n"
        made.append(page)
    for number in range(FILES):
        pq.write_table(pa.table({"text": made[number::FILES]}), folder / f"{number}.parquet")


def identify_alone(folder: Path) -> None:
    """Identify all texts of a folder with one thread."""
    model = unilid.load()
    for path in sorted(folder.glob("*.parquet")):
        for batch in pq.ParquetFile(path).iter_batches(10_000, columns=["text"]):
            pa.array(model.identify_column(batch.column("text"), threads=1))


def count_alone(folder: Path) -> None:
    """Count all words of a folder with one thread."""
    counter = Counter(hold_out=True)
    for batch in read(sorted(folder.glob("*.parquet"))):
        counter.add(batch)
    counter.corpus()


@contextmanager
def session(executors: int, log: Path, quick: bool) -> Iterator[Any]:
    """Yield a session of Spark with so many executors of one core; quick, with threads in one process instead."""
    from pyspark.sql import SparkSession

    master = f"local[{executors}]" if quick else f"local-cluster[{executors},1,2048]"
    builder = SparkSession.builder.master(master).appName("unilid")
    settings = {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.executor.memory": "2g",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": log.as_uri(),
        "spark.eventLog.compress": "false",
        "spark.sql.shuffle.partitions": "2" if quick else "8",
    }
    for name, value in settings.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    try:
        yield spark
    finally:
        spark.stop()


def shuffled(log: Path) -> dict[str, int]:
    """Return the bytes that were written for shuffles, by what was being done."""
    jobs: dict[int, str] = {}
    sizes: dict[str, int] = {}
    for path in sorted(path for path in log.rglob("*") if path.is_file()):
        for line in path.read_text().splitlines():
            event = json.loads(line) if line.startswith("{") else {}
            if event.get("Event") == "SparkListenerJobStart":
                group = event["Properties"].get("spark.jobGroup.id", "")
                jobs |= {stage: group for stage in event["Stage IDs"] if stage not in jobs}
            elif event.get("Event") == "SparkListenerTaskEnd" and event.get("Task Metrics"):
                group = jobs.get(event["Stage ID"], "")
                written = event["Task Metrics"]["Shuffle Write Metrics"]["Shuffle Bytes Written"]
                sizes[group] = sizes.get(group, 0) + written
    return sizes


def on_spark(executors: int, lines: Path, pages: Path, quick: bool) -> tuple[dict[str, float], dict[str, int], bytes]:
    """Return the seconds of each step, the bytes of its shuffles, and the model."""
    import unilid.spark
    from unilid.spark.counting import count
    from unilid.spark.labelled import Columns

    seconds: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as log, session(executors, Path(log), quick) as spark:

        def timed(step: str, work: Any) -> Any:
            spark.sparkContext.setJobGroup(step, step)
            start = time.perf_counter()
            result = work()
            seconds[step] = time.perf_counter() - start
            return result

        def finish(frame: Any) -> None:
            frame.write.format("noop").mode("overwrite").save()

        frame, columns = spark.read.parquet(str(lines)), Columns("label", "text")
        warm = spark.read.parquet(str(sorted(lines.glob("*.parquet"))[0])).limit(1000).repartition(executors)
        timed("start", lambda: finish(unilid.spark.identify(warm)))
        timed("identify", lambda: finish(unilid.spark.identify(frame)))
        timed("pages", lambda: finish(unilid.spark.identify(spark.read.parquet(str(pages)))))
        own = version("unilid")
        timed("count", lambda: finish(count(frame, columns, {}, hold_out=True, seed=0, version=own)))
        model = timed("train", lambda: unilid.spark.train(frame, tune=not quick, **OPTIONS))
        spark.stop()
        return seconds, shuffled(Path(log)), model.to_bytes()


def alone(work: Any) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def growth(small: tuple[int, int], large: tuple[int, int]) -> float:
    """Return the exponent with which shuffles grow with lines."""
    return math.log(large[1] / small[1]) / math.log(large[0] / small[0])


def main() -> None:
    options = arguments(__doc__, rows=ROWS, price=0.05)
    rows, pages = (6_400, 320) if options.quick else (options.rows, options.rows // 50)
    trained = {"tune": not options.quick, **OPTIONS}  # to choose by cross-validation, as of so few lines, takes minutes
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    os.environ["PYSPARK_PYTHON"] = sys.executable
    command = "cluster.py" if options.rows == ROWS else f"cluster.py --rows {options.rows}"
    report = Report("cluster", "Spark, on one machine and beyond", options.quick, command, PACKAGES)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for own in ("lines", "few", "pages"):
            (folder / own).mkdir()
        write(folder / "lines", options.data, rows)
        write(folder / "few", options.data, rows // 5)
        write_pages(folder / "pages", folder / "lines", pages)
        bytes_of = sum(
            pc.sum(pc.binary_length(pq.read_table(path)["text"])).as_py()
            for path in (folder / "lines").glob("*.parquet")
        )
        identify_alone(folder / "few")  # the model is read, and its words are in memory
        bare = {
            "identify": alone(lambda: identify_alone(folder / "lines")),
            "pages": alone(lambda: identify_alone(folder / "pages")),
            "count": alone(lambda: count_alone(folder / "lines")),
            "train": alone(lambda: unilid.train(sorted((folder / "lines").glob("*.parquet")), threads=1, **trained)),
        }
        results = {
            executors: on_spark(executors, folder / "lines", folder / "pages", options.quick) for executors in (1, 2)
        }
        _, few, _ = on_spark(2, folder / "few", folder / "pages", options.quick)
        model = unilid.train(sorted((folder / "lines").glob("*.parquet")), threads=2, **trained).to_bytes()
    assert {content for _, _, content in results.values()} == {model}, "the models differ"
    show(report, options.price, rows, pages, bytes_of, bare, results, few)
    report.write()


def show(
    report: Report,
    price: float,
    rows: int,
    pages: int,
    bytes_of: int,
    bare: dict[str, float],
    results: dict[int, tuple[dict[str, float], dict[str, int], bytes]],
    few: dict[str, int],
) -> None:
    names = {"identify": "identify lines", "pages": "identify pages of 3 kB", "count": "count words", "train": "train"}
    report.say(
        f"{rows:,} lines ({bytes_of / 1e6:,.0f} MB) in {FILES} Parquet files, and {pages:,} pages; one core without "
        "Spark, and executors of one core each. Lines or pages a second, and bytes that two executors shuffle. The "
        "models are the same, byte by byte.\n"
    )
    report.header("", "one core", "one executor", "two executors", "executor / core", "two / one", "shuffled")
    shuffles = results[2][1]
    for step, what in names.items():
        count = pages if step == "pages" else rows
        first, second = (results[executors][0][step] for executors in (1, 2))
        rates = [f"{count / seconds:,.0f}" for seconds in (bare[step], first, second)]
        ratios = [f"{bare[step] / first:.2f}", f"{first / second:.2f}"]
        report.row(what, *rates, *ratios, f"{shuffles.get(step, 0) / 1e6:,.1f} MB")

    seconds = results[1][0]
    page_rate, byte_rate = pages / seconds["pages"], bytes_of / seconds["count"]
    power = growth((rows // 5, few["count"]), (rows, shuffles["count"]))
    report.say("\n## What a crawl takes\n")
    report.say(
        f"From one executor of this run: {page_rate:,.0f} pages of 3 kB a second, {byte_rate / 1e6:,.1f} MB counted a "
        f"second. A fifth of the lines shuffles {few['count'] / 1e6:,.1f} MB for counting, all of them "
        f"{shuffles['count'] / 1e6:,.1f} MB: the power of {power:.2f} of their number, because words repeat, and the "
        f"larger ones are extrapolated with it. A core hour costs {price} dollars.\n"
    )
    report.header("", "identify, core hours", "dollars", "count words, core hours", "dollars", "shuffled")
    for what, size in (("10 TB", 10e12), ("100 TB", 100e12), ("Common Crawl, 3 billion pages", float(PAGES * PAGE))):
        hours = [size / PAGE / page_rate / 3600, size / byte_rate / 3600]
        shuffle = shuffles["count"] * (size / bytes_of) ** power
        figures = [f"{own:,.0f}" for spent in hours for own in (spent, spent * price)]
        report.row(what, *figures, f"{shuffle / 1e9:,.0f} GB")
    breaks(report)


def breaks(report: Report) -> None:
    words, languages = MAX_LEARN_WORDS, 2_000
    report.say(
        f"""
## What breaks first

- **Memory of the driver.** Counts do not come to it: of 2,000 languages with {MAX_WORDS:,} words each they would be
  {languages * MAX_WORDS * WORD_BYTES / 1e9:,.0f} GB. It gets the {words:,} most common words of all languages together
  ({words * WORD_BYTES / 1e6:,.0f} MB), from which the vocabulary is learned, and the tables of the languages, which
  are the model.
- **Skewed labels.** Words are added up in buckets of words, so that a large language is spread over all tasks; only its
  distinct words meet in one task, where the {MAX_WORDS:,} most common ones are kept
  ({MAX_WORDS * WORD_BYTES / 1e6:,.0f} MB). `cap=` takes fewer lines of such a language.
- **Distinct words.** A task that adds up has its share of them in memory: of ten billion, with the default of 200 for
  `spark.sql.shuffle.partitions`, {1e10 / 200 * WORD_BYTES / 1e9:,.1f} GB. With 2,000, it is a tenth of it.
- **Small files.** A task a file of some kilobytes takes longer to start than to read. Spark packs small files into
  partitions of 128 MB (`spark.sql.files.maxPartitionBytes`); many partitions of other sources want `coalesce`.
- **Memory of an executor.** A process of Python has the tables of the model beside the memory of Java:
  `spark.executor.memoryOverhead` must have room for them, once for each core."""
    )


if __name__ == "__main__":
    main()
