"""`corners`: plays for lines through the free corners.

Advice in print: start from the corners, since a line through one needs only four chips. Like
`balanced`, with the gain of such lines multiplied by `corner`. `centre` tests the opposite advice,
and both are held against `balanced`, which has no opinion but the lines themselves.
"""

from dataclasses import replace

from simcore.setting import Setting
from simcore.strategy import Bot, Memory, Parameter, Params
from strategies.lines import YARDSTICK, choose, start_values


def start(setting: Setting, params: Params) -> Memory:
    """Return the values of the empty board."""
    return start_values(setting, replace(YARDSTICK, corner=params[0]), params)


BOT = Bot(
    "corners",
    "Plays for lines through the free corners, which need only four chips.",
    choose,
    parameters=(Parameter("corner", 4, 0, 100, "factor of gain for lines with a free corner"),),
    start=start,
)
