"""How strong the strategies of a run are: their scores against bots that everybody has."""

import pandas as pd
from matplotlib.axes import Axes

from analysis import style
from analysis.question import (
    PERCENT,
    Chart,
    Evidence,
    Headline,
    Question,
    Sums,
    Tables,
    row,
    table,
)
from analysis.sentence import figure
from analysis.view import View
from analysis.yardsticks import Met

QUOTED = 3
"""Strategies in the headline; the table has all."""


def collect(view: View) -> Sums:
    """Nothing: the games of the run do not tell it."""
    return {}


def tables(evidence: Evidence) -> Tables:
    """Make `strength`, and `strength_left_out` for strategies that were not played."""
    found = evidence.strength
    if found is None:
        return {"strength": pd.DataFrame(), "strength_left_out": pd.DataFrame()}
    rows = [
        row(met.score, PERCENT, strategy=met.strategy, against=met.against)
        | {"drawn %": 100 * (met.drawn.value or 0.0)}
        for met in found.met
    ]
    left_out = [{"strategy": name, "reason": why} for name, why in found.left_out.items()]
    share = 100 / evidence.setting.teams
    return {
        "strength": table(rows).assign(**{"equal share %": share}) if rows else pd.DataFrame(),
        "strength_left_out": pd.DataFrame(left_out),
    }


def headline(evidence: Evidence) -> Headline | None:
    """Say what the first strategies score; nothing where none was played."""
    found = evidence.strength
    if found is None or not found.met:
        return None
    by_name: dict[str, list[Met]] = {}
    for met in found.met:
        by_name.setdefault(met.strategy, []).append(met)
    told = [_told(name, scores) for name, scores in list(by_name.items())[:QUOTED]]
    more = len(by_name) - len(told)
    rest = [f"{more} more in the table"] if more else []
    if evidence.setting.teams == 3:
        rest.append("with three teams equals score 33.3 %, and 66.7 % is the most")
    return Headline(
        "strength",
        f"{'; '.join([*told, *rest])}.",
        {f"{met.strategy} against {met.against}": met.score.affine(100) for met in found.met},
        PERCENT,
    )


def _told(name: str, scores: list[Met]) -> str:
    against = [f"{figure(met.score.affine(100), PERCENT)} against {met.against}" for met in scores]
    return f"{name} scores {', '.join(against)}"


def plot(table: pd.DataFrame, ax: Axes) -> Axes:
    """Draw the score of each strategy against each yardstick, beside an equal share."""
    names = [
        f"{style.short(s)} - {a}" for s, a in zip(table["strategy"], table["against"], strict=True)
    ]
    style.forest(table, ax, names)
    style.reference_line(ax, table["equal share %"].iloc[0], "equal share")
    ax.set_xlabel("score (%)")
    ax.set_ylabel("strategy - opponent")
    return ax


QUESTION = Question(
    name="strength",
    title="Strength of the strategies",
    order=45,
    definition=(
        "Score of each strategy against bots that everybody has, in percent, under the rules of "
        "the run. These games are not among those of the run: they are played when the report is "
        "made, on the same deals in every report, and every deal in all seatings of the two (two "
        "for two teams, six for three). A score is the mean over the teams that a strategy holds: "
        "equals score 1/teams, and with three teams 66.7 % is the most, since one of two teams "
        "held has to lose. A bot is not held against itself.",
        "Strategies that are slow, that come from a file or that are not installed where the "
        "report was made are not played; they are listed with the reason.",
    ),
    collect=collect,
    tables=tables,
    captions={
        "strength": "Score against bots that everybody has",
        "strength_left_out": "Strategies that were not played",
    },
    charts=(
        Chart(
            "strength",
            "strength",
            "Score against bots that everybody has",
            "Mean score of each strategy against each of these bots, with 95 % intervals.",
            plot,
            style.rows_high,
        ),
    ),
    headline=headline,
)
