"""Text from outside, made safe to show."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unilid.display import escaped, is_shown, one_line, replaced, sentence, without_line_breaks

# What steers a terminal, turns the direction of writing, hides, or ends a line.
STEERING = "\x00\x07\x08\x1b\x7f\x85\x9b\xad\u061c\u200b\u200e\u200f\u2028\u2029\u202a\u202e\u2066\u2069\ufeff\ud800"
STEERING += "\U000e0001\uffff"
any_str = st.one_of(st.text(max_size=40), st.text(f"a b\t\n\r{STEERING}é雪", max_size=40))


@pytest.mark.parametrize("character", STEERING, ids=ascii)
def test_what_steers_a_terminal_is_never_shown(character: str) -> None:
    assert not is_shown(character)
    assert character not in one_line(f"a{character}b")
    assert character not in replaced(f"a{character}b")
    assert character not in escaped(f"a{character}b".encode("utf-8", "surrogatepass"))


@pytest.mark.parametrize("text", ["né", "雪国", "می\u200cخواهم", "👩\u200d💻", "שלום", "नमस्ते", "�"])
def test_words_of_any_script_are_shown_as_they_are(text: str) -> None:
    assert one_line(text) == one_line(text.encode()) == escaped(text.encode()) == replaced(text) == text


@given(any_str)
def test_one_line_is_one_line(text: str) -> None:
    shown = one_line(text)
    assert all(map(is_shown, shown))
    assert shown == " ".join(shown.split())
    assert len(shown.splitlines()) <= 1


@given(st.binary(max_size=60))
def test_one_line_of_any_bytes_can_be_shown(content: bytes) -> None:
    assert all(map(is_shown, one_line(content)))


def test_no_text_is_an_empty_line() -> None:
    assert one_line(None) == one_line("") == one_line(b"") == one_line(" \n\t\u2028") == ""


@pytest.mark.parametrize("text", ["a" * 10**7, b"a" * 10**7, "雪".encode() * 10**6], ids=["str", "bytes", "cut"])
def test_of_a_long_text_the_beginning_is_shown(text: str | bytes) -> None:
    assert 1000 < len(one_line(text)) <= 4096


@given(st.binary(max_size=40).filter(lambda content: b"\\" not in content))
def test_escaped_bytes_are_shown_and_can_be_read_back(content: bytes) -> None:
    shown = escaped(content)
    assert all(map(is_shown, shown))
    as_characters = content.decode("utf-8", "surrogateescape")
    read = ast.literal_eval('"' + shown.replace('"', '\\"') + '"')
    assert read == "".join(chr(ord(c) & 0xFF) if "\udc80" <= c <= "\udcff" else c for c in as_characters)


def test_spaces_of_escaped_bytes_can_be_made_visible() -> None:
    assert escaped(b" a  b\t", space="·") == "·a··b\\t"


@given(any_str)
def test_replaced_text_keeps_its_lines_and_its_places(text: str) -> None:
    shown = replaced(text)
    kept = text.replace("\r", "")
    assert len(shown) == len(kept)
    assert all(new == old or (new == "�" and not is_shown(old)) for new, old in zip(shown, kept, strict=True))
    assert all(is_shown(c) or c in "\t\n" for c in shown)
    assert shown.count("\n") == text.count("\n")


@given(any_str)
def test_a_cell_has_neither_tabs_nor_line_breaks(text: str) -> None:
    cell = without_line_breaks(text)
    assert len(cell) == len(text)
    assert "\t" not in cell
    breaking = "\n\r\v\f\x85\u2028\u2029"
    assert not set(cell) & set(breaking)
    assert all(new == old or (new == " " and old in f"\t{breaking}") for new, old in zip(cell, text, strict=True))


BIDIRECTIONAL = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


@pytest.mark.parametrize("character", BIDIRECTIONAL, ids=ascii)
def test_what_turns_the_direction_of_writing_is_written_out(character: str) -> None:
    assert sentence(f"a{character}b") == escaped(f"a{character}b") == f"a\\u{ord(character):04x}b"
    assert one_line(f"a{character}b") == "a\ufffdb"


@given(any_str)
def test_a_sentence_is_one_line_that_can_be_written(text: str) -> None:
    shown = sentence(text)
    assert all(map(is_shown, shown))
    assert len(f"{shown}.".splitlines()) == 1
    shown.encode()


def test_a_name_that_is_not_utf8_is_shown_with_its_bytes() -> None:
    assert sentence("caf\udce9\n.tsv: no tab") == r"caf\xe9\n.tsv: no tab"
    assert sentence("\ud800") == r"\ud800"


def test_of_a_long_sentence_the_beginning_and_the_end_are_shown() -> None:
    shown = sentence(f"begin {'x' * 10**6} end")
    assert len(shown) < 3000
    assert shown.startswith("begin xxx")
    assert shown.endswith("xxx end")
