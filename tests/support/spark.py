"""A Spark cluster on this machine: a master and workers, each a process of its own, that tests may kill."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")

_EXECUTOR = "CoarseGrainedExecutorBackend"

PATIENCE = 120
"""Seconds to wait for a process to be there: a machine may be busy."""


def until(ready: Callable[[], T], what: str) -> T:
    """Wait for something to be true, and return it."""
    deadline = time.monotonic() + PATIENCE
    while not (result := ready()):
        if time.monotonic() > deadline:
            raise TimeoutError(f"waited {PATIENCE} seconds for {what}")
        time.sleep(0.1)
    return result


class Standalone:
    """A standalone cluster: one master, and workers of one core each."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        arguments = ["--host", "127.0.0.1", "--port", "0", "--webui-port", "0"]
        log = self._start("master", "org.apache.spark.deploy.master.Master", arguments)
        [self.url, *_] = until(lambda: re.findall(r"spark://[\d.]+:\d+", log.read_text()), "the master")

    def add_worker(self, name: str) -> None:
        """Start a worker."""
        arguments = ["--host", "127.0.0.1", "--webui-port", "0", "--cores", "1", "--memory", "1g"]
        arguments += ["--work-dir", str(self.folder / name), self.url]
        log = self._start(name, "org.apache.spark.deploy.worker.Worker", arguments)
        until(lambda: "Successfully registered with master" in log.read_text(), name)

    def _start(self, name: str, program: str, arguments: list[str]) -> Path:
        import pyspark

        home = Path(pyspark.__file__).parent
        log = self.folder / f"{name}.log"
        environment = {**os.environ, "SPARK_HOME": str(home), "SPARK_LOCAL_IP": "127.0.0.1"}
        environment |= {"SPARK_DAEMON_MEMORY": "256m"}
        with log.open("wb") as file:
            self.processes[name] = subprocess.Popen(
                [home / "bin" / "spark-class", program, *arguments], stdout=file, stderr=file, env=environment
            )
        return log

    def session(self, **settings: Any) -> Any:
        """Return a session whose executors are those of the workers."""
        from pyspark.sql import SparkSession

        os.environ["PYSPARK_PYTHON"] = sys.executable  # for executors, too; not the one that a shell would find
        builder = SparkSession.builder.master(self.url).appName("tests of unilid")
        own = {
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.ui.enabled": "false",
            "spark.executor.memory": "700m",
            "spark.sql.shuffle.partitions": "4",
            "spark.sql.session.timeZone": "UTC",
            "spark.ui.showConsoleProgress": "false",
            "spark.network.timeout": "60s",
            "spark.local.dir": str(self.folder / "local"),
            "spark.executorEnv.PYTHONPATH": str(Path(__file__).parents[1]),  # for what tests run on executors
        }
        for name, value in (own | settings).items():
            builder = builder.config(name, value)
        session = builder.getOrCreate()
        session.sparkContext.setLogLevel("OFF")
        return session

    def executors(self) -> list[int]:
        """Return the process ids of the executors that are alive."""
        workers = [process.pid for name, process in self.processes.items() if name != "master"]
        commands = _commands()
        return [pid for worker in workers for pid in _children(worker) if _EXECUTOR in commands.get(pid, "")]

    def kill(self, name: str) -> None:
        """Kill a worker and its executors for good."""
        worker = self.processes.pop(name)
        for pid in [*_children(worker.pid), worker.pid]:
            _kill(pid)
        worker.wait()

    def stop(self) -> None:
        """End all processes."""
        for process in self.processes.values():
            for pid in [*_children(process.pid), process.pid]:
                _kill(pid)
            process.wait()


def _kill(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def _commands() -> dict[int, str]:
    found = {}
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended
            found[int(entry.name)] = (entry / "cmdline").read_bytes().decode("utf-8", "replace")
    return found


def parent(pid: int) -> int:
    """Return the parent of a process."""
    return int((Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()[1])


def _children(pid: int) -> list[int]:
    """Return all descendants of a process."""
    parents = {}
    for own in _commands():
        with suppress(OSError):
            parents[own] = parent(own)
    found, new = [], [pid]
    while new:
        new = [own for own, above in parents.items() if above in new]
        found += new
    return found


def kill_own_executor_once(marker: Path) -> None:
    """Called in a task: kill the executor that runs it, the first time this is called with a marker."""
    try:
        os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return
    pid = os.getpid()
    while _EXECUTOR not in _commands().get(pid, ""):
        pid = parent(pid)
    os.kill(pid, signal.SIGKILL)
    time.sleep(PATIENCE)  # this process ends with it
