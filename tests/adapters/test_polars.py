"""The polars expression, in eager, lazy and streaming queries."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.adapters import TEXTS, compact, expected, expected_of
from support.libraries import library

import unilid

pl = library("polars")
from unilid import polars as adapter  # noqa: E402  # needs polars


@pytest.fixture
def frame() -> Any:
    return pl.DataFrame({"id": range(len(TEXTS)), "text": TEXTS})


def test_an_expression_gives_a_struct(frame: Any) -> None:
    answers = frame.select(pl.col("text").unilid.identify(model="compact"))["text"]
    assert answers.to_list() == expected()


def test_the_model_of_the_package_is_the_default(frame: Any) -> None:
    answers = frame.select(pl.col("text").unilid.identify()).unnest("text")
    assert answers["probability"].to_list() == [
        None if text is None else unilid.identify(text).probability for text in TEXTS
    ]


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
def test_lazy_queries_know_the_type_and_give_the_same(engine: Any, tmp_path: Path) -> None:
    times = 3000  # more rows than a morsel has
    pl.DataFrame({"text": TEXTS * times}).write_parquet(tmp_path / "texts.parquet")
    query = (
        pl.scan_parquet(tmp_path / "texts.parquet")
        .with_columns(language=pl.col("text").unilid.identify(model=compact()))
        .filter(pl.col("language").struct.field("label") == "deu_Latn")
        .select(pl.col("language").struct.field("probability"))
    )
    assert query.collect_schema() == {"probability": pl.Float64}
    found = query.collect(engine=engine)["probability"].to_list()
    assert found == [expected_of("probability")[0]] * times


def test_labels_are_categories_that_can_be_grouped(frame: Any) -> None:
    query = frame.lazy().select(label=pl.col("text").unilid.identify(model="compact").struct.field("label"))
    counts = dict(query.group_by("label").len().collect().iter_rows())
    assert counts == dict.fromkeys(expected_of("label"), 1)
    assert query.collect_schema()["label"] == pl.Categorical


def test_options_of_identify_are_taken(frame: Any) -> None:
    answers = frame.select(pl.col("text").unilid.identify(model="compact", languages=["de", "fr"], abstain=False))
    assert answers["text"].to_list() == expected(languages=["de", "fr"], abstain=False)
    ranked = frame.select(pl.col("text").unilid.identify(model="compact", k=2))["text"].to_list()
    assert [row and len(row) for row in ranked] == [2, None, 2, 1, 2, 2]
    shares = frame.select(pl.col("text").unilid.identify(model="compact", shares=True)).unnest("text")["shares"]
    assert shares.to_list()[0] == [{"label": "deu_Latn", "share": 1.0}]


def test_a_wrong_option_is_refused_when_the_query_is_written() -> None:
    with pytest.raises(unilid.UnilidError, match="k must be"):
        pl.col("text").unilid.identify(k=0)


@pytest.mark.parametrize("lazy", [False, True])
def test_frames_get_a_column(frame: Any, lazy: bool) -> None:
    found = adapter.identify(frame.lazy() if lazy else frame, "text", into="answer", model="compact")
    assert isinstance(found, pl.LazyFrame if lazy else pl.DataFrame)
    assert found.lazy().collect()["answer"].to_list() == expected()
    with pytest.raises(unilid.UnilidError, match="'id' already"):
        adapter.identify(frame, "text", into="id")


def test_a_series_is_answered(frame: Any) -> None:
    answers = frame["text"].unilid.identify(model="compact")
    assert (answers.name, answers.to_list()) == ("text", expected())
