"""Handicaps: of few languages, none wins only because there was more text of it."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from support.corpora import CORPUS
from support.models import small_model

import unilid
from unilid import Model
from unilid.corpus.sampling import LabelledTexts
from unilid.decisions.decide import Decisions, best
from unilid.decisions.fitting import own_margins
from unilid.decisions.held_out import HeldOut
from unilid.decisions.odds import even_odds, fit_handicaps
from unilid.decisions.temperature import Temperature
from unilid.training.addition import add

HANDICAPS = np.array([0.0, 1.5, 0.25, 0.5])


def handicapped() -> Model:
    model = small_model().subset(["dan", "ell", "eng", "jpn"])
    return replace(model, decisions=Decisions(handicaps=HANDICAPS))


def texts_with_advantages(
    advantages: list[float], counts: list[int], temperature: Temperature, *, cuts: int = 0
) -> HeldOut:
    """Whole texts, and as many times cut ones as `cuts` says.

    Languages score as the temperature says, each with its advantage on top, which grows with the root of the letters.
    """
    drawn = np.random.default_rng(5)
    whole = np.repeat(np.arange(len(counts)), counts)
    rows = np.tile(whole, 1 + cuts)
    is_whole = np.arange(len(rows)) < len(whole)
    letters = np.where(is_whole, drawn.integers(60, 200, len(rows)), drawn.integers(5, 60, len(rows)))
    exponent = temperature.at(letters)[:, None]
    scores = drawn.normal(0, 1, (len(rows), len(counts)))
    scores[np.arange(len(rows)), rows] += 1  # so that log-ratios of densities are differences of scores
    scores = scores / exponent + np.array(advantages) * np.sqrt(letters)[:, None]
    order = np.argsort(-scores, axis=1)
    own = scores[np.arange(len(rows)), rows]
    top = np.take_along_axis(scores, order, 1)
    return HeldOut(top, order, own, rows, letters, np.ones(len(rows)), is_whole)


def recalls(held: HeldOut) -> list[float]:
    return [float((held.best[held.rows == row, 0] == row).mean()) for row in range(held.best.shape[1])]


@pytest.mark.parametrize("counts", [[2000, 2000, 2000], [4000, 500, 1000]])
@pytest.mark.parametrize("cuts", [0, 2])
def test_handicaps_undo_advantages_however_many_texts_there_are_and_however_long(counts: list[int], cuts: int) -> None:
    advantages, temperature = [0.5, 0.0, 0.1], Temperature()
    held = texts_with_advantages(advantages, counts, temperature, cuts=cuts)
    handicaps = fit_handicaps(held, 3, temperature)
    assert handicaps is not None
    assert handicaps.tolist() == pytest.approx(advantages, abs=0.05)
    evened = held.with_handicaps(handicaps)
    assert max(recalls(held)) - min(recalls(held)) > 0.3
    assert max(recalls(evened)) - min(recalls(evened)) < 0.06
    assert (np.diff(evened.top, axis=1) <= 0).all()
    assert (evened.own <= evened.top[:, 0]).all()


def test_there_are_next_to_none_where_nothing_speaks_for_them() -> None:
    temperature = Temperature()
    few = fit_handicaps(texts_with_advantages([0.0] * 3, [30, 40, 50], temperature), 3, temperature)
    assert few is not None
    assert few.max() < 0.15
    two = fit_handicaps(texts_with_advantages([2.0, 0.0], [1, 1], temperature), 2, temperature)
    assert two is not None
    assert two.max() < 1.75  # two lines are few, so that it is drawn to none
    assert fit_handicaps(texts_with_advantages([0.9, 0.0], [50, 0], temperature), 2, temperature) is None


def test_lines_count_alike_however_often_they_are_cut() -> None:
    temperature = Temperature()
    held = texts_with_advantages([0.0, 0.0], [200, 200], temperature)
    as_cut = replace(held, whole=np.zeros(400, np.bool_))
    once, thrice = (HeldOut.joined([held, *[as_cut] * cuts]) for cuts in (1, 3))
    evidence = even_odds(once, 2, temperature).evidence.sum()
    assert even_odds(thrice, 2, temperature).evidence.sum() == pytest.approx(evidence)
    assert evidence == pytest.approx(2 * even_odds(held, 2, temperature).evidence.sum(), rel=0.01)


def test_evidence_is_the_same_whoever_has_an_advantage_and_however_sure_scores_are() -> None:
    """Models are compared by what they tell apart, which neither of these changes."""
    temperature, counts = Temperature(), [300, 100]
    plain = texts_with_advantages([0.0, 0.0], counts, temperature)
    moved = texts_with_advantages([0.5, 0.0], counts, temperature)
    sharper = replace(plain, top=3 * plain.top, own=3 * plain.own)
    evidence = [even_odds(held, 2, temperature).evidence for held in (plain, moved, sharper)]
    assert evidence[1].sum() == pytest.approx(evidence[0].sum(), rel=0.01)
    assert evidence[2].sum() == pytest.approx(evidence[0].sum(), rel=0.01)


def test_languages_weigh_alike_in_evidence() -> None:
    """A line of a language with few of them says as much as all of its lines would, were there more."""
    held = texts_with_advantages([0.0, 0.0], [300, 100], Temperature())
    evidence = even_odds(held, 2, Temperature()).evidence
    twice = held.take(np.concatenate([np.arange(300), np.tile(np.arange(300, 400), 3)]))
    again = even_odds(twice, 2, Temperature()).evidence
    assert again[:300].sum() / evidence[:300].sum() == pytest.approx(1.5, rel=0.02)  # there are 1.5 times as many lines
    assert again[300:].sum() / evidence[300:].sum() == pytest.approx(1.5, rel=0.02)


def lines_of(word: str, count: int, words: int, seed: int) -> list[str]:
    """Lines of the same words for every class, some of them after a word of its own."""
    drawn = random.Random(seed)
    names = [f"{a}{b}{c}" for a in "bdfgklm" for b in "aeiou" for c in "nprst"]
    return [" ".join([*([word] * drawn.randrange(2)), *drawn.choices(names, k=words)]) for _ in range(count)]


CLASSES = {"short": "kurz", "long": "lang"}
LETTERS = 60
"""Of a line of twenty words."""


@cache
def short_and_long() -> Model:
    """Of two classes that use the same words, the one with ten times as many has seen more pairs of letters."""
    return unilid.train({"short": lines_of("kurz", 100, 2, 1), "long": lines_of("lang", 100, 20, 2)})


def test_a_class_with_more_text_does_not_win_by_that() -> None:
    model = short_and_long()
    assert model.decisions.handicaps is not None
    handicap = dict(zip(model.languages, model.decisions.handicaps.tolist(), strict=True))
    assert handicap["long"] > handicap["short"] == 0
    without = replace(model, decisions=replace(model.decisions, handicaps=None))
    asked = [*lines_of("kurz", 200, 5, 3), *lines_of("lang", 200, 5, 4)]

    def answered_long(asked_model: Model) -> int:
        return sum(answer.label == "long" for answer in asked_model.identify(asked, abstain=False))

    assert abs(answered_long(model) - 200) < abs(answered_long(without) - 200)


def test_probabilities_say_what_is_right_on_whole_and_on_short_text() -> None:
    """With an advantage that does not grow with the text, short texts would all get the same answer."""
    model = short_and_long()
    assert model.decisions.handicaps is not None
    row = model.languages.index("long")
    fixed = np.where(np.arange(2) == row, model.decisions.handicaps[row] * np.sqrt(LETTERS), 0)
    for words, least in (({"short": 2, "long": 20}, 0.9), ({"short": 1, "long": 1}, 0.6)):
        asked = {label: lines_of(own, 300, words[label], 5) for label, own in CLASSES.items()}
        answers = {label: model.identify(texts, abstain=False) for label, texts in asked.items()}
        right = np.mean([answer.label == label for label, own in answers.items() for answer in own])
        sure = np.mean([answer.probability for own in answers.values() for answer in own])
        assert right >= least
        assert sure == pytest.approx(right, abs=0.1)
    shares = dict(zip(model.languages, np.exp(-fixed).tolist(), strict=True))
    prior = {label: share / sum(shares.values()) for label, share in shares.items()}
    without = replace(model, decisions=replace(model.decisions, handicaps=None))
    common = [text for own in CLASSES.values() for text in lines_of(own, 300, 1, 5) if own not in text]
    always = [answer.label for answer in without.identify(common, prior=prior, abstain=False)]
    often = [answer.label for answer in model.identify(common, abstain=False)]
    assert always.count("short") > 0.95 * len(common)
    assert 0.1 * len(common) < often.count("short") < 0.9 * len(common)


def test_a_language_that_is_learned_anew_keeps_its_handicap() -> None:
    lines = {label: lines_of(own, 100, 5, 7) for label, own in CLASSES.items()}
    model = short_and_long()
    before = model.decisions.handicaps
    assert before is not None
    anew, _ = add(model, {"long": lines["long"]}, anew=True)
    assert anew.decisions.handicaps is not None
    assert anew.decisions.handicaps.tolist() == before.tolist()
    more, _ = add(model, {"long": lines["long"], "more": lines["short"]}, anew=True)
    assert more.decisions.handicaps is not None
    assert more.decisions.handicaps[:2].tolist() == before.tolist()


def test_one_label_has_no_handicap() -> None:
    assert unilid.train({"short": lines_of("kurz", 60, 5, 1)}).decisions.handicaps is None
    assert handicapped().subset(["ell"]).decisions.handicaps is None


def test_a_text_in_one_language_has_the_span_that_is_its_answer() -> None:
    model = short_and_long()
    without = replace(model, decisions=replace(model.decisions, handicaps=None))
    texts = [text for own in CLASSES.values() for text in lines_of(own, 40, 12, 8)]
    answers = [answer.label for answer in model.identify(texts, abstain=False)]
    assert answers != [answer.label for answer in without.identify(texts, abstain=False)]
    spans = [model.spans(text, switch=1000) for text in texts]
    assert [[span.label for span in own] for own in spans] == [[label] for label in answers]


def test_keys_and_margins_have_handicaps() -> None:
    model = handicapped()
    scorer, log_prior = model._answerer.scorers.scorer, np.zeros(4)
    texts = [line.encode() for line in CORPUS["eng"][:5]]
    letters = scorer.costs(texts, 1).letters
    rows, keys = best(scorer, texts, log_prior, handicaps=HANDICAPS, k=4, threads=1)
    plain_rows, plain = best(scorer, texts, log_prior, k=4, threads=1)
    expected = np.full((5, 4), -np.inf)
    np.put_along_axis(expected, plain_rows, plain, 1)
    expected -= HANDICAPS * np.sqrt(letters)[:, None]
    assert np.array_equal(np.take_along_axis(expected, rows, 1), keys)
    assert (np.diff(keys, axis=1) <= 0).all()
    lines = LabelledTexts(np.full(5, model.languages.index("eng")), texts)
    margins = own_margins(scorer, lines, log_prior, handicaps=HANDICAPS)[model.languages.index("eng")]
    won = rows[:, 0] == model.languages.index("eng")
    assert margins.tolist() == pytest.approx((keys[won, 0] - keys[won, 1]).tolist())


def test_handicaps_go_with_their_languages_and_are_kept_in_the_file(tmp_path: Path) -> None:
    model = handicapped()
    part = model.subset(["jpn", "dan"]).decisions.handicaps
    assert part is not None
    assert part.tolist() == [0.5, 0.0]
    grown = model.add_language("nob", CORPUS["nob"]).decisions.handicaps
    assert grown is not None
    assert grown.tolist() == [*HANDICAPS.tolist(), HANDICAPS.mean()]
    model.save(tmp_path / "model.unilid")
    loaded = unilid.load(tmp_path / "model.unilid")
    assert loaded.decisions.handicaps is not None
    assert loaded.decisions.handicaps.tolist() == HANDICAPS.tolist()
    text = CORPUS["eng"][0]
    assert loaded.identify(text, k=4) == model.identify(text, k=4)


def test_a_prior_counts_beside_handicaps() -> None:
    model = handicapped()
    without = replace(model, decisions=Decisions())
    text, prior = "ne", {"eng": 0.97}
    letters = 2

    def log_odds(asked: Model) -> float:
        found = {answer.label: answer.probability for answer in asked.identify(text, k=4, prior=prior, abstain=False)}
        return float(np.log(found["eng"] / found["dan"]))

    exponent = model.decisions.temperature.at(letters)
    by = {label: HANDICAPS[row] for row, label in enumerate(model.languages)}
    expected = log_odds(without) - exponent * (by["eng"] - by["dan"]) * np.sqrt(letters)
    assert log_odds(model) == pytest.approx(float(expected), abs=1e-4)
    fitted = unilid.calibrate(model, prior_from=CORPUS["eng"][:20]).decisions
    assert fitted.handicaps is not None
    assert fitted.handicaps.tolist() == HANDICAPS.tolist()
    assert fitted.prior is not None


def test_reasons_add_up_with_handicaps_and_say_what_they_did() -> None:
    model = handicapped()
    text = CORPUS["ell"][0]
    why = model.explain(text, "ell", instead="dan")
    letters = sum(map(str.isalpha, text))
    assert why.handicap == pytest.approx(-1.5 * np.sqrt(letters))
    assert why.difference == sum(word.difference for word in why.words) + why.prior + why.handicap
    assert f"{why.handicap:.1f} from handicaps" in str(why)
    assert "handicaps" in [without.name for without in why.without]
    assert "from handicaps" not in str(small_model().explain(text, "ell"))
