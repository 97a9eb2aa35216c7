"""DuckDB: a function for queries, ``SELECT language(text) FROM documents``.

>>> import duckdb
>>> import unilid.duckdb
>>> connection = unilid.duckdb.register(duckdb.connect())
>>> connection.execute("SELECT language('Wo ist der Bahnhof?')").fetchall()
[('deu_Latn',)]
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa

from unilid.loaded import ModelLike, loaded
from unilid.threads import Threads

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from unilid.decisions.options import Options

ANSWER = "STRUCT(label VARCHAR, probability DOUBLE, score DOUBLE, reason VARCHAR, guess VARCHAR)"
"""What the function returns with ``struct=True``."""
_ARROW = pa.struct(
    {
        "label": pa.string(),
        "probability": pa.float64(),
        "score": pa.float64(),
        "reason": pa.string(),
        "guess": pa.string(),
    }
)


def register(
    connection: duckdb.DuckDBPyConnection,
    name: str = "language",
    *,
    struct: bool = False,
    model: ModelLike = None,
    threads: Threads = "auto",
    **options: Unpack[Options],
) -> duckdb.DuckDBPyConnection:
    """Give a connection a function that names the language of a text, and return the connection.

    Parameters
    ----------
    connection
        Where queries shall know the function.
    name
        What it is called there.
    struct
        The function returns label, probability, score, reason and guess (`ANSWER`) instead of the label.
    model
        A model or the path of its file; by default the one that comes with the package.
    threads, options
        As for `Model.identify`.
    """
    own = loaded(model)
    own.identify("", **options)  # a wrong option is refused here, and not in the midst of a query

    def answers(texts: Any) -> Any:
        answer = pa.chunked_array(own.identify_column(texts, threads=threads, **options))
        if struct:
            return answer.cast(_ARROW)
        return pa.chunked_array([chunk.field("label").dictionary_decode() for chunk in answer.chunks], pa.string())

    return connection.create_function(
        name, answers, [duckdb.type("VARCHAR")], duckdb.type(ANSWER if struct else "VARCHAR"),
        type="arrow", null_handling="special",
    )  # fmt: skip
