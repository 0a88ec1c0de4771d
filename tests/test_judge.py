"""The judge of transcripts against the referee: legal games, damaged ones, headers."""

from __future__ import annotations

import itertools
import random
import subprocess
import sys
from collections import Counter
from dataclasses import fields
from pathlib import Path
from typing import Any

import naive
import numpy as np
import pytest
from damage import (
    BOARD,
    DAMAGES,
    Lines,
    as_bytes,
    changed,
    only,
    sample,
    stops,
    verdicts,
    with_rules,
)
from helpers import BOTS, JIT, TABLES, Desk, single_changes, variant

from simcore.rules import MAX_SEATS, Rules
from simcore.transcripts import SHAPES

ROOT = Path(__file__).resolve().parent.parent


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


# The header.


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
