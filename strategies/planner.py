"""`planner`: line values by what the own hand can fill."""

import numpy as np

from simcore.moves import Hand
from simcore.setting import Setting
from simcore.strategy import Bot, Memory, Own, Parameter, Params, lean_bot_function
from simcore.table import Table
from strategies.hands import Chances, choose_by_hand, start_hand_values
from strategies.tuned import BOT as TUNED
from strategies.tuned import weights_of

KEEP_PARAMETERS = tuple(
    Parameter(f"keep_{n}_{m}", 0.8**m, 0.02, 1, f"part of a line that needs {n}, {m} not in hand")
    for n in range(2, 6)
    for m in range(1, n)
)


@lean_bot_function
def choose(setting: Setting, table: Table, seat: int, hand: Hand, own: Own) -> int:
    """Make the best play by line values and hand."""
    return choose_by_hand(setting, table, seat, hand, own)


def start(setting: Setting, params: Params) -> Memory:
    """Return the values of the empty board."""
    at = len(TUNED.parameters)
    keep = np.split(params[at : at + 10], (1, 3, 6))
    return start_hand_values(setting, weights_of(params), Chances(tuple(map(tuple, keep))))


BOT = Bot(
    "planner",
    "Line values by what its own hand can fill.",
    choose,
    parameters=(*TUNED.parameters, *KEEP_PARAMETERS),
    start=start,
)
