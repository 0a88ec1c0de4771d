"""`balanced`: builds its own lines and blocks the opponents'.

A line that nobody has blocked is worth the more the fewer chips it needs, to whoever it belongs: to
complete one's own is worth most, to stop one that is a chip short nearly half of that. A two-eyed
jack costs 200, so it is kept for completing a line or stopping one a chip short; a one-eyed jack
costs 150, so it takes chips of lines that are a chip short. The weights are those of the C program
that the project is measured by, and have never been tuned: it is the fixed point of the scale.
"""

from simcore.setting import Setting
from simcore.strategy import Bot, Memory, Params
from strategies.lines import YARDSTICK, choose, start_values


def start(setting: Setting, params: Params) -> Memory:
    """Return the values of the empty board."""
    return start_values(setting, YARDSTICK, params)


BOT = Bot(
    "balanced",
    "Builds its own lines and blocks the opponents', by fixed values a line.",
    choose,
    start=start,
)
