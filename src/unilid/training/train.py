"""Training on one machine: corpus, word counts, vocabulary, word models, model. Each step sees only the one before."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal

from unilid.corpus import reading, sampling
from unilid.corpus.counts import Corpus, Counter, Part
from unilid.corpus.formats import Batch
from unilid.corpus.reading import Source
from unilid.errors import CorpusError
from unilid.model import Model
from unilid.models.vocabulary import Vocabulary
from unilid.progress import Progress, watched_by
from unilid.texts import check_corpus
from unilid.threads import Threads, number_of_threads
from unilid.training.engine import Machine
from unilid.training.forms import CorpusForm, VocabularyForm
from unilid.training.plan import FRAGMENTS, SPELLINGS, Context, Plan, fit
from unilid.training.stages import Stages

STAGES = 4
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
    spellings: float | None = SPELLINGS,
    lexicon: int | Literal["auto"] | None = "auto",
    signs: bool = True,
    scripts: bool = False,
    relatives: Literal["auto"] | None = "auto",
    tune: bool = True,
    cap: int | None = None,
    seed: int = 0,
    key: str = "auto",
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
    spellings
        Share of its count that a word gives to its other spellings: Arabic, Hebrew and Syriac without vowel points, and
        Arabic letters for which keyboards have another one of the same shape; None is the paper's, without them.
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
        How much an n-gram of the context model must matter to be kept; None keeps all, and so does ``"auto"`` of 16
        labels or fewer, which need little room.
    relatives
        Tell close relatives apart: correct the context model by what is learned from lines that several languages score
        nearly alike. ``"auto"`` lets held-out lines decide; None: without. It needs `tune`.
    tune
        Choose the remaining constants, and fit probabilities and rejection, on held-out training lines; all lines train
        the final model. Of 16 labels or fewer, handicaps are fitted, too, so that none wins only because there was
        more text of it.
    cap
        The most lines of a language that are used; None: all. Which ones, their text decides, so that copies of a line
        are used together or not at all; of an iterator, which can be read only once, the first ones are used.
    seed
        Another one chooses other lines.
    key
        What lines that are held out together have in common. ``"text"``: the line itself, so that no copy of it is
        learned from. ``"number"``: the number of the line among those of its label, for parallel text, where that is a
        translation of the same sentence. ``"auto"``: the text, but translations are held out together, too, which
        names and other rare words tell: those of the same number if nearly all of these are in such lines, else those
        that share two of them. Anything else names a field of JSON Lines or Parquet, such as the name of a document.
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
    check_corpus(corpus)
    progress = watched_by(progress)
    plan = Plan(
        vocabulary, context, order, prune, unseen, bound, fragments, spellings, lexicon, signs, scripts, relatives,
        tune, cap, seed,
    )  # fmt: skip
    given = plan.given_vocabulary()
    count = number_of_threads(threads)
    fields = {"format": format, "text_field": text_field, "label_field": label_field, "key": key}
    stages = Stages(None if work is None else Path(work), progress)
    fingerprint = reading.fingerprint(corpus) if work is not None else None
    depends_on = None if fingerprint is None else [version("unilid"), STAGES, fingerprint, fields, cap, seed, tune]
    counted = stages.run("counts", depends_on, lambda: _count(corpus, fields, plan, count, progress), CorpusForm())
    machine = Machine(counted, count, progress)

    def vocabulary_of(part: Part, size: int | None) -> Vocabulary:
        if isinstance(given, Vocabulary):
            return given
        stage = "vocabulary" if part is None else "vocabulary-kept"
        own = None if depends_on is None else [*depends_on, size or given, part]
        return stages.run(stage, own, lambda: machine.learn(part, size or given), VocabularyForm())

    return fit(plan, machine, vocabulary_of)


def _count(corpus: Source, fields: dict[str, Any], plan: Plan, threads: int, progress: Progress) -> Corpus:
    size = reading.size(corpus)
    may_be_parallel = plan.tune and fields["key"] == "auto"
    if fields["key"] == "auto":
        fields = {**fields, "key": "number" if may_be_parallel else "text"}
    counter = Counter(hold_out=plan.tune, may_be_parallel=may_be_parallel, threads=threads)

    def batches(stage: str) -> Iterator[Batch]:
        with progress.stage(stage, size) as advance:
            yield from reading.read(corpus, progress=advance, **fields)

    if plan.cap is None:
        taken = batches("counting words")
    elif not reading.can_be_read_again(corpus):
        taken = sampling.take_first(batches("counting words"), plan.cap)
    else:
        limits = sampling.find_limits(batches("counting lines"), plan.cap, plan.seed)
        taken = (sampling.within(batch, limits, plan.seed) for batch in batches("counting words"))
    for batch in taken:
        counter.add(batch)
    if not counter.rows:
        raise CorpusError("the corpus is empty: no labelled line was found")
    return counter.corpus()
