"""An evaluation to read: JSON, Markdown, one HTML page, and tables on a terminal."""

from __future__ import annotations

import io
import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, fields
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console
from support.evaluation import HOSTILE, Line, pair_of_reports, some_lines, tallied, training

from unilid.evaluation import view
from unilid.evaluation.metrics import Difference, Report, Tally, compare


def differences() -> list[Difference]:
    return compare(*pair_of_reports(5, 1), samples=100)


@given(lines=some_lines, trained=st.none() | training)
@settings(max_examples=30)
def test_json_has_every_figure(lines: list[Line], trained: dict[str, int] | None) -> None:
    report = tallied(lines).report(trained)
    record = json.loads(report.to_json())
    assert record == asdict(report)
    assert record.keys() == {field.name for field in fields(Report)}


@given(lines=some_lines, trained=st.none() | training)
@settings(max_examples=30)
def test_markdown_has_a_row_for_every_label(lines: list[Line], trained: dict[str, int] | None) -> None:
    report = tallied(lines).report(trained)
    written = view.markdown(report, title="mine")
    assert written.startswith("# mine\n")
    assert written.endswith("|\n")
    rows = [line[2:-2].split(" | ") for line in written.split("\n## Labels, worst first\n")[1].splitlines()[3:]]
    assert sorted(row[0] for row in rows) == sorted(result.label for result in report.labels)
    shown = {row[0]: row for row in rows}
    for result in report.labels:
        _, _, count, precision, recall, f1, fpr, _ = shown[result.label]
        assert [int(count), *map(float, (precision, recall, f1))] == pytest.approx(
            [result.lines, result.precision, result.recall, result.f1], abs=1e-4
        )
        assert float(fpr) == pytest.approx(result.fpr, rel=1e-2)
    worst = [float(row[5]) for row in rows]
    assert worst == sorted(worst)


def test_every_row_of_a_markdown_table_has_the_cells_of_its_header(hostile: Report) -> None:
    for block in view.markdown(hostile, differences()).split("\n\n"):
        if block.startswith("|"):
            assert len({len(re.findall(r"(?<!\\)\|", row)) for row in block.splitlines()}) == 1, block


class Page(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.attributes: set[str] = set()
        self.cells: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes |= {name for name, _ in attrs}
        self.cells.append("")

    def handle_data(self, data: str) -> None:
        if self.cells:
            self.cells[-1] += data


def test_a_page_needs_nothing_else(hostile: Report) -> None:
    page = view.html(hostile, differences(), title="<script>mine")
    assert set(re.findall(r"https?:[^\s\"'<>]*", page)) == {"http://www.w3.org/2000/svg"}
    assert not re.search(r"url\(|@import|//(?!www\.w3\.org/2000/svg)", page)
    read = Page(page)
    assert not set(read.tags) & {"script", "link", "img", "iframe", "object", "b", "i", "red"}
    assert not read.attributes & {"src", "href", "xlink:href", "onload", "onclick"}


def test_a_page_shows_labels_as_they_are_written(hostile: Report) -> None:
    page = view.html(hostile, title="<mine>")
    read = Page(page)
    cells = {cell.strip() for cell in read.cells}
    assert set(HOSTILE) <= cells
    assert "<i>" in cells
    assert "<mine>" in cells
    assert read.tags["table"] == page.count("</table>")
    assert read.tags["svg"] == 3


def test_a_page_has_no_plots_of_what_is_not_known() -> None:
    report = tallied([Line("deu_Latn", "deu_Latn")]).report()
    page = view.html(report)
    assert "<svg" not in page
    assert "confused" not in page
    assert "deu_Latn" in page
    assert "1.0000" in page


def test_the_most_confused_groups_show_how_often_labels_are_taken_for_each_other() -> None:
    lines = [
        *[Line("aaa", "aaa")] * 6, *[Line("aaa", "bbb")] * 2, *[Line("bbb", "bbb")] * 3, Line("bbb", "aaa"),
        *[Line("ccc", "ccc")] * 2, *[Line("ddd", "ddd")], *[Line("ddd", "und")] * 3,
    ]  # fmt: skip
    report = tallied(lines).report()
    assert view.groups(report) == [["ddd", "und"], ["aaa", "bbb"]]
    cells = Page(view.confusion_of_groups(report)).cells
    assert [cell for cell in cells if cell] == [
        "The most confused groups",
        *["taken for", "ddd", "und", "ddd", "75.0%"],
        *["taken for", "aaa", "bbb", "aaa", "25.0%", "bbb", "25.0%"],
    ]


def shown(report: Report, found: Sequence[Difference] = ()) -> str:
    out = io.StringIO()
    view.show(report, Console(file=out, width=140), found)
    return out.getvalue()


def test_a_terminal_shows_labels_as_they_are_written(hostile: Report) -> None:
    written = shown(hostile)
    for label in HOSTILE:
        assert f"│ {label} " in written


def test_a_terminal_shows_the_worst_labels_and_files_have_all() -> None:
    names = [f"l{number:02}" for number in range(30)]
    lines = [Line(name, name if place < number else "und") for number, name in enumerate(names) for place in range(30)]
    report = tallied(lines).report()
    worst = shown(report).split("Worst labels")[1]
    assert re.findall(r"^│ (l\d\d) ", worst, re.M) == names[:20]
    for written, row in ((view.markdown(report), r"^\| (l\d\d) "), (view.html(report), r"<tr><td>(l\d\d)")):
        assert re.findall(row, written.split("Labels, worst first")[1], re.M) == names


def test_differences_are_in_every_report(hostile: Report) -> None:
    found = [
        Difference("macro f1", 0.5, 0.75, 0.25, 0.125, 0.375),
        Difference("macro fpr", 2e-5, 1e-5, -1e-5, -3e-5, 0),
    ]
    cells = ["0.5000", "0.7500", "0.2500", "0.1250 to 0.3750", "2.00e-05", "-1.00e-05", "-3.00e-05 to 0.0000"]
    for written in (view.markdown(hostile, found), view.html(hostile, found), shown(hostile, found)):
        assert [cell for cell in cells if cell not in written] == []
    assert "paired bootstrap" not in view.markdown(hostile) + view.html(hostile) + shown(hostile)


def test_confused_pairs_have_names_and_examples() -> None:
    tally = Tally()
    for number in range(5):
        tally.add("dan_Latn", "nob_Latn", f"example {number} <b>".encode())
    tally.add("dan_Latn", "dan_Latn", b"right")
    report = tally.report()
    assert report.confused[0].examples == ["example 0 <b>", "example 1 <b>", "example 2 <b>"]
    for written in (view.markdown(report), view.html(report), shown(report)):
        assert "Danish for Norwegian Bokmål" in written
        assert "example 0" in written
    assert "example 2 &lt;b&gt;" in view.html(report)


def test_an_example_is_one_short_line() -> None:
    tally = Tally()
    tally.add("dan_Latn", "nob_Latn", b"one\n\x1b[2J two " + b"x" * 10_000)
    [example] = tally.report().confused[0].examples
    assert example.startswith("one \ufffd[2J two xxx")
    assert len(example) <= 200


def test_points_of_reliability_have_the_lines_behind_them() -> None:
    report = tallied([Line("deu_Latn", "deu_Latn", thousandths=990)] * 1234).report()
    assert "<title>1,234 lines</title>" in view.html(report)
    rows = view.markdown(report).split("## Reliability\n\n")[1].splitlines()
    assert rows[2] == "| 0.9900 | 1.0000 | 1,234 |"


def test_a_notebook_shows_plots_and_tables(hostile: Report) -> None:
    fragment = Page(hostile._repr_html_())
    assert fragment.tags["svg"] == 3
    assert fragment.tags["table"] > 3
    assert not set(fragment.tags) & {"html", "body", "script", "b", "i"}
    assert set(HOSTILE) <= {cell.strip() for cell in fragment.cells}


def test_labels_that_the_model_does_not_have_are_told_wherever_a_report_is_read() -> None:
    lines = [Line("deu", "deu_Latn"), Line("eng", "eng_Latn"), Line("fra", "fra_Latn"), Line("ell_Grek", "ell_Grek")]
    report = tallied(lines).report(known=["deu_Latn", "eng_Latn", "fra_Latn", "ell_Grek"])
    told = "3 of 4 labels are not in the model (deu, eng, fra): their lines cannot be answered right; "
    by_command = told + "--script-blind or --codes bcp47 compares them otherwise"
    console = Console(file=io.StringIO(), width=60)
    view.show(report, console)
    assert isinstance(console.file, io.StringIO)
    assert console.file.getvalue().endswith(f"\n{by_command}\n")
    assert f"\n\n{by_command}\n\n" in view.markdown(report)
    assert f"<p>{by_command}</p>" in view.html(report)
    assert f"<p>{told}script_blind=True or codes=&#x27;bcp47&#x27; compares them otherwise</p>" in view.fragment(report)


def test_one_label_that_nothing_compares_and_many_are_told_briefly() -> None:
    report = tallied([Line("spam", "deu_Latn"), Line("und", "und")]).report(known=["deu_Latn"])
    told = "1 of 2 labels is not in the model (spam): its lines cannot be answered right"
    assert view.unknown_labels(report) == told
    many = tallied([Line(f"<{n}>", "deu_Latn") for n in range(7)]).report(known=["deu_Latn"])
    assert "7 of 7 labels are not in the model (<0>, <1>, <2>, <3>, <4>, …)" in (view.unknown_labels(many) or "")
    assert "(&lt;0&gt;, " in view.html(many)
    known = tallied([Line("deu_Latn", "und")]).report(known=["deu_Latn"])
    assert view.unknown_labels(known) is None
    assert "<p>" not in view.html(known) + view.fragment(known)
