"""Whole words, scripts, and signs that do not count: the kernel against the reference."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.reference import text_vector
from support.strategies import (
    Pairs,
    estimated,
    reference_context,
    reference_cost,
    unigram_vector,
    vocabulary_of,
    words_of,
)
from support.whole_words import gains, pairs_of, several_scripts, table_of, whole_word_model, written

from unilid import _kernel, plain
from unilid._kernel import REASONS, SCRIPTS, WEIGHT_STEPS
from unilid.decisions.decide import Decisions
from unilid.models import unigram
from unilid.models.costs import STEP, quantise
from unilid.models.unigram import UnigramTable
from unilid.plain.scripts import foreign_excess

training_words = st.lists(
    st.tuples(st.text("abéжδ中 ", min_size=1, max_size=6).map(str.encode), st.floats(0.5, 9)),
    min_size=1,
    max_size=8,
    unique_by=lambda pair: pair[0],
)
BASE = int(quantise(np.log([1e-5]), 255)[0])


@given(st.lists(training_words, min_size=1, max_size=5), several_scripts, st.data())
@settings(max_examples=80)
def test_any_scorer_costs_and_decides_as_the_reference_does(
    languages: list[Pairs], batch: list[bytes], data: st.DataObject
) -> None:
    count = len(languages)
    weight = data.draw(st.sampled_from([0, 5, WEIGHT_STEPS]))
    bound = data.draw(st.sampled_from([0, 1, 16, 64]))
    signs = data.draw(st.booleans())
    uses = data.draw(written(count))
    lexicon = data.draw(st.none() | gains(count))
    vocabulary = vocabulary_of([b"ab", b" a", "ж".encode()])
    expected = unigram.expect(vocabulary, [words_of(pairs) for pairs in languages])
    unigrams, contexts = UnigramTable.of(expected, len(vocabulary), -8.0), estimated(languages, 3)
    references = [reference_context(pairs, 3) for pairs in languages]

    def vector(word: plain.Word) -> list[int]:
        by_tokens = unigram_vector(word.text, vocabulary, unigrams)
        by_context = [reference_cost(word, *reference, 3, BASE) for reference in references]
        return plain.weighted([(by_tokens, weight), (by_context, WEIGHT_STEPS - weight)])

    models: list[Any] = [(unigrams.kernel(vocabulary), weight), (contexts.kernel(), WEIGHT_STEPS - weight)]
    scorer = _kernel.Scorer(
        [(model, share) for model, share in models if share],
        count,
        bound,
        1 << 16,
        None if lexicon is None else table_of(lexicon, count).kernel(),
        pairs_of(uses),
        signs,
    )
    options: Any = {"languages": count, "bound": bound, "lexicon": lexicon, "scripts": uses, "signs": signs}
    for _ in range(2):  # the second time from the cache
        costs = scorer.costs(batch, 1)
        assert costs.all.tolist() == [text_vector(text, vector, **options) for text in batch]
    assert costs.linguistic.tolist() == [text_vector(text, vector, **options, linguistic=True) for text in batch]

    answers = scorer.decide(batch, Decisions().kernel(np.zeros(count), calibrated=False, rate=None), count, 1)
    for text, all_costs, rows, verdict in zip(
        batch, costs.all.tolist(), answers.rows.tolist(), answers.verdicts.tolist(), strict=True
    ):
        spoken = filter(plain.is_linguistic, plain.split_words(text))
        excluded = plain.excluded(spoken, uses)
        ranked = plain.ranked([-cost for cost in plain.competing(all_costs, excluded)])
        reason = plain.reason_of(text)
        if reason == "empty":
            ranked = []
        assert rows == ranked + [-1] * (count - len(ranked))
        assert REASONS.get(verdict) == (reason or ("script" if excluded[ranked[0]] else None))


@given(several_scripts)
def test_keys_and_scripts_of_words_are_those_of_the_reference(batch: list[bytes]) -> None:
    for text in batch:
        found = sorted({word.text for word in plain.split_words(text)})
        alone = [plain.split_words(word)[0] for word in found]  # words are stored without what stood around them
        keys = _kernel.word_keys(words_of([(word, 1.0) for word in found]))
        assert keys.keys.tolist() == [plain.word_key(word) for word in alone]
        assert keys.scripts.tolist() == [word.script if word.kind == plain.LETTER else plain.SIGN for word in alone]


def test_the_key_of_a_word_never_changes() -> None:
    """It is stored in files."""
    keys = _kernel.word_keys(words_of([(word.encode(), 1.0) for word in ("hello", "привет", "Straße", "12")]))
    assert keys.keys.tolist() == [
        plain.word_key(plain.split_words(word.encode())[0]) for word in ("12", "Straße", "hello", "привет")
    ]
    assert keys.keys.tolist()[0] == _kernel.NO_KEY
    assert [hex(key) for key in keys.keys.tolist()[1:]] == ["0xeecfa71daf24", "0x5c04f5d5dc8e", "0x55d41dd441e0"]


@given(training_words, several_scripts)
@settings(max_examples=40)
def test_costs_of_words_are_those_of_the_weighted_sum(pairs: Pairs, batch: list[bytes]) -> None:
    vocabulary = vocabulary_of([b"ab", b" a"])
    languages = [pairs, [(b" ab", 1.0)], [(b"\xd0\xb6", 2.0)]]
    expected = unigram.expect(vocabulary, [words_of(own) for own in languages])
    unigrams, contexts = UnigramTable.of(expected, len(vocabulary), -8.0), estimated(languages, 3)
    references = [reference_context(own, 3) for own in languages]
    models: list[Any] = [(unigrams.kernel(vocabulary), 5), (contexts.kernel(), WEIGHT_STEPS - 5)]
    found = sorted({word.text for text in batch for word in plain.split_words(text) if word.text.startswith(b" ")})
    words = words_of([(word, 1.0) for word in found])
    rows = [1, 0, 0]
    costs = _kernel.word_costs(models, [words] * 3, np.array(rows, np.uint16), 2)
    for row, own in zip(rows, costs, strict=True):
        for word, cost in zip(found, own.tolist(), strict=True):
            alone = plain.split_words(word)[0]
            by_tokens = unigram_vector(alone.text, vocabulary, unigrams)
            by_context = [reference_cost(alone, *reference, 3, BASE) for reference in references]
            assert cost == plain.weighted([(by_tokens, 5), (by_context, WEIGHT_STEPS - 5)])[row]


# ---- what it means


def test_a_word_in_a_script_that_nobody_writes_says_nothing() -> None:
    model = whole_word_model()
    assert (model.scores(["გამარჯობა", "שלום"]) == 0).all()
    assert (model.scores(["the bus გამარჯობა"]) == model.scores(["the bus"])).all()
    undetermined = model.identify(["გამარჯობა", "ქალაქი"])
    assert [(one.label, one.reason, one.guess) for one in undetermined] == [("und", "script", None)] * 2
    assert model.identify("გამარჯობა", abstain=False).label in model.languages
    assert model.identify("the bus გამარჯობა").label == "eng"


def test_a_word_in_another_script_costs_all_languages_that_do_not_write_it_the_same() -> None:
    model = whole_word_model()
    rows = {label: model.row_of(label) for label in model.languages}
    [costs] = model.scores(["λιμάνι"]) / -STEP
    others = [costs[row] for label, row in rows.items() if label != "ell"]
    [word] = plain.split_words("λιμάνι".encode())
    assert others == [costs[rows["ell"]] + foreign_excess(word)] * 4
    assert word.letters == 6


def test_a_language_none_of_whose_scripts_occurs_is_never_the_answer() -> None:
    model = whole_word_model()
    ranked = model.identify("λ", k=5, prior={"eng": 1 - 1e-9})
    assert (ranked[0].label, ranked[0].probability) == ("ell", 1.0)
    assert [answer.probability for answer in ranked[1:]] == [0.0] * 4
    mixed = model.identify("the λιμάνι", k=5)
    assert (mixed[-1].label, mixed[-1].probability) == ("jpn", 0.0)
    restricted = model.identify("λιμάνι", languages=["eng", "dan"])
    assert (restricted.label, restricted.reason, restricted.guess, restricted.probability) == ("und", "script", None, 0)
    assert len(model.identify("ʻ", k=5)) == 5  # a letter that all scripts share


def test_a_probability_is_one_among_the_languages_that_are_not_excluded() -> None:
    model = whole_word_model()
    found = model.identify("for", k=5)
    assert sorted(answer.label for answer in found[:3]) == ["dan", "eng", "nob"]
    assert [answer.probability for answer in found[3:]] == [0.0, 0.0]
    assert sum(answer.probability for answer in found) == pytest.approx(1, abs=1e-5)
    assert all(math.isfinite(answer.score) for answer in found)


def test_signs_that_do_not_count_change_nothing() -> None:
    model = whole_word_model()
    assert (model.scores(["Why does the bus come 12 ... late?!"]) == model.scores(["Why does the bus come late"])).all()
    inner, apart = model.scores(["don't", "don t"])
    assert (inner != apart).all()
    assert [(answer.label, answer.reason) for answer in model.identify(["12 34", "?!", "a@b.org"])] == [
        ("zxx", "digits"),
        ("zxx", "signs"),
        ("zxx", "e-mail"),
    ]


def test_a_word_of_the_lexicon_costs_less_in_any_case() -> None:
    model = whole_word_model()
    scorers = model._answerer.scorers
    texts = ["bussen", "Bussen", "BUSSEN", "bussens", "buss"]
    with_it, without = (scorers.make(bound_steps=0, lexicon=own).costs(texts, 1).all for own in (True, False))
    gained = (without - with_it).tolist()
    assert [label for label, gain in zip(model.languages, gained[0], strict=True) if gain] == ["dan", "nob"]
    assert gained == [gained[0]] * 3 + [[0.0] * 5] * 2


# ---- what the kernel refuses


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"first_word": np.zeros(9, np.uint32)}, "LEXICON_BUCKETS buckets"),
        ({"first_word": np.full(_kernel.LEXICON_BUCKETS + 1, 3, np.uint32)}, "LEXICON_BUCKETS buckets"),
        ({"first_word": np.append(np.zeros(_kernel.LEXICON_BUCKETS, np.uint32), np.uint32(4))}, "LEXICON_BUCKETS"),
        ({"fingerprints": np.array([5, 9, 9], np.uint32)}, "ascend within a bucket"),
        ({"fingerprints": np.array([9, 5, 10], np.uint32)}, "ascend within a bucket"),
        ({"first_entry": np.array([0, 1, 2], np.uint32)}, "differ in number"),
        ({"first_entry": np.array([0, 2, 1, 3], np.uint32)}, "differ in number"),
        ({"first_entry": np.array([0, 1, 2, 4], np.uint32)}, "differ in number"),
        ({"first_entry": np.array([1, 1, 2, 3], np.uint32)}, "differ in number"),
        ({"entries": np.zeros(10, np.uint8)}, "end within an entry"),
        ({"entries": np.zeros(6, np.uint8)}, "differ in number"),
        ({"entries": np.array([0, 0, 1, 2, 0, 1, 0, 0, 1], np.uint8)}, "names no language"),
        ({"entries": np.array([0, 0, 1, 0, 1, 1, 0, 0, 1], np.uint8)}, "names no language"),
        ({"languages": 0}, "MAX_LANGUAGES"),
        ({"languages": _kernel.MAX_LANGUAGES + 1}, "MAX_LANGUAGES"),
    ],
)
def test_a_lexicon_of_a_wrong_shape_is_refused(change: dict[str, Any], message: str) -> None:
    last = np.append(np.zeros(_kernel.LEXICON_BUCKETS, np.uint32), np.uint32(3))  # all words in the last bucket
    right: dict[str, Any] = {
        "first_word": last,
        "fingerprints": np.array([5, 9, 10], np.uint32),
        "first_entry": np.array([0, 1, 2, 3], np.uint32),
        "entries": np.array([0, 0, 1, 1, 0, 1, 0, 0, 1], np.uint8),
        "languages": 2,
    }
    _kernel.Lexicon(**right)
    with pytest.raises(ValueError, match=message):
        _kernel.Lexicon(**{**right, **change})


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"scripts": [(5, SCRIPTS["Latn"])]}, ValueError, "none that Unicode knows"),
        ({"scripts": [(0, plain.LETTER)]}, ValueError, "none that Unicode knows"),
        ({"scripts": [(0, 255)]}, ValueError, "none that Unicode knows"),
        ({"scripts": [(0, 256)]}, TypeError, "incompatible"),
        ({"scripts": [(-1, SCRIPTS["Latn"])]}, TypeError, "incompatible"),
        ({"lexicon": table_of({}, 4).kernel()}, ValueError, "differ in their number of languages"),
        ({"lexicon": 7}, ValueError, "lexicon"),
        ({"bound": 1 << 16}, ValueError, "bound"),
        ({"languages": 4}, ValueError, "differ in their number of languages"),
        ({"models": []}, ValueError, "one or two word models"),
    ],
)
def test_a_scorer_of_a_wrong_shape_is_refused(change: dict[str, Any], error: type[Exception], message: str) -> None:
    scorers = whole_word_model()._answerer.scorers
    right: dict[str, Any] = {
        "models": [(scorers.unigram, 5), (scorers.context, WEIGHT_STEPS - 5)],
        "languages": 5,
        "bound": 16,
        "cache_bytes": 1 << 16,
        "lexicon": scorers.lexicon,
        "scripts": [(0, SCRIPTS["Latn"])],
    }
    _kernel.Scorer(**right)
    with pytest.raises(error, match=message):
        _kernel.Scorer(**{**right, **change})


def test_costs_of_words_under_rows_that_there_are_not_are_refused() -> None:
    models: list[Any] = [(whole_word_model()._answerer.scorers.unigram, WEIGHT_STEPS)]
    words = words_of([(b" the", 1.0)])
    for rows in ([5], [0, 1], []):
        with pytest.raises(ValueError, match="a row of the models for each language"):
            _kernel.word_costs(models, [words], np.array(rows, np.uint16), 1)
