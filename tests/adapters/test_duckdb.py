"""The function of DuckDB."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow
import pytest
from support.adapters import TEXTS, compact, expected, expected_of
from support.libraries import library

import unilid

duckdb = library("duckdb")
from unilid import duckdb as adapter  # noqa: E402  # needs DuckDB


@pytest.fixture
def connection() -> Iterator[Any]:
    with duckdb.connect() as opened:
        opened.register("documents", pyarrow.table({"id": range(len(TEXTS)), "text": TEXTS}))
        yield opened


def test_a_query_names_languages(connection: Any) -> None:
    adapter.register(connection, model="compact")
    rows = connection.execute("SELECT language(text) FROM documents ORDER BY id").fetchall()
    assert [label for (label,) in rows] == expected_of("label")


def test_a_struct_has_all_of_the_answer(connection: Any) -> None:
    adapter.register(connection, "answer", struct=True, model=compact())
    rows = connection.execute("SELECT answer(text) FROM documents ORDER BY id").fetchall()
    found = [None if row is None or row["label"] is None else row for (row,) in rows]
    assert found == expected()
    sure = connection.execute("SELECT id FROM documents WHERE answer(text).probability > 0.9 ORDER BY id").fetchall()
    assert sure == [(row,) for row, answer in enumerate(expected()) if answer and answer["probability"] > 0.9]


def test_many_rows_and_threads(connection: Any) -> None:
    adapter.register(connection, model="compact", languages=["de", "en", "fr"])
    connection.execute("SET threads = 2")
    query = "SELECT language(text) AS l, count(*) FROM documents, range(3000) WHERE text IS NOT NULL GROUP BY l"
    counts = dict(connection.execute(query).fetchall())
    labels = [label for label in expected_of("label", languages=["de", "en", "fr"]) if label]
    assert counts == {label: 3000 * labels.count(label) for label in labels}


def test_a_wrong_option_is_refused_at_once(connection: Any) -> None:
    with pytest.raises(unilid.UnilidError, match="abstain must be"):
        adapter.register(connection, abstain=7)
