"""Hugging Face datasets: a function for ``dataset.map(..., batched=True)``, with any number of processes.

>>> import datasets
>>> import unilid.datasets
>>> dataset = datasets.Dataset.from_dict({"text": ["Wo ist der Bahnhof?", "Where is the station?"]})
>>> dataset.map(unilid.datasets.Identify("text"), batched=True)["language"][:]
['deu_Latn', 'eng_Latn']
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from unilid.errors import UnilidError
from unilid.loaded import ModelLike, loaded
from unilid.threads import Threads


@dataclass(frozen=True)
class Identify:
    """Adds the language of each text and its probability to a batch: ``language`` and ``language_probability``.

    It is pickled as the name of its model, so that it can be handed to workers, and datasets find their cached results
    again. Batches may be dictionaries of lists or, ``with_format("arrow")``, tables of pyarrow, which is faster. Both
    columns are null where the text is.
    """

    column: str = "text"
    """The column with the texts."""
    into: str = "language"
    """The new column with the labels; probabilities are in a second one with this name and ``_probability``."""
    model: ModelLike = None
    """A model or the path of its file; by default the model that comes with the package."""
    threads: Threads = "auto"
    """With several processes, 1 is best."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Options of `Model.identify`: see `Options`."""

    def __call__(self, batch: Any) -> Any:
        """Return the new columns of a batch; of a table, the table with them."""
        names = batch.column_names if hasattr(batch, "column_names") else batch.keys()
        if self.column not in names:
            raise UnilidError(f"the data set has no column {self.column!r}; the columns are {', '.join(names)}")
        probability = f"{self.into}_probability"
        if taken := [name for name in (self.into, probability) if name in names]:
            raise UnilidError(f"the data set has a column {taken[0]!r} already; name another one with `into`")
        texts, model = batch[self.column], loaded(self.model)
        if not hasattr(batch, "append_column"):
            answers = model.identify(texts, threads=self.threads, **self.options)
            missing = [text is None for text in texts]
            return {
                self.into: [None if no else a.label for no, a in zip(missing, answers, strict=True)],
                probability: [None if no else a.probability for no, a in zip(missing, answers, strict=True)],
            }
        import pyarrow as pa  # whoever asks with a table has it

        table = pa.table(model.identify_column(texts, threads=self.threads, **self.options).as_table())
        labels = table["label"].cast(pa.string())
        return batch.append_column(self.into, labels).append_column(probability, table["probability"])
