"""scikit-learn: `UnilidClassifier` tells classes of text apart, languages or any others.

>>> from unilid.sklearn import UnilidClassifier
>>> texts = ["Click here to save the file", "Open a new tab", "Select a language", "Close the window"]
>>> verses = ["And the waters were upon the earth", "He spake unto his people", "Behold the heavens", "Thou shalt not"]
>>> classifier = UnilidClassifier().fit(texts + verses, ["menu"] * 4 + ["verse"] * 4)
>>> classifier.predict(["Save and close the tab", "And he spake unto the waters"]).tolist()
['menu', 'verse']
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from unilid.errors import UnilidError
from unilid.model import Model
from unilid.texts import Text, check_texts
from unilid.threads import Threads
from unilid.training.train import train


class UnilidClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # as if scikit-learn had no types
    """Classifies texts by the words and characters of each class; `X` is a list, a Series or an array of texts.

    A class may be anything with text of its own: a language, a dialect, a register, an author. New classes can be added
    later (`partial_fit`), each from its own texts alone.

    Parameters
    ----------
    context, lexicon, vocabulary, signs
        As for `unilid.train`.
    tune
        As for `unilid.train`: let held-out texts choose what is left open, and fit the probabilities on them.
    prior
        ``"training"``: classes are as frequent as in the texts that were fitted; None: equally frequent.
    threads
        How many threads work.

    Attributes
    ----------
    classes_
        The classes, in the order of the columns of `predict_proba`.
    model_
        The `Model` behind it, whose labels are ``class0``, ``class1`` and so on.
    """

    def __init__(
        self,
        *,
        context: Literal["auto", "characters"] | None = "auto",
        lexicon: int | Literal["auto"] | None = "auto",
        vocabulary: Any = "auto",
        signs: bool = True,
        tune: bool = True,
        prior: Literal["training"] | None = "training",
        threads: Threads = "auto",
    ) -> None:
        self.context = context
        self.lexicon = lexicon
        self.vocabulary = vocabulary
        self.signs = signs
        self.tune = tune
        self.prior = prior
        self.threads = threads

    def fit(self, X: Iterable[Text], y: Iterable[Any]) -> UnilidClassifier:  # noqa: N803  # scikit-learn's name
        """Learn the classes of texts."""
        texts, labels = _checked(X, y)
        self.classes_ = np.unique(labels)
        self.model_ = train(
            _corpus(texts, labels, self.classes_, first=0),
            context=self.context,
            lexicon=self.lexicon,
            vocabulary=self.vocabulary,
            signs=self.signs,
            tune=self.tune,
            threads=self.threads,
        )
        return self

    def partial_fit(self, X: Iterable[Text], y: Iterable[Any], classes: Any = None) -> UnilidClassifier:  # noqa: ARG002, N803
        """Add the classes of more texts, which are new ones; nothing changes in those that are known."""
        if not hasattr(self, "model_"):
            return self.fit(X, y)
        texts, labels = _checked(X, y)
        new = np.unique(labels)
        if known := [one for one in new.tolist() if one in set(self.classes_.tolist())]:
            raise UnilidError(f"the classifier knows {known[0]!r} already; only new classes can be added")
        corpus = _corpus(texts, labels, new, first=len(self.classes_))
        self.model_ = self.model_.add_languages(corpus, threads=self.threads)
        self.classes_ = np.concatenate([self.classes_, new])
        return self

    def predict(self, X: Iterable[Text]) -> npt.NDArray[Any]:  # noqa: N803
        """Return the class of each text; of one without words, the most frequent class."""
        best = self.predict_proba(X).argmax(axis=1)
        return np.asarray(self.classes_[best])

    def predict_proba(self, X: Iterable[Text]) -> npt.NDArray[np.float64]:  # noqa: N803
        """Return the probability of each class for each text."""
        check_is_fitted(self)
        model: Model = self.model_
        columns = np.array([int(label.removeprefix(LABEL)) for label in model.languages])
        shares = np.ones(len(columns)) if self.prior is None else model.lines.astype(np.float64)
        chunks = model.answer_arrays(
            _texts(X), k=len(columns), threads=self.threads, prior=self.prior, abstain=False, budget=None
        )
        found = [np.zeros((0, len(columns)))]
        for chunk, _ in chunks:
            # Where there is nothing to go by, no row is one of the model's, and the shares of the classes are left.
            known = chunk.rows >= 0
            probabilities = np.where(known[:, :1], 0.0, shares)
            texts, ranks = np.nonzero(known)
            probabilities[texts, chunk.rows[texts, ranks]] = chunk.probabilities[texts, ranks]
            found.append(probabilities)
        ordered = np.empty((sum(map(len, found)), len(columns)))
        ordered[:, columns] = np.concatenate(found)
        return np.asarray(ordered / ordered.sum(axis=1, keepdims=True))

    def __sklearn_tags__(self) -> Any:
        """Say that it takes texts."""
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.one_d_array = True
        tags.input_tags.two_d_array = False
        tags.no_validation = True
        return tags


LABEL = "class"
"""What labels of the model begin with; behind it stands the place in `classes_`."""


def _texts(X: Any) -> list[Text]:  # noqa: N803
    if getattr(X, "ndim", 1) != 1:
        raise UnilidError("expected a list of texts, not a table; of a frame, give the column with the texts")
    return check_texts(X.tolist() if isinstance(X, np.ndarray) else X)


def _checked(X: Any, y: Any) -> tuple[list[Text], npt.NDArray[Any]]:  # noqa: N803
    texts, labels = _texts(X), np.asarray(y)
    if y is None:
        raise UnilidError("requires y to be passed, but the target y is None")
    check_classification_targets(labels)
    if labels.ndim != 1 or len(labels) != len(texts):
        raise UnilidError(f"there are {len(texts)} texts, and classes of the shape {labels.shape}")
    return texts, labels


def _corpus(
    texts: list[Text], labels: npt.NDArray[Any], classes: npt.NDArray[Any], *, first: int
) -> dict[str, list[str | bytes]]:
    corpus: dict[str, list[str | bytes]] = {f"{LABEL}{first + place}": [] for place in range(len(classes))}
    for text, place in zip(texts, np.searchsorted(classes, labels).tolist(), strict=True):
        corpus[f"{LABEL}{first + place}"].append(text or "")
    return corpus
