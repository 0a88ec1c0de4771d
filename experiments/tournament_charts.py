"""Charts of a tournament: ratings with their bounds, the crosstable, how intervals narrow."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter, NullLocator

from analysis import style

WORTH = "worth"
"""The unit that is shown on a log scale, as its intervals are made there."""

MOST_TEXTS = 15
"""Most strategies in whose crosstable the scores stand as texts."""

_MARGIN = 0.15
"""Room beside the figures that arrows of bounds need, as a share of their range."""


def plot_ratings(table: pd.DataFrame, ax: Axes) -> Axes:
    """Draw each rating with its interval; a bound as an arrow to the edge, in words."""
    known = table.copy()
    known.loc[known["value"].isna(), ["low", "high"]] = np.nan
    names = [str(name) for name in table["strategy"]]
    style.forest(known, ax, names)
    heights = np.arange(len(table))[::-1]
    unit = str(table["unit"].iloc[0])
    if unit == WORTH:
        ax.set_xscale("log")
    bounds = table[table["value"].isna()]
    if len(bounds):
        edges = _edges(table, unit)
        ax.set_xlim(*edges)
        for (_, line), height in zip(
            bounds.iterrows(), heights[table["value"].isna()], strict=True
        ):
            _plot_bound(ax, line, float(height), edges)
    if unit == WORTH:
        _plain_log(ax.xaxis, *ax.get_xlim())
    ax.set_xlabel(unit)
    ax.set_ylabel("strategy")
    return ax


def _edges(table: pd.DataFrame, unit: str) -> tuple[float, float]:
    """Return the ends of the axis, with room for arrows."""
    ends = table[["value", "low", "high"]].to_numpy().ravel()
    ends = ends[np.isfinite(ends)]
    ends = np.log(ends) if unit == WORTH else ends
    low, high = (float(ends.min()), float(ends.max())) if ends.size else (0.0, 0.0)
    room = _MARGIN * (high - low) or 1.0
    low, high = low - room, high + room
    return (float(np.exp(low)), float(np.exp(high))) if unit == WORTH else (low, high)


def _plot_bound(
    ax: Axes, line: "pd.Series[float]", height: float, edges: tuple[float, float]
) -> None:
    """Draw what is known of a strategy without a rating."""
    above = bool(np.isfinite(line["low"]))
    bound = float(line["low"] if above else line["high"])
    if not np.isfinite(bound):
        at = ax.get_yaxis_transform()
        ax.text(0.01, height, "no rating", transform=at, va="center", fontsize=8, color=style.QUIET)
        return
    ax.plot([bound], [height], "|", color=style.BLUE, markersize=9, markeredgewidth=2.2)
    ax.annotate(
        "",
        (edges[above], height),
        (bound, height),
        arrowprops={
            "arrowstyle": "->",
            "color": style.BLUE,
            "linewidth": 2.2,
            "shrinkA": 0,
            "shrinkB": 0,
        },
    )
    places = 2 if str(line["unit"]) == WORTH else 0
    ax.annotate(
        f"{'above' if above else 'below'} {style.number(bound, places)}",
        (bound, height),
        xytext=(-6 if above else 6, 0),
        textcoords="offset points",
        ha="right" if above else "left",
        va="center",
        fontsize=8,
        color=style.QUIET,
    )


def _plain_log(axis: Axis, low: float, high: float, whole: bool = False) -> None:
    """Label a log axis with plain numbers: the usual labels are formulas, which are not drawn."""
    wide = high / low >= 10
    steps = MaxNLocator(6, steps=[1, 2, 5, 10], integer=whole)
    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)) if wide else steps)
    axis.set_major_formatter(lambda number, _: f"{number:,.9g}")
    axis.set_minor_locator(NullLocator())
    axis.set_minor_formatter(NullFormatter())


def cross_height(table: pd.DataFrame) -> float:
    """Height of the crosstable in inches."""
    cells, labels = _room(table)
    return 1.3 + cells + 0.75 * labels


def cross_width(table: pd.DataFrame) -> float:
    """Width of the crosstable in inches."""
    cells, labels = _room(table)
    bar = 0.0 if table["strategy"].nunique() <= MOST_TEXTS else 1.0
    return max(style.WIDTH, 0.8 + cells + labels + bar)


def _room(table: pd.DataFrame) -> tuple[float, float]:
    """Inches that the cells of a crosstable take, and the longest of its labels."""
    names = list(dict.fromkeys(table["strategy"]))
    longest = max(map(len, style.shorten(names)))
    if len(names) <= MOST_TEXTS:
        return 0.44 * len(names), 0.078 * longest
    return 0.22 * len(names), 0.063 * longest


def plot_cross(table: pd.DataFrame, ax: Axes) -> Axes:
    """Draw scores of row against column as shades, and as texts where there is room."""
    names = list(dict.fromkeys(table["strategy"]))
    grid = table.pivot(index="strategy", columns="against", values="value")
    grid = grid.reindex(index=names, columns=names)
    image = ax.imshow(grid.to_numpy(), cmap=style.SHADES, aspect="auto")
    if len(names) <= MOST_TEXTS:
        for r, line in enumerate(grid.to_numpy()):
            for c, value in enumerate(line):
                text = style.NONE if np.isnan(value) else f"{value:.1f}"
                ax.annotate(text, (c, r), ha="center", va="center", fontsize=8, color=style.INK)
    else:
        bar = ax.figure.colorbar(image, ax=ax, label="score (%)", shrink=0.5, aspect=30)
        bar.outline.set_visible(False)
    labels = style.shorten(names)
    size = 10 if len(names) <= MOST_TEXTS else 8
    ax.set_xticks(range(len(names)), labels, rotation=45, ha="right", fontsize=size)
    ax.set_yticks(range(len(names)), labels, fontsize=size)
    style.plain([*ax.get_xticklabels(), *ax.get_yticklabels()])
    ax.tick_params(length=0)
    ax.set_xlabel("against")
    ax.set_ylabel("strategy")
    return ax


def plot_convergence(table: pd.DataFrame, ax: Axes) -> Axes:
    """Draw scores with their intervals as deals come in."""
    parts = list(table.groupby("strategy", sort=False))
    labels = style.shorten([str(name) for name, _ in parts])
    for i, ((_, part), label) in enumerate(zip(parts, labels, strict=True)):
        color, dash = style.PALETTE[i], style.DASHES[i % len(style.DASHES)]
        ax.fill_between(part["after"], part["low"], part["high"], color=color, alpha=0.18, lw=0)
        marker = "o" if len(part) == 1 else ""
        ax.plot(
            part["after"], part["value"], color=color, linestyle=dash, marker=marker, label=label
        )
    ax.set_xscale("log")
    _plain_log(ax.xaxis, *ax.get_xlim(), whole=True)
    ax.set_xlabel("deals")
    ax.set_ylabel("score (%)")
    ax.grid()
    style.plain(ax.legend(loc="best", fontsize=8).get_texts())
    return ax
