"""`greedy`: build own lines, whatever the others do."""

from dataclasses import replace

from simcore.moves import Hand
from simcore.setting import Setting
from simcore.strategy import Bot, Memory, Own, Params, lean_bot_function
from simcore.table import Table
from strategies.lines import YARDSTICK, choose_by_lines, start_values


@lean_bot_function
def choose(setting: Setting, table: Table, seat: int, hand: Hand, own: Own) -> int:
    """Make the best play by line values (own lines only)."""
    return choose_by_lines(setting, table, seat, hand, own)


def start(setting: Setting, params: Params) -> Memory:
    """Return the values of the empty board."""
    return start_values(setting, replace(YARDSTICK, block=(0.0,) * 5, match_block=(0.0,) * 5))


BOT = Bot("greedy", "Builds its own longest lines and looks at nobody else's.", choose, start=start)
