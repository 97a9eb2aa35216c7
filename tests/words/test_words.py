"""The words of a text."""

from __future__ import annotations

import string
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.strategies import (
    texts,
)

from unilid import _kernel, plain
from unilid.plain.unicode import SCRIPTS


def kernel_words(text: bytes) -> list[tuple[bytes, bool, bool, str | None]]:
    words = _kernel.split_words(text)
    return [(word.bytes, word.cut_left, word.cut_right, _kernel.REASONS.get(word.noise)) for word in words]


def reference_words(text: bytes) -> list[tuple[bytes, bool, bool, str | None]]:
    return [(word.text, word.cut_left, word.cut_right, word.noise) for word in plain.split_words(text)]


@given(texts)
@settings(max_examples=200)
def test_words_are_those_of_the_reference(text: bytes) -> None:
    assert kernel_words(text) == reference_words(text)


@given(texts)
def test_words_cover_everything_but_whitespace_in_order(text: bytes) -> None:
    end_before = 0
    for word in _kernel.split_words(text):
        assert plain.folded(plain.composed(text[word.begin : word.end])) == word.bytes.removeprefix(b" ")
        between = text[end_before : word.begin].decode()  # what is skipped is valid, and white
        assert between.strip() == ""
        assert word.end - word.begin <= _kernel.MAX_WORD_BYTES
        end_before = word.end
    assert text[end_before:].decode().strip() == ""


def test_every_code_point_has_the_class_of_the_reference() -> None:
    # Between two letters a character joins, separates, or stands alone: three outcomes that tell the classes apart.
    for code_point in [*range(0x3100), *range(0xA000, 0xD800, 7), *range(0xE000, 0x20000, 31), 0x10FFFF]:
        text = ("a" + chr(code_point) + "a" + chr(code_point) + "中").encode()
        assert kernel_words(text) == reference_words(text), hex(code_point)


@given(texts)
@settings(max_examples=200)
def test_what_is_known_of_a_word_is_what_the_reference_knows(text: bytes) -> None:
    kinds = {_kernel.LETTER: plain.LETTER, _kernel.DIGIT: plain.DIGIT, _kernel.SIGN: plain.SIGN}
    found = [
        (kinds[word.kind], word.begin, word.end, word.lone, word.script, word.inner)
        for word in _kernel.split_words(text)
    ]
    assert found == [
        (word.kind, word.begin, word.end, word.lone, word.script, word.inner) for word in plain.split_words(text)
    ]


@given(st.text("aAж中ʻ\u0301'’-.1 \u00a0", max_size=12).map(str.encode))
@settings(max_examples=200)
def test_scripts_and_signs_inside_words_are_those_of_the_reference(text: bytes) -> None:
    found = [(word.bytes, word.script, word.inner) for word in _kernel.split_words(text)]
    assert found == [(word.text, word.script, word.inner) for word in plain.split_words(text)]


def test_words_have_the_scripts_that_unicode_says() -> None:
    for number, name in SCRIPTS.items():
        assert _kernel.SCRIPTS[name] == number
    words = {
        word.bytes.decode(): word for word in _kernel.split_words("ab ж漢 ʻ ʻa\u0301 12 don't x--y \u0301".encode())
    }
    names = {number: name for name, number in _kernel.SCRIPTS.items()}
    found = {text: names.get(word.script) for text, word in words.items()}
    assert found == {
        " ab": "Latn", " ж": "Cyrl", "漢": "Hani", " ʻ": None, " ʻá": "Latn", " 12": None, " don": "Latn",
        "'": None, "t": "Latn", " x": "Latn", "--": None, " y": "Latn", " \u0301": None,
    }  # fmt: skip
    assert (words[" ʻ"].script, words[" 12"].script) == (_kernel.LETTER, _kernel.DIGIT)
    assert [text for text, word in words.items() if word.inner] == ["'"]


QUOTED = [
    '"{}"',
    "({})",
    "[{}]",
    "«{}»",
    "*{}*",
    "#{}",
    "<b>{}</b>",
    "</td><td>{}",
    "<td>-</td><b>{}</b>",
    '<b>"</b>{}',
    "<p>(<i>{}</i>)</p>",
    "😂{}",
    "¿{}?",
    "\ufeff{}",
    "&quot;{}&quot;",
]
LINKS = ["[{}](https://example.org/page.html)", "[{}](../docs/page.md)", "[{}](/wiki/Page)"]


def spoken(text: str) -> list[bytes]:
    return [word.bytes for word in _kernel.split_words(text.encode()) if word.kind == plain.LETTER and word.noise == 0]


@pytest.mark.parametrize("around", [*QUOTED, *LINKS])
@pytest.mark.parametrize("word", ["danke", "спасибо", "don't", "ありがとう", "ＯＫ"])
def test_signs_before_a_word_make_no_other_word_of_it(around: str, word: str) -> None:
    assert spoken(around.format(word)) == spoken(word)
    assert spoken(f"so {around.format(word)} so") == spoken(f"so {word} so")


@pytest.mark.parametrize(
    "text",
    ["don't", "l'eau", "twenty-one", "don&apos;t", "don&#39;t", "l&#8217;eau", "A<\u0338A", "3km", "and/or", "жabc"],
)
def test_letters_that_go_on_from_others_have_no_space(text: str) -> None:
    assert not spoken(text)[-1].startswith(b" ")


def test_letters_in_a_style_are_read_without() -> None:
    for number in range(0x110000):
        kind, *codes = unicodedata.decomposition(chr(number)).split() or [""]
        letter = "".join(chr(int(code, 16)) for code in codes)
        is_letter = unicodedata.category(chr(number))[0] == "L" and chr(number) != "ℹ"  # which is a sign by now
        if is_letter and kind == "<font>" and letter in {*string.ascii_letters}:
            assert spoken(f"x{chr(number)}") == [b" x" + letter.encode()]
    assert spoken("𝐍𝐀𝐓𝐎 𝘤𝘢𝘧𝘦\u0301 𝑡ℎ𝑒") == [b" nato", " café".encode(), b" the"]


PIECES = ["<b>", "</b>", "<!--", "-->", "<p title=", "&amp;", "&#39;", "](", "[", "(", ")", "../x.md", "http://a.org/b",
          "don", "t", "Ж", "中", "ℎ", "𝑡", "12", " ", "\n", "'", '"', "-", "<", ">", "&", ";", "😂", "x=1;",
          "\u0338"]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join).map(str.encode))
@settings(max_examples=400)
def test_words_beside_markup_and_links_are_those_of_the_reference(text: bytes) -> None:
    assert kernel_words(text) == reference_words(text)
