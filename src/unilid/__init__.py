"""unilid: names the language of a text.

>>> import unilid
>>> unilid.identify("Wie spät ist es?").label
'deu_Latn'
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from unilid.errors import CorpusError, ModelFileError, UnilidError, UnknownLanguageError, VocabularyError

if TYPE_CHECKING:
    from unilid.answers import Prediction
    from unilid.calibration import Rules
    from unilid.evaluation import compare, evaluate, evaluate_predictions
    from unilid.explanation import Explanation
    from unilid.fitting import calibrate
    from unilid.model import Model, Segment, load
    from unilid.settings import Settings
    from unilid.spans import Span, Spans
    from unilid.training import train
    from unilid.vocabulary import Vocabulary

__all__ = [
    "CorpusError",
    "Explanation",
    "Model",
    "ModelFileError",
    "Prediction",
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
    "train",
]

# Imported at first use: the command line's --help need not wait for numpy.
_HOMES = {
    "Explanation": "unilid.explanation",
    "Model": "unilid.model",
    "Prediction": "unilid.answers",
    "Rules": "unilid.calibration",
    "calibrate": "unilid.fitting",
    "compare": "unilid.evaluation",
    "evaluate": "unilid.evaluation",
    "evaluate_predictions": "unilid.evaluation",
    "Segment": "unilid.model",
    "Settings": "unilid.settings",
    "Span": "unilid.spans",
    "Spans": "unilid.spans",
    "load": "unilid.model",
    "train": "unilid.training",
    "Vocabulary": "unilid.vocabulary",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'unilid' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


@cache
def _default() -> Model:
    from unilid.model import load

    return load()


def identify(texts: Any, **options: Any) -> Any:
    """Name the language of one text or of many with the model that comes with the package; see `Model.identify`."""
    return _default().identify(texts, **options)
