"""Bodies of requests: as much as is allowed, in time, and decompressed."""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any

from unilid.serve.limits import Deadline
from unilid.serve.problems import Problem
from unilid.serve.settings import Limits

Receive = Callable[[], Awaitable[Any]]

_PIECE = 1 << 18
"""Bytes that are decompressed at once."""


class GoneError(Exception):
    """The client went away: there is nobody to answer."""


def encoding_of(headers: Mapping[bytes, bytes]) -> bool:
    """Say whether a body is compressed by gzip; another encoding is a problem."""
    encoding = headers.get(b"content-encoding", b"identity").strip().lower()
    if encoding not in (b"identity", b"gzip"):
        name = encoding.decode("latin-1")
        raise Problem(415, f"the encoding {name!r} is not known; send gzip or none", field="header:Content-Encoding")
    return encoding == b"gzip"


async def read(receive: Receive, headers: Mapping[bytes, bytes], limits: Limits) -> bytes:
    """Return a whole body; a problem where it is too large or comes too slowly."""
    announced = headers.get(b"content-length", b"")
    length = int(announced) if announced.isdigit() else -1
    if length > limits.body:
        raise _too_large(limits)
    compressed = b"content-encoding" in headers and encoding_of(headers)
    with Deadline(limits.seconds, 408, "the body did not come within {:g} s"):
        message = await receive()
        if not compressed and message["type"] == "http.request" and len(message["body"]) == length:
            body: bytes = message["body"]  # nearly always all of it, and no need to wait to be told that it was
            return body
        pieces, size = [], 0
        async for piece in _plain(_raw(receive, message), compressed):
            size += len(piece)
            if size > limits.body:
                raise _too_large(limits)
            pieces.append(piece)
    return b"".join(pieces)


async def stream(receive: Receive, headers: Mapping[bytes, bytes], limits: Limits) -> AsyncIterator[bytes]:
    """Yield a body piece by piece; a problem where the next one does not come in time."""

    async def patient() -> Any:
        with Deadline(limits.seconds, 408, "nothing came for {:g} s"):
            return await receive()

    async for piece in _plain(_raw(patient, await patient()), encoding_of(headers)):
        yield piece


async def _raw(receive: Receive, message: Any) -> AsyncIterator[bytes]:
    while message["type"] == "http.request":
        if message["body"]:
            yield message["body"]
        if not message.get("more_body"):
            return
        message = await receive()
    raise GoneError


async def _plain(pieces: AsyncIterator[bytes], compressed: bool) -> AsyncIterator[bytes]:
    """Yield what pieces are when decompressed, never much at once, however small they were."""
    if not compressed:
        async for piece in pieces:
            yield piece
        return
    unpack = zlib.decompressobj(wbits=31)
    try:
        async for piece in pieces:
            rest = piece
            while rest:
                if unpack.eof:  # another member follows
                    unpack = zlib.decompressobj(wbits=31)
                yield unpack.decompress(rest, _PIECE)
                rest = unpack.unused_data if unpack.eof else unpack.unconsumed_tail
    except zlib.error:
        raise Problem(400, "the body is not gzip, or damaged", field="body") from None
    if not unpack.eof:
        raise Problem(400, "the body ends in the midst of its gzip", field="body")


def _too_large(limits: Limits) -> Problem:
    advice = "send the texts as a stream (application/x-ndjson)"
    return Problem(413, f"a body has at most {limits.body:,} bytes; {advice}", field="body")
