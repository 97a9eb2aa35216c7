"""Counting in tasks: what their tables add up to, in whatever pieces and order they come. This needs no cluster."""

from __future__ import annotations

import pickle
from random import Random
from typing import Any

import numpy as np
import pytest
from support.libraries import library
from support.training import ALL

from unilid.corpus.counts import Corpus, Counter
from unilid.corpus.formats import Batch
from unilid.corpus.holding import LESSONS, most_candidates

pa = library("pyarrow")
library("pyspark")
from unilid.spark import counting  # noqa: E402  # needs pyspark

LINES = [(label, text.encode()) for label, texts in ALL.items() for text in texts] * 2


def counted(lines: list[tuple[str, bytes]], counter: Counter) -> Counter:
    labels, texts = map(list, zip(*lines, strict=True))
    counter.add(Batch(labels, texts))
    return counter


def tables(tasks: int, buckets: int) -> list[Any]:
    """Count lines in tasks, each of which passes its words on twice, and return all rows that Spark would move."""
    rows: list[Any] = []
    for task in range(tasks):
        counter, own = Counter(hold_out=True), LINES[task::tasks]
        counted(own[: len(own) // 2], counter)
        rows += counting.in_buckets(counting._words(counter), buckets)
        counted(own[len(own) // 2 :], counter)
        rows += counting.in_buckets([*counting._words(counter), *counting._lines(counter)], buckets)
    return [batch.slice(place, 1) for batch in rows for place in range(len(batch))]


def added_up(rows: list[Any], partitions: int) -> dict[str, Any]:
    """Do what Spark does: move rows by bucket, then by label."""
    parts = [[row for row in rows if row["bucket"][0].as_py() % partitions == part] for part in range(partitions)]
    by_label = [batch for part in parts for batch in counting._added_up(iter(part))]
    moved = [batch.slice(place, 1) for batch in by_label for place in range(len(batch))]
    moved.sort(key=lambda row: row["label"][0].as_py())
    packed = [row.to_pylist()[0] for row in counting._packed(iter(moved), most_candidates(len(ALL)))]
    return {row["label"]: row for row in packed}


def expected() -> Corpus:
    return counted(LINES, Counter(hold_out=True)).corpus()


@pytest.mark.parametrize(("tasks", "buckets", "partitions"), [(1, 1, 1), (3, 8, 2), (5, 40, 7)])
@pytest.mark.parametrize("piece", [2000, 3])
def test_tables_add_up_to_the_corpus(
    tasks: int, buckets: int, partitions: int, piece: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counting, "PIECE", piece)
    monkeypatch.setattr(counting, "MOST_COUNTED", 50)  # tables are added up again and again
    rows = tables(tasks, buckets)
    Random(tasks).shuffle(rows)
    found, corpus = added_up(rows, partitions), expected()
    assert tuple(sorted(found)) == corpus.labels
    for row, label in enumerate(corpus.labels):
        language = pickle.loads(found[label]["data"])
        assert language.words.pairs() == corpus.words[row].pairs()
        assert [language.part(fold).pairs() for fold in range(1 + LESSONS)] == [
            corpus.languages[row].part(fold).pairs() for fold in range(1 + LESSONS)
        ]
        assert found[label]["lines"] == corpus.lines[row]
        assert found[label]["folds"] == [len(language.fold(fold)) for fold in range(1 + LESSONS)]
        assert list(map(list, language.folds)) == list(map(list, corpus.languages[row].folds))


def test_a_word_has_one_bucket_and_buckets_are_about_equally_full() -> None:
    words = [f"word{number}".encode() for number in range(20_000)]
    found = counting.buckets_of(pa.array(words), 16)
    again = counting.buckets_of(pa.array(words[::-1]).slice(10), 16)
    assert found[::-1][10:].tolist() == again.tolist()
    sizes = np.bincount(found, minlength=16)
    assert len(sizes) == 16
    assert sizes.min() > 0.8 * sizes.mean()
    assert sizes.max() < 1.2 * sizes.mean()


def test_no_table_is_moved_where_nothing_was_counted() -> None:
    assert list(counting.in_buckets([], 8)) == []
    assert list(counting._added_up(iter([]))) == []
    assert list(counting._packed(iter([]), 1000)) == []
