"""Counting a corpus on a cluster: words where the text is, added up by label and word, one language in one row.

The same classes count as on one machine. What tasks say of parts of the corpus can be added up in any order, and a task
that is run twice says the same, so lost executors and repeated tasks change nothing.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812  # as everybody calls it

from unilid.corpus import counts as counting
from unilid.corpus.counts import Counter, Words, check_counts, hold_out
from unilid.corpus.formats import Labels
from unilid.corpus.holding import MOST_CANDIDATES, Line, held_out
from unilid.corpus.sampling import SmallestKeys, within
from unilid.spark.labelled import Columns
from unilid.spark.sessions import check_version, schema_of

# Kinds of rows: how many lines a label has, the candidates to be held out, and the words.
LINES, CANDIDATE, WORD = range(3)

MOST_COUNTED = 1_000_000
"""Distinct words of a task's counter, over all labels, at which it passes on what it has counted: about 100 MB."""

_ROWS = "label string, kind int, key bigint, text binary, count bigint"
_ROW_SCHEMA = schema_of(_ROWS)
PACKED = "label string, lines bigint, words double, held bigint, data binary"
_PACKED_SCHEMA = schema_of(PACKED)


class Language(NamedTuple):
    """What was counted of a language."""

    words: Words
    held: list[Line]

    def part(self, name: str) -> Words:
        """Return all its words, or those that are kept while lines are held out."""
        return self.words if name == "words" or not self.held else self.words.without(self.held)


def find_limits(frame: DataFrame, columns: Columns, cap: int, seed: int) -> dict[str, int]:
    """Return the key up to which lines are taken, for the labels that have more than `cap`."""

    def smallest(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        found, labels = SmallestKeys(cap), Labels()
        for part in batches:
            found.add_batch(columns.batch(part, labels), seed)
        yield from _key_rows(found.keys)

    def limits(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        found = SmallestKeys(cap)
        for part in batches:
            names, rows = np.unique(part.column(0).to_pylist(), return_inverse=True)
            keys = part.column(1).to_numpy(zero_copy_only=False)
            for row, name in enumerate(names.tolist()):
                found.add(name, keys[rows == row])
        yield from _key_rows({label: np.array([limit]) for label, limit in found.limits().items()})

    schema = "label string, key bigint"
    keys = frame.mapInArrow(smallest, schema).repartition("label").mapInArrow(limits, schema)
    return {row["label"]: row["key"] for row in keys.collect()}


def _key_rows(keys: Mapping[str, np.ndarray[Any, Any]]) -> Iterator[pa.RecordBatch]:
    for label, own in keys.items():
        yield pa.RecordBatch.from_arrays([pa.repeat(label, len(own)), pa.array(own, pa.int64())], ["label", "key"])


def count(
    frame: DataFrame, columns: Columns, limits: Mapping[str, int], *, hold_out: bool, seed: int, version: str
) -> DataFrame:
    """Return the lines, the candidates and the words of all labels, each with its sum over the frame."""

    def counted(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        check_version(version)
        labels, counter = Labels(), Counter(hold_out=hold_out)
        for part in batches:
            counter.add(within(columns.batch(part, labels), limits, seed))
            if counter.kernel.sizes().sum() > MOST_COUNTED:
                yield from _rows(counter)
                counter = Counter(hold_out=hold_out)
        yield from _rows(counter)

    rows = frame.mapInArrow(counted, _ROWS)
    return rows.groupBy("label", "kind", "key", "text").agg(F.sum("count").alias("count"))


def _rows(counter: Counter) -> Iterator[pa.RecordBatch]:
    for label, row in counter.rows.items():
        lines = counter.candidates[row].lines()
        words = counter.words(row)
        size = len(words.counts)
        kinds = np.repeat([LINES, CANDIDATE, WORD], [1, len(lines), size])
        keys = np.concatenate([np.array([0, *(line.key for line in lines)], np.int64), np.zeros(size, np.int64)])
        of_lines = np.array([counter.lines[row], *(line.copies for line in lines)], np.int64)
        counts = np.concatenate([of_lines, words.counts.astype(np.int64)])
        texts = pa.concat_arrays([pa.array([b"", *(line.text for line in lines)], pa.binary()), binary(words)])
        columns = [pa.repeat(label, len(kinds)), pa.array(kinds, pa.int32()), pa.array(keys), texts, pa.array(counts)]
        yield pa.RecordBatch.from_arrays(columns, schema=_ROW_SCHEMA)


def binary(words: Words) -> pa.Array:
    """Return words as a column of Arrow."""
    buffers = [None, pa.py_buffer(words.offsets.astype(np.int32)), pa.py_buffer(words.blob)]
    return pa.Array.from_buffers(pa.binary(), len(words.counts), buffers)


def words_of(words: pa.Array, counts: pa.Array) -> Words:
    """Return columns of words, which are sorted, and of their counts as words."""
    texts = words.cast(pa.large_binary())
    offsets = np.frombuffer(texts.buffers()[1], np.int64)[texts.offset : texts.offset + len(texts) + 1]
    content = texts.buffers()[2]
    blob = b"" if content is None else content.slice(offsets[0], offsets[-1] - offsets[0]).to_pybytes()
    return Words(blob, offsets - offsets[0], counts.to_numpy(zero_copy_only=False).astype(np.float64))


def pack(counted: DataFrame, partitions: int) -> DataFrame:
    """Return a row for each language, with its words and its held-out lines."""
    by_language = counted.repartition(partitions, "label").sortWithinPartitions("label", "kind", "key", "text")
    return by_language.mapInArrow(_packed, PACKED)


def _packed(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    language: _Language | None = None
    for batch in batches:
        runs = pc.run_end_encode(batch.column(0))
        ends = [0, *runs.run_ends.to_pylist()]
        for label, (start, end) in zip(runs.values.to_pylist(), pairwise(ends), strict=True):
            if language is None or language.label != label:
                if language is not None:
                    yield language.packed()
                language = _Language(label)
            language.add(batch.slice(start, end - start))
    if language is not None:
        yield language.packed()


class _Language:
    """Collects the rows of a language, which come in their order."""

    def __init__(self, label: str) -> None:
        self.label = label
        self.lines = 0
        self.candidates: list[Line] = []
        self.parts: list[Words] = []

    def add(self, rows: pa.RecordBatch) -> None:
        kinds = rows.column("kind").to_numpy()
        ends = np.searchsorted(kinds, [CANDIDATE, WORD])
        self.lines += sum(rows.column("count").slice(0, ends[0]).to_pylist())
        lines = rows.slice(ends[0], ends[1] - ends[0]).to_pydict()
        self.candidates += map(Line, lines["key"], lines["text"], lines["count"])
        words = rows.slice(ends[1])
        if len(words):
            self.parts.append(words_of(words.column("text"), words.column("count")))
            # A word comes once, with its whole count, so what is dropped now is not missed later.
            if len(self.parts) > 1 and sum(len(part.counts) for part in self.parts) > 2 * counting.MAX_WORDS:
                self.parts = [self._words()]

    def _words(self) -> Words:
        parts = self.parts or [Words(b"", np.zeros(1, np.int64), np.zeros(0))]
        sizes = np.concatenate([np.diff(part.offsets) for part in parts])
        offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        whole = Words(b"".join(part.blob for part in parts), offsets, np.concatenate([part.counts for part in parts]))
        return whole.most_common(counting.MAX_WORDS)

    def packed(self) -> pa.RecordBatch:
        words = self._words()
        check_counts(self.label, words)
        _, held = hold_out(words, held_out(self.candidates[:MOST_CANDIDATES], self.lines))
        language = pickle.dumps(Language(words, list(held)), pickle.HIGHEST_PROTOCOL)
        row = [self.label, self.lines, float(words.counts.sum()), len(held), language]
        return pa.RecordBatch.from_arrays([pa.array([value]) for value in row], schema=_PACKED_SCHEMA)
