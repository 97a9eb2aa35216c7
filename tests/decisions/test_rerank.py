"""Re-ranking, at the very edge of each of its conditions."""

from __future__ import annotations

import numpy as np

from unilid import _kernel
from unilid.models.costs import STEP
from unilid.models.unigram import UnigramTable
from unilid.models.vocabulary import Vocabulary


def answer_to(keys: list[int], k: int = 1, *, rerank: _kernel.Rerank) -> list[int]:
    """The rows that a text with these costs gets."""
    costs = np.repeat(np.array([keys], np.uint8), 256, axis=0)
    costs[ord(" ")] = 0
    table = UnigramTable(
        np.arange(257, dtype=np.int64) * len(keys),
        np.tile(np.arange(len(keys), dtype=np.uint16), 256),
        costs.ravel(),
        np.full(len(keys), 255, np.uint8),
    )
    scorer = _kernel.Scorer([(table.kernel(Vocabulary.of([])), 16)], len(keys), 0, 1 << 16)
    decision = _kernel.Decision(np.zeros(len(keys)), STEP, _kernel.Temperature(1.0, 1.0, 0.0), rerank)
    rows: list[int] = scorer.decide(["a"], decision, k, 1).rows[0].tolist()
    return rows


def reranking(thresholds: list[int], replaces: list[int], distance: int, ranks: int) -> _kernel.Rerank:
    """In steps, as the costs are."""
    margins = STEP * np.array(thresholds, np.float64)
    return _kernel.Rerank(margins, np.array(replaces, np.uint8), STEP * distance, ranks)


def test_a_margin_equal_to_the_threshold_is_kept_and_a_smaller_one_reranked() -> None:
    for threshold, expected in ((10, 0), (11, 1)):
        assert answer_to([20, 30], rerank=reranking([threshold, 0], [0, 1], 99, 5)) == [expected]


def test_a_replacement_exactly_at_the_distance_qualifies_and_one_beyond_does_not() -> None:
    for distance, expected in ((9, 0), (10, 1), (11, 1)):
        assert answer_to([20, 30], rerank=reranking([99, 0], [0, 1], distance, 5)) == [expected]


def test_the_replacement_is_the_best_of_those_that_may_replace_and_among_the_ranks() -> None:
    costs, replaces = [20, 21, 22, 23], [0, 0, 0, 1]
    for ranks, expected in ((1, 0), (3, 0), (4, 3), (9, 3)):
        assert answer_to(costs, rerank=reranking([99] * 4, replaces, 99, ranks)) == [expected]
    assert answer_to(costs, rerank=reranking([99] * 4, [0, 0, 1, 1], 99, 5)) == [2]


def test_the_ranks_do_not_depend_on_how_many_answers_are_wanted() -> None:
    how = reranking([99] * 4, [0, 0, 0, 1], 99, 4)
    assert [answer_to([20, 21, 22, 23], k, rerank=how)[0] for k in (1, 2, 3, 4)] == [3] * 4
    assert answer_to([20, 21, 22, 23], 4, rerank=how) == [3, 0, 1, 2]


def test_a_language_alone_is_never_replaced() -> None:
    assert answer_to([20], rerank=reranking([99], [1], 99, 5)) == [0]
