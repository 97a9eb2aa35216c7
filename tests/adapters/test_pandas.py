"""The pandas accessor: a frame with the index of the series."""

from __future__ import annotations

from typing import Any

import pytest
from support.adapters import TEXTS, compact, expected_of
from support.libraries import library

import unilid

pd = library("pandas")
from unilid import pandas as adapter  # noqa: E402  # needs pandas

FIELDS = ["label", "probability", "score", "reason", "guess"]


def none_for_missing(values: Any) -> list[Any]:
    return [None if pd.isna(value) else value for value in values]


@pytest.mark.parametrize("dtype", ["str", "object", "string[python]", "string[pyarrow]", "large_string[pyarrow]"])
def test_a_series_gives_a_frame_with_its_index(dtype: str) -> None:
    index = pd.Index(["a", "b", "b", "d", "e", "f"], name="key")
    answers = pd.Series(TEXTS, index, dtype=dtype).unilid.identify(model="compact")
    assert list(answers.columns) == FIELDS
    assert answers.index.equals(index)
    for field in FIELDS:
        assert none_for_missing(answers[field]) == expected_of(field)
    assert answers["label"].dtype == "category"


def test_a_filtered_series_keeps_its_rows() -> None:
    texts = pd.Series(TEXTS)
    answers = texts[texts.notna()].unilid.identify(model=compact())
    assert answers.index.tolist() == [0, 2, 3, 4, 5]
    assert answers.loc[5, "label"] == "fra_Latn"


@pytest.mark.parametrize("texts", [[], [None, None], [float("nan")]], ids=str)
def test_nothing_but_missing_texts(texts: list[Any]) -> None:
    answers = adapter.identify(pd.Series(texts), model="compact")
    assert len(answers) == len(texts)
    assert answers["label"].isna().all()


def test_texts_of_several_types() -> None:
    answers = adapter.identify(pd.Series(["Wo ist der Bahnhof?", b"Where is the station?", None]), model="compact")
    assert none_for_missing(answers["label"]) == ["deu_Latn", "eng_Latn", None]


def test_k_gives_a_row_for_each_language() -> None:
    texts = pd.Series(TEXTS, index=list("abcdef"))
    answers = texts.unilid.identify(model="compact", k=2)
    assert answers.index.names == [None, "rank"]
    assert answers.loc[("a", 1), "label"] == "deu_Latn"
    expected = compact().identify(TEXTS[0], k=2)
    assert answers.loc["a", "probability"].tolist() == [one.probability for one in expected]
    assert set(answers.index.get_level_values(0)) == set("acdef")  # a missing text has no languages


def test_shares_are_lists() -> None:
    answers = pd.Series(TEXTS).unilid.identify(model="compact", shares=True)
    assert list(answers["shares"][0]) == [{"label": "deu_Latn", "share": 1.0}]


def test_text_that_arrow_has_no_string_for_is_answered() -> None:
    answers = adapter.identify(
        pd.Series(["Wo ist der Bahnhof?", "\ud800 Where is the station?"], dtype=object), model="compact"
    )
    assert answers["label"].tolist() == ["deu_Latn", "eng_Latn"]


def test_what_is_no_text_is_refused_with_a_sentence() -> None:
    with pytest.raises(unilid.UnilidError, match=r"^a text is str, bytes or None, not int$"):
        pd.Series(["Wo ist", 5]).unilid.identify(model="compact")
    with pytest.raises(unilid.UnilidError, match=r"^expected a column of strings or bytes, not of int64$"):
        pd.Series([4, 5]).unilid.identify(model="compact")


@pytest.mark.parametrize("columns", [{"text": TEXTS, "number": range(len(TEXTS))}, {}], ids=list)
def test_a_frame_is_not_read_by_the_names_of_its_columns(columns: dict[str, Any]) -> None:
    with pytest.raises(unilid.UnilidError, match=rf"^the table has {len(columns)} columns; give the one"):
        compact().identify(pd.DataFrame(columns))


def test_a_frame_of_one_column_is_answered_as_that_column_is() -> None:
    columns: list[list[Any]] = [[], [None], TEXTS]
    for texts in columns:
        assert compact().identify(pd.DataFrame({"text": texts})) == compact().identify(texts)
    wrong: dict[str, Any] = {"int": ["Wo ist", 5], "Timestamp": pd.to_datetime(["2026-01-01"])}
    for given, column in wrong.items():
        with pytest.raises(unilid.UnilidError, match=rf"^a text is str, bytes or None, not {given}$"):
            compact().identify(pd.DataFrame({"text": column}))


def test_a_frame_is_refused_with_a_sentence() -> None:
    with pytest.raises(unilid.UnilidError, match="give the column"):
        adapter.identify(pd.DataFrame({"text": TEXTS}))
