"""Examples in JavaScript are run: what a line prints stands behind it, or in the lines after it, as comments."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from support.node import WEB, needs_node
from support.web import COMPACT

pytestmark = needs_node

PAGES = [WEB / "README.md", WEB.parent / "docs/browser.md"]
EXAMPLES = [
    pytest.param(code, id=f"{page.name}-{number}")
    for page in PAGES
    for number, code in enumerate(re.findall(r"^```js\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S))
]


def expected(code: str) -> list[str]:
    """What an example prints: comments behind `console.log(...);`, and those that have a line of their own."""
    return re.findall(r"(?:^.*console\.log\(.*\); |^)// (.*)$", code, re.M)


@pytest.mark.parametrize("code", EXAMPLES)
def test_an_example_prints_what_it_says(code: str, tmp_path: Path) -> None:
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules/unilid").symlink_to(WEB)
    (tmp_path / "compact.unilid").symlink_to(COMPACT)
    (tmp_path / "example.mjs").write_text(code, encoding="utf-8")
    run = subprocess.run(
        ["node", "example.mjs"], cwd=tmp_path, capture_output=True, text=True, encoding="utf-8", check=False
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.splitlines() == expected(code)
    assert expected(code)


def test_there_are_examples_on_every_page() -> None:
    assert len(EXAMPLES) > len(PAGES)
