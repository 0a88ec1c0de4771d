"""What a chip is worth by the lines through its space: the idea that line bots share.

A line of `n` spaces on which no opponent has a chip is worth GAIN[chips it still needs]; one on
which the own team has none and an opponent has, BLOCK[chips that opponent still needs]; any other
nothing. A free corner counts as everybody's chip. The values of all spaces for the own team are
kept between turns: the memory holds the state of every line and the sums by space, and only lines
through the spaces played since are looked at again. The tables are those of the C yardstick, by
chips needed instead of chips there, so that lines of 4 and 6 have values too.
"""

import numpy as np
import numpy.typing as npt

from simcore.board import SIDE, SPACES
from simcore.cards import JS, ONE_EYED, PLAIN, TWO_EYED
from simcore.jit import Int, inlined_kernel, int64, kernel
from simcore.moves import Hand, is_target
from simcore.rng import Stream, below
from simcore.setting import MAX_LENGTH, MAX_TRACKS, Setting
from simcore.strategy import Memory, play
from simcore.table import CORNER, OPEN, RECENT, Table

States = npt.NDArray[np.uint64]
Values = npt.NDArray[np.int32]

GAIN = np.array([0, 1000, 64, 16, 4, 1, 1])
"""By chips that the own team still needs."""
BLOCK = np.array([0, 400, 60, 8, 2, 1, 0])
"""By chips that the strongest opponent still needs."""
TWO_EYED_COST = 200
ONE_EYED_COST = 150
"""What a jack has to bring to be played; a one-eyed one after halving."""

OWN_LINES, ALL_LINES = int64(0), int64(1)
"""Whether lines of the opponents count."""

# A line's state is 8 * own chips + chips of the strongest opponent, corners included, and 64 more
# for a line with a free corner: a byte, so that the states of a track make one word.
_CORNER = 64
_STATES = 2 * _CORNER

# The memory: the states of every track, as uint64; behind them, as int32:
_VALUE = 2 * MAX_TRACKS
"""The value of every space, and of what is behind a short diagonal."""
_WORTH = _VALUE + SPACES + 1
"""What a line in a state is worth."""
_ALONE = _WORTH + _STATES
"""What it is worth if only own lines count."""
_MORE = _ALONE + _STATES
"""What the lines of a track have gained, line_length places further on; zeros on both sides."""
_SEEN = _MORE + SIDE + MAX_LENGTH
"""Plays seen."""
_WORDS = (_SEEN + 2) // 2
_NOTHING_YET = int64(-(1 << 30))

_U1, _U3, _U6, _U7, _U8, _BYTE = (np.uint64(n) for n in (1, 3, 6, 7, 8, 255))
_TOP_BITS = np.uint64(0x8080808080808080)


def start_values(setting: Setting, scope: Int) -> Memory:
    """Return the memory of a line bot for an empty board."""
    memory = np.zeros(_WORDS, np.int64)
    states, values = memory.view(np.uint64), memory.view(np.int32)
    for corner in range(2):
        for own in range(corner, setting.line_length + 1):
            for foe in range(corner, setting.line_length + 1):
                state = corner * _CORNER + own * 8 + foe
                if foe == corner:
                    values[_WORTH + state] = GAIN[setting.line_length - own]
                    values[_ALONE + state] = GAIN[setting.line_length - own]
                elif own == corner and scope == ALL_LINES:
                    values[_WORTH + state] = BLOCK[setting.line_length - foe]
    states[: setting.n_tracks] = setting.track_corner[: setting.n_tracks] * np.uint64(_CORNER + 9)
    for line in np.flatnonzero(setting.line_open[: setting.n_lines]):
        state = (_CORNER + 9) * int(setting.line_corners[line])
        values[_VALUE + setting.line[line, : setting.line_length]] += values[_WORTH + state]
    return memory


@kernel
def choose_by_lines(
    setting: Setting, table: Table, seat: Int, hand: Hand, memory: Memory, stream: Stream
) -> Int:
    """Return the best play by line values, one of the best drawn uniformly.

    Every copy of a card counts as a choice of its own. Modifies memory and stream.
    """
    team = int64(setting.team[seat])
    states, values = memory.view(np.uint64), memory.view(np.int32)
    _catch_up(setting, table, team, states, values)
    best, ties, choice = _NOTHING_YET, int64(0), int64(0)
    two_eyed, one_eyed = False, False
    for slot in range(len(hand)):
        card = hand[slot]
        kind = setting.kind[card]
        two_eyed |= kind == TWO_EYED
        one_eyed |= kind == ONE_EYED
        if kind == PLAIN and table.stock[team] > 0:
            for i in range(2):
                space = setting.spaces_of[card, i]
                if table.chip[space] == OPEN and values[_VALUE + space] >= best:
                    if values[_VALUE + space] > best:
                        best, ties = int64(values[_VALUE + space]), int64(0)
                    ties += 1
                    if ties == 1 or below(stream, ties) == 0:
                        choice = play(slot, int64(space))
    if two_eyed and table.stock[team] > 0:
        top = _best_open(table, values) - TWO_EYED_COST
        if top >= best:
            if top > best:
                best, ties = top, int64(0)
            for slot in range(len(hand)):
                if setting.kind[hand[slot]] == TWO_EYED:
                    for space in range(SPACES):
                        if (
                            table.chip[space] == OPEN
                            and values[_VALUE + space] - TWO_EYED_COST == top
                        ):
                            ties += 1
                            if ties == 1 or below(stream, ties) == 0:
                                choice = play(slot, space)
    if one_eyed and _most_to_take(setting, memory.view(np.uint8)) >= best:
        for space in range(SPACES):
            if table.chip[space] in (OPEN, CORNER):
                continue
            worth = _worth_to_take(setting, table, team, values, space, best)
            if worth >= best:
                if worth > best:
                    best, ties = worth, int64(0)
                for slot in range(len(hand)):
                    if setting.kind[hand[slot]] == ONE_EYED:
                        ties += 1
                        if ties == 1 or below(stream, ties) == 0:
                            choice = play(slot, space)
    return choice


@kernel
def _catch_up(setting: Setting, table: Table, team: Int, states: States, values: Values) -> None:
    """Bring `states` and `values` up to date with the plays since the last call."""
    seen = int64(values[_SEEN])
    if table.plays - seen > RECENT:
        for track in range(setting.n_tracks):
            _value_track(setting, table, team, states, values, track)
    else:
        for number in range(seen, table.plays):
            space = table.play_space[number & (RECENT - 1)]
            for i in range(4):
                _value_track(setting, table, team, states, values, setting.tracks[space, i])
    values[_SEEN] = table.plays


@inlined_kernel
def _value_track(
    setting: Setting, table: Table, team: Int, states: States, values: Values, track: Int
) -> None:
    """Note the states of a track's lines and pass the differences in worth on to its spaces.

    Without a branch for each line, which would be a guess: a space gains what the lines that start
    at it and up to line_length - 1 spaces before it have gained.
    """
    state = _line_states(setting, table, team, track)
    before = states[track]
    if state == before:
        return
    states[track] = state
    for at in range(SIDE + 1 - setting.line_length):
        now, then = state & _BYTE, before & _BYTE
        values[_MORE + setting.line_length + at] = values[_WORTH + now] - values[_WORTH + then]
        state >>= _U8
        before >>= _U8
    gained = np.int32(0)
    for at in range(SIDE):
        gained += values[_MORE + setting.line_length + at] - values[_MORE + at]
        values[_VALUE + setting.track_space[track, at]] += gained


@inlined_kernel
def _line_states(setting: Setting, table: Table, team: Int, track: Int) -> np.uint64:
    """Return the states of a track's lines for a team, a byte each."""
    if setting.teams == 2:
        foe = table.count[1 - team, track]
    else:
        one = table.count[team + 1 if team < 2 else 0, track]
        other = table.count[team - 1 if team > 0 else 2, track]
        # The larger count of each line: no byte borrows from the next, as counts are below 128.
        larger = ((((one | _TOP_BITS) - other) & _TOP_BITS) >> _U7) * _BYTE
        foe = (one & larger) | (other & ~larger)
    return (setting.track_corner[track] << _U6) + (table.count[team, track] << _U3) + foe


@kernel
def _best_open(table: Table, values: Values) -> Int:
    """Return the largest value of an open space."""
    best = np.int32(-(1 << 30))
    for space in range(SPACES):
        if table.chip[space] == OPEN:
            best = max(best, values[_VALUE + space])
    return int64(best)


@kernel
def _most_to_take(setting: Setting, states: npt.NDArray[np.uint8]) -> Int:
    """Return a bound on what any chip is worth taking: few lines are near enough to matter.

    At most 4 * line_length lines run through a space; the bound gives it the best of all lines that
    the own team is not on. Without it every jack in hand would be held against every chip.
    """
    left = 4 * setting.line_length
    most = int64(0)
    for need in range(1, 4):
        foe = np.uint8(setting.line_length - need)
        lines = int64(0)
        for line in range(8 * MAX_TRACKS):
            lines += (states[line] == foe) | (states[line] == foe + np.uint8(_CORNER + 8))
        lines = min(left, lines)
        most += lines * GAIN[need]
        left -= lines
    return (most + left * GAIN[4]) // 2 - ONE_EYED_COST


@kernel
def _worth_to_take(
    setting: Setting, table: Table, team: Int, values: Values, space: Int, best: Int
) -> Int:
    """Return what taking the chip on `space` is worth, or less than `best` if it may not be.

    The chip is worth its lines to its owner's team; an own one, where it may be taken, is a loss.
    """
    jack = np.uint8(JS)
    if not is_target(setting, table, team, jack, space):
        return best - 1
    owner = int64(table.chip[space]) - 1
    total = int64(0)
    for i in range(4):
        states = _line_states(setting, table, owner, setting.tracks[space, i])
        one = setting.on_track[space, i]
        for _ in range(SIDE + 1 - setting.line_length):
            total += int64(one & _U1) * values[_ALONE + (states & _BYTE)]
            states >>= _U8
            one >>= _U8
    return (-total if owner == team else total) // 2 - ONE_EYED_COST
