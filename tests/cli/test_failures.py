"""What is wrong is named, in one sentence or below the usage."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest
from support.commands import run

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
    "identify -m my.unilid --budget 0 lines.txt": "--budget takes all or a number of bytes from 1, not '0'",
    "identify -m my.unilid --budget some lines.txt": "--budget takes all or a number of bytes from 1, not 'some'",
    "identify -m my.unilid --calibrated lines.txt": "not calibrated",
    "identify -m my.unilid a.parquet --field body": r"a\.parquet: no column 'body'.*'text', 'n'",
    "identify -m my.unilid a.parquet --field n": r"a\.parquet: 'n'",
    "identify -m my.unilid --format parquet": "parquet cannot be read from standard input",
    "identify -m my.unilid nowhere.txt": r"nowhere\.txt: cannot be read: No such file",
    "identify -m my.unilid nothing": "nothing: has no file whose suffix tells",
    "identify -m my.unilid two.tsv --column 3 --strict": r"two\.tsv:1: no column 3",
    "identify -m my.unilid corpus.jsonl --field body --strict --to tsv": r"corpus\.jsonl:1: no field 'body'",
    "identify -m my.unilid corpus.jsonl": r"corpus\.jsonl: has a field 'label' already; --prefix new_ .*'new_label'",
    "identify -m my.unilid named.parquet -o new.unilid": r"named\.parquet: has a column 'label' already; --prefix",
    "identify -m my.unilid lines.txt --to parquet": "Parquet is not for a pipe.*-o",
    "identify -m my.unilid lines.txt -o new.unilid --to parquet": "Parquet is written from Parquet alone",
    "identify -m my.unilid a.parquet b.parquet -o new.unilid --to parquet": "b.parquet: has other columns",
    "identify -m my.unilid lines.txt -o lines.txt": r"lines\.txt: is one of the files to read",
    "identify -m my.unilid lines.txt -o my.unilid": r"my\.unilid: is one of the files to read",
    "identify -m my.unilid lines.txt --filter deu -o r.tsv --rejected ./r.tsv": r"r\.tsv: would be written twice",
    "identify -m my.unilid two --filter deu -o new.unilid/ --rejected new.unilid/": "would be written twice",
    "spans lines.txt -m my.unilid -o my.unilid": r"my\.unilid: is one of the files to read",
    "explain Tag -m my.unilid -o my.unilid": r"my\.unilid: is one of the files to read",
    "identify -m my.unilid lines.txt -o nowhere/a.tsv": "there is no folder .*nowhere",
    "identify -m my.unilid lines.txt --resume": "--resume is for a folder",
    "identify -m my.unilid lines.txt --rejected r.tsv": "--rejected .*--filter or --least",
    "identify -m my.unilid lines.txt --filter deu,xyz": "'xyz'",
    "identify -m my.unilid lines.txt --least 2": "--least .*'2'",
    "identify -m my.unilid lines.txt --least two.tsv": r"two\.tsv:1: 'zwei' is not a probability",
    "identify -m my.unilid lines.txt --least unknown.least": r"unknown\.least:2: .*'xyz'",
    "identify -m my.unilid lines.txt --least lines.txt": r"lines\.txt:1: no tab",
    "identify -m my.unilid lines.txt --filter deu --rejected r.tsv -o new.unilid/": "both be files, or both folders",
    "identify -m my.unilid -o new.unilid/": "standard input has no name",
    "identify -m my.unilid lines.txt two/lines.txt -o new.unilid/": "would both become new.unilid/lines.tsv",
    "identify -m nowhere.unilid lines.txt": r"nowhere\.unilid: cannot be read: No such file",
    "identify -m lines.txt lines.txt": r"lines\.txt: not a unilid model",
    "identify -m cut.unilid lines.txt": r"cut\.unilid: cut short",
    "identify -m empty.txt lines.txt": r"empty\.txt: is empty",
    "identify -m my.unilid a.csv": r"a\.csv: \.csv files are not read; .*--format",
    "identify -m my.unilid a.csv.gz --column 2": r"a\.csv\.gz: \.csv files are not read",
    "identify -m my.unilid lines.txt a.tar.gz -o new.unilid/": r"a\.tar\.gz: \.tar files are not read",
    "identify -m my.unilid a.XLSX": r"a\.XLSX: \.xlsx files are not read",
    "identify -m my.unilid lines.txt -o new.csv": r"new\.csv: \.csv files are not written; .*--to",
    "identify -m my.unilid lines.txt -o new.tsv.lz4": r"new\.tsv\.lz4: \.lz4 files are not written",
    "identify -m my.unilid lines.txt --filter deu -o new.tsv --rejected r.csv": r"r\.csv: \.csv files are not written",
    "spans a.pdf -m my.unilid": r"a\.pdf: \.pdf files are not read; make plain text of it",
    "spans a.parquet -m my.unilid": r"a\.parquet: \.parquet files are not read here; make plain text of it",
    "spans corpus.jsonl -m my.unilid": r"corpus\.jsonl: \.jsonl files are not read here; make plain text of it",
    "spans nowhere.txt -m my.unilid -o nowhere/a.tsv": "there is no folder .*nowhere",
    "spans lines.txt -m my.unilid -o new.unilid/": "new.unilid/: is a folder; name a file",
    "spans lines.txt -m my.unilid -o new.parquet": r"new\.parquet: only identify writes Parquet; give",
    "languages -m my.unilid -o new.csv": r"new\.csv: \.csv files are not written",
    # train
    f"{TRAIN} nowhere.tsv": r"nowhere\.tsv: cannot be read: No such file",
    f"{TRAIN} a.csv": r"a\.csv: \.csv files are not read; .*Parquet of it, or give its format",
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
    "train corpus.tsv -o .": "is a folder; name a file",
    "train corpus.tsv -o new.unilid/": "new.unilid/: is a folder; name a file",
    "train corpus.tsv -o /dev/null": "/dev/null: is not an ordinary file",
    "train two -o two/lines.txt": r"lines\.txt: is one of the files to read",
    "train corpus.tsv --vocabulary two.tsv -o two.tsv": r"two\.tsv: is one of the files to read",
    "train corpus.tsv -o corpus.tsv": r"corpus\.tsv: is one of the files to read",
    "train x_pair.txt -o y_pair.txt": r"y_pair\.txt: is one of the files to read",
    "train pair.txt --format wili -o y_pair.txt": r"y_pair\.txt: is one of the files to read",
    "calibrate x_pair.txt -m my.unilid -o y_pair.txt": r"y_pair\.txt: is one of the files to read",
    "evaluate x_pair.txt -m my.unilid --json y_pair.txt": r"y_pair\.txt: is one of the files to read",
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
    "evaluate nowhere.tsv -m nowhere.unilid --html .": "is a folder; name a file",
    "evaluate nowhere.tsv -m my.unilid --json new.unilid --html new.unilid": "would be written twice",
    "evaluate nowhere.tsv -m my.unilid --errors new.unilid --markdown ./new.unilid": "would be written twice",
    "evaluate corpus.tsv --predictions a.csv": r"a\.csv: \.csv files are not read",
    "evaluate corpus.tsv --predictions a.parquet": r"\.parquet files are not read here; make TSV or JSON Lines of it",
    "evaluate corpus.tsv -m my.unilid --against a.parquet": r"a\.parquet: \.parquet files are not read here",
    "evaluate nowhere.tsv -m my.unilid --errors new.unilid/": "new.unilid/: is a folder; name a file",
    "evaluate corpus.tsv -m my.unilid --errors e.parquet": r"\.parquet files are not written here; give it another",
    "evaluate corpus.tsv -m my.unilid --html new.pdf": r"new\.pdf: \.pdf files are not written",
    "evaluate corpus.tsv -m my.unilid --errors new.csv": r"new\.csv: \.csv files are not written",
    # add, subset, info
    "add xyz a.parquet -m my.unilid -o new.unilid": r"a\.parquet: \.parquet files are not read here; make plain",
    "add xyz corpus.jsonl -m my.unilid -o new.unilid": r"corpus\.jsonl: \.jsonl files are not read here; make plain",
    "add xyz a.ndjson.gz -m my.unilid -o new.unilid": r"\.ndjson files are not read here; make plain text of it",
    "add xyz lines.txt -m my.unilid -o new.unilid/": "new.unilid/: is a folder; name a file",
    "calibrate --prior-from corpus.jsonl -m my.unilid -o new.unilid": r"\.jsonl files are not read here; make plain",
    "subset deu -m my.unilid -o new.unilid/": "new.unilid/: is a folder; name a file",
    "add xyz a.csv -m my.unilid -o new.unilid": r"a\.csv: \.csv files are not read; make plain text of it",
    "calibrate --prior-from a.csv -m my.unilid -o new.unilid": r"a\.csv: \.csv files are not read",
    "add deu lines.txt -m my.unilid -o new.unilid": "knows deu already",
    "add '' lines.txt -m my.unilid -o new.unilid": "'' cannot be a label: it is empty",
    "add two -m my.unilid -o two/lines.txt": r"lines\.txt: is one of the files to read",
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
    before = {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}
    done = run(*shlex.split(command), cwd=folder)
    assert {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()} == before
    assert (done.returncode, done.stdout) == (2, b"")
    [message] = done.stderr.decode().splitlines()
    assert re.match(rf"unilid: .*{named}", message)
    assert not (folder / "new.unilid").exists()
    shutil.rmtree(folder / "new.unilid.work", ignore_errors=True)


@pytest.mark.parametrize(
    ("command", "named"),
    [
        ("identify --format xml", "--format: invalid choice: 'xml'"),
        ("identify --to xml", "invalid choice: 'xml'"),
        ("identify -k 0", "-k: '0'"),
        ("identify -k two", "-k: 'two'"),
        ("identify --column -1", "--column: '-1'|expected one argument"),
        ("identify --threads 0", "--threads: '0'"),
        ("identify --threads 99999999999999999999", "--threads: 99999999999999999999 is too large"),
        ("identify --column 99999999999999999999", "--column: 99999999999999999999 is too large"),
        ("train corpus.tsv -o new.unilid --vocabulary 99999999999", "--vocabulary: 99999999999 is too large"),
        ("identify ''", "FILE: the name of a file is empty"),
        ("identify lines.txt -o ''", "-o/--output: the name of a file is empty"),
        ("identify lines.txt -m ''", "-m/--model: the name of a file is empty"),
        ("identify lines.txt --filter de --rejected -", "--rejected: - is standard output"),
        ("train '' -o new.unilid", "CORPUS: the name of a file is empty"),
        ("train corpus.tsv -o ''", "-o/--output: the name of a file is empty"),
        ("train corpus.tsv -o -", "-o/--output: - is standard output"),
        ("evaluate corpus.tsv --json /dev/stdout", "--json: /dev/stdout is standard output"),
        ("export --hub ''", "--hub: the name of a file is empty"),
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
    assert done.returncode == 2
    assert b"'xyz'" in done.stderr


def test_a_text_in_the_place_of_a_file_is_told_from_one() -> None:
    done = run("identify", "Wo ist der Bahnhof?")
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"-t" in done.stderr
    assert b"Wo ist der Bahnhof?" in done.stderr
