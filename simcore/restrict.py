"""Restricted play: what a bot with bars on (BARS) is shown instead of its hand and the table.

Barred jacks are left out of the hand, and a space that is barred looks like a corner: nobody can
play on it. What the table derives from chips is changed along, so that `is_playable` and the like
agree; lines are counted as they are.
"""

import numpy as np

from simcore.board import SPACES
from simcore.book import blocks_line, removing_purpose
from simcore.cards import ONE_EYED, TWO_EYED
from simcore.jit import Int, int64, kernel
from simcore.moves import Hand
from simcore.records import BLOCKS
from simcore.sequences import may_score
from simcore.setting import Setting
from simcore.strategy import Memory
from simcore.table import CORNER, OPEN, Table, on_line

NO_TWO_EYED, NO_ONE_EYED, NO_CORNER_LINES, NO_BLOCKING = (np.int64(1 << bit) for bit in range(4))
"""The bits of `bars`, in the order of BARS."""

_U1 = np.uint64(1)


@kernel
def hide_barred(
    setting: Setting, view: Table, team: Int, bars: Int, hand: Hand, shown: Hand, slots: Memory
) -> Int:
    """Hide from the team what it is barred from; return how many cards of the hand are left.

    Modifies `view`, which is the true table before, `shown`, the cards that are left, and `slots`,
    where each stands in the hand.
    """
    if bars & (NO_CORNER_LINES | NO_BLOCKING):
        for space in range(SPACES):
            if is_barred(setting, view, team, bars, space):
                _hide_space(setting, view, space)
    cards = int64(0)
    for slot in range(len(hand)):
        kind = setting.kind[hand[slot]]
        shown[cards] = hand[slot]
        slots[cards] = slot
        barred_two = kind == TWO_EYED and bars & NO_TWO_EYED != 0
        barred_one = kind == ONE_EYED and bars & NO_ONE_EYED != 0
        cards += not (barred_two or barred_one)
    return cards


@kernel
def is_barred(setting: Setting, table: Table, team: Int, bars: Int, space: Int) -> bool:
    """Return whether the team may not play on a space, whatever the card.

    It looks at chips on the space alone and at counts of lines, which hiding leaves as they are.
    """
    chip = table.chip[space]
    if chip == OPEN:
        if bars & NO_CORNER_LINES and _completes(setting, table, team, space, True):
            return True
        blocks = bars & NO_BLOCKING != 0 and blocks_line(setting, table, team, space)
        return blocks and not _completes(setting, table, team, space, False)
    if chip == CORNER or chip == team + 1 or bars & NO_BLOCKING == 0:
        return False
    if setting.sequences_protected and table.scored[space]:
        return False
    return removing_purpose(setting, table, team, space) == BLOCKS


@kernel
def _completes(setting: Setting, table: Table, team: Int, space: Int, corner: bool) -> bool:
    """Return whether a chip completes a line, through a corner or, without, one that may score."""
    for i in range(setting.n_through[space]):
        line = setting.through[space, i]
        if on_line(setting, table, team, line) == setting.line_length - 1:
            if corner:
                if setting.line_corners[line]:
                    return True
            elif may_score(setting, table, team, line):
                return True
    return False


@kernel
def _hide_space(setting: Setting, view: Table, space: Int) -> None:
    """Let a space with or without a chip look like a corner (to `is_target`, `is_dead`, ...)."""
    chip = view.chip[space]
    view.chip[space] = CORNER
    if chip != OPEN:
        view.removable[int64(chip) - 1] -= 1
        return
    view.open_spaces -= 1
    card = setting.card_of[space]
    if view.chip[setting.spaces_of[card, 0]] and view.chip[setting.spaces_of[card, 1]]:
        view.dead |= _U1 << np.uint64(card)
