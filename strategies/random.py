"""`random`: any legal play.

A card drawn uniformly among those of the hand that can be played, then a space uniformly among its
legal targets. It looks at nothing, and so is the zero of every scale: what it scores, the cards
alone score; and what its lines do (through corners, say), the board does.
"""

from simcore.board import SPACES
from simcore.cards import PLAIN
from simcore.jit import int64
from simcore.moves import Hand, is_playable, is_target
from simcore.rng import below
from simcore.setting import Setting
from simcore.strategy import Bot, Own, lean_bot_function, play
from simcore.table import OPEN, Table


@lean_bot_function
def choose(setting: Setting, table: Table, seat: int, hand: Hand, own: Own) -> int:
    """Draw a card uniformly among the playable ones, then a space among its legal targets.

    Both by drawing until one is legal, which is uniform and here faster than listing them.
    """
    team = int64(setting.team[seat])
    slot = below(own.stream, len(hand))
    while not is_playable(setting, table, team, hand[slot]):
        slot = below(own.stream, len(hand))
    card = hand[slot]
    if setting.kind[card] == PLAIN:
        first = int64(setting.spaces_of[card, 0])
        second = int64(setting.spaces_of[card, 1])
        if table.chip[second] != OPEN or (table.chip[first] == OPEN and below(own.stream, 2) == 0):
            return play(slot, first)
        return play(slot, second)
    space = below(own.stream, SPACES)
    while not is_target(setting, table, team, card, space):
        space = below(own.stream, SPACES)
    return play(slot, space)


BOT = Bot("random", "Any legal play: the zero of every scale.", choose)
