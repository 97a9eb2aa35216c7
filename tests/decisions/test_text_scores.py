"""What a text costs is what the reference implementation says, word by word."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from support.models import small_model, train
from support.reference import text_vector

from unilid import Model, plain
from unilid._kernel import WEIGHT_STEPS
from unilid.models.costs import STEP, quantise
from unilid.plain.context import Gram


def reference_models(model: Model) -> Any:
    """A function from words to vectors, from the entries of a model's tables."""
    numbers = {token: number for number, token in enumerate(model.vocabulary.tokens)}
    rows = range(len(model.languages))
    unigram, context = model.parameters.unigram, model.parameters.context
    assert context is not None
    tokens = [
        dict(zip(unigram.tokens[mine].tolist(), unigram.costs[mine].tolist(), strict=True))
        for mine in (unigram.languages == row for row in rows)
    ]
    unseen = unigram.unseen.tolist()
    costs: list[dict[Gram, int]] = [{} for _ in rows]
    backoffs: list[dict[Gram, int]] = [{(): int(context.root_backoff[row])} for row in rows]
    before: list[Gram] = [()]
    for k, level in enumerate(context.levels):
        grams = [
            (*before[parent if k else 0], int(context.code_points[character]))
            for parent, character in zip(level.parents.tolist(), level.characters.tolist(), strict=True)
        ]
        for gram, first, end in zip(
            grams, level.first_entry[:-1].tolist(), level.first_entry[1:].tolist(), strict=True
        ):
            for entry in range(first, end):
                costs[level.languages[entry]][gram] = int(level.costs[entry])
                if level.backoffs is not None:
                    backoffs[level.languages[entry]][gram] = int(level.backoffs[entry])
        before = grams
    base = int(quantise(np.array([model.settings.base]), 255)[0])
    order, weight = model.settings.order, model.settings.weight_steps
    assert order is not None

    def vector(word: plain.Word) -> list[int]:
        cuts = {"cut_left": word.cut_left, "cut_right": word.cut_right}
        by_context = [
            plain.context_cost(word.text, costs[row], backoffs[row], order=order, base=base, **cuts) for row in rows
        ]
        by_tokens = [plain.viterbi(word.text, numbers, tokens[row], unseen[row]) for row in rows]
        return plain.weighted([(by_tokens, weight), (by_context, WEIGHT_STEPS - weight)])

    return vector


MIXED = st.lists(
    st.sampled_from(
        [*"aeøδ雪.1_ @é", " ", " ", "snow", "ΧΙΟΝΙ", "bussen", "雪が", "x" * 130, "me@a.org", "a1b2c3", "-19", "\u0301"]
    ),
    max_size=14,
).map("".join)


@given(MIXED)
@settings(max_examples=60)
def test_the_score_of_a_text_is_the_references(text: str) -> None:
    model, content = small_model(), text.encode()
    vector, bound = reference_models(model), model.settings.bound_steps
    assert bound > 0
    costs = model._answerer.scorers.scorer.costs([content], 1)
    assert costs.all[0].tolist() == text_vector(content, vector, languages=5, bound=bound)
    assert (model.scores([content])[0] == -STEP * costs.all[0]).all()
    assert costs.linguistic[0].tolist() == text_vector(content, vector, languages=5, bound=bound, linguistic=True)


def test_a_word_that_is_cut_and_one_that_is_whole_have_their_own_places_in_the_cache() -> None:
    texts = ["snow 雪", "snow雪", "雪snow", "雪snow雪", "雪 snow"]
    fresh = [train(["eng", "jpn"]).scores([text])[0].tolist() for text in texts]
    assert fresh[0] != fresh[1] != fresh[2] != fresh[3]
    for order in (texts, texts[::-1]):
        model = train(["eng", "jpn"])
        found = {text: model.scores([text])[0].tolist() for text in order}
        assert [found[text] for text in texts] == fresh
