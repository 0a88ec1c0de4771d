"""What is done to a hand: by the definition, and nothing else with it."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from helpers import Desk, scaled

from simcore.cards import ONE_EYED, PLAIN, TWO_EYED
from simcore.dealer import deal_hands, shuffle_deal
from simcore.intervention import intervene, treated_seats
from simcore.rules import Rules
from simcore.setting import INTERVENTIONS
from simcore.table import clear_table

RULES = [Rules(), Rules(players=6, teams=3), Rules(deal="single_deck"), Rules(players=12)]
SEED = 5


def dealt(desk: Desk, deal: int) -> tuple[list[list[int]], list[int]]:
    """Return the hands and the cards to come."""
    hands = [
        desk.dealer.hands[seat, : desk.table.hand_size[seat]].tolist()
        for seat in range(desk.rules.players)
    ]
    return hands, to_come(desk)


def to_come(desk: Desk) -> list[int]:
    dealer = desk.dealer
    return [
        int(card)
        for pack in range(1 + int(desk.setting.single_deck))
        for seat in range(desk.rules.players)
        for card in dealer.lanes[pack, dealer.front[pack, seat] : dealer.end[pack, seat]]
    ]


def before_and_after(desk: Desk, deal: int, what: str) -> tuple[Any, Any]:
    with np.errstate(over="ignore"):
        shuffle_deal(desk.setting, desk.dealer, SEED, deal)
        clear_table(desk.setting, desk.table, int(desk.dealer.first_seat))
        deal_hands(desk.setting, desk.table, desk.dealer)
        before = dealt(desk, deal)
        desk.setting.intervention = INTERVENTIONS.index(what)
        intervene(desk.setting, desk.table, desk.dealer)
    return before, dealt(desk, deal)


@pytest.mark.parametrize("rules", RULES, ids=lambda r: f"{r.players}in{r.teams}-{r.deal}")
@pytest.mark.parametrize("what", ["two_eyed", "one_eyed"])
def test_a_plain_card_changes_places_with_a_jack_to_come(rules: Rules, what: str) -> None:
    desk, wanted = Desk(rules), TWO_EYED if what == "two_eyed" else ONE_EYED
    kind = desk.setting.kind
    deals = scaled(100)
    treated = treated_seats(SEED, 0, deals, rules.players)
    left_out = 0
    for deal in range(deals):
        (hands, coming), (new_hands, new_coming) = before_and_after(desk, deal, what)
        seat = int(treated[deal])
        if not any(kind[card] == wanted for card in coming):
            left_out += 1
            assert (hands, coming) == (new_hands, new_coming)
            continue
        assert all(
            a == b for s, (a, b) in enumerate(zip(hands, new_hands, strict=True)) if s != seat
        )
        gone, came = Counter(hands[seat]), Counter(new_hands[seat])
        (lost,), (won,) = list((gone - came).elements()), list((came - gone).elements())
        assert kind[lost] == PLAIN
        assert kind[won] == wanted
        assert Counter(new_coming) == Counter(coming) - Counter([won]) + Counter([lost])
    assert left_out < deals / 2


def test_every_slot_and_every_jack_has_its_chance() -> None:
    desk = Desk(Rules())
    slots: Counter[int] = Counter()
    share: list[float] = []
    for deal in range(scaled(700)):
        (hands, coming), (new_hands, new_coming) = before_and_after(desk, deal, "two_eyed")
        changed = [(s, i) for s in range(2) for i in range(7) if hands[s][i] != new_hands[s][i]]
        if not changed:
            continue
        slots[changed[0][1]] += 1
        jacks = [i for i, card in enumerate(coming) if desk.setting.kind[card] == TWO_EYED]
        (taken,) = [n for n, i in enumerate(jacks) if new_coming[i] != coming[i]]
        share.append((taken + 0.5) / len(jacks))
    n = sum(slots.values())
    if n > 500:
        expected = n / 7
        assert sum((slots[i] - expected) ** 2 / expected for i in range(7)) < 22.5  # p = .001
    assert abs(np.mean(share) - 0.5) < 4 * 0.3 / np.sqrt(n)


def test_one_card_more_is_the_next_of_the_lane() -> None:
    desk = Desk(Rules(players=3, teams=3))
    treated = treated_seats(SEED, 0, 20, 3)
    for deal in range(scaled(20)):
        (hands, coming), (new_hands, new_coming) = before_and_after(desk, deal, "card")
        seat = int(treated[deal])
        assert new_hands[seat][:-1] == hands[seat]
        assert len(new_coming) == len(coming) - 1
        assert Counter(coming) - Counter(new_coming) == Counter([new_hands[seat][-1]])
        assert hands[:seat] + hands[seat + 1 :] == new_hands[:seat] + new_hands[seat + 1 :]


def test_seats_are_drawn_evenly() -> None:
    counts = np.bincount(treated_seats(3, 0, 6000, 6), minlength=6)
    assert (abs(counts - 1000) < 4 * np.sqrt(1000 * 5 / 6)).all()
    assert treated_seats(3, 100, 50, 6).tolist() == treated_seats(3, 0, 150, 6)[100:].tolist()
