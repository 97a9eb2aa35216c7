"""Handicaps: of few languages, none wins only because there was more text of it."""

from __future__ import annotations

import random
from dataclasses import replace
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


def test_there_are_none_where_nothing_speaks_for_them() -> None:
    temperature = Temperature()
    assert fit_handicaps(texts_with_advantages([0.0] * 3, [30, 40, 50], temperature), 3, temperature) is None
    assert fit_handicaps(texts_with_advantages([0.2, 0.0], [1, 1], temperature), 2, temperature) is None  # too few
    assert fit_handicaps(texts_with_advantages([0.9, 0.0], [50, 0], temperature), 2, temperature) is None


def test_what_is_cut_from_lines_is_no_evidence_of_its_own() -> None:
    """However often lines are cut, all texts together count as many times as there are whole ones."""
    temperature = Temperature()
    held = texts_with_advantages([0.0, 0.0], [200, 200], temperature)
    once = even_odds(held, 2, temperature).evidence.sum()
    again = HeldOut.joined([held, *[replace(held, whole=np.zeros(400, np.bool_))] * 3])
    assert even_odds(again, 2, temperature).evidence.sum() == pytest.approx(once)


def test_evidence_is_the_same_whoever_has_an_advantage_and_however_sure_scores_are() -> None:
    """Models are compared by what they tell apart, which neither of these changes."""
    temperature, counts = Temperature(), [300, 100]
    plain = texts_with_advantages([0.0, 0.0], counts, temperature)
    moved = texts_with_advantages([0.5, 0.0], counts, temperature)
    sharper = replace(plain, top=3 * plain.top, own=3 * plain.own)
    evidence = [even_odds(held, 2, temperature).evidence for held in (plain, moved, sharper)]
    assert evidence[1].sum() == pytest.approx(evidence[0].sum(), rel=0.01)
    assert evidence[2].sum() == pytest.approx(evidence[0].sum(), rel=0.01)
    alone = even_odds(moved, 2, temperature, handicaps=False)
    assert alone.evidence.sum() < evidence[1].sum() - 10
    assert (alone.advantages == 0).all()


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


def test_a_class_with_more_text_does_not_win_by_that() -> None:
    """Of two classes that use the same words, the one with ten times as many has seen more pairs of letters."""
    model = unilid.train({"short": lines_of("kurz", 100, 2, 1), "long": lines_of("lang", 100, 20, 2)})
    assert model.decisions.handicaps is not None
    handicap = dict(zip(model.languages, model.decisions.handicaps.tolist(), strict=True))
    assert handicap["long"] > handicap["short"] == 0
    without = replace(model, decisions=replace(model.decisions, handicaps=None))
    asked = [*lines_of("kurz", 200, 5, 3), *lines_of("lang", 200, 5, 4)]

    def answered_long(asked_model: Model) -> int:
        return sum(answer.label == "long" for answer in asked_model.identify(asked, abstain=False))

    assert abs(answered_long(model) - 200) < abs(answered_long(without) - 200)


def test_probabilities_say_what_is_right_on_whole_and_on_short_text() -> None:
    """An advantage that did not grow with the text would make all answers to short texts the same, or none sure."""
    common = [f"{a}{b}" for a in "bcdfghklmnprst" for b in ("an", "en", "in", "on", "un")]

    def lines(own: str, count: int, words: int, seed: int) -> list[str]:
        drawn = random.Random(seed)
        telling = [f"{own}{end}" for end in "aeiou"]
        return [" ".join(drawn.choice(telling if drawn.random() < 0.1 else common) for _ in range(words))
                for _ in range(count)]  # fmt: skip

    model = unilid.train({"ka": lines("ka", 400, 25, 1), "zo": lines("zo", 100, 25, 2)})
    for words, least in ((25, 0.8), (2, 0.5)):
        asked = {label: lines(label, 300, words, 3) for label in ("ka", "zo")}
        answers = {label: model.identify(texts, abstain=False) for label, texts in asked.items()}
        right = np.mean([answer.label == label for label, own in answers.items() for answer in own])
        sure = np.mean([answer.probability for own in answers.values() for answer in own])
        assert right >= least
        assert sure == pytest.approx(right, abs=0.12)
    ambiguous = model.identify(["ban ken"] * 2, abstain=False, k=2)[0]
    assert max(answer.probability for answer in ambiguous) < 0.9


def test_keys_and_margins_have_handicaps() -> None:
    model = handicapped()
    scorer, log_prior = model._answerer.scorers.scorer, np.zeros(4)
    texts = [line.encode() for line in CORPUS["eng"][:5]]
    letters = scorer.costs(texts, 1).letters
    rows, keys = best(scorer, texts, log_prior, handicaps=HANDICAPS, k=4, threads=1)
    _, plain = best(scorer, texts, log_prior, k=4, threads=1)
    plain_rows, _ = best(scorer, texts, log_prior, k=4, threads=1)
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
    text = CORPUS["dan"][0]
    uniform = {answer.label: answer for answer in model.identify(text, k=4, prior=None, abstain=False)}
    likely = {answer.label: answer for answer in model.identify(text, k=4, prior={"eng": 0.97}, abstain=False)}
    assert likely["eng"].probability > uniform["eng"].probability
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
