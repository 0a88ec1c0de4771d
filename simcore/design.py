"""Designs: which strategy sits where, in each game of a deal."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations, product

import numpy as np
import numpy.typing as npt

from simcore.given import InputError
from simcore.rules import MAX_SEATS, Rules
from simcore.strategy import Strategy

DESIGNS = ("auto", "swap", "rotate", "none")


class DesignError(InputError):
    """Strategies or a design that do not fit the players; the message says what does."""


@dataclass(frozen=True, eq=False)
class Design:
    """The games of one deal.

    `bots` are the distinct strategies, by bot number; `seatings` is int64 (n, MAX_SEATS): the bot
    number by seat, for each of the n games of a deal. With `name` "rotate" the start moves on by
    one seat from game to game.
    """

    name: str
    bots: tuple[Strategy, ...]
    seatings: npt.NDArray[np.int64]


def make_design(strategies: Sequence[Strategy], rules: Rules, name: str = "auto") -> Design:
    """Return the design for strategies given once for all seats, per team or per seat.

    `swap`: the strategies take the teams' places in every distinct way. `rotate`: every team starts
    once. `none`: a game a deal. `auto`: `rotate` for one strategy, `swap` for several. Raises
    DesignError.
    """
    bots = tuple({strategy.name: strategy for strategy in strategies}.values())
    if name not in DESIGNS:
        raise DesignError(f"design: {name!r}; allowed: {', '.join(DESIGNS)}")
    if name == "auto":
        name = "rotate" if len(bots) < 2 else "swap"
    numbers = [[bot.name for bot in bots].index(strategy.name) for strategy in strategies]
    if name == "swap":
        tables = _swapped(numbers, rules)
    else:
        tables = [_seats(numbers, rules)] * (rules.teams if name == "rotate" else 1)
    seatings = np.zeros((len(tables), MAX_SEATS), np.int64)
    seatings[:, : rules.players] = tables
    return Design(name, bots, seatings)


def _seats(numbers: list[int], rules: Rules) -> list[int]:
    """Return the bot by seat: one for all, by team or by seat."""
    if len(numbers) not in (1, rules.teams, rules.players):
        raise _count_error(numbers, rules, "")
    return [numbers[seat % len(numbers)] for seat in range(rules.players)]


def _swapped(numbers: list[int], rules: Rules) -> list[list[int]]:
    """Return the distinct tables at which the strategies change places by whole teams."""
    if len(set(numbers)) < 2:
        raise DesignError("design: swap needs two strategies that differ; allowed: rotate or none")
    if len(numbers) == 2 and rules.teams == 3:
        by_team = [order for order in product(numbers, repeat=3) if len(set(order)) == 2]
    elif len(numbers) == rules.teams:
        by_team = list(permutations(numbers))
    elif len(numbers) == rules.players:
        by_seat = [numbers[turn:] + numbers[:turn] for turn in range(rules.teams)]
        return [list(table) for table in dict.fromkeys(map(tuple, by_seat))]
    else:
        raise _count_error(numbers, rules, "2, " if rules.teams == 3 else "")
    return [_seats(list(order), rules) for order in dict.fromkeys(by_team)]


def _count_error(numbers: list[int], rules: Rules, also: str) -> DesignError:
    counts = f"1, {also}{rules.teams} (by team) or {rules.players} (by seat)"
    return DesignError(f"strategies: {len(numbers)} given; allowed: {counts}")
