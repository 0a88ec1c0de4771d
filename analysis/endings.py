"""How games end: for what reason, drawn or won by whom, and with how many reshuffles."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from analysis import style
from analysis.estimates import mean, moments, proportion
from analysis.question import PERCENT, Chart, Evidence, Question, Sums, Tables, row, table
from analysis.setting import codes
from analysis.view import View

REASONS = ["sequences", "stalemate", "max_turns"]
MEANING = {
    "sequences": "won by sequences",
    "stalemate": "drawn, nobody could play",
    "max_turns": "drawn, too many turns",
}
MANY = 3
"""From this number of reshuffles on, games are counted together."""


def collect(view: View) -> Sums:
    """Moments by deal of reasons, winners and reshuffles."""
    frame, games, teams = view.part.games, view.games_per_deal, view.setting.teams
    every = np.arange(view.games)
    reshuffles = frame["reshuffles"].to_numpy().astype(np.int64)

    def shares(code: np.ndarray, size: int) -> np.ndarray:
        return moments(view.count(every, code, size), games[:, None], games)

    return {
        "reason": shares(codes(frame["reason"], REASONS), len(REASONS)),
        "winner": shares(np.where(view.drawn, teams, view.winner), teams + 1),
        "reshuffles": shares(np.minimum(reshuffles, MANY), MANY + 1),
        "reshuffles_mean": moments(view.by_deal(reshuffles)[:, None], games[:, None], games),
    }


def tables(evidence: Evidence) -> Tables:
    """Make `endings` (reasons and winners) and `reshuffles`."""
    sums, teams = evidence.sums, evidence.setting.teams
    winners = [f"won by team {team}" for team in range(teams)] + ["drawn"]
    ends = [
        row(proportion(m), PERCENT, by=by, ending=name)
        for by, names, key in [
            ("reason", [MEANING[reason] for reason in REASONS], "reason"),
            ("winner", winners, "winner"),
        ]
        for name, m in zip(names, sums[key], strict=True)
    ]
    counts = [*map(str, range(MANY)), f"{MANY} or more"]
    shuffled = [
        row(proportion(m), PERCENT, reshuffles=name)
        for name, m in zip(counts, sums["reshuffles"], strict=True)
    ]
    average = row(mean(sums["reshuffles_mean"][0]), "a game", reshuffles="mean")
    return {"endings": table(ends), "reshuffles": table([*shuffled, average])}


def plot(table: pd.DataFrame, ax: Axes) -> Axes:
    """Draw the share of games by reason and by winner, each with its interval."""
    heights, value = np.arange(len(table))[::-1], table["value"]
    low, high = table["low"].fillna(value), table["high"].fillna(value)
    ax.barh(heights, value, 0.62, color=style.SKY, edgecolor=style.INK, linewidth=0.6)
    ax.hlines(heights, low, high, color=style.INK, linewidth=1.4)
    for height, end, share in zip(heights, high, value, strict=True):
        ax.annotate(
            f"{share:.1f} %",
            (end, height),
            xytext=(5, 0),
            textcoords="offset points",
            va="center",
            fontsize=8.5,
        )
    ax.set_yticks(heights, list(table["ending"]))
    ax.axhline(len(table) - len(REASONS) - 0.5, color=style.QUIET, linewidth=0.8)
    ax.tick_params(axis="y", length=0)
    ax.set_xlim(0, 118)
    ax.set_xlabel("games (%)")
    ax.set_ylabel("ending")
    return ax


QUESTION = Question(
    name="endings",
    title="How games end",
    order=80,
    definition=(
        "A game is won by sequences, or drawn: by stalemate, when all seats in turn could neither "
        "play nor exchange a card, or for having reached the largest number of turns. Teams are "
        "numbered from 0 by seat; team 0 holds seat 0. A reshuffle makes a new draw pile of the "
        "discards.",
    ),
    collect=collect,
    tables=tables,
    captions={"endings": "How games end", "reshuffles": "Reshuffles a game"},
    charts=(
        Chart(
            "endings",
            "endings",
            "How games end",
            "Share of games by reason of their end and by winner, with 95 % intervals.",
            plot,
            lambda table: style.rows_high(table) + 0.6,
        ),
    ),
)
