r"""fastText: ``import unilid.fasttext as fasttext``, and code that was written for lid.176 or GlotLID runs.

>>> import unilid.fasttext as fasttext
>>> model = fasttext.load_model("lid.176.bin")
>>> labels, probabilities = model.predict("Wo ist der Bahnhof?\nWann fährt der Zug?", k=2)
>>> labels[0], bool(probabilities[0] > 0.9)
('__label__de', True)
>>> fasttext.load_model().predict(["Où est la gare ?", "Where is the station?"])[0]
[['__label__fra_Latn'], ['__label__eng_Latn']]
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias, overload

import numpy as np
import numpy.typing as npt

from unilid.decisions.answers import predictions, ranked_predictions
from unilid.errors import UnilidError
from unilid.languages.labels import RESERVED, written_as
from unilid.languages.usual import Codes
from unilid.loaded import ModelLike, loaded
from unilid.threads import Threads

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from unilid.decisions.options import Options
    from unilid.model import Model

PREFIX = "__label__"
Probabilities: TypeAlias = npt.NDArray[np.float64]


def load_model(
    path: ModelLike = None,
    *,
    codes: Codes | Literal["auto"] = "auto",
    threads: Threads = "auto",
    **options: Unpack[Options],
) -> FastText:
    """Return a model with the methods of fastText's.

    Parameters
    ----------
    path
        A model of unilid, or its file; None: the model that comes with the package. The name of one of fastText's own
        files (``.bin``, ``.ftz``) means that model, too, so that a program need not be changed.
    codes
        What labels are: see `unilid.languages.labels.written_as`. ``"auto"``: ``"iso639_1"`` where the path names
        lid.176, whose labels are such codes (``__label__de``), and otherwise the labels of the model, which look like
        those of GlotLID (``__label__deu_Latn``).
    threads, options
        As for `Model.identify`, but `abstain` is False, as fastText always names a language.
    """
    name = Path(path).name if isinstance(path, str | Path) else ""
    if codes == "auto":
        codes = "iso639_1" if name.startswith("lid.176") else "label"
    model = loaded(None if name.endswith((".bin", ".ftz")) else path)
    return FastText(model, codes, threads, {"abstain": False, **options})


class FastText:
    """A model with the methods of fastText's; `load_model` makes it."""

    def __init__(self, model: Model, codes: Codes, threads: Threads, options: Options) -> None:
        self._model = model
        self._threads = threads
        self._options = options
        self._written = {label: f"{PREFIX}{written_as(label, codes)}" for label in (*model.languages, *RESERVED)}
        self._merges = len(set(self._written.values())) < len(self._written)

    @property
    def labels(self) -> list[str]:
        """All labels, each with its prefix."""
        return list(dict.fromkeys(self._written[label] for label in self._model.languages))

    @overload
    def get_labels(self, include_freq: Literal[False] = ..., on_unicode_error: str = ...) -> list[str]: ...
    @overload
    def get_labels(
        self, include_freq: Literal[True], on_unicode_error: str = ...
    ) -> tuple[list[str], npt.NDArray[np.int64]]: ...
    def get_labels(
        self,
        include_freq: bool = False,
        on_unicode_error: str = "strict",  # noqa: ARG002
    ) -> list[str] | tuple[list[str], npt.NDArray[np.int64]]:
        """Return all labels and, if asked for, how many training lines each had."""
        if not include_freq:
            return self.labels
        lines = dict.fromkeys(self.labels, 0)
        for label, count in zip(self._model.languages, self._model.lines.tolist(), strict=True):
            lines[self._written[label]] += count
        return self.labels, np.array(list(lines.values()), np.int64)

    @overload
    def predict(
        self, text: str | bytes, k: int = 1, threshold: float = 0.0, on_unicode_error: str = "strict"
    ) -> tuple[tuple[str, ...], Probabilities]: ...
    @overload
    def predict(
        self, text: list[str] | list[bytes], k: int = 1, threshold: float = 0.0, on_unicode_error: str = "strict"
    ) -> tuple[list[list[str]], list[Probabilities]]: ...
    def predict(
        self,
        text: str | bytes | list[str] | list[bytes],
        k: int = 1,
        threshold: float = 0.0,
        on_unicode_error: str = "strict",  # noqa: ARG002
    ) -> tuple[tuple[str, ...], Probabilities] | tuple[list[list[str]], list[Probabilities]]:
        """Return the k best labels of a text, or of each text of a list, and their probabilities, best first.

        A `k` of -1 means all labels; those below the `threshold` are left out. Newlines are read as spaces are.
        """
        if not isinstance(k, int) or k == 0 or k < -1:
            raise UnilidError(f"k must be a whole number from 1, or -1 for all labels, not {k!r}")
        if not isinstance(text, list):
            [labels], [probabilities] = self._predict([text], k, threshold)
            return tuple(labels), probabilities
        return self._predict(text, k, threshold)

    def _predict(
        self, texts: list[str] | list[bytes] | list[str | bytes], k: int, threshold: float
    ) -> tuple[list[list[str]], list[Probabilities]]:
        most = len(self._model.languages)
        # Labels that share a code are one: a few more are asked for, so that k are left.
        asked = most if k == -1 else min(k + 8 if self._merges and k > 1 else k, most)
        all_labels: list[list[str]] = []
        all_probabilities: list[Probabilities] = []
        for answers, abstain in self._model.answer_arrays(texts, k=asked, threads=self._threads, **self._options):
            if asked == 1 and threshold <= 0:  # how it is mostly called
                best = predictions(self._model.languages, answers, abstain=abstain)
                all_labels += [[self._written[answer.label]] for answer in best]
                all_probabilities.extend(np.array([[answer.probability] for answer in best]))
                continue
            for ranked in ranked_predictions(self._model.languages, answers, abstain=abstain):
                merged: dict[str, float] = {}
                for answer in ranked:
                    label = self._written[answer.label]
                    merged[label] = merged.get(label, 0.0) + answer.probability
                kept = [(label, p) for label, p in merged.items() if p >= threshold][: None if k == -1 else k]
                all_labels.append([label for label, _ in kept])
                all_probabilities.append(np.array([p for _, p in kept], np.float64))
        return all_labels, all_probabilities
