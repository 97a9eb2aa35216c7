"""Write the manual page of the command from its parsers: `man unilid`, where the package is installed.

python tools/make_man.py [FILE]            docs/unilid.1
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from unilid.cli import main as cli

PAGE = Path(__file__).parents[1] / "docs/unilid.1"

_STATUSES = {
    "0": "The command did what it was asked to do.",
    "2": "Bad input or usage; one sentence on standard error says what is wrong.",
    "3": "Some records were bad, and the others were answered.",
    "130": "The command was interrupted by Ctrl-C, and left nothing half-written.",
}
_VARIABLES = {
    cli.DEBUG: "If it is set, a failure is shown with its traceback.",
    "HF_HOME, HF_HUB_CACHE, HF_HUB_OFFLINE, HF_TOKEN": "Settings of the library that fetches models named "
    "hf://user/name from the Hugging Face Hub.",
}


def page() -> str:
    """Return the page, in the macros of man(7)."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    parser = cli.parser()
    [commands] = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    yield '.\\" Written by tools/make_man.py from the help of the command.'
    yield '.TH UNILID 1 "" unilid "User Commands"'
    yield ".SH NAME"
    yield "unilid \\- name the language of texts"
    yield ".SH SYNOPSIS"
    for name, command in commands.choices.items():
        yield from _synopsis(name, command)
    yield ".SH DESCRIPTION"
    yield _text(
        "unilid names the language of a text, offline, and says how sure it is. The model is part of the package. "
        "Each command explains itself with `--help`, and `unilid --version` shows the version."
    )
    yield ".SH COMMANDS"
    for name, command in commands.choices.items():
        yield f".SS {name}"
        yield _text(command.description or "")
        for group in command._action_groups:
            actions = [action for action in group._group_actions if not isinstance(action, argparse._HelpAction)]
            if group.title not in {"positional arguments", "options"} and actions:
                yield ".PP"
                yield _text(f"{group.title}:".capitalize())
            for action in actions:
                yield ".TP"
                yield _tag(action)
                yield _text((action.help or "").replace("%%", "%"))
        yield ".PP"
        yield "Example:"
        yield ".PP"
        yield ".RS 4"
        yield ".EX"
        yield _text(import_module(f"unilid.cli.{name}").EXAMPLE)
        yield ".EE"
        yield ".RE"
    for title, entries in (("EXIT STATUS", _STATUSES), ("ENVIRONMENT", _VARIABLES)):
        yield f".SH {title}"
        for name, about in entries.items():
            yield ".TP"
            yield f"\\fB{_escaped(name)}\\fR"
            yield _text(about)


def _synopsis(name: str, command: argparse.ArgumentParser) -> Iterator[str]:
    yield f".B unilid {name}"
    required = [action for action in command._actions if action.option_strings and action.required]
    yield " ".join(["[\\fIOPTION\\fR]...\\&", *(_tag(action).split(", ")[-1] for action in required)])
    for action in command._actions:
        if not action.option_strings:
            argument = f"\\fI{_escaped(_metavar(action))}\\fR"
            argument = f"[{argument}]" if action.nargs in ("?", "*") else argument
            yield argument + ("...\\&" if action.nargs in ("*", "+") else "")
    yield ".br"


def _tag(action: argparse.Action) -> str:
    """Return how an argument or option is written."""
    argument = f"\\fI{_escaped(_metavar(action))}\\fR"
    if not action.option_strings:
        return argument
    written = ", ".join(f"\\fB{_escaped(flag)}\\fR" for flag in action.option_strings)
    if action.nargs == 0:
        return written
    return f"{written} {argument}" + ("..." if action.nargs == "+" else "")


def _metavar(action: argparse.Action) -> str:
    if action.metavar is None and action.choices is not None:
        return "|".join(map(str, action.choices))
    return str(action.metavar or action.dest.upper())


def _text(words: str) -> str:
    """Return a paragraph; what stands between backticks is what one types."""
    parts = re.split(r"`([^`]*)`", words)
    line = "".join(f"\\fB{_escaped(part)}\\fR" if number % 2 else _escaped(part) for number, part in enumerate(parts))
    return f"\\&{line}" if line.startswith((".", "'")) else line


def _escaped(words: str) -> str:
    """Return words in which nothing steers roff; a hyphen that one types is a minus there."""
    for sign, written in (("\\", "\\e"), ("-", "\\-"), ("'", "\\(aq"), ("`", "\\(ga"), ("^", "\\(ha"), ("~", "\\(ti")):
        words = words.replace(sign, written)
    return "".join(c if ord(c) < 128 else f"\\[u{ord(c):04X}]" for c in words)


def main() -> None:
    """Write the page."""
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else PAGE
    target.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
