"""What no model can be made of is refused, in a sentence that names it."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from support.corpus_files import COMPRESS
from support.libraries import library
from support.models import small_model
from support.training import FORMATS, ROWS, SENTENCES, TSV, Recorder

import unilid
from unilid import CorpusError, UnilidError, VocabularyError

# ---- the corpus


@pytest.mark.parametrize("corpus", [{}, [], iter([])], ids=["mapping", "list", "iterator"])
def test_an_empty_corpus_is_refused(corpus: Any) -> None:
    with pytest.raises(UnilidError, match="corpus is empty"):
        unilid.train(corpus)


@pytest.mark.parametrize("corpus", [None, 5, SimpleNamespace(shape=(3, 2))], ids=type)
def test_what_is_no_corpus_is_refused_with_what_one_may_be(corpus: Any) -> None:
    calls: list[Callable[[Any], Any]] = [
        unilid.train,
        partial(unilid.calibrate, small_model()),
        partial(unilid.evaluate, small_model()),
    ]
    for call in calls[:1] if corpus is None else calls:
        with pytest.raises(CorpusError, match=rf"^a corpus is a path, .*, not {type(corpus).__name__}; "):
            call(corpus)


def test_an_array_of_two_columns_is_pairs_and_one_of_others_is_refused() -> None:
    pairs = [("aaa", "some text"), ("bbb", "other words")]
    assert unilid.train(np.array(pairs)).to_bytes() == unilid.train(pairs).to_bytes()
    with pytest.raises(CorpusError, match=r"^item 1: expected \(label, text\)"):
        unilid.train(np.array([["some text"], ["other words"]]))
    with pytest.raises(CorpusError, match=r"^item 1: the label is of type int"):
        unilid.train(np.array([[1, 2]]))


def test_a_frame_is_no_corpus_of_files_named_like_its_columns() -> None:
    frame = library("pandas").DataFrame({"label": ["aaa"], "text": ["some text"]})
    with pytest.raises(CorpusError, match="not DataFrame; of a table, zip makes pairs of two columns"):
        unilid.train(frame)
    assert unilid.train(zip(frame["label"], frame["text"], strict=True)).languages == ("aaa",)


@pytest.mark.parametrize("work", [False, True])
def test_an_empty_file_is_refused(tmp_path: Path, work: bool) -> None:
    path = tmp_path / "empty.tsv"
    path.write_bytes(b"\n\n")
    with pytest.raises(UnilidError, match="corpus is empty"):
        unilid.train(path, work=tmp_path / "work" if work else None)


@pytest.mark.parametrize("texts", [["", " \t "], [b"", b"\n"], ["\u00a0\u2003"]])
def test_a_label_without_usable_text_is_named(texts: list[Any]) -> None:
    with pytest.raises(UnilidError, match=r"bbb: .*no usable text"):
        unilid.train({"aaa": ["some text"], "bbb": texts})


def test_a_label_whose_words_never_occur_is_named() -> None:
    with pytest.raises(UnilidError, match=r"bbb: .*no usable text"):
        unilid.train([("aaa", "word", 1), ("bbb", "word", 0)])


@pytest.mark.parametrize("source", ["mapping", "folder"])
def test_a_label_without_any_line_is_named(tmp_path: Path, source: str) -> None:
    (tmp_path / "aaa.txt").write_text("some text\n")
    (tmp_path / "bbb.txt").write_text("")
    with pytest.raises(UnilidError, match="bbb"):
        unilid.train({"aaa": ["some text"], "bbb": []} if source == "mapping" else tmp_path)


@pytest.mark.parametrize("work", [False, True])
def test_a_missing_file_is_named(tmp_path: Path, work: bool) -> None:
    with pytest.raises(UnilidError, match=r"nowhere\.tsv: cannot be read: No such file"):
        unilid.train(tmp_path / "nowhere.tsv", work=tmp_path / "work" if work else None)
    assert not (tmp_path / "work").exists()


@pytest.mark.parametrize("suffix", COMPRESS)
def test_an_archive_cut_short_is_named(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"train.tsv{suffix}"
    path.write_bytes(COMPRESS[suffix](TSV)[:-40])
    with pytest.raises(UnilidError, match=rf"train\.tsv\{suffix}: cannot be read"):
        unilid.train(path, work=tmp_path / "work")


def test_a_line_that_does_not_fit_the_format_is_named(corpus_file: Path) -> None:
    corpus_file.write_bytes(TSV + b"neither label nor text\n")
    with pytest.raises(UnilidError, match=rf"train\.tsv:{len(ROWS) + 1}: no tab"):
        unilid.train(corpus_file)


@pytest.mark.parametrize(
    ("options", "named"),
    [({"text_field": "body"}, "'body'"), ({"label_field": "language"}, "'language'")],
)
@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_a_field_that_is_not_there_is_named(tmp_path: Path, form: str, options: dict[str, Any], named: str) -> None:
    with pytest.raises(UnilidError, match=rf"train\.{form}.*{named}.*'text'.*'label'"):
        unilid.train(FORMATS[form](tmp_path), **options)


def test_frequencies_in_place_of_counts_are_refused() -> None:
    with pytest.raises(UnilidError, match=r"bbb: .*counts, not frequencies"):
        unilid.train([("aaa", "word", 5.0), ("bbb", "wort", 0.002), ("bbb", "haus", 0.001)])


# ---- options


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"format": "xml"}, "'xml'.*tsv, fasttext"),
        ({"vocabulary": 255}, "255 tokens is too small"),
        ({"vocabulary": -1}, "-1 tokens is too small"),
        ({"context": "words"}, "context must be .*'words'"),
        ({"context": ""}, "context must be .*''"),
        ({"order": 1}, "order .*not 1"),
        ({"order": 7}, "order .*not 7"),
        ({"order": "4"}, "order .*not '4'"),
        ({"order": 4.0}, "order .*not 4.0"),
        ({"bound": "big"}, "bound must be"),
        ({"prune": -0.5}, "prune .*not -0.5"),
        ({"prune": math.nan}, "prune .*not nan"),
        ({"bound": 0}, "bound .*not 0"),
        ({"bound": -2.0}, "bound .*not -2.0"),
        ({"bound": 1e9}, "bound .*less than 1000, not 1000000000.0"),
        ({"prune": 1e9}, "prune .*less than 1000, not 1000000000.0"),
        ({"bound": math.nan}, "bound .*not nan"),
        ({"bound": math.inf}, "bound .*not inf"),
        ({"unseen": "laplace"}, "unseen must be .*'laplace'"),
        ({"cap": 0}, "cap .*not 0"),
        ({"cap": -3}, "cap .*not -3"),
    ],
)
def test_a_bad_option_is_named(options: dict[str, Any], named: str) -> None:
    with pytest.raises(UnilidError, match=named):
        unilid.train(SENTENCES, **options)


@pytest.mark.parametrize(
    "options",
    [
        {"cap": "3"},
        {"cap": 2.5},
        {"seed": None},
        {"seed": 0.5},
        {"vocabulary": None},
        {"vocabulary": 300.5},
        {"vocabulary": [b"the"]},
        {"vocabulary": b"tokenizer.json"},
        {"vocabulary": {"size": 300}},
        {"vocabulary": 10**9},
        {"order": None},
        {"order": True},
        {"prune": "none"},
        {"prune": []},
        {"fragments": "auto"},
        {"fragments": -1.0},
        {"fragments": math.nan},
        {"spellings": -1.0},
        {"bound": True},
        {"bound": [8.0]},
        {"unseen": None},
        {"context": True},
        {"context": 4},
        {"threads": -1},
        {"threads": 0},
        {"threads": None},
        {"threads": "all"},
        {"format": None},
    ],
    ids=str,
)
def test_an_option_of_the_wrong_kind_is_named(options: dict[str, Any]) -> None:
    [name] = options
    with pytest.raises(UnilidError, match=name) as caught:
        unilid.train(SENTENCES, **options)
    assert len(str(caught.value).split()) > 4


def test_an_order_of_nothing_is_named() -> None:
    with pytest.raises(UnilidError, match=r"order .*not 0"):
        unilid.train(SENTENCES, order=0)


def test_a_negative_seed_is_named(corpus_file: Path) -> None:
    with pytest.raises(UnilidError, match="seed"):
        unilid.train(corpus_file, cap=3, seed=-1)


@pytest.mark.parametrize("options", [{"order": 9}, {"bound": -1.0}, {"unseen": "laplace"}, {"vocabulary": 5}], ids=str)
def test_a_bad_option_is_refused_before_the_work(corpus_file: Path, options: dict[str, Any]) -> None:
    progress = Recorder()
    with pytest.raises(UnilidError):
        unilid.train(corpus_file, progress=progress, **options)
    assert progress.stages == []


def test_a_file_that_is_no_tokenizer_is_named(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text("{}")
    for given in (path, tmp_path / "nowhere.json"):
        with pytest.raises(VocabularyError, match=given.name):
            unilid.train(SENTENCES, vocabulary=given)


@pytest.mark.parametrize("progress", [5, "bar", object()], ids=lambda value: type(value).__name__)
def test_what_is_no_progress_is_refused_before_the_work(progress: Any) -> None:
    model = unilid.train(ROWS, tune=False, vocabulary=300)
    for use in (unilid.train, partial(unilid.calibrate, model), partial(unilid.evaluate, model)):
        with pytest.raises(UnilidError, match=r"^progress must have the methods stage and say, and .* has no stage$"):
            use(iter([]), progress=progress)
