"""What a model is made with."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import pytest
from support.models import small_model
from support.variants import unbounded, with_settings

import unilid
from unilid._kernel import WEIGHT_STEPS
from unilid.models.costs import STEP
from unilid.models.settings import Settings


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"unseen": "none"}, "unseen"),
        ({"order": 99}, "order"),
        ({"order": 1}, "order"),
        ({"order": 4, "unigram_weight": 17 / 16}, r"sixteenths from 0 to 1, not 1\.0625"),
        ({"order": 4, "unigram_weight": -1 / 16}, r"sixteenths from 0 to 1, not -0\.0625"),
        ({"order": 4, "unigram_weight": 0.3}, r"sixteenths from 0 to 1, not 0\.3"),
        ({"order": 4.0}, "order"),
        ({"order": None, "unigram_weight": 5 / 16}, "all of the weight"),
        ({"bound": 0.0}, "bound"),
        ({"bound": -1.0}, "bound"),
        ({"bound": math.nan}, "bound"),
        ({"bound": math.inf}, "bound"),
    ],
)
def test_impossible_settings_are_errors_that_name_the_setting(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(unilid.UnilidError, match=message):
        Settings(**wrong)


def test_the_smallest_bound_is_not_no_bound() -> None:
    model = small_model()
    tight = with_settings(model, bound=STEP)
    assert not (tight.scores(["snow"]) == unbounded(model).scores(["snow"])).all()
    with pytest.raises(unilid.UnilidError, match="bound"):
        dataclasses.replace(model.settings, bound=STEP / 2)


@pytest.mark.parametrize("steps", range(WEIGHT_STEPS + 1))
def test_a_weight_is_a_fraction_here_and_a_whole_number_in_a_file(steps: int) -> None:
    made = Settings(order=4, unigram_weight=steps / WEIGHT_STEPS)
    assert made.weight_steps == made.stored()["unigram_weight"] == steps
    assert Settings.of(made.stored()) == made
