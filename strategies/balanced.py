"""`balanced`: build own lines and block the opponents'."""

from simcore.moves import Hand
from simcore.setting import Setting
from simcore.strategy import Bot, Memory, Own, Params, lean_bot_function
from simcore.table import Table
from strategies.lines import YARDSTICK, choose_by_lines, start_values


@lean_bot_function
def choose(setting: Setting, table: Table, seat: int, hand: Hand, own: Own) -> int:
    """Make the best play by line values (own and opponents' lines)."""
    return choose_by_lines(setting, table, seat, hand, own)


def start(setting: Setting, params: Params) -> Memory:
    """Return the values of the empty board."""
    return start_values(setting, YARDSTICK)


BOT = Bot(
    "balanced",
    "Builds its own lines and blocks the opponents', by fixed values a line.",
    choose,
    start=start,
)
