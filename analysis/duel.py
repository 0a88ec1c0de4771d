"""The score of one strategy against another, on deals that both play in every seating.

Only winners are kept, so that a duel costs little more than its games. The seatings are those of
the design `swap`: two for two teams; for three teams the six tables that hold both, at which each
strategy holds nine teams. A score is the mean over the teams held, so that equals score 1/teams
and a strategy that always wins 2/teams: with three teams 1/3 and 2/3, as only one of two can win.
"""

import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from analysis.estimates import NO_DATA, Array, Estimate, mean, moments, proportion
from simcore.board import Board
from simcore.design import Design, make_design
from simcore.plan import MAX_DEALS, Plan
from simcore.rules import Rules
from simcore.simulation import (
    Pace,
    Progress,
    RunError,
    Runner,
    check_numbers,
    slices,
    warm_up,
)
from simcore.spread import Worker, spread
from simcore.strategy import Strategy

_PIECES = 8
"""Pieces for each thread, at least, so that none waits long for the last."""
_PIECE_GAMES = 1000
"""Games of a piece, at least: to start one takes the time of a few hundred fast games."""


class Pairing(NamedTuple):
    """Two strategies and the deals they play."""

    a: Strategy
    b: Strategy
    first_deal: int
    deals: int

    @property
    def equal(self) -> bool:
        """Whether it is a strategy against itself: one game over and over, seats changed."""
        return self.a.name == self.b.name


@dataclass(frozen=True, eq=False)
class Duel:
    """What a pairing came to.

    `points` float64 (deals,) is the score of `a` in each deal, summed over the teams it holds,
    `draws` the games drawn; `games` are those of one deal. A strategy against itself is not played,
    and scores as if all games were drawn.
    """

    pairing: Pairing
    teams: int
    games: int
    points: Array
    draws: Array

    @property
    def score(self) -> Estimate:
        """Score of `a`, from 0 to 2/teams; exactly 1/teams, which cannot vary, against itself.

        Its interval is Wilson's for the share of games won by one of the teams of `a`.
        """
        share = proportion(self._moments(self.points * self.teams / 2))
        return self._told(share.affine(2 / self.teams))

    @property
    def lead(self) -> Estimate:
        """Score of `a` less that of `b`, paired by deal."""
        return self._told(mean(self._moments(2 * self.points - self.games)))

    @property
    def drawn(self) -> Estimate:
        """Share of games drawn."""
        if self.pairing.equal:
            return Estimate(None, None, None, None, 0, 0, NO_DATA)
        return proportion(self._moments(self.draws * self.teams / 2))

    def gain_over(self, other: "Duel") -> Estimate:
        """Score less that of another duel on the same deals, paired by deal."""
        if self.pairing[2:] != other.pairing[2:]:
            raise ValueError(f"deals {self.pairing[2:]}, {other.pairing[2:]}; allowed: the same")
        return mean(self._moments(self.points - other.points))

    def _moments(self, points: Array) -> Array:
        """Return moments of points over the teams that each of the two holds in a deal."""
        held = np.full((len(points), 1), self.games * self.teams / 2)
        return np.asarray(moments(points[:, None], held, np.full(len(points), self.games))[0])

    def _told(self, estimate: Estimate) -> Estimate:
        return replace(estimate, games=0, deals=0) if self.pairing.equal else estimate


def games_of_deal(rules: Rules) -> int:
    """Return how many games a duel plays on each deal."""
    return 2 if rules.teams == 2 else 6


def duel(
    a: Strategy,
    b: Strategy,
    rules: Rules,
    deals: int,
    first_deal: int = 0,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Duel:
    """Play `a` against `b` on deals from `first_deal` on; threads and time change nothing.

    Raises RunError for deals or threads that are not allowed, and BotError for a bot's fault.
    """
    return duels([Pairing(a, b, first_deal, deals)], rules, seed, threads, progress)[0]


def duels(
    pairings: Sequence[Pairing],
    rules: Rules,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
) -> list[Duel]:
    """Play several pairings, spread over threads together; raises what `duel` raises."""
    check_numbers(1, threads)
    board = rules.load_board()
    tables = [_Table(pairing, rules, board, seed) for pairing in pairings]
    pieces = _pieces(tables, threads or os.cpu_count() or 1)

    def start_worker() -> Worker[_Piece]:
        seats = _Seats()
        return lambda piece, stop: seats.play(piece, stop, progress)

    if pieces:
        table = pieces[0].table
        warm_up(Runner(table.plan, table.design))
    spread(pieces, start_worker, threads)
    return [table.duel() for table in tables]


class _Table:
    """A pairing while it is played: its plan, and the winner of every game."""

    def __init__(self, pairing: Pairing, rules: Rules, board: Board, seed: int) -> None:
        a, b, first_deal, deals = pairing
        if deals < 1 or first_deal < 0 or first_deal + deals > MAX_DEALS:
            told = f"{deals} from {first_deal} on"
            raise RunError(f"deals: {told}; allowed: at least 1, from 0 to {MAX_DEALS - 1}")
        self.pairing = pairing
        # Equals are not played: all games drawn is what they come to.
        strangers = [a, replace(b, name=f"{b.name} again")] if pairing.equal else [a, b]
        self.design: Design = make_design(strangers, rules, "swap")
        seatings, names = self.design.seatings, tuple(bot.name for bot in self.design.bots)
        self.plan = Plan(rules, board, names, seatings, seed, self.design.name)
        self.per_deal = len(seatings)
        self.first_game = first_deal * self.per_deal
        self.winner = np.full(deals * self.per_deal, -1, np.int8)

    def duel(self) -> Duel:
        """Return the score of the first strategy by deal."""
        teams = self.plan.rules.teams
        held = self.design.seatings[:, :teams] == 0  # by seating and team
        winner = self.winner.reshape(-1, self.per_deal)
        won = np.take_along_axis(held, np.maximum(winner, 0).T.astype(np.int64), axis=1).T
        score = np.where(winner < 0, held.sum(axis=1) / teams, won)
        draws = (winner < 0).sum(axis=1).astype(np.float64)
        return Duel(self.pairing, teams, self.per_deal, score.sum(axis=1), draws)


class _Piece(NamedTuple):
    """Games of a table, from the first of its own, that one thread plays in a row."""

    table: _Table
    first: int
    games: int


def _pieces(tables: Sequence[_Table], threads: int) -> list[_Piece]:
    """Cut all games into pieces that keep the threads busy to the end."""
    played = [table for table in tables if not table.pairing.equal]
    pieces = []
    for table in played:
        games = len(table.winner)
        size = max(_PIECE_GAMES, -(-games * len(played) // (_PIECES * threads)))
        pieces += [_Piece(table, at, min(size, games - at)) for at in range(0, games, size)]
    return pieces


class _Seats:
    """One thread's seats: a Runner whose strategies change from piece to piece."""

    def __init__(self) -> None:
        self._runner: Runner | None = None
        self._paces: dict[tuple[str, ...], Pace] = {}

    def play(self, piece: _Piece, stop: threading.Event, progress: Progress | None) -> None:
        """Play a piece and note who won."""
        table = piece.table
        if self._runner is None:
            self._runner = Runner(table.plan, table.design)
        elif self._runner.plan is not table.plan:
            self._runner.seat(table.plan, table.design)
        bots = tuple(strategy.bot.name for strategy in table.design.bots)
        pace = self._paces.setdefault(bots, Pace())
        first = table.first_game + piece.first
        for chunk in slices(self._runner, first, piece.games, pace, stop, progress):
            at = chunk.first_game - table.first_game
            table.winner[at : at + len(chunk.games)] = chunk.games["winner"]
