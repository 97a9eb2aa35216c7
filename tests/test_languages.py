"""Languages by any of their codes, and the command that lists, searches and explains them."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from dataclasses import replace
from functools import cache
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers import CORPUS
from rich.console import Console

import unilid
from unilid import Model, catalogue
from unilid.codes import Index

LABELS = (
    "ara_Arab", "arz_Arab", "cmn_Hans", "cmn_Hant", "deu_Latn", "est_Latn", "heb_Hebr", "hrv_Latn", "ind_Latn",
    "jav_Latn", "kor_Hang", "nno_Latn", "nob_Latn", "por_Latn", "qqq_Latn", "ron_Latn", "srp_Cyrl", "srp_Latn",
    "swh_Latn", "yue_Hant", "zsm_Latn",
)  # fmt: skip


def found(code: str, labels: tuple[str, ...] = LABELS) -> list[str]:
    return [labels[row] for row in Index(labels).rows(code)]


# ---- codes


@pytest.mark.parametrize("label", LABELS)
def test_a_label_stands_for_itself(label: str) -> None:
    assert found(label) == [label]


@pytest.mark.parametrize(
    ("code", "label"),
    {
        "de": "deu_Latn", "ger": "deu_Latn", "deu": "deu_Latn", "DE": "deu_Latn", "DEU_LATN": "deu_Latn",
        "iw": "heb_Hebr", "in": "ind_Latn", "jw": "jav_Latn", "mo": "ron_Latn", "mol": "ron_Latn", "rum": "ron_Latn",
        "nb": "nob_Latn", "qqq": "qqq_Latn", "zh-yue": "yue_Hant",
    }.items(),
)  # fmt: skip
def test_a_code_of_any_part_of_iso_639_stands_for_the_label(code: str, label: str) -> None:
    assert found(code) == [label]


@pytest.mark.parametrize(
    ("code", "labels"),
    {
        "sr": ["srp_Cyrl", "srp_Latn"],
        "sr-Cyrl": ["srp_Cyrl"],
        "SR_latn": ["srp_Latn"],
        "sr-Latn-ME": ["srp_Latn"],
        "pt-BR": ["por_Latn"],
        "cmn-Hant": ["cmn_Hant"],
        "cmn-Hani": ["cmn_Hans", "cmn_Hant"],
        "ko-Kore": ["kor_Hang"],
        "de-DE-u-co-phonebk": ["deu_Latn"],
    }.items(),
)
def test_a_tag_stands_for_its_script_and_in_any_region(code: str, labels: list[str]) -> None:
    assert found(code) == labels


@pytest.mark.parametrize(
    ("code", "labels"),
    {
        "ar": ["ara_Arab", "arz_Arab"],
        "zh": ["cmn_Hans", "cmn_Hant", "yue_Hant"],
        "chi": ["cmn_Hans", "cmn_Hant", "yue_Hant"],
        "zh-Hant": ["cmn_Hant", "yue_Hant"],
        "no": ["nno_Latn", "nob_Latn"],
        "ms": ["ind_Latn", "zsm_Latn"],
        "sw": ["swh_Latn"],
        "sh": ["hrv_Latn", "srp_Cyrl", "srp_Latn"],
        "sh-Latn": ["hrv_Latn", "srp_Latn"],
    }.items(),
)
def test_a_macrolanguage_stands_for_its_members(code: str, labels: list[str]) -> None:
    assert found(code) == labels


@pytest.mark.parametrize(
    ("code", "labels"),
    {"et": ["est_Latn"], "est": ["est_Latn"], "ekk": ["est_Latn"], "arb": ["ara_Arab"], "arz": ["arz_Arab"]}.items(),
)
def test_a_member_without_a_label_stands_for_the_macrolanguage(code: str, labels: list[str]) -> None:
    assert found(code) == labels


def test_a_label_wins_over_what_it_means_as_a_code() -> None:
    dialects = ("PT-BR", "PT-PT", "no", "nob_Latn", "in")
    assert found("PT-BR", dialects) == ["PT-BR"]
    assert found("pt-br", dialects) == found("por_BR", dialects) == ["PT-BR"]
    assert found("pt", dialects) == found("pt-AO", dialects) == ["PT-BR", "PT-PT"]
    assert found("no", dialects) == ["no"]
    assert found("nor", dialects) == ["no", "nob_Latn"]
    assert found("in", dialects) == found("id", dialects) == ["in"]
    assert found("pt-BR", ("PT-PT", "por_Latn")) == ["por_Latn"]


def test_a_label_without_a_script_is_taken_for_any() -> None:
    assert found("sr-Cyrl", ("srp",)) == ["srp"]
    assert found("sr-Cyrl", ("srp", "srp_Cyrl")) == ["srp_Cyrl"]
    assert found("zh-Hant", ("cmn_Hani",)) == ["cmn_Hani"]


@pytest.mark.parametrize(
    "code", ["tlh", "deu_Grek", "deu_Lat", "ekk-Cyrl", "ca-valencia", "de-1996", "german", "", "?", 7]
)
def test_a_code_may_stand_for_nothing(code: Any) -> None:
    assert found(code) == []


@pytest.mark.parametrize(
    ("code", "sentence"),
    {
        "deu_Lat": "'deu_Lat'; did you mean deu_Latn (German)?",
        "german": "'german'; did you mean deu_Latn (German)?",
        "sr-Grek": "'sr-Grek' (Serbian); did you mean srp_Cyrl (Serbian) or srp_Latn (Serbian)?",
        "tlh_Latn": "'tlh_Latn' (Klingon); `unilid languages` lists what it knows",
        "?": "'?'; `unilid languages` lists what it knows",
        7: "7; `unilid languages` lists what it knows",
    }.items(),
)
def test_what_stands_for_nothing_is_named_with_what_may_be_meant(code: Any, sentence: str) -> None:
    assert str(Index(LABELS).unknown(code)) == f"the model does not know the language {sentence}"


# ---- models


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
    ranked = model().identify("Hvorfor kommer bussen?", k=5, languages=["no", "gre"], abstain=False)
    assert sorted(p.label for p in ranked) == ["ell_Grek", "nno_Latn", "nob_Latn"]
    assert {p.macrolanguage for p in ranked} == {"nor", None}
    same = model().identify("Hvorfor kommer bussen?", k=5, languages=["nob", "nn", "ell_Grek"], abstain=False)
    assert ranked == same


def test_labels_share_the_probability_of_their_code() -> None:
    weights = np.exp(model().log_prior(None, {"no": 0.6, "da": 0.2}))
    assert dict(zip(model().languages, weights.tolist(), strict=True)) == pytest.approx(
        {"dan_Latn": 0.2, "ell_Grek": 0.1, "nno_Latn": 0.3, "nob_Latn": 0.3, "spam": 0.1}
    )
    assert math.fsum(weights) == pytest.approx(1)


def test_a_prior_names_each_language_once() -> None:
    with pytest.raises(unilid.UnilidError, match="prior of nb names nob_Latn again"):
        model().identify("net", prior={"no": 0.5, "nb": 0.1})


def test_a_subset_takes_codes_in_the_order_given() -> None:
    assert model().subset(["el", "no", "nob_Latn"]).languages == ("ell_Grek", "nno_Latn", "nob_Latn")
    assert model().remove_languages(["no", "spam"]).languages == ("dan_Latn", "ell_Grek")


def test_every_use_of_an_unknown_code_is_an_error() -> None:
    for call in (model().rows, lambda code: model().subset([code]), lambda code: model().log_prior([code], None)):
        with pytest.raises(unilid.UnknownLanguageError, match=r"'sv' \(Swedish\)"):
            call("sv")
    with pytest.raises(unilid.UnknownLanguageError, match="did you mean nno_Latn"):
        model().row("no")  # a row is one label


# ---- search


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
    assert [entry.meaning.label for entry in catalogue.search(model(), query)] == labels


def test_what_the_model_says_of_a_label_is_listed() -> None:
    entries = {entry.meaning.label: entry for entry in catalogue.entries(model())}
    assert list(entries) == list(model().languages)
    assert (entries["nob_Latn"].lines, entries["nob_Latn"].f1) == (6, 0.98765)
    assert entries["nob_Latn"].sources == ("harbour", "roof")
    assert (entries["spam"].meaning.name, entries["spam"].f1, entries["spam"].sources) == ("spam", None, ())


# ---- the command


def command(*arguments: object) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-m", "unilid.cli", *map(str, arguments)]
    return subprocess.run(words, capture_output=True, encoding="utf-8", timeout=60)


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    return command("languages", *arguments)


def test_a_pipe_gets_a_tsv_with_everything(path: Path) -> None:
    done = run("-m", path)
    header, *rows = [line.split("\t") for line in done.stdout.splitlines()]
    assert (done.returncode, done.stderr) == (0, "")
    assert [row[0] for row in rows] == list(model().languages)
    assert dict(zip(header, rows[3], strict=True)) == {
        "label": "nob_Latn", "language": "nob", "name": "Norwegian Bokmål", "autonym": "norsk bokmål", "iso639_1": "nb",
        "iso639_2": "nob", "iso639_3": "nob", "bcp47": "nb", "script": "Latn", "script_name": "Latin",
        "macrolanguage": "nor", "macrolanguage_name": "Norwegian", "training_lines": "6", "f1": "0.9877",
        "sources": "harbour, roof",
    }  # fmt: skip


def test_json_lines_hold_the_same(path: Path) -> None:
    done = run("-m", path, "-o", "jsonl", "no", "nn", "greek")
    records = [json.loads(line) for line in done.stdout.splitlines()]
    assert [record["label"] for record in records] == ["nno_Latn", "nob_Latn", "ell_Grek"]
    assert records == [catalogue.search(model(), record["label"])[0].record() for record in records]


def shown(*queries: str, width: int = 120) -> str:
    written = StringIO()
    entries = [entry for query in queries for entry in catalogue.search(model(), query)]
    catalogue.show(entries or catalogue.entries(model()), Console(width=width, file=written))
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
    assert "F1" not in shown("el", "spam") and "part of" not in shown("el", "spam")


def test_a_narrow_terminal_has_a_line_for_each_label() -> None:
    header, *rows = shown(width=60).splitlines()
    assert "ISO 639" not in header and "BCP 47" in header
    assert [row.split()[0] for row in rows] == list(model().languages)


@pytest.mark.skipif(sys.platform == "win32", reason="terminals of POSIX")
def test_a_terminal_gets_the_table(path: Path) -> None:
    import pty

    reader, writer = pty.openpty()
    words = [sys.executable, "-m", "unilid.cli", "languages", "nb", "-m", str(path)]
    assert subprocess.run(words, stdout=writer, timeout=60).returncode == 0
    os.close(writer)
    assert "training lines" in os.read(reader, 10_000).decode()
    os.close(reader)


def test_the_table_can_be_asked_for(path: Path) -> None:
    assert "macrolanguage" in run("-m", path, "-o", "table", "nb").stdout
    assert "norsk nynorsk" in run("-m", path, "-o", "table", "no").stdout


def test_a_query_without_a_match_is_an_error_that_suggests_names(path: Path) -> None:
    for query, hint in {"danich": "dan_Latn (Danish)", "ελινικα": "ell_Grek", "tlh": "(Klingon)", "": "''"}.items():
        done = run("-m", path, "no", query)
        assert (done.returncode, done.stdout) == (2, "")
        assert hint in done.stderr and len(done.stderr.splitlines()) == 1


def test_what_a_model_says_of_every_label_is_no_part_of_its_description(path: Path) -> None:
    assert "labels" not in json.loads(command("info", "-m", path, "-o", "jsonl").stdout)


def test_every_option_that_takes_labels_takes_codes(path: Path, tmp_path: Path) -> None:
    asked = ["identify", "-m", path, "-t", "Hvorfor kommer bussen?", "--abstain", "no"]
    assert command(*asked, "-l", "nn,gre").stdout.startswith("nno_Latn\t")
    assert command(*asked, "--prior", "el=1").stdout.startswith("ell_Grek\t1.0000")
    assert command("subset", "no", "-m", path, "-o", tmp_path / "no.unilid").returncode == 0
    assert unilid.load(tmp_path / "no.unilid").languages == ("nno_Latn", "nob_Latn")
    assert command("subset", "no", "--remove", "-m", path, "-o", tmp_path / "rest.unilid").returncode == 0
    assert unilid.load(tmp_path / "rest.unilid").languages == ("dan_Latn", "ell_Grek", "spam")
