"""`counter`: like `planner`, and counts which cards can still come.

All discards are public, so everybody may know which cards are left. A space that no card in hand
could fill is a smaller loss while both copies of its card are unseen than when one is gone; with
both gone only a jack can fill it, for the own team and for the others alike. So own lines over such
spaces count less, and so do the threats of the others.

It turns out that this is worth next to nothing on top of knowing the own hand, whatever the
figures: a card that is gone twice has mostly been played on the very space in question.
What was also tried: to weigh an opponents' line less that was left alone in their last turn, since
they seem not to hold its card. Over 16,000 deals against `planner` that made .4994 to .4998 of
.4993 +- .002, at five strengths.
"""

from simcore.setting import Setting
from simcore.strategy import Bot, Memory, Parameter, Params
from strategies.hands import Chances, start_hand_values
from strategies.planner import PARAMETERS as PLANNER_PARAMETERS
from strategies.planner import choose, keep_of
from strategies.tuned import weights_of

COUNT_PARAMETERS = (
    Parameter("one_left", 1.25, 1, 3.5, "missing spaces that one with one copy unseen counts as"),
    Parameter("none_left", 2, 1, 3.5, "missing spaces that one with no copy unseen counts as"),
    Parameter("foe_one", 1, 0.3, 1, "part of an opponents' line by space with one copy unseen"),
    Parameter("foe_none", 1, 0.3, 1, "part of an opponents' line by space with no copy unseen"),
)


def start(setting: Setting, params: Params) -> Memory:
    """Return the values of the empty board."""
    at = len(PLANNER_PARAMETERS)
    one_left, none_left, foe_one, foe_none = map(float, params[at : at + 4])
    chances = Chances(keep_of(params), one_left, none_left, foe_one, foe_none, counting=True)
    return start_hand_values(setting, weights_of(params), chances, params)


BOT = Bot(
    "counter",
    "Like planner, and counts which cards can still come, to itself and to the others.",
    choose,
    parameters=(*PLANNER_PARAMETERS, *COUNT_PARAMETERS),
    start=start,
)
