"""What nobody sees: the order of the cards to come, and the hands.

A deal is a shuffle of all 112 card slots, from which absent cards (rules 3.1) are left out. Slot
number i of the shuffled order belongs to the lane of seat i mod players; a seat is dealt and draws
from the front of its own lane, and when that is empty takes the last card of the fullest other
lane. Seen from the table this has the law of one pile, since which card comes next never depends
on what the unseen cards are; but a seat's k-th card stays the same when another seat exchanges a
card more, and when a rule adds or drops a jack elsewhere. That keeps two games of one deal alike.

With `single_deck` each pack has lanes of its own, and the first is used up before the second
(rules 3.2). A reshuffle (rules 10.1) lays new lanes from a shuffle of all slots that is fixed by
the deal and the number of reshuffles, in which only the discarded cards count.

The kernels are unchecked.
"""

from typing import Any

import numpy as np

from simcore.cards import CARDS
from simcore.jit import Int, inlined_kernel, int64, kernel, record_dtype
from simcore.rng import DEAL, RESHUFFLE, below, shuffle, stream_start
from simcore.rules import MAX_SEATS
from simcore.setting import SLOTS, Setting
from simcore.table import Table

Dealer = Any
"""A record of DEALER."""

NONE = 255
"""What `draw` returns when there is nothing to draw."""

DEALER = record_dtype(
    [
        ("seed", np.int64),
        ("deal", np.int64),
        ("stream", np.uint64, 1),  # of the shuffles, and the cut
        ("order", np.uint8, SLOTS),  # slots as shuffled
        ("present", np.uint8, SLOTS),  # which slots are in the pile being laid
        ("lanes", np.uint8, (2, SLOTS)),  # by pack: the cards to come, lane after lane
        ("front", np.int64, (2, MAX_SEATS)),  # a lane's next card
        ("end", np.int64, (2, MAX_SEATS)),  # behind a lane's last card
        ("laid", np.int64, (2, MAX_SEATS)),  # the same when the lanes were laid
        ("first_seat", np.int64),  # that starts the deal
        ("left", np.int64, 2),  # cards to come, by pack
        ("pack", np.int64),  # the pack in use
        ("hands", np.uint8, (MAX_SEATS, SLOTS)),  # the first table.hand_size[seat] count
    ]
)

# As numpy scalars, for numba compiles a kernel anew for every literal.
_FIRST, _HALF, _ALL = int64(0), int64(SLOTS // 2), int64(SLOTS)
_SECOND_PACK = int64(1)


@kernel
def shuffle_deal(setting: Setting, dealer: Dealer, seed: Int, deal: Int) -> None:
    """Shuffle the slots of a deal, lay the lanes, and note the seat that starts (rules 4.1)."""
    dealer.seed = seed
    dealer.deal = deal
    dealer.stream[0] = stream_start(seed, deal, DEAL, _FIRST)
    for slot in range(SLOTS):
        dealer.order[slot] = slot
        dealer.present[slot] = setting.slot_present[slot]
    if setting.single_deck:
        shuffle(dealer.stream, dealer.order, _FIRST, _HALF)
        shuffle(dealer.stream, dealer.order, _HALF, _ALL)
        _lay(setting, dealer, _FIRST, _FIRST, _HALF)
        _lay(setting, dealer, _SECOND_PACK, _HALF, _ALL)
    else:
        shuffle(dealer.stream, dealer.order, _FIRST, _ALL)
        _lay(setting, dealer, _FIRST, _FIRST, _ALL)
        dealer.left[1] = 0
    cut = below(dealer.stream, setting.players)
    dealer.first_seat = cut if setting.first_seat < 0 else setting.first_seat


@kernel
def rewind_deal(setting: Setting, dealer: Dealer) -> None:
    """Put all cards back as `shuffle_deal` laid them, if no reshuffle came between."""
    dealer.pack = 0
    for pack in range(1 + setting.single_deck):
        at = int64(0)
        for seat in range(setting.players):
            dealer.front[pack, seat] = at
            at = dealer.laid[pack, seat]
            dealer.end[pack, seat] = at
        dealer.left[pack] = at


@kernel
def _lay(setting: Setting, dealer: Dealer, pack: Int, start: Int, stop: Int) -> None:
    """Lay lanes of a pack from `order[start:stop]`, leaving out absent cards."""
    at = int64(0)
    dealer.pack = 0
    for seat in range(setting.players):
        dealer.front[pack, seat] = at
        for i in range(start + seat, stop, setting.players):
            slot = dealer.order[i]
            # An absent card is overwritten by the next: to ask first would be a guess.
            dealer.lanes[pack, at] = setting.slot_card[slot]
            at += dealer.present[slot]
        dealer.end[pack, seat] = at
        dealer.laid[pack, seat] = at
    dealer.left[pack] = at


@kernel
def deal_hands(setting: Setting, table: Table, dealer: Dealer) -> None:
    """Deal every hand from the lanes (rules 3.3, 3.4)."""
    table.pile = dealer.left[0] + dealer.left[1]
    for seat in range(setting.players):
        table.hand_size[seat] = 0
    for place in range(setting.players):
        seat = (table.first_seat + place) % setting.players
        for slot in range(setting.hands[place]):
            dealer.hands[seat, slot] = draw(setting, table, dealer, seat)
        table.hand_size[seat] = setting.hands[place]


@kernel
def can_draw(setting: Setting, table: Table) -> bool:
    """Return whether there is a card to draw, from the pile or by a reshuffle (rules 10.1)."""
    if table.pile > 0:
        return True
    if not setting.reshuffle:
        return False
    for card in range(CARDS):
        if table.discarded[card]:
            return True
    return False


@inlined_kernel
def draw(setting: Setting, table: Table, dealer: Dealer, seat: Int) -> Int:
    """Return the seat's next card, or NONE; reshuffles an empty pile if the rules allow it."""
    if table.pile == 0:
        if not can_draw(setting, table):
            return NONE
        _reshuffle(setting, table, dealer)
    pack = dealer.pack
    if dealer.left[pack] == 0:
        pack = 1
        dealer.pack = 1
    dealer.left[pack] -= 1
    table.pile -= 1
    front = dealer.front[pack, seat]
    if front < dealer.end[pack, seat]:
        dealer.front[pack, seat] = front + 1
        return dealer.lanes[pack, front]
    lender = _fullest_lane(setting, dealer, pack, seat)
    dealer.end[pack, lender] -= 1
    return dealer.lanes[pack, dealer.end[pack, lender]]


@kernel
def _fullest_lane(setting: Setting, dealer: Dealer, pack: Int, seat: Int) -> Int:
    """Return the seat whose lane has most cards left, the first after `seat` among equals."""
    best = seat
    most = 0
    for step in range(1, setting.players):
        other = (seat + step) % setting.players
        left = dealer.end[pack, other] - dealer.front[pack, other]
        if left > most:
            best, most = other, left
    return best


@kernel
def _reshuffle(setting: Setting, table: Table, dealer: Dealer) -> None:
    """Make a new pile of all discards (rules 10.1)."""
    table.reshuffles += 1
    dealer.stream[0] = stream_start(dealer.seed, dealer.deal, RESHUFFLE, table.reshuffles)
    for slot in range(SLOTS):
        dealer.order[slot] = slot
        # Of two equal cards the lower slot stands for the one discarded: which of them must not
        # hang on where the shuffle has put them, or single cards would come early.
        card = setting.slot_card[slot]
        dealer.present[slot] = setting.slot_present[slot] and table.discarded[card] > 0
        if dealer.present[slot]:
            table.discarded[card] -= 1
    shuffle(dealer.stream, dealer.order, _FIRST, _ALL)
    _lay(setting, dealer, _FIRST, _FIRST, _ALL)
    dealer.left[1] = 0
    table.pile = dealer.left[0]


@kernel
def copy_cards(setting: Setting, table: Table, to: Dealer, dealer: Dealer) -> None:
    """Make the hands at a table and the cards to come equal to another dealer's."""
    to.seed, to.deal = dealer.seed, dealer.deal
    to.pack = dealer.pack
    for pack in range(1 + setting.single_deck):
        to.left[pack] = dealer.left[pack]
        for at in range(SLOTS):
            to.lanes[pack, at] = dealer.lanes[pack, at]
        for seat in range(setting.players):
            to.front[pack, seat] = dealer.front[pack, seat]
            to.end[pack, seat] = dealer.end[pack, seat]
    for seat in range(setting.players):
        for slot in range(table.hand_size[seat]):
            to.hands[seat, slot] = dealer.hands[seat, slot]
