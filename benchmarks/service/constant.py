"""ASGI applications that read a request and answer a constant: what a stack takes before anything is answered."""

from __future__ import annotations

from typing import Any

ANSWER = b'{"label": "deu_Latn", "probability": 0.999894, "score": -28.5}'


async def bare(scope: Any, receive: Any, send: Any) -> None:
    """No framework."""
    if scope["type"] == "lifespan":
        for _ in range(2):
            message = await receive()
            await send({"type": f"{message['type']}.complete"})
        return
    await receive()
    length = str(len(ANSWER)).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", length)]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": ANSWER})


def starlette() -> Any:
    """Return the same in Starlette."""
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import Route

    async def identify(request: Request) -> Response:
        await request.body()
        return Response(ANSWER, media_type="application/json")

    return Starlette(routes=[Route("/identify", identify, methods=["POST"])])


def litestar() -> Any:
    """Return the same in Litestar."""
    from litestar import Litestar, Request, Response, post

    async def identify(request: Any) -> Any:
        await request.body()
        return Response(ANSWER, media_type="application/json")

    identify.__annotations__ = {"request": Request, "return": Response[bytes]}  # which Litestar looks at
    return Litestar([post("/identify", status_code=200)(identify)])
