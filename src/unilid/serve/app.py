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
from unilid.serve.endpoints import JSON, NDJSON, Endpoints, Request, Streamed, media_of
from unilid.serve.files import Document
from unilid.serve.limits import reading
from unilid.serve.metrics import ENDPOINTS, Metrics
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
_SWITCH_SECONDS = 0.0005
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
        if scope["type"] == "http":
            await self._http(scope, receive, send)
        elif scope["type"] == "lifespan":
            await self._lifespan(receive, send)

    async def _http(self, scope: Scope, receive: bodies.Receive, send: Send) -> None:
        start, path = perf_counter(), scope["path"]
        headers: dict[bytes, bytes] = dict(scope["headers"])
        media = media_of(headers)
        route = self._routes.get(path)
        if media == NDJSON and route is not None and route.name == "identify":
            route = self._stream
        texts: list[object] = []
        shared = self._shared(headers) if self._settings.origins else ()
        request = Request(media, headers, scope["query_string"], receive, send, texts.append, shared)
        status = 499  # nobody was there to read an answer
        answer: Answer | None
        try:
            answer = await self._answer(route, scope, request)
        except Problem as problem:
            answer = problem.response()
        except bodies.GoneError:
            answer = None
        except Exception as error:  # noqa: BLE001  # a fault of the service, which goes on
            self._log_failure(error)
            answer = Problem(500, "this should not happen; the log of the service says where it did").response()
        if isinstance(answer, Streamed):
            status = answer.status
            if answer.fault is not None:
                self._log_failure(answer.fault)
        elif answer is not None:
            with suppress(Problem):  # what is begun cannot be told: it ends here
                status = await self._send(request, answer, with_body=scope["method"] != "HEAD")
        seconds = perf_counter() - start
        self._metrics.count(_NUMBERS[route.name if route else "none"], status, seconds)
        if self._settings.log != "failures":
            self._log(scope, status, seconds, texts)

    async def _answer(self, route: Route | None, scope: Scope, request: Request) -> Answer:
        method = scope["method"]
        if route is None:
            raise Problem(404, f"there is nothing at {one_line(scope['path'])}; /openapi.json says what there is")
        if method == "OPTIONS" and self._settings.origins:
            return Response(204, b"", self._preflight(route))
        if method != route.method and not (method == "HEAD" and route.method == "GET"):
            allowed = route.method + (", HEAD" if route.method == "GET" else "")
            raise Problem(405, f"this takes {allowed}", headers=((b"allow", allowed.encode()),))
        if not route.limited:
            return await route.answer(request)
        turns = self._endpoints.turns
        turns.enter(heavy=route.name == "explain" or _is_long(request.headers))
        try:
            return await route.answer(request)
        finally:
            turns.leave()

    async def _send(self, request: Request, answer: Response | Document, *, with_body: bool) -> int:
        """Send an answer, and return its status."""
        document, send = None, request.send
        if isinstance(answer, Document):
            document, answer = answer, answer.unchanged(request.headers) or await self._sent(answer, request.headers)
        status, body, about = answer
        fields = [*about, *_ALWAYS, *request.shared]
        if document is None and status != 204:
            fields.append((b"content-length", str(len(body)).encode()))
        await send({"type": "http.response.start", "status": status, "headers": fields})
        if document is not None and status == 200 and with_body and not body:
            async for piece in document.pieces():
                with reading(self._settings.limits):
                    await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body", "body": body if with_body else b"", "more_body": False})
        return status

    async def _sent(self, document: Document, headers: Mapping[bytes, bytes]) -> Response:
        """Return what is sent of a document: a compressed one, its content, or, of a file, nothing yet."""
        if files.takes_gzip(headers) and document.is_compressible:
            if not document.is_compressed_yet:
                await self._endpoints.turns.run(lambda: document.compressed, begun=True)
            body, size = document.compressed, len(document.compressed)
            more: Headers = ((b"content-encoding", b"gzip"), (b"content-length", str(size).encode()))
            return Response(200, body, (*document.headers(), *more))
        return Response(200, document.content, (*document.headers(), (b"content-length", str(document.size).encode())))

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
        loop.call_later(_SERVING_SECONDS, self._metrics.serving)
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


async def _sent_as_it_is(document: Document, _: Request) -> Document:
    return document


def _is_long(headers: Mapping[bytes, bytes]) -> bool:
    """Say whether the body of a request is so long, or of so unknown a length, that it takes a thread to answer it."""
    length = headers.get(b"content-length", b"")
    return not length.isdigit() or int(length) > SHORT


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
