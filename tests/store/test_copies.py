"""Models that travel: pickles, copies, and what outlives a model."""

from __future__ import annotations

import copy
import gc
import pickle
from collections.abc import Callable
from pathlib import Path

import pytest
from support.models import small_model
from support.texts import TEXTS
from support.variants import answers, fresh, unbounded

import unilid
from unilid.model import Model
from unilid.models.costs import STEP


def test_a_loaded_model_is_pickled_as_a_reference_to_its_file(tmp_path: Path) -> None:
    saved = small_model().save(tmp_path / "small.unilid")
    pickled = pickle.dumps(saved)
    assert len(pickled) < 1000
    again = pickle.loads(pickled)
    assert again.path == saved.path
    assert again.to_bytes() == saved.to_bytes()
    assert answers(again, TEXTS) == answers(saved, TEXTS)


def test_a_pickle_finds_the_file_after_the_working_folder_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small_model().save(tmp_path / "small.unilid")
    monkeypatch.chdir(tmp_path)
    model = unilid.load("small.unilid")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert pickle.loads(pickle.dumps(model)).to_bytes() == model.to_bytes()


def test_a_model_without_a_file_is_pickled_by_value() -> None:
    again = pickle.loads(pickle.dumps(small_model()))
    assert again.path is None
    assert again.to_bytes() == small_model().to_bytes()
    assert answers(again, TEXTS) == answers(small_model(), TEXTS)


@pytest.mark.parametrize(
    "change",
    [
        lambda m: m.add_language("tok", ["mi lukin e waso lili", "ona li moku e kili"]),
        lambda m: m.subset(["nob", "eng"]),
        lambda m: m.remove_languages(["eng"]),
        unbounded,
    ],
    ids=["add", "subset", "remove", "replace"],
)
def test_a_changed_model_is_not_pickled_as_the_file_it_came_from(
    change: Callable[[Model], Model], tmp_path: Path
) -> None:
    changed = change(small_model().save(tmp_path / "small.unilid"))
    again = pickle.loads(pickle.dumps(changed))
    assert again.languages == changed.languages
    assert again.settings == changed.settings
    assert answers(again, TEXTS) == answers(changed, TEXTS)


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy])
def test_copies_give_the_same_answers(copied: Callable[[Model], Model], tmp_path: Path) -> None:
    for model in (small_model(), small_model().save(tmp_path / "small.unilid")):
        assert copied(model).to_bytes() == model.to_bytes()
        assert answers(copied(model), TEXTS) == answers(model, TEXTS)


def test_answers_outlive_the_model_and_the_kernel_keeps_its_arrays() -> None:
    model = fresh(small_model())
    expected = answers(model, TEXTS)
    scorer = model._answerer.scorers.scorer
    scores = model.scores(TEXTS)
    del model
    gc.collect()
    assert expected == answers(small_model(), TEXTS)
    assert (-STEP * scorer.costs(TEXTS, 1).all == scores).all()
