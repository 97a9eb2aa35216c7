"""Training: corpus, word counts, vocabulary, word models, model. Each step sees only the one before it."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal, TypeAlias

from unilid.corpus import reading
from unilid.corpus.counts import Corpus, Counter, Words
from unilid.corpus.reading import Source
from unilid.corpus.sampling import count_lines, sample_lines
from unilid.decisions.decide import Decisions
from unilid.display import escaped
from unilid.errors import CorpusError, UnilidError, VocabularyError
from unilid.model import Model
from unilid.models import context as contexts
from unilid.models import unigram as unigrams
from unilid.models.parameters import Parameters
from unilid.models.scripts import grouped
from unilid.models.settings import Settings
from unilid.models.vocabulary import MAX_LEARNED, MIN_TOKENS, Vocabulary
from unilid.numbers import whole_number
from unilid.progress import Progress, watched_by
from unilid.threads import Threads, number_of_threads
from unilid.training.estimation import Estimation
from unilid.training.forms import CorpusForm, VocabularyForm
from unilid.training.stages import Stages
from unilid.training.tune import tune as tune_settings

Context: TypeAlias = Literal["auto", "characters"] | None

ORDER_BY_WORDS = ((0, 4), (20_000, 6))
"""Words a language, on average, from which on an order of the context model pays for its room."""
LIGHT_PRUNE = 0.002
"""How much is pruned with the highest order: rare languages then gain a point of F1 for twice the room (validation
lines of Tatoeba)."""
UNIGRAM_WEIGHT = 3 / 16
"""Share of the unigram model beside a context model. Like BOUND and FRAGMENTS, good for 204 languages with 5 to 400
training lines each, on validation lines, clean and noisy."""
BOUND = 8.0
"""Nats beyond the best language's cost up to which a word counts in full."""
FRAGMENTS = 0.3
"""Share of its count that a word gives to its fragments."""

ENOUGH_KEPT = 0.1
"""Share of held-out lines up to which a vocabulary learned without them is as good as one from all lines."""

STAGES = 2
"""Raised when the content of a stored stage changes its meaning."""


def train(
    corpus: Source,
    *,
    vocabulary: int | str | Path | Vocabulary = "auto",
    context: Context = "auto",
    order: int | Literal["auto"] = "auto",
    prune: float | Literal["auto"] | None = "auto",
    unseen: Literal["shared", "additive"] = "shared",
    bound: float | Literal["auto"] | None = "auto",
    fragments: float | None = FRAGMENTS,
    lexicon: int | Literal["auto"] | None = "auto",
    signs: bool = True,
    scripts: bool = False,
    tune: bool = True,
    cap: int | None = None,
    seed: int = 0,
    format: str = "auto",  # noqa: A002
    text_field: str = "text",
    label_field: str = "label",
    threads: Threads = "auto",
    progress: Progress | None = None,
    work: str | Path | None = None,
) -> Model:
    """Learn a model from labelled text.

    Where an option can be ``"auto"``, that means: chosen for this corpus. None means: without.

    Parameters
    ----------
    corpus
        A path, a list of paths, an iterable of (label, text) or (label, word, count), or a mapping from labels to
        texts. Files: label/text TSV, fastText's ``__label__`` lines, JSON Lines, Parquet, a folder with one file a
        language, WiLI's x/y pair, word-count lists; plain or compressed.
    vocabulary
        Number of tokens to learn, a tokenizer file whose tokens are used, or a vocabulary; ``"auto"`` chooses the
        number from the amount of text.
    context
        ``"characters"`` adds the context model, None is the paper's UniLID; ``"auto"`` lets held-out lines decide.
    unseen
        ``"shared"``: seen tokens keep their probability and all others have one constant; ``"additive"``: the
        paper's base.
    bound
        Nats beyond the best language's cost up to which a word counts in full against a language; None is the
        paper's, without a bound.
    fragments
        Share of its count that a word gives to its beginnings and ends when the unigram model is learned, so that what
        noise leaves of words is known too; None is the paper's, without fragments.
    lexicon
        Words of a language in the lexicon, which knows how frequent whole words are: better for single words, at the
        cost of room. ``"auto"`` lets held-out lines decide where there is a context model; None is the paper's, without
        one.
    signs
        Whether signs, digits and emoji count as words of letters do. They say little about a language, but may tell
        other classes apart.
    scripts
        Whether a word in a script that a language is not written in says nothing about it, and a language none of whose
        scripts occurs in a text is never the answer.
    order
        Length of the longest n-grams of the context model; ``"auto"`` chooses 4, or 6 where there is much text.
    prune
        How much an n-gram of the context model must matter to be kept; None keeps all.
    tune
        Choose the remaining constants, and fit probabilities and rejection, on held-out training lines; all lines train
        the final model.
    cap
        The most lines of a language that are used (from a Python iterable: the first ones); None: all.
    seed
        For drawing those lines.
    format, text_field, label_field
        The format of the files, and where in JSON Lines and Parquet the text and its label stand; ``"auto"``
        recognises the format.
    threads
        How many threads work; ``"auto"``: as many as this process has cores.
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
    progress = watched_by(progress)
    if context not in ("auto", "characters", None):
        raise UnilidError(f"context must be 'auto', 'characters' or None, not {context!r}")
    if order is None:
        raise UnilidError("order must be 'auto' or a whole number, not None; without a context model: context=None")
    cap = None if cap is None else whole_number("cap", cap)
    seed = whole_number("seed", seed, 0)
    settings = Settings(
        unseen=unseen,
        order=None if context is None else ORDER_BY_WORDS[0][1] if order == "auto" else order,
        prune=contexts.PRUNE if prune == "auto" else 0.0 if prune is None else prune,
        unigram_weight=1.0 if context is None else UNIGRAM_WEIGHT,
        bound=BOUND if bound == "auto" else bound,
        fragments=0.0 if fragments is None else fragments,
        signs=signs,
        scripts=scripts,
        lexicon_size=0 if lexicon in ("auto", None) else whole_number("lexicon", lexicon),
    )
    given = _given_vocabulary(vocabulary)
    estimation = Estimation(number_of_threads(threads), progress)
    fields = {"format": format, "text_field": text_field, "label_field": label_field}
    stages = Stages(None if work is None else Path(work), progress)
    fingerprint = reading.fingerprint(corpus) if work is not None else None
    key = None if fingerprint is None else [version("unilid"), STAGES, fingerprint, fields, cap, seed, tune]
    counted = stages.run(
        "counts", key, lambda: _count(corpus, fields, tune, cap, seed, estimation.threads, progress), CorpusForm()
    )

    def vocabulary_of(stage: str, words: Sequence[Words]) -> Vocabulary:
        if isinstance(given, Vocabulary):
            return given
        depends_on = None if key is None else [*key, given]
        return stages.run(stage, depends_on, lambda: estimation.learn(words, given), VocabularyForm())

    if context is not None and order == "auto":
        words = sum(float(language.counts.sum()) for language in counted.words) / len(counted.labels)
        settings = replace(settings, order=max(n for least, n in ORDER_BY_WORDS if words >= least))
        if prune == "auto" and settings.order == ORDER_BY_WORDS[-1][1]:
            settings = replace(settings, prune=LIGHT_PRUNE)
    tokens = None
    decisions = Decisions()
    tune = tune and bool(counted.held_texts) and any(len(words.counts) for words in counted.kept)
    if tune:
        tokens = vocabulary_of("vocabulary-kept", counted.kept)
        settings, decisions = tune_settings(
            counted,
            tokens,
            settings,
            estimation,
            choose_bound=bound == "auto",
            choose_context=context == "auto",
            choose_lexicon=lexicon == "auto" and context is not None,
        )
        if len(counted.held_texts) > ENOUGH_KEPT * counted.lines.sum():
            tokens = None
    tokens = tokens or vocabulary_of("vocabulary", counted.words)
    expected = estimation.expect(tokens, counted.words, settings)
    if settings.unseen == "shared" and not tune:
        settings = replace(settings, unseen_log_p=unigrams.default_unseen(expected))
    table = None if settings.order is None else estimation.contexts(counted.words, settings)
    info = {
        "unilid": version("unilid"),
        "seed": seed,
        "cap": cap,
        "vocabulary": _described(vocabulary),
        "tuned": tune,
    }
    parameters = Parameters.of(
        counted.labels, tokens, expected, table, settings, counted.lines, counted.words, threads=estimation.threads
    )
    model = Model(parameters, decisions, info)
    return (
        model
        if parameters.scripts is None
        else model.subset(model.languages[row] for row in grouped(parameters.scripts))
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
    size = reading.size(corpus)
    if cap is not None and size is not None:
        with progress.stage("counting lines", size) as advance:
            only = sample_lines(count_lines(reading.read(corpus, progress=advance, **fields)), cap, seed)
    counter = Counter(hold_out=hold_out, only=only, cap=cap, threads=threads)
    with progress.stage("counting words", size) as advance:
        for batch in reading.read(corpus, progress=advance, **fields):
            counter.add(batch)
    if not counter.rows:
        raise CorpusError("the corpus is empty: no labelled line was found")
    return counter.corpus()


def _given_vocabulary(vocabulary: int | str | Path | Vocabulary) -> Vocabulary | int | None:
    """Return the vocabulary, or the size of the one to learn; None where the size is to be chosen."""
    if isinstance(vocabulary, Vocabulary):
        return vocabulary
    if isinstance(vocabulary, str) and vocabulary == "auto":
        return None
    if isinstance(vocabulary, str | Path):
        return Vocabulary.read(vocabulary)
    try:
        size = operator.index(vocabulary)
    except TypeError:
        raise UnilidError(f"vocabulary must be 'auto', a size, a file or a Vocabulary, not {vocabulary!r}") from None
    if size < MIN_TOKENS:
        raise VocabularyError(f"a vocabulary of {size} tokens is too small: the 256 bytes are always part of it")
    if size > MAX_LEARNED:
        raise VocabularyError(f"a vocabulary of {size:,} tokens is too large: {MAX_LEARNED:,} can be learned")
    return size


def _described(vocabulary: object) -> str:
    if isinstance(vocabulary, str | Path) and vocabulary != "auto":
        return escaped(Path(vocabulary).name)  # it need not be UTF-8
    return "given" if isinstance(vocabulary, Vocabulary) else "learned"
