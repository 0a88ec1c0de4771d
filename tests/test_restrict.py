"""Restricted play: what a bot is barred from it does only when it has to (rules 5.3)."""

from __future__ import annotations

from typing import Any

import pytest
from helpers import scaled
from naive import CORNERS, KINDS, Game, common, start

from simcore import Rules
from simcore.replay import replay
from simcore.runner import Runner
from simcore.simulation import make_plan
from simcore.strategy import BARS, FIRST_BAR, find_strategy

NAMES = [bar.name for bar in BARS]


def is_barred(game: Game, card: str, space: int, do: str, bars: set[str]) -> bool:
    """Judge a legal play by the bars, from the position alone."""
    team, kind = game.team(game.seat), KINDS.get(card)
    if (kind == "two-eyed" and "no_two_eyed" in bars) or (
        kind == "one-eyed" and "no_one_eyed" in bars
    ):
        return True
    through = [line for line in game.lines if space in line]
    if do == "remove":
        owner = game.chips[space]
        fills = any(game.gap(line, owner) is not None for line in through)
        return "no_blocking" in bars and owner != team and fills
    done = [line for line in through if game.gap(line, team) == space]
    if "no_corner_lines" in bars and any(set(line) & set(CORNERS) for line in done):
        return True
    others = [each for each in range(game.rules["teams"]) if each != team]
    blocks = any(game.gap(line, other) == space for line in through for other in others)
    most = game.rules["shared_spaces"]
    scores = any(all(common(line, old) <= most for old in game.sequences[team]) for line in done)
    return "no_blocking" in bars and blocks and not scores


def judge(events: list[dict[str, Any]], bars: set[str]) -> tuple[int, int]:
    """Return how many plays there are, and how many of them were forced; none may be barred."""
    game, plays, forced = start(events[0]), 0, 0
    for event in events[1:]:
        if event["do"] in ("place", "remove"):
            move = (event["card"], _number(event["space"]), event["do"])
            plays += 1
            if is_barred(game, *move, bars):
                assert all(is_barred(game, *each, bars) for each in game.legal_moves()), event
                forced += 1
        game.apply(event)
    return plays, forced


def _number(space: str) -> int:
    return "ABCDEFGHIJ".index(space[0]) * 10 + int(space[1:]) - 1


@pytest.mark.parametrize("players", [2, 3])
@pytest.mark.parametrize("bot", ["random", "greedy", "balanced"])
@pytest.mark.parametrize("bars", [*([name] for name in NAMES), NAMES], ids="-".join)
def test_barred_plays_are_made_only_when_forced(bot: str, bars: list[str], players: int) -> None:
    name = f"{bot}:{','.join(f'{bar}=1' for bar in bars)}"
    assert find_strategy(name).name == name
    rules = Rules(players=players, one_eyed_removes="any" if len(bars) > 1 else "opponent")
    runner = Runner(*make_plan([name], rules, 5))
    found = [judge(game.events(), set(bars)) for game in replay(runner, 0, scaled(30))]
    plays, forced = (sum(column) for column in zip(*found, strict=True))
    assert plays > 0
    assert forced < plays / 2


def test_bars_change_games_and_stand_last() -> None:
    plain = find_strategy("balanced")
    barred = find_strategy("balanced:no_one_eyed=1")
    assert plain.bars == (0, 0, 0, 0)
    assert barred.all_params()[FIRST_BAR:].tolist() == [0, 1, 0, 0]
    runner = Runner(*make_plan([plain, barred], Rules(), 5))
    jacks = runner.play(0, scaled(200)).jacks
    kinds = {int(bot): set(jacks["kind"][jacks["bot"] == bot].tolist()) for bot in (0, 1)}
    assert kinds[0] == {1, 2}
    own = [seat.params[FIRST_BAR:].tolist() for seat in runner._bench.own[:2]]
    assert sorted(own) == [[0, 0, 0, 0], [0, 1, 0, 0]]
