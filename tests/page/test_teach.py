"""Teaching: a language is named and shown, answers change at once, and nobody else hears of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from support.adapters import compact

import unilid

LINES = [
    "Kalimera, ti kaneis simera?",
    "Pou einai o stathmos tou trenou?",
    "Tha ithela enan kafe kai ligo nero, parakalo.",
    "Den xero ti na po, alla efcharisto poli.",
    "Avrio tha pame sti thalassa me ta paidia.",
    "Poso kanei afto to vivlio?",
    "I mitera mou menei stin Athina edo kai deka chronia.",
    "Ti ora fevgei to teleftaio leoforeio?",
    "Signomi, den katalavaino kala ellinika.",
    "To fagito itan poli nostimo, kali orexi se olous!",
]
NEW = "Kalinichta, tha pame avrio sti thalassa."
Take = Callable[..., None]


def teach(page: Any, label: str, lines: list[str]) -> None:
    page.get_by_role("link", name="Teach", exact=True).click()
    page.get_by_label("Name").fill(label)
    # As a paste does; Playwright's `fill` inserts line by line, which takes seconds for many.
    page.get_by_label("Lines").evaluate(
        "(field, text) => { field.value = text; field.dispatchEvent(new Event('input', { bubbles: true })); }",
        "\n".join(lines),
    )
    page.get_by_role("button", name="Teach it").click()


def test_a_lesson_changes_the_answers_at_once(page: Any, screenshot: Take, tmp_path: Path) -> None:
    teach(page, "ell_Latn", LINES)
    page.get_by_role("heading", name="It now knows ell_Latn").wait_for()
    taught = compact().add_language("ell_Latn", LINES)
    names = {"zxx": "No language", "und": "Not sure", "ell_Latn": "ell_Latn"}
    table = page.locator(".changes").last.locator("tbody tr")
    cells = table.evaluate_all("rows => rows.map(row => [...row.children].map(cell => cell.textContent))")
    for line, cell, before, after in zip(LINES, cells, compact().identify(LINES), taught.identify(LINES), strict=True):
        assert cell[0] == line
        assert cell[1].startswith(names.get(before.label, before.name))
        assert cell[2].startswith(names.get(after.label, after.name))
    held_out = LINES[4::5]
    others = compact().add_language("ell_Latn", [line for line in LINES if line not in held_out])
    right = sum(answer.label == "ell_Latn" for answer in others.identify(held_out))
    page.get_by_text(f"Of 2 held-out lines, {right} {'is' if right == 1 else 'are'} recognised").wait_for()
    page.get_by_label("Try a sentence that it has not seen").fill(NEW)
    page.locator(".tried", has_text="ell_Latn").wait_for()
    page.locator(".lesson").evaluate("lesson => lesson.scrollIntoView()")
    screenshot(page, "teach")

    page.get_by_role("link", name="Text", exact=True).click()
    page.get_by_label("Text", exact=True).fill(NEW)
    page.locator(".name .code", has_text="ell_Latn").wait_for()
    page.get_by_role("link", name="Teach", exact=True).click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download the model").click()
    download.value.save_as(tmp_path / "taught.unilid")
    assert download.value.suggested_filename == "ell_Latn.unilid"
    saved = unilid.load(tmp_path / "taught.unilid")
    assert saved.languages == taught.languages
    assert saved.identify(NEW, k=3) == taught.identify(NEW, k=3)


def test_what_one_visitor_teaches_is_not_seen_by_others_and_is_forgotten(visit: Callable[..., Any]) -> None:
    page = visit().open()
    teach(page, "my_dialect", LINES)
    page.get_by_text("This tab also knows my_dialect").wait_for()
    other = visit(fresh=True).open("#view=languages&search=my_dialect")
    other.get_by_text("0 languages").wait_for()
    same_browser = page.context.new_page()
    same_browser.goto(page.url.split("#")[0] + "#view=languages&search=my_dialect")
    same_browser.get_by_text("0 languages").wait_for()
    page.get_by_role("link", name="Languages", exact=True).click()
    page.get_by_label("Find").fill("my_dialect")
    page.get_by_role("row", name="my_dialect").wait_for()
    page.get_by_role("button", name="Forget").click()
    page.get_by_text("0 languages").wait_for()
    page.get_by_text("This tab also knows").wait_for(state="detached")


def test_two_lessons_add_up(page: Any) -> None:
    teach(page, "one", LINES)
    page.get_by_role("heading", name="It now knows one").wait_for()
    teach(page, "two", ["Ug bla snork fnord", "Fnord ug ug snork bla", "Bla snork ug fnord ug"])
    page.get_by_role("heading", name="It now knows two").wait_for()
    page.get_by_text("This tab also knows one, two").wait_for()
    page.get_by_role("link", name="Text", exact=True).click()
    for text, label in ((NEW, "one"), ("snork bla fnord ug", "two")):
        page.get_by_label("Text", exact=True).fill(text)
        page.locator(".name .code", has_text=label).wait_for()


def test_what_a_tab_learns_is_bounded(page: Any) -> None:
    for number in range(8):
        teach(page, f"language{number}", LINES[:2])
        page.get_by_role("heading", name=f"It now knows language{number}").wait_for()
    teach(page, "language8", LINES[:2])
    page.get_by_role("alert").filter(has_text="all that it has room for").wait_for()
    page.get_by_role("button", name="Forget").click()
    page.get_by_text("This tab also knows").wait_for(state="detached")
    teach(page, "language8", LINES[:2])
    page.get_by_role("heading", name="It now knows language8").wait_for()


def test_what_cannot_be_taught_is_said_in_a_sentence(page: Any) -> None:
    for label, lines, sentence in (
        ("", LINES, "Give the language a name."),
        ("my dialect", LINES, "A name has no spaces: write my_dialect."),
        ("deu_Latn", LINES, "The model knows deu_Latn already"),
        ("zxx", LINES, "zxx"),
        ("new", [], "Paste at least one line."),
        ("new", ["zu viel"] * 2001, "up to 2,000"),
        ("new", ["viel zu lang " * 1000] * 20, "up to 200,000"),
    ):
        teach(page, label, lines)
        page.get_by_role("alert").filter(has_text=sentence).wait_for()
        assert page.get_by_text("This tab also knows").count() == 0
