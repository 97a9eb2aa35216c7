"""What each adapter costs over the bare column, and the classifier beside TF-IDF with logistic regression.

    pip install '.[adapters]'
    python benchmarks/adapters.py

Time: FLORES lines in random order, the model of the package, one thread. In every round each adapter is called on the
same texts, in the form that its library has them in, between two calls of the bare `identify_column` on an array of
pyarrow; the ratio is to the mean of the two. Seconds are of the processor, so that other work on the machine does not
count. Medians of the rounds. What a library takes by itself (its own map, query or filter with a function that answers
the same for every text) is measured the same way.

Classifier: which kind of German text a line is (verses, messages of two programs, sentences for learners, sentences to
be read aloud), and which variety of a language. TF-IDF has the best of a few settings on the test lines: its favour.
"""

import random
import statistics
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from common import Report, arguments, flores, labelled

import unilid

THREADS = 1
KINDS = {
    "verses": "ebible_open",
    "Firefox": "firefox_ui",
    "Wikipedia's apps": "wikimedia_ui",
    "learners": "tatoeba",
    "read aloud": "common_voice",
}
VARIETIES = {"DSL-ML English": "EN", "DSL-ML Spanish": "ES", "DSL-ML Portuguese": "PT"}
Lines = list[tuple[str, str]]


def main() -> None:
    options = arguments(__doc__, rounds=9)
    packages = ("unilid", "polars", "pandas", "pyarrow", "duckdb", "datasets", "scikit-learn", "datatrove", "commonlid")
    report = Report("adapters", "Adapters", options.quick, packages=[name for name in packages if is_installed(name)])
    _, held = flores(options.data, options.quick)
    texts = [text.decode() for lines in held.values() for text in lines[: 5 if options.quick else 50]]
    random.Random(0).shuffle(texts)
    time_adapters(report, texts, 1 if options.quick else options.rounds)
    compare_classifiers(report, options.data, options.quick)
    report.write()


def is_installed(name: str) -> bool:
    import importlib.metadata

    try:
        return bool(importlib.metadata.version(name))
    except importlib.metadata.PackageNotFoundError:
        return False


def time_adapters(report: Report, texts: list[str], rounds: int) -> None:
    import pyarrow as pa

    model = unilid.load()
    column = pa.array(texts)

    def bare() -> object:
        return pa.array(model.identify_column(column, threads=THREADS))

    ways = dict(adapters(model, texts))
    for work in (bare, bare, *(work for work, _ in ways.values())):
        work()
    ratios: dict[str, list[float]] = {name: [] for name in ways}
    shares: dict[str, list[float]] = {name: [] for name in ways}
    seconds = []
    for _ in range(rounds):
        for name, (work, nothing) in ways.items():
            before, own, idle, after = map(seconds_of, (bare, work, nothing or (lambda: None), bare))
            seconds += [before, after]
            base = (before + after) / 2
            ratios[name].append(own / base)
            shares[name].append(idle / base)
    median = statistics.median(seconds)
    rate = len(texts) / median
    report.say(f"{len(texts):,} texts; the bare column takes {median:.2f} s, {rate:,.0f} texts a second.\n")
    report.header("call", "time over that of the bare column", "of this, the library by itself")
    for name, (_, nothing) in ways.items():
        by_itself = f"{statistics.median(shares[name]):.2f}" if nothing else ""
        report.row(name, f"{statistics.median(ratios[name]):.2f}", by_itself)


def seconds_of(call: Callable[[], object]) -> float:
    """Return how long the processor works on a call."""
    start = time.process_time()
    call()
    return time.process_time() - start


Way = tuple[str, tuple[Callable[[], object], Callable[[], object] | None]]


def adapters(model: unilid.Model, texts: list[str]) -> Iterable[Way]:
    """Yield a call for each adapter, and what its library takes without it."""
    import pyarrow as pa

    table = pa.table({"text": texts})
    yield "`identify`, a list of str", (lambda: model.identify(texts, threads=THREADS), None)
    yield "`identify`, a column", (lambda: model.identify(table["text"], threads=THREADS), None)
    if is_installed("polars"):
        import polars as pl

        import unilid.polars  # noqa: F401

        frame = pl.DataFrame({"text": texts})
        expression: Any = pl.col("text")
        asked = expression.unilid.identify(model=model, threads=THREADS)
        yield "polars", (lambda: frame.select(asked), None)
        yield "polars, streaming", (lambda: frame.lazy().select(asked).collect(engine="streaming"), None)
    if is_installed("pandas"):
        import pandas as pd

        from unilid import pandas as our_pandas

        series = pd.Series(texts)
        yield "pandas", (lambda: our_pandas.identify(series, model=model, threads=THREADS), None)
    if is_installed("narwhals"):
        from unilid import frames

        yield "frames, of pyarrow", (lambda: frames.identify(table, model=model, threads=THREADS), None)
    if is_installed("duckdb"):
        import duckdb

        from unilid import duckdb as our_duckdb

        connection = duckdb.connect()
        connection.execute("SET threads = 1")
        connection.register("texts", table)
        our_duckdb.register(connection, model=model, threads=THREADS)
        connection.create_function(
            "nothing", lambda column: column, [duckdb.type("VARCHAR")], duckdb.type("VARCHAR"), type="arrow"
        )
        yield (
            "DuckDB",
            (
                lambda: connection.sql("SELECT language(text) FROM texts").to_arrow_table(),
                lambda: connection.sql("SELECT nothing(text) FROM texts").to_arrow_table(),
            ),
        )
    yield from libraries_of_documents(model, texts)


def libraries_of_documents(model: unilid.Model, texts: list[str]) -> Iterable[Way]:
    from unilid import fasttext

    lid = fasttext.load_model(model, threads=THREADS)
    yield "fastText's `predict`", (lambda: lid.predict(texts), None)
    if is_installed("datasets"):
        import datasets

        from unilid.datasets import Identify

        datasets.disable_progress_bars()
        datasets.disable_caching()
        data = datasets.Dataset.from_dict({"text": texts})
        identify, in_arrow = Identify(model=model, threads=THREADS), data.with_format("arrow")
        yield "datasets", (lambda: data.map(identify, batched=True), lambda: data.map(constant_columns, batched=True))
        yield (
            "datasets, arrow",
            (lambda: in_arrow.map(identify, batched=True), lambda: in_arrow.map(constant_table, batched=True)),
        )
    if is_installed("datatrove"):
        from datatrove.data import Document

        from unilid.datatrove import UnilidFilter

        step = UnilidFilter(model=model, threads=THREADS)
        documents = [Document(text, id=str(number)) for number, text in enumerate(texts)]
        step.filter_batch(documents[:10])
        yield "datatrove", (lambda: list(step.run(documents)), lambda: idle_filter(documents))
    if is_installed("commonlid"):
        from unilid.commonlid import UnilidModel

        evaluated = UnilidModel(model, threads=THREADS)
        yield "commonlid", (lambda: evaluated.predict(texts), lambda: [evaluated._conform("deu") for _ in texts])


def constant_columns(batch: Any) -> dict[str, list[Any]]:
    """Return two columns for a batch of datasets, whose texts are read."""
    texts = list(batch["text"])
    return {"label": ["deu_Latn"] * len(texts), "probability": [0.5] * len(texts)}


def constant_table(batch: Any) -> Any:
    """Return the table with two more columns."""
    import pyarrow as pa

    count = len(batch)
    return batch.append_column("label", pa.array(["deu_Latn"] * count)).append_column("p", pa.array([0.5] * count))


def idle_filter(documents: list[Any]) -> object:
    """Run a filter of datatrove that keeps everything."""
    from datatrove.pipeline.filters import LambdaFilter

    return list(LambdaFilter(lambda _: True).run(documents))


def compare_classifiers(report: Report, data: Path, quick: bool) -> None:
    from unilid.sklearn import UnilidClassifier

    report.say("\n## Classes that are not languages\n")
    report.header(
        "task", "classes", "training lines", "unilid", "TF-IDF", "unilid, s", "TF-IDF, s", "the best setting of TF-IDF"
    )
    for name, train, test in tasks(data, quick):
        texts, gold = [text for _, text in test], [label for label, _ in test]
        start = time.process_time()
        classifier = UnilidClassifier().fit([text for _, text in train], [label for label, _ in train])
        ours = classifier.score(texts, gold)
        seconds = time.process_time() - start
        theirs, setting, their_seconds = best_tfidf(train, test, quick)
        report.row(
            name, len({label for label, _ in train}), f"{len(train):,}", ours, theirs,
            f"{seconds:.1f}", f"{their_seconds:.1f}", setting,
        )  # fmt: skip
    report.say("\nAccuracy; seconds of the processor to fit and to answer, of TF-IDF for its best setting alone.")


def tasks(data: Path, quick: bool) -> Iterable[tuple[str, Lines, Lines]]:
    """Yield the name of a task, its training lines and its test lines."""
    kinds = {}
    for kind, folder in KINDS.items():
        lines = [text.decode() for text in labelled(data / folder / "train.tsv.xz")["deu_Latn"]]
        lines = list(dict.fromkeys(lines))
        random.Random(0).shuffle(lines)
        kinds[kind] = lines
    test = [(kind, text) for kind, lines in kinds.items() for text in lines[:10] if quick]
    test = test or [(kind, text) for kind, lines in kinds.items() for text in lines[:500]]
    for count in (30,) if quick else (100, 1000):
        first = len(test) // len(kinds)
        train = [(kind, text) for kind, lines in kinds.items() for text in lines[first : first + count]]
        yield f"kinds of German text, {count:,} lines each", train, test
    for name, prefix in VARIETIES.items():
        parts = []
        for part in ("train", "dev"):
            corpus = labelled(data / f"dialects/dsl_ml_2024.{part}.tsv.xz")
            parts.append(
                [
                    (label, text.decode())
                    for label, lines in corpus.items()
                    if label.startswith(prefix) and "," not in label
                    for text in lines
                ]
            )
        yield name, parts[0], parts[1]
        if quick:
            return


def best_tfidf(train: Lines, test: Lines, quick: bool) -> tuple[float, str, float]:
    """Return the accuracy of the best setting, what it is and how long it took."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    found = []
    for analyzer, ngrams in (("word", (1, 2)), ("char_wb", (1, 4)), ("char_wb", (2, 5))):
        for strength in (10.0,) if quick else (1.0, 10.0, 100.0):
            start = time.process_time()
            pipeline = make_pipeline(
                TfidfVectorizer(analyzer=analyzer, ngram_range=ngrams, sublinear_tf=True),
                LogisticRegression(C=strength, max_iter=1000),
            )
            pipeline.fit([text for _, text in train], [label for label, _ in train])
            accuracy = pipeline.score([text for _, text in test], [label for label, _ in test])
            unit = "words" if analyzer == "word" else "characters"
            setting = f"{ngrams[0]} to {ngrams[1]} {unit}, C {strength:g}"
            found.append((float(accuracy), setting, time.process_time() - start))
    return max(found)


if __name__ == "__main__":
    main()
