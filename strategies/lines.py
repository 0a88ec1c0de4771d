"""What a chip is worth by the lines through its space: the idea that line bots share.

A line of `n` spaces on which no opponent has a chip is worth GAIN[chips it still needs]; one on
which the own team has none and an opponent has, BLOCK[chips that opponent still needs]; any other
nothing. A free corner counts as everybody's chip. A chip that a jack could take is worth GAIN of
the lines that its owner has for itself. The values of all spaces are kept between turns: the memory
holds the state of every line and the sums by space, and only lines through the spaces played since
are looked at again. The tables are those of the C yardstick, by chips needed instead of chips
there, so that lines of 4 and 6 have values too.
"""

import numpy as np

from simcore.board import SIDE, SPACES
from simcore.cards import ONE_EYED, PLAIN, TWO_EYED
from simcore.jit import Int, inlined_kernel, int64, kernel
from simcore.moves import Hand
from simcore.rng import below
from simcore.setting import MAX_LENGTH, MAX_TRACKS, Setting
from simcore.strategy import Memory, Own, play
from simcore.table import CORNER, OPEN, RECENT, Table, on_line

GAIN = np.array([0, 1000, 64, 16, 4, 1, 1])
"""By chips that the own team still needs."""
BLOCK = np.array([0, 400, 60, 8, 2, 1, 0])
"""By chips that the strongest opponent still needs."""
TWO_EYED_COST = 200
ONE_EYED_COST = 150
"""What a jack has to bring to be played; a one-eyed one after halving."""

OWN_LINES, ALL_LINES = int64(0), int64(1)
"""Whether lines of the opponents count."""

# A line's state is 8 * own chips + chips of the strongest opponent, corners included, with a bit
# for a line with a free corner and one for chips of two opponents: a byte, so that the states of a
# track make one word.
_CORNER, _CROWDED, _STATES = 64, 128, 256

# A value is what a chip on the space is worth to the own team, and above bit 32 what a chip there
# is worth to the opponent that has it. Both are sums over lines, so one addition serves both.
_TAKING = 32
_PLACING = (1 << _TAKING) - 1

# The memory: the states of every track, as uint64, then as int64
_VALUE = np.uint64(MAX_TRACKS)
"""the value of every space, and of what is behind a short diagonal;"""
_WORTH = np.uint64(MAX_TRACKS + SPACES + 1)
"""what a line in a state adds to the values of its spaces;"""
_MORE = _WORTH + np.uint64(_STATES)
"""what the lines of a track have gained, line_length places further on, zeros on both sides;"""
_SEEN = _MORE + np.uint64(SIDE + MAX_LENGTH)
"""the plays seen."""
_WORDS = int(_SEEN) + 1

_NOTHING_YET = int64(-(1 << 30))
_U1, _U3, _U6, _U7, _U8, _BYTE = (np.uint64(n) for n in (1, 3, 6, 7, 8, 255))
_EACH, _TOP_BITS = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)
_SIDE = np.uint64(SIDE)


def start_values(setting: Setting, scope: Int) -> Memory:
    """Return the memory of a line bot for an empty board."""
    memory = np.zeros(_WORDS, np.int64)
    length = setting.line_length
    worth = memory[_WORTH : _WORTH + _STATES]
    for corner in range(2):
        for own in range(corner, length + 1):
            for foe in range(corner, length + 1):
                state = corner * _CORNER + own * 8 + foe
                if foe == corner:
                    worth[state] = GAIN[length - own]
                elif own == corner:
                    block = BLOCK[length - foe] if scope == ALL_LINES else 0
                    worth[state] = block + (GAIN[length - foe] << _TAKING)
                    worth[state + _CROWDED] = block
    corners = setting.track_corner[: setting.n_tracks]
    memory.view(np.uint64)[: setting.n_tracks] = corners * np.uint64(_CORNER + 9)
    for line in np.flatnonzero(setting.line_open[: setting.n_lines]):
        state = (_CORNER + 9) * int(setting.line_corners[line])
        memory[_VALUE + setting.line[line, :length]] += worth[state]
    return memory


@kernel
def choose_by_lines(setting: Setting, table: Table, seat: Int, hand: Hand, own: Own) -> Int:
    """Return the best play by line values, one of the best drawn uniformly.

    Every copy of a card counts as a choice of its own. Modifies `own`.
    """
    team = int64(setting.team[seat])
    memory = own.memory
    _catch_up(setting, table, team, memory)
    values = memory[MAX_TRACKS : MAX_TRACKS + SPACES]
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
                value = values[space] & _PLACING
                if table.chip[space] == OPEN and value >= best:
                    if value > best:
                        best, ties = value, int64(0)
                    ties += 1
                    if ties == 1 or below(own.stream, ties) == 0:
                        choice = play(slot, int64(space))
    if two_eyed and table.stock[team] > 0:
        top = _best_to_place(table, values)
        if top >= best:
            if top > best:
                best, ties = top, int64(0)
            for slot in range(len(hand)):
                if setting.kind[hand[slot]] == TWO_EYED:
                    for space in range(SPACES):
                        if table.chip[space] == OPEN and _placing(values, space) == top:
                            ties += 1
                            if ties == 1 or below(own.stream, ties) == 0:
                                choice = play(slot, space)
    if one_eyed:
        top = _best_to_take(setting, table, team, values, best)
        if top >= best:
            if top > best:
                best, ties = top, int64(0)
            for space in range(SPACES):
                if _taking(setting, table, team, values, space, top) == top:
                    for slot in range(len(hand)):
                        if setting.kind[hand[slot]] == ONE_EYED:
                            ties += 1
                            if ties == 1 or below(own.stream, ties) == 0:
                                choice = play(slot, space)
    return choice


@kernel
def _catch_up(setting: Setting, table: Table, team: Int, memory: Memory) -> None:
    """Bring the memory up to date with the plays since the last call."""
    seen = memory[_SEEN]
    if table.plays - seen > RECENT:
        for track in range(setting.n_tracks):
            _value_track(setting, table, team, memory, track)
    else:
        for number in range(seen, table.plays):
            space = table.play_space[number & (RECENT - 1)]
            for i in range(4):
                _value_track(setting, table, team, memory, setting.tracks[space, i])
    memory[_SEEN] = table.plays


@inlined_kernel
def _value_track(setting: Setting, table: Table, team: Int, memory: Memory, track: Int) -> None:
    """Note the states of a track's lines and pass the differences in worth on to its spaces.

    Without a branch for each line, which would be a guess: a space gains what the lines that start
    at it and up to line_length - 1 spaces before it have gained.
    """
    states = memory.view(np.uint64)
    state = _line_states(setting, table, team, track)
    before = states[track]
    if state == before:
        return
    states[track] = state
    # Unsigned, since a signed index costs a test of its sign.
    length = np.uint64(setting.line_length)
    for at in range(_SIDE + _U1 - length):
        now, then = state & _BYTE, before & _BYTE
        memory[_MORE + length + at] = memory[_WORTH + now] - memory[_WORTH + then]
        state >>= _U8
        before >>= _U8
    gained = int64(0)
    for at in range(_SIDE):
        gained += memory[_MORE + length + at] - memory[_MORE + at]
        memory[_VALUE + np.uint64(setting.track_space[track, at])] += gained


@inlined_kernel
def _line_states(setting: Setting, table: Table, team: Int, track: Int) -> np.uint64:
    """Return the states of a track's lines for a team, a byte each."""
    corner = setting.track_corner[track]
    states = (corner << _U6) + (table.count[team, track] << _U3)
    if setting.teams == 2:
        return states + table.count[1 - team, track]
    one = table.count[team + 1 if team < 2 else 0, track]
    other = table.count[team - 1 if team > 0 else 2, track]
    # By byte, none of which borrows from the next, as counts are below 128.
    larger = ((((one | _TOP_BITS) - other) & _TOP_BITS) >> _U7) * _BYTE
    foe = (one & larger) | (other & ~larger)
    crowded = ((one | _TOP_BITS) - corner - _EACH) & ((other | _TOP_BITS) - corner - _EACH)
    return states + foe + (crowded & _TOP_BITS)


@inlined_kernel
def _placing(values: Memory, space: Int) -> Int:
    """Return what a two-eyed jack is worth on an open space."""
    return (values[space] & _PLACING) - TWO_EYED_COST


@kernel
def _best_to_place(table: Table, values: Memory) -> Int:
    """Return the largest worth of a two-eyed jack."""
    best = _NOTHING_YET
    for space in range(SPACES):
        if table.chip[space] == OPEN:
            best = max(best, _placing(values, space))
    return best


@kernel
def _best_to_take(setting: Setting, table: Table, team: Int, values: Memory, best: Int) -> Int:
    """Return the largest worth of a one-eyed jack, or less than `best`."""
    top = best - 1
    for space in range(SPACES):
        top = max(top, _taking(setting, table, team, values, space, top))
    return top


@inlined_kernel
def _taking(
    setting: Setting, table: Table, team: Int, values: Memory, space: Int, least: Int
) -> Int:
    """Return what a one-eyed jack is worth on a space, or less than `least` if that or illegal.

    A chip is worth its lines to its owner's team; an own one, where it may be taken, is a loss.
    """
    owner = int64(table.chip[space]) - 1
    worth = (values[space] >> _TAKING) // 2 - ONE_EYED_COST
    if owner == team:
        worth = _NOTHING_YET
        if setting.removes_any and least <= -ONE_EYED_COST:
            worth = -_own_worth(setting, table, team, space) // 2 - ONE_EYED_COST
    if owner < 0 or owner == CORNER - 1 or (setting.sequences_protected and table.scored[space]):
        worth = _NOTHING_YET
    return worth


@kernel
def _own_worth(setting: Setting, table: Table, team: Int, space: Int) -> Int:
    """Return what the team's chip on a space is worth to itself."""
    total = int64(0)
    for i in range(setting.n_through[space]):
        line = setting.through[space, i]
        alone = True
        for other in range(setting.teams):
            if other != team and on_line(setting, table, other, line) != setting.line_corners[line]:
                alone = False
        if alone:
            total += GAIN[setting.line_length - on_line(setting, table, team, line)]
    return total
