"""The page in a browser: one server and one browser for all tests of a process."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from support.browser import ROOT, SCREENSHOTS, Watched, chromium, serving
from support.libraries import library


@pytest.fixture(scope="session")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("page") / "site"
    subprocess.run([sys.executable, str(ROOT / "tools/make_site.py"), str(folder)], check=True)
    with serving(folder) as url:
        yield url


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    playwright = library("playwright.sync_api")
    with playwright.sync_playwright() as engine:
        started = engine.chromium.launch(**chromium())
        yield started
        started.close()


@pytest.fixture(scope="session")
def profiles() -> dict[str, Any]:
    """Browser profiles by their options: those who come back have the model in their cache."""
    return {}


Visit = Callable[..., Watched]


@pytest.fixture
def visit(browser: Any, profiles: dict[str, Any], address: str) -> Iterator[Visit]:
    """A visitor with a tab of their own; `fresh` with a browser of their own. Options are those of Playwright."""
    visitors: list[tuple[Watched, bool]] = []

    def new(*, fresh: bool = False, **options: Any) -> Watched:
        profile = None if fresh else profiles.get(repr(options))
        if profile is None:
            profile = browser.new_context(**{"viewport": {"width": 1200, "height": 860}, "locale": "en-GB", **options})
            profile.set_default_timeout(20_000)
            if not fresh:
                profiles[repr(options)] = profile
        visitor = Watched(profile.new_page(), address)
        visitors.append((visitor, fresh))
        return visitor

    yield new
    for visitor, fresh in visitors:
        visitor.leave()
        if fresh:
            visitor.page.context.close()
    for visitor, _ in visitors:
        visitor.check()


@pytest.fixture
def page(visit: Visit) -> Any:
    """The page, loaded, as a visitor finds it."""
    return visit().open()


@pytest.fixture(scope="session")
def screenshot() -> Callable[..., None]:
    """Keep what is seen, as an artefact and for the documentation."""
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)

    def take(page: Any, name: str, **options: Any) -> None:
        page.screenshot(path=SCREENSHOTS / f"{name}.png", animations="disabled", **options)

    return take
