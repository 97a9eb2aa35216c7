"""The list of languages: found by name, script and source, with what is known of each."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from support.adapters import compact
from support.browser import ROOT, in_address

Visit = Callable[..., Any]
Take = Callable[..., None]
CONFUSED = json.loads((ROOT / "web/languages.json").read_text(encoding="utf-8"))["confused"]


def test_all_languages_of_the_model_are_listed(page: Any, screenshot: Take) -> None:
    page.get_by_role("link", name="Languages", exact=True).click()
    assert page.locator(".table").get_attribute("aria-rowcount") == str(len(compact().languages) + 1)
    page.get_by_text(f"{len(compact().languages):,} languages.").wait_for()
    screenshot(page, "languages")


def test_a_language_is_found_by_any_of_its_names(page: Any) -> None:
    page.get_by_role("link", name="Languages", exact=True).click()
    for query in ("German", "deutsch", "deu_Latn", "de"):
        page.get_by_label("Find").fill(query)
        page.locator(".rows .row").first.filter(has_text="deu_Latn").wait_for()
    page.get_by_label("Find").fill("francais")
    page.locator(".rows .row").first.filter(has_text="fra_Latn").wait_for()
    page.get_by_label("Find").fill("no such language")
    page.get_by_text("Try another name").wait_for()


def test_script_and_source_narrow_the_list(page: Any) -> None:
    page.get_by_role("link", name="Languages", exact=True).click()
    page.get_by_label("Script").select_option("Georgian")
    georgian = [label for label in compact().languages if label.endswith("_Geor")]
    assert sorted(page.locator(".rows .code").all_inner_texts()) == sorted(georgian)
    in_address(page, "script=Geor")
    page.get_by_label("Script").select_option("any")
    facts = compact().info["labels"]
    page.get_by_label("Source of the text").select_option("nusax")
    nusax = [label for label, own in facts.items() if "nusax" in own.get("sources", [])]
    assert sorted(page.locator(".rows .code").all_inner_texts()) == sorted(nusax)


def test_a_language_says_how_well_it_is_known_and_with_what_it_is_mixed_up(visit: Visit, screenshot: Take) -> None:
    visitor = visit()
    page = visitor.open("#view=languages&search=bos_Latn")
    page.get_by_role("button", name="Bosnian").click()
    detail = page.get_by_role("region", name="The language")
    detail.get_by_role("heading", name="bosanski").wait_for()
    f1 = compact().info["labels"]["bos_Latn"]["f1"]
    assert f"F1 {f1:.2f}" in detail.inner_text()
    taken_for = [other for other, _ in CONFUSED["bos_Latn"]]
    taken_for_it = {label for label, others in CONFUSED.items() if "bos_Latn" in [other for other, _ in others]}
    links = [link.get_attribute("href").rpartition("language=")[2] for link in detail.get_by_role("link").all()]
    assert links[: len(taken_for)] == taken_for
    assert set(links[len(taken_for) :]) == taken_for_it
    in_address(page, "language=bos_Latn")
    screenshot(page, "language")
    again = visit().open(page.url.removeprefix(visitor.address))
    again.get_by_role("heading", name="bosanski").wait_for()
    detail.get_by_role("link", name="Croatian").first.click()
    detail.get_by_role("heading", name="hrvatski").wait_for()
    page.get_by_role("button", name="Ask for it and its neighbours alone").click()
    page.get_by_label("Text", exact=True).wait_for()
    in_address(page, "only=hrv_Latn")


def test_the_order_is_chosen(page: Any) -> None:
    page.get_by_role("link", name="Languages", exact=True).click()
    page.get_by_label("Order").select_option("least well known first")
    facts = compact().info["labels"]
    worst = min((own["f1"], label) for label, own in facts.items() if own.get("f1") is not None)
    assert page.locator(".rows .share").first.inner_text() == f"{worst[0]:.2f}"
