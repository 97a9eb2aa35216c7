"""What is to be cited is the same wherever it is said."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from support.libraries import library

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/cite.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def citation() -> dict[str, Any]:
    found: dict[str, Any] = library("yaml").safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    return found


def bibtex(kind: str) -> dict[str, str]:
    """The fields of the entry of a kind on the page."""
    [entry] = re.findall(rf"^@{kind}\{{\w+,\n(.*?)^\}}$", PAGE, re.M | re.S)
    fields = re.findall(r"^  (\w+) *= \{(.*)\},?$", entry, re.M)
    assert len(fields) == entry.count("\n")
    return dict(fields)


def test_the_citation_has_what_the_format_requires(citation: dict[str, Any]) -> None:
    assert citation["cff-version"] == "1.2.0"
    assert {"message", "title", "authors", "version", "license", "preferred-citation"} <= citation.keys()
    paper = citation["preferred-citation"]
    assert {"type", "title", "authors", "year"} <= paper.keys()
    assert all({"given-names", "family-names"} <= author.keys() for author in paper["authors"])


def test_the_version_and_the_licence_are_those_of_the_package(citation: dict[str, Any]) -> None:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    software = bibtex("software")
    for name in ("version", "license"):
        [value] = re.findall(rf'^{name} = "(.*)"$', project, re.M)
        assert str(citation[name]) == software[name] == value


def test_the_page_cites_the_same_paper(citation: dict[str, Any]) -> None:
    paper, entry = citation["preferred-citation"], bibtex("inproceedings")
    assert entry["title"] == paper["title"]
    assert entry["year"] == str(paper["year"])
    assert entry["booktitle"] == paper["conference"]["name"]
    names = [f"{author['family-names']}, {author['given-names']}" for author in paper["authors"]]
    assert entry["author"].split(" and ") == names
    assert paper["title"] in (ROOT / "README.md").read_text(encoding="utf-8")
