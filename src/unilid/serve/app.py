"""The ASGI application: which endpoint a request is for, and what is sent, counted and logged of its answer."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import sys
import traceback
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from functools import cached_property, partial
from time import perf_counter
from typing import Any, NamedTuple

from unilid.display import one_line
from unilid.loaded import loaded
from unilid.model import Model
from unilid.serve import bodies, files, openapi
from unilid.serve.batches import SHORT
from unilid.serve.endpoints import JSON, JSON_TYPE, NDJSON, Endpoints, Request, Streamed, media_of
from unilid.serve.files import Document
from unilid.serve.limits import close_blocked, reading
from unilid.serve.metrics import ENDPOINTS, GONE, Metrics
from unilid.serve.problems import Headers, Problem, Response, json_response
from unilid.serve.settings import Settings
from unilid.threads import cores

Scope = Mapping[str, Any]
Send = Callable[[Any], Awaitable[None]]
Answer = Response | Document | Streamed

_ALWAYS: Headers = ((b"x-content-type-options", b"nosniff"),)
_ORPHANED_SECONDS = 1.0
"""How often a worker looks whether the process that started it is still there."""
_SERVING_SECONDS = 0.05
"""After the start of the application, when the server has begun to listen."""
_SWITCH_SECONDS = 0.002
"""How long a thread keeps Python's lock while the event loop waits for it."""
_COLLECTED = (5000, 10, 10)
"""How often garbage is collected. What a request leaves may hold its body: it must not wait for many others."""
_LOGGED = 200
"""Characters of a text that a log shows."""


class Route(NamedTuple):
    """What a path leads to."""

    name: str
    method: str
    answer: Callable[[Request], Awaitable[Answer]]
    limited: bool = False
    """Whether it is work, for which there may be no room."""


class App:
    """The application, of one worker."""

    def __init__(self, settings: Settings, model: Model) -> None:
        self._settings = settings
        self._metrics = Metrics(settings.metrics, workers=settings.workers)
        threads = max(1, cores() // settings.workers)
        self._endpoints = Endpoints(model, settings.limits, self._metrics, threads=threads)
        self._turns = self._endpoints.turns
        self._ready = False
        answering = self._endpoints
        routes = {
            "/identify": Route("identify", "POST", answering.identify, limited=True),
            "/spans": Route("spans", "POST", answering.spans, limited=True),
            "/explain": Route("explain", "POST", answering.explain, limited=True),
            "/languages": Route("languages", "GET", answering.languages),
            "/health": Route("health", "GET", self._health),
            "/ready": Route("ready", "GET", self._is_ready),
            "/metrics": Route("metrics", "GET", self._show_metrics),
            "/openapi.json": Route("openapi", "GET", self._show_openapi),
        }
        documents = files.documents(model).items()
        self._routes = routes | {path: Route("file", "GET", partial(_sent_as_it_is, one)) for path, one in documents}
        self._stream = Route("stream", "POST", answering.stream, limited=True)

    async def __call__(self, scope: Scope, receive: bodies.Receive, send: Send) -> None:
        """Answer one request, or see the service begin and end."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._lifespan(receive, send)
            return
        start = perf_counter()
        headers: dict[bytes, bytes] = dict(scope["headers"])
        media = media_of(headers.get(b"content-type", JSON_TYPE))
        route = self._routes.get(scope["path"], _NOWHERE)
        if media == NDJSON and route.name == "identify":
            route = self._stream
        texts: list[object] = []
        shared = self._shared(headers) if self._settings.origins else ()
        request = Request(media, headers, scope["query_string"], receive, send, texts.append, shared)
        let_in = gone = False
        answer: Answer | None
        try:
            answer = self._refusal(route, scope)
            if answer is None:
                if route.limited:
                    self._turns.enter(heavy=route.name == "explain" or _is_long(headers))
                    let_in = True
                answer = await route.answer(request)
        except Problem as problem:
            answer = problem.response()
        except bodies.GoneError:  # the client, most often; else it reads what is wrong
            gone = True
            answer = Problem(400, "the body ends before its end, or its chunks are none", field="body").response()
        except Exception as error:  # noqa: BLE001  # a fault of the service, which goes on
            self._log_failure(error)
            answer = Problem(500, "this should not happen; the log of the service says where it did").response()
        finally:
            if let_in:
                self._turns.leave()
        if isinstance(answer, Streamed):
            status = answer.status
            if answer.fault is not None:
                self._log_failure(answer.fault)
        elif isinstance(answer, Document):
            status = await self._send_document(request, answer, with_body=scope["method"] != "HEAD")
        else:
            status = answer.status
            await send(_start(answer, shared, None if status == 204 else len(answer.body)))
            await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else answer.body})
        seconds = perf_counter() - start
        status = GONE if gone else status
        self._metrics.count(_NUMBERS[route.name], status, seconds)
        if self._settings.log != "failures":
            self._log(scope, status, seconds, texts)

    def _refusal(self, route: Route, scope: Scope) -> Response | None:
        """Return what is answered without a look at the request, or None; raise what is wrong with its first line."""
        method = scope["method"]
        if method == route.method:
            return None
        if route is _NOWHERE:
            raise Problem(404, f"there is nothing at {one_line(scope['path'])}; /openapi.json says what there is")
        if method == "OPTIONS" and self._settings.origins:
            return Response(204, b"", self._preflight(route))
        if method == "HEAD" and route.method == "GET":
            return None
        allowed = route.method + (", HEAD" if route.method == "GET" else "")
        raise Problem(405, f"this takes {allowed}", headers=((b"allow", allowed.encode()),))

    async def _send_document(self, request: Request, document: Document, *, with_body: bool) -> int:
        """Send a document, or that it has not changed, and return the status."""
        answer = document.unchanged(request.headers) or await self._sent(document, request.headers)
        size = len(answer.body) or document.size
        await request.send(_start(answer, request.shared, size if answer.status == 200 else None))
        with suppress(Problem):  # what is begun cannot be told: it ends here
            if answer.status == 200 and with_body and not answer.body:
                async for piece in document.pieces():
                    with reading(self._settings.limits):
                        await request.send({"type": "http.response.body", "body": piece, "more_body": True})
            body = answer.body if with_body else b""
            await request.send({"type": "http.response.body", "body": body, "more_body": False})
        return answer.status

    async def _sent(self, document: Document, headers: Mapping[bytes, bytes]) -> Response:
        """Return what is sent of a document: a compressed one, its content, or, of a file, nothing yet."""
        if files.takes_gzip(headers) and document.is_compressible:
            if not document.is_compressed_yet:
                await self._turns.run(lambda: document.compressed, begun=True)
            return Response(200, document.compressed, (*document.headers(), (b"content-encoding", b"gzip")))
        return Response(200, document.content, document.headers())

    async def _health(self, _: Request) -> Response:
        return json_response(b'{"status": "alive"}')

    async def _is_ready(self, _: Request) -> Response:
        if not self._ready:
            raise Problem(
                503, "the model is not loaded yet, or the service is ending", headers=((b"retry-after", b"1"),)
            )
        return json_response(b'{"status": "ready"}')

    async def _show_metrics(self, _: Request) -> Response:
        return Response(200, self._metrics.render(), ((b"content-type", b"text/plain; version=0.0.4; charset=utf-8"),))

    async def _show_openapi(self, _: Request) -> Document:
        return self._openapi

    @cached_property
    def _openapi(self) -> Document:
        return Document(JSON, content=openapi.document(self._settings.limits, calibrated=self._endpoints.calibrated))

    def _shared(self, headers: Mapping[bytes, bytes]) -> Headers:
        """Return what lets pages of other origins read an answer, where that was asked for."""
        origins = self._settings.origins
        if "*" in origins:
            return ((b"access-control-allow-origin", b"*"),)
        origin = headers.get(b"origin", b"")
        allowed = ((b"access-control-allow-origin", origin),) if origin.decode("latin-1") in origins else ()
        return (*allowed, (b"vary", b"origin"))

    def _preflight(self, route: Route) -> Headers:
        return (
            (b"access-control-allow-methods", route.method.encode()),
            (b"access-control-allow-headers", b"content-type, content-encoding"),
            (b"access-control-max-age", b"86400"),
        )

    async def _lifespan(self, receive: bodies.Receive, send: Send) -> None:
        await receive()
        self._endpoints.model.identify("")  # builds what the first question would wait for, where it is not there
        sys.setswitchinterval(_SWITCH_SECONDS)
        gc.set_threshold(*_COLLECTED)
        loop = asyncio.get_running_loop()
        loop.call_later(_SERVING_SECONDS, self._serving)
        if os.getpid() != self._settings.parent:  # Ctrl-C is for all processes: the first of them ends the others
            loop.remove_signal_handler(signal.SIGINT)
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        watching = asyncio.ensure_future(_end_with(self._settings.parent))
        self._ready = True
        await send({"type": "lifespan.startup.complete"})
        await receive()
        self._ready = False
        watching.cancel()
        await send({"type": "lifespan.shutdown.complete"})

    def _serving(self) -> None:
        close_blocked(self._settings.limits)
        self._metrics.serving()

    def _log(self, scope: Scope, status: int, seconds: float, texts: list[object]) -> None:
        line = f"{scope['method']} {one_line(scope['path'])} {status} {1000 * seconds:.1f} ms"
        if self._settings.log == "texts" and texts:
            line += f" {one_line(repr(texts[0])[:_LOGGED])}"
        print(line, file=sys.stderr, flush=True)

    def _log_failure(self, error: Exception) -> None:
        """Say where a fault happened; what its message says may be a text, which is nobody's business."""
        frames = traceback.extract_tb(error.__traceback__)
        where = ", ".join(f"{os.path.basename(frame.filename)}:{frame.lineno}" for frame in frames)  # noqa: PTH119
        print(f"unilid: {type(error).__name__} at {where}", file=sys.stderr, flush=True)


def _start(answer: Response, shared: Headers, size: int | None) -> dict[str, Any]:
    """Return the beginning of an answer, with the size of its body, where there is one to tell."""
    fields = [*answer.headers, *_ALWAYS, *shared]
    if size is not None:
        fields.append((b"content-length", b"%d" % size))
    return {"type": "http.response.start", "status": answer.status, "headers": fields}


async def _sent_as_it_is(document: Document, _: Request) -> Document:
    return document


def _is_long(headers: Mapping[bytes, bytes]) -> bool:
    """Say whether the body of a request is so long, or of so unknown a length, that it takes a thread to answer it."""
    length = headers.get(b"content-length", b"")
    return not length.isdigit() or int(length) > SHORT


async def _nothing(_: Request) -> Answer:
    raise Problem(404, "there is nothing here")


_NOWHERE = Route("none", "", _nothing)
_NUMBERS = {name: number for number, name in enumerate(ENDPOINTS)}


async def _end_with(parent: int) -> None:
    """End this process where the one that started it is gone."""
    while os.getppid() == parent or os.getpid() == parent:
        await asyncio.sleep(_ORPHANED_SECONDS)
    os.kill(os.getpid(), signal.SIGTERM)


def warm(model: Model) -> None:
    """Do once what first questions would wait for; processes that are forked afterwards share it.

    What is there now stays: the collector of garbage need not look at it again.
    """
    text = "Wo ist der Bahnhof?"
    model.identify(text)
    model.spans(text)
    model.explain(text)
    gc.collect()
    gc.freeze()


def make_app(settings: Settings) -> App:
    """Return the application of a worker. A model that the process has loaded already is taken."""
    return App(settings, loaded(settings.model))
