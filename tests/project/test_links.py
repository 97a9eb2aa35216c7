"""Links between pages of the repository lead somewhere: to a file that is there, and a heading that it has."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [
    *sorted(ROOT.glob("*.md")),
    *(path for end in ("md", "ipynb", "html") for path in sorted(DOCS.rglob(f"*.{end}"))),
]


def _without_code(text: str) -> str:
    return re.sub(r"^ *```.*?^ *```", "", text, flags=re.M | re.S)


def text_of(page: Path) -> str:
    """A page without its code, in which a link is none."""
    text = page.read_text(encoding="utf-8")
    if page.suffix == ".ipynb":
        cells = json.loads(text)["cells"]
        text = "\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    return re.sub(r"`[^`\n]*`", "", _without_code(text))


@cache
def anchors(page: Path) -> set[str]:
    """The names of headings, as both the site and a viewer of the repository make them."""
    found: list[str] = []
    for heading in re.findall(r"^#+ +(.*)$", _without_code(page.read_text(encoding="utf-8")), re.M):
        plain = unicodedata.normalize("NFKD", re.sub(r"[`*]|\]\([^)]*\)|\[", "", heading)).encode("ascii", "ignore")
        found.append(re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", plain.decode()).strip().lower()))
    return set(found)


def links(page: Path) -> Iterator[tuple[str, Path]]:
    """The links of a page to others of the repository, and the folder from which they lead."""
    for link in re.findall(r"\]\(([^()\s]+)\)", text_of(page)):
        yield link, page.parent
    for link in re.findall(r"(?:src|href)=\"([^\"]+)\"", text_of(page)):
        # HTML is as it is on the site, where a page of Markdown is a folder.
        yield link, page.with_suffix("") if page.suffix == ".md" else page.parent


def leads_somewhere(link: str, folder: Path, page: Path) -> bool:
    if re.match(r"[a-z]+:", link):
        return True  # another site, which a test does not ask
    name, _, anchor = link.partition("#")
    target = (folder / name).resolve() if name else page
    if not target.exists() or not target.is_relative_to(ROOT):
        return False
    return not anchor or target.suffix != ".md" or anchor in anchors(target)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    assert [link for link, folder in links(page) if not leads_somewhere(link, folder, page)] == []


def test_a_link_that_leads_nowhere_would_be_found(tmp_path: Path) -> None:
    readme = ROOT / "README.md"
    found = {link for link, _ in links(readme)}
    assert {"docs/tutorial.md", "CONTRIBUTING.md"} <= found
    assert leads_somewhere("docs/labels.md#labels-that-became-another", ROOT, readme)
    for link in ("docs/nowhere.md", "docs/labels.md#nowhere", "#nowhere", str(tmp_path)):
        assert not leads_somewhere(link, ROOT, readme)
