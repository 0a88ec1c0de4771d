"""Every field of Rules reaches the engine: a change of it changes games as its clause says."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import fields
from typing import Any

import pytest
from helpers import BUILDER, JIT, RANDOM, WILD, Desk

from simcore.board import CORNERS, SPACE_NAMES, load_board
from simcore.rules import Rules
from simcore.strategy import Bot
from simcore.transcripts import Event

TWO_EYED, ONE_EYED = ("JD", "JC"), ("JS", "JH")
CORNER_NAMES = {SPACE_NAMES[corner] for corner in CORNERS}

Game = list[Event]


def games(n: int, bot: Bot = RANDOM, **change: Any) -> list[Game]:
    """Return transcripts of `n` games of a bot by the standard rules for two but for a change."""
    desk = Desk(Rules(**({"players": 2} | change)), (bot,))
    return [desk.run(7, number).events for number in range(n if JIT else max(2, n // 20))]


def events(played: list[Game], *kinds: str) -> Iterator[Event]:
    return (event for game in played for event in game if event["do"] in kinds)


def ends(played: list[Game]) -> list[Event]:
    return list(events(played, "end"))


def deck(game: Game) -> list[str]:
    """Return all cards of a game in which every card left the pile and none came back."""
    dealt = itertools.chain(*game[0]["hands"])
    return [*dealt, *(event["card"] for event in events([game], "draw"))]


def whole_decks(n: int, **change: Any) -> list[list[str]]:
    """Play by rules under which nobody wins, so that the pile runs out."""
    endless = {"reshuffle": False, "sequences_to_win": 4, "shared_spaces": 0}
    played = games(n, WILD, **({"players": 6, "teams": 3} | endless | change))
    decks = [deck(game) for game in played if game[-1]["reason"] != "sequences"]
    assert decks
    return decks


def cards(kind: tuple[str, ...], count: int) -> dict[str, int]:
    """Return how many of both jacks of a kind are among `count`; an odd one is the first."""
    return {kind[0]: (count + 1) // 2, kind[1]: count // 2}


def turn_of(game: Game) -> Iterator[list[Event]]:
    played = [event for event in game if "turn" in event]
    return (list(turn) for _, turn in itertools.groupby(played, key=lambda event: event["turn"]))


def hand_sizes(game: Game) -> list[int]:
    return [len(hand) for hand in game[0]["hands"]]


def owners(game: Game) -> Iterator[tuple[Event, dict[str, int], set[str]]]:
    """Yield each event with the chips and the scored spaces before it."""
    chips: dict[str, int] = {}
    scored: set[str] = set()
    teams = game[0]["rules"]["teams"]
    for event in game:
        yield event, chips, scored
        if event["do"] == "place":
            chips[event["space"]] = event["seat"] % teams
        elif event["do"] == "remove":
            del chips[event["space"]]
        elif event["do"] == "sequence":
            scored.update(event["spaces"])


def taken_from(played: list[Game]) -> Counter[str]:
    """Count removals of own chips and of chips in sequences."""
    found: Counter[str] = Counter()
    for game in played:
        for event, chips, scored in owners(game):
            if event["do"] == "remove":
                teams = game[0]["rules"]["teams"]
                found["all"] += 1
                found["own"] += chips[event["space"]] == event["seat"] % teams
                found["scored"] += event["space"] in scored
    return found


def overlaps(played: list[Game]) -> set[int]:
    """Return how many spaces two sequences of a team had in common."""
    found = set()
    for game in played:
        teams = game[0]["rules"]["teams"]
        by_team: dict[int, list[set[str]]] = {}
        for event in events([game], "sequence"):
            by_team.setdefault(event["seat"] % teams, []).append(set(event["spaces"]))
        for own in by_team.values():
            found |= {len(a & b) for a, b in itertools.combinations(own, 2)}
    return found


# One function for each field.


def players() -> None:
    for count in (2, 3, 4, 6, 8, 9, 10, 12):
        (game, *_) = games(1, players=count, teams=3 if count % 2 else 2)
        seats = [event["seat"] for event in events([game], "place", "pass", "remove")]
        first = game[0]["first_seat"]
        assert seats == [(first + turn) % count for turn in range(len(seats))]


def teams() -> None:
    """The third seat is a partner of two teams, an opponent of three: whose chips it may take."""
    for count, partner in ((2, True), (3, False)):
        taken = Counter(
            chips[event["space"]] == event["seat"] % count
            for game in games(60, players=6, teams=count, one_eyed_jacks=8)
            for event, chips, _ in owners(game)
            if event["do"] == "remove"
        )
        assert taken.keys() == {False}
        scorers = {
            frozenset(e["seat"] % count for e in events([game], "sequence"))
            for game in games(120, players=6, teams=count)
        }
        assert any(2 in who for who in scorers) is not partner


def board() -> None:
    for name in ("wedge", "standard", "random:3"):
        printed = list(itertools.chain(*load_board(name).rows()))
        for game in games(3, board=name):
            assert list(itertools.chain(*game[0]["board"])) == printed
            for event in events([game], "place"):
                if event["card"] not in TWO_EYED:
                    assert printed[SPACE_NAMES.index(event["space"])] == event["card"]


def two_eyed_jacks() -> None:
    for count in range(9):
        for cards_played in whole_decks(3, two_eyed_jacks=count):
            assert len(cards_played) == 100 + count
            found = Counter(card for card in cards_played if card in TWO_EYED)
            assert found == Counter(cards(TWO_EYED, count))


def one_eyed_jacks() -> None:
    for count in range(9):
        for cards_played in whole_decks(3, one_eyed_jacks=count):
            found = Counter(card for card in cards_played if card in ONE_EYED)
            assert found == Counter(cards(ONE_EYED, count))


def deal() -> None:
    """Of a single deck, no card comes a second time before every card has come once."""
    for kind in ("shuffled", "single_deck"):
        packs = [Counter(found[:52]) for found in whole_decks(20, deal=kind)]
        assert all(set(pack.values()) == {1} for pack in packs) is (kind == "single_deck")


def hand_size() -> None:
    assert hand_sizes(games(1)[0]) == [7, 7]
    for count in range(1, 11):
        assert hand_sizes(games(1, hand_size=count)[0]) == [count, count]


def extra_cards() -> None:
    """By place in the turn order, and the hand stays larger."""
    for game in games(20, extra_cards=(0, 2)):
        first = game[0]["first_seat"]
        assert hand_sizes(game)[first] == 7
        assert hand_sizes(game)[1 - first] == 9
        kept = Counter(event["seat"] for event in events([game], "draw"))
        gone = Counter(event["seat"] for event in events([game], "place", "remove", "exchange"))
        winner = game[-1]["winner"]
        assert all(gone[seat] - kept[seat] == (seat == winner) for seat in (0, 1))


def first_seat() -> None:
    for seat in range(3):
        assert {game[0]["first_seat"] for game in games(5, players=3, first_seat=seat)} == {seat}
    assert {game[0]["first_seat"] for game in games(60, players=2)} == {0, 1}


def one_eyed_removes() -> None:
    taken = taken_from(games(60, one_eyed_jacks=8, one_eyed_removes="any"))
    assert 0 < taken["own"] < taken["all"]
    taken = taken_from(games(60, one_eyed_jacks=8))
    assert taken["own"] == 0 < taken["all"]


def sequences_protected() -> None:
    assert taken_from(games(120, BUILDER, one_eyed_jacks=8))["scored"] == 0
    longer = {"one_eyed_jacks": 8, "sequences_to_win": 4, "shared_spaces": 4}
    open_to_all = games(120, **longer, sequences_protected=False)
    assert taken_from(open_to_all)["scored"] > 0
    # A broken sequence keeps its score.
    for game in open_to_all:
        scored = Counter(event["seat"] for event in events([game], "sequence"))
        assert game[-1]["sequences"] == [scored[0], scored[1]]


def chips() -> None:
    passes = 0
    for game in games(30, chips=(5, 3)):
        most = Counter(
            {team: max(list(now.values()).count(team) for _, now, _ in owners(game))
             for team in (0, 1)}
        )  # fmt: skip
        assert most[0] <= 5
        assert most[1] <= 3
        passes += sum(1 for _ in events([game], "pass"))
    assert passes > 0
    assert not list(events(games(30, BUILDER), "pass"))  # whose games end before dead hands


def dead_card_exchanges() -> None:
    most = {}
    for limit in (0, 1, 2, -1):
        counts = [
            sum(event["do"] == "exchange" for event in turn)
            for game in games(40, dead_card_exchanges=limit, sequences_to_win=4, max_turns=300)
            for turn in turn_of(game)
        ]
        most[limit] = max(counts)
    assert most[0] == 0
    assert most[1] == 1
    assert most[2] == 2
    assert most[-1] > 2


def line_length() -> None:
    for length in (4, 5, 6):
        scored = list(events(games(20, BUILDER, line_length=length), "sequence"))
        assert {len(event["spaces"]) for event in scored} == {length}


def free_corners() -> None:
    for free in (True, False):
        scored = events(games(80, BUILDER, free_corners=free), "sequence")
        assert any(CORNER_NAMES & set(event["spaces"]) for event in scored) is free


def shared_spaces() -> None:
    for most in (0, 1, 2, 4):
        found = overlaps(games(150, BUILDER, shared_spaces=most, sequences_to_win=4))
        assert max(found) == most


def sequences_to_win() -> None:
    for target in (1, 2, 3, 4):
        won = [
            end
            for end in ends(games(20, BUILDER, sequences_to_win=target))
            if end["winner"] in (0, 1)
        ]
        assert won
        for end in won:
            assert end["sequences"][end["winner"]] >= target
            assert end["sequences"][1 - end["winner"]] < target


def forget_draw() -> None:
    assert not list(events(games(5), "forget"))
    for game in games(5, forget_draw=1.0):
        assert not list(events([game], "draw"))
        assert sum(1 for _ in events([game], "forget")) > 0
        plays = Counter(event["seat"] for event in events([game], "place", "remove"))
        assert max(plays.values()) <= 7
    drawn = Counter(event["do"] for event in events(games(40, forget_draw=0.5), "draw", "forget"))
    assert drawn["forget"] > 0
    assert drawn["draw"] > 0


def table_talk() -> None:
    assert not list(events(games(5, players=4), "table_talk"))
    for game in games(5, players=4, table_talk=1.0):
        first = next(turn_of(game))
        assert [event["do"] for event in first][:3] == ["table_talk", "forfeit", "forfeit"]
        team = first[0]["team"]
        assert [event["seat"] for event in first[1:3]] == [team, team + 2]
    assert not list(events(games(5, players=2, table_talk=1.0), "table_talk"))


def reshuffle() -> None:
    long = {"players": 6, "teams": 3, "sequences_to_win": 4}
    assert list(events(games(5, WILD, **long), "reshuffle"))
    for game in games(5, WILD, **long, reshuffle=False):
        assert not list(events([game], "reshuffle"))
        assert len(deck(game)) <= 104
    assert "stalemate" in {end["reason"] for end in ends(games(20, **long, reshuffle=False))}


def max_turns() -> None:
    for most in (1, 2, 17):
        for end in ends(games(10, max_turns=most)):
            assert end["turns"] == most
            assert (end["reason"], end["winner"]) == ("max_turns", None)


FIELDS: dict[str, Callable[[], None]] = {
    check.__name__: check
    for check in (
        *(players, teams, board, two_eyed_jacks, one_eyed_jacks, deal, hand_size, extra_cards),
        *(first_seat, one_eyed_removes, sequences_protected, chips, dead_card_exchanges),
        *(line_length, free_corners, shared_spaces, sequences_to_win, forget_draw, table_talk),
        *(reshuffle, max_turns),
    )
}


@pytest.mark.parametrize("field", FIELDS)
def test_the_field_changes_games_as_its_clause_says(field: str) -> None:
    FIELDS[field]()


def test_no_field_is_left_out() -> None:
    assert FIELDS.keys() == {field.name for field in fields(Rules)}
