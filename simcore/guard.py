"""What the engine does with a bot that is not ours, or that is barred from some plays.

Such a bot is given a copy of the table, which must be as it was after each decision. Of the setting
it has a copy of its own, so that what it writes there changes no rule of play; `Runner` compares
that after some games only, as it is large. The bot's fault is noted in the bench and answered for
with a decision that is never legal, so that the engine stops.
"""

from typing import Any

import numpy as np

from simcore.jit import Int, int64, kernel
from simcore.moves import Hand, any_playable, is_legal
from simcore.records import BARRED_PLAY, WROTE_TABLE
from simcore.restrict import hide_barred
from simcore.setting import Setting
from simcore.table import Table
from simcore.whole import copy_record, same_record

NEVER_LEGAL = np.int64(1 << 20)
"""A play, and a hand slot, that there is not."""

_GIVEN, _KEPT = int64(0), int64(1)


@kernel
def choose_watched(
    setting: Setting, table: Table, seat: Int, hand: Hand, bench: Any, decide: Any
) -> Int:
    """Return the play of a watched bot. Modifies the bench."""
    bot = bench.bot[seat]
    if not bench.bars[bot]:
        return ask_watched(setting, table, seat, hand, bench, decide)
    team = int64(setting.team[seat])
    copy_record(bench.table[_GIVEN], table)
    view = bench.table[_GIVEN]
    cards = hide_barred(setting, view, team, bench.bars[bot], hand, bench.cards, bench.slot)
    shown = bench.cards[:cards]
    if not any_playable(setting, view, team, shown):  # rules 5.3: it must play all the same
        return ask_watched(setting, table, seat, hand, bench, decide)
    copy_record(bench.table[_KEPT], view)
    move = decide(bench.setting[bot], view, seat, shown, bench.own[seat])
    if not same_record(view, bench.table[_KEPT]):
        bench.fault = WROTE_TABLE
        return NEVER_LEGAL
    if is_legal(setting, view, team, shown, move >> 7, move & 127):
        return (bench.slot[move >> 7] << 7) | (move & 127)
    if is_legal(setting, table, team, shown, move >> 7, move & 127):
        bench.fault = BARRED_PLAY
    return NEVER_LEGAL


@kernel
def ask_watched(
    setting: Setting, table: Table, seat: Int, hand: Hand, bench: Any, decide: Any
) -> Int:
    """Return a decision of a watched bot that sees all that it may see. Modifies the bench."""
    bot, view = bench.bot[seat], bench.table[_GIVEN]
    copy_record(view, table)
    decision = decide(bench.setting[bot], view, seat, hand, bench.own[seat])
    if same_record(view, table):
        return decision
    bench.fault = WROTE_TABLE
    return NEVER_LEGAL
