"""Texts as callers give them: str, bytes or nothing."""

from __future__ import annotations

import codecs
import math
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import TypeAlias

from unilid.encodings import decoded, utf16
from unilid.errors import CorpusError, UnilidError

Text: TypeAlias = str | bytes | None
"""A text to identify; bytes may be UTF-8 or not, and None is no text."""

_TYPES = {str, bytes, type(None)}
_ONE = str | bytes | bytearray | memoryview
"""What is no list of texts, although it can be iterated over."""
_MISSING = {"NAType", "NaTType"}
"""The types of pandas' NA and NaT."""


def utf8(text: str | bytes) -> bytes:
    r"""Return a text as bytes, as the kernel does (``cpp/bindings/arrays.h``); content never raises.

    Lone surrogates that Python made of bytes which are not UTF-8 ("surrogateescape") become these bytes again, so that
    the answer is the same for bytes and for what they were read as. In a text with other ones, all are kept. Bytes in
    UTF-16 are read.

    >>> utf8("é"), utf8(b"\xff"), utf8("caf\udce9"), utf8("\udce9\ud800"), utf8("né".encode("utf-16"))
    (b'\xc3\xa9', b'\xff', b'caf\xe9', b'\xed\xb3\xa9\xed\xa0\x80', b'n\xc3\xa9')
    """
    if isinstance(text, bytes):
        encoding = utf16(text)
        return b"".join(decoded([text], encoding)).removeprefix(codecs.BOM_UTF8) if encoding else text
    for errors in ("strict", "surrogateescape"):
        with suppress(UnicodeEncodeError):
            return text.encode("utf-8", errors)
    return text.encode("utf-8", "surrogatepass")


def check_text(text: object) -> Text:
    """Return a text of a type that a text can have; a missing value of a data frame is None."""
    if text is None or isinstance(text, str | bytes):
        return text
    if isinstance(text, float) and math.isnan(text):  # how data frames write a missing text
        return None
    if type(text).__name__ in _MISSING and type(text).__module__.partition(".")[0] == "pandas":
        return None
    raise UnilidError(f"a text is str, bytes or None, not {type(text).__name__}")


def check_texts(texts: Iterable[Text]) -> list[Text]:
    """Return texts as a list, each of a type that a text can have."""
    if is_one(texts):
        raise UnilidError("expected a list of texts; for one text, give a list of one")
    if isinstance(texts, Mapping):
        raise UnilidError(f"expected a list of texts, not a {type(texts).__name__}; give its values, or its keys")
    if (count := columns_of(texts)) is not None:
        raise UnilidError(f"the table has {count} column{'s' * (count != 1)}; give the one with the texts")
    many = list(texts)
    return many if set(map(type, many)) <= _TYPES else [check_text(text) for text in many]


def check_corpus(corpus: object) -> None:
    """Refuse what is no labelled text, and a frame, which would be read by the names of its columns.

    An array is read by its rows.
    """
    is_frame = columns_of(corpus) is not None and not hasattr(type(corpus), "tolist")
    if not isinstance(corpus, str | os.PathLike | Iterable) or is_frame:
        raise CorpusError(
            "a corpus is a path, several paths, pairs of a label and a text, or texts by their labels, "
            f"not {type(corpus).__name__}; of a table, zip makes pairs of two columns"
        )


def columns_of(table: object) -> int | None:
    """Return how many columns a frame of pandas or another table has; None of what is none."""
    shape = getattr(table, "shape", None)
    return shape[1] if isinstance(shape, tuple) and len(shape) == 2 else None


def is_one(texts: object) -> bool:
    """Say whether this is one text, or what was meant as one, and not many."""
    return not isinstance(texts, list) and (isinstance(texts, _ONE) or not isinstance(texts, Iterable))
