"""When to answer `und`: text unlike a language's own, and text that no language explains better than others."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from support.corpora import CORPUS, sentences, text_of_all
from support.models import fitted_model, small_model

import unilid
from unilid import plain
from unilid._kernel import FIRST_UNDETERMINED, REASONS
from unilid.decisions.answers import Prediction
from unilid.decisions.held_out import HeldOut
from unilid.decisions.rejection import CAUTION, RATES, Rejection, fit_rejection
from unilid.decisions.temperature import Temperature

UNKNOWN = [
    "今日はパンを買いに町へ行きます。",
    "დღეს ქალაქში მივდივართ",
    "आज हम शहर जा रहे हैं।",
    "오늘 우리는 시내에 간다.",
]


def scattered(count: int, languages: int = 3) -> HeldOut:
    """Lines whose letters cost about what is usual in their language, and texts cut short that count for nothing."""
    random = np.random.default_rng(2)
    rows = random.integers(0, languages, count)
    letters = random.integers(5, 200, count)
    usual = 2.0 + 0.5 * rows
    cost = letters * usual * np.exp(random.normal(0, 0.05, count) + random.normal(0, 1, count) / letters)
    top = -np.sort(-random.normal(0, 3, (count, 4)), axis=1)
    whole = np.arange(count) < 0.8 * count
    cost[~whole] *= 50
    return HeldOut(top, np.argsort(-top, axis=1), top[:, 0], rows, letters, cost, whole)


def test_the_thresholds_reject_the_share_of_held_out_lines_that_was_asked_for() -> None:
    texts, temperature = scattered(10_000), Temperature()
    fitted = fit_rejection(texts, 3, temperature)
    lines = texts.take(texts.whole)
    assert fitted.usual == pytest.approx([2.0, 2.5, 3.0], rel=0.02)
    assert fitted.spread == pytest.approx([1.0, 1.0, 1.0], rel=0.2)
    for rate in RATES:
        limit, least = fitted.at(rate)
        unlike = [
            plain.unlike(cost, n, fitted.usual[row], fitted.spread[row], fitted.shared, fitted.sampling, limit)
            for cost, n, row in zip(lines.cost.tolist(), lines.letters.tolist(), lines.rows.tolist(), strict=True)
        ]
        unsure = temperature.probability(lines) < least
        # The fifty that are added for rare events take the place of as many lines at most.
        assert CAUTION * rate - 53 / len(unlike) <= np.mean(unlike) <= CAUTION * rate + 3 / len(unlike)
        assert np.mean(unsure) == pytest.approx(CAUTION * rate, abs=3 / len(unlike))


def test_thresholds_between_the_stored_rates_are_interpolated_and_beyond_them_the_last() -> None:
    limits, least = np.linspace(5, 1.5, len(RATES)), np.linspace(0, 0.7, len(RATES))
    rejection = Rejection(np.ones(2), np.ones(2), 0.1, 1.0, limits, least)
    for rate, limit, probability in zip(RATES, limits.tolist(), least.tolist(), strict=True):
        assert rejection.at(rate) == pytest.approx((limit, probability))
    middle = math.sqrt(RATES[2] * RATES[3])
    assert rejection.at(middle) == pytest.approx(((limits[2] + limits[3]) / 2, (least[2] + least[3]) / 2))
    assert rejection.at(1e-9) == rejection.at(RATES[0])
    assert rejection.at(0.99) == rejection.at(RATES[-1])


def test_a_language_without_held_out_lines_is_never_unlike() -> None:
    assert not plain.unlike(1e9, 5, 0.0, 1.0, 0.1, 1.0, 0.0)
    fitted = fit_rejection(scattered(200), 5, Temperature())
    assert fitted.usual[3:].tolist() == [0.0, 0.0]


def test_text_in_a_script_that_no_language_uses_is_undetermined() -> None:
    model = fitted_model()
    for text in UNKNOWN:
        found = model.identify(text)
        named = model.identify(text, abstain=False)
        assert (found.label, found.reason, found.guess) == ("und", "unlike", named.label)
        assert (found.probability, found.score) == (named.probability, named.score)
        assert named.label in model.languages
        assert named.reason is None
        assert named.guess is None


def test_what_the_model_cannot_tell_is_undetermined() -> None:
    lines = sentences("eng_Latn", 100)
    model = unilid.train({"one": lines, "two": lines, "rus": sentences("rus_Cyrl", 100)}, vocabulary=500, threads=1)
    limits = np.full(len(RATES), 99.0)
    sure = replace(model.decisions.rejection, limits=limits, least=np.full(len(RATES), 0.6))  # type: ignore[type-var]
    model = replace(model, decisions=replace(model.decisions, rejection=sure))
    found = model.identify("the old man buys fresh bread")
    assert (found.label, found.reason, found.guess) == ("und", "unsure", "one")
    assert found.probability == pytest.approx(0.5, abs=0.01)
    assert model.identify("старый человек покупает свежий хлеб").label == "rus"
    assert model.identify("the old man", languages=["one", "rus"]).label == "one"


def test_an_undetermined_answer_stands_before_the_languages() -> None:
    model = fitted_model()
    text = UNKNOWN[0]
    languages = model.identify(text, k=4, abstain=False)
    best = languages[0]
    refused = Prediction("und", best.probability, best.score, "unlike", best.label)
    for k in (1, 2, 4, 50):
        assert model.identify(text, k=k) == [refused, *languages[: min(k, 4) - 1]]
    assert model.identify([text, "the old man"], k=2)[0] == [refused, best]


def test_a_model_that_was_not_fitted_names_a_language_for_any_words() -> None:
    assert small_model().decisions.is_default
    assert {p.label for p in small_model().identify(["xqzj wvkk", *UNKNOWN])} <= set(CORPUS)


def test_more_is_rejected_at_a_higher_rate_and_hardly_more_than_asked_for() -> None:
    model = fitted_model()
    texts = [text for texts in text_of_all(200, seed=9).values() for text in texts]
    odd = [f"{text} xqz" for text in texts] + [text[:9] for text in texts]

    def rejected(rate: Any, asked: list[str]) -> set[int]:
        return {i for i, p in enumerate(model.identify(asked, abstain=rate)) if p.label == "und"}

    assert rejected(False, [*odd, *UNKNOWN]) == set()
    before: set[int] = set()
    for rate in (1e-6, 0.001, 0.002, 0.02, 0.2, 0.9):
        found = rejected(rate, odd)
        assert before <= found
        before = found
        assert len(rejected(rate, texts)) <= max(rate, 0.01) * len(texts)
    assert before
    assert rejected(True, odd) == rejected(0.002, odd)


@pytest.mark.parametrize("count", [5, 6])
def test_few_held_out_lines_do_not_make_ordinary_text_undetermined(count: int) -> None:
    corpus = {label: sentences(label, count) for label in ("deu_Latn", "eng_Latn", "rus_Cyrl")}
    model = unilid.train(corpus, vocabulary=300, threads=1)
    fresh = [text for label in corpus for text in sentences(label, 100, seed=3)]
    assert [p.label for p in model.identify(fresh)].count("und") < 0.1 * len(fresh)


@pytest.mark.parametrize("abstain", [0, 1, 0.0, 1.0, -0.1, 1.5, math.nan, math.inf, "yes", None, [0.1]], ids=repr)
def test_a_share_that_is_none_is_an_error(abstain: Any) -> None:
    for model in (small_model(), fitted_model()):
        with pytest.raises(unilid.UnilidError, match="abstain must be"):
            model.identify("snow", abstain=abstain)


def test_the_reasons_of_answers_are_those_that_are_documented() -> None:
    no_language = ["empty", "digits", "signs", "emoji", "address", "e-mail", "identifier", "markup", "code", "mojibake"]
    undetermined = ["unsure", "unlike", "script"]
    assert [reason for number, reason in sorted(REASONS.items()) if number < FIRST_UNDETERMINED] == no_language
    assert [reason for number, reason in sorted(REASONS.items()) if number >= FIRST_UNDETERMINED] == undetermined


# ---- languages come and go


def test_a_language_added_to_a_fitted_model_is_judged_by_its_own_lines() -> None:
    whole = fitted_model()
    part = whole.remove_languages(["rus_Cyrl"])
    grown = part.add_language("rus_Cyrl", sentences("rus_Cyrl", 100))
    first, second = part.decisions.rejection, grown.decisions.rejection
    assert first is not None
    assert second is not None
    assert whole.decisions.rejection is not None
    assert second.usual[:3].tolist() == first.usual.tolist()
    assert second.spread[:3].tolist() == first.spread.tolist()
    assert (second.shared, second.sampling, second.limits.tolist(), second.least.tolist()) == (
        first.shared, first.sampling, first.limits.tolist(), first.least.tolist()
    )  # fmt: skip
    assert second.usual[3] == pytest.approx(whole.decisions.rejection.usual[3], rel=0.1)
    fresh = sentences("rus_Cyrl", 100, seed=3)
    assert [p.label for p in grown.identify(fresh)].count("rus_Cyrl") >= 98
    assert {p.label for p in grown.identify(UNKNOWN)} == {"und"}
    assert {p.label for p in part.identify(fresh)} == {"und"}


@pytest.mark.parametrize("lines", [["mi moku e kili"], ["mi moku e kili", "ona li lape"] * 2], ids=len)
def test_a_language_added_with_a_few_lines_is_never_unlike(lines: list[str]) -> None:
    grown = fitted_model().add_language("tok_Latn", lines)
    assert grown.decisions.rejection is not None
    assert grown.decisions.rejection.usual[4] == 0
    assert grown.identify("mi moku e kili").label == "tok_Latn"


def test_a_subset_of_a_fitted_model_keeps_what_is_usual() -> None:
    model = fitted_model()
    part = model.subset(["rus_Cyrl", "deu_Latn"])
    assert model.decisions.rejection is not None
    assert part.decisions.rejection is not None
    assert part.decisions.rejection.usual.tolist() == model.decisions.rejection.usual[[3, 0]].tolist()
    assert part.decisions.rejection.spread.tolist() == model.decisions.rejection.spread[[3, 0]].tolist()
    assert part.decisions.temperature == model.decisions.temperature
    assert part.identify(sentences("rus_Cyrl", 1)[0]).label == "rus_Cyrl"
    assert part.identify(UNKNOWN[0]).label == "und"


def test_a_language_without_lines_to_hold_out_keeps_its_row_in_a_fitted_model() -> None:
    corpus = {"aaa": ["zzz yyy"], **text_of_all(60)}
    model = unilid.train(corpus, vocabulary=500, threads=1)
    assert model.decisions.rejection is not None
    assert model.decisions.rejection.usual[0] == 0
    assert (model.decisions.rejection.usual[1:] > 0).all()
