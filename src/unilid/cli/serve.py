"""``unilid serve``: what a model answers, over HTTP."""

from __future__ import annotations

import argparse
import dataclasses

from unilid.cli.options import add_model, positive
from unilid.errors import UnilidError

ABOUT = (
    "Answer over HTTP: POST /identify, /spans and /explain, GET /languages, /health, /ready, /metrics and "
    "/openapi.json, and a page to try it at /. It listens on this machine alone, and says where."
)
EXAMPLE = "unilid serve --port 8000"

_LIMITS = {
    "body": ("BYTES", "bytes of a body, decompressed; a stream may be of any length"),
    "texts": ("N", "texts of a request; a stream may have any number"),
    "text": ("BYTES", "bytes of a text, or of a line of a stream"),
    "explained": ("BYTES", "bytes of a text to explain"),
    "seconds": (
        "N",
        "seconds until a head, a body or a piece of a stream has come, and until there is an answer",
    ),
    "requests": ("N", "requests at once, in each worker; one more is answered 503"),
}


def add_arguments(command: argparse.ArgumentParser) -> None:
    """Add what this verb takes."""
    add_model(command)
    command.add_argument("--host", default="127.0.0.1", help="the address to listen on (default: 127.0.0.1)")
    command.add_argument(
        "--port", type=_port, default=8000, metavar="N", help="the port to listen on (default: 8000); 0 for any"
    )
    command.add_argument(
        "--public", action="store_true", help="listen also where other machines can reach it; see --host"
    )
    command.add_argument(
        "--workers", type=positive, default=1, metavar="N", help="how many processes answer (default: 1)"
    )
    command.add_argument(
        "--cors", action="append", default=[], metavar="ORIGIN", help="let pages of this origin read answers; * for all"
    )
    command.add_argument(
        "--log",
        choices=("failures", "requests", "texts"),
        default="failures",
        help="what standard error is told: failures of the service (default), a line for each request without its "
        "text, or with it",
    )
    limits = command.add_argument_group("what one client cannot go beyond")
    for name, (metavar, about) in _LIMITS.items():
        told = f"{about} (default: {_default(name):,})"
        limits.add_argument(f"--limit-{name}", type=positive, metavar=metavar, help=told)


def run(options: argparse.Namespace) -> int:
    """Serve until Ctrl-C or SIGTERM."""
    from unilid.serve.settings import Limits, Settings  # after the parser, which has shown --help by now

    try:
        from unilid.serve.server import serve
    except ImportError as error:
        raise UnilidError(f"{error.name} is missing; the service needs it: pip install 'unilid[serve]'") from None

    chosen = {name: getattr(options, f"limit_{name}") for name in _LIMITS}
    limits = Limits(**{name: value for name, value in chosen.items() if value is not None})
    settings = Settings(
        options.model,
        options.host,
        options.port,
        options.workers,
        limits,
        tuple(options.cors),
        options.log,
    )
    return serve(settings, public=options.public)


def _port(value: str) -> int:
    if not value.isdecimal() or int(value) > 65_535:
        raise argparse.ArgumentTypeError(f"{value!r} is not a port: a number up to 65535")
    return int(value)


def _default(name: str) -> int:
    from unilid.serve.settings import Limits  # what a limit is, is said there alone

    [field] = [field for field in dataclasses.fields(Limits) if field.name == name]
    return int(field.default)  # type: ignore[arg-type]
