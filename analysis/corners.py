"""How much do free corners matter? The share of sequences that run through one."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from analysis import style
from analysis.estimates import Array, Estimate, holm, moments, p_value, proportion
from analysis.question import (
    ALL,
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
from analysis.sentence import basis, figure
from analysis.setting import CORNER_NAMES, codes
from analysis.view import View, add_up


def collect(view: View) -> Sums:
    """Moments by deal of sequences through corners, of wins with one, and of teams' scores."""
    size, games = len(view.setting.strategies), view.games_per_deal
    frame = view.part.sequences
    game = view.game_of(frame)
    corner = codes(frame["corner"], ["none", *CORNER_NAMES])
    strategy = codes(frame["strategy"], view.setting.strategies)
    counts = view.count(game, strategy * 5 + corner, size * 5).reshape(-1, size, 5)
    all_of, through = add_up(counts, 2), counts[:, :, 1:]
    by_strategy, by_corner = add_up(through, 2), add_up(through, 1)
    pooled = add_up(by_corner, 1)[:, None]
    each = moments(through.reshape(-1, size * 4), np.repeat(all_of, 4, axis=1), games)
    everyone = add_up(all_of, 1)[:, None]
    return {
        "all": moments(pooled, everyone, games),
        "strategy": moments(by_strategy, all_of, games),
        "corner": moments(by_corner, everyone, games),
        "among": moments(by_corner, pooled, games),
        "cell": each,
        **_teams(view, game, corner, strategy),
    }


def _teams(view: View, game: Array, corner: Array, strategy: Array) -> Sums:
    """Wins with a corner sequence, and scores of teams with and without."""
    size, games = len(view.setting.strategies), view.games_per_deal
    frame = view.part.sequences
    has = np.zeros((view.games, view.setting.teams), dtype=bool)
    team = frame["team"].to_numpy()
    has[game[corner > 0], team[corner > 0]] = True
    won = np.flatnonzero(~view.drawn)
    wins_with = won[has[won, view.winner[won]]]
    # The winning play may score several sequences; all of them are one seat's.
    winning = frame["winning"].to_numpy()
    by = np.zeros(view.games, dtype=np.int64)
    by[game[winning]] = strategy[winning]
    wins = view.count(won, by[won], size)
    with_corner = view.count(wins_with, by[wins_with], size)
    sides = np.stack([has, ~has], axis=2)
    scores = add_up(view.team_score[:, :, None] * sides, 1)
    return {
        "wins": moments(add_up(with_corner, 1)[:, None], add_up(wins, 1)[:, None], games),
        "wins_strategy": moments(with_corner, wins, games),
        "sides": moments(view.by_deal(scores), view.by_deal(add_up(sides, 1, np.int64)), games),
    }


def line_share(evidence: Evidence) -> float:
    """Share of lines that run through a corner (12 of 192 in the standard game)."""
    setting = evidence.setting
    return setting.corner_lines / len(setting.lines) if setting.free_corners else 0.0


def tables(evidence: Evidence) -> Tables:
    """Make `corners`, `corners_by_strategy`, `corners_by_corner` and `corners_and_score`.

    Where corners are dead spaces only the first has something to say.
    """
    if not evidence.setting.free_corners:
        return dict.fromkeys(QUESTION.captions, pd.DataFrame()) | {"corners": _pooled(evidence)}
    sums, names = evidence.sums, evidence.setting.strategies
    lines, reference = 100 * line_share(evidence), _reference(evidence)
    beside = {"lines %": lines, "random bots %": reference}
    strategies = [
        row(proportion(m), PERCENT, figure=label, strategy=name) | extra
        for label, key, extra in [
            ("sequences through a corner", "strategy", beside),
            ("wins with a corner sequence", "wins_strategy", dict.fromkeys(beside, np.nan)),
        ]
        for name, m in zip(names, sums[key], strict=True)
    ]
    return {
        "corners": _pooled(evidence),
        "corners_by_strategy": table(strategies).astype(dict.fromkeys(beside, "float64")),
        "corners_by_corner": _by_corner(evidence),
        "corners_and_score": _descriptive(evidence),
    }


def _reference(evidence: Evidence) -> float:
    """Share of corner sequences of the random bots in percent, not a number where not asked."""
    if evidence.reference is None:
        return float("nan")
    value = proportion(evidence.reference.sums["all"][0]).value
    return float("nan") if value is None else 100 * value


def _pooled(evidence: Evidence) -> pd.DataFrame:
    share = proportion(evidence.sums["all"][0])
    rows = [row(share, PERCENT, figure="sequences through a corner")]
    if evidence.reference is not None:
        theirs = proportion(evidence.reference.sums["all"][0])
        rows.append(row(theirs, PERCENT, figure="the same of random bots"))
    rows.append(row(times_as_often(evidence), "times", figure="a corner line beside another line"))
    wins = proportion(evidence.sums["wins"][0])
    rows.append(row(wins, PERCENT, figure="wins with a corner sequence"))
    return table(rows)


def times_as_often(evidence: Evidence) -> Estimate:
    """How many times as often a line through a corner is completed as a line without one.

    The share of corner sequences fixes it: odds of the share over odds of the lines; the ends of
    the interval are carried over. Where corners are not free there are no such lines.
    """
    share, lines = proportion(evidence.sums["all"][0]), line_share(evidence)
    if not lines or share.value is None or share.value >= 1:
        return Estimate(None, None, None, None, share.games, share.deals, "no data")
    odds = lines / (1 - lines)

    def carry(p: float | None) -> float | None:
        return None if p is None else p / (1 - p) / odds

    # Delta method: the derivative of p / (1 - p) is 1 / (1 - p)^2.
    error = None if share.error is None else share.error / (1 - share.value) ** 2 / odds
    # With few deals the upper end can be 1, and the odds have no bound then.
    high = None if share.high is None or share.high >= 1 else carry(share.high)
    low = carry(share.low) if high is not None else None
    return Estimate(carry(share.value), low, high, error, share.games, share.deals, share.method)


def _by_corner(evidence: Evidence) -> pd.DataFrame:
    sums, names = evidence.sums, evidence.setting.strategies
    among = [proportion(m) for m in sums["among"]]
    p = holm([p_value(share, 1 / len(CORNER_NAMES)) for share in among])
    rows = [
        row(proportion(m), PERCENT, strategy=ALL, corner=corner) | {"p (Holm)": p[i]}
        for i, (corner, m) in enumerate(zip(CORNER_NAMES, sums["corner"], strict=True))
    ]
    if len(names) > 1:
        rows += [
            row(proportion(sums["cell"][4 * s + c]), PERCENT, strategy=name, corner=corner)
            | {"p (Holm)": np.nan}
            for s, name in enumerate(names)
            for c, corner in enumerate(CORNER_NAMES)
        ]
    return table(rows)


def _descriptive(evidence: Evidence) -> pd.DataFrame:
    labels = ["with a corner sequence", "without one"]
    return table(
        row(proportion(m), PERCENT, teams=label)
        for label, m in zip(labels, evidence.sums["sides"], strict=True)
    )


def headline(evidence: Evidence) -> Headline:
    """Say what a corner is worth."""
    share = proportion(evidence.sums["all"][0]).affine(100)
    often = times_as_often(evidence)
    figures = {"sequences through a corner": share, "times as often": often}
    return Headline("corners", _sentence(evidence, share, often), figures, PERCENT)


def _sentence(evidence: Evidence, share: Estimate, often: Estimate) -> str:
    if not evidence.setting.free_corners:
        return "Corners are dead spaces in this game: no sequence can run through one."
    if share.value is None:
        return "No sequence was scored, through a corner or elsewhere."
    reference = _reference(evidence)
    random = f" and {reference:.1f} % for random bots" if np.isfinite(reference) else ""
    usage = (
        f"{figure(share, PERCENT)} of scored sequences run through a corner, against "
        f"{100 * line_share(evidence):.2f} % of lines{random} ({basis(share)})."
    )
    # Where every sequence runs through a corner there is nothing to hold its lines against.
    if often.value is None:
        return usage
    return (
        f"A line through a corner is completed {figure(often, 'times')} as often as one without: "
        f"{usage}"
    )


def plot_strategy(table: pd.DataFrame, ax: Axes) -> Axes:
    """Draw the share of corner sequences by strategy, beside lines and random bots."""
    shown = table[table["figure"] == "sequences through a corner"]
    style.forest(shown, ax, list(shown["strategy"]))
    lines, random = shown["lines %"].iloc[0], shown["random bots %"].iloc[0]
    style.reference_line(ax, lines, "share of lines")
    if np.isfinite(random):
        style.reference_line(ax, random, "random bots", dash=":")
    ax.set_xlim(left=0)
    ax.set_xlabel("share of scored sequences (%)")
    ax.set_ylabel("strategy")
    return ax


def plot_corner(table: pd.DataFrame, ax: Axes) -> Axes:
    """Draw the share of sequences through each corner."""
    shown = table[table["strategy"] == ALL]
    style.forest(shown, ax, list(shown["corner"]))
    ax.set_xlabel("share of scored sequences (%)")
    ax.set_ylabel("corner")
    return ax


QUESTION = Question(
    name="corners",
    title="Corner usage",
    order=30,
    definition=(
        "Share of scored sequences that run through a free corner, beside the share of lines that "
        "do and beside random bots under the same rules (a line through a corner needs one chip "
        "less). “Times as often” compares the chance of a line through a corner to be completed "
        "with that of a line without one, from the numbers of both kinds of line.",
        "A win counts as one with a corner sequence if the winner scored at least one through a "
        "corner; it is counted for the strategy whose play won.",
        "p (Holm): chance of a split over the corners at least this far from a quarter each if "
        "corners did not differ, adjusted for four rows.",
        "The score of teams with and without a corner sequence is descriptive only: a team that "
        "scores any sequence wins more often, so it is not what a corner is worth.",
    ),
    collect=collect,
    tables=tables,
    captions={
        "corners": "Sequences through corners",
        "corners_by_strategy": "Corner usage by strategy",
        "corners_by_corner": "Corner usage by corner",
        "corners_and_score": "Score of teams with and without a corner sequence (descriptive)",
    },
    charts=(
        Chart(
            "corners_by_strategy",
            "corners_by_strategy",
            "Sequences through a corner, by strategy",
            "Share of scored sequences that run through a corner, by strategy, with 95 % "
            "intervals, beside the share of lines and random bots.",
            plot_strategy,
            lambda table: style.rows_high(table.iloc[: len(table) // 2]),
        ),
        Chart(
            "corners_by_corner",
            "corners_by_corner",
            "Sequences through each corner",
            "Share of scored sequences that run through each corner, with 95 % intervals.",
            plot_corner,
            lambda table: style.rows_high(table.iloc[:4]),
        ),
    ),
    headline=headline,
)
