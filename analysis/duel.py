"""The score of one strategy against another, on deals that both play in every seating.

Only winners are kept, so that a duel costs little more than its games. The seatings are those of
the design `swap`: two for two teams; for three teams the six tables that hold both, at which each
strategy holds nine teams. A score is the mean over the teams held, so that equals score 1/teams
and a strategy that always wins 2/teams: with three teams 1/3 and 2/3, as only one of two can win.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from analysis.estimates import NO_DATA, Array, Estimate, mean, moments, proportion
from simcore.arms import Arm, Table, play_arms
from simcore.board import Board
from simcore.design import make_design
from simcore.measures import results
from simcore.plan import Plan
from simcore.rules import Rules
from simcore.simulation import Progress
from simcore.strategy import Strategy


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
    `draws` the games drawn and `drawn_teams` the teams that `a` held in those; `games` are those of
    one deal. A strategy against itself is not played,
    and scores as if all games were drawn.
    """

    pairing: Pairing
    teams: int
    games: int
    points: Array
    draws: Array
    drawn_teams: Array

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

    @property
    def squares(self) -> float:
        """Sum of the squared scores of single games, for two teams."""
        drawn = float(self.draws.sum())
        return float(self.points.sum()) - drawn / 2 + drawn / 4

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
    *,
    board: Board | None = None,
) -> list[Duel]:
    """Play several pairings, spread over threads together; raises what `duel` raises.

    On the layout `board` if it is told, else on the one that the rules name.
    """
    layout = board or rules.load_board()
    arms = [duel_arm(pairing, rules, layout, seed) for pairing in pairings]
    tables: dict[int, Table] = {}
    # Equals are not played: all games drawn is what they come to.
    played = [arm for arm, pairing in zip(arms, pairings, strict=True) if not pairing.equal]
    play_arms(played, lambda arm, table: tables.__setitem__(id(arm), table), threads, progress)
    return [
        told_duel(pairing, arm, tables.get(id(arm)))
        for pairing, arm in zip(pairings, arms, strict=True)
    ]


def duel_arm(pairing: Pairing, rules: Rules, board: Board, seed: int) -> Arm:
    """Return the arm of a pairing; raises RunError for deals that are not allowed."""
    a, b, first_deal, deals = pairing
    strangers = [a, replace(b, name=f"{b.name} again")] if pairing.equal else [a, b]
    design = make_design(strangers, rules, "swap")
    names = tuple(bot.name for bot in design.bots)
    plan = Plan(rules, board, names, design.seatings, seed, design.name)
    return Arm(f"{a.name} - {b.name}", plan, design, first_deal, deals, results)


def told_duel(pairing: Pairing, arm: Arm, table: Table | None) -> Duel:
    """Return what an arm's table says; None is a pairing that was not played."""
    teams, per_deal = arm.plan.rules.teams, arm.games_of_deal
    winner = np.full((pairing.deals, per_deal), -1) if table is None else table["winner"]
    held = arm.design.seatings[:, :teams] == 0  # by seating and team
    won = np.take_along_axis(held, np.maximum(winner, 0).T.astype(np.int64), axis=1).T
    score = np.where(winner < 0, held.sum(axis=1) / teams, won)
    drawn = (winner < 0).astype(np.float64)
    drawn_teams = (drawn * held.sum(axis=1)).sum(axis=1)
    return Duel(pairing, teams, per_deal, score.sum(axis=1), drawn.sum(axis=1), drawn_teams)
