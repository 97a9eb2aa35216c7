"""Gives the package columns of Arrow that lie about themselves.

    python fuzz/arrow_arrays.py --count 100000 --seed 0 [--seconds 600] [--first 0] [--workers 2]
    python fuzz/arrow_arrays.py --again 1234 --seed 0            one column, in this process

A column is refused with an error of the package, or answered row by row; its structs are released once. It is a failure
if a process ends by a signal, works for more than 5 seconds, needs more than 1 GB, or if anything else is raised: then
what the column was is kept in the folder (`--keep`) and listed, and the exit status is 1. With a kernel that watches
itself (tools/sanitize) and PYTHONMALLOC=malloc, reading beyond a buffer ends the process, too.
"""

from __future__ import annotations

import gc
import sys
from functools import cache
from pathlib import Path
from pprint import pformat
from typing import Any

import array_mutations
import program
import pyarrow
from array_mutations import Arrays
from outcomes import REFUSED, Outcome, expect, failure
from small_models import models
from watching import Attack

from unilid import UnilidError
from unilid.model import Model

sys.path.append(str(Path(__file__).parents[1] / "tests"))
from support.arrow import Handmade, HandmadeArray, HandmadeStream

ANSWERED = "answered"


def made(arguments: dict[str, Any] | None, kind: type[Handmade] = Handmade) -> Any:
    """Return the structs of a column and of all that belongs to it."""
    if arguments is None:
        return None
    parts = dict(arguments)
    if "children" in parts:
        parts["children"] = [made(child) for child in parts["children"]]
    if "dictionary" in parts:
        parts["dictionary"] = made(parts["dictionary"])
    return kind(**parts)


def column_of(arrays: Arrays) -> HandmadeArray | HandmadeStream:
    """Return a column as its users meet it."""
    if not arrays.is_stream:
        array: HandmadeArray = made(arrays.pieces[0], HandmadeArray)
        return array
    stream: HandmadeStream = made(arrays.pieces[0], HandmadeStream)
    stream.pieces = [stream, *(made(arguments) for arguments in arrays.pieces[1:])]
    for name, value in arrays.ending.items():
        setattr(stream, name, value)
    return stream


@cache
def model() -> Model:
    """Return the model that is asked."""
    return Model.from_bytes(models()["whole-words"])


def answers_to(column: HandmadeArray | HandmadeStream, question: int) -> int:
    """Ask one of the questions that a column can be asked, and return how many answers there are."""
    options: dict[str, Any] = {"threads": 1 + question % 2}
    if question % 5 == 1:
        options["k"] = 3
    if question < 50:
        return len(model().identify(column, **options))
    if question % 5 == 2:
        options["shares"] = True
    answers = model().identify_column(column, **options)
    if question % 5 == 3:
        answers = answers.as_table()
    try:
        read = pyarrow.RecordBatchReader.from_stream(answers).read_all() if question % 5 == 3 else (
            pyarrow.chunked_array(answers)
        )  # fmt: skip
    except (pyarrow.ArrowException, OSError) as error:  # how a stream tells what is wrong with the texts
        raise UnilidError(str(error)) from error
    read.validate(full=True)
    return len(read)


def attempt(seed: int, number: int, folder: Path) -> Outcome:
    """Ask a question of a column."""
    arrays = array_mutations.mutant(seed, number)
    column = column_of(arrays)
    outcome = ANSWERED
    try:
        try:
            answers = answers_to(column, arrays.question)
            expected = sum(arguments["length"] for arguments in arrays.pieces)
            expect(answers == expected, f"{answers} answers to {expected} rows")
        except UnilidError as error:
            expect(str(error).strip(), "an error that says nothing")
            outcome = REFUSED
        gc.collect(0 if number % 100 else 2)  # the callbacks of a column and the column have each other
        check_released(column, arrays)
    except Exception as error:  # noqa: BLE001  # whatever it is, it is what is looked for
        return failure(error, folder)
    return outcome, ""


def check_released(column: HandmadeArray | HandmadeStream, arrays: Arrays) -> None:
    """Check that everything that was handed over was released, and nothing twice."""
    if not arrays.is_stream:
        expect(column.released == {"schema": 1, "array": 1, "stream": 0}, f"released: {column.released}")
        return
    assert isinstance(column, HandmadeStream)
    given = not arrays.ending.get("schema_code") and arrays.ending.get("lacking") is None
    expect(column.released["stream"] == 1, f"released: {column.released}")
    expect(column.released["schema"] == given, f"released: {column.released}")
    for piece in column.pieces or ():
        expect(piece.released["array"] == piece.given, f"an array was given {piece.given} times: {piece.released}")


def shown(seed: int, number: int) -> tuple[bytes, str]:
    """Return what a column is."""
    arrays = array_mutations.mutant(seed, number)
    first = arrays.pieces[0]
    kind = f"{'stream' if arrays.is_stream else 'array'} of {len(arrays.pieces)}, {first['format']!r}"
    return pformat(arrays).encode(), f"{kind}, question {arrays.question}, {arrays.ending}"


def main() -> int:
    """Run, and print what was found."""
    model().identify("")  # once, before the processes begin
    attack = Attack("columns of Arrow", (REFUSED, ANSWERED), attempt, shown, ".txt")
    return program.run(attack, __doc__, "arrays")


if __name__ == "__main__":
    sys.exit(main())
