"""What is a jack in the opening hand worth? Scores by jacks dealt, and a regression."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from analysis import style
from analysis.estimates import Array, Estimate, holm, mean, moments, p_value, proportion
from analysis.question import (
    ALL,
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
from analysis.regression import regression_moments, slopes
from analysis.sentence import figure, quote
from analysis.view import View, add_up

KINDS = ["two-eyed", "one-eyed"]
COLUMNS = 3
"""Columns of the regression: a constant, two-eyed and one-eyed jacks dealt."""


def collect(view: View) -> Sums:
    """Moments of scores by jacks dealt, and of the regression, each strategy and all together."""
    seats = view.part.seats
    game = np.repeat(np.arange(view.games), view.setting.players)
    dealt = [
        seats[f"opening_{kind}"].to_numpy().astype(np.int64) for kind in ("two_eyed", "one_eyed")
    ]
    score = view.seat_score.ravel()
    sums = {
        kind: _by_number(view, game, count, score) for kind, count in zip(KINDS, dealt, strict=True)
    }
    drawn = view.by_deal(view.drawn)[:, None]
    sums["drawn"] = moments(drawn, view.games_per_deal[:, None], view.games_per_deal)
    return sums | _regressions(view, game, dealt, score)


def _by_number(view: View, game: Array, count: Array, score: Array) -> Array:
    """Moments of the score by number of jacks dealt; shape (largest number + 1, 7)."""
    size = int(count.max(initial=0)) + 1
    seats = view.count(game, count, size)
    return moments(view.count(game, count, size, score), seats, view.games_per_deal)


def _regressions(view: View, game: Array, dealt: list[Array], score: Array) -> Sums:
    """Second moments of the regression: "slopes" (strategies + 1, m, m), the last one pooled."""
    size, strategy = len(view.setting.strategies), view.seat_strategy.ravel()
    columns = [np.ones_like(score), *(count.astype(np.float64) for count in dealt)]
    xx = np.empty((view.deals, size, COLUMNS, COLUMNS))
    xy = np.empty((view.deals, size, COLUMNS))
    for i, left in enumerate(columns):
        xy[:, :, i] = view.count(game, strategy, size, left * score)
        for j, right in enumerate(columns[: i + 1]):
            xx[:, :, i, j] = xx[:, :, j, i] = view.count(game, strategy, size, left * right)
    second = [regression_moments(xx[:, s], xy[:, s]) for s in range(size)]
    second.append(regression_moments(add_up(xx, 1), add_up(xy, 1)))
    games = [view.games_per_deal @ (xx[:, s, 0, 0] > 0) for s in range(size)]
    return {"slopes": np.stack(second), "slope_games": np.array([*games, view.games])}


def slope_estimates(evidence: Evidence, which: int) -> list[Estimate]:
    """Slopes of the score on two-eyed and one-eyed jacks; `which` is a strategy, -1 all of them."""
    games = int(evidence.sums["slope_games"][which])
    return slopes(evidence.sums["slopes"][which], COLUMNS, games)


def tables(evidence: Evidence) -> Tables:
    """Make `jack_value` (slopes) and `score_by_jacks` (scores by number of jacks dealt)."""
    names = evidence.setting.strategies
    groups = [(ALL, -1)] + ([(name, i) for i, name in enumerate(names)] if len(names) > 1 else [])
    found = [
        (name, kind, slope)
        for name, which in groups
        for kind, slope in zip(KINDS, slope_estimates(evidence, which), strict=True)
    ]
    p = holm([p_value(slope, 0) for _, _, slope in found])
    rows = [row(slope, POINTS, strategy=name, kind=kind) for name, kind, slope in found]
    return {
        "jack_value": table(rows).assign(**{"p (Holm)": p}),
        "score_by_jacks": _by_jacks(evidence),
    }


def _by_jacks(evidence: Evidence) -> pd.DataFrame:
    drawn = mean(evidence.sums["drawn"][0]).value or 0.0
    return table(
        row(proportion(m), PERCENT, kind=kind, dealt=number) | {"drawn %": 100 * drawn}
        for kind in KINDS
        for number, m in enumerate(evidence.sums[kind])
    )


def headline(evidence: Evidence) -> Headline:
    """Say what a jack in the opening hand is worth."""
    two, one = (slope.affine(100) for slope in slope_estimates(evidence, -1))
    figures = {f"{kind} jack": slope for kind, slope in zip(KINDS, (two, one), strict=True)}
    unit = f"{POINTS} of score"
    parts = [
        f"a {kind} jack in the opening hand {words}"
        for kind, slope, words in [
            (KINDS[0], two, "is worth " + figure(two, unit, sign=True)),
            (KINDS[1], one, quote(one, "", sign=True)),
        ]
        if slope.value is not None
    ]
    if not parts:
        return Headline(
            "jack_value", "No jack was ever dealt, so none has a value.", figures, POINTS
        )
    if one.value is not None and two.value is None:
        parts = [f"a {KINDS[1]} jack in the opening hand is worth {quote(one, unit, sign=True)}"]
    return Headline("jack_value", f"{', '.join(parts).capitalize()}.", figures, POINTS)


def plot_slopes(table: pd.DataFrame, ax: Axes) -> Axes:
    """Draw what one more jack of each kind adds to the score, by strategy."""
    known = table.dropna(subset=["value"])
    style.forest(
        known,
        ax,
        [f"{style.short(s)}, {k}" for s, k in zip(known["strategy"], known["kind"], strict=True)],
    )
    style.reference_line(ax, 0, "no effect")
    ax.set_xlabel("score for one more jack dealt (percentage points)")
    ax.set_ylabel("strategy, kind of jack")
    return ax


def plot_numbers(table: pd.DataFrame, ax: Axes) -> Axes:
    """Draw the score by number of jacks dealt, a line for each kind."""
    known = table.dropna(subset=["value"])
    # A hand dealt next to never has an interval that would flatten all the others.
    known = known[known["deals"] >= 0.002 * known["deals"].max()]
    for i, kind in enumerate(KINDS):
        shown = known[known["kind"] == kind]
        shift = 0.06 * (2 * i - 1)
        low, high = shown["low"].fillna(shown["value"]), shown["high"].fillna(shown["value"])
        x = shown["dealt"] + shift
        ax.vlines(x, low, high, color=style.PALETTE[i], linewidth=1.6)
        ax.plot(
            x,
            shown["value"],
            marker=style.MARKERS[i],
            linestyle=style.DASHES[i],
            color=style.PALETTE[i],
            label=f"{kind} jacks",
        )
    ax.set_xticks(sorted(known["dealt"].unique()))
    ax.set_xlabel("jacks of the kind in the opening hand (cards)")
    ax.set_ylabel("score (%)")
    ax.grid(axis="y")
    ax.legend(loc="upper left")
    return ax


QUESTION = Question(
    name="jack_value",
    title="Value of a jack",
    order=40,
    definition=(
        "The opening hand is random, so it is an experiment by itself: the score of a seat's team "
        "is regressed on the two-eyed and the one-eyed jacks in the hand the seat was dealt. A "
        "slope is what one more jack of the kind, in place of an average other card, adds to the "
        "score, in percentage points. With partners it is one seat's hand and the whole team's "
        "score.",
        "The chart leaves out hands seen on fewer than one deal in 500; the table has them.",
        "p (Holm): chance of a slope at least this steep if jacks did not matter, adjusted for the "
        "number of rows.",
    ),
    collect=collect,
    tables=tables,
    captions={
        "jack_value": "What one more jack in the opening hand is worth",
        "score_by_jacks": "Score by jacks in the opening hand, all strategies",
    },
    charts=(
        Chart(
            "jack_value",
            "jack_value",
            "What one more jack in the opening hand adds",
            "Slope of the score on jacks dealt, by strategy and kind, with 95 % intervals.",
            plot_slopes,
            style.rows_high,
        ),
        Chart(
            "score_by_jacks",
            "score_by_jacks",
            "Score by jacks in the opening hand",
            "Mean score by number of two-eyed and of one-eyed jacks dealt, with 95 % intervals.",
            plot_numbers,
            lambda table: 3.6,
        ),
    ),
    headline=headline,
)
