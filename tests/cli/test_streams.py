from __future__ import annotations

import codecs
import io
import json
import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet
from support.strategies import file_pieces

from unilid import files
from unilid.cli import streams
from unilid.cli.streams import TextBatch
from unilid.errors import CorpusError


def texts(path: Path | str | None, **options: Any) -> list[bytes | None]:
    return [text for batch in streams.read_texts(path, **options) for text in batch.texts]


def write(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


class Trickle(io.RawIOBase):
    """A pipe whose writer sends these pieces, one at a time."""

    def __init__(self, pieces: list[bytes]) -> None:
        self.pieces = [piece for piece in pieces if piece]

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        piece = self.pieces.pop(0) if self.pieces else b""
        count = min(len(piece), len(buffer))
        buffer[:count] = piece[:count]
        if piece[count:]:
            self.pieces.insert(0, piece[count:])
        return count


def pipe(pieces: list[bytes]) -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BufferedReader(Trickle(pieces)))


@given(pieces=st.lists(file_pieces), batch_lines=st.integers(1, 4), form=st.sampled_from(["text", "tsv"]))
def test_there_is_one_record_for_each_line_of_standard_input(pieces: list[bytes], batch_lines: int, form: str) -> None:
    content = b"".join(pieces).removeprefix(codecs.BOM_UTF8)  # belongs to the file, not to its first line
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", pipe(pieces))
        batches = list(streams.read_texts(None, format=form, batch_lines=batch_lines))
    records = [record for batch in batches for record in batch.records]
    assert records == [line.removesuffix(b"\n").removesuffix(b"\r") for line in io.BytesIO(content)]
    assert all(len(batch.texts) == len(batch.records) <= batch_lines for batch in batches)


@pytest.mark.parametrize("chunk", [1, 3, 1 << 20])
def test_there_is_one_text_for_each_line_of_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunk: int) -> None:
    monkeypatch.setattr(files, "CHUNK", chunk)
    path = write(tmp_path / "a.txt", b"\neins\r\n\n\xff\xfe\n \nlast")
    assert texts(path) == [b"", b"eins", b"", b"\xff\xfe", b" ", b"last"]


@pytest.fixture
def slow_pipe() -> Iterator[tuple[int, BinaryIO]]:
    """The two ends of a pipe whose writer gives up on a reader that waits for more than there is."""
    source, sink = os.pipe()
    with os.fdopen(sink, "wb", buffering=0) as writer:
        timer = threading.Timer(10, writer.close)
        timer.start()
        yield source, writer
        timer.cancel()


def test_standard_input_is_handed_on_before_it_ends(
    monkeypatch: pytest.MonkeyPatch, slow_pipe: tuple[int, BinaryIO]
) -> None:
    source, writer = slow_pipe
    with os.fdopen(source) as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        batches = streams.read_texts("-")
        writer.write(b"one\ntwo\nthr")
        assert next(batches).texts == [b"one", b"two"]
        writer.write(b"ee\n")
        assert next(batches).texts == [b"three"]


def test_a_named_pipe_is_handed_on_before_it_ends(slow_pipe: tuple[int, BinaryIO]) -> None:
    source, writer = slow_pipe
    batches = streams.read_texts(f"/dev/fd/{source}")
    writer.write(b"one\n")
    assert next(batches).texts == [b"one"]
    writer.write(b"two\n")
    assert next(batches).texts == [b"two"]
    os.close(source)


def test_tsv_texts_come_from_the_column(tmp_path: Path) -> None:
    path = write(tmp_path / "a.tsv", b"1\teins\tx\r\n\n2\tzwei\n")
    assert texts(path) == [b"1", b"", b"2"]
    assert texts(path, column=2) == [b"eins", b"", b"zwei"]
    with pytest.raises(CorpusError, match=r"a\.tsv:3: no column 3; the line has 2"):
        texts(path, column=3)
    with pytest.raises(CorpusError, match="columns count from 1"):
        texts(path, column=0)


def test_json_texts_come_from_the_field(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", b'{"text": "gr\xc3\xbcn", "body": null}\n\n{"text": "\\ud800", "body": "b"}')
    assert texts(path) == ["grün".encode(), None, b"\xed\xa0\x80"]
    assert texts(path, field="body") == [None, None, b"b"]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b'{"a": 1, "b": 2}', "no field 'text'; the fields are 'a', 'b'"),
        (b'{"text": 1}', "the text is of type int"),
        (b'{"text": ', "not JSON"),
        (b"[]", "a JSON list"),
    ],
)
def test_a_faulty_json_line_is_named(tmp_path: Path, line: bytes, words: str) -> None:
    path = write(tmp_path / "a.jsonl", b'{"text": ""}\n\n{"text": ""}\n' + line)
    with pytest.raises(CorpusError, match=rf"a\.jsonl:4: {words}"):
        texts(path, batch_lines=3)


def test_parquet_texts_come_from_the_column(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    parquet.write_table(pyarrow.table({"text": ["a", None, "c"], "n": [1, 2, 3]}), path)
    assert [(batch.texts, batch.records) for batch in streams.read_texts(path, batch_lines=2)] == [
        ([b"a", None], [None, None]),
        ([b"c"], [None]),
    ]
    with pytest.raises(CorpusError, match="no column 'body'; the columns are 'text', 'n'"):
        texts(path, field="body")
    with pytest.raises(CorpusError, match="cannot be read from standard input"):
        texts(None, format="parquet")


@pytest.mark.parametrize(
    ("content", "options", "expected"),
    [
        (b'{"text": "a"}\n', {}, b'{"text": "a"}'),
        (b'{"text": "a"}\n', {"field": "text"}, b"a"),
        (b"a\tb\n", {"column": 2}, b"b"),
        (b"a\tb\n", {}, b"a\tb"),
    ],
)
def test_without_a_suffix_the_options_tell_the_format(
    monkeypatch: pytest.MonkeyPatch, content: bytes, options: dict[str, Any], expected: bytes
) -> None:
    monkeypatch.setattr(sys, "stdin", pipe([content]))
    assert texts(None, **options) == [expected]


def test_an_unknown_format_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="unknown text format 'csv'; the formats are text, tsv"):
        texts(tmp_path / "a", format="csv")


def test_tsv_output_has_one_line_for_each_text() -> None:
    batch = TextBatch([b"a", None, b"c\r\nd"], [b"a\tb\xff", {"text": None, "n": "\t\n"}, None])
    answers = [["deu", "0.5"], ["und", ""], ["eng", "1"]]
    out = io.BytesIO()
    streams.write_tsv(out, batch, answers)
    assert out.getvalue() == b"deu\t0.5\nund\t\neng\t1\n"
    out = io.BytesIO()
    streams.write_tsv(out, batch, answers, keep=True)
    assert out.getvalue().split(b"\n") == [
        b"deu\t0.5\ta\tb\xff",
        b'und\t\t{"text": null, "n": "\\t\\n"}',
        b"eng\t1\tc  d",
        b"",
    ]


def test_json_output_keeps_the_input_fields_first() -> None:
    batch = TextBatch([b"gr\xc3\xbcn\xff", b"b"], [b"1\tgr\xc3\xbcn\xff", {"id": 7, "text": "b", "label": "old"}])
    out = io.BytesIO()
    streams.write_jsonl(out, batch, [{"label": "deu"}, {"label": "eng"}], keep=True)
    assert out.getvalue().decode().splitlines() == [
        '{"text": "grün\ufffd", "label": "deu"}',
        '{"id": 7, "text": "b", "label": "eng"}',
    ]
    out = io.BytesIO()
    streams.write_jsonl(out, batch, [{"label": "deu"}, {"label": "eng"}])
    assert out.getvalue() == b'{"label": "deu"}\n{"label": "eng"}\n'


@given(st.text(st.characters(codec=None)))
def test_json_output_is_utf8_and_reads_back_whatever_the_text(text: str) -> None:
    batch = TextBatch([text.encode("utf-8", "surrogatepass")], [{"text": text}])
    out = io.BytesIO()
    streams.write_jsonl(out, batch, [{"label": "deu"}], keep=True)
    written = out.getvalue().decode()
    assert written.count("\n") == 1
    read_back = json.loads(written)["text"]
    assert read_back == json.loads(json.dumps(text))  # two lone halves that meet are one character to JSON


def test_answers_must_match_the_texts() -> None:
    batch = TextBatch([b"a", b"b"], [b"a", b"b"])
    with pytest.raises(ValueError, match="zip"):
        streams.write_tsv(io.BytesIO(), batch, [["deu"]], keep=True)
    with pytest.raises(ValueError, match="zip"):
        streams.write_jsonl(io.BytesIO(), batch, [{}], keep=True)
