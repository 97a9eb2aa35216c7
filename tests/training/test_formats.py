"""The same text gives the same model, in whatever form it comes; and a cap takes the same lines."""

from __future__ import annotations

import json
import os
from collections import Counter as Tally
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.corpus_files import COMPRESS
from support.training import (
    FORMATS,
    ROWS,
    SENTENCES,
    TSV,
    VOCABULARY,
    bare,
    numbered_lines,
    write_parquet,
    write_rows,
)

import unilid
from unilid import CorpusError, Model
from unilid.corpus import reading
from unilid.corpus.counts import HELD, Counter


@pytest.fixture(scope="module")
def reference() -> bytes:
    return unilid.train(SENTENCES).to_bytes()


@pytest.mark.parametrize("form", FORMATS)
def test_the_same_text_gives_the_same_model_in_every_format(tmp_path: Path, form: str, reference: bytes) -> None:
    assert unilid.train(FORMATS[form](tmp_path)).to_bytes() == reference


@pytest.mark.parametrize("suffix", COMPRESS)
def test_the_same_text_gives_the_same_model_from_an_archive(tmp_path: Path, suffix: str, reference: bytes) -> None:
    path = tmp_path / f"train.tsv{suffix}"
    path.write_bytes(COMPRESS[suffix](TSV))
    assert unilid.train(path).to_bytes() == reference


def test_fields_can_have_other_names(tmp_path: Path, reference: bytes) -> None:
    labels, texts = zip(*ROWS, strict=True)
    in_parquet = write_parquet(tmp_path / "a.parquet", sentence=list(texts), language=list(labels), text=list(labels))
    in_jsonl = tmp_path / "a.jsonl"
    in_jsonl.write_text("".join(json.dumps({"sentence": t, "language": s, "text": 1}) + "\n" for s, t in ROWS))
    for path in (in_parquet, in_jsonl):
        assert unilid.train(path, text_field="sentence", label_field="language").to_bytes() == reference


def test_a_given_format_overrules_the_suffix(tmp_path: Path, reference: bytes) -> None:
    path = tmp_path / "train.jsonl"
    path.write_bytes(TSV)
    assert unilid.train(path, format="tsv").to_bytes() == reference


@pytest.mark.parametrize("source", ["file", "archive", "triples"])
def test_word_counts_give_the_model_of_the_text_they_were_counted_in(tmp_path: Path, source: str) -> None:
    texts = {  # every word after a space: a word list has no other
        label: [" ".join(word for word in text.split() if word.isalpha()) for text in lines]
        for label, lines in SENTENCES.items()
    }
    rows = [
        (label, word, float(count))
        for label, lines in texts.items()
        for word, count in Tally(word for line in lines for word in line.split()).items()
    ]
    written = "".join(f"{label}\t{word}\t{count:g}\n" for label, word, count in rows).encode()
    (tmp_path / "words.tsv").write_bytes(written)
    (tmp_path / "words.tsv.zst").write_bytes(COMPRESS[".zst"](written))
    corpus: Any = {"file": tmp_path / "words.tsv", "archive": tmp_path / "words.tsv.zst", "triples": iter(rows)}[source]
    from_text = unilid.train(texts, tune=False)
    from_words = unilid.train(corpus, tune=False)
    # A word list counts as one line a word; nothing else may differ.
    assert from_words.lines.tolist() == [sum(row[0] == label for row in rows) for label in from_words.languages]
    parameters = replace(from_words.parameters, lines=from_text.lines)
    assert replace(from_words, parameters=parameters).to_bytes() == from_text.to_bytes()


def test_of_a_word_list_nothing_is_held_out() -> None:
    rows = [(label, word, 2.0) for label, text in ROWS for word in text.split()]
    tuned, untuned = unilid.train(rows), unilid.train(rows, tune=False)
    assert not tuned.info["tuned"]
    assert tuned.to_bytes() == untuned.to_bytes()


def test_labels_are_sorted_whatever_their_order_in_the_corpus() -> None:
    assert unilid.train(SENTENCES).languages == ("deu_Latn", "eng_Latn", "fra_Latn")


# ---- cap


@pytest.fixture
def long_corpus(tmp_path: Path) -> Path:
    lines = {"aaa": numbered_lines("a", 60), "bbb": numbered_lines("b", 60), "few": numbered_lines("c", 7)}
    return write_rows(tmp_path / "long.tsv", [(label, line) for label, texts in lines.items() for line in texts])


def test_the_seed_decides_which_lines_a_cap_takes(long_corpus: Path) -> None:
    def capped(seed: int) -> Model:
        return unilid.train(long_corpus, cap=20, seed=seed, tune=False, vocabulary=VOCABULARY)

    assert capped(1).to_bytes() == capped(1).to_bytes()
    assert bare(capped(1)) != bare(capped(2))
    assert capped(1).info["seed"] == 1
    assert capped(1).info["cap"] == 20


def test_a_cap_holds_for_each_language(long_corpus: Path) -> None:
    assert unilid.train(long_corpus, cap=20).lines.tolist() == [20, 20, 7]
    assert unilid.train(long_corpus).lines.tolist() == [60, 60, 7]


def test_a_cap_larger_than_the_corpus_changes_nothing(long_corpus: Path) -> None:
    whole = unilid.train(long_corpus)
    assert bare(unilid.train(long_corpus, cap=60, seed=5)) == bare(whole)
    assert bare(unilid.train(long_corpus, cap=10**6, seed=5)) == bare(whole)


def test_a_language_draws_its_lines_whatever_the_others_are(long_corpus: Path, tmp_path: Path) -> None:
    alone = write_rows(tmp_path / "alone.tsv", [("bbb", line) for line in numbered_lines("b", 60)])
    options: dict[str, Any] = {"cap": 20, "tune": False, "vocabulary": VOCABULARY, "context": None}
    both, one = unilid.train(long_corpus, **options), unilid.train(alone, **options)
    assert both.parameters.tokens[both.row_of("bbb")] == one.parameters.tokens[0]


def test_the_cap_takes_the_first_lines_of_an_iterator_and_draws_from_what_can_be_read_again(tmp_path: Path) -> None:
    lines = {"aaa": numbered_lines("a", 30), "bbb": numbered_lines("b", 2)}
    items = [(label, line) for label, texts in lines.items() for line in texts]
    first = unilid.train({"aaa": lines["aaa"][:4], "bbb": lines["bbb"]})
    assert bare(unilid.train(iter(items), cap=4)) == bare(first)
    drawn = bare(unilid.train(lines, cap=4, seed=3))
    assert drawn != bare(first)
    assert drawn == bare(unilid.train(items[::-1], cap=4, seed=3))
    assert drawn == bare(unilid.train(write_rows(tmp_path / "file.tsv", items), cap=4, seed=3))


def test_a_field_says_which_lines_are_held_out_together(tmp_path: Path) -> None:
    rows = [
        (label, line, str(place)) for label in ("aaa", "bbb") for place, line in enumerate(numbered_lines(label, 60))
    ]
    labels, texts, pages = map(list, zip(*rows, strict=True))
    jsonl = tmp_path / "corpus.jsonl"
    keys: list[Any] = [int(page) for page in pages]  # a number here, and a text in the other file
    records = zip(labels, texts, keys, strict=True)
    jsonl.write_text(
        "".join(json.dumps(dict(zip(("label", "text", "page"), row, strict=True))) + "\n" for row in records)
    )
    parquet = write_parquet(tmp_path / "corpus.parquet", label=labels, text=texts, page=pages)
    numbers = write_parquet(tmp_path / "numbers.parquet", label=labels, text=texts, page=keys)
    model = unilid.train(jsonl, key="page").to_bytes()
    assert model == unilid.train(parquet, key="page").to_bytes() == unilid.train(numbers, key="page").to_bytes()
    held = [_held(source, "page") for source in (jsonl, parquet)]
    assert held[0] == held[1] != _held(jsonl, "text")
    assert [text.split()[2] for text in held[0][:12]] == [text.split()[2] for text in held[0][12:]]


def _held(source: Path, key: str) -> list[bytes]:
    counter = Counter(hold_out=True)
    for batch in reading.read(source, key=key):
        counter.add(batch)
    return list(counter.corpus().fold(HELD).texts)


@pytest.mark.parametrize("make", [FORMATS["tsv"], FORMATS["wili"], FORMATS["folder"], FORMATS["list of pairs"]])
def test_a_key_that_is_no_field_is_refused(make: Any, tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="the key is 'page', and only JSON Lines and Parquet have fields"):
        unilid.train(make(tmp_path), key="page")


def test_a_field_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="no field 'page'"):
        unilid.train(FORMATS["jsonl"](tmp_path), key="page")
    with pytest.raises(CorpusError, match="no column 'page'"):
        unilid.train(FORMATS["parquet"](tmp_path), key="page")


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="no names for open files here")
def test_a_cap_works_on_a_pipe_which_can_be_read_only_once() -> None:
    reading, writing = os.pipe()
    os.write(writing, TSV)
    os.close(writing)
    try:
        assert unilid.train(f"/dev/fd/{reading}", cap=4).lines.tolist() == [4, 4, 4]
    finally:
        os.close(reading)
