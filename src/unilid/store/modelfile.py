"""One file in the safetensors format: arrays behind a JSON header. Reading one never executes anything.

The safetensors package copies arrays into memory; a model is to be mapped, so that processes share its pages. The
format is small enough to be read and checked here. (The tests open what is written here with that package.)
"""

from __future__ import annotations

import json
import mmap
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from unilid.errors import ModelFileError
from unilid.files import write_atomically
from unilid.threads import Beside

Arrays = dict[str, npt.NDArray[Any]]

FORMAT = 4
"""The format that is written and read; docs/compatibility.md says what a change of it takes."""
_KEY = "unilid"  # of the metadata: one JSON text, because safetensors values are strings
_TYPES: dict[str, type[np.generic]] = {
    "U8": np.uint8,
    "U16": np.uint16,
    "U32": np.uint32,
    "I64": np.int64,
    "F64": np.float64,
}
_NAMES = {np.dtype(kind): name for name, kind in _TYPES.items()}
_MAX_HEADER = 32_000_000
"""Bytes of the JSON header: room for what a model of 65,535 labels says of each, and no more than memory has."""

LITTLE = 1 << 18
"""Bytes that are read in less time than it takes to start a thread on a busy machine."""


class _Tensor(NamedTuple):
    """Where an array lies, as the header says."""

    key: str
    kind: np.dtype[Any]
    length: int
    begin: int
    end: int

    @staticmethod
    def of(key: str, entry: Any) -> _Tensor:
        (length,), (begin, end) = entry["shape"], entry["data_offsets"]
        return _Tensor(key, np.dtype(_TYPES[entry["dtype"]]), int(length), int(begin), int(end))


def encode(arrays: Mapping[str, npt.NDArray[Any]], metadata: Mapping[str, Any]) -> bytes:
    """Return the bytes of a file; the same for the same content."""
    # Wide types first: everything is then aligned to its own size.
    names = sorted(arrays, key=lambda name: (-arrays[name].dtype.itemsize, name))
    header: dict[str, Any] = {}
    data = []
    begin = 0
    for name in names:
        raw = np.ascontiguousarray(arrays[name]).tobytes()
        shape = list(arrays[name].shape)
        header[name] = {
            "dtype": _NAMES[arrays[name].dtype],
            "shape": shape,
            "data_offsets": [begin, begin + len(raw)],
        }
        begin += len(raw)
        data.append(raw)
    body = b"".join(data)
    content = {"format": FORMAT, **metadata}
    try:
        content["crc32"] = _checksum(content, header, body)
        stored = json.dumps(content, ensure_ascii=False, sort_keys=True)
        header = {"__metadata__": {_KEY: stored}, **header}
        # What backslashreplace makes of a lone surrogate is its JSON escape.
        text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "backslashreplace")
    except (ValueError, TypeError, RecursionError) as error:
        raise ModelFileError(f"what the model says of itself cannot be written as JSON ({error})") from error
    text += b" " * (-(8 + len(text)) % 64)
    return len(text).to_bytes(8, "little") + text + body


def write(path: str | Path, content: bytes) -> None:
    """Write an encoded model whole or not at all."""
    try:
        with write_atomically(path) as file:
            file.write(content)
    except (OSError, ValueError) as error:
        raise ModelFileError(f"{path}: cannot be written: {getattr(error, 'strerror', None) or error}") from error


@contextmanager
def opened(path: str | Path) -> Iterator[tuple[Arrays, dict[str, Any]]]:
    """Map a file and give its arrays and metadata; see `decoding`."""
    try:
        with Path(path).open("rb") as file:
            if not file.seek(0, 2):
                raise ModelFileError(f"{path}: is empty, not a model")
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError) as error:
        if isinstance(error, ModelFileError):
            raise
        raise ModelFileError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from error
    with decoding(mapped, str(path)) as decoded:
        yield decoded


@contextmanager
def decoding(content: bytes | mmap.mmap, name: str) -> Iterator[tuple[Arrays, dict[str, Any]]]:
    """Give the arrays (views of `content`) and the metadata of an encoded model; `name` is for messages.

    The checksum is computed meanwhile: what was made of them is sound when the context has ended without an error.
    """
    header_size = int.from_bytes(content[:8], "little")
    if len(content) < 8 or header_size > min(len(content) - 8, _MAX_HEADER):
        raise ModelFileError(f"{name}: not a unilid model, or cut short: the header is incomplete")
    try:
        header = json.loads(content[8 : 8 + header_size])
        metadata = json.loads(header.pop("__metadata__")[_KEY])
        version, checksum = metadata["format"], metadata.pop("crc32")
        tensors = [_Tensor.of(str(key), entry) for key, entry in header.items()]
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise ModelFileError(f"{name}: not a unilid model: its header cannot be understood ({error!r})") from error
    if version != FORMAT:
        raise ModelFileError(_of_another_format(name, version))
    body = memoryview(content)[8 + header_size :]
    arrays: Arrays = {}
    end_before = 0
    for tensor in sorted(tensors, key=lambda tensor: (tensor.begin, tensor.end)):
        size = tensor.kind.itemsize
        if tensor.begin != end_before or tensor.length < 0 or tensor.end - tensor.begin != tensor.length * size:
            raise ModelFileError(f"{name}: the array {tensor.key!r} does not lie where the header says")
        if tensor.end > len(body):
            raise ModelFileError(f"{name}: cut short: {tensor.key!r} ends at byte {tensor.end} of {len(body)}")
        if (8 + header_size + tensor.begin) % size:
            raise ModelFileError(f"{name}: the array {tensor.key!r} is not aligned")
        arrays[tensor.key] = np.frombuffer(body[tensor.begin : tensor.end], tensor.kind)
        end_before = tensor.end
    if end_before != len(body):
        raise ModelFileError(f"{name}: {len(body) - end_before} bytes too many behind the last array")
    actual = Beside(lambda: _checksum(metadata, header, body), little=len(body) < LITTLE)
    try:
        yield arrays, metadata
    finally:
        if actual.result() != checksum:
            raise ModelFileError(f"{name}: damaged: its checksum is wrong")


def _of_another_format(name: str, version: object) -> str:
    """Return the sentence that says what is to be done."""
    newer = isinstance(version, int) and version > FORMAT
    remedy = "install a newer unilid" if newer else "train the model again, or use the unilid that wrote it"
    return f"{name}: written in format {version!r}, and this version of unilid reads format {FORMAT}: {remedy}"


def _checksum(metadata: Mapping[str, Any], header: Mapping[str, Any], body: bytes | memoryview) -> int:
    """Cover everything, whatever order and spacing the JSON has."""
    return zlib.crc32(body, zlib.crc32(json.dumps([metadata, header], sort_keys=True).encode()))
