"""Transcripts as `replay` writes them, judged as `verify` judges them: all of them are clean.

A few of each kind at every run of the tests, 20,000 with `-m slow`.
"""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from helpers import JIT, TABLES, single_changes, variant

from simcore.judge import judge
from simcore.replay import replay
from simcore.rules import Rules
from simcore.runner import Runner
from simcore.simulation import make_plan
from simcore.strategy import bot_names
from simcore.transcripts import SHAPES


def kinds() -> list[tuple[Rules, str, int]]:
    """Return rules, bot and seed: every table with every switch at each of its values."""
    changes: list[dict[str, Any]] = [{}, *single_changes()]
    found = [variant(*table, change) for table in TABLES for change in changes]
    bots = bot_names()
    return [(rules, bots[n % len(bots)], n) for n, rules in enumerate(found)]


def judged(kind: tuple[Rules, str, int], games: int) -> int:
    """Play games, write and judge them; return how many there were."""
    rules, bot, seed = kind
    runner = Runner(*make_plan([bot], rules, seed))
    text = "".join(game.text() for game in replay(runner, 0, games))
    verdicts = list(judge(io.BytesIO(text.encode())))
    assert verdicts == [None] * games, [str(v) for v in verdicts if v][:1]
    return games


def test_games_of_many_kinds_are_judged_clean() -> None:
    every = kinds()[:: 5 if JIT else 40]
    assert sum(judged(kind, 1) for kind in every) == len(every)


@pytest.mark.slow
def test_twenty_thousand_games_are_judged_clean() -> None:
    every = kinds()
    games = -(-20_000 // len(every))
    assert sum(judged(kind, games) for kind in every) >= 20_000


def test_events_have_no_other_keys() -> None:
    """To the letter: those of the format, in its order."""
    runner = Runner(*make_plan(["random"], Rules(players=4, table_talk=0.1, forget_draw=0.1)))
    for game in replay(runner, 0, 3):
        for line in game.text().splitlines():
            event = json.loads(line)
            keys = list(event)
            expected = list(SHAPES[event["do"]])
            at = keys.index("do")
            assert keys[:at] + keys[at + 1 :] == expected
