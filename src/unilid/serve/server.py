"""The server: where it listens, its workers, and its end.

granian reads and writes HTTP outside of Python's lock, starts the workers, and starts one again that dies. Why it is
this server, and no framework: `benchmarks/service.py` measures it beside others.
"""

from __future__ import annotations

import ipaddress
import os
import signal
import socket
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from granian import Granian
from granian.constants import HTTPModes, Interfaces, Loops
from granian.http import HTTP1Settings
from granian.log import LogLevels

from unilid.errors import UnilidError
from unilid.loaded import loaded
from unilid.serve import metrics
from unilid.serve.app import make_app, warm
from unilid.serve.settings import Settings

CONNECTIONS = 4096
"""Of a worker. Each has a request at work at most; those beyond the limit of requests are turned away at once."""
STARTING_SECONDS = 5
"""Time that workers have to start before the service ends all the same."""
ENDING_SECONDS = 30
"""Time that requests have to end when the service does."""

_LOG = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"plain": {"format": "unilid: %(message)s"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "stream": "ext://sys.stderr", "formatter": "plain"}},
    "loggers": {"_granian": {"handlers": ["stderr"], "level": "WARNING", "propagate": False}},
}


def serve(settings: Settings, *, public: bool = False) -> int:
    """Serve until a signal ends it (SIGINT, SIGTERM), and return the exit status."""
    address = _address(settings.host, public=public)
    model = loaded(settings.model)
    warm(model)
    with _reserved(address, settings.port) as port, tempfile.TemporaryDirectory(prefix="unilid-") as folder:
        counters = Path(folder) / "metrics"
        metrics.create(counters, settings.workers)
        settings = replace(settings, host=address, port=port, metrics=str(counters))
        server = _Server(
            counters,
            "unilid.serve.app:make_app",
            address=address,
            port=port,
            interface=Interfaces.ASGI,
            workers=settings.workers,
            loop=Loops.auto,
            http=HTTPModes.http1,
            websockets=False,
            backpressure=CONNECTIONS,
            http1_settings=HTTP1Settings(header_read_timeout=round(1000 * settings.limits.seconds)),
            log_level=LogLevels.warning,
            log_dictconfig=_LOG,
            respawn_failed_workers=True,
            workers_kill_timeout=ENDING_SECONDS,
        )
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=_end_by_signals)
        about = f"{len(model.languages):,} languages, {settings.workers} worker{'s' * (settings.workers != 1)}"
        threading.Thread(target=_announce, args=(address, port, about), daemon=True).start()
        try:
            server.serve(target_loader=partial(make_app, settings), wrap_loader=False)
        except SystemExit as end:
            return int(end.code or 0)
    return 0


def _address(host: str, *, public: bool) -> str:
    """Return the address of a host; that of another than this machine alone only where it may be public."""
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except OSError as error:
        raise UnilidError(f"there is no address for the host {host!r}: {error.strerror or error}") from None
    address = str(min(found)[4][0])  # of localhost, that of IPv4
    if not public and not ipaddress.ip_address(address.partition("%")[0]).is_loopback:
        raise UnilidError(
            f"{address} can be reached from other machines, and there is neither encryption nor a password here; "
            "put a proxy in front of it, or say --public if this is what you want"
        )
    return address


@contextmanager
def _reserved(address: str, port: int) -> Iterator[int]:
    """Yield a port that nobody else listens on, and keep others from taking it; 0 stands for any.

    Workers share the port, each with a socket of its own (SO_REUSEPORT). So the system would let a second service of
    the same user share it, too: that nobody has it is found out by asking for it alone.
    """
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family) as alone:
        alone.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            alone.bind((address, port))
            alone.listen(1)
        except OSError as error:
            advice = "choose another one with --port, 0 for any that is free"
            problem = error.strerror or error
            raise UnilidError(f"cannot listen on port {port} of {address}: {problem}; {advice}") from None
        port = alone.getsockname()[1]
    with socket.socket(family) as kept:
        if hasattr(socket, "SO_REUSEPORT"):
            kept.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            kept.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
            kept.bind((address, port))
        yield port


class _Server(Granian):  # type: ignore[misc, valid-type]  # one of two classes, by the kind of Python
    """Ends its workers only when they have all begun: in the midst of its start, one does not hear that it shall."""

    def __init__(self, counters: Path, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._counters = counters
        self._ending = False

    def signal_handler_interrupt(self, *_: object, **__: object) -> None:
        """Hear a signal to end; what granian calls."""
        if not self._ending:
            self._ending = True
            threading.Thread(target=self._end, daemon=True).start()

    def _end(self) -> None:
        last = time.monotonic() + STARTING_SECONDS
        while not metrics.all_serve(self._counters) and time.monotonic() < last:
            time.sleep(0.02)
        super().signal_handler_interrupt()


def _end_by_signals() -> None:
    """Let a worker that has only just been forked do without its parent's handlers until it has its own."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _announce(address: str, port: int, about: str) -> None:
    """Say where the service listens, once it does."""
    host = f"[{address}]" if ":" in address else address
    while True:
        with suppress(OSError), socket.create_connection((address, port), timeout=1) as connection:
            connection.sendall(b"GET /ready HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            if connection.recv(12).endswith(b"200"):
                break
        time.sleep(0.02)
    print(f"unilid: listening on http://{host}:{port} ({about}); Ctrl-C ends it", flush=True)
