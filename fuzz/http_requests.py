"""Sends requests that are in order nowhere to a service that runs as its users run it, on this machine.

    python fuzz/http_requests.py --count 100000 --seed 0 [--seconds 600] [--first 0] [--workers 16]
    python fuzz/http_requests.py --again 1234 --seed 0            one request

A request is answered, refused, turned away (503), or its connection is closed. It is a failure if the service dies,
logs a fault of its own, says anything that it does not promise (a status of 500, a body that is not what its head
says), leaves a connection open for more than 30 seconds without an answer, or takes more than 1 GB. After each
thousand, good requests must have the answers that they had at first. What fails is kept in the folder (`--keep`) and
listed, and the exit status is 1.
"""

from __future__ import annotations

import gzip
import http.client
import json
import re
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import program
import request_mutations
from outcomes import REFUSED, Outcome, expect, failure
from request_mutations import Request
from watching import Attack

sys.path.append(str(Path(__file__).parents[1] / "tests"))
from support.service import Service, until

ANSWERED, TURNED_AWAY, CLOSED, LEFT = "answered", "turned away", "closed without an answer", "left by the client"

LIMIT_SECONDS = 1
"""Of the service, until a head or a body has come."""
MOST_SECONDS = 30.0
"""Until a connection is closed or answered: much longer than the limits of the service, because machines are busy."""
LONG = 1 << 16
"""Bytes of an answer that a connection need not hold all at once."""
STATUSES = {200, 204, 304, 400, 404, 405, 408, 413, 414, 415, 422, 431, 503}
"""What the service promises, and what its server says of heads that cannot be read or are too long."""
GOOD = [
    ("/identify", {"text": "Wo ist der nächste Bahnhof?"}),
    ("/identify", {"texts": ["Where is the station?", None, "12:30"], "k": 2}),
    ("/spans", {"text": "Wo ist der Bahnhof? Could you please help me?"}),
]


class Target:
    """The service that is attacked, and what good requests must be answered."""

    def __init__(self) -> None:
        self.service = Service("--limit-seconds", LIMIT_SECONDS)
        until(lambda: len(self.service.workers()) == 1, "its worker is there")
        [self.worker] = self.service.workers()
        self.answers = self.good_answers()

    def good_answers(self) -> list[bytes]:
        """Return what is answered to good requests."""
        answers = []
        for path, question in GOOD:
            reply = self.service.post(path, question)
            for _ in range(100):  # of others, there may be many, and the machine may be busy
                if reply.status not in (408, 503):
                    break
                time.sleep(0.05)
                reply = self.service.post(path, question)
            expect(reply.status == 200, f"a good request is answered {reply.status}")
            answers.append(reply.body)
        return answers

    def check(self) -> None:
        """Check that the service is what it was."""
        expect(self.service.workers() == [self.worker], "the service or its worker has died")
        expect(self.good_answers() == self.answers, "a good request is answered otherwise than before")
        expect(not self.service.log, f"the service logs: {self.service.log[:500]}")

    def memory(self) -> int:
        """Return the most memory that the worker had, in bytes."""
        status = Path(f"/proc/{self.worker}/status").read_text()
        return int(status.partition("VmHWM:")[2].split()[0]) * 1024


TARGETS: list[Target] = []
"""The one that is attacked, once it runs."""


@contextmanager
def running() -> Iterator[None]:
    """Let a service run."""
    target = Target()
    TARGETS.append(target)
    with target.service:
        yield
    TARGETS.clear()


def afterwards() -> None:
    """See that nothing is left at work in the service, and that it is what it was."""
    [target] = TARGETS
    until(lambda: target.service.metric("unilid_requests_running") == 0, "somebody is still at work")
    target.check()


def attempt(seed: int, number: int, folder: Path) -> Outcome:
    """Send a request; after each thousand, look at the service."""
    [target] = TARGETS
    request, _ = request_mutations.mutant(seed, number)
    try:
        outcome = sent(target.service, request)
        if number % 1000 == 999:
            target.check()
    except Exception as error:  # noqa: BLE001  # whatever it is, it is what is looked for
        return failure(error, folder)
    return outcome, ""


def sent(service: Service, request: Request) -> str:
    """Send a request, and return what came of it."""
    encoded = request.encode()
    connection = service.connect()
    try:
        connection.settimeout(MOST_SECONDS)
        with suppress(ConnectionError):  # who answers before all was sent may close
            if request.manner == "in pieces":
                size = max(1, len(encoded) // 4)
                for start in range(0, len(encoded), size):
                    connection.sendall(encoded[start : start + size])
                    time.sleep(0.001)
            else:
                connection.sendall(encoded)
        if request.manner == "leaves":
            return LEFT
        if request.manner == "half closed":
            with suppress(OSError):
                connection.shutdown(socket.SHUT_WR)
        return answer_to(connection, encoded)
    except TimeoutError:
        raise AssertionError(f"neither answered nor closed after {MOST_SECONDS:.0f} s") from None
    finally:
        connection.close()


def answer_to(connection: socket.socket, encoded: bytes) -> str:
    """Read an answer, and check that it is one."""
    first = encoded.lstrip(b"\r\n").partition(b" ")[0].decode("latin-1")
    reply = http.client.HTTPResponse(connection, method=first)
    try:
        reply.begin()
    except (http.client.BadStatusLine, ConnectionError) as error:
        expect(isinstance(error, ConnectionError), f"no line of HTTP: {error}")
        return CLOSED
    expect(reply.status in STATUSES, f"the status is {reply.status}")
    media = (reply.getheader("Content-Type") or "").partition(";")[0]
    try:
        body = reply.read()
    except (http.client.IncompleteRead, ConnectionError):
        is_long = int(reply.getheader("Content-Length") or 0) > LONG or media == "application/x-ndjson"
        expect(is_long, f"an answer of status {reply.status} was not sent to its end")
        return CLOSED  # who does not take a long one in time, as on a busy machine, loses it
    except TimeoutError:
        raise AssertionError(f"an answer of status {reply.status} has no end after {MOST_SECONDS:.0f} s") from None
    if reply.getheader("Content-Encoding") == "gzip" and body:
        body = gzip.decompress(body)
    check_body(reply.status, media, body)
    return TURNED_AWAY if reply.status == 503 else ANSWERED if reply.status < 400 else REFUSED


def check_body(status: int, media: str, body: bytes) -> None:
    """Check that a body is what its head says."""
    if not body:
        return
    if media == "application/x-ndjson":
        for line in body.splitlines():
            json.loads(line, parse_constant=_no_constant)
    elif media.endswith("json"):
        read = json.loads(body, parse_constant=_no_constant)
        if status >= 400:
            expect(media == "application/problem+json" and read["status"] == status and read["detail"], f"{read}")
    if status >= 400:
        expect(media == "application/problem+json" or re.fullmatch(b"[ -~]*", body), f"{status} with {body[:100]!r}")


def _no_constant(name: str) -> None:
    raise AssertionError(f"{name} is not JSON")


def shown(seed: int, number: int) -> tuple[bytes, str]:
    """Return the bytes of a request, and what was changed."""
    request, changes = request_mutations.mutant(seed, number)
    return request.encode(), changes


def memory() -> int:
    """Return the most memory that the service had, in bytes."""
    return TARGETS[0].memory()


def main() -> int:
    """Run, and print what was found."""
    outcomes = (ANSWERED, REFUSED, TURNED_AWAY, CLOSED, LEFT)
    attack = Attack("requests", outcomes, attempt, shown, ".http", running, memory, afterwards, workers=16)
    return program.run(attack, __doc__, "requests")


if __name__ == "__main__":
    sys.exit(main())
