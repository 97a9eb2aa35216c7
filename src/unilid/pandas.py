"""pandas: ``series.unilid.identify()``, which gives a frame with the index of the series.

Importing this module registers the accessor.

>>> import pandas as pd
>>> import unilid.pandas
>>> texts = pd.Series(["Wo ist der Bahnhof?", None, "12:30"], index=["a", "b", "c"])
>>> texts.unilid.identify()[["label", "probability", "reason"]].round(2)
      label  probability  reason
a  deu_Latn          1.0     NaN
b       NaN          NaN     NaN
c       zxx          1.0  digits
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd
import pyarrow as pa

from unilid.errors import UnilidError
from unilid.loaded import ModelLike, loaded
from unilid.texts import check_texts, utf8
from unilid.threads import Threads

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from unilid.decisions.options import Options


def identify(
    texts: pd.Series,
    *,
    model: ModelLike = None,
    k: int | None = None,
    shares: bool = False,
    threads: Threads = "auto",
    **options: Unpack[Options],
) -> pd.DataFrame:
    """Return label, probability, score, reason and guess of each text, missing where the text is.

    Labels and reasons are categories. With `k`, there are up to k rows for each text, numbered from 1 by `rank`, a
    second level of the index; with `shares`, a column of lists. See `Model.identify_column` for the options; `model` is
    a model or the path of its file, and by default the one that comes with the package.
    """
    if not isinstance(texts, pd.Series):
        raise UnilidError(f"expected a Series, not {type(texts).__name__}; of a frame, give the column with the texts")
    answers = loaded(model).identify_column(_column(texts), k=k, shares=shares, threads=threads, **options)
    if k is None:
        return pa.table(answers.as_table()).to_pandas().set_axis(texts.index)
    lists = pa.chunked_array(answers).combine_chunks()
    frame = pa.Table.from_struct_array(lists.flatten()).to_pandas()
    rows = lists.value_parent_indices().to_numpy()
    ranks = frame.groupby(rows).cumcount() + 1
    return frame.set_axis(pd.MultiIndex.from_arrays([texts.index[rows], ranks], names=[texts.index.name, "rank"]))


def _column(texts: pd.Series) -> pa.Array:
    """Return texts as a column of Arrow; those of several types are bytes there."""
    if texts.isna().all():  # pandas may take them for numbers
        return pa.nulls(len(texts))
    try:
        return pa.array(texts, from_pandas=True)
    except (pa.ArrowException, UnicodeError):
        many = check_texts(texts)
    return pa.array([None if text is None else utf8(text) for text in many], pa.binary())


@pd.api.extensions.register_series_accessor("unilid")
class UnilidAccessor:
    """What ``series.unilid`` offers."""

    def __init__(self, series: pd.Series) -> None:
        self._series = series

    def identify(self, **options: Any) -> pd.DataFrame:
        """Return a frame with the answer to each text; options as for `unilid.pandas.identify`."""
        return identify(self._series, **options)
