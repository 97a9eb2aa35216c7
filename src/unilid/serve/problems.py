"""What is wrong with a request, as problem details (RFC 9457)."""

from __future__ import annotations

from collections.abc import Sequence
from http import HTTPStatus
from typing import NamedTuple

from unilid.records.answers import to_json

Headers = Sequence[tuple[bytes, bytes]]

TITLES = {413: "Content Too Large", 414: "URI Too Long", 422: "Unprocessable Content"}
"""Names of RFC 9110 that Python before 3.13 has otherwise."""
RETRY_SECONDS = 1
"""What a client that was turned away is told to wait."""


class Response(NamedTuple):
    """What is sent back."""

    status: int
    body: bytes
    headers: Headers


def json_response(body: bytes, *, status: int = 200, more: Headers = ()) -> Response:
    """Return JSON that is ready to send."""
    return Response(status, body, ((b"content-type", b"application/json"), *more))


class Problem(Exception):  # noqa: N818  # what RFC 9457 calls it
    """A request that cannot be answered: why, and which of its fields is wrong."""

    def __init__(self, status: int, detail: str, *, field: str | None = None, headers: Headers = ()) -> None:
        super().__init__(detail)
        self.status, self.detail, self.field, self.headers = status, detail, field, headers

    def response(self) -> Response:
        """Return the problem as it is sent.

        >>> Problem(422, "expected a number", field="#/k").response().body
        b'{"title": "Unprocessable Content", "status": 422, "detail": "expected a number", "field": "#/k"}'
        """
        record: dict[str, object] = {
            "title": TITLES.get(self.status) or HTTPStatus(self.status).phrase,
            "status": self.status,
            "detail": self.detail,
        }
        if self.field is not None:
            record["field"] = self.field
        return Response(self.status, to_json(record), ((b"content-type", b"application/problem+json"), *self.headers))


def busy(detail: str) -> Problem:
    """Return what a request is told for which there is no room now."""
    return Problem(
        503,
        f"{detail}; try again in {RETRY_SECONDS} s",
        headers=((b"retry-after", str(RETRY_SECONDS).encode()),),
    )
