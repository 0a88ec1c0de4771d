"""`defender`: stops the opponents' lines first.

Like `balanced`, with the opponents' lines weighed `block` times as much: to stop a line a chip
short is then worth more than to complete one, and to stop one two chips short more than to bring an
own one to four. It asks whether a game can be won by not losing it. Whoever blocks everywhere wins
by accident, so games are long.
"""

from dataclasses import replace

from simcore.setting import Setting
from simcore.strategy import Bot, Memory, Parameter, Params
from strategies.lines import YARDSTICK, choose, start_values


def start(setting: Setting, params: Params) -> Memory:
    """Return the values of the empty board."""
    block = tuple(params[0] * weight for weight in YARDSTICK.block)
    return start_values(setting, replace(YARDSTICK, block=block, match_block=block), params)


BOT = Bot(
    "defender",
    "Stops the opponents' lines first, and builds with what is left.",
    choose,
    parameters=(Parameter("block", 3, 0, 100, "factor of what opponents' lines are worth"),),
    start=start,
)
