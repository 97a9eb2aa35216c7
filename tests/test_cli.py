"""The command, run as its users run it."""

from __future__ import annotations

import argparse
import json
import os
import re
import select
import shlex
import shutil
import signal
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pytest
from helpers import sentences, text_of_all
from pyarrow import parquet

import unilid
from unilid import Model, cli, reports

MODULE = [sys.executable, "-m", "unilid.cli"]
SCRIPT = shutil.which("unilid", path=sysconfig.get_path("scripts"))
# What a continuous integration service sets to get colours is not part of these tests.
ENVIRONMENT = {name: value for name, value in os.environ.items() if not re.search("COLOR|TTY_", name)}
PATIENCE = 60  # seconds after which something hangs

posix = pytest.mark.skipif(sys.platform == "win32", reason="signals and terminals of POSIX")

CORPUS = {
    "deu": [
        "Guten Morgen, wie geht es dir heute?",
        "Wir müssen noch Brot und Milch kaufen.",
        "Der alte Mann wohnt am Ende der Straße.",
        "Im Winter wird es hier sehr früh dunkel.",
        "Kannst du mir bitte das Salz geben?",
        "Ich habe den Schlüssel nicht gefunden.",
    ],
    "eng": [
        "Good morning, how are you today?",
        "We still have to buy bread and milk.",
        "The old man lives at the end of the street.",
        "In winter it gets dark very early here.",
        "Could you please pass me the salt?",
        "I have not found the key.",
    ],
    "ell": [
        "Καλημέρα, τι κάνεις σήμερα;",
        "Πρέπει ακόμα να αγοράσουμε ψωμί και γάλα.",
        "Ο γέρος μένει στο τέλος του δρόμου.",
        "Τον χειμώνα νυχτώνει εδώ πολύ νωρίς.",
        "Μου δίνεις σε παρακαλώ το αλάτι;",
        "Δεν βρήκα το κλειδί.",
    ],
}
GERMAN, ENGLISH, GREEK = "Der Mann kauft heute Brot.", "The man is buying bread today.", "Ο γέρος αγοράζει ψωμί."


def run(*arguments: object, stdin: bytes = b"", cwd: Path | None = None) -> subprocess.CompletedProcess[bytes]:
    command = [*MODULE, *map(str, arguments)]
    return subprocess.run(command, input=stdin, capture_output=True, cwd=cwd, env=ENVIRONMENT, timeout=PATIENCE)


def answers(*arguments: object, stdin: bytes = b"", cwd: Path | None = None) -> list[str]:
    """Run a command that must succeed without a word, and return its output lines."""
    done = run(*arguments, stdin=stdin, cwd=cwd)
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout.decode().splitlines()


def labels(lines: list[str]) -> list[str]:
    return [line.split("\t")[0] for line in lines]


def start(*arguments: object, **options: Any) -> subprocess.Popen[bytes]:
    # Whoever runs the tests in the background may ignore Ctrl-C, and children inherit that.
    return subprocess.Popen(
        [*MODULE, *map(str, arguments)],
        env=ENVIRONMENT,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        **options,
    )


def write_corpus(path: Path, corpus: dict[str, list[str]] = CORPUS) -> Path:
    rows = [f"{label}\t{text}\n" for label, texts in corpus.items() for text in texts]
    path.write_text("".join(rows), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Model:
    path = tmp_path_factory.mktemp("model") / "my.unilid"
    return unilid.train(CORPUS, context="characters", tune=False, vocabulary=500).save(path)


@pytest.fixture(scope="module")
def path(model: Model) -> Path:
    assert model.path is not None
    return model.path


# ---- the command itself


def test_the_installed_command_is_this_command() -> None:
    assert SCRIPT is not None
    done = subprocess.run([SCRIPT, "--version"], capture_output=True, timeout=PATIENCE)
    assert (done.returncode, done.stdout.decode(), done.stderr) == (0, f"unilid {version('unilid')}\n", b"")


def commands() -> dict[str, argparse.ArgumentParser]:
    [action] = [a for a in cli.parser()._actions if isinstance(a, argparse._SubParsersAction)]
    return dict(action.choices)


def test_help_lists_every_verb() -> None:
    shown = "\n".join(answers("--help"))
    verbs = "identify explain spans train calibrate evaluate add subset languages info completion"
    assert list(commands()) == verbs.split()
    for verb in commands():
        assert re.search(rf"^ +{verb}\s+\w", shown, re.MULTILINE)


@pytest.mark.parametrize("verb", commands())
def test_every_example_runs_as_shown(tmp_path: Path, path: Path, verb: str) -> None:
    assert SCRIPT is not None
    shown = "\n".join(answers(verb, "--help"))
    epilog = commands()[verb].epilog or ""
    example = epilog.removeprefix("example: ")
    assert example != epilog
    assert " ".join(epilog.split()) in " ".join(shown.split())

    write_corpus(tmp_path / "corpus.tsv")
    for name in ("more.tsv", "test.tsv"):
        write_corpus(tmp_path / name, {"deu": [GERMAN], "eng": [ENGLISH], "ell": [GREEK]})
    (tmp_path / "lines.txt").write_text("mi wile moku e kili\njan li toki e ijo\n")
    shutil.copy(path, tmp_path / "my.unilid")
    before = {file.name for file in tmp_path.iterdir()}
    environment = {**ENVIRONMENT, "PATH": f"{Path(SCRIPT).parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        example, shell=True, cwd=tmp_path, env=environment, capture_output=True, stdin=subprocess.DEVNULL, timeout=60
    )
    assert done.returncode == 0, done.stderr
    written = re.findall(r"(?:-o|--html|>) (\S+)", example)
    assert {file.name for file in tmp_path.iterdir()} == before.union(written)
    if verb in ("identify", "explain", "spans", "languages", "info", "evaluate"):
        assert done.stdout and not done.stderr
    elif verb == "completion":
        assert (tmp_path / written[0]).stat().st_size
    else:
        [output] = written
        assert unilid.load(tmp_path / output).languages


def test_no_verb_and_an_unknown_verb_are_misuse() -> None:
    for arguments in ([], ["translate"]):
        done = run(*arguments)
        assert (done.returncode, done.stdout) == (2, b"")
        assert done.stderr.startswith(b"usage: unilid")


# ---- identify: input


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
    assert labels(answers("identify", "-m", path, tmp_path / "a.jsonl")) == ["deu", "eng", "zxx"]
    for source, stdin in ((tmp_path / "a.jsonl", b""), ("-", content.encode())):
        assert labels(answers("identify", "-m", path, source, "--field", "body", stdin=stdin)) == ["eng", "zxx", "ell"]
    lines = answers("identify", "-m", path, "--format", "jsonl", stdin=content.encode())
    assert labels(lines) == ["deu", "eng", "zxx"]


def test_a_column_of_a_parquet_file_is_identified(tmp_path: Path, path: Path) -> None:
    table = pyarrow.table({"text": [GERMAN, None, ENGLISH], "body": [GREEK, "two\nlines", GREEK], "n": [1, 2, 3]})
    parquet.write_table(table, tmp_path / "a.parquet")
    assert labels(answers("identify", "-m", path, tmp_path / "a.parquet")) == ["deu", "zxx", "eng"]
    lines = answers("identify", "-m", path, tmp_path / "a.parquet", "--field", "body", "--keep")
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
    "not UTF-8": b"\xff\xfe\n\xc3\ngr\xfcn\n\xed\xa0\x80\n",
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

    done = run("identify", "-m", path, "-o", "jsonl", "--keep", "-k", 2, tmp_path / "a.txt")
    assert (done.returncode, done.stderr) == (0, b"")
    rows = done.stdout.split(b"\n")
    assert rows.pop() == b""
    assert [json.loads(row)["text"] for row in rows] == [line.decode("utf-8", "replace") for line in kept]


@posix
def test_lines_are_answered_while_the_input_goes_on(path: Path) -> None:
    process = start("identify", "-m", path, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None and process.stdout is not None
    with process:
        for text, label in ((GERMAN, b"deu"), (ENGLISH, b"eng"), ("", b"zxx"), (GREEK, b"ell")):
            process.stdin.write(f"{text}\n".encode())
            process.stdin.flush()
            assert select.select([process.stdout], [], [], PATIENCE)[0], "no answer before the end of the input"
            assert process.stdout.readline().split(b"\t")[0] == label
        process.stdin.close()
        assert process.wait(PATIENCE) == 0
        assert process.stdout.read() == b""


# ---- identify: answers


def test_json_answers_have_label_probability_and_score(path: Path, model: Model) -> None:
    [line] = answers("identify", "-m", path, "-o", "jsonl", "-t", GERMAN)
    expected = model.identify(GERMAN)
    assert json.loads(line) == {
        "label": "deu",
        "probability": pytest.approx(expected.probability, abs=1e-6),
        "score": expected.score,
    }


def test_json_answers_can_keep_the_input(path: Path) -> None:
    record = {"id": 7, "text": GREEK, "label": "unknown"}
    [line] = answers(
        "identify", "-m", path, "-o", "jsonl", "--keep", "--format", "jsonl", stdin=json.dumps(record).encode()
    )
    assert json.loads(line) | {"probability": 0, "score": 0} == {**record, "label": "ell", "probability": 0, "score": 0}
    assert GREEK in line  # readable, not escaped


@pytest.mark.parametrize("k", [1, 2, 3, 50])
def test_the_k_best_languages_come_best_first(path: Path, model: Model, k: int) -> None:
    expected = model.identify(ENGLISH, k=k)
    assert len(expected) == min(k, 3)
    [line] = answers("identify", "-m", path, "-k", k, "-t", ENGLISH)
    assert line.split("\t") == [cell for p in expected for cell in (p.label, f"{p.probability:.4f}")]
    [line] = answers("identify", "-m", path, "-k", k, "-t", ENGLISH, "-o", "jsonl")
    predictions = json.loads(line)["predictions"]
    assert [(p["label"], p["score"]) for p in predictions] == [(p.label, p.score) for p in expected]


def test_only_the_languages_named_compete(path: Path) -> None:
    texts = ["-t", GERMAN, "-t", ENGLISH, "-t", GREEK]
    lines = answers("identify", "-m", path, "--languages", "eng,ell", "-k", 3, *texts)
    assert [set(line.split("\t")[::2]) for line in lines] == [{"eng", "ell"}] * 3
    assert labels(lines)[1:] == ["eng", "ell"]


def test_the_prior_moves_the_answer(path: Path, model: Model) -> None:
    def ask(*options: str) -> dict[str, Any]:
        [line] = answers("identify", "-m", path, "-o", "jsonl", *options, "-t", "Brot")
        answer: dict[str, Any] = json.loads(line)
        return answer

    assert ask()["label"] == "deu"
    assert ask("--prior", "deu=0,ell=0")["label"] == "eng"
    assert ask("--prior", "deu=0,eng=0")["label"] == "ell"
    for written, prior in (("training", "training"), ("deu=0.25,ell=0.5", {"deu": 0.25, "ell": 0.5})):
        expected = model.identify("Brot", prior=prior)  # type: ignore[call-overload]
        assert (ask("--prior", written)["label"], ask("--prior", written)["score"]) == (expected.label, expected.score)


def test_the_answers_do_not_depend_on_the_number_of_threads(path: Path) -> None:
    texts = [text for texts in CORPUS.values() for text in texts]
    content = "\n".join(f"{texts[n % 18][n % 7 :]} {texts[n % 17]}" for n in range(6_000)).encode()
    one, two, default = (
        run("identify", "-m", path, "-o", "jsonl", "-k", 3, *threads, stdin=content)
        for threads in (["--threads", "1"], ["--threads", "2"], [])
    )
    assert one.stdout == two.stdout == default.stdout
    assert one.stdout.count(b"\n") == 6_000


# ---- what is wrong is named


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, path: Path) -> Path:
    """A folder with one of each thing that the failing commands below are given."""
    folder = tmp_path_factory.mktemp("folder")
    shutil.copy(path, folder / "my.unilid")
    write_corpus(folder / "corpus.tsv")
    (folder / "no-tab.tsv").write_text("deu\tGuten Tag\nohne Tab\n")
    (folder / "blank.tsv").write_text("deu\tGuten Tag\nxxx\t \n")
    (folder / "corpus.jsonl").write_text('{"text": "Guten Tag", "label": "deu"}\n')
    (folder / "broken.jsonl").write_text('{"text": "Guten Tag"}\n{"text": \n')
    (folder / "lines.txt").write_text("Guten Tag\n")
    (folder / "empty.txt").write_text("")
    (folder / "unknown.tsv").write_text("tok\tmi moku\n")
    (folder / "digits.txt").write_text("12\n34\n\n")
    (folder / "two.tsv").write_text("eins\tzwei\n")
    (folder / "cut.unilid").write_bytes(path.read_bytes()[:-100])
    parquet.write_table(pyarrow.table({"text": ["a"], "n": [1]}), folder / "a.parquet")
    return folder


TRAIN = "train -o new.unilid"
FAILURES = {
    # identify
    "identify -m my.unilid -l deu,xyz lines.txt": "'xyz'",
    "identify -m my.unilid -l deu,,eng lines.txt": "''",
    "identify -m my.unilid --prior xyz=0.5 lines.txt": "'xyz'",
    "identify -m my.unilid --prior deu lines.txt": "--prior .*'deu'",
    "identify -m my.unilid --prior deu=much lines.txt": "--prior .*'deu=much'",
    "identify -m my.unilid --prior deu=0.9,eng=0.9 lines.txt": "adds up to 1.8",
    "identify -m my.unilid --prior deu=-1 lines.txt": "deu is -1",
    "identify -m my.unilid --prior deu=0 -l deu lines.txt": "excludes every language",
    "identify -m my.unilid --abstain often lines.txt": "--abstain .*'often'",
    "identify -m my.unilid --abstain 2 lines.txt": "abstain must be .*not 2",
    "identify -m my.unilid --abstain 0 lines.txt": "abstain must be .*not 0",
    "identify -m my.unilid --calibrated lines.txt": "not calibrated",
    "identify -m my.unilid two.tsv --column 3": r"two\.tsv:1: no column 3",
    "identify -m my.unilid corpus.jsonl --field body": r"corpus\.jsonl:1: no field 'body'.*'text', 'label'",
    "identify -m my.unilid broken.jsonl": r"broken\.jsonl:2: not JSON",
    "identify -m my.unilid a.parquet --field body": r"a\.parquet: no column 'body'.*'text', 'n'",
    "identify -m my.unilid a.parquet --field n": r"a\.parquet: 'n'",
    "identify -m my.unilid --format parquet": "parquet cannot be read from standard input",
    "identify -m my.unilid nowhere.txt": r"nowhere\.txt: cannot be read: No such file",
    "identify -m my.unilid .": "cannot be read: Is a directory",
    "identify -m nowhere.unilid lines.txt": r"nowhere\.unilid: cannot be read: No such file",
    "identify -m lines.txt lines.txt": r"lines\.txt: not a unilid model",
    "identify -m cut.unilid lines.txt": r"cut\.unilid: cut short",
    "identify -m empty.txt lines.txt": r"empty\.txt: is empty",
    # train
    f"{TRAIN} nowhere.tsv": r"nowhere\.tsv: cannot be read: No such file",
    f"{TRAIN} no-tab.tsv": r"no-tab\.tsv:2: no tab",
    f"{TRAIN} blank.tsv": "xxx: .*no usable text",
    f"{TRAIN} corpus.tsv --format xml": "'xml'",
    f"{TRAIN} corpus.jsonl --text-field body": r"corpus\.jsonl:1: no field 'body'",
    f"{TRAIN} corpus.jsonl --label-field language": r"corpus\.jsonl:1: no field 'language'",
    f"{TRAIN} corpus.tsv --vocabulary 3": "vocabulary of 3 tokens is too small",
    f"{TRAIN} corpus.tsv --vocabulary 9000000": "vocabulary of 9,000,000 tokens is too large",
    f"{TRAIN} corpus.tsv --vocabulary nowhere.json": r"nowhere\.json is not a tokenizer",
    f"{TRAIN} corpus.tsv --order 9": "order .*not 9",
    f"{TRAIN} corpus.tsv --bound wide": "--bound .*'wide'",
    f"{TRAIN} corpus.tsv --bound -1": "bound .*not -1",
    f"{TRAIN} corpus.tsv --prune -1": "prune .*not -1",
    "train corpus.tsv -o nowhere/new.unilid": r"nowhere/new\.unilid: there is no folder .*nowhere",
    "train corpus.tsv -o .": "cannot be written",
    "train corpus.tsv -o corpus.tsv": r"corpus\.tsv: is one of the files to read",
    "calibrate corpus.tsv --validation two.tsv -m my.unilid -o two.tsv": r"two\.tsv: is one of the files to read",
    "add xyz lines.txt -m my.unilid -o lines.txt": r"lines\.txt: is one of the files to read",
    "evaluate corpus.tsv -m my.unilid --json corpus.tsv": r"corpus\.tsv: is one of the files to read",
    # calibrate
    "calibrate -m my.unilid -o new.unilid": "nothing to calibrate with",
    "calibrate nowhere.tsv -m my.unilid -o new.unilid": r"nowhere\.tsv: cannot be read: No such file",
    "calibrate no-tab.tsv -m my.unilid -o new.unilid": r"no-tab\.tsv:2: no tab",
    "calibrate unknown.tsv -m my.unilid -o new.unilid": "none of the text has a label",
    "calibrate corpus.tsv --validation unknown.tsv -m my.unilid -o new.unilid": "none of the text has a label",
    "calibrate --prior-from nowhere.txt -m my.unilid -o new.unilid": r"nowhere\.txt: cannot be read: No such file",
    "calibrate --prior-from digits.txt -m my.unilid -o new.unilid": "no language",
    "calibrate corpus.tsv --prior deu -m my.unilid -o new.unilid": "--prior .*'deu'",
    "calibrate corpus.tsv -m nowhere.unilid -o new.unilid": r"nowhere\.unilid: cannot be read",
    "calibrate corpus.tsv -m my.unilid -o nowhere/new.unilid": "there is no folder .*nowhere",
    # evaluate
    "evaluate nowhere.tsv -m my.unilid": r"nowhere\.tsv: cannot be read: No such file",
    "evaluate no-tab.tsv -m my.unilid": r"no-tab\.tsv:2: no tab",
    "evaluate empty.txt -m my.unilid": "nothing to evaluate",
    "evaluate corpus.tsv -m my.unilid -l deu,xyz": "'xyz'",
    "evaluate corpus.tsv -m my.unilid --prior deu": "--prior .*'deu'",
    "evaluate corpus.tsv -m my.unilid --calibrated": "not calibrated",
    "evaluate corpus.tsv --predictions lines.txt": r"lines\.txt: has 1 answers",
    "evaluate corpus.tsv --predictions broken.jsonl": r"broken\.jsonl:1: not an answer: .*label",
    "evaluate corpus.tsv --predictions nowhere.tsv": r"nowhere\.tsv: cannot be read: No such file",
    "evaluate corpus.tsv -m my.unilid --against cut.unilid": r"cut\.unilid: cut short",
    # of two faults, the one that is found before the work
    "evaluate nowhere.tsv -m nowhere.unilid --json nowhere/r.json": r"r\.json: there is no folder .*nowhere",
    "evaluate nowhere.tsv -m nowhere.unilid --html .": "cannot be written",
    # add, subset, info
    "add deu lines.txt -m my.unilid -o new.unilid": "knows deu already",
    "add xyz nowhere.txt -m my.unilid -o new.unilid": r"nowhere\.txt: cannot be read: No such file",
    "add xyz empty.txt -m my.unilid -o new.unilid": "xyz: no lines",
    "add xyz lines.txt -m my.unilid -o nowhere/new.unilid": "there is no folder .*nowhere",
    "add xyz lines.txt -m nowhere.unilid -o new.unilid": r"nowhere\.unilid: cannot be read",
    "subset deu xyz -m my.unilid -o new.unilid": "'xyz'",
    "subset xyz --remove -m my.unilid -o new.unilid": "'xyz'",
    "subset deu eng ell --remove -m my.unilid -o new.unilid": "at least one language",
    "subset deu -m my.unilid -o nowhere/new.unilid": "there is no folder .*nowhere",
    "info -m nowhere.unilid": r"nowhere\.unilid: cannot be read",
    "info -m lines.txt": r"lines\.txt: not a unilid model",
}


@pytest.mark.parametrize(("command", "named"), FAILURES.items(), ids=FAILURES)
def test_what_is_wrong_is_named(folder: Path, command: str, named: str) -> None:
    done = run(*shlex.split(command), cwd=folder)
    assert (done.returncode, done.stdout) == (2, b"")
    [message] = done.stderr.decode().splitlines()
    assert re.match(rf"unilid: .*{named}", message)
    assert not (folder / "new.unilid").exists()
    shutil.rmtree(folder / "new.unilid.work", ignore_errors=True)


@pytest.mark.parametrize(
    ("command", "named"),
    [
        ("identify --format xml", "--format: invalid choice: 'xml'"),
        ("identify -o xml", "invalid choice: 'xml'"),
        ("identify -k 0", "-k: '0'"),
        ("identify -k two", "-k: 'two'"),
        ("identify --column -1", "--column: '-1'|expected one argument"),
        ("identify --threads 0", "--threads: '0'"),
        ("identify --threads 99999999999999999999", "--threads: 99999999999999999999 is too large"),
        ("identify --column 99999999999999999999", "--column: 99999999999999999999 is too large"),
        ("train corpus.tsv -o new.unilid --vocabulary 99999999999", "--vocabulary: 99999999999 is too large"),
        ("train corpus.tsv", "-o/--output"),
        ("train -o new.unilid", "CORPUS"),
        ("train corpus.tsv -o new.unilid --context words", "--context: invalid choice: 'words'"),
        ("train corpus.tsv -o new.unilid --unseen laplace", "--unseen: invalid choice: 'laplace'"),
        ("train corpus.tsv -o new.unilid --cap 0", "--cap: '0'"),
        ("calibrate corpus.tsv", "-o/--output"),
        ("calibrate corpus.tsv -o new.unilid --preset mine", "--preset: invalid choice: 'mine'"),
        ("evaluate", "CORPUS"),
        ("evaluate corpus.tsv --threads 0", "--threads: '0'"),
        ("add -o new.unilid", "LABEL"),
        ("subset -o new.unilid", "LABEL"),
        ("info my.unilid", "unrecognized arguments: my.unilid"),
        ("completion tcsh", "SHELL: invalid choice: 'tcsh'"),
    ],
)
def test_misuse_shows_the_usage_and_what_is_wrong(folder: Path, command: str, named: str) -> None:
    done = run(*shlex.split(command), cwd=folder)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"usage: unilid ")
    assert re.search(named, done.stderr.decode())


def test_an_unknown_label_is_named_even_if_there_is_no_text(path: Path) -> None:
    done = run("identify", "-m", path, "-l", "xyz")
    assert done.returncode == 2 and b"'xyz'" in done.stderr


def test_training_on_an_empty_file_says_that_it_is_empty(folder: Path) -> None:
    done = run("train", "empty.txt", "-o", "new.unilid", cwd=folder)
    assert done.returncode == 2
    assert b"corpus is empty" in done.stderr and b"Traceback" not in done.stderr


def test_a_negative_seed_is_named(folder: Path) -> None:
    done = run("train", "corpus.tsv", "-o", "new.unilid", "--cap", "3", "--seed=-1", cwd=folder)
    assert done.returncode == 2
    assert b"seed" in done.stderr and b"Traceback" not in done.stderr


def test_a_file_in_the_place_of_the_work_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "new.unilid.work").write_text("something else")
    done = run("train", write_corpus(tmp_path / "corpus.tsv"), "-o", tmp_path / "new.unilid")
    assert done.returncode == 2
    assert b"new.unilid.work" in done.stderr and b"Traceback" not in done.stderr


@posix
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full disk at hand")
@pytest.mark.parametrize("command", ["identify", "info"])
def test_output_that_cannot_be_written_is_said(command: str, path: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        arguments = ["identify", "-m", str(path), "-t", GERMAN] if command == "identify" else ["info", "-m", str(path)]
        done = subprocess.run(
            [*MODULE, *arguments], stdout=full, stderr=subprocess.PIPE, env=ENVIRONMENT, timeout=PATIENCE
        )
    assert done.returncode not in (0, 120)
    assert b"No space left" in done.stderr and b"Traceback" not in done.stderr


# ---- the reader goes away, the user interrupts


@pytest.fixture(scope="module")
def many_lines(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("lines") / "many.txt"
    path.write_text(f"{GERMAN}\n{ENGLISH}\n" * 50_000)
    return path


@posix
def test_where_standard_error_is_closed_no_message_stands_among_the_answers(tmp_path: Path, path: Path) -> None:
    command = [*MODULE, "identify", "-m", str(path), str(tmp_path / "nowhere.txt")]
    done = subprocess.run(
        command, stdout=subprocess.PIPE, preexec_fn=lambda: os.close(2), env=ENVIRONMENT, timeout=PATIENCE
    )
    assert (done.returncode, done.stdout) == (2, b"")


@posix
def test_a_reader_that_has_enough_ends_the_command_quietly(path: Path, many_lines: Path) -> None:
    process = start("identify", "-m", path, many_lines, stdout=subprocess.PIPE)
    assert process.stdout is not None and process.stderr is not None
    with process:
        assert process.stdout.readline().startswith(b"deu\t")
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(PATIENCE) == 0


@posix
def test_head_ends_the_command_quietly(path: Path, many_lines: Path) -> None:
    command = f"{shlex.join([*MODULE, 'identify', '-m', str(path), str(many_lines)])} | head -n 1"
    done = subprocess.run(command, shell=True, capture_output=True, env=ENVIRONMENT, timeout=PATIENCE)
    assert labels(done.stdout.decode().splitlines()) == ["deu"]
    assert done.stderr == b""


@posix
def test_ctrl_c_while_waiting_for_input_ends_the_command_quietly(path: Path) -> None:
    process = start("identify", "-m", path, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None and process.stdout is not None and process.stderr is not None
    with process:
        process.stdin.write(f"{GREEK}\n".encode())
        process.stdin.flush()
        assert process.stdout.readline().startswith(b"ell\t")  # it is past its imports, and waits
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 130
        assert (process.stdout.read(), process.stderr.read()) == (b"", b"")


@pytest.fixture(scope="module")
def large_corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """So many different words that learning a vocabulary takes seconds."""
    random = np.random.default_rng(0)
    path = tmp_path_factory.mktemp("large") / "large.tsv"
    with path.open("w") as file:
        for label, alphabet in (("aaa", "abcdefghijklm   "), ("bbb", "hijklmnopqrst   ")):
            letters = np.array(list(alphabet))[random.integers(0, len(alphabet), (20_000, 60))]
            file.writelines(f"{label}\t{''.join(line)}\n" for line in letters)
    return path


def wait_for(condition: Callable[[], Any], process: subprocess.Popen[bytes]) -> None:
    patience = time.monotonic() + PATIENCE
    while not condition():
        assert process.poll() is None, "it was over too soon"
        assert time.monotonic() < patience
        time.sleep(0.005)


@posix
def test_training_interrupted_by_ctrl_c_goes_on_when_started_again(tmp_path: Path, large_corpus: Path) -> None:
    output, work = tmp_path / "new.unilid", tmp_path / "new.unilid.work"
    output.write_bytes(b"the model before")
    arguments = ["train", large_corpus, "-o", output, "--context", "none", "--no-tune", "--threads", 1]
    process = start(*arguments, stdout=subprocess.PIPE)
    assert process.stdout is not None and process.stderr is not None
    with process:
        wait_for(lambda: list(work.glob("counts-*.npz")), process)
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 130
        assert (process.stdout.read(), process.stderr.read()) == (b"", b"")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["new.unilid", "new.unilid.work"]
    assert output.read_bytes() == b"the model before"
    [stage] = work.iterdir()

    done = run(*arguments)
    assert (done.returncode, done.stdout) == (0, b"")
    said, summary = done.stderr.decode().splitlines()
    assert said == f"unilid: reusing finished stage: counts ({stage})"
    assert re.match(rf"{re.escape(str(output))}: 2 languages, \d+ tokens, [\d,]+ bytes", summary)
    assert list(tmp_path.iterdir()) == [output]
    assert unilid.load(output).lines.tolist() == [20_000, 20_000]


@posix
def test_ctrl_c_while_the_corpus_is_read_leaves_nothing(tmp_path: Path) -> None:
    pipe, output = tmp_path / "pipe", tmp_path / "new.unilid"
    os.mkfifo(pipe)
    process = start("train", pipe, "-o", output, stdout=subprocess.PIPE)
    assert process.stdout is not None and process.stderr is not None
    with process, pipe.open("wb") as corpus:  # opened when the other side reads
        corpus.write(b"deu\tGuten Tag\n")
        corpus.flush()
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 130
        assert (process.stdout.read(), process.stderr.read()) == (b"", b"")
    assert list(tmp_path.iterdir()) == [pipe]


# ---- train


def test_training_writes_the_model_that_the_library_makes(tmp_path: Path) -> None:
    corpus, output = write_corpus(tmp_path / "corpus.tsv"), tmp_path / "new.unilid"
    options = "--vocabulary 400 --context characters --order 3 --prune 0 --unseen additive --bound 5 --no-tune"
    done = run("train", corpus, "-o", output, *options.split(), "--cap", 5, "--seed", 3)
    assert done.returncode == 0, done.stderr
    expected = unilid.train(
        corpus,
        vocabulary=400,
        context="characters",
        order=3,
        prune=0.0,
        unseen="additive",
        bound=5.0,
        tune=False,
        cap=5,
        seed=3,
    )
    assert output.read_bytes() == expected.to_bytes()


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        ([], {}),
        (["--bound", "none"], {"bound": None}),
        (["--context", "none"], {"context": None}),
        (["--threads", "1"], {"threads": 2}),
    ],
)
def test_the_defaults_of_the_command_are_those_of_the_library(
    tmp_path: Path, arguments: list[str], options: dict[str, Any]
) -> None:
    corpus, output = write_corpus(tmp_path / "corpus.tsv"), tmp_path / "new.unilid"
    assert run("train", corpus, "-o", output, *arguments).returncode == 0
    assert output.read_bytes() == unilid.train(corpus, **options).to_bytes()


def test_a_corpus_can_be_several_files_with_fields_of_any_name(tmp_path: Path) -> None:
    rows = [{"lang": label, "body": text} for label, texts in CORPUS.items() for text in texts]
    for name, part in (("a.jsonl", rows[:9]), ("b.dat", rows[9:])):
        (tmp_path / name).write_text("".join(json.dumps(row) + "\n" for row in part))
    fields = ["--text-field", "body", "--label-field", "lang"]
    done = run("train", "a.jsonl", "b.dat", "-o", "new.unilid", "--format", "jsonl", *fields, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "new.unilid").read_bytes() == unilid.train(CORPUS).to_bytes()


def test_a_tokenizer_file_can_give_the_vocabulary(tmp_path: Path) -> None:
    (tmp_path / "tiny.tiktoken").write_text("IHRoZQ== 0\n")  # " the"
    write_corpus(tmp_path / "corpus.tsv")
    done = run("train", "corpus.tsv", "-o", "new.unilid", "--vocabulary", "tiny.tiktoken", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    model = unilid.load(tmp_path / "new.unilid")
    assert len(model.vocabulary) == 257 and b" the" in model.vocabulary.tokens


def test_training_leaves_the_model_and_nothing_else(tmp_path: Path) -> None:
    corpus, output = write_corpus(tmp_path / "corpus.tsv"), tmp_path / "new.unilid"
    output.write_bytes(b"the model before")
    done = run("train", corpus, "-o", output)
    assert done.returncode == 0
    assert sorted(tmp_path.iterdir()) == [corpus, output]
    assert unilid.load(output).languages == ("deu", "ell", "eng")
    # Not a terminal: one line of text, no bars and no escape codes.
    assert done.stdout == b""
    size = output.stat().st_size
    tokens = len(unilid.load(output).vocabulary)
    assert done.stderr.decode() == f"{output}: 3 languages, {tokens} tokens, {size:,} bytes\n"


def test_a_model_is_replaced_only_by_a_finished_one(tmp_path: Path) -> None:
    corpus, output = write_corpus(tmp_path / "corpus.tsv"), tmp_path / "new.unilid"
    output.write_bytes(b"the model before")
    assert run("train", corpus, "-o", output, "--vocabulary", 3).returncode == 2
    assert output.read_bytes() == b"the model before"
    assert not list(tmp_path.glob(".*"))


def test_a_missing_folder_is_found_out_before_the_work(tmp_path: Path) -> None:
    done = run("train", tmp_path / "no-corpus.tsv", "-o", tmp_path / "nowhere/new.unilid")
    assert done.returncode == 2
    assert b"there is no folder" in done.stderr and b"no-corpus" not in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_fresh_reuses_nothing(tmp_path: Path) -> None:
    corpus, output = write_corpus(tmp_path / "corpus.tsv"), tmp_path / "new.unilid"

    unilid.train(corpus, work=tmp_path / "new.unilid.work")
    assert b"reusing finished stage: counts" in run("train", corpus, "-o", output).stderr
    unilid.train(corpus, work=tmp_path / "new.unilid.work")
    assert b"reusing" not in run("train", corpus, "-o", output, "--fresh").stderr
    assert sorted(tmp_path.iterdir()) == [corpus, output]


@posix
def test_a_terminal_shows_the_stages(tmp_path: Path) -> None:
    import pty

    corpus = write_corpus(tmp_path / "corpus.tsv")
    ours, theirs = pty.openpty()
    environment = {**ENVIRONMENT, "TERM": "xterm", "COLUMNS": "100"}
    process = subprocess.Popen(
        [*MODULE, "train", str(corpus), "-o", str(tmp_path / "new.unilid"), "--context", "characters"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=theirs,
        env=environment,
    )
    os.close(theirs)
    with process:
        shown = b"".join(chunks(ours))
        assert process.wait(PATIENCE) == 0
        assert process.stdout is not None and process.stdout.read() == b""
    os.close(ours)
    stages = ["counting words", "learning the vocabulary", "estimating", "choosing constants", "learning contexts"]
    assert all(stage.encode() in shown for stage in stages)
    assert b"\x1b[" in shown
    assert b"3 languages" in shown


def chunks(descriptor: int) -> Iterator[bytes]:
    while True:
        try:
            chunk = os.read(descriptor, 1 << 16)
        except OSError:  # how Linux says that the other side of a terminal is closed
            return
        if not chunk:
            return
        yield chunk


# ---- calibrate, and what a calibrated model is asked


@pytest.fixture(scope="module")
def calibrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a fitted model, the text it was trained on, other text, and a calibrated model."""
    folder = tmp_path_factory.mktemp("calibrated")
    write_corpus(folder / "corpus.tsv", text_of_all(100))
    write_corpus(folder / "more.tsv", text_of_all(30, seed=1))
    sample = [*sentences("dum_Latn", 60, seed=2), *sentences("rus_Cyrl", 20, seed=2)]
    (folder / "sample.txt").write_text("\n".join(sample), encoding="utf-8")
    assert run("train", "corpus.tsv", "-o", "fitted.unilid", cwd=folder).returncode == 0
    arguments = ["corpus.tsv", "--validation", "more.tsv", "--prior-from", "sample.txt", "-m", "fitted.unilid"]
    done = run("calibrate", *arguments, "-o", "all.unilid", cwd=folder)
    assert (done.returncode, done.stdout) == (0, b"")
    assert re.fullmatch(rb"all\.unilid: 4 languages, \d of them examined again\n", done.stderr)
    return folder


def test_calibrating_writes_the_model_that_the_library_makes(calibrated: Path) -> None:
    sample = (calibrated / "sample.txt").read_text(encoding="utf-8").splitlines()
    fitted = unilid.load(calibrated / "fitted.unilid")
    expected = unilid.calibrate(
        fitted, calibrated / "corpus.tsv", validation=calibrated / "more.tsv", prior_from=sample
    )
    assert (calibrated / "all.unilid").read_bytes() == expected.to_bytes()
    assert {file.name for file in calibrated.iterdir() if "unilid" in file.name} == {"all.unilid", "fitted.unilid"}


def test_calibrating_has_the_papers_constants_and_a_prior_of_its_own(calibrated: Path, tmp_path: Path) -> None:
    arguments = ["corpus.tsv", "-m", "fitted.unilid", "--preset", "paper", "--prior", "deu_Latn=0.5"]
    done = run("calibrate", *arguments, "-o", tmp_path / "paper.unilid", cwd=calibrated)
    assert done.returncode == 0, done.stderr
    fitted = unilid.load(calibrated / "fitted.unilid")
    expected = unilid.calibrate(fitted, calibrated / "corpus.tsv", rules="paper", prior={"deu_Latn": 0.5})
    assert (tmp_path / "paper.unilid").read_bytes() == expected.to_bytes()


def test_a_model_is_calibrated_in_place_and_step_by_step(calibrated: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine.unilid"
    shutil.copy(calibrated / "fitted.unilid", mine)
    for arguments in (["--validation", "more.tsv"], ["corpus.tsv"], ["--prior-from", "sample.txt"]):
        assert run("calibrate", *arguments, "-m", mine, "-o", mine, cwd=calibrated).returncode == 0
    found = unilid.load(mine).decisions
    assert found.calibration is not None and found.prior is not None and found.rejection is not None
    assert list(tmp_path.iterdir()) == [mine]


def test_a_calibrated_model_answers_as_it_is_asked_to(calibrated: Path) -> None:
    model = unilid.load(calibrated / "all.unilid")
    texts = ["einige", "am Markt", "the old man", "在", "12", "", "xqzj wvkk ppzt"]
    asked = [argument for text in texts for argument in ("-t", text)]
    ways: list[tuple[list[str], dict[str, Any]]] = [
        ([], {}),
        (["--calibrated"], {"calibrated": True}),
        (["--no-calibrated"], {"calibrated": False}),
        (["--prior", "none"], {"prior": None}),
        (["--prior", "model"], {"prior": "model"}),
        (["--prior", "training"], {"prior": "training"}),
        (["--abstain", "no"], {"abstain": False}),
        (["--abstain", "yes"], {"abstain": True}),
        (["--abstain", "0.05"], {"abstain": 0.05}),
    ]
    for arguments, options in ways:
        lines = answers("identify", "-m", model.path, *arguments, *asked)
        assert lines == [f"{p.label}\t{p.probability:.4f}" for p in model.identify(texts, **options)]


def test_json_answers_say_why_there_is_no_language_and_which_it_might_be(calibrated: Path) -> None:
    texts = ["-t", "12345", "-t", "今日はパンを買いに町へ行きます。", "-t", "the old man buys fresh bread"]
    model = calibrated / "fitted.unilid"
    number, foreign, english = map(json.loads, answers("identify", "-m", model, "-o", "jsonl", *texts))
    assert number == {"label": "zxx", "probability": 1.0, "score": 0.0, "reason": "digits"}
    assert (foreign["label"], foreign["reason"]) == ("und", "unlike")
    assert foreign["guess"] in unilid.load(model).languages
    assert english.keys() == {"label", "probability", "score"}
    _, foreign, _ = map(json.loads, answers("identify", "-m", model, "-o", "jsonl", "-k", 2, *texts))
    first, second = foreign["predictions"]
    assert (first["label"], first["guess"]) == ("und", second["label"])
    assert second.keys() == {"label", "probability", "score"}


# ---- evaluate


@pytest.fixture(scope="module")
def labelled(tmp_path_factory: pytest.TempPathFactory, path: Path) -> Path:
    """A folder with text to be asked about, some of it with a wrong label, a model, a worse one, and its answers."""
    folder = tmp_path_factory.mktemp("labelled")
    write_corpus(folder / "test.tsv", {"deu": [GERMAN, "Brot", ENGLISH, "12"], "eng": [ENGLISH], "ell": [GREEK]})
    shutil.copy(path, folder / "my.unilid")
    unilid.load(path).subset(["ell", "eng"]).save(folder / "worse.unilid")
    texts = [GERMAN, "Brot", ENGLISH, "12", ENGLISH, GREEK]
    lines = answers("identify", "-m", folder / "worse.unilid", stdin="\n".join(texts).encode())
    (folder / "worse.tsv").write_text("\n".join(lines))
    return folder


def test_evaluating_shows_the_figures_of_the_library(labelled: Path, model: Model) -> None:
    lines = answers("evaluate", "test.tsv", "-m", "my.unilid", cwd=labelled)
    report = unilid.evaluate(model, labelled / "test.tsv")
    assert report.accuracy == 4 / 6
    row = [
        cell.strip() for cell in lines[lines.index(next(line for line in lines if "macro F1" in line)) + 2].split("│")
    ]
    figures = [report.accuracy, report.macro.f1, report.weighted_f1, report.macro.precision, report.macro.recall]
    assert row[1:8] == ["6", "3", *(f"{figure:.4f}" for figure in figures)]
    assert any(re.match("│ deu +│ +eng │ +1 │", line) for line in lines)
    assert any(re.match("│ deu +│ +zxx │ +1 │", line) for line in lines)


def test_evaluating_writes_whole_files(tmp_path: Path, labelled: Path, model: Model) -> None:
    for name in ("r.json", "r.md", "r.html"):
        (tmp_path / name).write_text("older and longer" * 10_000)
    outputs = ["--json", tmp_path / "r.json", "--markdown", tmp_path / "r.md", "--html", tmp_path / "r.html"]
    answers("evaluate", "test.tsv", "-m", "my.unilid", *outputs, cwd=labelled)
    report = unilid.evaluate(model, labelled / "test.tsv")
    title = "my.unilid on test.tsv"
    assert (tmp_path / "r.json").read_text(encoding="utf-8") == report.to_json() + "\n"
    assert (tmp_path / "r.md").read_text(encoding="utf-8") == reports.markdown(report, title=title)
    assert (tmp_path / "r.html").read_text(encoding="utf-8") == reports.html(report, title=title)
    assert len(list(tmp_path.iterdir())) == 3


def test_an_evaluation_that_fails_leaves_the_files_that_were_there(tmp_path: Path, folder: Path) -> None:
    (tmp_path / "r.json").write_text("before")
    done = run("evaluate", "no-tab.tsv", "-m", "my.unilid", "--json", tmp_path / "r.json", cwd=folder)
    assert done.returncode == 2
    assert [file.read_text() for file in tmp_path.iterdir()] == ["before"]


def test_a_model_is_evaluated_as_it_is_asked(tmp_path: Path, labelled: Path, model: Model) -> None:
    asked = ["-l", "eng,ell", "--prior", "eng=0.25", "--abstain", "no", "--threads", 1, "--script-blind"]
    answers("evaluate", "test.tsv", "-m", "my.unilid", *asked, "--json", tmp_path / "r.json", cwd=labelled)
    report = unilid.evaluate(
        model, labelled / "test.tsv", languages=["eng", "ell"], prior={"eng": 0.25}, abstain=False, script_blind=True
    )
    assert (tmp_path / "r.json").read_text(encoding="utf-8") == report.to_json() + "\n"


def test_labels_are_compared_by_macrolanguage_and_without_script(tmp_path: Path) -> None:
    (tmp_path / "test.jsonl").write_text('{"lang": "arz_Arab", "body": "a"}\n{"lang": "srp_Cyrl", "body": "b"}\n')
    (tmp_path / "said.tsv").write_text("arb_Arab\nsrp_Latn\n")
    fields = ["--format", "jsonl", "--text-field", "body", "--label-field", "lang", "--json", "r.json"]
    for option, recalls in (
        ("--macrolanguages", {"ara_Arab": 1, "hbs_Cyrl": 0}),
        ("--script-blind", {"arz": 0, "srp": 1}),
    ):
        answers("evaluate", "test.jsonl", "--predictions", "said.tsv", *fields, option, cwd=tmp_path)
        found = json.loads((tmp_path / "r.json").read_text())["labels"]
        assert {result["label"]: result["recall"] for result in found} == recalls


@pytest.mark.parametrize("against", ["worse.tsv", "worse.unilid"])
def test_a_model_is_compared_with_answers_or_with_another_model(tmp_path: Path, labelled: Path, against: str) -> None:
    written = tmp_path / "r.md"
    lines = answers(
        "evaluate", "test.tsv", "-m", "my.unilid", "--against", against, "--markdown", written, cwd=labelled
    )
    mine, worse = (
        unilid.evaluate(unilid.load(labelled / n), labelled / "test.tsv") for n in ("my.unilid", "worse.unilid")
    )
    found = unilid.compare(worse, mine)
    recall = next(difference for difference in found if difference.measure == "macro recall")
    assert recall.difference > 0
    row = [cell.strip() for cell in next(line for line in lines if "macro recall" in line).split("│")]
    assert row[2:5] == [f"{figure:.4f}" for figure in (worse.macro.recall, mine.macro.recall, recall.difference)]
    assert written.read_text(encoding="utf-8") == reports.markdown(mine, found, title="my.unilid on test.tsv")


def test_answers_are_evaluated_without_a_model(tmp_path: Path, labelled: Path) -> None:
    outputs = ["--json", tmp_path / "r.json", "--html", tmp_path / "r.html"]
    answers("evaluate", "test.tsv", "--predictions", "worse.tsv", *outputs, cwd=labelled)
    report = unilid.evaluate_predictions(labelled / "worse.tsv", labelled / "test.tsv")
    assert report.by_tier == []
    assert (tmp_path / "r.json").read_text(encoding="utf-8") == report.to_json() + "\n"
    assert "<title>worse.tsv on test.tsv</title>" in (tmp_path / "r.html").read_text(encoding="utf-8")
    answers("evaluate", "test.tsv", "--predictions", "worse.tsv", "-m", "my.unilid", *outputs, cwd=labelled)
    [tier] = json.loads((tmp_path / "r.json").read_text())["by_tier"]  # the model says what it was trained on
    assert (tier["name"], tier["labels"]) == ("below 500", 3)


@pytest.mark.parametrize("option", [["-l", "deu"], ["--prior", "none"], ["--abstain", "no"], ["--no-calibrated"]])
def test_options_for_asking_a_model_do_not_change_answers_that_are_there(labelled: Path, option: list[str]) -> None:
    done = run("evaluate", "test.tsv", "--predictions", "worse.tsv", *option, cwd=labelled)
    assert done.returncode == 2 and b"were given without it" in done.stderr and done.stderr.count(b"\n") == 1


def test_the_best_of_several_answers_is_evaluated(tmp_path: Path, labelled: Path) -> None:
    texts = b"".join(line.split(b"\t", 1)[1] for line in (labelled / "test.tsv").read_bytes().splitlines(keepends=True))
    outputs = {}
    for name, option in {"one": [], "two": ["-k", "2"]}.items():
        done = run("identify", "-m", labelled / "my.unilid", "-o", "jsonl", *option, stdin=texts)
        (tmp_path / "said.jsonl").write_bytes(done.stdout)
        outputs[name] = unilid.evaluate_predictions(tmp_path / "said.jsonl", labelled / "test.tsv")
    assert outputs["one"] == outputs["two"]


def test_labels_that_look_like_markup_are_shown(tmp_path: Path) -> None:
    (tmp_path / "test.tsv").write_text("[/b]\ta\n<b>\tb\n")
    (tmp_path / "said.tsv").write_text("[bold]\n<b>\n")
    shown = "\n".join(answers("evaluate", "test.tsv", "--predictions", "said.tsv", cwd=tmp_path))
    assert "[/b]" in shown and "[bold]" in shown and "<b>" in shown


# ---- add, subset, info


def test_a_language_is_added_from_files_or_standard_input(tmp_path: Path, path: Path, model: Model) -> None:
    lines = ["mi wile moku e kili", "jan li toki e ijo", "ona li lukin e tomo"]
    (tmp_path / "a.txt").write_text("\n".join(lines[:2]) + "\n\n")
    (tmp_path / "b.txt").write_text(lines[2])
    expected = model.add_language("tok", lines).to_bytes()
    done = run("add", "tok", "a.txt", "b.txt", "-m", path, "-o", "new.unilid", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, b"")
    assert done.stderr == b"new.unilid: 4 languages, tok from 3 lines\n"
    assert (tmp_path / "new.unilid").read_bytes() == expected
    done = run("add", "tok", "-m", path, "-o", "piped.unilid", stdin="\n".join(lines).encode(), cwd=tmp_path)
    assert done.returncode == 0
    assert (tmp_path / "piped.unilid").read_bytes() == expected
    assert labels(answers("identify", "-m", tmp_path / "new.unilid", "-t", "jan li moku", "-t", GERMAN)) == [
        "tok",
        "deu",
    ]


def test_a_model_can_be_changed_in_place(tmp_path: Path, path: Path) -> None:
    mine = tmp_path / "mine.unilid"
    shutil.copy(path, mine)
    assert run("add", "tok", "-m", mine, "-o", mine, stdin=b"jan li toki\n").returncode == 0
    assert unilid.load(mine).languages == ("deu", "ell", "eng", "tok")
    assert run("subset", "tok", "--remove", "-m", mine, "-o", mine).returncode == 0
    assert mine.read_bytes() == path.read_bytes()
    assert list(tmp_path.iterdir()) == [mine]


def test_a_subset_keeps_or_removes_languages(tmp_path: Path, path: Path, model: Model) -> None:
    output = tmp_path / "small.unilid"
    done = run("subset", "eng", "deu", "-m", path, "-o", output)
    assert (done.returncode, done.stdout) == (0, b"")
    assert done.stderr.decode() == f"{output}: 2 languages\n"
    assert output.read_bytes() == model.subset(["eng", "deu"]).to_bytes()
    assert run("subset", "eng", "deu", "--remove", "-m", path, "-o", output).returncode == 0
    assert unilid.load(output).languages == ("ell",)


def test_a_subset_of_the_model_of_the_package(tmp_path: Path) -> None:
    output = tmp_path / "small.unilid"
    assert run("subset", "de,fr", "eng_Latn", "-o", output).returncode == 0  # codes, as of `identify --languages`
    assert unilid.load(output).languages == ("deu_Latn", "fra_Latn", "eng_Latn")


def test_info_says_what_is_inside(path: Path, model: Model) -> None:
    facts = dict(line.split("\t") for line in answers("info", "-m", path))
    assert facts["path"] == str(path)
    assert facts["bytes"] == str(path.stat().st_size)
    assert facts["languages"] == "3"
    assert facts["tokens"] == str(len(model.vocabulary))
    assert facts["training lines"] == "18"
    assert facts["order"] == str(model.settings.order)
    assert facts["bound"] == str(model.settings.bound)
    assert facts["tuned"] == "False"
    assert model.context is not None
    assert facts["context entries"] == str(sum(len(level.costs) for level in model.context.levels))


def test_info_lists_the_labels_with_their_lines(path: Path) -> None:
    lines = answers("info", "-m", path, "--labels")
    assert lines[lines.index("") + 1 :] == ["deu\t6", "ell\t6", "eng\t6"]
    assert lines[: lines.index("")] == answers("info", "-m", path)


def test_info_as_json_has_the_same_facts(path: Path) -> None:
    [line] = answers("info", "-m", path, "-o", "jsonl")
    facts = json.loads(line)
    assert [f"{name.replace('_', ' ')}\t{value}" for name, value in facts.items()] == answers("info", "-m", path)
    [line] = answers("info", "-m", path, "-o", "jsonl", "--labels")
    assert json.loads(line) == {**facts, "labels": {"deu": 6, "ell": 6, "eng": 6}}


def test_info_of_the_model_of_the_package() -> None:
    facts = dict(line.split("\t") for line in answers("info"))
    assert facts["languages"] == str(len(unilid.load().languages))


def test_a_text_in_the_place_of_a_file_is_told_from_one() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "unilid.cli", "identify", "Wo ist der Bahnhof?"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.returncode, run.stdout) == (2, "")
    assert "-t" in run.stderr and "Wo ist der Bahnhof?" in run.stderr


def test_what_was_written_before_an_error_is_not_lost() -> None:
    program = "import sys; from unilid import cli; cli.main = lambda: print('answer') or 2; cli.script()"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (ended.returncode, ended.stdout, ended.stderr) == (2, "answer\n", "")
