"""`planner`: line values by what the own hand can fill.

A line bot sees two chips more to come on a line and does not ask where they would come from. This
one does: of an own line only a part counts for every space on it that no card in hand could fill,
and nothing is lost where the hand holds them all. So it builds where it can go on, two and three
turns ahead, which is all the planning that this game rewards: weights and parts were found together
by CMA-ES (`seqlab tune`) against `balanced` and `tuned`.

What it found: of a line that needs two, with the second not in hand, 67 % is left; of one that
needs three with neither of the others in hand 21 %. Nobody else's lines are looked at more closely.
"""

import numpy as np

from simcore.moves import Hand
from simcore.setting import Setting
from simcore.strategy import Bot, Memory, Own, Parameter, Params, lean_bot_function
from simcore.table import Table
from strategies.hands import Chances, choose_by_hand, start_hand_values
from strategies.lines import Weights
from strategies.tuned import line_parameters, weights_of

FOUND = Weights(
    gain=(2060, 79.8, 11.7, 5.86, 1.98),
    block=(364, 4.3, 1.24, 1, 1),
    take=(530, 28.6, 1.03, 0.169, 0.169),
    match_gain=(2140, 54.2, 20.4, 8.15, 2.69),
    match_block=(343, 6.3, 1.86, 0.931, 0.931),
    match_take=(472, 23.1, 13.7, 3.63, 3.63),
    two_eyed_cost=1420,
    one_eyed_cost=383,
    corner=0.939,
    centre=0.128,
    closing=True,
)
KEEP = ((0.671,), (0.879, 0.214), (0.925, 0.394, 0.167), (0.979, 0.875, 0.299, 0.289))

PARAMETERS = (
    *line_parameters(FOUND),
    *(
        Parameter(f"keep_{n}_{m}", part, 0.02, 1, f"part of a line that needs {n}, {m} not in hand")
        for n, parts in enumerate(KEEP, 2)
        for m, part in enumerate(parts, 1)
    ),
)

_KEEP_AT = len(line_parameters(FOUND))


def keep_of(params: Params) -> tuple[tuple[float, ...], ...]:
    """Return the parts by chips needed and spaces not in hand (Chances.keep)."""
    parts = np.split(params[_KEEP_AT : _KEEP_AT + 10], (1, 3, 6))
    return tuple(tuple(map(float, some)) for some in parts)


@lean_bot_function
def choose(setting: Setting, table: Table, seat: int, hand: Hand, own: Own) -> int:
    """Make the best play by line values and hand."""
    return choose_by_hand(setting, table, seat, hand, own)


def start(setting: Setting, params: Params) -> Memory:
    """Return the values of the empty board."""
    return start_hand_values(setting, weights_of(params), Chances(keep_of(params)), params)


BOT = Bot(
    "planner",
    "Line values by what its own hand can fill.",
    choose,
    parameters=PARAMETERS,
    start=start,
)
