"""Ray Data: actors that keep the model."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from support.adapters import TEXTS, compact, expected
from support.libraries import library

from unilid import UnilidError, UnknownLanguageError

ray = library("ray")
from unilid import ray as adapter  # noqa: E402  # needs ray

pytestmark = [pytest.mark.xdist_group("ray"), pytest.mark.timeout(600)]


@pytest.fixture(scope="module", autouse=True)
def running() -> Iterator[None]:
    ray.init(num_cpus=4, include_dashboard=False, logging_level="ERROR", log_to_driver=False)
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield
    ray.shutdown()


@pytest.fixture
def dataset() -> Any:
    return ray.data.from_items([{"id": number, "text": text} for number, text in enumerate(TEXTS)]).repartition(3)


def by_id(answers: Any) -> list[Any]:
    return [row["language"] for row in sorted(answers.take_all(), key=lambda row: row["id"])]


def test_answers_are_those_of_the_model_and_other_columns_stay(dataset: Any) -> None:
    answers = adapter.identify(dataset, "text", model="compact", concurrency=2)
    assert by_id(answers) == expected()
    assert sorted((row["id"], row["text"]) for row in answers.take_all()) == sorted(enumerate(TEXTS))


def test_a_model_and_options_of_ones_own_are_taken(dataset: Any) -> None:
    mine = compact().subset(["fra_Latn", "eng_Latn"])
    options: dict[str, Any] = {"languages": iter(["fr", "en"]), "abstain": False}
    answers = by_id(adapter.identify(dataset, model=mine, concurrency=1, **options))
    assert [answer and answer["label"] for answer in answers] == [
        text and mine.identify(text, abstain=False).label for text in TEXTS
    ]
    ranked = by_id(adapter.identify(dataset, model="compact", k=2, concurrency=1))
    assert ranked[0] == [answer._asdict() for answer in compact().identify(TEXTS[0], k=2)]


def test_what_cannot_be_asked_is_refused(dataset: Any) -> None:
    with pytest.raises(UnknownLanguageError, match="klingon"):
        adapter.identify(dataset, languages=["klingon"])
    batch = ray.get(dataset.to_arrow_refs())[0]
    with pytest.raises(UnilidError, match="no column 'content'; the columns are 'id', 'text'"):
        adapter.Identify("content", model="compact")(batch)
    with pytest.raises(UnilidError, match="a column 'id' already; name another one with `into`"):
        adapter.Identify("text", "id", model="compact")(batch)
