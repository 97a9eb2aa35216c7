"""unilid: names the language of a text.

>>> import unilid
>>> unilid.identify("Wie spät ist es?").label
'deu_Latn'

`load()` gives the model, `Model.identify` and `Options` say how to ask it, `Model.spans` takes mixed texts apart,
`Model.explain` gives reasons, `Model.add_language` teaches it, `tell_apart` tells relatives apart, and `train` makes a
model of your own.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, overload

from unilid.errors import CorpusError, ModelFileError, UnilidError, UnknownLanguageError, VocabularyError

__version__: str

if TYPE_CHECKING:
    from collections.abc import Iterable

    from typing_extensions import Unpack

    from unilid.columns.texts import Column
    from unilid.decisions.answers import Prediction
    from unilid.decisions.calibration import Rules
    from unilid.decisions.decide import Decisions
    from unilid.decisions.options import Options
    from unilid.evaluation.evaluate import evaluate, evaluate_predictions
    from unilid.evaluation.metrics import Report, compare
    from unilid.explanation.explainer import Explanation
    from unilid.languages.labels import Meaning, meaning
    from unilid.model import Model, load
    from unilid.models.parameters import Parameters
    from unilid.models.segmentation import Segment
    from unilid.models.settings import Settings
    from unilid.models.vocabulary import Vocabulary
    from unilid.progress import Progress
    from unilid.spans.spans import Span, Spans
    from unilid.texts import Text
    from unilid.threads import Threads
    from unilid.training.calibrate import calibrate
    from unilid.training.relatives import tell_apart
    from unilid.training.train import train

__all__ = [
    "CorpusError",
    "Decisions",
    "Explanation",
    "Meaning",
    "Model",
    "ModelFileError",
    "Options",
    "Parameters",
    "Prediction",
    "Progress",
    "Report",
    "Rules",
    "Segment",
    "Settings",
    "Span",
    "Spans",
    "UnilidError",
    "UnknownLanguageError",
    "Vocabulary",
    "VocabularyError",
    "calibrate",
    "compare",
    "evaluate",
    "evaluate_predictions",
    "identify",
    "load",
    "meaning",
    "tell_apart",
    "train",
]

# Imported at first use: `import unilid` and the command line's --help need not wait for numpy.
_HOMES = {
    "Decisions": "unilid.decisions.decide",
    "Explanation": "unilid.explanation.explainer",
    "Meaning": "unilid.languages.labels",
    "Model": "unilid.model",
    "Options": "unilid.decisions.options",
    "Parameters": "unilid.models.parameters",
    "Prediction": "unilid.decisions.answers",
    "Progress": "unilid.progress",
    "Report": "unilid.evaluation.metrics",
    "Rules": "unilid.decisions.calibration",
    "Segment": "unilid.models.segmentation",
    "Settings": "unilid.models.settings",
    "Span": "unilid.spans.spans",
    "Spans": "unilid.spans.spans",
    "Vocabulary": "unilid.models.vocabulary",
    "calibrate": "unilid.training.calibrate",
    "compare": "unilid.evaluation.metrics",
    "evaluate": "unilid.evaluation.evaluate",
    "evaluate_predictions": "unilid.evaluation.evaluate",
    "load": "unilid.model",
    "meaning": "unilid.languages.labels",
    "tell_apart": "unilid.training.relatives",
    "train": "unilid.training.train",
}


def _get(name: str) -> Any:
    if name == "__version__":
        return import_module("importlib.metadata").version("unilid")
    if name not in _HOMES:
        raise AttributeError(f"module 'unilid' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


if not TYPE_CHECKING:  # a type checker knows the names above, and finds others wrong
    __getattr__ = _get


def __dir__() -> list[str]:
    return [*__all__, "__version__"]


@cache
def _default() -> Model:
    model: Model = _get("load")()
    return model


@overload
def identify(  # type: ignore[overload-overlap]  # a str is an iterable too
    texts: Text, *, k: None = None, threads: Threads = "auto", **options: Unpack[Options]
) -> Prediction: ...
@overload
def identify(  # type: ignore[overload-overlap]  # a str is an iterable too
    texts: Text, *, k: int, threads: Threads = "auto", **options: Unpack[Options]
) -> list[Prediction]: ...
@overload
def identify(
    texts: Iterable[Text] | Column, *, k: None = None, threads: Threads = "auto", **options: Unpack[Options]
) -> list[Prediction]: ...
@overload
def identify(
    texts: Iterable[Text] | Column, *, k: int, threads: Threads = "auto", **options: Unpack[Options]
) -> list[list[Prediction]]: ...
def identify(
    texts: Text | Iterable[Text] | Column, *, k: int | None = None, threads: Threads = "auto", **options: Any
) -> Prediction | list[Prediction] | list[list[Prediction]]:
    """Name the language of one text or of many with the model that comes with the package.

    `k` asks for the k best languages of each text, `threads` says how many threads work, and the other options are
    `languages`, `prior`, `calibrated`, `abstain` and `budget`: see `Model.identify` and `Options`.
    """
    return _default().identify(texts, k=k, threads=threads, **options)
