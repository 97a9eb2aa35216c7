"""Files that are sent as they are: the page, the WebAssembly package, the models, and what is made once."""

from __future__ import annotations

import mimetypes
import zlib
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path

from unilid.model import Model
from unilid.serve.problems import Headers, Response

POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; "
    "style-src 'self'; img-src 'self' data: blob:; font-src 'self'; manifest-src 'self'; "
    "form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
)
"""Content-Security-Policy of the page: nothing from other hosts, and WebAssembly may be compiled."""

CHUNK = 1 << 18
"""Bytes of a file that are read and sent at once."""

_TYPES = {
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".wasm": "application/wasm",
    ".unilid": "application/octet-stream",
}
_COMPRESSED = 16_000_000
"""Bytes of a file up to which it is compressed; a larger one would take memory and seconds."""
_WORTH = 1024
"""Bytes from which on compression pays."""
_PACKAGE = ("unilid.js", "unilid.wasm", "languages.json", "src/**/*.js")
"""Files of the WebAssembly package that the page needs; CMakeLists.txt installs them beside it."""


@dataclass(frozen=True)
class Document:
    """Something that is sent as it is; compressed once, when somebody first asks for it so."""

    media: str
    path: Path | None = None
    content: bytes = b""
    """What it is, where it is no file."""

    @cached_property
    def tag(self) -> bytes:
        """The ETag, which another content would not have."""
        if self.path is None:
            return b'"' + sha256(self.content).hexdigest()[:32].encode() + b'"'
        state = self.path.stat()
        return f'"{state.st_mtime_ns:x}-{state.st_size:x}"'.encode()

    @property
    def size(self) -> int:
        """Bytes, not compressed."""
        return len(self.content) if self.path is None else self.path.stat().st_size

    @property
    def is_compressible(self) -> bool:
        """Whether a compressed form is worth the time that it takes."""
        return _WORTH <= self.size <= _COMPRESSED and not self.media.startswith(("image/png", "image/jp", "font/"))

    @cached_property
    def compressed(self) -> bytes:
        """The content as gzip."""
        pack = zlib.compressobj(6, wbits=31)
        content = self.content if self.path is None else self.path.read_bytes()
        return pack.compress(content) + pack.flush()

    @property
    def is_compressed_yet(self) -> bool:
        """Whether `compressed` is at hand."""
        return "compressed" in self.__dict__

    def headers(self) -> Headers:
        """Return what is said of it, compressed or not."""
        return (
            (b"content-type", self.media.encode()),
            (b"etag", self.tag),
            (b"cache-control", b"no-cache"),  # kept, and asked whether it is still the same
            (b"vary", b"accept-encoding"),
            (b"content-security-policy", POLICY.encode()),
            (b"referrer-policy", b"no-referrer"),
        )

    def unchanged(self, headers: Mapping[bytes, bytes]) -> Response | None:
        """Return that nothing has changed, where a client has it already."""
        known = [tag.strip().removeprefix(b"W/") for tag in headers.get(b"if-none-match", b"").split(b",")]
        return Response(304, b"", self.headers()) if self.tag in known or known == [b"*"] else None

    async def pieces(self) -> AsyncIterator[bytes]:
        """Yield the content of a file; whoever takes it slowly holds one piece."""
        assert self.path is not None
        with self.path.open("rb") as file:
            while piece := file.read(CHUNK):
                yield piece


def takes_gzip(headers: Mapping[bytes, bytes]) -> bool:
    """Say whether a client takes gzip.

    >>> takes_gzip({b"accept-encoding": b"br, gzip"}), takes_gzip({b"accept-encoding": b"gzip;q=0"}), takes_gzip({})
    (True, False, False)
    """
    for coding in headers.get(b"accept-encoding", b"").lower().split(b","):
        name, _, quality = coding.replace(b" ", b"").partition(b";q=")
        if name in (b"gzip", b"*"):
            return quality.rstrip(b"0.") != b"" or not quality
    return False


def documents(model: Model) -> dict[str, Document]:
    """Return the files of the page and the models, by their paths.

    The page asks for `/compact.unilid`: the package's, or, where the service answers with another model, that one, so
    that page and service agree.
    """
    found = {f"/{name}": Document(_media(path), path) for name, path in _page()}
    if "/index.html" in found:
        found["/"] = found["/index.html"]
    package = Path(__file__).parents[1]
    ours = [package / "default.unilid", package / "compact.unilid"]
    for path in ours:
        own = path if model.path is None or model.path.resolve() in map(Path.resolve, ours) else model.path
        found[f"/{path.name}"] = Document(_TYPES[".unilid"], own)
    return found


def _page() -> Iterator[tuple[str, Path]]:
    """Yield the files of the page: of the installed package, or, in a checkout, where they are written."""
    installed = Path(__file__).with_name("static")
    if installed.is_dir():
        yield from _below(installed)
        return
    web = Path(__file__).parents[3] / "web"
    yield from _below(web / "page")
    for pattern in _PACKAGE:
        for path in sorted(web.glob(pattern)):
            yield path.relative_to(web).as_posix(), path


def _below(folder: Path) -> Iterator[tuple[str, Path]]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.name.startswith("."):
            yield path.relative_to(folder).as_posix(), path


def _media(path: Path) -> str:
    return _TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "application/octet-stream"
