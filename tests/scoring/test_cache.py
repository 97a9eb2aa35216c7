"""Words seen before are remembered, which changes no bit."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from support.corpora import CORPUS
from support.models import small_model
from support.texts import TEXTS
from support.variants import answers, fresh
from support.whole_words import whole_word_model

import unilid
from unilid import UnilidError
from unilid.decisions.decide import Decisions
from unilid.model import Model


@pytest.mark.parametrize("make", [small_model, whole_word_model])
def test_what_was_asked_before_changes_no_bit(make: Callable[[], Model]) -> None:
    model = make()
    expected = [answers(fresh(model), [text])[0] for text in TEXTS]
    for order in (TEXTS, TEXTS[::-1]):
        warmed = fresh(model)
        found = {id(text): answers(warmed, [text])[0] for text in order}
        assert [found[id(text)] for text in TEXTS] == expected
        assert answers(warmed, TEXTS) == expected


def test_a_cache_that_overflows_changes_no_bit() -> None:
    model = small_model()
    random = np.random.default_rng(0)
    # More distinct words than the cache has places for.
    flood = "".join(random.choice(list("aeiounrtsdø "), 4_000_000))
    expected = answers(fresh(model), TEXTS)
    warmed = fresh(model)
    flooded = warmed.scores([flood])
    assert answers(warmed, TEXTS) == expected
    assert (warmed.scores([flood]) == flooded).all()
    half = flood.find(" ", len(flood) // 2)
    parts = fresh(model).scores([flood[half:], flood[:half]])
    assert (parts.sum(axis=0) == flooded[0]).all()


def random_lines(count: int) -> list[str]:
    random = Random(0)
    letters = "abcdefghijklmnopqrstuvwxyzäöüžščαβγдежзאבגदनम日本語"
    words = ["".join(random.choices(letters, k=random.randint(1, 9))) for _ in range(4 * count)]
    words += ["日本語の文章には空白がない" * 3] * 5  # as long as words get
    return [" ".join(random.choices(words, k=random.randint(1, 40))) for _ in range(count)]


@pytest.mark.parametrize("threads", [1, 3])
def test_a_small_cache_changes_nothing(threads: int) -> None:
    """Room for some hundred words: most are thrown out before they come again, some within one text."""
    small, large = unilid.load(cache_megabytes=1), unilid.load()
    lines = random_lines(400)
    for _ in range(2):
        found = small.scores(lines, threads=threads)
        assert (found == large.scores(lines)).all()
    assert (found[7] == large.scores(lines[7:8])[0]).all()


@pytest.mark.parametrize("threads", [1, 3])
def test_a_small_cache_changes_nothing_of_whole_words_and_scripts(threads: int) -> None:
    scorers = whole_word_model()._answerer.scorers
    small = scorers.make(cache_megabytes=0)  # room for one batch of words
    lines = [*random_lines(400), *(line for lines in CORPUS.values() for line in lines)]
    decision = Decisions().kernel(np.zeros(5), calibrated=False, rate=None)
    for _ in range(2):
        found, expected = small.costs(lines, threads), scorers.scorer.costs(lines, 1)
        assert (found.all == expected.all).all()
        assert (found.linguistic == expected.linguistic).all()
        one, other = small.decide(lines, decision, 5, threads), scorers.scorer.decide(lines, decision, 5, 1)
        assert (one.rows == other.rows).all()
        assert (one.verdicts == other.verdicts).all()


@pytest.mark.parametrize("megabytes", [0, -1, 1.5, "much", None])
def test_a_cache_has_a_size(megabytes: Any) -> None:
    with pytest.raises(UnilidError, match="cache_megabytes"):
        unilid.load(cache_megabytes=megabytes)


def test_a_model_that_travels_keeps_the_size_of_its_cache(tmp_path: Path) -> None:
    model = Model.from_bytes(small_model().to_bytes(), cache_megabytes=3)
    for one in (model, unilid.load(model.save(tmp_path / "m.unilid").path, cache_megabytes=3)):
        assert pickle.loads(pickle.dumps(one)).cache_megabytes == 3
        assert one.remove_languages([one.languages[0]]).cache_megabytes == 3
