"""What everybody at the table sees: chips, sequences, discards, sizes, the recent plays.

Bots get this record and only read it. The kernels below are unchecked: they take a legal space and
keep every derived count of the table up to date.
"""

from typing import Any

import numba
import numpy as np

from simcore.board import CORNERS, SPACES
from simcore.cards import CARDS
from simcore.jit import Int, inlined_kernel, int64, kernel, record_dtype
from simcore.rules import MAX_SEATS, MAX_TEAMS
from simcore.setting import MAX_TRACKS, Setting

Table = Any
"""A record of TABLE."""

OPEN = 0
"""`chip` of an uncovered space; a team's chip is team + 1."""
CORNER = 4
"""`chip` of the four corners."""
RECENT = 64
"""Plays that are remembered: more than two full rounds of the largest table."""
MAX_SEQUENCES = 32
"""A team can score at most 3 before its last play, which completes at most 24 lines."""

TABLE = record_dtype(
    [
        ("chip", np.uint8, SPACES),
        ("scored", np.uint8, SPACES),  # bit t: in a scored sequence of team t
        ("count", np.uint64, (MAX_TEAMS, MAX_TRACKS)),  # chips and free corners by line of a track
        ("stock", np.int64, MAX_TEAMS),  # chips a team has left
        ("removable", np.int64, MAX_TEAMS),  # chips on the board that a jack may take
        ("open_spaces", np.int64),
        ("dead", np.uint64),  # bit c: card c has both spaces covered
        ("sequences", np.int64, MAX_TEAMS),  # scored so far
        ("sequence", np.uint8, (MAX_TEAMS, MAX_SEQUENCES)),  # their lines, as scored
        ("discarded", np.uint8, CARDS),  # face up, by card
        ("hand_size", np.int64, MAX_SEATS),
        ("pile", np.int64),  # cards left to draw
        ("reshuffles", np.int64),
        ("turn", np.int64),  # from 1
        ("seat", np.int64),  # to move
        ("first_seat", np.int64),
        ("idle", np.int64),  # turns in a row without a play or an exchange
        # The latest plays: play number k stands at index k % RECENT.
        ("plays", np.int64),  # so far
        ("play_seat", np.uint8, RECENT),
        ("play_card", np.uint8, RECENT),
        ("play_space", np.uint8, RECENT),
        ("play_took", np.uint8, RECENT),  # 0: placed a chip; else the team + 1 that lost one
    ]
)
TABLE_TYPE = numba.from_dtype(TABLE)

_U1, _U3, _U15 = map(np.uint64, (1, 3, 15))
_EACH = np.uint64(0x0101010101010101)


@kernel
def clear_table(setting: Setting, table: Table, first_seat: Int) -> None:
    """Set the table to the start of a game (hands and pile are the dealer's to fill)."""
    table.chip[:] = OPEN
    for corner in CORNERS:
        table.chip[corner] = CORNER
    table.scored[:] = 0
    for team in range(setting.teams):
        for track in range(setting.n_tracks):
            table.count[team, track] = setting.track_corner[track]
        table.stock[team] = setting.chips[team]
        table.removable[team] = 0
        table.sequences[team] = 0
    table.open_spaces = SPACES - 4
    table.dead = np.uint64(0)
    table.discarded[:] = 0
    table.reshuffles = 0
    table.turn = 0
    table.seat = first_seat
    table.first_seat = first_seat
    table.idle = 0
    table.plays = 0


@inlined_kernel
def place(setting: Setting, table: Table, team: Int, space: Int) -> bool:
    """Put a chip of the team on an open space; return whether a line is now full.

    Four words are counted up, and bit 3 of a byte that is counted on from 8 - line_length tells a
    full line. With up to 20 lines counted one by one, random games took a quarter longer.
    """
    table.chip[space] = team + 1
    table.stock[team] -= 1
    table.removable[team] += 1
    table.open_spaces -= 1
    card = setting.card_of[space]
    if table.chip[setting.spaces_of[card, 0]] and table.chip[setting.spaces_of[card, 1]]:
        table.dead |= _U1 << np.uint64(card)
    full = np.uint64(0)
    short = np.uint64(8 - setting.line_length) * _EACH
    for i in range(4):
        track, one = setting.tracks[space, i], setting.on_track[space, i]
        count = table.count[team, track] + one
        table.count[team, track] = count
        full |= (count + short) & (one << _U3)
    return full != 0


@kernel
def remove(setting: Setting, table: Table, space: Int) -> Int:
    """Take the chip off a space and return the team it goes back to (rules 6.3, 6.5)."""
    team = int64(table.chip[space]) - 1
    table.chip[space] = OPEN
    table.stock[team] += 1
    table.removable[team] -= 1
    table.open_spaces += 1
    table.dead &= ~(_U1 << np.uint64(setting.card_of[space]))
    for i in range(4):
        table.count[team, setting.tracks[space, i]] -= setting.on_track[space, i]
    return team


@inlined_kernel
def on_line(setting: Setting, table: Table, team: Int, line: Int) -> Int:
    """Return how many chips of the team and free corners are on a line, int64.

    0 for a line over a dead corner, which is never counted.
    """
    count = table.count[team, setting.line_track[line]]
    return int64((count >> np.uint64(setting.line_shift[line])) & _U15)


@inlined_kernel
def remember_play(table: Table, seat: Int, card: Int, space: Int, took: Int) -> None:
    """Append a play to the table's recent plays."""
    at = table.plays & (RECENT - 1)
    table.play_seat[at] = seat
    table.play_card[at] = card
    table.play_space[at] = space
    table.play_took[at] = took
    table.plays += 1


@inlined_kernel
def is_dead(table: Table, card: Int) -> bool:
    """Return whether both spaces of a plain card are covered (rules 7.1); False for jacks."""
    return (table.dead >> np.uint64(card)) & _U1 != 0
