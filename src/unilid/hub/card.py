"""The model card: metadata that the Hub reads, and a page for people, from what a model says of itself."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from unilid.display import one_line
from unilid.errors import UnilidError
from unilid.languages.catalogue import Entry, facts, of_model
from unilid.model import Model
from unilid.numbers import finite_number
from unilid.store.repository import SCHEME

UNKNOWN = "unknown"
"""The licence of a model that does not say under which it is, in the words of the Hub."""
_METRICS = {"accuracy": "accuracy", "macro F1": "f1"}
"""What the Hub calls them."""


@dataclass(frozen=True, slots=True)
class Figures:
    """How good a model is on some text."""

    text: str
    """Which text it is."""
    metrics: Mapping[str, float]
    """Values by name: ``accuracy``, ``macro F1``."""


def own_figures(model: Model) -> list[Figures]:
    """Return what a model says of itself, if it says it of all its labels and of no others.

    Figures of single labels are of the model that was measured: one with more languages, or fewer, has others.

    >>> import unilid
    >>> model = unilid.load()
    >>> [figures.text for figures in own_figures(model)], own_figures(model.subset(["de", "en"]))
    (['held-out lines of its training sources'], [])
    """
    said = facts(model.info.get("labels"))
    if said.keys() != set(model.languages):
        return []
    values = [finite_number(own.get("f1")) for own in said.values()]
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        return []
    return [Figures("held-out lines of its training sources", {"macro F1": fmean(known)})]


def reported(path: Path) -> Figures:
    """Return the figures that `unilid evaluate --json` wrote; the text is called as the file is."""
    try:
        report = json.loads(path.read_bytes())
        values = {"accuracy": finite_number(report["accuracy"]), "macro F1": finite_number(report["macro"]["f1"])}
    except OSError as error:
        raise UnilidError(f"{path}: cannot be read: {error.strerror or error}") from None
    except (ValueError, KeyError, TypeError, RecursionError):
        raise UnilidError(f"{path}: is not what `unilid evaluate --json` writes") from None
    return Figures(path.stem, {name: value for name, value in values.items() if value is not None})


def card(model: Model, name: str, license: str, figures: Sequence[Figures]) -> str:  # noqa: A002
    """Return the README.md of a repository."""
    entries = of_model(model.languages, model.lines.tolist(), model.info)
    return _metadata(name, license, entries, figures) + _page(model, name, license, entries, figures)


def _metadata(name: str, license: str, entries: Sequence[Entry], figures: Sequence[Figures]) -> str:  # noqa: A002
    """Return the YAML at the top. Its values are written as JSON, which is YAML, too, and where `no` is no truth."""
    codes = {entry.meaning.iso639_1 or entry.meaning.iso639_3 for entry in entries}
    data: dict[str, Any] = {
        "language": sorted(code for code in codes if code),
        "license": license,
        "library_name": "unilid",
        "pipeline_tag": "text-classification",
        "tags": ["language-identification", "language-detection", "unilid", "safetensors"],
        "metrics": list(dict.fromkeys(_METRICS[metric] for each in figures for metric in each.metrics)),
    }
    if figures:
        data["model-index"] = [{"name": name.rpartition("/")[2], "results": [_result(each) for each in figures]}]
    lines = [f"{key}: {json.dumps(value, ensure_ascii=False)}\n" for key, value in data.items() if value]
    return f"---\n{''.join(lines)}---\n"


def _result(figures: Figures) -> dict[str, Any]:
    return {
        "task": {"type": "text-classification", "name": "Language identification"},
        "dataset": {"type": "custom", "name": figures.text},
        "metrics": [
            {"type": _METRICS[metric], "name": metric, "value": round(value, 4)}
            for metric, value in figures.metrics.items()
        ],
    }


_PAGE = """
# {title}

This model names the language of a text, with the Python package `unilid`: the method of the paper *What Language is
This? Ask Your Tokenizer*. It has {counts}.
The model file is in the safetensors format, and loading it executes nothing.

```console
$ pip install 'unilid[hub]'
$ echo 'Wo ist der Bahnhof?' | unilid identify -m {address}
```

```python
import unilid

model = unilid.load("{address}")  # or "{address}@revision"
answer = model.identify("Wo ist der Bahnhof?")
print(answer.label, answer.name, answer.probability)
```

The answer is `zxx` where a text has no language in it, and `und` where the model cannot tell. A short text in one of
two close relatives is often taken for the other; `model.explain` says why.

## How well it works

{figures}

## From which text, and under which licence

{licence} The model contains statistics of its training text, and none of the text.

{sources}

## Languages

{languages}
"""


def _page(
    model: Model,
    name: str,
    license: str,  # noqa: A002
    entries: Sequence[Entry],
    figures: Sequence[Figures],
) -> str:
    scripts = {entry.meaning.script for entry in entries} - {None}
    lines = sum(entry.lines for entry in entries)
    counts = _number(len(entries), "label") + (f" in {_number(len(scripts), 'script')}" if scripts else "")
    return _PAGE.format(
        title=_text(name),
        counts=f"{counts}, learned from {_number(lines, 'line')}",
        address=SCHEME + (name if "/" in name else f"USER/{re.sub('[^a-zA-Z0-9_.]+', '-', name).strip('-') or 'NAME'}"),
        figures=_figures(figures),
        licence="Nobody has said under which licence the model is."
        if license == UNKNOWN
        else f"The licence of the model is {_text(license)}.",
        sources=_sources(entries, facts(model.info.get("added"))),
        languages=_languages(entries, with_f1=bool(own_figures(model))),
    )


def _figures(figures: Sequence[Figures]) -> str:
    if not figures:
        return "No figures of this model are known; `unilid evaluate` measures it on labelled text."
    names = [name for name in _METRICS if any(name in each.metrics for each in figures)]
    rows = [
        [_text(each.text), *(f"{each.metrics[name]:.4f}" if name in each.metrics else "" for name in names)]
        for each in figures
    ]
    return _table(["text", *names], rows)


def _sources(entries: Sequence[Entry], added: Mapping[str, Mapping[str, Any]]) -> str:
    labels: dict[str, int] = {}
    for entry in entries:
        for source in entry.sources:
            labels[source] = labels.get(source, 0) + 1
    if not labels:
        return "The model does not say which text that was."
    licences: dict[str, set[str]] = {}
    for said in added.values():
        if isinstance(said.get("source"), str) and isinstance(said.get("license"), str):
            licences.setdefault(said["source"], set()).add(said["license"])
    rows = [
        [_text(source), f"{count:,}", _text(", ".join(sorted(licences.get(source, ()))))]
        for source, count in sorted(labels.items())
    ]
    return _table(["source", "labels", *(["licence"] if licences else [])], rows)


def _languages(entries: Sequence[Entry], *, with_f1: bool) -> str:
    rows = [
        [_text(entry.meaning.label), _text(entry.meaning.name), f"{entry.lines:,}", _f1(entry)] for entry in entries
    ]
    return _table(["label", "language", "training lines", *(["F1"] if with_f1 else [])], rows)


def _f1(entry: Entry) -> str:
    return "" if entry.f1 is None else f"{entry.f1:.4f}"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table; of each row, as much as the head names."""
    return "\n".join(f"| {' | '.join(row[: len(head)])} |" for row in (head, ["---"] * len(head), *rows))


def _number(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'s' * (count != 1)}"


def _text(words: str) -> str:
    """Return words from outside as Markdown that says these words, on one line."""
    return "".join(f"\\{c}" if c in "\\`*_[]<>|#&" else c for c in one_line(words))
