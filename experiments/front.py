"""The chart of a study's variants: fairness against length and skill, and those on the front."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from analysis import style
from analysis.paired import Figure
from experiments.study import ADVANTAGE, LENGTH, SKILL
from experiments.variants import Study


def front(study: Study, found: Mapping[str, Mapping[str, Figure]]) -> pd.DataFrame:
    """Return fairness, length and skill of every variant, and which no other beats in all."""
    rows = []
    for variant in study.variants:
        mine = found[variant.name]
        skill = mine[SKILL].value if SKILL in mine else None
        rows.append(
            {
                "variant": variant.name,
                "size of advantage": 100 * abs(mine[ADVANTAGE].value or 0.0),
                "turns": mine[LENGTH].value or 0.0,
                "skill %": np.nan if skill is None else 100 * skill,
            }
        )
    frame = pd.DataFrame(rows)
    costs = np.stack(
        [frame["size of advantage"], frame["turns"], -frame["skill %"].fillna(0)], axis=1
    )
    on_front = [
        "no" if any((o <= c).all() and (o < c).any() for o in costs) else "yes" for c in costs
    ]
    return frame.assign(**{"on the front": on_front})


def front_height(table: pd.DataFrame) -> float:
    """Height in inches, with a line for each variant on the front."""
    return 4.4 + 0.165 * int((table["on the front"] == "yes").sum())


def plot_front(table: pd.DataFrame, ax: Axes) -> Axes:
    """Draw fairness against length; skill is a shade, and the front has numbers."""
    ahead = table["on the front"] == "yes"
    shades = table["skill %"].fillna(table["skill %"].mean()).fillna(0)
    # A range, also where all have the same skill.
    around = max(0.0, 0.5 - float(np.ptp(shades)) / 2)
    for chosen, marker in ((~ahead, "o"), (ahead, "D")):
        part = table[chosen]
        points = ax.scatter(
            part["turns"],
            part["size of advantage"],
            c=shades[chosen],
            cmap=style.SHADES,
            vmin=shades.min() - around,
            vmax=shades.max() + around,
            marker=marker,
            s=55,
            edgecolors=style.INK,
            linewidths=0.7,
        )
    bar = ax.figure.colorbar(points, ax=ax, label="skill (%)")
    style.sparse(bar.ax.yaxis)
    _number_front(table[ahead], ax)
    for axis in (ax.xaxis, ax.yaxis):
        style.sparse(axis)
    ax.margins(0.1)
    ax.set_xlabel("turns of a game")
    ax.set_ylabel("size of the first-player advantage (points)")
    ax.grid()
    return ax


def _number_front(front: pd.DataFrame, ax: Axes) -> None:
    """Put numbers at the points and names below, as names beside them cover each other."""
    places = front[["turns", "size of advantage"]].to_numpy(np.float64)
    room = np.maximum(np.array([np.ptp(ax.get_xlim()), np.ptp(ax.get_ylim())]), 1e-9)
    left = list(range(len(places)))
    while left:
        # Points that nearly cover each other share one label.
        near = [i for i in left if (abs(places[i] - places[left[0]]) < 0.04 * room).all()]
        text = ", ".join(str(i + 1) for i in near)
        ax.annotate(
            text, tuple(places[near[0]]), xytext=(6, 4), textcoords="offset points", fontsize=8
        )
        left = [i for i in left if i not in near]
    names = style.shorten(list(front["variant"]))
    told = [f"{number}  {name}" for number, name in enumerate(names, 1)]
    ax.annotate(
        "on the front:\n" + "\n".join(told),
        (0, 0),
        xycoords="axes fraction",
        xytext=(0, -38),
        textcoords="offset points",
        ha="left",
        va="top",
        fontsize=8,
        parse_math=False,
    )
