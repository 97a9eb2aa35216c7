"""A file: its lines with their languages, shares, filters, and the table that is taken home."""

from __future__ import annotations

import csv
import gzip
import io
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.adapters import compact

LINES = [
    "Wo ist der nächste Bahnhof?",
    "Where is the next station?",
    "",
    "=SUM(A1:A9) is what she wrote on the paper",
    "Quelle heure est-il ?",
    "12:30",
    "Der Zug fährt heute leider nicht mehr.",
    "<b>Ich weiß es nicht</b>, sagte er",
    "صباح الخير يا أصدقائي",
]
FULL = [line for line in LINES if line]
Take = Callable[..., None]


def choose(page: Any, name: str, content: bytes) -> None:
    page.get_by_role("link", name="File", exact=True).click()
    page.get_by_label("Choose a file").set_input_files({"name": name, "mimeType": "text/plain", "buffer": content})


def finished(page: Any) -> None:
    page.get_by_role("button", name="Download as CSV").wait_for()
    page.locator(".loading").wait_for(state="detached")


def rows(page: Any) -> list[list[str]]:
    """The cells of the rows in sight."""
    found: list[list[str]] = page.locator(".rows .row").evaluate_all(
        "rows => rows.map(row => [...row.children].map(cell => cell.textContent))"
    )
    return found


def downloaded(page: Any, path: Path) -> list[dict[str, str]]:
    with page.expect_download() as download:
        page.get_by_role("button", name="Download as CSV").click()
    assert download.value.suggested_filename == "lines-languages.csv"
    download.value.save_as(path)
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig"), newline="")))


def test_lines_have_the_languages_that_the_model_gives_them(page: Any, tmp_path: Path, screenshot: Take) -> None:
    choose(page, "lines.txt", "\n".join(LINES).encode())
    finished(page)
    answers = compact().identify(FULL)
    found = rows(page)
    assert [(row[0], row[3]) for row in found] == [(str(i), line) for i, line in enumerate(LINES, 1) if line]
    names = {"zxx": "No language", "und": "Not sure"}
    assert [row[1] for row in found] == [names.get(answer.label, answer.name) for answer in answers]
    shares = page.get_by_role("list", name="Lines by language").get_by_role("button").all()
    counts = Counter(answer.label for answer in answers)
    assert {one.get_attribute("data-label"): int(one.inner_text().split()[-2]) for one in shares} == counts
    table = downloaded(page, tmp_path / "all.csv")
    assert [row["label"] for row in table] == [answer.label for answer in answers]
    assert [float(row["probability"]) for row in table] == pytest.approx([a.probability for a in answers], abs=1e-4)
    assert [row["text"].removeprefix("'") for row in table] == FULL
    screenshot(page, "file")


def test_filters_leave_what_they_say(page: Any, tmp_path: Path) -> None:
    choose(page, "lines.txt", "\n".join(LINES).encode())
    finished(page)
    page.get_by_role("button", name="German").click()
    assert page.get_by_role("button", name="German").get_attribute("aria-pressed") == "true"
    assert {row[1] for row in rows(page)} == {"German"}
    page.get_by_label("Find").fill("zug FAHRT")
    assert [row[3] for row in rows(page)] == ["Der Zug fährt heute leider nicht mehr."]
    assert [row["text"] for row in downloaded(page, tmp_path / "some.csv")] == [
        "Der Zug fährt heute leider nicht mehr."
    ]
    page.get_by_label("Find").fill("")
    page.get_by_role("button", name="German").click()
    page.get_by_label("Probability").select_option("at least 99%")
    sure = [line for line, answer in zip(FULL, compact().identify(FULL), strict=True) if answer.probability >= 0.99]
    assert [row[3] for row in rows(page)] == sure


def test_no_cell_of_the_csv_is_a_formula(page: Any) -> None:
    cells = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", " =1", "＝1"]
    text = page.evaluate(
        "async cells => (await import('/csv.js')).toCsv([['text'], ...cells.map(cell => [cell])])", cells
    )
    rows = csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline=""))
    assert [row["text"] for row in rows] == [f"'{cell}" for cell in cells]


def test_a_line_is_looked_at_with_a_click(page: Any) -> None:
    choose(page, "lines.txt", "\n".join(LINES).encode())
    finished(page)
    page.get_by_role("button", name="Quelle heure").click()
    page.locator(".name h2", has_text="français").wait_for()
    assert page.get_by_label("Text", exact=True).input_value() == "Quelle heure est-il ?"


def test_ten_thousand_lines_need_few_elements(page: Any, tmp_path: Path) -> None:
    lines = [f"{line} {number}" for number in range(2500) for line in FULL[:4]]
    choose(page, "lines.txt", "\r\n".join(lines).encode())
    finished(page)
    assert page.locator(".table").get_attribute("aria-rowcount") == "10001"
    page.locator(".table").hover()
    seen = []
    for _ in range(12):
        page.mouse.wheel(0, 700)
        page.wait_for_timeout(40)
        seen.append(page.locator(".rows .row").count())
    assert max(seen) < 60
    page.locator(".table").focus()
    page.keyboard.press("End")
    page.get_by_role("row", name=lines[-1]).wait_for()
    expected = compact().identify(lines)
    assert [row["label"] for row in downloaded(page, tmp_path / "all.csv")] == [answer.label for answer in expected]


def test_a_long_file_is_cancelled_and_keeps_what_was_answered(page: Any) -> None:
    lines = [f"Wo ist der Bahnhof Nummer {number}?" for number in range(100_000)]
    choose(page, "lines.txt", "\n".join(lines).encode())
    page.get_by_role("button", name="Cancel").click()
    page.get_by_text("Cancelled").wait_for()
    count = int(page.locator(".table").get_attribute("aria-rowcount") or 0) - 1
    assert count < len(lines)
    assert "progress" not in page.locator(".file-view").inner_html()


def test_a_file_is_dropped_anywhere(page: Any) -> None:
    page.evaluate(
        """text => {
            const data = new DataTransfer();
            data.items.add(new File([text], "dropped.txt"));
            const settings = { dataTransfer: data, bubbles: true, cancelable: true };
            for (const type of ["dragover", "drop"]) document.body.dispatchEvent(new DragEvent(type, settings));
        }""",
        "\n".join(LINES),
    )
    finished(page)
    assert page.locator(".file-name").inner_text() == "dropped.txt"
    assert len(rows(page)) == len(FULL)


def test_packed_files_and_other_encodings_are_read(page: Any) -> None:
    text = "\n".join(LINES)
    for name, content in ("packed.txt.gz", gzip.compress(text.encode())), ("wide.txt", text.encode("utf-16")):
        choose(page, name, content)
        page.locator(".file-name", has_text=name).wait_for()
        finished(page)
        assert [row[3] for row in rows(page)] == FULL


def test_what_is_no_text_is_refused_in_a_sentence(page: Any) -> None:
    for content, sentence in (
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "not a text file"),
        (b"\n \n\n", "no lines with text"),
        (gzip.compress(b"abc" * 1000)[:-20], "damaged"),
        (gzip.compress(bytes(51_000_000)), "unpacks to more than"),
    ):
        choose(page, "lines.txt", content)
        page.get_by_role("alert").filter(has_text=sentence).wait_for()


def test_a_file_in_an_old_encoding_is_read_with_a_note(page: Any) -> None:
    choose(page, "old.txt", "Où est la gare ? Très bien, merci.".encode("cp1252"))
    finished(page)
    page.get_by_text("not UTF-8").wait_for()
    assert rows(page)[0][3] == "Où est la gare ? Très bien, merci."


def test_options_that_change_are_offered_to_the_file_again(page: Any) -> None:
    choose(page, "lines.txt", "\n".join(LINES).encode())
    finished(page)
    page.evaluate("location.hash = 'view=file&only=nld_Latn,swe_Latn'")
    page.get_by_role("button", name="Answer again").click()
    finished(page)
    expected = compact().identify(FULL, languages=["nld_Latn", "swe_Latn"])
    names = {"zxx": "No language", "und": "Not sure"}
    page.get_by_role("button", name="Answer again").wait_for(state="detached")
    assert [row[1] for row in rows(page)] == [names.get(answer.label, answer.name) for answer in expected]
    assert compact().identify(FULL[0]).label not in {answer.label for answer in expected}
