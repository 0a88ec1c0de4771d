"""Keeping the book of a game: the kernels that take notes and say what a jack was for.

They are unchecked and write only into the NOTES record.
"""

from simcore.cards import ONE_EYED, PLAIN, TWO_EYED
from simcore.dealer import Dealer
from simcore.jit import Int, inlined_kernel, int64, kernel
from simcore.records import (
    BLOCKS,
    BUILDS,
    HELD,
    IN_SEQUENCE,
    IN_WINNING_SEQUENCE,
    NOTHING,
    OTHER,
    REMOVES,
    SEQUENCE,
    Notes,
)
from simcore.setting import Setting
from simcore.table import Table, on_line


@kernel
def open_notes(setting: Setting, table: Table, dealer: Dealer, notes: Notes, game: Int) -> None:
    """Start the notes of a dealt game: empty but for the jacks of the opening hands."""
    notes.game = game
    notes.sequences = 0
    notes.jacks = 0
    notes.events = 0
    for seat in range(setting.players):
        tally = notes.tally[seat]
        tally.opening_two_eyed = 0
        tally.opening_one_eyed = 0
        tally.drawn_two_eyed = 0
        tally.drawn_one_eyed = 0
        tally.played_two_eyed = 0
        tally.played_one_eyed = 0
        tally.forfeits = 0
        tally.exchanges = 0
        tally.passes = 0
        tally.forgets = 0
        for slot in range(table.hand_size[seat]):
            kind = setting.kind[dealer.hands[seat, slot]]
            tally.opening_two_eyed += kind == TWO_EYED
            tally.opening_one_eyed += kind == ONE_EYED


@inlined_kernel
def note_event(notes: Notes, table: Table, what: Int, seat: Int, card: Int, at: Int) -> None:
    """Note an event of the turn, if a log is wanted."""
    if notes.log:
        event = notes.event[notes.events]
        event.turn = table.turn
        event.what = what
        event.seat = seat
        event.card = card
        event.at = at
        notes.events += 1


@kernel
def note_jack(notes: Notes, table: Table, seat: Int, bot: Int, kind: Int, purpose: Int) -> None:
    """Note a jack played or held; the caller sees to it that there is room."""
    row = notes.jack[notes.jacks]
    notes.jacks += 1
    row.game = notes.game
    row.turn = table.turn
    row.seat = seat
    row.bot = bot
    row.kind = kind
    row.purpose = purpose


@kernel
def note_held_jacks(
    setting: Setting, table: Table, dealer: Dealer, notes: Notes, seat: Int, bot: Int
) -> None:
    """Note every jack in the seat's hand at the end of the game, 16 at most."""
    for slot in range(table.hand_size[seat]):
        kind = setting.kind[dealer.hands[seat, slot]]
        if kind != PLAIN:
            note_jack(notes, table, seat, bot, kind, HELD)


@kernel
def note_sequences(
    setting: Setting, table: Table, notes: Notes, seat: Int, bot: Int, scored: Int
) -> None:
    """Note the last `scored` sequences of the seat's team, with events and space sums."""
    team = int64(setting.team[seat])
    total = table.sequences[team]
    winning = total >= setting.sequences_to_win
    for number in range(total - scored, total):
        line = table.sequence[team, number]
        row = notes.sequence[notes.sequences]
        notes.sequences += 1
        row.game = notes.game
        row.turn = table.turn
        row.line = line
        row.shared = _shared(setting, table, team, number)
        row.team = team
        row.seat = seat
        row.bot = bot
        row.winning = winning
        note_event(notes, table, SEQUENCE, seat, NOTHING, line)
        for i in range(setting.line_length):
            space = setting.line[line, i]
            notes.space[bot, space, IN_SEQUENCE] += 1
            notes.space[bot, space, IN_WINNING_SEQUENCE] += winning


@kernel
def _shared(setting: Setting, table: Table, team: Int, number: Int) -> Int:
    """Return how many spaces of a team's sequence lie in earlier ones of the team."""
    shared = 0
    for i in range(setting.line_length):
        space = setting.line[table.sequence[team, number], i]
        found = False
        for earlier in range(number):
            for k in range(setting.line_length):
                found |= setting.line[table.sequence[team, earlier], k] == space
        shared += found
    return shared


@kernel
def removing_purpose(setting: Setting, table: Table, team: Int, space: Int) -> Int:
    """Return what taking the chip on `space` is for, before it is taken."""
    owner = table.chip[space] - 1
    if owner != team and _in_line_to_fill(setting, table, owner, space):
        return BLOCKS
    return REMOVES


@kernel
def blocks_line(setting: Setting, table: Table, team: Int, space: Int) -> bool:
    """Return whether a chip on the open `space` takes the last one of an opponents' line."""
    for i in range(setting.n_through[space]):
        line = setting.through[space, i]
        for other in range(setting.teams):
            if other != team and on_line(setting, table, other, line) == setting.line_length - 1:
                return True
    return False


@kernel
def placing_purpose(setting: Setting, table: Table, team: Int, space: Int, blocks: bool) -> Int:
    """Return what a jack's chip just placed on `space` was for, if it completed nothing."""
    if blocks:
        return BLOCKS
    return BUILDS if _in_line_to_fill(setting, table, team, space) else OTHER


@kernel
def _in_line_to_fill(setting: Setting, table: Table, team: Int, space: Int) -> bool:
    """Return whether the team's chip on `space` is in a line filled but for one open space."""
    for i in range(setting.n_through[space]):
        line = setting.through[space, i]
        if on_line(setting, table, team, line) == setting.line_length - 1:
            alone = True
            for other in range(setting.teams):
                if (
                    other != team
                    and on_line(setting, table, other, line) != setting.line_corners[line]
                ):
                    alone = False
            if alone:
                return True
    return False
