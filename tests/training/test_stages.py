"""A run that is started again goes on where it stopped, and reuses nothing that is not what it would make."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.training import FORMATS, ROWS, TSV, VOCABULARY, Interrupting, Recorder

import unilid
from unilid import Model, UnilidError
from unilid.training import plan
from unilid.training.stages import Stages, dump_arrays, load_arrays

KEPT = [["counts"], ["counts", "vocabulary-kept"], ["counts", "vocabulary-kept", "vocabulary"]]


@pytest.fixture(autouse=True)
def as_with_many_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    """Learn one vocabulary without the held-out lines; with few lines, it is one for each fold."""
    monkeypatch.setattr(plan, "CROSS_VALIDATED", range(0))


def interrupt(corpus: Any, work: Path, name: str = "estimating", times: int = 2, **options: Any) -> None:
    with pytest.raises(KeyboardInterrupt):
        unilid.train(corpus, work=work, progress=Interrupting(name, times), context="characters", **options)


def again(corpus: Any, work: Path | None, **options: Any) -> tuple[Model, Recorder]:
    progress = Recorder()
    return unilid.train(corpus, work=work, progress=progress, context="characters", **options), progress


def reused(progress: Recorder) -> list[str]:
    return [message.split()[3] for message in progress.said if message.startswith("reusing finished stage: ")]


@pytest.mark.parametrize(
    ("name", "times", "kept"),
    [
        ("counting words", 1, []),
        ("learning the vocabulary", 1, KEPT[0]),
        ("estimating", 1, KEPT[1]),
        ("choosing constants", 1, KEPT[1]),
        ("learning contexts", 1, KEPT[1]),
        ("learning the vocabulary", 2, KEPT[1]),
        ("estimating", 2, KEPT[2]),
    ],
)
def test_an_interrupted_run_goes_on_where_it_was(
    corpus_file: Path, tmp_path: Path, name: str, times: int, kept: list[str]
) -> None:
    interrupt(corpus_file, tmp_path / "work", name, times)
    model, progress = again(corpus_file, tmp_path / "work")
    assert reused(progress) == kept
    assert progress.stages.count("counting words") == 1 - len(kept[:1])
    assert progress.stages.count("learning the vocabulary") == 2 - len(kept[1:])
    whole, undisturbed = again(corpus_file, None)
    assert undisturbed.said == []
    assert model.to_bytes() == whole.to_bytes()


def test_finished_stages_are_the_only_files_in_the_work_folder(corpus_file: Path, tmp_path: Path) -> None:
    interrupt(corpus_file, tmp_path / "work")
    names = sorted(path.name.rpartition("-")[0] for path in (tmp_path / "work").iterdir())
    assert names == ["counts", "vocabulary", "vocabulary-kept"]
    assert {path.suffix for path in (tmp_path / "work").iterdir()} == {".stage"}


def test_no_stage_is_reused_for_changed_input(corpus_file: Path, tmp_path: Path) -> None:
    work = tmp_path / "work"
    interrupt(corpus_file, work)
    content = bytearray(TSV)
    at = content.index(b"morning")
    content[at] = ord("M")
    corpus_file.write_bytes(content)
    model, progress = again(corpus_file, work)
    assert progress.said == []
    assert model.to_bytes() == again(corpus_file, None)[0].to_bytes()


def test_the_labels_beside_wili_texts_and_every_file_of_a_folder_are_input(tmp_path: Path) -> None:
    for name, change in (("wili", "y_train.txt"), ("folder", "deu_Latn.txt")):
        folder, work = tmp_path / name, tmp_path / f"{name}.work"
        folder.mkdir()
        corpus = FORMATS[name](folder)
        interrupt(corpus, work)
        assert reused(again(corpus, work)[1]) == KEPT[2]
        changed = folder / change
        changed.write_text(changed.read_text(encoding="utf-8").replace("e", "f", 1), encoding="utf-8")
        assert again(corpus, work)[1].said == []


@pytest.mark.parametrize(
    ("options", "kept"),
    [
        ({"cap": 7}, []),
        ({"cap": 7, "seed": 1}, []),
        ({"tune": False}, []),
        ({"format": "tsv"}, []),
        ({"vocabulary": 300}, KEPT[0]),
        ({"vocabulary": VOCABULARY}, KEPT[0]),
        ({"order": 3}, KEPT[2]),
        ({"unseen": "additive"}, KEPT[2]),
        ({"bound": 5.0}, KEPT[2]),
        ({"threads": 1}, KEPT[2]),
    ],
)
def test_what_is_reused_never_depends_on_a_changed_option(
    corpus_file: Path, tmp_path: Path, options: dict[str, Any], kept: list[str]
) -> None:
    work = tmp_path / "work"
    interrupt(corpus_file, work, cap=8)
    interrupt(corpus_file, work)
    model, progress = again(corpus_file, work, **options)
    assert reused(progress) == kept
    assert model.to_bytes() == again(corpus_file, None, **options)[0].to_bytes()


def truncated(content: bytes) -> bytes:
    return content[: len(content) // 2]


def flipped(content: bytes) -> bytes:
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]


@pytest.mark.parametrize("stage", ["counts", "vocabulary-kept", "vocabulary"])
@pytest.mark.parametrize("damage", [truncated, flipped, lambda _: b"", lambda _: b"not an archive"])
def test_a_damaged_stage_is_said_and_done_again(
    corpus_file: Path, tmp_path: Path, stage: str, damage: Callable[[bytes], bytes]
) -> None:
    work = tmp_path / "work"
    interrupt(corpus_file, work)
    [path] = [path for path in work.iterdir() if path.name.rpartition("-")[0] == stage]
    intact = path.read_bytes()
    path.write_bytes(damage(intact))
    model, progress = again(corpus_file, work)
    [complaint] = [message for message in progress.said if "cannot be reused" in message]
    assert str(path) in complaint
    assert f"{stage} is done again" in complaint
    assert reused(progress) == [name for name in KEPT[2] if name != stage]
    assert model.to_bytes() == again(corpus_file, None)[0].to_bytes()
    assert reused(again(corpus_file, work)[1]) == KEPT[2]  # it was repaired


def test_nothing_is_kept_of_input_that_cannot_be_read_twice(tmp_path: Path) -> None:
    model, progress = again(iter(ROWS), tmp_path / "work")
    assert progress.said == []
    assert not (tmp_path / "work").exists()
    assert model.to_bytes() == again(iter(ROWS), None)[0].to_bytes()


def test_a_work_folder_that_cannot_be_made_is_named(corpus_file: Path, tmp_path: Path) -> None:
    (tmp_path / "work").write_text("a file")
    with pytest.raises(UnilidError, match="work"):
        unilid.train(corpus_file, work=tmp_path / "work")


def test_the_library_prints_nothing(corpus_file: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    interrupt(corpus_file, tmp_path / "work")
    unilid.train(corpus_file, work=tmp_path / "work")
    assert capfd.readouterr() == ("", "")


def test_a_folder_and_its_files_are_not_the_same_input(tmp_path: Path) -> None:
    folder = tmp_path / "texts"
    folder.mkdir()
    for name in ("deu", "nld"):
        (folder / f"{name}.txt").write_text("eng\tthe cat\nfra\tle chat\n")
    work = tmp_path / "work"
    assert unilid.train(folder, work=work).languages == ("deu", "nld")
    assert unilid.train([folder / "deu.txt", folder / "nld.txt"], work=work).languages == ("eng", "fra")


# ---- one stage


class Numbers:
    """A form that any edit leaves readable."""

    def dump(self, result: list[int]) -> bytes:
        return json.dumps(result).encode()

    def load(self, content: bytes) -> list[int]:
        numbers: list[int] = json.loads(content)
        return numbers


def run_stage(folder: Path | None, depends_on: Any = "key") -> tuple[list[int], bool, Recorder]:
    """The result of a stage, and whether it was made now."""
    made = []

    def make() -> list[int]:
        made.append(True)
        return [1, 2, 3]

    progress = Recorder()
    return Stages(folder, progress).run("numbers", depends_on, make, Numbers()), bool(made), progress


def test_a_finished_stage_is_not_done_twice(tmp_path: Path) -> None:
    assert run_stage(tmp_path)[:2] == ([1, 2, 3], True)
    numbers, made, progress = run_stage(tmp_path)
    assert (numbers, made) == ([1, 2, 3], False)
    assert reused(progress) == ["numbers"]
    assert run_stage(tmp_path, "another key")[1]
    assert len(list(tmp_path.iterdir())) == 2


EDITS: dict[str, Callable[[bytes], bytes]] = {
    "edited, and readable": lambda content: content.replace(b"3", b"4"),
    "edited, and not": lambda content: content.replace(b"3", b"x"),
    "cut short by a byte": lambda content: content[:-1],
    "cut down to its checksum": lambda content: content[:32],
    "cut within its checksum": lambda content: content[:7],
    "longer": lambda content: content + b" ",
    "without a checksum": lambda content: content[32:],
    "empty": lambda _: b"",
}


@pytest.mark.parametrize("change", EDITS.values(), ids=EDITS)
def test_a_stage_that_was_edited_or_cut_short_is_done_again(tmp_path: Path, change: Callable[[bytes], bytes]) -> None:
    run_stage(tmp_path)
    [path] = tmp_path.iterdir()
    intact = path.read_bytes()
    path.write_bytes(change(intact))
    assert path.read_bytes() != intact
    numbers, made, progress = run_stage(tmp_path)
    assert (numbers, made) == ([1, 2, 3], True)
    assert progress.said == [f"{path} cannot be reused (its checksum is wrong): numbers is done again"]
    assert path.read_bytes() == intact
    assert not run_stage(tmp_path)[1]


def test_a_stage_without_a_folder_or_a_key_is_not_stored(tmp_path: Path) -> None:
    assert run_stage(None)[1]
    assert run_stage(tmp_path, None)[1]
    assert list(tmp_path.iterdir()) == []


def test_what_was_stored_can_be_cleared_and_nothing_else_is(tmp_path: Path) -> None:
    work = tmp_path / "work"
    run_stage(work)
    (work / "notes.stage").write_text("mine")
    Stages(work, Recorder()).clear()
    assert [path.name for path in work.iterdir()] == ["notes.stage"]
    (work / "notes.stage").unlink()
    run_stage(work)
    Stages(work, Recorder()).clear()
    assert not work.exists()
    Stages(work, Recorder()).clear()
    Stages(None, Recorder()).clear()


def test_arrays_come_back_as_they_were_stored() -> None:
    arrays = {"a": np.arange(3, dtype=np.uint8), "b": np.array([[0.5]])}
    again = load_arrays(dump_arrays(arrays))
    assert {name: (array.dtype, array.tolist()) for name, array in again.items()} == {
        name: (array.dtype, array.tolist()) for name, array in arrays.items()
    }


class Plain:
    """Bytes as they are."""

    def dump(self, result: bytes) -> bytes:
        return result

    def load(self, content: bytes) -> bytes:
        return content


def test_two_runs_to_one_output_do_not_disturb_each_other(tmp_path: Path) -> None:
    watcher = Recorder()
    mine, others = Stages(tmp_path / "work", watcher), Stages(tmp_path / "work", Recorder())
    over = threading.Event()

    def clear() -> None:
        while not over.is_set():
            others.clear()

    other = threading.Thread(target=clear)
    other.start()
    try:
        for number in range(300):
            assert mine.run("counts", [number % 3], lambda: b"content", Plain()) == b"content"
    finally:
        over.set()
        other.join()
    assert not any("cannot be reused" in message for message in watcher.said)


def test_clearing_also_removes_what_a_killed_run_left(tmp_path: Path) -> None:
    stages = Stages(tmp_path / "work", Recorder())
    stages.run("counts", [1], lambda: b"content", Plain())
    [path] = (tmp_path / "work").iterdir()
    path.with_name(f".{path.name}.0123abcd.tmp").write_bytes(b"half")
    stages.clear()
    assert not (tmp_path / "work").exists()
