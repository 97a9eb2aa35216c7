"""Notebooks show what their cells show when they are run."""

from __future__ import annotations

import importlib
import json
import re
from pathlib import Path
from typing import Any

import pytest
from support.libraries import library

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "docs/notebooks").glob("*.ipynb"))


def shown(content: str) -> list[tuple[str, Any]]:
    """The source of each cell, and its outputs: what is shown, and not how often it was run."""
    return [
        ("".join(cell["source"]), [{**output, "execution_count": None} for output in cell.get("outputs", [])])
        for cell in json.loads(content)["cells"]
    ]


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda notebook: notebook.stem)
def test_a_notebook_shows_what_its_cells_show(notebook: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library("nbclient")
    library("ipykernel")
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    content = notebook.read_text(encoding="utf-8")
    run = importlib.import_module("refresh_examples").run_notebook(content, notebook.parent)
    assert shown(run) == shown(content), "run `python tools/refresh_examples.py`"


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda notebook: notebook.stem)
def test_a_notebook_says_nothing_of_the_machine_it_ran_on(notebook: Path) -> None:
    content = notebook.read_text(encoding="utf-8")
    assert not re.search(r"/(home|root|tmp|usr|Users)/", content)
    assert set(json.loads(content)["metadata"]) == {"kernelspec", "language_info"}
