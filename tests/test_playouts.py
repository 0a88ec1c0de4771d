"""What `search` and others stand on: samples of the unseen, and playouts by line bots."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from helpers import Desk, scaled

from simcore.cards import CARDS
from simcore.dealer import DEALER, deal_hands, shuffle_deal
from simcore.moves import is_legal
from simcore.rng import bot_stream_start
from simcore.rules import Rules
from simcore.setting import SLOTS
from simcore.strategy import OWN, find_strategy, make_strategy
from simcore.table import CORNER, OPEN, clear_table
from strategies import planner, tuned
from strategies.candidates import LISTING, list_moves, put_first
from strategies.playouts import (
    FEATURES,
    chance,
    note_features,
    play_out,
    sample_unseen,
    start_line_bots,
    start_with_line_bots,
)

Array = npt.NDArray[Any]


def stopped(rules: Rules, turns: int, seed: int) -> Desk:
    """Return a desk at which a game of `tuned` has gone on for some turns."""
    desk = Desk(rules, (tuned.BOT,))
    desk.setting.max_turns = turns
    desk.run(seed, 0, log=0)
    desk.setting.max_turns = rules.max_turns
    desk.table.seat = (desk.table.seat + 1) % rules.players
    return desk


def line_bots(desk: Desk) -> Array:
    owns = np.zeros(desk.rules.teams, OWN)
    params = make_strategy(planner.BOT, {}).all_params()
    memory = start_with_line_bots(desk.setting, params)
    start_line_bots(desk.setting, desk.table, memory, owns)
    return owns


RULES = [
    Rules(),
    Rules(players=4, reshuffle=False),
    Rules(players=6, teams=3, two_eyed_jacks=8),
    Rules(deal="single_deck", extra_cards=(0, 2)),
]


@pytest.mark.parametrize("rules", RULES, ids=lambda r: f"{r.players}in{r.teams}")
def test_a_sample_deals_what_is_unseen(rules: Rules) -> None:
    desk = stopped(rules, 30, seed=3)
    table, seat = desk.table, int(desk.table.seat)
    hand = desk.dealer.hands[seat, : table.hand_size[seat]].copy()
    before = table.tobytes()
    deck = Counter(
        int(card)
        for card, present in zip(desk.setting.slot_card, desk.setting.slot_present, strict=True)
        if present
    )
    seen = Counter({card: int(table.discarded[card]) for card in range(CARDS)}) + Counter(
        map(int, hand)
    )
    pool, gone, stream = np.zeros(SLOTS, np.uint8), np.zeros(CARDS, np.uint8), np.array([7], "u8")
    places: dict[int, set[int]] = {}
    for _ in range(scaled(200)):
        dealer = np.zeros(1, DEALER)[0]
        with np.errstate(over="ignore"):
            sample_unseen(desk.setting, table, dealer, seat, hand, stream, pool, gone)
        sizes = [int(table.hand_size[other]) for other in range(rules.players)]
        hands = [dealer.hands[other, : sizes[other]].tolist() for other in range(rules.players)]
        assert hands[seat] == hand.tolist()
        others = [card for other, cards in enumerate(hands) if other != seat for card in cards]
        lanes = [
            dealer.lanes[0, dealer.front[0, other] : dealer.end[0, other]].tolist()
            for other in range(rules.players)
        ]
        pile = [card for lane in lanes for card in lane]
        assert len(pile) == table.pile == dealer.left[0]
        assert Counter(others) + Counter(pile) == deck - seen
        for card in set(others):
            places.setdefault(card, set()).add(1)
    assert set(places) == set(deck - seen) or scaled(200) < 200
    assert table.tobytes() == before


def played_out(desk: Desk, owns: Array, team: int) -> float:
    with np.errstate(over="ignore"):
        args = (desk.setting, desk.table, desk.dealer, owns, team, 2000, np.zeros(FEATURES))
        return float(play_out(*args))


@pytest.mark.parametrize(
    "change", [{}, {"dead_card_exchanges": -1}, {"sequences_to_win": 3}, {"reshuffle": False}]
)
def test_a_playout_is_the_game_that_the_engine_plays(change: dict[str, Any]) -> None:
    """With the true cards and streams, two line bots play the very same game."""
    rules = Rules(**change)
    desk = Desk(rules, (tuned.BOT,))
    for deal in range(scaled(60)):
        played = desk.run(5, deal, log=0).game
        shuffle_deal(desk.setting, desk.dealer, 5, deal)
        clear_table(desk.setting, desk.table, int(played.first_seat))
        deal_hands(desk.setting, desk.table, desk.dealer)
        owns = line_bots(desk)
        for seat in range(2):
            owns[seat].stream[0] = bot_stream_start(5, deal, seat)
        found = played_out(desk, owns, 0)
        assert found == (0.5 if played.winner < 0 else float(played.winner == 0))
        assert desk.table.turn == played.turns


@pytest.mark.parametrize("rules", RULES[:3], ids=lambda r: f"{r.players}in{r.teams}")
def test_features_count_the_own_lines_of_a_board(rules: Rules) -> None:
    """Lines with chips of two opponents once were counted as own ones, all over the board."""
    seen: set[int] = set()
    for seed in range(scaled(20)):
        desk = stopped(rules, 10 + 2 * seed, seed)
        owns, features = line_bots(desk), np.zeros(FEATURES)
        if desk.table.sequences.any():
            continue
        spaces = desk.setting.line[: desk.setting.n_lines, : rules.line_length]
        chips = desk.table.chip[spaces]
        corners = (chips == CORNER).sum(axis=1)
        for team in range(rules.teams):
            own = (chips == team + 1).sum(axis=1)
            free = own + corners + (chips == OPEN).sum(axis=1) == rules.line_length
            note_features(desk.setting, desk.table, desk.dealer, owns[team].memory, team, features)
            for needs in (1, 2, 3):
                wanted = int((free & (own + corners == rules.line_length - needs)).sum())
                assert features[needs] == wanted
                seen.add(wanted)
    assert len(seen) > 3


@pytest.mark.parametrize("rules", RULES, ids=lambda r: f"{r.players}in{r.teams}")
def test_chances_of_all_teams_add_up(rules: Rules) -> None:
    desk = stopped(rules, 25, seed=1)
    owns, features = line_bots(desk), np.zeros(FEATURES)
    args = (desk.setting, desk.table, desk.dealer, owns)
    chances = [chance(*args, team, features) for team in range(rules.teams)]
    assert sum(chances) == pytest.approx(1)
    assert all(0 < one < 1 for one in chances)


def test_a_scored_sequence_is_a_better_chance() -> None:
    desk = stopped(Rules(), 20, seed=1)
    owns, features = line_bots(desk), np.zeros(FEATURES)
    before = chance(desk.setting, desk.table, desk.dealer, owns, 0, features)
    desk.table.sequences[0] += 1
    assert chance(desk.setting, desk.table, desk.dealer, owns, 0, features) > before + 0.1


def test_moves_are_legal_and_differ() -> None:
    for seed in range(scaled(30)):
        desk = stopped(Rules(two_eyed_jacks=8), 12 + seed, seed)
        seat = int(desk.table.seat)
        hand = desk.dealer.hands[seat, : desk.table.hand_size[seat]].copy()
        hand.flags.writeable = False
        own = np.zeros(1, OWN)[0]
        params = make_strategy(planner.BOT, {}).all_params()
        start = planner.BOT.start(desk.setting, params)
        own.memory[: len(start)] = start
        first = planner.BOT.choose(desk.setting, desk.table, seat, hand, own)
        listing = np.zeros(1, LISTING)[0]
        list_moves(desk.setting, desk.table, seat, hand, own.memory, True, 9, listing)
        put_first(desk.setting, hand, listing, first)
        moves = listing.move[: listing.size]
        assert moves[0] == first
        assert 1 <= len(moves) <= 9
        assert (np.diff(listing.worth[1 : listing.size]) <= 0).all()
        told = {(int(hand[move >> 7]), int(move & 127)) for move in moves}
        assert len(told) == len(moves)
        for move in moves:
            assert is_legal(desk.setting, desk.table, seat, hand, move >> 7, move & 127)


def test_a_search_without_trust_plays_as_its_prior() -> None:
    """The free test: whoever never leaves the first choice scores exactly one half against it."""
    from simcore import simulate

    both = ["search:playouts=20,doubt=1000", "planner"]
    run = simulate(both, games=max(2, scaled(16)), seed=2)
    score = run.seats.groupby("strategy", observed=True)["score"].mean()
    assert score[both[0]] == 0.5


def test_a_search_is_the_same_again() -> None:
    strategy = find_strategy("search:playouts=30")
    from simcore import simulate

    runs = [
        simulate([strategy], games=4, seed=3, threads=n, design="none", part_games=2)
        for n in (1, 2)
    ]
    assert runs[0].games.equals(runs[1].games)
