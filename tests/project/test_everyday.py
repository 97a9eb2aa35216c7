"""The everyday texts that `benchmarks/short_text.py` measures on."""

from __future__ import annotations

import csv
import hashlib
import unicodedata
from collections import Counter
from functools import cache
from pathlib import Path

import unilid
from unilid.languages.labels import RESERVED

SET = Path(__file__).parents[2] / "benchmarks/everyday.tsv"
KINDS = {"greeting", "thanks", "question", "title", "query", "tag", "chat"}
LARGE = {"eng_Latn", "deu_Latn", "fra_Latn", "spa_Latn", "hin_Deva", "arb_Arab", "cmn_Hans"}


@cache
def rows() -> list[dict[str, str]]:
    with SET.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def test_there_are_a_thousand_texts_in_sixty_labels_that_the_model_knows() -> None:
    labels = Counter(row["label"] for row in rows())
    assert len(rows()) >= 1000
    assert len(labels) == 60
    assert set(labels) <= set(unilid.load().languages) - set(RESERVED)
    assert min(labels.values()) >= 18
    assert {label for label in LARGE if labels[label] < 30} == set()


def test_no_text_stands_twice() -> None:
    texts = Counter(row["text"].casefold() for row in rows())
    assert [text for text, times in texts.items() if times > 1] == []


def test_texts_are_short_and_clean() -> None:
    for row in rows():
        text = row["text"]
        assert text == text.strip() == unicodedata.normalize("NFC", text), text
        assert 1 <= len(text.split()) <= 8, text


def test_every_kind_is_there_and_none_prevails() -> None:
    kinds = Counter(row["kind"] for row in rows())
    assert set(kinds) == KINDS
    assert min(kinds.values()) >= 0.12 * len(rows())
    for label in {row["label"] for row in rows()}:
        assert {row["kind"] for row in rows() if row["label"] == label} == KINDS, label


def test_both_halves_are_large() -> None:
    reporting = [hashlib.sha256(row["text"].encode()).digest()[0] % 2 == 0 for row in rows()]
    assert 0.4 <= sum(reporting) / len(rows()) <= 0.6
    for half in (True, False):
        assert len({row["label"] for row, own in zip(rows(), reporting, strict=True) if own is half}) == 60
