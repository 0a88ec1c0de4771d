"""`tuned`: a line bot whose weights were found by self-play.

The idea is that of `balanced`; only the weights are not a person's. They were found by CMA-ES
(`seqlab tune`) on paired deals against `balanced` and earlier forms of itself, and say what people
rarely do:

- To complete a line is worth twelve times as much as to stop one a chip short, and to stop anything
  further away next to nothing: chips that build also block.
- A two-eyed jack is for completing sequences, never for stopping them.
- At match point three chips of the own second line count double, and the opponents' lines hardly
  more than before.
- Corners are worth little more than the chip that they save, and the middle a trifle.

Lines that a scored sequence has closed (rules 8.2) are lines no longer. Before they were, chips
were thrown after sequences that were already won.
"""

from typing import Any

from simcore.setting import Setting
from simcore.strategy import Bot, Memory, Parameter, Params
from strategies.lines import Weights, choose, start_values

FOUND = Weights(
    gain=(1440, 61.5, 13.9, 4.89, 2.27),
    block=(122, 7.09, 4.57, 2.71, 2.71),
    take=(226, 18.6, 1.07, 0.223, 0.223),
    match_gain=(2830, 133, 20.5, 4.1, 2.87),
    match_block=(173, 15.2, 2.51, 0.951, 0.951),
    match_take=(1420, 16.5, 5.85, 1.3, 1.3),
    two_eyed_cost=877,
    one_eyed_cost=202,
    corner=1.07,
    centre=0.278,
    closing=True,
)

_TABLES = (
    ("gain", 5, "an own line"),
    ("block", 4, "an opponents' line"),
    ("take", 4, "taking a chip of an opponents' line"),
    ("match_gain", 5, "at the own match point an own line"),
    ("match_block", 4, "at the opponents' match point a line of theirs"),
    ("match_take", 4, "at the opponents' match point taking a chip of a line"),
)
"""Tables of weights: how many of their entries are parameters, and what they weigh."""

_SINGLE = (
    ("two_eyed_cost", 1, 10_000, "what a two-eyed jack has to bring"),
    ("one_eyed_cost", 1, 10_000, "what a one-eyed jack has to bring"),
    ("corner", 0.1, 10, "factor of gain for lines with a free corner"),
    ("centre", 0.01, 10, "worth of a step from the edge"),
)


def line_parameters(weights: Weights) -> tuple[Parameter, ...]:
    """Return the weights as parameters of a bot, 30 of them."""
    made = [
        Parameter(f"{name}_{n}", default, 0.1, 5000, f"worth of {meaning} that needs {n}", "log")
        for name, size, meaning in _TABLES
        for n, default in enumerate(getattr(weights, name)[:size], 1)
    ]
    for name, low, high, meaning in _SINGLE:
        made.append(Parameter(name, getattr(weights, name), low, high, meaning, "log"))
    return tuple(made)


PARAMETERS = line_parameters(FOUND)


def weights_of(params: Params) -> Weights:
    """Return the weights that the first parameters of a bot tell, as `line_parameters` has them."""
    told: dict[str, Any] = {}
    at = 0
    for name, size, _ in _TABLES:
        given = tuple(map(float, params[at : at + size]))
        told[name] = given + given[-1:] * (5 - size)
        at += size
    for i, (name, *_) in enumerate(_SINGLE):
        told[name] = float(params[at + i])
    return Weights(**told, closing=True)


def start(setting: Setting, params: Params) -> Memory:
    """Return the values of the empty board."""
    return start_values(setting, weights_of(params), params)


BOT = Bot(
    "tuned",
    "Line values found by self-play.",
    choose,
    parameters=PARAMETERS,
    start=start,
)
