"""An evaluation to read: Markdown, one HTML page with plots, or tables on a terminal."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from unilid.display import one_line, sentence
from unilid.evaluation import plots
from unilid.evaluation.metrics import Confusion, Difference, Report
from unilid.languages.labels import NO_LANGUAGE, UNDETERMINED, meaning

if TYPE_CHECKING:
    from rich.console import Console

_WORST = 20
_EXCERPT, _BRIEF_EXCERPT = 80, 50
"""Characters of an example on a page, and on a terminal."""
_WORDS = ("name", "names", "examples")
"""Columns of words."""
_GROUPS, _GROUP_SIZE = 4, 6
_NAMED = 5
"""Labels that a sentence names, at most."""


@dataclass(frozen=True, slots=True)
class Table:
    """A heading and rows of written cells, the first row their names."""

    heading: str
    rows: list[list[str]]


def tables(report: Report, differences: Sequence[Difference] = (), *, every_label: bool = False) -> list[Table]:
    """Return an evaluation as tables."""
    macro = report.macro
    result = [
        Table(
            "Evaluation",
            [
                ["accuracy", "macro F1", "weighted F1", "precision", "recall", "macro FPR", "ECE", "lines", "labels"],
                [
                    *map(_share, (report.accuracy, macro.f1, report.weighted_f1, macro.precision, macro.recall)),
                    f"{macro.fpr:.2e}",
                    _share(report.ece),
                    f"{report.lines:,}",
                    str(len(report.labels)),
                ],
            ],
        )
    ]
    if report.undetermined or report.no_language:
        rows = [["`und`", "`zxx`"], [_share(report.undetermined), _share(report.no_language)]]
        result.append(Table("No language named", rows))
    if differences:
        header = ["", "the other", "this one", "difference", "95 % of resamplings"]
        rows = [
            [d.measure, _fine(d.first), _fine(d.second), _fine(d.difference), f"{_fine(d.low)} to {_fine(d.high)}"]
            for d in differences
        ]
        result.append(Table("Against the other system, paired bootstrap over languages", [header, *rows]))
    buckets = [
        [b.name, f"{b.lines:,}", _share(b.accuracy), _share(b.macro_f1), _share(b.ece)]
        for b in report.by_length
        if b.lines
    ]
    result.append(Table("By length in characters", [["characters", "lines", "accuracy", "macro F1", "ECE"], *buckets]))
    header = ["", "labels", "lines", "F1, global", "F1, within", "FPR, global", "FPR, within"]
    for heading, strata in (("By script", report.by_script), ("By training lines", report.by_tier)):
        rows = [
            [one_line(s.name) or "none in the label", str(s.labels), f"{s.lines:,}", _share(s.f1_global),
             _share(s.f1_within), f"{s.fpr_global:.2e}", f"{s.fpr_within:.2e}"]
            for s in strata
        ]  # fmt: skip
        if rows:
            result.append(Table(heading, [header, *rows]))
    bins = [[f"{b.probability:.4f}", f"{b.accuracy:.4f}", f"{b.lines:,}"] for b in report.reliability]
    if bins:
        result.append(Table("Reliability", [["probability", "accuracy", "lines"], *bins]))
    confused = [_confused(c, every_label) for c in report.confused[:_WORST]]
    if confused:
        result.append(Table("Most confused", [["label", "taken for", "lines", "names", "examples"], *confused]))
    worst_first = sorted(report.labels, key=lambda r: (r.f1, r.label))[: None if every_label else _WORST]
    header = ["label", "name", "lines", "precision", "recall", "F1", "FPR", "training lines"]
    rows = [
        [one_line(r.label), _name(r.label), f"{r.lines:,}", _share(r.precision), _share(r.recall), _share(r.f1),
         f"{r.fpr:.2e}", "" if r.training_lines is None else f"{r.training_lines:,}"]
        for r in worst_first
    ]  # fmt: skip
    result.append(Table("Labels, worst first" if every_label else "Worst labels", [header, *rows]))
    return result


def unknown_labels(report: Report, *, python: bool = False) -> str | None:
    """Say which labels the model does not have, and by which options they can be compared; None where it has all."""
    if not report.unknown:
        return None
    count, shown = len(report.unknown), ", ".join(map(one_line, report.unknown[:_NAMED]))
    is_one = count == 1
    told = (
        f"{count} of {len(report.labels)} labels {'is' if is_one else 'are'} not in the model "
        f"({shown}{', …' * (count > _NAMED)}): {'its' if is_one else 'their'} lines cannot be answered right"
    )
    options = " or ".join(_option(name, python) for name in report.known_by)
    return f"{told}; {options} compares them otherwise" if options else told


def _option(name: str, python: bool) -> str:
    option, _, value = name.partition("=")
    if python:
        return f"{option}={value!r}" if value else f"{option}=True"
    return f"--{option.replace('_', '-')} {value}".rstrip()


def _confused(confusion: Confusion, every_example: bool) -> list[str]:
    examples = confusion.examples[: None if every_example else 1]
    length = _EXCERPT if every_example else _BRIEF_EXCERPT
    return [
        one_line(confusion.label),
        one_line(confusion.answer),
        f"{confusion.lines:,}",
        f"{_name(confusion.label)} for {_name(confusion.answer)}",
        " / ".join(text if len(text) <= length else text[: length - 1] + "…" for text in examples),
    ]


def _name(label: str) -> str:
    return {UNDETERMINED: "undetermined", NO_LANGUAGE: "no language"}.get(label) or one_line(meaning(label).name)


def markdown(report: Report, differences: Sequence[Difference] = (), *, title: str = "Evaluation") -> str:
    """Return an evaluation as Markdown, with every label."""
    parts = [f"# {_markdown(sentence(title))}"]
    if told := unknown_labels(report):
        parts.append(_markdown(told))
    for table in tables(report, differences, every_label=True):
        header, *rows = ["| " + " | ".join(map(_markdown, cells)) + " |" for cells in table.rows]
        rule = "|" + "---|" * len(table.rows[0])
        parts.append("\n".join([f"## {table.heading}", "", header, rule, *rows]))
    return "\n\n".join(parts) + "\n"


def _markdown(text: str) -> str:
    """Return a text that neither ends a cell nor begins a tag."""
    return re.sub(r"[\\|<&]", r"\\\g<0>", text)


def html(report: Report, differences: Sequence[Difference] = (), *, title: str = "Evaluation") -> str:
    """Return an evaluation as one page that needs nothing else."""
    title = sentence(title)
    head = f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{escape(title)}</title>{_STYLE}'
    heading = f"<h1>{escape(title)}</h1>{_told(report)}"
    return "\n".join([head, heading, *_body(report, differences, every_label=True)]) + "\n"


def fragment(report: Report) -> str:
    """Return an evaluation for a notebook: a fragment of HTML that needs nothing else."""
    style = _STYLE.replace("body{", ".unilid-report{").replace("table{", ".unilid-report table{")
    head = f'<div class="unilid-report">{style}{_told(report, python=True)}'
    return "\n".join([head, *_body(report, (), every_label=False), "</div>"])


def _told(report: Report, *, python: bool = False) -> str:
    told = unknown_labels(report, python=python)
    return f"<p>{escape(told)}</p>" if told else ""


def _body(report: Report, differences: Sequence[Difference], *, every_label: bool) -> list[str]:
    parts = ['<div class="plots">', *figures(report), "</div>", confusion_of_groups(report)]
    for table in tables(report, differences, every_label=every_label):
        header, *rows = table.rows
        head = "".join(f"<th>{escape(cell)}" for cell in header)
        body = "".join("<tr>" + "".join(f"<td>{escape(cell)}" for cell in row) for row in rows)
        parts.append(f"<h2>{escape(table.heading)}</h2><table><tr>{head}{body}</table>")
    return parts


def figures(report: Report) -> list[str]:
    """Return the plots: reliability, F1 against training lines, accuracy against length."""
    svgs = []
    if report.reliability:
        axes = plots.Axes("Reliability", "probability", "accuracy", [(i / 5, f"{i / 5:.1f}") for i in range(6)])
        points = [(b.probability, b.accuracy) for b in report.reliability]
        counts = [f"{b.lines:,} lines" for b in report.reliability]
        svgs.append(plots.lines(axes, {"answers": points}, diagonal=True, names={"answers": counts}))
    trained = {r.label: r for r in report.labels if r.training_lines}
    if trained:
        ticks = plots.logarithmic([r.training_lines or 1 for r in trained.values()])
        axes = plots.Axes("F1 of each label", "training lines", "F1", ticks)
        dots = {one_line(label): (math.log10(r.training_lines or 1), r.f1) for label, r in trained.items()}
        svgs.append(plots.scatter(axes, dots))
    buckets = [(i, b) for i, b in enumerate(report.by_length) if b.accuracy is not None]
    if len(buckets) > 1:
        axes = plots.Axes("Length", "characters", "accuracy", [(i, b.name.split()[0]) for i, b in buckets])
        svgs.append(plots.lines(axes, {"accuracy": [(i, b.accuracy or 0.0) for i, b in buckets]}))
    return svgs


def groups(report: Report) -> list[list[str]]:
    """Return the labels that are most confused with each other, in groups."""
    clusters: list[list[str]] = []
    for confusion in report.confused:
        pair = (confusion.label, confusion.answer)
        home = next((group for group in clusters if set(pair) & set(group)), None)
        if home is None and len(clusters) < _GROUPS:
            clusters.append([*pair])
        elif home is not None and len(home) < _GROUP_SIZE:
            home += [label for label in pair if label not in home]
    return clusters


def confusion_of_groups(report: Report) -> str:
    """Return how often the labels of the worst groups are taken for each other, as shaded tables."""
    lines = {result.label: result.lines for result in report.labels}
    counts = {(c.label, c.answer): c.lines for c in report.confused}
    parts = []
    for group in groups(report):
        head = "".join(f"<th>{escape(one_line(label))}" for label in group)
        rows = []
        for label in (label for label in group if label in lines):
            cells = []
            for answer in group:
                share = counts.get((label, answer), 0) / lines[label]
                cells.append(
                    f'<td style="background:rgba(220,38,38,{min(2 * share, 1):.2f})">{share:.1%}' if share else "<td>"
                )
            rows.append(f"<tr><th>{escape(one_line(label))}{''.join(cells)}")
        parts.append(f"<table><tr><th>taken for{head}{''.join(rows)}</table>")
    return f"<h2>The most confused groups</h2>{''.join(parts)}" if parts else ""


def show(report: Report, console: Console, differences: Sequence[Difference] = ()) -> None:
    """Write an evaluation to a terminal."""
    from rich.table import Table as RichTable
    from rich.text import Text

    for table in tables(report, differences):
        header, *rows = table.rows
        rich_table = RichTable(title=table.heading, title_justify="left", title_style="bold")
        for number, name in enumerate(header):
            rich_table.add_column(name, justify="left" if number == 0 or name in _WORDS else "right")
        for row in rows:
            rich_table.add_row(*map(Text, row))  # a label may look like markup
        console.print(rich_table)
    if told := unknown_labels(report):
        console.print(Text(told), soft_wrap=True)


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}"


def _fine(value: float) -> str:
    return f"{value:.4f}" if abs(value) >= 0.001 or value == 0 else f"{value:.2e}"


_STYLE = (
    "<style>body{font:14px/1.5 sans-serif;max-width:1040px;margin:2em auto;padding:0 1em;color:#111827}"
    "table{border-collapse:collapse;margin:.5em 0 1.5em}td,th{padding:.15em .8em;border-bottom:1px solid #e5e7eb;"
    "text-align:right}td:first-child,th:first-child{text-align:left}.plots{display:flex;flex-wrap:wrap;gap:1em}</style>"
)
