"""What the kernels write down: rows of games, seats, sequences and jacks, and the event log.

Structured dtypes only; `simcore/frames.py` turns them into tables and documents the columns.
"""

from typing import Any

import numpy as np

from simcore.board import SPACES
from simcore.jit import record_dtype
from simcore.rules import MAX_SEATS

SEQUENCES, STALEMATE, MAX_TURNS = 0, 1, 2
REASONS = ("sequences", "stalemate", "max_turns")
"""`reason` of a game's end, as a code and as a word by code (rules 8.5, 10.2, 10.3)."""

# Constants that kernels hand on are numpy scalars: numba compiles a function anew for every literal
# int it is called with, which made ten copies of `note_event`.
NOTHING = np.uint8(0)
COMPLETES, BLOCKS, BUILDS, REMOVES, OTHER, HELD = map(np.uint8, range(6))
"""`purpose` of a jack."""

GAME_ROW = record_dtype(
    [
        ("winner", np.int8),
        ("reason", np.uint8),
        ("first_seat", np.uint8),
        ("turns", np.int32),
        ("reshuffles", np.int32),
        ("events", np.int32),  # rows of the event log, 0 without one
    ]
)

SEAT_ROW = record_dtype(
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
    ]
)

SEQUENCE_ROW = record_dtype(
    [
        ("game", np.int64),
        ("turn", np.int32),
        ("line", np.uint8),
        ("shared", np.uint8),
        ("team", np.uint8),
        ("seat", np.uint8),
        ("bot", np.uint8),
        ("winning", np.uint8),
    ]
)

JACK_ROW = record_dtype(
    [
        ("game", np.int64),
        ("turn", np.int32),
        ("seat", np.uint8),
        ("bot", np.uint8),
        ("kind", np.uint8),
        ("purpose", np.uint8),
    ]
)

PLACED, REMOVED, IN_SEQUENCE, IN_WINNING_SEQUENCE = range(4)
"""Last index of the sums by bot and space."""

EXCHANGE, PLACE, REMOVE, SEQUENCE, RESHUFFLED = map(np.uint8, range(5))
DRAW, FORGET, PASS, TABLE_TALK, FORFEIT = map(np.uint8, range(5, 10))
"""`what` happened, in the event log."""

EVENT_ROW = record_dtype(
    [
        ("turn", np.int32),
        ("what", np.uint8),
        ("seat", np.uint8),  # the team for TABLE_TALK
        ("card", np.uint8),
        ("at", np.uint8),  # the space, the line for SEQUENCE, the cards for RESHUFFLED
    ]
)

NO_FAULT, BAD_PLAY, BAD_EXCHANGE, BAD_FORFEIT, BARRED_PLAY, WROTE_TABLE = range(6)
"""Why a kernel stopped: what a bot decided, or did, that it may not."""

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
NOTES = record_dtype(
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
    ]
)
