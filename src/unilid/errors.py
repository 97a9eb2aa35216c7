"""The errors that unilid raises on purpose: one sentence that names what is wrong and what to do."""

from __future__ import annotations


class UnilidError(ValueError):
    """Base of every error that is the input's fault and not the program's."""


class CorpusError(UnilidError):
    """A corpus, or one line of it, cannot be read as labelled text."""


class ModelFileError(UnilidError):
    """A file is not a model, or is damaged."""


class VocabularyError(UnilidError):
    """A tokenizer file cannot be turned into a vocabulary."""


class UnknownLanguageError(UnilidError, KeyError):
    """A label that the model does not know."""

    def __str__(self) -> str:
        """Return the sentence itself: KeyError would show its repr."""
        return str(self.args[0])
