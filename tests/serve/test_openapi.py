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

schemathesis.openapi.format("language-code", st.sampled_from(CODES))


@schemathesis.serializer("application/x-ndjson")  # type: ignore[untyped-decorator]
def lines(_: Any, value: Any) -> bytes:
    """A stream of three lines that are the same."""
    return (json.dumps(value) + "\n").encode() * 3


@schemathesis.hook  # type: ignore[untyped-decorator]
def filter_case(_: Any, case: Any) -> bool:
    """Leave out what JSON Schema has no words for: probabilities add up to 1, and languages to compare compete."""
    fields = {**(case.query or {}), **(case.body if isinstance(case.body, dict) else {})}
    compared = [fields[name] for name in ("language", "instead") if fields.get(name)]
    compete = not fields.get("languages") and len({*map(str, compared)}) == len(compared)
    return not isinstance(fields.get("prior"), dict) and (compete or not compared)


DOCUMENT = json.loads(openapi.document(Limits(seconds=4), calibrated=False))
OPERATIONS = [
    (path, method, mode)
    for path, operations in DOCUMENT["paths"].items()
    for method, operation in operations.items()
    for mode in ("positive", "negative")
    if mode == "positive" or operation.get("parameters")  # else there is nothing that could be wrong
]


@pytest.mark.parametrize(("path", "method", "mode"), OPERATIONS)
def test_every_endpoint_does_what_the_document_says(service: Service, path: str, method: str, mode: str) -> None:
    schema = schemathesis.openapi.from_url(f"{service.url}/openapi.json")
    operation = schema[path][method.upper()]
    cases = operation.as_strategy(generation_mode=schemathesis.GenerationMode(mode))

    @given(cases)
    @settings(max_examples=EXAMPLES, derandomize=True, suppress_health_check=[*HealthCheck])
    def ask(case: Any) -> None:
        case.call_and_validate(headers={"Accept-Encoding": "identity"})

    ask()


def test_the_document_says_what_there_is(service: Service) -> None:
    assert service.get("/openapi.json").json == DOCUMENT
