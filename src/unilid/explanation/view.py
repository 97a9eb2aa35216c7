"""Explanations to look at: on a terminal, as plain text, in a notebook."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from io import StringIO
from typing import TYPE_CHECKING, TextIO

from unilid.decisions.answers import Prediction
from unilid.display import console, escaped, one_line
from unilid.explanation.reasons import CharacterReason, Reasons, WordReason, WordScore
from unilid.languages.labels import NO_LANGUAGE, UNDETERMINED, meaning

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

_WORDS = 40
"""Words that a table has rows for; what the others say is added up."""
_RUNNING = 400
"""Words of the text that are shown above the table."""
_WIDTH = 120
"""Columns of an explanation as plain text."""
_DETAILED = 100
"""Columns that a terminal must have to show the tokens too."""
_FOR, _AGAINST = "22,163,74", "220,38,38"  # readable on light and on dark


def write(explanation: Reasons, form: str, file: TextIO, *, first: bool = True) -> None:
    """Write an explanation to a file, an empty line before it unless it is the first: as text, JSONL or HTML."""
    if form == "jsonl":
        print(explanation.to_json(), file=file)
    elif form == "html":
        print(html(explanation), file=file)
    else:
        print(end="" if first else "\n", file=file)
        if file.isatty():
            terminal = console(file=file)
            for part in rich(explanation, terminal.width):
                terminal.print(part)
        else:
            print(text(explanation), file=file)


def text(explanation: Reasons) -> str:
    """Return an explanation as plain text."""
    page = StringIO()
    plain = console(file=page, width=_WIDTH, color_system=None, legacy_windows=False)
    for part in rich(explanation, _WIDTH):
        plain.print(part)
    return "\n".join(line.rstrip() for line in page.getvalue().splitlines())


def rich(explanation: Reasons, width: int) -> Iterator[RenderableType]:
    """Yield what a terminal shows."""
    from rich.text import Text

    for number, sentence in enumerate(sentences(explanation)):
        yield Text(sentence, style="bold" if number == 0 else "")
    if explanation.words:
        largest = _largest(explanation)
        running = Text()
        for between, word in _running(explanation):
            running.append(between).append(escaped(word.text), style=_style(word, largest))
        yield Text()
        yield running.append(_ending(explanation))
        yield Text()
        rows = _table(explanation, detailed=width >= _DETAILED)
        table = _rich_table(_HEADER if width >= _DETAILED else _BRIEF)
        for head, cells in rows:
            difference, *others = map(Text, cells)  # a word may look like markup
            difference.stylize(_colour(head) if head else "")
            table.add_row(difference, *others)
        yield table
    yield Text()
    table = _rich_table(_WITHOUT)
    for without, cells in zip(explanation.without, _without(explanation), strict=True):
        table.add_row(*map(Text, cells), style="bold" if without.changed else "dim")
    yield table


def _rich_table(header: Sequence[str]) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name in header:
        numeric = name in _NUMERIC
        table.add_column(name, justify="right" if numeric else "left", no_wrap=numeric, overflow="fold")
    return table


def html(explanation: Reasons) -> str:
    """Return a fragment of HTML that needs nothing else and takes the colours of the page it stands in."""
    first, *others = sentences(explanation)
    parts = [f"<p><b>{escape(first)}</b>", *(f"<br>{escape(sentence)}" for sentence in others), "</p>"]
    if explanation.words:
        largest = _largest(explanation)
        parts.append('<p style="line-height:1.8;overflow-wrap:anywhere">')
        for between, word in _running(explanation):
            style = f"background:{_shade(word, largest)};border-radius:3px"
            parts.append(f'{between}<span style="{style}" title="{word.difference:+.1f}">{escape(escaped(word.text))}')
            parts.append("</span>")
        parts.append(f"{_ending(explanation)}</p>")
        rows = _table(explanation, detailed=True)
        shades = [f";background:{_shade(first, largest)}" if first else "" for first, _ in rows]
        parts.append(_html_table(_HEADER, [cells for _, cells in rows], shades))
    without = _without(explanation)
    parts.append(_html_table(_WITHOUT, without, [""] * len(without)))
    return f'<div class="unilid-explanation" style="font-family:sans-serif">{"".join(parts)}</div>'


def _html_table(header: Sequence[str], rows: Sequence[Sequence[str]], shades: Sequence[str]) -> str:
    """Return a table; `shades` is the background of each row's first cell."""
    styles = [f"text-align:{'right' if name in _NUMERIC else 'left'};padding:.1em .6em" for name in header]

    def line(tag: str, cells: Sequence[str], shade: str = "") -> str:
        each = zip([styles[0] + shade, *styles[1:]], cells, strict=True)
        return "".join(["<tr>", *(f'<{tag} style="{style}">{escape(cell)}</{tag}>' for style, cell in each), "</tr>"])

    lines = [line("td", cells, shade) for cells, shade in zip(rows, shades, strict=True)]
    return f'<table style="border-collapse:collapse">{line("th", header)}{"".join(lines)}</table>'


# ---- what is said


def sentences(explanation: Reasons) -> list[str]:
    """Return the explanation in a few sentences.

    >>> import unilid
    >>> sentences(unilid.load().explain("¿Dónde está la biblioteca?", "es", instead="pt"))[0]
    'Spanish (spa_Latn) rather than Portuguese (por_Latn): ahead by ... from words and ... from the prior.'
    """
    answer = explanation.answer
    if explanation.language is None or explanation.instead is None:
        nothing = "No language that competes is written in the script of the text."
        first = nothing if answer.reason == "script" else "There are no words to explain an answer by."
        return [first, f"The answer: {_answer(answer)}."]
    ahead = explanation.difference
    words = explanation.score - explanation.instead_score
    shown = round(explanation.handicap, 1)
    handicap = f", {shown:.1f} from handicaps" if shown else ""
    lines = [
        f"{_name(explanation.language)} rather than {_name(explanation.instead)}: "
        f"{'ahead' if ahead >= 0 else 'behind'} by {abs(ahead):.1f} nats, "
        f"{words:.1f} from words{handicap} and {round(explanation.prior, 1) + 0.0:.1f} from the prior.",
        f"The answer: {_answer(answer)}.",
    ]
    letters = [word for word in explanation.words if word.kind == "letters" and word.noise is None]
    for label, scores in (
        (explanation.language, [word.language_score for word in letters]),
        (explanation.instead, [word.instead_score for word in letters]),
    ):
        if scores and all(score.foreign for score in scores):
            lines.append(f"{_name(label)} is not written in the script of the text, so it is never the answer.")
    share, bound = explanation.unigram_weight, explanation.bound
    if 0 < share < 1:
        lines.append(f"A word's score is {share:.0%} of its tokens' and {1 - share:.0%} of its characters'.")
    if any(word.language_score.lexicon or word.instead_score.lexicon for word in explanation.words):
        lines.append("A whole word that a language uses often gains what its tokens and characters do not know.")
    if bound is not None:
        lines.append(f"What goes further than {bound:g} nats below the best language's score counts a quarter.")
    return lines


_HEADER = ("nats", "word", "language", "unigram", "context", "score", "most at", "remarks", "tokens (* never seen)")
_BRIEF = _HEADER[:-1]
_WITHOUT = ("without", "the answer", "changed")
_NUMERIC = ("nats", "unigram", "context", "score")


def _table(explanation: Reasons, *, detailed: bool) -> list[tuple[WordReason | None, list[str]]]:
    """Return two rows of cells for each of the words that decide, the first with the word, and one for the others."""
    rows: list[tuple[WordReason | None, list[str]]] = []
    width = len(_HEADER if detailed else _BRIEF)
    for word in explanation.deciding[:_WORDS]:
        nats = f"{word.difference:+.1f}" if word.counts else ""
        cells = [
            nats,
            escaped(word.text),
            *_cells(explanation.language, word.language_score),
            _most_at(word),
            _remarks(word),
        ]
        rows.append((word, [*cells, _tokens(word.language_score)][:width]))
        cells = [
            "",
            "",
            *_cells(explanation.instead, word.instead_score),
            "",
            ", ".join(_said(word, word.instead_score)),
        ]
        rows.append((None, [*cells, _tokens(word.instead_score)][:width]))
    rest = explanation.deciding[_WORDS:]
    if rest:
        left = sum(word.difference for word in rest)
        rows.append((None, [f"{left:+.1f}", f"({len(rest)} more)", *[""] * (width - 2)]))
    return rows


def _cells(label: str | None, score: WordScore) -> list[str]:
    return [one_line(label), _number(score.unigram), _number(score.context), _number(score.score)]


def _tokens(score: WordScore) -> str:
    """Return the tokens of a word; a star: the language never saw it."""
    return " ".join(escaped(token.token, space="␣") + "*" * token.unseen for token in score.tokens)


def _most_at(word: WordReason) -> str:
    """Return the character that makes the greatest difference, after those before it."""
    pairs = list(zip(word.language_score.characters, word.instead_score.characters, strict=True))
    if not pairs:
        return ""
    differences = [a.score - b.score for a, b in pairs]
    at = max(range(len(pairs)), key=lambda i: abs(differences[i]))
    before = b"".join(a.character for a, _ in pairs[:at])
    return f"{escaped(before, space='␣')}[{_character(pairs[at][0])}] {differences[at]:+.1f}"


def _character(reason: CharacterReason) -> str:
    return escaped(reason.character, space="␣") or "end"


def _remarks(word: WordReason) -> str:
    remarks = []
    if word.noise or not word.counts:
        remarks.append(": ".join([*([word.noise] if word.noise else []), *([] if word.counts else ["does not count"])]))
    if word.lone:
        remarks.append("lone letter")
    if word.cut:
        remarks.append("cut")
    return ", ".join(remarks + _said(word, word.language_score))


def _said(word: WordReason, score: WordScore) -> list[str]:
    """Return what is remarkable about the score of a word under one language."""
    remarks = []
    if score.foreign:
        remarks.append("another script")
    elif score.lexicon:
        remarks.append(f"whole word {score.lexicon:+.1f}")
    if score.bounded and word.counts:
        remarks.append("bounded")
    return remarks


_NAMES = {
    "context": "the context model",
    "lexicon": "whole words",
    "bound": "bounding words",
    "unseen": "a constant for tokens never seen",
    "prior": "the prior",
    "handicaps": "handicaps",
    "languages": "restricting the languages",
    "calibrated": "re-ranking (calibrated UniLID)",
    "abstain": "abstaining",
}


def _without(explanation: Reasons) -> list[list[str]]:
    return [
        [_NAMES[without.name], _answer(without.answer), "yes" if without.changed else "no"]
        for without in explanation.without
    ]


def _answer(answer: Prediction) -> str:
    if answer.label == NO_LANGUAGE:
        return f"no language ({answer.reason})"
    if answer.label == UNDETERMINED:
        if answer.guess is None:
            return f"undetermined ({answer.reason})"
        return f"undetermined ({answer.reason}; the guess is {one_line(answer.guess)}, {answer.probability:.4f})"
    return f"{one_line(answer.label)}, {answer.probability:.4f}"


def _name(label: str) -> str:
    name, label = one_line(meaning(label).name), one_line(label)
    return label if name == label else f"{name} ({label})"


def _number(score: float | None) -> str:
    return "" if score is None else f"{score:.1f}"


# ---- what is shown of it


def _largest(explanation: Reasons) -> float:
    return max([abs(word.difference) for word in explanation.words], default=0.0) or 1.0


def _running(explanation: Reasons) -> Iterator[tuple[str, WordReason]]:
    """Yield the words of the text with what stands before them, which is white."""
    end = 0
    for word in explanation.words[:_RUNNING]:
        yield " " if word.start > end > 0 else "", word
        end = word.end


def _ending(explanation: Reasons) -> str:
    return " …" if len(explanation.words) > _RUNNING else ""


def _shade(word: WordReason, largest: float) -> str:
    strength = 0.6 * abs(word.difference) / largest
    return f"rgba({_FOR if word.difference >= 0 else _AGAINST},{strength:.2f})"


def _colour(word: WordReason) -> str:
    return "" if word.difference == 0 else "green" if word.difference > 0 else "red"


def _style(word: WordReason, largest: float) -> str:
    """Return the style of a word in the text: bold where it decides, dim where it does not count."""
    if not word.counts:
        return "dim strike"
    return f"bold {_colour(word)}" if abs(word.difference) >= largest / 2 else _colour(word)
