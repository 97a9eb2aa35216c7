"""UTF-16, which is recognised and read as UTF-8 wherever bytes come in."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator
from itertools import chain

_SAMPLE = 64
"""Bytes by which it is recognised."""


def utf16(text: bytes) -> str | None:
    r"""Return the encoding of bytes that are UTF-16, by their byte order mark or their beginning.

    Without a mark, every second byte is a control character, as no other text has it: NUL for letters of Latin, 4 for
    Cyrillic. It is not enough if all of these are white space, which may stand between letters, or if there are as many
    NULs between them.

    >>> utf16("né".encode("utf-16")), utf16("мир".encode("utf-16-be")), utf16(b"a\tb\t"), utf16("né".encode())
    ('utf-16-le', 'utf-16-be', None, None)
    """
    if text.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16-le" if text[0] == 0xFF else "utf-16-be"
    sample = text[: min(_SAMPLE, len(text) // 2 * 2)]
    if len(sample) < 4 or min(sample[:2]) >= 0x20:
        return None
    for encoding, high, low in (("utf-16-le", sample[1::2], sample[::2]), ("utf-16-be", sample[::2], sample[1::2])):
        control = max(high) < 0x20 <= max(low) and high.translate(None, b"\t\n\v\f\r")
        if control and (0 not in low or low.count(0) < high.count(0)):
            return encoding
    return None


def decoded(chunks: Iterable[bytes], encoding: str) -> Iterator[bytes]:
    """Yield chunks of another encoding in UTF-8; what is not valid becomes U+FFFD."""
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    for chunk in chunks:
        yield decoder.decode(chunk).encode()
    yield decoder.decode(b"", final=True).encode()


def as_utf8(chunks: Iterable[bytes]) -> Iterator[bytes]:
    r"""Yield the chunks of a file in UTF-8 if it is in UTF-16, and as they are otherwise.

    >>> b"".join(as_utf8([b"\xff", b"\xfea\0\n", b"\0b\0"])), b"".join(as_utf8([b"a\nb"]))
    (b'\xef\xbb\xbfa\nb', b'a\nb')
    """
    rest = iter(chunks)
    beginning = b""
    for chunk in rest:
        beginning += chunk
        if len(beginning) >= 4 or b"\n" in beginning:  # whoever waits for the answer to a line has it at once
            break
    encoding = utf16(beginning)
    whole = chain([beginning], rest)
    yield from decoded(whole, encoding) if encoding else whole
