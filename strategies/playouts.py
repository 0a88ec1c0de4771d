"""Playing a position out: what is unseen is sampled, line bots play on, and the end is estimated.

The idea that `search` and `ismcts` share. A sample deals the unseen cards to the other hands and to
the pile; a playout goes on from there by line values for some turns; where it is cut, the chance of
a win is a logistic function of sequences, lines and jacks, fitted to games between line bots.
"""

from typing import Any

import numpy as np

from simcore.cards import CARDS, ONE_EYED, TWO_EYED
from simcore.dealer import Dealer
from simcore.jit import Int, inlined_kernel, int64, kernel
from simcore.moves import Hand, any_playable, dead_slot
from simcore.rng import Stream, below
from simcore.setting import SLOTS, Setting
from simcore.strategy import Memory, Params
from simcore.table import OPEN, Table
from simcore.turn import discard, make_play, refill
from strategies.hands import HAND_WORDS
from strategies.lines import (
    CHANGING,
    LINE_WORDS,
    catch_up,
    choose_by_lines,
    start_values,
    value_afresh,
)
from strategies.planner import start as start_planner
from strategies.tuned import FOUND as TUNED_WEIGHTS

Owns = Any
"""An array of OWN, a line bot's by team."""

_U1, _U2, _U3, _U7, _U56 = (np.uint64(n) for n in (1, 2, 3, 7, 56))
_EACH, _ALL_LOW, _TOP = (np.uint64(n * 0x0101010101010101) for n in (1, 0x7F, 0x80))

# What the chance of a win is made of, by team, in the units of a logistic function.
FEATURES = 12
"""Sequences scored; own lines that need 1, 2, 3 more chips; such lines of one chip that a hand of
the team can fill, and those of two for which it holds a card; two-eyed and one-eyed jacks in hand;
the turn to move, alone and with a line that the hand can fill; the first sequence with a line of
one, and of two."""


@kernel
def sample_unseen(
    setting: Setting,
    table: Table,
    dealer: Dealer,
    seat: Int,
    hand: Hand,
    stream: Stream,
    pool: Any,
    gone: Any,
) -> None:
    """Deal the unseen cards to the other hands and the lanes of the pile, uniformly.

    Modifies the dealer, the stream and `pool` and `gone`, uint8[SLOTS] and [CARDS].
    """
    size = int64(0)
    for slot in range(SLOTS):
        if setting.slot_present[slot]:
            pool[size] = setting.slot_card[slot]
            size += 1
    size = _take_out(table, hand, pool, gone, size)
    for i in range(size - 1, 0, -1):
        j = below(stream, i + 1)
        pool[i], pool[j] = pool[j], pool[i]
    at = int64(0)
    for other in range(setting.players):
        for slot in range(table.hand_size[other]):
            if other == seat:
                dealer.hands[other, slot] = hand[slot]
            else:
                dealer.hands[other, slot] = pool[at]
                at += 1
    dealer.pack = 0
    dealer.left[0], dealer.left[1] = table.pile, 0
    front = int64(0)
    for other in range(setting.players):
        share = (table.pile - other + setting.players - 1) // setting.players
        dealer.front[0, other] = front
        dealer.end[0, other] = front + share
        for i in range(share):
            dealer.lanes[0, front + i] = pool[at]
            at += 1
        front += share
    dealer.seed, dealer.deal = 0, below(stream, 1 << 30)


@kernel
def _take_out(table: Table, hand: Hand, pool: Any, gone: Any, size: Int) -> Int:
    """Take the discards and the own hand out of the pool; return how many cards are left."""
    for card in range(CARDS):
        gone[card] = table.discarded[card]
    for slot in range(len(hand)):
        gone[hand[slot]] += 1
    left = int64(0)
    for i in range(size):
        card = pool[i]
        if gone[card] > 0:
            gone[card] -= 1
        else:
            pool[left] = card
            left += 1
    return left


@kernel
def start_line_bots(setting: Setting, table: Table, memory: Memory, owns: Owns) -> None:
    """Set a line bot of every team to the table; `memory` as `start_with_line_bots` has it."""
    for team in range(setting.teams):
        for word in range(LINE_WORDS):
            owns[team].memory[word] = memory[HAND_WORDS + word]
        value_afresh(setting, table, team, owns[team].memory)


@inlined_kernel
def copy_line_bots(setting: Setting, source: Owns, target: Owns) -> None:
    """Copy what changes in the line bots' memories."""
    for team in range(setting.teams):
        for word in range(CHANGING):
            target[team].memory[word] = source[team].memory[word]


@inlined_kernel
def begin_turn(setting: Setting, table: Table, dealer: Dealer) -> None:
    """Count the turn and exchange dead cards, as line bots do."""
    seat = table.seat
    table.turn += 1
    table.idle += 1
    for _ in range(setting.exchanges):
        slot = dead_slot(table, dealer.hands[seat, : table.hand_size[seat]])
        if slot < 0 or (table.pile == 0 and not setting.reshuffle):
            break
        discard(table, dealer, seat, slot)
        refill(setting, table, dealer, seat, slot)
        table.idle = 0


@kernel
def play_out(
    setting: Setting, table: Table, dealer: Dealer, owns: Owns, team: Int, turns: Int, features: Any
) -> float:
    """Play on by line values from the seat to move for some turns; return the team's chance to win.

    Modifies everything but the setting. Slips (rules 9) do not happen here.
    """
    for _ in range(turns):
        seat = table.seat
        mover = int64(setting.team[seat])
        begin_turn(setting, table, dealer)
        hand = dealer.hands[seat, : table.hand_size[seat]]
        if any_playable(setting, table, mover, hand):
            move = choose_by_lines(setting, table, seat, hand, owns[mover])
            make_play(setting, table, dealer, seat, move >> 7, move & 127)
            if table.sequences[mover] >= setting.sequences_to_win:
                return 1.0 if mover == team else 0.0
            refill(setting, table, dealer, seat, move >> 7)
        if table.idle >= setting.players or table.turn >= setting.max_turns:
            return 1.0 / setting.teams
        table.seat = seat + 1 if seat + 1 < setting.players else 0
    return chance(setting, table, dealer, owns, team, features)


@kernel
def chance(
    setting: Setting, table: Table, dealer: Dealer, owns: Owns, team: Int, features: Any
) -> float:
    """Return the team's estimated chance to win. Modifies the bots' memories and `features`."""
    total, own = 0.0, 0.0
    for other in range(setting.teams):
        strength = np.exp(_strength(setting, table, dealer, owns[other].memory, other, features))
        total += strength
        if other == team:
            own = strength
    return own / total


@kernel
def _strength(
    setting: Setting, table: Table, dealer: Dealer, memory: Memory, team: Int, features: Any
) -> float:
    note_features(setting, table, dealer, memory, team, features)
    total = 0.0
    for i in range(FEATURES):
        total += features[i] * FITTED[setting.teams - 2, i]
    return total


def start_with_line_bots(setting: Setting, params: Params) -> Memory:
    """Return the memory of `planner`, and behind it that of the line bots of playouts, `tuned`."""
    line_bot = start_values(setting, TUNED_WEIGHTS, params)
    return np.concatenate([start_planner(setting, params), line_bot])


FITTED = np.array(
    [
        [1.799, 0.269, 0.066, 0.024, 0.986, 0.314, 0.934, 0.51, 0.163, 0.532, 0.011, -0.002],
        [1.799, 0.369, 0.04, 0.019, 1.343, 0.602, 0.686, 0.363, 0.167, 1.257, 0.369, 0.04],
    ]
)
"""For two teams and for three, fitted to 12,000 positions of games for two and to 30,000 each of
games for three and for six, between `tuned` bots, one position a game.

With three teams one sequence wins, so what a scored one is worth there is that of two teams. Terms
for the team that moves next but one, or for whether any line can be filled, lower the loss by less
than .003 of .92.
"""


@kernel
def note_features(
    setting: Setting, table: Table, dealer: Dealer, memory: Memory, team: Int, features: Any
) -> None:
    """Fill in what a team's strength is made of (FEATURES). Modifies `features` and the memory."""
    catch_up(setting, table, team, memory)
    words = memory.view(np.uint64)
    length = np.uint64(setting.line_length)
    for i in range(FEATURES):
        features[i] = 0.0
    for number in range(setting.n_tracks):
        states = words[np.uint64(number)]
        for needs in range(1, 4):
            marked = own_lines(states, length - np.uint64(needs))
            features[needs] += int64(((marked >> _U7) * _EACH) >> _U56)
    features[0] = table.sequences[team]
    for seat in range(team, setting.players, setting.teams):
        for slot in range(table.hand_size[seat]):
            card = dealer.hands[seat, slot]
            features[6] += setting.kind[card] == TWO_EYED
            features[7] += setting.kind[card] == ONE_EYED
            for i in range(2):
                space = setting.spaces_of[card, i]
                if table.chip[space] == OPEN:
                    for k in range(4):
                        states = words[np.uint64(setting.tracks[space, k])]
                        through = setting.on_track[space, k] << _U7
                        features[4] += (own_lines(states, length - _U1) & through) != 0
                        features[5] += (own_lines(states, length - _U2) & through) != 0
    features[8] = setting.team[table.seat] == team
    features[9] = features[8] * (features[4] > 0)
    match = table.sequences[team] >= setting.sequences_to_win - 1
    features[10] = match * features[1]
    features[11] = match * features[2]


@inlined_kernel
def own_lines(states: np.uint64, chips: np.uint64) -> np.uint64:
    """Return bit 7 of each byte that is the state of an own line with so many chips."""
    # A line with chips of two opponents has bit 7 set. Without it no byte carries into the next.
    low = states & _ALL_LOW
    plain = low ^ ((chips << _U3) * _EACH)
    corner = low ^ (((chips << _U3) + np.uint64(65)) * _EACH)
    return ~((plain + _ALL_LOW) & (corner + _ALL_LOW) | states) & _TOP
