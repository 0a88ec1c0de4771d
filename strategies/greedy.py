"""`greedy`: builds its own longest lines, whatever the others do.

The play that adds most to the own lines: what a beginner does who has understood how to win, but
not yet how others do. Against `balanced` it loses less than one would think, since chips that block
are chips that do not build; what it shows is how much attention to the others is worth.
"""

from dataclasses import replace

from simcore.setting import Setting
from simcore.strategy import Bot, Memory, Params
from strategies.lines import NOTHING, YARDSTICK, choose, start_values


def start(setting: Setting, params: Params) -> Memory:
    """Return the values of the empty board."""
    return start_values(setting, replace(YARDSTICK, block=NOTHING, match_block=NOTHING), params)


BOT = Bot(
    "greedy",
    "Builds its own longest lines and looks at nobody else's.",
    choose,
    start=start,
)
