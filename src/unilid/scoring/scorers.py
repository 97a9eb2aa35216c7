"""The kernel's word models and scorers, made of a model's parameters when they are first needed."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from unilid import _kernel
from unilid._kernel import WEIGHT_STEPS
from unilid.models.parameters import Parameters
from unilid.models.scripts import uses

CACHE_MEGABYTES = 64
"""Room for the vectors of words seen before: 190,000 words at 204 languages, 43,000 at 1,400."""


class Scorers:
    """What scores texts: the weighted sum over word models. What comes after it does not know which there are."""

    def __init__(self, parameters: Parameters, *, cache_megabytes: int = CACHE_MEGABYTES) -> None:
        self.parameters = parameters
        self.cache_megabytes = cache_megabytes

    @cached_property
    def unigram(self) -> _kernel.UnigramModel:
        """The unigram model."""
        return self.parameters.unigram.kernel(self.parameters.vocabulary)

    @cached_property
    def context(self) -> _kernel.ContextModel:
        """The context model, where there is one."""
        assert self.parameters.context is not None
        return self.parameters.context.kernel(uses(self.parameters.scripts))

    @cached_property
    def lexicon(self) -> _kernel.Lexicon | None:
        """The lexicon, where there is one."""
        return None if self.parameters.lexicon is None else self.parameters.lexicon.kernel()

    @cached_property
    def scorer(self) -> _kernel.Scorer:
        """The scorer with the weights, the bound and the cache of the model."""
        return self.make()

    def make(
        self,
        *,
        weight_steps: int | None = None,
        bound_steps: int | None = None,
        cache_megabytes: int | None = None,
        lexicon: bool = True,
    ) -> _kernel.Scorer:
        """Return a scorer with another weight of the unigram model, bound or cache, or without the lexicon."""
        settings = self.parameters.settings
        weight = settings.weight_steps if weight_steps is None else weight_steps
        models: list[tuple[_kernel.UnigramModel | _kernel.ContextModel, int]] = []
        if weight:
            models.append((self.unigram, weight))
        if weight < WEIGHT_STEPS:
            models.append((self.context, WEIGHT_STEPS - weight))
        return _kernel.Scorer(
            models,
            len(self.parameters.languages),
            settings.bound_steps if bound_steps is None else bound_steps,
            (self.cache_megabytes if cache_megabytes is None else cache_megabytes) << 20,
            self.lexicon if lexicon else None,
            uses(self.parameters.scripts),
            settings.signs,
        )

    def with_unseen(self, unseen: npt.NDArray[np.uint8]) -> Scorers:
        """Return the scorers in which unseen tokens have other costs; all else is shared with these."""
        parameters = self.parameters
        if np.array_equal(unseen, parameters.unigram.unseen):
            return self
        others = Scorers(
            replace(parameters, unigram=replace(parameters.unigram, unseen=unseen)),
            cache_megabytes=self.cache_megabytes,
        )
        if parameters.context is not None:
            others.context = self.context
        others.lexicon = self.lexicon
        return others
