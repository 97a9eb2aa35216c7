"""Loading: the model is fetched once, its progress is seen, and what goes wrong is said."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import quote

Visit = Callable[..., Any]


def fetched(visitor: Any) -> list[str]:
    return [method for method, url in visitor.requests if url.endswith("compact.unilid")]


def test_the_model_is_fetched_once_and_kept(visit: Visit) -> None:
    visitor = visit(fresh=True)
    visitor.open()
    assert fetched(visitor) == ["GET"]
    visitor.requests.clear()
    page = visitor.page.context.new_page()
    page.goto(f"{visitor.address}#text={quote('Wo ist der Bahnhof?')}")
    page.locator(".name h2", has_text="Deutsch").wait_for()
    assert fetched(visitor) == ["HEAD"]


def test_a_model_that_was_replaced_is_fetched_anew(visit: Visit) -> None:
    visitor = visit(fresh=True)
    visitor.open()
    visitor.requests.clear()

    def replaced(route: Any) -> None:
        if route.request.method == "HEAD":
            route.fulfill(headers={"last-modified": "Fri, 01 Jan 2100 00:00:00 GMT"})
        else:
            route.continue_()

    visitor.page.context.route("**/compact.unilid", replaced)
    visitor.open("?again")
    assert fetched(visitor) == ["HEAD", "GET"]


def test_what_is_typed_is_asked_of_nobody(visit: Visit) -> None:
    visitor = visit(fresh=True)
    page = visitor.open()
    visitor.requests.clear()
    page.get_by_label("Text", exact=True).fill("Wo ist der Bahnhof?")
    page.locator(".versus").wait_for()
    page.get_by_role("link", name="Languages", exact=True).click()
    page.locator(".rows .row").first.wait_for()
    # Chromium asks again for the icon when an address changes; a fragment is not sent.
    assert {url for _, url in visitor.requests} <= {f"{visitor.address}icon.svg"}


def test_progress_is_shown_while_the_model_is_on_its_way(visit: Visit) -> None:
    visitor = visit(fresh=True)
    held: list[Any] = []

    def hold(route: Any) -> None:
        held.append(route)

    visitor.page.context.route("**/compact.unilid", hold)
    visitor.page.goto(f"{visitor.address}#text={quote('Wo ist der Bahnhof?')}")
    visitor.page.get_by_role("progressbar", name="Loading the model").wait_for()
    visitor.page.get_by_text("The answer comes as soon as the model is here.").wait_for()
    visitor.page.get_by_role("link", name="Teach", exact=True).click()  # the page can be used meanwhile
    visitor.page.get_by_role("link", name="Text", exact=True).click()
    while not held:
        visitor.page.wait_for_timeout(50)
    held[0].continue_()
    visitor.page.locator(".name h2", has_text="Deutsch").wait_for()
    visitor.page.get_by_role("progressbar").wait_for(state="detached")


def test_a_model_that_is_not_there_is_said_in_a_sentence(visit: Visit) -> None:
    visitor = visit(fresh=True)
    visitor.page.context.route("**/compact.unilid", lambda route: route.fulfill(status=404))
    visitor.page.goto(visitor.address)
    visitor.page.get_by_role("alert").filter(has_text="the server answered 404").wait_for()
    assert visitor.page.get_by_role("button", name="Reload").is_visible()
    visitor.complaints.clear()  # the browser's own remark on the 404


def test_a_model_that_is_damaged_is_said_in_a_sentence(visit: Visit) -> None:
    visitor = visit(fresh=True)
    visitor.page.context.route("**/compact.unilid", lambda route: route.fulfill(body=b"no model"))
    visitor.page.goto(visitor.address)
    visitor.page.get_by_role("alert").filter(has_text="Reload").wait_for()


def test_without_a_connection_the_kept_model_serves(visit: Visit) -> None:
    visitor = visit(fresh=True)
    visitor.open()
    visitor.page.context.route("**/compact.unilid", lambda route: route.abort())
    page = visitor.page.context.new_page()
    page.goto(f"{visitor.address}#text={quote('Wo ist der Bahnhof?')}")
    page.locator(".name h2", has_text="Deutsch").wait_for()
