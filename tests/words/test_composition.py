"""Letters that stand before their marks are read as the letters with marks that they are."""

from __future__ import annotations

import unicodedata
from functools import partial

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from unilid import _kernel, load, plain

SENTENCES = {
    "fra_Latn": "Où êtes-vous allé cet été ?",
    "vie_Latn": "Tôi muốn đi đến nhà ga",
    "ces_Latn": "Český jazyk je těžký",
    "kor_Hang": "안녕하세요 만나서 반갑습니다",
    "jpn_Jpan": "がっこうでべんきょうします",
    "ell_Grek": "Καλημέρα, τί κάνεις;",
    "rus_Cyrl": "Какой твой любимый фильм?",
    "arb_Arab": "أين القرآن؟",
    "ben_Beng": "ভালোবাসো তোমরা কোনো লোক",
    "sin_Sinh": "ලෝකය බොහෝ හොඳ",
    "ory_Orya": "ଲୋକ କୋଟି ଗୋଟିଏ",
    "tam_Taml": "நான் தமிழ் பேசுகிறேன், கொஞ்சம்",
    "yor_Latn": "Gbogbo ènìyàn ni a bí ní òmìnira; iyì àti è̩tó̩ kò̩ò̩kan sì dó̩gba.",
}

letters = "aAeEiIoO<ôÔǖơкйИα한하각ộ" + "".join(map(chr, (0x304B, 0x304C, 0x30A2, 0xFF8A, 0x623)))
marks = "".join(map(chr, (0x300, 0x301, 0x302, 0x304, 0x307, 0x308)))
marks += "".join(map(chr, (0x323, 0x31B, 0x329, 0x338, 0x345, 0x35C)))
halves = ["\u0928\u093c", "\u09c7\u09be\u09d7", "\u0cc6\u0cc2\u0cd5", "\u0dd9\u0dcf\u0dca", "\U00011131\U00011127"]
vowel_points = "".join(map(chr, (0x627, 0x648, 0x64E, 0x651, 0x653, 0x654, 0x655)))


@given(st.text(letters + marks + "".join(halves) + vowel_points + "\u0340 -", max_size=12).map(str.encode))
@example("I\u0307STANBUL".encode())  # which has no small letter of as many bytes
@example("É\u0301TE\u0301".encode())
@settings(max_examples=400)
def test_words_are_those_of_the_reference(text: bytes) -> None:
    words = _kernel.split_words(text)
    found = [(word.bytes, word.begin, word.end, word.lone, word.script, word.inner) for word in words]
    assert found == [
        (word.text, word.begin, word.end, word.lone, word.script, word.inner) for word in plain.split_words(text)
    ]


@given(st.sampled_from([letters + marks + vowel_points, *halves]).flatmap(partial(st.text, min_size=1, max_size=8)))
@example("o\u0329\u0301")
@example("\u0627\u0654\u064e")  # of which the vowel point comes first in NFD
@settings(max_examples=400)
def test_the_canonical_forms_of_a_text_have_the_same_words(text: str) -> None:
    composed, decomposed = (unicodedata.normalize(form, text).encode() for form in ("NFC", "NFD"))
    assert [word.bytes for word in _kernel.split_words(decomposed)] == [
        word.bytes for word in _kernel.split_words(composed)
    ]


@pytest.mark.parametrize("letter", "ậộệṩ")
def test_marks_may_stand_in_any_order(letter: str) -> None:
    base, *own = list(unicodedata.normalize("NFD", letter))
    for text in (base + own[0] + own[1], base + own[1] + own[0], unicodedata.normalize("NFC", base + own[1]) + own[0]):
        assert [word.bytes.decode() for word in _kernel.split_words(text.encode())] == [f" {letter}"]


def test_a_letter_that_is_not_one_with_its_mark_stays_as_it_is() -> None:
    text = "ẹ\u0301 क\u093c ᄒx"
    assert [word.bytes.decode() for word in _kernel.split_words(text.encode())] == [" ẹ\u0301", " क\u093c", " ᄒ", "x"]


@pytest.mark.parametrize(("label", "text"), SENTENCES.items())
def test_both_forms_have_the_same_answer(label: str, text: str) -> None:
    model = load()
    composed, decomposed = (model.identify(unicodedata.normalize(form, text)) for form in ("NFC", "NFD"))
    assert decomposed.label == composed.label == label
    assert decomposed.probability == composed.probability


def test_spans_and_explanations_of_decomposed_text_are_of_the_text_as_it_stands() -> None:
    model = load()
    text = unicodedata.normalize("NFD", "Où êtes-vous allé cet été ? Český jazyk je těžký a krásný.")
    spans = model.spans(text)
    assert [span.label for span in spans] == ["fra_Latn", "ces_Latn"]
    assert "".join(text[span.start : span.end] for span in spans).replace(" ", "") == text.replace(" ", "")
    explained = model.explain(text).words[1]
    assert (explained.text.decode(), explained.read.decode()) == (unicodedata.normalize("NFD", "êtes"), " êtes")
