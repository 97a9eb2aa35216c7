"""The kernel against its plain-Python twin."""

from __future__ import annotations

import math
import random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from helpers import text_vector
from hypothesis import given, settings
from hypothesis import strategies as st

from unilid import _kernel, context, plain, unigram
from unilid.context import ContextTable
from unilid.costs import STEP, quantise
from unilid.counts import Words
from unilid.errors import VocabularyError
from unilid.unigram import Expected, UnigramTable
from unilid.vocabulary import Vocabulary, offsets_of

# Letters of several scripts, marks, common letters, digits, signs, spaces, joiners.
ALPHABET = "ABÀÉЖЩİẞaàbé\u0301ʻßЖщ\u0483אבगि्หากี中日のカー한12٣५.,!?'\u200d\u200c \t\n\u00a0😀\u20e3"
# Words of one script, and what is nearly one.
WORDS = [
    "a", "I", "word", "Word", "WORD", "wORd", "café", "Élan", "ÉLAN", "AÉ", "naïvetés", "elevenchars", "twelveletter",
    "aBcDeFgHiJk", "aBcDeFgHiJkL", "слово", "Слово", "СЛОВО", "словоx", "xслово", "बोलना", "قال", "ไทย", "中文",
    "ʻokina", "e\u0301te\u0301", "co-op", "don't", "x1", "10", "1.5", "a.b", ".com",
]  # fmt: skip
BROKEN = [b"\xd1", b"\xe0\x80\x80", b"\xed\xa0\x80", b"\xc3", b"\xef\xbf\xbd"]
texts = st.one_of(
    st.text(ALPHABET, max_size=40).map(str.encode),
    st.binary(max_size=40),
    st.lists(st.one_of(st.text(ALPHABET, max_size=8).map(str.encode), st.binary(max_size=3)), max_size=8).map(b"".join),
    st.text(max_size=30).map(lambda text: text.encode("utf-8", "surrogatepass")),
    st.integers(100, 400).map(lambda n: b"ab\xc3\xa9" * n),
    st.text("abcDEF019 @._-/:#~(é中", max_size=40).map(str.encode),
    st.builds(
        bytes.join,
        st.sampled_from([b" ", b", ", b". ", b"\n", b"  ", b"", b"\xc2\xa0"]),
        st.lists(st.sampled_from([*map(str.encode, WORDS), *BROKEN]), max_size=12),
    ),
)
small_words = st.lists(
    st.tuples(st.text("abcé ", min_size=1, max_size=9).map(str.encode), st.floats(0.5, 9)),
    min_size=1,
    max_size=12,
    unique_by=lambda pair: pair[0],
)
PRUNE = 0.1
token_sets = st.lists(st.text("abcé ", min_size=2, max_size=4).map(str.encode), max_size=12)


def words_of(pairs: list[tuple[bytes, float]]) -> Words:
    pairs = sorted(pairs)
    return Words(
        b"".join(word for word, _ in pairs),
        offsets_of([word for word, _ in pairs]),
        np.array([count for _, count in pairs], np.float64),
    )


def vocabulary_of(tokens: list[bytes]) -> Vocabulary:
    return Vocabulary(tuple(sorted({bytes([byte]) for byte in range(256)} | set(tokens))))


def numbered(vocabulary: Vocabulary) -> dict[bytes, int]:
    return {token: number for number, token in enumerate(vocabulary.tokens)}


def kernel_words(text: bytes) -> list[tuple[bytes, bool, bool, str | None]]:
    return [
        (word, cut_left, cut_right, plain.REASONS[reason] or None)
        for word, _, _, cut_left, cut_right, reason in _kernel.split_words(text)
    ]


def twin_words(text: bytes) -> list[tuple[bytes, bool, bool, str | None]]:
    return [(word.text, word.cut_left, word.cut_right, word.noise) for word in plain.words(text)]


@given(texts)
@settings(max_examples=400)
def test_words_are_the_twins(text: bytes) -> None:
    assert kernel_words(text) == twin_words(text)


@given(texts)
def test_words_cover_everything_but_whitespace_in_order(text: bytes) -> None:
    end_before = 0
    for word, begin, end, *_ in _kernel.split_words(text):
        assert plain.folded(text[begin:end]) == word.removeprefix(b" ")
        between = text[end_before:begin].decode()  # what is skipped is valid, and white
        assert between.strip() == ""
        assert len(text[begin:end]) <= plain.MAX_WORD_BYTES
        end_before = end
    assert text[end_before:].decode().strip() == ""


def test_every_code_point_has_the_twins_class() -> None:
    # Between two letters a character joins, separates, or stands alone: three outcomes that tell the classes apart.
    for code_point in [*range(0x3100), *range(0xA000, 0xD800, 7), *range(0xE000, 0x20000, 31), 0x10FFFF]:
        text = ("a" + chr(code_point) + "a" + chr(code_point) + "中").encode()
        assert kernel_words(text) == twin_words(text), hex(code_point)


@given(token_sets, st.text("abcé ", max_size=12).map(str.encode))
def test_prefixes_are_all_tokens_that_start_a_text(tokens: list[bytes], text: bytes) -> None:
    vocabulary = vocabulary_of(tokens)
    expected = [(number, len(token)) for token, number in numbered(vocabulary).items() if text.startswith(token)]
    assert sorted(vocabulary.kernel.prefixes(text)) == sorted(expected)


@given(st.lists(st.binary(min_size=1, max_size=6), max_size=300), st.binary(max_size=10))
def test_prefixes_of_arbitrary_bytes(tokens: list[bytes], text: bytes) -> None:
    vocabulary = vocabulary_of(tokens)
    expected = {(number, len(token)) for token, number in numbered(vocabulary).items() if text.startswith(token)}
    assert set(vocabulary.kernel.prefixes(text)) == expected


def test_a_crowded_trie_finds_every_token_and_nothing_else() -> None:
    # Wide nodes and narrow ones, until the trie has grown several times.
    chance = random.Random(3)
    tokens = [bytes([a, b]) for a in range(200, 230) for b in range(256)]
    tokens += [chance.randbytes(chance.randint(2, 9)) for _ in range(4_000)]
    tokens += [bytes(chance.choices(b"ab", k=chance.randint(2, 40))) for _ in range(2_000)]
    vocabulary = vocabulary_of(tokens)
    number = numbered(vocabulary)
    for text in [*vocabulary.tokens, *(chance.randbytes(12) for _ in range(2_000))]:
        expected = [(number[text[:n]], n) for n in range(1, len(text) + 1) if text[:n] in number]
        assert vocabulary.kernel.prefixes(text) == expected


@given(small_words, token_sets, st.sampled_from([1, 2, 20]))
@settings(deadline=None)
def test_expected_counts_are_the_twins(pairs: list[tuple[bytes, float]], tokens: list[bytes], rounds: int) -> None:
    vocabulary = vocabulary_of(tokens)
    [(found, counts, total, done)] = _kernel.estimate(vocabulary.kernel, [words_of(pairs)], rounds, 1e-6, 1)
    expected, expected_done = plain.expectation(dict(pairs), numbered(vocabulary), rounds=rounds)
    assert done == expected_done
    assert total == pytest.approx(sum(expected.values()), rel=1e-9)
    kernel = dict(zip(found.tolist(), counts.tolist(), strict=True))
    assert set(kernel) == set(expected)
    for token, count in expected.items():
        assert kernel[token] == pytest.approx(count, rel=1e-6, abs=1e-9)


any_words = st.lists(
    st.tuples(
        st.one_of(
            st.tuples(st.sampled_from(["", " "]), st.text("abé1.ж\u0301中", min_size=1, max_size=7)).map(
                lambda parts: "".join(parts).encode()
            ),
            st.binary(min_size=1, max_size=4),
            st.just("é".encode() * 60),
        ),
        st.floats(0.5, 9),
    ),
    min_size=1,
    max_size=12,
    unique_by=lambda pair: pair[0],
).filter(lambda pairs: all(word != b" " for word, _ in pairs))


@given(any_words, st.sampled_from([0.3, 1.0, 4.0]))
@settings(deadline=None)
def test_fragments_of_words_are_the_twins(pairs: list[tuple[bytes, float]], share: float) -> None:
    found = dict(Words(*_kernel.with_fragments(*words_of(pairs), share)).pairs())
    assert found == pytest.approx(plain.with_fragments(dict(pairs), share))
    assert list(found) == sorted(found)


def test_a_lost_character_leaves_a_beginning_and_an_end_and_a_number_leaves_nothing() -> None:
    found = dict(Words(*_kernel.with_fragments(*words_of([(" wört".encode(), 4.0), (b" 123", 2.0)]), 0.5)).pairs())
    beginnings, ends = [b" w", " wö".encode(), " wör".encode()], ["ört".encode(), b"rt", b"t"]
    assert found == {" wört".encode(): 4.0, b" 123": 2.0, **dict.fromkeys([*beginnings, *ends], 0.5)}


@given(small_words, token_sets, st.sampled_from([0.3, 2.0]))
@settings(deadline=None, max_examples=40)
def test_expected_counts_with_fragments_are_the_twins(
    pairs: list[tuple[bytes, float]], tokens: list[bytes], share: float
) -> None:
    vocabulary = vocabulary_of(tokens)
    [found] = unigram.expect(vocabulary, [words_of(pairs)], fragments=share)
    words = plain.with_fragments(dict(pairs), share)
    expected, rounds = plain.expectation(words, numbered(vocabulary), rounds=unigram.FRAGMENT_ROUNDS)
    assert found.rounds == rounds
    kernel = dict(zip(found.tokens.tolist(), found.counts.tolist(), strict=True))
    assert {token for token, count in kernel.items() if count > 1e-9} <= set(expected)
    for token, count in expected.items():
        assert kernel[token] == pytest.approx(count, rel=1e-6, abs=1e-9)


def test_expected_counts_of_long_words_do_not_underflow() -> None:
    vocabulary = vocabulary_of([b"ab", b"ba", b"aab"])
    word = b" " + b"aab" * 40
    [(found, counts, total, _)] = _kernel.estimate(vocabulary.kernel, [words_of([(word, 3.0)])], 4, 0.0, 1)
    expected, _ = plain.expectation({word: 3.0}, numbered(vocabulary), rounds=4, tolerance=0)
    assert total == pytest.approx(sum(expected.values()), rel=1e-9)
    kernel = dict(zip(found.tolist(), counts.tolist(), strict=True))
    for token, count in expected.items():
        assert kernel[token] == pytest.approx(count, rel=1e-6, abs=1e-12)


def test_tokens_that_die_leave_finite_counts() -> None:
    # Round after round the losing tokens come closer to zero, through the denormal numbers.
    vocabulary = vocabulary_of([b"ab", b"ba", b"aab", b"abab", b"baba", b"bb"])
    pairs = [(b"ab" * 20, 5.0), (b"ba" * 18 + b"b", 2.0), (b"aab" * 12, 1.0), (b"abb", 3.0)]
    smallest = math.inf
    for rounds in range(20, 2000, 20):
        [(_, counts, total, _)] = _kernel.estimate(vocabulary.kernel, [words_of(pairs)], rounds, 0.0, 1)
        assert np.isfinite(counts).all() and math.isfinite(total)
        smallest = min(smallest, counts[counts > 0].min())
    assert smallest < 1e-300


def test_em_never_lowers_the_likelihood_of_the_corpus() -> None:
    pairs = [(b" abab", 3.0), (b" abba", 2.0), (b" baba", 1.0), (b"aab", 4.0)]
    vocabulary = vocabulary_of([b"ab", b"ba", b" a", b"abb", b" ab"])
    numbers = numbered(vocabulary)

    def log_likelihood(rounds: int) -> float:
        counts, _ = plain.expectation(dict(pairs), numbers, rounds=rounds, tolerance=0)
        total = sum(counts.values())
        likelihood = 0.0
        for word, count in pairs:
            forward = [0.0] + [-math.inf] * len(word)
            for start, end, token in plain.edges(word, numbers):
                p = counts.get(token, 0) / total
                if p > 0:
                    forward[end] = plain.log_add(forward[end], forward[start] + math.log(p))
            likelihood += count * forward[-1]
        return likelihood

    values = [log_likelihood(rounds) for rounds in (1, 2, 4, 8, 16)]
    assert values == sorted(values)


@st.composite
def unigram_tables(draw: st.DrawFn) -> tuple[Vocabulary, UnigramTable]:
    vocabulary = vocabulary_of(draw(token_sets))
    count = draw(st.sampled_from([1, 2, 5, 33, 70]))
    random = np.random.default_rng(draw(st.integers(0, 99)))
    used = [random.choice(len(vocabulary), random.integers(1, len(vocabulary)), replace=False) for _ in range(count)]
    expected = [
        Expected(np.sort(tokens).astype(np.uint32), random.gamma(0.3, 20, len(tokens)), 500.0, 20) for tokens in used
    ]
    return vocabulary, UnigramTable.of(expected, len(vocabulary), draw(st.sampled_from([-6.0, -11.0, None])))


def costs_of(table: UnigramTable, row: int) -> dict[int, int]:
    mine = table.languages == row
    return dict(zip(table.tokens[mine].tolist(), table.costs[mine].tolist(), strict=True))


def unigram_vector(word: bytes, vocabulary: Vocabulary, table: UnigramTable) -> list[int]:
    numbers = numbered(vocabulary)
    rows = range(len(table.unseen))
    return [plain.viterbi(word, numbers, costs_of(table, row), int(table.unseen[row])) for row in rows]


# Letters of another script cut a word; digits and signs leave lone letters and make identifiers.
score_texts = st.lists(st.text("abcéж中  .1_@", max_size=20).map(str.encode), min_size=1, max_size=4)


@given(unigram_tables(), score_texts, st.sampled_from([0, 8, 40]))
@settings(deadline=None, max_examples=60)
def test_unigram_costs_are_the_twins(made: tuple[Vocabulary, UnigramTable], batch: list[bytes], bound: int) -> None:
    vocabulary, table = made
    scorer = _kernel.Scorer([(table.kernel(vocabulary), 16)], len(table.unseen), bound, 1 << 16)
    expected = [
        text_vector(
            text,
            lambda word: unigram_vector(word.text, vocabulary, table),
            languages=len(table.unseen),
            bound=bound,
        )
        for text in batch
    ]
    assert scorer.costs(batch, 1)[0].tolist() == expected
    assert scorer.costs(batch, 1)[0].tolist() == expected  # from the cache


@given(unigram_tables(), st.text("abcé ", min_size=1, max_size=14).map(str.encode))
@settings(deadline=None, max_examples=60)
def test_segmentation_has_the_best_cost_and_covers_the_word(made: tuple[Vocabulary, UnigramTable], word: bytes) -> None:
    vocabulary, table = made
    kernel = table.kernel(vocabulary)
    best = unigram_vector(word, vocabulary, table)
    for row in range(len(table.unseen)):
        pieces = kernel.segment(word, row)
        assert b"".join(vocabulary.tokens[token] for token, _, _, _ in pieces) == word
        assert [(begin, end) for _, begin, end, _ in pieces] == list(
            zip(
                [0, *np.cumsum([end - begin for _, begin, end, _ in pieces])[:-1].tolist()],
                [p[2] for p in pieces],
                strict=True,
            )
        )
        assert sum(cost for _, _, _, cost in pieces) == best[row]


@given(unigram_tables(), st.text("abcé .", max_size=30).map(str.encode))
@settings(deadline=None, max_examples=40)
def test_marginal_costs_are_the_twins(made: tuple[Vocabulary, UnigramTable], text: bytes) -> None:
    vocabulary, table = made
    numbers = numbered(vocabulary)
    kernel = table.kernel(vocabulary).marginal([text], STEP, 1)[0]
    for row in range(len(table.unseen)):
        costs, unseen = costs_of(table, row), int(table.unseen[row])
        expected = sum(plain.marginal(word.text, numbers, costs, unseen, STEP) for word in plain.words(text))
        assert kernel[row] == pytest.approx(expected, rel=1e-9, abs=1e-9)


# ---- context


@given(small_words, st.sampled_from([2, 3, 4, 5]), st.sampled_from([0.0, 0.01, 0.1, 0.7]), st.sampled_from([2, 3, 4]))
@settings(deadline=None)
def test_kneser_ney_is_the_twins(pairs: list[tuple[bytes, float]], order: int, prune: float, shortest: int) -> None:
    [(root, levels)] = _kernel.estimate_contexts([words_of(pairs)], order, 0.8, 1e-5, prune, shortest, 1)
    p, backoff = plain.kneser_ney(dict(pairs), order=order, discount=0.8, base=1e-5, prune=prune, prune_from=shortest)
    assert root == pytest.approx(math.log(backoff[()]), abs=1e-12)
    grams: list[list[plain.Gram]] = []
    for k, (parents, characters, log_p, log_backoff) in enumerate(levels):
        before = grams[-1] if grams else [()]
        grams.append(
            [
                (*(before[parent] if k else ()), character)
                for parent, character in zip(parents.tolist(), characters.tolist(), strict=True)
            ]
        )
        for gram, value, weight in zip(grams[-1], log_p.tolist(), log_backoff.tolist(), strict=True):
            if gram != (plain.START,):
                assert value == pytest.approx(math.log(p[gram]), abs=1e-9)
            if k + 1 < order:
                assert weight == pytest.approx(math.log(backoff.get(gram, 1.0)), abs=1e-9)
    assert sum(map(len, grams)) == len(p)


def test_kneser_ney_probabilities_of_a_context_add_up_to_one() -> None:
    pairs = [(b" abc", 3.0), (b" abd", 1.0), (b"bca", 2.0), (b" cab", 5.0)]
    p, backoff = plain.kneser_ney(dict(pairs), order=3, discount=0.8, base=0.0)
    # With base 0 the mass that the first order leaves to unknown characters is lost; at the higher ones nothing is.
    known = 1 - backoff[()]
    for context_seen in {gram[:-1] for gram in p if len(gram) == 3}:
        mass = 0.0
        for character in {gram[0] for gram in p if len(gram) == 1} - {plain.START}:
            weight = 1.0
            gram = (*context_seen, character)
            while gram not in p:
                weight *= backoff.get(gram[:-1], 1.0)
                gram = gram[1:]
            mass += weight * p[gram]
        lost = (1 - known) * backoff[context_seen] * backoff.get(context_seen[1:], 1.0)
        assert mass == pytest.approx(1 - lost, abs=1e-9)


def twin_context(pairs: list[tuple[bytes, float]], order: int) -> tuple[dict[plain.Gram, int], dict[plain.Gram, int]]:
    p, backoff = plain.kneser_ney(dict(pairs), order=order, discount=0.8, base=1e-5, prune=PRUNE)
    costs = {gram: int(quantise(np.log([value]), 254)[0]) for gram, value in p.items() if gram != (plain.START,)}
    weights = {gram: int(quantise(np.log([value]), 255)[0]) for gram, value in backoff.items()}
    return costs, weights


def twin_cost(
    word: plain.Word, costs: dict[plain.Gram, int], weights: dict[plain.Gram, int], order: int, base: int
) -> int:
    return plain.context_cost(
        word.text, costs, weights, order=order, base=base, cut_left=word.cut_left, cut_right=word.cut_right
    )


def estimated(languages: list[list[tuple[bytes, float]]], order: int) -> ContextTable:
    return context.estimate([words_of(pairs) for pairs in languages], order=order, base=math.log(1e-5), prune=PRUNE)


@given(
    st.lists(small_words, min_size=1, max_size=12), st.sampled_from([0, 140]), st.sampled_from([2, 4, 5]), score_texts
)
@settings(deadline=None, max_examples=80)
def test_context_costs_are_the_twins(
    languages: list[list[tuple[bytes, float]]], fillers: int, order: int, batch: list[bytes]
) -> None:
    filler = [(b" ab", 1.0)]  # among many languages, n-grams that few of them saw have lists instead of rows
    table = estimated([*languages, *[filler] * fillers], order)
    scorer = _kernel.Scorer([(table.kernel(), 16)], len(languages) + fillers, 0, 1 << 16)
    twins = [twin_context(pairs, order) for pairs in [*languages, filler]]
    base = int(quantise(np.log([1e-5]), 255)[0])

    def vector(word: plain.Word) -> list[int]:
        *own, last = (twin_cost(word, *twin, order, base) for twin in twins)
        return own + [last] * fillers

    expected = [text_vector(text, vector, languages=len(languages) + fillers, bound=0) for text in batch]
    assert scorer.costs(batch, 1)[0].tolist() == expected
    assert scorer.costs(batch, 1)[0].tolist() == expected  # from the cache


@given(st.lists(small_words, min_size=2, max_size=5), score_texts, st.sampled_from([0, 16]), st.integers(1, 15))
@settings(deadline=None, max_examples=40)
def test_a_words_vector_is_the_bounded_weighted_sum_over_word_models(
    languages: list[list[tuple[bytes, float]]], batch: list[bytes], bound: int, weight: int
) -> None:
    vocabulary = vocabulary_of([b"ab", b" a", b"bc"])
    unigrams = UnigramTable.of(
        unigram.expect(vocabulary, [words_of(pairs) for pairs in languages]), len(vocabulary), -8.0
    )
    contexts = estimated(languages, 3)
    models = [(unigrams.kernel(vocabulary), weight), (contexts.kernel(), 16 - weight)]
    scorer = _kernel.Scorer(models, len(languages), bound, 1 << 16)
    twins = [twin_context(pairs, 3) for pairs in languages]
    base = int(quantise(np.log([1e-5]), 255)[0])

    def vector(word: plain.Word) -> list[int]:
        by_context = [twin_cost(word, *twin, 3, base) for twin in twins]
        return plain.weighted([(unigram_vector(word.text, vocabulary, unigrams), weight), (by_context, 16 - weight)])

    expected = [text_vector(text, vector, languages=len(languages), bound=bound) for text in batch]
    assert scorer.costs(batch, 1)[0].tolist() == expected


@given(st.lists(small_words, min_size=3, max_size=6), st.data())
@settings(deadline=None, max_examples=40)
def test_context_languages_come_and_go_without_touching_others(
    languages: list[list[tuple[bytes, float]]], data: st.DataObject
) -> None:
    order = 4
    whole = estimated(languages, order)
    cut = data.draw(st.integers(1, len(languages) - 1))
    grown = estimated(languages[:cut], order).append(estimated(languages[cut:], order))
    rows = data.draw(st.permutations(range(len(languages)))).copy()[:cut]
    picked = whole.select(rows)
    alone = estimated([languages[row] for row in rows], order)
    batch = [word for pairs in languages for word, _ in pairs] + [b"cab \xc3\xa9 xyz"]

    def costs(table: ContextTable) -> np.ndarray:
        return _kernel.Scorer([(table.kernel(), 16)], len(table.root_backoff), 0, 1 << 16).costs(batch, 1)[0]

    assert (costs(grown) == costs(whole)).all()
    assert (costs(picked) == costs(whole)[:, rows]).all()
    assert (costs(alone) == costs(whole)[:, rows]).all()
    assert [level.size for level in picked.levels] == [level.size for level in alone.levels]


# ---- learning a vocabulary


def test_learned_vocabulary_has_the_size_asked_for_and_frequent_words_in_it() -> None:
    words = words_of([(b" the", 90.0), (b" then", 20.0), (b" cat", 50.0), (b" cats", 30.0), (b" quz", 1.0)])
    vocabulary = Vocabulary.learn([words], 262)
    assert len(vocabulary) == 262
    assert b" the" in vocabulary.tokens
    assert b" cat" in vocabulary.tokens


def test_learned_vocabulary_keeps_characters_whole() -> None:
    words = words_of([(" кот".encode(), 9.0), (" ток".encode(), 7.0), (b" aaaaaaa", 100.0)])
    vocabulary = Vocabulary.learn([words], 270)
    assert {"к".encode(), "о".encode(), "т".encode()} <= set(vocabulary.tokens)
    for token in vocabulary.tokens:
        assert len(token) == 1 or token.decode()


def test_learning_begins_with_no_more_tokens_than_have_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    words = words_of([(bytes([32, a, b]), 1.0) for a in range(97, 123) for b in range(97, 123)])
    begun: list[int] = []

    def learn(*arrays: Any, **limits: Any) -> list[bytes]:
        begun.append(256 + (limits["size"] - 256) // 2 + limits["seeds"])
        return _kernel.learn_vocabulary(*arrays, **limits)

    monkeypatch.setattr("unilid.vocabulary.MAX_TOKENS", 400)
    monkeypatch.setattr("unilid.vocabulary._kernel", SimpleNamespace(**{**vars(_kernel), "learn_vocabulary": learn}))
    assert len(Vocabulary.learn([words], 300)) == 300
    assert len(Vocabulary.learn([words], 10**30)) <= 400
    assert max(begun) <= 400


def test_a_vocabulary_of_more_tokens_than_have_numbers_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unilid.vocabulary.MAX_TOKENS", 258)
    assert len(vocabulary_of([b"aa", b"ab"])) == 258
    with pytest.raises(VocabularyError, match="at most 258 tokens, not 259"):
        vocabulary_of([b"aa", b"ab", b"ac"])


def test_learned_vocabulary_weighs_languages_equally() -> None:
    large = words_of([(b" alpha", 1e6), (b" omega", 1e6), (b" sigma", 1e6)])
    small = words_of([(b" uno", 1.0), (b" due", 1.0)])
    tokens = Vocabulary.learn([large, small], 264).tokens
    assert b" uno" in tokens and b" due" in tokens


@given(small_words)
@settings(deadline=None, max_examples=30)
def test_learning_does_not_depend_on_the_number_of_threads(pairs: list[tuple[bytes, float]]) -> None:
    words = [words_of(pairs)]
    assert Vocabulary.learn(words, 266, threads=1).tokens == Vocabulary.learn(words, 266, threads=4).tokens


@given(
    st.dictionaries(
        st.text("abcdeéж中 ", min_size=1, max_size=8).map(str.encode), st.floats(0.5, 9), min_size=4, max_size=30
    ),
    st.integers(256, 290),
    st.sampled_from([12, 60, 400]),
)
@settings(deadline=None, max_examples=60)
def test_learned_tokens_are_the_twins(weights: dict[bytes, float], size: int, seeds: int) -> None:
    words = words_of(list(weights.items()))
    learned = _kernel.learn_vocabulary(
        *words, size=size, max_characters=8, max_bytes=64, seeds=seeds, shrink=0.6, threads=3
    )
    assert learned == plain.learn(weights, size, seeds)


@given(st.lists(small_words, max_size=4), st.integers(1, 30))
def test_merged_words_are_the_most_common_of_all(languages: list[list[tuple[bytes, float]]], most: int) -> None:
    merged, distinct = _kernel.merge_words([words_of(pairs) for pairs in languages], most)
    sums: dict[bytes, float] = {}
    for pairs in languages:
        for word, count in pairs:
            sums[word] = sums.get(word, 0.0) + count
    assert distinct == len(sums)
    assert Words(*merged).pairs() == sorted(sorted(sums.items(), key=lambda pair: (-pair[1], pair[0]))[:most])


# ---- counting


@given(st.lists(texts, max_size=5))
def test_counted_words_are_the_twins(batch: list[bytes]) -> None:
    counter = _kernel.Counter(10**6)
    counter.add(np.zeros(len(batch), np.int32), batch)
    expected: dict[bytes, float] = {}
    for text in batch:
        for word in plain.words(text):
            if word.noise is None:
                expected[word.text] = expected.get(word.text, 0) + 1
    assert Words(*counter.tables([0])[0]).pairs() == sorted(expected.items())


def test_a_full_counter_forgets_the_rarest_words() -> None:
    counter = _kernel.Counter(10)
    text = " ".join(["keep"] * 5 + [f"rare{'x' * i}" for i in range(30)]).encode()
    counter.add(np.zeros(1, np.int32), [text])
    pairs = dict(Words(*counter.tables([0])[0]).pairs())
    assert pairs[b" keep"] == 5
    assert len(pairs) < 20
