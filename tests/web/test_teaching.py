"""A language that JavaScript is taught is the one that Python is taught: the file has the same bytes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.adapters import compact
from support.corpora import text_of_all
from support.node import ask, error_of, needs_node
from support.sentences import SENTENCES
from support.web import COMPACT, WEB_MODELS
from support.web_texts import texts

import unilid

pytestmark = needs_node

GREEK = ["Kalimera, ti kaneis simera?", "Pou einai o stathmos?", "Tha ithela enan kafe kai ligo nero."]
LESSONS = {
    "few lines": GREEK,
    "some lines": [*GREEK * 3, "Den xero tipota.", "Pame mia volta.", "Ti ora einai?", "12:30", "", "ΑΒΓ αβγ abg"],
    "a known language": SENTENCES["nld_Latn"].splitlines() * 4,
    "several scripts": [*SENTENCES["jpn_Jpan"].splitlines(), *SENTENCES["rus_Cyrl"].splitlines()],
    "new characters": ["𐌰𐍄𐍄𐌰 𐌿𐌽𐍃𐌰𐍂 𐌸𐌿", "𐌹𐌽 𐌷𐌹𐌼𐌹𐌽𐌰𐌼 𐍅𐌴𐌹𐌷𐌽𐌰𐌹", "caf\udce9 \udce9\udce8", "\ud800 x \udfff"],
}


@pytest.mark.parametrize("lines", LESSONS.values(), ids=LESSONS)
def test_what_is_taught_is_saved_as_python_saves_it(lines: list[str], tmp_path: Path) -> None:
    many = [*texts(80, seed=2), *lines]
    taught = compact().add_language("xxx_Latn", lines)
    _, answers, _, _, before = ask(
        COMPACT,
        ("teach", "xxx_Latn", lines),
        ("identify", many, {"k": 2}),
        ("write", str(tmp_path / "taught.unilid")),
        ("back",),
        ("identify", many),
    )
    assert (tmp_path / "taught.unilid").read_bytes() == taught.to_bytes()
    assert answers == [[answer._asdict() for answer in ranked] for ranked in taught.identify(many, k=2)]
    assert unilid.load(tmp_path / "taught.unilid").identify(lines[0]) == taught.identify(lines[0])
    assert before == [answer._asdict() for answer in compact().identify(many)]  # the old model is untouched


@pytest.mark.parametrize("name", WEB_MODELS)
def test_every_form_of_a_model_can_be_taught(name: str, tmp_path: Path) -> None:
    model = WEB_MODELS[name]().save(tmp_path / "model.unilid")
    lines = [line.replace("e", "u") for lines in text_of_all(80, seed=3).values() for line in lines]
    taught = model.add_language("new", lines)
    many = [*texts(60, seed=4), *lines[::20]]
    _, answers, _ = ask(
        tmp_path / "model.unilid",
        ("teach", "new", lines),
        ("identify", many, {"k": 3}),
        ("write", str(tmp_path / "taught.unilid")),
    )
    assert (tmp_path / "taught.unilid").read_bytes() == taught.to_bytes()
    assert answers == [[answer._asdict() for answer in ranked] for ranked in taught.identify(many, k=3)]


def test_two_languages_can_be_taught_one_after_the_other(tmp_path: Path) -> None:
    first, second = GREEK, ["Mi moku e kili suli.", "Sina pona tawa mi.", "Jan ali li kama sona."]
    taught = compact().add_language("ell_Latn", first).add_language("tok_new", second)
    ask(COMPACT, ("teach", "ell_Latn", first), ("teach", "tok_new", second), ("write", str(tmp_path / "two")))
    assert (tmp_path / "two").read_bytes() == taught.to_bytes()


def test_saving_gives_back_the_file_that_was_loaded(tmp_path: Path) -> None:
    ask(COMPACT, ("write", str(tmp_path / "copy")))
    assert (tmp_path / "copy").read_bytes() == COMPACT.read_bytes()


@pytest.mark.parametrize(
    ("label", "lines", "said"),
    [
        ("deu_Latn", GREEK, "knows deu_Latn already"),
        ("zxx", GREEK, "cannot be a label"),
        ("a b", GREEK, "whitespace"),
        ("", GREEK, "is empty"),
        ("new", [], "no lines to learn from"),
        ("new", "Kalimera", "must be a list of texts"),
        ("new", None, "must be a list of texts"),
        ("new", [5], "a line is a string"),
        ("new", ["https://example.org"], "no usable text"),
    ],
)
def test_what_cannot_be_taught_is_refused_with_a_sentence(label: str, lines: Any, said: str) -> None:
    name, message = error_of(COMPACT, "addLanguage", label, lines)
    assert name == "UnilidError"
    assert said in message
