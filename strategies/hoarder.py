"""`hoarder`: keeps its jacks for completing sequences.

Advice in print: save the jacks for the end. Like `balanced`, with costs at which a two-eyed jack
is played to complete a sequence and hardly for anything else, and a one-eyed jack only against two
lines at once; unless no other card can be played. `spender` tests the opposite advice.
"""

from dataclasses import replace

from simcore.setting import Setting
from simcore.strategy import Bot, Memory, Parameter, Params
from strategies.lines import YARDSTICK, choose, start_values


def start(setting: Setting, params: Params) -> Memory:
    """Return the values of the empty board."""
    weights = replace(YARDSTICK, two_eyed_cost=params[0], one_eyed_cost=params[1])
    return start_values(setting, weights, params)


def jack_costs(cost: float) -> tuple[Parameter, ...]:
    """Return what jacks have to bring as parameters, both with the same default."""
    return (
        Parameter("two_eyed", cost, 0, 100_000, "what a two-eyed jack has to bring"),
        Parameter("one_eyed", cost, 0, 100_000, "what a one-eyed jack has to bring"),
    )


BOT = Bot(
    "hoarder",
    "Keeps its jacks for completing sequences.",
    choose,
    parameters=jack_costs(700),
    start=start,
)
