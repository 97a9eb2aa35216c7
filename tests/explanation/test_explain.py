"""Explanations: they add up, and the two languages are those asked for or the best."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.corpora import SENTENCES
from support.explained import DANISH, MODELS, NORWEGIAN, html_of
from support.models import small_model
from support.strategies import texts
from support.whole_words import whole_word_model

import unilid
from unilid import Explanation, Model, UnilidError
from unilid._kernel import WEIGHT_STEPS
from unilid.explanation.reasons import WordReason, WordScore
from unilid.models.costs import STEP

# ---- what is said adds up


def check_sums(model: Model, explanation: Explanation, **options: Any) -> None:
    """Every part adds up to the whole, which is what the model says elsewhere."""
    assert explanation.language is not None
    assert explanation.instead is not None
    rows = [model.row_of(explanation.language), model.row_of(explanation.instead)]
    if not options.get("calibrated", model.decisions.calibration is not None):
        assert [explanation.score, explanation.instead_score] == model.scores([explanation.text])[0, rows].tolist()
    words = sum(word.difference for word in explanation.words)
    assert words == explanation.score - explanation.instead_score  # eighths: exact
    prior = model._answerer.log_prior(options.get("languages"), options.get("prior", "model"))
    assert explanation.prior == prior[rows[0]] - prior[rows[1]]
    assert explanation.difference == words + explanation.prior
    for word in explanation.words:
        assert word.text == explanation.text[word.start : word.end]
        for score in (word.language_score, word.instead_score):
            check_word(model, word, score)


def check_word(model: Model, word: WordReason, score: WordScore) -> None:
    weight = model.settings.weight_steps
    parts = []
    if score.unigram is not None:
        assert sum(token.score for token in score.tokens) == score.unigram
        assert b"".join(token.token for token in score.tokens) == word.read
        parts.append((score.unigram, weight))
    if score.context is not None:
        assert sum(character.score for character in score.characters) == score.context
        assert b"".join(character.character for character in score.characters) == word.read
        parts.append((score.context, WEIGHT_STEPS - weight))
    assert len(parts) == (weight > 0) + (weight < WEIGHT_STEPS)
    assert (score.lexicon is None) == (model.parameters.lexicon is None)
    gain = score.lexicon or 0.0
    assert gain >= 0
    assert abs(sum(part * share for part, share in parts) / WEIGHT_STEPS + gain - score.weighted) <= STEP / 2
    if score.foreign:
        assert not score.bounded
        return
    steps = -score.weighted / STEP
    if word.lone and model.settings.bound is not None:
        steps //= 4
    assert score.score > -STEP * steps if score.bounded else score.score == -STEP * steps


@given(st.sampled_from(MODELS), st.one_of(texts, st.sampled_from(SENTENCES).map(str.encode)))
@settings(max_examples=60)
def test_any_text_is_explained_and_shown_and_adds_up(make: Any, text: bytes) -> None:
    model = make()
    explanation = model.explain(text)
    assert explanation.answer == model.identify(text, budget=None)
    assert (explanation.language is None) == (explanation.words == ())
    assert explanation.words == () or explanation.answer.reason != "script"
    if explanation.words:
        check_sums(model, explanation)
        named = [answer.label for answer in model.identify(text, abstain=False, k=2)]
        assert [explanation.language, explanation.instead][: len(named)] == named  # others are of another script
    shown = str(explanation)
    assert all(c == "\n" or c.isprintable() or c in "\u200c\u200d" for c in shown)
    assert json.loads(explanation.to_json())["words"] == explanation.record()["words"]
    assert html_of(explanation)


def test_the_words_that_decide_come_first() -> None:
    explanation = small_model().explain(NORWEGIAN)
    weights = [abs(word.difference) for word in explanation.deciding]
    assert weights == sorted(weights, reverse=True)
    assert {word.text for word in explanation.deciding[:2]} == {b"alltid", b"seint"}
    assert [word.start for word in explanation.words] == sorted(word.start for word in explanation.words)


def test_words_say_what_they_are() -> None:
    text = "HVORFOR a,b kommer жkommer 12 http://example.org/kommer"
    words = {word.text: word for word in small_model().explain(text).words}
    assert (words[b"HVORFOR"].read, words[b"HVORFOR"].kind) == (b" hvorfor", "letters")
    assert (words[b"b"].lone, words[b"b"].read) == (True, b"b")
    assert not words[b"a"].lone
    assert words["ж".encode()].cut
    assert not words[b"12"].cut
    assert (words[b"12"].kind, words[b","].kind) == ("digits", "signs")
    assert (words[b"http"].noise, words[b"http"].counts, words[b"http"].difference) == ("address", False, 0.0)
    assert words[b"12"].noise is None
    assert words[b"12"].counts
    assert [word.counts for word in small_model().explain("http://example.org").words] == [True] * 5  # nothing else


def test_tokens_that_a_language_never_saw_are_marked() -> None:
    model = small_model()
    [word] = model.explain("φως", "ell", instead="dan").words
    assert [token.token for token in word.instead_score.tokens if not token.unseen] == [b" "]
    assert {token.score for token in word.instead_score.tokens if token.unseen} == {
        -STEP * float(model.parameters.unigram.unseen[model.row_of("dan")])
    }
    [word] = model.explain("bussen", "dan", instead="ell").words
    assert not any(token.unseen for token in word.language_score.tokens)


def test_the_best_language_of_a_word_is_among_all_and_bounds_it() -> None:
    model = small_model()
    [word] = model.explain("λεωφορείο", "dan", instead="nob").words
    assert word.best == "ell"
    assert word.language_score.bounded
    assert word.instead_score.bounded
    assert word.language_score.score > word.language_score.weighted


def test_whole_words_and_other_scripts_are_said() -> None:
    model = whole_word_model()
    explanation = model.explain("Bussen, 12 λιμάνι გამარჯობა don't", "dan", instead="ell")
    words = {word.text.decode(): word for word in explanation.words}
    check_sums(model, explanation)
    bus, harbour, unknown = words["Bussen"], words["λιμάνι"], words["გამარჯობა"]
    assert (bus.language_score.foreign, bus.instead_score.foreign) == (False, True)
    assert (bus.language_score.lexicon or 0) > 0
    assert bus.instead_score.lexicon == 0.0
    assert (harbour.language_score.foreign, harbour.instead_score.foreign) == (True, False)
    assert harbour.difference == -(harbour.instead_score.score - harbour.language_score.score) == -2.0 * 6
    assert (unknown.language_score.foreign, unknown.instead_score.foreign, unknown.difference) == (True, True, 0.0)
    assert [text for text, word in words.items() if not word.counts] == [",", "12"]
    assert words["'"].counts
    shown = str(explanation)
    for said in ("whole word +", "another script", "does not count", "A whole word that a language uses often gains"):
        assert said in shown
    assert "whole word" not in str(small_model().explain("Bussen"))


@pytest.mark.parametrize("options", [{}, {"languages": ["dan", "eng"]}])
def test_a_text_in_a_script_of_no_language_that_competes_is_explained(options: dict[str, Any]) -> None:
    model = whole_word_model()
    explanation = model.explain("გამარჯობა" if not options else "λιμάνι", **options)
    assert (explanation.answer.reason, explanation.language, explanation.words) == ("script", None, ())
    assert "written in the script" in str(explanation)
    assert "undetermined (script)" in html_of(explanation).content
    asked = model.explain("გამარჯობა λιμάνι", "dan", instead="eng", **options)
    check_sums(model, asked, **options)
    assert asked.difference == 0.0


def test_a_text_that_one_language_alone_can_have_is_compared_with_the_best_of_the_others() -> None:
    model = whole_word_model()
    explanation = model.explain("λιμάνι")
    assert (explanation.language, explanation.instead) == ("ell", "dan")
    check_sums(model, explanation)
    assert "Danish (dan) is not written in the script of the text" in str(explanation)
    assert "Greek (ell) is not written" not in str(explanation)


# ---- which languages


@pytest.mark.parametrize(
    ("asked", "pair"),
    [
        ({}, ("dan", "nob")),
        ({"language": "nob"}, ("nob", "dan")),
        ({"instead": "nob"}, ("dan", "nob")),
        ({"instead": "eng"}, ("dan", "eng")),
        ({"instead": "dan"}, ("nob", "dan")),
        ({"language": "eng"}, ("eng", "dan")),
        ({"language": "el", "instead": "ja"}, ("ell", "jpn")),
        ({"instead": "no"}, ("dan", "nob")),  # a macrolanguage
        ({"languages": ["eng", "jpn"]}, ("eng", "jpn")),
        ({"prior": {"nb": 1 - 1e-9}}, ("nob", "dan")),
    ],
)
def test_the_two_languages_are_those_asked_for_or_the_best(asked: dict[str, Any], pair: tuple[str, str]) -> None:
    explanation = small_model().explain(DANISH, **asked)
    assert (explanation.language, explanation.instead) == pair
    check_sums(small_model(), explanation, **asked)


def test_of_several_labels_that_a_code_stands_for_the_best_is_taken() -> None:
    model = unilid.load()
    explanation = model.explain("Добар дан, како сте данас?", "sr", instead="no")
    assert explanation.language == "srp_Cyrl"
    score = dict(zip(model.languages, model.scores([explanation.text])[0].tolist(), strict=True))
    assert score[explanation.instead or ""] == max(score["nob_Latn"], score["nno_Latn"])


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"language": "xyz"}, "does not know the language 'xyz'"),
        ({"instead": "deu"}, "does not know the language 'deu'"),
        ({"language": "dan", "instead": "da"}, "da is the language that it shall be compared with"),
        ({"languages": ["dan"], "language": "dan"}, "only dan competes"),
        ({"languages": ["dan", "eng"], "instead": "nob"}, "nob does not compete"),
        ({"prior": {"dan": 1.0}, "language": "eng"}, "eng does not compete"),
        ({"calibrated": True}, "not calibrated"),
        ({"abstain": 2}, "abstain must be"),
    ],
)
@pytest.mark.parametrize("text", [DANISH, ""])
def test_what_cannot_be_explained_is_said_in_one_sentence(text: str, asked: dict[str, Any], message: str) -> None:
    with pytest.raises(UnilidError, match=message) as error:
        small_model().explain(text, **asked)
    assert "\n" not in str(error.value)


def test_a_text_is_a_text() -> None:
    with pytest.raises(UnilidError, match="a text is str, bytes or None, not int"):
        small_model().explain(3)  # type: ignore[arg-type]
    assert small_model().explain(None) == small_model().explain(b"") == small_model().explain("")
    assert small_model().explain("\ud800 a").text == b"\xed\xa0\x80 a"
