"""Streams of answers: computed when the consumer asks, a batch at a time, and stopped by Ctrl-C and by errors."""

from __future__ import annotations

import resource
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pyarrow
import pytest
from support.libraries import library
from support.models import small_model

import unilid
from unilid import _kernel
from unilid.columns.answers import BATCH, AnswerArray

TYPE = pyarrow.schema({"text": pyarrow.string()})


def reader(batches: Iterator[Any]) -> Any:
    return pyarrow.RecordBatchReader.from_batches(TYPE, batches)


def batch(*texts: str) -> Any:
    return pyarrow.record_batch({"text": texts})


def test_a_batch_is_computed_when_the_consumer_asks() -> None:
    asked: list[int] = []

    def batches() -> Iterator[Any]:
        for number in range(3):
            asked.append(number)
            yield batch("There is still snow on the roof today.")

    answers = small_model().identify_column(reader(batches()))
    assert asked == []
    consumer = pyarrow.RecordBatchReader.from_stream(answers)
    assert asked == []
    assert consumer.read_next_batch().to_pylist()[0]["label"] == "eng"
    assert asked == [0]
    assert len(consumer.read_all()) == 2


def test_a_stream_of_many_rows_needs_no_more_memory_than_a_short_one() -> None:
    """A hundred times the rows, whose answers would take 200 MB."""
    texts = ["snow on the roof"] * 5_000

    def rows(times: int) -> int:
        answers = small_model().identify_column(reader(batch(*texts) for _ in range(times)))
        return sum(len(piece) for piece in pyarrow.RecordBatchReader.from_stream(answers))

    assert rows(10) == 50_000
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert rows(1000) == 5_000_000
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000  # kilobytes


def test_a_large_piece_is_answered_in_batches() -> None:
    texts = pyarrow.chunked_array([["snow"] * (2 * BATCH + 1)])
    answers = pyarrow.chunked_array(small_model().identify_column(texts))
    assert [len(chunk) for chunk in answers.chunks] == [BATCH, BATCH, 1]


def test_answers_can_be_read_again_if_the_texts_can() -> None:
    column = pyarrow.chunked_array([["There is still snow on the roof today."]])
    answers = small_model().identify_column(column)
    assert pyarrow.chunked_array(answers) == pyarrow.chunked_array(answers)
    answers = small_model().identify_column(reader(iter([batch("snow")])))
    assert len(pyarrow.chunked_array(answers)) == 1
    assert len(pyarrow.chunked_array(answers)) == 0


def test_answers_are_a_table_whose_columns_are_null_where_texts_are() -> None:
    texts = ["There is still snow on the roof today.", None]
    for column in (pyarrow.array(texts), pyarrow.table({"text": texts}).to_reader()):
        table = pyarrow.table(small_model().identify_column(column).as_table())
        assert table["label"].to_pylist() == ["eng", None]
        assert table["probability"].null_count == table["score"].null_count == 1
    with pytest.raises(unilid.UnilidError, match="is no table"):
        small_model().identify_column(pyarrow.array(texts), k=2).as_table()


def test_rows_of_labels_are_wider_where_there_are_more_labels() -> None:
    for count, width in ((100, pyarrow.int16()), (40_000, pyarrow.int32())):
        words = _kernel.AnswerWords([str(number) for number in range(count)])
        column = _kernel.AnswerBuilder(words, ranked=False, shares=False, abstain=True).finish()
        assert pyarrow.field(AnswerArray(column)).type.field("label").type.index_type == width


def test_an_error_of_the_source_reaches_the_consumer() -> None:
    def batches() -> Iterator[Any]:
        yield batch("snow")
        raise RuntimeError("the disk is gone")

    consumer = pyarrow.RecordBatchReader.from_stream(small_model().identify_column(reader(batches())))
    consumer.read_next_batch()
    with pytest.raises(OSError, match="the disk is gone"):
        consumer.read_next_batch()


def test_a_stream_is_read_by_the_threads_of_a_query() -> None:
    duckdb = library("duckdb")
    texts = pyarrow.chunked_array([["There is still snow on the roof today.", "Δοκίμασε ξανά."]] * 50)
    answers = small_model().identify_column(texts)  # noqa: F841  # DuckDB finds it by its name
    with duckdb.connect() as connection:
        found = connection.execute("select label, count(*) from answers group by label order by label").fetchall()
    assert found == [("ell", 50), ("eng", 50)]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"k": 0}, "k must be"),
        ({"k": 2, "shares": True}, "ask for one of them"),
        ({"threads": 0}, "threads must be"),
        ({"languages": ["xyz"]}, "xyz"),
    ],
    ids=str,
)
def test_wrong_arguments_are_refused_before_anything_is_read(arguments: dict[str, Any], sentence: str) -> None:
    column = reader(iter([batch("snow")]))
    with pytest.raises(unilid.UnilidError, match=sentence):
        small_model().identify_column(column, **arguments)
    assert len(column.read_all()) == 1


@pytest.mark.parametrize("column", [["snow"], "snow", None, 3])
def test_what_is_no_column_is_refused(column: Any) -> None:
    with pytest.raises(unilid.UnilidError, match="`identify` answers"):
        small_model().identify_column(column)


def test_what_has_no_texts_is_refused_at_once() -> None:
    with pytest.raises(unilid.UnilidError, match=r"^expected a column of strings or bytes, not of int64$"):
        small_model().identify_column(pyarrow.chunked_array([[1, 2]]))
    with pytest.raises(unilid.UnilidError, match=r"^expected a column of strings or bytes, not of lists$"):
        small_model().identify(pyarrow.array([["a"]]))
    with pytest.raises(unilid.UnilidError, match="2 columns; give the one with the texts"):
        small_model().identify_column(pyarrow.table({"a": ["x"], "b": ["y"]}))


@pytest.mark.parametrize(
    ("column", "given"),
    [
        (pyarrow.array([0], pyarrow.timestamp("us", "UTC")), "timestamps"),
        (pyarrow.array([0], pyarrow.date64()), "dates"),
        (pyarrow.array([0], pyarrow.time32("s")), "times"),
        (pyarrow.array([0], pyarrow.duration("ns")), "durations"),
        (pyarrow.array([1], pyarrow.decimal128(5)), "decimals"),
        (pyarrow.array([b"abc"], pyarrow.binary(3)), "bytes of a fixed length"),
        (pyarrow.array([["a"]], pyarrow.list_(pyarrow.string(), 1)), "lists"),
        (pyarrow.array([None, {"a": 1}]), "dicts"),
        (pyarrow.array([{"a": "x", "b": "y"}]), "dicts"),
        (pyarrow.table({"a": [[{"b": 1}]]}), "lists"),
    ],
    ids=lambda value: str(getattr(value, "type", value)),
)
def test_what_a_column_has_instead_of_texts_is_said_in_words(column: Any, given: str) -> None:
    with pytest.raises(unilid.UnilidError, match=f"^expected a column of strings or bytes, not of {given}$"):
        small_model().identify_column(column)


@pytest.mark.skipif(sys.platform == "win32", reason="no signals to processes")
def test_ctrl_c_ends_a_stream() -> None:
    """The stream has no end, so that whoever does not hear fails by the time limit."""
    program = """
import itertools, signal, threading
import pyarrow, unilid
signal.signal(signal.SIGINT, signal.default_int_handler)
long = "Der Zug fährt heute nicht, and nobody knows why. " * 400
piece = pyarrow.record_batch({"text": [long] * 50})
endless = pyarrow.RecordBatchReader.from_batches(piece.schema, itertools.repeat(piece))
model = unilid.train({"deu": ["der Zug fährt heute nicht"], "eng": ["nobody knows why"]}, threads=1)
answers = pyarrow.RecordBatchReader.from_stream(model.identify_column(endless, budget=None))
threading.Timer(0.5, lambda: signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)).start()
try:
    for _ in answers:
        pass
except OSError as error:  # pyarrow's, as for every error of a stream
    print(error)
except KeyboardInterrupt:  # heard between two pieces
    print("KeyboardInterrupt")
"""
    done = subprocess.run([sys.executable, "-c", program], check=False, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "KeyboardInterrupt\n", "")
