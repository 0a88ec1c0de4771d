"""`centre`: plays for the middle of the board.

Advice in print: hold the centre, where up to twenty lines cross. Line values know the crossing
lines already; here a space is worth `centre` more for each step from the edge, up to four, which
decides as long as no line has three chips. `corners` tests the opposite advice.
"""

from dataclasses import replace

from simcore.setting import Setting
from simcore.strategy import Bot, Memory, Parameter, Params
from strategies.lines import YARDSTICK, choose, start_values


def start(setting: Setting, params: Params) -> Memory:
    """Return the values of the empty board."""
    return start_values(setting, replace(YARDSTICK, centre=params[0]), params)


BOT = Bot(
    "centre",
    "Plays for the middle of the board, where most lines cross.",
    choose,
    parameters=(Parameter("centre", 5, 0, 1000, "worth of a step from the edge"),),
    start=start,
)
