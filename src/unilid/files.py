"""Files as bytes and lines: decompressed while they are read, and replaced only when completely written."""

from __future__ import annotations

import codecs
import gzip
import importlib
import io
import os
import re
import stat
import sys
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol

from unilid.encodings import as_utf8
from unilid.errors import CorpusError, UnilidError
from unilid.progress import Advance

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

CHUNK = 4 << 20

MAX_LINE = 1 << 26
"""Bytes of a line, at most: a small archive can hold a line that no memory has room for, several times over."""
MAX_WHOLE = 1 << 30
"""Bytes of a file that is read as one text, at most."""

ZSTANDARD = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
"""The module for Zstandard: Python's own since 3.14, and the same for those before."""

_FORMATS = {".txt", ".tsv", ".jsonl", ".ndjson", ".json", ".parquet"}

_FOREIGN = {
    *(".csv", ".xls", ".xlsx", ".ods", ".arrow", ".feather", ".avro", ".orc"),  # tables
    *(".doc", ".docx", ".odt", ".pdf", ".epub"),  # documents
    *(".zip", ".tar", ".tgz", ".7z", ".rar"),  # archives
    *(".lz4", ".lzma", ".br", ".sz"),  # compressed
}
"""Suffixes of what would be no text, or another one, if it were taken for lines."""


@contextmanager
def naming(path: str | Path) -> Iterator[None]:
    """Turn any failure to read into a CorpusError that names the file."""
    try:
        yield
    except UnilidError:
        raise
    # A ValueError: a name that no file can have.
    except (OSError, EOFError, ValueError, zlib.error) as error:
        raise CorpusError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from error


def _module(name: str, suffix: str) -> Any:
    """Import what a kind of archive needs: slow to import, rarely needed, and not part of every Python."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise UnilidError(f"a {suffix} file needs the module {name}, which this Python does not have") from error


class _Stored(io.FileIO):
    """The bytes as they lie on the disk, which is what a progress bar counts."""

    def __init__(self, path: Path, progress: Advance | None) -> None:
        super().__init__(path)
        self._progress = progress

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        count = super().readinto(buffer) or 0
        if self._progress is not None and count:
            self._progress(count)
        return count


class _Stream(Protocol):
    """One compressed stream of an archive, as Python's modules give it."""

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int) -> bytes: ...


class _Renaming:
    """A stream of an archive, whose error is one that other readers raise, too."""

    def __init__(self, stream: _Stream, error: type[Exception]) -> None:
        self._stream, self._error = stream, error

    @property
    def eof(self) -> bool:
        return self._stream.eof

    @property
    def needs_input(self) -> bool:
        return self._stream.needs_input

    @property
    def unused_data(self) -> bytes:
        return self._stream.unused_data

    def decompress(self, data: bytes, max_length: int) -> bytes:
        try:
            return self._stream.decompress(data, max_length)
        except self._error as error:
            raise EOFError(str(error)) from error


def _lzma() -> _Stream:
    module = _module("lzma", ".xz")
    return _Renaming(module.LZMADecompressor(), module.LZMAError)


def _zstandard() -> _Stream:
    module = _module(ZSTANDARD, ".zst")
    window = module.DecompressionParameter.window_log_max  # archives made with `zstd --long` need more than the default
    return _Renaming(module.ZstdDecompressor(options={window: window.bounds()[1]}), module.ZstdError)


class _Archive(io.RawIOBase):
    """All streams of an archive, to its end: Python's readers pass over what lies behind the last one."""

    def __init__(self, begin: Callable[[], _Stream], padding: bytes, stored: io.BufferedReader) -> None:
        self._begin, self._padding, self._stored = begin, padding, stored
        self._stream = begin()
        self._later = self._begun = False  # whether the stream is not the first, and whether some of it was read
        self._ready = memoryview(b"")

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        target = memoryview(buffer)
        while not self._ready:
            piece = b""
            if self._stream.eof:
                piece = (self._stream.unused_data or self._more()).lstrip(self._padding)
                if not piece and not (piece := self._behind_padding()):
                    return 0
                self._stream, self._later, self._begun = self._begin(), True, False
            elif self._stream.needs_input:
                piece = self._more()
                if not piece:
                    raise EOFError("Compressed file ended before the end of a stream")
            try:
                self._ready = memoryview(self._stream.decompress(piece, len(target)))
            except (OSError, EOFError):
                if self._begun or not self._later:
                    raise
                raise EOFError("What lies behind the end of the compressed data is something else") from None
            self._begun = True
        count = min(len(target), len(self._ready))
        target[:count], self._ready = self._ready[:count], self._ready[count:]
        return count

    def _more(self) -> bytes:
        return self._stored.read(io.DEFAULT_BUFFER_SIZE)

    def _behind_padding(self) -> bytes:
        while piece := self._more():
            if piece := piece.lstrip(self._padding):
                return piece
        return b""


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
    ".xz": partial(_Archive, _lzma, b"\0"),  # the format allows zeros behind a stream
    ".bz2": partial(_Archive, lambda: _module("bz2", ".bz2").BZ2Decompressor(), b""),
    ".zst": partial(_Archive, _zstandard, b""),
}


def open_bytes(path: str | Path, progress: Advance | None = None) -> io.BufferedReader:
    """Open a file for reading, decompressing .gz, .xz, .bz2 and .zst.

    `progress` is called with the number of stored bytes consumed since its last call.
    """
    with naming(path):
        return io.BufferedReader(_Content(Path(path), _Stored(Path(path), progress)))


def split_lines(chunks: Iterable[bytes], name: str | Path = "the text") -> Iterator[list[bytes]]:
    r"""Yield the lines that each chunk completes, and at the end the last one if it has no newline.

    UTF-16 is read as UTF-8.

    >>> list(split_lines([b"one\r\ntw", b"o\n\nthree"]))
    [[b'one'], [b'two', b''], [b'three']]
    """
    pending: list[bytes] = []
    waiting = done = 0  # bytes of the line that is not complete, and lines that were
    mark = codecs.BOM_UTF8  # belongs to the file, not to its first line
    for chunk in as_utf8(chunks):
        pending.append(chunk)
        waiting += len(chunk)
        if b"\n" in chunk:
            lines = b"".join(pending).removeprefix(mark).replace(b"\r\n", b"\n").split(b"\n")
            pending, mark = [lines.pop()], b""
            waiting = len(pending[0])
            done += len(lines)
            yield lines
        if waiting > MAX_LINE:
            raise CorpusError(f"{name}:{done + 1}: the line has more than {MAX_LINE:,} bytes; break it into several")
    if last := b"".join(pending).removeprefix(mark):
        yield [last.removesuffix(b"\r")]


def lines(path: str | Path, progress: Advance | None = None) -> Iterator[list[bytes]]:
    """Yield the lines of a file in batches, as they become available if it is a pipe."""
    with open_bytes(path, progress) as file:
        yield from split_lines(iter(lambda: file.read1(CHUNK), b""), path)


@contextmanager
def write_atomically(path: str | Path) -> Iterator[BinaryIO]:
    """Yield a file that takes the place of `path` when the block succeeds, and vanishes when it does not.

    It has the permissions of the file that it replaces. What a process that was killed left of `path` is removed.
    """
    path = Path(path)
    if path.exists() and not path.is_file():  # /dev/null or a pipe is to be written to, not replaced
        with path.open("wb") as device:
            yield device
        return
    path = Path(os.path.realpath(path))
    remove_abandoned(path.parent, path.name)
    temporary, file = _temporary(path)
    try:
        with file:
            _take_permissions(path, file)
            yield file
            file.flush()
            os.fsync(file.fileno())
            if fcntl is not None:  # while it is locked
                temporary.replace(path)
        if fcntl is None:
            temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


@contextmanager
def write_compressed(path: str | Path) -> Iterator[BinaryIO]:
    """Yield a file as `write_atomically` does, compressed where its suffix is .gz, .xz, .bz2 or .zst."""
    compress = _COMPRESSORS.get(Path(path).suffix.lower())
    with write_atomically(path) as stored:
        if compress is None:
            yield stored
            return
        with compress(stored) as file:  # does not close what it writes to
            yield file


_COMPRESSORS: dict[str, Callable[[BinaryIO], Any]] = {
    # Without a name and a time, the same content gives the same bytes.
    ".gz": lambda stored: gzip.GzipFile(filename="", mode="wb", fileobj=stored, mtime=0),
    ".xz": lambda stored: _module("lzma", ".xz").LZMAFile(stored, "wb"),
    ".bz2": lambda stored: _module("bz2", ".bz2").BZ2File(stored, "wb"),
    ".zst": lambda stored: _module(ZSTANDARD, ".zst").ZstdFile(stored, "wb"),
}


def remove_abandoned(folder: Path, name: str | None = None) -> None:
    """Remove what writers that were killed left in a folder, of one file or of all.

    A writer locks its temporary file, and the system ends the lock with the process.
    """
    found: list[Path] = []
    with suppress(OSError):
        found = [path for path in folder.iterdir() if _TEMPORARY.fullmatch(path.name)]
    for path in found:
        if name is not None and path.name[: -len("01234567.tmp")] != _prefix(name):
            continue
        with suppress(OSError):  # somebody writes to it, or is about to remove it as well
            if fcntl is None:
                path.unlink()  # which Windows refuses while it is open
                continue
            with path.open("rb") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                path.unlink()


_TEMPORARY = re.compile(r"\..+\.[0-9a-f]{8}\.tmp", re.DOTALL)


def _prefix(name: str) -> str:
    return f".{os.fsdecode(os.fsencode(name)[:200])}."  # the longest name that a file can have is 255 bytes


def _temporary(path: Path) -> tuple[Path, BinaryIO]:
    """Return a new file beside another one, locked."""
    mode = 0o666 & path.stat().st_mode if path.exists() else 0o666  # what is secret is so from the beginning
    while True:
        temporary = path.with_name(f"{_prefix(path.name)}{os.urandom(4).hex()}.tmp")
        file = open(temporary, "xb", opener=lambda name, flags: os.open(name, flags, mode))  # noqa: SIM115
        if fcntl is None:
            return temporary, file
        with suppress(OSError):  # a file system without locks: then nobody removes it
            fcntl.flock(file, fcntl.LOCK_EX)
        if temporary.exists():
            return temporary, file
        file.close()  # another process took it for abandoned before it was locked


def _take_permissions(path: Path, file: BinaryIO) -> None:
    if hasattr(os, "fchmod") and path.exists():
        was, now = path.stat(), os.fstat(file.fileno())
        if (was.st_uid, was.st_gid) != (now.st_uid, now.st_gid):
            with suppress(OSError):  # only the system's administrator may
                os.fchown(file.fileno(), was.st_uid, was.st_gid)
        os.fchmod(file.fileno(), stat.S_IMODE(was.st_mode))


def format_suffix(path: str | Path) -> str:
    """Return the suffix that tells the format, under that of a compression.

    >>> format_suffix("corpus/train.TSV.gz")
    '.tsv'
    """
    return Path(_uncompressed(path)).suffix.lower()


def refuse_foreign(path: str | Path, instead: str, *, done: str = "read", here: Collection[str] = ()) -> None:
    """Refuse a file whose suffix says that it is none of those that are read and written; `instead` says what to do.

    Other suffixes are refused `here` alone.
    """
    suffix = format_suffix(path)
    if suffix in _FOREIGN or suffix in here:
        raise CorpusError(f"{path}: {suffix} files are not {done}{' here' * (suffix in here)}; {instead}")


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
