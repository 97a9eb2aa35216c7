"""``unilid identify``: what it reads, and what it answers."""

from __future__ import annotations

import json
import select
import subprocess
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from pyarrow import parquet
from support.commands import PATIENCE, answers, labels, posix, run, start
from support.small_corpus import CORPUS, ENGLISH, GERMAN, GREEK

from unilid import Model
from unilid.decisions.prior import Prior
from unilid.languages.labels import written_as

# ---- input


def test_every_line_of_standard_input_is_answered(path: Path, model: Model) -> None:
    texts = [GERMAN, ENGLISH, GREEK]
    lines = answers("identify", "-m", path, stdin="\n".join(texts).encode())
    assert lines == [f"{p.label}\t{p.probability:.4f}" for p in model.identify(texts)]
    assert labels(lines) == ["deu", "eng", "ell"]


def test_the_model_of_the_package_is_the_default() -> None:
    assert labels(answers("identify", stdin=f"{GERMAN}\n{ENGLISH}\n".encode())) == ["deu_Latn", "eng_Latn"]


def test_files_are_answered_in_the_order_given(tmp_path: Path, path: Path) -> None:
    (tmp_path / "a.txt").write_text(f"{GREEK}\n{GERMAN}", encoding="utf-8")  # no newline at the end
    (tmp_path / "b.txt").write_text(f"{ENGLISH}\n")
    lines = answers("identify", "-m", path, "b.txt", "a.txt", "-", "b.txt", cwd=tmp_path, stdin=GERMAN.encode())
    assert labels(lines) == ["eng", "ell", "deu", "deu", "eng"]


@pytest.mark.parametrize("column", [1, 2, 3])
def test_a_column_of_a_tsv_file_is_identified(tmp_path: Path, path: Path, column: int) -> None:
    row = "\t".join([GERMAN, ENGLISH, GREEK])
    (tmp_path / "a.tsv").write_text(f"{row}\n\n{row}\n", encoding="utf-8")
    expected = [["deu", "eng", "ell"][column - 1]] * 3
    expected[1] = "zxx"
    assert labels(answers("identify", "-m", path, tmp_path / "a.tsv", "--column", column)) == expected
    assert labels(answers("identify", "-m", path, "--column", column, stdin=f"{row}\n\n{row}".encode())) == expected


def test_a_field_of_json_lines_is_identified(tmp_path: Path, path: Path) -> None:
    records = [{"text": GERMAN, "body": ENGLISH}, {"text": ENGLISH, "body": None}, {"text": "", "body": GREEK}]
    content = "\n".join(map(json.dumps, records))
    (tmp_path / "a.jsonl").write_text(content)
    asked = ("identify", "-m", path, "--to", "tsv")
    assert labels(answers(*asked, tmp_path / "a.jsonl")) == ["deu", "eng", "zxx"]
    for source, stdin in ((tmp_path / "a.jsonl", b""), ("-", content.encode())):
        assert labels(answers(*asked, source, "--field", "body", stdin=stdin)) == ["eng", "zxx", "ell"]
    assert labels(answers(*asked, "--format", "jsonl", stdin=content.encode())) == ["deu", "eng", "zxx"]


def test_a_column_of_a_parquet_file_is_identified(tmp_path: Path, path: Path) -> None:
    table = pyarrow.table({"text": [GERMAN, None, ENGLISH], "body": [GREEK, "two\nlines", GREEK], "n": [1, 2, 3]})
    parquet.write_table(table, tmp_path / "a.parquet")
    asked = ("identify", "-m", path, tmp_path / "a.parquet", "--to", "tsv")
    assert labels(answers(*asked)) == ["deu", "zxx", "eng"]
    lines = answers(*asked, "--field", "body", "--keep")
    assert [line.split("\t")[2] for line in lines] == [GREEK, "two lines", GREEK]


def test_texts_of_the_command_line_are_identified(path: Path) -> None:
    assert labels(answers("identify", "-m", path, "-t", GERMAN, "--text", ENGLISH, "-t", "")) == ["deu", "eng", "zxx"]


ODD_INPUT = {
    "nothing": b"",
    "one empty line": b"\n",
    "empty lines": b"\n\n\n",
    "no newline at the end": b"one\ntwo",
    "empty line at the end": b"one\n\n",
    "windows": b"one\r\n\r\ntwo\r\n",
    "carriage return at the end": b"one\ntwo\r",
    "carriage returns inside": b"one\rtwo\rthree\nfour\n",
    "not UTF-8": b"\xff\xfd\n\xc3\ngr\xfcn\n\xed\xa0\x80\n",
    "NUL": b"\0\na\0b\n\0",
    "separators of other standards": "a\u2028b\u2029c\x85d\x0be\x0cf\x1cg\x1dh\x1ei\n".encode(),
    "byte order mark": b"\xef\xbb\xbfone\n\xef\xbb\xbf\n",
    "tabs and quotes": b"a\tb\t\t\n\"'\\\n",
    "one long line": b"word " * 300_000,
    "many lines": b"one\n\ntwo words\n" * 3_000,
}


@pytest.mark.parametrize("content", ODD_INPUT.values(), ids=ODD_INPUT)
def test_one_output_line_for_each_input_line(tmp_path: Path, path: Path, content: bytes) -> None:
    lines = content.split(b"\n") if not content.endswith(b"\n") else content.split(b"\n")[:-1]
    lines = lines if content else []
    (tmp_path / "a.txt").write_bytes(content)
    kept = [line.removesuffix(b"\r") for line in lines]
    if kept:
        kept[0] = kept[0].removeprefix(b"\xef\xbb\xbf")

    done = run("identify", "-m", path, "--keep", stdin=content)
    assert (done.returncode, done.stderr) == (0, b"")
    rows = done.stdout.split(b"\n")
    assert rows.pop() == b""
    assert [row.split(b"\t", 2)[2] for row in rows] == kept

    done = run("identify", "-m", path, "--to", "jsonl", "--keep", "-k", 2, tmp_path / "a.txt")
    assert (done.returncode, done.stderr) == (0, b"")
    rows = done.stdout.split(b"\n")
    assert rows.pop() == b""
    assert [json.loads(row)["text"] for row in rows] == [line.decode("utf-8", "replace") for line in kept]


@posix
def test_lines_are_answered_while_the_input_goes_on(path: Path) -> None:
    process = start("identify", "-m", path, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    with process:
        for text, label in ((GERMAN, b"deu"), (ENGLISH, b"eng"), ("", b"zxx"), (GREEK, b"ell")):
            process.stdin.write(f"{text}\n".encode())
            process.stdin.flush()
            assert select.select([process.stdout], [], [], PATIENCE)[0], "no answer before the end of the input"
            assert process.stdout.readline().split(b"\t")[0] == label
        process.stdin.close()
        assert process.wait(PATIENCE) == 0
        assert process.stdout.read() == b""


# ---- answers


def test_json_answers_have_label_probability_and_score(path: Path, model: Model) -> None:
    [line] = answers("identify", "-m", path, "--to", "jsonl", "-t", GERMAN)
    expected = model.identify(GERMAN)
    assert json.loads(line) == {
        "label": "deu",
        "probability": pytest.approx(expected.probability, abs=1e-6),
        "score": expected.score,
    }


def test_json_lines_come_out_with_all_their_fields(path: Path) -> None:
    record = {"id": 7, "text": GREEK, "lang": ["unknown", None]}
    asked = ("identify", "-m", path, "--format", "jsonl")
    [line] = answers(*asked, stdin=json.dumps(record).encode())
    assert json.loads(line) | {"probability": 0, "score": 0} == {**record, "label": "ell", "probability": 0, "score": 0}
    assert GREEK in line  # readable, not escaped
    [line] = answers(*asked, "--no-keep", stdin=json.dumps(record).encode())
    assert json.loads(line).keys() == {"label", "probability", "score"}


@pytest.mark.parametrize("k", [1, 2, 3, 50])
def test_the_k_best_languages_come_best_first(path: Path, model: Model, k: int) -> None:
    expected = model.identify(ENGLISH, k=k)
    assert len(expected) == min(k, 3)
    [line] = answers("identify", "-m", path, "-k", k, "-t", ENGLISH)
    assert line.split("\t") == [cell for p in expected for cell in (p.label, f"{p.probability:.4f}")]
    [line] = answers("identify", "-m", path, "-k", k, "-t", ENGLISH, "--to", "jsonl")
    predictions = json.loads(line)["predictions"]
    assert [(p["label"], p["score"]) for p in predictions] == [(p.label, p.score) for p in expected]


CHINESE = "我们今天去火车站，因为他从北京来看我们。"


@pytest.mark.parametrize(
    ("codes", "written"),
    {
        "label": ["deu", "eng", "ell", "zxx"],
        "bcp47": ["de", "en", "el", "zxx"],
        "iso639_1": ["de", "en", "el", "zxx"],
        "macro": ["deu", "eng", "ell", "zxx"],
    }.items(),
)
def test_labels_are_written_as_codes(path: Path, codes: str, written: list[str]) -> None:
    content = f"{GERMAN}\n{ENGLISH}\n{GREEK}\n12:30\n".encode()
    asked = ("identify", "-m", path, "--codes", codes)
    assert labels(answers(*asked, stdin=content)) == written
    assert [json.loads(line)["label"] for line in answers(*asked, "--to", "jsonl", stdin=content)] == written
    assert [line.split()[0] for line in answers(*asked, "--to", "table", stdin=content)] == written


@pytest.mark.parametrize(("codes", "written"), {"bcp47": "zh", "iso639_1": "zh", "macro": "zho"}.items())
def test_mandarin_is_written_as_people_expect(codes: str, written: str) -> None:
    assert labels(answers("identify", "-t", CHINESE, "--codes", codes)) == [written]
    [line] = answers("identify", "-t", CHINESE, "--codes", codes, "--to", "table")
    assert line.split()[:2] == [written, "Mandarin"]  # the name is that of the label


def test_a_guess_is_written_as_a_code_and_und_is_not() -> None:
    asked = ("identify", "-t", "xkqj zzkw", "--abstain", "0.9", "--to", "jsonl")
    [usual] = map(json.loads, answers(*asked))
    [coded] = map(json.loads, answers(*asked, "--codes", "iso639_1"))
    assert usual["label"] == coded["label"] == "und"
    assert coded["guess"] == written_as(usual["guess"], "iso639_1") != usual["guess"]


def test_codes_that_there_are_not_are_refused(path: Path) -> None:
    done = run("identify", "-m", path, "-t", GERMAN, "--codes", "iso")
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"iso639_1" in done.stderr


def test_only_the_languages_named_compete(path: Path) -> None:
    texts = ["-t", GERMAN, "-t", ENGLISH, "-t", GREEK]
    lines = answers("identify", "-m", path, "--languages", "eng,ell", "-k", 3, *texts)
    assert [set(line.split("\t")[::2]) for line in lines] == [{"eng", "ell"}] * 3
    assert labels(lines)[1:] == ["eng", "ell"]


def test_the_prior_moves_the_answer(path: Path, model: Model) -> None:
    def ask(*options: str) -> dict[str, Any]:
        [line] = answers("identify", "-m", path, "--to", "jsonl", *options, "-t", "Brot")
        answer: dict[str, Any] = json.loads(line)
        return answer

    assert ask()["label"] == "deu"
    assert ask("--prior", "deu=0,ell=0")["label"] == "eng"
    assert ask("--prior", "deu=0,eng=0")["label"] == "ell"
    priors: dict[str, Prior] = {"training": "training", "deu=0.25,ell=0.5": {"deu": 0.25, "ell": 0.5}}
    for written, prior in priors.items():
        expected = model.identify("Brot", prior=prior)
        assert (ask("--prior", written)["label"], ask("--prior", written)["score"]) == (expected.label, expected.score)


def test_the_answers_do_not_depend_on_the_number_of_threads(path: Path) -> None:
    texts = [text for texts in CORPUS.values() for text in texts]
    content = "\n".join(f"{texts[n % 18][n % 7 :]} {texts[n % 17]}" for n in range(6_000)).encode()
    one, two, default = (
        run("identify", "-m", path, "--to", "jsonl", "-k", 3, *threads, stdin=content)
        for threads in (["--threads", "1"], ["--threads", "2"], [])
    )
    assert one.stdout == two.stdout == default.stdout
    assert one.stdout.count(b"\n") == 6_000
