"""What is wrong with a request is said as problem details, with the field that is wrong; nothing is a fault of ours."""

from __future__ import annotations

import gzip
import http.client
import json
from typing import Any

import pytest
from support.service import NDJSON, Service

OF_PYTHON = ["idna", "punycode", "undefined", "unicode-escape", "Raw_Unicode_Escape", "rot13", "zlib"]
"""Encodings that Python has, and that no text on the web is in."""
GZIP = gzip.compress(b'{"text": "Guten Morgen"}', mtime=0)


@pytest.mark.parametrize(
    ("path", "body", "status", "field"),
    [
        ("/identify", {}, 422, "body"),
        ("/identify", {"text": "a", "texts": ["a"]}, 422, "body"),
        ("/identify", [], 422, "body"),
        ("/identify", {"text": 1}, 422, "#/text"),
        ("/identify", {"texts": "a"}, 422, "#/texts"),
        ("/identify", {"texts": ["a", "b", 3]}, 422, "#/texts/2"),
        ("/identify", {"text": "a", "k": 0}, 422, "#/k"),
        ("/identify", {"text": "a", "k": 10**30}, 422, "#/k"),
        ("/identify", {"text": "a", "k": True}, 422, "#/k"),
        ("/identify", {"text": "a", "language": "de"}, 422, "#/language"),
        ("/identify", {"text": "a", "languages": "de"}, 422, "#/languages"),
        ("/identify", {"text": "a", "languages": []}, 422, "#/languages"),
        ("/identify", {"text": "a", "languages": ["de", "xqx"]}, 422, "#/languages"),
        ("/identify", {"text": "a", "languages": ["de"], "prior": {"xqx": 0.5}}, 422, "#/prior"),
        ("/identify", {"text": "a", "languages": ["de"], "prior": {"en": 1}}, 422, "#/prior"),
        ("/identify", {"text": "a", "prior": {"de": 0.9, "en": 0.9}}, 422, "#/prior"),
        ("/identify", {"text": "a", "abstain": 2}, 422, "#/abstain"),
        ("/identify", {"text": "a", "codes": "iso"}, 422, "#/codes"),
        ("/identify", b"{", 400, "body"),
        ("/identify", rb'{"text": "\ud800}', 400, "body"),
        ("/identify", b'{"text": "\\ud800 \xff"}', 400, "body"),
        ("/identify", rb'{"text": "\ud800", "abstain": NaN}', 400, "body"),
        ("/identify", rb'{"text": "\ud800", "k": 0}', 422, "#/k"),
        ("/identify", rb'{"texts": ["\ud800", 3]}', 422, "#/texts/1"),
        ("/identify", rb'"\ud800"', 422, "body"),
        ("/identify", rb'["\ud800"]', 422, "body"),
        ("/identify", rb'{"text": "a", "\ud800": 1}', 422, "#/?"),
        ("/identify", rb'{"text": "\ud800", "k": "\ud800"}', 422, "#/k"),
        ("/identify", rb'{"text": "a", "languages": ["\ud800"]}', 422, "#/languages"),
        ("/identify", b'{"text": "\xff"}', 400, "body"),
        ("/identify", b'{"text": "a", "abstain": NaN}', 400, "body"),
        ("/identify", b"[" * 100_000, 400, "body"),
        ("/identify", b"1 and more", 400, "body"),
        ("/identify?k=x", {"text": "a"}, 422, "query:k"),
        ("/identify?k=2&k=3", {"text": "a"}, 422, "query:k"),
        ("/identify?kk=2", {"text": "a"}, 422, "query:kk"),
        ("/spans", {"text": None}, 422, "#/text"),
        ("/spans", {"text": "a", "switch": -1}, 422, "#/switch"),
        ("/spans", {"text": "a", "least": 0}, 422, "#/least"),
        ("/spans", {"text": "a", "languages": ["xqx"]}, 422, "#/languages"),
        ("/explain", {"text": "a", "language": "xqx"}, 422, "#/language"),
        ("/explain", {"text": "a", "language": "de", "instead": "deu_Latn"}, 422, "#/instead"),
    ],
)
def test_the_field_that_is_wrong_is_named(service: Service, path: str, body: Any, status: int, field: str) -> None:
    reply = service.post(path, body)
    problem = reply.json
    assert (reply.status, problem["status"], problem.get("field")) == (status, status, field)
    assert reply.headers["content-type"] == "application/problem+json"
    assert problem["detail"]
    assert problem["title"]


@pytest.mark.parametrize(
    ("body", "content_type", "headers", "status"),
    [
        (b"a", "application/x-www-form-urlencoded", {}, 415),
        (b"a", "text/plain; charset=klingon", {}, 415),
        *((b"a\\u0041", f"text/plain; charset={name}", {}, 415) for name in OF_PYTHON),
        (b"a", "text/plain", {"content_encoding": "br"}, 415),
        (b"a", "text/plain", {"content_encoding": "gzip"}, 400),
        (GZIP[:-9], "application/json", {"content_encoding": "gzip"}, 400),
        (GZIP[:-9], NDJSON, {"content_encoding": "gzip"}, 400),
        (b"", "application/json", {}, 400),
    ],
)
def test_a_body_that_cannot_be_read_is_refused(
    service: Service, body: bytes, content_type: str, headers: dict[str, str], status: int
) -> None:
    reply = service.post("/identify", body, content_type, **headers)
    assert (reply.status, reply.headers["content-type"]) == (status, "application/problem+json")


def test_the_types_of_a_body_that_can_be_read_are_named(service: Service) -> None:
    for path, types in (("/identify", f"application/json or text/plain, or {NDJSON} for a stream"),
                        ("/spans", "application/json or text/plain")):  # fmt: skip
        assert service.post(path, b"a", "text/csv").json["detail"] == f"send {types}"


def test_a_request_with_a_text_and_texts_is_told_that_it_has_one_too_many(service: Service) -> None:
    for body in ({}, {"text": "a", "texts": ["a"]}):
        detail = "the request must have exactly one of the fields `text` and `texts`"
        assert service.post("/identify", body).json["detail"] == detail


@pytest.mark.parametrize("media", ["application/json", "text/plain", NDJSON])
@pytest.mark.parametrize("chunks", [b"zz\r\n{}\r\n0\r\n\r\n", b"2\r\n{}!\r\n0\r\n\r\n", b"2\n{}\n0\n\n"])
def test_a_body_in_broken_chunks_is_refused(service: Service, media: str, chunks: bytes) -> None:
    with service.connect() as connection:
        head = f"POST /identify HTTP/1.1\r\nHost: a\r\nContent-Type: {media}\r\nTransfer-Encoding: chunked\r\n\r\n"
        connection.sendall(head.encode() + chunks)
        reply = http.client.HTTPResponse(connection)
        reply.begin()
        assert (reply.status, reply.getheader("Content-Type")) == (400, "application/problem+json")
        assert json.loads(reply.read())["field"] == "body"


def test_methods_and_paths_that_there_are_not(service: Service) -> None:
    missing = service.get("/identity")
    assert (missing.status, missing.headers["content-type"]) == (404, "application/problem+json")
    other = service.get("/identify")
    assert (other.status, other.headers["allow"]) == (405, "POST")
    assert service.request("DELETE", "/languages").headers["allow"] == "GET, HEAD"
    assert service.request("OPTIONS", "/identify").status == 405  # no CORS unless asked for


def test_the_head_of_a_reply_is_that_of_the_whole(service: Service) -> None:
    for path in ("/health", "/languages", "/compact.unilid"):
        head, whole = service.request("HEAD", path), service.get(path)
        assert head.body == b""
        assert head.status == whole.status == 200
        assert int(head.headers["content-length"]) == len(whole.body)


def test_a_bad_line_of_a_stream_is_answered_and_the_others_go_on(service: Service) -> None:
    lines = b'{"text": "Guten Morgen"}\n{"text": 3}\nnot JSON\n{"text": "Good morning"}'
    answers = [json.loads(line) for line in service.post("/identify", lines, NDJSON).body.splitlines()]
    assert [answer.get("label") for answer in answers] == ["deu_Latn", None, None, "eng_Latn"]
    assert [answer["error"].split(":")[1] for answer in answers[1:3]] == ["2", "3"]
