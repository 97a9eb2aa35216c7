"""Write a model as a folder that can be uploaded to the Hub: the model file, config.json and a model card."""

from __future__ import annotations

import hashlib
import json
import os
import re
from contextlib import ExitStack, suppress
from dataclasses import asdict
from importlib.metadata import metadata, version
from pathlib import Path
from typing import Any

from unilid.errors import UnilidError
from unilid.files import write_atomically
from unilid.hub import card
from unilid.model import Model
from unilid.store.modelfile import FORMAT
from unilid.store.repository import CARD, CONFIG, PART, WEIGHTS

_HASHES = "sha256"
"""The entry of config.json by which an export knows its own files again."""


def export(
    model: Model,
    folder: str | Path,
    *,
    name: str | None = None,
    license: str | None = None,  # noqa: A002  # the name that the Hub has for it
    report: str | Path | None = None,
    overwrite: bool = False,
) -> None:
    """Write the files of a repository of the Hub into a folder: all of them, or none.

    Parameters
    ----------
    model
        Any model.
    folder
        A new folder, or one that is there: what else is in it stays.
    name
        What the repository is called (``user/name``), for the card; by default as the folder is.
    license
        The licence in the words of the Hub, such as ``cc-by-sa-4.0``. By default that of this package for the models
        that come with it, and ``unknown`` for others.
    report
        The file of `unilid evaluate --json`, whose figures the card then has.
    overwrite
        Whether files that are there are replaced even if they are not as an earlier export wrote them.

    Examples
    --------
    >>> import tempfile, unilid
    >>> folder = Path(tempfile.mkdtemp()) / "iberian"
    >>> export(unilid.load().subset(["es", "pt", "ca"]), folder)
    >>> unilid.load(folder).identify("Bom dia, meus amigos").label
    'por_Latn'
    """
    folder = Path(folder)
    parent = folder.resolve().parent
    if not parent.is_dir():
        raise UnilidError(f"{folder}: there is no folder {parent}; make it first")
    if folder.exists() and not folder.is_dir():
        raise UnilidError(f"{folder}: is a file, and the model becomes a folder; give another name")
    if not overwrite:
        _check_own(folder)
    if name is not None and not re.fullmatch(f"(?:{PART}/)?{PART}", name):
        raise UnilidError(
            f"{name!r} is not the name of a repository; write user/name, in letters, digits, '-', '_', '.'"
        )
    files = _files(model, name or folder.resolve().name, license, report)
    try:
        _write(folder, files)
    except OSError as error:
        raise UnilidError(f"{folder}: cannot be written: {error.strerror or error}") from error


def _files(model: Model, name: str, license: str | None, report: str | Path | None) -> dict[str, bytes]:  # noqa: A002
    """Return the content of each file."""
    if license is None:
        is_ours = model.path is not None and model.path.parent == Path(__file__).parents[1]
        license = metadata("unilid")["License-Expression"].lower() if is_ours else card.UNKNOWN  # noqa: A001
    figures = card.own_figures(model)
    if report is not None:
        figures.append(card.reported(Path(report)))
    written = card.card(model, name, license, figures)
    files = {WEIGHTS: model.to_bytes(), CARD: written.encode("utf-8", "backslashreplace")}
    config: dict[str, Any] = {
        "model_type": "unilid",
        "unilid_version": version("unilid"),
        "format": FORMAT,
        "model_file": WEIGHTS,
        "labels": list(model.languages),
        "settings": asdict(model.settings),
        _HASHES: {file: _sha256(content) for file, content in files.items()},
    }
    config[_HASHES][CONFIG] = _sha256(_canonical(config))
    return {**files, CONFIG: json.dumps(config, indent=1).encode() + b"\n"}


def _write(folder: Path, files: dict[str, bytes]) -> None:
    is_new = not folder.exists()
    folder.mkdir(exist_ok=True)
    try:
        with ExitStack() as stack:  # at whose end all take their places
            for name, content in files.items():
                file = stack.enter_context(write_atomically(folder / name))
                file.write(content)
                file.flush()
                os.fsync(file.fileno())  # a full disk is noticed before the first one does
    except BaseException:
        if is_new:
            with suppress(OSError):
                folder.rmdir()
        raise


def _check_own(folder: Path) -> None:
    """Refuse to replace a file that no export wrote, or that was changed since."""
    own = _own(folder)
    for name in (WEIGHTS, CARD, CONFIG):
        path = folder / name
        if path.exists() and (not path.is_file() or own.get(name) != _sha256(path.read_bytes())):
            raise UnilidError(
                f"{path}: is there, and not as an export wrote it; give another folder, or --overwrite to replace it"
            )


def _own(folder: Path) -> dict[str, str]:
    """Return the hashes of the files that an export wrote into a folder."""
    try:
        content = (folder / CONFIG).read_bytes()
        config = json.loads(content)
        hashes = dict(config[_HASHES])
        itself = hashes.pop(CONFIG)
    except (OSError, ValueError, KeyError, TypeError):
        return {}
    is_unchanged = itself == _sha256(_canonical({**config, _HASHES: hashes}))
    return {**hashes, CONFIG: _sha256(content)} if is_unchanged else hashes


def _canonical(config: dict[str, Any]) -> bytes:
    return json.dumps(config, sort_keys=True).encode()


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
