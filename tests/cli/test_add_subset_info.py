"""``unilid add``, ``unilid subset`` and ``unilid info``: models changed and described."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
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
    few, told = done.stderr.decode().splitlines()
    assert few.startswith("tok: fewer than 5 lines")
    assert told == "new.unilid: 4 languages, tok from 3 lines"
    assert (tmp_path / "new.unilid").read_bytes() == expected
    done = run("add", "tok", "-m", path, "-o", "piped.unilid", stdin="\n".join(lines).encode(), cwd=tmp_path)
    assert done.returncode == 0
    assert (tmp_path / "piped.unilid").read_bytes() == expected
    assert labels(answers("identify", "-m", tmp_path / "new.unilid", "-t", "jan li moku", "-t", GERMAN)) == [
        "tok",
        "deu",
    ]


TOKI = [
    f"{who} {what}"
    for what in ("toki e ijo", "lukin e tomo", "moku e kili", "pona mute")
    for who in ("mi wile", "jan li", "ona li", "soweli li", "mama mi li")
]


def test_a_folder_of_files_is_added(tmp_path: Path, path: Path, model: Model) -> None:
    (tmp_path / "new").mkdir()
    corpus = {"tok": TOKI, "nld": ["Goedemorgen, hoe gaat het?", "Wij moeten nog brood en melk kopen."]}
    for label, lines in corpus.items():
        (tmp_path / "new" / f"{label}.txt").write_text("\n".join(lines))
    done = run("add", "new", "-m", path, "-o", "new.unilid", cwd=tmp_path)
    assert done.returncode == 0
    assert done.stderr.decode().splitlines()[-1] == "new.unilid: 5 languages, 2 of them from 22 lines"
    assert (tmp_path / "new.unilid").read_bytes() == model.add_languages(corpus).to_bytes()
    done = run("add", "new", "-m", path, "-o", "new.unilid", "--name", "Both", cwd=tmp_path)
    assert done.returncode == 2
    assert b"--name is of one language" in done.stderr


def test_a_fifth_of_the_lines_says_how_well_the_language_is_told_apart(tmp_path: Path, path: Path) -> None:
    done = run("add", "tok", "-m", path, "-o", tmp_path / "new.unilid", stdin="\n".join(TOKI).encode())
    told, _ = done.stderr.decode().splitlines()
    assert told.startswith("tok: 4 of 4 held-out lines are now tok; before, they were ")
    lines = [*TOKI[:16], GERMAN, *TOKI[17:]]
    done = run("add", "tok", "-m", path, "-o", tmp_path / "new.unilid", stdin="\n".join(lines).encode())
    told, _ = done.stderr.decode().splitlines()
    assert told.startswith("tok: 3 of 4 held-out lines are now tok; before, they were ")
    assert told.endswith("; the others are deu (1)")


def test_a_label_whose_script_is_not_that_of_the_lines_is_doubted(tmp_path: Path, path: Path) -> None:
    asked = ("-m", path, "-o", tmp_path / "new.unilid")
    done = run("add", "tok_Cyrl", *asked, stdin="\n".join(TOKI).encode())
    assert b"tok_Cyrl: most words are in the script Latn; see whether the label is right" in done.stderr
    for label, text in (
        ("tok_Latn", TOKI[0]),
        ("jpn_Jpan", "これはペンです"),
        ("cmn_Hans", "今天天气很好"),
        ("tok", "да"),
    ):
        assert b"in the script" not in run("add", label, *asked, stdin=text.encode()).stderr


@pytest.mark.parametrize(
    ("label", "known"),
    [("de", "deu"), ("ger", "deu"), ("deu_Latn", "deu"), ("de-CH", ""), ("nds", ""), ("tok", "")],
)
def test_a_language_that_is_known_under_another_label_is_doubted(
    tmp_path: Path, path: Path, label: str, known: str
) -> None:
    done = run("add", label, "-m", path, "-o", tmp_path / "new.unilid", stdin=b"Moin moin\n")
    assert done.returncode == 0
    doubt = f"{label}: the model knows this language as {known} already; its texts may now get either label"
    assert (doubt in done.stderr.decode()) == bool(known)
    assert (b"knows this language" in done.stderr) == bool(known)


def test_a_language_is_learned_anew_where_asked_and_no_other_row_changes(tmp_path: Path, path: Path) -> None:
    asked = ("-m", path, "-o", tmp_path / "new.unilid")
    done = run("add", "deu", *asked, stdin=b"Moin moin\n")
    assert done.returncode == 2
    assert b"the model knows deu already; --anew learns it from these lines alone" in done.stderr
    assert run("add", "deu", "--anew", *asked, stdin="\n".join(TOKI).encode()).returncode == 0
    before, after = unilid.load(path), unilid.load(tmp_path / "new.unilid")
    assert after.languages == before.languages
    assert after.lines.tolist() == [20, *before.lines[1:]]
    assert after.subset(["ell", "eng"]).to_bytes() == before.subset(["ell", "eng"]).to_bytes()
    assert after.identify(TOKI[0]).label == "deu"


def test_what_is_said_of_a_language_is_kept(tmp_path: Path, path: Path) -> None:
    about = ("--name", "Toki Pona", "--autonym", "toki pona", "--source", "by hand", "--license", "CC0")
    output = tmp_path / "new.unilid"
    assert run("add", "tok_Latn", "-m", path, "-o", output, *about, stdin="\n".join(TOKI).encode()).returncode == 0
    [line] = answers("info", "-m", output, "--to", "jsonl")
    assert json.loads(line)["added"] == {
        "tok_Latn": {
            "name": "Toki Pona",
            "autonym": "toki pona",
            "source": "by hand",
            "license": "CC0",
            "lines": 20,
        }
    }
    [line] = answers("languages", "-m", output, "toki pona", "--to", "jsonl")
    entry = json.loads(line)
    assert (entry["label"], entry["name"], entry["sources"]) == ("tok_Latn", "Toki Pona", ["by hand"])


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
    assert facts["tokens"] == "0"
