"""The OpenAPI document is true: schemathesis asks every endpoint whatever it allows, and what it does not."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.libraries import library
from support.service import Service

from unilid.serve import openapi
from unilid.serve.settings import Limits

schemathesis: Any = library("schemathesis")

CODES = ["de", "eng_Latn", "zh", "fr", "pt-BR", "rus"]
EXAMPLES = 25

REFUSED = [400, 404, 413, 414, 415, 422, "5xx"]
"""The statuses of answers to a wrong request."""

schemathesis.openapi.format("language-code", st.sampled_from(CODES))


@schemathesis.serializer("application/x-ndjson")  # type: ignore[untyped-decorator]
def lines(_: Any, value: Any) -> bytes:
    """A stream of three lines that are the same."""
    return (json.dumps(value) + "\n").encode() * 3


@schemathesis.hook  # type: ignore[untyped-decorator]
def filter_case(_: Any, case: Any) -> bool:
    """Leave out what JSON Schema has no words for.

    A prior's probabilities add up to 1; languages to compare are two that compete; what is in the body prevails; and
    whatever stands in a text is a text.
    """
    query, body = case.query or {}, case.body if isinstance(case.body, dict) else {}
    fields = {**query, **body}
    named = [str(fields[name])[:2] for name in ("language", "instead") if fields.get(name)]  # deu_Latn is de
    alone = case.path == "/explain" and ("languages" in fields or len({*named}) < len(named))
    no_text = case.media_type == "text/plain" and not isinstance(case.body, str)
    return not (isinstance(fields.get("prior"), dict) or alone or {*query} & {*body} or no_text)


DOCUMENT = json.loads(openapi.document(Limits(seconds=4), calibrated=False))
CONFIG = schemathesis.Config.from_dict({"checks": {"negative_data_rejection": {"expected-statuses": REFUSED}}})
OPERATIONS = [
    (path, method, mode)
    for path, operations in DOCUMENT["paths"].items()
    for method, operation in operations.items()
    for mode in ("positive", "negative")
    if mode == "positive" or operation.get("parameters")  # else there is nothing that could be wrong
]


@pytest.mark.parametrize(("path", "method", "mode"), OPERATIONS)
def test_every_endpoint_does_what_the_document_says(service: Service, path: str, method: str, mode: str) -> None:
    schema = schemathesis.openapi.from_url(f"{service.url}/openapi.json", config=CONFIG)
    operation = schema[path][method.upper()]
    cases = operation.as_strategy(generation_mode=schemathesis.GenerationMode(mode))

    @given(cases)
    @settings(max_examples=EXAMPLES, derandomize=True, suppress_health_check=[*HealthCheck])
    def ask(case: Any) -> None:
        case.call_and_validate(headers={"Accept-Encoding": "identity"})

    ask()


def test_an_address_that_is_too_long_is_refused_and_a_body_is_not(service: Service) -> None:
    many = ["deu_Latn"] * 9_000
    assert service.post("/spans?languages=" + ",".join(many), {"text": "Guten Tag"}).status == 414
    assert service.post("/spans", {"text": "Guten Tag", "languages": many}).status == 200


def test_the_document_says_what_there_is(service: Service) -> None:
    assert service.get("/openapi.json").json == DOCUMENT
