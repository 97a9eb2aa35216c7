"""Spark: identification, training and evaluation on a real cluster, whatever happens to it."""

from __future__ import annotations

import doctest
import importlib
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from support.adapters import TEXTS, compact, expected
from support.libraries import library
from support.spark import Standalone, kill_own_executor_once, until
from support.training import ALL, Recorder

import unilid
from unilid import CorpusError, ModelFileError, UnilidError
from unilid.training import plan

library("pyspark")
from unilid import spark as adapter  # noqa: E402  # needs pyspark
from unilid.spark import sessions  # noqa: E402

pytestmark = [pytest.mark.xdist_group("spark"), pytest.mark.timeout(600)]

ROWS = [(label, text) for label, texts in ALL.items() for text in texts]
# Enough lines for everything that training chooses, with copies, and with one label that has few.
LINES = [(label, f"{a} {b}") for label, texts in ALL.items() for a in texts for b in texts[:6] if a != b]
LINES += [*ROWS, *ROWS[:40], *(("few", f"{text} few") for _, text in ROWS[:5])]


@pytest.fixture(scope="module")
def frame(spark: Any) -> Any:
    rows = [(number, text) for number, text in enumerate(TEXTS)]
    return spark.createDataFrame(rows, "id int, text string").repartition(3)


def labelled(spark: Any, rows: list[tuple[Any, ...]] = LINES, partitions: int = 3, seed: int = 0) -> Any:
    shuffled = rows.copy()
    Random(seed).shuffle(shuffled)
    schema = "label string, text string" + (", number int" if len(rows[0]) == 3 else "")
    return spark.createDataFrame(shuffled, schema).repartition(partitions)


def by_id(answers: Any) -> list[Any]:
    rows = sorted(answers.collect(), key=lambda row: row["id"])
    return [row.language and _plain(row.language) for row in rows]


def _plain(answer: Any) -> Any:
    return [one.asDict(recursive=True) for one in answer] if isinstance(answer, list) else answer.asDict(recursive=True)


# ---- identification


def test_answers_are_those_of_the_model_and_other_columns_stay(frame: Any) -> None:
    answers = adapter.identify(frame, "text", model="compact")
    assert answers.columns == ["id", "text", "language"]
    assert by_id(answers) == expected()
    assert sorted((row.id, row.text) for row in answers.collect()) == sorted(enumerate(TEXTS))


def test_the_model_of_the_package_is_the_default_and_options_are_taken(frame: Any) -> None:
    own = unilid.load()
    answers = by_id(adapter.identify(frame, languages=iter(["de", "fr"]), abstain=False))
    assert answers[0] == own.identify(TEXTS[0], languages=["de", "fr"], abstain=False)._asdict()
    ranked = by_id(adapter.identify(frame, model="compact", k=2))
    assert ranked[0] == [answer._asdict() for answer in compact().identify(TEXTS[0], k=2)]
    assert ranked[1] is None
    shares = by_id(adapter.identify(frame, model="compact", shares=True))
    assert shares[0]["shares"] == [{"label": "deu_Latn", "share": 1.0}]


def test_bytes_are_texts_too(spark: Any) -> None:
    rows = [(0, bytearray(b"Wo ist der Bahnhof? \xff")), (1, None)]
    answers = by_id(adapter.identify(spark.createDataFrame(rows, "id int, text binary"), model="compact"))
    assert answers == [compact().identify(b"Wo ist der Bahnhof? \xff")._asdict(), None]


def test_a_model_of_ones_own_comes_to_the_executors(frame: Any, tmp_path: Path) -> None:
    mine = compact().add_language("xyz_Latn", ["Wo ist der Bahnhof? Kwo xyz", "Kwo xyz wer Bahnhof"] * 3)
    answers = [text and answer._asdict() for text, answer in zip(TEXTS, mine.identify(TEXTS), strict=True)]
    assert by_id(adapter.identify(frame, model=mine)) == answers
    path = tmp_path / "mine.unilid"
    mine.save(path)
    assert by_id(adapter.identify(frame, model=path)) == answers
    other = compact().subset(["fra_Latn", "eng_Latn"]).save(path)  # another model under the same name
    again = [text and answer._asdict() for text, answer in zip(TEXTS, other.identify(TEXTS), strict=True)]
    assert by_id(adapter.identify(frame, model=path)) == again


def test_a_function_for_sql_gives_the_same(spark: Any, frame: Any) -> None:
    function = adapter.register(spark, "name_language", model="compact")
    frame.createOrReplaceTempView("pages")
    found = spark.sql("SELECT id, name_language(text) AS language FROM pages")
    selected = frame.select("id", function("text").alias("language"))
    assert by_id(found) == by_id(selected) == expected()
    adapter.register(spark, "rank_languages", model="compact", k=2)
    ranked = by_id(spark.sql("SELECT id, rank_languages(text) AS language FROM pages"))
    assert ranked == by_id(adapter.identify(frame, model="compact", k=2))


def test_what_cannot_be_asked_is_refused_before_a_job_starts(frame: Any, tmp_path: Path) -> None:
    with pytest.raises(UnilidError, match="no column 'content'; the columns are 'id', 'text'"):
        adapter.identify(frame, "content")
    with pytest.raises(UnilidError, match="'id' must be a column of strings, not of int"):
        adapter.identify(frame, "id")
    with pytest.raises(UnilidError, match="a column 'id' already; name another one with `into`"):
        adapter.identify(frame, into="id")
    with pytest.raises(UnilidError, match="has 2 columns 'text'"):
        adapter.identify(frame.select("text", "text"))
    with pytest.raises(UnilidError, match="expected a data frame of Spark, not list"):
        adapter.identify(["text"])
    with pytest.raises(unilid.UnknownLanguageError, match="klingon"):
        adapter.identify(frame, languages=["klingon"])
    broken = tmp_path / "broken.unilid"
    broken.write_bytes(b"not a model")
    with pytest.raises(ModelFileError, match=r"broken\.unilid"):
        adapter.identify(frame, model=broken)


def test_an_executor_without_the_file_says_so(frame: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from unilid.spark import identification
    from unilid.spark.sessions import DistributedModel

    missing = DistributedModel("unilid-missing.unilid", True, unilid.__version__)
    monkeypatch.setattr(identification, "distribute", lambda *_: missing)
    with pytest.raises(Exception, match=r"the executor has no file unilid-missing\.unilid"):
        adapter.identify(frame, model="compact").collect()


def test_an_executor_with_another_version_says_so(frame: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from unilid.spark import identification
    from unilid.spark.sessions import DistributedModel

    monkeypatch.setattr(identification, "distribute", lambda *_: DistributedModel(None, False, "99.0"))
    with pytest.raises(Exception, match=r"and the driver 99\.0: install the same version on all"):
        adapter.identify(frame, model="compact").collect()


# ---- training


@pytest.fixture(autouse=True)
def few_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let held-out lines alone choose: cross-validation is hundreds of small jobs, and one test is enough for it."""
    monkeypatch.setattr(plan, "CROSS_VALIDATED", range(0))


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"context": None, "unseen": "additive", "tune": False, "vocabulary": 600},
        {"context": "characters", "lexicon": 50, "scripts": True, "signs": False, "cap": 40, "seed": 3},
    ],
    ids=["default", "the paper's", "lexicon, scripts and cap"],
)
def test_the_model_is_that_of_one_machine_to_the_byte(spark: Any, options: dict[str, Any]) -> None:
    assert adapter.train(labelled(spark), **options).to_bytes() == unilid.train(LINES, key="text", **options).to_bytes()


def test_choices_by_cross_validation_are_those_of_one_machine(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan, "CROSS_VALIDATED", range(1, 2000))
    options: dict[str, Any] = {"vocabulary": 600, "order": 3, "bound": 8.0, "lexicon": None}
    trained = adapter.train(labelled(spark), **options)
    assert trained.to_bytes() == unilid.train(LINES, key="text", **options).to_bytes()


def test_neither_number_nor_order_of_partitions_matters(spark: Any) -> None:
    options: dict[str, Any] = {"context": "characters", "order": 3, "lexicon": None, "bound": 8.0}
    models = {
        adapter.train(labelled(spark, partitions=partitions, seed=partitions), partitions=parts, **options).to_bytes()
        for partitions, parts in [(1, 1), (5, 2), (2, 7)]
    }
    assert models == {unilid.train(LINES, key="text", **options).to_bytes()}


def test_many_small_rows_come_to_the_driver_in_few_batches(spark: Any) -> None:
    with sessions.rows_at_once(spark, 1):  # as while languages, which are large rows, are learned
        table = sessions.collected(spark.range(5000, numPartitions=2))
    assert table["id"].to_pylist() == list(range(5000))
    assert table["id"].num_chunks <= 4


def test_a_key_holds_translations_out_together(spark: Any) -> None:
    rows = [(label, text, number) for label, texts in ALL.items() for number, text in enumerate(texts * 3, 1)]
    rows = [(label, f"{text} {number // 10}", number) for label, text, number in rows]
    texts = {label: [text for own, text, _ in rows if own == label] for label in ALL}
    trained = adapter.train(labelled(spark, rows), key="number")
    assert trained.to_bytes() == unilid.train(texts, key="number").to_bytes()
    assert trained.to_bytes() != unilid.train(texts, key="text").to_bytes()


def test_such_a_model_learns_languages_and_is_calibrated_as_any_other(spark: Any) -> None:
    model = adapter.train(labelled(spark), context="characters", order=3)
    more = model.add_language("new", ["foo bar baz", "bar baz qux", "baz foo foo"])
    assert more.identify("foo baz bar qux").label == "new"
    assert unilid.calibrate(model, LINES).decisions.calibration is not None


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([*ROWS, (None, "text")], "cannot be used: the label is None; expected a string"),
        ([*ROWS, ("deu_Latn", None)], "cannot be used: the text is None; expected a string"),
        ([*ROWS, ("two words", "text")], "cannot be used: the label 'two words'"),
        ([*ROWS, ("xyz", "")], "xyz: the corpus has no usable text for this label; add some or leave it out"),
        ([], "the corpus is empty: no labelled line was found"),
    ],
    ids=["null label", "null text", "label", "no words", "empty"],
)
def test_rows_that_cannot_be_learned_from_end_in_one_sentence(spark: Any, rows: Any, message: str) -> None:
    frame = spark.createDataFrame(rows, "label string, text string")
    with pytest.raises(CorpusError, match=message) as raised:
        adapter.train(frame)
    assert "\n" not in str(raised.value)


def test_options_and_columns_are_checked_before_a_job_starts(spark: Any) -> None:
    frame = labelled(spark)
    with pytest.raises(UnilidError, match="no column 'language'; the columns are 'label', 'text'"):
        adapter.train(frame, label="language")
    with pytest.raises(UnilidError, match="context must be"):
        adapter.train(frame, context="words")
    with pytest.raises(TypeError, match="threads"):
        adapter.train(frame, threads=2)


# ---- evaluation


def test_figures_are_those_of_one_machine(spark: Any) -> None:
    report = adapter.evaluate(labelled(spark, ROWS), "compact", codes="iso639_1")
    alone = unilid.evaluate(compact(), ROWS, codes="iso639_1")
    assert (report.lines, report.accuracy, report.macro, report.labels) == (
        alone.lines,
        alone.accuracy,
        alone.macro,
        alone.labels,
    )
    assert report.ece == pytest.approx(alone.ece)
    assert [bucket.accuracy for bucket in report.by_length] == [bucket.accuracy for bucket in alone.by_length]
    assert not any(confusion.examples for confusion in report.confused)
    with pytest.raises(CorpusError, match="the label is None"):
        adapter.evaluate(spark.createDataFrame([(None, "text")], "label string, text string"), "compact")


# ---- what happens to clusters


def killing(frame: Any, marker: Path) -> Any:
    """The same frame, but the executor that reads it first is killed in the midst of it."""
    name = str(marker)

    def read(batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            yield batch
            kill_own_executor_once(Path(name))

    return frame.mapInArrow(read, frame.schema)


def test_an_executor_killed_while_it_identifies_changes_nothing(frame: Any, tmp_path: Path) -> None:
    marker = tmp_path / "killed"
    assert by_id(adapter.identify(killing(frame, marker), model="compact")) == expected()
    assert marker.exists()


class KillingProgress(Recorder):
    """Kills an executor when a stage of training begins."""

    def __init__(self, cluster: Standalone, stage: str) -> None:
        super().__init__()
        self.cluster, self.name, self.killed = cluster, stage, 0

    def stage(self, name: str, total: int | None) -> Any:
        if name == self.name and not self.killed:
            self.killed = until(self.cluster.executors, "an executor")[0]
            os.kill(self.killed, signal.SIGKILL)
        return super().stage(name, total)


OPTIONS: dict[str, Any] = {"context": "characters", "order": 3}


@pytest.mark.parametrize("when", ["counting", "choosing constants"])
def test_an_executor_killed_while_it_trains_changes_nothing(
    spark: Any, cluster: Standalone, when: str, tmp_path: Path
) -> None:
    progress, marker = KillingProgress(cluster, when), tmp_path / "killed"
    frame = labelled(spark)
    if when == "counting":
        frame = killing(frame, marker)
    model = adapter.train(frame, progress=progress, **OPTIONS)
    assert bool(progress.killed) or marker.exists()
    assert model.to_bytes() == unilid.train(LINES, key="text", **OPTIONS).to_bytes()


def test_a_slow_task_that_is_run_twice_changes_nothing(spark: Any) -> None:
    def slow(batches: Iterator[Any]) -> Iterator[Any]:
        from pyspark import TaskContext

        task = TaskContext.get()
        if task is not None and task.partitionId() == 0 and task.attemptNumber() == 0:
            time.sleep(3)
        yield from batches

    frame = labelled(spark, partitions=8)
    model = adapter.train(frame.mapInArrow(slow, frame.schema), **OPTIONS)
    assert model.to_bytes() == unilid.train(LINES, key="text", **OPTIONS).to_bytes()


def test_a_task_that_fails_once_is_tried_again(frame: Any, tmp_path: Path) -> None:
    marker = str(tmp_path / "failed")

    def fail_once(batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            yield batch
            if not Path(marker).exists():
                Path(marker).touch()
                raise OSError("the disk was gone for a moment")

    assert by_id(adapter.identify(frame.mapInArrow(fail_once, frame.schema), model="compact")) == expected()
    assert Path(marker).exists()


def test_a_worker_lost_for_good_changes_nothing(spark: Any, cluster: Standalone) -> None:
    class Losing(KillingProgress):
        def stage(self, name: str, total: int | None) -> Any:
            if name == self.name and not self.killed:
                self.killed = 1
                cluster.kill("two")
            return Recorder.stage(self, name, total)

    try:
        model = adapter.train(labelled(spark), progress=Losing(cluster, "choosing constants"), **OPTIONS)
        assert "two" not in cluster.processes
        assert model.to_bytes() == unilid.train(LINES, key="text", **OPTIONS).to_bytes()
    finally:
        cluster.add_worker("two")


@pytest.mark.parametrize("name", ["", ".identification", ".training", ".evaluation", ".sessions"])
def test_examples_in_docstrings(spark: Any, name: str) -> None:
    module = importlib.import_module(f"unilid.spark{name}")
    results = doctest.testmod(module, extraglobs={"spark": spark, "unilid": unilid})
    assert (results.failed, bool(results.attempted)) == (0, True)
