"""A game that is played again is the game that was counted."""

import json
from pathlib import Path

import naive
import pytest

from simcore import Rules, simulate
from simcore.replay import replay, sentence
from simcore.simulation import Runner, load_plan, make_plan

RULES = (
    Rules(),
    Rules(players=6, teams=3, table_talk=0.2, forget_draw=0.1),
    Rules(players=4, deal="single_deck", dead_card_exchanges=-1, max_turns=60),
)


@pytest.mark.parametrize("rules", RULES, ids=lambda rules: f"{rules.players} players")
def test_the_game_shown_is_the_game_counted(rules: Rules, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    run = simulate(["random", "greedy"], games=24, seed=3, rules=rules, out=folder)
    plan, design, games = load_plan(folder)
    runner = Runner(plan, design)
    assert games == len(run.games)
    seats = run.seats.groupby("game").strategy.agg(list)
    for row in run.games.itertuples():
        events, fault = replay(runner, row.game)
        assert fault is None
        start, end = events[0], events[-1]
        assert start["strategies"] == seats[row.game]
        assert (start["deal"], start["first_seat"]) == (row.deal, row.first_seat)
        assert end["winner"] == (None if row.winner < 0 else row.winner)
        assert (end["reason"], end["turns"]) == (row.reason, row.turns)
        judged = json.loads(json.dumps(events))
        assert naive.replay(judged[0], judged[1:]).scores() == end["sequences"]


def test_a_game_is_told_in_words() -> None:
    events, _ = replay(Runner(*make_plan(["random"], Rules(), seed=5)), 2)
    lines = [sentence(event) for event in events]
    assert lines[0].split() == ["start", *f"first seat {events[0]['first_seat']};".split(),
                                "strategies", "random", "random"]  # fmt: skip
    assert lines[1].startswith(f"turn 1, seat {events[0]['first_seat']}")
    assert lines[-1].split()[:3] == ["end", "winner", f"{events[-1]['winner']};"]
