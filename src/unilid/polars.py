"""polars: the expression ``pl.col("text").unilid.identify()``, for eager, lazy and streaming queries.

Importing this module registers it.

>>> import polars as pl
>>> import unilid.polars
>>> frame = pl.DataFrame({"text": ["Wo ist der Bahnhof?", None, "Where is the station?"]})
>>> answers = frame.select(pl.col("text").unilid.identify()).unnest("text")
>>> answers["label"].to_list()
['deu_Latn', None, 'eng_Latn']
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import polars as pl

from unilid.errors import UnilidError
from unilid.loaded import ModelLike, loaded
from unilid.threads import Threads

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from unilid.decisions.options import Options

Frame = TypeVar("Frame", pl.DataFrame, pl.LazyFrame)


def identify(
    frame: Frame, column: str = "text", into: str = "language", *, model: ModelLike = None, **options: Any
) -> Frame:
    """Return a frame, eager or lazy, with the answers in a new column of structs; options as for the expression."""
    if into in frame.collect_schema():
        raise UnilidError(f"the frame has a column {into!r} already; name another one with `into`")
    return frame.with_columns(UnilidExpressions(pl.col(column)).identify(model=model, **options).alias(into))


@pl.api.register_expr_namespace("unilid")
class UnilidExpressions:
    """What ``pl.col("text").unilid`` offers."""

    def __init__(self, expression: pl.Expr) -> None:
        self._expression = expression

    def identify(
        self,
        *,
        model: ModelLike = None,
        k: int | None = None,
        shares: bool = False,
        threads: Threads = "auto",
        **options: Unpack[Options],
    ) -> pl.Expr:
        """Return structs of label, probability, score, reason and guess; see `Model.identify_column` for the options.

        `model` is a model or the path of its file; without it, the model that comes with the package.
        """
        own = loaded(model)

        def answers(texts: pl.Series) -> pl.Series:
            column = own.identify_column(texts, k=k, shares=shares, threads=threads, **options)
            return pl.Series(column).alias(texts.name)

        # Lazy queries want to know the type beforehand. A wrong option is refused here, and not in the midst of one.
        return_type = answers(pl.Series([], dtype=pl.String)).dtype
        return self._expression.map_batches(answers, return_type, is_elementwise=True)


@pl.api.register_series_namespace("unilid")
class UnilidSeries:
    """What ``series.unilid`` offers."""

    def __init__(self, series: pl.Series) -> None:
        self._series = series

    def identify(self, *, model: ModelLike = None, **options: Any) -> pl.Series:
        """Return structs of label, probability, score, reason and guess; options as for the expression."""
        return pl.Series(loaded(model).identify_column(self._series, **options)).alias(self._series.name)
