from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from unilid import corpus, files
from unilid.errors import CorpusError

COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".xz": lzma.compress,
    ".bz2": bz2.compress,
    ".zst": zstandard.compress,
}


def rows(sources: Any, **options: Any) -> list[tuple[Any, ...]]:
    found: list[tuple[Any, ...]] = []
    for batch in corpus.read(sources, **options):
        if batch.counts is None:
            found += zip(batch.labels, batch.texts, strict=True)
        else:
            found += zip(batch.labels, batch.texts, batch.counts, strict=True)
    return found


def write(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


@pytest.fixture(params=[1, 2, 3, 7, 1 << 20], ids=lambda size: f"chunk{size}")
def chunk(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(files, "CHUNK", request.param)
    monkeypatch.setattr(corpus, "BATCH", 2)
    return int(request.param)


# files


@given(st.lists(st.binary(max_size=6).map(lambda b: b.replace(b"\0", b"\n").replace(b"\1", b"\r\n"))))
def test_splitting_does_not_depend_on_where_the_chunks_end(chunks: list[bytes]) -> None:
    content = b"".join(chunks)
    expected = [line.removesuffix(b"\n").removesuffix(b"\r") for line in io.BytesIO(content)]
    assert [line for lines in files.split_lines(chunks) for line in lines] == expected


def test_a_byte_order_mark_is_no_part_of_the_first_line(tmp_path: Path, chunk: int) -> None:
    path = write(tmp_path / "a.tsv", b"\xef\xbb\xbfdeu\teins\n\xef\xbb\xbfdeu\tzwei")
    assert next(files.lines(path))[0] == b"deu\teins"


@pytest.mark.parametrize("suffix", COMPRESS)
def test_compressed_files_are_read_by_suffix(tmp_path: Path, suffix: str) -> None:
    content = b"".join(b"deu\t%d\n" % number for number in range(100_000))
    path = write(tmp_path / f"train.tsv{suffix}", COMPRESS[suffix](content))
    assert files.open_bytes(path).read() == content


@pytest.mark.parametrize("suffix", COMPRESS)
def test_several_streams_in_one_archive_are_all_read(tmp_path: Path, suffix: str) -> None:
    path = write(tmp_path / f"a{suffix}", COMPRESS[suffix](b"one\n") + COMPRESS[suffix](b"two\n"))
    assert [line for lines in files.lines(path) for line in lines] == [b"one", b"two"]


@pytest.mark.parametrize("kept", [0.3, 0.999])
@pytest.mark.parametrize("suffix", COMPRESS)
def test_a_truncated_archive_is_an_error_that_names_it(tmp_path: Path, suffix: str, kept: float) -> None:
    content = COMPRESS[suffix](b"".join(b"deu\t%d\n" % (number**3) for number in range(50_000)))
    path = write(tmp_path / f"train.tsv{suffix}", content[: int(len(content) * kept)])
    with pytest.raises(CorpusError, match=rf"train\.tsv\{suffix}: cannot be read"):
        rows(path)


def test_a_zstandard_archive_cut_in_its_second_frame_is_an_error(tmp_path: Path) -> None:
    frame = zstandard.compress(b"deu\teins\n")
    with pytest.raises(CorpusError, match="ended before the end of a frame"):
        rows(write(tmp_path / "a.tsv.zst", frame + frame[:-3]))


@pytest.mark.parametrize("suffix", COMPRESS)
def test_a_file_that_is_no_archive_is_an_error_that_names_it(tmp_path: Path, suffix: str) -> None:
    with pytest.raises(CorpusError, match=rf"plain\{suffix}: cannot be read"):
        rows(write(tmp_path / f"plain{suffix}", b"deu\ttext that was never compressed\n"))


def test_a_missing_file_is_an_error_that_names_it(tmp_path: Path) -> None:
    for use in (rows, corpus.fingerprint, corpus.size):
        with pytest.raises(CorpusError, match=r"missing\.tsv: cannot be read: No such file"):
            use(tmp_path / "missing.tsv")


def test_an_interrupted_write_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = write(tmp_path / "model", b"old")
    with pytest.raises(KeyboardInterrupt), files.write_atomically(path) as file:
        file.write(b"half of the new")
        raise KeyboardInterrupt
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_finished_write_replaces_the_old_file_and_leaves_nothing_else(tmp_path: Path) -> None:
    path = write(tmp_path / "model", b"old")
    with files.write_atomically(path) as file:
        file.write(b"new")
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]


def test_a_write_through_a_link_keeps_the_link(tmp_path: Path) -> None:
    target = write(tmp_path / "target", b"old")
    link = tmp_path / "link"
    link.symlink_to(target)
    with files.write_atomically(link) as file:
        file.write(b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"


@pytest.mark.parametrize(
    ("path", "base"),
    [("a/deu_Latn.txt.gz", "deu_Latn"), ("deu.TXT", "deu"), ("deu", "deu"), ("zh.hant", "zh.hant"), ("x.zst", "x")],
)
def test_the_base_name_drops_compression_and_format(path: str, base: str) -> None:
    assert files.base_name(path) == base


# formats

GERMAN = "Grüße, \u2028 Welt".encode()
EXPECTED = [("deu", GERMAN), ("eng", b"Hello")]


def table(path: Path, columns: dict[str, object]) -> Path:
    parquet.write_table(pyarrow.table(columns), path)
    return path


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
def test_text_with_tabs_is_not_taken_for_word_counts(tmp_path: Path, content: bytes, chunk: int) -> None:
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


@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n", b"\r\n\r\n\n"])
def test_line_ends_and_empty_lines_are_no_content(tmp_path: Path, end: bytes, chunk: int) -> None:
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


# faults

FAULTS: list[tuple[str, bytes, bytes, str]] = [
    ("a.tsv", b"deu\teins\n", b"no tab", "no tab between label and text; expected label<TAB>text"),
    ("a.tsv", b"deu\teins\n", b"\ttext", "the label is empty"),
    ("a.tsv", b"deu\teins\n", b"high german\ttext", "the label 'high german' has whitespace"),
    ("a.tsv", b"deu\teins\n", b"de\x00u\ttext", "has whitespace or control characters"),
    ("a.tsv", b"deu\teins\n", "de\u00a0u\ttext".encode(), "has whitespace or control characters"),
    ("a.tsv", b"deu\teins\n", b"\xff\ttext", "is not UTF-8"),
    ("a.txt", b"__label__deu eins\n", b"eins", "no label; expected __label__xxx text"),
    ("a.txt", b"__label__deu eins\n", b"__label__ eins", "the label is empty"),
    ("a.jsonl", b'{"label":"deu","text":""}\n', b"{", "not JSON"),
    ("a.jsonl", b'{"label":"deu","text":""}\n', b"[" * 100_000, "not JSON"),
    ("a.jsonl", b'{"label":"deu","text":""}\n', b"[]", "a JSON list; expected one object a line"),
    ("a.jsonl", b'{"label":"deu","text":""}\n', b'{"label":"deu","body":""}', "no field 'text'; .* 'label', 'body'"),
    ("a.jsonl", b'{"label":"deu","text":""}\n', b'{"label":["deu"],"text":""}', "the label is of type list"),
    ("a.jsonl", b'{"label":"deu","text":""}\n', b'{"label":"deu","text":null}', "the text is None"),
]


@pytest.mark.parametrize(("name", "good", "bad", "words"), FAULTS)
@pytest.mark.parametrize("before", [1, 2, 99])
def test_a_fault_names_file_and_line(
    tmp_path: Path, chunk: int, name: str, good: bytes, bad: bytes, words: str, before: int
) -> None:
    path = write(tmp_path / name, good * before + b"\n" + bad + b"\n" + good)
    with pytest.raises(CorpusError, match=rf"{name}:{before + 2}: .*{words}"):
        rows(path)


@pytest.mark.parametrize("count", [b"-1", b"nan", b"inf", b"many", b""])
def test_a_bad_count_names_file_and_line(tmp_path: Path, chunk: int, count: bytes) -> None:
    path = write(tmp_path / "a.tsv", b"deu\tund\t1\n" * 50 + b"deu\tund\t" + count)
    with pytest.raises(CorpusError, match=r"a\.tsv:51: the count .* is not a non-negative number"):
        rows(path)


def test_a_word_list_with_a_column_missing_names_file_and_line(tmp_path: Path) -> None:
    path = write(tmp_path / "a.tsv", b"deu\tund\t1\n" * 50 + b"deu\tund\n")
    with pytest.raises(CorpusError, match=r"a\.tsv:51: 2 columns; expected label<TAB>word<TAB>count"):
        rows(path)


@pytest.mark.parametrize(("texts", "labels"), [(3, 2), (2, 3), (4, 3), (3, 4)])
def test_wili_files_of_different_length_are_an_error(tmp_path: Path, chunk: int, texts: int, labels: int) -> None:
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
    with pytest.raises(CorpusError, match=r"must be columns of strings: .* int64"):
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


# Python iterables


def test_items_may_be_str_or_bytes_with_or_without_counts() -> None:
    assert rows([("deu", "für"), ("eng", b"\xff")]) == [("deu", b"f\xc3\xbcr"), ("eng", b"\xff")]
    assert rows(("deu", "und", count) for count in (1, 2)) == [("deu", b"und", 1.0), ("deu", b"und", 2.0)]
    assert rows({"deu": ["eins", "zwei"], "eng": iter([b"one"])}) == [
        ("deu", b"eins"),
        ("deu", b"zwei"),
        ("eng", b"one"),
    ]
    assert rows(iter([])) == []


def test_batches_are_never_longer_than_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpus, "BATCH", 3)
    path = write(tmp_path / "a.tsv", b"deu\teins\n" * 7)
    for source in (path, [("deu", "eins")] * 7):
        assert [len(batch.texts) for batch in corpus.read(source)] == [3, 3, 1]


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
    with pytest.raises(CorpusError, match="deu: one text where a list"):
        rows({"deu": "eins"})


# fingerprint, size, progress


def test_the_fingerprint_follows_content_and_names_only(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    first, second = write(folder / "deu.txt", b"eins"), write(folder / "eng.txt", b"one")
    seen = [corpus.fingerprint(folder)]
    os.utime(first, (0, 0))
    assert corpus.fingerprint(folder) == seen[0]
    assert corpus.fingerprint(folder.rename(tmp_path / "moved")) == seen[0]
    (tmp_path / "moved").rename(folder)

    write(first, b"zwei")
    seen.append(corpus.fingerprint(folder))
    second.rename(folder / "fra.txt")
    seen.append(corpus.fingerprint(folder))
    write(folder / "ita.txt", b"")
    seen.append(corpus.fingerprint(folder))
    assert len(set(seen)) == 4
    assert None not in seen


def test_the_fingerprint_of_wili_follows_its_labels(tmp_path: Path) -> None:
    path = write(tmp_path / "x_a.txt", b"text\n")
    write(tmp_path / "y_a.txt", b"deu\n")
    before = corpus.fingerprint(path)
    write(tmp_path / "y_a.txt", b"eng\n")
    assert corpus.fingerprint(path) != before


def test_iterables_have_neither_fingerprint_nor_size() -> None:
    for sources in ([("deu", "eins")], {"deu": ["eins"]}, iter([("deu", "eins")])):
        assert corpus.fingerprint(sources) is None
        assert corpus.size(sources) is None


@pytest.mark.parametrize("name", ["a.tsv", "a.tsv.gz", "a.tsv.xz", "a.tsv.bz2", "a.tsv.zst", "a.parquet", "x_a.txt"])
def test_progress_adds_up_to_the_stored_size(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    if name == "a.parquet":
        table(path, {"label": ["deu"] * 20_000, "text": [str(number) for number in range(20_000)]})
    else:
        write(path, COMPRESS.get(path.suffix, bytes)(b"".join(b"deu\t%d\n" % number for number in range(20_000))))
        write(tmp_path / "y_a.txt", b"deu\n" * 20_000)
    steps: list[int] = []
    assert sum(len(batch.texts) for batch in corpus.read(path, progress=steps.append)) == 20_000
    assert sum(steps) == corpus.size(path)
