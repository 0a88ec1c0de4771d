"""The moves that are worth a closer look: the best by line values or by what the hand can fill."""

from typing import Any

import numpy as np

from simcore.board import SPACES
from simcore.cards import ONE_EYED, PLAIN, TWO_EYED
from simcore.jit import Int, inlined_kernel, int64, kernel, record_dtype
from simcore.moves import Hand, is_target
from simcore.setting import Setting
from simcore.strategy import Memory, play
from simcore.table import Table
from strategies.hands import move_worth
from strategies.lines import ONE_EYED_COST, TWO_EYED_COST, placing, taking

MAX_MOVES = 32

LISTING = record_dtype(
    [
        ("size", np.int64),
        ("move", np.int64, MAX_MOVES + 1),
        ("worth", np.int64, MAX_MOVES + 1),
        ("key", np.int64, MAX_MOVES + 1),
    ]
)
Listing = Any
"""A record of LISTING, the best moves first."""


@inlined_kernel
def key_of(setting: Setting, hand: Hand, move: Int) -> Int:
    """Return what tells a move apart, whatever its slot: the kind of its card, and the space."""
    return int64(setting.kind[hand[move >> 7]]) << 7 | (move & 127)


@kernel
def list_moves(
    setting: Setting,
    table: Table,
    seat: Int,
    hand: Hand,
    memory: Memory,
    by_hand: bool,
    wanted: Int,
    listing: Listing,
) -> None:
    """List the best moves by what they are worth, by hand values or else by line values."""
    team = int64(setting.team[seat])
    listing.size = 0
    for slot in range(len(hand)):
        card = hand[slot]
        kind = setting.kind[card]
        if _held_before(setting, hand, slot):
            continue
        for i in range(2 if kind == PLAIN else SPACES):
            space = int64(setting.spaces_of[card, i]) if kind == PLAIN else int64(i)
            if is_target(setting, table, team, card, space):
                if by_hand:
                    value = move_worth(setting, table, team, memory, card, space)
                elif kind == ONE_EYED:
                    value = taking(setting, table, team, memory, space) - memory[ONE_EYED_COST]
                else:
                    cost = memory[TWO_EYED_COST] if kind == TWO_EYED else int64(0)
                    value = placing(table, memory, space) - cost
                _insert(listing, wanted, play(slot, space), value)
    for i in range(listing.size):
        listing.key[i] = key_of(setting, hand, listing.move[i])


@inlined_kernel
def _held_before(setting: Setting, hand: Hand, slot: Int) -> bool:
    """Return whether an earlier slot holds a card that can do the same."""
    kind = setting.kind[hand[slot]]
    for before in range(slot):
        if hand[before] == hand[slot] or (kind != PLAIN and setting.kind[hand[before]] == kind):
            return True
    return False


@inlined_kernel
def _insert(listing: Listing, wanted: Int, move: Int, value: Int) -> None:
    at = listing.size
    while at > 0 and listing.worth[at - 1] < value:
        at -= 1
    if at < wanted:
        listing.size = min(listing.size + 1, wanted)
        for k in range(listing.size - 1, at, -1):
            listing.move[k], listing.worth[k] = listing.move[k - 1], listing.worth[k - 1]
        listing.move[at], listing.worth[at] = move, value


@kernel
def put_first(setting: Setting, hand: Hand, listing: Listing, first: Int) -> None:
    """Bring a move to the front of a listing, in place of the last if it is not listed."""
    key = key_of(setting, hand, first)
    at = int64(0)
    while at < listing.size - 1 and listing.key[at] != key:
        at += 1
    worth = listing.worth[0]
    for k in range(at, 0, -1):
        listing.move[k], listing.worth[k] = listing.move[k - 1], listing.worth[k - 1]
        listing.key[k] = listing.key[k - 1]
    listing.move[0], listing.worth[0], listing.key[0] = first, worth, key
