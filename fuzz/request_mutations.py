"""Requests of HTTP as bytes: what the service accepts, changed in its first line, headers, lengths or body."""

from __future__ import annotations

import copy
import gzip
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from random import Random
from typing import Any

from changes import STRINGS, Mutation, any_value, change_bytes, change_tree, changing, mutate

JSON, PLAIN, NDJSON = b"application/json", b"text/plain", b"application/x-ndjson"
TEXTS = ["Wo ist der nächste Bahnhof?", "Where is the station? Где вокзал?", "漁師は港で網を直している。", "12:30", ""]


@dataclass
class Request:
    """A request, taken apart."""

    method: bytes
    target: bytes
    content: Any = None
    """A tree of JSON, a list of lines, bytes, or None for no body."""
    media: bytes | None = None
    headers: list[tuple[bytes, bytes]] = field(default_factory=list)
    version: bytes = b"HTTP/1.1"
    compressed: bool = False
    chunked: bool = False
    body_changes: list[Callable[[bytes], bytes]] = field(default_factory=list)
    framing: Callable[[bytes], list[tuple[bytes, bytes]]] | None = None
    """Says what is told of the length of a body, where that is a lie."""
    chunk_changes: list[Callable[[bytes], bytes]] = field(default_factory=list)
    changes: list[Callable[[bytes], bytes]] = field(default_factory=list)
    """Of the whole."""
    manner: str = "waits"
    """Of the client: it waits, sends in pieces, closes its half, or leaves."""

    def body(self) -> bytes:
        """Return the body, without what tells its length."""
        content = self.content
        if content is None:
            return b""
        if isinstance(content, list):
            content = b"\n".join(line if isinstance(line, bytes) else _json(line) for line in content)
        elif not isinstance(content, bytes):
            content = _json(content)
        if self.compressed:
            content = gzip.compress(content, 1, mtime=0)
        for change in self.body_changes:
            content = change(content)
        return bytes(content)

    def encode(self) -> bytes:
        """Return the bytes of the request."""
        body = self.body()
        headers = [(b"Host", b"localhost"), *self.headers]
        if self.media is not None:
            headers.append((b"Content-Type", self.media))
        if self.compressed:
            headers.append((b"Content-Encoding", b"gzip"))
        if self.framing is not None:
            headers += self.framing(body)
        elif self.chunked:
            headers.append((b"Transfer-Encoding", b"chunked"))
        elif self.content is not None:
            headers.append((b"Content-Length", b"%d" % len(body)))
        if self.chunked:
            size = max(1, len(body) // 3)
            pieces = [body[start : start + size] for start in range(0, len(body), size)]
            body = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"
            for change in self.chunk_changes:
                body = change(body)
        head = b" ".join((self.method, self.target, self.version)) + b"\r\n"
        encoded = head + b"".join(b"%s: %s\r\n" % header for header in headers) + b"\r\n" + body
        for change in self.changes:
            encoded = change(encoded)
        return encoded


def _json(tree: Any) -> bytes:
    return json.dumps(tree).encode("utf-8", "surrogatepass")


def _requests() -> list[Request]:
    """Return requests that are in order, of every kind that the service accepts."""
    lines = [{"id": number, "text": text} for number, text in enumerate(TEXTS)]
    options = {"languages": ["de", "en", "ru"], "prior": {"de": 0.5}, "k": 2, "codes": "bcp47", "abstain": 0.1}
    wide = {"text": TEXTS[1], "budget": 100, "calibrated": False, "prior": None, "shares": True}
    posted = [
        ("/identify", {"text": TEXTS[0]}),
        ("/identify", {"text": TEXTS[2], **options}),
        ("/identify", {"texts": [*TEXTS, None], "k": 3}),
        ("/identify?k=2&languages=de,en", {"texts": TEXTS}),
        ("/identify", wide),
        ("/spans", {"text": TEXTS[1], "switch": 3.5, "least": 2, "most": 3, "offsets": "bytes"}),
        ("/explain", {"text": TEXTS[0], "language": "de", "instead": "nl"}),
    ]
    made = [Request(b"POST", path.encode(), content, JSON) for path, content in posted]
    made += [
        Request(b"POST", b"/identify", {"text": TEXTS[0]}, JSON, compressed=True),
        Request(b"POST", b"/identify", {"text": TEXTS[0]}, JSON, chunked=True),
        Request(b"POST", b"/identify", TEXTS[1].encode(), PLAIN),
        Request(b"POST", b"/identify?k=3", "né à Lyon".encode("latin-1"), b"text/plain; charset=iso-8859-1"),
        Request(b"POST", b"/spans?least=2", TEXTS[1].encode(), PLAIN),
        Request(b"POST", b"/identify", lines, NDJSON),
        Request(b"POST", b"/identify?keep=false&k=2", lines, NDJSON, chunked=True),
        Request(b"POST", b"/identify?prefix=x_&field=text", lines, NDJSON, compressed=True, chunked=True),
        Request(b"GET", b"/languages?q=german&q=zh"),
        Request(b"GET", b"/health"),
        Request(b"GET", b"/ready", version=b"HTTP/1.0"),
        Request(b"GET", b"/metrics"),
        Request(b"GET", b"/openapi.json", headers=[(b"Accept-Encoding", b"gzip")]),
        Request(b"GET", b"/", headers=[(b"If-None-Match", b'"abc", W/"def"')]),
        Request(b"HEAD", b"/default.unilid"),
        Request(b"GET", b"/main.js", headers=[(b"Accept-Encoding", b"br, gzip;q=0.5")]),
    ]
    return made


METHODS = [
    b"GET", b"POST", b"HEAD", b"OPTIONS", b"PUT", b"DELETE", b"TRACE", b"CONNECT", b"PATCH", b"PRI", b"get", b"",
    b"P\0ST", b"X" * 3000,
]  # fmt: skip
VERSIONS = [b"HTTP/1.0", b"HTTP/2.0", b"HTTP/0.9", b"HTTP/1.2", b"HTTP/1.10", b"", b"http/1.1", b"X"]
TARGETS = [
    b"/", b"*", b"", b"identify", b"//", b"//identify", b"/identify/", b"/../../etc/passwd",
    b"/..%2f..%2fetc%2fpasswd", b"/src/../../pyproject.toml", b"/%2e%2e/", b"/.hidden", b"/static/", b"/src/",
    b"/src", b"http://localhost/health", b"http://example.org/identify", b"localhost:80", b"/\xff", b"/%ff%fe",
    b"/%00", b"/\x1b[31m", b"/a b", b"/" + b"a" * 9000, b"/identify#k=2", b"/identify?", b"/identify??k=2",
    b"/default.unilid%00", b"/compact.unilid/..", b"/%69dentify",
]  # fmt: skip
QUERIES = [
    b"k", b"k=", b"k=0", b"k=-1", b"k=1e9", b"k=2147483648", b"k=2&k=3", b"k=true", b"k=null", b"k=\xff", b"k=%ff",
    b"k=%", b"languages=", b"languages=,", b"languages=,".ljust(3000, b","), b"languages=de&languages=en",
    b"languages=xqx", b"prior=model", b"prior=null", b"prior={}", b"prior=training", b"abstain=2", b"abstain=nan",
    b"abstain=0.5", b"budget=1", b"budget=null", b"calibrated=auto", b"calibrated=true", b"codes=macro", b"codes=x",
    b"shares=true", b"shares=true&k=2", b"q=", b"q=\x00", b"q=%00", b"q=" + b"a" * 5000, b"q=de" * 1,
    b"&".join([b"q=e"] * 400), b"field=", b"field=%00", b"prefix=%0a", b"keep=maybe", b"text=a", b"most=1",
    b"least=99999", b"switch=1e308", b"switch=inf", b"offsets=x", b"language=", b"instead=%ed%a0%80", b";", b"=",
    b"&&&", b"+",
]  # fmt: skip
HEADERS: list[tuple[bytes, bytes]] = [
    (b"Content-Type", b""), (b"Content-Type", b";"), (b"Content-Type", b"text/plain; charset=utf-16"),
    (b"Content-Type", b"text/plain; charset=klingon"), (b"Content-Type", b'text/plain; charset="utf-8'),
    (b"Content-Type", b"*/*"), (b"Content-Type", b"text/plain; charset=idna"),
    (b"Content-Type", b"text/plain; charset=punycode"), (b"Content-Type", b"text/plain; charset=undefined"),
    (b"Content-Type", b"text/plain; charset=unicode_escape"), (b"Content-Type", b"text/plain; charset=rot13"),
    (b"Content-Type", b"text/plain; charset=zlib"), (b"Content-Type", b"text/plain; charset=utf-7"),
    (b"Content-Type", b"text/plain; charset=../../etc"), (b"Content-Type", b"text/plain; charset=\xff"),
    (b"Content-Type", b"application/xml"), (b"Content-Type", b"x" * 5000), (b"Content-Encoding", b"gzip"),
    (b"Content-Encoding", b"gzip, gzip"), (b"Content-Encoding", b"br"), (b"Content-Encoding", b""),
    (b"Content-Encoding", b"identity"), (b"Content-Encoding", b"\xff"), (b"Content-Encoding", b"GZIP "),
    (b"Transfer-Encoding", b"chunked"), (b"Transfer-Encoding", b"gzip, chunked"), (b"Transfer-Encoding", b"identity"),
    (b"Transfer-Encoding", b"chunked, chunked"), (b"Transfer-Encoding", b"\x0bchunked"), (b"Content-Length", b"0"),
    (b"Expect", b"100-continue"), (b"Expect", b"nothing"), (b"Connection", b"close"), (b"Connection", b"Upgrade"),
    (b"Upgrade", b"h2c"), (b"Upgrade", b"websocket"), (b"HTTP2-Settings", b"AAMAAABkAAQAAP__"),
    (b"Sec-WebSocket-Key", b"a" * 24), (b"Accept-Encoding", b"gzip"), (b"Accept-Encoding", b"gzip;q=0"),
    (b"Accept-Encoding", b"*;q=x"), (b"Accept-Encoding", b","), (b"If-None-Match", b"*"), (b"If-None-Match", b'"'),
    (b"If-None-Match", b"\xff"), (b"If-None-Match", b"," * 2000), (b"Range", b"bytes=0-1"), (b"Origin", b"null"),
    (b"Host", b""), (b"Host", b"\xff"), (b"", b""), (b" a", b"b"), (b"a", b"b\0c"), (b"a b", b"c"),
    (b"X", b"y" * 70_000), (b"Cookie", b"a=b"), (b"X-Forwarded-For", b"127.0.0.1"),
]  # fmt: skip
LINES: list[bytes] = [
    b"", b"{", b"{}", b"[]", b"null", b"1", b'"a"', b'{"text": 1}', b'{"text": null}', b'{"text": "a", "label": "x"}',
    b"\xff\xfe", b'{"text": "\xff"}', b'{"text": "\\ud800"}', b'{"text": "a", "n": 1e999}',
    b'{"text": "a", "n": NaN}', b'{"text": "a"} {}', b'{"text": "a", "n": ' + b"9" * 5000 + b"}",
    b'{"text": "a", "n": ' + b"[" * 900 + b"]" * 900 + b"}", b"[" * 3000,
    b'{"text": "a", "n": ' + b'{"a":' * 970 + b"1" + b"}" * 971, b'{"text": "' + b"a " * 20_000 + b'"}', b"\r", b"\0",
    b'{"text":"a"}\r',
]  # fmt: skip
BYTES = [
    b"", b"{", b"[" * 5000, b"null", b"NaN", b'{"text": "\\ud800"}', b'{"text": "a", "text": "b"}', b'{"text": "a"}}',
    b"\xef\xbb\xbf{}", b"\xff\xfe{\0}\0", b" " * 50_000, b'{"texts": [' + b'"a",' * 9_999 + b'"b"]}',
    b'{"texts": [' + b'"a",' * 10_001 + b'"b"]}', b'{"text": "' + b"a" * 300_000 + b'"}',
    b'{"text": "a", "k": 1e300}', b'{"text": "a", "k": 3.0}', b'{"text": "a", "abstain": 1e-320}',
    b'{"text": "a", "languages": [' + b'"de",' * 5000 + b'"en"]}', b"x" * 300_000,
]  # fmt: skip
LENGTHS = [
    b"", b"0", b"1", b"-1", b"+5", b"0x10", b"1e3", b"99999999999999999999", b"9" * 5000, b"18446744073709551615",
    b" 5", b"5, 5", b"\xb2", b"8000001", b"1_0",
]  # fmt: skip
CHUNKS: list[Callable[[bytes], bytes]] = [
    lambda body: body.replace(b"\r\n", b"\n"),
    lambda body: body.removesuffix(b"0\r\n\r\n"),
    lambda body: body.removesuffix(b"\r\n"),
    lambda body: b"0\r\n\r\n" + body,
    lambda body: b"-1\r\n" + body,
    lambda body: b"ffffffffffffffff\r\n" + body,
    lambda body: b"fffffffffffffffff\r\n" + body,
    lambda body: b"5;a=b\r\n" + body,
    lambda body: b"5;" + b"a" * 20_000 + b"\r\n" + body,
    lambda body: b"zz\r\n" + body,
    lambda body: body.removesuffix(b"\r\n") + b"Trailer: a\r\nContent-Length: 3\r\n\r\n",
    lambda body: body.removesuffix(b"\r\n") + b"a" * 70_000 + b": b\r\n\r\n",
    lambda body: b"1\r\n \r\n" * 200 + body,
]


def mutate_method(request: Request, chance: Random) -> str:
    """Ask in another way."""
    request.method = chance.choice(METHODS)
    if chance.random() < 0.2:
        request.version = chance.choice(VERSIONS)
    return "method"


def mutate_target(request: Request, chance: Random) -> str:
    """Ask for something else."""
    path, _, query = request.target.partition(b"?")
    if chance.random() < 0.3:
        request.target = chance.choice(TARGETS)
    elif chance.random() < 0.3:
        request.target, _ = change_bytes(request.target, chance)
    elif chance.random() < 0.3:
        request.target = chance.choice([made.target for made in REQUESTS])
    else:
        parts = [query, *(chance.choice(QUERIES) for _ in range(chance.choice([1, 1, 2])))]
        request.target = path + b"?" + b"&".join(filter(None, parts))
    return "target"


def mutate_headers(request: Request, chance: Random) -> str:
    """Add headers, or make one of another."""
    for _ in range(chance.choice([1, 1, 2, 3, 150])):
        name, value = chance.choice(HEADERS)
        if chance.random() < 0.1:
            value, _ = change_bytes(value, chance)
        request.headers.append((name, value))
    if chance.random() < 0.3:
        request.media = chance.choice([None, JSON, PLAIN, NDJSON, b"Application/JSON ; x=y", b"text/html"])
    return "headers"


def mutate_length(request: Request, chance: Random) -> str:
    """Tell another length than that of the body, or several."""
    length = chance.choice(LENGTHS)
    more = chance.choice([-1, -5, 1, 5, 1000])

    def lie(body: bytes) -> list[tuple[bytes, bytes]]:
        told = b"%d" % max(0, len(body) + more)
        return {
            "other": [(b"Content-Length", length)],
            "less or more": [(b"Content-Length", told)],
            "twice": [(b"Content-Length", b"%d" % len(body)), (b"Content-Length", told)],
            "both": [(b"Content-Length", told), (b"Transfer-Encoding", b"chunked")],
            "none": [],
        }[how]

    how = chance.choice(["other", "other", "less or more", "twice", "both", "none"])
    request.framing = lie
    return f"length: {how}"


def mutate_chunks(request: Request, chance: Random) -> str:
    """Send a body in chunks that are none."""
    request.chunked = True
    if chance.random() < 0.3:
        request.chunk_changes.append(changing(chance))
    else:
        request.chunk_changes.append(chance.choice(CHUNKS))
    return "chunks"


def mutate_content(request: Request, chance: Random) -> str:
    """Ask something else: another value somewhere, other lines, other bytes."""
    if request.content is None:
        request.method, request.target, request.media = b"POST", b"/identify", JSON
        request.content = {"text": chance.choice(STRINGS)}
    if isinstance(request.content, bytes) or chance.random() < 0.15:
        request.content = chance.choice(BYTES)
        return "content"
    if isinstance(request.content, list) and chance.random() < 0.5:
        request.content = [*request.content, *request.content][: chance.randrange(10)]
        request.content.insert(chance.randint(0, len(request.content)), chance.choice(LINES))
        return "lines"
    if isinstance(request.content, dict) and chance.random() < 0.3:
        names = [
            "text", "texts", "k", "languages", "prior", "abstain", "budget", "calibrated", "codes", "shares",
            "switch", "least", "most", "offsets", "language", "instead", "x",
        ]  # fmt: skip
        request.content[chance.choice(names)] = any_value(chance)
        return "field"
    return f"content {change_tree(request.content, chance)}"


@cache
def zeros(count: int) -> bytes:
    """Return very much that was made very small."""
    return gzip.compress(bytes(count), 1, mtime=0)


def mutate_body(request: Request, chance: Random) -> str:
    """Change bytes of a body, compressed or not."""
    if chance.random() < 0.4:
        request.compressed = not request.compressed
    if request.compressed and chance.random() < 0.3:
        bomb = zeros(chance.choice([100_000, 9_000_000, 30_000_000]))
        member = gzip.compress(b"a", mtime=0)
        changes: list[Callable[[bytes], bytes]] = [
            lambda body: body[:-3],
            lambda body: body + b"garbage",
            lambda body: body + body,
            lambda body: body + member,
            lambda _: bomb,
            lambda _: b"",
        ]
        request.body_changes.append(chance.choice(changes))
    else:
        request.body_changes.append(changing(chance))
    return "body"


def mutate_whole(request: Request, chance: Random) -> str:
    """Change bytes anywhere, or send more than one request."""
    if chance.random() < 0.2:
        other = chance.choice(REQUESTS).encode()
        request.changes.append(lambda encoded: encoded + other)
        return "pipeline"
    request.changes.append(changing(chance))
    return "bytes"


def mutate_manner(request: Request, chance: Random) -> str:
    """Behave as few clients do."""
    request.manner = chance.choice(["in pieces", "in pieces", "half closed", "leaves", "leaves"])
    return request.manner


REQUESTS = _requests()
MUTATIONS: list[tuple[Mutation[Request], int]] = [
    (mutate_method, 1),
    (mutate_target, 3),
    (mutate_headers, 3),
    (mutate_length, 1),
    (mutate_chunks, 1),
    (mutate_content, 6),
    (mutate_body, 2),
    (mutate_whole, 4),
    (mutate_manner, 1),
]


def mutant(seed: int, number: int) -> tuple[Request, str]:
    """Return a request, and what was changed."""
    chance = Random(f"{seed} {number}")
    request = copy.deepcopy(chance.choice(REQUESTS))
    changes = mutate(request, MUTATIONS, chance)
    return request, f"{request.method[:20]!r} {request.target[:60]!r}: {changes}"
