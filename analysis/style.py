"""How charts and numbers look: one palette, safe for colour-blind readers, legible in grey.

Colours are those of Okabe and Ito (*Color Universal Design*, 2008), ordered so that neighbours
differ in lightness; wherever colour tells things apart, a marker, hatch or dash does so too.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.ticker import MaxNLocator, ScalarFormatter

INK = "#222222"
QUIET = "#6b6b6b"
FAINT = "#d9d9d9"
BLUE, ORANGE, GREEN, VERMILION = "#0072b2", "#e69f00", "#009e73", "#d55e00"
SKY = "#56b4e9"

PALETTE = [BLUE, ORANGE, GREEN, SKY, VERMILION]
HATCHES = ["", "///", "...", "\\\\\\", "xxx", ""]
MARKERS = ["o", "s"]
DASHES = ["-", "--"]

SHADES = LinearSegmentedColormap.from_list("shades", ["#f7fbff", "#bcd9ec", "#6fb1d8", "#3b8bc2"])
"""Light to dark in one hue: lightness alone tells the order, and dark text reads on all of it."""

WIDTH = 5.6
"""Width of a chart in inches."""

RC: dict[Any, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "text.color": INK,
    "text.parse_math": False,
    "axes.edgecolor": QUIET,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "figure.titlesize": 11.5,
    "figure.titleweight": "bold",
    "axes.axisbelow": True,
    "xtick.color": QUIET,
    "ytick.color": QUIET,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "grid.color": FAINT,
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "hatch.linewidth": 0.7,
    "savefig.facecolor": "white",
}
"""Settings of matplotlib, applied in a context for each chart and never globally."""

NONE = "\N{EN DASH}"
"""What stands for a number that there is none of."""

LONGEST = 26
"""Longest name on a chart; tables give it in full."""


def figure(height: float, square: bool, title: str) -> tuple[Figure, Axes]:
    """Make an empty chart `height` inches high, of the width of a page (or square)."""
    picture = Figure(figsize=(height if square else WIDTH, height))
    picture.suptitle(title, x=0.012, ha="left")
    if square:
        # Margins known beforehand: a layout engine would set 200 texts of a board twice.
        return picture, picture.add_axes((0.085, 0.075, 0.9, 0.855))
    picture.set_layout_engine("constrained")
    return picture, picture.add_subplot()


def short(name: object) -> str:
    """Shorten a name so that it fits beside an axis: its start, and its end with what differs."""
    return _cut(_drawable(name), LONGEST, 8)


def shorten(names: Sequence[object]) -> list[str]:
    """Shorten names that stand together, none so that two that differ read the same."""
    texts = [_drawable(name) for name in names]
    for length in range(LONGEST, max(map(len, texts), default=0), 4):
        for start in (8, length // 2, 2 * length // 3):
            cut = [_cut(text, length, start) for text in texts]
            if len(set(cut)) == len(set(texts)):
                return cut
    return texts


def _cut(text: str, length: int, start: int) -> str:
    return text if len(text) <= length else f"{text[:start]}…{text[start + 1 - length :]}"


def _drawable(name: object) -> str:
    """Return a name in one line, with "?" for what no font has a picture of."""
    return "".join(c if c.isprintable() else "?" for c in str(name))


def plain(texts: Sequence[Text]) -> None:
    """Draw texts as they are: a "$" in a strategy's name is no formula."""
    for text in texts:
        text.set_parse_math(False)


def forest(table: pd.DataFrame, ax: Axes, names: Sequence[object]) -> Axes:
    """Draw one row for each line of a table: its value as a dot, its interval as a bar."""
    heights = np.arange(len(table))[::-1]
    low = table["low"].fillna(table["value"])
    high = table["high"].fillna(table["value"])
    ax.hlines(heights, low, high, color=BLUE, linewidth=2.2)
    ax.plot(table["value"], heights, "o", color=BLUE, markersize=6, markeredgecolor="white")
    ax.set_yticks(heights, shorten(names))
    plain(ax.get_yticklabels())
    ax.set_ylim(-0.6, len(table) - 0.4)
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    ax.grid(axis="x")
    ax.margins(x=0.08)
    sparse(ax.xaxis)
    return ax


def sparse(axis: Axis, most: int = 5) -> None:
    """Set few ticks, as long numbers run into each other, with their values in full."""
    axis.set_major_locator(MaxNLocator(most))
    axis.set_major_formatter(ScalarFormatter(useOffset=False))


def rows_high(table: pd.DataFrame) -> float:
    """Height in inches of a chart with a row for each line of a table."""
    return 1.5 + 0.32 * max(2, len(table))


def reference_line(ax: Axes, x: float, label: str, dash: str = "--", end: bool = False) -> None:
    """Mark a value to hold the others against, named above the chart."""
    ax.axvline(x, color=INK, linewidth=1, linestyle=dash, zorder=1)
    ax.annotate(
        label,
        (x, 1.0),
        xycoords=("data", "axes fraction"),
        xytext=(-3 if end else 3, 1),
        textcoords="offset points",
        ha="right" if end else "left",
        va="bottom",
        fontsize=8,
        color=QUIET,
    )


def decimals(low: float | None, high: float | None) -> int:
    """How many decimals show an interval to a fair fraction of its width, 1 to 4."""
    if low is None or high is None or not np.isfinite(high - low) or high <= low:
        return 1
    # A half-width of 0.2 to 2 is shown with one decimal, 0.02 to 0.2 with two.
    return int(np.clip(np.ceil(-np.log10((high - low) / 4)), 1, 4))


def number(value: float | None, places: int, sign: bool = False) -> str:
    """Write a number with thousands separated; a dash for none, no minus before a zero."""
    if value is None or not np.isfinite(value):
        return NONE
    text = f"{value:+,.{places}f}" if sign else f"{value:,.{places}f}"
    if not text.strip("+-0.,"):
        return text.lstrip("+-")
    return text
