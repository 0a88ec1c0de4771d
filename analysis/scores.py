"""How well each strategy scores, over all and in each place of the turn order."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from analysis import style
from analysis.estimates import mean, moments, proportion
from analysis.question import PERCENT, Chart, Evidence, Question, Sums, Tables, row, table
from analysis.view import View, add_up

PLACES = ["first", "second", "third"]


def collect(view: View) -> Sums:
    """Moments by deal of seat scores and draws, by strategy and by strategy and place."""
    teams, size = view.setting.teams, len(view.setting.strategies)
    game = np.repeat(np.arange(view.games), view.setting.players)
    strategy = view.seat_strategy.ravel()
    seats = np.arange(view.setting.players)
    place = ((seats - view.starting_team[:, None]) % teams).ravel()
    cell = strategy * teams + place
    seated = view.count(game, cell, size * teams)
    score = view.count(game, cell, size * teams, view.seat_score.ravel())
    drawn = view.count(game, cell, size * teams, view.drawn[game])
    games = view.games_per_deal

    def pooled(counts: np.ndarray) -> np.ndarray:
        return add_up(counts.reshape(-1, size, teams), 2)

    return {
        "strategy": moments(pooled(score), pooled(seated), games),
        "drawn": moments(pooled(drawn), pooled(seated), games),
        "place": moments(score, seated, games),
        "place_drawn": moments(drawn, seated, games),
    }


def tables(evidence: Evidence) -> Tables:
    """Make `scores` and, for several strategies, `scores_by_place`."""
    names, teams, sums = evidence.setting.strategies, evidence.setting.teams, evidence.sums
    scores = [
        row(proportion(sums["strategy"][i]), PERCENT, strategy=name)
        | {"drawn %": _percent(sums["drawn"][i])}
        for i, name in enumerate(names)
    ]
    by_place = [
        row(proportion(sums["place"][i * teams + place]), PERCENT, strategy=name, place=label)
        | {"drawn %": _percent(sums["place_drawn"][i * teams + place])}
        for i, name in enumerate(names)
        for place, label in enumerate(PLACES[:teams])
    ]
    several = len(names) > 1
    return {
        "scores": table(scores).assign(**{"equal share %": 100 / teams}),
        "scores_by_place": table(by_place) if several else pd.DataFrame(),
    }


def _percent(m: np.ndarray) -> float:
    value = mean(m).value
    return float("nan") if value is None else 100 * value


def plot(table: pd.DataFrame, ax: Axes) -> Axes:
    """Draw each strategy's score, beside an equal share."""
    style.forest(table, ax, list(table["strategy"]))
    style.reference_line(ax, table["equal share %"].iloc[0], "equal share")
    ax.set_xlabel("score (%)")
    ax.set_ylabel("strategy")
    return ax


QUESTION = Question(
    name="scores",
    title="Score by strategy",
    order=20,
    definition=(
        "Mean score of the seats a strategy holds: 1 for a win of the seat's team, 0 for a loss, "
        "1/teams for a draw, in percent; the share of drawn games stands beside it. One strategy "
        "in all seats scores 1/teams by construction, so that nothing can vary.",
    ),
    collect=collect,
    tables=tables,
    captions={
        "scores": "Score by strategy",
        "scores_by_place": "Score by strategy and place in the turn order",
    },
    charts=(
        Chart(
            "scores",
            "scores",
            "Score by strategy",
            "Mean score of each strategy, with 95 % intervals.",
            plot,
            style.rows_high,
        ),
    ),
)
