"""What the Arrow C data interface lets one check is checked before a text is read; what is taken is released."""

from __future__ import annotations

import gc
from collections.abc import Callable
from ctypes import c_int8, c_int32, c_int64, c_uint64
from typing import Any

import pyarrow
import pytest
from support.arrow import HandmadeArray, HandmadeStream, packed
from support.models import small_model

import unilid

TEXT = b"snow on the roof, snow on the field"


def offsets(*numbers: int) -> bytes:
    return packed(c_int32, *numbers)


def texts(*places: int, **options: Any) -> HandmadeArray:
    return HandmadeArray(b"u", [None, offsets(*places), TEXT], len(places) - 1, **options)


def views(*numbers: int, buffers: int = 1, size: int = len(TEXT)) -> HandmadeArray:
    data: list[bytes | None] = [TEXT] * buffers
    return HandmadeArray(b"vu", [None, offsets(*numbers), *data, packed(c_int64, *[size] * buffers)], len(numbers) // 4)


def entries(*rows: int, dictionary: HandmadeArray | None = None, **options: Any) -> HandmadeArray:
    dictionary = dictionary or texts(0, 4, 16)
    return HandmadeArray(b"c", [None, packed(c_int8, *rows)], len(rows), dictionary=dictionary, **options)


def table(child: HandmadeArray | None, length: int, **options: Any) -> HandmadeArray:
    return HandmadeArray(b"+s", options.pop("buffers", [None]), length, children=[child], **options)


BROKEN: dict[str, tuple[str, Callable[[], HandmadeArray]]] = {
    "no format": ("no format", lambda: HandmadeArray(None, [], 0)),
    "numbers": ("not of int64", lambda: HandmadeArray(b"l", [None, b"\0" * 8], 1)),
    "no letters": (r"no text: its Arrow format is '\\xff'", lambda: HandmadeArray(b"\xff", [], 0)),
    "a list": ("not of lists", lambda: HandmadeArray(b"+l", [None, offsets(0, 1)], 1, children=[texts(0, 1)])),
    "negative length": ("negative length", lambda: HandmadeArray(b"u", [None, offsets(0, 1), TEXT], -1)),
    "huge length": ("negative length", lambda: HandmadeArray(b"u", [None, offsets(0, 1), TEXT], 2**62)),
    "negative offset": ("negative length", lambda: texts(0, 1, offset=-1)),
    "negative nulls": ("negative number of nulls", lambda: texts(0, 1, null_count=-2)),
    "nulls nowhere": ("does not say where", lambda: texts(0, 1, null_count=1)),
    "no buffers": ("lacks a buffer", lambda: HandmadeArray(b"u", None, 1)),
    "too few buffers": ("lacks a buffer", lambda: HandmadeArray(b"u", [None, offsets(0, 1)], 1)),
    "no offsets": ("lacks a buffer", lambda: HandmadeArray(b"u", [None, None, TEXT], 1)),
    "no bytes": ("lacks a buffer", lambda: HandmadeArray(b"u", [None, offsets(0, 1), None], 1)),
    "offsets descend": ("descend", lambda: texts(0, 8, 4, 16)),
    "offsets below 0": ("below 0", lambda: texts(-4, 8)),
    "large offsets descend": (
        "descend",
        lambda: HandmadeArray(b"U", [None, packed(c_int64, 0, 8, 4), TEXT], 2),
    ),
    "view of negative length": ("negative length", lambda: views(-1, 0, 0, 0)),
    "view beyond its buffer": ("beyond its buffers", lambda: views(20, 0, 0, 16)),
    "view before its buffer": ("beyond its buffers", lambda: views(20, 0, 0, -1)),
    "view of no buffer": ("beyond its buffers", lambda: views(20, 0, 1, 0)),
    "view of buffer -1": ("beyond its buffers", lambda: views(20, 0, -1, 0)),
    "view without buffers": ("beyond its buffers", lambda: views(20, 0, 0, 0, buffers=0)),
    "buffer of negative size": ("negative size", lambda: views(20, 0, 0, 0, size=-1)),
    "missing data of views": (
        "negative size, or is missing",
        lambda: HandmadeArray(b"vz", [None, offsets(20, 0, 0, 0), None, packed(c_int64, 35)], 1),
    ),
    "missing sizes": (
        "sizes of its buffers",
        lambda: HandmadeArray(b"vu", [None, offsets(20, 0, 0, 0), TEXT, None], 1),
    ),
    "entry beyond the dictionary": ("beyond its dictionary", lambda: entries(0, 1, 2)),
    "entry below 0": ("beyond its dictionary", lambda: entries(0, -1)),
    "entry of 64 bits": (
        "beyond its dictionary",
        lambda: HandmadeArray(b"L", [None, packed(c_uint64, 2**64 - 1)], 1, dictionary=texts(0, 4)),
    ),
    "missing dictionary": ("lacks its dictionary", lambda: entries(0, dictionary_array=False)),
    "missing entries": ("lacks a buffer", lambda: HandmadeArray(b"c", [None, None], 1, dictionary=texts(0, 4))),
    "broken dictionary": ("descend", lambda: entries(0, dictionary=texts(0, 8, 4))),
    "dictionary of numbers": (
        "not of int64",
        lambda: HandmadeArray(b"c", [None, b"\0"], 1, dictionary=HandmadeArray(b"l", [None, b"\0" * 8], 1)),
    ),
    "dictionary by text": ("no whole numbers", lambda: HandmadeArray(b"u", [None] * 3, 0, dictionary=texts(0, 4))),
    "dictionary of a dictionary": ("one of its own", lambda: entries(0, dictionary=entries(0))),
    "table of none": ("0 columns", lambda: HandmadeArray(b"+s", [None], 1)),
    "table of two": ("2 columns", lambda: HandmadeArray(b"+s", [None], 1, children=[texts(0, 4)] * 2)),
    "table of -1": ("no columns", lambda: HandmadeArray(b"+s", [None], 1, schema_children=-1)),
    "table of a null pointer": ("no format", lambda: table(None, 1)),
    "table without its column": ("another number of columns", lambda: table(texts(0, 4), 1, array_children=0)),
    "table longer than its column": ("shorter than the table", lambda: table(texts(0, 4), 2)),
    "table beyond its column": ("shorter than the table", lambda: table(texts(0, 4), 1, offset=1)),
    "offsets descend behind the table": ("descend", lambda: table(texts(0, 99, 4), 1)),
    "table without buffers": ("lacks a buffer", lambda: table(texts(0, 4), 1, buffers=None)),
    "nulls nowhere in the table": ("does not say where", lambda: table(texts(0, 4), 1, null_count=1)),
}


@pytest.mark.parametrize(("sentence", "make"), BROKEN.values(), ids=BROKEN)
def test_a_broken_column_is_refused_with_a_sentence_and_released(
    sentence: str, make: Callable[[], HandmadeArray]
) -> None:
    for ask in (small_model().identify, small_model().identify_column):
        column = make()
        with pytest.raises(unilid.UnilidError, match=sentence):
            ask(column)
        gc.collect()
        assert column.released == {"schema": 1, "array": 1, "stream": 0}


SOUND: dict[str, tuple[list[str | None], Callable[[], HandmadeArray]]] = {
    "offsets": (["snow", " on the roof"], lambda: texts(0, 4, 16)),
    "sliced": ([" on the roof", ""], lambda: HandmadeArray(b"u", [None, offsets(0, 4, 16, 16), TEXT], 2, offset=1)),
    "empty, without offsets": ([], lambda: HandmadeArray(b"u", [None, None, None], 0)),
    "of empty texts, without bytes": (["", ""], lambda: HandmadeArray(b"u", [None, offsets(0, 0, 0), None], 2)),
    "nulls that nobody counted": (
        [None, " on the roof"],
        lambda: HandmadeArray(b"u", [b"\xfe", offsets(0, 4, 16), TEXT], 2, null_count=-1),
    ),
    "bits of nulls, but none by count": (["snow"], lambda: HandmadeArray(b"u", [b"\0", offsets(0, 4), TEXT], 1)),
    "nonsense where a view is null": (
        [None, "snow on the roof"],
        lambda: HandmadeArray(
            b"vu",
            [b"\x02", offsets(99, 0, 7, -1, 16, 0, 0, 0), TEXT, packed(c_int64, len(TEXT))],
            2,
            null_count=1,
        ),
    ),
    "nonsense where an entry is null": (
        [None, "snow"],
        lambda: HandmadeArray(b"c", [b"\x02", packed(c_int8, 99, 0)], 2, null_count=1, dictionary=texts(0, 4)),
    ),
    "nulls in the dictionary": (
        ["snow", None],
        lambda: entries(0, 1, dictionary=HandmadeArray(b"u", [b"\x01", offsets(0, 4, 16), TEXT], 2, null_count=1)),
    ),
    "a sliced dictionary": (
        [" on the roof"],
        lambda: entries(0, dictionary=HandmadeArray(b"u", [None, offsets(0, 4, 16), TEXT], 1, offset=1)),
    ),
    "a dictionary of nothing": ([None], lambda: entries(0, dictionary=HandmadeArray(b"n", [], 1))),
    "a table with nulls, sliced": (
        [None, " on the roof"],
        lambda: HandmadeArray(b"+s", [b"\x04"], 2, offset=1, null_count=1, children=[texts(0, 0, 4, 16)]),
    ),
    "nothing but nulls": ([None, None], lambda: HandmadeArray(b"n", [], 2)),
}


@pytest.mark.parametrize(("expected", "make"), SOUND.values(), ids=SOUND)
def test_an_unusual_column_is_read_and_released(expected: list[str | None], make: Callable[[], HandmadeArray]) -> None:
    column = make()
    assert small_model().identify(column) == small_model().identify(expected)
    gc.collect()
    assert column.released == {"schema": 1, "array": 1, "stream": 0}


def stream(**settings: Any) -> HandmadeStream:
    column = HandmadeStream(b"u", [None, offsets(0, 4, 16), TEXT], 2)
    for name, value in settings.items():
        setattr(column, name, value)
    return column


def test_the_pieces_of_a_stream_are_read_and_released_one_by_one() -> None:
    column = stream(times=3)
    assert small_model().identify(column) == small_model().identify(["snow", " on the roof"] * 3)
    gc.collect()
    assert column.released == {"schema": 1, "array": 3, "stream": 1}


@pytest.mark.parametrize(
    ("message", "told"),
    [(b"the disk is gone", "the disk is gone"), (None, "no reason given"), (b"caf\xe9", r"caf\\xe9")],
)
def test_an_error_of_the_source_is_told_and_everything_released(message: bytes | None, told: str) -> None:
    column = stream(times=2, code=5, message=message)
    with pytest.raises(unilid.UnilidError, match="could not be read: " + told):
        small_model().identify(column)
    gc.collect()
    assert column.released == {"schema": 1, "array": 2, "stream": 1}


def test_a_stream_without_a_schema_is_refused() -> None:
    column = stream(schema_code=22, message=b"no such table")
    with pytest.raises(unilid.UnilidError, match="no such table"):
        small_model().identify_column(column)
    gc.collect()
    assert column.released == {"schema": 0, "array": 0, "stream": 1}


@pytest.mark.parametrize("function", ["get_schema", "get_next", "get_last_error"])
def test_a_stream_without_one_of_its_functions_is_refused(function: str) -> None:
    column = stream(lacking=function)
    with pytest.raises(unilid.UnilidError, match="lacks a function"):
        small_model().identify(column)
    gc.collect()
    assert column.released == {"schema": 0, "array": 0, "stream": 1}


class UnspeakableError(Exception):
    def __str__(self) -> str:
        return "caf\udce9"


def test_an_error_that_utf_8_has_no_form_for_is_told_to_the_consumer(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise UnspeakableError

    answers = small_model().identify_column(stream())
    monkeypatch.setattr("unilid.columns.answers.in_chunks", broken)
    with pytest.raises(Exception, match=r"caf\\udce9"):
        pyarrow.chunked_array(answers)


def test_a_stream_that_nobody_reads_is_released() -> None:
    column = stream()
    answers = small_model().identify_column(column)
    capsule = answers.__arrow_c_stream__()
    assert column.released["stream"] == 0
    del answers, capsule
    gc.collect()
    assert column.released == {"schema": 1, "array": 0, "stream": 1}


def test_an_array_is_read_once() -> None:
    column = texts(0, 4)
    assert len(small_model().identify(column)) == 1
    with pytest.raises(unilid.UnilidError, match="was read already"):
        small_model().identify(column)


class NoCapsules:
    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]:
        return "schema", "array"


def test_what_gives_no_capsules_is_refused() -> None:
    with pytest.raises(unilid.UnilidError, match="no capsule"):
        small_model().identify(NoCapsules())
