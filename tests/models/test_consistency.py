"""Parts of a model that do not belong together are refused before anything is computed or written."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.models import fitted_model, small_model

from unilid.decisions.decide import Decisions
from unilid.errors import UnilidError
from unilid.models.context import ContextTable, Level, first_of
from unilid.models.parameters import Parameters
from unilid.models.vocabulary import Vocabulary


def parameters() -> Parameters:
    return small_model().parameters


INCONSISTENT: dict[str, tuple[dict[str, Any], str]] = {
    "one label more": ({"languages": (*parameters().languages, "xyz")}, "6 labels"),
    "one label fewer": ({"languages": parameters().languages[:-1]}, "4 labels"),
    "no label": ({"languages": ()}, "at least one language"),
    "labels that repeat": ({"languages": ("dan", "dan", "eng", "jpn", "nob")}, "not distinct"),
    "a reserved label": ({"languages": ("dan", "zxx", "eng", "jpn", "nob")}, "'zxx' cannot be a label"),
    "a label with a tab": ({"languages": ("dan", "e\tl", "eng", "jpn", "nob")}, "cannot be a label"),
    "another vocabulary": ({"vocabulary": Vocabulary.of([])}, "256 tokens"),
    "no context model": ({"context": None}, "order None"),
    "lines of fewer languages": ({"lines": np.zeros(4, np.int64)}, "5 labels"),
    "negative lines": ({"lines": np.array([1, 2, -3, 4, 5])}, "whole number"),
    "fractional lines": ({"lines": np.array([1.5, 2, 3, 4, 5])}, "whole number"),
    "tokens that are no number": ({"tokens": np.array([1, 2, np.nan, 4, 5])}, "expected tokens"),
}


@pytest.mark.parametrize(("changes", "named"), INCONSISTENT.values(), ids=INCONSISTENT)
def test_parameters_that_do_not_belong_together_are_refused(changes: dict[str, Any], named: str) -> None:
    with pytest.raises(UnilidError, match=named):
        replace(parameters(), **changes)


def test_decisions_for_other_languages_are_refused() -> None:
    model = fitted_model()
    with pytest.raises(UnilidError, match="not for 3 languages"):
        replace(model, parameters=model.parameters.select([0, 1, 2]))
    with pytest.raises(UnilidError, match="not for 4 languages"):
        replace(model, decisions=Decisions(prior=np.full(7, 1 / 7)))


def test_a_good_file_stays_where_a_model_cannot_be_written(tmp_path: Path) -> None:
    nested: Any = []
    for _ in range(100_000):
        nested = [nested]
    path = tmp_path / "model.unilid"
    small_model().save(path)
    content = path.read_bytes()
    for info in ({"nested": nested}, {"a set": {1, 2}}):
        with pytest.raises(UnilidError, match="JSON"):
            replace(small_model(), info=info).save(path)
    assert path.read_bytes() == content
    assert [file.name for file in tmp_path.iterdir()] == ["model.unilid"]


def without_language(level: Level, node: int, language: int) -> Level:
    """The level as a file may have it: a language no longer knows an n-gram, though it knows longer ones."""
    nodes = np.repeat(np.arange(level.size), np.diff(level.first_entry))
    keep = ~((nodes == node) & (level.languages == language))
    return replace(level, first_entry=first_of(nodes[keep], level.size), entries=level.entries[keep])


@pytest.mark.parametrize("order", [1, 2, 3])
def test_a_language_that_knows_an_ngram_but_not_its_beginning_can_be_kept_alone(order: int) -> None:
    table = parameters().context
    assert table is not None
    language = parameters().languages.index("eng")
    level = table.levels[order - 1]
    nodes = np.repeat(np.arange(level.size), np.diff(level.first_entry))
    known = nodes[level.languages == language]
    for node in known[:: max(len(known) // 20, 1)].tolist():
        levels = list(table.levels)
        levels[order - 1] = without_language(level, node, language)
        crafted = ContextTable(table.code_points, tuple(levels), table.root_backoff, table.base)
        model = replace(small_model(), parameters=replace(parameters(), context=crafted))
        alone = model.subset(["eng"])
        assert alone.identify("There is still snow on the roof today.", abstain=False).label == "eng"
        assert alone.spans("There is still snow on the roof today.").label == "eng"
