"""Languages that are added are measured on lines that were held out, of which no copy was learned."""

from __future__ import annotations

from support.adapters import compact
from support.sentences import SENTENCES

from unilid.training.addition import Addition, add


def measured(lines: list[str], label: str = "xxx_Latn") -> Addition:
    _, [addition] = add(compact(), {label: lines})
    return addition


ENGLISH = SENTENCES["eng_Latn"].splitlines()


def test_lines_that_are_given_twice_are_held_out_once_and_not_learned() -> None:
    """What is English for the model stays so, unless the very lines that are asked for were learned."""
    lines = list(dict.fromkeys(ENGLISH))
    once, twice = measured(lines), measured([*lines, *lines])
    assert (twice.lines, twice.held_out) == (2 * len(lines), once.held_out)
    assert (twice.right, twice.taken_for) == (once.right, once.taken_for)


def test_of_copies_of_a_few_lines_nothing_is_held_out() -> None:
    addition = measured(["Kalimera, ti kaneis simera?", "Pou einai o stathmos?"] * 10)
    assert (addition.lines, addition.held_out, addition.right) == (20, 0, 0)


def test_what_text_of_a_language_costs_is_not_told_from_lines_that_were_learned() -> None:
    lines = list(dict.fromkeys(SENTENCES["deu_Latn"].splitlines()))
    usual = []
    for own in (lines, lines + lines):
        rejection = compact().add_language("xxx_Latn", own).decisions.rejection
        assert rejection is not None
        usual.append(rejection.usual[-1])
    once, twice = usual
    assert 0.9 * once < twice < 1.1 * once


def test_a_label_that_may_not_be_right_is_told_from_python_too() -> None:
    lines = SENTENCES["deu_Latn"].splitlines()
    usual, doubtful = measured(lines), measured(lines, "de_Cyrl")
    assert (usual.known_as, usual.in_another_script) == ((), False)
    assert (doubtful.known_as, doubtful.in_another_script) == ((), True)
    assert measured(lines, "de").known_as == ("deu_Latn",)
