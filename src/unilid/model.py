"""The model: what a user holds. It answers (`questions.py`), learns languages, and is kept in a file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from unilid.corpus.counts import counted_lines
from unilid.corpus.formats import lines_of_labels
from unilid.decisions.decide import Decisions
from unilid.errors import UnilidError
from unilid.models.parameters import Parameters
from unilid.numbers import whole_number
from unilid.questions import Questions
from unilid.scoring.scorers import CACHE_MEGABYTES, Scorers
from unilid.store import modelfile
from unilid.store.packing import CheckedFile
from unilid.store.repository import model_file
from unilid.threads import Threads, number_of_threads


@dataclass(frozen=True, eq=False)
class Model(Questions):
    """Names the language of texts; `unilid.load()` returns one. Immutable: what changes a model returns a new one."""

    parameters: Parameters
    """The languages, the vocabulary and the word models."""
    decisions: Decisions = Decisions()  # noqa: RUF009  # frozen
    """How scores become answers."""
    info: Mapping[str, Any] = field(default_factory=dict)
    """How and from what the model was made."""
    cache_megabytes: int = CACHE_MEGABYTES
    """Room for words seen before, of one thread; the n-th thread that works at once gets an n-th of it."""
    path: Path | None = field(default=None, init=False)
    """The file it was loaded from; a changed copy has none."""

    def __post_init__(self) -> None:
        """Refuse decisions that do not belong to these languages."""
        self.decisions.check(len(self.languages))

    def add_language(self, label: str, lines: Iterable[str | bytes], *, threads: Threads = "auto") -> Model:
        """Return a model that also knows a new language, learned from a few lines. No other row changes.

        >>> import unilid
        >>> lines = ["Kalimera, ti kaneis simera?", "Pou einai o stathmos?", "Tha ithela enan kafe kai ligo nero."]
        >>> model = unilid.load().add_language("ell_Latn", lines)  # Greek in Latin letters
        >>> model.identify("Kalimera, pou einai o kafes?").label
        'ell_Latn'
        """
        return self.add_languages({label: lines}, threads=threads)

    def add_languages(self, corpus: Mapping[str, Iterable[str | bytes]], *, threads: Threads = "auto") -> Model:
        """Return a model that also knows several new languages, each with its lines."""
        from unilid.decisions import fitting  # here, because identifying need not wait for it

        count, texts = number_of_threads(threads), lines_of_labels(corpus)
        counted = counted_lines(texts)
        known = [label for label in counted.labels if label in self._answerer.index]
        if known:
            raise UnilidError(f"the model knows {known[0]} already; remove it first: remove_languages([{known[0]!r}])")
        extended = self.parameters.append(counted.labels, counted.words, counted.lines, threads=count)
        decisions = fitting.extend(self.decisions, self.parameters, Scorers(extended), texts, threads=count)
        return replace(self, parameters=extended, decisions=decisions)

    def subset(self, languages: Iterable[str]) -> Model:
        """Return a model of some of the languages, in the order given; labels or codes, see `rows_matching`.

        >>> import unilid
        >>> unilid.load().subset(["fra_Latn", "deu_Latn"]).languages
        ('fra_Latn', 'deu_Latn')
        """
        return self._select(self._answerer.index.rows_of_all(languages))

    def remove_languages(self, languages: Iterable[str]) -> Model:
        """Return a model without some of its languages; labels or codes, see `rows_matching`."""
        removed = set(self._answerer.index.rows_of_all(languages))
        return self._select([row for row in range(len(self.languages)) if row not in removed])

    def _select(self, rows: Sequence[int]) -> Model:
        return replace(self, parameters=self.parameters.select(rows), decisions=self.decisions.select(rows))

    def to_bytes(self) -> bytes:
        """Return the content of a model file; the same bytes for the same model."""
        arrays, metadata = self.parameters.pack()
        decision_arrays, decisions = self.decisions.pack()
        metadata |= {"decisions": decisions, "info": dict(self.info)}
        return modelfile.encode(arrays | decision_arrays, metadata)

    def save(self, path: str | Path) -> Model:
        """Write the model, whole or not at all, and return it as loaded from there."""
        modelfile.write(path, self.to_bytes())
        return load(path)

    @staticmethod
    def from_bytes(content: bytes, *, cache_megabytes: int = CACHE_MEGABYTES) -> Model:
        """Return the model that `to_bytes` made."""
        with modelfile.decoding(content, "the model") as decoded:
            return _unpack(*decoded, cache_megabytes, name="the model")

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by reference to the file, where there is one: processes then share its pages."""
        if self.path is not None:
            return (partial(load, cache_megabytes=self.cache_megabytes), (str(self.path),))
        return (partial(Model.from_bytes, cache_megabytes=self.cache_megabytes), (self.to_bytes(),))

    def __repr__(self) -> str:
        """Say what is inside, not all of it."""
        where = f" from {self.path}" if self.path else ""
        tokens = f", {count} tokens" if (count := self.parameters.token_count) else ""
        return f"<unilid.Model of {len(self.languages)} languages{tokens}{where}>"


def load(path: str | Path | None = None, *, cache_megabytes: int = CACHE_MEGABYTES, ready: bool = False) -> Model:
    """Load a model from a file, or the one that comes with the package; ``"compact"`` is its small form.

    A folder that `unilid export --hub` wrote is loaded by its name, and a repository of the Hugging Face Hub by
    ``"hf://user/name"`` or ``"hf://user/name@revision"``: it is fetched once, and looked for in the cache afterwards
    (`pip install 'unilid[hub]'`).

    The file is mapped: to change it under a running process, replace it (as `save` does), do not write into it. Words
    that were seen before are kept in a cache, which grows up to `cache_megabytes`. Tables that answers need are built
    at the first question; with `ready`, now, while another core computes the checksum of the file.

    >>> load().identify("Wie spät ist es?").label, load("compact").identify("Wie spät ist es?").label
    ('deu_Latn', 'deu_Latn')
    """
    if path is None or path == "compact":
        path = Path(__file__).with_name(f"{path or 'default'}.unilid")
    path = model_file(path)
    with modelfile.opened(path) as decoded:
        model = _unpack(*decoded, cache_megabytes, name=str(path))
        if ready:
            model.identify([])
    object.__setattr__(model, "path", path.resolve())
    return model


def _unpack(arrays: modelfile.Arrays, metadata: dict[str, Any], cache_megabytes: int, *, name: str) -> Model:
    cache_megabytes = whole_number("cache_megabytes", cache_megabytes)
    file = CheckedFile(arrays, name)
    with file.understanding("its settings"):
        parameters = Parameters.unpack(file, metadata)
        decisions = Decisions.unpack(file, metadata["decisions"], language_count=len(parameters.languages))
        return Model(parameters, decisions, dict(metadata["info"]), cache_megabytes)
