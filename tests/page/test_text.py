"""A text: its language while it is typed, its stretches, its words, and why not another language."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pytest
from support.adapters import compact
from support.browser import in_address, not_in_address

GERMAN = "Wo ist der nächste Bahnhof, und wann fährt der letzte Zug?"
MIXED = "Er sagte: “That is none of your business.” Dann ging er nach Hause und schwieg."
NORWEGIAN = "Hva er klokka nå, min venn?"
Visit = Callable[..., Any]
Take = Callable[..., None]


def shown(probability: float) -> str:
    """A probability as the page writes it."""
    if 0.999 < probability < 1:
        return "> 99.9%"
    if 0 < probability < 0.001:
        return "< 0.1%"
    return f"{100 * probability:.1f}".removesuffix(".0") + "%"


def answered(page: Any, name: str) -> Any:
    """Wait until the answer has this name."""
    page.locator(".name h2", has_text=re.compile(f"^{re.escape(name)}$")).wait_for()
    return page.locator(".answer")


def test_the_answer_is_there_while_one_types(page: Any, screenshot: Take) -> None:
    screenshot(page, "empty")
    page.get_by_label("Text", exact=True).press_sequentially(GERMAN[:30])
    answer = answered(page, "Deutsch")
    page.get_by_label("Text", exact=True).press_sequentially(GERMAN[30:])
    best, *rest = compact().identify(GERMAN, k=5)
    page.locator(".probability", has_text=shown(best.probability)).wait_for()
    assert answer.locator(".readers-name").inner_text() == "German"
    assert answer.locator(".code").inner_text() == best.label == "deu_Latn"
    rows = answer.locator("ol li").all()
    assert [row.locator("bdi").inner_text() for row in rows] == [one.name for one in rest]
    assert [row.locator(".figure").inner_text() for row in rows] == [shown(one.probability) for one in rest]
    page.locator("[role=status]", has_text="German, > 99.9%").wait_for(state="attached")  # what a screen reader says


def test_names_are_in_the_language_of_the_reader(visit: Visit) -> None:
    page = visit(locale="de-DE").open(f"#text={quote('Je suis très content de vous voir aujourd’hui.')}")
    answer = answered(page, "français")
    assert answer.locator(".readers-name").inner_text() == "Französisch"


def test_examples_are_a_click_away(page: Any) -> None:
    page.get_by_role("button", name="A small language").click()
    answered(page, "Cymraeg")


def test_stretches_are_those_of_the_model_with_a_legend(page: Any, screenshot: Take) -> None:
    page.get_by_label("Text", exact=True).fill(MIXED)
    page.locator(".stretch").nth(2).wait_for()
    expected = [(span.label, MIXED[span.start : span.end]) for span in compact().spans(MIXED)]
    stretches = page.locator(".stretch").all()
    assert [(one.get_attribute("data-label"), one.text_content()) for one in stretches] == expected
    colours = [one.evaluate("element => getComputedStyle(element).backgroundColor") for one in stretches]
    assert colours[0] == colours[2] != colours[1]
    legend = page.get_by_role("list", name="Languages of the text").get_by_role("listitem").all_inner_texts()
    assert [re.sub(r"\s+[\d.]+%$", "", text) for text in legend] == ["German", "English"]
    screenshot(page, "mixed", full_page=True)
    page.evaluate("scrollTo(0, 0)")
    screenshot(page, "home", clip={"x": 0, "y": 0, "width": 1200, "height": 710})
    page.emulate_media(color_scheme="dark")
    screenshot(page, "mixed-dark", full_page=True)


def test_a_word_says_under_the_pointer_what_it_says(page: Any, screenshot: Take) -> None:
    page.get_by_label("Text", exact=True).fill(NORWEGIAN)
    word = compact().explain(NORWEGIAN).deciding[0]
    assert word.text == b"Hva"
    page.get_by_role("button", name="Hva", exact=True).hover()
    card = page.locator("#word-card")
    card.wait_for()
    assert card.locator("h3").inner_text() == "Hva"
    ratio = float(f"{math.exp(word.difference):.2g}")
    assert f"{ratio:,.0f} times likelier in Norwegian Bokmål than in Norwegian Nynorsk" in card.inner_text()
    letters = card.locator(".letter").all()
    sides = word.language_score.characters, word.instead_score.characters
    differences = [a.score - b.score for a, b in zip(*sides, strict=True)]
    expected = ["" if abs(nats) < 0.05 else abs(nats) for nats in differences]
    figures = [letter.locator(".figure").inner_text() for letter in letters]
    assert ["" if not figure else float(figure) for figure in figures] == pytest.approx(expected, abs=0.0501)
    screenshot(page, "word")
    page.keyboard.press("Escape")
    page.mouse.move(5, 5)
    card.wait_for(state="hidden")


def test_words_are_reached_with_the_keyboard(page: Any) -> None:
    page.get_by_label("Text", exact=True).fill(NORWEGIAN)
    first = page.get_by_role("button", name="Hva", exact=True)
    first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    focused = page.locator(".word:focus")
    assert focused.inner_text() == "klokka"
    described = focused.get_attribute("aria-describedby")
    assert "likelier in" in page.locator(f"#{described}").inner_text()
    page.keyboard.press("End")
    assert page.locator(".word:focus").inner_text() == "venn"
    page.keyboard.press("Escape")
    page.locator("#word-card").wait_for(state="hidden")


def chart(page: Any) -> dict[str, float]:
    """What the chart shows: words with their nats, below zero on the left."""
    rows = {}
    for row in page.locator(".versus tbody tr").all():
        left, word, right = (cell.inner_text().strip() for cell in row.locator("td, th").all())
        rows[word] = float(right) if right else -float(left)
    return rows


def test_two_languages_are_chosen_and_compared(page: Any, screenshot: Take) -> None:
    page.get_by_label("Text", exact=True).fill(NORWEGIAN)
    page.locator(".versus").wait_for()
    for field, name in ("Why", "Danish"), ("Rather than", "Swedish"):
        page.get_by_role("combobox", name=field, exact=True).press_sequentially(name)
        page.get_by_role("option", name=name).first.wait_for()
        page.keyboard.press("Enter")
        page.locator(".versus thead", has_text=name).wait_for()
    expected = compact().explain(NORWEGIAN, "dan_Latn", "swe_Latn")
    words = {word.text.decode(): word.difference for word in expected.words if word.counts}
    found = chart(page)
    prior = found.pop("expected beforehand")
    assert found == pytest.approx({word: nats for word, nats in words.items() if nats}, abs=0.0501)
    assert prior == pytest.approx(expected.prior, abs=0.0501)
    assert sum(found.values()) + prior == pytest.approx(expected.difference, abs=0.5)
    in_address(page, "pair=dan_Latn%2Cswe_Latn")
    screenshot(page, "why", full_page=True)


def test_a_handicap_is_one_of_the_reasons(visit: Visit, tmp_path: Path) -> None:
    few = compact().subset(["dan_Latn", "nob_Latn", "swe_Latn"])
    model = replace(few, decisions=replace(few.decisions, handicaps=np.array([0.0, 0.5, 1.0])))
    model.save(tmp_path / "model.unilid")
    visitor = visit(fresh=True)
    visitor.page.context.route("**/compact.unilid", lambda route: route.fulfill(path=tmp_path / "model.unilid"))
    page = visitor.open("#pair=nob_Latn%2Cdan_Latn")
    page.get_by_label("Text", exact=True).fill(NORWEGIAN)
    page.locator(".versus").wait_for()
    expected = model.explain(NORWEGIAN, "nob_Latn", "dan_Latn")
    found = chart(page)
    assert found["handicap"] == pytest.approx(expected.handicap, abs=0.0501)
    assert sum(found.values()) == pytest.approx(expected.difference, abs=0.5)


def test_why_not_is_asked_beside_each_answer(page: Any) -> None:
    page.get_by_label("Text", exact=True).fill(NORWEGIAN)
    page.get_by_role("button", name="Why not Danish?").click()
    page.locator(".versus thead", has_text="Danish").wait_for()
    in_address(page, "pair=nob_Latn%2Cdan_Latn")


def test_what_is_no_language_is_said_in_a_sentence(page: Any) -> None:
    for text, heading, sentence in (
        ("+49 30 901820", "No language", "only numbers"),
        ("🙂🙂🙂", "No language", "only emoji"),
        ("ÐŸÑ€Ð¸Ð²ÐµÑ‚, Ð¼Ð¸Ñ€", "No language", "wrong encoding"),
        ("ma", "Not sure", "A few more words would help"),
    ):
        page.get_by_label("Text", exact=True).fill(text)
        page.locator(".answer .sentence", has_text=sentence).wait_for()
        answered(page, heading)
        assert compact().identify(text).label == ("zxx" if heading == "No language" else "und")


def test_languages_are_restricted_by_clicking_and_the_address_agrees(visit: Visit) -> None:
    visitor = visit()
    page = visitor.open()
    page.get_by_label("Text", exact=True).fill(NORWEGIAN)
    answered(page, "norsk bokmål")
    page.get_by_text("Options").click()
    page.get_by_role("button", name="+ Danish").click()
    page.get_by_role("combobox", name="Only these languages may be the answer").press_sequentially("sv")
    page.keyboard.press("Enter")
    only = compact().identify(NORWEGIAN, languages=["dan_Latn", "swe_Latn"])
    answered(page, "dansk")
    page.locator(".probability", has_text=shown(only.probability)).wait_for()
    in_address(page, "only=dan_Latn%2Cswe_Latn")
    other = visit().open(page.url.removeprefix(visitor.address))  # someone whom the link was sent to
    answered(other, "dansk")
    assert other.get_by_label("Text", exact=True).input_value() == NORWEGIAN
    page.get_by_text("Options").first.focus()
    page.get_by_role("button", name="Remove Danish").click()
    answered(page, "svenska")
    page.get_by_role("button", name="All again").click()
    answered(page, "norsk bokmål")
    not_in_address(page, "only")


def test_a_prior_is_set_by_clicking_and_the_address_agrees(visit: Visit, screenshot: Take) -> None:
    visitor = visit()
    page = visitor.open(f"#text={quote('la casa')}")
    page.get_by_text("Options").click()
    page.get_by_label("all equally likely").check()
    uniform = compact().identify("la casa", prior=None)
    page.locator(".answer", has_text=shown(uniform.probability)).wait_for()
    in_address(page, "prior=uniform")
    page.get_by_label("as I say").check()
    picker = page.get_by_role("combobox", name="Add a language and its share")
    picker.press_sequentially("Italian")
    page.get_by_role("option", name="Italian").first.click()
    slider = page.get_by_role("slider", name="Expected share of Italian", exact=True)
    slider.fill("95")
    answered(page, "italiano")
    screenshot(page, "options")
    in_address(page, "ita_Latn%3A0.95")
    shares = dict(
        part.split(":") for part in page.evaluate("new URLSearchParams(location.hash.slice(1)).get('prior')").split(",")
    )
    expected = compact().identify("la casa", prior={label: float(share) for label, share in shares.items()})
    page.locator(".probability", has_text=shown(expected.probability)).wait_for()
    again = visit().open(page.url.removeprefix(visitor.address))
    answered(again, "italiano")
    again.locator(".probability", has_text=shown(expected.probability)).wait_for()


def test_doubt_can_be_ruled_out(page: Any) -> None:
    page.get_by_label("Text", exact=True).fill("ma")
    answered(page, "Not sure")
    page.get_by_text("Options").click()
    page.get_by_label("The answer may be").uncheck()
    page.locator(".name .code", has_text=compact().identify("ma", abstain=False).label).wait_for()
    in_address(page, "abstain=no")


def test_back_and_forward_go_through_the_views(page: Any) -> None:
    page.get_by_label("Text", exact=True).fill(GERMAN)
    answered(page, "Deutsch")
    page.get_by_role("link", name="Teach", exact=True).click()
    page.get_by_role("heading", name="Teach it a language").wait_for()
    page.go_back()
    answered(page, "Deutsch")
    assert page.get_by_label("Text", exact=True).input_value() == GERMAN


def test_a_look_at_the_language_loses_nothing_that_was_typed(page: Any) -> None:
    for text in (GERMAN, "Der Zug fährt heute leider nicht mehr. " * 200):  # the second is too long for an address
        page.get_by_label("Text", exact=True).fill(text)
        answered(page, "Deutsch").get_by_role("link", name="deu_Latn").click()
        page.get_by_role("region", name="The language").get_by_role("heading", name="Deutsch").wait_for()
        page.go_back()
        answered(page, "Deutsch")
        assert page.get_by_label("Text", exact=True).input_value() == text
        page.get_by_role("link", name="Languages", exact=True).click()
        page.get_by_role("link", name="Text", exact=True).click()
        assert page.get_by_label("Text", exact=True).input_value() == text


def test_a_link_to_the_view_is_copied(visit: Visit) -> None:
    visitor = visit(permissions=["clipboard-read", "clipboard-write"])
    page = visitor.open()
    page.get_by_label("Text", exact=True).fill(GERMAN)
    page.get_by_role("button", name="Copy a link to this view").click()
    page.get_by_text("The link is copied.").wait_for()
    link = page.evaluate("navigator.clipboard.readText()")
    other = visit().open(link.removeprefix(visitor.address))
    assert other.get_by_label("Text", exact=True).input_value() == GERMAN


def test_an_address_that_asks_for_the_impossible_is_answered_with_a_sentence(visit: Visit) -> None:
    page = visit().open(f"#text={quote(GERMAN)}&only=xyzzy")
    page.get_by_role("alert").filter(has_text="xyzzy").wait_for()


def test_a_text_without_spaces_is_cut_between_characters(page: Any) -> None:
    text = "今" + "𠮷野家で牛丼を食べました。" * 500  # the 5,000th unit of UTF-16 is the first half of a character
    page.get_by_label("Text", exact=True).fill(text)
    page.locator(".read .stretch").first.wait_for()
    seen = page.locator(".read").text_content()
    assert len(seen) > 4000
    assert text.startswith(seen)


def test_a_long_text_is_answered_and_says_that_its_link_is_short(page: Any) -> None:
    text = "Der Zug fährt heute leider nicht mehr. " * 400
    page.get_by_label("Text", exact=True).fill(text)
    answered(page, "Deutsch")
    page.get_by_text("too long for a link").wait_for()
    page.get_by_text("characters are shown").wait_for()
    not_in_address(page, "text")


TEXTS = {
    "markup": "<img src=x onerror=alert(1)> <b>Wo ist</b> der Bahnhof? <script>alert(2)</script>",
    "arabic": "صباح الخير يا أصدقائي، كيف حالكم اليوم؟",
    "hebrew and english": "שלום לכולם, what a day, מה שלומכם היום",
    "combining": unicodedata.normalize("NFD", "Cà phê sữa đá rất ngon"),
    "stacked marks": "Z\u0351\u036b\u0343\u036aA\u0334\u0335\u035cLGO\u0328\u0335 kommt heute nach Hause",
    "emoji": "Wo ist der 🚉 Bahnhof, 👩‍👩‍👧 und wann kommt ihr? 𐐔𐐯𐑅",
    "override": "\u202etxet dekcart Wo ist der Bahnhof",
}


def test_any_text_is_shown_as_text(page: Any) -> None:
    for name, text in TEXTS.items():
        page.get_by_label("Text", exact=True).fill(text)
        page.wait_for_function("text => document.querySelector('.read')?.textContent === text", arg=text)
        assert page.locator("main img, main b, main script").count() == 0
        direction = page.locator(".read").evaluate("element => getComputedStyle(element).direction")
        assert direction == ("rtl" if name in {"arabic", "hebrew and english"} else "ltr"), name
        word = page.locator(".word").first
        word.hover()
        page.locator("#word-card").wait_for()
        assert page.locator("#word-card h3").text_content() == word.text_content()
        assert page.locator("header").evaluate("element => getComputedStyle(element).direction") == "ltr"
