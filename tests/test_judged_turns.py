"""The judge at one event: what may happen in a turn, and what scores."""

from __future__ import annotations

import itertools
from typing import Any

import naive
import pytest
from damage import BOARD
from hypothesis import given, settings
from hypothesis import strategies as st

from simcore.headers import Setup, geometry
from simcore.referee import Game, largest_set
from simcore.rules import Rules
from simcore.transcripts import SHAPES, Breach

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
        ({"hand": "2S"}, "sequence", {"spaces": ["E1", "E2", "E3", "E4", "E5"]}, "8.1"),
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
        (NINE, {"sequences_to_win": 4}, ["E1-E5", "E5-E9", "E2-E6"], (2, "8.2")),
        # Either of two, but not both.
        (SIX, {}, ["E2-E6"], None),
        (SIX, {}, ["E3-E7"], None),
        (SIX, {}, ["E2-E6", "E3-E7"], (1, "8.2")),
        (SIX, {}, ["E4-E8"], (0, "8.1")),
        (SIX, {"shared_spaces": 4, "sequences_to_win": 3}, ["E3-E7", "E2-E6"], None),
        (SIX, {"shared_spaces": 4, "sequences_to_win": 3}, ["E3-E7"], (1, "8.3")),
        # A row and a column: both, or either if they may share no space.
        (CROSS, {}, ["E3-E7", "C5-G5"], None),
        (CROSS, {}, ["C5-G5", "E3-E7"], None),
        (CROSS, {}, ["C5-G5"], (1, "8.3")),
        (CROSS, {"shared_spaces": 0}, ["E3-E7"], None),
        (CROSS, {"shared_spaces": 0}, ["C5-G5"], None),
        (CROSS, {"shared_spaces": 0}, ["C5-G5", "E3-E7"], (1, "8.2")),
        # None at all.
        ("E2 E3 E4", {}, [], None),
        ("E2 E3 E4", {}, ["E2-E6"], (0, "8.1")),
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
