"""Columns of every Arrow type, from every library and back: the answers are those to a list of str, to the bit."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import pyarrow
import pytest
from support.libraries import library

import unilid

TEXTS: list[str | None] = [
    "Wo ist der Bahnhof?",
    "Where is the station?",
    None,
    "",
    "12:30",
    "Où est la gare ? Je ne sais pas, demandez à quelqu'un d'autre.",
    "ja",
    "ma",
    "ᚠᚢᚦᚨᚱᚲ ᚷᚹ",  # a script that no label is written in
    "https://example.org/a?b=c",
    "Der Zug fährt heute nicht, und der Bus auch nicht. " * 60,
    "Где находится вокзал? Where is the station?",
    "今天天气很好，我们去公园吧。",
    None,
]
BYTES: list[bytes | None] = [
    *(None if text is None else text.encode() for text in TEXTS),
    "Wo ist der Bahnhof?".encode("utf-16"),
    "Где вокзал?".encode("utf-16-be"),
    b"caf\xe9 au lait \xff",
]


def chunked(type_: Any) -> Callable[[Any], Any]:
    return lambda texts: pyarrow.chunked_array([texts[:3], [], texts[3:]], type=type_)


def dictionary(index: str) -> Callable[[Any], Any]:
    type_ = pyarrow.dictionary(pyarrow.type_for_alias(index), pyarrow.string())
    return lambda texts: pyarrow.array(texts).cast(type_)


def sliced(texts: Any) -> Any:
    return pyarrow.array(["before", *texts, "behind", None])[1:-2]


def nanoarrow_array(texts: Any) -> Any:
    nanoarrow = library("nanoarrow")
    return nanoarrow.Array(texts, nanoarrow.string())


def duckdb_relation(texts: Any) -> Any:
    connection = library("duckdb").connect()
    given = pyarrow.table({"text": pyarrow.array(texts, pyarrow.string()), "row": range(len(texts))})
    return connection.from_arrow(given).order("row").project("text")


def pandas_series(texts: Any, dtype: str | None = None) -> Any:
    series = library("pandas").Series(texts, dtype=dtype)
    if not hasattr(series, "__arrow_c_stream__"):
        pytest.skip("a Series is a column from pandas 3 on, which needs Python 3.11")
    return series


STRINGS: dict[str, Callable[[Any], Any]] = {
    "pyarrow string": pyarrow.array,
    "pyarrow large_string": lambda texts: pyarrow.array(texts, pyarrow.large_string()),
    "pyarrow string_view": lambda texts: pyarrow.array(texts, pyarrow.string_view()),
    **{f"pyarrow dictionary by {index}": dictionary(index) for index in ("int8", "int16", "int32", "int64")},
    **{f"pyarrow dictionary by {index}": dictionary(index) for index in ("uint8", "uint16", "uint32", "uint64")},
    "pyarrow large dictionary": lambda texts: pyarrow.array(texts, pyarrow.large_string()).dictionary_encode(),
    "pyarrow chunked": chunked(pyarrow.string()),
    "pyarrow chunked views": chunked(pyarrow.string_view()),
    "pyarrow sliced": sliced,
    "pyarrow sliced dictionary": lambda texts: sliced(texts).dictionary_encode()[0:],
    "pyarrow table": lambda texts: pyarrow.table({"text": texts}),
    "pyarrow sliced batch": lambda texts: pyarrow.record_batch({"text": ["before", *texts]})[1:],
    "pyarrow reader": lambda texts: pyarrow.table({"text": texts}).to_reader(max_chunksize=5),
    "polars String": lambda texts: library("polars").Series(texts),
    "polars sliced": lambda texts: library("polars").Series(["x", *texts])[1:],
    "polars chunked": lambda texts: library("polars").concat([_polars(texts[:2]), _polars(texts[2:])], rechunk=False),
    "polars Categorical": lambda texts: _polars(texts).cast(library("polars").Categorical),
    "polars Enum": lambda texts: _polars(texts).cast(library("polars").Enum(sorted(set(texts) - {None}))),
    "polars frame": lambda texts: _polars(texts).to_frame("text"),
    "pandas str": lambda texts: pandas_series(texts, "str"),
    "pandas object": lambda texts: pandas_series(texts, "object"),
    "pandas string of pyarrow": lambda texts: pandas_series(texts, "string[pyarrow]"),
    "pandas string of Python": lambda texts: pandas_series(texts, "string[python]"),
    "pandas ArrowDtype": lambda texts: pandas_series(texts, "large_string[pyarrow]"),
    "pandas category": lambda texts: pandas_series(texts, "str").astype("category"),
    "pandas every second": lambda texts: pandas_series([t for text in texts for t in (text, "x")])[::2],
    "duckdb relation": duckdb_relation,
    "nanoarrow array": nanoarrow_array,
    "arro3 array": lambda texts: library("arro3.core").Array(pyarrow.array(texts)),
    "arro3 chunked array": lambda texts: library("arro3.core").ChunkedArray(chunked(pyarrow.string())(texts)),
}  # fmt: skip
BINARIES: dict[str, Callable[[Any], Any]] = {
    "pyarrow binary": pyarrow.array,
    "pyarrow large_binary": lambda texts: pyarrow.array(texts, pyarrow.large_binary()),
    "pyarrow binary_view": lambda texts: pyarrow.array(texts, pyarrow.binary_view()),
    "pyarrow dictionary of binary": lambda texts: pyarrow.array(texts).dictionary_encode(),
    "polars Binary": lambda texts: library("polars").Series(texts),
    "pandas object": lambda texts: pandas_series(texts, "object"),
}


def _polars(texts: Any) -> Any:
    polars = library("polars")
    return polars.Series("text", texts, dtype=polars.String)


@cache
def model() -> unilid.Model:
    return unilid.load("compact")


def row(answer: unilid.Prediction) -> dict[str, object]:
    return answer._asdict()


def expected(texts: Any, **options: Any) -> list[Any]:
    """What a column of answers has: nothing where there is no text."""
    answers = model().identify(texts, **options)
    rows = [row(a) if isinstance(a, unilid.Prediction) else [row(one) for one in a] for a in answers]
    return [None if text is None else own for text, own in zip(texts, rows, strict=True)]


def test_the_texts_have_every_kind_of_answer() -> None:
    answers = model().identify(TEXTS)
    assert {"unsure", "script", "empty", "digits"} <= {answer.reason for answer in answers}
    assert any(answer.guess for answer in answers)


@pytest.mark.parametrize("make", STRINGS.values(), ids=STRINGS)
@pytest.mark.parametrize("texts", [TEXTS, TEXTS[:1], [], [None, None]], ids=["many", "one", "none", "nulls"])
def test_a_column_of_strings_is_answered_like_a_list(make: Callable[[Any], Any], texts: list[str | None]) -> None:
    assert model().identify(make(texts)) == model().identify(texts)
    answers = model().identify_column(make(texts))
    assert pyarrow.chunked_array(answers).to_pylist() == expected(texts)


@pytest.mark.parametrize("make", BINARIES.values(), ids=BINARIES)
def test_a_column_of_bytes_is_answered_like_a_list(make: Callable[[Any], Any]) -> None:
    assert model().identify(make(BYTES)) == model().identify(BYTES)
    answers = model().identify_column(make(BYTES))
    assert pyarrow.chunked_array(answers).to_pylist() == expected(BYTES)


@pytest.mark.parametrize(
    "texts", [[float("nan")] * 2, ["Wo ist der Bahnhof?", b"caf\xe9", None, "\udce9"]], ids=["numbers", "mixed"]
)
def test_a_column_of_pandas_that_is_none_of_arrow_is_a_list(texts: list[Any]) -> None:
    assert model().identify(library("pandas").Series(texts, dtype=None)) == model().identify(texts)


def with_pyarrow(answers: Any) -> Any:
    return pyarrow.chunked_array(answers).to_pylist()


def with_polars(answers: Any) -> Any:
    return library("polars").Series(answers).to_list()


def with_pandas(answers: Any) -> Any:
    pandas = library("pandas")
    types = pandas.ArrowDtype
    return [None if row is pandas.NA else row for row in pyarrow.chunked_array(answers).to_pandas(types_mapper=types)]


def with_duckdb(answers: Any) -> Any:
    relation = library("duckdb").connect().from_arrow(pyarrow.table({"answer": pyarrow.chunked_array(answers)}))
    return [row for (row,) in relation.fetchall()]


def with_nanoarrow(answers: Any) -> Any:
    return with_pyarrow(pyarrow.chunked_array(library("nanoarrow").Array(answers)))


def with_arro3(answers: Any) -> Any:
    return with_pyarrow(library("arro3.core").ChunkedArray(answers))


@pytest.mark.parametrize(
    "read", [with_pyarrow, with_polars, with_pandas, with_duckdb, with_nanoarrow, with_arro3], ids=lambda f: f.__name__
)
@pytest.mark.parametrize("make", [pyarrow.array, chunked(pyarrow.string())], ids=["array", "stream"])
@pytest.mark.parametrize("options", [{}, {"k": 3}, {"abstain": False}, {"languages": ["de", "fr"]}], ids=str)
def test_every_library_reads_the_answers(
    read: Callable[[Any], Any], make: Callable[[Any], Any], options: dict[str, Any]
) -> None:
    assert read(model().identify_column(make(TEXTS), **options)) == expected(TEXTS, **options)


def test_answers_of_no_nulls_are_a_table() -> None:
    texts = [text for text in TEXTS if text is not None]
    answers = model().identify_column(pyarrow.array(texts))
    assert pyarrow.table(answers).to_pylist() == expected(texts)
    duckdb = library("duckdb")
    assert duckdb.connect().execute("select label from answers").fetchall() == [
        (own["label"],) for own in expected(texts)
    ]
    assert library("polars").DataFrame(answers).to_dicts() == expected(texts)


@pytest.mark.parametrize("make", [pyarrow.array, chunked(pyarrow.string())], ids=["array", "stream"])
def test_shares_are_those_of_the_spans(make: Callable[[Any], Any]) -> None:
    rows = pyarrow.chunked_array(model().identify_column(make(TEXTS), shares=True)).to_pylist()
    assert [own and {name: own[name] for name in own if name != "shares"} for own in rows] == expected(TEXTS)
    for text, own in zip(TEXTS, rows, strict=True):
        if text is not None:
            shares = [(share["label"], share["share"]) for share in own["shares"]]
            assert shares == list(model().spans(text).shares.items())
    assert max(len(own["shares"]) for own in rows if own) == 2


def test_labels_are_a_dictionary_that_all_batches_share() -> None:
    answers = pyarrow.chunked_array(model().identify_column(chunked(pyarrow.string())(TEXTS)))
    labels = [chunk.field("label") for chunk in answers.chunks]
    assert labels[0].type == pyarrow.dictionary(pyarrow.int16(), pyarrow.string())
    assert labels[0].dictionary.to_pylist() == [*model().languages, "zxx", "und"]
    assert len({label.dictionary.buffers()[2].address for label in labels}) == 1
    for chunk in answers.chunks:
        chunk.validate(full=True)
