"""Games again, as transcripts: from the engine's event log to events that others can judge.

A transcript is a list of dicts, one a line of JSON: the header `start`, what happened in order, and
`end`.
"""

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from simcore.board import SPACE_NAMES, lines
from simcore.cards import NAMES
from simcore.dealer import DEALER, deal_hands, shuffle_deal
from simcore.plan import Array, Plan
from simcore.records import (
    DRAW,
    EVENT_ROW,
    EXCHANGE,
    FORFEIT,
    FORGET,
    PASS,
    PLACE,
    REASONS,
    REMOVE,
    RESHUFFLED,
    SEQUENCE,
    TABLE_TALK,
)
from simcore.runner import BotError, Runner, StuckError
from simcore.setting import Setting
from simcore.table import TABLE, clear_table
from simcore.transcripts import FORMAT, Event

_IN_HEADER = ("board", "first_seat")
"""Fields of the rules that are keys of the header itself."""


@dataclass(frozen=True, eq=False)
class Replayed:
    """A game played again: its header, its EVENT_ROWs and its end, None if it broke off."""

    start: Event
    log: Array
    end: Event | None

    def events(self) -> list[Event]:
        """Return the transcript; after a fault it holds the turns before it, and no `end`."""
        length = self.start["rules"]["line_length"]
        events = [{"turn": turn} | _event(length, *rest) for turn, *rest in self.log.tolist()]
        return [self.start, *events, *([] if self.end is None else [self.end])]

    def text(self) -> str:
        """Return the same as JSON Lines.

        An event is put together from its turn and a text that is made once for all events alike:
        of dicts alone, json makes 600 games a second, which is too few for a slice of a big run.
        """
        tails = _tails(self.start["rules"]["line_length"])
        turns = self.log["turn"].tolist()
        kinds = self.log.view("<u4")[1::2].tolist()  # what, seat, card and at, a byte each
        told = [json.dumps(self.start)]
        told += [
            f'{{"turn": {turn}, {tails[kind]}' for turn, kind in zip(turns, kinds, strict=True)
        ]
        if self.end is not None:
            told.append(json.dumps(self.end))
        return "\n".join(told) + "\n"


class Headers:
    """Makes the `start` lines of a plan's games."""

    def __init__(self, plan: Plan, setting: Setting) -> None:
        self._plan = plan
        self._setting = setting
        self._table = np.zeros(1, TABLE)[0]
        self._dealer = np.zeros(1, DEALER)[0]
        rules = plan.rules.settings()
        self._same = {
            "do": "start",
            "format": FORMAT,
            "rules": {name: rules[name] for name in rules if name not in _IN_HEADER},
            "board": plan.board.rows(),
        }

    def header(self, game: int, first_seat: int) -> Event:
        """Return the `start` line of a game in which that seat moved first."""
        plan = self._plan
        deal, seating = divmod(game, len(plan.seatings))
        seats = range(plan.rules.players)
        shuffle_deal(self._setting, self._dealer, plan.seed, deal)
        clear_table(self._setting, self._table, first_seat)
        deal_hands(self._setting, self._table, self._dealer)
        sizes = self._table["hand_size"].tolist()
        hands = self._dealer["hands"][: plan.rules.players].tolist()
        return self._same | {
            "strategies": [plan.names[bot] for bot in plan.seatings[seating, seats]],
            "seed": plan.seed,
            "deal": deal,
            "game": game,
            "first_seat": first_seat,
            "hands": [[NAMES[card] for card in hands[seat][: sizes[seat]]] for seat in seats],
        }


_BATCH = 256
"""Games played by one call, which costs 4 ms."""


def replay(runner: Runner, first: int, stop: int) -> Iterator[Replayed]:
    """Play games `first` to `stop - 1` of the runner's plan again.

    Raises BotError at a bot's fault, behind the part of the game that was played.
    """
    headers = Headers(runner.plan, runner.setting)
    room = 512 * min(_BATCH, stop - first)
    while first < stop:
        log = np.zeros(room, EVENT_ROW)
        try:
            games = runner.play(first, min(_BATCH, stop - first), log).games
        except StuckError as error:
            yield from _stuck(runner, headers, first, error)
            raise
        except BotError as error:
            yield from replay(runner, first, error.game)
            yield _broken_off(runner, headers, error.game)
            raise
        if runner.events > room:
            room = runner.events
            continue
        stop_at = 0
        for row in games:
            part = log[stop_at : stop_at + int(row["events"])]
            stop_at += len(part)
            start = headers.header(first, int(row["first_seat"]))
            yield Replayed(start, part, end_line(start, row, part))
            first += 1


def _stuck(runner: Runner, headers: Headers, first: int, error: StuckError) -> Iterator[Replayed]:
    """Play the games before one that does not move on, and return what came before it stuck."""
    if first < error.game:
        yield from replay(Runner(runner.plan, runner.design), first, error.game)
    start = headers.header(error.game, int(runner.table.first_seat))
    yield Replayed(start, error.log, None)


def _broken_off(runner: Runner, headers: Headers, game: int) -> Replayed:
    """Play a game that ends in a fault, and return what came before it."""
    room = 512
    while True:
        log = np.zeros(room, EVENT_ROW)
        with suppress(BotError):
            runner.play(game, 1, log)
        if runner.events <= room:
            start = headers.header(game, int(runner.table.first_seat))
            return Replayed(start, log[: runner.events], None)
        room = runner.events


def end_line(start: Event, row: Any, log: Array) -> Event:
    """Return the `end` line of a game with this header, GAME_ROW and EVENT_ROWs."""
    teams, winner = start["rules"]["teams"], int(row["winner"])
    scorers = log["seat"][log["what"] == SEQUENCE] % teams
    return {
        "do": "end",
        "winner": winner if winner >= 0 else None,
        "reason": REASONS[row["reason"]],
        "turns": int(row["turns"]),
        "sequences": np.bincount(scorers, minlength=teams).tolist(),
    }


@cache
def line_names(length: int) -> list[list[str]]:
    """Return the names of the spaces of every line, in line order (rules 8.3)."""
    return [[SPACE_NAMES[space] for space in line] for line in lines(length).spaces]


@cache
def _tails(length: int) -> "_Tails":
    return _Tails(length)


class _Tails(dict[int, str]):
    """The JSON text of an event behind its turn, by what, seat, card and at; made when needed."""

    def __init__(self, length: int) -> None:
        self._length = length

    def __missing__(self, kind: int) -> str:
        text = json.dumps(_event(self._length, *kind.to_bytes(4, "little")))[1:]
        self[kind] = text
        return text


def _event(length: int, what: int, seat: int, card: int, at: int) -> Event:
    """Return the event of a row of the log, but for its turn."""
    if what == TABLE_TALK:
        return {"do": "table_talk", "team": seat}
    if what == RESHUFFLED:
        return {"do": "reshuffle", "cards": at}
    event: Event = {"seat": seat, "do": _DO[what]}
    if what == SEQUENCE:
        return event | {"spaces": line_names(length)[at]}
    if what in (PASS, FORGET):
        return event
    event["card"] = NAMES[card]
    return event | {"space": SPACE_NAMES[at]} if what in (PLACE, REMOVE) else event


_DO = {
    int(EXCHANGE): "exchange",
    int(PLACE): "place",
    int(REMOVE): "remove",
    int(SEQUENCE): "sequence",
    int(DRAW): "draw",
    int(FORGET): "forget",
    int(PASS): "pass",
    int(FORFEIT): "forfeit",
}
"""The word for `what` happened, of events of one seat."""
