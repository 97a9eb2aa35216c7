"""What an explanation says would have been said otherwise is true."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from support.corpora import SENTENCES
from support.explained import calibrated_model, calibrated_whole_word_model, unigram_model
from support.models import small_model
from support.variants import with_settings
from support.whole_words import whole_word_model

from unilid import Model
from unilid.decisions.answers import Prediction
from unilid.models.unigram import UnigramTable

MIXED = [
    *SENTENCES,
    *(f"{a} {b}" for a, b in pairwise(SENTENCES)),
    *(" ".join([a.split()[0], *b.split()[1:3]]) for a, b in pairwise(SENTENCES[::2])),
    "12 34",
    "Hun qqThe",
    "Fiskeren always",
    "λιμάνι გამარჯობა",
    "漁師は港で網を直している漁師は港で網 Hun ga meg en rød eske",
    "",
]


def without(model: Model, name: str) -> tuple[Model, dict[str, Any]]:
    """The model or the options that leave something out."""
    if name == "bound":
        return with_settings(model, bound=None), {"abstain": False}
    if name == "lexicon":
        parameters = replace(model.parameters, lexicon=None, settings=replace(model.settings, lexicon_size=0))
        return replace(model, parameters=parameters), {"abstain": False}
    if name == "context":
        return with_settings(model, unigram_weight=1.0), {"abstain": False}
    if name == "unseen":
        unigram = model.parameters.unigram
        rarest = unigram.rarest()
        calibration = model.decisions.calibration
        decisions = replace(model.decisions, calibration=calibration and replace(calibration, unseen=rarest))
        parameters = replace(model.parameters, unigram=replace(unigram, unseen=rarest))
        return replace(model, parameters=parameters, decisions=decisions), {"abstain": False}
    options = {"prior": {"prior": None}, "languages": {"languages": None}}
    return model, options.get(name, {name: False})


def same(one: Prediction, other: Prediction) -> bool:
    return one._replace(probability=0.0) == other._replace(probability=0.0) and one.probability == pytest.approx(
        other.probability, rel=1e-12
    )


@pytest.mark.parametrize(
    ("make", "options", "in_force"),
    [
        (small_model, {}, ["context", "bound", "unseen", "abstain"]),
        (small_model, {"languages": ["eng", "nob"]}, ["context", "bound", "unseen", "languages", "abstain"]),
        (small_model, {"prior": {"nob": 0.9999}, "abstain": 0.05}, ["context", "bound", "unseen", "prior", "abstain"]),
        (calibrated_model, {}, ["context", "bound", "unseen", "prior", "calibrated", "abstain"]),
        (calibrated_model, {"calibrated": False, "abstain": False}, ["context", "bound", "unseen", "prior"]),
        (whole_word_model, {}, ["context", "lexicon", "bound", "unseen", "abstain"]),
        (
            calibrated_whole_word_model,
            {"languages": ["dan", "eng"]},
            ["context", "lexicon", "bound", "unseen", "prior", "languages", "calibrated", "abstain"],
        ),
        (unigram_model, {"prior": "training"}, ["unseen", "abstain"]),  # as many lines of each: no prior
    ],
)
def test_what_would_have_been_said_is_what_is_said_without_it(
    make: Any, options: dict[str, Any], in_force: list[str]
) -> None:
    model = make()
    bare = {name: without(model, name) for name in in_force}
    for text in MIXED:
        explanation = model.explain(text, **options)
        assert [one.name for one in explanation.without] == in_force
        for one in explanation.without:
            other, asked = bare[one.name]
            assert same(one.answer, other.identify(text, **{**options, **asked})), (text, one)
            scores = one.name in ("context", "lexicon", "bound", "unseen")
            usual = model.identify(text, **{**options, **({"abstain": False} if scores else {})})
            assert one.changed == (one.answer.label != usual.label)


@pytest.mark.parametrize(
    ("name", "make", "options"),
    [
        ("context", small_model, {}),
        ("lexicon", whole_word_model, {}),
        ("bound", small_model, {}),
        ("unseen", unigram_model, {}),
        ("prior", small_model, {"prior": {"nob": 1 - 1e-9}}),
        ("languages", small_model, {"languages": ["eng", "nob"]}),
        ("calibrated", calibrated_model, {}),
        ("abstain", small_model, {}),
    ],
)
def test_everything_that_can_change_an_answer_changes_some(name: str, make: Any, options: dict[str, Any]) -> None:
    """Else the test above would compare what is always the same."""
    model = make()
    changed = [one.changed for text in MIXED for one in model.explain(text, **options).without if one.name == name]
    assert any(changed)
    assert not all(changed)


def test_a_language_pays_its_rarest_token_and_one_without_tokens_the_unseen_one() -> None:
    table = UnigramTable(
        np.array([0, 2, 3]), np.array([0, 2, 2], np.uint16), np.array([9, 40, 30], np.uint8), np.full(3, 90, np.uint8)
    )
    assert table.rarest().tolist() == [9, 90, 40]
    assert [[table.has_seen(token, row) for row in range(3)] for token in range(2)] == [
        [True, False, True],
        [False, False, True],
    ]
