"""Every example in the documentation is run: docstrings, README, docs."""

from __future__ import annotations

import doctest
import importlib
import os
import pkgutil
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest
from support.libraries import is_missing
from support.service import Service

import unilid

ROOT = Path(__file__).parents[2]
OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
MODULES = [
    "unilid",
    *(m.name for m in pkgutil.walk_packages(unilid.__path__, "unilid.") if m.name != "unilid.__main__"),  # which runs
]
MODULES = [name for name in MODULES if not name.startswith("unilid.spark")]  # tests/engines runs these on a cluster
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


ADAPTED = {name: name for name in ("polars", "pandas", "duckdb", "datasets", "sklearn", "datatrove", "commonlid")}
ADAPTED |= {"frames": "narwhals", "spark": "pyspark", "ray": "ray"}
"""The library that a module of the package needs."""


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings(name: str) -> None:
    if name.startswith("unilid.serve") and is_missing("granian"):
        pytest.skip("granian is not installed")
    last = name.rpartition(".")[2]
    if last in ADAPTED and is_missing(ADAPTED[last]):
        pytest.skip(f"{ADAPTED[last]} is not installed")
    module = importlib.import_module(name)
    # In a thread of its own: in this one, a browser of other tests may have an event loop that runs.
    with ThreadPoolExecutor(1) as executor:
        assert executor.submit(doctest.testmod, module, optionflags=OPTIONS).result().failed == 0


def python_examples(page: Path) -> str:
    """Return the examples of a page, without blocks for which a library is missing."""
    blocks = re.findall(r"^```pycon\n(.*?)^```", page.read_text(), re.M | re.S)
    imports = [re.findall(r"^>>> (?:import|from) (?:unilid\.)?(\w+)", block, re.M) for block in blocks]
    return "\n".join(
        block
        for block, names in zip(blocks, imports, strict=True)
        if not any(is_missing(ADAPTED.get(name, name)) for name in names if name != "fasttext")
    )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_examples_on_pages(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)  # not the one that a shell would find
    test = doctest.DocTestParser().get_doctest(python_examples(page), {}, page.name, str(page), 0)
    assert doctest.DocTestRunner(optionflags=OPTIONS).run(test).failed == 0


def test_what_stands_beside_other_libraries_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    page = ROOT / "docs/coming-from.md"
    rows = re.findall(r"^\| .*? \| (.*) \|$", page.read_text(), re.M)
    ours = [code for cell in rows for code in re.findall(r"`([^`]*[(.][^`]*)`", cell)]
    assert len(ours) > 15
    defined: dict[str, object] = {}
    for example in doctest.DocTestParser().get_examples(python_examples(page)):
        exec(compile(example.source, page.name, "single"), defined)
    for code in ours:
        eval(code, defined)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_shell_examples_on_pages(page: Path, tmp_path: Path) -> None:
    """Commands follow a dollar; what they print follows them. Installing is what brought the tests here."""
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "LANG": "C.UTF-8",
    }
    wanted = doctest.OutputChecker()
    for block in re.findall(r"^```console\n(.*?)^```", page.read_text(), re.M | re.S):
        if "unilid serve" in block and (is_missing("granian") or shutil.which("curl") is None):
            continue
        with ExitStack() as stack:  # a service that a block starts ends with it
            port = ""
            for command, expected in re.findall(r"^\$ ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n)*)", block, re.M):
                runnable = re.sub(r"pip install \S+", "true", command).replace(":8000", port)
                if "pytest" in runnable or "benchmarks/" in runnable:
                    continue  # this is it; and the benchmarks need corpora
                if runnable.endswith("unilid serve"):
                    service = stack.enter_context(Service(model=None))
                    port = f":{service.port}"
                    assert wanted.check_output(expected.replace(":8000", port), service.said, OPTIONS)
                    continue
                run = subprocess.run(
                    ["bash", "-c", runnable], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
                )
                assert run.returncode == 0, (command, run.stderr)
                printed = run.stdout + run.stderr
                assert wanted.check_output(expected, printed, OPTIONS), (command, run.stdout, run.stderr)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_block_of_code_on_a_page_is_run(page: Path) -> None:
    """One of another kind would not be: the two tests above know the first two, and other tests those of some pages."""
    others = {"browser.md": {"js", "html"}, "cite.md": {"bibtex"}}  # tests/web, test_citation.py
    fences = re.findall(r"^ *```(.*)$", page.read_text(), re.M)
    assert set(fences[::2]) <= {"pycon", "console"} | others.get(page.name, set())
    assert set(fences[1::2]) <= {""}


def test_figures_are_those_that_the_program_draws(tmp_path: Path) -> None:
    subprocess.run([sys.executable, ROOT / "docs/figures.py", tmp_path], check=True)
    drawn = {file.name: file.read_text(encoding="utf-8") for file in tmp_path.iterdir()}
    kept = {file.name: file.read_text(encoding="utf-8") for file in (ROOT / "docs/figures").iterdir()}
    assert drawn.keys() == kept.keys()
    differing = [name for name in kept if drawn[name] != kept[name]]
    assert not differing, "run `python docs/figures.py`"


def test_every_page_can_be_found() -> None:
    pages = {page.name for page in (ROOT / "docs").glob("*.md")}
    in_navigation = re.findall(r"^ +- (?:[\w ]+: )?(\S+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.M)
    assert sorted([*pages, "results/README.md"]) == sorted(in_navigation)
    results = {page.name for page in (ROOT / "docs/results").glob("*.md")} - {"README.md"}
    assert results == set(re.findall(r"\]\((\w+\.md)\)", (ROOT / "docs/results/README.md").read_text()))


def test_the_home_page_is_light() -> None:
    """Its screen is what a visitor waits for."""
    screens = re.findall(r"\]\((\S+\.png)\)", (ROOT / "docs/index.md").read_text())
    assert screens
    assert all((ROOT / "docs" / screen).stat().st_size < 150_000 for screen in screens)


def test_continuous_integration_runs_the_test_command_of_the_readme() -> None:
    [command] = re.findall(r"^\$ (.*pytest.*)$", (ROOT / "README.md").read_text(), re.M)
    assert command in (ROOT / ".ci/run").read_text().splitlines()


@pytest.mark.parametrize("page", ["README.md", "docs/probability.md"])
def test_every_figure_of_a_pages_tables_stands_in_the_results(page: str) -> None:
    results = "\n".join(page.read_text() for page in (ROOT / "docs/results").glob("*.md"))
    rows = [line for line in (ROOT / page).read_text().splitlines() if line.startswith("|")]
    figures = {figure for row in rows for figure in re.findall(r"\.\d{3,4}\b|\d+\.\d+%", row)}
    assert figures
    assert [figure for figure in sorted(figures) if figure not in results] == []
