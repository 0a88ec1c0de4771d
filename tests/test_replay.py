"""A game that is played again is the game that was counted."""

import json
from pathlib import Path

import naive
import pytest
from helpers import edit_manifest, scaled

from simcore import Rules, simulate
from simcore.played import load_plan
from simcore.replay import replay
from simcore.runner import Runner
from simcore.simulation import make_plan
from simcore.strategy import StrategyError
from simcore.view import boards, moves

RULES = (
    Rules(),
    Rules(players=6, teams=3, table_talk=0.2, forget_draw=0.1),
    Rules(players=4, deal="single_deck", dead_card_exchanges=-1, max_turns=60),
)


@pytest.mark.parametrize("rules", RULES, ids=lambda rules: f"{rules.players} players")
def test_the_game_shown_is_the_game_counted(rules: Rules, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    run = simulate(["random", "greedy"], games=scaled(1000), seed=3, rules=rules, out=folder)
    plan, design, games = load_plan(folder)
    assert games == len(run.games)
    seats = run.seats.groupby("game").strategy.agg(list)
    played = replay(Runner(plan, design), 0, games)
    for row, game in zip(run.games.itertuples(), played, strict=True):
        start, end = game.start, game.end
        assert end is not None
        assert start["strategies"] == seats[row.game]
        assert (start["game"], start["deal"]) == (row.game, row.deal)
        assert start["first_seat"] == row.first_seat
        assert end["winner"] == (None if row.winner < 0 else row.winner)
        assert (end["reason"], end["turns"]) == (row.reason, row.turns)
        events = game.events()
        assert [json.loads(line) for line in game.text().splitlines()] == events
        if row.game % 50 == 0:
            assert naive.replay(events[0], events[1:]).scores() == end["sequences"]


def test_a_folder_names_no_file_to_read(tmp_path: Path) -> None:
    """What a folder from elsewhere names is not read: it may be anything, or never end."""
    simulate(["random"], 4, out=tmp_path)
    values = tmp_path / "p.toml"
    values.write_text("")
    name = f"random@{values}"
    edit_manifest(tmp_path / "run.json", strategies=[name], seatings=[[name] * 2] * 2)
    with pytest.raises(StrategyError, match=r"random@.*p.toml would have a file read; allowed: na"):
        load_plan(tmp_path)


def test_a_slice_is_its_games() -> None:
    """Alone, together, from anywhere, and where the log has to grow."""
    runner = Runner(*make_plan(["random"], Rules(players=3, table_talk=1.0, max_turns=400), 5))
    together = [game.text() for game in replay(runner, 0, scaled(600))]
    for number in (0, 7, len(together) - 1):
        (alone,) = replay(runner, number, number + 1)
        assert alone.text() == together[number]
    assert [game.text() for game in replay(runner, 3, 6)] == together[3:6]


START = {"turn": 1, "seat": 1}
GAME = [
    {
        **{"do": "start", "game": 4, "seed": 9, "deal": 2, "first_seat": 1},
        "rules": {"players": 2, "teams": 2},
        "board": Rules().load_board().rows(),
        "strategies": ["random", "greedy"],
        "hands": [["JS", "2S"], ["6S", "3D"]],
    },
    {**START, "do": "exchange", "card": "3D"},
    {**START, "do": "draw", "card": "JD"},
    {**START, "do": "place", "card": "6S", "space": "A6"},
    {**START, "do": "sequence", "spaces": ["A2", "A3", "A4", "A5", "A6"]},
    {"turn": 2, "seat": 0, "do": "remove", "card": "JS", "space": "A6"},
    {"turn": 2, "do": "reshuffle", "cards": 3},
    {"turn": 2, "seat": 0, "do": "draw", "card": "6S"},
    {"turn": 3, "do": "table_talk", "team": 1},
    {"turn": 3, "seat": 1, "do": "forfeit", "card": "JD"},
    {"turn": 3, "seat": 1, "do": "pass"},
    {"turn": 4, "seat": 0, "do": "place", "card": "6S", "space": "A6"},
    {"turn": 4, "seat": 0, "do": "forget"},
    {"do": "end", "winner": None, "reason": "max_turns", "turns": 4, "sequences": [0, 1]},
]


def test_a_line_a_turn() -> None:
    assert [str(line) for line in moves(GAME)][:-1] == [
        "game 4 of seed 9, deal 2: seat 0 O random, seat 1 X greedy",
        "   1 X seat 1  exchanges 3D; draws JD; 6S to A6; sequence A2-A6",
        "   2 O seat 0  JS takes A6; 3 discards are shuffled; draws 6S",
        "   3 X seat 1  team 1 is caught talking; seat 1 gives up JD; passes",
        "   4 O seat 0  6S to A6; forgets to draw",
        "drawn by max_turns after 4 turns, sequences 0:1",
    ]


def test_turn_by_turn() -> None:
    """Hand to move, play, board: chips by letter, the space just played on, scored ones."""
    shown = [str(text) for text in boards(GAME)]
    rows = [text.splitlines()[1] for text in shown if text.startswith("    ")]
    assert rows == [
        "  A  **   2S   3S   4S   5S   6S   7S   8S   9S   **",
        "  A  **   2S   3S   4S   5S   >X<  7S   8S   9S   **",
        "  A  **   2S   3S   4S   5S  >6S<  7S   8S   9S   **",
        "  A  **   2S   3S   4S   5S   6S   7S   8S   9S   **",
        "  A  **   2S   3S   4S   5S   >O<  7S   8S   9S   **",
    ]
    assert "turn 1, seat 1 X with 6S 3D: exchanges 3D; draws JD; 6S to A6" in shown[2]
    assert "turn 4, seat 0 O with 2S 6S: 6S to A6; forgets to draw" in shown[-3]
    assert shown[-1] == "drawn by max_turns after 4 turns, sequences 0:1"
    scored = [*GAME[:5], {"turn": 2, "seat": 0, "do": "pass"}]
    assert "5S   (X)  7S" in str(list(boards(scored))[-1])
    taken = {"turn": 3, "seat": 1, "do": "place", "card": "JD", "space": "A6"}
    assert "5S   >X<  7S" in str(list(boards([*GAME[:6], taken]))[-1])
    taken = {"turn": 3, "seat": 0, "do": "place", "card": "2S", "space": "A6"}
    board = str(list(boards([*GAME[:6], taken, {"turn": 4, "seat": 1, "do": "pass"}]))[-1])
    assert "5S    O   7S" in board  # in no sequence of its own team
    only = [str(text) for text in boards(GAME, only=3)]
    assert only == [shown[0], *shown[6:8]]
    with pytest.raises(ValueError, match=r"turn: 5; allowed: 1 to 4"):
        list(boards(GAME, only=5))
