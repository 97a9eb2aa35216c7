"""``unilid identify``: the language of every record."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unilid.cli.options import (
    SOME_BAD,
    add_answering,
    add_budget,
    add_codes,
    add_model,
    add_output,
    add_threads,
    add_to,
    answering,
    budget,
    check_apart,
    check_suffix,
    check_writable,
    file_name,
    file_to_write,
    files_of,
    load_model,
    positive,
    written_to,
)
from unilid.display import sentence
from unilid.errors import CorpusError, UnilidError

if TYPE_CHECKING:
    from unilid.cli.folders import Job
    from unilid.cli.work import Counts, Work
    from unilid.model import Model
    from unilid.records.reading import Records

ABOUT = (
    "Name the language of every line, JSON object or row: label and probability, one output line for each input line. "
    "What was read as JSONL or Parquet comes out as such, with all its fields."
)
EXAMPLE = "echo 'Wo ist der Bahnhof?' | unilid identify"

_NOT_ABOUT_ANSWERS = {"files", "text", "model", "output", "rejected", "resume", "threads", "run", "parser", "strict"}
"""Options that outputs do not depend on."""


def add_arguments(command: argparse.ArgumentParser) -> None:
    """Add what this verb takes."""
    command.add_argument(
        "files",
        nargs="*",
        type=file_name,
        metavar="FILE",
        help="text, TSV, JSONL or Parquet, or folders of these; the default is standard input",
    )
    command.add_argument("-t", "--text", action="append", help="identify this text instead of files")
    add_model(command)
    command.add_argument("-k", type=positive, metavar="N", help="write the N best languages of each text")
    command.add_argument(
        "--shares", action="store_true", help="also write which share of the letters of each text each language has"
    )
    add_answering(command)
    add_budget(command)
    add_codes(command, "what to write for a label")
    reading = command.add_argument_group("what is read")
    reading.add_argument(
        "--format",
        choices=("text", "tsv", "jsonl", "parquet"),
        help="the format of the input; the default is that of the file's suffix, and text",
    )
    reading.add_argument("--field", metavar="NAME", help="the field (JSONL) or column (Parquet) with the text")
    reading.add_argument(
        "--column", type=positive, metavar="N", help="the column (TSV) with the text, from 1 (default: 1)"
    )
    reading.add_argument(
        "--strict",
        action="store_true",
        help="stop at the first bad record; the default is to answer it with an error and to go on",
    )
    writing = command.add_argument_group("what is written")
    add_output(writing, "; a folder (with a slash at its end, or one that is there) gets one output for each input")
    add_to(
        writing,
        ("table", "tsv", "jsonl", "parquet"),
        "the default is that of the output's suffix, and that of the input; a table on a terminal",
    )
    writing.add_argument(
        "--keep",
        action=argparse.BooleanOptionalAction,
        help="repeat the input behind (TSV) or in (JSONL, Parquet) the answer; the default is to do so where both have "
        "fields, and with a filter",
    )
    writing.add_argument(
        "--prefix", default="", metavar="NAME", help="what the names of new fields and columns begin with"
    )
    writing.add_argument(
        "--filter", metavar="A,B,...", help="write only records in these languages: labels or codes, with commas"
    )
    writing.add_argument(
        "--least",
        type=file_name,
        metavar="P|FILE",
        help="write only records whose language has at least this probability; or a file of a code and a probability a "
        "line (TSV), or JSON, in which `*` stands for all others",
    )
    writing.add_argument(
        "--rejected", type=file_to_write, metavar="FILE", help="write the records that do not pass to this file"
    )
    writing.add_argument(
        "--resume",
        action="store_true",
        help="go on with an interrupted run: skip inputs whose output is already in the folder",
    )
    add_threads(command)


def run(options: argparse.Namespace) -> int:
    """Answer record by record, and return the exit status."""
    from unilid.cli.folders import Job  # after the parser, which has shown --help by now
    from unilid.cli.meter import Meter
    from unilid.records.reading import Records

    if options.text and options.files:
        raise UnilidError("give texts with -t, or files, not both")
    if options.rejected and options.filter is None and options.least is None:
        raise UnilidError("--rejected is for what does not pass --filter or --least; give one of these")
    model = load_model(options.model, ready=True)
    work = _work(options, model)
    if options.text:
        texts: list[bytes | None] = [os.fsencode(text) for text in options.text]  # the bytes that were typed
        [job] = _jobs(options, model, []) if options.output else [Job([], None)]
        return _one(work, job, Meter(None, shown=False), Records(texts, [*texts]))
    jobs = _jobs(options, model, options.files or ["-"])
    if jobs[0].in_folder:
        return _folder(work, jobs, options, model)
    [job] = jobs
    sizes = [source.size for source in job.inputs]
    with Meter(None if None in sizes else sum(map(int, filter(None, sizes))), shown=_shows(job)) as meter:
        return _one(work, job, meter)


def _work(options: argparse.Namespace, model: Model) -> Work:
    """Return how records are answered and written; what is asked for is checked before anything is read."""
    from unilid.cli.filters import filter_of
    from unilid.cli.work import Work
    from unilid.records.answers import Fields, ask

    asked: dict[str, Any] = {"k": options.k, "threads": options.threads, **answering(options), **budget(options)}
    model.identify([], **asked)

    return Work(
        partial(ask, model, shares=options.shares, **asked),
        Fields(codes=options.codes, prefix=options.prefix, ranked=options.k is not None, shares=options.shares),
        keep=options.keep,
        form=written_to(options),
        languages=model.languages,
        chosen=filter_of(model, options.filter, options.least),
        strict=options.strict,
    )


def _jobs(options: argparse.Namespace, model: Model, paths: list[str]) -> list[Job]:
    """Return what becomes what."""
    from unilid.cli import folders
    from unilid.cli.records import Input

    in_folder = folders.is_folder(options.output)
    if options.resume and not in_folder:
        raise UnilidError("--resume is for a folder of outputs; name one with -o")
    if options.rejected and in_folder != folders.is_folder(options.rejected):
        raise UnilidError("--rejected and -o must both be files, or both folders (with a slash at the end)")
    sources = []
    for path in paths:
        if " " in path and not Path(path).exists():
            raise UnilidError(f"there is no file {path!r}; to identify a text, give it with -t")
        without = Path(options.output) if in_folder else None
        for name, relative in folders.files_of(path, every=options.format is not None, without=without):
            source = Input.of(name, format=options.format, field=options.field, column=options.column)
            sources.append((source, relative))
    read: list[str | Path] = [*(source.path for source, _ in sources), *files_of(model)]
    if options.least:
        read.append(options.least)
    if not in_folder:
        written = [path for path in (options.output, options.rejected) if path]
        for file in written:
            check_suffix(file, options.to)
        check_writable(written, read)
        output, rest = (Path(path) if path else None for path in (options.output, options.rejected))
        return [folders.Job([source for source, _ in sources], output, rest)]
    if any(source.path == "-" for source, _ in sources) or not sources:
        raise UnilidError(f"{options.output}: is a folder, and standard input has no name; name a file with -o")
    if options.to == "table":
        raise UnilidError("a table is for people; write files --to tsv, jsonl or parquet")
    outputs = folders.outputs_of(sources, options.to, Path(options.output))
    rejected: list[Path | None] = [None] * len(sources)
    if options.rejected:
        rejected = [*folders.outputs_of(sources, options.to, Path(options.rejected))]
    check_apart([*outputs, *filter(None, rejected)], read)
    return [
        folders.Job([source], output, other, in_folder=True)
        for (source, _), output, other in zip(sources, outputs, rejected, strict=True)
    ]


def _shows(job: Job) -> bool:
    """Whether there is room for a bar: answers on the same terminal would tear it."""
    return job.output is not None or not sys.stdout.isatty()


def _one(work: Work, job: Job, meter: Any, given: Records | None = None) -> int:
    """Do a job, and say what came of it."""
    from unilid.cli.terminal import say

    work.check(job)
    counts = work.do(job, meter, given)
    if job.output is not None:
        print(sentence(f"{job.output}: {_told(counts, work)}"), file=sys.stderr)
    elif counts.bad:
        say(f"{counts.bad:,} of {counts.records:,} records are bad; `error` says why")
    return SOME_BAD if counts.bad else 0


def _folder(work: Work, jobs: list[Job], options: argparse.Namespace, model: Model) -> int:
    """Do the jobs of a folder that are not finished, and say what came of them."""
    from importlib.metadata import version

    from unilid.cli import folders
    from unilid.cli.meter import Meter
    from unilid.cli.work import Counts
    from unilid.corpus.reading import fingerprint

    assert model.path is not None
    given = {name: value for name, value in sorted(vars(options).items()) if name not in _NOT_ABOUT_ANSWERS}
    made_with = {"unilid": version("unilid"), "model": fingerprint([model.path]), **given}
    made_with["rejected"] = options.rejected is not None
    if options.least and Path(options.least).is_file():
        made_with["least"] = fingerprint([options.least])
    folder = Path(options.output)
    left = folders.unfinished(jobs, folder, made_with, resume=options.resume)
    readable = [job for job in left if _readable(partial(work.check, job), strict=options.strict)]
    counts = Counts()
    done = 0
    with Meter(sum(source.size or 0 for job in readable for source in job.inputs)) as meter:
        for job in readable:
            done += _readable(lambda job=job: counts.add(work.do(job, meter)), strict=options.strict)  # type: ignore[misc]
    unread = len(left) - done
    before = f", {len(jobs) - len(left):,} were there" if len(left) < len(jobs) else ""
    unreadable = f", {unread:,} cannot be read" if unread else ""
    told = f"{done:,} file{'s' * (done != 1)}{before}{unreadable}, {_told(counts, work)}"
    print(sentence(f"{folder}: {told}"), file=sys.stderr)
    return SOME_BAD if counts.bad or unread else 0


def _readable(step: Callable[[], None], *, strict: bool) -> bool:
    """Do a step, and return whether its file could be read; say so where it could not, or, if strict, fail."""
    from unilid.cli.terminal import say

    try:
        step()
    except CorpusError as error:
        if strict:
            raise
        say(error)
        return False
    return True


def _told(counts: Counts, work: Work) -> str:
    told = f"{counts.records:,} record{'s' * (counts.records != 1)}"
    if work.chosen is not None:
        told += f", {counts.passed:,} passed"
    return told + (f", {counts.bad:,} bad" if counts.bad else "")
