"""Records in: what is read of JSON lines, each with its text, or with what is wrong with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from unilid.corpus.formats import LineError, json_field, json_object, string
from unilid.texts import utf8


@dataclass(frozen=True, slots=True)
class Records:
    """Some records of one file, in order."""

    texts: list[bytes | None]
    """The text of each, None where it has none."""
    inputs: Any
    """What each was, in a list: the line's bytes, or the JSON object, None for none. Of Parquet, a batch of Arrow."""
    errors: Mapping[int, str] = field(default_factory=dict)
    """What is wrong with some, by their places."""
    group: int = 0
    """The row group of Parquet that they come from."""

    def first(self, count: int) -> Records:
        """Return so many of them."""
        errors = {place: error for place, error in self.errors.items() if place < count}
        return Records(self.texts[:count], self.inputs[:count], errors, self.group)


class FieldError(LineError):
    """What is wrong with a JSON object, and as much of it as can be kept."""

    def __init__(self, problem: str, record: dict[str, Any] | None) -> None:
        super().__init__(problem)
        self.record = record


def collision(known: Sequence[str] | Mapping[str, Any], added: Sequence[str], what: str = "field") -> str | None:
    """Say which of the names to be added is there already, and what helps; None where none is."""
    taken = next((name for name in added if name in known), None)
    return taken and (
        f"has a {what} {taken!r} already; --prefix new_ would write {'new_' + taken!r}, and --no-keep none of the input"
    )


def json_text(line: bytes, field: str, added: Sequence[str] = ()) -> tuple[bytes | None, dict[str, Any]]:
    """Return the text of a JSON line and the object itself; a null, or an empty line, is the text None.

    An object that has one of the fields to be `added` is bad.

    >>> json_text(b'{"text": "Guten Tag", "id": 7}', "text")
    (b'Guten Tag', {'text': 'Guten Tag', 'id': 7})
    """
    if not line:
        return None, {}
    record = json_object(line)
    if problem := collision(record, added):
        raise FieldError(problem, None)
    try:
        value = json_field(record, field)
        return None if value is None else utf8(string("text", value)), record
    except LineError as error:
        raise FieldError(str(error), record) from None


def parsed(lines: Sequence[bytes], parse: Callable[[bytes], tuple[bytes | None, Any]], name: str, done: int) -> Records:
    """Return the records of lines; errors say the name of where they come from, and count on from those `done`."""
    texts: list[bytes | None] = []
    inputs: list[Any] = []
    errors = {}
    for place, line in enumerate(lines):
        try:
            text, record = parse(line)
        except LineError as error:
            errors[place] = f"{name}:{done + place + 1}: {error}"
            text, record = None, error.record if isinstance(error, FieldError) else line
        texts.append(text)
        inputs.append(record)
    return Records(texts, inputs, errors)
