"""All that a bot's file needs, in one import: `from simcore.kit import plays, worth`.

Everything works in compiled functions and in plain Python. What a bot is given and has to return
stands in simcore/strategy.py, what the records hold in simcore/setting.py and simcore/table.py.
"""

import numpy as np
import numpy.typing as npt

from simcore.board import SPACES
from simcore.cards import CARDS, CODES, ONE_EYED, PLAIN, TWO_EYED
from simcore.jit import Int, allocating_kernel, checked, inlined_kernel, int64, kernel
from simcore.moves import Hand
from simcore.moves import is_playable as _is_playable
from simcore.moves import is_target as _is_target
from simcore.rng import below, unit
from simcore.setting import Setting
from simcore.strategy import (
    KEEP,
    Memory,
    Own,
    Parameter,
    Params,
    exchange_first,
    forfeit_least,
    play,
)
from simcore.table import CORNER, OPEN, RECENT, Table, is_dead
from simcore.table import on_line as _on_line

__all__ = [
    "CARDS",
    "CODES",
    "CORNER",
    "KEEP",
    "ONE_EYED",
    "OPEN",
    "PLAIN",
    "RECENT",
    "SPACES",
    "TWO_EYED",
    "Hand",
    "Memory",
    "Own",
    "Parameter",
    "Params",
    "Setting",
    "Table",
    "below",
    "exchange_first",
    "forfeit_least",
    "is_dead",
    "is_playable",
    "is_target",
    "line_score",
    "on_line",
    "play",
    "plays",
    "slot_of",
    "space_of",
    "unit",
    "unseen",
    "worth",
]

is_playable = checked(_is_playable)
is_target = checked(_is_target)
on_line = checked(_on_line)

_U1, _U2, _U3, _U4, _U56 = (np.uint64(n) for n in (1, 2, 3, 4, 56))
_EACH, _SEVENS = np.uint64(0x1111111111111111), np.uint64(0x7777777777777777)
_ODD, _PAIRS = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333)
_NIBBLES, _BYTES = np.uint64(0x0F0F0F0F0F0F0F0F), np.uint64(0x0101010101010101)


@allocating_kernel
def plays(setting: Setting, table: Table, seat: Int, hand: Hand) -> npt.NDArray[np.int64]:
    """Return every legal play of a hand, by slot and then by space (rules 6)."""
    team = int64(setting.team[seat])
    room = 0
    for slot in range(len(hand)):
        room += 2 if setting.kind[hand[slot]] == PLAIN else SPACES
    found = np.empty(room + 1, np.int64)  # and one that is written to in vain
    n = 0
    for slot in range(len(hand)):
        card = hand[slot]
        if setting.kind[card] == PLAIN:
            if table.stock[team] > 0:
                for i in range(2):
                    space = setting.spaces_of[card, i]
                    found[n] = play(slot, space)
                    n += table.chip[space] == OPEN
        elif _is_playable(setting, table, team, card):
            for space in range(SPACES):
                # Without a branch, which would be a guess.
                chip = table.chip[space]
                if setting.kind[card] == ONE_EYED:
                    owned = (chip != OPEN) & (chip != CORNER)
                    others = (chip != team + 1) | (setting.removes_any != 0)
                    safe = (setting.sequences_protected != 0) & (table.scored[space] != 0)
                    legal = owned & others & (not safe)
                else:
                    legal = chip == OPEN
                found[n] = play(slot, space)
                n += legal
    return found[:n]


@kernel
def slot_of(move: Int) -> Int:
    """Return the hand slot of a play, int64."""
    return int64(move) >> 7


@kernel
def space_of(move: Int) -> Int:
    """Return the space of a play, int64."""
    return int64(move) & 127


@inlined_kernel
def line_score(setting: Setting, table: Table, team: Int, space: Int) -> Int:
    """Return what a chip on the space is worth to a team by the lines through it, int64.

    A line with a chip of another team counts nothing, any other 4 to the power of the team's chips
    on it, a free corner included and the space itself left out.
    """
    if space < 0 or space >= SPACES or team < 0 or team >= setting.teams:
        raise IndexError("line_score: no such team or space")
    foes, three = np.uint64(setting.teams) - _U1, setting.teams == 3
    mine = np.uint64(table.chip[space] == team + 1)
    # All lines through the space at once: a track has a byte for each, two tracks a nibble, and of
    # the digits of a nibble's number, two words share one.
    free = ones = twos = fours = np.uint64(0)
    for i in range(2):
        one, other = setting.tracks[space, i], setting.tracks[space, i + 2]
        on = setting.on_track[space, i] | (setting.on_track[space, i + 2] << _U4)
        own = table.count[team, one] + (table.count[team, other] << _U4)
        others = table.count[0, one] + table.count[1, one] - table.count[team, one]
        more = table.count[0, other] + table.count[1, other] - table.count[team, other]
        if three:
            others += table.count[2, one]
            more += table.count[2, other]
        others += more << _U4
        others -= (setting.track_corner[one] + (setting.track_corner[other] << _U4)) * foes
        bit = np.uint64(i)
        free |= (~((others + _SEVENS) >> _U3) & on) << bit
        own -= on * mine
        ones |= (own & _EACH) << bit
        twos |= ((own >> _U1) & _EACH) << bit
        fours |= ((own >> _U2) & _EACH) << bit
    return _powers(free & ~fours, ones, twos) + (_powers(free & fours, ones, twos) << 8)


@inlined_kernel
def _powers(lines: np.uint64, ones: np.uint64, twos: np.uint64) -> Int:
    """Return the sum over lines of 4 to the power of a number of two binary digits."""
    low, high = lines & ~twos, lines & twos
    few, many = _bits(low) + 3 * _bits(low & ones), _bits(high) + 3 * _bits(high & ones)
    return few + (many << 4)


@inlined_kernel
def _bits(word: np.uint64) -> Int:
    """Return how many bits of a word are set, int64; the compiler has one instruction for this."""
    word -= (word >> _U1) & _ODD
    word = (word & _PAIRS) + ((word >> _U2) & _PAIRS)
    word = (word + (word >> _U4)) & _NIBBLES
    return int64((word * _BYTES) >> _U56)


@inlined_kernel
def worth(setting: Setting, table: Table, seat: Int, move: Int) -> Int:
    """Return what a legal play is worth by lines, int64: `line_score` of the team it is about.

    That is the seat's own where a chip is placed, and the owner of one that is taken.
    """
    space = space_of(move)
    chip = int64(table.chip[space])
    team = int64(setting.team[seat]) if chip == OPEN else chip - 1
    return line_score(setting, table, team, space)


@kernel
def unseen(setting: Setting, table: Table, hand: Hand, card: Int) -> Int:
    """Return how many copies of a card are in the pile or in other hands, int64.

    That is exact: all others are in the own hand or face up, and a reshuffle takes up the latter.
    """
    if card < 0 or card >= CARDS:
        raise IndexError("unseen: no such card")
    left = int64(setting.copies[card]) - int64(table.discarded[card])
    for slot in range(len(hand)):
        left -= hand[slot] == card
    return left
