"""``unilid evaluate``: the figures of the library, shown and written."""

from __future__ import annotations

import gzip
import json
import re
import shutil
from pathlib import Path

import pytest
from support.commands import answers, run
from support.small_corpus import ENGLISH, GERMAN, GREEK, write_corpus

import unilid
from unilid import Model, files
from unilid.evaluation import view


@pytest.fixture(scope="module")
def labelled(tmp_path_factory: pytest.TempPathFactory, path: Path) -> Path:
    """A folder with text to be asked about, some of it with a wrong label, a model, a worse one, and its answers."""
    folder = tmp_path_factory.mktemp("labelled")
    write_corpus(folder / "test.tsv", {"deu": [GERMAN, "Brot", ENGLISH, "12"], "eng": [ENGLISH], "ell": [GREEK]})
    shutil.copy(path, folder / "my.unilid")
    unilid.load(path).subset(["ell", "eng"]).save(folder / "worse.unilid")
    texts = [GERMAN, "Brot", ENGLISH, "12", ENGLISH, GREEK]
    lines = answers("identify", "-m", folder / "worse.unilid", stdin="\n".join(texts).encode())
    (folder / "worse.tsv").write_text("\n".join(lines))
    return folder


def test_evaluating_shows_the_figures_of_the_library(labelled: Path, model: Model) -> None:
    lines = answers("evaluate", "test.tsv", "-m", "my.unilid", cwd=labelled)
    report = unilid.evaluate(model, labelled / "test.tsv")
    assert report.accuracy == 4 / 6
    row = [
        cell.strip() for cell in lines[lines.index(next(line for line in lines if "macro F1" in line)) + 2].split("│")
    ]
    figures = [report.accuracy, report.macro.f1, report.weighted_f1, report.macro.precision, report.macro.recall]
    assert row[1:6] == [f"{figure:.4f}" for figure in figures]
    assert row[8:10] == ["6", "3"]
    assert any(re.match(f"│ deu +│ +eng │ +1 │ German for English +│ {ENGLISH} ", line) for line in lines)
    assert any(re.match("│ deu +│ +zxx │ +1 │ German for no language +│ 12 ", line) for line in lines)


def test_labels_that_the_model_does_not_have_are_told_after_the_figures(tmp_path: Path, labelled: Path) -> None:
    (tmp_path / "named.tsv").write_text(f"German\t{GERMAN}\neng\t{ENGLISH}\n", encoding="utf-8")
    lines = answers("evaluate", tmp_path / "named.tsv", "-m", "my.unilid", cwd=labelled)
    assert lines[-1] == "1 of 2 labels is not in the model (German): its lines cannot be answered right"


def test_wrong_lines_are_written_with_what_explains_them(tmp_path: Path, labelled: Path, model: Model) -> None:
    answers("evaluate", "test.tsv", "-m", "my.unilid", "--errors", tmp_path / "e.tsv", cwd=labelled)
    header, *lines = [line.split("\t") for line in (tmp_path / "e.tsv").read_text(encoding="utf-8").splitlines()]
    assert header == ["label", "answer", "probability", "ahead", "words", "text"]
    assert [(line[0], line[1], line[-1]) for line in lines] == [("deu", "eng", ENGLISH), ("deu", "zxx", "12")]
    why = model.explain(ENGLISH, "eng", "deu")
    assert lines[0][3] == f"{why.difference:+.1f}"
    assert lines[0][4].startswith(f"{why.deciding[0].text.decode()} {why.deciding[0].difference:+.1f}, ")
    said = ["--predictions", "worse.tsv", "-m", "my.unilid", "--errors", tmp_path / "e.jsonl.gz"]
    answers("evaluate", "test.tsv", *said, cwd=labelled)
    records = [json.loads(line) for block in files.lines(tmp_path / "e.jsonl.gz") for line in block]
    wrong = next(record for record in records if record["text"] == ENGLISH)
    assert wrong["explanation"] == why.record()
    done = run("evaluate", "test.tsv", "--predictions", "worse.tsv", "--errors", tmp_path / "no.tsv", cwd=labelled)
    assert done.returncode == 2
    assert b"give one with -m" in done.stderr


def test_evaluating_writes_whole_files(tmp_path: Path, labelled: Path, model: Model) -> None:
    for name in ("r.json", "r.md", "r.html"):
        (tmp_path / name).write_text("older and longer" * 10_000)
    outputs = ["--json", tmp_path / "r.json", "--markdown", tmp_path / "r.md", "--html", tmp_path / "r.html"]
    answers("evaluate", "test.tsv", "-m", "my.unilid", *outputs, cwd=labelled)
    report = unilid.evaluate(model, labelled / "test.tsv")
    title = "my.unilid on test.tsv"
    assert (tmp_path / "r.json").read_text(encoding="utf-8") == report.to_json() + "\n"
    assert (tmp_path / "r.md").read_text(encoding="utf-8") == view.markdown(report, title=title)
    assert (tmp_path / "r.html").read_text(encoding="utf-8") == view.html(report, title=title)
    assert len(list(tmp_path.iterdir())) == 3


def test_what_evaluating_writes_is_compressed_as_its_suffix_says(tmp_path: Path, labelled: Path) -> None:
    asked = ("evaluate", "test.tsv", "-m", "my.unilid")
    answers(*asked, "--json", tmp_path / "r.json", "--html", tmp_path / "r.html.gz", cwd=labelled)
    answers(*asked, "--json", tmp_path / "r.json.gz", cwd=labelled)
    assert gzip.decompress((tmp_path / "r.json.gz").read_bytes()) == (tmp_path / "r.json").read_bytes()
    assert gzip.decompress((tmp_path / "r.html.gz").read_bytes()).startswith(b"<!")


def test_an_evaluation_that_fails_leaves_the_files_that_were_there(tmp_path: Path, folder: Path) -> None:
    (tmp_path / "r.json").write_text("before")
    done = run("evaluate", "no-tab.tsv", "-m", "my.unilid", "--json", tmp_path / "r.json", cwd=folder)
    assert done.returncode == 2
    assert [file.read_text() for file in tmp_path.iterdir()] == ["before"]


def test_a_model_is_evaluated_as_it_is_asked(tmp_path: Path, labelled: Path, model: Model) -> None:
    asked = ["-l", "eng,ell", "--prior", "eng=0.25", "--abstain", "no", "--threads", 1, "--script-blind"]
    answers("evaluate", "test.tsv", "-m", "my.unilid", *asked, "--json", tmp_path / "r.json", cwd=labelled)
    report = unilid.evaluate(
        model, labelled / "test.tsv", languages=["eng", "ell"], prior={"eng": 0.25}, abstain=False, script_blind=True
    )
    assert (tmp_path / "r.json").read_text(encoding="utf-8") == report.to_json() + "\n"


def test_labels_are_compared_by_macrolanguage_and_without_script(tmp_path: Path) -> None:
    (tmp_path / "test.jsonl").write_text('{"lang": "arz_Arab", "body": "a"}\n{"lang": "srp_Cyrl", "body": "b"}\n')
    (tmp_path / "said.tsv").write_text("arb_Arab\nsrp_Latn\n")
    fields = ["--format", "jsonl", "--text-field", "body", "--label-field", "lang", "--json", "r.json"]
    for option, recalls in (
        ("--codes=iso639_1", {"arz": 0, "sr": 1}),
        ("--codes=macro", {"ara": 1, "hbs": 1}),
        ("--macrolanguages", {"ara_Arab": 1, "hbs_Cyrl": 0}),
        ("--script-blind", {"arz": 0, "srp": 1}),
    ):
        answers("evaluate", "test.jsonl", "--predictions", "said.tsv", *fields, option, cwd=tmp_path)
        found = json.loads((tmp_path / "r.json").read_text())["labels"]
        assert {result["label"]: result["recall"] for result in found} == recalls


@pytest.mark.parametrize("against", ["worse.tsv", "worse.unilid"])
def test_a_model_is_compared_with_answers_or_with_another_model(tmp_path: Path, labelled: Path, against: str) -> None:
    written = tmp_path / "r.md"
    lines = answers(
        "evaluate", "test.tsv", "-m", "my.unilid", "--against", against, "--markdown", written, cwd=labelled
    )
    mine, worse = (
        unilid.evaluate(unilid.load(labelled / n), labelled / "test.tsv") for n in ("my.unilid", "worse.unilid")
    )
    found = unilid.compare(worse, mine)
    recall = next(difference for difference in found if difference.measure == "macro recall")
    assert recall.difference > 0
    row = [cell.strip() for cell in next(line for line in lines if "macro recall" in line).split("│")]
    assert row[2:5] == [f"{figure:.4f}" for figure in (worse.macro.recall, mine.macro.recall, recall.difference)]
    assert written.read_text(encoding="utf-8") == view.markdown(mine, found, title="my.unilid on test.tsv")


def test_answers_are_evaluated_without_a_model(tmp_path: Path, labelled: Path) -> None:
    outputs = ["--json", tmp_path / "r.json", "--html", tmp_path / "r.html"]
    answers("evaluate", "test.tsv", "--predictions", "worse.tsv", *outputs, cwd=labelled)
    report = unilid.evaluate_predictions(labelled / "worse.tsv", labelled / "test.tsv")
    assert report.by_tier == []
    assert (tmp_path / "r.json").read_text(encoding="utf-8") == report.to_json() + "\n"
    assert "<title>worse.tsv on test.tsv</title>" in (tmp_path / "r.html").read_text(encoding="utf-8")
    answers("evaluate", "test.tsv", "--predictions", "worse.tsv", "-m", "my.unilid", *outputs, cwd=labelled)
    [tier] = json.loads((tmp_path / "r.json").read_text())["by_tier"]  # the model says what it was trained on
    assert (tier["name"], tier["labels"]) == ("below 500", 3)


@pytest.mark.parametrize("option", [["-l", "deu"], ["--prior", "none"], ["--abstain", "no"], ["--no-calibrated"]])
def test_options_for_asking_a_model_do_not_change_answers_that_are_there(labelled: Path, option: list[str]) -> None:
    done = run("evaluate", "test.tsv", "--predictions", "worse.tsv", *option, cwd=labelled)
    assert done.returncode == 2
    assert b"were given without it" in done.stderr
    assert done.stderr.count(b"\n") == 1


def test_the_best_of_several_answers_is_evaluated(tmp_path: Path, labelled: Path) -> None:
    texts = b"".join(line.split(b"\t", 1)[1] for line in (labelled / "test.tsv").read_bytes().splitlines(keepends=True))
    outputs = {}
    for name, option in {"one": [], "two": ["-k", "2"]}.items():
        done = run("identify", "-m", labelled / "my.unilid", "--to", "jsonl", *option, stdin=texts)
        (tmp_path / "said.jsonl").write_bytes(done.stdout)
        outputs[name] = unilid.evaluate_predictions(tmp_path / "said.jsonl", labelled / "test.tsv")
    assert outputs["one"] == outputs["two"]


def test_labels_that_look_like_markup_are_shown(tmp_path: Path) -> None:
    (tmp_path / "test.tsv").write_text("[/b]\ta\n<b>\tb\n")
    (tmp_path / "said.tsv").write_text("[bold]\n<b>\n")
    shown = "\n".join(answers("evaluate", "test.tsv", "--predictions", "said.tsv", cwd=tmp_path))
    assert "[/b]" in shown
    assert "[bold]" in shown
    assert "<b>" in shown
