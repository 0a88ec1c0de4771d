"""One part of a run as plain arrays, made once and shared by all questions."""

from functools import cached_property
from typing import Any, Protocol

import numpy as np
import pandas as pd
from numpy.typing import DTypeLike

from analysis.estimates import Array
from analysis.setting import Setting, codes


class Part(Protocol):
    """What a run hands over at a time: whole deals, rows sorted by game."""

    games: pd.DataFrame
    seats: pd.DataFrame
    sequences: pd.DataFrame
    jacks: pd.DataFrame
    spaces: pd.DataFrame


def add_up(values: Array, axis: int, kind: DTypeLike | None = None) -> Array:
    """Sum along a short axis, as `kind`; numpy's own sum is several times slower there."""
    first, *others = np.moveaxis(values, axis, 0)
    total = first.astype(kind or first.dtype)
    for other in others:
        total += other
    return np.asarray(total)


class View:
    """A part's tables beside the arrays that most questions ask for.

    G games and D deals in the part, P players, T teams. Raises ValueError if the games of the
    part are not numbered without gaps.
    """

    def __init__(self, part: Part, setting: Setting) -> None:
        self.part = part
        self.setting = setting
        numbers = part.games["game"].to_numpy()
        self.games = numbers.size
        self._first = int(numbers[0]) if self.games else 0
        if self.games and int(numbers[-1]) - self._first + 1 != self.games:
            raise ValueError(f"games {self._first} to {numbers[-1]} of a part have gaps")

    @cached_property
    def _deal_starts(self) -> Array:
        """Row of the first game of each deal."""
        deal = self.part.games["deal"].to_numpy()
        return np.flatnonzero(np.r_[True, deal[1:] != deal[:-1]])

    @property
    def deals(self) -> int:
        """Number of deals in the part."""
        return int(self._deal_starts.size)

    @cached_property
    def games_per_deal(self) -> Array:
        """Games of each deal; int64 (D,)."""
        return np.diff(np.r_[self._deal_starts, self.games])

    @cached_property
    def deal(self) -> Array:
        """Position of each game's deal in the part; int64 (G,)."""
        return np.repeat(np.arange(self.deals), self.games_per_deal)

    @cached_property
    def winner(self) -> Array:
        """Winning team of each game, -1 if drawn; int64 (G,)."""
        return self.part.games["winner"].to_numpy().astype(np.int64)

    @cached_property
    def drawn(self) -> Array:
        """Whether each game was drawn; bool (G,)."""
        return self.winner < 0

    @cached_property
    def turns(self) -> Array:
        """Turns of each game; int64 (G,)."""
        return self.part.games["turns"].to_numpy().astype(np.int64)

    @cached_property
    def team_score(self) -> Array:
        """Score of each team: 1 for a win, 0 for a loss, 1/teams for a draw; float64 (G, T)."""
        teams = self.setting.teams
        score: Array = (self.winner[:, None] == np.arange(teams)).astype(np.float64)
        score[self.drawn] = 1 / teams
        return score

    @cached_property
    def starting_team(self) -> Array:
        """Team that moved first in each game; int64 (G,)."""
        return self.part.games["first_seat"].to_numpy().astype(np.int64) % self.setting.teams

    @cached_property
    def place_score(self) -> Array:
        """Score of the team in each place of the turn order, 0 moving first; float64 (G, T)."""
        teams = self.setting.teams
        team = (self.starting_team[:, None] + np.arange(teams)) % teams
        return np.take_along_axis(self.team_score, team, axis=1)

    @cached_property
    def seat_strategy(self) -> Array:
        """Position of each seat's strategy in the setting; int64 (G, P)."""
        flat = codes(self.part.seats["strategy"], self.setting.strategies)
        return flat.reshape(self.games, self.setting.players)

    @cached_property
    def seat_score(self) -> Array:
        """Score of each seat's team; float64 (G, P)."""
        return self.team_score[:, np.arange(self.setting.players) % self.setting.teams]

    def game_of(self, frame: pd.DataFrame) -> Array:
        """Position in the part of the game of each row; int64 (rows,)."""
        return frame["game"].to_numpy() - self._first

    def by_deal(self, values: Array) -> Array:
        """Sum values of games, shape (G, ...), over the games of each deal; shape (D, ...)."""
        kind: type[Any] = np.float64 if values.dtype.kind == "f" else np.int64
        each = int(self.games_per_deal[0])
        if (self.games_per_deal == each).all():
            # Several times faster than reduceat, and the rule: deals of a run are of one size.
            return add_up(values.reshape(self.deals, each, *values.shape[1:]), 1, kind)
        return np.asarray(np.add.reduceat(values, self._deal_starts, axis=0, dtype=kind))

    def count(self, game: Array, code: Array, size: int, weights: Array | None = None) -> Array:
        """Count rows (or add their weights) by deal and code; shape (D, size).

        `game` is the position of each row's game, `code` from 0 to `size - 1`.
        """
        flat = np.bincount(self.deal[game] * size + code, weights, self.deals * size)
        return flat.reshape(self.deals, size)
