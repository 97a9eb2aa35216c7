"""No client goes beyond its limits, holds a worker, or makes the others wait."""

from __future__ import annotations

import asyncio
import gzip
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.adapters import compact
from support.service import NDJSON, Reply, Service, Stream, until

from unilid.serve.endpoints import Endpoints
from unilid.serve.metrics import Metrics
from unilid.serve.requests import IdentifyOptions
from unilid.serve.settings import Limits

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


def test_what_names_too_many_languages_is_refused_before_any_is_looked_up(service: Service) -> None:
    """To find what a code stands for takes longer than to read it."""
    many, long = ["de"] * 10_001, "d" * 101

    def field(reply: Reply) -> str:
        assert reply.status == 422
        assert len(reply.body) < 1000
        return str(reply.json["field"])

    assert field(service.post("/identify", {"text": "a", "languages": many})) == "#/languages"
    assert field(service.post("/identify", {"text": "a", "languages": ["de", long]})) == "#/languages/1"
    assert field(service.post("/identify", {"text": "a", "prior": {f"a{n}": 0 for n in range(10_001)}})) == "#/prior"
    assert field(service.post("/explain", {"text": "a", "language": long})) == "#/language"
    assert field(service.post(f"/identify?languages={long}", b"a", "text/plain")) == "query:languages"
    assert field(service.get("/languages?" + "&".join(["q=de"] * 101))) == "query:q"
    assert field(service.get(f"/languages?q={long}")) == "query:q"
    assert service.get("/languages?" + "&".join(["q=de"] * 100)).status == 200


def test_what_differs_in_every_request_is_not_remembered(strict: Service) -> None:
    strict.post("/identify", {"text": "Guten Morgen"})
    before = memory(strict)
    for number in range(300):
        assert strict.post("/identify", b"a", f"text/html; x={'y' * 200_000}{number}").status == 415
    assert memory(strict) - before < 20_000_000


def test_options_that_name_many_languages_are_not_remembered() -> None:
    endpoints = Endpoints(compact(), Limits(), Metrics(None), threads=1)

    async def ask(number: int) -> None:
        options = IdentifyOptions(languages=("de", "en") * number)
        key, _ = await endpoints._asked(options, "#/")
        assert (key in endpoints._accepted) == (number <= 50)

    for number in (1, 50, 51, 5000):
        asyncio.run(ask(number))


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


def test_who_takes_nothing_of_an_answer_is_not_waited_for(strict: Service) -> None:
    """Neither the file nor the connection stays open, also where the client keeps its side."""

    def connections() -> int:
        """TCP connections of the service that are established; /proc has them with both ends."""
        rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
        return sum(row[1].endswith(f":{strict.port:04X}") and row[3] == "01" for row in rows)

    until(lambda: strict.metric("unilid_worker_starts_total") == 1, "the worker has begun")
    until(lambda: connections() == 0, "those of other tests are closed")
    lazy = [socket.socket() for _ in range(5)]
    for connection in lazy:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect(("127.0.0.1", strict.port))
        connection.sendall(b"GET /default.unilid HTTP/1.1\r\nHost: a\r\n\r\n")
    assert connections() == len(lazy)
    until(lambda: connections() == 0, "they are given up")
    for connection in lazy:
        connection.close()


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
