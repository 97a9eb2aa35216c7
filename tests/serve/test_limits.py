"""No client goes beyond its limits, holds a worker, or makes the others wait."""

from __future__ import annotations

import gzip
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.service import NDJSON, Reply, Service, Stream, until

BODY, TEXTS, TEXT, EXPLAINED = 200_000, 50, 20_000, 1000


@pytest.fixture(scope="module")
def strict() -> Iterator[Service]:
    limits = {"body": BODY, "texts": TEXTS, "text": TEXT, "explained": EXPLAINED, "requests": 2, "seconds": 2}
    with Service(*(word for name, value in limits.items() for word in (f"--limit-{name}", value))) as running:
        yield running


def memory(service: Service) -> int:
    """Bytes that the workers have taken."""
    pages = [int(Path(f"/proc/{worker}/statm").read_text().split()[1]) for worker in service.workers()]
    return 4096 * sum(pages)


def test_what_is_too_large_is_refused(strict: Service) -> None:
    def field(reply: Reply) -> str:
        assert (reply.status, reply.headers["content-type"]) == (413, "application/problem+json")
        return str(reply.json["field"])

    assert field(strict.post("/identify", b" " * (BODY + 1))) == "body"
    assert field(strict.request("POST", "/identify", iter([b" " * BODY, b" "]))) == "body"  # of unknown length
    assert field(strict.post("/identify", {"texts": [""] * (TEXTS + 1)})) == "#/texts"
    assert field(strict.post("/identify", {"texts": ["", "é" * (TEXT // 2 + 1)]})) == "#/texts/1"
    assert field(strict.post("/identify", b"a" * (TEXT + 1), "text/plain")) == "body"
    assert field(strict.post("/explain", {"text": "a" * (EXPLAINED + 1)})) == "#/text"
    assert field(strict.post("/identify", b"a" * (TEXT + 1), NDJSON)) == "body"
    assert strict.post("/identify", {"texts": ["é" * (TEXT // 2), "a" * TEXT]}).status == 200
    assert strict.post("/explain", {"text": "a " * (EXPLAINED // 2)}).status == 200


def test_a_limit_below_what_is_short_holds() -> None:
    with Service("--limit-text", 10) as service:
        for question in ({"text": "é" * 6}, {"text": "é" * 6, "k": 2}, {"texts": ["é" * 6]}):
            assert service.post("/identify", question).status == 413
        assert service.post("/identify", {"text": "é" * 5}).status == 200


def test_a_body_that_unpacks_to_very_much_is_not_unpacked(strict: Service) -> None:
    strict.post("/identify", {"text": "Guten Morgen"})
    before = memory(strict)
    for content_type in ("application/json", "text/plain", NDJSON):
        reply = strict.post("/identify", gzip.compress(bytes(60_000_000)), content_type, content_encoding="gzip")
        assert reply.status == 413
    assert memory(strict) - before < 20_000_000


def test_a_line_that_is_too_long_ends_a_stream(strict: Service) -> None:
    stream = Stream(strict)
    stream.send(b'{"text": "Guten Morgen"}\n')
    assert stream.line()["label"] == "deu_Latn"
    stream.send(b"a" * (TEXT + 1))
    assert "at most" in stream.line()["error"]
    assert stream.rest() == []
    stream.close()


def test_more_requests_than_there_is_room_for_are_turned_away_and_the_others_answered(strict: Service) -> None:
    streams = [Stream(strict) for _ in range(2)]
    for stream in streams:  # both are at work once they have answered
        stream.send(b'{"text": "Guten Morgen"}\n')
        assert stream.line()["label"] == "deu_Latn"
    refused = strict.post("/identify", {"text": "Guten Morgen"})
    assert (refused.status, refused.headers["retry-after"]) == (503, "1")
    assert refused.headers["content-type"] == "application/problem+json"
    assert strict.get("/health").status == 200
    streams[0].finish()
    assert streams[0].rest() == []
    until(lambda: strict.post("/identify", {"text": "Guten Morgen"}).status == 200, "there is room again")
    streams[1].close()  # who leaves without a word makes room, too
    until(lambda: strict.metric("unilid_requests_running") == 0, "nobody is at work")


def test_a_body_that_does_not_come_is_not_waited_for(strict: Service) -> None:
    slow = strict.connect()
    slow.sendall(b"POST /identify HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{")
    assert slow.recv(100).startswith(b"HTTP/1.1 408 ")
    slow.close()
    stream = Stream(strict)
    stream.send(b'{"text": "Guten Morgen"}\n')
    assert stream.line()["label"] == "deu_Latn"
    assert "nothing came" in stream.line()["error"]
    stream.close()


def test_half_heads_hold_nobody(service: Service) -> None:
    """Connections that say a little, and then nothing, cost the others nothing, and end by themselves."""
    half = [service.connect() for _ in range(200)]
    for connection in half:
        connection.sendall(b"POST /identify HTTP/1.1\r\nHost: ")
    assert service.post("/identify", {"text": "Guten Morgen"}).status == 200
    for connection in half[1:]:
        connection.close()
    while half[0].recv(1000):  # until it is closed
        pass
    half[0].close()


def test_heavy_requests_are_done_or_turned_away(service: Service) -> None:
    """Many at once: each is answered, or told to come back. None fails, and small ones are answered meanwhile."""
    texts = ["Der Zug fährt heute nicht, sagte sie. " * 8] * 2000
    replies: list[Reply] = []

    def ask() -> None:
        replies.append(service.post("/identify", {"texts": texts, "k": 5}))

    threads = [threading.Thread(target=ask) for _ in range(12)]
    for thread in threads:
        thread.start()
    time.sleep(0.05)
    small = [service.post("/identify", {"text": "Guten Morgen"}).status for _ in range(5)]
    for thread in threads:
        thread.join()
    assert small == [200] * 5
    assert {reply.status for reply in replies} <= {200, 503}
    assert all(len(reply.json) == len(texts) for reply in replies if reply.status == 200)
    assert all(reply.headers["retry-after"] for reply in replies if reply.status == 503)
    assert any(reply.status == 200 for reply in replies)
