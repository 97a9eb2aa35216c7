"""The types that the comments of the page's modules give, checked by the compiler of TypeScript."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.browser import ROOT
from support.libraries import is_required

OPTIONS = [
    *("--allowJs", "--checkJs", "--noEmit", "--target", "es2022", "--lib", "es2023,dom,dom.iterable"),
    *("--module", "es2022", "--moduleResolution", "bundler"),
]


def test_types_in_comments_are_true(tmp_path: Path) -> None:
    if shutil.which("tsc") is None and not is_required("typescript"):
        pytest.skip("typescript is not installed")
    site = tmp_path / "site"
    subprocess.run([sys.executable, str(ROOT / "tools/make_site.py"), str(site)], check=True)
    modules = [module.name for module in (ROOT / "web/page").glob("*.js")]
    command = ["tsc", *OPTIONS, *modules]
    run = subprocess.run(command, cwd=site, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout
