"""What holds in every position of every game, whatever the rules."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
from helpers import BOTS, JIT, SWITCHES, TABLES, Desk, variant
from hypothesis import given, settings
from hypothesis import strategies as st

from simcore import simulate
from simcore.frames import COLUMNS
from simcore.rules import MAX_SEATS, Rules
from simcore.table import CORNER, OPEN

EXAMPLES = settings(max_examples=60 if JIT else 15, deadline=None, derandomize=True)

CHANGES = st.lists(
    st.sampled_from([(name, value) for name, values in SWITCHES for value in values]),
    max_size=4,
    unique_by=lambda pair: pair[0],
).map(dict)


@st.composite
def rule_settings(draw: st.DrawFn) -> Rules:
    return variant(*draw(st.sampled_from(TABLES)), draw(CHANGES))


@st.composite
def positions(draw: st.DrawFn) -> tuple[Desk, int, int]:
    """Return a desk with bots in any seats, a seed, and a turn that its game reaches."""
    seats = draw(st.lists(st.integers(0, len(BOTS) - 1), min_size=MAX_SEATS, max_size=MAX_SEATS))
    desk = Desk(draw(rule_settings()), BOTS, np.array([seats]))
    seed = draw(st.integers(0, 2**40))
    turns = int(desk.run(seed, 0, log=0).game["turns"])
    return desk, seed, draw(st.integers(1, turns))


def stop_after(desk: Desk, seed: int, turns: int) -> Any:
    """Play a game up to a turn and return a copy of its table and dealer."""
    desk.setting.max_turns = turns
    desk.run(seed, 0, log=0)
    return desk.table.copy(), desk.dealer.copy()


def owners(table: Any) -> list[int]:
    """Return the team on each space, -1 where there is none."""
    return [-1 if chip in (OPEN, CORNER) else int(chip) - 1 for chip in table.chip]


@EXAMPLES
@given(positions())
def test_chips_are_conserved(position: tuple[Desk, int, int]) -> None:
    """A team's chips are on the board or in its stock (rules 6.5)."""
    desk, seed, turns = position
    table, _ = stop_after(desk, seed, turns)
    on_board = Counter(owners(table))
    for team in range(desk.rules.teams):
        assert table.stock[team] >= 0
        assert table.stock[team] + on_board[team] == desk.rules.chips[team]
    assert table.open_spaces == on_board[-1] - 4


@EXAMPLES
@given(positions())
def test_cards_are_conserved(position: tuple[Desk, int, int]) -> None:
    """Every card of the deck is in a hand, in the pile or on the discards (rules 3, 10.1)."""
    desk, seed, turns = position
    table, dealer = stop_after(desk, seed, turns)
    setting, cards = desk.setting, Counter[int]()
    for pack in range(2 if dealer.left[1] else 1):
        for seat in range(desk.rules.players):
            lane = dealer.lanes[pack, dealer.front[pack, seat] : dealer.end[pack, seat]]
            cards.update(lane.tolist())
    assert cards.total() == table.pile
    for seat in range(desk.rules.players):
        cards.update(dealer.hands[seat, : table.hand_size[seat]].tolist())
    for card, count in enumerate(table.discarded.tolist()):
        cards[card] += count
    deck = Counter(setting.slot_card[setting.slot_present > 0].tolist())
    assert +cards == deck


@EXAMPLES
@given(positions())
def test_a_hand_never_grows(position: tuple[Desk, int, int]) -> None:
    """Not beyond what was dealt (rules 3.3, 3.4, 5.1)."""
    desk, seed, turns = position
    table, _ = stop_after(desk, seed, turns)
    for place, dealt in enumerate(desk.rules.hands()):
        seat = (int(table.first_seat) + place) % desk.rules.players
        assert 0 <= table.hand_size[seat] <= dealt


@EXAMPLES
@given(positions())
def test_a_turn_changes_one_space_and_takes_no_score(position: tuple[Desk, int, int]) -> None:
    """Scores never fall, scored lines stay, and a protected chip never leaves (rules 6.3, 8.3)."""
    desk, seed, turns = position
    after, _ = stop_after(desk, seed, turns)
    if turns == 1:
        return
    before, _ = stop_after(desk, seed, turns - 1)
    was, now = owners(before), owners(after)
    changed = [space for space in range(100) if was[space] != now[space]]
    assert len(changed) <= 1
    for space in changed:
        assert -1 in (was[space], now[space])
        assert not (desk.rules.sequences_protected and before.scored[space])
    assert (before.scored & ~after.scored == 0).all()
    for team in range(desk.rules.teams):
        count = before.sequences[team]
        assert after.sequences[team] >= count
        assert (after.sequence[team, :count] == before.sequence[team, :count]).all()


@settings(max_examples=12 if JIT else 2, deadline=None, derandomize=True)
@given(rule_settings(), st.integers(0, 2**40), st.integers(2, 4))
def test_the_same_seed_is_the_same_game_under_any_threads(
    rules: Rules, seed: int, threads: int
) -> None:
    bots = ["random", "balanced"]
    one = simulate(bots, 6, seed, rules, threads=1)
    many = simulate(bots, 6, seed, rules, threads=threads, part_games=2)
    for name in COLUMNS:
        pd.testing.assert_frame_equal(getattr(one, name), getattr(many, name))
