"""The service, run as its users run it: a process that listens on a free port of this machine."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

from support.commands import PATIENCE, start

JSON = "application/json"
NDJSON = "application/x-ndjson"


class Reply(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Service:
    """`unilid serve` with a model, the small one by default, and some arguments, from its start to its end."""

    def __init__(self, *arguments: object, model: object = "compact") -> None:
        self._log = tempfile.NamedTemporaryFile()  # noqa: SIM115  # a pipe that nobody reads would fill
        given = [*arguments] if model is None else ["-m", model, *arguments]
        self.process: subprocess.Popen[bytes] = start(
            "serve", "--port", 0, *given, stdout=subprocess.PIPE, stderr=self._log
        )
        assert self.process.stdout is not None
        said = self.process.stdout.readline().decode()
        found = re.search(r"http://(127\.0\.0\.1):(\d+)", said)
        assert found, (said, self.log)
        self.said, self.port = said, int(found.group(2))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def log(self) -> str:
        return Path(self._log.name).read_text()

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)

    def request(self, method: str, path: str, body: Any = None, **headers: str) -> Reply:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
            reply = connection.getresponse()
            return Reply(reply.status, {name.lower(): value for name, value in reply.getheaders()}, reply.read())
        finally:
            connection.close()

    def get(self, path: str, **headers: str) -> Reply:
        return self.request("GET", path, **headers)

    def post(self, path: str, body: object, content_type: str = JSON, **headers: str) -> Reply:
        content = json.dumps(body).encode() if content_type == JSON and not isinstance(body, bytes) else body
        return self.request("POST", path, content, content_type=content_type, **headers)

    def workers(self) -> list[int]:
        """The processes that answer; newer Pythons have one beside them that keeps track of what they share."""
        listed = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text()
        return [int(number) for number in listed.split() if not _keeps_track(number)]

    def metric(self, name: str) -> float:
        """The sum of a counter over its labels."""
        lines = self.get("/metrics").body.decode().splitlines()
        return sum(float(line.split()[-1]) for line in lines if re.match(rf"{name}[ {{]", line))

    def end(self, with_signal: int = signal.SIGTERM) -> int:
        """End it, and return its exit status."""
        self.process.send_signal(with_signal)
        return self.process.wait(PATIENCE)

    def __enter__(self) -> Service:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            workers = self.workers()
            self.process.terminate()
            try:
                self.process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                for process in (self.process.pid, *workers):
                    os.kill(process, signal.SIGKILL)
                raise
        assert self.process.stdout is not None
        self.process.stdout.close()
        self._log.close()


def _keeps_track(process: str) -> bool:
    try:
        return b"resource_tracker" in Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:  # it has just ended
        return False


def until(happens: Callable[[], bool], what: str) -> None:
    """Wait for something to happen; fail if it does not."""
    end = time.monotonic() + PATIENCE
    while not happens():
        assert time.monotonic() < end, what
        time.sleep(0.02)


class Stream:
    """A request whose body is sent, and whose answers are read, as the test goes on."""

    def __init__(self, service: Service, query: str = "") -> None:
        self.socket = service.connect()
        self._head = (
            f"POST /identify{query} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {NDJSON}\r\n"
            "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
        ).encode()
        self.socket.sendall(self._head)
        self.reply: http.client.HTTPResponse | None = None

    def send(self, data: bytes) -> None:
        self.socket.sendall(b"%x\r\n%s\r\n" % (len(data), data))

    def finish(self) -> None:
        self.socket.sendall(b"0\r\n\r\n")

    def line(self) -> Any:
        """The next answer."""
        return json.loads(self._response().readline())

    def rest(self) -> list[bytes]:
        """All answers that are still to come."""
        return self._response().read().splitlines()

    def _response(self) -> http.client.HTTPResponse:
        if self.reply is None:
            self.reply = http.client.HTTPResponse(self.socket, method="POST")
            self.reply.begin()
            assert self.reply.status == 200
        return self.reply

    def close(self) -> None:
        self.socket.close()
