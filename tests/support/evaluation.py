"""Lines with true labels and answers, for the tests of evaluations; and answers of two systems."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

from unilid.evaluation.metrics import Report, Tally


class Line(NamedTuple):
    truth: str
    answer: str
    length: int = 30
    thousandths: int | None = None
    """The probability: whole numbers know their bin without rounding."""


TRUTHS = ["deu_Latn", "eng_Latn", "srp_Latn", "srp_Cyrl", "rus_Cyrl", "tok"]

STRANGERS = ["und", "zxx", "xyz_Latn", "rus"]

EDGES = [0, 19, 20, 39, 40, 79, 80, 159, 160, 319, 320, 100_000]

a_line = st.one_of(
    st.builds(
        Line,
        st.sampled_from(TRUTHS),
        st.sampled_from(TRUTHS + STRANGERS),
        st.sampled_from(EDGES),
        st.none() | st.integers(0, 1000),
    ),
    st.sampled_from(TRUTHS).map(lambda label: Line(label, label)),
)

some_lines = st.lists(a_line, min_size=1, max_size=60)

training = st.dictionaries(
    st.sampled_from(TRUTHS + STRANGERS),
    st.sampled_from([0, 1, 499, 500, 999, 1_000, 11_999, 12_000, 17_999, 18_000, 34_999, 35_000, 10**7]),
)


def tallied(lines: Sequence[Line], relabel: Callable[[str], str] | None = None) -> Tally:
    tally = Tally(relabel)
    for line in lines:
        probability = None if line.thousandths is None else line.thousandths / 1000
        tally.add(line.truth, line.answer, line.length, probability)
    return tally


def pair_of_reports(labels: int, seed: int) -> tuple[Report, Report]:
    random = np.random.default_rng(seed)
    names = [f"l{number:02}_Latn" for number in range(labels)]
    found = []
    for share in (0.6, 0.7):
        lines = [Line(name, name if random.random() < share else random.choice(names)) for name in names * 8]
        found.append(tallied(lines).report())
    return found[0], found[1]


def flat(value: Any, path: str = "") -> dict[str, Any]:
    """Every figure by where it stands."""
    if isinstance(value, dict | list):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        parts = [flat(item, f"{path}/{name}") for name, item in items]
        return {f"{path}/size": len(parts)} | {name: item for part in parts for name, item in part.items()}
    return {path: value}


HOSTILE = ["<b>", "a&b", "x|y", '"q"', "'", "</table>", "[/b]", "[red]", "\\", "]]>", "日本語", "&lt;", "--", ":bug:"]

HOSTILE_LINES = [
    Line(truth, answer, length, thousandths)
    for number, truth in enumerate(HOSTILE)
    for answer, length, thousandths in ((truth, 10, 900), (HOSTILE[number - 1], 50, 400), ("<i>", 400, None))
]
