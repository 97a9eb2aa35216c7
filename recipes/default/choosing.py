"""Print what other ways to learn corrections give, on held-out lines of the measured build.

    python recipes/default/choosing.py [--data DIR] [--work DIR] [--threads N]

Accuracy of the default form: about as many lines of each label, lines in natural proportions, and the first word
and the first two words of these; macro F1 in natural proportions. No test set is read.
"""

from __future__ import annotations

from collections.abc import Mapping

import build
import corrections
from corrections import Way

from unilid.model import Model
from unilid.training.lessons import Lessons

WAYS = {
    "as chosen": Way(),
    "none of the prior": Way(prior=0.0),
    "half of the prior": Way(prior=0.5),
    "all of the prior": Way(prior=1.0),
    "all of what was learned": Way(share=1.0),
    "half as many lines": Way(lines=Way.lines // 2),
    "whole lines alone": Way(cut_every=None),
    "as many lines of each label": Way(lines=0),
}


def main() -> None:
    """Print a row for each way."""
    options = build.options(__doc__)
    material = build.Material("measured", options.data, options.work, options.threads)
    plain = material.estimated("kept", material.kept)[0]
    _, words = material.counted("kept", material.kept)
    folds = list(material.folds())
    print("| way | lines of each label | natural proportions | macro F1 | one word | two words |")
    print("| --- | --- | --- | --- | --- | --- |")
    print(row("no corrections", plain, material, options.threads))
    of_lines: dict[object, Lessons] = {}
    for name, way in WAYS.items():
        lines = way.lines, way.least, way.cut_every
        if lines not in of_lines:
            of_lines = {lines: corrections.lessons(material.kept, plain, folds, threads=options.threads, way=way)}
        learned = corrections.learned(plain, of_lines[lines], way)
        model = corrections.corrected(plain, plain, learned, words, threads=options.threads, way=way)
        print(row(name, model, material, options.threads), flush=True)


def row(name: str, model: Model, material: build.Material, threads: int) -> str:
    """Return a row of the table."""
    held = material.held
    even, natural = (build.measured(model, lines, threads) for lines in (held.even, held.natural))
    words = [build.measured(model, first_words(held.natural, count), threads).accuracy for count in (1, 2)]
    figures = (even.accuracy, natural.accuracy, natural.macro.f1, *words)
    return f"| {name} | " + " | ".join(f"{figure:.4f}" for figure in figures) + " |"


def first_words(lines: Mapping[str, list[bytes]], count: int) -> dict[str, list[bytes]]:
    """Return the first words of each line."""
    return {label: [b" ".join(line.split(b" ")[:count]) for line in own] for label, own in lines.items()}


if __name__ == "__main__":
    main()
