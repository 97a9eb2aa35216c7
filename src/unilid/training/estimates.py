"""What was estimated of languages from a part of a corpus, before the constants that weigh it are chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from unilid.corpus.counts import Part
from unilid.models.context import ContextTable
from unilid.models.lexicon import LexiconTable
from unilid.models.parameters import Parameters
from unilid.models.scripts import Scripts
from unilid.models.settings import Settings
from unilid.models.unigram import Expected
from unilid.models.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class Estimates:
    """Of each language, its unigram and its context model."""

    part: Part
    labels: Sequence[str]
    vocabulary: Vocabulary
    expected: Sequence[Expected]
    context: ContextTable | None
    scripts: Scripts | None

    def parameters(
        self,
        settings: Settings,
        lexicon: LexiconTable | None = None,
        corrected: ContextTable | None = None,
        lines: npt.NDArray[np.int64] | None = None,
    ) -> Parameters:
        """Return the parameters of a model with these settings; without a lexicon, they are what one is made from.

        `corrected` is the context model in which relatives are told apart; None: as it was estimated.
        """
        context = (corrected or self.context) if settings.order is not None else None
        counts = np.zeros(len(self.labels), np.int64) if lines is None else lines
        bare = replace(settings, scripts=False, lexicon_size=0)
        parameters = Parameters.of(self.labels, self.vocabulary, self.expected, context, bare, counts)
        return replace(
            parameters,
            lexicon=lexicon,
            scripts=self.scripts,
            settings=replace(settings, lexicon_size=0) if lexicon is None else settings,
        )


def of_fold(estimates: Estimates) -> int:
    """Return the fold that estimates never saw."""
    assert estimates.part is not None
    return estimates.part
