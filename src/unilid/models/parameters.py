"""The parameters of a model: its languages, and the word models that score them, as plain arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from unilid._kernel import MAX_LANGUAGES
from unilid.corpus.counts import Words
from unilid.errors import ModelFileError, UnilidError
from unilid.languages.labels import check_label, check_number_of_labels
from unilid.models import unigram
from unilid.models.context import ContextTable
from unilid.models.costs import quantise
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
        if set(sizes) != {count}:
            raise UnilidError(f"{count} labels, and tables of {', '.join(map(str, sizes))} languages")
        if len(self.unigram.offsets) != len(self.vocabulary) + 1:
            raise UnilidError(f"{len(self.vocabulary)} tokens, and entries of {len(self.unigram.offsets) - 1}")
        order = None if self.context is None else self.context.order
        if order != self.settings.order:
            raise UnilidError(f"a context model of order {order}, and settings for {self.settings.order}")
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
    ) -> Parameters:
        """Turn what was estimated of languages into the parameters of a model."""
        return Parameters(
            tuple(labels),
            vocabulary,
            UnigramTable.of(expected, len(vocabulary), settings.shared_unseen),
            context,
            settings,
            lines,
            np.array([own.total for own in expected]),
        )

    def append(
        self, labels: Sequence[str], words: Sequence[Words], lines: npt.NDArray[np.int64], *, threads: int
    ) -> Parameters:
        """Return these with languages appended, learned from their word counts. No entry of a language changes."""
        check_number_of_labels((*self.languages, *labels))  # before the work, not after it
        settings = self.settings
        expected = unigram.expect(self.vocabulary, words, fragments=settings.fragments, threads=threads)
        context = None if self.context is None else settings.estimate_context(words, threads)
        added = Parameters.of(labels, self.vocabulary, expected, context, settings, lines)
        return Parameters(
            self.languages + added.languages,
            self.vocabulary,
            self.unigram.append(added.unigram),
            None if self.context is None or context is None else self.context.append(context),
            settings,
            np.concatenate([self.lines, added.lines]),
            np.concatenate([self.tokens, added.tokens]),
        )

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
        }
        return arrays, {"languages": self.languages, "settings": self.settings.stored()}

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
        )


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
