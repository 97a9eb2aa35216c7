"""Training: corpus, word counts, vocabulary, word models, model. Each step sees only the one before it."""

from __future__ import annotations

import json
import math
import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from unilid import context as contexts
from unilid import corpus as corpora
from unilid import unigram as unigrams
from unilid.context import ContextTable
from unilid.corpus import Source
from unilid.counts import Corpus, Counter, Words, count_lines, sample_lines
from unilid.decisions import Decisions
from unilid.errors import CorpusError, UnilidError, VocabularyError
from unilid.fitting import fit_confidence
from unilid.model import Model
from unilid.modelfile import Arrays
from unilid.settings import WHOLE, Settings, positive
from unilid.stages import Finished, Progress, Silent, cores, interruptible
from unilid.unigram import Expected, UnigramTable
from unilid.vocabulary import MAX_TOKENS, MIN_TOKENS, Vocabulary, offsets_of

Context: TypeAlias = Literal["auto", "characters"] | None

ORDERS = ((0, 4), (20_000, 6))
"""Words a language, on average, from which an order of the context model pays for its room."""
LIGHT_PRUNE = 0.002
"""With the highest of them: rare languages then gain a point of F1 for twice the room (validation lines of Tatoeba)."""
UNIGRAM_WEIGHT = 3
BOUND = 8.0
FRAGMENTS = 0.3
"""Good for 204 languages with 5 to 400 training lines each, on validation lines, clean and noisy."""

UNSEEN = (-8.0, -9.0, -10.0, -11.0, -12.0, -13.0, -15.0)
WEIGHTS = (0, 1, 5, 8, 12)
BOUNDS = (10.0, 6.0, None)
"""What held-out lines may choose instead."""

STAGES = 1
"""Raised when the content of a stored stage changes its meaning."""

_MAX_EVALUATED = 20_000
_GROUP = 64  # languages in one kernel call


def train(
    corpus: Source,
    *,
    vocabulary: int | str | Path | Vocabulary | None = None,
    context: Context = "auto",
    order: int | None = None,
    prune: float | None = None,
    unseen: Literal["shared", "additive"] = "shared",
    bound: float | Literal["auto"] | None = "auto",
    fragments: float = FRAGMENTS,
    tune: bool = True,
    cap: int | None = None,
    seed: int = 0,
    format: str | None = None,  # noqa: A002
    text_field: str = "text",
    label_field: str = "label",
    threads: int | None = None,
    progress: Progress | None = None,
    work: str | Path | None = None,
) -> Model:
    """Learn a model from labelled text.

    Parameters
    ----------
    corpus
        A path, a list of paths, an iterable of (label, text) or (label, word, count), or a mapping from labels to
        texts. Files: label/text TSV, fastText's ``__label__`` lines, JSON Lines, Parquet, a folder with one file a
        language, WiLI's x/y pair, word-count lists; plain or compressed.
    vocabulary
        Number of tokens to learn (None: chosen from the amount of text), a tokenizer file whose tokens are used, or a
        vocabulary.
    context
        ``"characters"`` adds the context model, None is the paper's UniLID; ``"auto"`` lets held-out lines decide.
    unseen
        ``"shared"``: seen tokens keep their probability and all others have one constant; ``"additive"``: the
        paper's base.
    bound
        Nats up to which one word may speak against a language in full; ``"auto"`` chooses; None is the paper's.
    fragments
        Share of its count that a word gives to its beginnings and ends when the unigram model is learned, so that what
        noise leaves of words is known too; 0 is the paper's.
    order
        Of the context model; None chooses 4, or 6 where there is much text.
    prune
        How much an n-gram of the context model must matter to be kept; 0 keeps all; None chooses.
    tune
        Choose the remaining constants, and fit probabilities and rejection, on held-out training lines; all lines train
        the final model.
    cap
        At most so many lines of a language (from a Python iterable: the first ones).
    seed
        For drawing those lines.
    format, text_field, label_field
        Of the files, where it cannot be found out.
    threads
        Default: all cores.
    progress
        Is told how far the work is.
    work
        A folder that keeps finished stages, so that a run started again goes on where it was interrupted.

    Examples
    --------
    >>> import unilid
    >>> model = unilid.train({"eng": ["good morning", "good night"], "deu": ["guten Morgen", "gute Nacht"]})
    >>> model.identify("gute Nacht und guten Morgen").label
    'deu'
    """
    progress = progress or Silent()
    if context not in ("auto", "characters", None):
        raise UnilidError(f"context must be 'auto', 'characters' or None, not {context!r}")
    cap = None if cap is None else positive("cap", cap)
    seed = positive("seed", seed, 0)
    threads = cores() if threads is None else positive("threads", threads)
    settings = Settings(
        unseen=unseen,
        order=None if context is None else ORDERS[0][1] if order is None else order,
        prune=contexts.PRUNE if prune is None else prune,
        unigram_weight=WHOLE if context is None else UNIGRAM_WEIGHT,
        bound=BOUND if bound == "auto" else bound,
        fragments=fragments,
    )
    given = _given_vocabulary(vocabulary)
    fields = {"format": format, "text_field": text_field, "label_field": label_field}
    finished = Finished(None if work is None else Path(work), progress)
    fingerprint = corpora.fingerprint(corpus) if work is not None else None
    reading = None if fingerprint is None else [version("unilid"), STAGES, fingerprint, fields, cap, seed, tune]
    counted = finished.reuse(
        "counts", reading, lambda: _count(corpus, fields, tune, cap, seed, threads, progress), _Counts()
    )
    run = _Run(threads, progress)

    def vocabulary_of(stage: str, words: Sequence[Words]) -> Vocabulary:
        if isinstance(given, Vocabulary):
            return given
        learning = None if reading is None else [*reading, given]
        return finished.reuse(stage, learning, lambda: run.learn(words, given), _Tokens())

    if context is not None and order is None:
        words = sum(float(language.counts.sum()) for language in counted.words) / len(counted.labels)
        settings = replace(settings, order=max(n for least, n in ORDERS if words >= least))
        if prune is None and settings.order == ORDERS[-1][1]:
            settings = replace(settings, prune=LIGHT_PRUNE)
    tokens = None
    decisions = Decisions()
    tune = tune and bool(counted.held_texts) and any(len(words.counts) for words in counted.kept)
    if tune:
        tokens = vocabulary_of("vocabulary-kept", counted.kept)
        settings, decisions = run.tune(
            counted,
            tokens,
            settings,
            bounds=BOUNDS if bound == "auto" else (),
            drop_context=context == "auto",
        )
        # A vocabulary from nearly all lines is as good as one from all.
        if len(counted.held_texts) > 0.1 * counted.lines.sum():
            tokens = None
    tokens = tokens or vocabulary_of("vocabulary", counted.words)
    expected = run.expect(tokens, counted.words, settings)
    totals = np.array([language.total for language in expected])
    if settings.unseen == "shared" and not tune:
        settings = replace(settings, unseen_log_p=unigrams.default_unseen(totals))
    info: dict[str, Any] = {
        "unilid": version("unilid"),
        "seed": seed,
        "cap": cap,
        "vocabulary": _described(vocabulary),
        "tuned": tune,
    }
    return Model(
        counted.labels,
        tokens,
        UnigramTable.of(expected, len(tokens), settings.shared_unseen),
        None if settings.order is None else run.contexts(counted.words, settings),
        settings,
        counted.lines,
        totals,
        info,
        decisions,
    )


def _count(
    corpus: Source,
    fields: dict[str, Any],
    hold_out: bool,
    cap: int | None,
    seed: int,
    threads: int,
    progress: Progress,
) -> Corpus:
    only = None
    size = corpora.size(corpus)
    if cap is not None and size is not None:
        with progress.stage("counting lines", size) as advance:
            only = sample_lines(count_lines(corpora.read(corpus, progress=advance, **fields)), cap, seed)
    counter = Counter(hold_out=hold_out, only=only, cap=cap, threads=threads)
    with progress.stage("counting words", size) as advance:
        for batch in corpora.read(corpus, progress=advance, **fields):
            counter.add(batch)
    if not counter.rows:
        raise CorpusError("the corpus is empty: no labelled line was found")
    return counter.corpus()


def _given_vocabulary(vocabulary: int | str | Path | Vocabulary | None) -> Vocabulary | int | None:
    """Return the vocabulary, or the size of the one to learn."""
    if vocabulary is None or isinstance(vocabulary, Vocabulary):
        return vocabulary
    if isinstance(vocabulary, str | Path):
        return Vocabulary.read(vocabulary)
    try:
        size = operator.index(vocabulary)
    except TypeError:
        raise UnilidError(f"vocabulary must be a size, a file or a Vocabulary, not {vocabulary!r}") from None
    if size < MIN_TOKENS:
        raise VocabularyError(f"a vocabulary of {size} tokens is too small: the 256 bytes are always part of it")
    if size > MAX_TOKENS:
        raise VocabularyError(f"a vocabulary of {size:,} tokens is too large: {MAX_TOKENS:,} have numbers")
    return size


def _described(vocabulary: object) -> str:
    if isinstance(vocabulary, str | Path):
        return Path(vocabulary).name
    return "given" if isinstance(vocabulary, Vocabulary) else "learned"


@dataclass(frozen=True, slots=True)
class _Run:
    """The steps of a training run, on some threads, watched."""

    threads: int
    progress: Progress

    def learn(self, words: Sequence[Words], size: int | None) -> Vocabulary:
        with self.progress.stage("learning the vocabulary", None):
            return interruptible(lambda: Vocabulary.learn(words, size, threads=self.threads))

    def expect(self, vocabulary: Vocabulary, words: Sequence[Words], settings: Settings) -> list[Expected]:
        expected: list[Expected] = []
        with self.progress.stage("estimating", len(words)) as advance:
            for start in range(0, len(words), _GROUP):
                group = words[start : start + _GROUP]
                expected += interruptible(
                    lambda group=group: unigrams.expect(  # type: ignore[misc]
                        vocabulary, group, fragments=settings.fragments, threads=self.threads
                    )
                )
                advance(len(group))
        return expected

    def contexts(self, words: Sequence[Words], settings: Settings) -> ContextTable:
        with self.progress.stage("learning contexts", None):
            return interruptible(lambda: settings.estimate_context(words, self.threads))

    def tune(
        self,
        corpus: Corpus,
        vocabulary: Vocabulary,
        settings: Settings,
        *,
        bounds: Iterable[float | None],
        drop_context: bool,
    ) -> tuple[Settings, Decisions]:
        """Choose constants one after the other by the accuracy on held-out lines, estimated without them.

        The model that never saw these lines then says how sure it can be, and what its languages usually score.
        """
        usable = [row for row, words in enumerate(corpus.kept) if len(words.counts)]
        kept = [corpus.kept[row] for row in usable]
        expected = self.expect(vocabulary, kept, settings)
        table = None if settings.order is None else self.contexts(kept, settings)
        number = np.full(len(corpus.labels), -1)
        number[usable] = np.arange(len(usable))
        every = -(-len(corpus.held_texts) // _MAX_EVALUATED)
        rows, texts = number[corpus.held_rows][::every], corpus.held_texts[::every]

        def model_of(candidate: Settings) -> Model:
            return Model(
                tuple(corpus.labels[row] for row in usable),
                vocabulary,
                UnigramTable.of(expected, len(vocabulary), candidate.shared_unseen),
                table,
                candidate,
                np.zeros(len(usable), np.int64),
                np.zeros(len(usable)),
                {},
            )

        @cache
        def right(candidate: Settings) -> npt.NDArray[np.bool_]:
            rights: npt.NDArray[np.bool_] = model_of(candidate).best_rows(texts, threads=self.threads) == rows
            return rights

        def best(first: Settings, others: Iterable[Settings], errors: float = 2.0) -> Settings:
            """Another choice must win beyond chance: by `errors` standard errors of the lines they disagree on."""
            chosen, score = first, right(first)
            for other in others:
                other_score = right(other)
                gain = int(other_score.sum()) - int(score.sum())
                if gain > errors * math.sqrt((other_score != score).sum()):
                    chosen, score = other, other_score
            return chosen

        alone = replace(settings, order=None, unigram_weight=WHOLE)
        with self.progress.stage("choosing constants", None):
            if settings.unseen == "shared":
                totals = np.array([language.total for language in expected])
                alone = replace(alone, unseen_log_p=unigrams.default_unseen(totals))
                alone = best(alone, [replace(alone, unseen_log_p=value) for value in UNSEEN])
                settings = replace(settings, unseen_log_p=alone.unseen_log_p)
            if settings.order is not None:
                settings = best(settings, [replace(settings, unigram_weight=weight) for weight in WEIGHTS])
                settings = best(settings, [replace(settings, bound=bound) for bound in bounds])
                if drop_context:
                    # Dialects differ by words more than by spelling: there the unigram model may be the better one.
                    settings = best(settings, [alone], errors=1.0)
        with self.progress.stage("fitting probabilities", None):
            known = [i for i, row in enumerate(rows.tolist()) if row >= 0]
            decisions = fit_confidence(model_of(settings), rows[known], [texts[i] for i in known], threads=self.threads)
        return settings, decisions.placed(usable, len(corpus.labels))


class _Tokens:
    """A vocabulary as stored between runs."""

    def dump(self, result: Vocabulary) -> Arrays:
        return {"bytes": np.frombuffer(b"".join(result.tokens), np.uint8), "offsets": offsets_of(result.tokens)}

    def load(self, arrays: Arrays) -> Vocabulary:
        blob, ends = arrays["bytes"].tobytes(), arrays["offsets"].tolist()
        return Vocabulary(tuple(blob[a:b] for a, b in pairwise(ends)))


class _Counts:
    """A counted corpus as stored between runs."""

    def dump(self, result: Corpus) -> Arrays:
        held = b"".join(result.held_texts)
        arrays: Arrays = {
            "labels": np.frombuffer(json.dumps(result.labels).encode(), np.uint8),
            "lines": result.lines,
            "held_rows": result.held_rows,
            "held_bytes": np.frombuffer(held, np.uint8),
            "held_offsets": offsets_of(result.held_texts),
        }
        for name, tables in (("words", result.words), ("kept", result.kept)):
            arrays[f"{name}_blob"] = np.frombuffer(b"".join(words.blob for words in tables), np.uint8)
            arrays[f"{name}_sizes"] = np.array([[len(words.blob), len(words.counts)] for words in tables])
            arrays[f"{name}_offsets"] = np.concatenate([words.offsets for words in tables])
            arrays[f"{name}_counts"] = np.concatenate([words.counts for words in tables])
        return arrays

    def load(self, arrays: Arrays) -> Corpus:
        held, ends = arrays["held_bytes"].tobytes(), arrays["held_offsets"].tolist()
        tables: dict[str, list[Words]] = {}
        for name in ("words", "kept"):
            blob, first_byte, first_word = arrays[f"{name}_blob"].tobytes(), 0, 0
            tables[name] = []
            for row, (size, count) in enumerate(arrays[f"{name}_sizes"].tolist()):
                offsets = arrays[f"{name}_offsets"][first_word + row : first_word + row + count + 1]
                counts = arrays[f"{name}_counts"][first_word : first_word + count]
                tables[name].append(Words(blob[first_byte : first_byte + size], offsets, counts))
                first_byte, first_word = first_byte + size, first_word + count
        return Corpus(
            tuple(json.loads(arrays["labels"].tobytes())),
            arrays["lines"],
            tuple(tables["words"]),
            tuple(tables["kept"]),
            arrays["held_rows"],
            [held[a:b] for a, b in pairwise(ends)],
        )
