"""What was written for fastText runs when the import is changed; fastText itself says what it returns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.adapters import SPOKEN, compact
from support.libraries import library

import unilid
from unilid import fasttext

TEXT = "Wo ist der Bahnhof? Ich finde ihn nicht."


@pytest.mark.parametrize("path", [None, "compact", "GlotLID/model.bin", Path("model.ftz")])
def test_labels_and_probabilities_of_a_text(path: Any) -> None:
    model = fasttext.load_model(path)
    labels, probabilities = model.predict(TEXT, k=3)
    assert isinstance(labels, tuple)
    assert labels[0] == "__label__deu_Latn"
    assert len(labels) == len(probabilities) == 3
    assert probabilities[0] > 0.9
    assert (np.diff(probabilities) <= 0).all()


def test_many_texts_newlines_included() -> None:
    model = fasttext.load_model("compact")
    labels, probabilities = model.predict(["Where is the station?\nI cannot find it.", TEXT])
    assert labels == [["__label__eng_Latn"], ["__label__deu_Latn"]]
    assert [len(p) for p in probabilities] == [1, 1]
    assert model.predict("Where is\nthe station?") == model.predict("Where is the station?")
    assert model.predict([]) == ([], [])


def test_a_language_is_always_named() -> None:
    model = fasttext.load_model("compact")
    own = compact().identify(SPOKEN, abstain=False)
    labels, probabilities = model.predict(SPOKEN)
    assert labels == [[f"__label__{answer.label}"] for answer in own]
    assert [p.tolist() for p in probabilities] == [[answer.probability] for answer in own]
    abstaining = fasttext.load_model("compact", abstain=True)
    assert abstaining.predict("12:30")[0] == ("__label__zxx",)


def test_the_threshold_and_all_labels() -> None:
    model = fasttext.load_model("compact", languages=["de", "nl", "en"])
    labels, probabilities = model.predict(TEXT, k=-1)
    assert set(labels) == {"__label__deu_Latn", "__label__nld_Latn", "__label__eng_Latn"}
    assert probabilities.sum() == pytest.approx(1)
    assert model.predict(TEXT, k=-1, threshold=0.5)[0] == ("__label__deu_Latn",)
    empty = model.predict(TEXT, threshold=1.1)
    assert (empty[0], len(empty[1])) == ((), 0)


def test_codes_of_lid_176() -> None:
    model = fasttext.load_model("some/folder/lid.176.ftz")
    assert model.predict(TEXT)[0] == ("__label__de",)
    assert "__label__en" in model.labels
    assert len(set(model.labels)) == len(model.labels)
    labels, probabilities = model.predict("今天天气很好，我们去公园吧。", k=3)
    assert labels[0] == "__label__zh"
    assert len(set(labels)) == 3  # both forms of characters are one label
    assert probabilities[0] > 0.9


def test_the_list_of_labels() -> None:
    model = fasttext.load_model(compact())
    assert model.get_labels() == model.labels == [f"__label__{label}" for label in compact().languages]
    labels, lines = model.get_labels(include_freq=True, on_unicode_error="strict")
    assert labels == model.labels
    assert lines.tolist() == compact().lines.tolist()


@pytest.mark.parametrize("k", [0, -2, 1.5])
def test_a_wrong_k_is_refused(k: Any) -> None:
    with pytest.raises(unilid.UnilidError, match="k must be"):
        fasttext.load_model("compact").predict(TEXT, k=k)


def test_a_missing_file_is_an_error() -> None:
    with pytest.raises(unilid.UnilidError, match="nowhere"):
        fasttext.load_model("nowhere.unilid")


def test_types_are_those_of_fasttext(tmp_path: Path) -> None:
    theirs = library("fasttext")
    if not hasattr(theirs, "train_supervised"):
        pytest.skip("a package that only predicts")
    (tmp_path / "lines.txt").write_text(
        "__label__deu_Latn wo ist der zug\n__label__eng_Latn where is the train\n" * 500
    )
    model = theirs.train_supervised(str(tmp_path / "lines.txt"), verbose=0, thread=1, dim=4, minn=2, maxn=3)
    ours = fasttext.load_model("compact", languages=["de", "en"])
    for text, k in ((TEXT, 1), (TEXT, 2), ([TEXT, "where is it"], 2)):
        mine, their = ours.predict(text, k=k), model.predict(text, k=k)
        assert shape(mine) == shape(their)
    assert shape(ours.get_labels(include_freq=True)) == shape(model.get_labels(include_freq=True))


def shape(value: Any) -> Any:
    """The types of containers and how many things they have."""
    if isinstance(value, np.ndarray):
        return ("array", value.dtype.kind, value.ndim)
    if isinstance(value, tuple | list):
        return (type(value).__name__, *sorted({shape(one) for one in value}, key=str))
    return type(value).__name__
