"""A function for `map` of Hugging Face datasets: pickled, with processes, in both formats."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest
from support.adapters import TEXTS, compact, expected_of
from support.libraries import library

import unilid

datasets = library("datasets")
from unilid.datasets import Identify  # noqa: E402  # needs datasets


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HF_DATASETS_CACHE", str(tmp_path))
    datasets.disable_progress_bars()


@pytest.fixture
def dataset() -> Any:
    return datasets.Dataset.from_dict({"id": list(range(len(TEXTS))), "text": TEXTS})


def check(found: Any) -> None:
    columns = found.with_format(None)[:]
    assert list(columns) == ["id", "text", "language", "language_probability"]
    assert columns["id"] == list(range(len(TEXTS)))
    assert columns["language"] == expected_of("label")
    assert columns["language_probability"] == expected_of("probability")


@pytest.mark.parametrize("format", [None, "arrow"])
@pytest.mark.parametrize("processes", [None, 2])
def test_a_data_set_gets_columns(dataset: Any, format: str | None, processes: int | None) -> None:  # noqa: A002
    identify = Identify("text", model="compact", threads=1)
    check(dataset.with_format(format).map(identify, batched=True, batch_size=4, num_proc=processes))


def test_a_model_that_was_loaded_is_handed_to_workers(dataset: Any) -> None:
    check(dataset.map(Identify(model=compact()), batched=True, num_proc=2))


def test_an_iterable_data_set(dataset: Any) -> None:
    rows = list(dataset.to_iterable_dataset().map(Identify(model="compact"), batched=True))
    assert [row["language"] for row in rows] == expected_of("label")


def test_the_fingerprint_stays_the_same() -> None:
    """So that a result is found in the cache again."""
    hash_of = datasets.fingerprint.Hasher.hash
    assert hash_of(Identify(model=compact())) == hash_of(Identify(model=unilid.load("compact")))
    assert hash_of(Identify(model="compact")) != hash_of(Identify(model="compact", options={"abstain": False}))
    assert pickle.loads(pickle.dumps(Identify(model="compact"))) == Identify(model="compact")


def test_options_are_those_of_identify(dataset: Any) -> None:
    found = dataset.map(Identify(into="l", model="compact", options={"languages": ["de", "fr"]}), batched=True)
    assert found["l"][:] == expected_of("label", languages=["de", "fr"])


def test_wrong_columns_are_refused(dataset: Any) -> None:
    with pytest.raises(unilid.UnilidError, match="no column 'body'; the columns are id, text"):
        dataset.map(Identify("body"), batched=True)
    with pytest.raises(unilid.UnilidError, match="'id' already"):
        dataset.map(Identify(into="id"), batched=True)
