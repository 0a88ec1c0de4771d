"""The line bots against the words of their idea, worked out anew at every turn."""

from __future__ import annotations

import random
from typing import Any

import naive
import pytest
from helpers import TABLES, Desk, scaled, variant

from simcore.strategy import Bot
from strategies.balanced import BOT as BALANCED
from strategies.greedy import BOT as GREEDY

GAIN = {0: 0, 1: 1000, 2: 64, 3: 16, 4: 4, 5: 1, 6: 1}
BLOCK = {0: 0, 1: 400, 2: 60, 3: 8, 4: 2, 5: 1, 6: 0}
TWO_EYED, ONE_EYED = ("JD", "JC"), ("JS", "JH")


def chips(game: naive.Game, team: int, line: naive.Line) -> int:
    return sum(game.chips.get(space) == team for space in line)


def worth(game: naive.Game, team: int, space: int, blocks: bool) -> int:
    """Return what a chip of the team on the space is worth by the lines through it."""
    total = 0
    others = [other for other in range(game.rules["teams"]) if other != team]
    for line in game.lines:
        dead = not game.rules["free_corners"] and set(line) & set(naive.CORNERS)
        if space not in line or dead:
            continue
        corners = len(set(line) & set(naive.CORNERS))
        foe = max(chips(game, other, line) for other in others)
        if foe == 0:
            total += GAIN[len(line) - corners - chips(game, team, line)]
        elif blocks and chips(game, team, line) == 0:
            total += BLOCK[len(line) - corners - foe]
    return total


def value(game: naive.Game, card: str, space: int, blocks: bool) -> int:
    team = game.team(game.seat)
    if card in ONE_EYED:
        owner = game.chips[space]
        taken = worth(game, owner, space, blocks=False)
        return (-taken if owner == team else taken) / 2 - 150
    return worth(game, team, space, blocks) - (200 if card in TWO_EYED else 0)


def judge(bot: Bot, blocks: bool, change: dict[str, Any], seed: int) -> int:
    """Play a game; require each play to be one of the best; return how many there were."""
    players, teams = TABLES[seed % len(TABLES)]
    desk = Desk(variant(players, teams, change), (bot,))
    header, *events = desk.run(seed, 0).events
    game = naive.start(header)
    plays = 0
    for event in events:
        if event["do"] in ("place", "remove"):
            plays += 1
            values = {
                (card, space): value(game, card, space, blocks)
                for card, space, _ in game.legal_moves()
            }
            assert values[event["card"], naive.number(event["space"])] == max(values.values())
        game.apply(event)
    return plays


CHANGES = [
    *({}, {"one_eyed_removes": "any", "one_eyed_jacks": 8}, {"two_eyed_jacks": 8}),
    *({"sequences_protected": False, "one_eyed_jacks": 8, "one_eyed_removes": "any"},),
    *({"line_length": 4}, {"line_length": 6}, {"free_corners": False}),
    *({"hand_size": 1, "one_eyed_jacks": 8}, {"chips": (12, 9, 7)}, {"forget_draw": 0.3}),
]


@pytest.mark.parametrize("bot", [GREEDY, BALANCED], ids=lambda bot: bot.name)
@pytest.mark.parametrize("number", range(len(CHANGES)))
def test_every_play_is_one_of_the_best(bot: Bot, number: int) -> None:
    seeds = random.Random(number).sample(range(1000), max(2, scaled(4)))
    assert all(judge(bot, bot is BALANCED, CHANGES[number], seed) > 0 for seed in seeds)
