"""How the service is set up: what a user may choose, and what protects it."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Literal

HOST = "127.0.0.1"
PORT = 8000

Log = Literal["failures", "requests", "texts"]
"""What is logged: failures of the service alone, a line for each request, or its text, too."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one client cannot go beyond, so that the others are answered."""

    body: int = 8_000_000
    """Bytes of a body, after it was decompressed; a stream may be of any length."""
    texts: int = 10_000
    """Texts of a request; a stream may have any number."""
    text: int = 1_000_000
    """Bytes of a text, and of a line of a stream."""
    explained: int = 10_000
    """Bytes of a text to explain: an explanation has some hundred times as many."""
    seconds: float = 10.0
    """Time until a client has sent the head of a request, its body or the next piece of a stream, and has taken a piece
    of an answer; also the time that an answer may take."""
    requests: int = 512
    """Requests at once, in each worker; one more is turned away."""


@dataclass(frozen=True, slots=True)
class Settings:
    """All that a worker needs to know; it may be sent to another process."""

    model: str | None = None
    """What `unilid.load` takes, or None for the model that comes with the package."""
    host: str = HOST
    port: int = PORT
    workers: int = 1
    limits: Limits = field(default_factory=Limits)
    origins: tuple[str, ...] = ()
    """Origins whose pages may read answers (CORS); ``*`` for all."""
    log: Log = "failures"
    metrics: str | None = None
    """The file in which workers count together."""
    parent: int = field(default_factory=os.getpid)
    """The process that started the workers, without which they end."""
