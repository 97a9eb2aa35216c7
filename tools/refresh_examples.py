"""Write anew what the examples on the pages print, where it is no longer what is shown: after a new default model.

    python tools/refresh_examples.py            README.md, docs/*.md and docs/notebooks

Read what `git diff` shows afterwards: an example may have become a bad one.
"""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parent.parent
OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def main() -> None:
    """Refresh all pages."""
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))):
        text = page.read_text()
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "docs").symlink_to(ROOT / "docs")
            os.chdir(folder)
            refreshed = _python(_shell(text, Path(folder)))
            os.chdir(ROOT)
        if refreshed != text:
            page.write_text(refreshed)
            print(page.relative_to(ROOT))
    for notebook in sorted((ROOT / "docs/notebooks").glob("*.ipynb")):
        before = notebook.read_text(encoding="utf-8")
        notebook.write_text(run_notebook(before, notebook.parent), encoding="utf-8")
        if notebook.read_text(encoding="utf-8") != before:
            print(notebook.relative_to(ROOT))


def run_notebook(content: str, folder: Path) -> str:
    """Return a notebook with what its cells show when they are run in a folder, and nothing of when and where."""
    import nbformat  # of the extra `docs`
    from nbclient import NotebookClient

    notebook = nbformat.reads(content, as_version=4)
    kept = dict(notebook.metadata)
    NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(folder)}}).execute()
    notebook.metadata = nbformat.from_dict(kept)
    for cell in notebook.cells:
        cell.metadata = nbformat.from_dict({})
    return str(nbformat.writes(notebook)) + "\n"


def _shell(text: str, folder: Path) -> str:
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "LANG": "C.UTF-8"}

    def run(match: re.Match[str]) -> str:
        command, expected = match[1], match[2]
        runnable = re.sub(r"pip install \S+", "true", command)
        if any(word in runnable for word in ("pytest", "benchmarks/", "unilid serve", "localhost:")):
            return match[0]
        done = subprocess.run(
            ["bash", "-c", runnable], cwd=folder, env=environment, capture_output=True, text=True, check=True
        )
        printed = done.stdout + done.stderr
        same = doctest.OutputChecker().check_output(expected, printed, OPTIONS)
        return match[0] if same else f"$ {command}\n" + re.sub(r"[ \t]+$", "", printed, flags=re.M)

    def block(match: re.Match[str]) -> str:
        return match[1] + re.sub(r"^\$ ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n)*)", run, match[2], flags=re.M) + match[3]

    return re.sub(r"(^```console\n)(.*?)(^```)", block, text, flags=re.M | re.S)


def _python(text: str) -> str:
    defined: dict[str, object] = {}
    runner = _Recorder()

    def block(match: re.Match[str]) -> str:
        test = doctest.DocTestParser().get_doctest(match[2], defined, "page", None, 0)
        test.globs = defined
        runner.got.clear()
        runner.run(test, clear_globs=False, out=lambda _: None)
        lines = match[2].splitlines(keepends=True)
        for example, got in reversed(runner.got):
            first = example.lineno + example.source.count("\n")
            lines[first : first + example.want.count("\n")] = got.splitlines(keepends=True)
        return match[1] + "".join(lines) + match[3]

    return re.sub(r"(^```pycon\n)(.*?)(^```)", block, text, flags=re.M | re.S)


class _Recorder(doctest.DocTestRunner):
    """Remembers what was printed instead."""

    def __init__(self) -> None:
        super().__init__(optionflags=OPTIONS)
        self.got: list[tuple[doctest.Example, str]] = []

    def report_failure(
        self,
        out: Callable[[str], object],  # noqa: ARG002  # what doctest asks for
        test: doctest.DocTest,  # noqa: ARG002
        example: doctest.Example,
        got: str,
    ) -> None:
        """Remember it, and say nothing."""
        self.got.append((example, got))


if __name__ == "__main__":
    main()
