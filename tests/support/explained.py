"""Texts and models to explain, and explanations taken apart."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from html.parser import HTMLParser

import numpy as np

from support.models import small_model, train
from support.whole_words import whole_word_model
from unilid import Explanation, Model
from unilid.decisions.calibration import Calibration, Rules, raise_unseen

DANISH, NORWEGIAN = "Hvorfor kommer bussen altid for sent?", "Hvorfor kommer bussen alltid for seint?"


@cache
def calibrated_model() -> Model:
    """Every margin is small enough to be re-ranked; English may replace others. And it has a prior."""
    model = small_model()
    count = len(model.languages)
    replaces = np.array([label == "eng" for label in model.languages], np.uint8)
    calibration = Calibration(
        Rules(distance=1e6), np.full(count, 1e6), replaces, raise_unseen(model.parameters.unigram.unseen, -20.0)
    )
    prior = np.array([4.0, 1.0, 2.0, 1.0, 2.0]) / 10
    return replace(model, decisions=replace(model.decisions, calibration=calibration, prior=prior))


@cache
def unigram_model() -> Model:
    return train(["dan", "eng", "nob"], context=None, bound=None)


@cache
def calibrated_whole_word_model() -> Model:
    model = calibrated_model()
    return replace(model, parameters=whole_word_model().parameters)


MODELS = [small_model, calibrated_model, unigram_model, whole_word_model, calibrated_whole_word_model]


class Fragment(HTMLParser):
    """Balanced elements, their attributes, and the text."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: set[str] = set()
        self.attributes: set[str] = set()
        self.content = ""
        self.feed(source)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.content += data


def html_of(explanation: Explanation) -> Fragment:
    fragment = Fragment(explanation._repr_html_())
    assert fragment.elements <= {"div", "p", "b", "br", "span", "table", "tr", "th", "td"}
    assert fragment.attributes <= {"style", "title", "class"}
    return fragment
