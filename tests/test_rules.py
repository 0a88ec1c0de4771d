"""Every rule switch: its default, what is refused and how, and the ways to give it."""

from __future__ import annotations

import json
import os
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simcore.given import MOST_BYTES
from simcore.rules import PLAYERS, PRESETS, Rules, RulesError, parse_assignment, read_settings

DEFAULTS = [  # players, teams, hand, sequences to win (rules 1.2, 3.3, 8.5)
    (2, 2, 7, 2),
    (3, 3, 6, 1),
    (4, 2, 6, 2),
    (6, 2, 5, 2),
    (8, 2, 4, 2),
    (9, 3, 4, 1),
    (10, 2, 3, 2),
    (12, 2, 3, 2),
]


@pytest.mark.parametrize(("players", "teams", "hand", "to_win"), DEFAULTS)
def test_defaults_by_players(players: int, teams: int, hand: int, to_win: int) -> None:
    rules = Rules(players=players)
    assert (rules.teams, rules.hand_size, rules.sequences_to_win) == (teams, hand, to_win)
    assert rules.hands() == [hand] * players
    assert rules.changes() == {}


@pytest.mark.parametrize("players", [6, 12])
def test_three_teams_need_one_sequence(players: int) -> None:
    assert Rules(players=players, teams=3).sequences_to_win == 1


def test_defaults_of_the_switches() -> None:
    assert Rules().settings() == {
        **{"players": 2, "teams": 2, "board": "standard", "two_eyed_jacks": 4},
        **{"one_eyed_jacks": 4, "deal": "shuffled", "hand_size": 7, "extra_cards": []},
        **{"first_seat": "cut", "one_eyed_removes": "opponent", "sequences_protected": True},
        **{"chips": [50, 50, 35], "dead_card_exchanges": 1, "line_length": 5},
        **{"free_corners": True, "shared_spaces": 1, "sequences_to_win": 2, "forget_draw": 0.0},
        **{"table_talk": 0.0, "reshuffle": True, "max_turns": 1000},
    }


def test_every_field_says_its_clause_and_what_is_allowed() -> None:
    for each in fields(Rules):
        assert each.metadata["clause"]
        assert each.metadata["help"]


REFUSED: list[tuple[dict[str, Any], str, str]] = [  # settings, what was given, what is allowed
    ({"players": 5}, "players is 5", "2, 3, 4, 6, 8, 9, 10 or 12"),
    ({"players": 0}, "players is 0", "2, 3, 4, 6, 8, 9, 10 or 12"),
    ({"players": "two"}, "players is 'two'", "a whole number"),
    ({"players": True}, "players is True", "a whole number"),
    ({"players": None}, "players is None", "a whole number"),
    ({"players": 4, "teams": 3}, "teams is 3", "2 with 4 players"),
    ({"players": 6, "teams": 4}, "teams is 4", "2 or 3 with 6 players"),
    ({"players": 9, "teams": 2}, "teams is 2", "3 with 9 players"),
    ({"teams": 2.0}, "teams is 2.0", "a whole number"),
    ({"board": 3}, "board is 3", "a string"),
    ({"two_eyed_jacks": 9}, "two_eyed_jacks is 9", "0 to 8"),
    ({"two_eyed_jacks": "4"}, "two_eyed_jacks is '4'", "a whole number"),
    ({"one_eyed_jacks": -1}, "one_eyed_jacks is -1", "0 to 8"),
    ({"one_eyed_jacks": 1.5}, "one_eyed_jacks is 1.5", "a whole number"),
    ({"deal": "stacked"}, "deal is 'stacked'", "shuffled or single_deck"),
    ({"deal": 1}, "deal is 1", "a string"),
    ({"hand_size": 0}, "hand_size is 0", "1 to 10"),
    ({"hand_size": 11}, "hand_size is 11", "1 to 10"),
    ({"hand_size": [7]}, "hand_size is (7,)", "a whole number"),
    ({"players": 12, "hand_size": 10}, "hand_size is 10", "120 > 104 in the deck"),
    ({"players": 10, "hand_size": 6, "deal": "single_deck"}, "hand_size is 6", "60 > 52 in"),
    ({"extra_cards": [0, 0, 1]}, "extra_cards is [0, 0, 1]", "at most 2 numbers"),
    ({"extra_cards": [-1]}, "extra_cards is -1", "0 to 112"),
    ({"extra_cards": 1}, "extra_cards is 1", "a list of whole numbers"),
    ({"extra_cards": [0.5]}, "extra_cards is (0.5,)", "a list of whole numbers"),
    ({"extra_cards": [112]}, "hand_size is 7", "126 > 104 in the deck"),
    ({"first_seat": 2}, "first_seat is 2", "cut, or 0 to 1"),
    ({"first_seat": -1}, "first_seat is -1", "cut, or 0 to 1"),
    ({"first_seat": "dealer"}, "first_seat is 'dealer'", "cut, or 0 to 1"),
    ({"first_seat": 0.0}, "first_seat is 0.0", "cut or a seat"),
    ({"one_eyed_removes": "own"}, "one_eyed_removes is 'own'", "opponent or any"),
    ({"sequences_protected": 1}, "sequences_protected is 1", "true or false"),
    ({"chips": [50]}, "chips is [50]", "2 to 3 numbers"),
    ({"players": 3, "chips": [50, 50]}, "chips is [50, 50]", "3 to 3 numbers"),
    ({"chips": [50, 0]}, "chips is 0", "1 to 10000"),
    ({"chips": [50, True]}, "chips is (50, True)", "a list of whole numbers"),
    ({"chips": "50"}, "chips is '50'", "a list of whole numbers"),
    ({"dead_card_exchanges": -2}, "dead_card_exchanges is -2", "-1 to 112"),
    ({"dead_card_exchanges": False}, "dead_card_exchanges is False", "a whole number"),
    ({"line_length": 3}, "line_length is 3", "4 to 6"),
    ({"line_length": 7}, "line_length is 7", "4 to 6"),
    ({"line_length": "5"}, "line_length is '5'", "a whole number"),
    ({"free_corners": "no"}, "free_corners is 'no'", "true or false"),
    ({"shared_spaces": 5}, "shared_spaces is 5", "0 to 4"),
    ({"line_length": 4, "shared_spaces": 4}, "shared_spaces is 4", "0 to 3"),
    ({"shared_spaces": -1}, "shared_spaces is -1", "0 to 4"),
    ({"sequences_to_win": 0}, "sequences_to_win is 0", "1 to 4"),
    ({"sequences_to_win": 5}, "sequences_to_win is 5", "1 to 4"),
    ({"sequences_to_win": "1"}, "sequences_to_win is '1'", "a whole number"),
    ({"forget_draw": 1.1}, "forget_draw is 1.1", "0 to 1"),
    ({"forget_draw": float("nan")}, "forget_draw is nan", "0 to 1"),
    ({"forget_draw": "often"}, "forget_draw is 'often'", "a number"),
    ({"table_talk": -0.1}, "table_talk is -0.1", "0 to 1"),
    ({"table_talk": True}, "table_talk is True", "a number"),
    ({"reshuffle": "true"}, "reshuffle is 'true'", "true or false"),
    ({"max_turns": 0}, "max_turns is 0", "1 to 1000000"),
    ({"max_turns": 10**6 + 1}, "max_turns is 1000001", "1 to 1000000"),
    ({"max_turns": 1e3}, "max_turns is 1000.0", "a whole number"),
]


@pytest.mark.parametrize(("settings", "told", "allowed"), REFUSED)
def test_refused(settings: dict[str, Any], told: str, allowed: str) -> None:
    with pytest.raises(RulesError) as caught:
        Rules.from_settings(settings)
    text = str(caught.value)
    assert text.startswith("rules: ")
    assert told in text
    assert allowed in text.split("allowed: ")[1]
    assert "\n" not in text


def test_every_field_is_refused_something() -> None:
    told = {part.split(" is ")[0] for _, part, _ in REFUSED}
    assert told == {each.name for each in fields(Rules)}


def test_unknown_field_names_the_known_ones() -> None:
    with pytest.raises(
        RulesError, match=r"no field 'hand'.*allowed: players, teams, board.*hand_s"
    ):
        Rules.from_settings({"hand": 6})


def test_edges_are_accepted() -> None:
    assert Rules(two_eyed_jacks=0, one_eyed_jacks=8).deck_size() == 104
    assert Rules(two_eyed_jacks=8, one_eyed_jacks=8).deck_size() == 112
    assert Rules(players=12, hand_size=8).hands() == [8] * 12
    assert sum(Rules(players=10, hand_size=5, deal="single_deck").hands()) == 50
    assert Rules(line_length=6, shared_spaces=5).shared_spaces == 5
    assert Rules(players=4, extra_cards=(0, 2)).hands() == [6, 8, 6, 6]
    assert Rules(first_seat=1, forget_draw=1, table_talk=1.0, max_turns=1).first_seat == 1


def test_presets_are_the_standard_games() -> None:
    made = [Rules.from_settings(settings) for settings in PRESETS.values()]
    tables = [(rules.players, rules.teams) for rules in made]
    assert tables == [(2, 2), (3, 3), (4, 2), (6, 2), (6, 3), (8, 2), (9, 3), (10, 2), (12, 2),
                      (12, 3)]  # fmt: skip
    assert all(rules.changes() == {} for rules in made)
    for name, (players, teams) in zip(PRESETS, tables, strict=True):
        standard = Rules(players=players).teams == teams
        assert name == f"standard-{players}" + ("" if standard else "-three-teams")


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("hand_size=6", "hand_size", 6),
        (" hand_size = 6 ", "hand_size", 6),
        ("deal=single_deck", "deal", "single_deck"),
        ('deal="single_deck"', "deal", "single_deck"),
        ("reshuffle=false", "reshuffle", False),
        ("forget_draw=0.05", "forget_draw", 0.05),
        ("extra_cards=[0, 1]", "extra_cards", [0, 1]),
        ("board=random:7", "board", "random:7"),
        ("board=a=b.csv", "board", "a=b.csv"),
        ("board=", "board", ""),
        ("dead_card_exchanges=-1", "dead_card_exchanges", -1),
    ],
)
def test_assignments(text: str, name: str, value: Any) -> None:
    parsed = parse_assignment(text)
    assert parsed == (name, value)
    assert type(parsed[1]) is type(value)


@pytest.mark.parametrize("text", ["hand_size", "=6", " = 6", ""])
def test_no_assignment(text: str) -> None:
    with pytest.raises(RulesError, match="allowed: field=value"):
        parse_assignment(text)


def test_an_assignment_cannot_smuggle_in_more() -> None:
    name, value = parse_assignment("hand_size=6\nplayers=4")
    assert name == "hand_size"
    with pytest.raises(RulesError):
        Rules.from_settings({name: value})


def test_toml(tmp_path: Path) -> None:
    file = tmp_path / "house.toml"
    file.write_text('players = 3\nextra_cards = [0, 1, 2]\ndeal = "single_deck"\n')
    rules = Rules.from_settings(read_settings(file))
    assert rules == Rules(players=3, extra_cards=(0, 1, 2), deal="single_deck")
    assert rules.changes() == {"deal": "single_deck", "extra_cards": [0, 1, 2]}
    file.write_text(file.read_text(), encoding="utf-8-sig")  # as some editors write it
    assert Rules.from_settings(read_settings(file)) == rules


def test_toml_finds_a_layout_beside_it(tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_text("x")
    file = tmp_path / "house.toml"
    file.write_text('board = "mine.csv"\n')
    assert read_settings(file)["board"] == str(tmp_path / "mine.csv")
    file.write_text('board = "wedge"\n')
    assert read_settings(file)["board"] == "wedge"


def test_bad_toml(tmp_path: Path) -> None:
    file = tmp_path / "house.toml"
    for content in (b"players = ", b"players: 3", b"\xff\xfe"):
        file.write_bytes(content)
        with pytest.raises(RulesError, match=r"house\.toml cannot be read as TOML"):
            read_settings(file)
    for missing in (tmp_path / "none.toml", tmp_path):
        with pytest.raises(RulesError, match="cannot be read as TOML"):
            read_settings(missing)


def test_what_is_no_small_file_is_refused(tmp_path: Path) -> None:
    """Devices and pipes never end, and a long text takes as long to parse."""
    pipe, long, deep = tmp_path / "pipe", tmp_path / "long.toml", tmp_path / "deep.toml"
    os.mkfifo(pipe)
    long.write_text("#" * (MOST_BYTES + 1))
    deep.write_text("players = " + "[" * 100_000)
    for file, told in (
        (Path("/dev/zero"), "no regular file"),
        (pipe, "no regular file"),
        (long, "more than 1,000,000 bytes"),
        (deep, "nested too deeply"),
    ):
        with pytest.raises(RulesError, match=f"cannot be read as TOML: .*{told}"):
            read_settings(file)
    long.write_text("players = 3\n" + "#" * (MOST_BYTES - 12))
    assert read_settings(long) == {"players": 3}


def test_toml_of_a_wrong_type(tmp_path: Path) -> None:
    file = tmp_path / "house.toml"
    file.write_text("[hand_size]\ntwo = 7\n")
    with pytest.raises(RulesError, match=r"hand_size is \{'two': 7\}; allowed: a whole number"):
        Rules.from_settings(read_settings(file))


ANY_SETTINGS = st.fixed_dictionaries(
    {"players": st.sampled_from(PLAYERS)},
    optional={
        "teams": st.sampled_from((2, 3)),
        "board": st.sampled_from(("standard", "wedge", "random:3")),
        "two_eyed_jacks": st.integers(-1, 9),
        "one_eyed_jacks": st.integers(-1, 9),
        "deal": st.sampled_from(("shuffled", "single_deck")),
        "hand_size": st.integers(0, 11),
        "extra_cards": st.lists(st.integers(-1, 5), max_size=4),
        "first_seat": st.one_of(st.just("cut"), st.integers(-1, 12)),
        "one_eyed_removes": st.sampled_from(("opponent", "any")),
        "sequences_protected": st.booleans(),
        "chips": st.lists(st.integers(0, 60), min_size=1, max_size=4),
        "dead_card_exchanges": st.integers(-2, 113),
        "line_length": st.integers(3, 7),
        "free_corners": st.booleans(),
        "shared_spaces": st.integers(-1, 6),
        "sequences_to_win": st.integers(0, 5),
        "forget_draw": st.floats(-0.1, 1.1),
        "table_talk": st.floats(-0.1, 1.1),
        "reshuffle": st.booleans(),
        "max_turns": st.integers(0, 10**6 + 1),
    },
)


@given(ANY_SETTINGS)
def test_accepted_rules_go_round(settings: dict[str, Any]) -> None:
    try:
        rules = Rules.from_settings(settings)
    except RulesError:
        return
    told = rules.settings()
    assert Rules.from_settings(told) == rules
    assert Rules.from_settings(json.loads(json.dumps(told))) == rules
    assert {name: told[name] for name in settings} == settings
    base = {"players": rules.players, "teams": rules.teams}
    assert Rules.from_settings(base | rules.changes()) == rules
    assert hash(Rules.from_settings(told)) == hash(rules)


def test_lists_are_taken_for_tuples() -> None:
    assert Rules(chips=[9, 8], extra_cards=[0, 1]) == Rules(chips=(9, 8), extra_cards=(0, 1))  # type: ignore[arg-type]
