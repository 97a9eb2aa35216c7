"""Draw the figures of the page "How it works" from the model in the package and, of tokens, from a small one.

python docs/figures.py [FOLDER]
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path

import unilid
from unilid.evaluation.plots import COLOURS, FAINT, TEXT
from unilid.model import Model
from unilid.models.costs import STEP

SMALL, TOKENS = Path(__file__).parent / "examples/two_languages.tsv", 600
WORD, LANGUAGE = "machen", "deu_Latn"
SENTENCE = "Wo ist der nächste Bahnhof"
LANGUAGES = ("deu_Latn", "nld_Latn", "swe_Latn", "eng_Latn")
CLOSE = "Hva er klokka nå, min venn?"

STEP_WIDTH, MARGIN, HEIGHT_OF_AN_ARC = 64, 16, 60


def tokens_of(model: Model, word: bytes, language: str) -> Iterator[tuple[int, int, float]]:
    """Yield where the tokens that a language uses begin and end in a word, and their costs in nats."""
    row = model.row_of(language)
    table = model.parameters.unigram
    for begin in range(len(word)):
        for prefix in model.vocabulary.kernel.prefixes(word[begin:]):
            first, last = table.offsets[prefix.token], table.offsets[prefix.token + 1]
            for entry in range(first, last):
                if table.languages[entry] == row:
                    yield begin, begin + prefix.length, STEP * int(table.costs[entry])


def best_path(model: Model, word: str, language: str) -> set[tuple[int, int]]:
    """Return where the tokens of the most probable segmentation begin and end, the space before the word counted.

    `segment` counts in the text, where the first token begins at 0 with that space and without it.
    """
    ends = [segment.end + 1 for segment in model.segment(word, language)]
    return set(zip([0, *ends], ends, strict=False))


def lattice(model: Model, word: str, language: str) -> str:
    """Draw the ways through a word, the most probable one in colour."""
    text = f" {word}"
    ends = [len(text[:n].encode()) for n in range(len(text) + 1)]  # of characters, in bytes
    best = best_path(model, word, language)
    tokens = [
        (ends.index(begin), ends.index(end), cost, (begin, end) in best)
        for begin, end, cost in tokens_of(model, text.encode(), language)
        if begin in ends and end in ends  # a token may end inside a character
    ]
    width = 2 * MARGIN + STEP_WIDTH * len(text)
    base = 20 + round(max(_height(b - a) for a, b, _, _ in tokens) / 2)
    parts = [_text(MARGIN + STEP_WIDTH * (n + 0.5), base + 26, "␣" if c == " " else c, 18) for n, c in enumerate(text)]
    arcs: dict[bool, list[str]] = {False: [], True: []}  # the chosen ones lie on the others
    for a, b, cost, chosen in tokens:
        colour = COLOURS[0] if chosen else FAINT
        left, right = MARGIN + STEP_WIDTH * a, MARGIN + STEP_WIDTH * b
        up = _height(b - a)
        middle, top = (left + right) / 2, base - up / 2
        arcs[chosen] += [
            f'<path d="M{left} {base} Q{middle} {base - up:.1f} {right} {base}" fill="none" stroke="{colour}" '
            f'stroke-width="{2.5 if chosen else 1}"/>',
            f'<rect x="{middle - 12}" y="{top - 7:.1f}" width="24" height="14" fill="white"/>',
            _text(middle, top + 4.5, f"{cost:.1f}", 13, colour if chosen else TEXT),
        ]
    parts += arcs[False] + arcs[True]
    parts += [f'<circle cx="{MARGIN + STEP_WIDTH * n}" cy="{base}" r="4" fill="{TEXT}"/>' for n in range(len(text) + 1)]
    return _picture(width, base + 44, parts)


def _height(characters: int) -> float:
    """Return how far above the line the curve of an arc is drawn to; its top is at half of that."""
    return HEIGHT_OF_AN_ARC * float(characters**1.25)


def vectors(model: Model, sentence: str, languages: Sequence[str]) -> str:
    """Draw the costs of every word under some languages, and their sum."""
    words = sentence.split()
    rows = [model.row_of(language) for language in languages]
    costs = -model.scores(words)[:, rows]
    total = -model.scores([sentence])[0][rows]
    if not (costs.sum(axis=0) == total).all():
        raise SystemExit("the vector of a text is not the sum over its words")
    left, column, line = 110, 88, 30
    parts = []
    for number, language in enumerate(languages):
        parts.append(_text(left + column * (number + 0.5), 22, language, 12))
    for number, (word, row) in enumerate(zip([*words, "the text"], [*costs, total], strict=True)):
        y = 40 + line * number + (8 if number == len(words) else 0)
        parts.append(_text(left - 12, y + 19, word, 14, anchor="end", weight="bold" if number == len(words) else ""))
        for place, cost in enumerate(row):
            # The best is full of colour; what costs 12 nats more, nearly white.
            strength = max(0.06, 1 - (cost - row.min()) / 12)
            x = left + column * place
            parts.append(
                f'<rect x="{x + 2}" y="{y}" width="{column - 4}" height="{line - 3}" fill="{COLOURS[0]}" '
                f'fill-opacity="{strength:.2f}"/>'
            )
            parts.append(_text(x + column / 2, y + 18, f"{cost:.1f}", 12, "white" if strength > 0.6 else TEXT))
    return _picture(left + column * len(languages) + 10, 60 + line * (len(words) + 1), parts)


def _picture(width: float, height: float, parts: Sequence[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'font-family="sans-serif"><rect width="{width}" height="{height}" fill="white"/>{"".join(parts)}</svg>\n'
    )


def _text(
    x: float, y: float, written: str, size: int, colour: str = TEXT, anchor: str = "middle", weight: str = ""
) -> str:
    bold = f' font-weight="{weight}"' if weight else ""
    return (
        f'<text x="{x}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" fill="{colour}"{bold}>'
        f"{escape(written)}</text>"
    )


def main() -> None:
    """Write every figure into a folder."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "figures"
    folder.mkdir(exist_ok=True)
    model = unilid.load()
    small = unilid.train(SMALL, vocabulary=TOKENS, context=None)
    (folder / "lattice.svg").write_text(lattice(small, WORD, LANGUAGE), encoding="utf-8")
    (folder / "vectors.svg").write_text(vectors(model, SENTENCE, LANGUAGES), encoding="utf-8")
    page = f'<!doctype html><meta charset="utf-8"><title>Why</title>{model.explain(CLOSE)._repr_html_()}\n'
    (folder / "explanation.html").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
