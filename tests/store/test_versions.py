"""Model files of other versions: those of the same format load, and of others it is said what to do."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.corpora import CORPUS, SENTENCES
from support.models import small_model

import unilid
from unilid.model import Model
from unilid.store import modelfile

KEPT = sorted((Path(__file__).parent / "files").glob("*.unilid"))
"""What earlier versions wrote when they trained on CORPUS; docs/compatibility.md promises that it loads."""


@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.stem)
def test_a_model_that_an_earlier_version_wrote_loads_and_answers(path: Path) -> None:
    model = unilid.load(path)
    assert set(model.languages) == set(CORPUS)
    assert [answer.label for answer in model.identify(SENTENCES)] == [label for label in CORPUS for _ in CORPUS[label]]
    assert model.add_language("more", ["zum zam", "zim zum"]).identify("zim zam").label == "more"


def written_in(version: object, monkeypatch: pytest.MonkeyPatch) -> bytes:
    with monkeypatch.context() as changed:
        changed.setattr(modelfile, "FORMAT", version)
        return small_model().to_bytes()


@pytest.mark.parametrize(
    ("version", "remedy"),
    [
        (1, "train the model again, or use the unilid that wrote it"),
        (modelfile.FORMAT - 1, "train the model again, or use the unilid that wrote it"),
        (modelfile.FORMAT + 1, "install a newer unilid"),
        ("next", "train the model again, or use the unilid that wrote it"),
    ],
)
def test_a_model_of_another_format_is_refused_with_what_to_do(
    version: object, remedy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = written_in(version, monkeypatch)
    with pytest.raises(unilid.ModelFileError) as refused:
        Model.from_bytes(content)
    said = f"written in format {version!r}, and this version of unilid reads format {modelfile.FORMAT}: {remedy}"
    assert str(refused.value).endswith(said)
    assert "\n" not in str(refused.value)
