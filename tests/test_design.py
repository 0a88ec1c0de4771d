"""Who sits where in the games of a deal."""

from __future__ import annotations

import pytest

from simcore.design import DesignError, make_design
from simcore.rules import MAX_SEATS, Rules
from simcore.strategy import Bot, Strategy, find_bot

BOT: Bot = find_bot("random")


def named(text: str) -> list[Strategy]:
    return [Strategy(name, BOT, ()) for name in text]


def tables(text: str, rules: Rules, design: str = "auto") -> tuple[str, list[str]]:
    """Return the design's name and its tables, a letter a seat."""
    made = make_design(named(text), rules, design)
    letters = "".join(bot.name for bot in made.bots)
    assert made.seatings.shape == (len(made.seatings), MAX_SEATS)
    seats = made.seatings[:, : rules.players].tolist()
    return made.name, ["".join(letters[bot] for bot in row) for row in seats]


@pytest.mark.parametrize("players", [2, 4, 8])
def test_one_strategy_rotates(players: int) -> None:
    name, seatings = tables("A", Rules(players=players))
    assert name == "rotate"
    assert seatings == ["A" * players] * 2


def test_one_strategy_rotates_three_teams() -> None:
    assert tables("A", Rules(players=9)) == ("rotate", ["A" * 9] * 3)


def test_equal_strategies_are_one() -> None:
    assert tables("AA", Rules()) == ("rotate", ["AA", "AA"])
    assert tables("AAA", Rules(players=3)) == ("rotate", ["AAA"] * 3)


def test_swap_of_two_teams() -> None:
    assert tables("AB", Rules()) == ("swap", ["AB", "BA"])
    assert tables("AB", Rules(players=4)) == ("swap", ["ABAB", "BABA"])
    assert tables("AB", Rules(players=12)) == ("swap", ["AB" * 6, "BA" * 6])


def test_swap_of_three() -> None:
    name, seatings = tables("ABC", Rules(players=3))
    assert name == "swap"
    assert sorted(seatings) == ["ABC", "ACB", "BAC", "BCA", "CAB", "CBA"]
    assert len(set(tables("ABC", Rules(players=6, teams=3))[1])) == 6
    assert tables("ABC", Rules(players=6, teams=3))[1][0] == "ABCABC"


def test_swap_of_three_with_two_equal() -> None:
    assert sorted(tables("AAB", Rules(players=3))[1]) == ["AAB", "ABA", "BAA"]
    assert sorted(tables("ABA", Rules(players=9))[1]) == ["AAB" * 3, "ABA" * 3, "BAA" * 3]


def test_swap_of_two_strategies_in_three_teams() -> None:
    due = ["AAB", "ABA", "ABB", "BAA", "BAB", "BBA"]
    assert sorted(tables("AB", Rules(players=3))[1]) == due
    assert sorted(tables("AB", Rules(players=12, teams=3))[1]) == [each * 4 for each in due]


def test_swap_of_seats_moves_by_whole_teams() -> None:
    assert tables("ABCD", Rules(players=4))[1] == ["ABCD", "BCDA"]
    assert tables("AAAB", Rules(players=4))[1] == ["AAAB", "AABA"]
    assert tables("ABAB", Rules(players=4))[1] == ["ABAB", "BABA"]
    found = tables("ABCDEF", Rules(players=6, teams=3))[1]
    assert found == ["ABCDEF", "BCDEFA", "CDEFAB"]
    for team in range(3):  # every pair of partners sits for every team once
        assert {frozenset(row[team::3]) for row in found} == set(map(frozenset, ("AD", "BE", "CF")))


def test_rotate_leaves_the_seats() -> None:
    assert tables("AB", Rules(players=4), "rotate") == ("rotate", ["ABAB", "ABAB"])
    assert tables("ABC", Rules(players=3), "rotate") == ("rotate", ["ABC"] * 3)
    assert tables("ABCD", Rules(players=4), "rotate") == ("rotate", ["ABCD", "ABCD"])


def test_none_is_a_game_a_deal() -> None:
    assert tables("A", Rules(), "none") == ("none", ["AA"])
    assert tables("AB", Rules(players=4), "none") == ("none", ["ABAB"])
    assert tables("ABCDEF", Rules(players=6), "none") == ("none", ["ABCDEF"])


@pytest.mark.parametrize(
    ("text", "players", "teams", "design", "told"),
    [
        ("A", 2, 2, "swop", "design: 'swop'; allowed: auto, swap, rotate, none"),
        ("A", 2, 2, "swap", "swap needs two strategies that differ"),
        ("AA", 2, 2, "swap", "swap needs two strategies that differ"),
        ("ABC", 2, 2, "auto", "3 given; allowed: 1, 2 (by team) or 2 (by seat)"),
        ("ABC", 4, 2, "auto", "3 given; allowed: 1, 2 (by team) or 4 (by seat)"),
        ("ABC", 6, 2, "none", "3 given"),
        ("ABCD", 3, 3, "auto", "4 given; allowed: 1, 2, 3 (by team) or 3 (by seat)"),
        ("AB", 3, 3, "rotate", "2 given; allowed: 1, 3 (by team)"),
        ("AB", 3, 3, "none", "2 given"),
        ("", 2, 2, "auto", "0 given"),
        ("", 2, 2, "none", "0 given"),
    ],
)
def test_refused(text: str, players: int, teams: int, design: str, told: str) -> None:
    with pytest.raises(DesignError) as caught:
        make_design(named(text), Rules(players=players, teams=teams), design)
    assert told in str(caught.value)
