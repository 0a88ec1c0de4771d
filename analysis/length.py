"""How long a game is, in turns and in rounds."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from analysis import style
from analysis.estimates import histogram_quantile, mean, moments, quantile_estimate
from analysis.question import Chart, Evidence, Question, Sums, Tables, row, table
from analysis.view import View

QUANTILES = {"5 %": 0.05, "25 %": 0.25, "median": 0.5, "75 %": 0.75, "95 %": 0.95}
SHOWN = 0.99
"""Share of the games that the bars show; games stopped for their length lie far out."""
BARS = 60
"""About how many bars the chart has at most."""


def collect(view: View) -> Sums:
    """Histogram of turns a game, and moments by deal of their mean."""
    games = view.games_per_deal
    return {
        "turns": np.bincount(view.turns),
        "mean": moments(view.by_deal(view.turns)[:, None], games[:, None], games),
    }


def tables(evidence: Evidence) -> Tables:
    """Make `length` (means), `length_quantiles` and `length_histogram` (games by length)."""
    average = mean(evidence.sums["mean"][0])
    means = [
        row(average, "turns", figure="mean"),
        row(average.affine(1 / evidence.setting.players), "rounds", figure="mean"),
    ]
    return {
        "length": table(means),
        "length_quantiles": _quantiles(evidence),
        "length_histogram": _histogram(evidence),
    }


def _quantiles(evidence: Evidence) -> pd.DataFrame:
    """Lengths that a share of the games does not exceed, in turns and in rounds."""
    rows = []
    for unit, scale in (("turns", 1.0), ("rounds", 1 / evidence.setting.players)):
        for name, share in QUANTILES.items():
            turns = quantile_estimate(evidence.sums["turns"], share, evidence.games, evidence.deals)
            rows.append(row(turns.affine(scale), unit, **{"share of games": name}))
    return table(rows)


def _histogram(evidence: Evidence) -> pd.DataFrame:
    """Games by length, in spans in which every team has as many turns (parity would show)."""
    counts, setting = evidence.sums["turns"], evidence.setting
    played = np.flatnonzero(counts)
    # The far tail (games stopped for their length) would squeeze all the rest into a corner.
    span = histogram_quantile(counts, SHOWN) - int(played[0]) + 1
    width = setting.teams * max(1, round(span / setting.teams / BARS))
    edges = np.arange(0, len(counts) + width, width)
    # Turns are numbered from 1, so that a bar holds the lengths of (edge - width, edge].
    bar = (np.arange(len(counts)) + width - 1) // width
    games = np.bincount(bar, counts, len(edges))
    frame = pd.DataFrame(
        {
            "from turn": np.maximum(0, edges - width + 1),
            "to turn": edges,
            "rounds": edges / setting.players,
            "games": games.astype(np.int64),
            "share %": 100 * games / games.sum(),
        }
    )
    return frame.iloc[np.flatnonzero(games)[0] : np.flatnonzero(games)[-1] + 1]


def plot(table: pd.DataFrame, ax: Axes) -> Axes:
    """Draw the share of games by length in turns, rounds on the upper axis."""
    players = table["to turn"].iloc[-1] / table["rounds"].iloc[-1]
    width = int((table["to turn"] - table["from turn"]).max()) + 1
    before = table["share %"].cumsum() - table["share %"]
    shown = table[before < 100 * SHOWN]
    ax.bar(
        shown["to turn"] - width / 2,
        shown["share %"],
        width=width * 0.9,
        color=style.BLUE,
    )
    ax.set_xlabel("length (turns)")
    bar = f"{width} turns" if width > 1 else "turn"
    ax.set_ylabel(f"games (% per bar of {bar})")
    ax.grid(axis="y")
    upper = ax.secondary_xaxis(
        "top", functions=(lambda x: np.asarray(x) / players, lambda x: np.asarray(x) * players)
    )
    upper.set_xlabel("length (rounds)")
    ax.set_ylim(top=1.16 * float(shown["share %"].max()))
    _mark_median(shown, ax)
    if len(shown) < len(table):
        rest = 100 - float(shown["share %"].sum())
        text = f"{rest:.1g} % of the games\nare longer"
        ax.text(0.98, 0.8, text, transform=ax.transAxes, fontsize=8, ha="right", va="top")
    return ax


def _mark_median(table: pd.DataFrame, ax: Axes) -> None:
    half = int(np.searchsorted(table["share %"].cumsum(), 50))
    median = table["to turn"].iloc[min(half, len(table) - 1)]
    ax.axvline(median, color=style.INK, linewidth=1, linestyle="--")
    ax.annotate(
        "half of the games are over",
        (median, 0.97),
        xycoords=("data", "axes fraction"),
        xytext=(5, 0),
        textcoords="offset points",
        fontsize=8,
        va="top",
    )


QUESTION = Question(
    name="length",
    title="Length of a game",
    order=50,
    definition=(
        "A turn is one seat's turn, a pass included; a round is as many turns as there are "
        "players. Quantiles come with intervals that take a deal for a single game, which is "
        "cautious where a deal is played several times.",
    ),
    collect=collect,
    tables=tables,
    captions={
        "length": "Turns and rounds a game",
        "length_quantiles": "Length that a share of the games does not exceed",
        "length_histogram": "Games by length",
    },
    charts=(
        Chart(
            "length",
            "length_histogram",
            "Length of a game",
            "Share of games by their length in turns and rounds.",
            plot,
            lambda table: 3.8,
        ),
    ),
)
