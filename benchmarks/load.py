"""Servers to put under load, and the generators of it: `wrk` and `hey`."""

from __future__ import annotations

import csv
import http.client
import io
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

TEXT = "Wo ist der nächste Bahnhof?"
ONE = json.dumps({"text": TEXT}, ensure_ascii=False)
PATIENCE = 60
"""Seconds after which a server that does not start is given up."""


class Served(NamedTuple):
    """What a generator of load saw in some seconds."""

    rate: float  # requests a second
    median: float  # milliseconds
    p99: float
    processor: float  # microseconds of the worker for a request


class Server(NamedTuple):
    """A server that listens."""

    port: int
    process: subprocess.Popen[bytes]

    def workers(self) -> list[int]:
        process = self.process.pid
        children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
        return [*map(int, children)] or [process]

    def processor(self) -> float:
        """Seconds of the processor that the workers took so far."""
        fields = [Path(f"/proc/{worker}/stat").read_text().rpartition(")")[2].split() for worker in self.workers()]
        return sum(int(one[11]) + int(one[12]) for one in fields) / os.sysconf("SC_CLK_TCK")

    def memory(self) -> float:
        """Megabytes that the workers have."""
        pages = [int(Path(f"/proc/{worker}/statm").read_text().split()[1]) for worker in self.workers()]
        return sum(pages) * os.sysconf("SC_PAGE_SIZE") / 1e6

    def ask(self, path: str, body: str | None = None) -> tuple[int, bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        headers = {"Content-Type": "application/json"}
        connection.request("GET" if body is None else "POST", path, body and body.encode(), headers)
        reply = connection.getresponse()
        status, content = reply.status, reply.read()
        connection.close()
        return status, content

    def counted(self) -> dict[str, int]:
        """Count requests to /identify so far, by status."""
        pattern = r'unilid_requests_total\{endpoint="identify",status="(\d+)"\} (\d+)'
        return {status: int(count) for status, count in re.findall(pattern, self.ask("/metrics")[1].decode())}

    def starts(self) -> int:
        """Count workers that were started so far."""
        found = re.search(r"unilid_worker_starts_total (\d+)", self.ask("/metrics")[1].decode())
        return int(found.group(1)) if found else 0


@contextmanager
def listening(command: Sequence[str], port: int) -> Iterator[Server]:
    """Start a server, wait until it answers, and end it."""
    folder = Path(__file__).parent / "service"
    process = subprocess.Popen([*map(str, command)], cwd=folder, stdout=subprocess.DEVNULL)
    server = Server(port, process)
    try:
        end = time.monotonic() + PATIENCE
        while True:
            try:
                if server.ask("/identify", ONE)[0] == 200:
                    break
            except OSError:
                pass
            if time.monotonic() > end or process.poll() is not None:
                raise SystemExit(f"{command} does not answer")
            time.sleep(0.05)
        yield server
    finally:
        process.terminate()
        process.wait(PATIENCE)


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def service(port: int, *more: object) -> list[str]:
    return [sys.executable, "-m", "unilid", "serve", "--port", str(port), *map(str, more)]


def constant(server: str, app: str, port: int) -> list[str]:
    """Return the command that starts a stack with an application that answers a constant."""
    target, factory = f"constant:{app}", [] if app == "bare" else ["--factory"]
    if server == "granian":
        options = ["--interface", "asgi", "--http", "1", "--no-ws", "--no-log", "--host", "127.0.0.1"]
    else:
        options = ["--loop", "uvloop", "--http", "httptools", "--no-access-log", "--log-level", "warning"]
    return [sys.executable, "-m", server, target, "--port", str(port), *options, *factory]


def wrk(server: Server, connections: int, seconds: int, folder: Path) -> Served:
    """Ask for one short text a request, over connections that are kept."""
    script = folder / "post.lua"
    script.write_text(
        f"wrk.method = 'POST'\nwrk.headers['Content-Type'] = 'application/json'\nwrk.body = [==[{ONE}]==]\n"
    )
    before = server.processor()
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency", "--timeout", "10s", "-s", str(script)]
    done = subprocess.run(
        [*command, f"http://127.0.0.1:{server.port}/identify"], capture_output=True, text=True, check=True
    )
    spent = server.processor() - before
    if "Non-2xx" in done.stdout or "Socket errors" in done.stdout:
        raise SystemExit(done.stdout)
    count = int(_found(r"(\d+) requests in", done.stdout))
    rate = float(_found(r"Requests/sec:\s+([\d.]+)", done.stdout))
    median, p99 = (_milliseconds(_found(rf"\n +{share}% +(\S+)", done.stdout)) for share in (50, 99))
    return Served(rate, median, p99, 1e6 * spent / count)


def _found(pattern: str, text: str) -> str:
    match = re.search(pattern, text)
    if match is None:
        raise SystemExit(f"no {pattern!r} in: {text}")
    return match.group(1)


def _milliseconds(written: str) -> float:
    number, unit = re.fullmatch(r"([\d.]+)(us|ms|s)", written).groups()  # type: ignore[union-attr]
    return float(number) * {"us": 0.001, "ms": 1, "s": 1000}[unit]


class Answered(NamedTuple):
    """An answer that `hey` got."""

    milliseconds: float
    status: int


def hey(server: Server, connections: int, rate: float, seconds: float, body: str, processes: int = 1) -> list[Answered]:
    """Ask at a rate, in requests a second over all connections; 0 for as fast as answers come.

    The connections of a process ask at the same moments. Several processes are started one after the other, so that
    theirs are spread.
    """
    each = ["-q", f"{rate / connections:.4f}"] if rate else []
    command = ["hey", "-z", f"{seconds:g}s", "-c", str(connections // processes), *each, "-m", "POST"]
    command += ["-T", "application/json", "-d", body, "-o", "csv", f"http://127.0.0.1:{server.port}/identify"]
    running = []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(processes):
            file = Path(folder) / str(number)
            with file.open("wb") as written:
                running.append((subprocess.Popen(command, stdout=written), file))
            if rate:
                time.sleep(connections / rate / processes)
        for process, _ in running:
            if process.wait():
                raise SystemExit("hey failed")
        rows = [row for _, file in running for row in csv.DictReader(io.StringIO(file.read_text()))]
    return [Answered(1000 * float(row["response-time"]), int(row["status-code"])) for row in rows]
