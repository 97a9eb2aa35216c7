"""Frames of several libraries: new columns, same type."""

from __future__ import annotations

from typing import Any

import pyarrow
import pytest
from support.adapters import TEXTS, expected_of
from support.libraries import library

import unilid

library("narwhals")
from unilid import frames  # noqa: E402  # needs narwhals

DATA = {"id": list(range(len(TEXTS))), "text": TEXTS}


def lists(frame: Any) -> dict[str, list[Any]]:
    if isinstance(frame, pyarrow.Table):
        columns: dict[str, list[Any]] = frame.to_pydict()
        return columns
    if type(frame).__module__.startswith("pandas"):
        pandas = library("pandas")
        return {name: [None if pandas.isna(value) else value for value in frame[name]] for name in frame.columns}
    return {name: frame[name].to_list() for name in frame.columns}


def make_pandas() -> Any:
    return library("pandas").DataFrame(DATA, index=[3, 1, 4, 1, 5, 9])


FRAMES = {
    "polars": lambda: library("polars").DataFrame(DATA),
    "pandas": make_pandas,
    "pyarrow": lambda: pyarrow.table(DATA),
}


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_a_frame_keeps_its_type_and_gets_columns(make: Any) -> None:
    frame = make()
    found = frames.identify(frame, "text", into="language", model="compact")
    assert type(found) is type(frame)
    assert lists(found) == {
        **DATA,
        "language": expected_of("label"),
        "language_probability": expected_of("probability"),
    }
    assert lists(frame) == DATA


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_fields_can_be_chosen(make: Any) -> None:
    found = lists(frames.identify(make(), fields=["reason", "guess", "label"], into="is", model="compact"))
    assert list(found) == ["id", "text", "is_reason", "is_guess", "is"]
    assert found["is_guess"] == expected_of("guess")


def test_the_index_of_pandas_stays() -> None:
    frame = make_pandas()
    found = frames.identify(frame, model="compact")
    assert found.index.tolist() == frame.index.tolist()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"column": "body"}, "no column 'body'; the columns are 'id', 'text'"),
        ({"into": "id"}, "'id' already"),
        ({"fields": ["colour"]}, "no field 'colour'"),
    ],
    ids=str,
)
def test_wrong_names_are_refused(arguments: dict[str, Any], sentence: str) -> None:
    with pytest.raises(unilid.UnilidError, match=sentence):
        frames.identify(pyarrow.table(DATA), **arguments)


def test_what_is_no_frame_is_refused() -> None:
    with pytest.raises(unilid.UnilidError, match="not dict"):
        frames.identify(DATA)
    with pytest.raises(unilid.UnilidError, match="not LazyFrame"):
        frames.identify(library("polars").LazyFrame(DATA))
