"""When jacks are played, and what for."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from analysis import style
from analysis.estimates import Array, X, Y, mean, moments, proportion
from analysis.question import ALL, PERCENT, Chart, Evidence, Question, Sums, Tables, row, table
from analysis.setting import codes
from analysis.view import View, add_up

KINDS = ["two-eyed", "one-eyed"]
PURPOSES = ["completes", "blocks", "builds", "removes", "other", "held"]
POSSIBLE = {
    "two-eyed": {"completes", "blocks", "builds", "other", "held"},
    "one-eyed": {"blocks", "removes", "held"},
}
"""What a jack of a kind can be for: one kind only places, the other only removes."""

BINS, BIN_TURNS = 20, 10
"""Number of spans of rounds told apart, and about how many turns each is long."""


def collect(view: View) -> Sums:
    """Moments by deal of jacks by strategy, kind and purpose, and of plays by time of the game."""
    size, frame = len(view.setting.strategies), view.part.jacks
    game = view.game_of(frame)
    kind = codes(frame["kind"], KINDS)
    purpose = codes(frame["purpose"], PURPOSES)
    strategy = codes(frame["strategy"], view.setting.strategies)
    held = PURPOSES.index("held")
    cell = (strategy * len(KINDS) + kind) * len(PURPOSES) + purpose
    counts = view.count(game, cell, size * len(KINDS) * len(PURPOSES))
    cells = counts.reshape(view.deals, size, len(KINDS), len(PURPOSES))
    played = purpose != held
    turn = frame["turn"].to_numpy()[played].astype(np.int64)
    games = view.games_per_deal
    pooled = add_up(cells, 1)
    return {
        "strategy": _shares(cells, games),
        "all": _shares(pooled[:, None], games),
        "played": moments(add_up(pooled[..., :held], 2), games[:, None], games),
        "time": _time(view, game[played], kind[played], turn),
    }


def _shares(cells: Array, games: Array) -> Array:
    """Moments of each purpose among the jacks of its strategy and kind."""
    whole = np.broadcast_to(add_up(cells, 3)[..., None], cells.shape)
    return moments(cells.reshape(len(cells), -1), whole.reshape(len(cells), -1), games)


def span(players: int) -> int:
    """Return the turns in one span of the game: whole rounds, about ten turns."""
    return players * max(1, BIN_TURNS // players)


def _time(view: View, game: Array, kind: Array, turn: Array) -> Array:
    """Moments of jacks played among all turns of a span; rows span by span, kind by kind."""
    width = span(view.setting.players)
    # Turns are numbered from 1.
    bins = np.minimum((turn - 1) // width, BINS - 1)
    played = view.count(game, bins * len(KINDS) + kind, BINS * len(KINDS))
    starts = width * np.arange(BINS)
    lengths = np.append(np.full(BINS - 1, width), np.iinfo(np.int64).max)
    turns = view.by_deal(np.clip(view.turns[:, None] - starts, 0, lengths))
    return moments(played, np.repeat(turns, len(KINDS), axis=1), view.games_per_deal)


def tables(evidence: Evidence) -> Tables:
    """Make `jack_purposes`, `jacks_played` and `jack_times`."""
    names = evidence.setting.strategies
    rows = _purposes(evidence.sums["all"], [ALL])
    if len(names) > 1:
        rows += _purposes(evidence.sums["strategy"], names)
    played = [
        row(mean(m), "a game", kind=kind)
        for kind, m in zip(KINDS, evidence.sums["played"], strict=True)
    ]
    return {
        "jack_purposes": table(rows),
        "jacks_played": table(played),
        "jack_times": _times(evidence),
    }


def _purposes(sums: Array, names: list[str]) -> list[dict[str, object]]:
    labels = [(s, k, p) for s in names for k in KINDS for p in PURPOSES]
    return [
        row(proportion(m), PERCENT, strategy=s, kind=k, purpose=p)
        for (s, k, p), m in zip(labels, sums, strict=True)
        if p in POSSIBLE[k] or m[Y] > 0
    ]


def _times(evidence: Evidence) -> pd.DataFrame:
    players = evidence.setting.players
    rounds = span(players) // players
    rows = []
    for i, m in enumerate(evidence.sums["time"]):
        part, kind = divmod(i, len(KINDS))
        first, last = part * rounds + 1, (part + 1) * rounds
        name = f"{first}-{last}" if rounds > 1 else f"{first}"
        name = f"{first} and later" if part == BINS - 1 else name
        # Games end at different times, and spans that no game reached say nothing.
        if m[X] > 0:
            rows.append(row(proportion(m), PERCENT, kind=KINDS[kind], rounds=name))
    return table(rows)


def plot_purposes(table: pd.DataFrame, ax: Axes) -> Axes:
    """Draw for each strategy and kind what its jacks were for, as parts of a whole."""
    known = table.dropna(subset=["value"])
    whole = known.pivot_table(
        index=["strategy", "kind"], columns="purpose", values="value", sort=False
    )
    colours = [*style.PALETTE[:5], style.FAINT]
    whole = whole.reindex(columns=PURPOSES).fillna(0.0)
    heights, left = np.arange(len(whole))[::-1], np.zeros(len(whole))
    for i, purpose in enumerate(PURPOSES):
        share = whole[purpose].to_numpy()
        ax.barh(
            heights,
            share,
            0.7,
            left,
            label=purpose,
            color=colours[i],
            hatch=style.HATCHES[i],
            edgecolor="white",
        )
        left = left + share
    ax.set_yticks(heights, [f"{style.short(s)}, {k}" for s, k in whole.index])
    style.plain(ax.get_yticklabels())
    ax.set_xlim(0, 100)
    ax.set_xlabel("jacks (% of those drawn to a hand)")
    ax.set_ylabel("strategy, kind of jack")
    ax.figure.legend(ncols=3, loc="outside lower center")
    return ax


def plot_times(table: pd.DataFrame, ax: Axes) -> Axes:
    """Draw the share of turns on which a jack of each kind was played, as the game goes on."""
    # Where hardly a game is left, the lines would jump about.
    table = table[table["games"] >= 0.01 * table["games"].max()]
    order = list(dict.fromkeys(table["rounds"]))
    for i, kind in enumerate(KINDS):
        shown = table[table["kind"] == kind]
        x = np.array([order.index(name) for name in shown["rounds"]])
        low, high = shown["low"].fillna(shown["value"]), shown["high"].fillna(shown["value"])
        ax.fill_between(x, low, high, color=style.PALETTE[i], alpha=0.25, linewidth=0)
        ax.plot(
            x,
            shown["value"],
            color=style.PALETTE[i],
            label=f"{kind} jacks",
            marker=style.MARKERS[i],
            linestyle=style.DASHES[i],
        )
    ax.set_xticks(range(len(order)), order, rotation=45, ha="right", rotation_mode="anchor")
    ax.set_ylim(bottom=0)
    ax.set_xlabel("round")
    ax.set_ylabel("turns on which such a jack is played (%)")
    ax.grid(axis="y")
    ax.legend(loc="best")
    return ax


QUESTION = Question(
    name="jack_use",
    title="When jacks are played, and what for",
    order=70,
    definition=(
        "What a jack was for is the first that fits of: completes (scores a sequence), blocks "
        "(takes the space, or the chip, of an opponents' line with all but one filled), builds "
        "(raises an own line to all but one), removes, other; held are those still in hand at the "
        "end. Shares are of all jacks of the kind that reached a hand of the strategy and did not "
        "leave it otherwise.",
        "Time is counted in rounds (as many turns as players): the share of the turns in those "
        "rounds, in games that lasted so long, on which a jack of the kind was played. The chart "
        "stops where fewer than 1 % of the games are left.",
    ),
    collect=collect,
    tables=tables,
    captions={
        "jack_purposes": "What jacks are for",
        "jacks_played": "Jacks played",
        "jack_times": "When jacks are played",
    },
    charts=(
        Chart(
            "jack_purposes",
            "jack_purposes",
            "What jacks are for",
            "Share of jacks by purpose, for each strategy and kind.",
            plot_purposes,
            lambda table: 2.3 + 0.36 * table.groupby(["strategy", "kind"]).ngroups,
        ),
        Chart(
            "jack_times",
            "jack_times",
            "When jacks are played",
            "Share of turns on which a jack of each kind is played, by round.",
            plot_times,
            lambda table: 4.0,
        ),
    ),
)
