"""Ray Data: a class for `map_batches`, whose actors keep the model.

>>> import ray
>>> import unilid.ray
>>> _ = ray.init(num_cpus=2, include_dashboard=False, logging_level="ERROR", log_to_driver=False)
>>> ray.data.DataContext.get_current().enable_progress_bars = False
>>> dataset = ray.data.from_items([{"text": "Wo ist der Bahnhof?"}, {"text": "Where is the station?"}])
>>> answers = unilid.ray.identify(dataset, "text", concurrency=1)
>>> sorted(row["language"]["label"] for row in answers.take_all())
['deu_Latn', 'eng_Latn']
>>> ray.shutdown()
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
from ray.data import Dataset

from unilid.errors import UnilidError
from unilid.loaded import ModelLike, loaded
from unilid.threads import Threads

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from unilid.decisions.options import Options


class Identify:
    """What an actor does: it answers batches of Arrow with the same batches and a column of structs more.

    For ``dataset.map_batches(Identify, batch_format="pyarrow", fn_constructor_kwargs={...}, concurrency=4)``, which
    `identify` writes out.

    Parameters
    ----------
    column, into
        The texts, and the name of the new column.
    model
        A model, the path of its file, which all machines must see, or ``"compact"``; by default the model that comes
        with the package.
    k, shares, options
        As for `Model.identify_column`.
    threads
        Of one actor: Ray starts as many as it has cores for, so one thread is the default.
    """

    def __init__(
        self,
        column: str = "text",
        into: str = "language",
        *,
        model: ModelLike = None,
        k: int | None = None,
        shares: bool = False,
        threads: Threads = 1,
        **options: Unpack[Options],
    ) -> None:
        self.column, self.into = column, into
        self._model = loaded(model)
        self._options: dict[str, Any] = {"k": k, "shares": shares, "threads": threads, **options}

    def __call__(self, batch: pa.Table) -> pa.Table:
        """Return a batch with its answers."""
        if self.column not in batch.column_names:
            columns = ", ".join(map(repr, batch.column_names))
            raise UnilidError(f"the data set has no column {self.column!r}; the columns are {columns}")
        if self.into in batch.column_names:
            raise UnilidError(f"the data set has a column {self.into!r} already; name another one with `into`")
        answers = pa.chunked_array(self._model.identify_column(batch[self.column], **self._options))
        return batch.append_column(self.into, answers)


def identify(
    dataset: Dataset,
    column: str = "text",
    into: str = "language",
    *,
    model: ModelLike = None,
    concurrency: int | tuple[int, int] = (1, 64),
    batch_size: int | None = 4096,
    **options: Any,
) -> Dataset:
    """Return a data set with the answers to a column of texts in a new column of structs; null where the text is.

    Parameters
    ----------
    dataset
        Any data set; all its columns are kept.
    concurrency
        How many actors work; a pair says how few and how many.
    batch_size
        Rows that an actor is given at once.
    column, into, model, options
        Those of `Identify`.
    """
    if options.get("languages") is not None:
        options["languages"] = list(options["languages"])  # asked for again with every batch
    # What is wrong with the options is said here, and not by the actors.
    own = {name: value for name, value in options.items() if name != "threads"}
    loaded(model).identify_column(pa.array([], pa.string()), **own)
    return dataset.map_batches(
        Identify,
        batch_format="pyarrow",
        batch_size=batch_size,
        concurrency=concurrency,
        fn_constructor_args=(column, into),
        fn_constructor_kwargs={"model": model, **options},
    )
