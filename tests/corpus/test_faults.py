"""Faults of a corpus: the message names the file, the line and what is wrong."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pyarrow
import pytest
from pyarrow import parquet
from support.commands import posix
from support.corpus_files import rows, table, write

import unilid
from unilid.corpus import reading as corpus
from unilid.errors import CorpusError

FAULTS: list[tuple[str, bytes, bytes, str]] = [
    ("a.tsv", b"deu\teins\n", b"no tab", "no tab between label and text; expected label<TAB>text"),
    ("a.tsv", b"deu\teins\n", b"\ttext", "the label '' is empty"),
    ("a.tsv", b"deu\teins\n", b"high german\ttext", "the label 'high german' has whitespace"),
    ("a.tsv", b"deu\teins\n", b"de\x00u\ttext", "has whitespace or control characters"),
    ("a.tsv", b"deu\teins\n", "de\u00a0u\ttext".encode(), "has whitespace or control characters"),
    ("a.tsv", b"deu\teins\n", b"\xff\ttext", "is not UTF-8"),
    ("a.txt", b"__label__deu eins\n", b"eins", "no label; expected __label__xxx text"),
    ("a.txt", b"__label__deu eins\n", b"__label__ eins", "the label '' is empty"),
    ("a.jsonl", b'{"label":"deu","text":""}\n', b"{", "not JSON"),
    ("a.jsonl", b'{"label":"deu","text":""}\n', b"[" * 100_000, "not JSON"),
    ("a.jsonl", b'{"label":"deu","text":""}\n', b"[]", "a JSON list; expected one object a line"),
    ("a.jsonl", b'{"label":"deu","text":""}\n', b'{"label":"deu","body":""}', "no field 'text'; .* 'label', 'body'"),
    ("a.jsonl", b'{"label":"deu","text":""}\n', b'{"label":["deu"],"text":""}', "the label is of type list"),
    ("a.jsonl", b'{"label":"deu","text":""}\n', b'{"label":"deu","text":null}', "the text is None"),
]


@pytest.mark.usefixtures("chunk")
@pytest.mark.parametrize(("name", "good", "bad", "words"), FAULTS)
@pytest.mark.parametrize("before", [1, 2, 99])
def test_a_fault_names_file_and_line(
    tmp_path: Path, name: str, good: bytes, bad: bytes, words: str, before: int
) -> None:
    path = write(tmp_path / name, good * before + b"\n" + bad + b"\n" + good)
    with pytest.raises(CorpusError, match=rf"{name}:{before + 2}: .*{words}"):
        rows(path)


@pytest.mark.usefixtures("chunk")
@pytest.mark.parametrize("count", [b"-1", b"nan", b"inf", b"many", b""])
def test_a_bad_count_names_file_and_line(tmp_path: Path, count: bytes) -> None:
    path = write(tmp_path / "a.tsv", b"deu\tund\t1\n" * 50 + b"deu\tund\t" + count)
    with pytest.raises(CorpusError, match=r"a\.tsv:51: the count .* is not a non-negative number"):
        rows(path)


def test_a_word_list_with_a_column_missing_names_file_and_line(tmp_path: Path) -> None:
    path = write(tmp_path / "a.tsv", b"deu\tund\t1\n" * 50 + b"deu\tund\n")
    with pytest.raises(CorpusError, match=r"a\.tsv:51: 2 columns; expected label<TAB>word<TAB>count"):
        rows(path)


@pytest.mark.usefixtures("chunk")
@pytest.mark.parametrize(("texts", "labels"), [(3, 2), (2, 3), (4, 3), (3, 4)])
def test_wili_files_of_different_length_are_an_error(tmp_path: Path, texts: int, labels: int) -> None:
    path = write(tmp_path / "x_a.txt", b"text\n" * texts)
    write(tmp_path / "y_a.txt", b"deu\n" * labels)
    with pytest.raises(CorpusError, match=rf"y_a\.txt:{min(texts, labels) + 1}: .* differ in their number of lines"):
        rows(path)


@pytest.mark.parametrize("names", [["a.tsv", "b.txt"], ["a.parquet"], ["x_train.txt", "y_train.txt"], ["sub/"]])
def test_a_folder_of_something_else_says_what_was_found(tmp_path: Path, names: list[str]) -> None:
    for name in names:
        (tmp_path / name).mkdir() if name.endswith("/") else write(tmp_path / name, b"deu\ttext\n")
    with pytest.raises(CorpusError, match=f"found {names[0].strip('/')}; give files of other formats by name"):
        rows(tmp_path)


def test_an_empty_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="it is empty"):
        rows(tmp_path)


def test_a_file_name_that_is_no_label_is_an_error(tmp_path: Path) -> None:
    write(tmp_path / "high german.txt", b"text\n")
    with pytest.raises(CorpusError, match=r"high german\.txt: the label 'high german' has whitespace"):
        rows(tmp_path)


def test_parquet_faults_name_the_columns_and_the_row(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    with pytest.raises(CorpusError, match="no column 'label'; the columns are 'lang', 'text'"):
        rows(table(path, {"lang": ["deu"], "text": ["eins"]}))
    with pytest.raises(CorpusError, match=r"'label' must be a column of strings, not of int64"):
        rows(table(path, {"label": [1], "text": ["eins"]}))
    with pytest.raises(CorpusError, match=r"a\.parquet: row 2: the text is None"):
        rows(table(path, {"label": ["deu", "deu"], "text": ["eins", None]}))
    with pytest.raises(CorpusError, match=r"a\.parquet: cannot be read"):
        rows(write(path, path.read_bytes()[:-20]))


def test_parquet_without_pyarrow_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = table(tmp_path / "a.parquet", {"label": ["deu"], "text": ["eins"]})
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(CorpusError, match=r"needs pyarrow: pip install 'unilid\[parquet\]'"):
        rows(path)


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (("deu", None), "the text is None"),
        ((None, "eins"), "the label is None"),
        (("deu", 1), "the text is of type int"),
        (("high german", "eins"), "has whitespace"),
        (("deu", "eins", 3), "the same for all items"),
        ("a.tsv", "paths go in a list"),
    ],
)
def test_a_faulty_item_is_named_by_its_number(monkeypatch: pytest.MonkeyPatch, bad: object, words: str) -> None:
    monkeypatch.setattr(corpus, "BATCH", 2)
    with pytest.raises(CorpusError, match=f"item 4: .*{words}"):
        rows([("deu", "eins")] * 3 + [bad])


def test_a_bad_count_of_an_item_is_an_error() -> None:
    with pytest.raises(CorpusError, match="item 2: the count None"):
        rows([("deu", "und", 1), ("deu", "und", None)])


def test_one_string_is_not_taken_for_a_list_of_texts() -> None:
    with pytest.raises(CorpusError, match="deu: NoneType where a list of texts is expected"):
        unilid.train({"eng": ["one two"], "deu": None})
    with pytest.raises(CorpusError, match="deu: one text where a list"):
        rows({"deu": "eins"})


# ---- numbers beyond all bounds, files that are none


@pytest.mark.parametrize("number", ["1e999", "-1e999", "NaN", "Infinity", "-Infinity"])
def test_a_number_of_json_that_cannot_be_kept_is_named(tmp_path: Path, number: str) -> None:
    content = f'{{"label":"deu","text":"eins"}}\n{{"label":"deu","text":"zwei","n":[{number}]}}\n'
    with pytest.raises(CorpusError, match=rf"a\.jsonl:2: not JSON: {number} is not a number that can be kept"):
        rows(write(tmp_path / "a.jsonl", content.encode()))


def test_a_count_of_400_digits_is_an_error() -> None:
    with pytest.raises(CorpusError, match="item 2: the count 1000"):
        rows([("deu", "und", 1), ("deu", "und", 10**400)])


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("counts", [[1e308] * 30, [1e200]])
def test_counts_that_add_up_to_too_much_are_an_error(counts: list[float]) -> None:
    words = [("deu", f"wort{chr(97 + number)}", count) for number, count in enumerate(counts)]
    with pytest.raises(CorpusError, match=r"deu: its counts add up to .*; the most is"):
        unilid.train([*words, ("eng", "the", 5.0)])


def test_a_parquet_file_with_two_columns_of_a_name_is_an_error(tmp_path: Path) -> None:
    arrays = [pyarrow.array([text]) for text in ("deu", "eins", "zwei")]
    both = pyarrow.Table.from_arrays(arrays, names=["label", "text", "text"])
    parquet.write_table(both, tmp_path / "a.parquet")
    with pytest.raises(CorpusError, match=r"a\.parquet: has 2 columns 'text'; rename all but one"):
        rows(tmp_path / "a.parquet")


@posix
@pytest.mark.timeout(20)
def test_a_pipe_in_a_folder_is_an_error(tmp_path: Path) -> None:
    write(tmp_path / "deu.txt", b"eins\n")
    os.mkfifo(tmp_path / "eng.txt")
    for use in (rows, corpus.fingerprint, corpus.size):
        with pytest.raises(CorpusError, match=r"eng\.txt: is not an ordinary file"):
            use(tmp_path)


def test_the_format_of_a_file_of_empty_lines_is_guessed_without_keeping_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(corpus, "_LOOKED_AT", 100)
    kept: list[int] = []
    guess = corpus._format_of_lines

    def watched(sample: list[bytes]) -> str:
        kept.append(len(sample))
        return guess(sample)

    monkeypatch.setattr(corpus, "_format_of_lines", watched)
    path = write(tmp_path / "a.tsv", b"\n" * (20 << 20) + b"deu\teins\n")
    assert rows(path) == [("deu", b"eins")]
    assert kept == [0]
