"""The service under load: how many requests a second, beside what its stack can do; too much load; a worker that dies.

    python benchmarks/service.py
    python benchmarks/service.py --minutes 2    # a shorter time at twice the capacity

Load comes from `wrk` and `hey` (of the same names in Debian), over loopback, in bounded time. The servers compared are
started for this, each with one worker, and answer in turn, so that what else the machine does is shared. The time of
the processor is that of the worker, of all its threads: it depends less on what others do.
"""

from __future__ import annotations

import csv
import http.client
import importlib.util
import io
import json
import os
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from common import Report, arguments

TEXT = "Wo ist der nächste Bahnhof?"
ONE = json.dumps({"text": TEXT}, ensure_ascii=False)
SEVERAL = json.dumps({"texts": [f"{TEXT} {number}" for number in range(500)]}, ensure_ascii=False)
"""What is asked where the service shall be busier than the generator of the load."""
CONNECTIONS = (1, 4, 16, 64)
STACKS = [(server, app) for server in ("granian", "uvicorn") for app in ("bare", "starlette", "litestar")]
CROWD = 200
"""Connections that ask for twice the capacity."""
PROCESSES = 25
"""Of the generator, among which these are shared out."""
SEGMENT = 30
"""Seconds of load of which the figures are read at once."""
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


def percentile(values: Sequence[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, round(share * (len(ordered) - 1)))] if ordered else float("nan")


def middle(rounds: Sequence[Served]) -> Served:
    """Return the median of each figure."""
    return Served(*(statistics.median(column) for column in zip(*rounds, strict=True)))


def stacks(report: Report, folder: Path, seconds: int) -> None:
    report.say("\n## Which stack\n")
    report.say(
        f"An answer that is constant, {CONNECTIONS[-1]} connections, {seconds} s each, one worker. No framework is "
        "an ASGI application of its own.\n"
    )
    report.header("server", "framework", "requests a second", "p50, ms", "p99, ms", "processor, µs a request")
    for server, app in STACKS:
        needed = [server, *([app] if app != "bare" else [])]
        if missing := [name for name in needed if importlib.util.find_spec(name) is None]:
            report.row(server, app, f"{missing[0]} is not installed", "", "", "")
            continue
        port = free_port()
        with listening(constant(server, app, port), port) as running:
            wrk(running, CONNECTIONS[-1], 1, folder)
            seen = wrk(running, CONNECTIONS[-1], seconds, folder)
        name = "none" if app == "bare" else app.title()
        report.row(server, name, f"{seen.rate:,.0f}", f"{seen.median:.2f}", f"{seen.p99:.2f}", f"{seen.processor:.0f}")


def short_texts(report: Report, folder: Path, seconds: int, rounds: int) -> None:
    report.say("\n## One short text a request\n")
    report.say(
        f"`{TEXT}` as JSON, connections that are kept, one worker; beside it the same server with an application that "
        f"answers a constant. In turn, {rounds} times {seconds} s; the median of each figure. The share is that of the "
        "constant's rate.\n"
    )
    report.header(
        "connections",
        *("requests a second", "p50, ms", "p99, ms", "processor, µs a request"),
        *("constant: requests a second", "p50, ms", "p99, ms", "processor, µs a request", "share"),
    )
    ports = free_port(), free_port()
    ours, others = service(ports[0]), constant("granian", "bare", ports[1])
    with listening(ours, ports[0]) as answering, listening(others, ports[1]) as fixed:
        for server in (answering, fixed):
            wrk(server, 4, 1, folder)
        for connections in CONNECTIONS:
            pairs = [
                (wrk(answering, connections, seconds, folder), wrk(fixed, connections, seconds, folder))
                for _ in range(rounds)
            ]
            one, other = (middle(column) for column in zip(*pairs, strict=True))
            cells = [
                cell
                for seen in (one, other)
                for cell in (f"{seen.rate:,.0f}", f"{seen.median:.2f}", f"{seen.p99:.2f}", f"{seen.processor:.0f}")
            ]
            report.row(connections, *cells, f"{one.rate / other.rate:.2f}")


def overload(report: Report, minutes: float) -> None:
    segment = min(SEGMENT, 60 * minutes)
    report.say("\n## Twice the capacity\n")
    with _service() as server:
        hey(server, 4, 0, 1, SEVERAL)
        calm = hey(server, 4, 0, min(5, segment), SEVERAL)
        capacity = len(calm) / min(5, segment)
        report.say(
            f"500 short texts a request. Four clients, each of which asks again as soon as it has its answer, get "
            f"{capacity:,.0f} answers a second. Then {CROWD} clients ask for {2 * capacity:,.0f} a second, for "
            f"{minutes:g} minute{'s' * (minutes != 1)}; one worker.\n"
        )
        counted, begin = server.counted(), server.memory()
        accepted: list[float] = []
        refused: list[float] = []
        memory: list[float] = []
        for _ in range(round(60 * minutes / segment)):
            answers = hey(server, CROWD, 2 * capacity, segment, SEVERAL, PROCESSES)
            accepted += [answer.milliseconds for answer in answers if answer.status == 200]
            refused += [answer.milliseconds for answer in answers if answer.status == 503]
            memory.append(server.memory())
            last = time.perf_counter()
            while server.ask("/identify", SEVERAL)[0] != 200:
                time.sleep(0.005)
            recovered = time.perf_counter() - last
        after = server.counted()
        seconds = 60 * minutes
        others = sum(after.get(status, 0) - counted.get(status, 0) for status in after if status not in ("200", "503"))
        answered = sum(after.values()) - sum(counted.values())
    report.header("figure", "")
    report.row("requests that the clients made, a second", f"{(len(accepted) + len(refused)) / seconds:,.0f}")
    report.row("answered 200, a second", f"{len(accepted) / seconds:,.0f}")
    report.row("p50 of these, ms", f"{percentile(accepted, 0.5):.1f}")
    report.row("p99 of these, ms", f"{percentile(accepted, 0.99):.1f}")
    report.row("answered 503, a second", f"{len(refused) / seconds:,.0f}")
    report.row("p50 of these, ms", f"{percentile(refused, 0.5):.1f}")
    report.row("p99 of these, ms", f"{percentile(refused, 0.99):.1f}")
    report.row("other answers", others)
    probes = round(60 * minutes / segment)
    report.row("answers that no client got", answered - len(accepted) - len(refused) - probes)
    report.row("memory of the worker before, MB", f"{begin:.0f}")
    report.row("after the first part and at the end, MB", f"{memory[0]:.0f}, {memory[-1]:.0f}")
    report.row("from the end of the load to the next answer, ms", f"{1000 * recovered:.0f}")


def killed(report: Report, seconds: int) -> None:
    connections = 32
    with _service("--workers", 2) as server:
        before = server.workers()
        command = [
            "hey",
            "-z",
            f"{seconds}s",
            "-c",
            str(connections),
            "-m",
            "POST",
            "-T",
            "application/json",
            "-d",
            ONE,
        ]
        load = subprocess.Popen(
            [*command, f"http://127.0.0.1:{server.port}/identify"], stdout=subprocess.PIPE, text=True
        )
        time.sleep(seconds / 3)
        start = time.perf_counter()
        os.kill(before[0], signal.SIGKILL)
        while not _started(server, 3):
            time.sleep(0.01)
        again = time.perf_counter() - start
        written, _ = load.communicate()
    statuses = {int(status): int(count) for status, count in re.findall(r"\[(\d+)\]\s+(\d+) responses", written)}
    lost = sum(int(count) for count in re.findall(r"^\s+\[(\d+)\]\s+(?:Post|Get)", written, re.M))
    report.say("\n## A worker is killed\n")
    report.say(
        f"Two workers, {connections} connections, one short text a request, {seconds} s; after a third of the time, "
        "`kill -9` of a worker.\n"
    )
    report.header("figure", "")
    report.row("answered 200", f"{statuses.pop(200, 0):,}")
    report.row("other answers", sum(statuses.values()))
    report.row("requests without an answer, of which each connection can have one", lost)
    report.row("until another worker counted itself as started, ms", f"{1000 * again:.0f}")


def _started(server: Server, count: int) -> bool:
    try:
        return server.starts() >= count
    except OSError:  # the worker that is killed was asked
        return False


@contextmanager
def _service(*more: object) -> Iterator[Server]:
    port = free_port()
    with listening(service(port, *more), port) as server:
        yield server


def starting(report: Report, rounds: int) -> None:
    taken = []
    # As it is installed: compiled modules are kept, and the first start makes them.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    for _ in range(rounds + 1):
        start = time.perf_counter()
        with subprocess.Popen(service(0), stdout=subprocess.PIPE, env=environment) as process:
            assert process.stdout is not None
            process.stdout.readline()
            taken.append(time.perf_counter() - start)
            process.terminate()
    taken = taken[1:]
    report.say(
        f"\nFrom `unilid serve` to its first line, which it prints when it can answer: {min(taken):.2f} s at least, "
        f"{statistics.median(taken):.2f} s in the median of {rounds}."
    )


def main() -> None:
    options = arguments(__doc__, minutes=10.0)
    if missing := [program for program in ("wrk", "hey") if shutil.which(program) is None]:
        raise SystemExit(f"{missing[0]} is not installed: apt-get install {' '.join(missing)}")
    report = Report("service", "The service under load", options.quick, packages=("unilid", "granian", "msgspec"))
    report.say(
        f"The load comes from the same {os.cpu_count()} cores that the service has. Others use them, too: when this "
        f"began, {os.getloadavg()[0]:.1f} of their processes wanted one (the load average of a minute)."
    )
    seconds, rounds, minutes = (1, 1, 0.05) if options.quick else (4, 3, options.minutes)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        starting(report, 1 if options.quick else 7)
        stacks(report, folder, seconds)
        short_texts(report, folder, seconds, rounds)
    overload(report, minutes)
    killed(report, 3 if options.quick else 9)
    report.write()


if __name__ == "__main__":
    main()
