"""The page for everybody: axe-core finds nothing, a phone is wide enough, and a keyboard is all that one needs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest
from support.browser import axe

MIXED = "#text=" + quote("Er sagte: “That is none of your business.” Dann ging er nach Hause. 12:30")
PHONE = {"viewport": {"width": 390, "height": 844}, "device_scale_factor": 1.5}
Visit = Callable[..., Any]
Take = Callable[..., None]


def prepare(page: Any, name: str) -> None:
    """Bring a view into the state in which it has the most to show."""
    if name == "text":
        page.locator(".versus").wait_for()
        page.get_by_text("Options").click()
        page.get_by_label("as I say").check()
        page.locator(".word").first.focus()
    elif name == "file":
        page.get_by_role("button", name="Or try it with some lines").click()
        page.get_by_role("button", name="German").click()
    elif name == "teach":
        page.get_by_role("button", name="Try it with Greek").click()
        page.get_by_role("button", name="Teach it").click()
        page.locator(".tried table").wait_for()
    elif name == "languages":
        page.locator(".detail h2").wait_for()


VIEWS = {
    "empty": "",
    "text": MIXED,
    "unsure": "#text=ma",
    "file": "#view=file",
    "teach": "#view=teach",
    "languages": "#view=languages&language=hrv_Latn",
}


@pytest.mark.parametrize("name", VIEWS)
def test_axe_finds_no_violation_in_light_and_dark(visit: Visit, screenshot: Take, name: str) -> None:
    program = axe()
    page = visit(reduced_motion="reduce").open(VIEWS[name])
    prepare(page, name)
    page.evaluate(program)
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        found = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")
        violations = [(one["id"], [node["html"] for node in one["nodes"]]) for one in found["violations"]]
        assert violations == [], scheme
        assert found["passes"]
    screenshot(page, f"dark-{name}")


@pytest.mark.parametrize("name", VIEWS)
def test_a_phone_is_wide_enough(visit: Visit, screenshot: Take, name: str) -> None:
    page = visit(**PHONE, has_touch=True).open(VIEWS[name])
    prepare(page, name)
    page.evaluate("document.activeElement.blur()")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    small = page.evaluate(
        "[...document.querySelectorAll('button, select, input, textarea, nav a')].filter(e => e.offsetParent)"
        ".filter(e => e.getBoundingClientRect().right > innerWidth + 1).map(e => e.outerHTML)"
    )
    assert small == []
    screenshot(page, f"phone-{name}")


def test_a_tap_on_a_phone_shows_what_a_word_says(visit: Visit) -> None:
    page = visit(**PHONE, has_touch=True).open(MIXED)
    page.get_by_role("button", name="Dann", exact=True).tap()
    card = page.locator("#word-card")
    card.wait_for()
    box = card.bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390


def test_the_keyboard_is_all_that_one_needs(page: Any) -> None:
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")  # from the skip link into the text
    page.keyboard.type("Wo ist der Bahnhof?")
    page.locator(".versus").wait_for()
    named = "[document.activeElement].map(one => (one.getAttribute('aria-label') || one.textContent).trim())[0]"
    order = []
    for _ in range(30):
        page.keyboard.press("Tab")
        order.append(page.evaluate(named))
    assert order[:3] == ["Clear", "Copy a link to this view", "Options"]
    assert "Wo" in order
    assert "Swap the two languages" in order
    assert order.index("Wo") < order.index("Swap the two languages")
    assert "ist" not in order  # one word is in the order of the tab key; arrows go on


def test_every_focus_is_seen(page: Any) -> None:
    page.get_by_label("Text", exact=True).fill("Wo ist der Bahnhof?")
    page.locator(".versus").wait_for()
    for _ in range(12):
        page.keyboard.press("Tab")
        outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert outline != "none", page.evaluate("document.activeElement.outerHTML")
