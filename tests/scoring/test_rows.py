"""Costs are computed over the languages of a word's script alone, which changes no bit."""

from __future__ import annotations

from functools import cache
from random import Random

import pytest
from support.sentences import SENTENCES

import unilid
from unilid.model import Model
from unilid.models.scripts import grouped

SCRIPTS = {"Latn": ("deu_Latn", 150), "Cyrl": ("rus_Cyrl", 70), "Grek": ("ell_Grek", 5)}
"""A language of each script, and how many there are to be."""


def lines_of(label: str) -> list[str]:
    return SENTENCES[label].splitlines()


def in_another_alphabet(line: str, key: int) -> str:
    """Exchange letters for others of the same script; 0: none."""
    for alphabet in ("abcdefghijklmnopqrstuvwxyz", "абвгдежзийклмнопрстуфхцчшщъыьэюя", "αβγδεζηθικλμνξοπρστυφχψω"):
        others = "".join(Random(key).sample(alphabet, len(alphabet))) if key else alphabet
        line = line.lower().translate(str.maketrans(alphabet, others))
    return line


@cache
def models() -> tuple[Model, Model]:
    """Return a model whose languages are grouped by script, and the same in an order that is not."""
    corpus = {
        f"{label[:3]}{key:03}": [in_another_alphabet(line, key) for line in lines_of(label)[key % 4 :]]
        for label, count in SCRIPTS.values()
        for key in range(count)
    }
    grouped_model = unilid.train(corpus, scripts=True, lexicon=50, tune=False)
    shuffled = list(grouped_model.languages)
    Random(1).shuffle(shuffled)
    return grouped_model, grouped_model.subset(shuffled)


def texts() -> list[str]:
    draw = Random(2)
    lines = {name: lines_of(label) for name, (label, _) in SCRIPTS.items()}
    single = [in_another_alphabet(draw.choice(lines[name]), draw.randrange(9)) for name in SCRIPTS for _ in range(15)]
    mixed = [" ".join(draw.choice(lines[name]) for name in draw.choices(list(SCRIPTS), k=3)) for _ in range(15)]
    other = [
        "東京行きの電車",
        "東京 der Zug",
        "123 , 45",
        "don't l'été",
        "",
        "ʻa",
        "Zug 東京 поезд το τρένο",
        "a" * 70 + " Zug",
    ]
    documents = [" ".join(lines[name] * 3) for name in SCRIPTS] + [" ".join(lines["Latn"] + lines["Cyrl"])]
    long = [" ".join(lines["Grek"] * 6 + lines["Cyrl"] * 2 + ["东京"])]  # more words than sums of 16 bits have room for
    return single + mixed + other + documents + long


def test_languages_of_a_script_stand_together_and_the_largest_script_last() -> None:
    ordered, shuffled = models()
    names = [own[0] for own in ordered.parameters.scripts or ()]
    assert names == ["Grek"] * 5 + ["Cyrl"] * 70 + ["Latn"] * 150
    assert grouped(shuffled.parameters.scripts) != list(range(225))


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"abstain": False},
        {"prior": None, "budget": None},
        {"languages": ["ell000", "rus003", "rus004", "deu001"]},
        {"languages": ["ell000", "ell001"]},
    ],
    ids=str,
)
def test_the_order_of_the_languages_changes_no_answer(options: dict[str, object]) -> None:
    ordered, shuffled = models()
    for k in (None, 1, 4, 225):
        answers = [model.identify(texts(), k=k, **options) for model in (ordered, shuffled)]  # type: ignore[call-overload]
        for text, one, other in zip(texts(), *answers, strict=True):
            ones, others = ([one], [other]) if k is None else (one, other)
            # Languages that cost the same stand in the order of their rows.
            assert [(p.score, p.reason) for p in ones] == [(p.score, p.reason) for p in others], text
            assert [p.probability for p in ones] == pytest.approx([p.probability for p in others], abs=1e-6)
            if k == 225 and len({p.score for p in ones}) == len(ones):
                assert [p.label for p in ones] == [p.label for p in others], text


def test_the_order_of_the_languages_changes_no_score_and_no_span() -> None:
    ordered, shuffled = models()
    place = [ordered.languages.index(label) for label in shuffled.languages]
    assert (ordered.scores(texts())[:, place] == shuffled.scores(texts())).all()
    for text in texts():
        if not text:
            continue
        one, other = (
            ordered.explain(text, "deu001", instead="rus002"),
            shuffled.explain(text, "deu001", instead="rus002"),
        )
        assert one.difference == other.difference
        one_span, other_span = ordered.spans(text, prior=None), shuffled.spans(text, prior=None)
        assert [s.start for s in one_span] == [s.start for s in other_span]


def test_a_language_that_is_added_behind_the_others_is_found() -> None:
    ordered, _ = models()
    lines = [in_another_alphabet(line, 17) for line in lines_of("ell_Grek")]
    model = ordered.add_language("new_Grek", lines)
    assert model.identify(lines[5], languages=["new_Grek", "ell000", "deu000"]).label == "new_Grek"
    assert model.identify(lines_of("rus_Cyrl")[0]).label == ordered.identify(lines_of("rus_Cyrl")[0]).label
