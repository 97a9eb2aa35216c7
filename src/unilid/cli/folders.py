"""Folders of files in, folders of files out: which file becomes which, and which of them are finished."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unilid import files
from unilid.cli.records import Input, form_of
from unilid.errors import CorpusError, UnilidError

RECORD = ".unilid.json"
"""Says, in a folder of outputs, what they were made with."""


@dataclass(frozen=True, slots=True)
class Job:
    """Inputs that become one output."""

    inputs: Sequence[Input]
    output: Path | None
    """None for standard output."""
    rejected: Path | None = None
    in_folder: bool = False
    """Whether the output is one of many in a folder, of which those that are there are finished."""


def is_folder(path: str | None) -> bool:
    """Whether an output is a folder: it ends in a slash, or is there and is one."""
    return path is not None and (path.endswith(("/", os.sep)) or Path(path).is_dir())


def files_of(path: str, *, every: bool, without: Path | None = None) -> list[tuple[str, Path]]:
    """Return a file, or those of a folder, in order, each with its name relative to the folder.

    Hidden files are passed over, and so are those whose suffix tells no format, unless `every` is wanted, and those of
    the folder that is written to.
    """
    if not Path(path).is_dir():
        return [(path, Path(Path(path).name))]
    found = sorted(_walk(Path(path), without and Path(os.path.realpath(without))))
    chosen = [(str(file), file.relative_to(path)) for file in found if every or form_of(file)]
    if not chosen:
        raise CorpusError(f"{path}: has no file whose suffix tells its format; with --format, every file is read")
    return chosen


def _walk(folder: Path, without: Path | None) -> Iterator[Path]:
    for place, folders, names in os.walk(folder):
        folders[:] = [
            name
            for name in folders
            if not name.startswith(".") and (without is None or Path(os.path.realpath(Path(place, name))) != without)
        ]
        yield from (Path(place, name) for name in names if not name.startswith("."))


def outputs_of(inputs: Sequence[tuple[Input, Path]], form: str | None, folder: Path) -> list[Path]:
    """Return the output in a folder of each input, which has a relative name; they must differ.

    The suffix is another one where the form is.
    """
    outputs: dict[Path, str] = {}
    for source, relative in inputs:
        new = form or written_form(source.form)
        same = new == source.form and form_of(relative) == source.form
        output = folder / (relative if same else relative.with_name(f"{files.base_name(relative)}.{new}"))
        if output in outputs:
            raise UnilidError(f"{outputs[output]} and {source.name} would both become {output}; give one at a time")
        outputs[output] = source.name
    return list(outputs)


def written_form(form: str) -> str:
    """Return the form in which the answers to an input are written, if nobody asks for another."""
    return "tsv" if form == "text" else form


def unfinished(jobs: Sequence[Job], folder: Path, made_with: Mapping[str, Any], *, resume: bool) -> list[Job]:
    """Make the folders of the outputs, and return the jobs that are not finished.

    An output is there as a whole or not at all, so that one that is there is finished, unless its input is newer. What
    all were made with is kept in a file beside them.
    """
    record = folder / RECORD
    done = [job for job in jobs if job.output is not None and job.output.exists()]
    if done and not resume:
        raise UnilidError(f"{done[0].output}: is there already; go on with --resume, or write to another folder")
    if done:
        if not record.exists():
            raise UnilidError(f"{folder}: nothing says what its files were made with; write to another folder")
        _check_same(folder, _read(record), made_with)
    for place in {path.parent for job in jobs for path in (job.output, job.rejected) if path is not None}:
        place.mkdir(parents=True, exist_ok=True)
        files.remove_abandoned(place)
    if not done:
        with files.write_atomically(record) as file:
            file.write(json.dumps(made_with, ensure_ascii=True, indent=1).encode() + b"\n")
    return [job for job in jobs if not _is_finished(job)]


def _is_finished(job: Job) -> bool:
    assert job.output is not None
    outputs = [path for path in (job.output, job.rejected) if path is not None]
    if not all(path.exists() for path in outputs):
        return False
    newest = max(Path(source.path).stat().st_mtime_ns for source in job.inputs)
    return job.output.stat().st_mtime_ns >= newest


def _read(record: Path) -> dict[str, Any]:
    try:
        content = json.loads(record.read_bytes())
    except (OSError, ValueError) as error:
        raise UnilidError(f"{record}: cannot be read: {error}; write to another folder") from None
    return content if isinstance(content, dict) else {}


def _check_same(folder: Path, before: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    for name in [*before, *now]:
        was, is_now = before.get(name), json.loads(json.dumps(now.get(name)))
        if was != is_now:
            what = "another model" if name == "model" else f"{name} {was!r}, and this run has {is_now!r}"
            raise UnilidError(f"{folder}: was begun with {what}; give what was given then, or another folder")
