"""Files as bytes and lines: decompressed while they are read, and replaced only when completely written."""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import lzma
import os
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from unilid.errors import CorpusError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

CHUNK = 4 << 20

Progress = Callable[[int], None]

_FORMATS = {".txt", ".tsv", ".jsonl", ".ndjson", ".json", ".parquet"}


@contextmanager
def naming(path: str | Path) -> Iterator[None]:
    """Turn any failure to read into a CorpusError that names the file."""
    try:
        yield
    except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
        raise CorpusError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from error


class _Stored(io.FileIO):
    """The bytes as they lie on the disk, which is what a progress bar counts."""

    def __init__(self, path: Path, progress: Progress | None) -> None:
        super().__init__(path)
        self._progress = progress

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        count = super().readinto(buffer) or 0
        if self._progress is not None and count:
            self._progress(count)
        return count


class _Zstandard(io.RawIOBase):
    """All frames of a .zst file; zstandard's own reader takes a truncated frame for the end of the file."""

    def __init__(self, stored: io.BufferedReader) -> None:
        self._stored = stored
        import zstandard  # slow to import, and rarely needed

        self._error = zstandard.ZstdError
        # Archives made with `zstd --long` need more than the default window.
        self._decompressor = zstandard.ZstdDecompressor(max_window_size=1 << 31)
        self._frame = self._decompressor.decompressobj()
        self._ready = memoryview(b"")

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        while not self._ready:
            piece = self._frame.unused_data or self._stored.read(io.DEFAULT_BUFFER_SIZE)
            if not piece and not self._frame.eof:
                raise EOFError("Compressed file ended before the end of a frame")
            if not piece:
                return 0
            if self._frame.eof:
                self._frame = self._decompressor.decompressobj()
            try:
                self._ready = memoryview(self._frame.decompress(piece))
            except self._error as error:
                raise EOFError(str(error)) from error
        target = memoryview(buffer)
        count = min(len(target), len(self._ready))
        target[:count], self._ready = self._ready[:count], self._ready[count:]
        return count


class _Content(io.RawIOBase):
    """Decompressed bytes, whose every failure names the file."""

    def __init__(self, path: Path, stored: _Stored) -> None:
        self._path = path
        self._stored = stored
        decompress = _DECOMPRESSORS.get(path.suffix.lower())
        self._source = decompress(io.BufferedReader(stored)) if decompress else stored

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        with naming(self._path):
            return self._source.readinto(buffer) or 0

    def close(self) -> None:
        self._stored.close()
        super().close()


_DECOMPRESSORS: dict[str, Callable[[io.BufferedReader], io.RawIOBase | io.BufferedIOBase]] = {
    ".gz": lambda stored: gzip.GzipFile(fileobj=stored),
    ".xz": lzma.LZMAFile,
    ".bz2": bz2.BZ2File,
    ".zst": _Zstandard,
}


def open_bytes(path: str | Path, progress: Progress | None = None) -> io.BufferedReader:
    """Open a file for reading, decompressing .gz, .xz, .bz2 and .zst.

    `progress` is called with the number of stored bytes consumed since its last call.
    """
    with naming(path):
        return io.BufferedReader(_Content(Path(path), _Stored(Path(path), progress)))


def split_lines(chunks: Iterable[bytes]) -> Iterator[list[bytes]]:
    r"""Yield the lines that each chunk completes, and at the end the last one if it has no newline.

    >>> list(split_lines([b"one\r\ntw", b"o\n\nthree"]))
    [[b'one'], [b'two', b''], [b'three']]
    """
    pending = []
    mark = codecs.BOM_UTF8  # belongs to the file, not to its first line
    for chunk in chunks:
        pending.append(chunk)
        if b"\n" in chunk:
            lines = b"".join(pending).removeprefix(mark).replace(b"\r\n", b"\n").split(b"\n")
            pending, mark = [lines.pop()], b""
            yield lines
    if last := b"".join(pending).removeprefix(mark):
        yield [last.removesuffix(b"\r")]


def lines(path: str | Path, progress: Progress | None = None) -> Iterator[list[bytes]]:
    """Yield the lines of a file in batches, as they become available if it is a pipe."""
    with open_bytes(path, progress) as file:
        yield from split_lines(iter(lambda: file.read1(CHUNK), b""))


@contextmanager
def write_atomically(path: str | Path) -> Iterator[BinaryIO]:
    """Yield a file that takes the place of `path` when the block succeeds, and vanishes when it does not."""
    path = Path(path).resolve()
    if path.exists() and not path.is_file():  # /dev/null or a pipe is to be written to, not replaced
        with path.open("wb") as file:
            yield file
        return
    temporary = path.with_name(f".{path.name}.{os.urandom(4).hex()}.tmp")
    try:
        with temporary.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def format_suffix(path: str | Path) -> str:
    """Return the suffix that tells the format, under that of a compression.

    >>> format_suffix("corpus/train.TSV.gz")
    '.tsv'
    """
    return Path(_uncompressed(path)).suffix.lower()


def base_name(path: str | Path) -> str:
    """Return the file's name without the suffixes of compression and format.

    >>> base_name("corpus/deu_Latn.txt.gz")
    'deu_Latn'
    """
    name = _uncompressed(path)
    return Path(name).stem if format_suffix(path) in _FORMATS else name


def _uncompressed(path: str | Path) -> str:
    path = Path(path)
    return path.stem if path.suffix.lower() in _DECOMPRESSORS else path.name
