"""A corpus of four languages and models to calibrate on it, and the paper's rules in plain Python."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from random import Random
from typing import Any

import numpy as np

import unilid
from support.corpora import text_of_all
from unilid import Model, Rules, plain
from unilid.decisions.decide import Decisions
from unilid.models.costs import STEP

TRAINING = text_of_all(300)

# The ends of sentences: some of them two languages share.
VALIDATION = {
    label: [" ".join(line.split()[-2:]) for line in lines] for label, lines in text_of_all(60, seed=1).items()
}


def train(**options: Any) -> Model:
    return unilid.train(TRAINING, vocabulary=500, tune=False, threads=1, **options)


def with_lines(model: Model, lines: list[int]) -> Model:
    """The model as if its languages had so many training lines."""
    return replace(model, parameters=replace(model.parameters, lines=np.array(lines)))


@cache
def paper_model() -> Model:
    """The paper's scoring, with line counts on both sides of its limits."""
    model = train(context=None, bound=None, fragments=None, unseen="additive")
    return with_lines(model, [100_000, 500, 18_000, 17_999])


@cache
def context_model() -> Model:
    return with_lines(train(context="characters"), [100_000, 500, 99_999, 17_999])


MODELS = {"paper": paper_model, "context": context_model}

RULES = {
    "the paper's": Rules(),
    "re-rank most": Rules(percentile=60.0, low_resource=10**6, distance=4.0, ranks=3),
    "entropy": Rules(entropy_alone=0.5, percentile=40.0, replacement=500, low_resource=600),
    "entropy with validation": Rules(entropy=-9.0, absorbed=0.0, percentile=40.0, replacement=0, low_resource=0),
}


def short_texts(count: int) -> list[str]:
    """One to three words of any language: small margins, and words that two languages share."""
    chance = Random(7)
    words = [word for text in text_of_all(40, seed=2).values() for line in text for word in line.split()]
    return [" ".join(chance.choices(words, k=chance.choice([1, 1, 2, 3]))) for _ in range(count)]


def percentile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    place = share / 100 * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def with_constant(model: Model, constant: float) -> Model:
    """The model whose unseen tokens are no more probable than the constant."""
    unigram = model.parameters.unigram
    unseen = np.array([max(cost, round(-constant / STEP)) for cost in unigram.unseen.tolist()], np.uint8)
    parameters = replace(model.parameters, unigram=replace(unigram, unseen=unseen))
    return replace(model, parameters=parameters, decisions=Decisions())


def keys_of(model: Model, texts: list[str], rules: Rules, prior: Any = None) -> list[list[float]]:
    scores = with_constant(model, rules.unseen).scores(texts)
    keys: list[list[float]] = (scores + model._answerer.log_prior(None, prior)).tolist()
    return keys


def plain_margins(model: Model, label: str, lines: list[str], rules: Rules, prior: Any) -> list[float]:
    margins = []
    for keys in keys_of(model, lines, rules, prior):
        best, second, *_ = plain.ranked(keys)
        if model.languages[best] == label:
            margins.append(keys[best] - keys[second])
    return margins
