"""What is going first worth? Score of the starting team, by place and, of three teams, by team."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from analysis import style
from analysis.estimates import Estimate, games_saved, holm, mean, moments, p_value, proportion
from analysis.question import (
    PERCENT,
    POINTS,
    Chart,
    Evidence,
    Headline,
    Question,
    Sums,
    Tables,
    row,
    table,
)
from analysis.sentence import quote
from analysis.view import View


def collect(view: View) -> Sums:
    """Moments by deal of the score by place and by team, the starting team's wins, the draws."""
    games = view.games_per_deal
    won = view.by_deal(view.starting_team == view.winner)
    return {
        "place": moments(view.by_deal(view.place_score), games[:, None], games),
        "team": moments(view.by_deal(view.team_score), games[:, None], games),
        "won": moments(won[:, None], games[:, None], games),
        "drawn": moments(view.by_deal(view.drawn)[:, None], games[:, None], games),
        "squares": np.array([np.square(view.place_score[:, 0]).sum()]),
    }


def advantage(evidence: Evidence) -> Estimate:
    """Mean score of the starting team minus 1/teams, as a share."""
    return proportion(evidence.sums["place"][0]).affine(1, -1 / evidence.setting.teams)


def tables(evidence: Evidence) -> Tables:
    """Make `first_player`, `score_by_place` and, of three teams, `score_by_team`."""
    sums, teams = evidence.sums, evidence.setting.teams
    drawn = proportion(sums["drawn"][0])
    saved = games_saved(sums["place"][0], float(sums["squares"][0]))
    figures = [
        row(advantage(evidence), POINTS, figure=f"score of the starting team minus 1/{teams}"),
        row(proportion(sums["place"][0]), PERCENT, figure="score of the starting team"),
        row(proportion(sums["won"][0]), PERCENT, figure="games won by the starting team"),
        row(drawn, PERCENT, figure="games drawn"),
    ]
    for line, factor in zip(figures, [saved, saved, None, None], strict=True):
        line["games saved"] = factor
    found = {
        "first_player": table(figures).astype({"games saved": "float64"}),
        "score_by_place": _family(evidence, "place", [_ordinal(i) for i in range(teams)]),
        "score_by_team": pd.DataFrame(),
    }
    if teams > 2:
        chips = evidence.setting.rules["chips"]
        names = [f"team {i} ({chips[i]} chips)" for i in range(teams)]
        found["score_by_team"] = _family(evidence, "team", names)
    return found


def _family(evidence: Evidence, kind: str, names: list[str]) -> pd.DataFrame:
    """Scores beside the draw rate, each tested against an equal share (Holm over the family)."""
    scores = [proportion(m) for m in evidence.sums[kind]]
    drawn = mean(evidence.sums["drawn"][0]).value
    rows = [
        row(score, PERCENT, **{kind: name}) | {"drawn %": 100 * (drawn or 0)}
        for name, score in zip(names, scores, strict=True)
    ]
    p = holm([p_value(score, 1 / evidence.setting.teams) for score in scores])
    return table(rows).assign(**{"p (Holm)": p})


def _ordinal(place: int) -> str:
    return ["first", "second", "third"][place]


def headline(evidence: Evidence) -> Headline:
    """Say what going first is worth."""
    worth = advantage(evidence)
    sentence = f"Going first is worth {quote(worth.affine(100), POINTS + ' of score', sign=True)}."
    return Headline("first_player", sentence, {"going first": worth.affine(100)}, POINTS)


def plot_place(table: pd.DataFrame, ax: Axes) -> Axes:
    """Draw the score by place in the turn order, beside an equal share."""
    return _plot(table, ax, "place", "place")


def plot_team(table: pd.DataFrame, ax: Axes) -> Axes:
    """Draw the score by team, beside an equal share."""
    return _plot(table, ax, "team", "team")


def _plot(table: pd.DataFrame, ax: Axes, kind: str, label: str) -> Axes:
    style.forest(table, ax, list(table[kind]))
    style.reference_line(ax, 100 / len(table), "equal share")
    ax.set_xlabel("score (%)")
    ax.set_ylabel(label)
    return ax


QUESTION = Question(
    name="first_player",
    title="First-player advantage",
    order=10,
    definition=(
        "A score is 1 for a win, 0 for a loss and 1/teams for a draw. The advantage of going first "
        "is the mean score of the team that moves first minus 1/teams, in percentage points. The "
        "place of a team is the place of its first seat in the turn order.",
        "Where the start is rotated, every team starts once on each deal, so that luck of the "
        "cards cancels within the deal; “games saved” says how many independent games stand for "
        "one such game (above 1, the design saves games). With different strategies the starting "
        "team's score is taken over whole deals, in which all of them start.",
        "p (Holm): chance of a score at least this far from an equal share if places (or teams) "
        "did not matter, adjusted for the number of rows.",
    ),
    collect=collect,
    tables=tables,
    captions={
        "first_player": "What going first is worth",
        "score_by_place": "Score by place in the turn order",
        "score_by_team": "Score by team",
    },
    charts=(
        Chart(
            "score_by_place",
            "score_by_place",
            "Score by place in the turn order",
            "Mean score of the team in each place of the turn order, with 95 % intervals.",
            plot_place,
            style.rows_high,
        ),
        Chart(
            "score_by_team",
            "score_by_team",
            "Score by team",
            "Mean score of each team, with 95 % intervals.",
            plot_team,
            style.rows_high,
        ),
    ),
    headline=headline,
)
