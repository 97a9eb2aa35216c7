from __future__ import annotations

import codecs
import io
import json
import os
import sys
import threading
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet
from support.strategies import file_pieces

from unilid import files
from unilid.cli import records
from unilid.cli.answers import TsvWriter
from unilid.cli.records import Input
from unilid.decisions.answers import Prediction
from unilid.errors import CorpusError
from unilid.records.answers import Answer, Fields, JsonlWriter
from unilid.records.reading import Records


def read(path: Path | str, batch: int = records.BATCH, **options: Any) -> Iterator[Records]:
    return Input.of(str(path), **options).read(batch=batch)


def texts(path: Path | str, **options: Any) -> list[bytes | None]:
    return [text for batch in read(path, **options) for text in batch.texts]


def errors(path: Path | str, **options: Any) -> list[str]:
    return [error for batch in read(path, **options) for error in batch.errors.values()]


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
        batches = list(read("-", format=form, batch=batch_lines))
    inputs = [line for batch in batches for line in batch.inputs]
    assert inputs == [line.removesuffix(b"\n").removesuffix(b"\r") for line in io.BytesIO(content)]
    assert all(len(batch.texts) == len(batch.inputs) <= batch_lines for batch in batches)


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
        batches = read("-")
        writer.write(b"one\ntwo\nthr")
        assert next(batches).texts == [b"one", b"two"]
        writer.write(b"ee\n")
        assert next(batches).texts == [b"three"]


def test_a_named_pipe_is_handed_on_before_it_ends(slow_pipe: tuple[int, BinaryIO]) -> None:
    source, writer = slow_pipe
    batches = read(f"/dev/fd/{source}")
    writer.write(b"one\n")
    assert next(batches).texts == [b"one"]
    writer.write(b"two\n")
    assert next(batches).texts == [b"two"]
    os.close(source)


def test_tsv_texts_come_from_the_column(tmp_path: Path) -> None:
    path = write(tmp_path / "a.tsv", b"1\teins\tx\r\n\n2\tzwei\n")
    assert texts(path) == [b"1", b"", b"2"]
    assert texts(path, column=2) == [b"eins", b"", b"zwei"]
    assert texts(path, column=3) == [b"x", b"", None]
    assert errors(path, column=3) == [f"{path}:3: no column 3; the line has 2"]


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
def test_a_faulty_json_line_is_named_and_the_others_are_read(tmp_path: Path, line: bytes, words: str) -> None:
    path = write(tmp_path / "a.jsonl", b'{"text": "a"}\n\n{"text": "b"}\n' + line + b'\n{"text": "c"}')
    assert texts(path, batch=3) == [b"a", None, b"b", None, b"c"]
    [error] = errors(path, batch=3)
    assert error.startswith(f"{path}:4: {words}")


def test_a_json_line_with_a_field_that_is_to_be_added_is_bad(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", b'{"text": "a"}\n{"text": "b", "label": "x"}\n')
    [batch] = Input.of(str(path)).read(["label", "probability"])
    assert [*batch.errors] == [1]
    assert "has a field 'label' already; --prefix" in batch.errors[1]


def test_the_first_records_are_cut_off_with_their_errors() -> None:
    some = Records([b"a", None, b"c", None], ["a", "b", "c", "d"], {1: "bad", 3: "worse"})
    assert some.first(3) == Records([b"a", None, b"c"], ["a", "b", "c"], {1: "bad"})


def test_parquet_texts_come_from_the_column(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    table = pyarrow.table({"text": ["a", None, "c"], "n": [1, 2, 3]})
    parquet.write_table(table, path, row_group_size=2)
    batches = list(read(path))
    assert [(batch.texts, batch.group) for batch in batches] == [([b"a", None], 0), ([b"c"], 1)]
    assert pyarrow.Table.from_batches([batch.inputs for batch in batches]) == table
    with pytest.raises(CorpusError, match="no column 'body'; the columns are 'text', 'n'"):
        texts(path, field="body")
    with pytest.raises(CorpusError, match="cannot be read from standard input"):
        texts("-", format="parquet")


KINDS = [
    pyarrow.string(),
    pyarrow.large_string(),
    pyarrow.string_view(),
    pyarrow.binary(),
    pyarrow.large_binary(),
    pyarrow.dictionary(pyarrow.int32(), pyarrow.string()),
]


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_parquet_texts_may_be_any_kind_of_string(tmp_path: Path, kind: pyarrow.DataType) -> None:
    path = tmp_path / "a.parquet"
    parquet.write_table(pyarrow.table({"text": pyarrow.array(["a", None, "a"]).cast(kind)}), path)
    assert texts(path) == [b"a", None, b"a"]


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
    assert texts("-", **options) == [expected]


# ---- answers, written


def answers(*labels: str) -> list[Answer]:
    return [Answer([Prediction(label, 0.5, -1.0)]) for label in labels]


def written(writer: type[TsvWriter | JsonlWriter], batch: Records, fields: Fields, *labels: str) -> list[bytes]:
    out = io.BytesIO()
    writer(out, fields).write(batch, answers(*labels), None, "a\tb.txt")
    lines = out.getvalue().split(b"\n")
    assert lines.pop() == b""
    return lines


def test_tsv_output_has_one_line_for_each_record() -> None:
    batch = Records(
        [b"a", None, b"c\r\nd", None], [b"a\tb\xff", {"text": None, "n": "\t\n"}, None, b"x"], {3: "is\tbad"}
    )
    assert written(TsvWriter, batch, Fields(), "deu", "und", "eng", "zxx") == [
        b"deu\t0.5000",
        b"und\t0.5000",
        b"eng\t0.5000",
        b"error\tis bad",
    ]
    assert written(TsvWriter, batch, Fields(keep=True, file=True), "deu", "und", "eng", "zxx") == [
        b"deu\t0.5000\ta b.txt\ta\tb\xff",
        b'und\t0.5000\ta b.txt\t{"text": null, "n": "\\t\\n"}',
        b"eng\t0.5000\ta b.txt\tc  d",
        b"error\tis bad\ta b.txt\tx",
    ]


def test_json_output_keeps_the_input_fields_first() -> None:
    batch = Records(
        [b"gr\xc3\xbcn\xff", b"b", None, None],
        [b"1\tgr\xc3\xbcn\xff", {"id": 7, "text": "b"}, {"id": 8}, b'{"id": 9'],
        {2: "no text", 3: "not JSON"},
    )
    assert written(JsonlWriter, batch, Fields(keep=True, prefix="my_", file=True), *["deu"] * 4) == [
        b'{"text": "gr\xc3\xbcn\xef\xbf\xbd", '
        b'"my_file": "a\\tb.txt", "my_label": "deu", "my_probability": 0.5, "my_score": -1.0}',
        b'{"id": 7, "text": "b", "my_file": "a\\tb.txt", "my_label": "deu", "my_probability": 0.5, "my_score": -1.0}',
        b'{"id": 8, "my_file": "a\\tb.txt", "my_error": "no text"}',
        b'{"text": "{\\"id\\": 9", "my_file": "a\\tb.txt", "my_error": "not JSON"}',
    ]
    assert written(JsonlWriter, batch, Fields(), *["deu"] * 4)[1:3] == [
        b'{"label": "deu", "probability": 0.5, "score": -1.0}',
        b'{"error": "no text"}',
    ]


@given(st.text(st.characters(codec=None)))
def test_json_output_is_utf8_and_reads_back_whatever_the_text(text: str) -> None:
    batch = Records([text.encode("utf-8", "surrogatepass")], [{"text": text}])
    [line] = written(JsonlWriter, batch, Fields(keep=True), "deu")
    read_back = json.loads(line.decode())["text"]
    assert read_back == json.loads(json.dumps(text))  # two lone halves that meet are one character to JSON


def test_what_parquet_has_and_json_has_not_is_written_in_another_form() -> None:
    columns = {"text": ["a"], "n": [float("nan")], "when": [datetime(2026, 1, 2)], "raw": [b"\xc3\xa4\xff"]}
    rows = pyarrow.RecordBatch.from_pydict(columns)
    [line] = written(JsonlWriter, Records([b"a"], rows), Fields(keep=True), "deu")
    record = json.loads(line)
    assert (record["n"], record["when"], record["raw"]) == (None, "2026-01-02 00:00:00", "ä\ufffd")


def test_languages_that_become_one_code_share_their_letters() -> None:
    answer = Answer([Prediction("cmn_Hans", 0.5, -1.0)], {"cmn_Hans": 0.5, "cmn_Hant": 0.25, "deu_Latn": 0.25})
    assert Fields(codes="iso639_1", shares=True).record(answer)["shares"] == {"zh": 0.75, "de": 0.25}
