"""A browser, a server of the page's files, and axe-core, where they are installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

import pytest

from support.libraries import is_required

ROOT = Path(__file__).parents[2]
SCREENSHOTS = Path(os.environ.get("UNILID_SCREENSHOTS") or ROOT / "build/screenshots")
AXE = "4.10.3"
_BROWSERS = ("chromium", "chromium-browser", "google-chrome")
_SILENT = ["--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"]


def missing(what: str) -> None:
    """Skip for want of something; fail where UNILID_REQUIRE says that all must be there."""
    if is_required("chromium"):
        pytest.fail(f"{what} is missing")
    pytest.skip(f"{what} is not installed")


def chromium() -> dict[str, Any]:
    """Return how Playwright starts the browser of this machine; skip where there is none."""
    for name in _BROWSERS:
        path = shutil.which(name)
        if path:
            return {"executable_path": path, "args": ["--no-sandbox", *_SILENT]}
    missing("chromium")
    raise AssertionError


class _Handler(SimpleHTTPRequestHandler):
    extensions_map = {  # noqa: RUF012  # the base class has it so
        **SimpleHTTPRequestHandler.extensions_map,
        ".js": "text/javascript",
        ".wasm": "application/wasm",
        ".unilid": "application/octet-stream",
    }

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


class _Server(ThreadingHTTPServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        pass  # a browser that is closed breaks its connections


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """Serve a folder on this machine, as any server of static files does; gives the address."""

    def handler(*arguments: Any) -> _Handler:
        return _Handler(*arguments, directory=str(folder))

    with _Server(("127.0.0.1", 0), handler) as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


def in_address(page: Any, part: str) -> None:
    """Wait until the address has this part; it is written when nobody types."""
    page.wait_for_function("part => location.hash.includes(part)", arg=part)


def not_in_address(page: Any, part: str) -> None:
    """Wait until the address lacks this part."""
    page.wait_for_function("part => !location.hash.includes(part)", arg=part)


@cache
def axe() -> str:
    """Return the program of axe-core, which npm fetches once into the cache of the user."""
    npm = shutil.which("npm")
    if npm is None:
        missing("npm")
    cache_folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "unilid-tests"
    program = cache_folder / f"axe-core-{AXE}.js"
    if not program.exists():
        cache_folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache_folder) as folder:
            command = [str(npm), "install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", folder]
            done = subprocess.run([*command, f"axe-core@{AXE}"], capture_output=True, text=True, check=False)
            if done.returncode:
                missing(f"axe-core ({done.stderr.strip()[-300:]})")
            # Renamed, so that tests that run at the same time see all of it or nothing.
            (Path(folder) / "node_modules/axe-core/axe.min.js").rename(program)
    return program.read_text(encoding="utf-8")


class Watched:
    """A page of the browser, of which everything is seen that it asks for and complains about."""

    def __init__(self, page: Any, address: str) -> None:
        self.page = page
        self.address = address
        self.requests: list[tuple[str, str]] = []
        self.complaints: list[str] = []
        page.context.on("request", self._see)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", self._hear)
        page.on("dialog", lambda dialog: self.complaints.append(f"dialog: {dialog.message}"))

    def _see(self, request: Any) -> None:
        self.requests.append((request.method, request.url))

    def _hear(self, message: Any) -> None:
        if message.type == "error":
            self.complaints.append(message.text)

    def open(self, fragment: str = "") -> Any:
        """Open the page and wait until the model is loaded."""
        self.page.goto(self.address + fragment)
        self.page.locator(".loading").wait_for(state="detached", timeout=60_000)
        return self.page

    def leave(self) -> None:
        """Close the tab, and others that were opened beside it."""
        self.page.context.remove_listener("request", self._see)
        for tab in self.page.context.pages:
            tab.close()

    def check(self) -> None:
        """Nothing was asked of another host, and nothing went wrong unseen."""
        own = urlsplit(self.address).netloc
        hosts = {urlsplit(url).netloc for _, url in self.requests if urlsplit(url).scheme not in {"blob", "data"}}
        assert hosts <= {own}
        assert self.complaints == []
