"""Small plots as SVG, drawn by hand: nothing to install, and they stand in any page."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

COLOURS = ("#2563eb", "#dc2626", "#059669", "#d97706", "#7c3aed", "#0891b2")
GRID, TEXT, FAINT = "#e5e7eb", "#111827", "#9ca3af"
_WIDTH, _HEIGHT, _LEFT, _BOTTOM, _TOP, _RIGHT = 480, 320, 54, 44, 30, 16

Point = tuple[float, float]
Ticks = Sequence[tuple[float, str]]


@dataclass(frozen=True, slots=True)
class Axes:
    """A frame with ticks. The first and the last tick are the ends of an axis."""

    title: str
    x: str
    y: str
    x_ticks: Ticks
    y_ticks: Ticks = tuple((i / 5, f"{i / 5:.1f}") for i in range(6))

    def place(self, point: Point) -> Point:
        """Return where a point lies in the picture."""
        left, right = self.x_ticks[0][0], self.x_ticks[-1][0]
        low, high = self.y_ticks[0][0], self.y_ticks[-1][0]
        across = _LEFT + (point[0] - left) / ((right - left) or 1) * (_WIDTH - _LEFT - _RIGHT)
        up = _HEIGHT - _BOTTOM - (point[1] - low) / ((high - low) or 1) * (_HEIGHT - _BOTTOM - _TOP)
        return round(across, 1), round(up, 1)

    def draw(self, *content: str) -> str:
        """Return the picture."""
        low, left = self.y_ticks[0][0], self.x_ticks[0][0]
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" '
            f'font-family="sans-serif" font-size="11"><rect width="{_WIDTH}" height="{_HEIGHT}" fill="white"/>',
            _text((_WIDTH / 2, 16), self.title, weight="bold"),
            _text(((_LEFT + _WIDTH) / 2, _HEIGHT - 6), self.x),
            _text((12, _HEIGHT / 2), self.y, turn=True),
        ]
        for where, written in self.x_ticks:
            parts.append(_text((self.place((where, low))[0], _HEIGHT - _BOTTOM + 14), written))
        for where, written in self.y_ticks:
            up = self.place((left, where))[1]
            parts.append(f'<line x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{up}" y2="{up}" stroke="{GRID}"/>')
            parts.append(_text((_LEFT - 6, up + 4), written, anchor="end"))
        return "".join([*parts, *content, "</svg>"])


def lines(
    axes: Axes,
    series: Mapping[str, Sequence[Point]],
    *,
    diagonal: bool = False,
    names: Mapping[str, Sequence[str]] | None = None,
) -> str:
    """Return lines through points, with a legend; the name of a point is shown where the pointer rests.

    >>> axes = Axes("title", "x", "y", [(0, "0"), (1, "1")])
    >>> lines(axes, {"a & b": [(0, 0.1), (1, 0.9)]}).count("<circle")
    2
    """
    parts = []
    if diagonal:
        ends = [(axes.x_ticks[0][0], axes.y_ticks[0][0]), (axes.x_ticks[-1][0], axes.y_ticks[-1][0])]
        parts.append(_line(axes, ends, FAINT, dashed=True))
    for number, (name, points) in enumerate(series.items()):
        colour = COLOURS[number % len(COLOURS)]
        named = zip(points, (names or {}).get(name) or [""] * len(points), strict=True)
        parts += [_line(axes, points, colour), *(_dot(axes.place(point), colour, 2.5, own) for point, own in named)]
        parts.append(_text((_LEFT + 8, _TOP + 10 + 14 * number), name, anchor="start", colour=colour))
    return axes.draw(*parts)


def scatter(axes: Axes, points: Mapping[str, Point]) -> str:
    """Return named dots; the name is shown where the pointer rests."""
    dots = [_dot(axes.place(point), COLOURS[0], 3, name) for name, point in points.items()]
    return axes.draw(*dots)


def logarithmic(values: Sequence[float]) -> Ticks:
    """Return ticks at the powers of ten around values, whose places are the logarithms.

    >>> logarithmic([30, 2000])
    [(1, '10'), (2, '100'), (3, '1,000'), (4, '10,000')]
    """
    low = math.floor(math.log10(max(min(values), 1)))
    high = max(math.ceil(math.log10(max(*values, 1))), low + 1)
    return [(power, f"{10**power:,}") for power in range(low, high + 1)]


def _line(axes: Axes, points: Sequence[Point], colour: str, *, dashed: bool = False) -> str:
    dash = ' stroke-dasharray="4 4"' if dashed else ""
    path = " ".join("{},{}".format(*axes.place(point)) for point in points)
    return f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.5"{dash}/>'


def _dot(place: Point, colour: str, radius: float, name: str = "") -> str:
    title = f"<title>{escape(name)}</title>" if name else ""
    return f'<circle cx="{place[0]}" cy="{place[1]}" r="{radius}" fill="{colour}" fill-opacity="0.7">{title}</circle>'


def _text(
    place: Point,
    written: str,
    *,
    anchor: str = "middle",
    weight: str = "normal",
    colour: str = TEXT,
    turn: bool = False,
) -> str:
    turned = f' transform="rotate(-90 {place[0]} {place[1]})"' if turn else ""
    return (
        f'<text x="{place[0]}" y="{place[1]}" text-anchor="{anchor}" font-weight="{weight}" fill="{colour}"{turned}>'
        f"{escape(written)}</text>"
    )
