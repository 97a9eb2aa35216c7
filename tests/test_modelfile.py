"""The model file: what is written is what is read, and nothing damaged or hostile is taken for a model."""

from __future__ import annotations

import copy
import errno
import json
import math
import mmap
import os
import random
import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors
import safetensors.numpy
from helpers import CORPUS, SENTENCES, decoded, small_model, train

import unilid
from unilid import modelfile
from unilid.model import Model

Change = Callable[[modelfile.Arrays, dict[str, Any]], object]


def content_of(model: Model) -> tuple[modelfile.Arrays, dict[str, Any]]:
    """The arrays and the metadata that `encode` was given."""
    arrays, metadata = decoded(model.to_bytes())
    return dict(arrays), {key: metadata[key] for key in ("languages", "settings", "decisions", "info")}


def header_of(content: bytes) -> tuple[dict[str, Any], bytes]:
    size = int.from_bytes(content[:8], "little")
    return json.loads(content[8 : 8 + size]), content[8 + size :]


def with_header(header: bytes, body: bytes) -> bytes:
    return len(header).to_bytes(8, "little") + header + body


def refused(content: bytes, path: Path) -> str:
    """What `load` says of a file with this content, without the name of the file, which must be part of it."""
    path.write_bytes(content)
    with pytest.raises(unilid.ModelFileError, match=re.escape(str(path))) as caught:
        unilid.load(path)
    return str(caught.value).replace(str(path), "")


# ---- what is written is what is read


@pytest.mark.parametrize("context", ["characters", None])
@pytest.mark.parametrize("unseen", ["shared", "additive"])
def test_a_model_comes_back_as_it_was_saved(context: str | None, unseen: str, tmp_path: Path) -> None:
    model = train(["dan", "jpn", "nob"], context=context, unseen=unseen)
    path = tmp_path / "model.unilid"
    saved = model.save(path)
    assert saved.path == path
    for again in (saved, unilid.load(path), unilid.load(str(path)), Model.from_bytes(path.read_bytes())):
        assert again.languages == model.languages
        assert again.vocabulary.tokens == model.vocabulary.tokens
        assert again.settings == model.settings
        assert again.info == model.info
        assert again.lines.tolist() == model.lines.tolist()
        assert again.tokens.tolist() == model.tokens.tolist()
        assert again.identify(SENTENCES, k=3) == model.identify(SENTENCES, k=3)
        assert (again.scores(SENTENCES) == model.scores(SENTENCES)).all()
        assert again.to_bytes() == model.to_bytes() == path.read_bytes()


def test_a_model_of_more_languages_than_a_byte_can_number_comes_back(tmp_path: Path) -> None:
    corpus = {f"l{i:03}": [f"word{i} common w{i * 7}x"] for i in range(300)}
    model = unilid.train(corpus, vocabulary=600, context="characters", tune=False)
    again = model.save(tmp_path / "many.unilid")
    texts = ["word299 common", "word7 w49x", "common"]
    assert again.identify(texts, k=300) == model.identify(texts, k=300)
    assert again.identify("word299").label == "l299"
    assert again.to_bytes() == model.to_bytes()


def test_the_same_text_makes_the_same_bytes_whatever_the_threads_and_the_order_of_labels() -> None:
    turned = dict(reversed(CORPUS.items()))
    for options in ({}, {"context": "characters", "tune": False}, {"context": None}):
        expected = unilid.train(CORPUS, vocabulary=420, threads=1, **options).to_bytes()
        assert unilid.train(CORPUS, vocabulary=420, threads=3, **options).to_bytes() == expected
        assert unilid.train(turned, vocabulary=420, threads=2, **options).to_bytes() == expected
        pairs = [(label, turned[label][i]) for i in range(6) for label in turned]
        assert unilid.train(pairs, vocabulary=420, threads=1, **options).to_bytes() == expected


def test_the_safetensors_package_reads_the_same_arrays(tmp_path: Path) -> None:
    path = tmp_path / "model.unilid"
    small_model().save(path)
    arrays, metadata = decoded(path.read_bytes())
    theirs = safetensors.numpy.load_file(path)
    assert theirs.keys() == arrays.keys()
    for name, array in arrays.items():
        assert theirs[name].dtype == array.dtype
        assert (theirs[name] == array).all()
    with safetensors.safe_open(path, "numpy") as file:
        stored = json.loads(file.metadata()["unilid"])
        del stored["crc32"]
        assert stored == metadata
    assert metadata["languages"] == list(CORPUS)


def test_encoded_arrays_come_back_whatever_their_type_and_size() -> None:
    arrays = {
        "bytes": np.arange(7, dtype=np.uint8),
        "none": np.zeros(0, np.uint16),
        "wide": np.array([-1, 2**62]),
        "floats": np.array([math.pi, -math.inf]),
        "shorts": np.array([1, 65535, 3], np.uint16),
        "ints": np.array([2**32 - 1], np.uint32),
    }
    again, metadata = decoded(modelfile.encode(arrays, {"name": "λ"}))
    assert metadata["name"] == "λ"
    assert again.keys() == arrays.keys()
    for name, array in arrays.items():
        assert again[name].dtype == array.dtype
        assert again[name].tolist() == array.tolist()
        assert again[name].flags.aligned
    turned = dict(reversed(arrays.items()))
    assert modelfile.encode(turned, {"name": "λ"}) == modelfile.encode(arrays, {"name": "λ"})


# ---- mapped, not copied


def test_arrays_of_a_loaded_model_are_views_of_the_mapped_file(tmp_path: Path) -> None:
    model = small_model().save(tmp_path / "model.unilid")
    assert model.context is not None
    last = model.context.levels[-1]
    for array in (model.unigram.costs, model.tokens, model.lines, last.costs, last.characters):
        assert not array.flags.owndata
        assert not array.flags.writeable
        base = array.base
        while isinstance(base, np.ndarray):
            base = base.base
        assert isinstance(base, memoryview)
        assert isinstance(base.obj, mmap.mmap)


@pytest.mark.skipif(os.name == "nt", reason="an open file cannot be deleted there")
def test_a_loaded_model_survives_the_deletion_of_its_file(tmp_path: Path) -> None:
    model = small_model().save(tmp_path / "model.unilid")
    (tmp_path / "model.unilid").unlink()
    assert model.identify(SENTENCES, k=5) == small_model().identify(SENTENCES, k=5)
    assert model.to_bytes() == small_model().to_bytes()


@pytest.mark.skipif(os.name == "nt", reason="an open file cannot be replaced there")
def test_a_model_can_be_saved_over_the_file_it_was_loaded_from(tmp_path: Path) -> None:
    path = tmp_path / "model.unilid"
    first = small_model().save(path)
    second = first.remove_languages(["eng"]).save(path)
    third = second.add_language("eng", CORPUS["eng"]).save(path)
    assert unilid.load(path).languages == third.languages == ("dan", "ell", "jpn", "nob", "eng")
    assert first.identify(SENTENCES, k=5) == small_model().identify(SENTENCES, k=5)
    assert "eng" not in {p.label for p in second.identify(SENTENCES)}


# ---- written whole or not at all


@pytest.mark.parametrize("failure", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()], ids=repr)
@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_save_that_fails_leaves_the_old_file_and_no_other(
    failure: BaseException, step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "model.unilid"
    small_model().save(path)
    before = path.read_bytes()

    def fail(*arguments: Any) -> None:
        raise failure

    monkeypatch.setattr(*((os, "fsync", fail) if step == "fsync" else (Path, "replace", fail)))
    expected = unilid.ModelFileError if isinstance(failure, OSError) else KeyboardInterrupt
    with pytest.raises(expected, match=re.escape(f"{path}: ") if isinstance(failure, OSError) else None):
        small_model().subset(["dan"]).save(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"kept")
    for path in (tmp_path / "no" / "folder.unilid", tmp_path / "file" / "model.unilid", tmp_path, f"{tmp_path}/a\0b"):
        with pytest.raises(unilid.ModelFileError, match=re.escape(str(path))):
            small_model().save(path)
    assert [p.name for p in tmp_path.iterdir()] == ["file"]
    assert (tmp_path / "file").read_bytes() == b"kept"


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_saving_through_a_link_writes_what_it_points_to(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    link = tmp_path / "link.unilid"
    link.symlink_to(tmp_path / "real" / "model.unilid")
    small_model().save(link)
    assert link.is_symlink()
    assert (tmp_path / "real" / "model.unilid").read_bytes() == small_model().to_bytes()


# ---- damaged


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


def test_a_file_cut_short_anywhere_is_refused(tmp_path: Path) -> None:
    content = train(["dan", "jpn"], vocabulary=400).to_bytes()
    ends = random.Random(0).sample(range(len(content)), 600)
    for end in [*range(20), *ends, *range(len(content) - 20, len(content))]:
        refused(content[:end], tmp_path / "cut.unilid")


def test_a_file_with_more_behind_it_is_refused(tmp_path: Path) -> None:
    content = small_model().to_bytes()
    for more in (b"\0", b" " * 64, content):
        refused(content + more, tmp_path / "long.unilid")


def test_a_changed_byte_is_refused_or_changes_nothing(tmp_path: Path) -> None:
    content = train(["dan", "jpn"], vocabulary=400).to_bytes()
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
            assert str(path) in str(error)
        else:
            if model.to_bytes() != content:
                taken.append(f"{content[place - 12 : place + 5]!r} became {bytes(damaged[place - 12 : place + 5])!r}")
    assert taken == []


def test_a_wrong_checksum_is_said_before_what_follows_from_it(tmp_path: Path) -> None:
    content = small_model().to_bytes()
    header, body = header_of(content)
    for name in ("unigram.sizes", "context.1.sizes", "vocabulary.bytes"):
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


# ---- hostile: the checksum is right, the content is not


def hostile(change: Change) -> bytes:
    arrays, metadata = copy.deepcopy(content_of(small_model()))
    change(arrays, metadata)
    return modelfile.encode(arrays, metadata)


def setting(name: str, value: Any) -> Change:
    return lambda arrays, metadata: metadata["settings"].update({name: value})


def entry(name: str, value: Any) -> Change:
    return lambda arrays, metadata: metadata.update({name: value})


def value_at(name: str, place: int, value: int) -> Change:
    return lambda arrays, metadata: arrays[name].__setitem__(place, value)


def tokens(change: Callable[[list[bytes]], list[bytes]]) -> Change:
    def apply(arrays: modelfile.Arrays, metadata: dict[str, Any]) -> None:
        changed = change(list(small_model().vocabulary.tokens))
        arrays["vocabulary.bytes"] = np.frombuffer(b"".join(changed), np.uint8)
        arrays["vocabulary.lengths"] = np.array([len(token) for token in changed], np.uint8)

    return apply


def test_the_untouched_content_is_a_model(tmp_path: Path) -> None:
    assert hostile(lambda arrays, metadata: None) == small_model().to_bytes()


def test_every_array_that_is_missing_is_named(tmp_path: Path) -> None:
    for name in content_of(small_model())[0]:
        said = refused(hostile(lambda arrays, metadata, name=name: arrays.pop(name)), tmp_path / "m")
        assert f"'{name}' is missing" in said


def test_every_array_of_the_wrong_length_or_type_is_refused(tmp_path: Path) -> None:
    for name, array in content_of(small_model())[0].items():
        longer = np.append(array, array[-1:] if len(array) else np.ones(1, array.dtype))
        wrong = [longer]
        if len(array):
            wrong += [array[:-1], array[:0], np.append(array, array)]
        if array.dtype != np.float64:
            wrong.append(longer.astype(np.float64))
        if array.dtype in (np.uint8, np.uint16):
            wrong.append(array.astype(np.int64))
        for other in wrong:
            said = refused(
                hostile(lambda arrays, _, name=name, other=other: arrays.update({name: other})), tmp_path / "m"
            )
            assert "damaged: " in said


def test_sizes_that_do_not_add_up_are_named(tmp_path: Path) -> None:
    names = [name for name in content_of(small_model())[0] if name.endswith(("sizes", "siblings", "lengths"))]
    assert len(names) > 5
    for name in names:

        def one_more(arrays: modelfile.Arrays, metadata: dict[str, Any], name: str = name) -> None:
            arrays[name][3] += 1

        assert f"'{name}'" in refused(hostile(one_more), tmp_path / "m")


@pytest.mark.parametrize("name", ["unigram.sizes", "context.1.sizes", "context.2.siblings", "context.4.sizes"])
def test_sizes_that_add_up_only_by_overflow_or_below_zero_are_refused(name: str, tmp_path: Path) -> None:
    def negative(arrays: modelfile.Arrays, metadata: dict[str, Any]) -> None:
        sizes = arrays[name]
        large = np.array([int(sizes[0]) + int(sizes[1]) + 5, -5])
        sizes[:2] = 255
        arrays[f"{name}.large"] = np.append(large, arrays[f"{name}.large"])

    def around(arrays: modelfile.Arrays, metadata: dict[str, Any]) -> None:
        sizes = arrays[name]
        whole = int(sizes.astype(np.int64).sum())
        sizes[:] = 0
        sizes[:4] = 255
        arrays[f"{name}.large"] = np.array([2**62 + 10**9, 2**62, 2**62, 2**62 - 10**9 + whole])

    def around_32_bits(arrays: modelfile.Arrays, metadata: dict[str, Any]) -> None:
        around(arrays, metadata)
        whole = int(content_of(small_model())[0][name].astype(np.int64).sum())
        arrays[f"{name}.large"] = np.array([2**31, 2**31, whole, 0], np.uint32)

    assert f"'{name}" in refused(hostile(negative), tmp_path / "m")
    assert f"'{name}" in refused(hostile(around), tmp_path / "m")
    assert "add up to" in refused(hostile(around_32_bits), tmp_path / "m")


def test_a_language_beyond_the_last_is_named(tmp_path: Path) -> None:
    for name in [name for name in content_of(small_model())[0] if name.endswith(".languages")]:
        for beyond in (len(CORPUS), 255):
            said = refused(hostile(value_at(name, -1, beyond)), tmp_path / "m")
            assert f"'{name}'" in said
            assert str(beyond) in said


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda all_tokens: [*all_tokens[:50], all_tokens[51], all_tokens[50], *all_tokens[52:]], "sorted"),
        (lambda all_tokens: [*all_tokens[:50], all_tokens[50], *all_tokens[50:]], "distinct"),
        (lambda all_tokens: [token for token in all_tokens if token != b"\x07"], "256 single bytes"),
        (lambda all_tokens: [*all_tokens, b"\xff" * 65], "64 bytes"),
        (lambda all_tokens: [b"", *all_tokens], "1 to 64 bytes"),
        (lambda all_tokens: [], "token"),
    ],
    ids=["unsorted", "twice", "byte-missing", "too-long", "empty", "none"],
)
def test_a_vocabulary_that_no_trie_can_be_made_of_is_refused(
    change: Callable[[list[bytes]], list[bytes]], said: str, tmp_path: Path
) -> None:
    assert said in refused(hostile(tokens(change)), tmp_path / "m")


@pytest.mark.parametrize("code_point", [0x110102, 2**32 - 1])
def test_a_character_beyond_the_last_is_named(code_point: int, tmp_path: Path) -> None:
    said = refused(hostile(value_at("context.code_points", 5, code_point)), tmp_path / "m")
    assert "'context.code_points'" in said
    assert str(code_point) in said


def test_a_character_that_stands_twice_is_refused(tmp_path: Path) -> None:
    first = int(content_of(small_model())[0]["context.code_points"][0])
    assert "not distinct" in refused(hostile(value_at("context.code_points", 5, first)), tmp_path / "m")


def test_an_n_gram_of_a_character_that_does_not_exist_is_named(tmp_path: Path) -> None:
    for level in (2, 3, 4):
        name = f"context.{level}.characters"
        assert f"'{name}'" in refused(hostile(value_at(name, 7, 65535)), tmp_path / "m")


def test_training_lines_below_zero_are_named(tmp_path: Path) -> None:
    assert "'languages.lines'" in refused(hostile(value_at("languages.lines", 1, -3)), tmp_path / "m")


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("languages", ["dan", "ell", "eng", "jpn", "dan"], "not distinct"),
        ("languages", ["dan", "ell", "eng", "jpn"], "beyond 3|instead of 4|names the language"),
        ("languages", [*CORPUS, "more"], "instead of 6"),
        ("languages", [], "languages"),
        ("languages", ["dan", "ell", "eng", "jpn", 5], "languages"),
        ("languages", ["dan", "ell", "eng", "jpn", ["nob"]], "languages"),
        ("languages", "abcde", "languages|understood"),
        ("languages", None, "languages"),
        ("languages", 5, "languages"),
        ("settings", None, "understood"),
        ("settings", ["order"], "understood"),
        ("info", 5, "understood"),
        ("decisions", None, "understood"),
        ("decisions", 5, "understood"),
        ("decisions", [], "understood"),
        ("decisions", {}, "understood"),
        ("format", 1, "format 1"),
        ("format", 99, "format 99"),
        ("format", None, "format None"),
        ("crc32", 0, "checksum"),
    ],
)
def test_metadata_that_makes_no_sense_is_refused(name: str, value: Any, said: str, tmp_path: Path) -> None:
    assert re.search(said, refused(hostile(entry(name, value)), tmp_path / "m"))


@pytest.mark.parametrize("name", ["languages", "settings", "decisions", "info"])
def test_metadata_that_is_missing_is_named(name: str, tmp_path: Path) -> None:
    assert name in refused(hostile(lambda arrays, metadata: metadata.pop(name)), tmp_path / "m")


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("order", 99, "order"),
        ("order", 0, "order"),
        ("order", "4", "order"),
        ("order", [4], "order"),
        ("order", 4.0, "order"),
        ("order", 5, r"context\.5|context\.4\.entries"),
        ("order", None, "sixteenths"),
        ("bound", -1, "bound"),
        ("bound", 0, "bound"),
        ("bound", math.nan, "bound"),
        ("bound", math.inf, "bound"),
        ("bound", "8", "bound|understood"),
        ("bound", [], "bound|understood"),
        ("unigram_weight", 17, "17 sixteenths"),
        ("unigram_weight", -1, "-1 sixteenths"),
        ("unigram_weight", 5.5, "whole numbers"),
        ("unigram_weight", None, "sixteenths|understood"),
        ("unigram_weight", "5", "sixteenths|understood"),
        ("fragments", -0.1, "fragments"),
        ("fragments", math.inf, "fragments"),
        ("unseen", "nothing", "unseen"),
        ("unseen", None, "unseen"),
        *[
            (name, value, f"{name}|understood")
            for name in ("unseen_log_p", "discount", "base", "fragments")
            for value in ("low", math.nan, None, [])
        ],
    ],
)
def test_settings_that_make_no_sense_are_refused(name: str, value: Any, said: str, tmp_path: Path) -> None:
    assert name in content_of(small_model())[1]["settings"]
    assert re.search(said, refused(hostile(setting(name, value)), tmp_path / "m"))


def test_unknown_settings_and_arrays_of_a_later_version_are_passed_over(tmp_path: Path) -> None:
    def change(arrays: modelfile.Arrays, metadata: dict[str, Any]) -> None:
        arrays["later.array"] = np.zeros(3, np.uint8)
        metadata["settings"]["later"] = 1

    (tmp_path / "m").write_bytes(hostile(change))
    assert unilid.load(tmp_path / "m").to_bytes() == small_model().to_bytes()


# ---- hostile headers


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
        assert str(tmp_path / "m") in str(error)
    else:
        assert model.identify(SENTENCES, k=5) == small_model().identify(SENTENCES, k=5)
        assert model.to_bytes() == content
