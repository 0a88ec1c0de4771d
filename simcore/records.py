"""What the kernels write down: rows of games, seats, sequences and jacks, and the event log.

Structured dtypes only; `simcore/frames.py` turns them into tables and documents the columns.
"""

from typing import Any

import numpy as np

from simcore.board import SPACES
from simcore.rules import MAX_SEATS

SEQUENCES, STALEMATE, MAX_TURNS = 0, 1, 2
"""`reason` of a game's end (rules 8.5, 10.2, 10.3)."""

COMPLETES, BLOCKS, BUILDS, REMOVES, OTHER, HELD = range(6)
"""`purpose` of a jack."""

GAME_ROW = np.dtype(
    (
        np.record,
        [
            ("winner", np.int8),
            ("reason", np.uint8),
            ("first_seat", np.uint8),
            ("turns", np.int32),
            ("reshuffles", np.int32),
        ],
    ),
    align=True,
)

SEAT_ROW = np.dtype(
    (
        np.record,
        [
            ("opening_two_eyed", np.uint8),
            ("opening_one_eyed", np.uint8),
            ("drawn_two_eyed", np.int32),
            ("drawn_one_eyed", np.int32),
            ("played_two_eyed", np.int32),
            ("played_one_eyed", np.int32),
            ("forfeits", np.int32),
            ("exchanges", np.int32),
            ("passes", np.int32),
            ("forgets", np.int32),
        ],
    ),
    align=True,
)

SEQUENCE_ROW = np.dtype(
    (
        np.record,
        [
            ("game", np.int64),
            ("turn", np.int32),
            ("line", np.uint8),
            ("shared", np.uint8),
            ("team", np.uint8),
            ("seat", np.uint8),
            ("bot", np.uint8),
            ("winning", np.uint8),
        ],
    ),
    align=True,
)

JACK_ROW = np.dtype(
    (
        np.record,
        [
            ("game", np.int64),
            ("turn", np.int32),
            ("seat", np.uint8),
            ("bot", np.uint8),
            ("kind", np.uint8),
            ("purpose", np.uint8),
        ],
    ),
    align=True,
)

PLACED, REMOVED, IN_SEQUENCE, IN_WINNING_SEQUENCE = range(4)
"""Last index of the sums by bot and space."""

(
    EXCHANGE,
    PLACE,
    REMOVE,
    SEQUENCE,
    RESHUFFLED,
    DRAW,
    FORGET,
    PASS,
    TABLE_TALK,
    FORFEIT,
) = range(10)
"""`what` happened, in the event log."""

EVENT_ROW = np.dtype(
    (
        np.record,
        [
            ("turn", np.int32),
            ("what", np.uint8),
            ("seat", np.uint8),  # the team for TABLE_TALK
            ("card", np.uint8),
            ("at", np.uint8),  # the space, the line for SEQUENCE, the cards for RESHUFFLED
        ],
    ),
    align=True,
)

NO_FAULT, FULL, BAD_PLAY, BAD_EXCHANGE, BAD_FORFEIT = range(5)
"""Why a kernel stopped: rows do not fit, or a bot decided what it may not."""

Notes = Any
"""A record of NOTES."""

NOTED_SEQUENCES = 40
"""Sequences of a game at most: 2 * 3 before the last play, which completes up to 24."""
NOTED_JACKS = 64
NOTED_EVENTS = 512
"""Events of a turn at most: talk, 12 forfeits, D exchanges of 3, a play of 26, a draw of 2."""

# The notes of the game being played. They are one record of plain arrays, since a record costs a
# pointer to pass on, while a namedtuple of arrays cost eight times the whole game (1,170,000 turns
# a second against 9,600,000).
NOTES = np.dtype(
    (
        np.record,
        [
            ("tally", SEAT_ROW, MAX_SEATS),
            ("sequence", SEQUENCE_ROW, NOTED_SEQUENCES),
            ("jack", JACK_ROW, NOTED_JACKS),
            ("event", EVENT_ROW, NOTED_EVENTS),
            ("sequences", np.int64),
            ("jacks", np.int64),
            ("events", np.int64),
            ("log", np.int64),  # whether events are noted
            ("game", np.int64),
            ("space", np.int64, (MAX_SEATS, SPACES, 4)),  # sums by bot, over games
        ],
    ),
    align=True,
)
