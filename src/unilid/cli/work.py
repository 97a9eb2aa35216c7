"""Records through a model: read, answered, filtered, written, and counted."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from unilid import files
from unilid.cli.answers import TableWriter, TsvWriter, Writer
from unilid.cli.filters import Filter
from unilid.cli.folders import Job, written_form
from unilid.cli.meter import Meter
from unilid.errors import UnilidError
from unilid.records.answers import Answer, Fields, JsonlWriter
from unilid.records.reading import Records

_WITH_FIELDS = ("jsonl", "parquet")
"""The formats whose records have fields, which are kept."""


@dataclass(slots=True)
class Counts:
    """What came of records."""

    records: int = 0
    passed: int = 0
    bad: int = 0

    def add(self, other: Counts) -> None:
        """Add others."""
        self.records += other.records
        self.passed += other.passed
        self.bad += other.bad


class BadRecordError(UnilidError):
    """A bad record where none may be; what came before it was written."""


@dataclass(frozen=True, slots=True)
class Work:
    """How records are answered and written."""

    ask: Callable[[list[bytes | None]], list[Answer]]
    fields: Fields
    keep: bool | None
    """Whether the input is repeated; None: where both formats have fields, or where records are filtered."""
    form: str | None
    """The format to write; None: that of the input."""
    languages: Sequence[str]
    chosen: Filter | None = None
    strict: bool = False

    def form_of(self, job: Job) -> str:
        """Return the format in which a job is written."""
        if self.form is not None:
            return self.form
        forms = {written_form(source.form) for source in job.inputs} or {"tsv"}
        form = forms.pop() if len(forms) == 1 else "jsonl" if "jsonl" in forms or "parquet" in forms else "tsv"
        return "jsonl" if form == "parquet" and job.output is None else form

    def fields_of(self, job: Job) -> Fields:
        """Return the fields that a job's answers are written in."""
        keep = self.keep
        if keep is None:
            both = self.form_of(job) in _WITH_FIELDS and all(source.form in _WITH_FIELDS for source in job.inputs)
            keep = (both and bool(job.inputs)) or self.chosen is not None
        return replace(self.fields, keep=keep, file=len(job.inputs) > 1)

    def check(self, job: Job) -> None:
        """Fail before the work where an input cannot be read or has a field that is to be added."""
        form = self.form_of(job)
        if form == "parquet" and job.output is None:
            raise UnilidError("Parquet is not for a pipe: name a file with -o")
        added = self.fields_of(job).added(form)
        for source in job.inputs:
            source.check(added)

    def do(self, job: Job, meter: Meter, given: Records | None = None) -> Counts:
        """Answer the records of a job, or those given, and write them."""
        fields, counts = self.fields_of(job), Counts()
        problem = None
        with ExitStack() as stack:
            out = stack.enter_context(self._writer(job, job.output, fields))
            # Closed, and in its place, before the output: that one is there when all is.
            rejected = None
            if job.rejected is not None:
                rejected = stack.enter_context(self._writer(job, job.rejected, fields))
            for name, records in _read(job, fields.added(self.form_of(job)), meter, given):
                if self.strict and records.errors:
                    first = min(records.errors)
                    problem, records = records.errors[first], records.first(first)  # noqa: PLW2901
                counts.add(self._write(records, name, out, rejected))
                if job.output is None:
                    sys.stdout.flush()  # whoever waits at the end of a pipe gets each answer
                meter.answered(len(records.texts), name)
                if problem is not None:
                    break
            if problem is not None and job.in_folder:
                raise BadRecordError(problem)  # an output that is there is finished, and this one is not
        if problem is not None:
            raise BadRecordError(problem)
        return counts

    def _write(self, records: Records, name: str, out: Writer, rejected: Writer | None) -> Counts:
        answers = self.ask(records.texts)
        if self.chosen is None:
            out.write(records, answers, None, name)
            return Counts(len(answers), len(answers) - len(records.errors), len(records.errors))
        passed, others = self.chosen.places(records, answers)
        out.write(records, answers, passed, name)
        if rejected is not None:
            rejected.write(records, answers, others, name)
        return Counts(len(answers), len(passed), len(records.errors))

    @contextmanager
    def _writer(self, job: Job, path: Path | None, fields: Fields) -> Iterator[Writer]:
        form = self.form_of(job)
        with ExitStack() as stack:
            file = sys.stdout.buffer if path is None else stack.enter_context(files.write_compressed(path))
            writer: Writer
            if form == "parquet":
                from unilid.cli.parquet import ParquetWriter  # needs an extra, and time

                writer = ParquetWriter(file, fields, job.inputs)
            elif form == "table":
                writer = TableWriter(file, fields, self.languages, on_terminal=path is None)
            else:
                writer = JsonlWriter(file, fields) if form == "jsonl" else TsvWriter(file, fields)
            yield writer
            writer.close()


def _read(job: Job, added: Sequence[str], meter: Meter, given: Records | None) -> Iterator[tuple[str, Records]]:
    if given is not None:
        yield "", given
        return
    for source in job.inputs:
        for records in source.read(added, meter.read):
            yield source.path, records
