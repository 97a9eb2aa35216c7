"""The parameters of a model: its languages, and the word models that score them, as plain arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from unilid import _kernel
from unilid._kernel import MAX_LANGUAGES, WEIGHT_STEPS
from unilid.corpus.counts import Words
from unilid.errors import ModelFileError, UnilidError
from unilid.languages.labels import check_label, check_number_of_labels
from unilid.models import lexicon as lexicons
from unilid.models import scripts as written
from unilid.models import unigram
from unilid.models.context import ContextTable
from unilid.models.costs import quantise
from unilid.models.lexicon import LexiconTable
from unilid.models.scripts import Scripts
from unilid.models.settings import Settings
from unilid.models.unigram import Expected, UnigramTable
from unilid.models.vocabulary import Vocabulary
from unilid.store.modelfile import LITTLE, Arrays
from unilid.store.packing import CheckedFile, pack_sizes
from unilid.threads import Beside


@dataclass(frozen=True, eq=False)
class Parameters:
    """What is learned: a vocabulary, and what each language makes of it."""

    languages: tuple[str, ...]
    """The labels, in the order of the rows."""
    vocabulary: Vocabulary
    unigram: UnigramTable
    context: ContextTable | None
    settings: Settings
    lines: npt.NDArray[np.int64]
    """Training lines per language."""
    tokens: npt.NDArray[np.float64]
    """Expected number of tokens in the training text, per language: with the costs, the expected counts."""
    lexicon: LexiconTable | None = None
    """The gains of frequent whole words."""
    scripts: Scripts | None = None
    """The scripts that each language is written in; None where they do not matter."""

    def __post_init__(self) -> None:
        """Refuse parameters that do not belong together: the kernel relies on it, and what is saved can be loaded."""
        count = len(self.languages)
        if not count:
            raise UnilidError("a model needs at least one language")
        check_number_of_labels(self.languages)
        for label in self.languages:
            check_label(label)
        if len(set(self.languages)) < count:
            raise UnilidError("the labels are not distinct")
        sizes = [len(self.unigram.unseen), len(self.lines), len(self.tokens)]
        sizes += [] if self.context is None else [len(self.context.root_backoff)]
        sizes += [] if self.lexicon is None else [self.lexicon.language_count]
        sizes += [] if self.scripts is None else [len(self.scripts)]
        if set(sizes) != {count}:
            raise UnilidError(f"{count} labels, and tables of {', '.join(map(str, sizes))} languages")
        if len(self.unigram.offsets) != len(self.vocabulary) + 1:
            raise UnilidError(f"{len(self.vocabulary)} tokens, and entries of {len(self.unigram.offsets) - 1}")
        order = None if self.context is None else self.context.order
        if order != self.settings.order:
            raise UnilidError(f"a context model of order {order}, and settings for {self.settings.order}")
        if (self.lexicon is None) != (self.settings.lexicon_size == 0):
            raise UnilidError(
                "a lexicon, and settings for none" if self.lexicon else "settings for a lexicon, and none"
            )
        if self.lines.dtype != np.int64 or not (self.lines >= 0).all():
            raise UnilidError("the training lines of a language must be a whole number, 0 or more")
        if self.tokens.dtype != np.float64 or not (np.isfinite(self.tokens) & (self.tokens >= 0)).all():
            raise UnilidError("the expected tokens of a language must be a number, 0 or more")

    @staticmethod
    def of(
        labels: Sequence[str],
        vocabulary: Vocabulary,
        expected: Sequence[Expected],
        context: ContextTable | None,
        settings: Settings,
        lines: npt.NDArray[np.int64],
        words: Sequence[Words] | None = None,
        *,
        threads: int = 1,
    ) -> Parameters:
        """Turn what was estimated of languages into the parameters of a model.

        Their words tell, where the settings ask for it, the scripts that they are written in, and make the lexicon.
        """
        table = UnigramTable.of(expected, len(vocabulary), settings.shared_unseen)
        totals = np.array([own.total for own in expected])
        bare = replace(settings, scripts=False, lexicon_size=0)
        parameters = Parameters(tuple(labels), vocabulary, table, context, bare, lines, totals)
        if words is None:
            return replace(parameters, settings=settings)
        return replace(
            parameters,
            lexicon=lexicon_of(parameters, settings, words, threads) if settings.lexicon_size else None,
            scripts=tuple(written.of_words(own) for own in words) if settings.scripts else None,
            settings=settings,
        )

    def append(
        self, labels: Sequence[str], words: Sequence[Words], lines: npt.NDArray[np.int64], *, threads: int
    ) -> Parameters:
        """Return these with languages appended, learned from their word counts. No entry of a language changes."""
        check_number_of_labels((*self.languages, *labels))  # before the work, not after it
        settings = self.settings
        spelled = settings.spelled(words)
        expected = unigram.expect(self.vocabulary, spelled, fragments=settings.fragments, threads=threads)
        context = None if self.context is None else settings.estimate_context(spelled, threads)
        added = Parameters.of(labels, self.vocabulary, expected, context, settings, lines, words, threads=threads)
        return Parameters(
            self.languages + added.languages,
            self.vocabulary,
            self.unigram.append(added.unigram),
            None if self.context is None or context is None else self.context.append(context),
            settings,
            np.concatenate([self.lines, added.lines]),
            np.concatenate([self.tokens, added.tokens]),
            None if self.lexicon is None or added.lexicon is None else self.lexicon.append(added.lexicon),
            None if self.scripts is None or added.scripts is None else self.scripts + added.scripts,
        )

    @property
    def token_count(self) -> int:
        """The number of tokens; 0 where no language has one of its own, and the vocabulary is the single bytes."""
        return len(self.vocabulary) if len(self.unigram.costs) else 0

    def require_tokens(self) -> None:
        """Refuse what needs the unigram model where no language has a token of its own."""
        if not self.token_count:
            raise UnilidError("the model has no tokens, only characters and words; `unilid train` makes one that has")

    def select(self, rows: Sequence[int]) -> Parameters:
        """Return the parameters of some languages, in that order."""
        index = list(rows)
        return Parameters(
            tuple(self.languages[row] for row in index),
            self.vocabulary,
            self.unigram.select(index),
            None if self.context is None else self.context.select(index),
            self.settings,
            self.lines[index],
            self.tokens[index],
            None if self.lexicon is None else self.lexicon.select(index),
            written.select(self.scripts, index),
        )

    def pack(self) -> tuple[Arrays, dict[str, Any]]:
        """Return the arrays and the metadata of a file."""
        tokens = self.vocabulary.tokens
        arrays: Arrays = {
            "languages.lines": self.lines,
            "languages.tokens": self.tokens,
            "vocabulary.bytes": np.frombuffer(b"".join(tokens), np.uint8),
            **pack_sizes("vocabulary.lengths", np.array([len(token) for token in tokens])),
            **self.unigram.pack(),
            **({} if self.context is None else self.context.pack()),
            **({} if self.lexicon is None else self.lexicon.pack()),
        }
        metadata: dict[str, Any] = {"languages": self.languages, "settings": self.settings.stored()}
        return arrays, metadata if self.scripts is None else {**metadata, "scripts": self.scripts}

    @staticmethod
    def unpack(file: CheckedFile, metadata: Mapping[str, Any]) -> Parameters:
        """Take the parameters out of a file."""
        languages = metadata["languages"]
        if not isinstance(languages, list) or not languages or not all(isinstance(label, str) for label in languages):
            raise file.fail("its languages are not a list of labels")
        if len(languages) > MAX_LANGUAGES:
            raise file.fail(f"it has {len(languages)} labels; a model has room for {MAX_LANGUAGES}")
        settings = Settings.of(metadata["settings"])
        context = _unpack_context(file, settings, language_count=len(languages))

        def check_context() -> None:
            if context is not None:
                context.check(file)

        little = context is None or context.levels[-1].entries.nbytes < LITTLE
        checked = Beside(check_context, little=little)
        try:
            vocabulary = _unpack_vocabulary(file)
            unigram_table = UnigramTable.unpack(file, tokens=len(vocabulary), language_count=len(languages))
        finally:
            checked.wait()
        checked.result()
        return Parameters(
            tuple(languages),
            vocabulary,
            unigram_table,
            context,
            settings,
            file.take("languages.lines", np.int64, length=len(languages)),
            file.take("languages.tokens", np.float64, length=len(languages)),
            LexiconTable.unpack(file, language_count=len(languages)) if settings.lexicon_size else None,
            written.unpack(file, metadata.get("scripts"), len(languages)),
        )


def word_costs(parameters: Parameters, words: Sequence[Words], threads: int) -> list[npt.NDArray[np.uint32]]:
    """Return what the words of each language cost it under the weighted sum of the word models, in steps."""
    weight = parameters.settings.weight_steps
    models: list[tuple[_kernel.UnigramModel | _kernel.ContextModel, int]] = []
    if weight:
        models.append((parameters.unigram.kernel(parameters.vocabulary), weight))
    if parameters.context is not None and weight < WEIGHT_STEPS:
        models.append((parameters.context.kernel(), WEIGHT_STEPS - weight))
    return _kernel.word_costs(models, list(words), np.arange(len(words), dtype=np.uint16), threads)


def lexicon_of(parameters: Parameters, settings: Settings, words: Sequence[Words], threads: int) -> LexiconTable:
    """Return the lexicon that settings ask for, of languages with these words."""
    sizes = [settings.lexicon_size] * len(words)
    costs = word_costs(parameters, words, threads)
    return lexicons.estimate(words, costs, sizes=sizes, least=settings.lexicon_least)


def _unpack_vocabulary(file: CheckedFile) -> Vocabulary:
    content = file.take("vocabulary.bytes", np.uint8).tobytes()
    lengths = file.take("vocabulary.lengths", np.uint8)
    ends = file.take_firsts("vocabulary.lengths", np.int64, groups=len(lengths), members=len(content)).tolist()
    try:
        return Vocabulary(tuple(map(content.__getitem__, map(slice, ends, ends[1:]))))
    except ModelFileError:
        raise
    except UnilidError as error:
        raise file.fail(str(error)) from error


def _unpack_context(file: CheckedFile, settings: Settings, *, language_count: int) -> ContextTable | None:
    if settings.order is None:
        return None
    base = int(quantise(np.array([settings.base]), 255)[0])
    return ContextTable.unpack(file, order=settings.order, base=base, language_count=language_count)
