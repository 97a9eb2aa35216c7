"""``unilid identify -o``: tables come out with all that they had, bad records are answered, and some records pass."""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import sys
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from pyarrow import parquet
from support.commands import PATIENCE, answers, labels, posix, run, start
from support.small_corpus import ENGLISH, GERMAN, GREEK

from unilid import Model
from unilid.cli import main, meter
from unilid.cli import parquet as rows_of_parquet
from unilid.files import lines as read_lines

TEXTS = [GERMAN, None, ENGLISH, GREEK, "12:30", GERMAN, ENGLISH]


def table() -> pyarrow.Table:
    schema = pyarrow.schema(
        [
            pyarrow.field("id", pyarrow.int32(), nullable=False),
            pyarrow.field("text", pyarrow.large_string(), metadata={"is": "body"}),
            pyarrow.field("tags", pyarrow.list_(pyarrow.struct([("name", pyarrow.string())]))),
            pyarrow.field("place", pyarrow.dictionary(pyarrow.int8(), pyarrow.string())),
        ],
        metadata={"made": "by hand"},
    )
    tags = [[{"name": "a"}], [], None, [{"name": None}], [], [], []]
    columns = [list(range(7)), TEXTS, tags, list("abacaba")]
    return pyarrow.table(
        [pyarrow.array(column).cast(kind) for column, kind in zip(columns, schema.types, strict=True)], schema=schema
    )


def records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for block in read_lines(path) for line in block]


# ---- Parquet


def test_parquet_comes_out_with_its_columns_schema_and_row_groups(tmp_path: Path, path: Path, model: Model) -> None:
    source, output = tmp_path / "a.parquet", tmp_path / "b.parquet"
    parquet.write_table(table(), source, row_group_size=3, compression="zstd")
    done = run("identify", "-m", path, source, "-o", output)
    assert (done.returncode, done.stdout, done.stderr.decode()) == (0, b"", f"{output}: 7 records\n")
    with parquet.ParquetFile(source) as before, parquet.ParquetFile(output) as after:
        names = before.schema_arrow.names
        assert after.schema_arrow.names == [*names, "label", "probability", "reason", "guess"]
        for name in names:
            assert after.schema_arrow.field(name).equals(before.schema_arrow.field(name), check_metadata=True)
        assert after.schema_arrow.metadata == before.schema_arrow.metadata
        assert [after.metadata.row_group(i).num_rows for i in range(after.num_row_groups)] == [3, 3, 1]
        assert {after.metadata.row_group(0).column(i).compression for i in range(after.metadata.num_columns)} == {
            "ZSTD"
        }
        rows = after.read()
        assert rows.select(names) == before.read()
    expected = model.identify(TEXTS)
    assert rows["label"].to_pylist() == [p.label for p in expected]
    assert rows["probability"].to_pylist() == [p.probability for p in expected]
    assert rows["reason"].to_pylist() == [p.reason for p in expected]


def test_a_large_row_group_is_written_as_several(tmp_path: Path, model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows_of_parquet, "GROUP_BYTES", 2000)
    monkeypatch.setattr(rows_of_parquet, "ROWS", 10)
    parquet.write_table(pyarrow.table({"text": [GERMAN] * 100}), tmp_path / "a.parquet")
    arguments = ["identify", "-m", str(model.path), str(tmp_path / "a.parquet"), "-o", str(tmp_path / "b.parquet")]
    assert main.main(arguments) == 0
    with parquet.ParquetFile(tmp_path / "b.parquet") as file:
        assert file.num_row_groups > 2
        assert file.read()["text"].to_pylist() == [GERMAN] * 100


def test_parquet_without_rows_comes_out(tmp_path: Path, path: Path) -> None:
    parquet.write_table(table().slice(0, 0), tmp_path / "a.parquet")
    assert run("identify", "-m", path, tmp_path / "a.parquet", "-o", tmp_path / "b.parquet").returncode == 0
    rows = parquet.read_table(tmp_path / "b.parquet")
    assert (len(rows), rows.schema.names[-4:]) == (0, ["label", "probability", "reason", "guess"])


def test_new_columns_can_have_other_names(tmp_path: Path, path: Path) -> None:
    rows = pyarrow.table({"text": [GERMAN, ENGLISH], "label": ["x", "y"]})
    parquet.write_table(rows, tmp_path / "a.parquet")
    asked = ("identify", "-m", path, tmp_path / "a.parquet", "-o", tmp_path / "b.parquet")
    assert run(*asked, "--prefix", "lid_").returncode == 0
    named = parquet.read_table(tmp_path / "b.parquet")
    assert named["label"].to_pylist() == ["x", "y"]
    assert named["lid_label"].to_pylist() == ["deu", "eng"]
    assert run(*asked, "--no-keep").returncode == 0
    assert parquet.read_schema(tmp_path / "b.parquet").names == ["label", "probability", "reason", "guess"]


def test_parquet_has_the_best_few_and_the_shares(tmp_path: Path, path: Path, model: Model) -> None:
    parquet.write_table(pyarrow.table({"text": [GERMAN, None]}), tmp_path / "a.parquet")
    asked = ("identify", "-m", path, tmp_path / "a.parquet", "-o", tmp_path / "b.parquet")
    assert run(*asked, "-k", 2, "--shares").returncode == 0
    first, second = parquet.read_table(tmp_path / "b.parquet").to_pylist()
    expected = [{"label": p.label, "probability": p.probability} for p in model.identify(GERMAN, k=2)]
    assert first["predictions"] == expected
    assert (first["shares"], second["shares"]) == ([("deu", 1.0)], [])


def test_several_files_in_one_keep_their_names(tmp_path: Path, path: Path) -> None:
    for name, text in (("a", GERMAN), ("b", ENGLISH)):
        parquet.write_table(pyarrow.table({"text": [text]}), tmp_path / f"{name}.parquet")
        (tmp_path / f"{name}.jsonl").write_text(json.dumps({"text": text}))
    tables = ["a.parquet", "b.parquet"]
    assert run("identify", "-m", path, *tables, "-o", "c.parquet", cwd=tmp_path).returncode == 0
    rows = parquet.read_table(tmp_path / "c.parquet")
    assert rows.select(["file", "label"]).to_pylist() == [
        {"file": "a.parquet", "label": "deu"},
        {"file": "b.parquet", "label": "eng"},
    ]
    lines = answers("identify", "-m", path, "a.jsonl", "b.jsonl", cwd=tmp_path)
    assert [(json.loads(line)["file"], json.loads(line)["label"]) for line in lines] == [
        ("a.jsonl", "deu"),
        ("b.jsonl", "eng"),
    ]


def test_parquet_becomes_json_lines_in_a_pipe_and_where_asked(tmp_path: Path, path: Path) -> None:
    parquet.write_table(table(), tmp_path / "a.parquet")
    piped = [json.loads(line) for line in answers("identify", "-m", path, tmp_path / "a.parquet")]
    assert run("identify", "-m", path, tmp_path / "a.parquet", "-o", tmp_path / "b.jsonl.gz").returncode == 0
    assert records(tmp_path / "b.jsonl.gz") == piped
    kept = [{name: record[name] for name in ("id", "text", "tags", "place")} for record in piped]
    assert kept == table().to_pylist()
    assert (tmp_path / "b.jsonl.gz").read_bytes()[:2] == gzip.compress(b"")[:2]


# ---- files that are written whole or not at all


@pytest.mark.parametrize("suffix", ["", ".gz", ".xz", ".bz2", ".zst"])
def test_an_output_is_compressed_as_its_suffix_says(tmp_path: Path, path: Path, suffix: str) -> None:
    (tmp_path / "a.txt").write_text(f"{GERMAN}\n{ENGLISH}\n")
    output = tmp_path / f"b.tsv{suffix}"
    assert run("identify", "-m", path, tmp_path / "a.txt", "-o", output).returncode == 0
    [lines] = read_lines(output)
    assert [line.split(b"\t")[0] for line in lines] == [b"deu", b"eng"]


@pytest.mark.parametrize("verb", ["info", "spans -t x", "explain -t x", "identify -t x"])
def test_the_suffix_below_that_of_a_compression_tells_the_format(tmp_path: Path, path: Path, verb: str) -> None:
    output = tmp_path / "out.jsonl.gz"
    assert run(*verb.split(), "-m", path, "-o", output).returncode == 0
    assert [*json.loads(gzip.decompress(output.read_bytes()).splitlines()[0])]


@pytest.mark.parametrize("verb", ["info", "languages", "spans -t x", "explain -t x", "identify -t x"])
def test_every_verb_writes_to_a_file_what_it_writes_to_a_pipe(tmp_path: Path, path: Path, verb: str) -> None:
    output = tmp_path / "out.txt"
    expected = run(*verb.split(), "-m", path).stdout
    done = run(*verb.split(), "-m", path, "-o", output)
    assert (done.returncode, done.stdout) == (0, b"")
    assert output.read_bytes() == expected != b""
    assert [*tmp_path.iterdir()] == [output]


@pytest.mark.parametrize("output", ["-", pytest.param("/dev/stdout", marks=posix)])
@pytest.mark.parametrize("verb", ["identify", "spans"])
def test_standard_output_can_be_named(tmp_path: Path, path: Path, verb: str, output: str) -> None:
    (tmp_path / "a.txt").write_text(f"{GERMAN}\n")
    expected = answers(verb, "-m", path, "a.txt", cwd=tmp_path)
    assert answers(verb, "-m", path, "a.txt", "-o", output, cwd=tmp_path) == expected
    assert [file.name for file in tmp_path.iterdir()] == ["a.txt"]


@posix
def test_answers_can_go_to_a_device_or_a_pipe(path: Path) -> None:
    asked = ("identify", "-m", path, "-t", GERMAN, "-t", ENGLISH, "--filter", "de", "--rejected", "/dev/null")
    done = run(*asked, "-o", "/dev/null")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"/dev/null: 2 records, 1 passed\n")
    reader, writer = os.pipe()
    with start(*asked, "-o", f"/dev/fd/{writer}", pass_fds=[writer]) as process:
        os.close(writer)
        with os.fdopen(reader, "rb") as pipe:
            assert pipe.read().startswith(b"deu\t")
    assert process.returncode == 0


def test_a_format_that_is_given_overrules_what_the_suffix_says(tmp_path: Path, path: Path) -> None:
    (tmp_path / "a.csv").write_text(f"7\t{GERMAN}\n")
    expected = answers("identify", "-m", path, "-t", GERMAN)
    asked = ("identify", "-m", path, "a.csv", "--format", "tsv", "--column", "2")
    assert answers(*asked, cwd=tmp_path) == expected
    assert run(*asked, "-o", "b.csv", "--to", "tsv", cwd=tmp_path).returncode == 0
    assert (tmp_path / "b.csv").read_text().splitlines() == expected


def test_thresholds_are_not_written_over(tmp_path: Path, path: Path) -> None:
    least = tmp_path / "least.tsv"
    least.write_text("de\t0.5\n")
    done = run("identify", "-m", path, "-t", GERMAN, "--least", least, "-o", least)
    assert done.returncode == 2
    assert b"least.tsv: is one of the files to read" in done.stderr
    assert least.read_text() == "de\t0.5\n"


@posix
@pytest.mark.parametrize("verb", ["identify", "identify -", "spans", "explain", "add tok"])
def test_the_file_that_is_standard_input_is_not_written_over(tmp_path: Path, path: Path, verb: str) -> None:
    file = tmp_path / "a.txt"
    file.write_text(f"{GERMAN}\n")
    with file.open("rb") as stdin, start(*verb.split(), "-m", path, "-o", file, stdin=stdin) as process:
        assert b"a.txt: is one of the files to read" in process.communicate(timeout=PATIENCE)[1]
    assert process.returncode == 2
    assert file.read_text() == f"{GERMAN}\n"


def test_a_failed_run_leaves_the_output_as_it_was(tmp_path: Path, path: Path) -> None:
    good, cut, output = tmp_path / "good.jsonl", tmp_path / "cut.jsonl.gz", tmp_path / "out.jsonl"
    good.write_text(json.dumps({"text": GERMAN}) + "\n")
    many = b"".join(b'{"text": "%d"}\n' % number for number in range(200_000))
    cut.write_bytes(gzip.compress(many)[:-100])
    output.write_text("before")
    done = run("identify", "-m", path, good, cut, "-o", output)
    assert (done.returncode, output.read_text()) == (2, "before")
    assert len([*tmp_path.iterdir()]) == 3


# ---- bad records

BROKEN = f'{{"id": 1, "text": "{GERMAN}"}}\n{{"id": 2, "text":\n{{"id": 3}}\n\n{{"id": 5, "text": "{ENGLISH}"}}\n'


def test_bad_records_are_answered_and_counted(tmp_path: Path, path: Path) -> None:
    done = run("identify", "-m", path, "--format", "jsonl", stdin=BROKEN.encode())
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [line.get("label") for line in lines] == ["deu", None, None, "zxx", "eng"]
    assert lines[1]["error"].startswith("standard input:2: not JSON")
    assert lines[2] == {"id": 3, "error": "standard input:3: no field 'text'; the fields are 'id'"}
    assert (done.returncode, done.stderr) == (3, b"unilid: 2 of 5 records are bad; `error` says why\n")
    done = run("identify", "-m", path, "--format", "jsonl", "-o", tmp_path / "a.jsonl", stdin=BROKEN.encode())
    assert (done.returncode, done.stderr.decode()) == (3, f"{tmp_path / 'a.jsonl'}: 5 records, 2 bad\n")
    assert records(tmp_path / "a.jsonl") == lines
    done = run("identify", "-m", path, "--format", "jsonl", "--to", "tsv", stdin=BROKEN.encode())
    assert [line.split(b"\t")[0] for line in done.stdout.splitlines()] == [b"deu", b"error", b"error", b"zxx", b"eng"]


def test_strict_stops_at_the_first_bad_record_and_writes_what_came_before(tmp_path: Path, path: Path) -> None:
    asked = ("identify", "-m", path, "--format", "jsonl", "--strict")
    done = run(*asked, stdin=BROKEN.encode())
    assert done.returncode == 2
    assert re.match(rb"unilid: standard input:2: not JSON", done.stderr)
    assert [json.loads(line)["label"] for line in done.stdout.splitlines()] == ["deu"]
    assert run(*asked, "-o", tmp_path / "a.jsonl", stdin=BROKEN.encode()).returncode == 2
    assert [record["label"] for record in records(tmp_path / "a.jsonl")] == ["deu"]
    assert run(*asked, stdin=BROKEN.splitlines()[0].encode()).returncode == 0


# ---- filters

MIXED = f"{GERMAN}\n{ENGLISH}\n12:30\n{GREEK}\n".encode()


def test_only_records_in_the_languages_named_pass(tmp_path: Path, path: Path) -> None:
    asked = ("identify", "-m", path, "--filter", "de,ell")
    lines = answers(*asked, stdin=MIXED)
    assert [line.split("\t")[::2] for line in lines] == [["deu", GERMAN], ["ell", GREEK]]
    done = run(*asked, "-o", tmp_path / "a.tsv", "--rejected", tmp_path / "b.tsv", stdin=MIXED)
    assert (done.returncode, done.stderr.decode()) == (0, f"{tmp_path / 'a.tsv'}: 4 records, 2 passed\n")
    assert (tmp_path / "a.tsv").read_text().splitlines() == lines
    assert labels((tmp_path / "b.tsv").read_text().splitlines()) == ["eng", "zxx"]
    assert labels(answers("identify", "-m", path, "--filter", "zxx,en", stdin=MIXED)) == ["eng", "zxx"]


def test_only_records_that_are_probable_enough_pass(path: Path, model: Model) -> None:
    text = "Brot man"
    probability = model.identify(text, abstain=False).probability
    asked = ("identify", "-m", path, "--abstain", "no")
    for least, passed in ((probability - 0.001, 1), (probability + 0.001, 0), (0, 1)):
        assert len(answers(*asked, "--least", least, stdin=text.encode())) == passed
    assert labels(answers("identify", "-m", path, "--least", 0, stdin=MIXED)) == ["deu", "eng", "ell"]  # no zxx


@pytest.mark.parametrize(
    ("content", "passed"),
    {
        "de\t{much}\nell\t0\n": ["eng"],
        "deu\t0\n*\t{much}\n": ["deu"],
        '{{"de": {little}, "*": {much}}}': ["deu"],
        "*\t{much}\nde\t0": ["deu"],
        "": ["deu", "eng"],
    }.items(),
)
def test_thresholds_of_languages_come_from_a_file(
    tmp_path: Path, path: Path, model: Model, content: str, passed: list[str]
) -> None:
    doubtful = ["Brot man", "bread alte"]
    answered = model.identify(doubtful, abstain=False)
    assert [answer.label for answer in answered] == ["deu", "eng"]
    probabilities = [answer.probability for answer in answered]
    assert max(probabilities) < 0.9999
    (tmp_path / "least").write_text(content.format(much=0.9999, little=min(probabilities) / 2))
    asked = ("identify", "-m", path, "--abstain", "no", "--least", tmp_path / "least")
    assert labels(answers(*asked, stdin="\n".join(doubtful).encode())) == passed


def test_bad_records_are_rejected(tmp_path: Path, path: Path) -> None:
    asked = ("identify", "-m", path, "--format", "jsonl", "--filter", "en")
    done = run(*asked, "-o", tmp_path / "a.jsonl", "--rejected", tmp_path / "b.jsonl", stdin=BROKEN.encode())
    assert done.returncode == 3
    assert [record["id"] for record in records(tmp_path / "a.jsonl")] == [5]
    assert ["error" in record for record in records(tmp_path / "b.jsonl")] == [False, True, True, False]


def test_rejected_rows_of_parquet_have_the_same_columns(tmp_path: Path, path: Path) -> None:
    parquet.write_table(table(), tmp_path / "a.parquet", row_group_size=3)
    outputs = ("-o", tmp_path / "b.parquet", "--rejected", tmp_path / "c.parquet")
    assert run("identify", "-m", path, tmp_path / "a.parquet", "--filter", "de", *outputs).returncode == 0
    passed, rejected = parquet.read_table(tmp_path / "b.parquet"), parquet.read_table(tmp_path / "c.parquet")
    assert passed.schema == rejected.schema
    assert (passed["id"].to_pylist(), rejected["id"].to_pylist()) == ([0, 5], [1, 2, 3, 4, 6])


# ---- shares and progress


def test_shares_are_those_of_the_spans(path: Path, model: Model) -> None:
    text = f"{GERMAN} {GREEK}"
    shares = model.spans(text).shares
    assert len(shares) == 2
    [line] = answers("identify", "-m", path, "-t", text, "--shares")
    assert line.split("\t")[2] == ",".join(f"{label}:{share:.4g}" for label, share in shares.items())
    [line] = answers("identify", "-m", path, "-t", text, "--shares", "--to", "jsonl")
    assert json.loads(line)["shares"] == {label: round(share, 4) for label, share in shares.items()}


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_long_run_shows_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = Terminal()
    monkeypatch.setattr(sys, "stderr", shown)
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setattr(meter, "PATIENCE", 0)
    with meter.Meter(4_000_000) as bar:
        for part in range(4):
            bar.read(1_000_000)
            bar.answered(2_500, f"[red]{part}.txt")
    assert "[red]3.txt" in shown.getvalue()
    assert re.search(r"4\.0/4\.0 MB", shown.getvalue())
    assert re.search(r"[\d,]+ rows/s", shown.getvalue())


def test_a_short_run_and_a_pipe_show_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    for stderr, patience in ((Terminal(), 60), (io.StringIO(), 0)):
        monkeypatch.setattr(sys, "stderr", stderr)
        monkeypatch.setattr(meter, "PATIENCE", patience)
        with meter.Meter(100) as bar:
            bar.answered(10, "a.txt")
        assert stderr.getvalue() == ""
