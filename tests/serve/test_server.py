"""How the service starts, where it listens, what it says, and how it ends."""

from __future__ import annotations

import json
import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.commands import PATIENCE, run
from support.service import Service, Stream, until

SECRET = "Niemand darf diesen Satz lesen"


@pytest.fixture
def two() -> Iterator[Service]:
    with Service("--workers", 2) as running:
        yield running


def is_there(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_it_says_where_it_listens_and_is_ready_then(service: Service) -> None:
    assert service.said.startswith("unilid: listening on http://127.0.0.1:")
    assert (service.get("/ready").json, service.get("/health").json) == ({"status": "ready"}, {"status": "alive"})


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--host", "0.0.0.0"], "--public"),
        (["--host", "::"], "--public"),
        (["--host", "no.such.host.invalid"], "no address"),
        (["-m", "no.unilid"], "no.unilid"),
        (["--limit-body", "0"], "positive"),
        (["--port", "65536"], "not a port"),
    ],
)
def test_what_cannot_be_served_is_refused_in_a_sentence(arguments: list[str], said: str) -> None:
    done = run("serve", "--port", 0, *arguments)
    assert (done.returncode, done.stdout) == (2, b"")
    assert said in done.stderr.decode()
    assert b"Traceback" not in done.stderr


def test_a_port_is_not_shared_with_another_service(service: Service) -> None:
    done = run("serve", "-m", "compact", "--port", service.port)
    assert done.returncode == 2
    assert "--port" in done.stderr.decode()


@pytest.mark.parametrize("with_signal", [signal.SIGTERM, signal.SIGINT])
def test_what_was_begun_is_finished_at_the_end(two: Service, with_signal: int) -> None:
    stream = Stream(two, "?keep=false")
    stream.send(b'{"text": "Guten Morgen"}\n')
    assert stream.line()["label"] == "deu_Latn"
    workers = two.workers()
    two.process.send_signal(with_signal)
    until(lambda: not _accepts(two), "it takes no more connections")
    stream.send(b'{"text": "Good morning"}\n')
    assert stream.line()["label"] == "eng_Latn"
    stream.finish()
    assert stream.rest() == []
    stream.close()
    assert two.process.wait(PATIENCE) == 0
    assert not any(map(is_there, workers))


def test_it_ends_while_its_workers_start() -> None:
    with Service("--workers", 4) as service:  # it listens as soon as one of them does
        workers = service.workers()
        assert service.end() == 0
        assert not any(map(is_there, workers))


def _accepts(service: Service) -> bool:
    try:
        service.connect().close()
    except (ConnectionRefusedError, ConnectionResetError):  # the latter while it closes
        return False
    return True


def test_a_worker_that_is_killed_is_started_again(two: Service) -> None:
    until(lambda: _starts(two) == 2, "both workers answer")
    before = two.workers()
    assert len(before) == 2
    answered: list[int] = []
    lost: list[Exception] = []
    ending = threading.Event()

    def ask() -> None:
        while not ending.is_set():
            try:
                answered.append(two.post("/identify", {"text": "Guten Morgen"}).status)
            except OSError as error:  # noqa: PERF203  # its connection was that worker's
                lost.append(error)

    clients = [threading.Thread(target=ask) for _ in range(4)]
    for client in clients:
        client.start()
    os.kill(before[0], signal.SIGKILL)
    until(lambda: _starts(two) == 3, "another worker starts")
    count = len(answered)
    until(lambda: len(answered) > count + 50, "answers go on")
    ending.set()
    for client in clients:
        client.join()
    assert set(answered) == {200}
    assert len(lost) <= 5 * len(clients)  # what was under way there or came while it died, and nothing else
    assert two.workers() != before
    assert len(two.workers()) == 2


def _starts(service: Service) -> float:
    try:
        return service.metric("unilid_worker_starts_total")
    except OSError:  # it was that worker that was asked
        return 0


def test_workers_end_when_the_service_is_killed() -> None:
    with Service("--workers", 2) as service:
        workers = service.workers()
        service.process.kill()
        service.process.wait(PATIENCE)
        until(lambda: not any(map(is_there, workers)), "its workers end")


def test_workers_count_together(two: Service) -> None:
    for _ in range(20):
        two.post("/identify", {"text": "Guten Morgen"})
    two.post("/identify", {"texts": ["Guten Morgen"] * 5})
    two.post("/identify", {})

    def metrics() -> list[str]:
        return two.get("/metrics").body.decode().splitlines()

    # A worker counts what it has sent, while another one may answer already.
    until(lambda: 'unilid_request_seconds_count{endpoint="identify"} 22' in metrics(), "22 requests are counted")
    lines = metrics()
    assert 'unilid_requests_total{endpoint="identify",status="200"} 21' in lines
    assert 'unilid_requests_total{endpoint="identify",status="422"} 1' in lines
    assert 'unilid_request_seconds_bucket{endpoint="identify",le="+Inf"} 22' in lines
    assert "unilid_texts_total 25" in lines


@pytest.mark.parametrize("log", ["failures", "requests", "texts"])
def test_no_text_is_logged_unless_asked_for(log: str) -> None:
    with Service("--log", log) as service:
        service.post("/identify", {"text": SECRET})
        service.post("/identify", {"texts": [SECRET], "k": 0})
        service.post("/spans", {"text": SECRET})
        service.post("/identify", json.dumps({"text": SECRET}).encode() + b"\n", "application/x-ndjson")
        assert service.end() == 0
        assert (SECRET in service.log) == (log == "texts")
        assert ("POST /identify 200" in service.log) == (log != "failures")


def test_pages_of_other_origins_may_read_answers_where_asked_for(service: Service) -> None:
    origin = "https://example.org"
    assert "access-control-allow-origin" not in service.post("/identify", {"text": "a"}, origin=origin).headers
    with Service("--cors", origin) as sharing:
        reply = sharing.post("/identify", {"text": "a"}, origin=origin)
        assert reply.headers["access-control-allow-origin"] == origin
        assert "access-control-allow-origin" not in sharing.post("/identify", {"text": "a"}, origin="null").headers
        preflight = sharing.request("OPTIONS", "/identify", origin=origin, access_control_request_method="POST")
        assert (preflight.status, preflight.headers["access-control-allow-methods"]) == (204, "POST")
        assert "content-type" in preflight.headers["access-control-allow-headers"]
