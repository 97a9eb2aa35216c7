"""The command line: finds the verb, runs it, and turns errors into one sentence and an exit status.

A verb is a module of this package with ABOUT, EXAMPLE, `add_arguments` and `run`. Each imports what it needs inside
`run`, so that ``--help`` is immediate and a short command does not wait for what it does not use. It may return an exit
status.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path
from typing import Any, NoReturn

from unilid.display import sentence
from unilid.errors import UnilidError

VERBS = (
    "identify",
    "explain",
    "spans",
    "train",
    "calibrate",
    "evaluate",
    "add",
    "subset",
    "export",
    "languages",
    "info",
    "serve",
    "completion",
)
BAD_INPUT, INTERRUPTED = 2, 130
"""Exit statuses beside 0."""
DEBUG = "UNILID_DEBUG"
"""The environment variable that asks for the traceback of a failure."""


def script() -> NoReturn:
    """Run the command of this process, and end the process: what only a program may do, and what a short run saves."""
    gc.set_threshold(100_000)  # importing makes many objects, and no garbage
    status = main()
    # The system takes memory back at once; Python would visit every object first.
    for stream in filter(None, (sys.stdout, sys.stderr)):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(status)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status: 0, 2 for bad input or usage, 3 for some bad records, 130 for Ctrl-C."""
    if sys.stderr is None:  # closed: what is printed to it would go to standard output, among the answers
        sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115
    words = sys.argv[1:] if arguments is None else list(arguments)
    try:
        options = parser(words[0] if words else None).parse_args(words)
        # numpy's linear algebra is not used here, and its threads take longer to start than all else.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        if isinstance(sys.stdout, TextIOWrapper):
            sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
        if sys.stdout is None:
            return _failed("there is no standard output to write to")
        status: int = options.run(options) or 0
        sys.stdout.flush()
    except UnilidError as error:
        return _failed(error)
    except BrokenPipeError:  # whoever reads a pipe may have enough
        _silence_output()
    except OSError as error:
        _silence_output()
        where = "the output" if error.filename is None else os.fsdecode(error.filename)
        problem = "cannot be written" if error.filename is None else "cannot be used"
        return _failed(f"{where} {problem}: {error.strerror or error}")
    except MemoryError:
        return _failed("there is not enough memory for this; a line, a text or a table is too large for this machine")
    except KeyboardInterrupt:
        # A kernel call may still be running; nothing half-written is left, so leave at once.
        sys.stderr.flush()
        os._exit(INTERRUPTED)
    except Exception as error:  # noqa: BLE001  # a fault of this program, which its user need not read as code
        kind = f"{type(error).__name__}: {error}"
        return _failed(f"this should not happen ({kind}); please report it, with what is shown if {DEBUG}=1 is set")
    else:
        return status
    return 0


def _failed(problem: object) -> int:
    """Say in one sentence what went wrong, and return the exit status."""
    if os.environ.get(DEBUG):
        import traceback  # slow to import, and rarely needed

        traceback.print_exc()
    print(f"unilid: {sentence(problem)}", file=sys.stderr)
    return BAD_INPUT


def _silence_output() -> None:
    """Let standard output go nowhere: Python would complain once more when it closes it."""
    with suppress(OSError, ValueError, AttributeError):  # a file of Python alone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def parser(verb: str | None = None) -> argparse.ArgumentParser:
    """Return the parser of the command line; of one verb alone, where it is known which, because that is faster."""
    top = _Parser(prog="unilid", description="Name the language of texts.")
    top.add_argument("--version", action=_Version)
    commands = top.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for name in (verb,) if verb in VERBS else VERBS:
        module = import_module(f"unilid.cli.{name}")
        command = commands.add_parser(
            name,
            help=module.ABOUT.split(":")[0].split(".")[0] + ".",
            description=module.ABOUT,
            epilog=f"example: {module.EXAMPLE}",
        )
        module.add_arguments(command)
        command.set_defaults(run=module.run, parser=parser)
    return top


class _Parser(argparse.ArgumentParser):
    """Of subcommands, too: what was misunderstood is shown, and cannot steer the terminal."""

    def error(self, message: str) -> NoReturn:
        super().error(sentence(message))


class _Version(argparse.Action):
    def __init__(self, option_strings: Sequence[str], dest: str, **_: Any) -> None:
        super().__init__(option_strings, dest, nargs=0, help="show the version")

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        from importlib.metadata import version  # slow to import, and rarely needed

        print(f"unilid {version('unilid')}")
        parser.exit()
