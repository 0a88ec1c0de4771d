"""One turn, one game, a run of games: the kernels.

They are private to the project and unchecked: their arguments come from `simcore/runner.py`.
Only what a bot decides is checked, in O(1).

`choose`, `exchange` and `forfeit` are tuples of MAX_SEATS functions, by bot (the number of a
strategy at this table). They are handed on only where they are needed, since a tuple of functions
is copied at every call that is not inlined.
"""

from typing import Any

import numpy as np

from simcore.book import (
    blocks_line,
    note_event,
    note_held_jacks,
    note_jack,
    note_sequences,
    open_notes,
    placing_purpose,
    removing_purpose,
)
from simcore.cards import ONE_EYED, PLAIN, TWO_EYED
from simcore.dealer import NONE, Dealer, can_draw, deal_hands, rewind_deal, shuffle_deal
from simcore.guard import ask_watched, choose_watched
from simcore.intervention import intervene
from simcore.jit import Int, inlined_kernel, int64, kernel, record_dtype
from simcore.moves import any_playable, dead_slot, is_legal
from simcore.records import (
    BAD_EXCHANGE,
    BAD_FORFEIT,
    BAD_PLAY,
    COMPLETES,
    DRAW,
    EXCHANGE,
    FORFEIT,
    FORGET,
    MAX_TURNS,
    NO_FAULT,
    NOTED_JACKS,
    NOTED_SEQUENCES,
    NOTHING,
    PASS,
    PLACE,
    PLACED,
    REMOVE,
    REMOVED,
    RESHUFFLED,
    SEQUENCES,
    STALEMATE,
    TABLE_TALK,
    Notes,
)
from simcore.rng import SLIP, bot_stream_start, stream_start, unit
from simcore.rules import MAX_SEATS
from simcore.setting import SETTING, SLOTS, Setting
from simcore.strategy import BARS, FIRST_BAR, MAX_MEMORY, MAX_PARAMS, OWN, Memory, Params
from simcore.table import TABLE, Table, clear_table, is_dead
from simcore.turn import close_slot, discard, make_play, refill

Bench = Any
"""A record of BENCH."""

# What belongs to the bots at the table. Sizes are fixed so that one compilation serves all.
BENCH = record_dtype(
    [
        ("bot", np.int64, MAX_SEATS),  # by seat
        ("asked", np.int64),  # the seat whose bot decides, or did last
        ("own", OWN, MAX_SEATS),  # by seat
        ("start", OWN, MAX_SEATS),  # what a seat's own is at the start, by bot
        ("n_params", np.int64, MAX_SEATS),  # parameters and words of memory in use, by bot
        ("n_memory", np.int64, MAX_SEATS),
        ("slip", np.uint64, (2 * MAX_SEATS, 1)),  # forgetting by seat, then talk by team
        # For bots that are guarded or barred from plays (simcore/guard.py).
        ("watched", np.int64, MAX_SEATS),  # whether it is one of them, by bot
        ("setting", SETTING, MAX_SEATS),  # the setting as such a bot is given it, by bot
        ("bars", np.int64, MAX_SEATS),  # bit i: the bar BARS[i] is on, by bot
        ("fault", np.int64),  # what a watched bot did, NO_FAULT if nothing
        ("table", TABLE, 2),  # the table as such a bot is given it, and as it has to stay
        ("cards", np.uint8, SLOTS),  # its hand without barred cards
        ("slot", np.int64, SLOTS),  # where these stand in the true hand
    ]
)


def seat_bot(
    bench: Bench,
    number: int,
    params: Params,
    start: Memory,
    bars: tuple[float, ...] = (0,) * len(BARS),
    guarded: bool = False,
) -> None:
    """Let bot `number` start every game with these parameters and contents of its memory.

    `bars` are the values of BARS. A bot that is guarded or barred is watched.
    """
    bench.watched[number] = guarded or any(bars)
    bench.bars[number] = sum(1 << bit for bit, bar in enumerate(bars) if bar)
    bench.n_params[number] = len(params)
    bench.n_memory[number] = len(start)
    bench.start[number].params[: len(params)] = params
    bench.start[number].params[FIRST_BAR:] = bars
    bench.start[number].memory[: len(start)] = start


@kernel
def play_games(
    setting: Setting,
    table: Table,
    dealer: Dealer,
    bench: Bench,
    notes: Notes,
    choose: Any,
    exchange: Any,
    forfeit: Any,
    seatings: Any,
    rotate: bool,
    seed: Int,
    first_game: Int,
    games: Any,
    seats: Any,
    sequences: Any,
    jacks: Any,
    events: Any,
    used: Any,
) -> Int:
    """Play games `first_game`, ... into rows 0, ... of `games`; return NO_FAULT or the fault.

    `seatings` is int64 (n, MAX_SEATS): the bot by seat, for each game of a deal. With `rotate` the
    start moves on by one seat with each game of a deal.

    Modified: all records; `games` (n,), `seats` (n * players,), `sequences`, `jacks`, `events` (of
    length 0 when no log is wanted), `used` (4,): rows of each in use, of events even those that did
    not fit. It stops before a game whose rows might not fit, and in a game that a bot brings to a
    fault; then `table` tells the turn and `bench` the seat.
    """
    players = setting.players
    notes.log = len(events) > 0
    while used[0] < len(games) and _has_room(setting, sequences, jacks, used):
        deal = (first_game + used[0]) // len(seatings)
        seating = (first_game + used[0]) % len(seatings)
        if used[0] == 0 or seating == 0 or table.reshuffles > 0 or setting.intervention:
            shuffle_deal(setting, dealer, seed, deal)
        else:
            # Shuffling afresh for each game of a deal took 5 % of a random game's time.
            rewind_deal(setting, dealer)
        first_seat = dealer.first_seat
        if rotate:
            first_seat = (first_seat + seating) % players
        clear_table(setting, table, first_seat)
        deal_hands(setting, table, dealer)
        if setting.intervention:
            intervene(setting, table, dealer)
        _start_bots(setting, bench, seatings[seating], seed, deal)
        open_notes(setting, table, dealer, notes, first_game + used[0])
        logged = used[3]
        fault = _play_game(
            setting, table, dealer, bench, notes, choose, exchange, forfeit, jacks, events, used
        )
        if fault != NO_FAULT:
            return fault
        _close_game(setting, table, notes, games[used[0]])
        games[used[0]].events = used[3] - logged
        for seat in range(players):
            seats[used[0] * players + seat] = notes.tally[seat]
        for i in range(notes.sequences):
            sequences[used[1]] = notes.sequence[i]
            used[1] += 1
        used[0] += 1
    return NO_FAULT


@kernel
def _has_room(setting: Setting, sequences: Any, jacks: Any, used: Any) -> bool:
    """Return whether the rows of any game fit: a jack a turn, and those that can be held."""
    room = len(jacks) - used[2] >= setting.max_turns + 16
    return room and len(sequences) - used[1] >= NOTED_SEQUENCES


@kernel
def _start_bots(setting: Setting, bench: Bench, seat_bot: Any, seed: Int, deal: Int) -> None:
    """Set what is every seat's own, and the streams of slips, to the start of a game."""
    for seat in range(setting.players):
        bot = seat_bot[seat]
        bench.bot[seat] = bot
        n_params = bench.n_params[bot]
        if bench.watched[bot]:  # nothing may be left from another game
            n_params = FIRST_BAR
            for word in range(bench.n_memory[bot], MAX_MEMORY):
                bench.own[seat].memory[word] = 0
        for number in range(n_params):
            bench.own[seat].params[number] = bench.start[bot].params[number]
        for number in range(FIRST_BAR, MAX_PARAMS):
            bench.own[seat].params[number] = bench.start[bot].params[number]
        for word in range(bench.n_memory[bot]):
            bench.own[seat].memory[word] = bench.start[bot].memory[word]
        bench.own[seat].stream[0] = bot_stream_start(seed, deal, seat)
    if setting.forget_draw > 0 or setting.table_talk > 0:
        for number in range(2 * MAX_SEATS):
            bench.slip[number, 0] = stream_start(seed, deal, SLIP, number)


@kernel
def _close_game(setting: Setting, table: Table, notes: Notes, row: Any) -> None:
    """Write the row of a game that is over."""
    team = int64(setting.team[table.seat])
    row.winner = -1
    row.reason = MAX_TURNS
    if table.sequences[team] >= setting.sequences_to_win:
        row.winner = team
        row.reason = SEQUENCES
    elif table.idle >= setting.players:
        row.reason = STALEMATE
    row.first_seat = table.first_seat
    row.turns = table.turn
    row.reshuffles = table.reshuffles


@kernel
def _play_game(
    setting: Setting,
    table: Table,
    dealer: Dealer,
    bench: Bench,
    notes: Notes,
    choose: Any,
    exchange: Any,
    forfeit: Any,
    jacks: Any,
    events: Any,
    used: Any,
) -> Int:
    """Play a dealt game to its end (rules 5.1, 8.5, 10.2, 10.3); return NO_FAULT or the fault."""
    while True:
        seat = table.seat
        bot = bench.bot[seat]
        team = int64(setting.team[seat])
        table.turn += 1
        table.idle += 1
        if setting.table_talk > 0 and _caught_talking(setting, table, bench, team):
            if not _forfeit(setting, table, dealer, bench, notes, forfeit, team):
                return BAD_FORFEIT
        bench.asked = seat
        if dead_slot(table, dealer.hands[seat, : table.hand_size[seat]]) >= 0:
            if not _exchange(setting, table, dealer, bench, notes, exchange[bot], seat):
                return BAD_EXCHANGE
        hand = dealer.hands[seat, : table.hand_size[seat]]
        if any_playable(setting, table, team, hand):
            if bench.watched[bot]:
                move = choose_watched(setting, table, seat, hand, bench, choose[bot])
            else:
                move = choose[bot](setting, table, seat, hand, bench.own[seat])
            if not is_legal(setting, table, team, hand, move >> 7, move & 127):
                return BAD_PLAY
            _play(setting, table, dealer, notes, seat, bot, move >> 7, move & 127)
            if table.sequences[team] < setting.sequences_to_win:
                _draw_or_forget(setting, table, dealer, bench, notes, seat, move >> 7)
            else:
                close_slot(table, dealer, seat, move >> 7)
        else:
            notes.tally[seat].passes += 1
            note_event(notes, table, PASS, seat, NOTHING, NOTHING)
        over = (
            table.sequences[team] >= setting.sequences_to_win
            or table.idle >= setting.players
            or table.turn >= setting.max_turns
        )
        if over:
            for holder in range(setting.players):
                note_held_jacks(setting, table, dealer, notes, holder, bench.bot[holder])
        if notes.log:
            _flush_events(notes, events, used)
        if over or notes.jacks > NOTED_JACKS - 20:
            _flush_jacks(notes, jacks, used)
        if over:
            return NO_FAULT
        table.seat = seat + 1 if seat + 1 < setting.players else 0


@kernel
def _flush_jacks(notes: Notes, jacks: Any, used: Any) -> None:
    for i in range(notes.jacks):
        jacks[used[2]] = notes.jack[i]
        used[2] += 1
    notes.jacks = 0


@kernel
def _flush_events(notes: Notes, events: Any, used: Any) -> None:
    for i in range(notes.events):
        if used[3] < len(events):
            events[used[3]] = notes.event[i]
        used[3] += 1
    notes.events = 0


@kernel
def _exchange(
    setting: Setting,
    table: Table,
    dealer: Dealer,
    bench: Bench,
    notes: Notes,
    decide: Any,
    seat: Int,
) -> bool:
    """Exchange dead cards as often as the bot wants and rules 7.2 allow; False on a bad slot."""
    for _ in range(setting.exchanges):
        hand = dealer.hands[seat, : table.hand_size[seat]]
        if dead_slot(table, hand) < 0 or (table.pile == 0 and not setting.reshuffle):
            break
        if bench.watched[bench.bot[seat]]:
            slot = ask_watched(setting, table, seat, hand, bench, decide)
        else:
            slot = decide(setting, table, seat, hand, bench.own[seat])
        if slot < 0:
            break
        if slot >= len(hand) or not is_dead(table, hand[slot]):
            return False
        note_event(notes, table, EXCHANGE, seat, hand[slot], NOTHING)
        discard(table, dealer, seat, slot)
        _refill(setting, table, dealer, notes, seat, slot)
        notes.tally[seat].exchanges += 1
        table.idle = 0
    return True


@inlined_kernel
def _play(
    setting: Setting,
    table: Table,
    dealer: Dealer,
    notes: Notes,
    seat: Int,
    bot: Int,
    slot: Int,
    space: Int,
) -> None:
    """Make a legal play and note it."""
    card = dealer.hands[seat, slot]
    kind = setting.kind[card]
    team = int64(setting.team[seat])
    if kind == ONE_EYED:
        note_event(notes, table, REMOVE, seat, card, np.uint8(space))
        notes.space[bot, space, REMOVED] += 1
        notes.tally[seat].played_one_eyed += 1
        purpose = removing_purpose(setting, table, team, space)
        note_jack(notes, table, seat, bot, kind, purpose)
        make_play(setting, table, dealer, seat, slot, space)
        return
    note_event(notes, table, PLACE, seat, card, np.uint8(space))
    notes.space[bot, space, PLACED] += 1
    blocks = kind == TWO_EYED and blocks_line(setting, table, team, space)
    scored = make_play(setting, table, dealer, seat, slot, space)
    if kind != PLAIN:
        notes.tally[seat].played_two_eyed += 1
        purpose = placing_purpose(setting, table, team, space, blocks)
        note_jack(notes, table, seat, bot, kind, COMPLETES if scored > 0 else purpose)
    if scored > 0:
        note_sequences(setting, table, notes, seat, bot, scored)


@inlined_kernel
def _draw_or_forget(
    setting: Setting,
    table: Table,
    dealer: Dealer,
    bench: Bench,
    notes: Notes,
    seat: Int,
    slot: Int,
) -> None:
    """Fill the slot of the card just played, unless the draw is forgotten (rules 9.1, 10.1)."""
    if (
        setting.forget_draw > 0
        and can_draw(setting, table)
        and unit(bench.slip[seat]) < setting.forget_draw
    ):
        close_slot(table, dealer, seat, slot)
        notes.tally[seat].forgets += 1
        note_event(notes, table, FORGET, seat, NOTHING, NOTHING)
    else:
        _refill(setting, table, dealer, notes, seat, slot)


@inlined_kernel
def _refill(
    setting: Setting, table: Table, dealer: Dealer, notes: Notes, seat: Int, slot: Int
) -> None:
    """Draw into the slot and note it."""
    reshuffles = table.reshuffles
    card = refill(setting, table, dealer, seat, slot)
    if table.reshuffles != reshuffles:
        note_event(notes, table, RESHUFFLED, seat, NOTHING, np.uint8(table.pile + 1))
    if card != NONE:
        note_event(notes, table, DRAW, seat, np.uint8(card), NOTHING)
        kind = setting.kind[card]
        notes.tally[seat].drawn_two_eyed += kind == TWO_EYED
        notes.tally[seat].drawn_one_eyed += kind == ONE_EYED


@kernel
def _caught_talking(setting: Setting, table: Table, bench: Bench, team: Int) -> bool:
    """Return whether the team talks at the start of this turn and is caught (rules 9.2)."""
    cards = 0
    for seat in range(team, setting.players, setting.teams):
        cards += table.hand_size[seat]
    alone = setting.players == setting.teams
    return not alone and cards > 0 and unit(bench.slip[MAX_SEATS + team]) < setting.table_talk


@kernel
def _forfeit(
    setting: Setting,
    table: Table,
    dealer: Dealer,
    bench: Bench,
    notes: Notes,
    forfeit: Any,
    team: Int,
) -> bool:
    """Let every member with cards give one up (rules 9.2); False on a bad slot."""
    note_event(notes, table, TABLE_TALK, team, NOTHING, NOTHING)
    for seat in range(team, setting.players, setting.teams):
        hand = dealer.hands[seat, : table.hand_size[seat]]
        if len(hand) == 0:
            continue
        bot = bench.bot[seat]
        bench.asked = seat
        if bench.watched[bot]:
            slot = ask_watched(setting, table, seat, hand, bench, forfeit[bot])
        else:
            slot = forfeit[bot](setting, table, seat, hand, bench.own[seat])
        if slot < 0 or slot >= len(hand):
            return False
        note_event(notes, table, FORFEIT, seat, hand[slot], NOTHING)
        discard(table, dealer, seat, slot)
        close_slot(table, dealer, seat, slot)
        notes.tally[seat].forfeits += 1
    return True
