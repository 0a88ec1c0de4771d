"""What a chip is worth by the lines through its space: the idea that line bots share.

A line on which no opponent has a chip is worth `gain`, by the chips the own team still needs; one
on which the own team has none and an opponent has, `block`, by the chips that opponent still needs;
any other nothing. A free corner counts as everybody's chip. To take a chip is worth `take` of the
lines that its owner has for itself, by the chips they still need.

The values of all spaces are kept between turns: the memory holds the state of every line and the
sums by space, and only tracks through the spaces played since are looked at again.
"""

from dataclasses import dataclass, replace

import numpy as np

from simcore.board import SIDE, SPACES
from simcore.cards import ONE_EYED, TWO_EYED
from simcore.jit import Int, inlined_kernel, int64, kernel
from simcore.moves import Hand
from simcore.rng import below
from simcore.setting import MAX_LENGTH, MAX_TRACKS, Setting
from simcore.strategy import BARS, FIRST_BAR, Memory, Own, Params, lean_bot_function, play
from simcore.table import CORNER, OPEN, RECENT, Table

NEEDS = 6
"""Chips that a line can need at most."""


@dataclass(frozen=True)
class Weights:
    """What lines are worth, by chips still needed (1, 2, ... 5 or more), and what jacks cost.

    Tables behind `match_` hold instead once the own team (gain) or an opponent (block, take) needs
    but one more sequence. `corner` multiplies the gain of lines with a free corner; a space is
    worth `centre` more for each step towards the middle. A jack is played if its worth less its
    cost is the best there is. With `closing`, lines that share too much with a scored sequence of
    a team (rules 8.2) are no longer lines of that team.
    """

    gain: tuple[float, ...]
    block: tuple[float, ...]
    take: tuple[float, ...]
    match_gain: tuple[float, ...]
    match_block: tuple[float, ...]
    match_take: tuple[float, ...]
    two_eyed_cost: float
    one_eyed_cost: float
    corner: float = 1.0
    centre: float = 0.0
    closing: bool = False


_GAIN, _BLOCK, _TAKE = (1000, 64, 16, 4, 1), (400, 60, 8, 2, 1), (500, 32, 8, 2, 0.5)

YARDSTICK = Weights(_GAIN, _BLOCK, _TAKE, _GAIN, _BLOCK, _TAKE, 200, 150)
"""Those of `balanced` in the C program that this project is measured by."""

NOTHING = (0.0,) * 5

_UNIT = 16
"""Weights are kept in whole numbers of this part of one."""

# A line's state is 8 * own chips + chips of the strongest opponent, corners included, with a bit
# for a line with a free corner and one for chips of two opponents: a byte, so that the states of a
# track make one word. 7 chips mean that the line is closed for a team; 7 and 7 that it is dead.
_CORNER, _CROWDED, _STATES = 64, 128, 256
CLOSED = 7
_DEAD = 63

# A value is what a chip on the space is worth to the own team, and above bit 32 what it is worth
# to take a chip off it. Both are sums over lines, so one addition serves both.
TAKING = 32
_PLACING = (1 << TAKING) - 1

_STAGES = 4
"""Whether the own team stands at match point, and whether an opponent does."""

# The memory: the states of every track, as uint64, then as int64
_CLOSED = np.uint64(MAX_TRACKS)
"""what is closed of a track's lines, or-ed to their states;"""
VALUE = np.uint64(2 * MAX_TRACKS)
"""the value of every space, and of what is behind a short diagonal;"""
_MORE = VALUE + np.uint64(SPACES + 1)
"""what the lines of a track have gained, line_length places further on, zeros on both sides;"""
_SEEN = _MORE + np.uint64(SIDE + MAX_LENGTH)
"""the plays seen;"""
STAGE = _SEEN + np.uint64(1)
"""the stage as of these values;"""
_SCORED = _SEEN + np.uint64(2)
"""the sequences seen, of all teams;"""
_CLOSING = _SEEN + np.uint64(3)
TWO_EYED_COST = _SEEN + np.uint64(4)
ONE_EYED_COST = _SEEN + np.uint64(5)
_SCORED_BY = _SEEN + np.uint64(6)
"""the sequences seen, by team;"""
CHANGING = int(_SEEN) + 9
"""so far what changes in a game;"""
BASE = np.uint64(CHANGING)
"""what a space is worth without lines;"""
_SHUT = BASE + np.uint64(SPACES)
"""what is closed of a track's lines from the start;"""
_WORTH = _SHUT + np.uint64(MAX_TRACKS)
"""what a line in a state adds to the values of its spaces, by stage."""
LINE_WORDS = int(_WORTH) + _STAGES * _STATES

_NOTHING_YET = int64(-(1 << 40))
_U1, _U3, _U6, _U7, _U8, _BYTE = (np.uint64(n) for n in (1, 3, 6, 7, 8, 255))
_EACH, _TOP_BITS = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)
_LOW_BITS, _ALL_DEAD = np.uint64(0x7F7F7F7F7F7F7F7F), np.uint64(_DEAD) * _EACH
_SIDE = np.uint64(SIDE)


def restrained(weights: Weights, params: Params) -> Weights:
    """Return the weights of a bot that keeps to its bars: it wants nothing that it may not have."""
    bars = dict(zip((bar.name for bar in BARS), params[FIRST_BAR:], strict=True))
    if bars["no_corner_lines"]:
        weights = replace(weights, corner=0)
    if bars["no_blocking"]:
        weights = replace(weights, block=NOTHING, take=NOTHING)
        weights = replace(weights, match_block=NOTHING, match_take=NOTHING)
    return weights


def start_values(setting: Setting, weights: Weights, params: Params) -> Memory:
    """Return the memory of a line bot for an empty board; of `params` only the bars are read."""
    weights = restrained(weights, params)
    memory = np.zeros(LINE_WORDS, np.int64)
    worth = memory[_WORTH:].reshape(_STAGES, _STATES)
    for stage in range(_STAGES):
        _fill_worth(worth[stage], setting.line_length, weights, stage)
    words = memory.view(np.uint64)
    closed = words[_CLOSED : _CLOSED + np.uint64(MAX_TRACKS)]
    closed[:] = _ALL_DEAD
    alive = np.flatnonzero(setting.line_open[: setting.n_lines])
    bits = np.uint64(_DEAD) << setting.line_shift[alive].astype(np.uint64)
    np.bitwise_and.at(closed, setting.line_track[alive], ~bits)
    words[_SHUT:_WORTH] = closed
    corners = setting.track_corner * np.uint64(_CORNER + 9)
    words[:MAX_TRACKS] = corners | closed
    rows, columns = np.divmod(np.arange(SPACES), SIDE)
    steps = np.minimum(np.minimum(rows, SIDE - 1 - rows), np.minimum(columns, SIDE - 1 - columns))
    base = memory[BASE:_SHUT]
    base[:] = np.rint(weights.centre * _UNIT * steps)
    stage = stage_of(setting.sequences_to_win, 0, 0)
    memory[STAGE] = stage
    memory[VALUE : VALUE + SPACES] = base
    states = (_CORNER + 9) * setting.line_corners[alive].astype(np.int64)
    spaces = setting.line[alive, : setting.line_length]
    np.add.at(memory[VALUE : VALUE + SPACES], spaces, worth[stage, states][:, None])
    memory[_CLOSING] = weights.closing
    memory[TWO_EYED_COST] = round(weights.two_eyed_cost * _UNIT)
    memory[ONE_EYED_COST] = round(weights.one_eyed_cost * _UNIT)
    return memory


def _fill_worth(worth: Memory, length: int, weights: Weights, stage: int) -> None:
    """Write what a line in each state is worth at a stage."""
    own_match, foe_match = stage & 1, stage >> 1
    gain = by_needs(weights.match_gain if own_match else weights.gain)
    block = by_needs(weights.match_block if foe_match else weights.block)
    take = by_needs(weights.match_take if foe_match else weights.take)
    for corner in range(2):
        bits = corner * _CORNER
        factor = weights.corner if corner else 1.0
        for chips in range(corner, length):
            own_line, foe_line = chips * 8 + corner, corner * 8 + chips
            needs = length - chips
            if chips > corner:
                stop = round(block[needs])
                worth[bits + foe_line] = stop + (round(take[needs]) << TAKING)
                worth[bits + CLOSED * 8 + chips] = stop
                # Chips of two opponents: nobody's line, but the yardstick stops it all the same.
                if not weights.closing:
                    worth[bits + foe_line + _CROWDED] = stop
            worth[bits + own_line] = round(gain[needs] * factor)
            worth[bits + chips * 8 + CLOSED] = round(gain[needs] * factor)


def by_needs(table: tuple[float, ...]) -> list[float]:
    """Return a table in units by chips needed, 0 to 6."""
    return [0.0, *(weight * _UNIT for weight in table), table[-1] * _UNIT]


@kernel
def choose_by_lines(setting: Setting, table: Table, seat: Int, hand: Hand, own: Own) -> Int:
    """Return the best play by line values, one of the best drawn uniformly.

    Every copy of a card counts as a choice of its own. Modifies `own`.
    """
    team = int64(setting.team[seat])
    memory = own.memory
    catch_up(setting, table, team, memory)
    two_eyed, one_eyed = False, False
    best = _NOTHING_YET
    for slot in range(len(hand)):
        kind = setting.kind[hand[slot]]
        two_eyed |= kind == TWO_EYED
        one_eyed |= kind == ONE_EYED
        for i in range(2):
            best = max(best, _plain_worth(setting, table, memory, hand[slot], i))
    if table.stock[team] <= 0:
        two_eyed, best = False, _NOTHING_YET
    to_place = best_to_place(table, memory) if two_eyed else _NOTHING_YET
    to_take = best_to_take(setting, table, team, memory) if one_eyed else _NOTHING_YET
    place_worth = to_place - memory[TWO_EYED_COST]
    take_worth = to_take - memory[ONE_EYED_COST]
    best = max(best, max(place_worth, take_worth))
    ties, choice = int64(0), int64(0)
    if table.stock[team] > 0:
        for slot in range(len(hand)):
            for i in range(2):
                if _plain_worth(setting, table, memory, hand[slot], i) == best:
                    ties += 1
                    if ties == 1 or below(own.stream, ties) == 0:
                        choice = play(slot, int64(setting.spaces_of[hand[slot], i]))
    if two_eyed and place_worth == best:
        for slot in range(len(hand)):
            if setting.kind[hand[slot]] == TWO_EYED:
                for space in range(SPACES):
                    if placing(table, memory, space) == to_place:
                        ties += 1
                        if ties == 1 or below(own.stream, ties) == 0:
                            choice = play(slot, space)
    if one_eyed and take_worth == best:
        for space in range(SPACES):
            if taking(setting, table, team, memory, space) == to_take:
                for slot in range(len(hand)):
                    if setting.kind[hand[slot]] == ONE_EYED:
                        ties += 1
                        if ties == 1 or below(own.stream, ties) == 0:
                            choice = play(slot, space)
    return choice


@kernel
def stage_of(to_win: Int, own: Int, foe: Int) -> Int:
    """Return the stage when the own team and the best opponent have so many sequences."""
    return int64(own >= to_win - 1) + 2 * int64(foe >= to_win - 1)


@kernel
def catch_up(setting: Setting, table: Table, team: Int, memory: Memory) -> Int:
    """Bring the memory up to date with the plays since the last call.

    Returns the number of the first play whose tracks may have changed, -1 if any may have.
    """
    seen = memory[_SEEN]
    memory[_SEEN] = table.plays
    if table.sequences[0] + table.sequences[1] + table.sequences[2] != memory[_SCORED]:
        _note_sequences(setting, table, team, memory)
        return -1
    if table.plays - seen > RECENT:
        _value_all(setting, table, team, memory)
        return -1
    for number in range(seen, table.plays):
        space = table.play_space[number & (RECENT - 1)]
        for i in range(4):
            _value_track(setting, table, team, memory, setting.tracks[space, i])
    return seen


@kernel
def _value_all(setting: Setting, table: Table, team: Int, memory: Memory) -> None:
    for track in range(setting.n_tracks):
        _value_track(setting, table, team, memory, track)


@kernel
def value_afresh(setting: Setting, table: Table, team: Int, memory: Memory) -> None:
    """Make a memory that of a team at this table, whosesoever it was before."""
    for track in range(MAX_TRACKS):
        memory[_CLOSED + np.uint64(track)] = memory[_SHUT + np.uint64(track)]
    for other in range(setting.teams):
        memory[_SCORED_BY + np.uint64(other)] = 0
    memory[STAGE] = -1
    memory[_SEEN] = table.plays
    _note_sequences(setting, table, team, memory)


@kernel
def _note_sequences(setting: Setting, table: Table, team: Int, memory: Memory) -> None:
    """Close the lines that new sequences shut, and value all spaces anew at a new stage."""
    scored, foe = int64(0), int64(0)
    for other in range(setting.teams):
        scored += table.sequences[other]
        if other != team:
            foe = max(foe, table.sequences[other])
    memory[_SCORED] = scored
    if memory[_CLOSING]:
        for other in range(setting.teams):
            seen = _SCORED_BY + np.uint64(other)
            for number in range(memory[seen], table.sequences[other]):
                _close_lines(setting, table, memory, other == team, table.sequence[other, number])
            memory[seen] = table.sequences[other]
    stage = stage_of(setting.sequences_to_win, table.sequences[team], foe)
    if stage != memory[STAGE]:
        memory[STAGE] = stage
        for space in range(SPACES):
            memory[VALUE + np.uint64(space)] = memory[BASE + np.uint64(space)]
        for track in range(setting.n_tracks):
            memory.view(np.uint64)[track] = _ALL_DEAD
    _value_all(setting, table, team, memory)


@kernel
def _close_lines(setting: Setting, table: Table, memory: Memory, own: bool, scored: Int) -> None:
    """Close the lines that share too many spaces with a scored one (rules 8.2).

    To everybody, as the chips there stay, unless it is a corner alone that is shared.
    """
    words = memory.view(np.uint64)
    closed = np.uint64(CLOSED * 8 if own else CLOSED)
    for line in range(setting.n_lines):
        shared = int64(setting.overlap[line, scored])
        if shared > setting.shared_spaces:
            chips = shared > setting.line_corners[line] * setting.line_corners[scored]
            bits = np.uint64(_DEAD) if chips and setting.sequences_protected else closed
            word = _CLOSED + np.uint64(setting.line_track[line])
            words[word] |= bits << np.uint64(setting.line_shift[line])


@inlined_kernel
def _value_track(setting: Setting, table: Table, team: Int, memory: Memory, track: Int) -> None:
    """Note the states of a track's lines and pass the differences in worth on to its spaces.

    Without a branch for each line, which would be a guess: a space gains what the lines that start
    at it and up to line_length - 1 spaces before it have gained.
    """
    states = memory.view(np.uint64)
    state = _line_states(setting, table, team, memory, track)
    before = states[track]
    if state == before:
        return
    states[track] = state
    worth = _WORTH + np.uint64(memory[STAGE]) * np.uint64(_STATES)
    # Unsigned, since a signed index costs a test of its sign.
    length = np.uint64(setting.line_length)
    for at in range(_SIDE + _U1 - length):
        now, then = state & _BYTE, before & _BYTE
        memory[_MORE + length + at] = memory[worth + now] - memory[worth + then]
        state >>= _U8
        before >>= _U8
    gained = int64(0)
    for at in range(_SIDE):
        gained += memory[_MORE + length + at] - memory[_MORE + at]
        memory[VALUE + np.uint64(setting.track_space[track, at])] += gained


@inlined_kernel
def _line_states(
    setting: Setting, table: Table, team: Int, memory: Memory, track: Int
) -> np.uint64:
    """Return the states of a track's lines for a team, a byte each."""
    corner = setting.track_corner[track]
    own = table.count[team, track]
    if setting.teams == 2:
        foe = table.count[1 - team, track]
        crowded = np.uint64(0)
    else:
        one = table.count[team + 1 if team < 2 else 0, track]
        other = table.count[team - 1 if team > 0 else 2, track]
        # By byte, none of which borrows from the next, as counts are below 128.
        larger = ((((one | _TOP_BITS) - other) & _TOP_BITS) >> _U7) * _BYTE
        foe = (one & larger) | (other & ~larger)
        crowded = (one - corner + _LOW_BITS) & (other - corner + _LOW_BITS) & _TOP_BITS
    # Dead lines look alike, so that most chips of a crowded board change no state.
    dead = (own - corner + _LOW_BITS) & (foe - corner + _LOW_BITS) & _TOP_BITS
    state = (corner << _U6) | (own << _U3) | foe
    dead = (dead >> _U7) * _BYTE
    state = (state & ~dead) | (_ALL_DEAD & dead) | (crowded & ~dead)
    return state | memory.view(np.uint64)[_CLOSED + np.uint64(track)]


# Worths below are selected, not branched for: a wrong guess costs more than a look at a space.


@inlined_kernel
def _plain_worth(setting: Setting, table: Table, memory: Memory, card: Int, i: Int) -> Int:
    """Return the worth of a card on its first or second space; next to nothing if that can't be.

    It can't for a jack, whose spaces are given as a corner.
    """
    space = np.uint64(setting.spaces_of[card, i])
    return placing(table, memory, space)


@inlined_kernel
def placing(table: Table, memory: Memory, space: Int) -> Int:
    """Return the worth of a chip on a space; next to nothing if it is covered."""
    worth = memory[VALUE + np.uint64(space)] & _PLACING
    return worth + _NOTHING_YET * int64(table.chip[space] != OPEN)


@kernel
def best_to_place(table: Table, memory: Memory) -> Int:
    """Return the largest worth of a chip on an open space."""
    best = _NOTHING_YET
    for space in range(SPACES):
        best = max(best, placing(table, memory, space))
    return best


@kernel
def best_to_take(setting: Setting, table: Table, team: Int, memory: Memory) -> Int:
    """Return the largest worth of taking a chip."""
    best = _NOTHING_YET
    for space in range(SPACES):
        best = max(best, taking(setting, table, team, memory, space))
    return best


@inlined_kernel
def taking(setting: Setting, table: Table, team: Int, memory: Memory, space: Int) -> Int:
    """Return what it is worth to take the chip of a space; next to nothing if that is illegal.

    An own one, where it may be taken, is a loss of half of what it is worth.
    """
    value = memory[VALUE + np.uint64(space)]
    chip = int64(table.chip[space])
    own_worth = -((value & _PLACING) - memory[BASE + np.uint64(space)]) // 2
    worth = own_worth if chip == team + 1 else value >> TAKING
    legal = (chip != OPEN) & (chip != CORNER)
    legal &= (chip != team + 1) | (setting.removes_any != 0)
    legal &= (setting.sequences_protected == 0) | (table.scored[space] == 0)
    return worth if legal else _NOTHING_YET


@lean_bot_function
def choose(setting: Setting, table: Table, seat: int, hand: Hand, own: Own) -> int:
    """Make the best play by line values: the `choose` of every line bot."""
    return choose_by_lines(setting, table, seat, hand, own)
