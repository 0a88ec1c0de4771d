"""Scores of a run's strategies against bots that everybody has, played when a report is made."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from analysis.estimates import Estimate

if TYPE_CHECKING:
    from simcore.board import Board
    from simcore.rules import Rules
    from simcore.strategy import Strategy

YARDSTICKS = ("random", "greedy", "balanced")
GAMES = 40_000
"""Games that all strategies of a report share."""
MOST, LEAST = 10_000, 1_000
"""Games of one strategy against one yardstick."""
SEED = 1


@dataclass(frozen=True)
class Met:
    """Score of a strategy against a yardstick, and the share of games drawn."""

    strategy: str
    against: str
    score: Estimate
    drawn: Estimate


@dataclass(frozen=True)
class Strength:
    """What was played, and why the other strategies were left out, by name."""

    met: tuple[Met, ...]
    left_out: Mapping[str, str]


def strength(manifest: Mapping[str, Any]) -> Strength:
    """Play the strategies of a run against the yardsticks under its rules, on fixed deals.

    Slow bots are left out, and those that cannot be had by name: a bot in a file of the user's is
    never loaded for a report. The layout is that of the manifest, whose rules may name a file.
    """
    # Only here, as importing the engine costs more than a report of a finished run should.
    from simcore.board import parse_board
    from simcore.rules import Rules
    from simcore.runner import BotError

    rules = Rules.from_settings(manifest["rules"])
    board = parse_board(manifest["board"], rules.board)
    names = list(dict.fromkeys(manifest["strategies"]))
    games = max(LEAST, min(MOST, GAMES // (len(names) * len(YARDSTICKS))))
    met: list[Met] = []
    left_out: dict[str, str] = {}
    for name in names:
        try:
            met += _meet(_find(name), rules, board, games)
        except (_LeftOut, BotError) as error:
            left_out[name] = str(error)
    return Strength(tuple(met), left_out)


class _LeftOut(Exception):
    """Why a strategy is not played."""


def _find(name: str) -> "Strategy":
    from simcore.strategy import StrategyError, find_strategy

    if ".py" in name or "@" in name:
        raise _LeftOut("comes from a file, which a report does not load")
    try:
        found = find_strategy(name)
    except StrategyError as error:
        raise _LeftOut(f"not installed here: {error}") from None
    if not found.bot.fast:
        raise _LeftOut("too slow to be played for a report")
    return found


def _meet(strategy: "Strategy", rules: "Rules", board: "Board", games: int) -> list[Met]:
    from analysis.duel import Pairing, duels, games_of_deal
    from simcore.strategy import find_strategy

    others = [find_strategy(name) for name in YARDSTICKS if name != strategy.name]
    deals = games // games_of_deal(rules)
    pairings = [Pairing(strategy, other, 0, deals) for other in others]
    return [
        Met(strategy.name, found.pairing.b.name, found.score, found.drawn)
        for found in duels(pairings, rules, SEED, board=board)
    ]
