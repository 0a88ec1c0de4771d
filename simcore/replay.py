"""One game again, as a transcript: from the engine's event log to the events that others can judge.

A transcript is a list of dicts, one a line of JSON: the header `start`, what happened in order, and
`end`.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from simcore.board import SPACE_NAMES, Board, lines
from simcore.cards import NAMES
from simcore.dealer import DEALER, deal_hands, shuffle_deal
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
from simcore.rules import Rules
from simcore.setting import Setting
from simcore.simulation import BotError, Runner
from simcore.table import TABLE, clear_table

Event = dict[str, Any]
"""A line of a transcript."""

FORMAT = "sequence-lab/1"

_IN_HEADER = ("board", "first_seat")
"""Fields of the rules that are keys of the header itself."""


def dealt_hands(setting: Setting, seed: int, deal: int, first_seat: int) -> list[list[int]]:
    """Return the hands of a deal before the first turn, card codes by seat (rules 3.3, 3.4)."""
    table = np.zeros(1, TABLE)[0]
    dealer = np.zeros(1, DEALER)[0]
    shuffle_deal(setting, dealer, seed, deal)
    clear_table(setting, table, first_seat)
    deal_hands(setting, table, dealer)
    seats = range(int(setting.players))
    return [dealer.hands[seat, : table.hand_size[seat]].tolist() for seat in seats]


def header(
    rules: Rules,
    board: Board,
    strategies: Sequence[str],
    seed: int,
    deal: int,
    game: int,
    first_seat: int,
    hands: Sequence[Sequence[int]],
) -> Event:
    """Return the `start` line; `strategies` are names by seat, `hands` card codes by seat."""
    return {
        "do": "start",
        "format": FORMAT,
        "rules": {k: v for k, v in rules.settings().items() if k not in _IN_HEADER},
        "board": board.rows(),
        "strategies": list(strategies),
        "seed": seed,
        "deal": deal,
        "game": game,
        "first_seat": first_seat,
        "hands": [[NAMES[card] for card in hand] for hand in hands],
    }


def replay(runner: Runner, game: int) -> tuple[list[Event], BotError | None]:
    """Play a game of the runner's plan again; return its transcript and the fault that ended it.

    After a fault the transcript holds the turns before it, and no `end`.
    """
    plan, row, fault, room = runner.plan, None, None, 4096
    while True:
        log = np.zeros(room, EVENT_ROW)
        try:
            row = runner.play(game, 1, log).games[0]
        except BotError as error:
            fault = error
        if runner.events <= room:
            break
        room = runner.events
    deal, seating = divmod(game, len(plan.seatings))
    first_seat = int(runner.table.first_seat)
    start = header(
        plan.rules,
        plan.board,
        [plan.names[bot] for bot in plan.seatings[seating, : plan.rules.players]],
        plan.seed,
        deal,
        game,
        first_seat,
        dealt_hands(runner.setting, plan.seed, deal, first_seat),
    )
    return transcript(start, row, log[: runner.events]), fault


def sentence(event: Event) -> str:
    """Return an event as a line of text."""
    words = [f"{key} {value}" for key, value in event.items() if key in ("turn", "seat", "team")]
    rest = {k: v for k, v in event.items() if k not in ("turn", "seat", "team", "do")}
    if event["do"] == "start":
        rest = {"first seat": event["first_seat"], "strategies": event["strategies"]}
    told = "; ".join(f"{key} {_plain(value)}" for key, value in rest.items())
    return f"{', '.join(words):16} {event['do']:10} {told}".rstrip()


def _plain(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


def transcript(start: Event, game: Any, log: Any) -> list[Event]:
    """Return the transcript of a game.

    `start` is its header, `game` its GAME_ROW (None if it did not end), `log` all its EVENT_ROWs.
    """
    teams = start["rules"]["teams"]
    told = line_names(start["rules"]["line_length"])
    events = [start]
    scores = [0] * teams
    for row in log.tolist():
        events.append(_event(told, *row))
        if events[-1]["do"] == "sequence":
            scores[events[-1]["seat"] % teams] += 1
    if game is None:
        return events
    end = {"winner": int(game.winner) if game.winner >= 0 else None, "reason": REASONS[game.reason]}
    return [*events, {"do": "end", **end, "turns": int(game.turns), "sequences": scores}]


def line_names(length: int) -> list[list[str]]:
    """Return the names of the spaces of every line, in line order (rules 8.3)."""
    return [[SPACE_NAMES[space] for space in line] for line in lines(length).spaces]


def _event(told: list[list[str]], turn: int, what: int, seat: int, card: int, at: int) -> Event:
    """Return the event of a row of the log; `told` names the spaces of every line."""
    if what == TABLE_TALK:
        return {"turn": turn, "do": "table_talk", "team": seat}
    if what == RESHUFFLED:
        return {"turn": turn, "do": "reshuffle", "cards": at}
    event: Event = {"turn": turn, "seat": seat, "do": _DO[what]}
    if what == SEQUENCE:
        return event | {"spaces": told[at]}
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
