"""Charts and tables that can be read: labels that differ, ticks apart, names of any kind."""

import itertools

import matplotlib as mpl
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg

from analysis import style
from analysis.estimates import Estimate
from analysis.page import draw
from analysis.question import Chart, row, table
from analysis.tables_html import shown


def test_shortened_names_differ_where_names_do() -> None:
    things = ("playing two-eyed jacks", "playing one-eyed jacks", "lines through corners")
    names = [f"{t} ({n}, {s})" for t in things for n in (2, 4) for s in ("tuned", "tuned:a=0.5")]
    short = style.shorten(names)
    assert len(set(short)) == len(names)
    assert max(map(len, short)) < max(map(len, names))
    assert style.shorten(["a" * 60, "b", "a" * 60])[1:] == ["b", style.short("a" * 60)]
    assert style.shorten([]) == []


def test_names_that_no_font_has_are_drawn_without_a_warning() -> None:
    rows = [row(Estimate(0.1, 0.0, 0.2, 0.05, 9, 9, "x"), "turns", name=n) for n in NAMES]

    def plot(table: pd.DataFrame, ax: Axes) -> Axes:
        return style.forest(table, ax, list(table["name"]))

    chart = Chart("a", "a", "A", "", plot, style.rows_high)
    assert draw(chart, pd.DataFrame(rows), "A").startswith(b"\x89PNG")
    assert style.short(NAMES[0]) == "a?[31m"


NAMES = ("a\x1b[31m", "\u540d", "b\nc")


def test_ticks_do_not_run_into_each_other() -> None:
    """Values that differ little have long labels, in full."""
    near = (42.66251, 42.66279, 42.66302)
    rows = [row(Estimate(v, v - 1e-4, v + 1e-4, 1e-4, 9, 9, "x"), "turns") for v in near]
    with mpl.rc_context(style.RC):
        picture, ax = style.figure(3, False, "A")
        style.forest(pd.DataFrame(rows), ax, ["a", "b", "c"])
        FigureCanvasAgg(picture).draw()
        boxes = [label.get_window_extent() for label in ax.get_xticklabels() if label.get_text()]
        low, high = ax.get_window_extent().intervalx
    shown = [box for box in boxes if low - 1 <= (box.x0 + box.x1) / 2 <= high + 1]
    assert len(shown) > 1
    assert all(a.x1 < b.x0 for a, b in itertools.pairwise(shown))
    assert not ax.xaxis.get_offset_text().get_text()


def test_counts_are_whole_numbers() -> None:
    found = Estimate(0.1, 0.0, 0.2, 0.05, 9, 9, "x")
    told = shown("t", "", table([row(found, "turns", thing="a") | {"lost": 1395, "saved": 1.5}]))
    assert [cell.text for cell in told.rows[0]][4:6] == ["1,395", "1.50"]
