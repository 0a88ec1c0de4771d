"""What a seat may do: playable cards, legal targets, dead cards.

All checks are O(1) per card, since the table counts open spaces and removable chips. The kernels
are unchecked and change nothing. `hand` is uint8[n], card codes by hand slot.
"""

import numpy as np
import numpy.typing as npt

from simcore.board import SPACES
from simcore.cards import ONE_EYED, PLAIN
from simcore.jit import Int, inlined_kernel, kernel
from simcore.setting import Setting
from simcore.table import CORNER, OPEN, Table, is_dead

Hand = npt.NDArray[np.uint8]


@kernel
def can_remove(setting: Setting, table: Table, team: Int) -> bool:
    """Return whether a one-eyed jack of the team has a target (rules 6.3)."""
    chips = 0
    for other in range(setting.teams):
        if other != team or setting.removes_any:
            chips += table.removable[other]
    return chips > 0


@inlined_kernel
def is_playable(setting: Setting, table: Table, team: Int, card: Int) -> bool:
    """Return whether the card has a legal target (rules 6.1 to 6.5)."""
    kind = setting.kind[card]
    if kind == ONE_EYED:
        return can_remove(setting, table, team)
    if table.stock[team] <= 0:
        return False
    if kind == PLAIN:
        return not is_dead(table, card)
    return table.open_spaces > 0


@inlined_kernel
def any_playable(setting: Setting, table: Table, team: Int, hand: Hand) -> bool:
    """Return whether the hand holds a playable card (rules 5.2, 5.3)."""
    for slot in range(len(hand)):
        if is_playable(setting, table, team, hand[slot]):
            return True
    return False


@inlined_kernel
def is_target(setting: Setting, table: Table, team: Int, card: Int, space: Int) -> bool:
    """Return whether the team may play the card on the space, 0 to 99 (rules 6)."""
    kind = setting.kind[card]
    chip = table.chip[space]
    if kind == ONE_EYED:
        if chip == OPEN or chip == CORNER or (chip == team + 1 and not setting.removes_any):
            return False
        return not (setting.sequences_protected and table.scored[space])
    if chip != OPEN or table.stock[team] <= 0:
        return False
    return kind != PLAIN or setting.card_of[space] == card


@inlined_kernel
def is_legal(setting: Setting, table: Table, team: Int, hand: Hand, slot: Int, space: Int) -> bool:
    """Return whether playing the card in a hand slot on a space is a legal play, for any ints."""
    if slot < 0 or slot >= len(hand) or space < 0 or space >= SPACES:
        return False
    return is_target(setting, table, team, hand[slot], space)


@inlined_kernel
def dead_slot(table: Table, hand: Hand) -> Int:
    """Return the first slot of the hand with a dead card (rules 7.1), or -1."""
    if table.dead == 0:
        return -1
    for slot in range(len(hand)):
        if is_dead(table, hand[slot]):
            return slot
    return -1
