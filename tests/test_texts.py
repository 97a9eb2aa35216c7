"""Texts as callers give them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.models import small_model
from support.strategies import any_text

from unilid.encodings import utf16
from unilid.errors import UnilidError
from unilid.texts import check_text, check_texts, is_one, utf8

MISSING = [None, math.nan, np.float64("nan")]
NO_TEXTS = [3, 1.5, True, object(), bytearray(b"a"), memoryview(b"a"), ["a"], {"a": 1}, np.float64(1)]


class Line(str):
    """A text of a type of its own."""


@given(any_text)
def test_any_text_is_taken_as_it_is(text: str | bytes | None) -> None:
    assert check_text(text) is text
    assert is_one(text)
    found = check_texts([text, "b"])
    assert found == [text, "b"]
    assert found[0] is text


@given(st.text())
def test_bytes_of_a_text_are_its_utf8(text: str) -> None:
    encoded = utf8(text)
    assert encoded.decode("utf-8", "surrogatepass") == text
    assert utf16(encoded) or utf8(encoded) is encoded


def test_lone_surrogates_have_bytes() -> None:
    assert utf8("a\ud800\udfff") == b"a\xed\xa0\x80\xed\xbf\xbf"


@pytest.mark.parametrize("text", MISSING, ids=repr)
def test_what_a_data_frame_writes_for_a_missing_text_is_none(text: Any) -> None:
    assert check_text(text) is None
    assert check_texts(["a", text, b"b"]) == ["a", None, b"b"]
    assert is_one(text)


@pytest.mark.parametrize("text", NO_TEXTS, ids=lambda text: type(text).__name__)
def test_what_is_no_text_is_an_error_that_names_its_type(text: Any) -> None:
    name = type(text).__name__
    with pytest.raises(UnilidError, match=f"^a text is str, bytes or None, not {name}$"):
        check_text(text)
    with pytest.raises(UnilidError, match=f"not {name}$"):
        check_texts(["a", text])


def test_subclasses_of_str_and_bytes_are_texts() -> None:
    line, array = Line("a"), np.array([b"a", b"b"], dtype="S")
    assert check_text(line) is line
    assert check_texts([line]) == ["a"]
    assert check_texts(array) == [b"a", b"b"]
    assert is_one(line)
    assert is_one(array[0])
    assert not is_one(array)


@pytest.mark.parametrize("text", [bytearray(b"ab"), memoryview(b"ab")], ids=lambda text: type(text).__name__)
def test_what_is_meant_as_one_text_is_not_taken_for_a_list_of_numbers(text: Any) -> None:
    with pytest.raises(UnilidError, match=f"^a text is str, bytes or None, not {type(text).__name__}$"):
        small_model().identify(text)


def test_a_mapping_is_no_list_of_texts() -> None:
    with pytest.raises(UnilidError, match=r"^expected a list of texts, not a dict; give its values, or its keys$"):
        small_model().identify({"a": "Wo ist der Bahnhof?"})


def test_an_array_with_columns_is_no_list_of_texts() -> None:
    with pytest.raises(UnilidError, match=r"^the table has 2 columns; give the one with the texts$"):
        small_model().identify(np.array([["a", "b"]]))


def test_texts_of_any_iterable_are_a_list() -> None:
    both: list[str | bytes | None] = ["a", b"b"]
    for texts in (both, tuple(both), iter(both), dict.fromkeys(both).keys()):
        assert not is_one(texts)
        assert check_texts(texts) == ["a", b"b"]
    assert check_texts([]) == []


@pytest.mark.parametrize("texts", ["one text", b"one text", None, 3], ids=repr)
def test_one_text_is_not_taken_for_many(texts: Any) -> None:
    with pytest.raises(UnilidError, match="expected a list of texts; for one text, give a list of one"):
        check_texts(texts)


@given(st.text(st.characters(max_codepoint=0x1FFF, exclude_categories=["Cc"]), min_size=3))
def test_utf_16_is_read_with_a_mark_and_without(text: str) -> None:
    assert utf8(text.encode("utf-16")) == text.encode()
    for encoding in ("utf-16-le", "utf-16-be"):
        letters = "abc" + text  # some character of Latin or another script whose code points are low
        assert utf8(letters.encode(encoding)) == letters.encode()


@pytest.mark.parametrize(
    "text", [b"a\nb\nc\n", b"\n\n\na", b"\ta\tb", b"\0", b"\0\0\0\0", b"\xff", b"", b"\r\n"], ids=repr
)
def test_what_is_not_utf_16_is_left_as_it_is(text: bytes) -> None:
    assert utf8(text) is text


def test_six_characters_of_utf_16_have_the_answer_of_the_text() -> None:
    model = small_model()
    for text in ("snow i", "vinter", "рассве"):
        for encoding in ("utf-16", "utf-16-le", "utf-16-be"):
            assert model.identify(text.encode(encoding)) == model.identify(text)
            assert (model.scores([text.encode(encoding)]) == model.scores([text])).all()
            assert model.explain(text.encode(encoding)) == model.explain(text)


@given(st.binary(max_size=40))
def test_bytes_and_what_python_reads_them_as_are_the_same_text(content: bytes) -> None:
    assert utf8(content.decode("utf-8", "surrogateescape")) == content


@pytest.mark.parametrize("name", ["NAType", "NaTType"])
def test_the_missing_values_of_pandas_are_none(name: str) -> None:
    missing: Any = type(name, (), {"__module__": "pandas._libs.missing"})()
    assert check_text(missing) is None
    assert check_texts(["a", missing]) == ["a", None]
    assert is_one(missing)
    other: Any = type(name, (), {"__module__": "elsewhere"})()
    with pytest.raises(UnilidError, match=f"not {name}$"):
        check_text(other)


def test_bytes_that_are_not_utf8_get_the_answer_of_what_python_reads_them_as() -> None:
    content = "Die Größe der Häuser in der Straße".encode("latin-1") + b" \xff\xc3"
    model, read = small_model(), content.decode("utf-8", "surrogateescape")
    assert model.identify(content) == model.identify(read)
    assert model.identify([content]) == model.identify([read])
    assert model.explain(content).to_json() == model.explain(read).to_json()
    assert model.spans(content) == model.spans(read, offsets="bytes")
    assert "".join(read[span.start : span.end] for span in model.spans(read)) == read
