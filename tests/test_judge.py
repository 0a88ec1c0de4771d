"""The judge of transcripts against the referee, damaged games, and files nobody vouches for."""

from __future__ import annotations

import io
import itertools
import json
import random
import subprocess
import sys
import tracemalloc
from collections import Counter
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import naive
import numpy as np
import pytest
from damage import DAMAGES, Lines, referee_game, sample, stops
from helpers import BOTS, JIT, TABLES, Desk, single_changes, variant
from hypothesis import example, given, settings
from hypothesis import strategies as st

import cli
from simcore.headers import Setup, geometry
from simcore.judge import Finding, judge
from simcore.referee import Game, largest_set
from simcore.rules import MAX_SEATS, Rules
from simcore.transcripts import MAX_LINE, SHAPES, Breach

ROOT = Path(__file__).resolve().parent.parent


def as_bytes(lines: Lines) -> bytes:
    """Return a transcript as a file has it."""
    return b"".join(json.dumps(event).encode() + b"\n" for event in lines)


def verdicts(data: bytes) -> list[Finding | None]:
    """Return what the judge says to a file, game by game."""
    return list(judge(io.BytesIO(data)))


def only(data: bytes) -> Finding:
    """Return the one finding in a file of one game."""
    (finding,) = verdicts(data)
    assert finding is not None
    return finding


RICH = Rules(players=4, table_talk=0.08, forget_draw=0.08, dead_card_exchanges=-1, max_turns=400,
             sequences_to_win=3, free_corners=False)  # fmt: skip


@pytest.fixture(scope="module")
def rich() -> Lines:
    """Return a game that is won and in which everything happens."""
    for seed in range(50):
        lines = referee_game(RICH, random.Random(seed))
        if {event["do"] for event in lines} == SHAPES.keys() and lines[-1]["winner"] is not None:
            return lines
    raise AssertionError("no such game")


# Legal games.


def desk_games(rules: Rules, seed: int) -> Lines:
    """Return a game of each bot, one behind the other."""
    seatings = np.repeat(np.arange(len(BOTS))[:, None], MAX_SEATS, axis=1)
    table = Desk(rules, BOTS, seatings)
    return [line for number in range(len(BOTS)) for line in table.run(seed, number).events]


def test_games_of_the_engine_are_legal() -> None:
    """At every table, and with each switch at each of its values, games of every bot."""
    every = [variant(*table, {}) for table in TABLES]
    every += [variant(*TABLES[n % 10], change) for n, change in enumerate(single_changes())]
    chosen = every if JIT else every[::12]
    lines = [line for n, rules in enumerate(chosen) for line in desk_games(rules, n)]
    assert verdicts(as_bytes(lines)) == [None] * (len(BOTS) * len(chosen))


def test_games_of_the_referee_are_legal() -> None:
    """Under rules at random, from a program that shares nothing with the engine."""
    games = [sample(seed) for seed in range(GAMES)]
    assert verdicts(b"".join(map(as_bytes, games))) == [None] * len(games)
    reasons = {lines[-1]["reason"] for lines in games}
    assert reasons == set(naive.ENDS)
    assert {event["do"] for lines in games for event in lines} == SHAPES.keys()


def test_no_compiled_code_is_imported() -> None:
    words = "import sys, simcore.judge; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", words], cwd=ROOT).returncode == 0


# Damaged games.

GAMES, EACH = 60, 2

LEGAL = {
    # What no rule asks for: seed, deal and game, and the strategies' names. All of these are legal.
    "number": 60,
    "strategy": 60,
    # Another card was dealt or drawn that was still to come, and the one that is now missing was
    # never played, exchanged or forfeited by that seat, nor the new one drawn later on.
    "card dealt": 7,
    "card drawn": 21,
    # Another card of the hand was given up, and neither was used later.
    "card given up": 1,
    # The chip went to another open space, or another chip was taken: as good a choice, unless a
    # later line asks for one of the two spaces, or a sequence comes of it or not.
    "space": 5,
    "twin space": 49,
    # Two spaces of the layout changed places on which nothing was played but by jacks.
    "layout": 17,
    # A switch that this game never came to: exchanges, protection, chances of slips, and so on.
    "rule": 23,
    # Another of the largest sets of lines was scored (rules 8.3), and the rest went on with it.
    "line scored": 2,
}
"""How many damages of a kind leave a legal game, and why; of the other kinds none does."""

SAME_CLAUSE = {("8.3", "8.1"), ("8.3", "8.2"), ("5.1", "9.1")}
"""The referee tells all wrong sequences as 8.3, and a draw that must be forgotten as 5.1."""


def make_damages(lines: Lines, rng: random.Random) -> list[tuple[str, int, Lines]]:
    """Return EACH of every kind of damage: kind, first line changed (from 0), transcript."""
    made = []
    for kind, damage in DAMAGES.items():
        changed = ((at, damage(rng, lines, at)) for at in rng.sample(range(len(lines)), len(lines)))
        good = ((kind, at, some) for at, some in changed if some is not None and some != lines)
        made += list(itertools.islice(good, EACH))
    return made


def check_damages(lines: Lines, rng: random.Random) -> tuple[Counter[str], Counter[str]]:
    """Judge a file of damaged games; return how many there are, and how many legal, by kind.

    Every finding must name the game, the line where the referee stops, and its clause.
    """
    made = make_damages(lines, rng)
    wanted = stops(lines, [(at, some) for _, at, some in made])
    # One file, so that each time the judge must find the next game again. The start line of the
    # first may be lost: then the rest of a game stands before any start, and is one.
    beheaded = [n for n, (_, at, some) in enumerate(made) if at == 0 and some[0]["do"] != "start"]
    doubled = [n for n, (kind, at, _) in enumerate(made) if at == 0 and kind == "line doubled"]
    file, offset, expected = [], 0, []
    for number, (kind, at, some) in enumerate(made):
        stop = wanted[number]
        if number in beheaded + doubled:
            first = verdicts(as_bytes(some))[0]
            assert first is not None
            assert stop is not None
            assert (first.game, first.line, first.clause) == (1, stop.line, stop.clause)
            continue
        file.append(as_bytes(some))
        expected.append((kind, at, stop, offset))
        offset += len(some)
    found = verdicts(b"".join(file))
    assert len(found) == len(expected)
    for number, (finding, (kind, at, stop, before)) in enumerate(zip(found, expected, strict=True)):
        what = (kind, at, stop, finding)
        assert (finding is None) == (stop is None), what
        if finding is None or stop is None:
            continue
        assert (finding.game, finding.line) == (number + 1, before + stop.line), what
        assert finding.clause == stop.clause or (stop.clause, finding.clause) in SAME_CLAUSE, what
    kinds = Counter(kind for kind, _, _ in made)
    return kinds, Counter(made[n][0] for n, stop in enumerate(wanted) if stop is None)


def test_the_first_line_that_can_not_stand_is_named() -> None:
    """Over 2,000 games with one damage each are judged as the referee does.

    The referee is another program, which takes the events one by one. Some damages leave a legal
    game: LEGAL counts and explains them.
    """
    kinds, legal = Counter[str](), Counter[str]()
    for seed in range(GAMES):
        more, fine = check_damages(sample(seed), random.Random(seed))
        kinds += more
        legal += fine
    assert kinds.keys() == DAMAGES.keys()
    assert min(kinds.values()) >= 20
    assert sum(kinds.values()) > 2000
    assert legal == LEGAL


def test_damaged_games_of_strong_bots_are_judged_alike() -> None:
    table = Desk(Rules(), (BOTS[-1],))
    kinds = Counter[str]()
    for number in range(6 if JIT else 1):
        kinds += check_damages(table.run(5, number).events, random.Random(number))[0]
    assert kinds["sequence dropped"] >= 2
    assert kinds["winner"] > 0


# One event at a time.


def position(zero: str = "", one: str = "", hand: str = "", **changes: Any) -> Game:
    """Return a game with chips of teams 0 and 1 on the board; seat 0 is to move with a hand."""
    rules = Rules(**{"hand_size": 1} | changes)
    switches = {k: v for k, v in rules.settings().items() if k not in ("board", "first_seat")}
    deck = iter(naive.PLAIN[:48])
    hands = [[next(deck) for _ in range(rules.hand_size)] for _ in range(rules.players)]
    game = Game(Setup(switches, BOARD), 0, hands)
    game.hands[0] = hand.split()
    for team, spaces in enumerate((zero, one)):
        for each in map(naive.number, spaces.split()):
            game.owner[each] = team
            game.chips[team] |= 1 << each
    return game


def play(game: Game, do: str, **more: Any) -> None:
    """Let an event of the seat to move happen."""
    keys = {"turn": game.turn, "seat": game.seat, "do": do} | more
    game.apply({k: v for k, v in keys.items() if k in SHAPES[do] or k == "do"})


def refusal(game: Game, do: str, **more: Any) -> str | None:
    """Return the clause that forbids an event of the seat to move, None if it may stand."""
    try:
        play(game, do, **more)
    except Breach as breach:
        return breach.clause
    return None


BOARD = Rules().load_board().rows()
INNER = [space for n, space in enumerate(naive.SPACES) if n not in naive.CORNERS]
FULL = " ".join(INNER)
DEAD = "2S"
BOTH = " ".join(s for s, card in zip(naive.SPACES, itertools.chain(*BOARD), strict=True)
                if card == DEAD)  # fmt: skip
FIRST, SECOND = BOTH.split()


@pytest.mark.parametrize(
    ("where", "do", "more", "clause"),
    [
        ({"hand": "2S"}, "place", {"card": "2S", "space": FIRST}, None),
        ({"hand": "2S"}, "place", {"card": "2S", "space": SECOND}, None),
        ({"hand": "2S"}, "place", {"card": "2S", "space": "A1"}, "6.1"),
        ({"hand": "2S", "zero": FIRST}, "place", {"card": "2S", "space": FIRST}, "6.1"),
        ({"hand": "2S", "one": FIRST}, "place", {"card": "2S", "space": FIRST}, "6.1"),
        ({"hand": "3S"}, "place", {"card": "3S", "space": FIRST}, "6.1"),
        ({"hand": "3S"}, "place", {"card": "2S", "space": FIRST}, "5.1"),
        ({"hand": "3S"}, "place", {"card": "1S", "space": FIRST}, "3.1"),
        ({"hand": "2S"}, "place", {"card": "2S", "space": "A0"}, "2.1"),
        ({"hand": "2S"}, "place", {"card": "2S", "space": "A02"}, "2.1"),
        ({"hand": "JD"}, "place", {"card": "JD", "space": "E5"}, None),
        ({"hand": "JD"}, "place", {"card": "JD", "space": "A1"}, "6.2"),
        ({"hand": "JD", "free_corners": False}, "place", {"card": "JD", "space": "J10"}, "6.2"),
        ({"hand": "JD", "one": "E5"}, "place", {"card": "JD", "space": "E5"}, "6.2"),
        ({"hand": "JS"}, "place", {"card": "JS", "space": "E5"}, "6.3"),
        ({"hand": "JS", "one": "E5"}, "remove", {"card": "JS", "space": "E5"}, None),
        ({"hand": "JD", "one": "E5"}, "remove", {"card": "JD", "space": "E5"}, "6.3"),
        ({"hand": "2S", "one": FIRST}, "remove", {"card": "2S", "space": FIRST}, "6.3"),
        ({"hand": "JS"}, "remove", {"card": "JS", "space": "E5"}, "6.3"),
        ({"hand": "JS", "one": "E5"}, "remove", {"card": "JS", "space": "A1"}, "6.3"),
        ({"hand": "JS", "zero": "E5"}, "remove", {"card": "JS", "space": "E5"}, "6.3"),
        ({"hand": "JS", "zero": "E5", "one_eyed_removes": "any"}, "remove",
         {"card": "JS", "space": "E5"}, None),
        # Passing.
        ({"hand": ""}, "pass", {}, None),
        ({"hand": "2S"}, "pass", {}, "5.3"),
        ({"hand": "2S", "one": FIRST}, "pass", {}, "5.3"),
        ({"hand": "2S", "one": BOTH}, "pass", {}, None),
        ({"hand": "JS"}, "pass", {}, None),
        ({"hand": "JS", "zero": "E5"}, "pass", {}, None),
        ({"hand": "JS", "zero": "E5", "one_eyed_removes": "any"}, "pass", {}, "5.3"),
        ({"hand": "JS", "one": "E5"}, "pass", {}, "5.3"),
        ({"hand": "JD", "one": FULL}, "pass", {}, None),
        ({"hand": "JD", "one": FULL[:-3]}, "pass", {}, "5.3"),
        # Dead cards.
        ({"hand": "2S", "one": BOTH}, "exchange", {"card": "2S"}, None),
        ({"hand": "2S", "one": FIRST, "zero": SECOND}, "exchange", {"card": "2S"}, None),
        ({"hand": "2S", "one": FIRST}, "exchange", {"card": "2S"}, "7.1"),
        ({"hand": "2S"}, "exchange", {"card": "2S"}, "7.1"),
        ({"hand": "3S", "one": BOTH}, "exchange", {"card": "2S"}, "7.1"),
        ({"hand": "JD", "one": FULL}, "exchange", {"card": "JD"}, "7.1"),
        ({"hand": "JS", "one": FULL}, "exchange", {"card": "JS"}, "7.1"),
        ({"hand": "2S", "one": BOTH, "dead_card_exchanges": 0}, "exchange", {"card": "2S"}, "7.2"),
        # Table talk.
        ({"hand": "2S", "players": 4}, "table_talk", {"team": 0}, "9.2"),
        ({"hand": "2S", "players": 4, "table_talk": 0.5}, "table_talk", {"team": 0}, None),
        ({"hand": "2S", "players": 4, "table_talk": 0.5}, "table_talk", {"team": 1}, "9.2"),
        ({"hand": "2S", "players": 4, "table_talk": 0.5}, "table_talk", {"team": 2}, "9.2"),
        ({"hand": "2S", "table_talk": 0.5}, "table_talk", {"team": 0}, "9.2"),
        ({"hand": "", "players": 4, "table_talk": 0.5}, "table_talk", {"team": 0}, None),
        ({"hand": "2S", "players": 4, "table_talk": 1.0}, "place", {"card": "2S", "space": FIRST},
         "9.2"),
        # What can not come first.
        ({"hand": "2S"}, "draw", {"card": "3S"}, "5.1"),
        ({"hand": "2S"}, "forget", {}, "9.1"),
        ({"hand": "2S"}, "forfeit", {"card": "2S"}, "9.2"),
        ({"hand": "2S"}, "reshuffle", {"cards": 0}, "10.1"),
        ({"hand": "2S"}, "sequence", {"spaces": ["E1", "E2", "E3", "E4", "E5"]}, "8.3"),
    ],
    ids=lambda value: str(value)[:30],
)  # fmt: skip
def test_what_may_happen_at_the_start_of_a_turn(
    where: dict[str, Any], do: str, more: dict[str, Any], clause: str | None
) -> None:
    assert refusal(position(**where), do, **more) == clause


def test_chips_that_are_on_the_board_are_gone() -> None:
    """Until they are taken off (rules 6.5); then no card but a one-eyed jack can be played."""
    game = position(hand="2S", chips=(1, 1))
    game.stock[0] = 0
    assert refusal(game, "place", card="2S", space=FIRST) == "6.5"
    game = position(hand="2S JD", chips=(1, 1))
    game.stock[0] = 0
    assert refusal(game, "pass") is None
    game = position(hand="JS", one="E5", chips=(1, 1))
    game.stock = [0, 0]
    assert refusal(game, "remove", card="JS", space="E5") is None
    assert game.stock == [0, 1]


def test_chips_of_a_sequence_are_protected() -> None:
    for protected in (True, False):
        game = position("E1 E2 E3 E4 F9", hand="JD", sequences_protected=protected)
        play(game, "place", card="JD", space="E5")
        play(game, "sequence", spaces=row("E1", "E5"))
        play(game, "draw", card="9C")
        game.hands[1] = ["JS"]
        clause = refusal(game, "remove", card="JS", space="E3")
        assert clause == ("6.3" if protected else None)
        game = position("E1 E2 E3 E4", hand="JD", sequences_protected=protected)
        play(game, "place", card="JD", space="E5")
        play(game, "sequence", spaces=row("E1", "E5"))
        play(game, "draw", card="9C")
        game.hands[1] = ["JS"]
        assert refusal(game, "pass") == (None if protected else "5.3")


def test_exchanges_of_a_turn() -> None:
    """One, two, or as many as there are cards in the deck (rules 7.2)."""
    for limit, allowed in ((1, 1), (2, 2), (-1, 96)):
        none = {"two_eyed_jacks": 0, "one_eyed_jacks": 0}
        game = position(one=FULL, hand="2S", dead_card_exchanges=limit, **none)
        for _ in range(allowed):
            (card,) = game.hands[0]
            assert refusal(game, "exchange", card=card) is None
            if not game.pile:
                play(game, "reshuffle", cards=len(game.discards))
            play(game, "draw", card=next(iter(game.pile)))
        assert refusal(game, "exchange", card=game.hands[0][0]) == "7.2"


def test_an_exchange_needs_a_card_to_draw() -> None:
    for reshuffle in (True, False):
        game = position(one=FULL, hand="2S", reshuffle=reshuffle)
        game.pile = {}
        assert refusal(game, "exchange", card="2S") == (None if reshuffle else "7.2")


def test_a_turn_with_an_exchange_is_not_idle() -> None:
    """Two passes in a row end a game of two, unless one came after an exchange (rules 10.2)."""
    for exchanged in (True, False):
        game = position(one=FULL, hand="2S")
        game.hands[1] = ["3S"]
        play(game, "pass")
        if exchanged:
            play(game, "exchange", card="3S")
            play(game, "draw", card="4S")
        play(game, "pass")
        assert (game.phase.clause == "10.2") == (not exchanged)
        if exchanged:
            play(game, "pass")
            assert game.phase.clause == ""
            play(game, "pass")
            assert game.phase.clause == "10.2"


def test_the_pile_and_the_discards() -> None:
    """A reshuffle is due exactly before a draw from an empty pile (rules 10.1)."""
    game = position(hand="2S")
    game.pile = {"3S": 1}
    play(game, "place", card="2S", space=FIRST)
    assert refusal(game, "reshuffle", cards=1) == "10.1"
    assert refusal(game, "draw", card="4S") == "10.1"
    play(game, "draw", card="3S")
    game.hands[1] = ["4H"]
    play(game, "place", card="4H", space=naive.SPACES[[*itertools.chain(*BOARD)].index("4H")])
    with pytest.raises(Breach, match="due is a reshuffle"):
        play(game, "draw", card="2S")
    assert refusal(game, "reshuffle", cards=1) == "10.1"
    play(game, "reshuffle", cards=2)
    assert refusal(game, "reshuffle", cards=0) == "10.1"
    assert refusal(game, "forget") == "10.1"
    assert refusal(game, "draw", card="3S") == "10.1"
    play(game, "draw", card="2S")
    assert (game.turn, game.pile, game.discards) == (3, {"4H": 1}, [])


def test_no_draw_from_nothing() -> None:
    game = position(hand="2S", reshuffle=False)
    game.pile = {}
    play(game, "place", card="2S", space=FIRST)
    assert (game.turn, game.seat) == (2, 1)


def test_the_first_pack_before_the_second() -> None:
    """Of each card one copy is in each pack (rules 3.2)."""
    game = position(hand="JD", deal="single_deck")
    game.pile = {"3S": 1}
    play(game, "place", card="JD", space="E5")
    assert refusal(game, "draw", card="4S") == "3.2"
    play(game, "draw", card="3S")
    game.hands[1] = ["JC"]
    play(game, "place", card="JC", space="E6")
    assert refusal(game, "draw", card="JH") is None
    # All of the first pack is dealt.
    game = position(players=8, hand_size=6, two_eyed_jacks=0, one_eyed_jacks=0, hand="JD",
                    deal="single_deck")  # fmt: skip
    play(game, "place", card="JD", space="E5")
    assert refusal(game, "draw", card="AC") is None


def test_what_is_forgotten() -> None:
    for chance, drawn, forgotten in ((0.0, None, "9.1"), (0.5, None, None), (1.0, "9.1", None)):
        for do, more, clause in (("draw", {"card": "9C"}, drawn), ("forget", {}, forgotten)):
            game = position(hand="2S", forget_draw=chance)
            play(game, "place", card="2S", space=FIRST)
            assert refusal(game, do, **more) == clause
        game = position(one=FULL, hand="2S", forget_draw=chance)
        play(game, "exchange", card="2S")
        assert refusal(game, "forget") == "7.2"
        assert refusal(game, "draw", card="9C") is None


def test_forfeits_of_the_team_in_seat_order() -> None:
    """Members without a card are passed over, and play goes on without another talk (rules 9.2)."""
    for chance in (0.5, 1.0):
        game = position(players=6, hand="2S", table_talk=chance)
        game.hands[2], game.hands[4] = [], ["5H", "6H"]
        play(game, "table_talk", team=0)
        assert refusal(game, "place", card="2S", space=FIRST) == "9.2"
        assert refusal(game, "forfeit", seat=4, card="5H") == "9.2"
        play(game, "forfeit", seat=0, card="2S")
        assert refusal(game, "forfeit", seat=2, card="5H") == "9.2"
        play(game, "forfeit", seat=4, card="5H")
        assert refusal(game, "table_talk", team=0) == "9.2"
        play(game, "pass")
        assert (game.seat, game.discards) == (1, ["2S", "5H"])
        game.hands[1] = ["2S"]
        clause = refusal(game, "place", card="2S", space=FIRST)
        assert clause == ("9.2" if chance == 1 else None)


# The largest sets of lines (rules 8.3).


def scoring(zero: str, space: str, **changes: Any) -> Game:
    """Return a game in which team 0, with chips on some spaces, has just placed JD on another."""
    game = position(zero, hand="JD", **changes)
    play(game, "place", card="JD", space=space)
    return game


def row(first: str, last: str) -> list[str]:
    """Return the names of the spaces from one to another in a row, a column or a diagonal."""
    start, stop = naive.number(first), naive.number(last)
    for step in (1, 10, 11, 9, -1, -10, -11, -9):
        spaces = [start + step * n for n in range(6)]
        if stop in spaces:
            return [naive.name(each) for each in spaces[: spaces.index(stop) + 1]]
    raise AssertionError(first, last)


def score(game: Game, *ends: str) -> tuple[int, str] | None:
    """Score lines told like E1-E5 and then draw; return which is refused, from 0, and the clause.

    None if all may stand. After a win the draw is left out.
    """
    for number, each in enumerate([*ends, "draw"]):
        if each == "draw" and game.phase.clause == "8.5":
            continue
        if each == "draw":
            clause = refusal(game, "draw", card="9C")
        else:
            clause = refusal(game, "sequence", spaces=row(*each.split("-")))
        if clause is not None:
            return number, clause
    return None


NINE = "E1 E2 E3 E4 E6 E7 E8 E9"
SIX = "E2 E3 E4 E6 E7"
CROSS = "E3 E4 E6 E7 C5 D5 F5 G5"


@pytest.mark.parametrize(
    ("zero", "changes", "told", "refused"),
    [
        # One set of two in a row of nine, in any order and from either end.
        (NINE, {}, ["E1-E5", "E5-E9"], None),
        (NINE, {}, ["E5-E9", "E1-E5"], None),
        (NINE, {}, ["E5-E1", "E9-E5"], None),
        (NINE, {}, ["E2-E6"], (0, "8.3")),
        (NINE, {}, ["E1-E5"], (1, "8.3")),
        (NINE, {}, [], (0, "8.3")),
        (NINE, {}, ["E1-E5", "E1-E5"], (1, "8.2")),
        (NINE, {}, ["E1-E5", "E4-E8"], (1, "8.2")),
        (NINE, {"sequences_to_win": 4}, ["E1-E5", "E5-E9"], None),
        (NINE, {"sequences_to_win": 4}, ["E1-E5", "E5-E9", "E2-E6"], (2, "8.3")),
        # Either of two, but not both.
        (SIX, {}, ["E2-E6"], None),
        (SIX, {}, ["E3-E7"], None),
        (SIX, {}, ["E2-E6", "E3-E7"], (1, "8.3")),
        (SIX, {}, ["E4-E8"], (0, "8.1")),
        (SIX, {"shared_spaces": 4, "sequences_to_win": 3}, ["E3-E7", "E2-E6"], None),
        (SIX, {"shared_spaces": 4, "sequences_to_win": 3}, ["E3-E7"], (1, "8.3")),
        # A row and a column: both, or either if they may share no space.
        (CROSS, {}, ["E3-E7", "C5-G5"], None),
        (CROSS, {}, ["C5-G5", "E3-E7"], None),
        (CROSS, {}, ["C5-G5"], (1, "8.3")),
        (CROSS, {"shared_spaces": 0}, ["E3-E7"], None),
        (CROSS, {"shared_spaces": 0}, ["C5-G5"], None),
        (CROSS, {"shared_spaces": 0}, ["C5-G5", "E3-E7"], (1, "8.3")),
        # None at all.
        ("E2 E3 E4", {}, [], None),
        ("E2 E3 E4", {}, ["E2-E6"], (0, "8.3")),
        # Old lines do not score again.
        ("E2 E3 E4 E6 A2 A3 A4 A5", {}, ["A1-A5"], (0, "8.3")),
        # No line, or not a whole one.
        ("E2 E3 E4 E6", {}, ["E2-E5"], (0, "8.1")),
        ("E2 E3 E4 E6", {}, ["E1-E6"], (0, "8.1")),
    ],
)  # fmt: skip
def test_any_largest_set_scores_and_no_other(
    zero: str, changes: dict[str, Any], told: list[str], refused: tuple[int, str] | None
) -> None:
    assert score(scoring(zero, "E5", **changes), *told) == refused


@pytest.mark.parametrize(
    "spaces",
    [["E2", "E4", "E3", "E5", "E6"], ["E2"] * 5, ["E2", "E3", "E4", "E5", "Z9"], [],
     ["E6", "E7", "E8", "E9", "E10", "F1"], ["H9", "H10", "I1", "I2", "I3"]],
)  # fmt: skip
def test_a_sequence_is_a_straight_row(spaces: list[str]) -> None:
    game = scoring("E2 E3 E4 E6", "E5")
    assert refusal(game, "sequence", spaces=spaces) == "8.1"


@settings(deadline=None, derandomize=True, max_examples=300)
@given(st.data())
def test_largest_set_is_the_largest(data: st.DataObject) -> None:
    """Against every set of some of the lines through a space."""
    length = data.draw(st.integers(4, 6))
    space = data.draw(st.integers(0, 99))
    shared = data.draw(st.integers(0, length - 1))
    through = geometry(length).through[space]
    some = [line for line in through if data.draw(st.integers(0, 2)) == 0][:10]
    sizes = [
        len(chosen)
        for size in range(len(some) + 1)
        for chosen in itertools.combinations(some, size)
        if all((a & b).bit_count() <= shared for a, b in itertools.combinations(chosen, 2))
    ]
    assert largest_set(some, shared) == max(sizes)


def test_geometry_is_that_of_the_referee() -> None:
    for length in (4, 5, 6):
        through, named = geometry(length)
        for space in range(100):
            lines = [line for line in naive.lines(length) if space in line]
            assert through[space] == tuple(sum(1 << each for each in line) for line in lines)
        assert len(named) == 2 * len(naive.lines(length))


# The header.


def changed(lines: Lines, **change: Any) -> bytes:
    """Return a transcript with another header."""
    return as_bytes([lines[0] | change, *lines[1:]])


def with_rules(lines: Lines, **change: Any) -> bytes:
    """Return a transcript with other switches."""
    return changed(lines, rules=lines[0]["rules"] | change)


WRONG_RULES: list[tuple[str, Any, str]] = [
    ("players", 5, "1.1"), ("players", 2.0, "1.1"), ("players", True, "1.1"),
    ("players", None, "1.1"), ("players", 10**400, "1.1"), ("teams", 3, "1.2"),
    ("teams", None, "1.2"), ("teams", [2], "1.2"), ("two_eyed_jacks", 9, "3.1"),
    ("one_eyed_jacks", -1, "3.1"), ("deal", "cut", "3.2"), ("deal", 1, "3.2"),
    ("hand_size", 11, "3.3"), ("hand_size", None, "3.3"), ("extra_cards", [1] * 5, "3.4"),
    ("extra_cards", [True], "3.4"), ("extra_cards", [[]], "3.4"), ("extra_cards", 3, "3.4"),
    ("one_eyed_removes", "all", "6.3"), ("sequences_protected", 1, "6.3"), ("chips", [50], "6.5"),
    ("chips", [50, 0], "6.5"), ("chips", [1, 2, 3, 4], "6.5"), ("chips", {"a": 1}, "6.5"),
    ("dead_card_exchanges", -2, "7.2"), ("line_length", 7, "8.1"), ("free_corners", "yes", "8.1"),
    ("shared_spaces", 5, "8.2"), ("sequences_to_win", 0, "8.5"), ("sequences_to_win", None, "8.5"),
    ("forget_draw", 1.5, "9.1"), ("forget_draw", "0", "9.1"), ("table_talk", -0.1, "9.2"),
    ("reshuffle", 0, "10.1"), ("reshuffle", None, "10.1"), ("max_turns", 0, "10.3"),
    ("max_turns", 1.0, "10.3"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "value", "clause"), WRONG_RULES, ids=lambda v: str(v)[:20])
def test_rules_are_checked(rich: Lines, name: str, value: Any, clause: str) -> None:
    finding = only(with_rules(rich, **{name: value}))
    assert (finding.line, finding.clause, finding.header_game) == (1, clause, 0)
    assert name in finding.message


def test_every_rule_is_there_and_no_other(rich: Lines) -> None:
    names = {f.name for f in fields(Rules)} - {"board", "first_seat"}
    assert {name for name, *_ in WRONG_RULES} == rich[0]["rules"].keys() == names
    for name in names:
        rules = {k: v for k, v in rich[0]["rules"].items() if k != name}
        finding = only(changed(rich, rules=rules))
        assert (finding.line, finding.clause) == (1, "transcript")
        assert finding.message == f"start: rules: no {name}"
    for name in ("board", "first_seat", "colour"):
        assert only(with_rules(rich, **{name: "cut"})).message == (
            f"start: rules: unknown key '{name}'"
        )


def test_good_rules_after_the_same_with_other_types(rich: Lines) -> None:
    """True is not 1 and 2.0 is not 2, though Python calls them equal."""
    good = as_bytes(rich)
    files = [good, with_rules(rich, players=4.0), good, with_rules(rich, free_corners=1), good]
    assert [found is None for found in verdicts(b"".join(files))] == [1, 0, 1, 0, 1]


@pytest.mark.parametrize(
    ("change", "clause"),
    [
        ({"format": "sequence-lab/2"}, "transcript"),
        ({"format": None}, "transcript"),
        ({"seed": -1}, "transcript"),
        ({"deal": 1.0}, "transcript"),
        ({"game": False}, "transcript"),
        ({"strategies": ["a", "b", "c"]}, "transcript"),
        ({"strategies": ["a", "b", "c", 4]}, "transcript"),
        ({"first_seat": 4}, "4.1"),
        ({"first_seat": -1}, "4.1"),
        ({"first_seat": "cut"}, "transcript"),
        ({"board": BOARD[:9]}, "2.2"),
        ({"board": [row[::-1] for row in BOARD[:9]] + [BOARD[9][:9]]}, "2.2"),
        ({"board": [["2S", *BOARD[0][1:]], *BOARD[1:]]}, "2.2"),
        ({"board": [["**", "JS", *BOARD[0][2:]], *BOARD[1:]]}, "2.2"),
        ({"board": [["**", "3S", *BOARD[0][2:]], *BOARD[1:]]}, "2.2"),
        ({"board": [["**", 3, *BOARD[0][2:]], *BOARD[1:]]}, "transcript"),
        ({"board": [["**", ["2S"], *BOARD[0][2:]], *BOARD[1:]]}, "transcript"),
        ({"board": ["*" * 10] * 10}, "transcript"),
        ({"board": {}}, "transcript"),
        ({"rules": []}, "transcript"),
        ({"hands": [1, 2, 3, 4]}, "transcript"),
        ({"hands": [[None] * 6] * 4}, "transcript"),
        ({"hands": [["2S"] * 6] * 4}, "3.1"),
        ({"hands": [["2S", "3S", "4S", "5S", "6S", "7S"]] * 3}, "3.3"),
        ({"hands": [["2S", "3S", "4S", "5S", "6S"]] * 4}, "3.3"),
        ({"hands": [["2S"], ["2S"], [], ["2S"]]}, "3.3"),
        ({"hands": [["1S", "3S", "4S", "5S", "6S", "7S"]] * 4}, "3.1"),
        ({"extra": 1}, "transcript"),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_the_header_is_checked(rich: Lines, change: dict[str, Any], clause: str) -> None:
    finding = only(changed(rich, **change))
    assert (finding.line, finding.clause) == (1, clause)
    for key in rich[0].keys() - {"do"}:
        header = {k: v for k, v in rich[0].items() if k != key}
        assert only(as_bytes([header, *rich[1:]])).message == f"start: no {key}"


def dealt(hands: list[list[str]], **changes: Any) -> str | None:
    """Return the clause that a header with these hands breaks, None if it is good."""
    rules = Rules(**changes)
    switches = {k: v for k, v in rules.settings().items() if k not in ("board", "first_seat")}
    header = {"do": "start", "format": "sequence-lab/1", "rules": switches, "board": BOARD}
    header |= {"strategies": ["a"] * rules.players, "seed": 0, "deal": 0, "game": 0}
    finding = only(as_bytes([header | {"first_seat": 1, "hands": hands}]))
    return finding.clause if finding.line == 1 else None


@pytest.mark.parametrize(
    ("hands", "changes", "clause"),
    [
        ([["2S", "2S"], ["3S", "3S"]], {}, None),
        ([["2S", "2S"], ["2S", "3S"]], {}, "3.1"),
        ([["2S", "2S"], ["3S", "4S"]], {"deal": "single_deck"}, "3.2"),
        ([["2S", "3S"], ["4S", "5S"]], {"deal": "single_deck"}, None),
        # Two jacks of each suit, one of them in each pack.
        ([["JD", "JD"], ["JC", "JC"]], {}, None),
        ([["JD", "JC"], ["JD", "3S"]], {}, None),
        ([["JD", "JC"], ["JD", "JD"]], {}, "3.1"),
        ([["JD", "JC"], ["JS", "JH"]], {"deal": "single_deck"}, None),
        ([["JD", "JD"], ["JS", "JH"]], {"deal": "single_deck"}, "3.2"),
        # An odd one is JD or JS, and in the first pack.
        ([["JD", "2S"], ["JS", "2H"]], {"two_eyed_jacks": 1, "one_eyed_jacks": 1}, None),
        ([["JC", "2S"], ["JS", "2H"]], {"two_eyed_jacks": 1, "one_eyed_jacks": 1}, "3.1"),
        ([["JD", "JD"], ["JC", "2H"]], {"two_eyed_jacks": 5, "deal": "single_deck"}, None),
        ([["JD", "JC"], ["JC", "2H"]], {"two_eyed_jacks": 5, "deal": "single_deck"}, "3.2"),
        ([["JS", "2S"], ["3S", "4S"]], {"one_eyed_jacks": 0}, "3.1"),
        # The second place to move, seat 0 here, gets more.
        ([["2S", "3S", "4S"], ["5S", "6S"]], {"extra_cards": (0, 1)}, None),
        ([["2S", "3S"], ["4S", "5S", "6S"]], {"extra_cards": (0, 1)}, "3.4"),
    ],
    ids=str,
)
def test_hands_that_no_deck_could_deal(
    hands: list[list[str]], changes: dict[str, Any], clause: str | None
) -> None:
    assert dealt(hands, hand_size=2, **changes) == clause


# Lines.

ODD: tuple[Any, ...] = (None, True, 1.0, "x", "", [], {}, [[]], -1, 10**30, "2S\x1b[2J", "\ud800")


def test_wrong_values_are_found_on_their_line(rich: Lines) -> None:
    """Every key of every kind of event with values of all types, and without the key."""
    seen = set()
    for at, event in enumerate(rich):
        if event["do"] in seen:
            continue
        seen.add(event["do"])
        for key, odd in itertools.product(event, ODD):
            finding = verdicts(as_bytes([*rich[:at], event | {key: odd}, *rich[at + 1 :]]))[0]
            if event["do"] == "start" and key in ("seed", "deal", "game") and odd == 10**30:
                assert finding is None
                continue
            assert finding is not None, (event, key, odd)
            assert finding.line == at + 1
            wanted = {"do": (str,)} | SHAPES[event["do"]]
            if type(odd) not in wanted[key] or key == "do":
                assert finding.clause == "transcript"
        for key in event.keys() - {"do"}:
            less = {k: v for k, v in event.items() if k != key}
            finding = only(as_bytes([*rich[:at], less, *rich[at + 1 :]]))
            assert (finding.line, finding.clause) == (at + 1, "transcript")
            assert finding.message == f"{event['do']}: no {key}"
        finding = only(as_bytes([*rich[:at], event | {"why": 1}, *rich[at + 1 :]]))
        assert finding.message == f"{event['do']}: unknown key 'why'"
    assert seen == SHAPES.keys()


def test_findings_are_fit_for_a_terminal(rich: Lines) -> None:
    files = [with_rules(rich, chips=[1] * 10_000)]
    for text in ("\x1b]0;x\x07", "\u202e", "\n", "\ud800", "\x9b", "\u00e9", "x" * 100_000):
        for change in ({"do": text}, {text: 1}, {"card": text}, {"space": text}, {"turn": text}):
            line = rich[1] | {"do": "place", "card": "2S", "space": "A2"} | change
            files.append(as_bytes([rich[0], line]))
        files.append(with_rules(rich, deal=text))
        files.append(changed(rich, board=[["**", text, *BOARD[0][2:]], *BOARD[1:]]))
    for data in files:
        told = str(only(data))
        assert told.isascii()
        assert told.isprintable()
        assert len(told) < 400


DEEP = b'{"do": "place", "card": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (b"", None),
        (b" \t\r", None),
        (b"{", "no JSON"),
        (b'{"turn": 1, "seat": 0, "do": "place", "ca', "no JSON"),
        (b"\x00\xff\xfe", "no UTF-8 at byte 2"),
        (b'{"do": "pa\xc3"}', "no UTF-8 at byte 11"),
        (b'{"do": "pass"} {"do": "pass"}', "more after the end"),
        (b'{"do": "pass"},', "more after the end"),
        (b"[]", "a list, not an object"),
        (b"null", "null, not an object"),
        (b"3", "a whole number, not an object"),
        (b'"start"', "a text, not an object"),
        (b"{}", "no do"),
        (b'{"do": "dance"}', "no event: do is 'dance'"),
        (b'{"do": ["pass"]}', "no event: do is a list"),
        (b'{"do": "pass", "do": "pass"}', "a key stands twice"),
        (b'{"do": "pass", "turn": NaN}', "no JSON: NaN"),
        (b'{"do": "pass", "turn": -Infinity}', "no JSON: -Infinity"),
        (b'{"do": "pass", "turn": ' + b"9" * 5000 + b"}", "a number of thousands of digits"),
        (b'{"do": "pass", "turn": 1e999, "seat": 0}', "turn is Infinity"),
        (DEEP, "nested too deeply"),
        (b"[" * 200_000, "nested too deeply"),
        (b"x" * (MAX_LINE + 10), "a line of more than 1,000,000 bytes"),
        (b'{"do": "pass", "x": "' + b"y" * 3 * MAX_LINE + b'"}', "a line of more than"),
        (b"\xef\xbb\xbf{}", "no JSON"),
    ],
    ids=lambda value: repr(value)[:30],
)  # fmt: skip
def test_a_bad_line_is_found_and_the_next_game_judged(
    rich: Lines, line: bytes, told: str | None
) -> None:
    """In the middle of a game, where blank lines are passed over; and so again after its end."""
    good = as_bytes(rich)
    split = good.splitlines(keepends=True)
    broken = b"".join([*split[:5], line, b"\n", *split[5:]])
    first, second, third = verdicts(broken + good + split[0])
    assert second is None
    assert third is not None
    assert third.line == 2 * len(split) + 3  # a long line counts once
    assert (first is None) == (told is None)
    if first is not None and told is not None:
        assert (first.game, first.header_game, first.line) == (1, 0, 6)
        assert told in first.message
        assert first.clause == "transcript"
    first, second = verdicts(good + line + b"\n" + good)
    assert second is None
    if told is not None:
        assert first is not None
        assert (first.game, first.line) == (1, len(split) + 1)
        assert "follows the end" in first.message


def test_rules_nested_too_deeply(rich: Lines) -> None:
    """Deep enough for the reader of JSON, and too deep to be told."""
    start = as_bytes(rich)
    for depth in range(50, 2000, 75):
        deep = b"[" * depth + b"]" * depth
        finding = only(start.replace(b'"chips": [50, 50, 35]', b'"chips": ' + deep))
        assert finding.line == 1


def test_ends_of_lines_and_a_byte_order_mark(rich: Lines) -> None:
    good = as_bytes(rich)
    assert verdicts(good.replace(b"\n", b"\r\n")) == [None]
    assert verdicts(b"\xef\xbb\xbf" + good) == [None]
    assert verdicts(b"\n\n" + good.rstrip()) == [None]
    assert verdicts(good.replace(b"\n", b"\n  \n\t") + b"\n\n") == [None]
    assert only(good.replace(b"\n", b"\r")).line == 1


def test_where_games_begin_and_end(rich: Lines) -> None:
    good, size = as_bytes(rich), len(rich)
    start = rich[0] | {"game": 7}

    def found(*parts: bytes) -> list[tuple[int, int | None, int] | None]:
        every = verdicts(b"".join(parts))
        return [None if f is None else (f.game, f.header_game, f.line) for f in every]

    # No game at all.
    assert found(b"") == found(b"\n \n")[:1] == [(1, None, 1)]
    assert "no game" in only(b"").message
    assert found(b"GIF89a\n\x00") == [(1, None, 1)]
    # A start line that is missing, that is cut, and that stands twice.
    assert found(as_bytes(rich[1:]), good) == [(1, None, 1), None]
    assert found(good, as_bytes(rich[1:]), good) == [(1, 0, size + 1), None]
    assert found(good, as_bytes(rich[:1])[:300] + b"\n", as_bytes(rich[1:]), good) == [
        None,
        (2, None, size + 1),
        None,
    ]
    assert found(as_bytes([start]), good) == [(1, 7, 2), None]
    assert found(b'{"do":"start", "do" : "start"}\n', good) == [(1, None, 1), None]
    # A game that breaks off, before another and at the end of the file.
    assert found(as_bytes(rich[:-1]), good) == [(1, 0, size), None]
    assert found(good, as_bytes([start, *rich[1:-1]])) == [None, (2, 7, 2 * size)]
    assert found(good, as_bytes([start])) == [None, (2, 7, size + 2)]
    assert found(good[:-9]) == [(1, 0, size)]
    # Play after the end is told once.
    assert found(good, as_bytes(rich[-3:]), good) == [(1, 0, size + 1), None]
    # A bad game is told once too.
    assert found(as_bytes([rich[0], *rich[3:], rich[2]])) == [(1, 0, 2)]


class Endless(io.RawIOBase):
    """A file of a great many bytes: a text over and over."""

    def __init__(self, text: bytes, size: int) -> None:
        self.text, self.left = text, size

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        size = min(len(buffer), self.left, len(self.text))
        buffer[:size] = self.text[:size]
        self.left -= size
        return size


@pytest.mark.parametrize(
    ("text", "size", "most"),
    [
        (b"x" * 65536, 100_000_000, 8 * MAX_LINE),
        (b"{" * 65536, 100_000_000, 8 * MAX_LINE),
        (b"\n" * 65536, 1_000_000, MAX_LINE // 2),
        (b"\x00\xff\n" * 9999, 100_000, MAX_LINE // 20),
    ],
    ids=["a line", "braces", "blank lines", "garbage"],
)
def test_memory_is_bounded(text: bytes, size: int, most: int) -> None:
    tracemalloc.start()
    try:
        (finding,) = judge(io.BufferedReader(Endless(text, size)))
        assert tracemalloc.get_traced_memory()[1] < most
    finally:
        tracemalloc.stop()
    assert finding is not None
    assert finding.game == 1


# Files at random.

SMALL = referee_game(Rules(players=2, max_turns=12), random.Random(1))

SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5),
    st.sampled_from([*naive.SPACES[:20], *naive.PLAIN[:20], *naive.KINDS, *SHAPES]),
    st.integers(0, 3),
)  # fmt: skip
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)
KEYS = sorted({key for shape in SHAPES.values() for key in shape} | {"do"})
EVENTS = st.one_of(
    st.dictionaries(st.one_of(st.sampled_from(KEYS), st.text(max_size=3)), VALUES, max_size=8),
    st.sampled_from(SMALL),
)


def check_findings(data: bytes) -> None:
    """Judge a file, which must not raise; every finding is of a line there is, or the next."""
    lines = data.count(b"\n") + 2
    last = 0
    for finding in verdicts(data):
        if finding is not None:
            assert last < finding.line <= lines
            assert str(finding).isprintable()
            assert str(finding).isascii()
            last = finding.line


@settings(deadline=None, derandomize=True, max_examples=300)
@given(st.binary(max_size=300))
@example(b"\xef\xbb\xbf")
def test_bytes_at_random(data: bytes) -> None:
    check_findings(data)
    check_findings(as_bytes(SMALL[:3]) + data)


@settings(deadline=None, derandomize=True, max_examples=150)
@given(st.lists(EVENTS, max_size=6), st.integers(0, len(SMALL)))
def test_objects_at_random(events: list[Any], at: int) -> None:
    check_findings(as_bytes([*SMALL[:at], *events, *SMALL[at:]]))


@settings(deadline=None, derandomize=True, max_examples=300)
@given(st.data())
def test_changed_values_at_random(data: st.DataObject) -> None:
    """Another value somewhere in an event, inner lists and rules included."""
    lines = json.loads(json.dumps(SMALL))
    place = lines[data.draw(st.integers(0, len(lines) - 1))]
    key = data.draw(st.sampled_from(list(place)))
    while isinstance(place[key], list | dict) and place[key] and data.draw(st.booleans()):
        place = place[key]
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        key = data.draw(st.sampled_from(keys))
    place[key] = data.draw(VALUES)
    check_findings(as_bytes(lines))


@settings(deadline=None, derandomize=True, max_examples=300)
@given(st.data())
def test_changed_bytes_at_random(data: st.DataObject) -> None:
    good = as_bytes(SMALL)
    at = data.draw(st.integers(0, len(good)))
    cut = data.draw(st.integers(0, 30))
    check_findings(good[:at] + data.draw(st.binary(max_size=4)) + good[at + cut :])


# The command.


class Seqlab:
    """Run `seqlab verify` in this process; what it printed stands in `out` and `err`."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self._patch, self._caught = monkeypatch, capsys

    def __call__(self, *words: str | Path) -> int:
        self._patch.setattr(sys, "argv", ["seqlab", "verify", *map(str, words)])
        with pytest.raises(SystemExit) as left:
            cli.main()
        self.out, self.err = self._caught.readouterr()
        assert isinstance(left.value.code, int)
        return left.value.code


@pytest.fixture
def verify(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Seqlab:
    """The command."""
    return Seqlab(monkeypatch, capsys)


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """Return a file of two legal games, and one of three of which the second is bad."""
    good = as_bytes(SMALL)
    bad = as_bytes([SMALL[0] | {"game": 17}, *SMALL[1:-1], SMALL[-1] | {"winner": 1}])
    clean, mixed = tmp_path / "clean.jsonl", tmp_path / "mixed.jsonl"
    clean.write_bytes(good * 2)
    mixed.write_bytes(good + bad + good)
    return clean, mixed


def test_verify_tells_each_bad_game(verify: Seqlab, files: tuple[Path, Path]) -> None:
    clean, mixed = files
    assert verify(clean) == 0
    assert (verify.out, verify.err) == ("2 games, all legal\n", "")
    assert verify(clean, mixed) == 1
    first, tally = verify.out.splitlines()
    assert first == (
        f"{mixed}:{2 * len(SMALL)}: game 2 (number 17 in its run): "
        "end: winner is 1, not null (rules 10.3)"
    )
    assert tally == "1 of 5 games is bad"
    assert verify.err == ""
    assert verify(mixed, mixed, "-q") == 1
    assert verify.out == f"{first}\n{first}\n"
    assert verify(mixed, mixed) == 1
    assert verify.out.endswith("2 of 6 games are bad\n")
    assert verify(clean, "-q") == 0
    assert verify.out == ""


def test_verify_in_json(verify: Seqlab, files: tuple[Path, Path]) -> None:
    clean, mixed = files
    assert verify(clean, "--json") == 0
    assert json.loads(verify.out) == {"games": 2, "bad": 0, "findings": []}
    assert verify(mixed, "--json") == 1
    finding = verdicts(mixed.read_bytes())[1]
    assert finding is not None
    told = [{"file": str(mixed), **asdict(finding)}]
    assert json.loads(verify.out) == {"games": 3, "bad": 1, "findings": told}


def test_verify_reads_standard_input(
    verify: Seqlab, files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    one = io.TextIOWrapper(io.BytesIO(as_bytes(SMALL)))
    monkeypatch.setattr(sys, "stdin", one)
    assert verify("-") == 0
    assert verify.out == "1 game, legal\n"
    with files[1].open("rb") as stream:
        words = [sys.executable, "-m", "cli", "verify", "-"]
        done = subprocess.run(words, stdin=stream, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 1
    assert done.stdout.startswith(f"-:{2 * len(SMALL)}: game 2")


def test_verify_of_no_file_is_one_line(verify: Seqlab, tmp_path: Path) -> None:
    for name in (tmp_path / "none.jsonl", tmp_path):
        assert verify(name) == 2
        assert verify.out == ""
        assert verify.err == f"error: verify: {name} is no file that can be read\n"
    assert verify() == 2
    empty = tmp_path / "empty.jsonl"
    empty.touch()
    assert verify(empty) == 1
    assert verify.out.startswith(f"{empty}:1: game 1: no game in the file (transcript)\n")
