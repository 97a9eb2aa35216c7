"""Every example in the documentation is run: docstrings, README, docs."""

from __future__ import annotations

import doctest
import importlib
import os
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import unilid

ROOT = Path(__file__).parent.parent
OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
MODULES = ["unilid", *(f"unilid.{module.name}" for module in pkgutil.iter_modules(unilid.__path__))]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name), optionflags=OPTIONS).failed == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_examples_on_pages(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    examples = "\n".join(re.findall(r"^```pycon\n(.*?)^```", page.read_text(), re.M | re.S))
    test = doctest.DocTestParser().get_doctest(examples, {}, page.name, str(page), 0)
    assert doctest.DocTestRunner(optionflags=OPTIONS).run(test).failed == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_shell_examples_on_pages(page: Path, tmp_path: Path) -> None:
    """Commands follow a dollar; what they print follows them. Installing is what brought the tests here."""
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "LANG": "C.UTF-8",
    }
    for block in re.findall(r"^```console\n(.*?)^```", page.read_text(), re.M | re.S):
        for command, expected in re.findall(r"^\$ ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n)*)", block, re.M):
            runnable = re.sub(r"pip install \S+", "true", command)
            if "pytest" in runnable or "benchmarks/" in runnable:
                continue  # this is it; and the benchmarks need corpora
            run = subprocess.run(
                ["bash", "-c", runnable], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
            )
            assert run.returncode == 0, (command, run.stderr)
            wanted = doctest.OutputChecker()
            assert wanted.check_output(expected, run.stdout + run.stderr, OPTIONS), (command, run.stdout, run.stderr)


def test_continuous_integration_runs_the_test_command_of_the_readme() -> None:
    [command] = re.findall(r"^\$ (.*pytest.*)$", (ROOT / "README.md").read_text(), re.M)
    assert command in (ROOT / ".ci/run").read_text().splitlines()


def test_every_figure_of_the_readmes_tables_stands_in_the_results() -> None:
    results = "\n".join(page.read_text() for page in (ROOT / "docs/results").glob("*.md"))
    rows = [line for line in (ROOT / "README.md").read_text().splitlines() if line.startswith("|")]
    figures = {figure for row in rows for figure in re.findall(r"\.\d{3,4}\b", row)}
    assert figures
    assert [figure for figure in sorted(figures) if figure not in results] == []
