"""Probabilities: the temperature is found that held-out texts, whole and cut, speak for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.corpora import sentences
from support.models import fitted_model

from unilid.corpus.sampling import LabelledTexts
from unilid.decisions.held_out import TOP, HeldOut, cut
from unilid.decisions.temperature import Temperature, fit_temperature


def held(top: np.ndarray, own: np.ndarray, letters: np.ndarray) -> HeldOut:
    count = len(top)
    best = np.tile(np.arange(top.shape[1]), (count, 1))
    return HeldOut(top, best, own, np.zeros(count, np.int64), letters, np.ones(count), np.ones(count, np.bool_))


def sampled(temperature: Temperature, count: int) -> HeldOut:
    """Scores whose true languages are drawn from the posterior with this temperature."""
    random = np.random.default_rng(1)
    letters = np.exp(random.uniform(0, 6, count)).astype(np.int64)
    exponent = temperature.at(letters)[:, None]
    scores = random.normal(0, 2, (count, 6)) / exponent
    p = np.exp(exponent * scores)
    truth = (p.cumsum(axis=1) / p.sum(axis=1, keepdims=True) < random.random((count, 1))).sum(axis=1)
    own = scores[np.arange(count), truth]
    return held(-np.sort(-scores, axis=1), own, letters)


@pytest.mark.parametrize("temperature", [(1.0, 10.0, 0.5), (0.5, 3.0, 0.3), (2.0, 30.0, 1.0)])
def test_the_temperature_that_the_truth_was_drawn_with_is_found_again(temperature: tuple[float, ...]) -> None:
    true = Temperature(*temperature)
    found = fit_temperature(sampled(true, 20_000))
    lengths = [2, 10, 50, 250]
    assert found.at(lengths) == pytest.approx(true.at(lengths), rel=0.1)


def test_few_texts_move_the_temperature_little() -> None:
    lengths = [2, 10, 50]
    default = Temperature().at(lengths)
    assert fit_temperature(sampled(Temperature(), 0)).at(lengths) == pytest.approx(default)
    for true in (Temperature(5.0, 10.0, 0.1), Temperature(0.1, 1.0, 1.0)):
        few, many = (fit_temperature(sampled(true, count)).at(lengths) for count in (3, 5_000))
        assert (abs(np.log(few / default)) < 0.25 * abs(np.log(many / default))).all()


def test_probabilities_of_held_out_texts_are_those_of_the_kernel() -> None:
    model = fitted_model()
    texts = [text.encode() for label in model.languages for text in sentences(label, 20, seed=5)]
    rows = np.repeat(np.arange(4), 20)
    found = HeldOut.of(model._answerer.scorers.scorer, LabelledTexts(rows, texts), threads=1)
    assert found.whole.sum() == len(texts) < len(found.rows)
    whole = found.take(found.whole)
    assert whole.top.shape == (80, min(4, TOP))
    expected = [p.probability for p in model.identify(texts, prior=None)]
    evened = whole.with_handicaps(model.decisions.handicaps)
    assert model.decisions.temperature.probability(evened).tolist() == pytest.approx(expected)
    own = model.scores(texts)[np.arange(80), rows]
    assert whole.own.tolist() == own.tolist()
    assert [model.languages[row] for row in found.rows[found.whole]] == [model.languages[row] for row in rows]


@given(st.text("ab \u3000é雪\n", max_size=30).map(str.lstrip), st.integers(1, 12))
def test_a_text_is_cut_at_a_space_where_there_is_one(text: str, length: int) -> None:
    begin = cut(text.encode(), length)
    if len(text) <= length:
        assert begin is None
        return
    assert begin is not None
    short = begin.decode()
    assert text.startswith(short)
    assert 0 < len(short) <= length
    assert short == short.rstrip()
    if any(character.isspace() for character in text[: length + 1]):
        assert text[len(short)].isspace()  # no word is torn
        assert len(text[len(short) : length + 1].split()) < 2  # and no whole one is lost
    else:
        assert short == text[:length]


def test_a_text_that_is_not_utf8_is_cut_too() -> None:
    assert cut(b"ab\xff cdefgh", 6) == "ab\ufffd".encode()
