"""Long texts: what is read of them, by the kernel as by the reference implementation, and what comes of it."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.corpora import sentences
from support.models import fitted_model, small_model
from support.strategies import texts
from support.variants import fresh

import unilid
from unilid import UnilidError, _kernel, plain
from unilid._kernel import EXCERPT_BYTES, ROUNDS, SHORT_DOCUMENT
from unilid.decisions.options import BUDGET
from unilid.encodings import utf16
from unilid.models.costs import STEP
from unilid.models.unigram import UnigramTable
from unilid.models.vocabulary import Vocabulary

LANGUAGES = 3


def scorer_of(seed: int, largest: int) -> tuple[_kernel.Scorer, Any]:
    """Every byte has a cost of its own in every language; those of one are lower for the letters of its third."""
    random = np.random.default_rng(seed)
    costs = random.integers(0, largest + 1, (256, LANGUAGES)).astype(np.uint8)
    for row, letters in enumerate((b"abc", b"def", b"ghi")):
        costs[list(letters), row] = 0
    table = UnigramTable(
        np.arange(257, dtype=np.int64) * LANGUAGES,
        np.tile(np.arange(LANGUAGES, dtype=np.uint16), 256),
        costs.reshape(-1),
        np.full(LANGUAGES, 255, np.uint8),
    )
    return _kernel.Scorer([(table.kernel(Vocabulary.of([])), 16)], LANGUAGES, 0, 1 << 16), costs


# Parts of a document: one language each, or none, lines of code, runs without spaces, and anything.
words = st.lists(st.text("abc", min_size=1, max_size=6), min_size=4, max_size=40).map(" ".join)
parts = st.one_of(
    words,
    words.map(lambda part: part.translate(str.maketrans("abc", "def"))),
    words.map(lambda part: part.translate(str.maketrans("abc", "ghi"))),
    st.text("abcdefghi1. ", max_size=60),
    st.integers(1, 60).map(lambda n: "12.5 | " * n),
    st.integers(1, 300).map(lambda n: "adg" * n),
    st.integers(1, 90).map(lambda n: "雪" * n),
    st.sampled_from(['int adg(int beh) { return "abc def"; }\n', "https://adg.org/beh ", '<p class="adg">', "\n"]),
).map(str.encode) | texts  # fmt: skip
documents = st.builds(
    lambda separator, pieces, repeat: separator.join(pieces * repeat),
    st.sampled_from([b" ", b"\n", b""]),
    st.lists(parts, min_size=1, max_size=5),
    st.sampled_from([1, 8, 30]),
).filter(lambda text: utf16(text) is None)  # which would be read as UTF-8


@given(documents, st.sampled_from([1, 700, 1500, 2500, BUDGET, None]), st.integers(0, 99), st.sampled_from([1, 3, 40]))
@settings(max_examples=60)
def test_what_is_read_of_a_document_is_what_the_reference_reads(
    text: bytes, budget: int | None, seed: int, largest: int
) -> None:
    scorer, costs = scorer_of(seed, largest)
    log_prior = np.log(np.array([0.5, 0.25, 0.25]))
    temperature = (0.9, 40.0, 0.5)
    handicaps = None if seed % 2 else np.array([0.0, seed / 99, 0.5])
    decision = _kernel.Decision(log_prior, STEP, _kernel.Temperature(*temperature), None, None, handicaps)

    def cost(own: list[plain.Word]) -> Any:
        return sum((costs[list(word.text)].sum(axis=0, dtype=np.int64) for word in own), np.zeros(3, np.int64))

    def keys(own: list[plain.Word]) -> tuple[list[float], float]:
        letters = sum(word.letters for word in own if plain.is_linguistic(word))
        parts = zip(log_prior.tolist(), cost(own).tolist(), [0.0] * 3 if handicaps is None else handicaps, strict=True)
        found = [plain.key(prior, STEP * spent, handicap, letters) for prior, spent, handicap in parts]
        return found, plain.temperature(letters, *temperature)

    def judge(excerpts: list[list[plain.Word]]) -> plain.Judgement:
        if plain.is_mojibake(text[:512]):
            return "sure"
        together, exponent = keys([word for own in excerpts for word in own])
        best = plain.ranked(together)[0]
        probability = plain.posterior(together, exponent)[best]
        spoken = [keys(own) for own in excerpts if any(map(plain.is_linguistic, own))]
        return plain.judgement(probability, is_language=True, keys=spoken, best=best, count=len(excerpts))

    answers = scorer.decide([b"", text, b"ab"], decision, LANGUAGES, 1, budget)
    if int(answers.verdicts[1]) == 1:  # nothing to read
        return
    read = plain.words_to_read(text, budget, judge)
    expected, exponent = keys(read)
    order = plain.ranked(expected)
    assert answers.rows[1].tolist() == order
    assert answers.scores[1].tolist() == [-STEP * cost(read)[row] for row in order]
    probabilities = plain.posterior(expected, exponent)
    assert answers.probabilities[1].tolist() == pytest.approx([probabilities[row] for row in order], abs=1e-6)


def document(label: str, size: int, *, seed: int = 3) -> str:
    lines = sentences(label, 60, seed=seed)
    return "\n".join(lines * (1 + size // 1_000))[:size]


LABELS = ("deu_Latn", "eng_Latn", "rus_Cyrl")


@pytest.mark.parametrize("size", [SHORT_DOCUMENT + 10, 5_000, 200_000])
def test_a_document_of_one_language_gets_the_answer_of_the_whole(size: int) -> None:
    model = fitted_model()
    for label in LABELS:
        text = document(label, size)
        part, whole = model.identify(text), model.identify(text, budget=None)
        assert part.label == whole.label == label
        assert part.probability >= 0.999
        assert part.score > whole.score  # less was read


def test_short_texts_are_read_as_a_whole_to_the_bit() -> None:
    model = fitted_model()
    short = [document(label, SHORT_DOCUMENT).encode()[:SHORT_DOCUMENT] for label in LABELS]
    for k in (None, 3):
        assert model.identify(short, k=k, budget=1) == model.identify(short, k=k, budget=None)


def test_a_document_of_two_languages_is_read_as_a_whole() -> None:
    """As a quarter of it, it would seem to be in one."""
    model = fitted_model()
    german, english = document("deu_Latn", 4_000), document("eng_Latn", 4_000)
    for text in (german + "\n" + english, german[:1_500] + "\n" + english, english + "\n" + german[:1_500]):
        assert model.identify(text, k=3) == model.identify(text, k=3, budget=None)


def test_of_a_document_in_doubt_no_more_is_read_than_the_budget() -> None:
    model = fitted_model()
    lines = (sentences("deu_Latn", 200) + sentences("eng_Latn", 200)) * 4
    Random(0).shuffle(lines)
    mixed = "\n".join(lines)
    scores = [model.identify(mixed, budget=budget).score for budget in (1, 2_048, 16_384, None)]
    assert scores == sorted(scores, reverse=True)
    share = 16_384 / len(mixed.encode())
    assert scores[2] == pytest.approx(share * scores[3], rel=0.2)


def test_text_in_a_sea_of_signs_is_found() -> None:
    model = fitted_model()
    text = "- - - | " * 3_000 + document("deu_Latn", 300) + "- - - | " * 3_000
    for budget in (1, BUDGET):  # none of the excerpts has a letter
        assert model.identify(text, budget=budget) == model.identify(text, budget=None)
    assert model.identify("- - - | " * 3_000).reason == "signs"


@pytest.mark.parametrize("period", [32, 50, 64, 100, 125, 250, 256])
def test_a_text_that_repeats_itself_is_read_at_different_words(period: int) -> None:
    words = [f"{chr(97 + i % 26)}{chr(97 + i // 26)}x" for i in range(period // 4)]
    text = (" ".join(words).ljust(period) * 100)[:8_000].encode()
    read = {word.text for own in plain.excerpts(text, ROUNDS[0]) for word in own}
    assert len(read) > min(len(words), 2 * EXCERPT_BYTES / 4) / 2


@pytest.mark.parametrize("threads", [1, 3])
def test_documents_among_short_texts_get_the_answers_that_they_get_alone(threads: int) -> None:
    model = fitted_model()
    random = Random(0)
    many = [document(random.choice(LABELS), random.choice([50, 900, 3_000, 30_000]), seed=seed) for seed in range(40)]
    alone = [fresh(model).identify(text, k=2) for text in many]
    assert model.identify(many, k=2, threads=threads) == alone
    assert fresh(model).identify(many[::-1], k=2, threads=threads) == alone[::-1]


def test_languages_that_do_not_compete_make_no_dissent() -> None:
    model = fitted_model()
    text = document("eng_Latn", 2_500) + "\n" + document("rus_Cyrl", 2_500)
    only = model.identify(text, languages=["deu_Latn", "rus_Cyrl"])
    assert only == model.identify(text, languages=["deu_Latn", "rus_Cyrl"], budget=None)


def test_the_scores_of_a_document_are_those_of_all_of_it() -> None:
    model = small_model()
    text = document("deu_Latn", 6_000)
    halves = model.scores([text[: text.index("\n", 3_000)], text[text.index("\n", 3_000) :]])
    assert (model.scores([text])[0] == halves.sum(axis=0)).all()


@pytest.mark.parametrize("budget", [0, -1, 1.5, "all", True])
def test_a_budget_is_a_number_of_bytes(budget: Any) -> None:
    with pytest.raises(UnilidError, match="budget"):
        small_model().identify("snow", budget=budget)


def test_a_budget_may_be_larger_than_any_text() -> None:
    text = document("deu_Latn", 5_000)
    assert unilid.load().identify(text, budget=2**80) == unilid.load().identify(text)


def test_the_first_round_reads_no_more_than_half_of_a_document() -> None:
    assert 2 * min(ROUNDS) * EXCERPT_BYTES <= SHORT_DOCUMENT
