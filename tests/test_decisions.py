"""From scores to answers: ranking, probabilities, re-examination, rejection and prior."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import pytest
from helpers import CORPUS, fitted_model, sentences, small_model, text_of_all, text_vector, train
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import unilid
from unilid import _kernel, fitting, plain
from unilid.answers import REASONS, Prediction
from unilid.confidence import CAUTION, RATES, TOP, Held, Rejection, Temperature, cut, fit_rejection, fit_temperature
from unilid.costs import STEP, quantise
from unilid.decisions import Decisions
from unilid.model import Model
from unilid.unigram import UnigramTable
from unilid.vocabulary import Vocabulary

UNKNOWN = [
    "今日はパンを買いに町へ行きます。",
    "დღეს ქალაქში მივდივართ",
    "आज हम शहर जा रहे हैं।",
    "오늘 우리는 시내에 간다.",
]

# ---- the vector of a text, word by word in plain Python


def twin_models(model: Model) -> Any:
    """A function from words to vectors, from the entries of a model's tables."""
    numbers = {token: number for number, token in enumerate(model.vocabulary.tokens)}
    rows = range(len(model.languages))
    tokens = [
        dict(zip(model.unigram.tokens[mine].tolist(), model.unigram.costs[mine].tolist(), strict=True))
        for mine in (model.unigram.languages == row for row in rows)
    ]
    unseen = model.unigram.unseen.tolist()
    costs: list[dict[plain.Gram, int]] = [{} for _ in rows]
    backoffs: list[dict[plain.Gram, int]] = [{(): int(model.context.root_backoff[row])} for row in rows]  # type: ignore[union-attr]
    before: list[plain.Gram] = [()]
    for k, level in enumerate(model.context.levels):  # type: ignore[union-attr]
        grams = [
            (*before[parent if k else 0], int(model.context.code_points[character]))  # type: ignore[union-attr]
            for parent, character in zip(level.parents.tolist(), level.characters.tolist(), strict=True)
        ]
        for gram, first, end in zip(
            grams, level.first_entry[:-1].tolist(), level.first_entry[1:].tolist(), strict=True
        ):
            for entry in range(first, end):
                costs[level.languages[entry]][gram] = int(level.costs[entry])
                if level.backoffs is not None:
                    backoffs[level.languages[entry]][gram] = int(level.backoffs[entry])
        before = grams
    base = int(quantise(np.array([model.settings.base]), 255)[0])
    order, weight = model.settings.order, model.settings.unigram_weight
    assert order is not None

    def vector(word: plain.Word) -> list[int]:
        cuts = {"cut_left": word.cut_left, "cut_right": word.cut_right}
        by_context = [
            plain.context_cost(word.text, costs[row], backoffs[row], order=order, base=base, **cuts) for row in rows
        ]
        by_tokens = [plain.viterbi(word.text, numbers, tokens[row], unseen[row]) for row in rows]
        return plain.weighted([(by_tokens, weight), (by_context, 16 - weight)])

    return vector


MIXED = st.lists(
    st.sampled_from(
        [*"aeøδ雪.1_ @é", " ", " ", "snow", "ΧΙΟΝΙ", "bussen", "雪が", "x" * 130, "me@a.org", "a1b2c3", "-19", "\u0301"]
    ),
    max_size=14,
).map("".join)


@given(MIXED)
@settings(deadline=None, max_examples=60)
def test_the_score_of_a_text_is_the_twins(text: str) -> None:
    model, content = small_model(), text.encode()
    vector, bound = twin_models(model), model.settings.bound_steps
    assert bound > 0
    costs, spoken, letters, _ = model.scorer().costs([content], 1)
    assert costs[0].tolist() == text_vector(content, vector, languages=5, bound=bound)
    assert (model.scores([content])[0] == -STEP * costs[0]).all()
    if letters[0]:
        only = [word for word in plain.words(content) if word.kind == plain.LETTER and word.noise is None]
        assert spoken[0].tolist() == text_vector(content, vector, languages=5, bound=bound, words=only)


@given(st.lists(MIXED, max_size=4), st.sampled_from([0.125, 3.0, None]))
@settings(deadline=None, max_examples=60)
def test_with_every_language_a_candidate_nothing_changes(texts: list[str], bound: float | None) -> None:
    model = dataclasses.replace(small_model(), settings=dataclasses.replace(small_model().settings, bound=bound))
    assert model.identify(texts, k=5, candidates=5) == model.identify(texts, k=5)


def test_a_word_that_is_cut_and_one_that_is_whole_have_their_own_places_in_the_cache() -> None:
    texts = ["snow 雪", "snow雪", "雪snow", "雪snow雪", "雪 snow"]
    fresh = [train(["eng", "jpn"]).scores([text])[0].tolist() for text in texts]
    assert fresh[0] != fresh[1] != fresh[2] != fresh[3]
    for order in (texts, texts[::-1]):
        model = train(["eng", "jpn"])
        found = {text: model.scores([text])[0].tolist() for text in order}
        assert [found[text] for text in texts] == fresh


# ---- the decision against its twin


def scorer_of(languages: int, seed: int, largest: int) -> _kernel.Scorer:
    """Every byte has a cost of its own in every language; small ones make ties."""
    random = np.random.default_rng(seed)
    table = UnigramTable(
        np.arange(257, dtype=np.int64) * languages,
        np.tile(np.arange(languages, dtype=np.uint16), 256),
        random.integers(0, largest + 1, 256 * languages).astype(np.uint8),
        np.full(languages, 255, np.uint8),
    )
    vocabulary = Vocabulary.of([])
    return _kernel.Scorer([(table.kernel(vocabulary), 16)], languages, 0, 1 << 16)


steps = st.integers(0, 40).map(lambda n: n * STEP)  # scores are whole steps, so that equality happens


@st.composite
def decisions(draw: st.DrawFn, languages: int) -> dict[str, Any]:
    prior = draw(st.lists(st.sampled_from([0.0, 1.0, 1.0, 2.0]), min_size=languages, max_size=languages))
    prior[draw(st.integers(0, languages - 1))] = 1.0
    with np.errstate(divide="ignore"):
        log_prior = np.log(np.array(prior))
    again = rejection = None
    if draw(st.booleans()):
        thresholds = draw(st.lists(steps, min_size=languages, max_size=languages))
        replaces = draw(st.lists(st.booleans(), min_size=languages, max_size=languages))
        again = (np.array(thresholds), np.array(replaces, np.uint8), draw(steps), draw(st.integers(1, 5)))
    if draw(st.booleans()):
        usual = draw(st.lists(st.sampled_from([0.0, 0.5, 1.0, 3.0]), min_size=languages, max_size=languages))
        spread = draw(st.lists(st.floats(0.1, 3), min_size=languages, max_size=languages))
        shared, sampling = draw(st.floats(0.01, 1)), draw(st.floats(0.01, 5))
        rejection = (np.array(usual), np.array(spread), shared, sampling, draw(st.floats(0, 4)), draw(st.floats(0, 1)))
    temperature = (draw(st.floats(0.2, 2)), draw(st.floats(1, 20)), draw(st.floats(0, 1)))
    return {
        "log_prior": log_prior, "temperature": temperature, "reexamination": again, "rejection": rejection
    }  # fmt: skip


def twin_answer(how: dict[str, Any], costs: list[int], spoken: list[int], letters: int, reason: int, k: int) -> Any:
    """Rows, probabilities and the verdict, by the twin."""
    keys = [float(prior) - STEP * cost for prior, cost in zip(how["log_prior"], costs, strict=True)]
    order = plain.ranked(keys)
    probabilities = plain.posterior(keys, plain.temperature(letters, *how["temperature"]))
    if reason == 1:
        return [-1] * k, None, reason
    if how["reexamination"] is not None:
        thresholds, replaces, distance, ranks = how["reexamination"]
        answer = plain.reexamined(keys, thresholds, replaces, distance=distance, ranks=ranks)
        order.remove(answer)
        order.insert(0, answer)
    verdict = reason
    if how["rejection"] is not None and not reason:
        usual, spread, shared, sampling, limit, least = how["rejection"]
        best = order[0]
        if plain.unlike(STEP * spoken[best], letters, usual[best], spread[best], shared, sampling, limit):
            verdict = 17
        else:
            assume(abs(max(probabilities) - least) > 1e-9)
            verdict = 16 if max(probabilities) < least else 0
    rows = (order + [-1] * k)[:k]
    return rows, [probabilities[row] if row >= 0 else 0.0 for row in rows], verdict


@given(st.data(), st.integers(1, 6), st.integers(0, 999), st.sampled_from([2, 9, 60]), st.integers(1, 7))
@settings(deadline=None, max_examples=300)
def test_the_decision_is_the_twins(data: st.DataObject, languages: int, seed: int, largest: int, k: int) -> None:
    scorer = scorer_of(languages, seed, largest)
    how = data.draw(decisions(languages))
    texts = data.draw(st.lists(st.text("abcdж 1.@", max_size=12).map(str.encode), min_size=1, max_size=4))
    decision = _kernel.Decision(
        how["log_prior"], STEP, *(how[n] for n in ("temperature", "reexamination", "rejection"))
    )
    rows, scores, probabilities, verdicts = scorer.decide(texts, decision, k, 1)
    for i, (costs, spoken, letters, reason) in enumerate(zip(*scorer.costs(texts, 1), strict=True)):
        expected = twin_answer(how, costs.tolist(), spoken.tolist(), int(letters), int(reason), k)
        assert (rows[i].tolist(), int(verdicts[i])) == (expected[0], expected[2])
        if expected[1] is not None:
            assert probabilities[i].tolist() == pytest.approx(expected[1], abs=1e-6)  # single precision
            wanted = [-STEP * float(costs[row]) if row >= 0 else -math.inf for row in expected[0]]
            assert scores[i].tolist() == wanted


def answer_to(keys: list[int], k: int = 1, **how: Any) -> list[int]:
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
    decision = _kernel.Decision(np.zeros(len(keys)), STEP, (1.0, 1.0, 0.0), **how)
    rows: list[int] = scorer.decide(["a"], decision, k, 1)[0][0].tolist()
    return rows


def reexamined(thresholds: list[int], replaces: list[int], distance: int, ranks: int) -> tuple[Any, ...]:
    """In steps, as the costs are."""
    return STEP * np.array(thresholds, np.float64), np.array(replaces, np.uint8), STEP * distance, ranks


def test_a_margin_equal_to_the_threshold_is_kept_and_a_smaller_one_examined() -> None:
    for threshold, expected in ((10, 0), (11, 1)):
        assert answer_to([20, 30], reexamination=reexamined([threshold, 0], [0, 1], 99, 5)) == [expected]


def test_a_replacement_exactly_at_the_distance_qualifies_and_one_beyond_does_not() -> None:
    for distance, expected in ((9, 0), (10, 1), (11, 1)):
        assert answer_to([20, 30], reexamination=reexamined([99, 0], [0, 1], distance, 5)) == [expected]


def test_the_replacement_is_the_best_of_those_that_may_replace_and_among_the_ranks() -> None:
    costs, replaces = [20, 21, 22, 23], [0, 0, 0, 1]
    for ranks, expected in ((1, 0), (3, 0), (4, 3), (9, 3)):
        assert answer_to(costs, reexamination=reexamined([99] * 4, replaces, 99, ranks)) == [expected]
    assert answer_to(costs, reexamination=reexamined([99] * 4, [0, 0, 1, 1], 99, 5)) == [2]


def test_the_ranks_do_not_depend_on_how_many_answers_are_wanted() -> None:
    how = reexamined([99] * 4, [0, 0, 0, 1], 99, 4)
    assert [answer_to([20, 21, 22, 23], k, reexamination=how)[0] for k in (1, 2, 3, 4)] == [3] * 4
    assert answer_to([20, 21, 22, 23], 4, reexamination=how) == [3, 0, 1, 2]


def test_a_language_alone_is_never_replaced() -> None:
    assert answer_to([20], reexamination=reexamined([99], [1], 99, 5)) == [0]


# ---- probabilities


def held(top: np.ndarray, own: np.ndarray, letters: np.ndarray) -> Held:
    count = len(top)
    return Held(top, own, np.zeros(count, np.int64), letters, np.ones(count), np.ones(count, np.bool_))


def sampled(temperature: Temperature, count: int) -> Held:
    """Scores whose true languages are drawn from the posterior with this temperature."""
    random = np.random.default_rng(1)
    letters = np.exp(random.uniform(0, 6, count)).astype(np.int64)
    exponent = temperature.at(letters)[:, None]
    scores = random.normal(0, 2, (count, 6)) / exponent
    p = np.exp(exponent * scores)
    truth = (p.cumsum(axis=1) / p.sum(axis=1, keepdims=True) < random.random((count, 1))).sum(axis=1)
    own = scores[np.arange(count), truth]
    return held(-np.sort(-scores, axis=1), own, letters)


@pytest.mark.parametrize("temperature", [(1.0, 10.0, 0.5), (0.5, 3.0, 0.3), (2.0, 30.0, 1.0)])
def test_the_temperature_that_the_truth_was_drawn_with_is_found_again(temperature: tuple[float, ...]) -> None:
    true = Temperature(*temperature)
    found = fit_temperature(sampled(true, 20_000))
    lengths = [2, 10, 50, 250]
    assert found.at(lengths) == pytest.approx(true.at(lengths), rel=0.1)


def test_few_texts_move_the_temperature_little() -> None:
    lengths = [2, 10, 50]
    default = Temperature().at(lengths)
    assert fit_temperature(sampled(Temperature(), 0)).at(lengths) == pytest.approx(default)
    for true in (Temperature(5.0, 10.0, 0.1), Temperature(0.1, 1.0, 1.0)):
        few, many = (fit_temperature(sampled(true, count)).at(lengths) for count in (3, 5_000))
        assert (abs(np.log(few / default)) < 0.25 * abs(np.log(many / default))).all()


def test_probabilities_of_held_out_texts_are_those_of_the_kernel() -> None:
    model = fitted_model()
    texts = [text.encode() for label in model.languages for text in sentences(label, 20, seed=5)]
    rows = np.repeat(np.arange(4), 20)
    found = Held.of(model.scorer(), rows, texts, threads=1)
    assert found.whole.sum() == len(texts) < len(found.rows)
    whole = found.take(found.whole)
    assert whole.top.shape == (80, min(4, TOP))
    expected = [p.probability for p in model.identify(texts, prior=None)]
    assert model.decisions.temperature.probability(whole).tolist() == pytest.approx(expected)
    own = model.scores(texts)[np.arange(80), rows]
    assert whole.own.tolist() == own.tolist()
    assert [model.languages[row] for row in found.rows[found.whole]] == [model.languages[row] for row in rows]


@given(st.text("ab \u3000é雪\n", max_size=30).map(str.lstrip), st.integers(1, 12))
def test_a_text_is_cut_at_a_space_where_there_is_one(text: str, length: int) -> None:
    begin = cut(text.encode(), length)
    if len(text) <= length:
        assert begin is None
        return
    assert begin is not None
    short = begin.decode()
    assert text.startswith(short) and 0 < len(short) <= length and short == short.rstrip()
    if any(character.isspace() for character in text[: length + 1]):
        assert text[len(short)].isspace()  # no word is torn
        assert len(text[len(short) : length + 1].split()) < 2  # and no whole one is lost
    else:
        assert short == text[:length]


def test_a_text_that_is_not_utf8_is_cut_too() -> None:
    assert cut(b"ab\xff cdefgh", 6) == "ab\ufffd".encode()


# ---- rejection


def scattered(count: int, languages: int = 3) -> Held:
    """Lines whose letters cost about what is usual in their language, and texts cut short that count for nothing."""
    random = np.random.default_rng(2)
    rows = random.integers(0, languages, count)
    letters = random.integers(5, 200, count)
    usual = 2.0 + 0.5 * rows
    cost = letters * usual * np.exp(random.normal(0, 0.05, count) + random.normal(0, 1, count) / letters)
    top = -np.sort(-random.normal(0, 3, (count, 4)), axis=1)
    whole = np.arange(count) < 0.8 * count
    cost[~whole] *= 50
    return Held(top, top[:, 0], rows, letters, cost, whole)


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
        assert named.label in model.languages and named.reason is None and named.guess is None


def test_what_the_model_cannot_tell_is_undetermined() -> None:
    lines = sentences("eng_Latn", 100)
    model = unilid.train({"one": lines, "two": lines, "rus": sentences("rus_Cyrl", 100)}, vocabulary=500, threads=1)
    limits = np.full(len(RATES), 99.0)
    sure = dataclasses.replace(model.decisions.rejection, limits=limits, least=np.full(len(RATES), 0.6))  # type: ignore[type-var]
    model = dataclasses.replace(model, decisions=dataclasses.replace(model.decisions, rejection=sure))
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


@pytest.mark.parametrize("abstain", [0, 1, 0.0, 1.0, -0.1, 1.5, math.nan, math.inf, "yes", None, [0.1]], ids=repr)
def test_a_share_that_is_none_is_an_error(abstain: Any) -> None:
    for model in (small_model(), fitted_model()):
        with pytest.raises(unilid.UnilidError, match="abstain must be"):
            model.identify("snow", abstain=abstain)


def test_the_reasons_of_answers_are_those_that_are_documented() -> None:
    assert [REASONS.get(number, "") for number in range(len(plain.REASONS))] == plain.REASONS
    assert (REASONS[16], REASONS[17]) == ("unsure", "unlike")


# ---- languages come and go


def test_a_language_added_to_a_fitted_model_is_judged_by_its_own_lines() -> None:
    whole = fitted_model()
    part = whole.remove_languages(["rus_Cyrl"])
    grown = part.add_language("rus_Cyrl", sentences("rus_Cyrl", 100))
    first, second = part.decisions.rejection, grown.decisions.rejection
    assert first is not None and second is not None and whole.decisions.rejection is not None
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
    assert model.decisions.rejection is not None and part.decisions.rejection is not None
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


# ---- prior


def test_a_prior_is_fitted_to_the_shares_of_a_sample() -> None:
    model = fitted_model()
    shares = {"deu_Latn": 140, "dum_Latn": 10, "eng_Latn": 50}
    sample = [text for label, count in shares.items() for text in sentences(label, count, seed=4)]
    fitted = unilid.calibrate(model, prior_from=[*sample, "", "12345", None, "https://example.org"])
    assert fitted.decisions.prior is not None
    found = dict(zip(model.languages, fitted.decisions.prior.tolist(), strict=True))
    for label in model.languages:
        assert found[label] == pytest.approx(shares.get(label, 0) / len(sample), abs=0.02)
    # Not met yet, not impossible: half a text is shared by all.
    assert found["rus_Cyrl"] == pytest.approx(0.5 / 4 / (len(sample) + 0.5), rel=0.01)
    assert sum(found.values()) == pytest.approx(1)
    assert (fitted.decisions.temperature, fitted.decisions.rejection) == (
        model.decisions.temperature, model.decisions.rejection
    )  # fmt: skip


def test_a_fitted_prior_is_used_unless_another_is_asked_for() -> None:
    model = fitted_model()
    prior = np.array([0.001, 0.979, 0.01, 0.01])
    fitted = dataclasses.replace(model, decisions=dataclasses.replace(model.decisions, prior=prior))
    text = "einige"
    by_label = dict(zip(model.languages, prior.tolist(), strict=True))
    ranked = fitted.identify(text, k=4, abstain=False)
    assert ranked == fitted.identify(text, k=4, abstain=False, prior="model")
    assert ranked[0].label == "dum_Latn"
    explicit = model.identify(text, k=4, abstain=False, prior=by_label)
    assert [p.label for p in ranked] == [p.label for p in explicit]
    assert [p.probability for p in ranked] == pytest.approx([p.probability for p in explicit])
    assert fitted.identify(text, k=4, prior=None) == model.identify(text, k=4)
    assert fitted.identify(text, k=4, prior="training") == model.identify(text, k=4, prior="training")
    assert fitted.best_rows([text]).tolist() == model.best_rows([text]).tolist()


def test_a_fitted_prior_goes_with_its_languages() -> None:
    prior = np.array([0.1, 0.2, 0.3, 0.4])
    model = dataclasses.replace(small_model().subset(["dan", "ell", "eng", "jpn"]), decisions=Decisions(prior=prior))
    part = model.subset(["jpn", "dan"]).decisions.prior
    assert part is not None and part.tolist() == pytest.approx([0.8, 0.2])
    grown = model.add_language("nob", CORPUS["nob"]).decisions.prior
    assert grown is not None and grown.sum() == pytest.approx(1)
    assert grown[:4] / grown[:4].sum() == pytest.approx(prior)
    assert grown[4] == pytest.approx(1 / 6)  # as much as the average language: a fifth more
    empty = dataclasses.replace(model, decisions=Decisions(prior=np.array([0.0, 0.0, 0.5, 0.5])))
    assert empty.subset(["dan", "ell"]).decisions.prior is None


def test_texts_without_language_fit_no_prior() -> None:
    with pytest.raises(unilid.CorpusError, match="no language"):
        unilid.calibrate(fitted_model(), prior_from=["", "123", "https://example.org"])


# ---- a file


def everything() -> Model:
    """A model with all that decisions can have."""
    model = fitted_model()
    corpus, more = text_of_all(100), text_of_all(40, seed=6)
    return unilid.calibrate(model, corpus, validation=more, prior_from=more["deu_Latn"] + more["rus_Cyrl"][:10])


def test_decisions_come_back_as_they_were_saved(tmp_path: Any) -> None:
    model = everything()
    again = model.save(tmp_path / "all.unilid")
    assert again.to_bytes() == model.to_bytes()
    old, new = model.decisions, again.decisions
    assert new.temperature == old.temperature
    assert old.rejection is not None and new.rejection is not None
    for field in dataclasses.fields(Rejection):
        assert np.array_equal(getattr(new.rejection, field.name), getattr(old.rejection, field.name))
    assert old.calibration is not None and new.calibration is not None
    assert new.calibration.rules == old.calibration.rules
    for name in ("thresholds", "replaces", "unseen"):
        assert np.array_equal(getattr(new.calibration, name), getattr(old.calibration, name))
    assert old.prior is not None and new.prior is not None and np.array_equal(new.prior, old.prior)
    texts = [*UNKNOWN, *(text for texts in text_of_all(20, seed=8).values() for text in texts), "", "12"]
    for options in ({}, {"calibrated": False}, {"prior": None}, {"abstain": 0.1}, {"abstain": False}):
        assert again.identify(texts, k=4, **options) == model.identify(texts, k=4, **options)


def test_fitting_changes_no_score() -> None:
    texts = [text for texts in text_of_all(20, seed=8).values() for text in texts]
    assert (everything().scores(texts) == fitted_model().scores(texts)).all()


def test_few_held_out_lines_leave_a_model_that_can_be_saved() -> None:
    for count in (1, 5, 6, 11):
        corpus = {label: sentences(label, count) for label in ("deu_Latn", "eng_Latn")}
        model = unilid.train(corpus, vocabulary=300, threads=1)
        assert Model.from_bytes(model.to_bytes()).to_bytes() == model.to_bytes()
        assert model.identify(corpus["eng_Latn"][0]).label == "eng_Latn"


@pytest.mark.parametrize("count", [5, 6])
def test_few_held_out_lines_do_not_make_ordinary_text_undetermined(count: int) -> None:
    corpus = {label: sentences(label, count) for label in ("deu_Latn", "eng_Latn", "rus_Cyrl")}
    model = unilid.train(corpus, vocabulary=300, threads=1)
    fresh = [text for label in corpus for text in sentences(label, 100, seed=3)]
    assert [p.label for p in model.identify(fresh)].count("und") < 0.1 * len(fresh)


def test_no_held_out_texts_change_nothing() -> None:
    assert fitting.fit_confidence(small_model(), np.zeros(0, np.int64), []) == Decisions()


def test_where_few_languages_compete_all_of_them_stand_behind_an_answer_that_is_none() -> None:
    answers = unilid.load().identify("qqzx kkk", k=5, languages=["eng_Latn", "deu_Latn"])
    assert [answer.label for answer in answers] == ["und", "eng_Latn", "deu_Latn"]
    assert answers[0].guess == "eng_Latn"
