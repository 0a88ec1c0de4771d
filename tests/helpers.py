"""What the tests of the engine share: a table to play at, bots that reach far corners, variants."""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numba
import numpy as np
import numpy.typing as npt
import pytest

import cli
from simcore.board import SPACES, Board
from simcore.dealer import DEALER
from simcore.engine import BENCH, play_games, seat_bot
from simcore.jit import as_value, kernel
from simcore.ledger import manifest_text
from simcore.moves import Hand, is_legal, is_playable, is_target
from simcore.plan import Plan
from simcore.records import (
    EVENT_ROW,
    GAME_ROW,
    JACK_ROW,
    NO_FAULT,
    NOTED_SEQUENCES,
    NOTES,
    SEAT_ROW,
    SEQUENCE_ROW,
)
from simcore.replay import Headers, Replayed, end_line
from simcore.rng import below
from simcore.rules import MAX_SEATS, Rules
from simcore.setting import Setting, make_setting
from simcore.strategy import KEEP, Bot, Own, bot_function, make_strategy, play
from simcore.table import TABLE, Table, is_dead, on_line
from simcore.transcripts import Event
from strategies import balanced, greedy
from strategies import random as random_bot

Flags = npt.NDArray[np.bool_]

JIT = not numba.config.DISABLE_JIT

TABLES = ((2, 2), (3, 3), (4, 2), (6, 2), (6, 3), (8, 2), (9, 3), (10, 2), (12, 2), (12, 3))
"""Every (players, teams) there is (rules 1.2)."""


def scaled(games: int) -> int:
    """Return how many games to play instead where kernels are not compiled."""
    return games if JIT else max(1, games // 60)


# Bots that decide what the built-in ones never do.


@bot_function
def choose_builder(setting: Setting, table: Table, seat: int, hand: Hand, own: Own) -> int:
    """Lengthen the team's fullest lines, so that many are completed, several at once too."""
    team = seat % setting.teams
    best, move = -1, 0
    for slot in range(len(hand)):
        for space in range(SPACES):
            if is_target(setting, table, team, hand[slot], space):
                value = below(own.stream, 4)
                for i in range(setting.n_through[space]):
                    count = on_line(setting, table, team, setting.through[space, i])
                    value += count * count * count
                if value > best:
                    best, move = value, play(slot, space)
    return move


@bot_function
def exchange_any(setting: Setting, table: Table, seat: int, hand: Hand, own: Own) -> int:
    """Keep the dead cards one time in four, else exchange any of them."""
    slot = below(own.stream, len(hand))
    if below(own.stream, 4) == 0:
        return KEEP
    while not is_dead(table, hand[slot]):
        slot = below(own.stream, len(hand))
    return slot


@bot_function
def forfeit_any(setting: Setting, table: Table, seat: int, hand: Hand, own: Own) -> int:
    """Give up any card."""
    return below(own.stream, len(hand))


RANDOM = random_bot.BOT
WILD = Bot("wild", "Plays at random, exchanges and forfeits too.", RANDOM.choose, exchange_any)
BUILDER = Bot("builder", "Completes what it can.", choose_builder, exchange_any, forfeit_any)
BOTS = (RANDOM, WILD, BUILDER, greedy.BOT, balanced.BOT)


# One table.


@dataclass
class Played:
    """One game: its transcript and its rows."""

    events: list[Event]
    game: Any
    seats: Any
    sequences: Any
    jacks: Any


@dataclass
class Desk:
    """The records of one setting, to play games with or to set up positions."""

    rules: Rules
    bots: Sequence[Bot] = (RANDOM,)
    seatings: npt.NDArray[np.int64] = field(
        default_factory=lambda: np.zeros((1, MAX_SEATS), np.int64)
    )
    rotate: bool = False

    def __post_init__(self) -> None:
        self.board: Board = self.rules.load_board()
        self.setting = make_setting(self.rules, self.board)
        self.table = np.zeros(1, TABLE)[0]
        self.dealer = np.zeros(1, DEALER)[0]
        self.bench = np.zeros(1, BENCH)[0]
        self.notes = np.zeros(1, NOTES)[0]
        for number, bot in enumerate(self.bots):
            params = make_strategy(bot, {}).all_params()
            start = bot.start(self.setting, params)
            seat_bot(self.bench, number, params, start)
        self.functions = tuple(
            tuple(
                as_value(getattr(self.bots[min(i, len(self.bots) - 1)], name))
                for i in range(MAX_SEATS)
            )
            for name in ("choose", "exchange", "forfeit")
        )

    def run(self, seed: int, first_game: int, games: int = 1, log: int = 40_000) -> Played:
        """Play games in a row; the transcript is that of the last, and empty if there is no log."""
        players = self.rules.players
        game_rows = np.zeros(games, GAME_ROW)
        seat_rows = np.zeros(games * players, SEAT_ROW)
        sequence_rows = np.zeros(games * NOTED_SEQUENCES, SEQUENCE_ROW)
        jack_rows = np.zeros(games * (int(self.setting.max_turns) + MAX_SEATS * 16), JACK_ROW)
        events = np.zeros(log, EVENT_ROW)
        used = np.zeros(4, np.int64)
        fault = play_games(
            *(self.setting, self.table, self.dealer, self.bench, self.notes),
            *(*self.functions, self.seatings, self.rotate, seed, first_game),
            *(game_rows, seat_rows, sequence_rows, jack_rows, events, used),
        )
        assert fault == NO_FAULT
        assert used[0] == games
        assert used[3] <= log or log == 0
        return Played(
            self.transcript(seed, first_game, game_rows[0], events[: used[3]]) if log else [],
            game_rows if games > 1 else game_rows[0],
            seat_rows,
            sequence_rows[: used[1]],
            jack_rows[: used[2]],
        )

    def transcript(self, seed: int, game: int, row: Any, log: Any) -> list[Event]:
        """Return the transcript of one game."""
        given = [bot.name for bot in self.bots]
        names = tuple(name + "'" * given[:n].count(name) for n, name in enumerate(given))
        plan = Plan(self.rules, self.board, names, self.seatings, seed, "none")
        start = Headers(plan, self.setting).header(game, int(row.first_seat))
        return Replayed(start, log, end_line(start, row, log)).events()


@kernel
def list_plays(
    setting: Setting, table: Table, team: int, hand: Hand, legal: Flags, playable: Flags
) -> None:
    """Fill in by slot and space what the engine takes for legal, by slot what for playable."""
    for slot in range(len(hand)):
        playable[slot] = is_playable(setting, table, team, hand[slot])
        for space in range(SPACES):
            legal[slot, space] = is_legal(setting, table, team, hand, slot, space)


# The command.


class Seqlab:
    """Run a command in this process; what it printed stands in `out` and `err`."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self._patch, self._caught = monkeypatch, capsys

    def __call__(self, *words: str | int | Path) -> int:
        self._patch.setattr(sys, "argv", ["seqlab", *map(str, words)])
        with pytest.raises(SystemExit) as left:
            cli.main()
        self.out, self.err = self._caught.readouterr()
        assert isinstance(left.value.code, int)
        return left.value.code


# Variants of the rules.


SWITCHES: tuple[tuple[str, tuple[Any, ...]], ...] = (
    ("board", ("wedge", "random:1", "random:2")),
    ("two_eyed_jacks", tuple(range(9))),
    ("one_eyed_jacks", tuple(range(9))),
    ("deal", ("single_deck",)),
    ("hand_size", (1, 2, 4)),
    ("extra_cards", ((0, 1), (2,), (1, 0))),
    ("one_eyed_removes", ("any",)),
    ("sequences_protected", (False,)),
    ("chips", ((9, 4, 6), (1, 2, 1), (50, 12, 20))),
    ("dead_card_exchanges", (0, 2, -1)),
    ("line_length", (4, 6)),
    ("free_corners", (False,)),
    ("shared_spaces", (0, 2, 3, 4, 5)),
    ("sequences_to_win", (1, 2, 3, 4)),
    ("forget_draw", (0.1, 1.0)),
    ("table_talk", (0.05, 1.0)),
    ("reshuffle", (False,)),
    ("max_turns", (1, 2, 17)),
    ("first_seat", (0, 1)),
)
"""Every switch but players and teams, with values that are not (all) the standard one."""


def variant(players: int, teams: int, changes: dict[str, Any]) -> Rules:
    """Return rules with changes; those that do not fit together are bent until they do."""
    given = {"max_turns": 180} | changes
    length = given.get("line_length", 5)
    given["shared_spaces"] = min(given.get("shared_spaces", 1), length - 1)
    return Rules(players=players, teams=teams, **given)


def single_changes() -> list[dict[str, Any]]:
    """Return each switch at each of its values, alone."""
    changes = [{name: value} for name, values in SWITCHES for value in values]
    for number, change in enumerate(changes):
        if change.get("shared_spaces") == 5:
            changes[number] = {"line_length": 6, "shared_spaces": 5}
    return changes


def random_change(rng: random.Random) -> dict[str, Any]:
    """Return several switches at random values; at small chances a game of many slips is dull."""
    chosen = rng.sample(SWITCHES, rng.randint(2, 10))
    change = {name: rng.choice(values) for name, values in chosen}
    if change.get("max_turns", 180) < 17 and rng.random() < 0.7:
        del change["max_turns"]
    for slip in ("forget_draw", "table_talk"):
        if change.get(slip) == 1.0 and rng.random() < 0.7:
            change[slip] = 0.02
    return change


def edit_manifest(file: Path, **changes: Any) -> None:
    """Change what run.json says, with the checksum that belongs to it."""
    found = {**json.loads(file.read_text()), **changes}
    del found["checksum"]
    file.write_text(manifest_text(found, ""))
