"""The steps of a turn, on any table and dealer record.

The engine plays with them, and a bot that looks ahead plays with them on records of its own. They
are unchecked: what they are asked to do must be legal.
"""

from simcore.cards import ONE_EYED
from simcore.dealer import NONE, Dealer, draw
from simcore.jit import Int, inlined_kernel, int64
from simcore.sequences import score_space
from simcore.setting import Setting
from simcore.table import Table, place, remember_play, remove


@inlined_kernel
def discard(table: Table, dealer: Dealer, seat: Int, slot: Int) -> Int:
    """Put the card of a hand slot face up on the discards and return it; the slot stays."""
    card = dealer.hands[seat, slot]
    table.discarded[card] += 1
    return card


@inlined_kernel
def refill(setting: Setting, table: Table, dealer: Dealer, seat: Int, slot: Int) -> Int:
    """Draw a card into the slot and return it; with NONE to draw the slot is closed."""
    card = draw(setting, table, dealer, seat)
    if card == NONE:
        close_slot(table, dealer, seat, slot)
    else:
        dealer.hands[seat, slot] = card
    return card


@inlined_kernel
def close_slot(table: Table, dealer: Dealer, seat: Int, slot: Int) -> None:
    """Make the hand a card smaller: the last card moves into the slot."""
    table.hand_size[seat] -= 1
    dealer.hands[seat, slot] = dealer.hands[seat, table.hand_size[seat]]


@inlined_kernel
def make_play(
    setting: Setting, table: Table, dealer: Dealer, seat: Int, slot: Int, space: Int
) -> Int:
    """Play a card: discard it, place or remove the chip, score (rules 6, 8).

    Returns the number of sequences scored. The slot is left for `refill` or `close_slot`.
    """
    team = int64(setting.team[seat])
    card = discard(table, dealer, seat, slot)
    table.idle = 0
    if setting.kind[card] == ONE_EYED:
        loser = remove(setting, table, space)
        remember_play(table, seat, card, space, loser + 1)
        return 0
    remember_play(table, seat, card, space, int64(0))
    if place(setting, table, team, space):
        return score_space(setting, table, team, space)
    return int64(0)
