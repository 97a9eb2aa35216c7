"""The scores of texts: sums over their words, as the reference has them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support.models import small_model, train
from support.strategies import costs_of, numbered
from support.texts import TEXTS
from support.variants import unbounded, unigram_only

from unilid import plain
from unilid.model import Model
from unilid.models.costs import STEP
from unilid.plain import counted


@given(st.text(max_size=40), st.text(max_size=40))
def test_scores_of_texts_add_up_when_a_space_joins_them(one: str, other: str) -> None:
    joined = f"{one} {other}"
    words = [plain.split_words(text.encode()) for text in (one, other)]
    spoken = [any(word.kind == plain.LETTER and not word.noise for word in own) for own in words]
    assume(spoken[0] == spoken[1])  # an address counts where there is nothing else
    noise = [word.noise for word in plain.split_words(joined.encode())]
    assume(noise == [word.noise for own in words for word in own])  # a line may be code with what stands before it
    for model in (small_model(), unigram_only(small_model())):
        apart = model.scores([one, other])
        assert (model.scores([joined])[0] == apart[0] + apart[1]).all()


def reference_row(model: Model, row: int) -> tuple[dict[bytes, int], dict[int, int], int]:
    table = model.parameters.unigram
    return numbered(model.vocabulary), costs_of(table, row), int(table.unseen[row])


@pytest.mark.parametrize("unseen", ["shared", "additive"])
def test_scores_of_the_papers_model_are_sums_of_the_references_viterbi(unseen: str) -> None:
    model = train(["dan", "ell", "jpn"], context=None, unseen=unseen, bound=None, fragments=None)
    assert model.parameters.context is None
    assert model.settings.bound is None
    texts = [text.encode() if isinstance(text, str) else text or b"" for text in TEXTS[:-1]]
    scores = model.scores(texts)
    for row in range(3):
        reference = reference_row(model, row)
        expected = [-STEP * sum(plain.viterbi(word.text, *reference) for word in counted(text)) for text in texts]
        assert scores[:, row].tolist() == expected


def test_marginal_scores_are_those_of_the_reference_and_no_lower_than_the_best_path() -> None:
    model = unigram_only(small_model())
    texts = [text.encode() if isinstance(text, str) else text or b"" for text in TEXTS[:-1]]
    best, marginal = model.scores(texts), model.scores(texts, marginal=True)
    assert (marginal >= best).all()
    assert (marginal > best).any()
    for row in range(len(model.languages)):
        reference = reference_row(model, row)
        expected = [
            -STEP * sum(plain.marginal(word.text, *reference, STEP) for word in counted(text)) for text in texts
        ]
        assert marginal[:, row].tolist() == pytest.approx(expected, rel=1e-9)


def test_marginal_scores_do_not_depend_on_context_and_bound() -> None:
    model = small_model()
    assert (model.scores(TEXTS, marginal=True) == unigram_only(model).scores(TEXTS, marginal=True)).all()


def test_the_bound_limits_what_a_word_says_against_a_language() -> None:
    model = small_model()
    bound = model.settings.bound
    assert bound is not None
    words = ["Χιόνι", "snow", "雪", "gitt"]
    free, bounded = unbounded(model).scores(words), model.scores(words)
    floor = free.max(axis=1, keepdims=True) - bound
    assert (free < floor).any()
    beyond = floor - STEP * np.floor((floor - free) / STEP / 4)  # a quarter, in whole steps
    assert (bounded == np.where(free < floor, beyond, free)).all()
