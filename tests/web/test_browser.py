"""The JavaScript package in a real browser: in a page, and in a worker, from a server of static files."""

from __future__ import annotations

import re
import shutil
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from support.adapters import compact
from support.libraries import is_required, library
from support.node import WEB
from support.web import COMPACT
from support.web_texts import texts

playwright = library("playwright.sync_api")
CHROMIUM = shutil.which("chromium")
pytestmark = pytest.mark.skipif(CHROMIUM is None and not is_required("chromium"), reason="chromium is not installed")

WORKER = """
import { Model } from './unilid.js';
const ready = Model.load('compact.unilid');
onmessage = async ({ data: [method, ...values] }) => {
  let model = await ready;
  if (method === 'taught') [method, model] = ['identify', model.addLanguage(...values.splice(0, 2))];
  postMessage(model[method](...values));
};
"""


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *values: Any) -> None:  # noqa: A002
        pass


@pytest.fixture(scope="module")
def address(tmp_path_factory: Any) -> Iterator[str]:
    """A folder of static files with the package, the compact model and the page of the documentation."""
    folder: Path = tmp_path_factory.mktemp("site")
    for name in ("unilid.js", "unilid.wasm", "languages.json", "src"):
        (folder / name).symlink_to(WEB / name)
    (folder / "compact.unilid").symlink_to(COMPACT)
    (folder / "worker.js").write_text(WORKER)
    (folder / "blank.html").write_text("<!doctype html><title>blank</title>")
    [page] = re.findall(
        r"^```html\n(.*?)^```", (WEB.parent / "docs/browser.md").read_text(encoding="utf-8"), re.M | re.S
    )
    (folder / "example.html").write_text(page, encoding="utf-8")
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as driver:
        yield driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])


@pytest.fixture
def page(browser: Any, address: str) -> Iterator[Any]:
    page = browser.new_page()
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("request", lambda request: problems.append(request.url) if not request.url.startswith(address) else None)
    yield page
    page.close()
    assert problems == []  # nothing fails, and nothing is asked of another host


def test_the_page_of_the_documentation_answers_while_one_types(page: Any, address: str) -> None:
    page.goto(f"{address}/example.html")
    page.wait_for_function("answer.textContent.startsWith('fra_Latn')")
    page.fill("#text", "Wie spät ist es?")
    expected = compact().identify("Wie spät ist es?")
    assert page.text_content("#answer") == f"{expected.label} {expected.probability:.2f}"


def in_worker(page: Any, address: str, *question: Any) -> Any:
    page.goto(f"{address}/blank.html")
    return page.evaluate(
        """question => new Promise((resolve, reject) => {
            const worker = new Worker('worker.js', { type: 'module' });
            worker.onmessage = ({ data }) => resolve(data);
            worker.onerror = ({ message }) => reject(message);
            worker.postMessage(question);
        })""",
        list(question),
    )


def test_answers_in_a_worker_are_those_of_python(page: Any, address: str) -> None:
    many = [text for text in texts(300, seed=13) if text.isprintable() and not re.search("[\ud800-\udfff]", text)]
    assert len(many) > 200
    answers = in_worker(page, address, "identify", many, {"k": 2})
    assert answers == [[answer._asdict() for answer in ranked] for ranked in compact().identify(many, k=2)]


def test_a_language_can_be_taught_in_a_worker(page: Any, address: str) -> None:
    lines = ["Kalimera, ti kaneis simera?", "Pou einai o stathmos?", "Tha ithela enan kafe kai ligo nero."]
    answer = in_worker(page, address, "taught", "ell_Latn", lines, lines[0])
    assert answer == compact().add_language("ell_Latn", lines).identify(lines[0])._asdict()
