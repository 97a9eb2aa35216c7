"""Which records go to the output: by their language, and by how probable it is."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from unilid import files
from unilid.errors import UnilidError
from unilid.languages.labels import RESERVED
from unilid.records.answers import Answer

if TYPE_CHECKING:
    from unilid.model import Model
    from unilid.records.reading import Records

EVERY_OTHER = "*"
"""Stands, in a file of thresholds, for every language that the file does not name."""


@dataclass(frozen=True, slots=True)
class Filter:
    """Lets records pass whose language is one of some, and probable enough."""

    least: Mapping[str, float]
    """The least probability of each label that may pass."""

    def passes(self, answer: Answer) -> bool:
        """Whether an answer's language is wanted, and probable enough."""
        best = answer.ranked[0]
        least = self.least.get(best.label)
        return least is not None and best.probability >= least

    def places(self, records: Records, answers: Sequence[Answer]) -> tuple[list[int], list[int]]:
        """Return the places of the records that pass, and of those that do not; a bad one does not."""
        passed: list[int] = []
        rejected: list[int] = []
        for place, answer in enumerate(answers):
            wanted = place not in records.errors and self.passes(answer)
            (passed if wanted else rejected).append(place)
        return passed, rejected


def filter_of(model: Model, languages: str | None, least: str | None) -> Filter | None:
    """Return the filter for codes with commas and a threshold, or a file of thresholds; None where neither is given.

    `und` and `zxx` are no languages: they pass where they are named.
    """
    if languages is None and least is None:
        return None
    if languages is None:
        wanted = list(model.languages)
    else:
        wanted = [label for code in languages.split(",") for label in _labels(model, code)]
    usual, thresholds = 0.0, dict[str, float]()
    if least is not None:
        try:
            usual = _share(least)
        except ValueError:
            thresholds = _read(model, Path(least))
            usual = thresholds.get(EVERY_OTHER, 0.0)
    return Filter({label: thresholds.get(label, usual) for label in wanted})


def _labels(model: Model, code: str) -> list[str]:
    return [code] if code in RESERVED else [model.languages[row] for row in model.rows_matching(code)]


def _read(model: Model, path: Path) -> dict[str, float]:
    """Read thresholds: a code and a number a line, or a JSON object; what comes later wins."""
    if not path.exists():
        raise UnilidError(f"--least takes a probability from 0 to 1 or a file of them, not {str(path)!r}")
    least: dict[str, float] = {}
    for where, code, value in _entries(path):
        try:
            threshold = _share(value)
        except (TypeError, ValueError):
            raise UnilidError(f"{where}: {value!r} is not a probability from 0 to 1") from None
        try:
            labels = [code] if code == EVERY_OTHER else _labels(model, code)
        except UnilidError as error:
            raise UnilidError(f"{where}: {error}") from None
        least |= dict.fromkeys(labels, threshold)
    return least


def _entries(path: Path) -> Iterator[tuple[str, str, str]]:
    lines = [line.decode("utf-8", "replace") for block in files.lines(path) for line in block]
    if lines and lines[0].lstrip().startswith("{"):
        try:
            table = json.loads("\n".join(lines))
        except ValueError as error:
            raise UnilidError(f"{path}: not JSON: {error}") from None
        yield from ((str(path), code, str(value)) for code, value in table.items())
        return
    for number, line in enumerate(lines, 1):
        if line.strip():
            code, tab, value = line.partition("\t")
            if not tab:
                raise UnilidError(f"{path}:{number}: no tab between a code and its probability")
            yield f"{path}:{number}", code.strip(), value.strip()


def _share(written: str) -> float:
    share = float(written)
    if not 0 <= share <= 1:
        raise ValueError
    return share
