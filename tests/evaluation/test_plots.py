"""Plots: every one is XML, its dots lie inside the frame, and names stand in it as they are."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.evaluation import HOSTILE, Line, some_lines, tallied, training

from unilid.evaluation import plots, view
from unilid.evaluation.metrics import Report

SVG = "{http://www.w3.org/2000/svg}"


@given(lines=some_lines, trained=st.none() | training)
@settings(max_examples=50)
def test_every_plot_is_xml_with_its_dots_inside_the_frame(lines: list[Line], trained: dict[str, int] | None) -> None:
    report = tallied(lines).report(trained)
    drawn = [ElementTree.fromstring(svg) for svg in view.figures(report)]
    seen = [bool(report.reliability), any(result.training_lines for result in report.labels)]
    assert len(drawn) == sum(seen) + (sum(bucket.lines > 0 for bucket in report.by_length) > 1)
    for picture in drawn:
        _, _, width, height = map(float, picture.attrib["viewBox"].split())
        dots = list(picture.iter(f"{SVG}circle"))
        assert dots
        for dot in dots:
            assert 0 < float(dot.attrib["cx"]) < width
            assert 0 < float(dot.attrib["cy"]) < height


def test_hostile_names_stand_in_plots_as_they_are(hostile: Report) -> None:
    _, scatter, _ = map(ElementTree.fromstring, view.figures(hostile))
    assert [title.text for title in scatter.iter(f"{SVG}title")] == sorted(HOSTILE)

    name = "".join(HOSTILE)
    axes = plots.Axes(name, name, name, [(0, name), (1, name)], [(0, name), (2, name)])
    picture = ElementTree.fromstring(plots.lines(axes, {name: [(0, 1), (1, 2)], "b": []}, diagonal=True))
    assert [text.text for text in picture.iter(f"{SVG}text")].count(name) == 8


def test_the_ends_of_the_axes_are_the_corners_of_the_frame() -> None:
    axes = plots.Axes("", "", "", [(1, "10"), (3, "1,000")])
    (left, bottom), (right, top) = axes.place((1, 0.0)), axes.place((3, 1.0))
    assert left < right
    assert top < bottom
    assert axes.place((2, 0.5)) == ((left + right) / 2, (top + bottom) / 2)


@pytest.mark.parametrize(
    ("values", "ends"), [([1], (0, 1)), ([10], (1, 2)), ([999, 3], (0, 3)), ([1000, 10], (1, 3)), ([0.5], (0, 1))]
)
def test_powers_of_ten_enclose_the_values(values: list[float], ends: tuple[int, int]) -> None:
    ticks = plots.logarithmic(values)
    assert (ticks[0][0], ticks[-1][0]) == ends
    assert [float(written.replace(",", "")) for _, written in ticks] == [10**power for power, _ in ticks]
