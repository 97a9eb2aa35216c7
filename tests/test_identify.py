"""Answers: their form, for any content, with any options."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.corpora import CORPUS, SENTENCES
from support.libraries import library
from support.models import small_model
from support.strategies import any_text
from support.texts import TEXTS
from support.variants import answers, bare_best

import unilid
from unilid._kernel import REASONS
from unilid.decisions.answers import Prediction


@pytest.mark.parametrize("name", [None, "compact"])
def test_the_models_in_the_package_recognise_large_languages(name: str | None) -> None:
    model = unilid.load(name)
    assert len(model.languages) > 1300
    expected = {
        "deu_Latn": "Heute Abend kochen wir eine Suppe und gehen früh schlafen.",
        "fra_Latn": "Ce soir nous préparons une soupe avant de dormir.",
        "eng_Latn": "Tonight we are going to cook some soup and sleep early.",
        "rus_Cyrl": "Сегодня вечером мы сварим суп и рано ляжем спать.",
        "kor_Hang": "오늘 저녁에 우리는 국을 끓이고 일찍 잘 거예요.",
    }
    assert [p.label for p in model.identify(expected.values())] == list(expected)


def test_one_text_gives_one_prediction_and_many_give_one_each_in_their_order() -> None:
    model = small_model()
    one = model.identify(CORPUS["eng"][0])
    assert isinstance(one, Prediction)
    assert one.label == "eng"
    texts = [sentence for label in ("jpn", "dan", "ell") for sentence in CORPUS[label]]
    assert [p.label for p in model.identify(texts)] == ["jpn"] * 6 + ["dan"] * 6 + ["ell"] * 6
    assert [model.identify(text) for text in texts] == model.identify(texts)
    assert model.identify(iter(texts)) == model.identify(tuple(texts)) == model.identify(texts)
    assert model.identify([]) == []


def test_str_and_its_utf8_bytes_give_the_same_answer() -> None:
    model = small_model()
    assert model.identify(SENTENCES) == model.identify([sentence.encode() for sentence in SENTENCES])


def test_k_best_of_one_text_is_a_list_and_of_many_a_list_of_lists() -> None:
    model = small_model()
    ranked = model.identify("Hvorfor kommer bussen", k=2)
    assert {p.label for p in ranked} == {"dan", "nob"}
    assert model.identify(["Hvorfor kommer bussen", "雪", ""], k=2)[0] == ranked
    assert [len(r) for r in model.identify(["Hvorfor", "雪", ""], k=2)] == [2, 2, 1]
    assert model.identify("Hvorfor", k=1) == [model.identify("Hvorfor")]


def test_more_than_all_languages_are_all_languages() -> None:
    model = small_model()
    ranked = model.identify("snow", k=1000)
    assert sorted(p.label for p in ranked) == sorted(model.languages)
    assert math.fsum(p.probability for p in ranked) == pytest.approx(1)


def test_order_is_kept_over_more_texts_than_one_kernel_call_takes() -> None:
    model = small_model()
    labels = [list(CORPUS)[i * i % 5] for i in range(40_000)]
    found = model.identify([CORPUS[label][1] for label in labels], threads=2)
    assert [p.label for p in found] == labels
    rows, _ = bare_best(model, [CORPUS[label][1] for label in labels], threads=2)
    assert [model.languages[row] for row in rows[:, 0]] == labels


def test_scores_are_what_identify_ranks_by() -> None:
    model = small_model()
    texts = [text for text in TEXTS if text]
    scores = model.scores(texts)
    for row, ranked in zip(scores, answers(model, texts, abstain=False, budget=None), strict=True):
        assert {p.label: p.score for p in ranked} == dict(zip(model.languages, row.tolist(), strict=True))
    assert [p.label for p in model.identify(texts, abstain=False)] == [
        model.languages[r] for r in scores.argmax(axis=1)
    ]
    rows, keys = bare_best(model, texts)
    assert rows[:, 0].tolist() == scores.argmax(axis=1).tolist()
    assert keys[:, 0] == pytest.approx(scores.max(axis=1) - math.log(len(model.languages)))


def test_results_cannot_be_changed() -> None:
    model = small_model()
    with pytest.raises(AttributeError):
        model.identify("snow").label = "deu"  # type: ignore[misc]
    for result in (model.segment("snow", "eng")[0], model.settings):
        field = dataclasses.fields(result)[0].name
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(result, field, None)
    with pytest.raises(dataclasses.FrozenInstanceError):
        model.languages = ()  # type: ignore[misc]


# ---- any content


@pytest.mark.parametrize(
    "text", [None, "", b"", " ", b"\t \r\n", "\u3000\u2003\u2028\x85\xa0", math.nan, np.float64("nan")], ids=repr
)
def test_a_text_without_words_is_zxx(text: Any) -> None:
    nothing = Prediction("zxx", 1.0, 0.0, "empty")
    model = small_model()
    assert model.identify([text]) == [nothing]
    assert model.identify([text, "snow"], k=3)[0] == [nothing]
    assert model.identify(text) == nothing
    assert model.identify(text, k=3) == [nothing]


@pytest.mark.parametrize(
    "text",
    [
        "\0",
        "a\0b \0\0",
        b"\0net\0",
        "\ud800",
        "snow \udfff\ud800 on",
        b"\xff\xfe\xfd",
        b"\xc3",
        b"\xed\xa0\x80 \xf5\x80\x80\x80 \xc0\x80",
        "\ufeff",
        "\u0301\u0301",
        "\U0010ffff",
        "\u202e snow \u200d\u200c",
    ],
    ids=ascii,
)
def test_strange_content_gets_an_answer(text: str | bytes) -> None:
    model = small_model()
    assert model.identify(text, abstain=False).label in model.languages
    abstaining = model.identify(text)
    assert abstaining.label in model.languages or abstaining.reason in REASONS.values()
    assert [s.token for s in model.segment(text, "eng")]


@pytest.mark.parametrize("unit", ["a", "snø", "雪と", "\u0301", b"\xff", "1", "?!"], ids=ascii)
def test_five_megabytes_without_a_space_get_an_answer(unit: str | bytes) -> None:
    size = len(unit.encode() if isinstance(unit, str) else unit)
    text = unit * (5_000_000 // size)
    prediction = small_model().identify(text, abstain=False, budget=None)
    assert prediction.label in CORPUS
    assert -1e9 < prediction.score < -1e5
    assert prediction.probability == pytest.approx(1)
    assert small_model().identify(text, abstain=False).label == prediction.label


@given(st.lists(any_text, max_size=6), st.integers(1, 7))
def test_any_texts_are_ranked_best_first_with_probabilities(texts: list[str | bytes | None], k: int) -> None:
    model = small_model()
    ranked = model.identify(texts, k=k, abstain=False)
    assert len(ranked) == len(texts)
    letters = model._answerer.scorers.scorer.costs(texts, 1).letters
    for predictions, count in zip(ranked, letters.tolist(), strict=True):
        if predictions[0].label == "zxx":
            assert predictions == [Prediction("zxx", 1.0, 0.0, "empty")]
            continue
        assert len(predictions) == min(k, len(CORPUS))
        assert [p.score for p in predictions] == sorted((p.score for p in predictions), reverse=True)
        assert len({p.label for p in predictions}) == len(predictions)
        assert 0 < math.fsum(p.probability for p in predictions) <= 1 + 1e-6  # single precision
        exponent = float(model.decisions.temperature.at(count))
        ratio = [exponent * p.score - math.log(p.probability) for p in predictions if p.probability > 1e-300]
        assert ratio == pytest.approx([ratio[0]] * len(ratio))


def test_the_bare_decision_takes_texts_that_live_only_while_they_are_read() -> None:
    model = unilid.load()
    texts = np.array([b"Where is the train?", b"Wo ist der Zug?", b"Dove sono i bambini?"] * 500, dtype="S")
    expected = [model.row_of(p.label) for p in model.identify(texts, abstain=False)]
    assert bare_best(model, texts)[0][:, 0].tolist() == expected  # type: ignore[arg-type]  # an array is like a list
    with pytest.raises(unilid.UnilidError, match="list of texts"):
        model.scores("one text")


@pytest.mark.parametrize(
    ("method", "arguments", "options"),
    [
        ("identify", [3], {}),
        ("identify", [1.5], {}),
        ("identify", [object], {}),
        ("identify", [bytearray(b"snow")], {}),
        ("identify", [[3]], {}),
        ("identify", [[1.5]], {}),
        ("identify", [["snow", ["roof"]]], {}),
        ("identify", ["snow"], {"k": 0}),
        ("identify", ["snow"], {"k": -1}),
        ("identify", ["snow"], {"k": "3"}),
        ("identify", ["snow"], {"k": 1.5}),
        ("identify", ["snow"], {"threads": -1}),
        ("identify", ["snow"], {"threads": 0}),
        ("identify", ["snow"], {"threads": None}),
        ("identify", ["snow"], {"threads": "2"}),
        ("identify", ["snow"], {"languages": "eng"}),
        ("identify", ["snow"], {"languages": b"eng"}),
        ("identify", ["snow"], {"languages": [5]}),
        ("identify", ["snow"], {"languages": [None]}),
        ("identify", ["snow"], {"languages": 5}),
        ("identify", ["snow"], {"languages": []}),
        ("identify", ["snow"], {"calibrated": None}),
        ("identify", ["snow"], {"calibrated": "yes"}),
        ("identify", ["snow"], {"abstain": "yes"}),
        ("identify", ["snow"], {"prior": 5}),
        ("identify", ["snow"], {"prior": {"eng": "much"}}),
        ("identify", ["snow"], {"prior": {"eng": None}}),
        ("identify", ["snow"], {"prior": {5: 0.5}}),
        ("scores", ["snow"], {}),
        ("scores", [b"snow"], {}),
        ("scores", [None], {}),
        ("scores", [3], {}),
        ("scores", [[3]], {}),
        ("segment", [3, "eng"], {}),
        ("segment", [None, "eng"], {}),
        ("segment", ["snow", 3], {}),
        ("subset", ["eng"], {}),
        ("remove_languages", ["eng"], {}),
        ("add_language", ["tok", [None]], {}),
        ("add_language", ["tok", [5]], {}),
        ("add_language", ["tok", ["mi lukin", None]], {}),
        ("add_language", ["tok", ["mi lukin", math.nan]], {}),
        ("add_language", ["tok", ["mi lukin", ["mi moku"]]], {}),
        ("add_language", ["tok", 5], {}),
        ("add_language", ["tok", "mi lukin"], {}),
        ("add_language", [5, ["mi lukin"]], {}),
        ("add_language", [None, ["mi lukin"]], {}),
        ("add_languages", [{"tok": "mi lukin"}], {}),
        ("add_languages", [{}], {}),
    ],
    ids=repr,
)
def test_wrong_arguments_are_an_error_of_unilid(method: str, arguments: list[Any], options: dict[str, Any]) -> None:
    with pytest.raises(unilid.UnilidError):
        getattr(small_model(), method)(*arguments, **options)


# ---- the languages that compete


def test_restricting_to_languages_gives_exactly_the_scores_of_the_full_model() -> None:
    model = small_model()
    texts = [text for text in TEXTS if text]
    full = [{p.label: p.score for p in ranked} for ranked in answers(model, texts, abstain=False, budget=None)]
    for chosen in (["nob"], ["ell", "dan"], ["jpn", "eng", "nob"], list(CORPUS), ["eng", "eng"]):
        some = answers(model, texts, languages=iter(chosen), abstain=False, budget=None)
        for whole, ranked in zip(full, some, strict=True):
            assert {p.label: p.score for p in ranked} == {label: whole[label] for label in chosen}
            assert math.fsum(p.probability for p in ranked) == pytest.approx(1)


def test_an_unknown_language_is_named_and_near_ones_are_suggested() -> None:
    model = unilid.load()
    calls: list[Callable[[str], Any]] = [
        lambda label: model.identify("a", languages=[label]),
        lambda label: model.identify("a", prior={label: 0.5}),
        lambda label: model.segment("a", label),
        lambda label: model.subset([label]),
        lambda label: model.remove_languages([label]),
        model.row_of,
    ]
    for call in calls:
        with pytest.raises(unilid.UnknownLanguageError, match=r"'deu_Lat'.*did you mean deu_Latn") as caught:
            call("deu_Lat")
        assert isinstance(caught.value, KeyError)
        with pytest.raises(unilid.UnknownLanguageError, match=r"'\?'.*`unilid languages`"):
            call("?")


@pytest.mark.parametrize("code", [None, 5, b"de"], ids=repr)
def test_a_language_is_named_by_a_str(code: Any) -> None:
    with pytest.raises(
        unilid.UnknownLanguageError, match=r"^a language is named by a str, such as 'deu_Latn' or 'de',"
    ):
        unilid.load().identify("a", languages=[code])


def test_an_option_that_there_is_not_is_refused_with_those_that_there_are() -> None:
    model, column = small_model(), library("pyarrow").array(["snow"])
    others = "languages, prior, calibrated, abstain, budget$"
    calls: list[tuple[Callable[..., Any], Any, str]] = [
        (model.identify, "snow", f"k, threads, {others}"),
        (model.identify_column, column, f"k, shares, threads, {others}"),
        (model.explain, "snow", f"language, instead, {others}"),
    ]
    for call, asked, named in calls:
        with pytest.raises(TypeError, match=f"^there is no option 'foo'; the options are {named}"):
            call(asked, foo=1)


def test_a_language_that_the_model_knows_is_removed_in_python_before_it_is_added() -> None:
    model = small_model()
    with pytest.raises(unilid.UnilidError, match=r"knows eng already; remove it first: remove_languages\(\['eng'\]\)$"):
        model.add_language("eng", ["snow"])
    assert "eng" in model.remove_languages(["eng"]).add_language("eng", ["snow"]).languages


def test_a_label_is_suggested_for_a_bare_language_code() -> None:
    with pytest.raises(unilid.UnknownLanguageError, match="did you mean deu_Latn"):
        unilid.load().row_of("deu")


def test_equal_scores_go_to_the_lower_row() -> None:
    lines = CORPUS["eng"]
    model = unilid.train({"b": lines, "c": lines, "a": lines, "z": CORPUS["jpn"]}, tune=False, vocabulary=420)
    assert [p.label for p in model.identify("snow on the roof", k=4)] == ["a", "b", "c", "z"]
    turned = model.subset(["z", "c", "a", "b"])
    assert [p.label for p in turned.identify("snow on the roof", k=4)] == ["c", "a", "b", "z"]
    assert turned.identify("snow", languages=["b", "a"]).label == "a"
    assert turned.identify("snow", abstain=False).label == "c"
    assert bare_best(turned, ["snow"], k=4)[0].tolist() == [[1, 2, 3, 0]]


def test_a_model_without_tokens_is_not_said_to_have_some() -> None:
    model, small = unilid.load(), small_model()
    assert repr(model) == f"<unilid.Model of {len(model.languages)} languages from {model.path}>"
    assert f" of {len(small.languages)} languages, {len(small.vocabulary)} tokens" in repr(small)
    with pytest.raises(unilid.UnilidError, match="the model has no tokens"):
        model.segment("snow", "eng_Latn")
