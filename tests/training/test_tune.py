"""Held-out lines choose the constants of a model, and all lines train it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from support.training import SENTENCES, VOCABULARY, costs_of, numbered_lines

import unilid
from unilid.corpus.counts import Part
from unilid.corpus.holding import LESSONS
from unilid.models.costs import STEP
from unilid.models.settings import Settings
from unilid.models.vocabulary import Vocabulary
from unilid.training import plan as training
from unilid.training import tune as tuning
from unilid.training.engine import Candidate, Machine
from unilid.training.estimates import Estimates, of_fold
from unilid.training.tune import Evidence


@pytest.mark.parametrize("context", [None, "characters"])
def test_the_final_model_is_estimated_from_all_lines(context: Any) -> None:
    tuned = unilid.train(SENTENCES, vocabulary=VOCABULARY, context=context, order=3, relatives=None)
    untuned = unilid.train(SENTENCES, vocabulary=VOCABULARY, context=context, order=3, tune=False)
    assert tuned.info["tuned"]
    assert not untuned.info["tuned"]
    assert tuned.lines.tolist() == untuned.lines.tolist() == [10, 10, 10]
    assert tuned.parameters.tokens.tolist() == untuned.parameters.tokens.tolist()
    # With the constants of the one the other is the same to the byte.
    costs = [cost for row in range(3) for cost in costs_of(untuned, row)]
    ceiling = round(-tuned.settings.unseen_log_p / STEP)
    floor = round(-untuned.settings.unseen_log_p / STEP)
    for cost, other in zip([c for row in range(3) for c in costs_of(tuned, row)], costs, strict=True):
        assert cost == other or (other == floor and cost >= floor) or (cost == ceiling and other >= ceiling)
    if context is not None:
        assert tuned.parameters.context is not None
        assert untuned.parameters.context is not None
        packed, other_packed = tuned.parameters.context.pack(), untuned.parameters.context.pack()
        assert all((packed[name] == other_packed[name]).all() for name in packed)


def test_few_lines_are_all_needed_and_none_is_held_out() -> None:
    few = {label: texts[:4] for label, texts in SENTENCES.items()}
    assert unilid.train(few).to_bytes() == unilid.train(few, tune=False).to_bytes()
    assert not unilid.train(few).info["tuned"]


Right = Callable[[unilid.Settings], float]


@pytest.fixture
def share_right(monkeypatch: pytest.MonkeyPatch) -> Callable[[Right], None]:
    """Let a function of the settings say which share of the held-out lines speaks for them."""

    def patch(share: Right) -> None:
        def evidence(
            machine: Machine, folds: Sequence[Estimates], candidates: Sequence[Sequence[Candidate]]
        ) -> list[Evidence]:
            lines = sum(len(machine.evaluated(of_fold(own))) for own in folds)
            return [(np.arange(lines) < share(each.settings) * lines).astype(np.float64) for each in candidates[0]]

        monkeypatch.setattr(tuning, "evidence", evidence)

    return patch


ONE = {"aaa": numbered_lines("a", 100)}


@pytest.mark.parametrize("value", tuning.UNSEEN_LOG_P)
def test_held_out_lines_choose_the_constant_of_unseen_tokens(share_right: Any, value: float) -> None:
    share_right(lambda settings: settings.unseen_log_p == value)
    model = unilid.train(ONE)
    assert model.settings.unseen_log_p == value
    assert model.parameters.unigram.unseen.tolist() == [round(-value / STEP)]


@pytest.mark.parametrize("weight", [training.UNIGRAM_WEIGHT, *tuning.UNIGRAM_WEIGHTS])
def test_held_out_lines_choose_the_weight(share_right: Any, weight: float) -> None:
    share_right(lambda settings: settings.unigram_weight == weight)
    assert unilid.train(ONE, context="characters").settings.unigram_weight == weight


@pytest.mark.parametrize("bound", [training.BOUND, *tuning.BOUNDS])
def test_held_out_lines_choose_the_bound(share_right: Any, bound: float | None) -> None:
    share_right(lambda settings: settings.bound == bound)
    assert unilid.train(ONE, context="characters").settings.bound == bound


@pytest.mark.parametrize("context", ["auto", "characters"])
def test_only_auto_drops_a_context_model_that_does_not_help(share_right: Any, context: Any) -> None:
    share_right(lambda settings: settings.order is None)
    model = unilid.train(ONE, context=context)
    assert (model.parameters.context is None) == (model.settings.order is None) == (context == "auto")


@pytest.mark.parametrize("advantage", [0.0, 0.01])  # none, and one line of 100
def test_defaults_stay_unless_another_choice_is_clearly_better(share_right: Any, advantage: float) -> None:
    untuned = unilid.train(ONE, tune=False).settings

    def share(settings: unilid.Settings) -> float:
        default = (untuned.order, untuned.unigram_weight, untuned.bound)
        return 0.9 + advantage * ((settings.order, settings.unigram_weight, settings.bound) != default)

    share_right(share)
    tuned = unilid.train(ONE)
    assert tuned.parameters.context is not None
    assert replace(tuned.settings, unseen_log_p=-1.0) == replace(untuned, unseen_log_p=-1.0)
    assert tuned.settings.unseen_log_p not in tuning.UNSEEN_LOG_P


@pytest.mark.parametrize(("gain", "weight"), [(0.0, 0.0), (0.0005, 0.0), (0.004, training.UNIGRAM_WEIGHT)])
def test_a_unigram_model_that_hardly_helps_is_left_out(share_right: Any, gain: float, weight: float) -> None:
    """Where there are lines enough to tell."""
    share_right(lambda settings: 0.9 + gain * (settings.unigram_weight > 0 and settings.order is not None))
    many = {3 * letter: numbered_lines(letter, 1_000) for letter in "abcdefghijklmnopqrst"}
    assert unilid.train(many, context="characters", lexicon=None).settings.unigram_weight == weight


def test_a_given_bound_is_not_chosen_anew(share_right: Any) -> None:
    share_right(lambda settings: settings.bound == tuning.BOUNDS[0])
    assert unilid.train(ONE, bound=2.5).settings.bound == 2.5
    assert unilid.train(ONE, bound=None).settings.bound is None
    share_right(lambda settings: settings.order is None)
    dropped = unilid.train(ONE, bound=2.5).settings
    assert (dropped.order, dropped.bound) == (None, 2.5)


@pytest.mark.parametrize(
    "corpus",
    [
        {"aaa": ["", "", "", "", "only the last has words"]},
        {"aaa": ["", "", "", "", "only the last has words"], "bbb": numbered_lines("b", 5)},
        {"aaa": ["only the first has words", "", "", "", ""], "bbb": numbered_lines("b", 5)},
    ],
)
def test_lines_without_words_do_not_disturb_tuning(corpus: dict[str, list[str]]) -> None:
    assert unilid.train(corpus).lines.tolist() == [5] * len(corpus)


def test_lines_that_choose_were_not_seen_by_the_vocabulary_either(monkeypatch: pytest.MonkeyPatch) -> None:
    learned: dict[int, Part] = {}
    estimated: list[tuple[Part, Part]] = []
    learn, estimate = Machine.learn, Machine.estimate
    kept: list[Vocabulary] = []  # so that no two have the same id

    def watched_learn(self: Machine, part: Part, size: int | None) -> Vocabulary:
        kept.append(learn(self, part, size))
        learned[id(kept[-1])] = part
        return kept[-1]

    def watched_estimate(self: Machine, part: Part, vocabulary: Vocabulary, settings: Settings) -> Estimates:
        if part is not None:
            estimated.append((part, learned[id(vocabulary)]))
        return estimate(self, part, vocabulary, settings)

    monkeypatch.setattr(Machine, "learn", watched_learn)
    monkeypatch.setattr(Machine, "estimate", watched_estimate)
    unilid.train({label: [f"{label}{n % 89} and {n}" for n in range(600)] for label in ("first", "second")})
    assert {part for part, _ in estimated} == set(range(1 + LESSONS))
    assert all(part == without for part, without in estimated)


@pytest.mark.parametrize("labels", [2, 20])
def test_of_many_labels_right_lines_are_evidence_and_of_few_their_likelihood(
    labels: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[list[Evidence]] = []
    real = tuning.evidence

    def watched(*asked: Any) -> list[Evidence]:
        found.append(real(*asked))
        return found[-1]

    monkeypatch.setattr(tuning, "evidence", watched)
    corpus = {f"{letter}{letter}": numbered_lines(letter, 40) for letter in "abcdefghijklmnopqrst"[:labels]}
    unilid.train(corpus, relatives=None)
    every = np.concatenate([each for models in found for each in models])
    assert len(every)
    assert ((every == 0) | (every == 1)).all() == (labels > 16)
    assert (every < 0).any() == (labels <= 16)
