"""What a line is worth to one who knows the own hand, and counts cards: the idea behind `planner`.

Line values as in lines.py, of which a part is kept by whether the cards to fill the line can be
had. Of an own line that needs n chips, m of which no card in hand could place once this one is
placed, the part `keep[n][m]` of its gain is left. Who counts cards also knows how many copies of a
card are unseen, in the pile or in other hands: a space with one copy left counts as `one_left`
missing ones and a space with none as `none_left`; and of an opponents' line the parts `foe_one` and
`foe_none` are left for each such space on it.

Line values are upper bounds of these, so a play is looked at closely only where its bound beats the
best play found.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from simcore.board import SIDE, SPACES
from simcore.cards import CARDS, ONE_EYED, PLAIN, TWO_EYED
from simcore.jit import Int, inlined_kernel, int64, kernel
from simcore.moves import Hand, is_target
from simcore.rng import below
from simcore.setting import MAX_TRACKS, Setting
from simcore.strategy import Memory, Own, Params, play
from simcore.table import OPEN, RECENT, Table
from strategies.lines import (
    BASE,
    CLOSED,
    LINE_WORDS,
    NEEDS,
    ONE_EYED_COST,
    STAGE,
    TWO_EYED_COST,
    Weights,
    best_to_place,
    best_to_take,
    by_needs,
    catch_up,
    placing,
    restrained,
    start_values,
    taking,
)

Words = npt.NDArray[np.uint64]


@dataclass(frozen=True)
class Chances:
    """What part of a line's worth is kept; the module says how.

    `keep[n - 2][m - 1]` for n of 2 to 5 and m of 1 to n - 1.
    """

    keep: tuple[tuple[float, ...], ...]
    one_left: float = 1.0
    none_left: float = 1.0
    foe_one: float = 1.0
    foe_none: float = 1.0
    counting: bool = False


# A line's class: dead, own by chips needed, own with a corner, an opponents'. Its level is how hard
# it is to fill: _MIDDLE when nothing is known of its spaces, _HELD lower for each in hand.
_OWN, _OWN_CORNER, _FOE = 0, NEEDS, 2 * NEEDS
_CLASSES = 3 * NEEDS + 1
_HELD = 2
_ONE_HELD = np.uint64(2**64 - _HELD)
_MIDDLE = _HELD * NEEDS
MOST_LINES = SIDE - 3
"""Lines of a track at most, those of four spaces."""
_PLAIN_LEVELS = np.uint64(_MIDDLE + 1)
_MOST = 5
"""Levels that one space can add at most."""
_FOE_UNIT = 4.0
"""Levels in which an opponents' line loses the factor e."""

# The memory behind that of lines.py:
_OWN_LEVEL = np.uint64(LINE_WORDS)
"""the levels of a track's lines, for the own team, as uint64;"""
_FOE_LEVEL = _OWN_LEVEL + np.uint64(MAX_TRACKS)
"""for the opponents;"""
_SEEN_STATES = _FOE_LEVEL + np.uint64(MAX_TRACKS)
"""the states of a track's lines that their classes are of;"""
_CLASSES_OF = _SEEN_STATES + np.uint64(MAX_TRACKS)
"""the classes;"""
_OWN_LINES = _CLASSES_OF + np.uint64(MAX_TRACKS)
"""255 for an own line;"""
_OWN_UNITS = _OWN_LINES + np.uint64(MAX_TRACKS)
"""what a card's open spaces add to levels: for the own team, by copies unseen and in hand;"""
_FOE_UNITS = _OWN_UNITS + np.uint64(3)
"""for the opponents, by copies unseen;"""
_COUNTING = _FOE_UNITS + np.uint64(3)
_LEVELS = _COUNTING + np.uint64(1)
_TABLE = _COUNTING + np.uint64(2)
"""where the table stands;"""
_HELD_CARDS = _COUNTING + np.uint64(3)
"""copies of a card in hand;"""
_CLASS = _HELD_CARDS + np.uint64(CARDS)
"""the class of a line by its state;"""
_TABLE_STAGE = _CLASS + np.uint64(256)
"""the stage that the table is of;"""
_WORTH_BY_CLASS = _TABLE_STAGE + np.uint64(1)
"""by stage and class, with everything at hand;"""
_KEPT = _WORTH_BY_CLASS + np.uint64(4 * _CLASSES)
"""the part kept by chips needed (0 for an opponents' line) and level, float64;"""
# and behind that, as long as there are levels, the product of the two at the stage.
HAND_WORDS = int(_KEPT) + (NEEDS + 1 + _CLASSES) * (_MIDDLE + 1)
"""Words of memory of one who does not count."""

_NOTHING_YET = int64(-(1 << 40))
_U7, _U8, _BYTE = (np.uint64(n) for n in (7, 8, 255))
_EACH, _TOP_BITS = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)


def start_hand_values(
    setting: Setting, weights: Weights, chances: Chances, params: Params
) -> Memory:
    """Return the memory of a bot that knows its hand, for an empty board."""
    levels = _MIDDLE + 1 + (_MOST * NEEDS if chances.counting else 0)
    memory = np.zeros(int(_KEPT) + (NEEDS + 1 + _CLASSES) * levels, np.int64)
    weights = restrained(weights, params)
    memory[:LINE_WORDS] = start_values(setting, weights, params)
    classes = memory[_CLASS : _CLASS + np.uint64(256)]
    length = int(setting.line_length)
    for corner in range(2):
        for chips in range(corner, length):
            needs = length - chips
            if chips > corner:
                for own in (corner, CLOSED):
                    classes[corner * 64 + own * 8 + chips] = _FOE + needs
            for foe in (corner, CLOSED):
                classes[corner * 64 + chips * 8 + foe] = (corner * _OWN_CORNER) + needs
    words = memory.view(np.uint64)
    for track in range(MAX_TRACKS):
        states = words[track : track + 1].view(np.uint8)[:MOST_LINES]
        words[_CLASSES_OF + np.uint64(track) : _CLASSES_OF + np.uint64(track + 1)].view(np.uint8)[
            :MOST_LINES
        ] = classes[states]
        words[_SEEN_STATES + np.uint64(track)] = words[track]
    starting = words[_CLASSES_OF:_OWN_LINES].view(np.uint8)
    own_lines = np.where(starting <= _FOE, 255, 0).astype(np.uint8)
    words[_OWN_LINES:_OWN_UNITS] = own_lines.view(np.uint64)
    worth = memory[_WORTH_BY_CLASS:_KEPT].reshape(4, _CLASSES)
    for stage in range(4):
        gain = np.array(by_needs(weights.match_gain if stage & 1 else weights.gain))
        block = np.array(by_needs(weights.match_block if stage & 2 else weights.block))
        worth[stage, 1 : NEEDS + 1] = np.rint(gain[1:])
        worth[stage, NEEDS + 1 : 2 * NEEDS + 1] = np.rint(gain[1:] * weights.corner)
        worth[stage, 2 * NEEDS + 1 :] = np.rint(block[1:])
    kept = memory.view(np.float64)[_KEPT : int(_KEPT) + (NEEDS + 1) * levels]
    kept = kept.reshape(NEEDS + 1, levels)
    kept[0] = np.exp(-np.arange(levels) / _FOE_UNIT) if chances.counting else 1.0
    for needs in range(1, NEEDS + 1):
        kept[needs] = [_kept(chances, needs, level) for level in range(levels)]
    memory[_OWN_UNITS : _OWN_UNITS + np.uint64(3)] = [
        _units(_HELD * (chances.none_left - 1)),
        _units(_HELD * (chances.one_left - 1)),
        0,
    ]
    memory[_FOE_UNITS : _FOE_UNITS + np.uint64(3)] = [
        _units(-_FOE_UNIT * np.log(chances.foe_none)),
        _units(-_FOE_UNIT * np.log(chances.foe_one)),
        0,
    ]
    memory[_COUNTING] = chances.counting
    memory[_LEVELS] = levels
    memory[_TABLE] = int(_KEPT) + (NEEDS + 1) * levels
    make_table(memory)
    return memory


def _units(levels: float) -> int:
    return min(max(round(levels), 0), _MOST)


def _kept(chances: Chances, needs: int, level: int) -> float:
    """Return the part of an own line that is kept at a level, between those of the table."""
    # The space itself is in hand: one of `needs` that is not missing.
    missing = (level - _MIDDLE) / _HELD + needs
    table = (1.0, *chances.keep[min(needs, 5) - 2]) if needs > 1 else (1.0,)
    if missing <= len(table) - 1:
        return float(np.interp(missing, range(len(table)), table))
    last = table[-1] / table[-2] if len(table) > 1 else 1.0
    return float(table[-1] * min(last, 1.0) ** (missing - len(table) + 1))


@kernel
def choose_by_hand(setting: Setting, table: Table, seat: Int, hand: Hand, own: Own) -> Int:
    """Return the best play, one of the best drawn uniformly. Modifies `own`."""
    team = int64(setting.team[seat])
    memory = own.memory
    seen = catch_up(setting, table, team, memory)
    if memory[_TABLE_STAGE] != memory[STAGE]:
        make_table(memory)
    for card in range(CARDS):
        memory[_HELD_CARDS + np.uint64(card)] = 0
    _note_levels(setting, table, hand, memory)
    _note_classes(setting, table, memory, seen)
    best, ties, choice = _NOTHING_YET, int64(0), int64(0)
    two_eyed, one_eyed = int64(-1), int64(-1)
    bound: Int = _NOTHING_YET
    likely: Int = np.uint64(0)
    for slot in range(len(hand)):
        card = hand[slot]
        kind = setting.kind[card]
        if kind == TWO_EYED:
            two_eyed = slot
        if kind == ONE_EYED:
            one_eyed = slot
        for i in range(2):
            space: Int = np.uint64(setting.spaces_of[card, i])
            if placing(table, memory, space) > bound:
                bound, likely = placing(table, memory, space), space
    if bound > _NOTHING_YET // 2 and table.stock[team] > 0:
        # The likeliest first, so that few others have to be looked at closely.
        first = best = _worth(setting, memory, likely, int64(0))
        for slot in range(len(hand)):
            for i in range(2):
                space = np.uint64(setting.spaces_of[hand[slot], i])
                if placing(table, memory, space) >= best:
                    value = first
                    if space != likely:
                        value = _worth(setting, memory, space, int64(0))
                    if value > best or (value == best and ties == 0):
                        best, ties, choice = value, int64(1), play(slot, space)
                    elif value == best:
                        ties += 1
                        if below(own.stream, ties) == 0:
                            choice = play(slot, space)
    if two_eyed >= 0 and table.stock[team] > 0:
        cost = memory[TWO_EYED_COST]
        if best_to_place(table, memory) - cost > best:
            for space in range(SPACES):
                if table.chip[space] == OPEN and placing(table, memory, space) - cost > best:
                    units = _units_at(setting, table, memory, space)
                    value = _worth(setting, memory, space, units) - cost
                    if value > best:
                        best, choice = value, play(two_eyed, space)
    if one_eyed >= 0:
        cost = memory[ONE_EYED_COST]
        top = best_to_take(setting, table, team, memory)
        if top - cost > best:
            for space in range(SPACES):
                if taking(setting, table, team, memory, space) == top:
                    best, choice = top - cost, play(one_eyed, space)
    if best == _NOTHING_YET:
        return _any_play(setting, table, team, hand)
    return choice


@kernel
def _any_play(setting: Setting, table: Table, team: Int, hand: Hand) -> Int:
    for slot in range(len(hand)):
        for space in range(SPACES):
            if is_target(setting, table, team, hand[slot], space):
                return play(slot, space)
    return 0


@kernel
def make_table(memory: Memory) -> None:
    """Fill in what lines are worth by class and level at the present stage."""
    stage = np.uint64(memory[STAGE])
    memory[_TABLE_STAGE] = memory[STAGE]
    kept = memory.view(np.float64)
    levels = memory[_LEVELS]
    for group in range(_CLASSES):
        worth = memory[_WORTH_BY_CLASS + stage * np.uint64(_CLASSES) + np.uint64(group)]
        needs = 0 if group > _FOE else (group if group <= NEEDS else group - NEEDS)
        for level in range(levels):
            part = kept[_KEPT + np.uint64(needs * levels + level)]
            memory[np.uint64(memory[_TABLE] + group * levels + level)] = int64(worth * part)


@kernel
def _note_levels(setting: Setting, table: Table, hand: Hand, memory: Memory) -> None:
    """Note how hard every line is to fill, as the hand and the counted cards have it.

    Anew each turn: by differences from the last turn `counter` is a fifth faster, but `planner` a
    twentieth slower.
    """
    words = memory.view(np.uint64)
    for track in range(setting.n_tracks):
        words[_OWN_LEVEL + np.uint64(track)] = np.uint64(_MIDDLE) * _EACH
    for slot in range(len(hand)):
        card = hand[slot]
        if memory[_HELD_CARDS + np.uint64(card)] == 0 and setting.kind[card] == PLAIN:
            _add_level(setting, table, words, _OWN_LEVEL, card, _ONE_HELD)
        memory[_HELD_CARDS + np.uint64(card)] += 1
    if memory[_COUNTING]:
        for track in range(setting.n_tracks):
            words[_FOE_LEVEL + np.uint64(track)] = np.uint64(0)
        for card in range(CARDS):
            held = memory[_HELD_CARDS + np.uint64(card)]
            unseen = 2 - int64(table.discarded[card]) - held
            if setting.kind[card] == PLAIN and unseen < 2:
                foe = np.uint64(memory[_FOE_UNITS + np.uint64(max(unseen, int64(0)))])
                mine = np.uint64(memory[_OWN_UNITS + np.uint64(max(unseen, int64(0)))])
                _add_level(setting, table, words, _FOE_LEVEL, card, foe)
                if held == 0:
                    _add_level(setting, table, words, _OWN_LEVEL, card, mine)


@inlined_kernel
def _add_level(
    setting: Setting, table: Table, words: Words, first: Int, card: Int, units: np.uint64
) -> None:
    """Add units to the levels of all lines through the open spaces of a plain card."""
    for i in range(2):
        space = setting.spaces_of[card, i]
        if table.chip[space] == OPEN:
            for k in range(4):
                word = first + np.uint64(setting.tracks[space, k])
                words[word] += units * setting.on_track[space, k]


@kernel
def _units_at(setting: Setting, table: Table, memory: Memory, space: Int) -> Int:
    """Return by how much less the own lines through a space are hard if it needs no card."""
    card = np.uint64(setting.card_of[space])
    if memory[_HELD_CARDS + card] > 0:
        return int64(0)
    unseen = int64(2)
    if memory[_COUNTING]:
        unseen = max(2 - int64(table.discarded[card]), int64(0))
    return _HELD + memory[_OWN_UNITS + np.uint64(unseen)]


@kernel
def move_worth(
    setting: Setting, table: Table, team: Int, memory: Memory, card: Int, space: Int
) -> Int:
    """Return what a legal play is worth, as of the last `choose_by_hand` with this memory."""
    kind = setting.kind[card]
    if kind == ONE_EYED:
        return taking(setting, table, team, memory, space) - memory[ONE_EYED_COST]
    units = _units_at(setting, table, memory, space)
    return _worth(setting, memory, space, units) - (
        memory[TWO_EYED_COST] if kind == TWO_EYED else int64(0)
    )


@kernel
def _note_classes(setting: Setting, table: Table, memory: Memory, seen: Int) -> None:
    """Bring the classes of lines up to date."""
    words = memory.view(np.uint64)
    if seen < 0:
        for track in range(setting.n_tracks):
            _classify(memory, words, np.uint64(track))
    else:
        for number in range(seen, table.plays):
            space = table.play_space[number & (RECENT - 1)]
            for i in range(4):
                _classify(memory, words, np.uint64(setting.tracks[space, i]))


@inlined_kernel
def _classify(memory: Memory, words: Words, track: np.uint64) -> None:
    """Note the classes of a track's lines."""
    state = words[track]
    if state != words[_SEEN_STATES + track]:
        words[_SEEN_STATES + track] = state
        classes = np.uint64(0)
        for at in range(MOST_LINES):
            classes |= words[_CLASS + (state & _BYTE)] << np.uint64(8 * at)
            state >>= _U8
        words[_CLASSES_OF + track] = classes
        # Classes stay below 128, so no byte borrows from the next.
        other = ((classes | _TOP_BITS) - np.uint64(_FOE + 1) * _EACH) & _TOP_BITS
        words[_OWN_LINES + track] = ~((other >> _U7) * _BYTE)


@kernel
def _worth(setting: Setting, memory: Memory, space: Int, units: Int) -> Int:
    """Return what a chip on the space is worth; `units` is what the own lines are less hard.

    Called, not inlined: three copies of it made the bot too long for the nearest cache, and its
    games a fifth slower.
    """
    words = memory.view(np.uint64)
    space = np.uint64(space)
    total = memory[BASE + space]
    levels, table_at = np.uint64(memory[_LEVELS]), np.uint64(memory[_TABLE])
    for i in range(4):
        one = setting.on_track[space, i]
        track = np.uint64(setting.tracks[space, i])
        mine = words[_OWN_LINES + track]
        level = words[_OWN_LEVEL + track] - np.uint64(units) * (one & mine)
        classes = words[_CLASSES_OF + track]
        if memory[_COUNTING]:
            level = (level & mine) | (words[_FOE_LEVEL + track] & ~mine)
            classes &= one * _BYTE
            for _ in range(MOST_LINES):
                total += memory[table_at + (classes & _BYTE) * levels + (level & _BYTE)]
                classes >>= _U8
                level >>= _U8
        else:
            index = (classes * _PLAIN_LEVELS + level) & (one * _BYTE)
            for _ in range(MOST_LINES):
                total += memory[table_at + (index & _BYTE)]
                index >>= _U8
    return total
