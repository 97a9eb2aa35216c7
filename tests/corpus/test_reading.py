"""Reading a corpus: from Python, in batches, with its size and fingerprint."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from support.corpus_files import COMPRESS, rows, table, write

from unilid.corpus import reading as corpus


def test_the_rows_of_an_array_are_items() -> None:
    pairs = [("deu", "für"), ("eng", "for")]
    for dtype in (str, object):
        read = list(corpus.read(np.array(pairs, dtype=dtype)))
        assert [(batch.labels, batch.texts) for batch in read] == [(["deu", "eng"], [b"f\xc3\xbcr", b"for"])]
        assert {type(label) for batch in read for label in batch.labels} == {str}


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


def test_the_files_that_are_read_depend_on_the_format(tmp_path: Path) -> None:
    """Without one, only a name that begins with x_ has its labels in another file."""
    (tmp_path / "folder").mkdir()
    texts, labels, alone, language = (
        write(tmp_path / name, b"") for name in ("x_a.txt", "y_a.txt", "a.txt", "folder/deu.txt")
    )
    write(tmp_path / "folder" / ".hidden", b"")
    assert corpus.stored_files([texts, alone, language.parent]) == [texts, labels, alone, language]
    assert corpus.stored_files([texts], "tsv") == [texts]
    assert corpus.stored_files([alone], "wili") == [alone, labels]


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
