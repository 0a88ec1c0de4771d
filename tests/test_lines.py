"""The line bots against the words of their idea, worked out anew at every turn."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import naive
import numpy as np
import pytest
from helpers import JIT, TABLES, Desk, variant

from simcore.strategy import Bot
from strategies import balanced, centre, corners, counter, defender, greedy, planner, tuned
from strategies.hands import Chances
from strategies.lines import YARDSTICK, Weights

TWO_EYED, ONE_EYED = ("JD", "JC"), ("JS", "JH")
NOTHING = (0.0,) * 5

Kept = Callable[["Line"], float]


class Line:
    """A line as a team sees it: how many chips each side needs, None if it can't have the line."""

    def __init__(
        self, game: naive.Game, team: int, line: naive.Line, weights: Weights, stops: bool
    ) -> None:
        self.spaces = line
        others = [other for other in range(game.rules["teams"]) if other != team]
        corners = len(set(line) & set(naive.CORNERS))
        self.corner = corners > 0
        dead = corners and not game.rules["free_corners"]
        own = self._chips(game, team)
        foes = [self._chips(game, other) for other in others]
        size = len(line) - corners
        closed = self._closed(game, team) if weights.closing else False
        foe_closed = (
            any(self._closed(game, other) for other in others) if weights.closing else False
        )
        self.own = None if dead or any(foes) or closed else size - own
        crowded = stops and sum(foe > 0 for foe in foes) > 1
        self.foe = (
            None if dead or own or foe_closed or crowded or not any(foes) else size - max(foes)
        )
        self.taken = None if sum(foe > 0 for foe in foes) > 1 else self.foe

    def _chips(self, game: naive.Game, team: int) -> int:
        return sum(game.chips.get(space) == team for space in self.spaces)

    def _closed(self, game: naive.Game, team: int) -> bool:
        shared = [naive.common(self.spaces, scored) for scored in game.sequences[team]]
        return max(shared, default=0) > game.rules["shared_spaces"]


def match_point(game: naive.Game, teams: list[int]) -> bool:
    return max(game.scores()[team] for team in teams) >= game.rules["sequences_to_win"] - 1


def by_needs(table: tuple[float, ...], needs: int | None) -> float:
    return 0.0 if not needs else table[min(needs, 5) - 1]


def steps(space: int) -> int:
    row, column = divmod(space, 10)
    return min(row, 9 - row, column, 9 - column)


class Oracle:
    """What plays are worth to the seat to move."""

    def __init__(self, game: naive.Game, weights: Weights, chances: Chances | None = None) -> None:
        self.game, self.weights, self.chances = game, weights, chances
        self.team = game.team(game.seat)
        self.others = [t for t in range(game.rules["teams"]) if t != self.team]
        own, foe = match_point(game, [self.team]), match_point(game, self.others)
        self.gain = weights.match_gain if own else weights.gain
        self.block = weights.match_block if foe else weights.block
        self.take = weights.match_take if foe else weights.take
        self.through: dict[int, list[Line]] = {space: [] for space in range(100)}
        for spaces in game.lines:
            line = Line(game, self.team, spaces, weights, weights.closing)
            for space in spaces:
                self.through[space].append(line)

    def placing(self, space: int) -> float:
        total = self.weights.centre * steps(space)
        for line in self.through[space]:
            factor = self.weights.corner if line.corner else 1.0
            total += by_needs(self.gain, line.own) * factor * self.own_part(line, space)
            total += by_needs(self.block, line.foe) * self.foe_part(line)
        return total

    def taking(self, space: int) -> float:
        lines = self.through[space]
        if self.game.chips[space] == self.team:
            factors = [self.weights.corner if line.corner else 1.0 for line in lines]
            gains = [by_needs(self.gain, line.own) for line in lines]
            return -sum(f * g for f, g in zip(factors, gains, strict=True)) / 2
        return sum(by_needs(self.take, line.taken) for line in lines)

    def value(self, card: str, space: int) -> float:
        if card in ONE_EYED:
            return self.taking(space) - self.weights.one_eyed_cost
        return self.placing(space) - (self.weights.two_eyed_cost if card in TWO_EYED else 0)

    # What part is kept by who knows the own hand, and counts.

    def unseen(self, space: int) -> int:
        card = self.game.printed[space]
        return 2 - self.game.discards.count(card) - self.game.hands[self.game.seat].count(card)

    def own_part(self, line: Line, space: int) -> float:
        if self.chances is None or not line.own or line.own == 1:
            return 1.0
        missing = 0.0
        for other in line.spaces:
            if other == space or other in self.game.chips or other in naive.CORNERS:
                continue
            if self.game.printed[other] not in self.game.hands[self.game.seat]:
                left = self.unseen(other) if self.chances.counting else 2
                missing += (self.chances.none_left, self.chances.one_left, 1.0)[left]
        return kept((1.0, *self.chances.keep[min(line.own, 5) - 2]), missing)

    def foe_part(self, line: Line) -> float:
        if self.chances is None or not self.chances.counting:
            return 1.0
        part = 1.0
        for other in line.spaces:
            if other not in self.game.chips and other not in naive.CORNERS:
                left = (self.chances.foe_none, self.chances.foe_one, 1.0)
                part *= left[self.unseen(other)]
        return part


def kept(table: tuple[float, ...], missing: float) -> float:
    """Return the table at a place between its entries, and behind them at the last one's rate."""
    if missing <= len(table) - 1:
        return float(np.interp(missing, range(len(table)), table))
    return float(table[-1] * min(table[-1] / table[-2], 1) ** (missing - len(table) + 1))


def judge(
    bot: Bot, weights: Weights, chances: Chances | None, change: dict[str, Any], seed: int
) -> int:
    """Play a game; require each play to be one of the best; return how many there were."""
    players, teams = TABLES[seed % len(TABLES)]
    desk = Desk(variant(players, teams, change), (bot,))
    header, *events = desk.run(seed, 0).events
    game = naive.start(header)
    plays = 0
    for event in events:
        if event["do"] in ("place", "remove"):
            plays += 1
            oracle = Oracle(game, weights, chances)
            values = [oracle.value(card, space) for card, space, _ in game.legal_moves()]
            # Weights are kept in sixteenths, and a product is cut to one, for each of 20 lines.
            slack = 0.0 if chances is None else 20 / 16
            chosen = oracle.value(event["card"], naive.number(event["space"]))
            assert chosen >= max(values) - slack
        game.apply(event)
    return plays


# Weights in sixteenths, and levels that need no rounding.
ODD = Weights(
    *((900, 70, 20, 6, 2.5), (300, 40, 9, 3, 1), (450, 30, 7, 2, 0.5)),
    *((2000, 90, 30, 5, 2), (800, 80, 8, 2, 1), (900, 60, 9, 3, 0.5)),
    two_eyed_cost=160,
    one_eyed_cost=110,
    corner=1.25,
    centre=0.5,
    closing=True,
)
HAND = Chances(((0.5,), (0.75, 0.5), (0.875, 0.75, 0.5), (0.9, 0.8, 0.7, 0.6)))
COUNTED = replace(
    HAND,
    one_left=1.5,
    none_left=3.0,
    foe_one=math.exp(-0.25),
    foe_none=math.exp(-0.75),
    counting=True,
)


def with_odd_weights(bot: Bot) -> Bot:
    """Return a bot that plays by ODD, HAND and COUNTED instead of its own figures."""
    tables = (ODD.gain, ODD.block[:4], ODD.take[:4])
    matches = (ODD.match_gain, ODD.match_block[:4], ODD.match_take[:4])
    odd = [*sum((*tables, *matches), ()), ODD.two_eyed_cost, ODD.one_eyed_cost]
    odd += [ODD.corner, ODD.centre, *sum(HAND.keep, ())]
    odd += [COUNTED.one_left, COUNTED.none_left, COUNTED.foe_one, COUNTED.foe_none]
    changed = zip(bot.parameters, odd, strict=False)
    return replace(bot, parameters=tuple(replace(p, default=value) for p, value in changed))


FIVE = replace(
    ODD,
    **{
        name: (*getattr(ODD, name)[:4], getattr(ODD, name)[3])
        for name in ("block", "take", "match_block", "match_take")
    },
)
"""`tuned` has no figure of its own for opponents' lines that need five."""

DEFENCE = tuple(3 * weight for weight in YARDSTICK.block)

CASES: dict[str, tuple[Bot, Weights, Chances | None]] = {
    "greedy": (greedy.BOT, replace(YARDSTICK, block=NOTHING, match_block=NOTHING), None),
    "balanced": (balanced.BOT, YARDSTICK, None),
    "defender": (defender.BOT, replace(YARDSTICK, block=DEFENCE, match_block=DEFENCE), None),
    "corners": (corners.BOT, replace(YARDSTICK, corner=4), None),
    "centre": (centre.BOT, replace(YARDSTICK, centre=5), None),
    "tuned": (with_odd_weights(tuned.BOT), FIVE, None),
    "planner": (with_odd_weights(planner.BOT), FIVE, HAND),
    "counter": (with_odd_weights(counter.BOT), FIVE, COUNTED),
}

CHANGES = [
    *({}, {"one_eyed_removes": "any", "one_eyed_jacks": 8}, {"two_eyed_jacks": 8}),
    *({"sequences_protected": False, "one_eyed_jacks": 8, "one_eyed_removes": "any"},),
    *({"line_length": 4}, {"line_length": 6}, {"free_corners": False}),
    *({"hand_size": 1, "one_eyed_jacks": 8}, {"chips": (12, 9, 7)}, {"forget_draw": 0.3}),
    *({"sequences_to_win": 3}, {"shared_spaces": 0, "sequences_to_win": 2}, {"shared_spaces": 4}),
]


@pytest.mark.checked
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("number", range(0, len(CHANGES), 1 if JIT else 9))
def test_every_play_is_one_of_the_best(case: str, number: int) -> None:
    assert judge(*CASES[case], CHANGES[number], seed=10 * number + len(case)) > 0
