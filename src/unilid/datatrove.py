"""datatrove: a `LID` and a filter for its pipelines, which asks for a batch of documents at a time.

>>> from datatrove.data import Document
>>> import unilid.datatrove
>>> lid = unilid.datatrove.UnilidLID(languages=["de", "fr"])
>>> best, pairs = lid.predict(Document("Wo ist der Bahnhof? Ich finde ihn nicht.", id="1"))
>>> best[0], {language: round(score, 2) for language, score in pairs.items()}
('deu_Latn', {'de': 1.0, 'fr': 0.0})
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from datatrove.data import Document
from datatrove.pipeline.filters.base_filter import BaseFilter
from datatrove.pipeline.writers.disk_base import DiskWriter
from datatrove.utils.lid import LID

from unilid.decisions.answers import Prediction, predictions
from unilid.languages.labels import RESERVED
from unilid.loaded import ModelLike, loaded
from unilid.threads import Threads

if TYPE_CHECKING:
    from unilid.model import Model

Pairs: TypeAlias = tuple[tuple[str, float], dict[str, float]]
NO_SCRIPT = "Zyyy"
"""ISO 15924 for a script that is not determined: that of ``zxx`` and ``und``."""


class UnilidLID(LID):  # type: ignore[misc]  # datatrove has no types
    """Names the language of documents: the best label with its probability, and those of other languages.

    A document that has no language, or of which it cannot be told (``zxx``, ``und``), has the score 0.

    Parameters
    ----------
    languages
        Labels or codes (``de``, ``zh``) whose probabilities are wanted; those of all labels that a code stands for are
        added up. None: the `k` best labels. All languages compete in any case.
    k
        How many languages of a document are looked at; all others have the probability 0.
    model
        A model or the path of its file; by default the one that comes with the package.
    threads, options
        As for `Model.identify`. Pipelines have processes of their own, so one thread is the default.
    """

    def __init__(
        self,
        languages: Sequence[str] | None = None,
        k: int = 5,
        *,
        model: ModelLike = None,
        threads: Threads = 1,
        **options: Any,
    ) -> None:
        super().__init__(None if languages is None else list(languages))
        self.k = k
        self._model = model
        self._threads = threads
        self._options = options
        self._labels = {code: self._labels_of(code) for code in self.languages or ()}

    @property
    def model(self) -> Model:
        """The model, loaded once in a process."""
        return loaded(self._model)

    def _labels_of(self, code: str) -> list[str]:
        return [self.model.languages[row] for row in self.model.rows_matching(code)]

    def predict(self, doc: Document) -> Pairs:
        """Return the best label with its probability, and the languages with theirs."""
        return self.predict_batch([doc])[0]

    def predict_batch(self, docs: Sequence[Document]) -> list[Pairs]:
        """Return what `predict` does, for each of many documents."""
        texts = [doc.text for doc in docs]
        pairs: list[Pairs] = []
        for chunk, abstain in self.model.answer_arrays(texts, k=self.k, threads=self._threads, **self._options):
            best = predictions(self.model.languages, chunk, abstain=abstain)
            pairs += map(self._pairs, best, chunk.rows.tolist(), chunk.probabilities.tolist())
        return pairs

    def _pairs(self, best: Prediction, rows: list[int], probabilities: list[float]) -> Pairs:
        labels = self.model.languages
        scores: dict[str, float] = {}
        if best.guess or best.label not in RESERVED:  # otherwise there is not even a guess
            scores = {labels[row]: score for row, score in zip(rows, probabilities, strict=True) if row >= 0}
        pair = best.label, scores.get(best.label, 0.0)
        if self.languages is None:
            return pair, scores
        return pair, {code: sum(scores.get(label, 0.0) for label in own) for code, own in self._labels.items()}


class UnilidFilter(BaseFilter):  # type: ignore[misc]  # datatrove has no types
    """Keeps documents in some languages, as datatrove's `LanguageFilter` does, a batch of them at a time.

    Metadata are those that it writes with GlotLID: ``language`` (``deu``), ``language_script`` (``Latn``) and
    ``language_score``.

    Parameters
    ----------
    languages
        Labels or codes to keep; None for all.
    language_threshold
        The probability that one of them must have more than; without `languages`, the best one.
    exclusion_writer
        Where the others are written.
    label_only
        Keep all documents.
    keep_top_pairs_threshold
        Languages with a higher probability are written into the metadata, too; -1 for none.
    batch_size
        Documents that are asked for at once.
    options
        Those of `UnilidLID`.
    """

    name = "🌍 Language ID (unilid)"

    def __init__(
        self,
        languages: Sequence[str] | str | None = None,
        language_threshold: float = 0.65,
        exclusion_writer: DiskWriter | None = None,
        label_only: bool = False,
        keep_top_pairs_threshold: float = -1,
        *,
        batch_size: int = 1000,
        **options: Any,
    ) -> None:
        super().__init__(exclusion_writer, batch_size)
        self.lid = UnilidLID([languages] if isinstance(languages, str) else languages, **options)
        self.language_threshold = language_threshold
        self.label_only = label_only
        self.keep_top_pairs_threshold = keep_top_pairs_threshold

    def filter(self, doc: Document) -> bool:
        """Say whether a document is kept, and write its language into its metadata."""
        return self._judge(doc, *self.lid.predict(doc))

    def filter_batch(self, batch: list[Document]) -> list[bool]:
        """Do the same for many documents."""
        return [self._judge(doc, *pairs) for doc, pairs in zip(batch, self.lid.predict_batch(batch), strict=True)]

    def _judge(self, doc: Document, best: tuple[str, float], pairs: dict[str, float]) -> bool:
        label, score = best
        language, _, script = label.partition("_")
        doc.metadata |= {"language": language, "language_script": script or NO_SCRIPT, "language_score": score}
        if self.keep_top_pairs_threshold != -1:
            kept = {code: own for code, own in pairs.items() if own > self.keep_top_pairs_threshold}
            doc.metadata |= {f"top_language_{code}_score": own for code, own in kept.items()}
        scores = pairs.values() if self.lid.languages else [score]
        return self.label_only or any(own > self.language_threshold for own in scores)
