"""The service under load: how many requests a second, beside what its stack can do; too much load; a worker that dies.

    python benchmarks/service.py
    python benchmarks/service.py --minutes 0    # without twice the capacity: the page keeps what it says of it

Load comes from `wrk` and `hey` (of the same names in Debian), over loopback, in bounded time. The servers compared are
started for this, each with one worker, and answer in turn, so that what else the machine does is shared. The time of
the processor is that of the worker, of all its threads: it depends less on what others do.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import signal
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from common import ROOT, Report, arguments
from load import ONE, TEXT, Served, Server, constant, free_port, hey, listening, service, wrk

SEVERAL = json.dumps({"texts": [f"{TEXT} {number}" for number in range(500)]}, ensure_ascii=False)
"""What is asked where the service shall be busier than the generator of the load."""
CONNECTIONS = (1, 4, 16, 64)
EARLIER = "This part is of an earlier run than the others."
STACKS = [(server, app) for server in ("granian", "uvicorn") for app in ("bare", "starlette", "litestar")]
CROWD = 200
"""Connections that ask for twice the capacity."""
PROCESSES = 25
"""Of the generator, among which these are shared out."""
SEGMENT = 30
"""Seconds of load of which the figures are read at once."""


def percentile(values: Sequence[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, round(share * (len(ordered) - 1)))] if ordered else float("nan")


def best(rounds: Sequence[Served]) -> Served:
    """Return the figures of the round that others disturbed least."""
    return max(rounds, key=lambda served: served.rate)


def stacks(report: Report, folder: Path, seconds: int, rounds: int) -> None:
    report.say("\n## Which stack\n")
    report.say(
        f"An answer that is constant, {CONNECTIONS[-1]} connections, one worker; in turn, {rounds} times {seconds} s, "
        "of which the best is shown: it is nearest to what a quiet machine does. Without a framework, the application "
        "speaks ASGI itself.\n"
    )
    report.header("server", "framework", "requests a second", "p50, ms", "p99, ms", "processor, µs a request")
    servers = {}
    with ExitStack() as stack:
        for server, app in STACKS:
            if any(importlib.util.find_spec(name) is None for name in (server, app) if name != "bare"):
                report.say(f"{server} with {app} is not installed.\n")
                continue
            port = free_port()
            servers[server, app] = stack.enter_context(listening(constant(server, app, port), port))
        seen: dict[tuple[str, str], list[Served]] = {name: [] for name in servers}
        for _ in range(rounds):
            for name, running in servers.items():
                seen[name].append(wrk(running, CONNECTIONS[-1], seconds, folder))
    for (server, app), figures in seen.items():
        one, framework = best(figures), "none" if app == "bare" else app.title()
        report.row(server, framework, f"{one.rate:,.0f}", f"{one.median:.2f}", f"{one.p99:.2f}", f"{one.processor:.0f}")


def short_texts(report: Report, folder: Path, seconds: int, rounds: int) -> None:
    report.say("\n## One short text a request\n")
    report.say(
        f"`{TEXT}` as JSON, connections that are kept, one worker; beside it the same server with an application that "
        f"answers a constant. In turn, {rounds} times {seconds} s, of which the best is shown. The share of the "
        "constant's rate is that in the median pair of one run of each after the other; beside it, that of the two "
        "best runs, which need not have met the machine in the same mood.\n"
    )
    report.header(
        "connections",
        *("requests a second", "p50, ms", "p99, ms", "processor, µs a request"),
        *("constant: requests a second", "p50, ms", "p99, ms", "processor, µs a request"),
        *("share", "share of the bests"),
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
            one, other = (best(column) for column in zip(*pairs, strict=True))
            cells = [
                cell
                for seen in (one, other)
                for cell in (f"{seen.rate:,.0f}", f"{seen.median:.2f}", f"{seen.p99:.2f}", f"{seen.processor:.0f}")
            ]
            share = statistics.median(own.rate / beside.rate for own, beside in pairs)
            report.row(connections, *cells, f"{share:.2f}", f"{one.rate / other.rate:.2f}")


def overload(report: Report, minutes: float) -> None:
    segment = min(SEGMENT, 60 * minutes / 4)
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
    quarters = ", ".join(f"{memory[len(memory) * part // 4 - 1]:.0f}" for part in (1, 2, 3, 4))
    report.row("after each quarter of the time, MB", quarters)
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


def printed_before(title: str) -> str:
    """Return a part of the page as an earlier run printed it, which it says then."""
    page = (ROOT / "docs/results/service.md").read_text()
    part = next(part for part in page.split("\n## ") if part.startswith(title)).rstrip("\n")
    return "\n## " + (part if EARLIER in part else part.replace("\n\n", f"\n\n{EARLIER} ", 1))


def main() -> None:
    options = arguments(__doc__, minutes=10.0)
    if missing := [program for program in ("wrk", "hey") if shutil.which(program) is None]:
        raise SystemExit(f"{missing[0]} is not installed: apt-get install {' '.join(missing)}")
    report = Report("service", "The service under load", options.quick, packages=("unilid", "granian", "msgspec"))
    report.say(
        f"The load comes from the same {os.cpu_count()} cores that the service has. Others use them, too: when this "
        f"began, {os.getloadavg()[0]:.1f} of their processes wanted one (the load average of a minute)."
    )
    seconds, rounds, minutes = (1, 1, 0.05) if options.quick else (2, 6, options.minutes)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        starting(report, 1 if options.quick else 7)
        stacks(report, folder, seconds, rounds)
        short_texts(report, folder, seconds, rounds)
    if minutes:
        overload(report, minutes)
    else:
        report.say(printed_before("Twice the capacity"))
    killed(report, 3 if options.quick else 9)
    report.write()


if __name__ == "__main__":
    main()
