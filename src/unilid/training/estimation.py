"""The steps of estimation, on some threads, watched: vocabulary, unigram model, context model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from unilid.corpus.counts import Words
from unilid.models import unigram as unigrams
from unilid.models.context import ContextTable
from unilid.models.settings import Settings
from unilid.models.unigram import Expected
from unilid.models.vocabulary import Vocabulary
from unilid.progress import Progress

_GROUP = 64
"""Languages in one kernel call: between two calls, progress is shown."""


@dataclass(frozen=True, slots=True)
class Estimation:
    """Runs the steps of a training run; Ctrl-C is heard by the kernel in each."""

    threads: int
    progress: Progress

    def learn(self, words: Sequence[Words], size: int | None) -> Vocabulary:
        """Learn a vocabulary; `size` None: chosen from the number of distinct words."""
        with self.progress.stage("learning the vocabulary", None):
            return Vocabulary.learn(words, size, threads=self.threads)

    def expect(self, vocabulary: Vocabulary, words: Sequence[Words], settings: Settings) -> list[Expected]:
        """Return the expected token counts of every language."""
        expected: list[Expected] = []
        with self.progress.stage("estimating", len(words)) as advance:
            for start in range(0, len(words), _GROUP):
                group = words[start : start + _GROUP]
                expected += unigrams.expect(vocabulary, group, fragments=settings.fragments, threads=self.threads)
                advance(len(group))
        return expected

    def contexts(self, words: Sequence[Words], settings: Settings) -> ContextTable:
        """Return the context table of all languages."""
        with self.progress.stage("learning contexts", None):
            return settings.estimate_context(words, self.threads)
