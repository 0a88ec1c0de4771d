"""How many ways a game can go on: the kernels' steps against the oracle's, move by move.

A way is the exchanges and plays of the next turns, told apart by card and space; each seat draws
the same cards whichever way is gone. One wrong target, missed dead card, win or pass anywhere below
a position changes its count.
"""

from __future__ import annotations

import copy
import random
from typing import Any

import naive
import numpy as np
import pytest
from helpers import BOTS, JIT, TABLES, Desk, list_plays, random_change, variant

from simcore.board import SPACES
from simcore.cards import NAMES
from simcore.dealer import can_draw
from simcore.moves import any_playable
from simcore.rules import MAX_SEATS, Rules
from simcore.table import is_dead
from simcore.turn import close_slot, discard, make_play, refill

Cards = list[list[str]]
"""The cards that each seat will draw."""


def by_kernels(
    desk: Desk, table: Any, dealer: Any, seat: int, depth: int, exchanges: int = 0
) -> int:
    """Count the ways on from a seat that is to move, with records of its own."""
    setting, players = desk.setting, desk.rules.players
    team, after = seat % desk.rules.teams, (seat + 1) % players
    hand = dealer.hands[seat, : table.hand_size[seat]].copy()
    count = 0
    for slot, card in enumerate(hand):
        fresh = card not in hand[:slot]
        if fresh and exchanges < setting.exchanges and is_dead(table, card) and table.pile > 0:
            t, d = table.copy(), dealer.copy()
            discard(t, d, seat, slot)
            refill(setting, t, d, seat, slot)
            t.idle = -1  # a pass now is not idle
            count += by_kernels(desk, t, d, seat, depth, exchanges + 1)
    if not any_playable(setting, table, team, hand):
        table = table.copy()
        table.idle += 1
        if table.idle >= players:
            return count + 1
        return count + (1 if depth == 1 else by_kernels(desk, table, dealer, after, depth - 1))
    legal = np.zeros((len(hand), SPACES), np.bool_)
    list_plays(setting, table, team, hand, legal, np.zeros(len(hand), np.bool_))
    for slot, space in np.argwhere(legal):
        if hand[slot] in hand[:slot]:
            continue
        if depth == 1:
            count += 1
            continue
        t, d = table.copy(), dealer.copy()
        make_play(setting, t, d, seat, int(slot), int(space))
        if t.sequences[team] >= setting.sequences_to_win:
            count += 1
            continue
        if can_draw(setting, t):
            refill(setting, t, d, seat, int(slot))
        else:
            close_slot(t, d, seat, int(slot))
        count += by_kernels(desk, t, d, after, depth - 1)
    return count


def by_oracle(game: naive.Game, cards: Cards, depth: int) -> int:
    """Count the same with the oracle."""
    count = 0
    if game.may_exchange() and any(game.pile):
        for card in game.dead_cards(game.seat):
            count += by_oracle(*went_on(game, cards, {"do": "exchange", "card": card}), depth)
    moves = game.legal_moves()
    events = [{"do": do, "card": card, "space": naive.name(space)} for card, space, do in moves]
    for event in events or [{"do": "pass"}]:
        if depth == 1:
            count += 1
            continue
        after, left = went_on(game, cards, event)
        count += 1 if after.phase == "end" else by_oracle(after, left, depth - 1)
    return count


def went_on(game: naive.Game, cards: Cards, event: dict[str, Any]) -> tuple[naive.Game, Cards]:
    """Return copies of game and cards after an event and what it brings with it."""
    game, cards = copied(game), [list(own) for own in cards]
    seat = game.seat

    def apply(**event: Any) -> None:
        game.apply({"turn": game.turn, "seat": seat, **event})

    apply(**event)
    while game.phase in ("score", "draw", "replace"):
        if game.phase == "score":
            apply(do="sequence", spaces=[naive.name(space) for space in game.owed[0]])
        else:
            apply(do="draw", card=cards[seat].pop(0))
    return game, cards


def copied(game: naive.Game) -> naive.Game:
    """Return a copy that shares what never changes."""
    other = copy.copy(game)
    for name in ("hands", "chips", "stock", "sequences", "pile", "discards", "owed"):
        setattr(other, name, copy.deepcopy(getattr(game, name)))
    return other


def position(rules: Rules, seed: int, turns: int) -> tuple[Desk, naive.Game] | None:
    """Return a desk and the oracle's game after some turns, None if the game was shorter."""
    rng = random.Random(seed)
    seats = np.array([[rng.randrange(len(BOTS)) for _ in range(MAX_SEATS)]])
    desk = Desk(rules, BOTS, seats)
    header, *events = desk.run(seed, 0).events
    game = naive.start(header)
    for event in events:
        if event.get("turn", 10**6) > turns:
            break
        game.apply(event)
    if events[-1]["turns"] <= turns:
        return None
    desk.setting.max_turns = turns
    desk.run(seed, 0, log=0)
    desk.setting.max_turns = rules.max_turns
    return desk, game


def unseen(desk: Desk, per_seat: int) -> Cards | None:
    """Return what each seat draws next, or None where lanes end: other seats' cards come then."""
    dealer, found = desk.dealer, []
    pack = 1 if dealer.left[0] == 0 else 0
    for seat in range(desk.rules.players):
        front, end = dealer.front[pack, seat], dealer.end[pack, seat]
        if end - front < per_seat:
            return None
        found.append([NAMES[card] for card in dealer.lanes[pack, front:end]])
    return found


FIXED = [  # players, teams, change, seed, turns, depth, ways
    (2, 2, {}, 1, 1, 3, 1316),
    (2, 2, {}, 2, 30, 2, 1104),
    (2, 2, {"one_eyed_removes": "any", "one_eyed_jacks": 8}, 13, 24, 2, 130),
    (2, 2, {"dead_card_exchanges": -1, "line_length": 6}, 4, 62, 3, 496),
    (3, 3, {}, 5, 30, 3, 6189),
    (4, 2, {"deal": "single_deck"}, 6, 12, 3, 13248),
    (6, 3, {"free_corners": False}, 7, 36, 3, 3680),
    (12, 3, {"sequences_protected": False}, 8, 12, 2, 78),
]


@pytest.mark.parametrize(("players", "teams", "change", "seed", "turns", "depth", "ways"), FIXED)
def test_fixed_positions(
    players: int, teams: int, change: dict[str, Any], seed: int, turns: int, depth: int, ways: int
) -> None:
    """The counts of both, written down: they change with the rules or the seeds only."""
    found = position(Rules(players=players, teams=teams, **change), seed, turns)
    assert found is not None
    desk, game = found
    depth = depth if JIT else 1
    cards = unseen(desk, depth + 1)
    assert cards is not None
    count = by_kernels(desk, desk.table, desk.dealer, game.seat, depth)
    assert count == by_oracle(game, cards, depth)
    if JIT:
        assert count == ways


PLAIN = {"table_talk": 0, "forget_draw": 0, "max_turns": 500}


def test_random_positions() -> None:
    """Any rules, any table, two turns deep."""
    rng, compared = random.Random(12), 0
    while compared < (25 if JIT else 6):
        rules = variant(*rng.choice(TABLES), random_change(rng) | PLAIN)
        found = position(rules, rng.randrange(10**6), rng.randrange(1, 90))
        cards = found and unseen(found[0], 6)
        if found is None or cards is None:
            continue
        compared += 1
        desk, game = found
        count = by_kernels(desk, desk.table, desk.dealer, game.seat, 2 if JIT else 1)
        assert count == by_oracle(game, cards, 2 if JIT else 1)
