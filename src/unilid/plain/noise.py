"""What is written but is no language: ``cpp/words/noise.h``."""

from __future__ import annotations

import re
from itertools import pairwise

_DOMAINS = "com|org|net|edu|gov|info|io|eu|uk|ru|cn|jp|kr|app|dev|xyz|pdf|html|htm|php"
_DOMAIN = re.compile(rf"[A-Za-z0-9-][A-Za-z0-9.-]*\.({_DOMAINS})(?=[/:?#]|$)")

_PATH = re.compile(r"/[A-Za-z0-9]|[A-Za-z]:\\|~/|.*[/\\].*[/\\][^/\\]+\.[A-Za-z0-9]{1,4}$")


def noise_of(run: str) -> str | None:
    """Say what a run of visible ASCII characters is, if its letters are no words.

    >>> noise_of("https://example.org/a"), noise_of("(me@example.org)"), noise_of("d41d8cd98f00"), noise_of("COVID-19")
    ('address', 'e-mail', 'identifier', None)
    """
    run = run.strip("()[]{}<>\"'`,;!?.:*|")
    letters = [c for c in run if c.isalpha()]
    digits = [c for c in run if c.isdigit()]
    host = re.split("[/:?#]", run, maxsplit=1)[0]
    address = "://" in run or run.lower().startswith("www.") or (".." not in host and _DOMAIN.match(run))
    if address or _PATH.match(run):
        return "address"
    if run.startswith("@"):
        return "identifier" if re.match("@[A-Za-z0-9]", run) else None
    if re.fullmatch(r"[^@]*[A-Za-z0-9]@[^@]*\.[^@]*", run):
        return "e-mail"
    if not letters:
        return None
    kinds = [c.isdigit() for c in run if c.isalnum()]
    changes = sum(a != b for a, b in pairwise(kinds))
    hexadecimal = re.fullmatch("[0-9A-Fa-f-]+", run) and digits and len(letters) + len(digits) >= 8
    capitals = len(re.findall("(?<=[a-z])[A-Z]", run)) >= 3 and len(letters) + len(digits) >= 12
    underscore = re.search("[A-Za-z0-9]_.", run)
    if changes >= 3 or len(digits) >= len(letters) or hexadecimal or capitals or underscore:
        return "identifier"
    return None
