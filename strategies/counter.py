"""`counter`: like `planner`, and knows which cards can still come, to itself and the others."""

import numpy as np

from simcore.moves import Hand
from simcore.setting import Setting
from simcore.strategy import Bot, Memory, Own, Parameter, Params, lean_bot_function
from simcore.table import Table
from strategies.hands import Chances, choose_by_hand, start_hand_values
from strategies.planner import BOT as PLANNER
from strategies.tuned import BOT as TUNED
from strategies.tuned import weights_of

COUNT_PARAMETERS = (
    Parameter("one_left", 1.25, 1, 3.5, "missing spaces that one with one copy unseen counts as"),
    Parameter("none_left", 2, 1, 3.5, "missing spaces that one with no copy unseen counts as"),
    Parameter("foe_one", 0.94, 0.3, 1, "part of an opponents' line by space with one copy unseen"),
    Parameter("foe_none", 0.6, 0.3, 1, "part of an opponents' line by space with no copy unseen"),
)


@lean_bot_function
def choose(setting: Setting, table: Table, seat: int, hand: Hand, own: Own) -> int:
    """Make the best play by line values and hand."""
    return choose_by_hand(setting, table, seat, hand, own)


def start(setting: Setting, params: Params) -> Memory:
    """Return the values of the empty board."""
    at = len(TUNED.parameters)
    keep = np.split(params[at : at + 10], (1, 3, 6))
    chances = Chances(tuple(map(tuple, keep)), *params[at + 10 : at + 14], counting=True)
    return start_hand_values(setting, weights_of(params), chances)


BOT = Bot(
    "counter",
    "Like planner, and counts which cards can still come, to itself and to the others.",
    choose,
    parameters=(*PLANNER.parameters, *COUNT_PARAMETERS),
    start=start,
)
