"""The page, its parts and the models are sent as they are, compressed where that pays, and only once."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from support.adapters import compact
from support.service import Service

from unilid.model import load
from unilid.serve import files

PACKAGE = Path(files.__file__).parents[1]


def test_the_models_are_those_of_the_package(service: Service) -> None:
    for name in ("compact.unilid", "default.unilid"):
        assert service.get(f"/{name}").body == (PACKAGE / name).read_bytes()


def test_what_is_known_is_not_sent_again(service: Service) -> None:
    first = service.get("/compact.unilid")
    again = service.get("/compact.unilid", if_none_match=f'"other", {first.headers["etag"]}')
    assert (again.status, again.body) == (304, b"")
    assert again.headers["etag"] == first.headers["etag"]
    assert service.get("/compact.unilid", if_none_match='"other"').status == 200


@pytest.mark.parametrize("path", ["/compact.unilid", "/languages", "/openapi.json"])
def test_it_is_compressed_for_those_who_take_that(service: Service, path: str) -> None:
    plain, packed = service.get(path), service.get(path, accept_encoding="gzip")
    assert packed.headers["content-encoding"] == "gzip"
    assert len(packed.body) < len(plain.body)
    assert gzip.decompress(packed.body) == plain.body
    assert "content-encoding" not in plain.headers


@pytest.mark.parametrize("installed", [True, False], ids=["installed", "checkout"])
def test_the_page_is_what_the_folder_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, installed: bool) -> None:
    room = tmp_path / "src/unilid/serve"
    page, package = (room / "static",) * 2 if installed else (tmp_path / "web/page", tmp_path / "web")
    page.mkdir(parents=True)
    (package / "src").mkdir()
    for name in ("index.html", "main.js", "style.css", ".hidden"):
        (page / name).write_text(name)
    for name in ("unilid.js", "unilid.wasm", "languages.json", "src/kernel.js"):
        (package / name).write_text(name)
    monkeypatch.setattr(files, "__file__", str(room / "files.py"))
    found = files.documents(compact())
    assert found["/"].path == page / "index.html"
    assert {path: document.media for path, document in found.items() if not path.endswith(".unilid")} == {
        "/": "text/html; charset=utf-8",
        "/index.html": "text/html; charset=utf-8",
        "/main.js": "text/javascript; charset=utf-8",
        "/style.css": "text/css; charset=utf-8",
        "/unilid.js": "text/javascript; charset=utf-8",
        "/unilid.wasm": "application/wasm",
        "/languages.json": "application/json",
        "/src/kernel.js": "text/javascript; charset=utf-8",
    }


def test_a_model_of_ones_own_is_that_of_the_page(tmp_path: Path) -> None:
    own = tmp_path / "own.unilid"
    load("compact").subset(["de", "en"]).save(own)
    with Service(model=own) as service:
        assert service.get("/compact.unilid").body == own.read_bytes()
        assert len(service.get("/languages").json) == 2


def test_the_page_may_load_nothing_from_elsewhere(service: Service) -> None:
    policy = dict(part.strip().partition(" ")[::2] for part in files.POLICY.split(";"))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == "'self' 'wasm-unsafe-eval'"
    assert not any(word in files.POLICY for word in ("http", "*", "'unsafe-inline'", "'unsafe-eval'"))
    assert service.get("/compact.unilid").headers["content-security-policy"] == files.POLICY
