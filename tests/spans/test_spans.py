"""Spans: the language of every stretch of a mixed text."""

from __future__ import annotations

import copy
import os
import pickle
import signal
import threading
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.commands import posix
from support.models import small_model

import unilid
from unilid import UnilidError
from unilid.decisions.prior import Prior
from unilid.model import Model
from unilid.spans.spans import APART, Spans

GERMAN = "Der alte Mann wohnt am Ende der langen Straße."
ENGLISH = "Where could I find the nearest railway station, please?"
RUSSIAN = "Сегодня утром мы долго ждали автобуса на остановке."


@pytest.fixture(scope="module")
def model() -> Model:
    return unilid.load()


def pieces(text: str | bytes, spans: Spans) -> list[tuple[str, str | bytes]]:
    return [(span.label, text[span.start : span.end]) for span in spans]


# ---- what holds for any content


any_text = st.one_of(
    st.text(max_size=60),
    st.text("abc éßж中日の12345 .,-_@:/\n\t\x00\ud800😀", max_size=80),
    st.lists(st.sampled_from([GERMAN, ENGLISH, RUSSIAN, "1234567890" * 3, "https://example.org/x"]), max_size=4).map(
        " ".join
    ),
)


@given(any_text)
def test_spans_cover_any_text_without_gaps_and_overlaps(text: str) -> None:
    model = small_model()
    encoded = text.encode("utf-8", "surrogatepass")
    in_characters, in_bytes = model.spans(text), model.spans(text, offsets="bytes")
    assert "".join(text[span.start : span.end] for span in in_characters) == text
    assert all(span.start < span.end for span in in_characters)
    assert all(a.end == b.start and a.label != b.label for a, b in pairwise(in_characters))
    cut = [encoded[span.start : span.end].decode("utf-8", "surrogatepass") for span in in_bytes]
    assert cut == [text[span.start : span.end] for span in in_characters]
    assert model.spans(encoded) == in_bytes
    for span in in_characters:
        assert 0 < span.probability <= 1
        assert (span.label == "zxx") == (span.letters == 0)


@given(st.binary(max_size=60))
@example(b"\xfe\xff")  # a byte order mark alone
def test_spans_cover_any_bytes(data: bytes) -> None:
    spans = small_model().spans(data)
    assert b"".join(data[span.start : span.end] for span in spans) == data


@pytest.mark.parametrize("text", [GERMAN, ENGLISH, RUSSIAN])
@pytest.mark.parametrize("prior", [None, "model", "training"])
def test_the_probability_of_a_span_is_what_identify_would_say_of_its_words(
    model: Model, text: str, prior: Prior
) -> None:
    words = "".join(c for c in text if c.isalpha() or c == " ")[:24]
    [span] = model.spans(words, prior=prior, switch=1000)
    alone = model.identify(words, prior=prior, abstain=False)
    assert alone.probability < 0.99999
    assert span.label == alone.label
    assert span.probability == pytest.approx(alone.probability, rel=1e-9)


# ---- what a user sees


def test_each_stretch_gets_its_language(model: Model) -> None:
    text = f"{GERMAN} {ENGLISH}\n{RUSSIAN}"
    assert pieces(text, model.spans(text)) == [
        ("deu_Latn", GERMAN + " "),
        ("eng_Latn", ENGLISH + "\n"),
        ("rus_Cyrl", RUSSIAN),
    ]


def test_signs_belong_to_the_word_that_they_touch(model: Model) -> None:
    text = f"({GERMAN}) – «{RUSSIAN}» … {ENGLISH}"
    assert [piece for _, piece in pieces(text, model.spans(text))] == [
        f"({GERMAN}) – ",
        f"«{RUSSIAN}» … ",
        ENGLISH,
    ]
    text = "我们今天早上在车站等了很久的公共汽车。" + ENGLISH
    assert [piece for _, piece in pieces(text, model.spans(text))] == [text[: -len(ENGLISH)], ENGLISH]


def test_what_is_no_language_is_kept_apart_where_it_is_long(model: Model) -> None:
    address = "https://example.org/a/long/path?with=query"
    text = f"{GERMAN} {address} {GERMAN} 1234 {GERMAN} {'0123 ' * 8}{GERMAN}"
    assert pieces(text, model.spans(text)) == [
        ("deu_Latn", f"{GERMAN} "),
        ("zxx", f"{address} "),
        ("deu_Latn", f"{GERMAN} 1234 {GERMAN} "),
        ("zxx", "0123 " * 8),
        ("deu_Latn", GERMAN),
    ]
    for rest in ("-" * APART, "-" * (APART - 1)):
        spans = model.spans(f"{GERMAN} {rest}")
        assert [span.label for span in spans] == ["deu_Latn", "zxx"][: 1 + (len(rest) == APART)]


def test_a_text_without_letters_is_one_span_and_an_empty_text_has_none(model: Model) -> None:
    for text in ("12", " \n", "?!", "\x00", "me@example.org", "12 😀 " * 50):
        assert pieces(text, model.spans(text)) == [("zxx", text)]
        assert (dict(model.spans(text).shares), model.spans(text).label) == ({}, "zxx")
    assert list(model.spans("")) == list(model.spans(b"")) == []
    assert model.spans("").label == "zxx"


def test_a_higher_cost_of_a_change_finds_fewer(model: Model) -> None:
    text = f"Er sagte immer nur {ENGLISH} und dann ist er nach Hause gegangen."
    assert [span.label for span in model.spans(text)] == ["deu_Latn", "eng_Latn", "deu_Latn"]
    assert len(model.spans(text, switch=1000)) == 1
    named = " ".join([GERMAN, "Alexander the Great", GERMAN])
    assert len(model.spans(named)) == 1
    assert len(model.spans(named, switch=0.5)) == 3


def test_a_name_is_no_change_of_language_wherever_it_stands_and_a_short_sentence_is(model: Model) -> None:
    host = " ".join([GERMAN] * 5)
    for name in ("United Kingdom", "New York Times", "Alexander the Great"):
        for text in (f"{host} {name}.", f"{name} {host}", f"{host} {name} {host}"):
            assert [span.label for span in model.spans(text)] == ["deu_Latn"]
    text = "Guten Morgen, mein Freund. How are you today?"
    assert [span.label for span in model.spans(text)] == ["deu_Latn", "eng_Latn"]


def test_spans_shorter_than_the_least_are_given_to_their_neighbours(model: Model) -> None:
    text = f"Ура! {GERMAN} Привет! {ENGLISH} Да."
    assert len(model.spans(text, switch=2)) > 3
    spans = model.spans(text, switch=2, least=12)
    assert pieces(text, spans) == [("deu_Latn", f"Ура! {GERMAN} Привет! "), ("eng_Latn", f"{ENGLISH} Да.")]
    assert len(model.spans(text, least=1000)) == 1


def test_the_most_languages_are_those_with_the_most_letters(model: Model) -> None:
    text = f"{GERMAN} {ENGLISH} {RUSSIAN} {GERMAN} {ENGLISH}"
    assert set(model.spans(text).shares) == {"deu_Latn", "eng_Latn", "rus_Cyrl"}
    assert set(model.spans(text, most=2).shares) == {"deu_Latn", "eng_Latn"}
    assert set(model.spans(text, most=1).shares) == {"eng_Latn"}
    assert model.spans(text, most=3) == model.spans(text)


def test_only_languages_that_compete_are_named(model: Model) -> None:
    text = f"{GERMAN} {GERMAN} {ENGLISH}"
    assert set(model.spans(text, languages=["nld_Latn", "en"]).shares) == {"nld_Latn", "eng_Latn"}
    assert set(model.spans(text, prior={"eng_Latn": 1.0}).shares) == {"eng_Latn"}


def test_languages_that_do_not_compete_stay_out_of_a_long_text() -> None:
    word = "Donaudampfschiffahrtsgesellschaft "
    model = unilid.train({"deu": [word, "Guten Morgen"], "eng": ["the old man lives here", "good morning"]}, bound=None)
    text = word * 200_000
    [span] = model.spans(text, languages=["eng"])
    assert span.label == "eng"
    assert span.probability == pytest.approx(1)
    mixed = "good morning " * 1_000_000 + text
    assert list(model.spans(mixed).shares) == ["eng", "deu"]
    assert list(model.spans(mixed, most=1).shares) == ["eng"]


def test_shares_count_letters(model: Model) -> None:
    spans = model.spans(f"{GERMAN} 12345678901234567890 {RUSSIAN} {GERMAN}")
    german, russian = (sum(c.isalpha() for c in text) for text in (2 * GERMAN, RUSSIAN))
    assert dict(spans.shares) == {
        "deu_Latn": pytest.approx(german / (german + russian)),
        "rus_Cyrl": pytest.approx(russian / (german + russian)),
    }
    assert list(spans.shares) == ["deu_Latn", "rus_Cyrl"]
    assert spans.label == "deu_Latn"


def test_spans_are_a_sequence(model: Model) -> None:
    spans = model.spans(f"{GERMAN} {RUSSIAN}")
    assert (spans[0], spans[-1], spans[:1]) == (*spans, [spans[0]])
    meaning = spans[1].meaning
    assert (meaning.code, meaning.script, meaning.name) == ("rus", "Cyrl", "Russian")
    with pytest.raises(IndexError):
        spans[2]
    with pytest.raises(AttributeError):
        spans[0].label = "x"  # type: ignore[misc]


def test_spans_survive_pickling_and_copying(model: Model) -> None:
    spans = model.spans(f"{GERMAN} {RUSSIAN}")
    for _ in range(2):  # before and after the shares were asked for
        for copied in (pickle.loads(pickle.dumps(spans)), copy.deepcopy(spans)):
            assert copied == spans
            assert dict(copied.shares) == dict(spans.shares)


def test_what_is_printed_of_spans_names_the_first_of_them(model: Model) -> None:
    end = len(GERMAN) + 1
    assert repr(model.spans(f"{GERMAN} {RUSSIAN}")) == (
        f"<unilid.Spans deu_Latn 0:{end}, rus_Cyrl {end}:{end + len(RUSSIAN)}>"
    )
    assert repr(model.spans(f"{GERMAN} {RUSSIAN} " * 6)).endswith(", …>")
    assert repr(model.spans("")) == "<unilid.Spans>"


def test_a_long_text_has_the_spans_of_its_parts(model: Model) -> None:
    part = f"{GERMAN} {RUSSIAN} "
    spans = model.spans(part * 5000)  # more words than are counted in 32 bits at once
    assert len(spans) == 10_000
    assert [span.start for span in spans[:3]] == [0, len(GERMAN) + 1, len(part)]
    assert spans[-1].probability == pytest.approx(spans[1].probability, abs=1e-6)
    [whole] = model.spans(GERMAN * 20_000)
    assert whole.label == "deu_Latn"
    assert whole.letters == 20_000 * sum(c.isalpha() for c in GERMAN)


# ---- what is refused, and what is interrupted


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"switch": -1}, "switch must be a number of nats from 0 to 1,000,000, not -1"),
        ({"switch": float("nan")}, "switch must be"),
        ({"switch": "12"}, "switch must be"),
        ({"least": 0}, "least must be"),
        ({"most": 0}, "most must be"),
        ({"most": 1.5}, "most must be"),
        ({"offsets": "words"}, "offsets must be 'auto', 'characters' or 'bytes', not 'words'"),
        ({"languages": []}, "languages is empty"),
        ({"languages": ["xyzzy"]}, "xyzzy"),
    ],
)
def test_options_that_make_no_sense_are_refused(model: Model, options: dict[str, object], message: str) -> None:
    with pytest.raises(UnilidError, match=message):
        model.spans(GERMAN, **options)  # type: ignore[arg-type]


def test_only_one_text_at_a_time_has_spans(model: Model) -> None:
    for text in (None, 1, [GERMAN]):
        with pytest.raises(UnilidError, match="a text with spans is str or bytes"):
            model.spans(text)  # type: ignore[arg-type]
    with pytest.raises(UnilidError, match="offsets in characters need a str"):
        model.spans(b"a", offsets="characters")


@posix
def test_an_interrupt_ends_the_work(model: Model) -> None:
    text = f"{GERMAN} {RUSSIAN} " * 100_000

    def work() -> None:
        while True:
            model.spans(text)

    timer = threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT))
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            work()
    finally:
        timer.join()
        signal.signal(signal.SIGINT, before)
    assert len(model.spans(f"{GERMAN} {RUSSIAN}")) == 2
