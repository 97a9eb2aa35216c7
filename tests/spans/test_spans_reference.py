"""Spans are those of the reference implementation."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO, StringIO
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console
from support.corpora import CORPUS, SENTENCES
from support.models import small_model
from support.strategies import texts, unigram_tables, unigram_vector
from support.variants import with_settings
from support.whole_words import pairs_of, whole_word_model

from unilid import _kernel, plain
from unilid._kernel import NO_ENTRY, WEIGHT_STEPS
from unilid.decisions.prior import Prior
from unilid.models.costs import STEP
from unilid.models.unigram import UnigramTable
from unilid.models.vocabulary import Vocabulary
from unilid.spans import view
from unilid.spans.spans import SHORT, entry_costs


class Reference:
    """Spans in plain Python, over the words' vectors of a made-up model."""

    def __init__(
        self, vocabulary: Vocabulary, table: UnigramTable, bound: int, scripts: Sequence[set[int]] = ()
    ) -> None:
        self.languages = len(table.unseen)
        self.scorer = _kernel.Scorer(
            [(table.kernel(vocabulary), WEIGHT_STEPS)], self.languages, bound, 1 << 16, None, pairs_of(scripts), False
        )
        self._vocabulary, self._table, self._bound, self._scripts = vocabulary, table, bound, scripts

    def _vector(self, word: plain.Word) -> list[int]:
        vector = unigram_vector(word.text, self._vocabulary, self._table)
        return plain.word_vector(word, vector, self._bound, self._scripts)

    def spans(
        self,
        text: bytes,
        entry: Sequence[int],
        handicaps: Sequence[float] | None,
        *,
        change: int,
        short: int,
        least: int,
        most: int,
        apart: int,
    ) -> list[tuple[int, int, int]]:
        competing = [row for row, own in enumerate(entry) if own < NO_ENTRY]
        log_prior = [-STEP * own for own in entry]
        voters = [word for word in plain.split_words(text) if plain.votes(word, self._scripts, competing)]
        vectors = [self._vector(word) for word in voters]
        letters = [word.letters for word in voters]
        path = plain.span_path(vectors, entry, change, short)
        kept = plain.most_spoken(path, letters, most)
        if kept < set(path):
            entry = [own if row in kept else NO_ENTRY for row, own in enumerate(entry)]
            path = plain.span_path(vectors, entry, change, short)
        if most < self.languages:
            competing = [row for row in competing if row in kept]
        path = plain.without_short(path, letters, least)
        starts = plain.span_starts(text, voters, path, apart)
        ends = [*(start for start, _ in starts[1:]), len(text)][: len(starts)]
        spans: list[tuple[int, int, int]] = []
        for (start, row), end in zip(starts, ends, strict=True):
            inside = [number for number, word in enumerate(voters) if start <= word.begin < end]
            words = [voters[number] for number in inside]
            if row is None:
                words = [word for word in plain.split_words(text) if start <= word.begin < end]
                words = list(filter(plain.is_linguistic, words))
                final = -2 if words else -1
            else:
                size = sum(word.letters for word in words)
                costs = [STEP * sum(vectors[n][at] for n in inside) for at in range(self.languages)]
                each = zip(log_prior, costs, handicaps or [0.0] * self.languages, strict=True)
                keys = [plain.key(*own, size) for own in each]
                own = plain.own_script(words, None if handicaps else row, keys, self._scripts, competing)
                final = -2 if own is None else own
            size = sum(word.letters for word in words)
            before = [spans.pop()] if spans and spans[-1][1] == final else []
            spans.append((before[0][0] if before else start, final, size + sum(one[2] for one in before)))
        return spans


mixed = st.one_of(
    texts,
    st.text("abcéж中  .1_@-/\n", max_size=60).map(str.encode),
    st.lists(st.sampled_from(["ab", "abé", "ж", "жж", "한", "का", "中", "--", "-" * 9]), max_size=12).map(
        lambda words: " ".join(words).encode()
    ),
)


@given(
    unigram_tables(),
    mixed,
    st.sampled_from([0, 8]),
    st.sampled_from([0, 3, 20, 100]),
    st.sampled_from([1, 3, 99]),
    st.sampled_from([1, 3, 8]),
    st.sampled_from([1, 2, 99]),
    st.sampled_from([1, 3, 8]),
    st.integers(0, 99),
    st.booleans(),
)
@settings(max_examples=80)
def test_spans_are_those_of_the_reference(
    made: tuple[Vocabulary, UnigramTable],
    text: bytes,
    bound: int,
    change: int,
    short: int,
    least: int,
    most: int,
    apart: int,
    seed: int,
    scripts: bool,
) -> None:
    random = np.random.default_rng(seed)
    some = [_kernel.SCRIPTS[name] for name in ("Latn", "Cyrl", "Deva", "Hang")]
    uses = [set(random.choice(some, 2).tolist()) for _ in made[1].unseen] if scripts else []
    reference = Reference(*made, bound, uses)
    entry = random.choice([0, 0, 5, 40, 400, NO_ENTRY], reference.languages).astype(np.uint32)
    entry[random.integers(reference.languages)] = 0
    handicaps = random.choice([0.0, 0.5, 3.0], reference.languages) if seed % 3 else None
    temperature = _kernel.Temperature(1.0, 10.0, 0.5)
    decision = _kernel.Decision(-STEP * entry.astype(np.float64), STEP, temperature, None, None, handicaps)
    most = min(most, reference.languages)
    spans = reference.scorer.spans(text, entry, decision, change, short, least, most, apart)
    found = list(zip(spans.begins.tolist(), spans.rows.tolist(), spans.letters.tolist(), strict=True))
    assert found == reference.spans(
        text,
        entry.tolist(),
        None if handicaps is None else handicaps.tolist(),
        change=change,
        short=short,
        least=least,
        most=most,
        apart=apart,
    )


# Long and short stretches by turns.
parts_of_text = st.lists(
    st.tuples(st.permutations(sorted(CORPUS)), st.integers(0, 99), st.integers(5, 30), st.integers(0, 3)),
    min_size=1,
    max_size=3,
)


@given(parts_of_text, st.integers(0, 120), st.booleans())
@settings(max_examples=100)
def test_spans_are_the_references_way_through_the_words(
    parts: list[tuple[list[str], int, int, int]], eighths: int, uniform: bool
) -> None:
    model = small_model()
    words: list[str] = []
    for labels, start, long, short in parts:
        for label, count in zip(labels, (long, short), strict=False):
            words += (" ".join(CORPUS[label]).split() * 9)[start : start + count]
    words = ["".join(filter(str.isalpha, word)) or "a" for word in words]
    prior: Prior = None if uniform else {sorted(CORPUS)[0]: 0.9}
    vectors = np.rint(-model.scores(words) / STEP).astype(int).tolist()
    path = plain.span_path(vectors, entry_costs(model._answerer.log_prior(None, prior)).tolist(), eighths, SHORT)
    found = model.spans(" ".join(words), switch=eighths * STEP, prior=prior)
    starts = np.cumsum([0, *(len(word) + 1 for word in words)]).tolist()
    by_word = [next(span.label for span in found if start < span.end) for start in starts[:-1]]
    assert by_word == [model.languages[row] for row in path]


# ---- scripts


def labels(text: str, **options: Any) -> list[tuple[str, str]]:
    return [(span.label, text[span.start : span.end]) for span in whole_word_model().spans(text, **options)]


def test_letters_that_no_language_is_written_in_are_a_span_of_their_own_if_there_are_many() -> None:
    english, georgian = "The fisherman mends his nets. ", "გამარჯობა მსოფლიო როგორ ხარ"
    text = english + georgian
    assert labels(text) == [("eng", english), ("und", georgian)]
    found = whole_word_model().spans(text)
    assert (found[1].probability, found[1].letters) == (0.0, 24)
    assert (found.label, dict(found.shares)) == ("eng", {"eng": 1.0})
    assert labels(english + "ხარ mends his nets") == [("eng", english + "ხარ mends his nets")]
    assert whole_word_model().spans(georgian).label == "und"
    assert labels(f"{georgian} 12") == [("und", f"{georgian} 12")]
    assert labels("12 34") == [("zxx", "12 34")]


def test_a_language_that_is_not_written_in_the_script_of_a_span_is_not_its_language() -> None:
    assert labels("λ", prior={"eng": 1 - 1e-9}) == [("ell", "λ")]
    assert labels("λιμάνι", languages=["eng", "dan"]) == [("und", "λιμάνι")]
    # Behind what is kept apart, the Greek letter is a span of its own.
    text = "The fisherman mends his nets ------------------ λ"
    assert labels(text) == [("eng", text[:29]), ("zxx", text[29:48]), ("ell", "λ")]
    assert labels(text, most=1) == [("eng", text[:29]), ("zxx", text[29:48]), ("und", "λ")]


def test_the_probability_of_a_span_is_one_among_the_languages_of_its_scripts() -> None:
    model = whole_word_model()
    assert model.spans("λιμάνι")[0].probability == pytest.approx(1.0, abs=1e-6)
    for text in ("for", "kommer bussen", "the λιμάνι"):
        assert model.spans(text)[0].probability == pytest.approx(model.identify(text).probability, abs=1e-6)


@given(mixed, st.sampled_from([SENTENCES[0], SENTENCES[13], ""]))
@settings(max_examples=60)
def test_signs_that_do_not_count_neither_begin_nor_end_spans(text: bytes, sentence: str) -> None:
    model = whole_word_model()
    whole = sentence.encode() + text
    assert model.spans(whole) == with_settings(model, signs=True).spans(whole)


def test_undetermined_spans_are_shown_and_written() -> None:
    text = "The fisherman mends his nets. გამარჯობა მსოფლიო როგორ ხარ"
    spans, page, out = whole_word_model().spans(text), StringIO(), BytesIO()
    view.show(text, spans, Console(file=page, width=100))
    assert text in page.getvalue()
    assert "undetermined" in page.getvalue()
    view.write_tsv(out, text, spans)
    assert [line.split("\t")[2:4] for line in out.getvalue().decode().splitlines()] == [
        ["eng", "1.0000"],
        ["und", "0.0000"],
    ]
