"""`tuned`: a line bot whose weights were found by self-play."""

from simcore.setting import Setting
from simcore.strategy import Bot, Memory, Parameter, Params
from strategies.lines import Weights, choose, start_values

_TABLES = (
    ("gain", "a line of the own team's", (1000, 64, 16, 4, 1)),
    ("block", "a line of an opponent's", (400, 60, 8, 2)),
    ("take", "taking a chip of an opponent's line", (500, 32, 8, 2)),
    ("match_gain", "an own line at the own match point", (1000, 64, 16, 4, 1)),
    ("match_block", "an opponent's line at the opponents' match point", (400, 60, 8, 2)),
    ("match_take", "taking a chip at the opponents' match point", (500, 32, 8, 2)),
)


def _parameters() -> tuple[Parameter, ...]:
    made = [
        Parameter(
            f"{name}_{needs}", default, 0.1, 4000, f"{meaning} that needs {needs} more", "log"
        )
        for name, meaning, defaults in _TABLES
        for needs, default in enumerate(defaults, 1)
    ]
    made.append(Parameter("two_eyed_cost", 200, 1, 4000, "what a two-eyed jack has to bring"))
    made.append(Parameter("one_eyed_cost", 150, 1, 4000, "what a one-eyed jack has to bring"))
    made.append(Parameter("corner", 1, 0.1, 10, "factor of gain for lines with a free corner"))
    made.append(Parameter("centre", 0.1, 0.01, 10, "worth of a step towards the middle"))
    return tuple(made)


def weights_of(params: Params) -> Weights:
    """Return the weights that the parameters tell."""
    at = 0
    tables = []
    for _, _, defaults in _TABLES:
        table = tuple(params[at : at + len(defaults)])
        tables.append(table + table[-1:] * (5 - len(table)))
        at += len(defaults)
    rest = params[at : at + 4]
    return Weights(*tables, *rest, closing=True)


def start(setting: Setting, params: Params) -> Memory:
    """Return the values of the empty board."""
    return start_values(setting, weights_of(params))


BOT = Bot("tuned", "Line values found by self-play.", choose, parameters=_parameters(), start=start)
