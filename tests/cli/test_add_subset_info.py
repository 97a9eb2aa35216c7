"""``unilid add``, ``unilid subset`` and ``unilid info``: models changed and described."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from support.commands import answers, labels, run
from support.small_corpus import GERMAN

import unilid
from unilid import Model


def test_a_language_is_added_from_files_or_standard_input(tmp_path: Path, path: Path, model: Model) -> None:
    lines = ["mi wile moku e kili", "jan li toki e ijo", "ona li lukin e tomo"]
    (tmp_path / "a.txt").write_text("\n".join(lines[:2]) + "\n\n")
    (tmp_path / "b.txt").write_text(lines[2])
    expected = model.add_language("tok", lines).to_bytes()
    done = run("add", "tok", "a.txt", "b.txt", "-m", path, "-o", "new.unilid", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, b"")
    assert done.stderr == b"new.unilid: 4 languages, tok from 3 lines\n"
    assert (tmp_path / "new.unilid").read_bytes() == expected
    done = run("add", "tok", "-m", path, "-o", "piped.unilid", stdin="\n".join(lines).encode(), cwd=tmp_path)
    assert done.returncode == 0
    assert (tmp_path / "piped.unilid").read_bytes() == expected
    assert labels(answers("identify", "-m", tmp_path / "new.unilid", "-t", "jan li moku", "-t", GERMAN)) == [
        "tok",
        "deu",
    ]


def test_a_model_can_be_changed_in_place(tmp_path: Path, path: Path) -> None:
    mine = tmp_path / "mine.unilid"
    shutil.copy(path, mine)
    assert run("add", "tok", "-m", mine, "-o", mine, stdin=b"jan li toki\n").returncode == 0
    assert unilid.load(mine).languages == ("deu", "ell", "eng", "tok")
    assert run("subset", "tok", "--remove", "-m", mine, "-o", mine).returncode == 0
    assert mine.read_bytes() == path.read_bytes()
    assert list(tmp_path.iterdir()) == [mine]


def test_a_subset_keeps_or_removes_languages(tmp_path: Path, path: Path, model: Model) -> None:
    output = tmp_path / "small.unilid"
    done = run("subset", "eng", "deu", "-m", path, "-o", output)
    assert (done.returncode, done.stdout) == (0, b"")
    assert done.stderr.decode() == f"{output}: 2 languages\n"
    assert output.read_bytes() == model.subset(["eng", "deu"]).to_bytes()
    assert run("subset", "eng", "deu", "--remove", "-m", path, "-o", output).returncode == 0
    assert unilid.load(output).languages == ("ell",)


def test_a_subset_of_the_model_of_the_package(tmp_path: Path) -> None:
    output = tmp_path / "small.unilid"
    assert run("subset", "de,fr", "eng_Latn", "-o", output).returncode == 0  # codes, as of `identify --languages`
    assert unilid.load(output).languages == ("deu_Latn", "fra_Latn", "eng_Latn")


# ---- info


def test_info_says_what_is_inside(path: Path, model: Model) -> None:
    facts = dict(line.split("\t") for line in answers("info", "-m", path))
    assert facts["path"] == str(path)
    assert facts["bytes"] == str(path.stat().st_size)
    assert facts["languages"] == "3"
    assert facts["tokens"] == str(len(model.vocabulary))
    assert facts["training lines"] == "18"
    assert facts["order"] == str(model.settings.order)
    assert facts["bound"] == str(model.settings.bound)
    assert facts["tuned"] == "False"
    context = model.parameters.context
    assert context is not None
    assert facts["context entries"] == str(sum(len(level.costs) for level in context.levels))


def test_info_lists_the_labels_with_their_lines(path: Path) -> None:
    lines = answers("info", "-m", path, "--labels")
    assert lines[lines.index("") + 1 :] == ["deu\t6", "ell\t6", "eng\t6"]
    assert lines[: lines.index("")] == answers("info", "-m", path)


def test_info_as_json_has_the_same_facts(path: Path) -> None:
    [line] = answers("info", "-m", path, "--to", "jsonl")
    facts = json.loads(line)
    assert [f"{name.replace('_', ' ')}\t{value}" for name, value in facts.items()] == answers("info", "-m", path)
    [line] = answers("info", "-m", path, "--to", "jsonl", "--labels")
    assert json.loads(line) == {**facts, "labels": {"deu": 6, "ell": 6, "eng": 6}}


def test_info_of_the_model_of_the_package() -> None:
    facts = dict(line.split("\t") for line in answers("info"))
    assert facts["languages"] == str(len(unilid.load().languages))
