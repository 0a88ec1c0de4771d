"""The engine against the referee, move by move: both were written from the rules alone."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import types
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import naive
import numpy as np
import pytest
from helpers import (
    BOTS,
    JIT,
    RANDOM,
    TABLES,
    Desk,
    Played,
    list_plays,
    random_change,
    scaled,
    single_changes,
    variant,
)

from simcore import book, dealer, engine, moves, sequences, turn
from simcore.board import DIRECTIONS, lines
from simcore.cards import NAMES
from simcore.records import (
    EVENT_ROW,
    GAME_ROW,
    JACK_ROW,
    NO_FAULT,
    NOTED_SEQUENCES,
    SEAT_ROW,
    SEQUENCE_ROW,
)
from simcore.replay import REASONS, line_names
from simcore.rules import MAX_SEATS, Rules, RulesError
from simcore.strategy import Bot
from simcore.table import CORNER, OPEN, is_dead

KINDS = {1: "two-eyed", 2: "one-eyed"}
PURPOSES = ("completes", "blocks", "builds", "removes", "other", "held")
CORNER_NAMES = {"A1", "A10", "J1", "J10"}
KEYS = {  # of every event, to the letter
    "start": "do format rules board strategies seed deal game first_seat hands",
    "exchange": "turn seat do card",
    "place": "turn seat do card space",
    "remove": "turn seat do card space",
    "sequence": "turn seat do spaces",
    "reshuffle": "turn do cards",
    "draw": "turn seat do card",
    "forget": "turn seat do",
    "pass": "turn seat do",
    "table_talk": "turn do team",
    "forfeit": "turn seat do card",
    "end": "do winner reason turns sequences",
}


def desk(rules: Rules, rng: random.Random, bots: tuple[Bot, ...] = BOTS) -> Desk:
    """Return a table with any bots in any seats, and at times a rotating start.

    The first of BOTS sit there more often, since strong ones seldom need a reshuffle.
    """
    numbers = range(len(bots))
    seatings = [
        rng.choices(numbers, [len(bots) - n for n in numbers], k=MAX_SEATS) for _ in range(3)
    ]
    rotate = rules.first_seat == "cut" and rng.random() < 0.3
    return Desk(rules, bots, np.array(seatings), rotate)


def engine_rows(table: Desk, played: Played) -> dict[str, Any]:
    """Return the engine's rows of a game in the form of `naive.tally`."""
    rules = table.rules
    row, all_lines = played.game, lines(rules.line_length)
    end = int(row.turns)
    game = {"winner": int(row.winner), "reason": REASONS[row.reason], "turns": end}
    seats = []
    for seat, counts in enumerate(played.seats):
        team = seat % rules.teams
        won = float(team == row.winner) if row.winner >= 0 else 1 / rules.teams
        place = (seat - int(row.first_seat)) % rules.players
        numbers = {name: int(counts[name]) for name in counts.dtype.names}
        seats.append({"seat": seat, "team": team, "place": place, "score": won, **numbers})
    scored = []
    for each in played.sequences:
        corner = CORNER_NAMES.intersection(line_names(rules.line_length)[each["line"]])
        scored.append(
            {
                **{name: int(each[name]) for name in ("turn", "seat", "team", "line", "shared")},
                "direction": DIRECTIONS[all_lines.direction[each["line"]]],
                "corner": next(iter(corner), "none"),
                "winning": bool(each["winning"]),
            }
        )
    jacks = [
        {
            **{name: int(each[name]) for name in ("turn", "seat")},
            **{"kind": KINDS[each["kind"]], "purpose": PURPOSES[each["purpose"]]},
        }
        for each in played.jacks
    ]
    rows = {"game": game | {"reshuffles": int(row.reshuffles)}, "seats": seats}
    return rows | {"sequences": scored, "jacks": jacks}


def as_bag(rows: list[dict[str, Any]]) -> Counter[tuple[Any, ...]]:
    """Return rows without their order."""
    return Counter(tuple(sorted(row.items())) for row in rows)


def space_sums(table: Desk, played: Played) -> Any:
    """Return (bots, 100, 4) as the transcript has it: placed, removed, in (winning) sequences."""
    sums = np.zeros_like(table.notes.space)
    start, *events, end = played.events
    seating = table.seatings[start["game"] % len(table.seatings)]
    for event in events:
        if event["do"] in ("place", "remove"):
            index = 0 if event["do"] == "place" else 1
            sums[seating[event["seat"]], naive.number(event["space"]), index] += 1
        if event["do"] == "sequence":
            spaces = [naive.number(space) for space in event["spaces"]]
            sums[seating[event["seat"]], spaces, 2] += 1
            if end["reason"] == "sequences" and event["turn"] == end["turns"]:
                sums[seating[event["seat"]], spaces, 3] += 1
    return sums


def judge(table: Desk, seed: int, game: int) -> Played:
    """Play a game and let the referee judge every event and recount every row."""
    table.notes.space[:] = 0
    played = table.run(seed, game)
    start, *events = played.events
    for event in played.events:
        assert list(event) == KEYS[event["do"]].split()
    assert events[-1]["do"] == "end"
    due, got = naive.tally(start, events), engine_rows(table, played)
    assert got["game"] == due["game"]
    assert got["seats"] == [{key: row[key] for key in got["seats"][0]} for row in due["seats"]]
    assert due["seats"][0].keys() == got["seats"][0].keys()
    assert got["sequences"] == due["sequences"]
    assert as_bag(got["jacks"]) == as_bag(due["jacks"])
    assert [row["turn"] for row in got["jacks"]] == sorted(row["turn"] for row in due["jacks"])
    assert np.array_equal(table.notes.space, space_sums(table, played))
    deal, seating = divmod(game, len(table.seatings))
    for rows in (played.sequences, played.jacks):
        assert (rows["game"] == game).all()
        assert (rows["bot"] == table.seatings[seating][rows["seat"]]).all()
    assert (start["seed"], start["deal"], start["game"]) == (seed, deal, game)
    return played


def judge_one(players: int, teams: int, change: dict[str, Any], rng: random.Random) -> Played:
    """Judge any game of a variant; raises RulesError where its switches do not go together."""
    table = desk(variant(players, teams, change), rng)
    return judge(table, rng.randrange(2**63), rng.randrange(1000))


@pytest.mark.checked
@pytest.mark.parametrize(("players", "teams"), TABLES)
def test_each_switch_alone(players: int, teams: int) -> None:
    rng = random.Random(100 * players + teams)
    for change in single_changes()[:: 1 if JIT else 24]:
        played = judge_one(players, teams, change, rng)
        in_force = played.events[0] | played.events[0]["rules"]
        for name in change.keys() - {"board"}:
            given = change[name]
            assert in_force[name] == (list(given) if isinstance(given, tuple) else given)


@pytest.mark.parametrize(("players", "teams"), TABLES)
def test_switches_together(players: int, teams: int) -> None:
    rng = random.Random(1000 * players + teams)
    seen: Counter[str] = Counter()
    judged = 0
    while judged < scaled(60):
        try:
            played = judge_one(players, teams, random_change(rng), rng)
        except RulesError:  # too many cards to deal
            continue
        seen.update({event["do"] for event in played.events})
        judged += 1
    if JIT:
        never = {"table_talk", "forfeit"} if players == teams else set()
        assert KEYS.keys() - seen - {"reshuffle"} == never


@pytest.mark.parametrize(("players", "teams"), TABLES)
def test_standard_game(players: int, teams: int) -> None:
    reasons: Counter[str] = Counter()
    for number in range(scaled(12)):
        table = desk(Rules(players=players, teams=teams), random.Random(number))
        reasons[judge(table, number, 5 * number).events[-1]["reason"]] += 1
    assert reasons["sequences"] > 0.5 * reasons.total()


# Every position on the way.


def referee_positions(played: Played) -> Iterator[naive.Game]:
    """Yield the referee's game at the start of each turn (and once more at the end)."""
    start, *events = played.events
    game = naive.start(start)
    for event in events:
        if event.get("turn") != game.turn or game.phase == "start":
            continue_at = game.turn
            if event["do"] != "end" and game.phase == "start":
                yield game
                assert event["turn"] == continue_at
        game.apply(event)
    yield game


def check_position(table: Desk, game: naive.Game, seat: int, turns: int) -> None:
    """Compare the engine's records after some turns with the referee's position."""
    rules, now = table.rules, table.table
    assert now.turn == turns
    assert now.idle == game.idle
    assert now.pile == sum(len(pack) for pack in game.pile)
    assert Counter(np.repeat(NAMES, now.discarded).tolist()) == Counter(game.discards)
    chips = {space: int(now.chip[space]) - 1 for space in range(100)}
    corners = [space for space in chips if chips[space] == CORNER - 1]
    assert corners == list(naive.CORNERS)
    covered = {s: team for s, team in chips.items() if team != OPEN - 1 and s not in corners}
    assert covered == game.chips
    assert now.open_spaces == 96 - len(covered)
    for team in range(rules.teams):
        assert now.stock[team] == game.stock[team]
        assert now.removable[team] == sum(
            owner == team and not game.is_protected(space) for space, owner in game.chips.items()
        )
        own = [game.lines.index(line) for line in game.sequences[team]]
        assert now.sequence[team, : now.sequences[team]].tolist() == own
        marked = {space for line in game.sequences[team] for space in line}
        assert {space for space in range(100) if now.scored[space] >> team & 1} == marked
        at = table.setting.line_track.astype(int) * 8 + table.setting.line_shift // 8
        counts = now.count[team].view(np.uint8)[at]
        for number, line in enumerate(game.lines):
            held = sum(game.counts_for(team, space) for space in line)
            if rules.free_corners or not set(line) & set(naive.CORNERS):
                assert counts[number] == held
    for holder in range(rules.players):
        hand = table.dealer.hands[holder, : now.hand_size[holder]]
        assert sorted(NAMES[card] for card in hand) == sorted(game.hands[holder])
        dead = {NAMES[card] for card in hand if is_dead(now, card)}
        assert dead == game.dead_cards(holder)
    hand = table.dealer.hands[seat, : now.hand_size[seat]]
    legal = np.zeros((len(hand), 100), np.bool_)
    playable = np.zeros(len(hand), np.bool_)
    list_plays(table.setting, now, seat % rules.teams, hand, legal, playable)
    plays = {(NAMES[hand[slot]], int(space)) for slot, space in np.argwhere(legal)}
    due = {(card, space) for card, space, _ in game.legal_moves()}
    assert plays == due
    for slot, card in enumerate(hand):
        assert legal[slot].any() == any(NAMES[card] == played for played, _ in due)
        assert legal[slot].any() == playable[slot]
    assert moves.any_playable(table.setting, now, seat % rules.teams, hand) == bool(due)
    for slot, space in ((-1, 50), (len(hand), 50), (0, -1), (0, 100), (0, 127), (2**40, 3)):
        assert not moves.is_legal(table.setting, now, seat % rules.teams, hand, slot, space)


POSITIONS: tuple[dict[str, Any], ...] = (
    {},
    {"one_eyed_removes": "any", "sequences_protected": False, "line_length": 4},
    {"chips": (9, 7, 8), "reshuffle": False, "one_eyed_jacks": 8, "max_turns": 150},
    {"free_corners": False, "shared_spaces": 4, "sequences_to_win": 4, "board": "wedge"},
    {"dead_card_exchanges": -1, "forget_draw": 0.05, "table_talk": 0.02, "deal": "single_deck"},
    {"line_length": 6, "sequences_to_win": 3, "shared_spaces": 0, "two_eyed_jacks": 8},
)


@pytest.mark.checked
@pytest.mark.parametrize("number_of_table", range(len(TABLES)) if JIT else (0, 4))
@pytest.mark.parametrize("half", [0, 1])
def test_every_position(number_of_table: int, half: int) -> None:
    """Every table at two of the variants; together they meet each variant at several tables."""
    change = POSITIONS[(number_of_table + 3 * half) % len(POSITIONS)]
    rng = random.Random(10 * number_of_table + half)
    table = desk(variant(*TABLES[number_of_table], change), rng)
    seed, number = rng.randrange(2**40), rng.randrange(99)
    played = judge(table, seed, number)
    last = played.game.turns
    step = 1 if JIT else 20
    for turns, game in enumerate(referee_positions(played)):
        if turns % step and turns < last:
            continue
        # Nothing but the end depends on max_turns, so that the game can be stopped anywhere.
        table.setting.max_turns = turns
        if 0 < turns <= last:
            table.run(seed, number, log=0)
            check_position(table, game, game.seat, turns)
    assert game.phase == "over"


# Runs of games.


def test_a_run_is_its_games() -> None:
    """Rows do not depend on which games are played in one call."""
    rng = random.Random(5)
    table = desk(variant(4, 2, {"table_talk": 0.1, "forget_draw": 0.1}), rng)
    games = 9 if JIT else 2
    together = table.run(3, 0, games, log=0)
    sequences_seen, jacks_seen = 0, 0
    for game in range(games):
        alone = table.run(3, game, log=0)
        assert alone.game == together.game[game]
        assert (alone.seats == together.seats[4 * game : 4 * game + 4]).all()
        rows = together.sequences[sequences_seen:][: len(alone.sequences)]
        assert (alone.sequences == rows).all()
        sequences_seen += len(alone.sequences)
        assert (alone.jacks == together.jacks[jacks_seen:][: len(alone.jacks)]).all()
        jacks_seen += len(alone.jacks)
    assert sequences_seen == len(together.sequences)
    assert jacks_seen == len(together.jacks)


@pytest.mark.parametrize("first_seat", ["cut", 2])
def test_rotation_moves_the_start_only(first_seat: str | int) -> None:
    seatings = np.zeros((3, MAX_SEATS), np.int64)
    rules = Rules(players=3, first_seat=first_seat)
    table = Desk(rules, (RANDOM,), seatings, rotate=True)
    for deal in range(scaled(20)):
        games = [table.run(8, 3 * deal + k).events[0] for k in range(3)]
        first = games[0]["first_seat"]
        assert first_seat in ("cut", first)
        assert [game["first_seat"] for game in games] == [(first + k) % 3 for k in range(3)]
        assert games[0]["hands"] == games[1]["hands"] == games[2]["hands"]


def test_first_seat_is_uniform_by_the_cut() -> None:
    table = Desk(Rules(players=4))
    record = table.dealer
    n = 8000 if JIT else 100
    cuts: Counter[int] = Counter()
    for deal in range(n):
        dealer.shuffle_deal(table.setting, record, 11, deal)
        cuts[int(record.first_seat)] += 1
    assert set(cuts) == set(range(4))
    # Four standard deviations of a binomial.
    assert all(abs(cuts[seat] - n / 4) < 4 * (n * 3 / 16) ** 0.5 for seat in range(4))


def test_stops_before_a_game_without_room() -> None:
    table = Desk(Rules(players=2, max_turns=30))
    used = np.zeros(4, np.int64)
    fault = engine.play_games(
        *(table.setting, table.table, table.dealer, table.bench, table.notes),
        *(*table.functions, table.seatings, False, 1, 0),
        *(np.zeros(5, GAME_ROW), np.zeros(10, SEAT_ROW)),
        np.zeros(NOTED_SEQUENCES - 1, SEQUENCE_ROW),
        *(np.zeros(1000, JACK_ROW), np.zeros(0, EVENT_ROW), used),
    )
    assert fault == NO_FAULT
    assert used.tolist() == [0, 0, 0, 0]


# Compilation.

KERNELS = (
    *(engine.play_games, dealer.shuffle_deal, dealer.deal_hands, dealer.draw, turn.make_play),
    *(turn.refill, turn.discard, turn.close_slot, moves.is_legal, moves.any_playable),
    *(sequences.score_space, book.note_event, book.note_jack, book.note_sequences),
)
COUNT_SIGNATURES = """
import json
from helpers import Desk
from test_engine import KERNELS, Rules
Desk(Rules(players=2)).run(1, 0)
print(json.dumps({kernel.__name__: len(kernel.signatures) for kernel in KERNELS}))
"""


def count_signatures(**environment: str) -> dict[str, int]:
    """Play a game in a process of its own and count there how often each kernel was compiled.

    In this process other tests have called kernels with all kinds of numbers.
    """
    here = Path(__file__).resolve().parent
    path = os.pathsep.join([str(here.parent), str(here)])
    done = subprocess.run(
        [sys.executable, "-c", COUNT_SIGNATURES],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"PYTHONPATH": path} | environment,
    )
    counts: dict[str, int] = json.loads(done.stdout)
    return counts


def test_kernels_are_compiled_at_most_once() -> None:
    """Numba compiles anew for every mixture of integer types, which costs seconds at the start.

    Kernels that come out of the cache inside of others are not counted.
    """
    if not JIT:
        assert {type(kernel) for kernel in KERNELS} == {types.FunctionType}
        return
    counts = count_signatures()
    assert counts["play_games"] == 1
    assert max(counts.values()) == 1


@pytest.mark.slow
def test_kernels_are_compiled_once_from_nothing(tmp_path: Path) -> None:
    """The same with an empty cache, where all kernels are counted."""
    if not JIT:
        assert {type(kernel) for kernel in KERNELS} == {types.FunctionType}
        return
    counts = count_signatures(NUMBA_CACHE_DIR=str(tmp_path), NUMBA_OPT="0")
    assert counts == {kernel.__name__: 1 for kernel in KERNELS}
