"""``unilid calibrate``, and what a calibrated model is asked."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from support.commands import answers, run
from support.corpora import sentences, text_of_all
from support.small_corpus import write_corpus

import unilid


@pytest.fixture(scope="module")
def calibrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a fitted model, the text it was trained on, other text, and a calibrated model."""
    folder = tmp_path_factory.mktemp("calibrated")
    write_corpus(folder / "corpus.tsv", text_of_all(100))
    write_corpus(folder / "more.tsv", text_of_all(30, seed=1))
    sample = [*sentences("dum_Latn", 60, seed=2), *sentences("rus_Cyrl", 20, seed=2)]
    (folder / "sample.txt").write_text("\n".join(sample), encoding="utf-8")
    assert run("train", "corpus.tsv", "-o", "fitted.unilid", cwd=folder).returncode == 0
    arguments = ["corpus.tsv", "--validation", "more.tsv", "--prior-from", "sample.txt", "-m", "fitted.unilid"]
    done = run("calibrate", *arguments, "-o", "all.unilid", cwd=folder)
    assert (done.returncode, done.stdout) == (0, b"")
    held_out, told = done.stderr.decode().splitlines()
    figures = r"accuracy 0\.\d{4}|1\.0000, then 0\.\d{4}|1\.0000; expected calibration error 0\.\d{4}, then 0\.\d{4}"
    assert re.match(r"on 24 lines that were held out of fitting: accuracy", held_out)
    assert re.search(figures, held_out)
    done_so = r"\d of them re-ranked, probabilities fitted, a prior fitted to 80 texts"
    assert re.fullmatch(rf"all\.unilid: 4 languages, {done_so}", told)
    return folder


def test_calibrating_writes_the_model_that_the_library_makes(calibrated: Path) -> None:
    sample = (calibrated / "sample.txt").read_text(encoding="utf-8").splitlines()
    fitted = unilid.load(calibrated / "fitted.unilid")
    expected = unilid.calibrate(
        fitted, calibrated / "corpus.tsv", validation=calibrated / "more.tsv", prior_from=sample
    )
    assert (calibrated / "all.unilid").read_bytes() == expected.to_bytes()
    assert {file.name for file in calibrated.iterdir() if "unilid" in file.name} == {"all.unilid", "fitted.unilid"}


def test_calibrating_has_the_papers_constants_and_a_prior_of_its_own(calibrated: Path, tmp_path: Path) -> None:
    arguments = ["corpus.tsv", "-m", "fitted.unilid", "--preset", "paper", "--prior", "deu_Latn=0.5"]
    done = run("calibrate", *arguments, "-o", tmp_path / "paper.unilid", cwd=calibrated)
    assert done.returncode == 0, done.stderr
    fitted = unilid.load(calibrated / "fitted.unilid")
    expected = unilid.calibrate(fitted, calibrated / "corpus.tsv", rules="paper", prior={"deu_Latn": 0.5})
    assert (tmp_path / "paper.unilid").read_bytes() == expected.to_bytes()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["corpus.tsv"], r"\d of them re-ranked"),
        (["--prior-from", "one.txt"], "a prior fitted to 1 text"),
        (["--validation", "more.tsv"], "probabilities fitted"),
    ],
)
def test_calibrating_says_what_was_fitted(calibrated: Path, tmp_path: Path, arguments: list[str], said: str) -> None:
    (calibrated / "one.txt").write_text(f"{sentences('dum_Latn', 1)[0]}\n\n", encoding="utf-8")
    done = run("calibrate", *arguments, "-m", "fitted.unilid", "-o", tmp_path / "new.unilid", cwd=calibrated)
    assert re.fullmatch(rf".*new\.unilid: 4 languages, {said}", done.stderr.decode().splitlines()[-1])


def test_a_model_is_calibrated_in_place_and_step_by_step(calibrated: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine.unilid"
    shutil.copy(calibrated / "fitted.unilid", mine)
    for arguments in (["--validation", "more.tsv"], ["corpus.tsv"], ["--prior-from", "sample.txt"]):
        assert run("calibrate", *arguments, "-m", mine, "-o", mine, cwd=calibrated).returncode == 0
    found = unilid.load(mine).decisions
    assert found.calibration is not None
    assert found.prior is not None
    assert found.rejection is not None
    assert list(tmp_path.iterdir()) == [mine]


def test_a_calibrated_model_answers_as_it_is_asked_to(calibrated: Path) -> None:
    model = unilid.load(calibrated / "all.unilid")
    texts = ["einige", "am Markt", "the old man", "在", "12", "", "xqzj wvkk ppzt"]
    asked = [argument for text in texts for argument in ("-t", text)]
    ways: list[tuple[list[str], dict[str, Any]]] = [
        ([], {}),
        (["--calibrated"], {"calibrated": True}),
        (["--no-calibrated"], {"calibrated": False}),
        (["--prior", "none"], {"prior": None}),
        (["--prior", "model"], {"prior": "model"}),
        (["--prior", "training"], {"prior": "training"}),
        (["--abstain", "no"], {"abstain": False}),
        (["--abstain", "yes"], {"abstain": True}),
        (["--abstain", "0.05"], {"abstain": 0.05}),
    ]
    for arguments, options in ways:
        lines = answers("identify", "-m", model.path, *arguments, *asked)
        assert lines == [f"{p.label}\t{p.probability:.4f}" for p in model.identify(texts, **options)]


def test_json_answers_say_why_there_is_no_language_and_which_it_might_be(calibrated: Path) -> None:
    texts = ["-t", "12345", "-t", "今日はパンを買いに町へ行きます。", "-t", "the old man buys fresh bread"]
    model = calibrated / "fitted.unilid"
    number, foreign, english = map(json.loads, answers("identify", "-m", model, "--to", "jsonl", *texts))
    assert number == {"label": "zxx", "probability": 1.0, "score": 0.0, "reason": "digits"}
    assert (foreign["label"], foreign["reason"]) == ("und", "unlike")
    assert foreign["guess"] in unilid.load(model).languages
    assert english.keys() == {"label", "probability", "score"}
    _, foreign, _ = map(json.loads, answers("identify", "-m", model, "--to", "jsonl", "-k", 2, *texts))
    first, second = foreign["predictions"]
    assert (first["label"], first["guess"]) == ("und", second["label"])
    assert second.keys() == {"label", "probability", "score"}
