"""The service answers as Python and the command line do, however it is asked."""

from __future__ import annotations

import codecs
import gzip
import json
from typing import Any

import pytest
from support.adapters import TEXTS, compact
from support.commands import answers as command
from support.commands import run
from support.service import NDJSON, Service

from unilid.records.answers import Fields, ask

MIXED = "Er sagte: “That is none of your business.” Dann ging er nach Hause. 😀"
OPTIONS: list[dict[str, Any]] = [
    {},
    {"k": 3},
    {"languages": ["de", "eng_Latn", "fr"]},
    {"prior": {"de": 0.5, "fr": 0.25}},
    {"prior": None},
    {"abstain": False},
    {"abstain": 0.05, "calibrated": False},
    {"budget": None, "shares": True},
    {"k": 2, "shares": True, "languages": ["de", "en"]},
    {"codes": "bcp47"},
]


def expected(texts: list[str | None], *, codes: Any = "label", **options: Any) -> list[dict[str, object]]:
    fields = Fields(codes=codes, ranked="k" in options, shares=options.get("shares", False))
    return [fields.record(answer) for answer in ask(compact(), texts, **options)]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_answers_are_those_of_python(service: Service, options: dict[str, Any]) -> None:
    many = service.post("/identify", {"texts": TEXTS, **options})
    assert (many.status, many.json) == (200, expected(TEXTS, **options))
    one = service.post("/identify", {"text": TEXTS[0], **options})
    assert (one.status, one.json) == (200, expected(TEXTS[:1], **options)[0])


def test_a_list_may_be_empty_or_long(service: Service) -> None:
    assert service.post("/identify", {"texts": []}).json == []
    texts: list[str | None] = [f"{text} {number}" for number in range(300) for text in ("Guten Morgen", "Good morning")]
    assert service.post("/identify", {"texts": texts}).json == expected(texts)


def test_a_text_of_any_length_is_answered(service: Service) -> None:
    for text in ("", "Der Zug fährt heute nicht. " * 1000):
        assert service.post("/identify", {"text": text}).json == expected([text])[0]


@pytest.mark.parametrize("text", ["\ud800 Guten Morgen, liebe Leute", "Good morning \udc80", "\ud800"])
def test_half_a_pair_of_surrogates_is_part_of_a_text(service: Service, text: str) -> None:
    assert service.post("/identify", {"text": text}).json == expected([text])[0]
    assert service.post("/identify?k=2", {"text": text, "shares": False}).json == expected([text], k=2)[0]
    assert service.post("/identify", {"texts": [text, "é"], "k": 2.0}).json == expected([text, "é"], k=2)
    assert service.post("/spans", {"text": text}).json[-1]["end"] == len(text)
    assert service.post("/explain", {"text": text}).status == 200


def test_plain_text_has_its_options_in_the_query(service: Service) -> None:
    reply = service.post("/identify?languages=de,en&k=2", MIXED.encode(), "text/plain; charset=utf-8")
    assert reply.json == expected([MIXED], languages=["de", "en"], k=2)[0]
    assert (
        service.post("/identify", "né à Orléans".encode("latin-1"), "text/plain; charset=ISO-8859-1").json
        == (expected(["né à Orléans"])[0])
    )


def test_the_body_overrides_the_query(service: Service) -> None:
    reply = service.post("/identify?k=2&codes=bcp47", {"text": TEXTS[0], "k": 3})
    assert reply.json == expected(TEXTS[:1], k=3, codes="bcp47")[0]


def test_a_compressed_body_is_read(service: Service) -> None:
    body = json.dumps({"text": MIXED}).encode()
    members = gzip.compress(body[:7]) + gzip.compress(body[7:])  # as `cat a.gz b.gz` writes them
    for compressed in (gzip.compress(body), members):
        assert service.post("/identify", compressed, content_encoding="gzip").json == expected([MIXED])[0]


@pytest.mark.parametrize(
    ("arguments", "query"),
    [
        ((), ""),
        (("-k", "2"), "?k=2"),
        (("--shares", "--codes", "macro"), "?shares=true&codes=macro"),
        (("--field", "id", "--prefix", "x_"), "?field=id&prefix=x_"),
        (("--no-keep", "-l", "de,fr"), "?keep=false&languages=de,fr"),
    ],
)
def test_a_stream_is_answered_as_the_command_line_does(
    service: Service, arguments: tuple[str, ...], query: str
) -> None:
    records = [{"text": text, "id": f"n {number}"} for number, text in enumerate(TEXTS)]
    lines = b"".join(json.dumps(record, ensure_ascii=False).encode() + b"\n" for record in records)
    written = run("identify", "-m", "compact", "--format", "jsonl", *arguments, stdin=lines)
    assert written.returncode == 0, written.stderr
    reply = service.post(f"/identify{query}", lines, NDJSON)
    assert (reply.status, reply.headers["content-type"]) == (200, NDJSON)
    assert reply.body == written.stdout
    assert service.post(f"/identify{query}", gzip.compress(lines), NDJSON, content_encoding="gzip") == reply


def test_a_stream_with_a_byte_order_mark_is_answered_as_the_command_line_does(service: Service) -> None:
    for lines in (b'{"text": "Guten Morgen"}\n{"text": "Good morning"}\n', b'{"text": "Guten Morgen"}', b"", b"\n\n"):
        marked = codecs.BOM_UTF8 + lines
        written = run("identify", "-m", "compact", "--format", "jsonl", stdin=marked)
        assert service.post("/identify", marked, NDJSON).body == written.stdout
        assert b"error" not in written.stdout


@pytest.mark.parametrize("plain", [True, False])
def test_spans_are_those_of_the_command_line(service: Service, plain: bool) -> None:
    for arguments, options in (((), {}), (("--bytes", "--switch", "6"), {"offsets": "bytes", "switch": 6})):
        lines = command("spans", "-m", "compact", "--to", "jsonl", "-t", MIXED, *arguments)
        query = "&".join(f"{name}={value}" for name, value in options.items())
        if plain:
            reply = service.post(f"/spans?{query}", MIXED.encode(), "text/plain")
        else:
            reply = service.post("/spans", {"text": MIXED, **options})
        assert reply.json == [json.loads(line) for line in lines]


def test_an_explanation_is_that_of_the_command_line(service: Service) -> None:
    [line] = command("explain", "-m", "compact", "--to", "jsonl", "--instead", "da", "Hva er klokka nå?")
    reply = service.post("/explain", {"text": "Hva er klokka nå?", "instead": "da"})
    assert reply.json == json.loads(line)


def test_languages_are_those_of_the_command_line(service: Service) -> None:
    everything = [json.loads(line) for line in command("languages", "-m", "compact", "--to", "jsonl")]
    assert service.get("/languages").json == everything
    some = [json.loads(line) for line in command("languages", "-m", "compact", "--to", "jsonl", "german", "zh")]
    assert service.get("/languages?q=german&q=zh").json == some
    assert service.get("/languages?q=xqxq").status == 404
