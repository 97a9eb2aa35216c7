"""Which lines of a corpus are drawn, and which are held out."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Iterable, Iterator, Sequence
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unilid import _kernel, plain
from unilid.corpus import counts
from unilid.corpus.counts import HELD, Corpus, Counter
from unilid.corpus.formats import Batch, numbered
from unilid.corpus.holding import LEAST_CANDIDATES, LESSONS, lines_to_hold_out
from unilid.corpus.sampling import Sample, find_limits, sample, within


def test_a_sample_has_the_first_lines_or_draws_evenly() -> None:
    lines = [f"{n}".encode() for n in range(1000)]
    assert sample([Batch(["a"] * 1000, lines)], 1000).lines["a"] == lines
    drawn = [int(line) for line in sample([Batch(["a"] * 1000, lines)], 200).lines["a"]]
    assert len(set(drawn)) == 200
    assert 400 < sum(drawn) / 200 < 600
    other = sample([Batch(["a"] * 1000, lines)], 200, seed=1).lines["a"]
    assert [int(line) for line in other] != drawn


def test_a_label_draws_its_lines_whatever_the_others_are_and_however_they_come() -> None:
    lines = [f"{n}".encode() for n in range(300)]
    alone = sample([Batch(["a"] * 300, lines)], 50)
    mixed = Sample(50)
    for line in lines:
        mixed.add(Batch(["b", "a"], [b"other", line]))
    assert mixed.lines["a"] == alone.lines["a"]
    rows, texts = mixed.of(["x", "y", "z", "a"])
    assert (set(rows.tolist()), texts) == ({3}, alone.lines["a"])


def test_how_many_lines_are_held_out() -> None:
    sizes = [0, 4, 5, 10, 99, 100, 199, 250, 400, 500, 800, 10_000]
    assert [lines_to_hold_out(lines, min(lines, 400)) for lines in sizes] == [
        0,
        0,
        1,
        2,
        19,
        20,
        20,
        25,
        40,
        50,
        80,
        80,
    ]


def tally(lines: list[bytes]) -> list[tuple[bytes, float]]:
    return sorted(Tally(word.text for line in lines for word in plain.split_words(line)).items())


def counted(batches: Iterable[Batch], *, may_be_parallel: bool = False) -> Corpus:
    counter = Counter(hold_out=True, may_be_parallel=may_be_parallel)
    for batch in batches:
        counter.add(batch)
    return counter.corpus()


def split(batch: Batch, size: int) -> Iterator[Batch]:
    for start in range(0, len(batch.labels), size):
        yield batch.take(range(start, min(start + size, len(batch.labels))))


MANY = [f"line{'x' * (number % 7)} {number}".encode() for number in range(2 * LEAST_CANDIDATES + 100)]


OTHERS = [f"oth{chr(97 + number)}" for number in range(20)]
"""Labels of one line each: so many that a label has no more candidates than the least."""


def test_the_lines_with_the_smallest_keys_are_held_out_and_count_in_the_end() -> None:
    batch = Batch(["aaa"] * len(MANY) + OTHERS, [*MANY, *(b"other words" for _ in OTHERS)])
    corpus = counted(split(batch, 90))
    keys = dict(zip(MANY, _kernel.hash_texts(MANY).tolist(), strict=True))
    inner = sorted(MANY, key=keys.__getitem__)[:LEAST_CANDIDATES]
    held = inner[: lines_to_hold_out(len(MANY), LEAST_CANDIDATES)]
    assert corpus.fold(HELD).texts == held
    assert set(corpus.fold(HELD).rows.tolist()) == {0}
    assert {text for fold in range(1 + LESSONS) for text in corpus.fold(fold).texts} == set(inner)
    assert corpus.lines.tolist() == [len(MANY)] + [1] * len(OTHERS)
    assert corpus.words[0].pairs() == tally(MANY)
    assert corpus.part(HELD)[0].pairs() == tally([line for line in MANY if line not in set(held)])


@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 30)), min_size=1), st.randoms(), st.integers(1, 9))
def test_the_same_lines_are_held_out_in_whatever_order_they_come(
    lines: list[tuple[str, int]], random: Random, size: int
) -> None:
    texts = [f"{label} {'word ' * (number % 3)}{number}".encode() for label, number in lines]
    batch = Batch([3 * label for label, _ in lines], texts)
    order = list(range(len(lines)))
    random.shuffle(order)
    first, second = counted([batch]), counted(split(batch.take(order), size))
    assert first.fold(HELD).texts == second.fold(HELD).texts
    assert [words.pairs() for words in first.part(HELD)] == [words.pairs() for words in second.part(HELD)]
    assert [words.pairs() for words in first.words] == [words.pairs() for words in second.words]


def test_of_a_few_labels_all_lines_are_candidates() -> None:
    corpus = counted(split(Batch(["aaa"] * len(MANY), MANY), 90))
    assert {text for fold in range(1 + LESSONS) for text in corpus.fold(fold).texts} == set(MANY)


def test_a_line_with_two_labels_is_a_lesson_of_the_same_fold_under_both() -> None:
    lines = [b"line %d" % number for number in range(300)]
    corpus = counted([Batch(["aaa"] * 300 + ["bbb"] * 200, lines + lines[:200])])
    folds = [dict.fromkeys(corpus.fold(fold).texts) for fold in range(1, 1 + LESSONS)]
    places = Tally(text for fold in folds for text in fold)
    assert set(places.values()) == {1}
    assert len(set(places) & set(lines[:200])) > 100


def test_no_copy_of_a_held_out_line_is_learned_from() -> None:
    corpus = counted([Batch(["aaa"] * 60, [b"line %c" % (97 + number % 20) for number in range(60)])])
    assert len(corpus.fold(HELD).texts) == len(set(corpus.fold(HELD).texts)) == 4
    words = {word for word, _ in corpus.part(HELD)[0].pairs()}
    assert not any(text[4:] in words for text in corpus.fold(HELD).texts)
    assert dict(corpus.part(HELD)[0].pairs())[b" line"] == 60 - 3 * 4


def test_in_parallel_text_translations_are_held_out_together() -> None:
    texts = {label: [f"{label} {number}".encode() for number in range(50)] for label in ("aaa", "bbb")}
    batch = Batch([label for label in texts for _ in range(50)], [text for own in texts.values() for text in own])
    held = [text.split() for text in counted(numbered([batch])).fold(HELD).texts]
    assert len(held) == 20
    assert [number for label, number in held if label == b"aaa"] == [
        number for label, number in held if label == b"bbb"
    ]


TOWNS = [
    f"{first}{last}"
    for first in ("Ober", "Unter", "Nieder", "Neu", "Alt", "Groß")
    for last in ("dorf", "bach", "berg", "stadt")
]


def of_towns(towns: list[str]) -> Batch:
    """Sentences of two languages that share nothing but names; those of the other one in another order."""
    texts = {
        "aaa": [f"there is a market in {town} today" for town in TOWNS],
        "bbb": [f"idag er det marked i {town}" for town in towns],
    }
    labels = [label for label, own in texts.items() for _ in own]
    return Batch(labels, [text.encode() for own in texts.values() for text in own])


def test_text_is_parallel_where_lines_of_the_same_number_share_rare_words() -> None:
    batch = of_towns(TOWNS)
    [numbers] = numbered([batch])
    found = counted([numbers], may_be_parallel=True)
    assert found.fold(HELD).texts == counted([numbers]).fold(HELD).texts != counted([batch]).fold(HELD).texts
    assert [words.pairs() for words in found.part(HELD)] == [words.pairs() for words in counted([numbers]).part(HELD)]


@pytest.mark.parametrize("towns", [TOWNS[1:] + TOWNS[:1], TOWNS[:10] + TOWNS[:9:-1], TOWNS[:9]])
def test_text_is_not_parallel_where_too_few_lines_of_the_same_number_share_words(towns: list[str]) -> None:
    batch = of_towns(towns)
    found = counted(numbered([batch]), may_be_parallel=True)
    assert found.fold(HELD).texts == counted([batch]).fold(HELD).texts != counted(numbered([batch])).fold(HELD).texts


@pytest.mark.parametrize(
    "order",
    [
        pytest.param(range(60), id="in order"),
        pytest.param(range(59, -1, -1), id="backwards"),
        pytest.param([n for n in range(60) if n not in (10, 30, 31)], id="with gaps"),
        pytest.param(Random(0).sample(range(60), 50), id="in another order, with gaps"),
    ],
)
def test_translations_are_in_the_same_fold_in_whatever_order_they_come(order: Sequence[int]) -> None:
    texts = {"aaa": [f"from {n} to {n}th" for n in range(60)], "bbb": [f"von {n} bis {n}th" for n in order]}
    labels = [label for label, own in texts.items() for _ in own]
    batch = Batch(labels, [text.encode() for own in texts.values() for text in own])
    corpus = counted(numbered([batch]), may_be_parallel=True)
    folds = [[text.split()[1] for text in corpus.fold(fold).texts] for fold in range(1, 1 + LESSONS)]
    lessons = [number for fold in folds for number in dict.fromkeys(fold)]
    assert len(lessons) == len(set(lessons))  # each number is in one fold
    assert sum(map(len, folds)) > len(lessons) + 30  # under both labels, mostly


def test_one_word_in_common_makes_no_translation() -> None:
    batch = of_towns(TOWNS[::-1])
    corpus = counted(numbered([batch]), may_be_parallel=True)
    assert [corpus.fold(fold).texts for fold in range(1 + LESSONS)] == [
        counted([batch]).fold(fold).texts for fold in range(1 + LESSONS)
    ]


@pytest.mark.parametrize("copies", [0, 40])  # lines with two labels are no translations
def test_few_lines_that_share_words_make_no_parallel_text(copies: int) -> None:
    texts = {"aaa": [f"from {n} to {n}th" for n in range(60)], "bbb": [f"von {n} bis {n}th" for n in range(58, 118)]}
    both = [f"both {n} and {n}th" for n in range(200, 200 + copies)]
    texts = {"aaa": texts["aaa"] + both, "bbb": both + texts["bbb"]}
    labels = [label for label, own in texts.items() for _ in own]
    batch = Batch(labels, [text.encode() for own in texts.values() for text in own])
    corpus = counted(numbered([batch]), may_be_parallel=True)
    assert corpus.fold(HELD).texts == counted([batch]).fold(HELD).texts
    assert corpus.fold(1).texts == counted([batch]).fold(1).texts


def test_lines_of_a_document_are_held_out_together_or_not_at_all() -> None:
    texts = [f"line {number}".encode() for number in range(200)]
    keys = [b"%d" % (number // 8) for number in range(200)]
    corpus = counted([Batch(["aaa"] * 200, texts, keys=keys)])
    documents = Tally(int(text.split()[1]) // 8 for text in corpus.fold(HELD).texts)
    assert set(documents.values()) == {8}
    assert len(documents) == 2  # of the 20 lines that are wanted, three documents would take too many


def test_lines_that_have_all_words_of_a_language_are_not_held_out() -> None:
    for number in range(20):  # one of the five lines is to be held out, and now and then it is the last
        corpus = counted([Batch(["aaa"] * 5, [b"", b" ", b"  ", b"   ", b"word%c" % (97 + number)])])
        assert len(corpus.part(HELD)[0].counts) == 1
        assert not any(line.strip() for line in corpus.fold(HELD).texts)


@given(st.lists(st.integers(0, 40), min_size=1), st.integers(1, 20), st.integers(0, 3), st.randoms())
def test_the_lines_with_the_smallest_keys_are_taken_whatever_their_order(
    numbers: list[int], cap: int, seed: int, random: Random
) -> None:
    lines = [b"%d" % number for number in numbers]
    batch = Batch(["aaa"] * len(lines), lines)
    expected: list[bytes] = []
    for _, line in sorted((key, line) for line, key in zip(lines, _kernel.hash_texts(lines, seed), strict=True)):
        if line not in expected and (not expected or len(expected) + lines.count(line) <= cap):
            expected += [line] * lines.count(line)
        elif line not in expected:
            break
    for _ in range(2):
        limits = find_limits(split(batch, 7), cap, seed)
        found = [text for part in split(batch, 5) for text in within(part, limits, seed).texts]
        assert sorted(found) == sorted(expected)
        random.shuffle(lines)
        batch = Batch(batch.labels, lines)


def test_the_words_of_a_language_are_the_most_common_ones_however_they_come(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counts, "MAX_WORDS", 10)
    words = [f"word{'x' * (number % 40)}" for number in range(200) for _ in range(1 + number % 3)]
    texts = [" ".join(words[start : start + 3]).encode() for start in range(0, len(words), 3)]
    every = Tally(word.text for text in texts for word in plain.split_words(text))
    expected = sorted(sorted(every.items(), key=lambda pair: (-pair[1], pair[0]))[:10])
    for lines in (texts, texts[::-1]):
        corpus = counted(split(Batch(["aaa"] * len(lines), lines), 2))
        assert corpus.words[0].pairs() == expected
