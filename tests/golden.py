"""Golden games: whole games as text, one for each table and for each switch of the rules.

    .venv/bin/python tests/golden.py

writes them anew into tests/golden/. Read the difference before you commit it: each changed line is
a game that is now played otherwise.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from helpers import SWITCHES, TABLES

from simcore.replay import replay
from simcore.rules import Rules
from simcore.runner import Runner
from simcore.simulation import make_plan
from simcore.transcripts import Event
from simcore.view import moves

FOLDER = Path(__file__).parent / "golden"
BOTS = ["balanced", "greedy"]
SEED = 2026

# A value for each switch, chosen so that it is seen in the game.
CHANGES: dict[str, dict[str, Any]] = {
    "board": {"board": "wedge"},
    "two_eyed_jacks": {"two_eyed_jacks": 8},
    "one_eyed_jacks": {"one_eyed_jacks": 8},
    "deal": {"deal": "single_deck"},
    "hand_size": {"hand_size": 2},
    "extra_cards": {"extra_cards": (0, 2)},
    "one_eyed_removes": {"one_eyed_removes": "any", "one_eyed_jacks": 8},
    "sequences_protected": {"sequences_protected": False, "one_eyed_jacks": 8},
    "chips": {"chips": (12, 9, 6)},
    "dead_card_exchanges": {"dead_card_exchanges": -1},
    "line_length": {"line_length": 4},
    "free_corners": {"free_corners": False},
    "shared_spaces": {"shared_spaces": 4},
    "sequences_to_win": {"sequences_to_win": 4},
    "forget_draw": {"forget_draw": 0.2},
    "table_talk": {"players": 4, "teams": 2, "table_talk": 0.1},
    "reshuffle": {"reshuffle": False, "players": 3, "teams": 3, "sequences_to_win": 2},
    "max_turns": {"max_turns": 20},
    "first_seat": {"first_seat": 1},
}
assert CHANGES.keys() == {name for name, _ in SWITCHES}


def cases() -> dict[str, Rules]:
    """Return the rules of every golden game by the name of its file."""
    found = {
        # Three teams of good bots often block each other for the full thousand turns.
        f"{players}-players-{teams}-teams": Rules(
            players=players, teams=teams, max_turns=1000 if teams == 2 else 200
        )
        for players, teams in TABLES
    }
    return found | {name: Rules(**({"players": 2} | change)) for name, change in CHANGES.items()}


def events(rules: Rules) -> list[Event]:
    """Return the golden game of these rules; bots sit in turn."""
    seats = [BOTS[(seat // rules.teams + seat) % 2] for seat in range(rules.players)]
    runner = Runner(*make_plan(seats, rules, SEED, "none"))
    return next(replay(runner, 0, 1)).events()


def text(name: str, rules: Rules) -> str:
    """Return the file of a golden game: rules, dealt hands, turns, end, board."""
    game = events(rules)
    told = [f"{name}: {', '.join(f'{k}={v}' for k, v in rules.changes().items()) or 'standard'}"]
    told += [f"seat {seat}: {' '.join(hand)}" for seat, hand in enumerate(game[0]["hands"])]
    told += [line.plain for line in moves(game)]
    return "\n".join(told) + "\n"


def main() -> None:
    """Write all files, and remove those of cases that are gone."""
    FOLDER.mkdir(exist_ok=True)
    for old in FOLDER.glob("*.txt"):
        old.unlink()
    for name, rules in cases().items():
        (FOLDER / f"{name}.txt").write_text(text(name, rules), encoding="utf-8")


if __name__ == "__main__":
    main()
