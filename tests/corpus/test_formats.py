"""The formats of labelled text: recognised and read."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path

import pyarrow
import pytest
from support.corpus_files import COMPRESS, rows, table, write

from unilid.corpus import reading as corpus
from unilid.errors import CorpusError

GERMAN = "Grüße, \u2028 Welt".encode()


EXPECTED = [("deu", GERMAN), ("eng", b"Hello")]


def test_every_line_format_is_detected_and_read(tmp_path: Path) -> None:
    contents = {
        "a.tsv": b"deu\t%s\neng\tHello\n" % GERMAN,
        "a.train": b"__label__deu %s\n__label__eng Hello\n" % GERMAN,
        "a.jsonl": b'{"text": "%s", "label": "deu"}\n{"label": "eng", "text": "Hello"}\n' % GERMAN,
        "json.txt": b'{"text": "%s", "label": "deu"}\n{"label": "eng", "text": "Hello"}\n' % GERMAN,
    }
    for name, content in contents.items():
        assert rows(write(tmp_path / name, content)) == EXPECTED, name


@pytest.mark.parametrize("suffix", ["", *COMPRESS])
def test_a_folder_holds_one_file_a_language(tmp_path: Path, suffix: str) -> None:
    compress = COMPRESS.get(suffix, bytes)
    write(tmp_path / f"eng.txt{suffix}", compress(b"Hello\n"))
    write(tmp_path / f"deu{suffix}", compress(GERMAN + b"\n"))
    write(tmp_path / ".DS_Store", b"\0")
    assert rows(tmp_path) == EXPECTED


def test_wili_pairs_texts_and_labels(tmp_path: Path) -> None:
    path = write(tmp_path / "x_train.txt", GERMAN + b"\n\nHello\n")
    write(tmp_path / "y_train.txt", b"deu\nfra\neng\n")
    assert rows(path) == EXPECTED


def test_parquet_is_read_whatever_kind_of_string_it_holds(tmp_path: Path) -> None:
    labels = pyarrow.array(["deu", "eng"]).dictionary_encode()
    for kind in (pyarrow.string(), pyarrow.large_string(), pyarrow.binary()):
        texts = pyarrow.array([GERMAN, b"Hello"]).cast(kind)
        path = table(tmp_path / "a.parquet", {"label": labels, "more": [1, 2], "text": texts})
        assert rows(path) == EXPECTED


def test_fields_are_found_by_name(tmp_path: Path) -> None:
    names = {"text_field": "sentence", "label_field": "lang"}
    line = json.dumps({"lang": "eng", "sentence": "Hello", "text": "no", "label": "no"}).encode()
    assert rows(write(tmp_path / "a.jsonl", line), **names) == [("eng", b"Hello")]
    path = table(tmp_path / "a.parquet", {"text": ["no"], "lang": ["eng"], "sentence": ["Hello"]})
    assert rows(path, **names) == [("eng", b"Hello")]


def test_word_counts_are_detected(tmp_path: Path) -> None:
    path = write(tmp_path / "words.tsv", b"deu\tund\t12\n\ndeu\tzum Beispiel\t0.5\neng\tand\t3e2\n")
    assert rows(path) == [("deu", b"und", 12.0), ("deu", b"zum Beispiel", 0.5), ("eng", b"and", 300.0)]


@pytest.mark.usefixtures("chunk")
@pytest.mark.parametrize(
    "content",
    [
        b"deu\tin diesem Jahr\t1990\neng\tin that year\t1990\n",
        b"deu\tund\t12\n" * 49 + b"deu\tund\n",
        b"deu\tund\t12\n" * 49 + b"deu\tund\t-1\n",
        b"deu\tund\t12\n" * 49 + b"deu\tund\t12\t13\n",
    ],
    ids=["phrases", "two columns", "negative", "four columns"],
)
def test_text_with_tabs_is_not_taken_for_word_counts(tmp_path: Path, content: bytes) -> None:
    expected = [tuple(line.split(b"\t", 1)) for line in content.splitlines()]
    path = write(tmp_path / "a.tsv", content)
    assert [(label.encode(), text) for label, text in rows(path)] == expected


def test_only_the_first_tab_separates_label_and_text(tmp_path: Path) -> None:
    assert rows(write(tmp_path / "a.tsv", b"deu\ta\tb\t\n")) == [("deu", b"a\tb\t")]


def test_several_fasttext_labels_train_each(tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", b"__label__hrv __label__srp dobar  dan\n__label__deu\n")
    assert rows(path) == [("hrv", b"dobar  dan"), ("srp", b"dobar  dan"), ("deu", b"")]


def test_a_given_format_overrules_the_detected_one(tmp_path: Path) -> None:
    path = write(tmp_path / "deu.jsonl", b"deu\tund\t12\n")
    assert rows(path, format="tsv") == [("deu", b"und\t12")]
    assert rows(path, format="words") == [("deu", b"und", 12.0)]
    assert rows(path, format="folder") == [("deu", b"deu\tund\t12")]
    with pytest.raises(CorpusError, match="unknown corpus format 'csv'"):
        rows(path, format="csv")


@pytest.mark.usefixtures("chunk")
@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n", b"\r\n\r\n\n"])
def test_line_ends_and_empty_lines_are_no_content(tmp_path: Path, end: bytes) -> None:
    path = write(tmp_path / "a.tsv", b"\n\r\ndeu\teins\r\n\neng\ttwo" + end)
    assert rows(path) == [("deu", b"eins"), ("eng", b"two")]


def test_texts_need_not_be_utf8(tmp_path: Path) -> None:
    assert rows(write(tmp_path / "a.tsv", b"deu\t\xff\xfe\x00\xc3\n")) == [("deu", b"\xff\xfe\x00\xc3")]
    assert rows(write(tmp_path / "a.jsonl", b'{"label": "deu", "text": "a\xff"}')) == [("deu", b"a\xef\xbf\xbd")]
    path = table(tmp_path / "a.parquet", {"label": ["deu"], "text": pyarrow.array([b"\xff"]).view(pyarrow.string())})
    assert rows(path) == [("deu", b"\xff")]


def test_lone_surrogates_do_not_raise(tmp_path: Path) -> None:
    assert rows([("deu", "\ud800")]) == [("deu", b"\xed\xa0\x80")]
    path = write(tmp_path / "a.jsonl", b'{"label": "deu", "text": "\\ud800"}')
    assert rows(path) == [("deu", b"\xed\xa0\x80")]


def test_an_empty_file_gives_no_batches(tmp_path: Path) -> None:
    for name in ("a.tsv", "a.jsonl", "deu.txt"):
        assert list(corpus.read(write(tmp_path / name, b""))) == []
        assert list(corpus.read(write(tmp_path / name, b"\n\r\n"))) == []
    assert list(corpus.read(table(tmp_path / "a.parquet", {"label": pyarrow.array([], "string"), "text": []}))) == []


def test_several_paths_may_have_several_formats(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    write(folder / "eng.txt", b"Hello\n")
    assert rows([str(write(tmp_path / "a.tsv", b"deu\t%s" % GERMAN)), folder]) == EXPECTED


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_read_once_and_has_no_fingerprint(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    assert corpus.fingerprint(path) is None
    writer = threading.Thread(target=path.write_bytes, args=(b"__label__deu eins\n" * 100,))
    writer.start()
    assert rows(path) == [("deu", b"eins")] * 100
    writer.join()
