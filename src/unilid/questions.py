"""The questions that a model answers. Word models, scorers and decisions have rooms of their own; here they meet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
import numpy.typing as npt

from unilid import _kernel
from unilid.columns.texts import Column, batches_of, is_column
from unilid.decisions.answerer import Answerer
from unilid.decisions.answers import Prediction, predictions, ranked_predictions
from unilid.decisions.decide import Decisions, answers_in_chunks, in_chunks
from unilid.models.costs import STEP
from unilid.models.parameters import Parameters
from unilid.models.segmentation import Segment, segment
from unilid.models.settings import Settings
from unilid.models.vocabulary import Vocabulary
from unilid.numbers import whole_number
from unilid.spans.spans import SWITCH, Spans, find_spans
from unilid.texts import Text, check_text, check_texts, is_one, utf8
from unilid.threads import Threads, number_of_threads

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from unilid.columns.answers import AnswerArray, AnswerStream
    from unilid.decisions.options import Options
    from unilid.decisions.prior import Prior
    from unilid.explanation.explainer import Explainer, Explanation


class Questions:
    """What can be asked of a `Model`."""

    parameters: Parameters
    decisions: Decisions
    cache_megabytes: int

    @property
    def languages(self) -> tuple[str, ...]:
        """The labels, in the order of the rows."""
        return self.parameters.languages

    @property
    def vocabulary(self) -> Vocabulary:
        """The tokens that all languages share."""
        return self.parameters.vocabulary

    @property
    def settings(self) -> Settings:
        """What the word models were made with."""
        return self.parameters.settings

    @property
    def lines(self) -> npt.NDArray[np.int64]:
        """Training lines per language."""
        return self.parameters.lines

    @overload
    def identify(  # type: ignore[overload-overlap]  # a str is an iterable too
        self, texts: Text, *, k: None = None, threads: Threads = "auto", **options: Unpack[Options]
    ) -> Prediction: ...
    @overload
    def identify(  # type: ignore[overload-overlap]  # a str is an iterable too
        self, texts: Text, *, k: int, threads: Threads = "auto", **options: Unpack[Options]
    ) -> list[Prediction]: ...
    @overload
    def identify(
        self, texts: Iterable[Text] | Column, *, k: None = None, threads: Threads = "auto", **options: Unpack[Options]
    ) -> list[Prediction]: ...
    @overload
    def identify(
        self, texts: Iterable[Text] | Column, *, k: int, threads: Threads = "auto", **options: Unpack[Options]
    ) -> list[list[Prediction]]: ...
    def identify(
        self, texts: Text | Iterable[Text] | Column, *, k: int | None = None, threads: Threads = "auto", **options: Any
    ) -> Prediction | list[Prediction] | list[list[Prediction]]:
        """Name the language of one text, or of each of many.

        Parameters
        ----------
        texts
            A str, bytes (UTF-8 or not) or None, or any iterable of these, or a column of Arrow (see
            `identify_column`). Content never raises.
        k
            Return the k best languages of each text, best first.
        threads
            How many threads work on many texts; ``"auto"``: as many as this process has cores.
        options
            `languages`, `prior`, `calibrated`, `abstain` and `budget`: see `Options`.

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
        make = predictions if k is None else ranked_predictions
        answers: list[Any] = []
        for chunk, abstain in self.answer_arrays(texts, k=1 if k is None else k, threads=threads, **options):
            answers += make(self.languages, chunk, abstain=abstain)
        return answers[0] if is_one(texts) and not is_column(texts) else answers

    def answer_arrays(
        self, texts: Text | Iterable[Text] | Column, *, k: int, threads: Threads, **options: Unpack[Options]
    ) -> Iterator[tuple[_kernel.Answers, bool]]:
        """Yield what `identify` answers as arrays of the kernel, some texts at a time, and whether it may abstain.

        For adapters that make something else of it than a `Prediction`.
        """
        k, request = whole_number("k", k), self._answerer.request("k", "threads", **options)
        for batch in batches_of(texts):
            chunks = answers_in_chunks(
                request.scorers.scorer,
                in_chunks(batch),
                request.decision,
                k=min(k, len(self.languages)),
                threads=number_of_threads(threads),
                budget=request.budget,
            )
            for chunk in chunks:
                yield chunk, request.rate is not None

    def identify_column(
        self,
        column: Column,
        *,
        k: int | None = None,
        shares: bool = False,
        threads: Threads = "auto",
        **options: Unpack[Options],
    ) -> AnswerArray | AnswerStream:
        """Name the language of each text of a column of Arrow, as a column of Arrow.

        Rows are structs of `label`, `probability`, `score`, `reason` and `guess`, as in `Prediction`; null where the
        text is. Texts are read where they lie, and no other library is needed. A column in pieces, such as that of a
        data frame, gives a stream, whose batches are computed when they are asked for.

        Parameters
        ----------
        column
            Whatever offers the Arrow PyCapsule interface (pyarrow, polars, pandas, DuckDB, nanoarrow, arro3): strings
            or bytes of any Arrow type, dictionaries of these, with nulls; a table of one such column, too.
        k
            Rows are lists of the k best languages of each text, best first.
        shares
            Rows have `shares`, too: the languages of the text with their shares of its letters, as `spans` finds them.
        threads, options
            As for `identify`.

        Examples
        --------
        >>> import pyarrow, unilid
        >>> texts = pyarrow.array(["Wo ist der Bahnhof?", None, "12:30"])
        >>> pyarrow.array(unilid.load().identify_column(texts)).field("label").to_pylist()
        ['deu_Latn', None, 'zxx']
        """
        from unilid.columns.answers import Question, identify_column  # here, because few ask

        k = None if k is None else whole_number("k", k)
        request = self._answerer.request("k", "shares", "threads", **options)
        question = Question(self._answerer, request, k, bool(shares), number_of_threads(threads))
        return identify_column(column, question)

    def scores(
        self, texts: Sequence[Text], *, marginal: bool = False, threads: Threads = "auto"
    ) -> npt.NDArray[np.float64]:
        """Return the log-probability of each text under each language, in nats: [texts, languages].

        Before any prior. With `marginal`, the unigram model alone, summed over all segmentations of each word instead
        of taking the most probable one, and unbounded.

        >>> import unilid
        >>> model = unilid.load()
        >>> scores = model.scores(["Guten Tag", "Good day"])
        >>> [model.languages[row] for row in scores.argmax(axis=1)]
        ['deu_Latn', 'eng_Latn']
        """
        many, count = check_texts(texts), number_of_threads(threads)
        if marginal:
            self.parameters.require_tokens()
            return -STEP * self._answerer.scorers.unigram.marginal(many, STEP, count)
        return -STEP * self._answerer.scorers.scorer.costs(many, count).all

    def segment(self, text: str | bytes, label: str) -> list[Segment]:
        """Return the most probable segmentation of a text under a language; an error where the model has no tokens."""
        row = self.row_of(label)
        self.parameters.require_tokens()
        return segment(self._answerer.scorers.unigram, self.vocabulary, text, row)

    def explain(
        self,
        text: Text,
        language: str | None = None,
        instead: str | None = None,
        **options: Unpack[Options],
    ) -> Explanation:
        """Say why a text is in one language rather than in another, word by word.

        What the words say, the prior and, in a model of few labels, the handicap add up exactly to the difference of
        the two languages. Printed, it is a table; a notebook shows it in colours.

        Parameters
        ----------
        text
            A str, bytes (UTF-8 or not) or None. Content never raises.
        language
            A label or a code (``zh`` is Mandarin, ``zh-*`` any Chinese; see `rows_matching`); of several labels that it
            stands for, the one that explains the text best. Default: the answer, also where `identify` abstains from
            it.
        instead
            Likewise, the language to compare it with; default: the best of the others.
        options
            Those of `identify`, whose answer is explained; the text is read as a whole, whatever its `budget`.

        Examples
        --------
        >>> import unilid
        >>> why = unilid.load().explain("Hva er klokka nå, min venn?")
        >>> why.language, why.instead, why.difference > 0
        ('nob_Latn', 'nno_Latn', True)
        >>> why.deciding[0].text, why.deciding[0].difference > 0
        (b'Hva', True)
        >>> sum(word.difference for word in why.words) + why.prior + why.handicap == why.difference
        True
        >>> unilid.load().explain("Hva er klokka nå?", "da", instead="sv").instead
        'swe_Latn'
        """
        # Imported here because it takes time that only those who ask for an explanation should spend.
        from unilid.explanation.explainer import Explainer, explain

        request = self._answerer.request("language", "instead", **options)
        if request.calibrated not in self._explainers:
            self._explainers[request.calibrated] = Explainer(self._answerer, calibrated=request.calibrated)
        content = utf8(check_text(text) or b"")
        return explain(self._explainers[request.calibrated], content, request, language=language, instead=instead)

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
        offsets: Literal["auto", "characters", "bytes"] = "auto",
    ) -> Spans:
        """Return the languages of a mixed text: which stretch is in which.

        Spans cover the text without gaps; spaces and signs belong to a neighbour. What is no language (addresses, long
        rows of digits or signs) is a span ``zxx``, and letters that no language is written in are ``und``. Time and
        memory are linear in the length.

        Parameters
        ----------
        text
            A str or bytes, UTF-8 or not. Content never raises.
        switch
            The penalty in nats for switching to another language in a short text. A quotation in the midst of another
            language pays twice; in a text of 40 words or more, every switch costs as much as a quotation. A lower
            penalty finds shorter quotations, and more false ones.
        least
            The fewest letters of a span; a shorter one is given to the one before it.
        most
            The most languages of the text: those with the most letters are kept, and the spans found again among these.
        languages, prior
            As for `identify`, see `Options`.
        offsets
            What `start` and `end` count; ``"auto"``: characters of a str, bytes of bytes.

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
        return find_spans(
            self._answerer.scorers.scorer,
            self.decisions,
            self.languages,
            text,
            self._answerer.log_prior(languages, prior),
            switch=switch,
            least=least,
            most=most,
            offsets=offsets,
        )

    def row_of(self, label: str) -> int:
        """Return the row of exactly this label."""
        return self._answerer.index.row_of(label)

    def rows_matching(self, code: str) -> list[int]:
        """Return the rows of the labels that a code stands for.

        A label of the model stands for itself. Any other code is read as ISO 639 (of any part, old codes included) or
        BCP 47, and means what it means in practice: the usual language of a macrolanguage (``ar`` is Standard Arabic),
        in the usual scripts (``zh`` is Mandarin in both forms of characters, ``hi`` Hindi in Devanagari). A script asks
        for that one (``hi-Latn``, ``zh-Hant``), and ``*`` for all that the code can stand for, relatives and
        romanisations too (``zh-*``, ``zh-*-Latn``). Where the model lacks the usual one, a code finds what there is.
        A region that the labels do not name is ignored, unless it tells the script (``zh-TW``).

        A code means the same wherever one is taken: `languages` and `prior` of `Options`, `subset`, `remove_languages`,
        `explain`.

        >>> import unilid
        >>> model = unilid.load()
        >>> {model.languages[row] for code in ("de", "ger", "de-Latn-AT") for row in model.rows_matching(code)}
        {'deu_Latn'}
        >>> [model.languages[row] for row in model.rows_matching("zh")]
        ['cmn_Hans', 'cmn_Hant']
        """
        return self._answerer.index.rows_matching(code)

    @cached_property
    def _answerer(self) -> Answerer:
        return Answerer(self.parameters, self.decisions, cache_megabytes=self.cache_megabytes)
