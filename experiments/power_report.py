"""The report on how many games a wish takes: what each takes, and how the interval narrows."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator, NullFormatter

from analysis import style
from analysis.paired import PAYS
from analysis.power import Need, detectable, half_width_of
from analysis.question import PERCENT, Chart, row, table
from analysis.sentence import figure, quote
from experiments.page import Chapter, write_report
from experiments.power import EFFECT, HALF_WIDTH, Answer, Task

_FEW = 4
"""So many needs are told in sentences; the table has all."""

_STEPS = 25
"""Numbers of games along the curves, evenly spaced on a log scale."""


def write(
    task: Task, found: Answer, manifest: Mapping[str, Any], out_dir: Path
) -> tuple[Path, list[str]]:
    """Write the report; return its page and the sentences that it opens with."""
    rules = task.rules
    changes = ", ".join(f"{name} = {value}" for name, value in rules.changes().items())
    quotes = [("needs", sentence) for sentence in _sentences(found)]
    facts = [
        ("Figure", found.figure),
        ("Table", f"{rules.players} players in {rules.teams} teams"),
        ("Played", f"a pilot of {task.arm().games:,} games on {task.deals:,} deals"),
        ("Rules", changes or "the standard game"),
    ]
    chapters = [_needs_chapter(task, found), _curve_chapter(task, found)]
    title = f"How many games: {found.figure}"
    page = write_report(out_dir, title, manifest, facts, quotes, chapters)
    return page, [sentence for _, sentence in quotes]


def _sentences(found: Answer) -> list[str]:
    told = [
        f"The {found.figure} is {quote(found.score.affine(100), PERCENT)} in the pilot.",
        f"Of its games {figure(found.drawn.affine(100), PERCENT)} were drawn.",
    ]
    if found.pilot.sd <= 0:
        told.append(
            "No deal of the pilot differed from another, so that it cannot tell how many games "
            "a wish takes."
        )
    if len(found.needs) <= _FEW:
        told += [_said(kind, wish, need) for kind, wish, need in found.needs if need is not None]
    saved = found.pilot.saved
    if saved is not None:
        word = "" if saved >= PAYS else ", so that pairing does not pay"
        told.append(f"Playing each deal more than once saves {saved:.2f} times the games{word}.")
    if found.ahead is not None:
        told.append(f"The better one is ahead after {found.ahead:,} games with a chance of 95 %.")
    return told


def _said(kind: str, wish: float, need: Need) -> str:
    article = "A" if kind == HALF_WIDTH else "An"
    size = f"{100 * wish:g}"
    size += " point" if size == "1" else " points"
    return f"{article} {kind} of {size} takes {need.games:,} games on {need.deals:,} deals."


def _needs_chapter(task: Task, found: Answer) -> Chapter:
    rows = pd.DataFrame(
        {
            "wish": kind,
            "points": f"{100 * wish:g}",
            "deals": style.NONE if need is None else need.deals,
            "games": style.NONE if need is None else need.games,
            "games on deals of their own": style.NONE
            if need is None or need.unpaired is None
            else f"{need.unpaired:,}",
        }
        for kind, wish, need in found.needs
    )
    spread = {"standard deviation by deal": 100 * found.pilot.sd, "games saved": found.pilot.saved}
    pilot = [
        row(found.score, PERCENT, figure=found.figure) | spread,
        row(found.drawn, PERCENT, figure="games drawn"),
    ]
    return Chapter(
        "needs",
        "How many games a wish takes",
        (
            "A half-width is how far the 95 % interval reaches either way, in percentage points of "
            "score. An effect is a difference of the figure from a fixed value, such as an equal "
            f"share, that is found with a chance of {100 * task.power:g} % by a two-sided test at "
            f"the level {100 * task.alpha:g} %. The numbers are the fewest deals that are enough, "
            "and their games.",
            "They follow from how much the figure varied by deal in the pilot, which was played on "
            "deals that no run has. They are as sure as that: 5,000 deals tell a standard "
            "deviation to about 2 %, and so a number of games to 4 %.",
            "The last column says how many games it would take if each had a deal of its own; "
            "games saved is that number over the one with several games on a deal. Below "
            f"{PAYS} pairing does not pay. It is not known for scores with three teams, where two "
            "teams of a game may be one strategy's.",
            "A pilot in which all deals ended alike cannot tell: a dash stands for that.",
        ),
        {
            "needs": rows,
            "pilot": table(pilot),
        },
        {"needs": "Games for each wish", "pilot": "The figure in the pilot"},
    )


def curve(task: Task, found: Answer) -> pd.DataFrame:
    """Return what numbers of games tell, in points, and which wishes are marked on the way.

    Empty where the pilot did not vary, which cannot tell.
    """
    if found.pilot.sd <= 0:
        return pd.DataFrame()
    wanted: dict[int, list[str]] = {}
    for kind, wish, need in found.needs:
        if need is not None:
            wanted.setdefault(need.deals, []).append(f"{kind} {100 * wish:g}")
    ends = (max(2, min(wanted) // 4), 4 * max(wanted))
    between = np.geomspace(*ends, _STEPS).round().astype(np.int64).tolist()
    sd = found.pilot.sd
    return pd.DataFrame(
        {
            "deals": deals,
            "games": int(np.ceil(deals * found.pilot.games_of_deal)),
            HALF_WIDTH: 100 * half_width_of(sd, deals),
            EFFECT: 100 * detectable(sd, deals, task.power, task.alpha),
            "wish": ", ".join(wanted.get(deals, [])),
        }
        for deals in sorted({*between, *wanted})
    )


def _curve_chapter(task: Task, found: Answer) -> Chapter:
    return Chapter(
        "curve",
        "What a number of games tells",
        (
            "Half-width of the 95 % interval, and the smallest effect that is found with a chance "
            f"of {100 * task.power:g} %, in percentage points, by the number of games. Both fall "
            "with the root of the games: half as wide takes four times as many.",
        ),
        {"curve": curve(task, found)},
        {"curve": "Half-width and effect by games"},
        (
            Chart(
                "curve",
                "curve",
                "What a number of games tells",
                "Half-width of the interval and smallest effect found against games, on log "
                "scales, with the wishes marked.",
                _plot,
                lambda _: 3.8,
            ),
        ),
    )


def _plot(table: pd.DataFrame, ax: Axes) -> Axes:
    for kind, dash, marker, color in zip(
        (HALF_WIDTH, EFFECT), style.DASHES, style.MARKERS, style.PALETTE, strict=False
    ):
        ax.plot(table["games"], table[kind], dash, color=color, label=kind)
        marked = table[table["wish"].str.contains(kind)]
        ax.plot(marked["games"], marked[kind], marker, color=color, markeredgecolor="white")
        for games, size in zip(marked["games"], marked[kind], strict=True):
            ax.annotate(
                f"{games:,}",
                (games, size),
                xytext=(4, 4) if kind == EFFECT else (-4, -4),
                textcoords="offset points",
                ha="left" if kind == EFFECT else "right",
                va="bottom" if kind == EFFECT else "top",
                fontsize=7,
                color=style.QUIET,
            )
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter(lambda number, _: f"{number:,.9g}")
        axis.set_minor_formatter(NullFormatter())
    ax.set_xlabel("games")
    ax.set_ylabel("percentage points")
    ax.grid()
    ax.legend()
    return ax
