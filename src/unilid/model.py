"""The model: a vocabulary, the word models of its languages, and the answers they give."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, overload

import numpy as np
import numpy.typing as npt

from unilid import _kernel, modelfile, unigram
from unilid.answers import Prediction, best_predictions, predictions
from unilid.background import ahead
from unilid.codes import Index
from unilid.confidence import DEFAULT_RATE
from unilid.context import ContextTable
from unilid.corpus import Batch, utf8
from unilid.costs import STEP, quantise
from unilid.counts import Counter, Words
from unilid.decisions import Decisions
from unilid.errors import CorpusError, ModelFileError, UnilidError
from unilid.packing import Checked, pack_sizes
from unilid.settings import WHOLE, Settings
from unilid.settings import positive as _positive
from unilid.spans import APART, SHORT, SWITCH, Spans, characters_before, entries
from unilid.unigram import UnigramTable
from unilid.vocabulary import Vocabulary

if TYPE_CHECKING:
    from unilid.explanation import Explainer, Explanation

Text: TypeAlias = str | bytes | None
_Decided: TypeAlias = tuple[
    npt.NDArray[np.int32], npt.NDArray[np.float64], npt.NDArray[np.float64], npt.NDArray[np.uint8]
]
Prior: TypeAlias = Literal["model", "training"] | Mapping[str, float] | None

CACHE_MEGABYTES = 64
"""At 204 languages room for 170,000 words, at 1,400 for 40,000."""
_MAX_SWITCH = 1_000_000
_CHUNK = 16_384  # texts in one kernel call, so that Ctrl-C is heard


@dataclass(frozen=True, slots=True)
class Segment:
    """A token of the most probable segmentation."""

    token: bytes
    start: int  # bytes of the text; the space that belongs to a word is not part of it
    end: int
    score: float


@dataclass(frozen=True, eq=False)
class Model:
    """Names the language of texts. Immutable: what changes a model returns a new one."""

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
    info: Mapping[str, Any]
    """How and from what the model was made."""
    decisions: Decisions = Decisions()  # noqa: RUF009  # frozen
    """How scores become answers."""
    cache_megabytes: int = CACHE_MEGABYTES
    """Room for words seen before, of one thread; the n-th thread that works at once gets an n-th of it."""
    path: Path | None = field(default=None, init=False)
    """The file it was loaded from; a changed copy has none."""

    # ---- answers

    @overload
    def identify(  # type: ignore[overload-overlap]  # a str is an iterable too
        self,
        texts: Text,
        *,
        k: None = None,
        languages: Iterable[str] | None = None,
        prior: Prior = "model",
        calibrated: bool | None = None,
        abstain: bool | float = True,
        candidates: int | None = None,
        threads: int = 1,
    ) -> Prediction: ...

    @overload
    def identify(  # type: ignore[overload-overlap]  # a str is an iterable too
        self,
        texts: Text,
        *,
        k: int,
        languages: Iterable[str] | None = None,
        prior: Prior = "model",
        calibrated: bool | None = None,
        abstain: bool | float = True,
        candidates: int | None = None,
        threads: int = 1,
    ) -> list[Prediction]: ...

    @overload
    def identify(
        self,
        texts: Iterable[Text],
        *,
        k: None = None,
        languages: Iterable[str] | None = None,
        prior: Prior = "model",
        calibrated: bool | None = None,
        abstain: bool | float = True,
        candidates: int | None = None,
        threads: int = 1,
    ) -> list[Prediction]: ...

    @overload
    def identify(
        self,
        texts: Iterable[Text],
        *,
        k: int,
        languages: Iterable[str] | None = None,
        prior: Prior = "model",
        calibrated: bool | None = None,
        abstain: bool | float = True,
        candidates: int | None = None,
        threads: int = 1,
    ) -> list[list[Prediction]]: ...

    def identify(
        self,
        texts: Text | Iterable[Text],
        *,
        k: int | None = None,
        languages: Iterable[str] | None = None,
        prior: Prior = "model",
        calibrated: bool | None = None,
        abstain: bool | float = True,
        candidates: int | None = None,
        threads: int = 1,
    ) -> Prediction | list[Prediction] | list[list[Prediction]]:
        """Name the language of one text, or of each of many.

        Parameters
        ----------
        texts
            A str, bytes (UTF-8 or not) or None, or any iterable of these. Content never raises.
        k
            Return the k best languages of each text, best first.
        languages
            Only these compete; their scores are exactly those of the full model. Labels, or codes that stand for some:
            ISO 639 of any part, BCP 47 tags, macrolanguages; see `rows`.
        prior
            None for a uniform prior, ``"training"`` for the shares of the training lines, or a mapping from labels or
            codes to probabilities. Labels that a code stands for share its probability equally; what the mapping
            leaves of 1 is shared by the labels that it does not name. ``"model"``: the one that was fitted for this
            model, uniform if none was.
        calibrated
            Whether predictions into languages that take what is not theirs are examined again (the paper's calibrated
            UniLID); None: where the model was calibrated.
        abstain
            Answer ``zxx`` where a text is no language, and ``und`` where the model cannot tell or knows nothing like
            it. A number is the share of ordinary text that may be rejected in this way (True: 0.002); False always
            names a language.
        candidates
            For very many labels: the unigram model alone names so many candidates, and only they are scored with the
            context model. Faster, and nearly the same; see docs/results/candidates.md.
        threads
            For many texts.

        Examples
        --------
        >>> import unilid
        >>> model = unilid.load()
        >>> model.identify("Der Zug fährt heute nicht.").label
        'deu_Latn'
        >>> [p.label for p in model.identify(["Where is the station?", "Où est la gare ?", ""])]
        ['eng_Latn', 'fra_Latn', 'zxx']
        >>> len(model.identify("¿Dónde está la estación?", k=3))
        3
        >>> model.identify("Hur mår du i dag?", languages=["de", "swe_Latn"]).label
        'swe_Latn'
        """
        k = None if k is None else _positive("k", k)
        threads = _positive("threads", threads)
        calibrated = self._calibrated(calibrated)
        scorer, second = self._stages(candidates, calibrated)
        rate = _rate(abstain)
        decision = self._decision(languages, prior, calibrated=calibrated, rate=rate)
        one = isinstance(texts, str | bytes) or not isinstance(texts, Iterable)
        many = [_text(texts)] if one else check_texts(texts)  # type: ignore[arg-type]
        abstains = rate is not None
        best: list[Prediction] = []
        ranked: list[list[Prediction]] = []

        def decide(start: int) -> _Decided:
            chunk = many[start : start + _CHUNK]
            return scorer.decide(chunk, decision, min(k or 1, len(self.languages)), threads, second)

        starts = range(0, len(many), _CHUNK)
        for rows, scores, probabilities, verdicts in (ahead if threads > 1 else map)(decide, starts):
            if k is None:
                columns = rows.ravel().tolist(), scores.ravel().tolist(), probabilities.ravel().tolist()
                best += best_predictions(self.languages, *columns, verdicts.tolist(), abstain=abstains)
            else:
                lists = rows.tolist(), scores.tolist(), probabilities.tolist(), verdicts.tolist()
                ranked += [
                    predictions(self.languages, *answer, abstain=abstains) for answer in zip(*lists, strict=True)
                ]
        answers = best if k is None else ranked
        return answers[0] if one else answers

    def best_rows(
        self,
        texts: Sequence[Text],
        *,
        prior: Prior = None,
        calibrated: bool = False,
        candidates: int | None = None,
        threads: int = 1,
    ) -> npt.NDArray[np.int32]:
        """Return the row of the best language of each text: the bare decision, in an array; -1 for an empty text."""
        many = check_texts(texts)
        threads = _positive("threads", threads)
        scorer, second = self._stages(candidates, self._calibrated(calibrated))
        decision = self.decisions.kernel(self.log_prior(None, prior), calibrated=calibrated, rate=None)
        chunks = [
            scorer.decide(many[start : start + _CHUNK], decision, 1, threads, second, sure=False)[0][:, 0]
            for start in range(0, len(many), _CHUNK)
        ]
        return np.concatenate([np.zeros(0, np.int32), *chunks])

    def scores(self, texts: Sequence[Text], *, marginal: bool = False, threads: int = 1) -> npt.NDArray[np.float64]:
        """Return the log-probability of each text under each language, in nats: [texts, languages].

        Before any prior. With `marginal`, the unigram model alone, summed over all segmentations of each word instead
        of taking the most probable one, and unbounded.

        >>> import unilid
        >>> model = unilid.load()
        >>> scores = model.scores(["Guten Tag", "Good day"])
        >>> [model.languages[row] for row in scores.argmax(axis=1)]
        ['deu_Latn', 'eng_Latn']
        """
        many = check_texts(texts)
        threads = _positive("threads", threads)
        if marginal:
            return -STEP * self._unigram.marginal(many, STEP, threads)
        return -STEP * self._scorer.costs(many, threads)[0].astype(np.float64)

    def segment(self, text: str | bytes, language: str) -> list[Segment]:
        """Return the most probable segmentation of a text under the unigram model of a language.

        >>> import unilid
        >>> b"".join(s.token for s in unilid.load().segment("Guten Tag", "deu_Latn"))
        b' Guten Tag'
        """
        row = self.row(language)
        segments = []
        if not isinstance(text, str | bytes):
            raise UnilidError(f"a text to segment is str or bytes, not {type(text).__name__}")
        for word, begin, end, *_ in _kernel.split_words(utf8(text)):
            shift = begin - (len(word) - (end - begin))  # the space stands before `begin`
            for token, first, last, cost in self._unigram.segment(word, row):
                start = max(begin, shift + first)
                segments.append(Segment(self.vocabulary.tokens[token], start, shift + last, -STEP * cost))
        return segments

    def explain(
        self,
        text: Text,
        language: str | None = None,
        instead: str | None = None,
        *,
        languages: Iterable[str] | None = None,
        prior: Prior = "model",
        calibrated: bool | None = None,
        abstain: bool | float = True,
    ) -> Explanation:
        """Say why a text is in one language rather than in another, word by word.

        What the words say and the prior add up exactly to the difference of the two languages. Printed, it is a table;
        a notebook shows it in colours.

        Parameters
        ----------
        text
            A str, bytes (UTF-8 or not) or None. Content never raises.
        language
            A label or a code; of several labels that it stands for, the one that explains the text best. Default: the
            answer, also where `identify` abstains from it.
        instead
            Likewise, the language to compare it with; default: the best of the others.
        languages, prior, calibrated, abstain
            Of `identify`, whose answer is explained.

        Examples
        --------
        >>> import unilid
        >>> why = unilid.load().explain("Hva er klokka nå, min venn?")
        >>> why.language, why.instead, why.difference > 0
        ('nob_Latn', 'nno_Latn', True)
        >>> why.deciding[0].text, why.deciding[0].difference > 0
        (b'Hva', True)
        >>> sum(word.difference for word in why.words) + why.prior == why.difference
        True
        >>> unilid.load().explain("Hva er klokka nå?", "da", instead="sv").instead
        'swe_Latn'
        """
        from unilid.explanation import Explainer, explain

        calibrated = self._calibrated(calibrated)
        if calibrated not in self._explainers:
            self._explainers[calibrated] = Explainer(self, calibrated=calibrated)
        named = None if languages is None else list(_codes(languages))
        return explain(
            self._explainers[calibrated],
            utf8(_text(text) or b""),
            language=language,
            instead=instead,
            log_prior=self.log_prior(named, prior),
            unrestricted=None if named is None else self.log_prior(None, prior),
            rate=_rate(abstain),
        )

    @cached_property
    def _explainers(self) -> dict[bool, Explainer]:
        return {}

    def spans(
        self,
        text: str | bytes,
        *,
        switch: float = SWITCH,
        least: int = 1,
        most: int | None = None,
        languages: Iterable[str] | None = None,
        prior: Prior = "model",
        offsets: Literal["characters", "bytes"] | None = None,
    ) -> Spans:
        """Return the languages of a mixed text: which stretch is in which.

        Spans cover the text without gaps; spaces and signs belong to a neighbour. What is no language (addresses, long
        rows of digits or signs) is a span ``zxx``. Time and memory are linear in the length.

        Parameters
        ----------
        text
            A str or bytes, UTF-8 or not. Content never raises.
        switch
            The evidence in nats that a change of language takes in a short text. A quotation in the midst of another
            language is two changes; in a text of 40 words or more, every stretch takes as much as a quotation. Less
            finds shorter quotations, and more that are none.
        least
            Letters of a span; a shorter one is given to the one before it.
        most
            Languages of the text: those with the most letters are kept, and the spans found again among these.
        languages, prior
            As for `identify`.
        offsets
            What `start` and `end` count. Default: characters of a str, bytes of bytes.

        Examples
        --------
        >>> import unilid
        >>> text = "Er sagte: “That is none of your business.” Dann ging er nach Hause."
        >>> for span in unilid.load().spans(text):
        ...     print(span.label, text[span.start : span.end])
        deu_Latn Er sagte:
        eng_Latn “That is none of your business.”
        deu_Latn Dann ging er nach Hause.
        """
        if not isinstance(text, str | bytes):
            raise UnilidError(f"a text with spans is str or bytes, not {type(text).__name__}")
        if offsets not in (None, "characters", "bytes"):
            raise UnilidError(f"offsets must be 'characters' or 'bytes', not {offsets!r}")
        if offsets == "characters" and isinstance(text, bytes):
            raise UnilidError("offsets in characters need a str; the text is bytes")
        if isinstance(switch, bool) or not isinstance(switch, int | float) or not 0 <= switch <= _MAX_SWITCH:
            raise UnilidError(f"switch must be a number of nats from 0 to {_MAX_SWITCH:,}, not {switch!r}")
        log_prior = self.log_prior(languages, prior)
        starts, rows, letters, probabilities = self._scorer.spans(
            text,
            entries(log_prior),
            self.decisions.kernel(log_prior, calibrated=False, rate=None),
            round(switch / STEP),
            SHORT,
            _positive("least", least),
            len(self.languages) if most is None else _positive("most", most),
            APART,
        )
        size = len(text)
        if isinstance(text, str) and not text.isascii():
            encoded = text.encode("utf-8", "surrogatepass")
            if offsets == "bytes":
                size = len(encoded)
            else:
                starts = characters_before(encoded, starts)
        return Spans(size, self.languages, starts, rows, letters, probabilities)

    def row(self, label: str) -> int:
        """Return the row of a label."""
        try:
            return self._index.exact[label]
        except (KeyError, TypeError):
            raise self._index.unknown(label) from None

    def rows(self, code: str) -> list[int]:
        """Return the rows of the labels that a code stands for.

        A label of the model stands for itself. Any other code is read as ISO 639 (of any part, old codes included) or
        BCP 47: without a script it stands for all scripts of the language, and a macrolanguage for its members too. A
        region that the labels do not name is ignored.

        >>> import unilid
        >>> model = unilid.load()
        >>> {model.languages[row] for code in ("de", "ger", "de-Latn-AT") for row in model.rows(code)}
        {'deu_Latn'}
        """
        found = self._index.rows(code)
        if not found:
            raise self._index.unknown(code)
        return found

    def _decision(
        self, languages: Iterable[str] | None, prior: Prior, *, calibrated: bool, rate: float | None
    ) -> _kernel.Decision:
        """Return how to answer; what is asked for most often is remembered."""
        if languages is not None or prior != "model" or rate not in (None, DEFAULT_RATE):
            return self.decisions.kernel(self.log_prior(languages, prior), calibrated=calibrated, rate=rate)
        if (calibrated, rate) not in self._usual_decisions:
            decision = self.decisions.kernel(self.log_prior(None, prior), calibrated=calibrated, rate=rate)
            self._usual_decisions[calibrated, rate] = decision
        return self._usual_decisions[calibrated, rate]

    @cached_property
    def _usual_decisions(self) -> dict[tuple[bool, float | None], _kernel.Decision]:
        return {}

    def log_prior(self, languages: Iterable[str] | None, prior: Prior) -> npt.NDArray[np.float64]:
        """Return the logarithm of each language's prior; -inf for those that do not compete."""
        allowed = np.zeros(len(self.languages), np.bool_)
        if languages is None:
            allowed[:] = True
        else:
            allowed[[row for code in _codes(languages) for row in self.rows(code)]] = True
            if not allowed.any():
                raise UnilidError("languages is empty: at least one must compete")
        weights = self._prior(prior) * allowed
        if not weights.sum() > 0:
            raise UnilidError("the prior excludes every language that may compete")
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(weights / weights.sum()))

    def _prior(self, prior: Prior) -> npt.NDArray[np.float64]:
        if prior == "model":
            prior = None
            if self.decisions.prior is not None:
                return self.decisions.prior
        if prior is None:
            return np.ones(len(self.languages))
        if isinstance(prior, str):
            if prior != "training":
                raise UnilidError(f"prior must be None, 'model', 'training' or a mapping, not {prior!r}")
            return self.lines.astype(np.float64)
        if not isinstance(prior, Mapping):
            raise UnilidError(f"prior must be None, 'model', 'training' or a mapping, not {prior!r}")
        weights = np.full(len(self.languages), -1.0)
        for code, probability in prior.items():
            if not isinstance(probability, int | float) or not 0 <= probability < math.inf:
                raise UnilidError(f"the prior of {code} is {probability}; expected a probability")
            rows = self.rows(code)
            twice = [self.languages[row] for row in rows if weights[row] >= 0]
            if twice:
                raise UnilidError(f"the prior of {code} names {twice[0]} again; give each language once")
            weights[rows] = probability / len(rows)
        named = weights >= 0
        rest = 1.0 - weights[named].sum()
        if rest < -1e-9:
            raise UnilidError(f"the prior adds up to {1 - rest:g}; probabilities add up to at most 1")
        weights[~named] = max(rest, 0.0) / max((~named).sum(), 1)
        return weights

    @cached_property
    def _index(self) -> Index:
        return Index(self.languages)

    @cached_property
    def _unigram(self) -> _kernel.UnigramModel:
        return self.unigram.kernel(self.vocabulary)

    @cached_property
    def _lowered_unigram(self) -> _kernel.UnigramModel:
        """The unigram model of calibrated UniLID: unseen tokens have one shared constant, or less."""
        calibration = self.decisions.calibration
        if calibration is None or np.array_equal(calibration.unseen, self.unigram.unseen):
            return self._unigram
        return replace(self.unigram, unseen=calibration.unseen).kernel(self.vocabulary)

    @cached_property
    def context_kernel(self) -> _kernel.ContextModel:
        """The context model, where there is one."""
        assert self.context is not None
        return self.context.kernel()

    @cached_property
    def _scorer(self) -> _kernel.Scorer:
        return self.make_scorer(self._unigram)

    @cached_property
    def _calibrated_scorer(self) -> _kernel.Scorer:
        return self._scorer if self._lowered_unigram is self._unigram else self.make_scorer(self._lowered_unigram)

    def make_scorer(
        self,
        unigrams: _kernel.UnigramModel,
        *,
        weight: int | None = None,
        bound: int | None = None,
        cache_megabytes: int | None = None,
    ) -> _kernel.Scorer:
        """Return the sum over word models: what comes after it does not know which there are.

        Weight, bound and cache are those of the model, unless given.
        """
        weight = self.settings.unigram_weight if weight is None else weight
        bound = self.settings.bound_steps if bound is None else bound
        models: list[tuple[_kernel.UnigramModel | _kernel.ContextModel, int]] = []
        if weight:
            models.append((unigrams, weight))
        if weight < WHOLE:
            models.append((self.context_kernel, WHOLE - weight))
        megabytes = self.cache_megabytes if cache_megabytes is None else cache_megabytes
        return _kernel.Scorer(models, len(self.languages), bound, megabytes << 20)

    @cached_property
    def _first_stages(self) -> dict[bool, _kernel.Scorer]:
        models = {False: self._unigram, True: self._lowered_unigram}
        return {
            calibrated: _kernel.Scorer([(model, WHOLE)], len(self.languages), 0, self.cache_megabytes << 20)
            for calibrated, model in models.items()
        }

    def unigram_kernel(self, *, calibrated: bool = False) -> _kernel.UnigramModel:
        """Return the unigram model that a scorer has."""
        return self._lowered_unigram if calibrated else self._unigram

    def scorer(self, *, calibrated: bool = False) -> _kernel.Scorer:
        """Return what scores texts, for the modules that fit decisions."""
        return self._calibrated_scorer if calibrated else self._scorer

    def _calibrated(self, wanted: bool | None) -> bool:
        if wanted and self.decisions.calibration is None:
            raise UnilidError("the model was not calibrated; `unilid calibrate` does that")
        return self.decisions.calibration is not None if wanted is None else bool(wanted)

    def _stages(
        self, candidates: int | None, calibrated: bool
    ) -> tuple[_kernel.Scorer, tuple[_kernel.ContextModel, int, int, int] | None]:
        candidates = None if candidates is None else _positive("candidates", candidates)
        if candidates is None or self.settings.unigram_weight == WHOLE:
            return self.scorer(calibrated=calibrated), None
        count = min(candidates, len(self.languages))
        second = (self.context_kernel, self.settings.unigram_weight, self.settings.bound_steps, count)
        return self._first_stages[calibrated], second

    # ---- languages come and go

    def add_language(self, label: str, lines: Iterable[str | bytes], *, threads: int = 1) -> Model:
        """Return a model that also knows a new language, learned from a few lines. No other row changes.

        >>> import unilid
        >>> lines = ["Kalimera, ti kaneis simera?", "Pou einai o stathmos?", "Tha ithela enan kafe kai ligo nero."]
        >>> model = unilid.load().add_language("ell_Latn", lines)  # Greek in Latin letters
        >>> model.identify("Kalimera, pou einai o kafes?").label
        'ell_Latn'
        """
        return self.add_languages({label: lines}, threads=threads)

    def add_languages(self, corpus: Mapping[str, Iterable[str | bytes]], *, threads: int = 1) -> Model:
        """Return a model that also knows several new languages."""
        from unilid import fitting  # which needs models

        counter = Counter()
        texts_of: dict[str, list[bytes]] = {}
        if not corpus:
            raise CorpusError("no languages to add")
        for label, lines in corpus.items():
            if isinstance(lines, str | bytes) or not isinstance(lines, Iterable):
                raise UnilidError(f"{label}: lines must be a list of texts")
            texts = [utf8(line) for line in lines]
            if not texts:
                raise CorpusError(f"{label}: no lines to learn from")
            counter.add(Batch([label] * len(texts), texts))
            texts_of[label] = texts
        counted = counter.corpus()
        known = [label for label in counted.labels if label in self._index.exact]
        if known:
            raise UnilidError(f"the model knows {known[0]} already; remove it first (`unilid subset --remove`)")
        extended = self.append(counted.labels, counted.words, counted.lines, threads=threads)
        return extended if self.decisions.is_default else fitting.fit_added(self, extended, texts_of, threads=threads)

    def append(
        self, labels: Sequence[str], words: Sequence[Words], lines: npt.NDArray[np.int64], *, threads: int = 1
    ) -> Model:
        """Return a model with languages appended, from their word counts; decisions know nothing of them yet."""
        expected = unigram.expect(self.vocabulary, words, fragments=self.settings.fragments, threads=threads)
        unigrams = UnigramTable.of(expected, len(self.vocabulary), self.settings.shared_unseen)
        contexts = None
        if self.context is not None and self.settings.order is not None:
            contexts = self.context.append(self.settings.estimate_context(words, threads))
        return replace(
            self,
            languages=self.languages + tuple(labels),
            unigram=self.unigram.append(unigrams),
            context=contexts,
            lines=np.concatenate([self.lines, lines]),
            tokens=np.concatenate([self.tokens, [e.total for e in expected]]),
            decisions=Decisions(self.decisions.temperature),
        )

    def subset(self, languages: Iterable[str]) -> Model:
        """Return a model of some of the languages, in the order given; labels or codes, see `rows`.

        >>> import unilid
        >>> unilid.load().subset(["fra_Latn", "deu_Latn"]).languages
        ('fra_Latn', 'deu_Latn')
        """
        rows = list(dict.fromkeys(row for code in _codes(languages) for row in self.rows(code)))
        if not rows:
            raise UnilidError("a model needs at least one language")
        return replace(
            self,
            languages=tuple(self.languages[row] for row in rows),
            unigram=self.unigram.select(rows),
            context=None if self.context is None else self.context.select(rows),
            lines=self.lines[rows],
            tokens=self.tokens[rows],
            decisions=self.decisions.select(rows),
        )

    def remove_languages(self, languages: Iterable[str]) -> Model:
        """Return a model without some of its languages; labels or codes, see `rows`."""
        removed = {row for code in _codes(languages) for row in self.rows(code)}
        return self.subset(label for row, label in enumerate(self.languages) if row not in removed)

    # ---- files

    def to_bytes(self) -> bytes:
        """Return the content of a model file; the same bytes for the same model."""
        arrays: modelfile.Arrays = {
            "languages.lines": self.lines,
            "languages.tokens": self.tokens,
            "vocabulary.bytes": np.frombuffer(b"".join(self.vocabulary.tokens), np.uint8),
            **pack_sizes("vocabulary.lengths", np.array([len(token) for token in self.vocabulary.tokens])),
            **self.unigram.pack(),
            **({} if self.context is None else self.context.pack()),
        }
        decisions, stored = self.decisions.pack()
        arrays |= decisions
        metadata = {
            "languages": self.languages,
            "settings": asdict(self.settings),
            "decisions": stored,
            "info": dict(self.info),
        }
        return modelfile.encode(arrays, metadata)

    def save(self, path: str | Path) -> Model:
        """Write the model, whole or not at all, and return it as loaded from there."""
        modelfile.write(path, self.to_bytes())
        return load(path)

    @staticmethod
    def from_bytes(content: bytes, *, cache_megabytes: int = CACHE_MEGABYTES) -> Model:
        """Return the model that `to_bytes` made."""
        with modelfile.decoding(content, "the model") as decoded:
            return _from_file(*decoded, cache_megabytes, name="the model")

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by reference to the file, where there is one: processes then share its pages."""
        if self.path is not None:
            return (partial(load, cache_megabytes=self.cache_megabytes), (str(self.path),))
        return (partial(Model.from_bytes, cache_megabytes=self.cache_megabytes), (self.to_bytes(),))

    def __repr__(self) -> str:
        """Say what is inside, not all of it."""
        where = f" from {self.path}" if self.path else ""
        return f"<unilid.Model of {len(self.languages)} languages, {len(self.vocabulary)} tokens{where}>"


def load(path: str | Path | None = None, *, cache_megabytes: int = CACHE_MEGABYTES) -> Model:
    """Load a model from a file, or the one that comes with the package; ``"compact"`` is its small form.

    The file is mapped: to change it under a running process, replace it (as `save` does), do not write into it. Words
    that were seen before are kept in a cache, which grows up to `cache_megabytes`.

    >>> load().identify("Wie spät ist es?").label, load("compact").identify("Wie spät ist es?").label
    ('deu_Latn', 'deu_Latn')
    """
    path = Path(__file__).with_name(f"{path or 'default'}.unilid") if path in (None, "compact") else Path(path)
    with modelfile.opened(path) as decoded:
        model = _from_file(*decoded, cache_megabytes, name=str(path))
    object.__setattr__(model, "path", path.resolve())
    return model


def _from_file(arrays: modelfile.Arrays, metadata: dict[str, Any], cache_megabytes: int, *, name: str) -> Model:
    cache_megabytes = _positive("cache_megabytes", cache_megabytes)
    file = Checked(arrays, name)
    try:
        languages = metadata["languages"]
        if not isinstance(languages, list) or not languages or not all(isinstance(label, str) for label in languages):
            raise file.fail("its languages are not a list of labels")
        known = {field.name for field in fields(Settings)}
        settings = Settings(**{key: value for key, value in metadata["settings"].items() if key in known})
        info = dict(metadata["info"])
        decisions = Decisions.unpack(file, metadata["decisions"], languages=len(languages))
    except ModelFileError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, UnilidError) as error:
        raise file.fail(f"its settings cannot be understood ({error})") from error
    if len(set(languages)) < len(languages) or len(languages) > 65_535:
        raise file.fail("the labels are not distinct")
    blob = file.take("vocabulary.bytes", np.uint8).tobytes()
    lengths = file.take("vocabulary.lengths", np.uint8)
    ends = file.take_firsts("vocabulary.lengths", np.int64, groups=len(lengths), members=len(blob)).tolist()
    try:
        vocabulary = Vocabulary(tuple(map(blob.__getitem__, map(slice, ends, ends[1:]))))
    except UnilidError as error:
        raise file.fail(str(error)) from error
    contexts = None
    if settings.order is not None:
        base = int(quantise(np.array([settings.base]), 255)[0])
        contexts = ContextTable.unpack(file, order=settings.order, base=base, languages=len(languages))
    return Model(
        tuple(languages),
        vocabulary,
        UnigramTable.unpack(file, tokens=len(vocabulary), languages=len(languages)),
        contexts,
        settings,
        file.take("languages.lines", np.int64, length=len(languages)),
        file.take("languages.tokens", np.float64, length=len(languages)),
        info,
        decisions,
        cache_megabytes,
    )


_TYPES = {str, bytes, type(None)}


def check_texts(texts: Iterable[Text]) -> list[Text]:
    """Return texts as a list, each of a type that a text can have."""
    if isinstance(texts, str | bytes) or not isinstance(texts, Iterable):
        raise UnilidError("expected a list of texts; for one text, give a list of one")
    many = list(texts)
    return many if set(map(type, many)) <= _TYPES else [_text(text) for text in many]


def _codes(languages: Iterable[str]) -> Iterable[str]:
    if isinstance(languages, str | bytes) or not isinstance(languages, Iterable):
        raise UnilidError(f"languages must be a list of labels, not {languages!r}")
    return languages


def _text(text: Any) -> Text:
    if text is None or isinstance(text, str | bytes):
        return text
    if isinstance(text, float) and math.isnan(text):  # how data frames write a missing text
        return None
    raise UnilidError(f"a text is str, bytes or None, not {type(text).__name__}")


def _rate(abstain: object) -> float | None:
    """Return the rate of false rejections; None for never."""
    if isinstance(abstain, bool):
        return DEFAULT_RATE if abstain else None
    if isinstance(abstain, int | float) and 0 < abstain < 1:
        return float(abstain)
    raise UnilidError(f"abstain must be True, False or a share of texts between 0 and 1, not {abstain!r}")
