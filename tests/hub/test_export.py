"""A model becomes a folder that the Hub takes, and the folder becomes the model again."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.commands import answers, run
from support.libraries import library
from support.models import fitted_model, small_model

import unilid
from unilid.hub.export import export
from unilid.model import Model

FILES = {"model.unilid", "config.json", "README.md"}
TEXTS = ["Wo ist der Bahnhof?", "Where is the station?", "Πού είναι ο σταθμός;", "12:30", "", "zzz qqq"]


def metadata_of(folder: Path) -> dict[str, Any]:
    """What the Hub reads at the top of the card."""
    data: dict[str, Any] = library("yaml").safe_load((folder / "README.md").read_text("utf-8").split("---\n")[1])
    return data


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "my-model"


def test_a_model_that_was_trained_comes_back_to_the_bit(folder: Path) -> None:
    model = fitted_model()
    export(model, folder)
    assert set(contents(folder)) == FILES
    again = unilid.load(folder)
    assert again.to_bytes() == model.to_bytes()
    assert again.identify(TEXTS, k=3) == model.identify(TEXTS, k=3)
    assert again.path == (folder / "model.unilid").resolve()


def test_the_model_of_the_package_keeps_its_bytes_and_says_what_it_is(folder: Path) -> None:
    model = unilid.load("compact")
    assert model.path is not None
    export(model, folder, name="somebody/lid")
    assert (folder / "model.unilid").read_bytes() == model.path.read_bytes()
    data = metadata_of(folder)
    assert data["license"] == "apache-2.0"
    assert {"de", "nb", "yue", "zh"} <= set(data["language"])
    assert all(isinstance(code, str) for code in data["language"])  # `no` is no truth
    [index] = data["model-index"]
    [metric] = index["results"][0]["metrics"]
    card = (Path(__file__).parents[2] / "MODEL_CARD.md").read_text("utf-8")
    assert re.search(rf"\| compact \| [\d,]+ \| 0\.\d+ \| {metric['value']:.4f} \|", card)
    page = (folder / "README.md").read_text("utf-8")
    assert 'unilid.load("hf://somebody/lid")' in page
    assert "| deu\\_Latn | German |" in page
    assert "| tatoeba | 274 |" in page


def test_the_library_of_the_hub_understands_the_card(folder: Path) -> None:
    hub = library("huggingface_hub")
    export(unilid.load("compact"), folder)
    data = hub.ModelCard.load(folder / "README.md").data
    assert data.library_name == "unilid"
    assert data.pipeline_tag == "text-classification"
    [result] = data.eval_results
    assert (result.metric_type, result.metric_name) == ("f1", "macro F1")


def test_config_says_what_the_folder_has(folder: Path) -> None:
    export(small_model(), folder)
    config = json.loads((folder / "config.json").read_bytes())
    assert config["model_type"] == "unilid"
    assert config["labels"] == list(small_model().languages)
    for name in ("model.unilid", "README.md"):
        assert config["sha256"][name] == hashlib.sha256((folder / name).read_bytes()).hexdigest()


def test_figures_of_another_model_are_not_claimed(folder: Path) -> None:
    export(unilid.load("compact").subset(["de", "en"]), folder)
    data = metadata_of(folder)
    assert data["language"] == ["de", "en"]
    assert data["license"] == "unknown"
    assert "model-index" not in data
    page = (folder / "README.md").read_text("utf-8")
    assert "No figures of this model are known" in page
    assert "| F1" not in page


def test_a_report_gives_the_figures(folder: Path, tmp_path: Path) -> None:
    model = small_model()
    report = unilid.evaluate(model, [(label, text) for label in model.languages[:2] for text in TEXTS[:3]])
    (tmp_path / "flores.json").write_text(report.to_json())
    export(model, folder, license="cc-by-4.0", report=tmp_path / "flores.json")
    data = metadata_of(folder)
    [result] = data["model-index"][0]["results"]
    assert result["dataset"]["name"] == "flores"
    values = {metric["type"]: metric["value"] for metric in result["metrics"]}
    assert values == {"accuracy": round(report.accuracy, 4), "f1": round(report.macro.f1, 4)}
    assert data["metrics"] == ["accuracy", "f1"]
    assert data["license"] == "cc-by-4.0"


def test_words_from_outside_stay_words(folder: Path) -> None:
    said = {"source": "*a*|b\n# c", "license": "<b>CC</b>", "name": "`x` | [y](z)", "lines": 3}
    model = replace(small_model(), info={"added": {"eng": said}})
    export(model, folder)
    page = (folder / "README.md").read_text("utf-8")
    assert "| \\*a\\*\\|b \\# c | 1 | \\<b\\>CC\\</b\\> |" in page
    assert "\\`x\\` \\| \\[y\\](z)" in page


def test_labels_that_are_no_languages_are_not_claimed_to_be(folder: Path) -> None:
    export(unilid.train({"spam": ["buy it now"] * 3, "x|y": ["good morning"] * 3}, vocabulary=300), folder)
    assert "language" not in metadata_of(folder)
    assert "| x\\|y |" in (folder / "README.md").read_text("utf-8")


def test_an_export_replaces_its_own_files_and_no_others(folder: Path) -> None:
    export(small_model(), folder)
    (folder / "notes.txt").write_text("mine")
    export(fitted_model(), folder)
    assert unilid.load(folder).to_bytes() == fitted_model().to_bytes()
    assert (folder / "notes.txt").read_text() == "mine"


@pytest.mark.parametrize("name", sorted(FILES))
def test_what_somebody_changed_or_wrote_is_not_replaced(folder: Path, name: str) -> None:
    export(small_model(), folder)
    changed = (folder / name).read_bytes().replace(b"unilid", b"UNILID", 1)
    assert changed != (folder / name).read_bytes()
    (folder / name).write_bytes(changed)
    before = contents(folder)
    with pytest.raises(unilid.UnilidError, match=f"{name}: is there, and not as an export wrote it"):
        export(fitted_model(), folder)
    assert contents(folder) == before
    export(fitted_model(), folder, overwrite=True)
    assert unilid.load(folder).to_bytes() == fitted_model().to_bytes()
    export(small_model(), folder)  # they are its own again


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b'{"sha256": 3}', b'{"sha256": {"README.md": "x"}}', b"\xff"])
def test_a_config_of_somebody_else_is_not_replaced(folder: Path, content: bytes) -> None:
    folder.mkdir()
    (folder / "config.json").write_bytes(content)
    with pytest.raises(unilid.UnilidError, match=r"config.json: is there"):
        export(small_model(), folder)
    assert contents(folder) == {"config.json": content}


@pytest.mark.parametrize("is_there", [False, True])
def test_a_full_disk_leaves_all_as_it_was(folder: Path, is_there: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if is_there:
        export(small_model(), folder)
    before = contents(folder) if is_there else None
    count = 0

    def full(_: int) -> None:
        nonlocal count
        count += 1
        if count == 3:  # when the last file is written
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(unilid.UnilidError, match=r"my-model: cannot be written: No space left on device"):
        export(fitted_model(), folder)
    monkeypatch.undo()
    assert folder.exists() == is_there
    if is_there:
        assert contents(folder) == before


def test_places_that_cannot_be_a_folder_are_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(unilid.UnilidError, match="is a file"):
        export(small_model(), tmp_path / "file")
    with pytest.raises(unilid.UnilidError, match=r"there is no folder .*; make it first"):
        export(small_model(), tmp_path / "no/where")
    with pytest.raises(unilid.UnilidError, match="'a b' is not the name of a repository"):
        export(small_model(), tmp_path / "new", name="a b")
    with pytest.raises(unilid.UnilidError, match=r"none.json: cannot be read"):
        export(small_model(), tmp_path / "new", report=tmp_path / "none.json")
    (tmp_path / "report.json").write_text("[1]")
    with pytest.raises(unilid.UnilidError, match="is not what `unilid evaluate --json` writes"):
        export(small_model(), tmp_path / "new", report=tmp_path / "report.json")
    assert not (tmp_path / "new").exists()


def test_a_folder_without_a_model_says_so(tmp_path: Path) -> None:
    with pytest.raises(unilid.ModelFileError, match=r"there is no model in this folder: it has no file model.unilid"):
        unilid.load(tmp_path)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Model:
    return small_model().save(tmp_path_factory.mktemp("trained") / "trained.unilid")


def test_the_command_exports_and_every_verb_takes_the_folder(trained: Model, tmp_path: Path) -> None:
    done = run("export", "-m", trained.path, "--hub", "out", "--license", "mit", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, b"")
    assert done.stderr.decode() == f"out: {len(trained.languages)} languages; see its README.md\n"
    texts = "\n".join(TEXTS).encode()
    expected = answers("identify", "-m", trained.path, stdin=texts)
    assert answers("identify", "-m", "out", stdin=texts, cwd=tmp_path) == expected
    assert f"languages\t{len(trained.languages)}" in answers("info", "-m", "out", "--to", "tsv", cwd=tmp_path)
    (tmp_path / "test.tsv").write_text("deu\tWo ist der Bahnhof?\n")
    done = run("evaluate", "test.tsv", "-m", "out", "--against", "out", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (tmp_path / "out/README.md").write_text("my own words")
    done = run("export", "-m", trained.path, "--hub", "out", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr == (
        b"unilid: out/README.md: is there, and not as an export wrote it; give another folder, or --overwrite to "
        b"replace it\n"
    )
    assert run("export", "-m", trained.path, "--hub", "out", "--overwrite", cwd=tmp_path).returncode == 0


def test_a_name_that_no_file_can_have_is_told_in_a_sentence() -> None:
    for name in ("x" * 5000, "a\0b"):
        with pytest.raises(unilid.ModelFileError, match="cannot be read"):
            unilid.load(name)
