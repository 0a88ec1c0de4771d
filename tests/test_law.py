"""The bots obey the law of the C yardstick: turns per game, draws, wins by place.

YARDSTICK holds what limit.c printed with seed 12345 (compiled with gcc 12, -O3): bot, players,
teams, games, turns per game, share of draws, share of wins by the team's place. Two runs of 200,000
games have to agree within four standard errors; a smaller one does in the usual tests.
"""

import math
from typing import NamedTuple

import numpy as np
import pytest

from simcore import Rules, simulate


class Law(NamedTuple):
    bot: str
    players: int
    teams: int
    games: int
    turns: float
    draws: float
    wins: tuple[float, ...]


YARDSTICK = (
    Law("random", 2, 2, 1_000_000, 80.6683, 0.00012, (0.52289, 0.47699)),
    Law("random", 3, 3, 1_000_000, 139.4193, 0.01613, (0.34197, 0.32735, 0.31454)),
    Law("random", 4, 2, 1_000_000, 80.4914, 0.00006, (0.52447, 0.47547)),
    Law("random", 6, 2, 1_000_000, 80.4442, 0.00003, (0.52282, 0.47715)),
    Law("random", 6, 3, 1_000_000, 130.6605, 0.00983, (0.34389, 0.33001, 0.31627)),
    Law("random", 8, 2, 1_000_000, 80.3677, 0.00002, (0.52358, 0.47640)),
    Law("random", 9, 3, 1_000_000, 127.9196, 0.00755, (0.34511, 0.33068, 0.31667)),
    Law("random", 10, 2, 1_000_000, 80.4416, 0.00002, (0.52361, 0.47637)),
    Law("random", 12, 2, 1_000_000, 80.4188, 0.00002, (0.52321, 0.47677)),
    Law("random", 12, 3, 1_000_000, 127.9705, 0.00746, (0.34569, 0.32973, 0.31712)),
    Law("greedy", 2, 2, 200_000, 44.1160, 0.00000, (0.53804, 0.46196)),
    Law("greedy", 3, 3, 200_000, 38.6550, 0.00005, (0.35730, 0.33136, 0.31129)),
    Law("greedy", 4, 2, 200_000, 38.7389, 0.00000, (0.53831, 0.46169)),
    Law("balanced", 2, 2, 200_000, 60.8950, 0.00136, (0.54482, 0.45382)),
    Law("balanced", 3, 3, 200_000, 285.9255, 0.07879, (0.32699, 0.30329, 0.29093)),
    Law("balanced", 4, 2, 200_000, 55.4775, 0.00069, (0.54824, 0.45106)),
)


def check(law: Law, games: int) -> None:
    rules = Rules(players=law.players, teams=law.teams)
    found = simulate([law.bot], games=games, seed=20261130, rules=rules, design="none").games
    turns = found.turns.to_numpy()
    spread = turns.std() * math.sqrt(1 / games + 1 / law.games)
    assert abs(turns.mean() - law.turns) <= 4 * spread
    winner, first = (found[name].to_numpy().astype(np.int64) for name in ("winner", "first_seat"))
    place = np.where(winner < 0, -1, (winner - first) % law.teams)
    agree(float((winner < 0).mean()), games, law.draws, law.games)
    for number, share in enumerate(law.wins):
        agree(float((place == number).mean()), games, share, law.games)


def agree(ours: float, games: int, theirs: float, their_games: int) -> None:
    """Assert that two shares differ by at most four standard errors of their pooled share."""
    pooled = (ours * games + theirs * their_games) / (games + their_games)
    error = math.sqrt(pooled * (1 - pooled) * (1 / games + 1 / their_games))
    rounding = 0.5e-5
    assert abs(ours - theirs) <= 4 * error + rounding


def name(law: Law) -> str:
    return f"{law.bot}-{law.players}-{law.teams}"


@pytest.mark.parametrize("law", YARDSTICK, ids=name)
def test_the_bots_play_as_the_yardstick_does(law: Law) -> None:
    check(law, 20_000)


@pytest.mark.slow
@pytest.mark.parametrize("law", YARDSTICK, ids=name)
def test_the_bots_play_as_the_yardstick_does_over_200_000_games(law: Law) -> None:
    check(law, 200_000)
