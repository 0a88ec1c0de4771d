"""Where on the board sequences fall, and where chips are placed and removed."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from analysis import style
from analysis.estimates import (
    DEALS,
    GAMES,
    SUMS_ONLY,
    Array,
    Estimate,
    X,
    Y,
    benjamini_hochberg,
    mean,
    moments,
    p_value,
    proportion,
)
from analysis.question import PERCENT, Chart, Evidence, Question, Sums, Tables, row, table
from analysis.setting import codes
from analysis.view import View
from simcore.board import CORNERS, FREE, SIDE, SPACE_NAMES, SPACES

BATCHES = 30
"""From this number of parts on, the spread between them gives intervals of sums."""

ORDINARY = np.setdiff1d(np.arange(SPACES), CORNERS)
SEQUENCE, WINNING = "in a sequence", "in a winning sequence"
PLACED, REMOVED = "chips placed", "chips removed"
SUITS = str.maketrans("SHDC", "♠♥♦♣")


def collect(view: View) -> Sums:
    """Moments by deal of games with a sequence over a space; sums of chips by part."""
    frame, games = view.part.sequences, view.games_per_deal
    game = view.game_of(frame)
    spaces = view.setting.lines[frame["line"].to_numpy()]
    winning = frame["winning"].to_numpy()
    covered = _covered(view, game, spaces)
    won = _covered(view, game[winning], spaces[winning])
    # Each space against the mean of the ordinary ones, within the deal.
    above = covered - covered[:, ORDINARY].mean(axis=1, keepdims=True)
    return {
        "covered": moments(covered, games[:, None], games),
        "won": moments(won, games[:, None], games),
        "above": moments(above, games[:, None], games),
        **_chips(view),
    }


def _covered(view: View, game: Array, spaces: Array) -> Array:
    """Games of each deal in which one of the sequences covers a space; int64 (D, 100)."""
    over = np.zeros(view.games * SPACES, dtype=bool)
    over[(game[:, None] * SPACES + spaces).ravel()] = True
    return view.by_deal(over.reshape(view.games, SPACES))


def _chips(view: View) -> Sums:
    """Take the sums of the part as one cluster: the table of spaces has no deals."""
    frame = view.part.spaces
    space = codes(frame["space"], list(SPACE_NAMES))
    games = np.array([view.games])
    return {
        name: moments(
            np.bincount(space, frame[name].to_numpy(), SPACES)[None, :], games[:, None], games
        )
        for name in ("placed", "removed")
    }


def tables(evidence: Evidence) -> Tables:
    """Make `board_sequences` and `board_chips`, 200 rows each."""
    sums = evidence.sums
    p = np.full(SPACES, np.nan)
    p[ORDINARY] = benjamini_hochberg([p_value(mean(m), 0) for m in sums["above"][ORDINARY]])
    falls = [
        *_rows(evidence, SEQUENCE, [proportion(m) for m in sums["covered"]], PERCENT),
        *_rows(evidence, WINNING, [proportion(m) for m in sums["won"]], PERCENT),
    ]
    chips = [
        *_rows(evidence, PLACED, _batches(evidence, "placed"), "a game"),
        *_rows(evidence, REMOVED, _batches(evidence, "removed"), "a game"),
    ]
    tested = np.r_[p, np.full(SPACES, np.nan)]
    return {
        "board_sequences": table(falls).assign(**{"p (BH)": tested}),
        "board_chips": table(chips),
    }


def _rows(
    evidence: Evidence, name: str, found: list[Estimate], unit: str
) -> list[dict[str, object]]:
    corner = "free" if evidence.setting.free_corners else "dead"
    cards = [corner if card == FREE else card for card in evidence.setting.cards]
    return [
        row(estimate, unit, figure=name, space=SPACE_NAMES[i], card=cards[i])
        for i, estimate in enumerate(found)
    ]


def _batches(evidence: Evidence, name: str) -> list[Estimate]:
    """Chips a game on each space, with the parts of the run as clusters if there are enough."""
    return [_batch(m, evidence.deals) for m in evidence.sums[name]]


def _batch(m: Array, deals: int) -> Estimate:
    if m[DEALS] < BATCHES:
        value = float(m[Y] / m[X]) if m[X] else None
        return Estimate(value, None, None, None, int(m[GAMES]), deals, SUMS_ONLY)
    found = mean(m)
    return Estimate(
        found.value, found.low, found.high, found.error, found.games, deals, found.method
    )


def plot_sequences(table: pd.DataFrame, ax: Axes) -> Axes:
    """Draw the board, shaded by the share of games with a sequence over the space."""
    return _plot(table[table["figure"] == SEQUENCE], ax, "{:.0f}%")


def plot_winning(table: pd.DataFrame, ax: Axes) -> Axes:
    """Draw the board, shaded by the share of games won by a sequence over the space."""
    return _plot(table[table["figure"] == WINNING], ax, "{:.1f}%")


def plot_placed(table: pd.DataFrame, ax: Axes) -> Axes:
    """Draw the board, shaded by chips placed on the space a game."""
    return _plot(table[table["figure"] == PLACED], ax, "{:.2f}")


def plot_removed(table: pd.DataFrame, ax: Axes) -> Axes:
    """Draw the board, shaded by chips removed from the space a game."""
    return _plot(table[table["figure"] == REMOVED], ax, "{:.3f}")


def _plot(table: pd.DataFrame, ax: Axes, text: str) -> Axes:
    values = table["value"].to_numpy().reshape(SIDE, SIDE)
    cards = table["card"].to_numpy().reshape(SIDE, SIDE)
    low, high = _range(values)
    edges = np.arange(SIDE + 1)
    ax.pcolormesh(
        edges,
        edges,
        values,
        cmap=style.SHADES,
        vmin=low,
        vmax=high,
        edgecolor="white",
        linewidth=1.5,
    )
    for i in range(SIDE):
        for j in range(SIDE):
            _space(ax, i, j, str(cards[i, j]), text.format(values[i, j]))
    ax.set_ylim(SIDE, 0)
    ax.set_aspect("equal")
    ax.set_xticks(np.arange(SIDE) + 0.5, list(map(str, range(1, SIDE + 1))))
    ax.set_yticks(np.arange(SIDE) + 0.5, "ABCDEFGHIJ")
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    ax.set_xlabel("column of the board")
    ax.set_ylabel("row of the board")
    return ax


def _range(values: Array) -> tuple[float, float]:
    """Shade from the least to the most of the printed spaces; corners would stretch the scale."""
    printed = values.ravel()[ORDINARY]
    low, high = float(printed.min()), float(printed.max())
    return (low, high) if high > low else (low - 1, high + 1)


def _space(ax: Axes, row: int, column: int, card: str, text: str) -> None:
    """Write on one space: the card in the middle, the figure below; a free corner is framed."""
    corner = card in ("free", "dead")
    if corner:
        frame = Rectangle((column + 0.09, row + 0.09), 0.82, 0.82, fill=False, edgecolor=style.INK)
        frame.set_linestyle((0, (3, 2)))
        ax.add_patch(frame)
    name, weight = (card, "normal") if corner else (card.translate(SUITS), "bold")
    middle = column + 0.5
    ax.text(middle, row + 0.4, name, ha="center", va="center", size=12.5, weight=weight)
    ax.text(middle, row + 0.75, text, ha="center", va="center", size=9.5)


_HEIGHT = 6.6

QUESTION = Question(
    name="board_map",
    title="Map of the board",
    order=60,
    definition=(
        "Share of games in which a scored sequence of any team runs over the space, and share of "
        "games that were won by a sequence over it. Chips placed on and removed from the space are "
        "means a game; they are kept as sums, so that their intervals come from the spread between "
        "parts of the run, given where there are at least 30.",
        "p (BH): chance of a share at least this far from the mean of the 96 printed spaces if all "
        "were alike, adjusted by Benjamini and Hochberg. Corners are not tested.",
    ),
    collect=collect,
    tables=tables,
    captions={
        "board_sequences": "Sequences over each space",
        "board_chips": "Chips placed on and removed from each space",
    },
    charts=(
        Chart(
            "board_sequences",
            "board_sequences",
            "Games with a sequence over the space (%)",
            "The board with the share of games that have a sequence over each space.",
            plot_sequences,
            lambda table: _HEIGHT,
            square=True,
        ),
        Chart(
            "board_winning",
            "board_sequences",
            "Games won by a sequence over the space (%)",
            "The board with the share of games won by a sequence over each space.",
            plot_winning,
            lambda table: _HEIGHT,
            square=True,
        ),
        Chart(
            "board_placed",
            "board_chips",
            "Chips placed on the space (a game)",
            "The board with the mean number of chips placed on each space a game.",
            plot_placed,
            lambda table: _HEIGHT,
            square=True,
        ),
        Chart(
            "board_removed",
            "board_chips",
            "Chips removed from the space (a game)",
            "The board with the mean number of chips removed from each space a game.",
            plot_removed,
            lambda table: _HEIGHT,
            square=True,
        ),
    ),
)
