"""A model to ask, and files to ask it about."""

from __future__ import annotations

import shutil
from pathlib import Path

import pyarrow
import pytest
from pyarrow import parquet
from support.small_corpus import CORPUS, write_corpus

import unilid
from unilid import Model


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Model:
    path = tmp_path_factory.mktemp("model") / "my.unilid"
    return unilid.train(CORPUS, context="characters", tune=False, vocabulary=500).save(path)


@pytest.fixture(scope="session")
def path(model: Model) -> Path:
    assert model.path is not None
    return model.path


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory, path: Path) -> Path:
    """A folder with one of each thing that the failing commands are given."""
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
    parquet.write_table(pyarrow.table({"text": ["a"], "label": ["b"]}), folder / "named.parquet")
    parquet.write_table(pyarrow.table({"text": ["a"], "m": [1]}), folder / "b.parquet")
    (folder / "unknown.least").write_text("deu\t0.5\nxyz\t0.5\n")
    (folder / "nothing").mkdir()
    for name in ("a.csv", "a.csv.gz", "a.tar.gz", "a.XLSX", "a.pdf"):
        (folder / name).write_bytes(b"id,text\n7,Guten Tag\n")
    (folder / "x_pair.txt").write_text("Guten Tag\n")
    (folder / "y_pair.txt").write_text("deu\n")
    (folder / "two").mkdir()
    (folder / "two" / "lines.txt").write_text("Guten Tag\n")
    return folder
