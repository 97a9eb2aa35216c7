"""The labels of a model, to list and to search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from unilid.languages.codes import Index
from unilid.languages.labels import Meaning, folded, meaning
from unilid.numbers import finite_number


@dataclass(frozen=True, slots=True)
class Entry:
    """A label of a model: what it means and what the model says of it."""

    meaning: Meaning
    lines: int
    """Training lines."""
    f1: float | None
    """On held-out text, where the model says."""
    sources: tuple[str, ...]
    """Where the training text comes from, where the model says."""

    def record(self) -> dict[str, Any]:
        """Return everything under its name."""
        return {
            **asdict(self.meaning),
            "training_lines": self.lines,
            "f1": self.f1,
            "sources": list(self.sources),
        }


def entries(labels: Sequence[str], lines: Sequence[int], facts: object) -> list[Entry]:
    """Return the labels of a model in alphabetical order; `facts` is what the model says of some of them, by label.

    >>> [german] = entries(["deu_Latn"], [120], {})
    >>> german.meaning.name, german.meaning.autonym, german.meaning.iso639_2, german.meaning.bcp47
    ('German', 'Deutsch', 'ger/deu', 'de')
    """
    catalogue = []
    for label, count in sorted(zip(labels, lines, strict=True)):
        own = _mapping(_mapping(facts).get(label))
        sources = own.get("sources")
        named = tuple(source for source in sources if isinstance(source, str)) if isinstance(sources, list) else ()
        named += (own["source"],) if isinstance(own.get("source"), str) else ()
        names = {name: own[name] for name in ("name", "autonym") if isinstance(own.get(name), str)}
        catalogue.append(Entry(replace(meaning(label), **names), count, finite_number(own.get("f1")), named))
    return catalogue


def of_model(
    labels: Sequence[str], lines: Sequence[int], info: Mapping[str, Any], queries: Sequence[str] = ()
) -> list[Entry]:
    """Return the labels of a model with what its `info` says of them; with queries, those that one of these finds."""
    found = entries(labels, lines, facts(info.get("labels"), info.get("added")))
    if not queries:
        return found
    index = _index(found)
    return list(dict.fromkeys(entry for query in queries for entry in search(found, query, index)))


def facts(*said: object) -> dict[str, dict[str, Any]]:
    """Return what a model says of its labels, in one place.

    >>> facts({"deu_Latn": {"f1": 0.9}}, None, {"deu_Latn": {"name": "Swabian"}})
    {'deu_Latn': {'f1': 0.9, 'name': 'Swabian'}}
    """
    together: dict[str, dict[str, Any]] = {}
    for part in said:
        for label, own in _mapping(part).items():
            together.setdefault(label, {}).update(_mapping(own))
    return together


def _mapping(value: object) -> Mapping[str, Any]:
    """Return what should be a mapping; a model may come from anywhere."""
    return value if isinstance(value, Mapping) else {}


def search(catalogue: Sequence[Entry], query: str, index: Index | None = None) -> list[Entry]:
    """Return all labels that a code can stand for, unusual ones too; else those with the query in their names.

    Case and accents do not matter in names. `index` is that of the catalogue, where it is at hand.

    >>> catalogue = entries(["fra_Latn", "swe_Latn"], [10, 20], {})
    >>> [[entry.meaning.label for entry in search(catalogue, query)] for query in ("sv", "francais")]
    [['swe_Latn'], ['fra_Latn']]
    """
    index = index or _index(catalogue)
    if rows := index.rows_found(query, everything=True):
        return [catalogue[row] for row in rows]
    part = folded(query)
    matches = [entry for entry in catalogue if part and any(part in name for name in entry.meaning.names())]
    return matches or [catalogue[row] for row in index.rows_matching(query)]  # which says what may have been meant


def _index(catalogue: Sequence[Entry]) -> Index:
    return Index([entry.meaning.label for entry in catalogue])
