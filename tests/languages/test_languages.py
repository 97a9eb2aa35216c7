"""A model asked for languages by their codes, and the command that lists, searches and explains them."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from functools import cache
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console
from support.commands import on_terminal, posix, run
from support.corpora import CORPUS

import unilid
from unilid import Model
from unilid.languages import catalogue, view
from unilid.languages.catalogue import Entry


@cache
def model() -> Model:
    """Labels with scripts, a macrolanguage's member, an own label; with what a model may say of its labels."""
    corpus = {
        "dan_Latn": CORPUS["dan"],
        "ell_Grek": CORPUS["ell"],
        "nno_Latn": ["Fiskaren bøter garnet sitt ved hamna.", "Kvifor kjem bussen alltid for seint?"],
        "nob_Latn": CORPUS["nob"],
        "spam": ["buy cheap watches now", "you won a prize"],
    }
    trained = unilid.train(corpus, vocabulary=420, tune=False, threads=1)
    said = {"nob_Latn": {"f1": 0.98765, "sources": ["harbour", "roof"]}, "dan_Latn": {"f1": 1.0}}
    return replace(trained, info={**trained.info, "labels": said})


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "my.unilid"
    model().save(path)
    return path


def test_languages_compete_by_their_codes() -> None:
    ranked = model().identify("Hvorfor kommer bussen?", k=5, languages=["no-*", "gre"], abstain=False)
    assert sorted(p.label for p in ranked) == ["ell_Grek", "nno_Latn", "nob_Latn"]
    assert {p.macrolanguage for p in ranked} == {"nor", None}
    same = model().identify("Hvorfor kommer bussen?", k=5, languages=["nob", "nn", "ell_Grek"], abstain=False)
    assert ranked == same


def test_labels_share_the_probability_of_their_code() -> None:
    weights = np.exp(model()._answerer.log_prior(None, {"no-*": 0.6, "da": 0.2}))
    assert dict(zip(model().languages, weights.tolist(), strict=True)) == pytest.approx(
        {"dan_Latn": 0.2, "ell_Grek": 0.1, "nno_Latn": 0.3, "nob_Latn": 0.3, "spam": 0.1}
    )
    assert math.fsum(weights) == pytest.approx(1)
    usual = np.exp(model()._answerer.log_prior(None, {"no": 0.6, "nn": 0.3}))
    assert [usual[model().row_of(label)] for label in ("nob_Latn", "nno_Latn")] == pytest.approx([0.6, 0.3])


def test_a_prior_names_each_language_once() -> None:
    with pytest.raises(unilid.UnilidError, match="prior of nb names nob_Latn again"):
        model().identify("net", prior={"no": 0.5, "nb": 0.1})


def test_a_subset_takes_codes_in_the_order_given() -> None:
    assert model().subset(["el", "no-*", "nob_Latn"]).languages == ("ell_Grek", "nno_Latn", "nob_Latn")
    assert model().subset(["el", "no"]).languages == ("ell_Grek", "nob_Latn")
    assert model().remove_languages(["no", "spam"]).languages == ("dan_Latn", "ell_Grek", "nno_Latn")
    assert model().remove_languages(["no-*", "spam"]).languages == ("dan_Latn", "ell_Grek")


def test_every_use_of_an_unknown_code_is_an_error() -> None:
    for call in (
        model().rows_matching,
        lambda code: model().subset([code]),
        lambda code: model()._answerer.log_prior([code], None),
    ):
        with pytest.raises(unilid.UnknownLanguageError, match=r"'sv' \(Swedish\)"):
            call("sv")
    with pytest.raises(unilid.UnknownLanguageError, match="did you mean nob_Latn"):
        model().row_of("no")  # a row is one label


# ---- search


def entries() -> list[Entry]:
    return catalogue.entries(model().languages, model().lines.tolist(), model().info["labels"])


@pytest.mark.parametrize(
    ("query", "labels"),
    {
        "nb": ["nob_Latn"],
        "no": ["nno_Latn", "nob_Latn"],
        "norwegian": ["nno_Latn", "nob_Latn"],
        "BOKMAL": ["nob_Latn"],
        "ελληνικα": ["ell_Grek"],
        "latn": ["dan_Latn", "nno_Latn", "nob_Latn"],
        "spa": ["spam"],  # Spanish is not there
    }.items(),
)
def test_a_query_is_a_code_or_a_part_of_a_name(query: str, labels: list[str]) -> None:
    assert [entry.meaning.label for entry in catalogue.search(entries(), query)] == labels


def test_what_the_model_says_of_a_label_is_listed() -> None:
    listed = {entry.meaning.label: entry for entry in entries()}
    assert list(listed) == list(model().languages)
    assert (listed["nob_Latn"].lines, listed["nob_Latn"].f1) == (6, 0.98765)
    assert listed["nob_Latn"].sources == ("harbour", "roof")
    assert (listed["spam"].meaning.name, listed["spam"].f1, listed["spam"].sources) == ("spam", None, ())


# ---- what is shown


def shown(*queries: str, width: int = 120) -> str:
    written = StringIO()
    found = [entry for query in queries for entry in catalogue.search(entries(), query)]
    view.show(found or entries(), Console(width=width, file=written))
    return written.getvalue()


def test_one_label_is_explained_in_full() -> None:
    lines = dict(line.rstrip().split("  ", 1) for line in shown("nb").splitlines())
    assert {name: value.strip() for name, value in lines.items()} == {
        "label": "nob_Latn", "name": "Norwegian Bokmål", "own name": "norsk bokmål", "ISO 639-1": "nb",
        "ISO 639-2": "nob", "ISO 639-3": "nob", "BCP 47": "nb", "script": "Latn (Latin)",
        "macrolanguage": "nor (Norwegian)", "training lines": "6", "F1": "0.9877", "sources": "harbour, roof",
    }  # fmt: skip


def test_several_labels_are_a_table_without_empty_columns() -> None:
    header, *rows = shown().splitlines()
    assert " ".join(header.split()) == "label name own name ISO 639 BCP 47 script part of lines F1"
    assert [row.split()[0] for row in rows] == list(model().languages)
    assert "F1" not in shown("el", "spam")
    assert "part of" not in shown("el", "spam")


def test_a_narrow_terminal_has_a_line_for_each_label() -> None:
    header, *rows = shown(width=60).splitlines()
    assert "ISO 639" not in header
    assert "BCP 47" in header
    assert [row.split()[0] for row in rows] == list(model().languages)


# ---- the command


def test_a_pipe_gets_a_tsv_with_everything(path: Path) -> None:
    done = run("languages", "-m", path)
    header, *rows = [line.split("\t") for line in done.stdout.decode().splitlines()]
    assert (done.returncode, done.stderr) == (0, b"")
    assert [row[0] for row in rows] == list(model().languages)
    assert dict(zip(header, rows[3], strict=True)) == {
        "label": "nob_Latn", "code": "nob", "name": "Norwegian Bokmål", "autonym": "norsk bokmål", "iso639_1": "nb",
        "iso639_2": "nob", "iso639_3": "nob", "bcp47": "nb", "script": "Latn", "script_name": "Latin",
        "macrolanguage": "nor", "macrolanguage_name": "Norwegian", "training_lines": "6", "f1": "0.9877",
        "sources": "harbour, roof",
    }  # fmt: skip


def test_json_lines_hold_the_same(path: Path) -> None:
    done = run("languages", "-m", path, "--to", "jsonl", "no", "nn", "greek")
    records = [json.loads(line) for line in done.stdout.decode().splitlines()]
    assert [record["label"] for record in records] == ["nno_Latn", "nob_Latn", "ell_Grek"]
    assert records == [catalogue.search(entries(), record["label"])[0].record() for record in records]


@posix
def test_a_terminal_gets_the_table(path: Path) -> None:
    assert "training lines" in on_terminal("languages", "nb", "-m", path)


def test_the_table_can_be_asked_for(path: Path) -> None:
    assert "macrolanguage" in run("languages", "-m", path, "--to", "table", "nb").stdout.decode()
    assert "norsk nynorsk" in run("languages", "-m", path, "--to", "table", "no").stdout.decode()


def test_a_query_without_a_match_is_an_error_that_suggests_names(path: Path) -> None:
    for query, hint in {"danich": "dan_Latn (Danish)", "ελινικα": "ell_Grek", "tlh": "(Klingon)", "": "''"}.items():
        done = run("languages", "-m", path, "no", query)
        assert (done.returncode, done.stdout) == (2, b"")
        assert hint in done.stderr.decode()
        assert len(done.stderr.splitlines()) == 1


def test_what_a_model_says_of_every_label_is_no_part_of_its_description(path: Path) -> None:
    assert "labels" not in json.loads(run("info", "-m", path, "--to", "jsonl").stdout)


def test_every_option_that_takes_labels_takes_codes(path: Path, tmp_path: Path) -> None:
    asked = ["identify", "-m", path, "-t", "Hvorfor kommer bussen?", "--abstain", "no"]
    assert run(*asked, "-l", "nn,gre").stdout.startswith(b"nno_Latn\t")
    assert run(*asked, "--prior", "el=1").stdout.startswith(b"ell_Grek\t1.0000")
    assert run("subset", "no-*", "-m", path, "-o", tmp_path / "no.unilid").returncode == 0
    assert unilid.load(tmp_path / "no.unilid").languages == ("nno_Latn", "nob_Latn")
    assert run("subset", "no-*", "--remove", "-m", path, "-o", tmp_path / "rest.unilid").returncode == 0
    assert unilid.load(tmp_path / "rest.unilid").languages == ("dan_Latn", "ell_Grek", "spam")
