"""A damaged file is never taken for a model."""

from __future__ import annotations

import copy
import json
import math
import random
import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.corpora import SENTENCES
from support.models import small_model, train
from support.stored import header_of, refused, with_header
from support.whole_words import whole_word_model

import unilid
from unilid.model import Model


def test_what_is_no_file_is_named(tmp_path: Path) -> None:
    for path in (tmp_path / "missing.unilid", tmp_path, f"{tmp_path}/a\0b"):
        with pytest.raises(unilid.ModelFileError, match=re.escape(str(path))):
            unilid.load(path)


@pytest.mark.parametrize(
    "content",
    [b"", b"\0", b"\0" * 8, b"\0" * 100, b"{}", b"PK\x03\x04" * 50, b"\xff" * 100, b"A letter.\n" * 20],
    ids=lambda content: ascii(content[:8]),
)
def test_what_is_no_model_is_refused(content: bytes, tmp_path: Path) -> None:
    refused(content, tmp_path / "other.unilid")


@pytest.mark.parametrize("make", [lambda: train(["dan", "jpn"], vocabulary=400), whole_word_model])
def test_a_file_cut_short_anywhere_is_refused(make: Callable[[], Model], tmp_path: Path) -> None:
    content = make().to_bytes()
    ends = random.Random(0).sample(range(len(content)), 600)
    for end in [*range(20), *ends, *range(len(content) - 20, len(content))]:
        refused(content[:end], tmp_path / "cut.unilid")


def test_a_file_with_more_behind_it_is_refused(tmp_path: Path) -> None:
    content = small_model().to_bytes()
    for more in (b"\0", b" " * 64, content):
        refused(content + more, tmp_path / "long.unilid")


@pytest.mark.parametrize(
    "make",
    [lambda: train(["dan", "jpn"], vocabulary=400), lambda: whole_word_model().subset(["dan", "jpn"])],
    ids=["usual", "whole-words"],
)
def test_a_changed_byte_is_refused_or_changes_nothing(make: Callable[[], Model], tmp_path: Path) -> None:
    content = make().to_bytes()
    header = 8 + int.from_bytes(content[:8], "little")
    chance = random.Random(1)
    places = [*range(header), *range(header), *chance.sample(range(header, len(content)), 400)]
    path = tmp_path / "flipped.unilid"
    taken: list[str] = []
    for place in places:
        flip = chance.choice([1 << chance.randrange(8), chance.randrange(1, 256)])
        damaged = bytearray(content)
        damaged[place] ^= flip
        path.write_bytes(damaged)
        try:
            model = unilid.load(path)
        except unilid.ModelFileError as error:
            if str(path) not in str(error):
                raise
        else:
            if model.to_bytes() != content:
                taken.append(f"{content[place - 12 : place + 5]!r} became {bytes(damaged[place - 12 : place + 5])!r}")
    assert taken == []


def test_a_wrong_checksum_is_said_before_what_follows_from_it(tmp_path: Path) -> None:
    content = whole_word_model().to_bytes()
    header, body = header_of(content)
    for name in ("unigram.sizes", "context.1.sizes", "vocabulary.bytes", "lexicon.sizes", "lexicon.fingerprints"):
        damaged = bytearray(content)
        damaged[len(content) - len(body) + header[name]["data_offsets"][0] + 3] ^= 1
        assert "checksum" in refused(bytes(damaged), tmp_path / "m")


def no_more_threads(*_: object) -> None:
    raise RuntimeError("can't start new thread")


def test_without_another_thread_a_model_is_loaded_and_checked_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threading.Thread, "start", no_more_threads)
    content = small_model().to_bytes()
    assert Model.from_bytes(content).to_bytes() == content
    assert "checksum" in refused(content[:-1] + bytes([content[-1] ^ 1]), tmp_path / "m")


# ---- headers


@pytest.mark.parametrize(
    "header",
    [
        b"",
        b"{",
        b"[]",
        b"{}",
        b"null",
        b'"text"',
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"__metadata__": null}',
        b'{"__metadata__": {"unilid": 5}}',
        b'{"__metadata__": {"unilid": "[]"}}',
        b'{"__metadata__": {"unilid": "{}"}}',
        b'{"__metadata__": {"other": "{}"}}',
        b'{"__metadata__": {"unilid": "{\\"format\\": 1, \\"crc32\\": 0}"}}',
        b'{"__metadata__": {"unilid": "{\\"format\\": 1, \\"crc32\\": 0}"}, "a": 5}',
        b'{"__metadata__": {"unilid": "{\\"format\\": 1, \\"crc32\\": 0}"}, "a": {"dtype": "U8"}}',
    ],
    ids=lambda header: ascii(header[:60]),
)
def test_a_header_that_says_nothing_is_refused(header: bytes, tmp_path: Path) -> None:
    refused(with_header(header, b""), tmp_path / "m")
    refused(with_header(header, b"\0" * 64), tmp_path / "m")


@pytest.mark.parametrize("size", [2**64 - 1, 2**63, 2**40, 10**8 + 1, 10**6])
def test_a_header_longer_than_the_file_is_refused(size: int, tmp_path: Path) -> None:
    assert "header" in refused(size.to_bytes(8, "little") + small_model().to_bytes()[8:], tmp_path / "m")


@pytest.mark.parametrize(
    "change",
    [
        {"shape": [-5]},
        {"shape": []},
        {"shape": [5, 1]},
        {"shape": [2**70]},
        {"shape": ["five"]},
        {"shape": [None]},
        {"shape": [math.inf]},
        {"shape": [math.nan]},
        {"shape": 5},
        {"shape": [6]},
        {"data_offsets": [0, 2**70]},
        {"data_offsets": [0, math.inf]},
        {"data_offsets": [-40, 0]},
        {"data_offsets": [40, 0]},
        {"data_offsets": [8, 48]},
        {"data_offsets": [40]},
        {"data_offsets": None},
        {"dtype": "F16"},
        {"dtype": "U8"},
        {"dtype": []},
        {"dtype": None},
    ],
    ids=repr,
)
def test_an_array_that_lies_where_it_cannot_is_refused(change: dict[str, Any], tmp_path: Path) -> None:
    header, body = header_of(small_model().to_bytes())
    assert header["languages.lines"] == {"dtype": "I64", "shape": [5], "data_offsets": [0, 40]}
    header["languages.lines"].update(change)
    refused(with_header(json.dumps(header).encode(), body), tmp_path / "m")


def test_arrays_that_overlap_or_leave_a_gap_are_refused(tmp_path: Path) -> None:
    header, body = header_of(small_model().to_bytes())
    assert header["languages.tokens"]["data_offsets"] == [40, 80]
    same_place = copy.deepcopy(header)
    same_place["languages.tokens"]["data_offsets"] = [0, 40]
    refused(with_header(json.dumps(same_place).encode(), body), tmp_path / "m")
    with_gap = copy.deepcopy(header)
    del with_gap["languages.lines"]
    refused(with_header(json.dumps(with_gap).encode(), body), tmp_path / "m")


@pytest.mark.parametrize("padding", [1, 2, 3, 4, 7])
def test_a_header_of_odd_length_gives_the_same_model_or_is_refused(padding: int, tmp_path: Path) -> None:
    content = small_model().to_bytes()
    size = int.from_bytes(content[:8], "little")
    (tmp_path / "m").write_bytes(with_header(content[8 : 8 + size] + b" " * padding, content[8 + size :]))
    try:
        model = unilid.load(tmp_path / "m")
    except unilid.ModelFileError as error:
        if str(tmp_path / "m") not in str(error):
            raise
    else:
        assert model.identify(SENTENCES, k=5) == small_model().identify(SENTENCES, k=5)
        assert model.to_bytes() == content
