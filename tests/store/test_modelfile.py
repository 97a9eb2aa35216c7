"""The model file: what is written is what is read, mapped and not copied, whole or not at all."""

from __future__ import annotations

import errno
import json
import math
import mmap
import os
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors
import safetensors.numpy
from support.corpora import CORPUS, SENTENCES
from support.models import decoded, small_model, train

import unilid
from unilid.model import Model
from unilid.store import modelfile


def test_a_label_of_any_script_survives_a_file(tmp_path: Path) -> None:
    labels = ["Ελληνικά", 'quo"te\\', "雪国"]
    model = small_model().add_languages({label: [f"{label} {i}" for i in range(3)] for label in labels})
    again = model.save(tmp_path / "labels.unilid")
    assert set(labels) < set(again.languages)
    assert again.identify("雪国 2").label == "雪国"


def test_an_empty_name_is_not_that_of_this_folder() -> None:
    with pytest.raises(unilid.UnilidError, match="the name of the model is empty"):
        unilid.load("")


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
        assert again.parameters.tokens.tolist() == model.parameters.tokens.tolist()
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
    arrays: modelfile.Arrays = {
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
    parameters = model.parameters
    assert parameters.context is not None
    last = parameters.context.levels[-1]
    for array in (parameters.unigram.costs, parameters.tokens, parameters.lines, last.costs, last.characters):
        assert not array.flags.owndata
        assert not array.flags.writeable
        base = array.base
        while isinstance(base, np.ndarray):
            base = base.base
        assert isinstance(base, memoryview)
        assert isinstance(base.obj, mmap.mmap)


@pytest.mark.skipif(os.name == "nt", reason="an open file cannot be deleted there")
def test_a_model_that_is_loaded_to_be_ready_is_checked_and_answers_like_any_other(tmp_path: Path) -> None:
    path = tmp_path / "small.unilid"
    saved = small_model().save(path)
    assert unilid.load(path, ready=True).identify("guten Morgen", k=2) == saved.identify("guten Morgen", k=2)
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    damaged = tmp_path / "damaged.unilid"
    damaged.write_bytes(content)
    with pytest.raises(unilid.UnilidError, match=r"its checksum is wrong"):
        unilid.load(damaged, ready=True)


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

    def fail(*_: Any) -> None:
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
