"""What is done to one hand of a deal, so that games with and without it can be compared.

A seat is drawn for each deal. `two_eyed` and `one_eyed`: a plain card of its hand, drawn at random,
changes places with a jack of the kind, drawn at random among those not dealt to any hand; where
there is no such card or jack, the deal stays as it is. `card`: the seat is dealt its next card as
well, and holds one card more to the end of the game.
"""

import numpy as np
import numpy.typing as npt

from simcore.cards import ONE_EYED, PLAIN, TWO_EYED
from simcore.dealer import NONE, Dealer, draw
from simcore.jit import Int, int64, kernel
from simcore.rng import INTERVENTION, Stream, below, stream_start
from simcore.setting import CARD, TWO_EYED_JACK, Setting
from simcore.table import Table


def treated_seats(seed: int, first_deal: int, deals: int, players: int) -> npt.NDArray[np.int64]:
    """Return int64 (deals,), the seat that an intervention is done to in each deal."""
    seats = np.zeros(deals, np.int64)
    with np.errstate(over="ignore"):
        fill_treated(seed, first_deal, players, np.zeros(1, np.uint64), seats)
    return seats


@kernel
def fill_treated(
    seed: Int, first_deal: Int, players: Int, stream: Stream, seats: npt.NDArray[np.int64]
) -> None:
    """Fill in the treated seats of deals; modifies the stream and `seats`, int64[deals]."""
    for number in range(len(seats)):
        stream[0] = stream_start(seed, first_deal + number, INTERVENTION, int64(0))
        seats[number] = below(stream, players)


@kernel
def intervene(setting: Setting, table: Table, dealer: Dealer) -> None:
    """Do the setting's intervention to a deal just dealt.

    Modifies the hands, the lanes, the stream and the table's hand sizes.
    """
    dealer.stream[0] = stream_start(dealer.seed, dealer.deal, INTERVENTION, int64(0))
    seat = below(dealer.stream, setting.players)
    if setting.intervention == CARD:
        card = draw(setting, table, dealer, seat)
        if card != NONE:
            dealer.hands[seat, table.hand_size[seat]] = card
            table.hand_size[seat] += 1
    else:
        wanted = TWO_EYED if setting.intervention == TWO_EYED_JACK else ONE_EYED
        _swap_in(setting, table, dealer, seat, wanted)


@kernel
def _swap_in(setting: Setting, table: Table, dealer: Dealer, seat: Int, wanted: Int) -> None:
    """Change a plain card of the seat's hand with a card of the wanted kind that is to come.

    Each is drawn by keeping the n-th found with chance 1 / n, so that nothing needs a list.
    """
    slot, found = int64(-1), int64(0)
    for at in range(table.hand_size[seat]):
        if setting.kind[dealer.hands[seat, at]] == PLAIN:
            found += 1
            if below(dealer.stream, found) == 0:
                slot = at
    in_pack, place, found = int64(-1), int64(0), int64(0)
    for pack in range(1 + setting.single_deck):
        for lane in range(setting.players):
            for at in range(dealer.front[pack, lane], dealer.end[pack, lane]):
                if setting.kind[dealer.lanes[pack, at]] == wanted:
                    found += 1
                    if below(dealer.stream, found) == 0:
                        in_pack, place = int64(pack), int64(at)
    if slot >= 0 and in_pack >= 0:
        card = dealer.hands[seat, slot]
        dealer.hands[seat, slot] = dealer.lanes[in_pack, place]
        dealer.lanes[in_pack, place] = card
