"""The prior of the default model: how much is written in each language, as far as its speakers and our text tell."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

import corpora
import numpy as np
import numpy.typing as npt

from unilid.languages.iso639 import iso_language
from unilid.languages.labels import split
from unilid.languages.usual import WIDER, usual_languages, usual_scripts

FILE = "speakers/linguameta.tsv"
LICENCE, ATTRIBUTION = "CC BY-SA 4.0", "LinguaMeta, Google Research"
SPEAKERS_POWER = 0.35
LINES_POWER = 0.35
"""The prior grows with the speakers of a language and with its lines of running text, by these powers. Chosen on
held-out lines cut to one, two and four words, with the loss on whole lines of all labels at most .003 of macro F1."""
SPEAKERS_LEAST = 10_000
LINES_LEAST = 300
"""Fewer count as so many: how few they are says little, and nothing where it is unknown."""
UNUSUAL_SCRIPT = 0.01
"""The share of the speakers who write a language in a script that is not its usual one."""
UNDER_A_ROOF = 0.02
"""At most so much of the prior of the standard language above it."""


def read_speakers(path: Path) -> dict[str, float]:
    """Return the number of speakers by ISO 639-3 code."""
    with path.open(encoding="utf-8", newline="") as file:
        return {
            row["iso639_3"]: float(row["speakers"]) for row in csv.DictReader(file, delimiter="\t") if row["speakers"]
        }


def speakers_of(label: str, speakers: Mapping[str, float]) -> float:
    """Return the number of people who may write in a label's language and script."""
    code, script = split(label)
    language = iso_language(code)
    codes = [code, *usual_languages(code)]
    if language is not None and language.macrolanguage and code in usual_languages(language.macrolanguage):
        codes.append(language.macrolanguage)
    usual = usual_scripts(code)
    is_usual = not usual or script in usual or WIDER.get(script or "") in usual
    return max(speakers.get(each, 0.0) for each in codes) * (1 if is_usual else UNUSUAL_SCRIPT)


def prior_of(
    labels: Sequence[str], lines: npt.NDArray[np.int64], speakers: Mapping[str, float]
) -> npt.NDArray[np.float64]:
    """Return the prior of each label."""
    spoken = np.array([speakers_of(label, speakers) for label in labels])
    shares = np.maximum(spoken, SPEAKERS_LEAST) ** SPEAKERS_POWER * np.maximum(lines, LINES_LEAST) ** LINES_POWER
    place = {label: row for row, label in enumerate(labels)}
    for label, roof in corpora.roofs():
        if label in place and roof in place:
            shares[place[label]] = min(shares[place[label]], shares[place[roof]] * UNDER_A_ROOF)
    return np.asarray(shares / shares.sum())
