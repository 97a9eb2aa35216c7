"""The models in the package, on sentences written here."""

from __future__ import annotations

import csv
import json
from functools import cache
from pathlib import Path

import pytest
from support.sentences import SENTENCES

import unilid
from unilid.languages import labels
from unilid.model import Model

ROOT = Path(__file__).parents[2]
FORMS = ["default", "compact"]


@cache
def model(form: str) -> Model:
    return unilid.load(None if form == "default" else form)


def table(name: str) -> list[dict[str, str]]:
    with (ROOT / "recipes/default" / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


@pytest.mark.parametrize(("form", "most", "few"), [("default", 48e6, 3), ("compact", 10e6, 8)])
def test_sentences_of_large_languages_are_recognised(form: str, most: float, few: int) -> None:
    found = model(form)
    assert found.path is not None
    assert found.path.stat().st_size <= most
    lines = [(label, line) for label, text in SENTENCES.items() for line in text.splitlines()]
    answers = found.identify([line for _, line in lines])
    wrong = [(label, answer.label) for (label, _), answer in zip(lines, answers, strict=True) if answer.label != label]
    assert len(wrong) <= few, wrong


@pytest.mark.parametrize("form", FORMS)
def test_every_label_has_a_name_a_source_and_an_f1(form: str) -> None:
    said = model(form).info["labels"]
    for label in model(form).languages:
        assert labels.meaning(label).name != label
        assert said[label]["sources"], label
        assert 0 <= said[label]["f1"] <= 1, label


def test_labels_that_are_hard_to_find_are_explained() -> None:
    hard = {label for label, said in model("default").info["labels"].items() if said["f1"] < 0.3}
    assert hard <= {row["label"] for row in table("explained.tsv")}


def test_merged_and_dropped_labels_are_not_there_and_have_a_reason() -> None:
    known = set(model("default").languages)
    for row in table("labels.tsv"):
        assert row["reason"]
        assert ":" in row["label"] or row["label"] not in known
        assert not row["instead"] or row["instead"] in known


def test_the_card_is_of_these_models_and_short() -> None:
    card = (ROOT / "MODEL_CARD.md").read_text(encoding="utf-8")
    for form in FORMS:
        path = model(form).path
        assert path is not None
        assert f"{path.stat().st_size / 1e6:.1f} MB" in card
    assert len(card.splitlines()) < 120
    rows = (ROOT / "docs/labels.md").read_text(encoding="utf-8").split("## All labels", 1)[1]
    assert [label for label in model("default").languages if f"\n| {label} " not in rows] == []


def test_the_pages_are_what_the_recipe_writes_of_these_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "recipes/default")
    import card

    figures = json.loads((ROOT / "recipes/default/figures.json").read_text(encoding="utf-8"))
    for page in card.write(tmp_path, model("default"), model("compact"), figures):
        assert page.read_text(encoding="utf-8") == (ROOT / page.relative_to(tmp_path)).read_text(encoding="utf-8")


def test_a_language_that_is_added_is_found_and_the_others_stay() -> None:
    lines = (ROOT / "docs/examples/greeklish.txt").read_text().splitlines()
    before = model("default")
    after = before.add_language("ell_Latn", lines[:20])
    assert all(answer.label == "ell_Latn" for answer in after.identify(lines[20:]))
    texts = [text.splitlines()[0] for text in SENTENCES.values()]
    assert [p.label for p in after.identify(texts)] == [p.label for p in before.identify(texts)]


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Hello", "eng_Latn"),
        ("Hi there", "eng_Latn"),
        ("Bonjour", "fra_Latn"),
        ("hola", "spa_Latn"),
        ("नमस्ते", "hin_Deva"),
        ("Danke", "deu_Latn"),
        ("你好", "cmn"),
        ("<p>Hello world</p>", "eng_Latn"),
        ("<p>Wo ist der Bahnhof?</p>", "deu_Latn"),
        ('{"name": "John", "age": 30}', "zxx"),
        ("😂😂", "zxx"),
        ("ꠡꠤꠟꠦꠐꠤ", "und"),  # a script that no label has
    ],
)
def test_what_people_try_first(text: str, label: str) -> None:
    answer = model("default").identify(text)
    assert answer.label.startswith(label), answer


@pytest.mark.parametrize("text", ["WhatsApp", "Samsung Galaxy S24 Ultra", "Netflix", "iPhone", "齉"])
def test_names_are_no_rare_language(text: str) -> None:
    answer = model("default").identify(text)
    assert answer.label == "und" or answer.label in SENTENCES or answer.probability < 0.5, answer


@pytest.mark.parametrize("form", FORMS)
def test_there_are_no_tokens_to_ask_for(form: str) -> None:
    with pytest.raises(unilid.UnilidError, match="no tokens"):
        model(form).segment("Guten Tag", "deu_Latn")
    with pytest.raises(unilid.UnilidError, match="no tokens"):
        model(form).scores(["Guten Tag"], marginal=True)
