"""A cluster as an engine of training: what `unilid.training.engine` asks, asked of executors.

A frame with one row for each language stays on the cluster. Languages are estimated where their row is, and held-out
lines are scored there. What comes to the driver is the model in parts: the most common words of all languages together,
from which the vocabulary is learned, the tables of languages, and what held-out lines score. No text does.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyspark import StorageLevel
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812  # as everybody calls it

from unilid.corpus.counts import Part
from unilid.corpus.holding import LESSONS
from unilid.corpus.sampling import LabelledTexts
from unilid.decisions.decide import best
from unilid.decisions.held_out import HeldOut, Piece, cut_step, pieces
from unilid.decisions.prior import log_prior
from unilid.models import context as contexts
from unilid.models import lexicon as lexicons
from unilid.models import unigram as unigrams
from unilid.models.context import ContextTable
from unilid.models.lexicon import LexiconTable
from unilid.models.parameters import lexicon_of
from unilid.models.scripts import of_words
from unilid.models.settings import Settings
from unilid.models.vocabulary import MAX_LEARN_WORDS, Vocabulary, shares_of
from unilid.progress import Progress
from unilid.scoring.scorers import Scorers
from unilid.spark.counting import binary, words_of
from unilid.spark.sessions import Broadcasts, collected, schema_of
from unilid.training.engine import Candidate, step_of
from unilid.training.estimates import Estimates, of_fold
from unilid.training.lessons import Lessons, joined, lessons_of

_SHARES = "word binary, share bigint"
_ROWS = "label string, data binary"


class Work(NamedTuple):
    """What executors keep of estimates: the rows of languages, the vocabulary and, once sent, all estimates."""

    rows: DataFrame
    vocabulary: Any
    sent: Callable[[], Any]


class Cluster:
    """Learns from a corpus that executors have counted (`unilid.spark.counting.pack`)."""

    def __init__(self, packed: DataFrame, progress: Progress) -> None:
        self.progress = progress
        self._packed = packed.persist(StorageLevel.MEMORY_AND_DISK)
        self._frames = [self._packed]
        self._broadcasts = Broadcasts(packed.sparkSession.sparkContext)
        self._work: dict[Part, Work] = {}
        rows = self._packed.select("label", "lines", "words", "folds").collect()
        rows.sort(key=lambda row: row["label"])
        self.labels = tuple(row["label"] for row in rows)
        self.lines = np.array([row["lines"] for row in rows], np.int64)
        self.totals = np.array([row["words"] for row in rows], np.float64)
        self._folds = np.array([row["folds"] for row in rows], np.int64).reshape(-1, 1 + LESSONS)

    def close(self) -> None:
        """Let the cluster forget the corpus."""
        for frame in self._frames:
            frame.unpersist()
        self._broadcasts.drop()

    def rows(self, fold: int) -> npt.NDArray[np.int32]:
        """Return the rows of the lines of a fold, ascending."""
        return np.repeat(np.arange(len(self.labels), dtype=np.int32), self._folds[:, fold])

    def evaluated(self, fold: int) -> npt.NDArray[np.int32]:
        """Return the rows of those that choices are made on: of many lines, every so many-th."""
        rows = self.rows(fold)
        return rows[:: step_of(len(rows))]

    def learn(self, part: Part, size: int | None) -> Vocabulary:
        """Learn a vocabulary; `size` None: chosen from the number of distinct words."""

        def shares(languages: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            for _, language in _languages(languages):
                words = language.part(part)
                steps = shares_of(words.counts).astype(np.int64)
                yield pa.RecordBatch.from_arrays([binary(words), pa.array(steps)], schema=schema_of(_SHARES))

        with self.progress.stage("learning the vocabulary", None):
            words = self._packed.mapInArrow(shares, _SHARES)
            words = words.groupBy("word").agg(F.sum("share").alias("share")).persist(StorageLevel.MEMORY_AND_DISK)
            try:
                distinct = words.count()
                most = words.orderBy(F.desc("share"), "word").limit(MAX_LEARN_WORDS)
                table = collected(words if distinct <= MAX_LEARN_WORDS else most).sort_by("word")
            finally:
                words.unpersist()
            merged = words_of(table["word"].combine_chunks(), table["share"].combine_chunks())
            return Vocabulary.learn_merged(merged, distinct, size)

    def estimate(self, part: Part, vocabulary: Vocabulary, settings: Settings) -> Estimates:
        """Estimate all languages from a part of the corpus, each where it is."""
        tokens = self._broadcasts.send(vocabulary)

        def estimated(languages: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            for label, language in _languages(languages):
                words = language.part(part)
                spelled = settings.spelled([words])
                [expected] = unigrams.expect(tokens.value, spelled, fragments=settings.fragments)
                table = None if settings.order is None else settings.estimate_context(spelled, 1)
                scripts = of_words(words) if settings.scripts else None
                yield _bytes(label, (expected, table, scripts, words))

        with self.progress.stage("estimating", None):
            frame = self._packed.mapInArrow(estimated, _ROWS).persist(StorageLevel.DISK_ONLY)
            self._frames.append(frame)
            own = self._collect(frame, lambda _, data: data[:3])
            expected, tables, scripts = zip(*own, strict=True)
            estimates = Estimates(
                part,
                self.labels,
                vocabulary,
                expected,
                None if settings.order is None else contexts.merge(tables),
                scripts if settings.scripts else None,
            )
        self._work[part] = Work(frame, tokens, cache(lambda: self._broadcasts.send(estimates)))
        return estimates

    def lexicon(self, estimates: Estimates, settings: Settings) -> LexiconTable:
        """Return the lexicon that settings ask for, of the words that the estimates come from."""
        rows, tokens, _ = self._work[estimates.part]

        def lexicon(label: str, data: Any) -> LexiconTable:
            expected, table, _, words = data
            alone = Estimates(None, [label], tokens.value, [expected], table, None)
            bare = alone.parameters(settings)
            return lexicon_of(bare, settings, [words], 1)

        return lexicons.merge(self._collect(rows, lexicon))

    def answers(self, estimates: Estimates, candidates: Sequence[Candidate]) -> list[npt.NDArray[np.int32]]:
        """Return the language that each candidate finds for the `evaluated` lines of the estimates' fold."""
        rows = np.zeros((len(candidates), len(self.evaluated(of_fold(estimates)))), np.int32)

        def answer(scorers: Iterator[Any], lines: Sequence[Piece], uniform: npt.NDArray[np.float64]) -> Any:
            texts = [line.text for line in lines]
            found = [best(scorer, texts, uniform, threads=1)[0][:, 0] for scorer in scorers]
            return [line.place for line in lines], found

        for places, found in self._score(estimates, candidates, answer):
            rows[:, places] = found
        return list(rows)

    def scored(self, estimates: Estimates, candidates: Sequence[Candidate], *, cut: bool = False) -> list[HeldOut]:
        """Return the same lines as each candidate scores them; `cut`: and beginnings of them."""
        truth = self.evaluated(of_fold(estimates)).astype(np.int64)
        step = cut_step(len(truth)) if cut else None

        def score(scorers: Iterator[Any], lines: Sequence[Piece], _: Any) -> Any:
            every = [piece for line in lines for piece in pieces(line.place, line.text, step)]
            rows = np.array([truth[piece.place] for piece in every], np.int64)
            held = [HeldOut.of_pieces(scorer, every, rows, threads=1) for scorer in scorers]
            return [(piece.cut, piece.place) for piece in every], held

        keys, parts = zip(*self._score(estimates, candidates, score), strict=True)
        order = np.lexsort(np.concatenate([np.array(own) for own in keys]).T[::-1])
        return [HeldOut.joined(of_candidate).take(order) for of_candidate in zip(*parts, strict=True)]

    def lessons(self, estimates: Estimates, candidate: Candidate, learned: ContextTable) -> Lessons:
        """Return what can be learned from the lines of a fold, which the estimates and the candidate never saw."""
        fold = of_fold(estimates)
        sent = self._work[fold].sent()
        tried = self._broadcasts.send((candidate, learned))
        rows = {label: row for row, label in enumerate(self.labels)}

        def teach(languages: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            scorers: Scorers | None = None
            for label, language in _languages(languages):
                texts = [line.text for line in language.fold(fold)]
                if texts:
                    asked, table = tried.value
                    scorers = scorers or Scorers(sent.value.parameters(*asked))
                    lines = LabelledTexts(np.full(len(texts), rows[label]), texts)
                    yield _bytes(label, lessons_of(scorers, lines, table, threads=1))

        found = {row["label"]: pickle.loads(row["data"]) for row in self._on_cores(teach)}
        return joined([found[label] for label in self.labels if label in found])

    def _score(self, estimates: Estimates, candidates: Sequence[Candidate], ask: Callable[..., Any]) -> list[Any]:
        """Ask candidates about the lines of the fold that the estimates never saw, where these are."""
        fold = of_fold(estimates)
        sent = self._work[estimates.part].sent()
        tried = self._broadcasts.send(list(candidates))
        sizes = self._folds[:, fold]
        first = dict(zip(self.labels, (np.cumsum(sizes) - sizes).tolist(), strict=True))
        step, count = step_of(int(sizes.sum())), len(self.labels)

        def score(languages: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            lines = [
                Piece(0, place // step, line.text)
                for label, language in _languages(languages)
                for place, line in enumerate(language.fold(fold), first[label])
                if place % step == 0
            ]
            if lines:
                scorers = (Scorers(sent.value.parameters(*candidate)).scorer for candidate in tried.value)
                yield _bytes("", ask(scorers, lines, log_prior(np.ones(count))))

        return [pickle.loads(row["data"]) for row in self._on_cores(score)]

    def _on_cores(self, work: Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]) -> list[Any]:
        """Return the rows that work makes of the languages with held-out lines.

        One task a core: each makes scorers of the candidates, which takes longer than to use them.
        """
        cores = self._packed.sparkSession.sparkContext.defaultParallelism
        return list(self._packed.filter("folds[0] > 0").coalesce(cores).mapInArrow(work, _ROWS).collect())

    def _collect(self, frame: DataFrame, make: Callable[[str, Any], Any]) -> list[Any]:
        """Return what is made of each row of estimates, in the order of the labels."""

        def made(rows: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            for batch in rows:
                for label, data in zip(batch.column(0).to_pylist(), batch.column(1).to_pylist(), strict=True):
                    yield _bytes(label, make(label, pickle.loads(data)))

        results = frame.mapInArrow(made, _ROWS).persist(StorageLevel.DISK_ONLY)
        try:
            results.count()  # made on all executors at once, and then fetched one partition after the other
            found = {row["label"]: row["data"] for row in results.toLocalIterator()}
        finally:
            results.unpersist()
        return [pickle.loads(found.pop(label)) for label in self.labels]


def _languages(batches: Iterator[pa.RecordBatch]) -> Iterator[tuple[str, Any]]:
    """Yield the languages of rows that `unilid.spark.counting.pack` made."""
    for batch in batches:
        for label, data in zip(batch.column("label").to_pylist(), batch.column("data"), strict=True):
            yield label, pickle.loads(data.as_py())


def _bytes(label: str, value: Any) -> pa.RecordBatch:
    data = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    return pa.RecordBatch.from_arrays([pa.array([label]), pa.array([data], pa.binary())], schema=schema_of(_ROWS))
