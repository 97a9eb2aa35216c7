"""The page as `unilid serve` serves it: with its headers, compressed, and with the model of the service."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest
from support.adapters import compact
from support.browser import Watched
from support.libraries import library

TEXT = "Wo ist der nächste Bahnhof?"


@pytest.fixture
def visitor(browser: Any) -> Any:
    library("granian")
    from support.service import Service

    with Service() as service:
        profile = browser.new_context(locale="en-GB")
        visitor = Watched(profile.new_page(), f"{service.url}/")
        yield visitor
        profile.close()
        visitor.check()


def test_the_service_serves_the_page_that_answers(visitor: Watched) -> None:
    page = visitor.open(f"#text={quote(TEXT)}")
    page.locator(".name h2", has_text="Deutsch").wait_for()
    assert page.locator(".name .code").inner_text() == compact().identify(TEXT).label
    page.locator(".versus").wait_for()
    asked = {url.rpartition("/")[2] for _, url in visitor.requests}
    assert not asked & {"identify", "spans", "explain"}  # the browser answers, not the service
    visitor.requests.clear()
    visitor.open("?again")
    assert [method for method, url in visitor.requests if url.endswith("compact.unilid")] == ["HEAD"]
