"""Lessons: which languages are candidates of a line, and what the number of lines may not decide."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

import unilid
from unilid.corpus.sampling import LabelledTexts
from unilid.model import Model
from unilid.models.context import ContextTable
from unilid.scoring.scorers import Scorers
from unilid.training.lessons import MOST_CANDIDATES, Lessons, learn, lessons_of, of_numbers


@pytest.fixture(scope="module")
def model() -> Model:
    """Two sisters of nearly the same words, and twenty languages of another script that know nothing of it."""
    russian = ["привет мир как дела сегодня", "поезд едет в город утром"]
    english = ["the train leaves in the morning", "one of the two lines is late", "the two of us are here"]
    corpus = {"aaa_Latn": english, "bbb_Latn": [*english, "and one more line of it"]}
    corpus |= {f"q{letter}a_Cyrl": [line + letter for line in russian] for letter in "abcdefghijklmnopqrst"}
    return unilid.train(corpus, context="characters", order=3, scripts=True, tune=False, relatives=None)


def context_of(model: Model) -> ContextTable:
    assert model.parameters.context is not None
    return model.parameters.context


def taught(model: Model, labels: list[str], text: bytes) -> Lessons:
    lines = LabelledTexts(np.array([model.row_of(label) for label in labels]), [text] * len(labels))
    return lessons_of(Scorers(model.parameters), lines, context_of(model), threads=1)


def test_a_line_has_few_candidates_and_none_that_is_level_with_those_left_out(model: Model) -> None:
    lessons = taught(model, ["aaa_Latn"], b"one")
    others = np.delete(model.scores(["one"])[0], lessons.languages)
    assert 2 <= len(lessons.languages) <= MOST_CANDIDATES
    assert len(others) > MOST_CANDIDATES
    assert lessons.scores.min() > others.max()


def test_a_language_does_not_win_by_the_number_of_its_lines(model: Model) -> None:
    lessons = taught(model, ["aaa_Latn"] * 30 + ["bbb_Latn"] * 2, b"one line of the two")

    def won(advantages: npt.NDArray[np.float64] | None) -> float:
        """How much more the larger one gains than the smaller one."""
        corrections = learn(context_of(model), lessons, advantages)
        starts = np.concatenate([[0], lessons.feature_ends[:-1]]).astype(int)
        gains = [corrections[lessons.entries[a:b]].sum() for a, b in zip(starts, lessons.feature_ends, strict=True)]
        larger = lessons.languages == model.row_of("aaa_Latn")
        return float(np.mean(np.array(gains)[larger]) - np.mean(np.array(gains)[~larger]))

    assert of_numbers(lessons).max() > 0
    assert won(None) < won(np.zeros(len(lessons.scores)))
