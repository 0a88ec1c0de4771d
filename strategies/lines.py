"""What a chip is worth by the lines through its space: the idea that line bots share.

A line of `n` spaces on which no opponent has a chip is worth GAIN[chips it still needs]; one on
which the own team has none and an opponent has, BLOCK[chips that opponent still needs]; any other
nothing. A free corner counts as everybody's chip. The values of all spaces for the own team are
kept between turns: the memory holds the worth of every line and their sums by space, and only lines
through the spaces played since are looked at again. The tables are those of the C yardstick, by
chips needed instead of chips there, so that lines of 4 and 6 have values too.
"""

import numpy as np
import numpy.typing as npt

from simcore.board import SPACES
from simcore.cards import JS, ONE_EYED, PLAIN, TWO_EYED
from simcore.jit import Int, inlined_kernel, int64, kernel
from simcore.moves import Hand, is_target
from simcore.rng import Stream, below
from simcore.setting import MAX_LINES, Setting
from simcore.strategy import Memory, play
from simcore.table import CORNER, OPEN, RECENT, Table

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

# The memory, as int32. A line's state is 8 * own chips + chips of the strongest opponent, corners
# included, and 64 more for a line with a free corner.
_CORNER = 64
_LINE = SPACES
"""Behind the values of the spaces: the state of every line."""
_WORTH = _LINE + MAX_LINES
"""What a line in a state is worth."""
_SEEN = _WORTH + 2 * _CORNER
"""Plays seen."""
_WORDS = (_SEEN + 2) // 2
_NOTHING_YET = int64(-(1 << 30))


def start_values(setting: Setting, scope: Int) -> Memory:
    """Return the memory of a line bot for an empty board."""
    memory = np.zeros(_WORDS, np.int64)
    values = memory.view(np.int32)
    for corner in range(2):
        for own in range(corner, setting.line_length + 1):
            for foe in range(corner, setting.line_length + 1):
                at = _WORTH + corner * _CORNER + own * 8 + foe
                if foe == corner:
                    values[at] = GAIN[setting.line_length - own]
                elif own == corner and scope == ALL_LINES:
                    values[at] = BLOCK[setting.line_length - foe]
    for line in np.flatnonzero(setting.line_open[: setting.n_lines]):
        state = (_CORNER + 9) * int(setting.line_corners[line])
        values[_LINE + line] = state
        values[setting.line[line, : setting.line_length]] += values[_WORTH + state]
    return memory


@kernel
def choose_by_lines(
    setting: Setting, table: Table, seat: Int, hand: Hand, memory: Memory, stream: Stream
) -> Int:
    """Return the best play by line values, one of the best drawn uniformly.

    Every copy of a card counts as a choice of its own. Modifies memory and stream.
    """
    team = int64(setting.team[seat])
    values = memory.view(np.int32)
    _catch_up(setting, table, team, values)
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
                if table.chip[space] == OPEN and values[space] >= best:
                    if values[space] > best:
                        best, ties = int64(values[space]), int64(0)
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
                        if table.chip[space] == OPEN and values[space] - TWO_EYED_COST == top:
                            ties += 1
                            if ties == 1 or below(stream, ties) == 0:
                                choice = play(slot, space)
    if one_eyed and _most_to_take(setting, values) >= best:
        for space in range(SPACES):
            if table.chip[space] in (OPEN, CORNER):
                continue
            worth = _worth_to_take(setting, table, team, space, best)
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
def _catch_up(setting: Setting, table: Table, team: Int, values: Values) -> None:
    """Bring `values` up to date with the plays since the last call."""
    seen = int64(values[_SEEN])
    if table.plays - seen > RECENT:
        for line in range(setting.n_lines):
            if setting.line_open[line]:
                _value_line(setting, table, team, values, line)
    else:
        for number in range(seen, table.plays):
            space = table.play_space[number & (RECENT - 1)]
            for i in range(setting.n_through[space]):
                line = int64(setting.through[space, i])
                _value_line(setting, table, team, values, line)
    values[_SEEN] = table.plays


@inlined_kernel
def _value_line(setting: Setting, table: Table, team: Int, values: Values, line: Int) -> None:
    """Note a line's state and pass the difference in worth on to its spaces."""
    foe = int64(0)
    if setting.teams == 2:
        foe = int64(table.count[1 - team, line])
    else:
        for other in range(setting.teams):
            if other != team:
                foe = max(foe, int64(table.count[other, line]))
    corner = _CORNER * int64(setting.line_corners[line])
    state = corner + 8 * int64(table.count[team, line]) + foe
    more = values[_WORTH + state] - values[_WORTH + values[_LINE + line]]
    values[_LINE + line] = state
    if more != 0:
        for i in range(setting.line_length):
            values[setting.line[line, i]] += more


@kernel
def _best_open(table: Table, values: Values) -> Int:
    """Return the largest value of an open space."""
    best = np.int32(-(1 << 30))
    for space in range(SPACES):
        if table.chip[space] == OPEN:
            best = max(best, values[space])
    return int64(best)


@kernel
def _most_to_take(setting: Setting, values: Values) -> Int:
    """Return a bound on what any chip is worth taking: few lines are near enough to matter.

    At most 4 * line_length lines run through a space; the bound gives it the best of all lines that
    the own team is not on. Without it every jack in hand would be held against every chip.
    """
    left = 4 * setting.line_length
    most = int64(0)
    for need in range(1, 4):
        foe = np.int32(setting.line_length - need)
        lines = int64(0)
        for line in range(MAX_LINES):
            state = values[_LINE + line]
            lines += (state == foe) | (state == foe + np.int32(_CORNER + 8))
        lines = min(left, lines)
        most += lines * GAIN[need]
        left -= lines
    return (most + left * GAIN[4]) // 2 - ONE_EYED_COST


@kernel
def _worth_to_take(setting: Setting, table: Table, team: Int, space: Int, best: Int) -> Int:
    """Return what taking the chip on `space` is worth, or less than `best` if it may not be.

    The chip is worth its lines to its owner's team; an own one, where it may be taken, is a loss.
    """
    jack = np.uint8(JS)
    if not is_target(setting, table, team, jack, space):
        return best - 1
    owner = int64(table.chip[space]) - 1
    total = int64(0)
    for i in range(setting.n_through[space]):
        line = setting.through[space, i]
        if _alone(setting, table, owner, line):
            total += GAIN[setting.line_length - int64(table.count[owner, line])]
    return (-total if owner == team else total) // 2 - ONE_EYED_COST


@kernel
def _alone(setting: Setting, table: Table, team: Int, line: Int) -> bool:
    """Return whether no other team has a chip on the line."""
    for other in range(setting.teams):
        if other != team and table.count[other, line] != setting.line_corners[line]:
            return False
    return True
