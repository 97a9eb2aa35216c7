"""The OpenAPI document of the service, written from what `requests` checks."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

import msgspec

from unilid.records.answers import to_json
from unilid.serve import requests
from unilid.serve.metrics import STATUSES
from unilid.serve.settings import Limits

_BODIES = (requests.Identify, requests.Spans, requests.Explain)
_REFERENCE = "#/components/schemas/{name}"

_LABEL = {"type": "string", "examples": ["deu_Latn"]}
_PROBABILITY = {"type": "number", "minimum": 0, "maximum": 1}
_STRING_OR_NULL = {"type": ["string", "null"]}


def _object(properties: dict[str, Any], optional: tuple[str, ...] = ()) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": [name for name in properties if name not in optional],
        "additionalProperties": False,
    }


_PREDICTION = _object(
    {
        "label": {
            **_LABEL,
            "description": "A language; `zxx` where the text is none, `und` where the model cannot tell.",
        },
        "probability": _PROBABILITY,
        "score": {"type": "number", "description": "Log-probability of the text under the language, in nats."},
        "reason": {"type": "string", "description": "Why there is no language."},
        "guess": {"type": "string", "description": "Of `und`, the language that would have been named."},
    },
    optional=("reason", "guess"),
)
_SHARES = {"type": "object", "additionalProperties": _PROBABILITY}
_SCHEMAS: dict[str, Any] = {
    "Prediction": {**_PREDICTION, "properties": {**_PREDICTION["properties"], "shares": _SHARES}},
    "Ranking": _object(
        {"predictions": {"type": "array", "items": _PREDICTION, "minItems": 1}, "shares": _SHARES}, optional=("shares",)
    ),
    "Answer": {"anyOf": [{"$ref": _REFERENCE.format(name=name)} for name in ("Prediction", "Ranking")]},
    "Span": _object(
        {
            "start": {"type": "integer", "minimum": 0},
            "end": {"type": "integer", "minimum": 0},
            "label": _LABEL,
            "probability": _PROBABILITY,
            "letters": {"type": "integer", "minimum": 0},
            "text": {"type": "string"},
        }
    ),
    "Explanation": {
        "type": "object",
        "properties": {
            "text": {"type": "string"},
            "answer": {"type": "object"},
            "language": _STRING_OR_NULL,
            "instead": _STRING_OR_NULL,
            "score": {"type": "number"},
            "instead_score": {"type": "number"},
            "prior": {"type": "number"},
            "handicap": {"type": "number"},
            "difference": {"type": "number"},
            "words": {"type": "array", "items": {"type": "object"}},
            "without": {"type": "array", "items": {"type": "object"}},
        },
        "required": [
            "text",
            "answer",
            "language",
            "instead",
            "score",
            "prior",
            "handicap",
            "difference",
            "words",
            "without",
        ],
    },
    "Language": {
        "type": "object",
        "properties": {
            "label": _LABEL,
            "code": {"type": "string"},
            "name": {"type": "string"},
            "autonym": _STRING_OR_NULL,
            "script": _STRING_OR_NULL,
            "training_lines": {"type": "integer", "minimum": 0},
            "f1": {"type": ["number", "null"]},
            "sources": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["label", "code", "name", "training_lines", "f1", "sources"],
    },
    "Status": _object({"status": {"type": "string"}}),
    "Problem": _object(
        {
            "title": {"type": "string"},
            "status": {"type": "integer", "enum": [status for status in STATUSES if status >= 400]},
            "detail": {"type": "string", "description": "What is wrong, and what to do."},
            "field": {
                "type": "string",
                "description": "What is wrong: a JSON pointer into the body, `query:NAME`, `header:NAME` or `body`.",
            },
        },
        optional=("field",),
    ),
}


def document(limits: Limits, *, calibrated: bool) -> bytes:
    """Return the document as JSON; a model that was not calibrated cannot be asked to be."""
    _, bodies = msgspec.json.schema_components(_BODIES, ref_template=_REFERENCE)
    one = bodies["Identify"]
    one["oneOf"] = [{"required": ["text"]}, {"required": ["texts"]}]
    one["properties"]["texts"]["maxItems"] = limits.texts
    paths = _paths(limits)
    if not calibrated:
        asking = [operation for methods in paths.values() for operation in methods.values()]
        parameters = [parameter for operation in asking for parameter in operation.get("parameters", [])]
        for schema in (
            *(body["properties"]["calibrated"] for body in bodies.values() if "calibrated" in body["properties"]),
            *(parameter["schema"] for parameter in parameters if parameter["name"] == "calibrated"),
        ):
            schema.pop("anyOf")
            schema["enum"] = [False, "auto"]
    return to_json(
        {
            "openapi": "3.1.0",
            "info": {
                "title": "unilid",
                "version": version("unilid"),
                "description": "Names the language of texts.",
                "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
            },
            "paths": paths,
            "components": {"schemas": {**bodies, **_SCHEMAS}},
        }
    )


def _paths(limits: Limits) -> dict[str, Any]:
    answer = {"anyOf": [_schema("Answer"), {"type": "array", "items": _schema("Answer")}]}
    identify = _asking("Identify", requests.StreamOptions, answer, "Name the language of one text or of several.")
    identify["requestBody"]["content"]["application/x-ndjson"] = {
        "schema": {"description": "Lines of JSON: an object with a text each, as many as there are."}
    }
    identify["responses"]["200"]["content"]["application/x-ndjson"] = {
        "schema": {"type": "string", "description": "A JSON object a line, in the order of the lines."}
    }
    spans = {"type": "array", "items": _schema("Span")}
    listed = {"type": "array", "items": _schema("Language")}
    explain = _asking("Explain", requests.ExplainOptions, _schema("Explanation"), "Say why a text is in one language.")
    explain["description"] = f"A text to explain has at most {limits.explained:,} bytes."
    return {
        "/identify": {"post": identify},
        "/spans": {"post": _asking("Spans", requests.SpansOptions, spans, "Say which stretch is in which language.")},
        "/explain": {"post": explain},
        "/languages": {
            "get": {
                **_with_options(
                    requests.LanguagesOptions,
                    _getting("languages", "application/json", listed, "List or search the languages.", 404, 422, 503),
                ),
            }
        },
        "/health": {"get": _getting("health", "application/json", _schema("Status"), "Whether the service is alive.")},
        "/ready": {"get": _getting("ready", "application/json", _schema("Status"), "Whether it can answer.", 503)},
        "/metrics": {"get": _getting("metrics", "text/plain", {"type": "string"}, "Counters, for Prometheus.")},
        "/openapi.json": {"get": _getting("openapi", "application/json", {"type": "object"}, "This document.")},
    }


def _asking(body: str, options: type[msgspec.Struct], answer: dict[str, Any], summary: str) -> dict[str, Any]:
    return {
        **_with_options(
            options, _getting(body.lower(), "application/json", answer, summary, 400, 408, 413, 415, 422, 503)
        ),
        "requestBody": {
            "required": True,
            "content": {
                "application/json": {"schema": _schema(body)},
                "text/plain": {"schema": {"type": "string", "description": "The text itself."}},
            },
        },
    }


def _getting(name: str, media: str, schema: dict[str, Any], summary: str, *problems: int) -> dict[str, Any]:
    responses: dict[str, Any] = {"200": {"description": "The answer.", "content": {media: {"schema": schema}}}}
    for status in problems:
        responses[str(status)] = {
            "description": "What is wrong.",
            "content": {"application/problem+json": {"schema": _schema("Problem")}},
        }
        if status == 503:
            responses["503"]["headers"] = {"Retry-After": {"schema": {"type": "integer"}, "description": "Seconds."}}
    return {"operationId": name, "summary": summary, "responses": responses}


def _with_options(options: type[msgspec.Struct], operation: dict[str, Any]) -> dict[str, Any]:
    """Return an operation with options in its query; the server refuses an address that they make too long."""
    operation["responses"]["414"] = {"description": "The address is too long. Options may stand in a body, too."}
    return {**operation, "parameters": _parameters(options)}


def _parameters(options: type[msgspec.Struct]) -> list[dict[str, Any]]:
    """Return the options as parameters of a query; those that only JSON can write are left to the body."""
    _, schemas = msgspec.json.schema_components([options], ref_template=_REFERENCE)
    found = []
    for name, schema in schemas[options.__name__]["properties"].items():
        simple = _simple(schema)
        found.append({"name": name, "in": "query", "schema": simple, "style": "form", "explode": name == "q"})
    return found


def _simple(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema without objects, which a query cannot write; null is a word, where not any word may be."""
    kinds = schema.get("anyOf")
    if kinds is None:
        return {name: value for name, value in schema.items() if name != "default"}
    left = [kind for kind in kinds if kind.get("type") not in ("null", "object") and kind.get("enum") != [None]]
    if len(left) < len(kinds) and left[0].get("type") not in ("array", "string"):
        left.append({"const": "null"})
    about = {name: schema[name] for name in ("description",) if name in schema}
    return {**left[0], **about} if len(left) == 1 else {"anyOf": left, **about}


def _schema(name: str) -> dict[str, Any]:
    return {"$ref": _REFERENCE.format(name=name)}
