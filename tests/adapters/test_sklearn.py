"""`UnilidClassifier` is an estimator: alone, in a pipeline, under cross-validation, with classes of any kind."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from support.corpora import CORPUS, sentences
from support.libraries import library

import unilid

library("sklearn")
from sklearn.base import clone  # noqa: E402
from sklearn.exceptions import NotFittedError  # noqa: E402
from sklearn.model_selection import GridSearchCV, cross_val_score  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import FunctionTransformer  # noqa: E402
from sklearn.utils import estimator_checks as checks  # noqa: E402

from unilid.sklearn import UnilidClassifier  # noqa: E402  # needs scikit-learn

LANGUAGES = ("deu_Latn", "eng_Latn", "rus_Cyrl")
TEXTS = [text for label in LANGUAGES for text in sentences(label, 60)]
CLASSES = [label for label in LANGUAGES for _ in range(60)]
OTHERS = [text for label in LANGUAGES for text in sentences(label, 20, seed=1)]
OTHER_CLASSES = [label for label in LANGUAGES for _ in range(20)]


def quick(**options: Any) -> UnilidClassifier:
    return UnilidClassifier(**{"tune": False, "context": "characters", "vocabulary": 600, "threads": 1, **options})


@pytest.fixture(scope="module")
def fitted() -> UnilidClassifier:
    return UnilidClassifier(threads=1).fit(TEXTS, CLASSES)


def test_predictions_and_probabilities_go_together(fitted: UnilidClassifier) -> None:
    assert fitted.classes_.tolist() == sorted(LANGUAGES)
    assert fitted.score(OTHERS, OTHER_CLASSES) == 1
    probabilities = fitted.predict_proba(OTHERS)
    assert probabilities.shape == (len(OTHERS), 3)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    assert fitted.classes_[probabilities.argmax(axis=1)].tolist() == fitted.predict(OTHERS).tolist()


@pytest.mark.parametrize("classes", [[30, 10, 20], [True, False, True], [0.5, 1.5, 2.5], ["zxx", "a b", ""]], ids=str)
def test_classes_may_be_anything(classes: list[Any]) -> None:
    named = [classes[LANGUAGES.index(label)] for label in CLASSES]
    if len(set(classes)) == 3 and not isinstance(classes[0], float):
        classifier = quick().fit(TEXTS, named)
        assert classifier.predict(OTHERS).tolist() == [classes[LANGUAGES.index(label)] for label in OTHER_CLASSES]
        assert type(classifier.predict(OTHERS)[0]) is type(np.unique(named)[0])
    elif isinstance(classes[0], float):
        with pytest.raises(ValueError, match="Unknown label type: continuous"):
            quick().fit(TEXTS, named)
    else:
        assert set(quick().fit(TEXTS, named).predict(OTHERS).tolist()) == {True, False}


def test_texts_may_be_arrays_series_and_missing(fitted: UnilidClassifier) -> None:
    pandas = library("pandas")
    expected = fitted.predict(OTHERS).tolist()
    for same in (np.array(OTHERS), np.array(OTHERS, object), tuple(OTHERS), pandas.Series(OTHERS, dtype="category")):
        assert fitted.predict(same).tolist() == expected
    assert fitted.predict_proba(["", None, "..."]) == pytest.approx(np.full((3, 3), 1 / 3), abs=0.5)


def test_without_words_the_most_frequent_class_is_the_answer() -> None:
    few = [place for place, label in enumerate(CLASSES) if label != "deu_Latn" or place < 6]
    classifier = quick().fit([TEXTS[i] for i in few], [CLASSES[i] for i in few])
    shares = classifier.predict_proba([""])[0]
    assert shares == pytest.approx(np.array([6, 60, 60]) / 126)
    assert quick(prior=None).fit([TEXTS[i] for i in few], [CLASSES[i] for i in few]).predict_proba([""])[
        0
    ] == pytest.approx(np.full(3, 1 / 3))


def test_classes_are_added() -> None:
    classifier = quick().partial_fit(TEXTS[:120], CLASSES[:120])
    before = classifier.predict(OTHERS[:40]).tolist()
    classifier.partial_fit(TEXTS[120:] + CORPUS["ell"], CLASSES[120:] + ["ell"] * 6)
    assert classifier.classes_.tolist() == ["deu_Latn", "eng_Latn", "ell", "rus_Cyrl"]
    assert classifier.predict(OTHERS[:40]).tolist() == before
    assert classifier.predict([*OTHERS, CORPUS["ell"][0]]).tolist() == [*OTHER_CLASSES, "ell"]
    with pytest.raises(unilid.UnilidError, match="knows 'ell' already"):
        classifier.partial_fit(CORPUS["ell"], ["ell"] * 6)


def test_in_a_pipeline_under_cross_validation_and_in_a_search() -> None:
    pipeline = make_pipeline(FunctionTransformer(lambda texts: [text.upper() for text in texts]), quick())
    assert cross_val_score(pipeline, TEXTS, CLASSES, cv=3).mean() > 0.95
    search = GridSearchCV(quick(), {"signs": [True, False], "vocabulary": [500, 700]}, cv=2).fit(TEXTS, CLASSES)
    assert search.best_score_ > 0.9


def test_clones_and_pickles(fitted: UnilidClassifier) -> None:
    copy = clone(quick(signs=False))
    assert copy.get_params() == quick(signs=False).get_params()
    assert not hasattr(copy, "model_")
    again = pickle.loads(pickle.dumps(fitted))
    assert again.predict(OTHERS).tolist() == fitted.predict(OTHERS).tolist()


@pytest.mark.parametrize(
    ("texts", "classes", "sentence"),
    [
        (["a", "b"], ["x"], "2 texts, and classes of the shape"),
        (np.zeros((3, 2)), [1, 2, 3], "not a table"),
        ([1, 2], [1, 2], "a text is str, bytes or None, not int"),
        (["a", "b"], None, "y is None"),
        ("text", ["x"], "list of texts"),
    ],
    ids=str,
)
def test_what_cannot_be_fitted_is_refused(texts: Any, classes: Any, sentence: str) -> None:
    with pytest.raises(unilid.UnilidError, match=sentence):
        quick().fit(texts, classes)


def test_nothing_is_predicted_before_fitting() -> None:
    with pytest.raises(NotFittedError):
        quick().predict(["text"])


@pytest.mark.parametrize(
    "check",
    [
        checks.check_do_not_raise_errors_in_init_or_set_params,
        checks.check_estimator_cloneable,
        checks.check_estimator_repr,
        checks.check_estimator_tags_renamed,
        checks.check_get_params_invariance,
        checks.check_mixin_order,
        checks.check_no_attributes_set_in_init,
        checks.check_parameters_default_constructible,
        checks.check_set_params,
        checks.check_valid_tag_types,
    ],
    ids=lambda check: check.__name__,
)
def test_checks_of_scikit_learn_that_need_no_table_pass(check: Any) -> None:
    """The others fit tables of numbers; `check_estimator` leaves them out, as the tags say that it takes texts."""
    check("UnilidClassifier", UnilidClassifier())


def test_what_the_other_checks_look_for() -> None:
    classifier = quick()
    parameters = classifier.get_params()
    assert classifier.fit(TEXTS, CLASSES) is classifier
    assert classifier.get_params() == parameters
    first = classifier.predict_proba(OTHERS)
    assert (classifier.predict_proba(OTHERS[::-1])[::-1] == first).all()  # the order of texts
    assert (classifier.predict_proba(OTHERS[:5]) == first[:5]).all()  # a part of them
    assert (classifier.fit(TEXTS, CLASSES).predict_proba(OTHERS) == first).all()  # fitted again
    assert set(vars(classifier)) - set(parameters) == {"classes_", "model_"}
