"""Which lines of a corpus are drawn, and which are held out."""

from __future__ import annotations

from collections import Counter as Tally

from unilid import plain
from unilid.corpus.counts import ASIDE, Counter
from unilid.corpus.formats import Batch
from unilid.corpus.sampling import Sample, lines_to_hold_out, sample


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


def test_held_out_lines_are_the_last_of_those_set_aside_and_count_in_the_end() -> None:
    count = ASIDE + 100
    texts = [f"line{'x' * (number % 7)} {number}".encode() for number in range(count)]
    counter = Counter(hold_out=True)
    for start in range(0, count, 90):
        part = texts[start : start + 90]
        counter.add(Batch(["aaa"] * len(part), part))
    corpus = counter.corpus()
    first = ASIDE - lines_to_hold_out(count, ASIDE)
    assert corpus.held_texts == texts[first:ASIDE]
    assert set(corpus.held_rows.tolist()) == {0}
    assert corpus.lines.tolist() == [count]

    def tally(lines: list[bytes]) -> list[tuple[bytes, float]]:
        return sorted(Tally(word.text for line in lines for word in plain.split_words(line)).items())

    assert corpus.words[0].pairs() == tally(texts)
    assert corpus.kept[0].pairs() == tally(texts[:first] + texts[ASIDE:])
