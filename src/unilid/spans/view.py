"""Spans written out: a coloured text on a terminal, a line or a JSON object for each span in a pipe."""

from __future__ import annotations

import json
from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING, BinaryIO

from unilid.display import one_line, replaced, without_line_breaks
from unilid.languages.labels import NO_LANGUAGE, UNDETERMINED, meaning, written_as
from unilid.languages.usual import Codes
from unilid.spans.spans import Span, Spans
from unilid.texts import utf8

if TYPE_CHECKING:
    from rich.console import Console

_SHADES = ("22,163,74", "8,145,178", "192,38,211", "217,119,6", "37,99,235", "220,38,38")  # on light and on dark
_COLOURS = ("green", "cyan", "magenta", "yellow", "blue", "red", "bright_green", "bright_cyan", "bright_magenta")


def write_tsv(out: BinaryIO, text: str | bytes, spans: Spans, codes: Codes = "label") -> None:
    r"""Write start, end, label, probability and text of each span; tabs and line breaks in the text become spaces.

    >>> import io, unilid
    >>> out, text = io.BytesIO(), "Wo ist der Bahnhof?\nWhere is the station?"
    >>> write_tsv(out, text, unilid.load().spans(text))
    >>> [line.split(b"\t")[::2] for line in out.getvalue().splitlines()]
    [[b'0', b'deu_Latn', b'Wo ist der Bahnhof? '], [b'20', b'eng_Latn', b'Where is the station?']]
    """
    for span in spans:
        cells = (str(span.start), str(span.end), one_line(written_as(span.label, codes)), f"{span.probability:.4f}")
        cell = without_line_breaks(_piece(text, span)).encode("utf-8", "surrogateescape")
        out.write("\t".join(cells).encode() + b"\t" + cell + b"\n")


def write_jsonl(out: BinaryIO, text: str | bytes, spans: Spans, codes: Codes = "label") -> None:
    """Write a JSON object for each span; what is not UTF-8 is replaced in its text."""
    for record in records(text, spans, codes):
        out.write(json.dumps(record, ensure_ascii=False).encode() + b"\n")


def records(text: str | bytes, spans: Spans, codes: Codes = "label") -> Iterator[dict[str, object]]:
    """Yield what JSON has of each span; what is not UTF-8 is replaced in its text."""
    for span in spans:
        yield {
            "start": span.start,
            "end": span.end,
            "label": written_as(span.label, codes),
            "probability": round(span.probability, 6),
            "letters": span.letters,
            "text": utf8(_piece(text, span)).decode("utf-8", "replace"),
        }


def show(text: str | bytes, spans: Spans, console: Console, codes: Codes = "label") -> None:
    """Write the text with a colour for each language, and below it what the colours mean."""
    from rich.table import Table
    from rich.text import Text

    if not spans:
        return
    styles = {label: _COLOURS[number % len(_COLOURS)] for number, label in enumerate(spans.shares)}
    styles[NO_LANGUAGE] = styles[UNDETERMINED] = "dim"
    page = Text()
    for span in spans:
        content = _piece(text, span).encode("utf-8", "surrogateescape").decode("utf-8", "replace")
        page.append(replaced(content), styles[span.label])
    console.print(page, end="\n" if not page.plain.endswith("\n") else "")
    legend = Table(box=None, pad_edge=False, show_header=False)
    for label, share in spans.shares.items():
        name = one_line(meaning(label).name)
        legend.add_row(Text(one_line(written_as(label, codes)), styles[label]), Text(name), f"{share:.0%}")
    for label, name in ((NO_LANGUAGE, "no language"), (UNDETERMINED, "undetermined")):
        if any(span.label == label for span in spans):
            legend.add_row(Text(label, styles[label]), name, "")
    console.print()
    console.print(legend)


def html(text: str | bytes, spans: Spans) -> str:
    """Return a fragment of HTML that needs nothing else and takes the colours of the page it stands in.

    >>> import unilid
    >>> print(unilid.load().spans("Wo ist der Bahnhof?")._repr_html_())
    <div class="unilid-spans" ...>Wo ist der Bahnhof?</span>...<td>deu_Latn</td><td>German</td><td>100%</td>...
    """
    colours = {label: _SHADES[number % len(_SHADES)] for number, label in enumerate(spans.shares)}
    parts = ['<div class="unilid-spans" style="font-family:sans-serif">']
    parts.append('<p style="line-height:1.8;overflow-wrap:anywhere;white-space:pre-wrap">')
    for span in spans:
        piece = _piece(text, span).encode("utf-8", "surrogateescape").decode("utf-8", "replace")
        shade = (
            f"background:rgba({colours[span.label]},.3);border-radius:3px" if span.label in colours else "opacity:.6"
        )
        title = escape(f"{one_line(span.label)} {span.probability:.2f}")
        parts.append(f'<span style="{shade}" title="{title}">{escape(replaced(piece))}</span>')
    parts.append("</p><table>")
    for label, share in spans.shares.items():
        shade = f'<td style="background:rgba({colours[label]},.3)">&nbsp;&nbsp;</td>'
        name = escape(one_line(meaning(label).name))
        parts.append(f"<tr>{shade}<td>{escape(one_line(label))}</td><td>{name}</td><td>{share:.0%}</td></tr>")
    return "".join([*parts, "</table></div>"])


def _piece(text: str | bytes, span: Span) -> str:
    piece = text[span.start : span.end]
    return piece if isinstance(piece, str) else piece.decode("utf-8", "surrogateescape")
