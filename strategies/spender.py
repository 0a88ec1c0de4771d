"""`spender`: plays a jack whenever it brings more than a plain card.

Advice in print: a jack in hand wins nothing, so play it early and draw another card. Like
`balanced`, with costs of nothing: a jack is played as soon as it is worth more than the best plain
card. `hoarder` tests the opposite advice.
"""

from dataclasses import replace

from simcore.setting import Setting
from simcore.strategy import Bot, Memory, Parameter, Params
from strategies.lines import YARDSTICK, choose, start_values


def start(setting: Setting, params: Params) -> Memory:
    """Return the values of the empty board."""
    weights = replace(YARDSTICK, two_eyed_cost=params[0], one_eyed_cost=params[1])
    return start_values(setting, weights, params)


BOT = Bot(
    "spender",
    "Plays a jack whenever it brings more than a plain card.",
    choose,
    parameters=(
        Parameter("two_eyed", 0, 0, 100_000, "what a two-eyed jack has to bring"),
        Parameter("one_eyed", 0, 0, 100_000, "what a one-eyed jack has to bring"),
    ),
    start=start,
)
