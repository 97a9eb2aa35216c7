"""commonlid, Common Crawl's evaluator: unilid as one of its models, ``unilid``.

Importing this module registers it, so that ``commonlid.core.registry.get_model("unilid")`` finds it.

>>> import unilid.commonlid
>>> unilid.commonlid.UnilidModel().predict(["Wo ist der Bahnhof?", "12:30"])
['deu', None]
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from commonlid.core.lid_model import LIDModel
from commonlid.core.registry import register_model

from unilid.languages.labels import RESERVED, meaning
from unilid.loaded import ModelLike, loaded
from unilid.threads import Threads

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from unilid.decisions.options import Options
    from unilid.model import Model


@register_model
class UnilidModel(LIDModel):  # type: ignore[misc]  # as if commonlid had no types
    """A model for the evaluator; texts are read as they are, without its preprocessing.

    Parameters
    ----------
    model
        A model or the path of its file; by default the one that comes with the package.
    threads, options
        As for `Model.identify`. What is ``zxx`` or ``und`` has no answer; `abstain` may be False.
    """

    model_id = "unilid"
    requires_preprocessing = False
    default_batch_size = 4096

    def __init__(self, model: ModelLike = None, *, threads: Threads = "auto", **options: Unpack[Options]) -> None:
        super().__init__()
        self._model = model
        self._threads = threads
        self._options = options

    @property
    def model(self) -> Model:
        """The model, loaded once in a process."""
        return loaded(self._model)

    def load(self) -> None:
        """Load the model."""
        self.model.identify("")
        super().load()

    def _predict_batch(self, texts: Sequence[str]) -> list[str | None]:
        answers = self.model.identify(texts, threads=self._threads, **self._options)
        return [None if answer.label in RESERVED else answer.iso639_3 for answer in answers]

    def discover_supported_languages(self) -> frozenset[str]:
        """Return the languages of the model in ISO 639-3."""
        codes = (self._conform(meaning(label).iso639_3) for label in self.model.languages)
        return frozenset(code for code in codes if code is not None)
