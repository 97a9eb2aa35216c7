"""Data frames of any library that narwhals knows (polars, pandas, pyarrow, Modin, cuDF): new columns, same type.

>>> import polars as pl
>>> import unilid.frames
>>> frame = pl.DataFrame({"id": [7, 8], "text": ["Wo ist der Bahnhof?", "Where is the station?"]})
>>> unilid.frames.identify(frame, "text").columns
['id', 'text', 'language', 'language_probability']
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias, TypeVar, get_args

import narwhals as nw

from unilid.errors import UnilidError
from unilid.loaded import ModelLike, loaded
from unilid.threads import Threads

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from unilid.decisions.options import Options

Frame = TypeVar("Frame")
Field: TypeAlias = Literal["label", "probability", "score", "reason", "guess", "shares"]


def identify(
    frame: Frame,
    column: str = "text",
    into: str = "language",
    *,
    fields: Sequence[Field] = ("label", "probability"),
    model: ModelLike = None,
    threads: Threads = "auto",
    **options: Unpack[Options],
) -> Frame:
    """Return the frame with the language of each text in new columns.

    Parameters
    ----------
    frame
        A frame in memory; `unilid.polars` and `unilid.duckdb` are for lazy ones.
    column
        The column with the texts.
    into
        The new column with the labels. The other fields get its name and their own: ``language_probability``.
    fields
        What of an answer is wanted: fields of `Prediction`, and `shares` (see `Model.identify_column`).
    model
        A model or the path of its file; by default the one that comes with the package.
    threads, options
        As for `Model.identify`.
    """
    try:
        own = nw.from_native(frame, eager_only=True)
    except TypeError as error:
        raise UnilidError(f"expected a data frame in memory, not {type(frame).__name__}") from error
    names = {name: into if name == "label" else f"{into}_{name}" for name in fields}
    if unknown := [name for name in fields if name not in get_args(Field)]:
        raise UnilidError(f"an answer has no field {unknown[0]!r}; the fields are {', '.join(get_args(Field))}")
    if column not in own.columns:
        raise UnilidError(f"the frame has no column {column!r}; the columns are {', '.join(map(repr, own.columns))}")
    if taken := [name for name in names.values() if name in own.columns]:
        raise UnilidError(f"the frame has a column {taken[0]!r} already; name another one with `into`")
    answers = loaded(model).identify_column(own[column], shares="shares" in fields, threads=threads, **options)
    table = nw.from_arrow(answers.as_table(), backend=own.implementation)
    extended: Frame = own.with_columns(table[field].alias(name) for field, name in names.items()).to_native()
    return extended
