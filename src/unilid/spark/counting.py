"""Counting a corpus on a cluster: words where the text is, added up by label and word, one language in one row.

The same classes count as on one machine. What tasks say of parts of the corpus can be added up in any order, and a task
that is run twice says the same, so lost executors and repeated tasks change nothing. Spark moves tables of words, each
of one bucket of words, and Arrow adds them up: a row of Spark for every word would cost more than to count it.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame

from unilid.corpus import counts as counting
from unilid.corpus.counts import Counter, Language, Words, check_counts, merged
from unilid.corpus.formats import Labels
from unilid.corpus.holding import LESSONS, Candidates, Line, most_candidates
from unilid.corpus.sampling import SmallestKeys, within
from unilid.spark.labelled import Columns
from unilid.spark.sessions import check_version, schema_of

# Kinds of rows: how many lines a label has, the candidates to be held out, and the words.
LINES, CANDIDATE, WORD = range(3)

MOST_COUNTED = 1_000_000
"""Distinct words of a task's counter, over all labels, at which it passes on what it has counted: about 100 MB."""

BUCKETS = 4
"""Buckets of words for each partition that adds them up: partitions then have about equally many words."""

PIECE = 2000
"""Rows of a table that is moved: Spark hands over thousands of tables at once, and they must have room in 2 GB."""

_TABLE_SCHEMA = schema_of("label string, kind int, key bigint, text binary, count bigint")
_KEYS = ["label", "kind", "key", "text"]
_IN_BUCKETS = "bucket int, data binary"
_BY_LABEL = "label string, data binary"
PACKED = "label string, lines bigint, words double, folds array<bigint>, data binary"
_PACKED_SCHEMA = schema_of(PACKED)


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
    """Return tables of the lines, the candidates and the words of labels, each with its sum over the frame."""
    partitions = int(frame.sparkSession.conf.get("spark.sql.shuffle.partitions") or 1)
    buckets = BUCKETS * partitions

    def counted(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        check_version(version)
        labels, counter = Labels(), Counter(hold_out=hold_out)
        for part in batches:
            counter.add(within(columns.batch(part, labels), limits, seed))
            if counter.kernel.sizes().sum() > MOST_COUNTED:
                yield from in_buckets(_words(counter), buckets)
        yield from in_buckets([*_words(counter), *_lines(counter)], buckets)

    return frame.mapInArrow(counted, _IN_BUCKETS).repartition(partitions, "bucket").mapInArrow(_added_up, _BY_LABEL)


def _words(counter: Counter) -> list[pa.Table]:
    """Return the words that a task has counted, and let it forget them."""
    tables = []
    for label, row in counter.rows.items():
        words = counter.take(row)
        size = len(words.counts)
        keys, counts = np.zeros(size, np.int64), words.counts.astype(np.int64)
        tables.append(_table(label, pa.repeat(pa.scalar(WORD, pa.int32()), size), keys, binary(words), counts))
    return tables


def _lines(counter: Counter) -> list[pa.Table]:
    """Return how many lines a task has met, and the candidates among them."""
    tables = []
    for label, row in counter.rows.items():
        lines = counter.candidates_of(row)
        kinds = [LINES] + [CANDIDATE] * len(lines)
        keys, texts = [0, *(line.key for line in lines)], [label.encode(), *(line.text for line in lines)]
        tables.append(_table(label, kinds, keys, texts, [counter.lines[row], *(line.copies for line in lines)]))
    return tables


def _table(label: str, kinds: Any, keys: Any, texts: Any, counts: Any) -> pa.Table:
    columns = [pa.repeat(label, len(keys)), kinds, keys, texts, counts]
    arrays = [pa.array(column, field.type) for column, field in zip(columns, _TABLE_SCHEMA, strict=True)]
    return pa.Table.from_arrays(arrays, schema=_TABLE_SCHEMA)


_BYTE_CODES = np.random.default_rng(0).integers(2**32, size=256, dtype=np.uint32)


def buckets_of(texts: pa.Array, buckets: int) -> npt.NDArray[np.int32]:
    """Return the bucket of each text, which its bytes decide.

    >>> one, other, again = buckets_of(pa.array([b"Zug", b"Stadt", b"Zug"]), 1000).tolist()
    >>> one == again != other
    True
    """
    blob, offsets = _content(texts)
    sums = np.cumsum(_BYTE_CODES[np.frombuffer(b"\0" + blob, np.uint8)], dtype=np.uint32)[offsets]
    mixed = np.diff(sums) * np.uint32(0x9E3779B1)  # the high bits are taken, and all of the sum decides them
    return (mixed.astype(np.uint64) * np.uint64(buckets) >> np.uint64(32)).astype(np.int32)


def in_buckets(tables: list[pa.Table], buckets: int) -> Iterator[pa.RecordBatch]:
    """Yield the rows of tables as tables of one bucket each."""
    table = pa.concat_tables([_TABLE_SCHEMA.empty_table(), *tables]).combine_chunks()
    if len(table) == 0:
        return
    found = buckets_of(table["text"].combine_chunks(), buckets)
    order = np.argsort(found, kind="stable")
    yield _pieces(table.take(pa.array(order)), pa.array(found[order]), "bucket")


def _pieces(table: pa.Table, groups: pa.Array, name: str) -> pa.RecordBatch:
    """Return small tables, each of consecutive rows of one group, as bytes."""
    codes = groups.dictionary_encode().indices.to_numpy()
    starts = np.flatnonzero(np.diff(codes, prepend=-1))
    ends = [*starts[1:].tolist(), len(codes)]
    cuts = [
        (first, min(first + PIECE, end))
        for start, end in zip(starts.tolist(), ends, strict=True)
        for first in range(start, end, PIECE)
    ]
    tables = pa.array([_to_bytes(table.slice(first, end - first)) for first, end in cuts], pa.binary())
    return pa.RecordBatch.from_arrays([groups.take(pa.array([first for first, _ in cuts])), tables], [name, "data"])


def _to_bytes(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    content: bytes = sink.getvalue().to_pybytes()
    return content


def _from_bytes(batch: pa.RecordBatch) -> list[pa.Table]:
    return [pa.ipc.open_stream(data.as_buffer()).read_all() for data in batch.column("data")]


def _added_up(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Add up the tables of some buckets, and return them by label."""
    whole, parts = _TABLE_SCHEMA.empty_table(), list[pa.Table]()

    def added() -> pa.Table:
        table = pa.concat_tables([whole, *parts])
        sums = pa.TableGroupBy(table, _KEYS, use_threads=False).aggregate([("count", "sum")])
        return sums.select([*_KEYS, "count_sum"]).rename_columns(_TABLE_SCHEMA.names)

    for batch in batches:
        parts += _from_bytes(batch)
        if sum(map(len, parts)) > max(len(whole), MOST_COUNTED):
            whole, parts = added(), []
    whole = added().sort_by("label").combine_chunks()
    if len(whole):
        yield _pieces(whole, whole["label"].combine_chunks(), "label")


def binary(words: Words) -> pa.Array:
    """Return words as a column of Arrow."""
    buffers = [None, pa.py_buffer(words.offsets.astype(np.int32)), pa.py_buffer(words.blob)]
    return pa.Array.from_buffers(pa.binary(), len(words.counts), buffers)


def words_of(words: pa.Array, counts: pa.Array) -> Words:
    """Return columns of words and of their counts as words."""
    return Words(*_content(words), counts.to_numpy(zero_copy_only=False).astype(np.float64))


def _content(texts: pa.Array) -> tuple[bytes, npt.NDArray[np.int64]]:
    """Return the bytes of all texts, and where each of them begins, and the end."""
    texts = texts.cast(pa.large_binary())
    offsets = np.frombuffer(texts.buffers()[1], np.int64)[texts.offset : texts.offset + len(texts) + 1]
    content = texts.buffers()[2]
    blob = b"" if content is None else content.slice(offsets[0], offsets[-1] - offsets[0]).to_pybytes()
    return blob, offsets - offsets[0]


def pack(counted: DataFrame, partitions: int, labels: int) -> DataFrame:
    """Return a row for each language, with its words and its held-out lines; there are so many labels."""
    packed = partial(_packed, most=most_candidates(labels))
    return counted.repartition(partitions, "label").sortWithinPartitions("label").mapInArrow(packed, PACKED)


def _packed(batches: Iterator[pa.RecordBatch], most: int) -> Iterator[pa.RecordBatch]:
    language: _Language | None = None
    for batch in batches:
        for label, table in zip(batch.column("label").to_pylist(), _from_bytes(batch), strict=True):
            if language is None or language.label != label:
                if language is not None:
                    yield language.packed()
                language = _Language(label, most)
            language.add(table)
    if language is not None:
        yield language.packed()


class _Language:
    """Collects the tables of a language, in any order."""

    def __init__(self, label: str, most: int) -> None:
        self.label = label
        self.most = most
        """Candidates, in the end."""
        self.lines = 0
        self.candidates = Candidates()
        self.parts: list[Words] = []

    def add(self, table: pa.Table) -> None:
        kinds = table["kind"]
        self.lines += pc.sum(table.filter(pc.equal(kinds, LINES))["count"]).as_py() or 0
        lines = table.filter(pc.equal(kinds, CANDIDATE)).to_pydict()
        for line in map(Line, lines["key"], lines["text"], lines["count"]):
            self.candidates.add(line, self.most)
        words = table.filter(pc.equal(kinds, WORD)).combine_chunks()
        if len(words):
            self.parts.append(words_of(words["text"].combine_chunks(), words["count"].combine_chunks()))
            # A word comes once, with its whole count, so what is dropped now is not missed later.
            if sum(len(part.counts) for part in self.parts) > 2 * counting.MAX_WORDS:
                self.parts = [self._words()]

    def _words(self) -> Words:
        return merged([*self.parts, Words(b"", np.zeros(1, np.int64), np.zeros(0))], counting.MAX_WORDS)

    def packed(self) -> pa.RecordBatch:
        words = self._words()
        check_counts(self.label, words)
        language = Language.of(words, self.candidates.lines(self.most), self.lines)
        sizes = [len(language.fold(fold)) for fold in range(1 + LESSONS)]
        data = pickle.dumps(language, pickle.HIGHEST_PROTOCOL)
        row = [self.label, self.lines, float(words.counts.sum()), sizes, data]
        return pa.RecordBatch.from_arrays([pa.array([value]) for value in row], schema=_PACKED_SCHEMA)
