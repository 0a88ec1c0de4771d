"""Charts of a tournament: every name, number and bound can be read."""

from __future__ import annotations

from itertools import combinations

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes

from analysis import style
from analysis.estimates import Estimate
from analysis.question import row, table
from experiments import tournament_charts as charts

BARS = ("no_two_eyed", "no_one_eyed", "no_corner_lines", "no_blocking")
MANY = [
    bot + (":" + ",".join(f"{bar}=1" for bar in chosen) if chosen else "")
    for bot in ("random", "greedy", "balanced")
    for size in range(len(BARS) + 1)
    for chosen in combinations(BARS, size)
][:40]


def drawn(plot: object, data: pd.DataFrame, width: float = style.WIDTH, height: float = 4) -> Axes:
    """Draw a chart as a report does."""
    with mpl.rc_context(style.RC):
        picture, ax = style.figure(height, False, "title")
        picture.set_figwidth(width)
        plot(data, ax)  # type: ignore[operator]
        picture.draw_without_rendering()
    return ax


def texts(ax: Axes) -> list[str]:
    return [text.get_text() for text in ax.texts if text.get_text()]


def labels(ax: Axes, axis: str) -> list[str]:
    low, high = ax.get_xlim()
    found = getattr(ax, f"get_{axis}ticklabels")()
    inside = [t for t in found if axis == "y" or low <= t.get_position()[0] <= high]
    return [text.get_text() for text in inside]


def cross(names: list[str]) -> pd.DataFrame:
    lines = [(a, b, 50.0 + i) for i, a in enumerate(names) for b in names if a != b]
    return pd.DataFrame(lines, columns=["strategy", "against", "value"])


@pytest.mark.parametrize("size", [2, 11, 15, 16, 40])
def test_the_crosstable_can_be_read(size: int) -> None:
    data = cross(MANY[:size])
    width, height = charts.cross_width(data), charts.cross_height(data)
    ax = drawn(charts.plot_cross, data, width, height)
    assert len(texts(ax)) == (size * size if size <= 15 else 0)
    boxes = [text.get_window_extent() for text in ax.texts]
    cell = ax.get_window_extent().width / size
    assert all(box.width < cell for box in boxes)
    names = labels(ax, "y")
    assert len(set(names)) == len(names) == size
    lines = [label.get_window_extent() for label in ax.get_yticklabels()]
    assert not any(a.overlaps(b) for a, b in combinations(lines, 2))
    assert ax.get_window_extent().width > 100


def narrowing(*after: int) -> pd.DataFrame:
    lines = [(name, n, 50.0, 40.0, 60.0) for name in "ab" for n in after]
    return pd.DataFrame(lines, columns=["strategy", "after", "value", "low", "high"])


@pytest.mark.parametrize(
    ("after", "shown"),
    [
        ((2, 3, 4, 5), {"2", "3", "4", "5"}),
        ((20, 100, 200), {"20", "50", "100", "200"}),
        ((20, 500), {"20", "50", "100", "200", "500"}),
        ((20, 2000), {"20", "50", "100", "200", "500", "1,000", "2,000"}),
    ],
)
def test_deals_are_plain_numbers(after: tuple[int, ...], shown: set[str]) -> None:
    ax = drawn(charts.plot_convergence, narrowing(*after))
    assert {text for text in labels(ax, "x") if text} == shown
    assert not any(label.get_text() for label in ax.get_xticklabels(minor=True))


def test_a_single_stop_is_seen() -> None:
    ax = drawn(charts.plot_convergence, narrowing(2))
    assert [line.get_marker() for line in ax.lines] == ["o", "o"]


def rated(unit: str, *figures: tuple[float | None, float | None, float | None]) -> pd.DataFrame:
    return table(
        row(Estimate(*each, None, 10, 5, ""), unit, strategy=f"s{i}")
        for i, each in enumerate(figures)
    )


@pytest.mark.parametrize("unit", ["Elo", "worth"])
def test_a_bound_is_an_arrow_and_words(unit: str) -> None:
    data = rated(
        unit,
        *((None, 7.5, None), (1.5, 1.2, 1.9), (None, None, 0.5), (None, None, None)),
    )
    ax = drawn(charts.plot_ratings, data)
    shown = ["above 7.50", "below 0.50"] if unit == "worth" else ["above 8", "below 0"]
    assert texts(ax) == [*shown, "no rating"]
    ends = [tuple(text.xy) for text in ax.texts if getattr(text, "arrow_patch", None)]
    low, high = ax.get_xlim()
    assert ends == [(pytest.approx(high), 3.0), (pytest.approx(low), 1.0)]
    dots = ax.lines[0].get_xdata()
    assert np.isnan(np.asarray(dots, float)).tolist() == [True, False, True, True]


def test_without_bounds_there_is_no_arrow() -> None:
    ax = drawn(charts.plot_ratings, rated("worth", (1.1, 1.0, 1.2), (0.9, 0.8, 1.0)))
    assert not texts(ax)
    assert ax.get_xscale() == "log"
    assert all(float(text) > 0 for text in labels(ax, "x"))
