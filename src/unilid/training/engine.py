"""Where a corpus is learned from. Training asks, and an engine answers: this machine here, or a cluster.

What an engine computes of a language depends on that language's words alone, and what it says of held-out lines comes
in the order of the lines. So all engines give the same model, to the byte.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from unilid.corpus.counts import Corpus, Part
from unilid.corpus.sampling import LabelledTexts
from unilid.decisions.decide import best
from unilid.decisions.held_out import HeldOut
from unilid.decisions.prior import log_prior
from unilid.models import unigram as unigrams
from unilid.models.context import ContextTable
from unilid.models.lexicon import LexiconTable
from unilid.models.parameters import lexicon_of
from unilid.models.scripts import of_words
from unilid.models.settings import Settings
from unilid.models.unigram import Expected
from unilid.models.vocabulary import Vocabulary
from unilid.progress import Progress
from unilid.scoring.scorers import Scorers
from unilid.training.estimates import Estimates, of_fold
from unilid.training.lessons import Lessons, lessons_of

_GROUP = 64
"""Languages in one kernel call: between two calls, progress is shown."""

MAX_EVALUATED = 20_000
"""Held-out lines that choices are made on, at most."""


class Candidate(NamedTuple):
    """A model that held-out lines may choose: the constants that weigh some estimates, and what is added to them."""

    settings: Settings
    lexicon: LexiconTable | None = None
    corrected: ContextTable | None = None
    """The context model in which relatives are told apart."""


class Engine(Protocol):
    """What training needs to know of a counted corpus."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels, in the order of the rows."""
        ...

    @property
    def lines(self) -> npt.NDArray[np.int64]:
        """Lines per label."""
        ...

    @property
    def totals(self) -> npt.NDArray[np.float64]:
        """Words per label, each as often as it occurs."""
        ...

    def rows(self, fold: int) -> npt.NDArray[np.int32]:
        """Return the rows of the lines of a fold, ascending."""
        ...

    def evaluated(self, fold: int) -> npt.NDArray[np.int32]:
        """Return the rows of those that choices are made on: of many lines, every so many-th."""
        ...

    @property
    def progress(self) -> Progress:
        """Is told how far the work is."""
        ...

    def learn(self, part: Part, size: int | None) -> Vocabulary:
        """Learn a vocabulary; `size` None: chosen from the number of distinct words."""
        ...

    def estimate(self, part: Part, vocabulary: Vocabulary, settings: Settings) -> Estimates:
        """Estimate all languages from a part of the corpus."""
        ...

    def lexicon(self, estimates: Estimates, settings: Settings) -> LexiconTable:
        """Return the lexicon that settings ask for, of the words that the estimates come from."""
        ...

    def answers(self, estimates: Estimates, candidates: Sequence[Candidate]) -> list[npt.NDArray[np.int32]]:
        """Return the language that each candidate finds for the `evaluated` lines of the estimates' fold."""
        ...

    def scored(self, estimates: Estimates, candidates: Sequence[Candidate], *, cut: bool = False) -> list[HeldOut]:
        """Return the same lines as each candidate scores them; `cut`: and beginnings of them."""
        ...

    def lessons(self, estimates: Estimates, candidate: Candidate, learned: ContextTable) -> Lessons:
        """Return what can be learned from the lines of a fold, which the estimates and the candidate never saw."""
        ...


def step_of(held: int) -> int:
    """Return the step in which held-out lines are evaluated, where there are so many."""
    return max(1, -(-held // MAX_EVALUATED))


@dataclass(slots=True)
class Machine:
    """Learns from a corpus in memory, on some threads; Ctrl-C is heard by the kernel in each step."""

    corpus: Corpus
    threads: int
    progress: Progress

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels, in the order of the rows."""
        return self.corpus.labels

    @property
    def lines(self) -> npt.NDArray[np.int64]:
        """Lines per label."""
        return self.corpus.lines

    @property
    def totals(self) -> npt.NDArray[np.float64]:
        """Words per label, each as often as it occurs."""
        return np.array([words.counts.sum() for words in self.corpus.words])

    def rows(self, fold: int) -> npt.NDArray[np.int32]:
        """Return the rows of the lines of a fold, ascending."""
        return self.corpus.fold(fold).rows.astype(np.int32)

    def evaluated(self, fold: int) -> npt.NDArray[np.int32]:
        """Return the rows of those that choices are made on: of many lines, every so many-th."""
        return self._evaluated(fold).rows.astype(np.int32)

    def learn(self, part: Part, size: int | None) -> Vocabulary:
        """Learn a vocabulary; `size` None: chosen from the number of distinct words."""
        with self.progress.stage("learning the vocabulary", None):
            return Vocabulary.learn(self.corpus.part(part), size, threads=self.threads)

    def estimate(self, part: Part, vocabulary: Vocabulary, settings: Settings) -> Estimates:
        """Estimate all languages from a part of the corpus."""
        words = self.corpus.part(part)
        spelled = settings.spelled(words)
        expected: list[Expected] = []
        with self.progress.stage("estimating", len(words)) as advance:
            for start in range(0, len(spelled), _GROUP):
                group = spelled[start : start + _GROUP]
                expected += unigrams.expect(vocabulary, group, fragments=settings.fragments, threads=self.threads)
                advance(len(group))
        context = None
        if settings.order is not None:
            with self.progress.stage("learning contexts", None):
                context = settings.estimate_context(spelled, self.threads)
        scripts = tuple(of_words(own) for own in words) if settings.scripts else None
        return Estimates(part, self.labels, vocabulary, expected, context, scripts)

    def lexicon(self, estimates: Estimates, settings: Settings) -> LexiconTable:
        """Return the lexicon that settings ask for, of the words that the estimates come from."""
        return lexicon_of(estimates.parameters(settings), settings, self.corpus.part(estimates.part), self.threads)

    def answers(self, estimates: Estimates, candidates: Sequence[Candidate]) -> list[npt.NDArray[np.int32]]:
        """Return the language that each candidate finds for the `evaluated` lines of the estimates' fold."""
        lines, uniform = self._evaluated(of_fold(estimates)), log_prior(np.ones(len(self.labels)))
        scorers = (Scorers(estimates.parameters(*candidate)).scorer for candidate in candidates)
        return [best(scorer, lines.texts, uniform, threads=self.threads)[0][:, 0] for scorer in scorers]

    def scored(self, estimates: Estimates, candidates: Sequence[Candidate], *, cut: bool = False) -> list[HeldOut]:
        """Return the same lines as each candidate scores them; `cut`: and beginnings of them."""
        lines = self._evaluated(of_fold(estimates))
        scorers = (Scorers(estimates.parameters(*candidate)).scorer for candidate in candidates)
        return [HeldOut.of(scorer, lines, cut=cut, threads=self.threads) for scorer in scorers]

    def lessons(self, estimates: Estimates, candidate: Candidate, learned: ContextTable) -> Lessons:
        """Return what can be learned from the lines of a fold, which the estimates and the candidate never saw."""
        lines = self.corpus.fold(of_fold(estimates))
        return lessons_of(Scorers(estimates.parameters(*candidate)), lines, learned, threads=self.threads)

    def _evaluated(self, fold: int) -> LabelledTexts:
        lines = self.corpus.fold(fold)
        return lines.every(step_of(len(lines.texts)))
