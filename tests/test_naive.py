"""Tests of the referee itself, from the rules: `rules 6.2` is a clause, `case 3` a situation."""

from __future__ import annotations

import functools
import itertools
import random
from collections import Counter
from typing import Any

import pytest
from naive import (
    CORNERS,
    KINDS,
    PLAIN,
    SPACES,
    TEAMS,
    Event,
    Game,
    Illegal,
    Line,
    common,
    hand_sizes,
    jack_purpose,
    lines,
    name,
    number,
    packs,
    random_game,
    replay,
    start,
    tally,
)

HAND = {2: 7, 3: 6, 4: 6, 6: 5, 8: 4, 9: 4, 10: 3, 12: 3}
FREE = iter(PLAIN * 2)
BOARD = [
    ["**" if 10 * row + column in CORNERS else next(FREE) for column in range(10)]
    for row in range(10)
]
FIRST = {card: space for space, card in reversed(list(enumerate(itertools.chain(*BOARD))))}
SECOND = {card: space for space, card in enumerate(itertools.chain(*BOARD))}


def rules(players: int = 2, teams: int | None = None, **changes: Any) -> dict[str, Any]:
    """Return the publisher's rules with some switches changed."""
    teams = teams or TEAMS.get(players, [2])[0]
    return {
        "players": players,
        "teams": teams,
        "hand_size": HAND.get(players, 3),
        "line_length": 5,
        "sequences_to_win": 1 if teams == 3 else 2,
        "shared_spaces": 1,
        "free_corners": True,
        "two_eyed_jacks": 4,
        "one_eyed_jacks": 4,
        "one_eyed_removes": "opponent",
        "sequences_protected": True,
        "dead_card_exchanges": 1,
        "deal": "shuffled",
        "chips": [50, 50, 35],
        "extra_cards": [],
        "forget_draw": 0.0,
        "table_talk": 0.0,
        "reshuffle": True,
        "max_turns": 1000,
    } | changes


def dealt(switches: dict[str, Any], first_seat: int = 0) -> Game:
    """Return a game with hands off the top of an unshuffled deck."""
    deck = iter(packs(switches)[0])
    hands = [[next(deck) for _ in range(size)] for size in hand_sizes(switches, first_seat)]
    return Game(switches, BOARD, first_seat, hands)


def position(zero: str = "", one: str = "", hand: str = "JD", **changes: Any) -> Game:
    """Return a position: chips of teams 0 and 1, the hand of seat 0, which is to move."""
    game = dealt(rules(**changes))
    for team, spaces in enumerate((zero, one)):
        game.chips |= dict.fromkeys(map(number, spaces.split()), team)
    game.hands[0] = hand.split()
    return game


def fill(game: Game, team: int) -> None:
    """Cover every open space but the corners."""
    for space in set(range(100)) - set(CORNERS) - game.chips.keys():
        game.chips[space] = team


def tell(game: Game, do: str, **more: Any) -> None:
    """Apply an event of the seat to move."""
    if do not in ("table_talk", "reshuffle"):
        more = {"seat": game.seat} | more
    game.apply({"turn": game.turn, "do": do} | more)


def play(game: Game, space: str, card: str = "JD", seat: int = 0) -> list[str]:
    """Place for a seat, whoever's turn it is, then score and draw; return what was scored."""
    game.seat = seat
    game.hands[seat].append(card)
    tell(game, "place", card=card, space=space)
    scored = []
    while game.phase == "score":
        line = [name(each) for each in game.owed[0]]
        tell(game, "sequence", spaces=line)
        scored.append(f"{line[0]}-{line[-1]}")
    if game.phase == "draw":
        tell(game, "draw", card=game.pile[0][0])
    return scored


def refused(game: Game, clause: str, do: str, **more: Any) -> None:
    """Check that an event of the seat to move breaks a clause."""
    with pytest.raises(Illegal) as caught:
        tell(game, do, **more)
    assert caught.value.clause == clause


# Geometry and cards.


def test_names_are_reading_order() -> None:
    assert [name(0), name(9), name(36), name(99)] == ["A1", "A10", "D7", "J10"]
    assert [number(name(space)) for space in range(100)] == list(range(100))
    with pytest.raises(Illegal, match=r"2\.1"):
        number("K1")


@pytest.mark.parametrize(("length", "count"), [(4, 238), (5, 192), (6, 150)])
def test_number_of_lines(length: int, count: int) -> None:
    """n = 11 - length starts in a row: 10n across, 10n down, n squared each way diagonal."""
    starts = 11 - length
    assert len(lines(length)) == count == 20 * starts + 2 * starts**2
    assert len({frozenset(line) for line in lines(length)}) == count


def test_line_order() -> None:
    """By first space, then across, down, down-right, down-left (rules 8.3)."""
    every = lines(5)
    assert [name(line[-1]) for line in every[:3]] == ["A5", "E1", "E5"]
    steps = [line[1] - line[0] for line in every if line[0] == number("A5")]
    assert steps == [1, 10, 11, 9]
    assert [line[0] for line in every] == sorted(line[0] for line in every)


def test_packs_split_the_jacks_evenly() -> None:
    """An odd one lies in the first pack (rules 3.1, 3.2)."""
    first, second = packs(rules(deal="single_deck"))
    assert Counter(first) == Counter(second) == Counter([*PLAIN, "JD", "JC", "JS", "JH"])
    (whole,) = packs(rules())
    assert len(whole) == 104
    for two, one in itertools.product(range(9), range(9)):
        first, second = packs(rules(deal="single_deck", two_eyed_jacks=two, one_eyed_jacks=one))
        count = Counter(first + second)
        assert len(first + second) == 96 + two + one
        assert (count["JD"], count["JC"]) == ((two + 1) // 2, two // 2)
        assert (count["JS"], count["JH"]) == ((one + 1) // 2, one // 2)
        assert sum(KINDS.get(card) == "two-eyed" for card in first) == (two + 1) // 2
        assert sum(KINDS.get(card) == "one-eyed" for card in second) == one // 2


# The situations.


def test_case_1_six_and_seven_in_a_row_are_one() -> None:
    game = position("E3 E4 E5 E6")
    assert play(game, "E2") == ["E2-E6"]
    assert play(game, "E7") == []
    assert play(game, "E1") == []
    assert (game.scores(), game.phase) == ([1, 0], "start")


def test_case_2_corner_and_five() -> None:
    game = position("A2 A3 A4")
    assert play(game, "A5") == ["A1-A5"]
    assert play(game, "A6") == []


def test_case_3_nine_in_a_row_are_two() -> None:
    game = position("E1 E2 E3 E4")
    assert play(game, "E5") == ["E1-E5"]
    assert [play(game, space) for space in ("E6", "E7", "E8")] == [[], [], []]
    assert play(game, "E9") == ["E5-E9"]
    assert game.outcome() == (0, "sequences")
    assert game.phase == "end"


def test_nine_in_a_row_around_an_earlier_five_are_one() -> None:
    """E3-E7 scored first leaves no second five in row E (rules 8.2)."""
    game = position("E3 E4 E5 E6")
    assert play(game, "E7") == ["E3-E7"]
    assert [play(game, space) for space in ("E2", "E8", "E1", "E9")] == [[]] * 4


def test_case_4_a_crossing_made_later() -> None:
    game = position("E3 E4 E5 E6")
    assert play(game, "E7") == ["E3-E7"]
    game.turn += 20
    game.chips |= dict.fromkeys(map(number, ("C5", "D5", "F5")), 0)
    assert play(game, "G5") == ["C5-G5"]
    assert game.scores() == [2, 0]


@pytest.mark.parametrize("second", [0, 1])
def test_case_5_one_corner_two_sequences(second: int) -> None:
    game = position()
    game.chips |= dict.fromkeys(map(number, ("A2", "A3", "A4")), 0)
    game.chips |= dict.fromkeys(map(number, ("B1", "C1", "D1")), second)
    assert play(game, "A5") == ["A1-A5"]
    assert play(game, "E1", seat=second) == ["A1-E1"]
    assert game.scores() == ([2, 0] if second == 0 else [1, 1])


def test_case_6_what_a_one_eyed_jack_can_not_take() -> None:
    game = position(one="E2 E3 E4 E5 H1", hand="JS QS", players=4)
    assert play(game, "E1", seat=1) == ["E1-E5"]
    game.seat = 0
    game.chips[number("G1")] = 0  # seat 2 plays for team 0
    for space in ("E1", "E3", "E5", "A1", "F9", "G1"):
        refused(game, "6.3", "remove", card="JS", space=space)
    refused(game, "6.3", "place", card="JS", space="F9")
    refused(game, "6.3", "remove", card="QS", space="H1")
    assert {move for move in game.legal_moves() if move[0] == "JS"} == {
        ("JS", number("H1"), "remove")
    }
    tell(game, "remove", card="JS", space="H1")
    assert number("H1") not in game.chips


def test_case_7_and_8_an_exchange_for_another_dead_card() -> None:
    game = position(hand="2S 3S 4S 5S 6S 7S 8S")
    for card in ("2S", "QC"):
        game.chips |= {FIRST[card]: 0, SECOND[card]: 1}
    refused(game, "7.1", "exchange", card="3S")
    assert game.dead_cards(0) == {"2S"}
    tell(game, "exchange", card="2S")
    refused(game, "7.2", "place", card="3S", space=name(FIRST["3S"]))  # the draw is due
    tell(game, "draw", card="QC")
    assert game.dead_cards(0) == {"QC"}
    assert not game.may_exchange()
    refused(game, "7.2", "exchange", card="QC")
    refused(game, "5.3", "pass")
    tell(game, "place", card="3S", space=name(FIRST["3S"]))
    tell(game, "draw", card="KC")
    assert sorted(game.hands[0]) == sorted(["4S", "5S", "6S", "7S", "8S", "QC", "KC"])
    assert sorted(game.discards) == ["2S", "3S"]


def test_case_9_one_space_covered_is_not_dead() -> None:
    game = position(hand="2S JD")
    game.chips[FIRST["2S"]] = 1
    assert game.dead_cards(0) == set()
    fill(game, 1)
    assert game.dead_cards(0) == {"2S"}  # and never a jack
    refused(game, "7.1", "exchange", card="JD")


def test_case_10_the_discards_become_the_pile() -> None:
    game = position(hand="2S 3S")
    game.pile, game.discards = [[]], ["KC", "QC"]
    tell(game, "place", card="2S", space=name(FIRST["2S"]))
    refused(game, "10.1", "draw", card="KC")  # no reshuffle line
    refused(game, "10.1", "reshuffle", cards=2)
    tell(game, "reshuffle", cards=3)
    refused(game, "10.1", "reshuffle", cards=0)
    refused(game, "10.1", "draw", card="3S")
    tell(game, "draw", card="2S")  # the one just played
    assert game.hands[0] == ["3S", "2S"]
    assert (game.discards, game.pile) == ([], [["KC", "QC"]])


def test_an_exchange_can_draw_what_it_discards() -> None:
    """The discarded card counts when the pile is made (rules 7.2, 10.1)."""
    for reshuffle in (True, False):
        game = position(hand="2S 3S", reshuffle=reshuffle)
        game.chips |= {FIRST["2S"]: 0, SECOND["2S"]: 1}
        game.pile, game.discards = [[]], []
        assert game.may_exchange() == reshuffle
        if reshuffle:
            tell(game, "exchange", card="2S")
            refused(game, "10.1", "draw", card="2S")
            tell(game, "reshuffle", cards=1)
            tell(game, "draw", card="2S")
            assert game.hands[0] == ["3S", "2S"]
        else:
            refused(game, "7.2", "exchange", card="2S")
            tell(game, "place", card="3S", space=name(FIRST["3S"]))
            assert (game.turn, game.hands[0]) == (2, ["2S"])  # nothing to draw, no line


def test_case_11_a_removal_draws() -> None:
    game = position(one="E5", hand="JS")
    tell(game, "remove", card="JS", space="E5")
    game.seat = 0
    refused(game, "5.1", "place", card="2S", space="E5")
    tell(game, "draw", card=game.pile[0][0])
    assert game.turn == 2


def test_case_12_every_line_completes() -> None:
    game = position()
    for line in game.lines:
        game.chips = {space: 0 for space in line if space not in CORNERS}
        game.rules["free_corners"] = len(game.chips) == 4  # else A1-A5 comes before A2-A6
        for space in game.chips:
            assert game.scored_sets(0, space) == [line]
            assert game.scored_sets(1, space) == []
    assert sum(bool(set(line) & set(CORNERS)) for line in game.lines) == 12
    assert sum(line[1] - line[0] in (9, 11) for line in game.lines) == 72


def test_case_13_how_many_win() -> None:
    """One for three teams, two for two, partners' together (rules 8.5)."""
    for players, teams in ((3, 3), (6, 3), (6, 2), (12, 3), (12, 2)):
        game = position("E1 E2 E3 E4 F2 G2 H2 E9", "A10", players=players, teams=teams)
        del game.chips[number("A10")]
        assert play(game, "E5") == ["E1-E5"]
        assert (game.phase == "end") == (teams == 3)
        if teams == 2:
            assert play(game, "I2", seat=4) == ["E2-I2"]
            assert game.final()["sequences"] == [2, 0]
            assert game.final()["winner"] == 0


@pytest.mark.parametrize(
    ("players", "teams", "clause"), [(5, 2, "1.1"), (7, 2, "1.1"), (11, 2, "1.1"), (4, 3, "1.2")]
)
def test_case_14_players_refused(players: int, teams: int, clause: str) -> None:
    with pytest.raises(Illegal) as caught:
        dealt(rules(players, teams))
    assert caught.value.clause == clause


def test_case_14_hand_sizes() -> None:
    game = dealt(rules(12))
    assert [len(hand) for hand in game.hands] == [3] * 12
    with pytest.raises(Illegal, match=r"3\.3"):
        Game(rules(), BOARD, 0, [["2S"] * 1, ["3S"] * 1])
    with pytest.raises(Illegal, match=r"3\.1"):
        Game(rules(hand_size=2), BOARD, 0, [["2S", "2S"], ["2S", "3S"]])
    with pytest.raises(Illegal, match=r"3\.2"):
        Game(rules(hand_size=1, deal="single_deck"), BOARD, 0, [["2S"], ["2S"]])


def test_case_15_layouts_refused() -> None:
    for bad in ("AS", "JS", "**"):
        board = [list(row) for row in BOARD]
        board[3][3] = bad
        with pytest.raises(Illegal, match=r"2\.2"):
            Game(rules(hand_size=1), board, 0, [["2S"], ["3S"]])
    with pytest.raises(Illegal, match=r"2\.2"):
        Game(rules(hand_size=1), BOARD[:9], 0, [["2S"], ["3S"]])


def test_case_16_pass_and_stalemate() -> None:
    """A pass keeps the hand; a round of passes ends the game (rules 5.2, 10.2)."""
    game = position(hand="2S 3S", dead_card_exchanges=0)
    fill(game, 0)
    game.hands[1] = ["4S"]
    tell(game, "pass")
    assert (game.hands[0], game.seat, game.idle) == (["2S", "3S"], 1, 1)
    refused(game, "10.2", **{**game.final(), "reason": "stalemate"})
    tell(game, "pass")
    refused(game, "10.2", "draw", card=game.pile[0][0])
    assert game.final() == {
        "do": "end",
        "winner": None,
        "reason": "stalemate",
        "turns": 2,
        "sequences": [0, 0],
    }
    game.apply(game.final())
    assert game.phase == "over"


def test_an_exchange_before_a_pass_is_not_idle() -> None:
    game = position(hand="2S")
    fill(game, 0)
    game.hands[1] = []
    game.idle = 1
    tell(game, "exchange", card="2S")
    tell(game, "draw", card="QC")
    tell(game, "pass")
    assert (game.idle, game.phase) == (0, "start")
    tell(game, "pass")  # an empty hand (rules 9.3)
    assert game.idle == 1


def test_case_17_exchanges_end_after_the_deck() -> None:
    game = position(hand="2S 3S", dead_card_exchanges=-1, two_eyed_jacks=3)
    fill(game, 0)
    game.pile, game.discards = [["QC", "KC"]], []
    for _ in range(103):
        tell(game, "exchange", card=game.hands[0][0])
        if not any(game.pile):
            tell(game, "reshuffle", cards=len(game.discards))
        tell(game, "draw", card=game.pile[0][0])
    assert game.dead_cards(0)
    assert not game.may_exchange()
    refused(game, "7.2", "exchange", card=game.hands[0][0])
    tell(game, "pass")
    assert game.seat == 1


def test_case_21_a_one_eyed_jack_with_nothing_to_take() -> None:
    game = position("E5", hand="JS JH")
    assert game.must_pass()
    tell(game, "pass")
    game = position("E5", hand="JS", one_eyed_removes="any")
    assert game.legal_moves() == {("JS", number("E5"), "remove")}


def test_case_22_only_a_placement_of_ones_own_scores() -> None:
    game = position("E1 E2 E3 E4 E5", "H1 H2 H3 H4 H5", hand="JS")
    tell(game, "remove", card="JS", space="H1")
    refused(game, "8.3", "sequence", spaces=["E1", "E2", "E3", "E4", "E5"])
    assert (game.phase, game.scores()) == ("draw", [0, 0])
    tell(game, "draw", card=game.pile[0][0])
    assert play(game, "C9", seat=0) == []
    assert play(game, "C8", seat=1) == []
    assert game.scores() == [0, 0]


# Scoring.


def test_without_protection_a_broken_sequence_stays_scored() -> None:
    """It keeps its score, and its spaces still count (rules 6.3)."""
    game = position(one="E2 E3 E4 E5", hand="JS", sequences_protected=False)
    assert play(game, "E1", seat=1) == ["E1-E5"]
    game.seat = 0
    tell(game, "remove", card="JS", space="E3")
    tell(game, "draw", card=game.pile[0][0])
    assert game.scores() == [0, 1]
    assert play(game, "E3", seat=1) == []
    assert play(game, "E6", seat=1) == []
    assert game.scores() == [0, 1]


def test_several_lines_at_once() -> None:
    """The largest set, past the target too, and the first of its size (rules 8.3)."""
    game = position("E1 E2 E3 E4 E6 E7 E8 E9 A5 B5 C5 D5")
    assert play(game, "E5") == ["A5-E5", "E1-E5", "E5-E9"]
    assert game.final()["sequences"] == [3, 0]
    game = position("E1 E2 E4 E5 E6")
    assert play(game, "E3") == ["E1-E5"]
    game = position("E2 E3 E4 E6 E7 E8 E9 E10")
    assert play(game, "E5") == ["E2-E6"]
    assert play(game, "E1") == []
    game = position("A2 A3 A4 A6 A7 A8 A9")
    assert play(game, "A5") == ["A1-A5", "A5-A9"]
    game = position("A2 A3 A4 A6 A7 A8 A9", free_corners=False)
    assert play(game, "A5") == ["A2-A6"]


def test_sequence_lines_come_in_line_order() -> None:
    """And their spaces from the first on (rules 8.3)."""
    game = position("E1 E2 E3 E4 E6 E7 E8 E9", hand="JD")
    tell(game, "place", card="JD", space="E5")
    first, second = (["E1", "E2", "E3", "E4", "E5"], ["E5", "E6", "E7", "E8", "E9"])
    refused(game, "8.3", "sequence", spaces=second)
    refused(game, "8.3", "sequence", spaces=first[::-1])
    tell(game, "sequence", spaces=first)
    refused(game, "8.3", **game.final())
    tell(game, "sequence", spaces=second)
    game.apply(game.final())


@pytest.mark.parametrize(("shared", "count"), [(0, 1), (1, 2), (2, 2), (3, 3), (4, 5)])
def test_shared_spaces(shared: int, count: int) -> None:
    """Nine in a row by their middle: fives that start 5 - shared apart (rules 8.2)."""
    game = position("E1 E2 E3 E4 E6 E7 E8 E9", shared_spaces=shared, sequences_to_win=4)
    assert len(play(game, "E5")) == count


def plainly_scored(game: Game, team: int, space: int) -> list[Line]:
    """Return what scores by trying all sets of lines of the board that fit, with no shortcut."""
    most, own = game.rules["shared_spaces"], game.sequences[team]
    full = [x for x in game.lines if all(game.counts_for(team, each) for each in x)]
    fit = [x for x in full if space in x and all(common(x, old) <= most for old in own)]
    sets = [s for size in range(len(fit) + 1) for s in itertools.combinations(fit, size)]
    good = [s for s in sets if all(common(a, b) <= most for a, b in itertools.combinations(s, 2))]
    longest = max(map(len, good))
    return list(min((s for s in good if len(s) == longest), key=lambda s: [*map(fit.index, s)]))


@pytest.mark.parametrize("shared", [0, 1, 2, 3])
def test_scored_sets_are_those_of_all_subsets(shared: int) -> None:
    rng = random.Random(shared)
    several = 0
    for _ in range(60):
        game = position(line_length=4, shared_spaces=shared)
        game.chips = {space: 0 for space in range(100) if rng.random() < 0.75}
        game.sequences[0] = rng.sample(game.lines, 3)
        space = rng.choice([space for space in game.chips if space not in CORNERS])
        expected = plainly_scored(game, 0, space)
        assert game.scored_sets(0, space) == expected
        several += len(expected) > 1
    assert (several > 10) == (shared > 0)


def test_all_twenty_lines_through_a_space() -> None:
    """Five a direction: of starts 0 to 4 those that are 5 - shared apart fit (rules 8.2)."""
    for shared, count in enumerate((1, 8, 8, 12, 20)):
        game = position(shared_spaces=shared)
        fill(game, 0)
        assert len(game.scored_sets(0, number("E5"))) == count


# Cards, chips, turns.


def test_placements() -> None:
    game = position("E5", "E6", hand="2S JD")
    open_to = {space for card, space, _ in game.legal_moves() if card == "JD"}
    assert open_to == set(range(100)) - set(CORNERS) - {number("E5"), number("E6")}
    assert {space for card, space, _ in game.legal_moves() if card == "2S"} == {
        FIRST["2S"],
        SECOND["2S"],
    }
    refused(game, "6.1", "place", card="2S", space=name(FIRST["3S"]))
    refused(game, "6.2", "place", card="JD", space="E5")
    refused(game, "6.2", "place", card="JD", space="A1")
    refused(game, "5.1", "place", card="JC", space="E7")
    refused(game, "2.1", "place", card="JD", space="E11")


def test_a_team_without_chips_only_removes() -> None:
    """And a chip taken goes back to its team (rules 6.5)."""
    game = position(one="E5", hand="2S JD JS", chips=[1, 1])
    game.stock = [0, 0]
    refused(game, "6.5", "place", card="2S", space=name(FIRST["2S"]))
    assert game.legal_moves() == {("JS", number("E5"), "remove")}
    tell(game, "remove", card="JS", space="E5")
    assert game.stock == [0, 1]
    for chips in ([0, 50], [50]):
        with pytest.raises(Illegal, match=r"6\.5"):
            dealt(rules(chips=chips))


def test_extra_cards_by_place() -> None:
    """The list is read from the first seat on (rules 3.4)."""
    assert hand_sizes(rules(4, extra_cards=[0, 1, 2]), 3) == [7, 8, 6, 6]
    game = dealt(rules(3, extra_cards=[0, 1]), first_seat=1)
    assert [len(hand) for hand in game.hands] == [6, 6, 7]
    with pytest.raises(Illegal, match=r"3\.4"):
        Game(rules(3, extra_cards=[0, 1]), BOARD, 0, game.hands)


def test_the_second_pack_waits() -> None:
    game = dealt(rules(deal="single_deck", hand_size=1))
    assert game.hands == [["2S"], ["3S"]]
    tell(game, "place", card="2S", space=name(FIRST["2S"]))
    refused(game, "3.2", "draw", card="2S")
    game.pile[0] = ["KC"]
    tell(game, "draw", card="KC")
    tell(game, "place", card="3S", space=name(FIRST["3S"]))
    tell(game, "draw", card="2S")
    assert len(game.pile[0]) == 51


def test_forgetting() -> None:
    """Only in place of a draw, before any reshuffle (rules 9.1)."""
    for chance in (0.0, 0.5, 1.0):
        game = position(hand="2S 3S", forget_draw=chance)
        refused(game, "9.1", "forget")
        tell(game, "place", card="2S", space=name(FIRST["2S"]))
        if chance == 0:
            refused(game, "9.1", "forget")
        else:
            if chance == 1:
                refused(game, "9.1", "draw", card=game.pile[0][0])
            tell(game, "forget")
            assert (game.turn, game.hands[0]) == (2, ["3S"])
    game = position(hand="2S", forget_draw=0.5)
    game.pile, game.discards = [[]], []
    tell(game, "place", card="2S", space=name(FIRST["2S"]))
    tell(game, "reshuffle", cards=1)
    refused(game, "10.1", "forget")


def test_table_talk() -> None:
    """Each member with a card discards one, in seat order, not replaced (rules 9.2)."""
    game = position(players=6, teams=2, table_talk=0.5, hand="2S 3S")
    game.hands[2], game.hands[4] = [], ["4S"]
    refused(game, "9.2", "table_talk", team=1)
    tell(game, "table_talk", team=0)
    refused(game, "9.2", "pass")
    refused(game, "9.2", "forfeit", seat=4, card="4S")
    refused(game, "9.2", "forfeit", seat=0, card="4S")
    tell(game, "forfeit", seat=0, card="2S")
    tell(game, "forfeit", seat=4, card="4S")
    assert (game.hands[0], game.hands[4], game.discards) == (["3S"], [], ["2S", "4S"])
    refused(game, "9.2", "table_talk", team=0)
    refused(game, "9.2", "forfeit", seat=0, card="3S")
    tell(game, "place", card="3S", space=name(FIRST["3S"]))
    certain = position(players=4, table_talk=1.0)
    refused(certain, "9.2", "place", card="JD", space="E5")
    alone = position(players=2, table_talk=1.0)
    refused(alone, "9.2", "table_talk", team=0)


def test_forfeits_are_idle() -> None:
    """A round of forfeits and passes is a stalemate (rules 9.2, 10.2)."""
    game = dealt(rules(4, table_talk=0.5))
    game.hands = [["2S"], ["3S"], [], []]
    for team in (0, 1):
        tell(game, "table_talk", team=team)
        tell(game, "forfeit", card=game.hands[game.seat][0])
        tell(game, "pass")
    refused(game, "9.2", "table_talk", team=0)  # no member holds a card
    tell(game, "pass")
    tell(game, "pass")
    assert game.final()["reason"] == "stalemate"


def test_which_end_comes_first() -> None:
    """A win before a stalemate before the last turn, which has its draw (rules 10.3)."""
    game = position("E1 E2 E3 E4", max_turns=1, sequences_to_win=1)
    refused(game, "10.3", **game.final())  # too early
    tell(game, "place", card="JD", space="E5")
    refused(game, "8.3", "draw", card=game.pile[0][0])
    tell(game, "sequence", spaces=["E1", "E2", "E3", "E4", "E5"])
    refused(game, "8.5", "draw", card=game.pile[0][0])
    assert (game.final()["winner"], game.final()["reason"]) == (0, "sequences")
    game = position(hand="JD", max_turns=1)
    tell(game, "place", card="JD", space="E5")
    refused(game, "5.1", **game.final())
    tell(game, "draw", card=game.pile[0][0])
    assert (game.final()["winner"], game.final()["reason"]) == (None, "max_turns")
    refused(game, "10.3", "place", card="JD", space="E6")
    game = position(hand="", max_turns=2)
    game.hands[1] = []
    tell(game, "pass")
    tell(game, "pass")
    assert game.final()["reason"] == "stalemate"


def test_turns_and_seats() -> None:
    game = position()
    refused(game, "4.1", "place", seat=1, card="JD", space="E5")
    refused(game, "10.3", "place", turn=2, card="JD", space="E5")
    refused(game, "5.1", "draw", card="KC")
    refused(game, "transcript", "dance")
    refused(game, "transcript", "place", card="JD")


# What a jack is for.


@pytest.mark.parametrize(
    ("zero", "one", "do", "space", "purpose"),
    [
        ("E1 E2 E3 E4", "", "place", "E5", "completes"),
        ("E1 E2 E3 E4", "A5 B5 C5 D5", "place", "E5", "completes"),
        ("E1 E2 E3", "A5 B5 C5 D5", "place", "E5", "blocks"),
        ("", "A2 A3 A4", "place", "A5", "blocks"),
        ("E1 E2 E3", "A5 B5 C5", "place", "E5", "builds"),
        ("E1 E2 E3", "E4", "place", "E5", "other"),
        ("A2 A3", "", "place", "A5", "builds"),
        ("E1 E2 E3 E4", "", "place", "C9", "other"),
        ("", "E1 E2 E3 E5", "remove", "E3", "blocks"),
        ("E4", "E1 E2 E3 E5", "remove", "E3", "removes"),
        ("", "E1 E2 E3 E5 H3", "remove", "H3", "removes"),
        ("E1 E2 E3 E5", "", "remove", "E3", "removes"),
    ],
)
def test_jack_purpose(zero: str, one: str, do: str, space: str, purpose: str) -> None:
    card = "JD" if do == "place" else "JS"
    game = position(zero, one, hand=card, one_eyed_removes="any")
    event = {"turn": 1, "seat": 0, "do": do, "card": card, "space": space}
    assert jack_purpose(game, event) == purpose
    game.apply(event)
    assert (game.phase == "score") == (purpose == "completes")


def test_jack_purpose_at_dead_corners() -> None:
    game = position("A2 A3 A4", "J2 J3 J4 J5", free_corners=False)
    event = {"turn": 1, "seat": 0, "do": "place", "card": "JD", "space": "A5"}
    assert jack_purpose(game, event) == "builds"  # A2-A6, not A1-A5
    game.chips[number("A6")] = 1
    assert jack_purpose(game, event) == "other"


# Random games.

VARIANTS: list[dict[str, Any]] = [
    *({"players": players, "teams": teams} for players in TEAMS for teams in TEAMS[players]),
    {"line_length": 4, "sequences_to_win": 4},
    {"players": 4, "line_length": 6, "sequences_to_win": 1},
    {"line_length": 4, "shared_spaces": 0, "sequences_to_win": 3},
    {"line_length": 4, "shared_spaces": 3, "sequences_to_win": 4, "one_eyed_jacks": 0},
    {"players": 6, "shared_spaces": 4, "sequences_to_win": 3},
    {"players": 4, "free_corners": False},
    {"players": 3, "one_eyed_removes": "any", "one_eyed_jacks": 8},
    {"line_length": 4, "sequences_protected": False, "one_eyed_jacks": 8, "sequences_to_win": 3},
    {"players": 3, "dead_card_exchanges": 0, "max_turns": 300},
    {"players": 6, "teams": 3, "dead_card_exchanges": -1, "max_turns": 300},
    {"players": 4, "reshuffle": False, "sequences_to_win": 4},
    {"players": 2, "chips": [12, 9], "max_turns": 200},
    {"players": 3, "chips": [8, 8, 8], "max_turns": 200, "dead_card_exchanges": -1},
    {"players": 4, "extra_cards": [0, 1, 0, 2]},
    {"players": 8, "two_eyed_jacks": 0, "one_eyed_jacks": 0},
    {"players": 6, "two_eyed_jacks": 8, "one_eyed_jacks": 3},
    {"players": 9, "two_eyed_jacks": 5, "one_eyed_jacks": 0, "deal": "single_deck"},
    {"players": 12, "deal": "single_deck", "extra_cards": [1, 1, 1, 1]},
    {"players": 2, "deal": "single_deck", "two_eyed_jacks": 2, "one_eyed_jacks": 6},
    {"players": 10, "forget_draw": 0.05},
    {"players": 2, "forget_draw": 1.0},
    {"players": 12, "table_talk": 0.05, "forget_draw": 0.02, "max_turns": 300},
    {"players": 4, "table_talk": 1.0},
    {"players": 6, "table_talk": 0.1, "reshuffle": False, "deal": "single_deck"},
    {"players": 2, "max_turns": 1},
    {"players": 8, "max_turns": 17},
]


RICH = {"players": 4, "table_talk": 0.08, "forget_draw": 0.08, "dead_card_exchanges": -1}
RICH |= {"sequences_to_win": 3, "free_corners": False}
VARIANTS.append(RICH)


@functools.cache
def sample(number_of_variant: int, seed: int) -> tuple[Event, list[Event]]:
    """Return a random game of a variant on a shuffled layout."""
    variant, rng = {"max_turns": 400} | VARIANTS[number_of_variant], random.Random(seed)
    cards = iter(rng.sample(PLAIN * 2, 96))
    flat = ["**" if space in CORNERS else next(cards) for space in range(100)]
    board = [flat[row : row + 10] for row in range(0, 100, 10)]
    return random_game(rules(**variant), board, rng)


@pytest.mark.parametrize("variant", range(len(VARIANTS)), ids=lambda at: str(VARIANTS[at]))
def test_random_games_replay(variant: int) -> None:
    for seed in range(2):
        header, events = sample(variant, seed)
        game = replay(header, events)
        cards = [*itertools.chain(*game.hands, *game.pile), *game.discards]
        assert Counter(cards) == Counter(itertools.chain(*packs(header["rules"])))
        for team, stock in enumerate(game.stock):
            on_board = list(game.chips.values()).count(team)
            assert stock + on_board == header["rules"]["chips"][team]
            assert stock >= 0
        assert not set(game.chips) & set(CORNERS)
        check_tally(header, events, game)


def check_tally(header: Event, events: list[Event], game: Game) -> None:
    """Check what the rows of a game must add up to."""
    rows = tally(header, events)
    assert rows["game"]["turns"] == events[-1]["turns"] == game.turn
    assert rows["game"]["winner"] == (-1 if events[-1]["winner"] is None else events[-1]["winner"])
    assert sum(row["score"] for row in rows["seats"]) == pytest.approx(
        game.rules["players"] / game.rules["teams"]
    )
    teams = Counter(row["team"] for row in rows["sequences"])
    assert [teams[team] for team in range(game.rules["teams"])] == events[-1]["sequences"]
    assert any(row["winning"] for row in rows["sequences"]) == (rows["game"]["winner"] >= 0)
    for row in rows["sequences"]:
        assert game.lines[row["line"]] in game.sequences[row["team"]]
    forfeited = Counter(
        (event["seat"], KINDS.get(event["card"])) for event in events if event["do"] == "forfeit"
    )
    held = Counter((row["seat"], row["kind"], row["purpose"] == "held") for row in rows["jacks"])
    for row, kind in itertools.product(rows["seats"], ("two-eyed", "one-eyed")):
        seat, key = row["seat"], kind.replace("-", "_")
        gone = forfeited[seat, kind] + held[seat, kind, True] + row[f"played_{key}"]
        assert row[f"opening_{key}"] + row[f"drawn_{key}"] == gone
        assert row[f"played_{key}"] == held[seat, kind, False]
        assert row["place"] == (seat - header["first_seat"]) % game.rules["players"]
    plays = sum(event["do"] in ("place", "remove") for event in events)
    assert plays + sum(row["passes"] for row in rows["seats"]) == game.turn


def test_random_games_reach_everything() -> None:
    """The variants together show every event, end, purpose, direction and kind of sharing."""
    done, reasons, purposes, directions = set(), set(), set(), set()
    shared, corners = set(), set()
    for variant, seed in itertools.product(range(len(VARIANTS)), range(2)):
        header, events = sample(variant, seed)
        rows = tally(header, events)
        done |= {event["do"] for event in events}
        reasons.add(rows["game"]["reason"])
        purposes |= {row["purpose"] for row in rows["jacks"]}
        directions |= {row["direction"] for row in rows["sequences"]}
        shared |= {row["shared"] for row in rows["sequences"]}
        corners |= {row["corner"] for row in rows["sequences"]}
    assert len(done) == 11
    assert reasons == {"sequences", "stalemate", "max_turns"}
    assert purposes == {"completes", "blocks", "builds", "removes", "other", "held"}
    assert directions == {"across", "down", "down-right", "down-left"}
    assert {0, 1, 3} <= shared
    assert "none" in corners
    assert len(corners) > 2


def test_tally_of_a_hand_made_game() -> None:
    """Three plays, two by jacks; counted by hand."""
    switches = rules(hand_size=2, max_turns=3, line_length=4)
    header = {"do": "start", "rules": switches, "board": BOARD, "first_seat": 1}
    header["hands"] = [["JS", "2S"], ["JD", "3S"]]
    first = name(FIRST["3S"])
    events: list[Event] = [
        {"turn": 1, "seat": 1, "do": "place", "card": "JD", "space": "E5"},
        {"turn": 1, "seat": 1, "do": "draw", "card": "JC"},
        {"turn": 2, "seat": 0, "do": "remove", "card": "JS", "space": "E5"},
        {"turn": 2, "seat": 0, "do": "draw", "card": "3S"},
        {"turn": 3, "seat": 1, "do": "place", "card": "3S", "space": first},
        {"turn": 3, "seat": 1, "do": "draw", "card": "JS"},
        {"do": "end", "winner": None, "reason": "max_turns", "turns": 3, "sequences": [0, 0]},
    ]
    rows = tally(header, events)
    assert rows["game"] == {"winner": -1, "reason": "max_turns", "turns": 3, "reshuffles": 0}
    assert rows["sequences"] == []
    assert rows["jacks"] == [
        {"turn": 1, "seat": 1, "kind": "two-eyed", "purpose": "other"},
        {"turn": 2, "seat": 0, "kind": "one-eyed", "purpose": "removes"},
        {"turn": 3, "seat": 1, "kind": "two-eyed", "purpose": "held"},
        {"turn": 3, "seat": 1, "kind": "one-eyed", "purpose": "held"},
    ]
    assert rows["seats"][1] == {
        "seat": 1,
        "team": 1,
        "place": 0,
        "score": 0.5,
        "opening_two_eyed": 1,
        "opening_one_eyed": 0,
        "drawn_two_eyed": 1,
        "drawn_one_eyed": 1,
        "played_two_eyed": 1,
        "played_one_eyed": 0,
        "exchanges": 0,
        "passes": 0,
        "forgets": 0,
        "forfeits": 0,
    }


# Damaged transcripts.


@pytest.fixture(scope="module")
def rich() -> tuple[Event, list[Event]]:
    """Return a game with every event but the pass."""
    for seed in range(50):
        header, events = sample(VARIANTS.index(RICH), seed)
        done = {event["do"] for event in events} | {"pass"}
        if len(done) == 11 and events[-1]["reason"] == "sequences":
            return header, events
    raise AssertionError("no such game")


def broken(header: Event, events: list[Event]) -> str:
    """Return the clause a transcript breaks."""
    with pytest.raises(Illegal) as caught:
        replay(header, events)
    return caught.value.clause


def test_every_line_is_needed(rich: tuple[Event, list[Event]]) -> None:
    header, events = rich
    clauses: dict[str, set[str]] = {}
    for at, event in enumerate(events):
        clause = broken(header, events[:at] + events[at + 1 :])
        clauses.setdefault(event["do"], set()).add(clause)
    assert clauses["draw"] <= {"5.1", "7.2", "10.1"}
    assert clauses["forget"] == {"5.1"}
    assert clauses["sequence"] == {"8.3"}
    assert clauses["reshuffle"] == {"10.1"}
    assert clauses["forfeit"] == clauses["table_talk"] == {"9.2"}
    assert clauses["exchange"] <= {"5.1", "10.1"}
    assert clauses["place"] <= {"5.1", "8.3", "9.1", "10.1"}
    assert clauses["end"] == {"transcript"}


def test_no_line_stands_twice(rich: tuple[Event, list[Event]]) -> None:
    header, events = rich
    for at in range(len(events)):
        broken(header, events[: at + 1] + events[at:])


def test_no_two_lines_change_places(rich: tuple[Event, list[Event]]) -> None:
    header, events = rich
    for at in range(len(events) - 1):
        broken(header, [*events[:at], events[at + 1], events[at], *events[at + 2 :]])


WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("place", {"seat": 9}, "4.1"),
    ("place", {"turn": 0}, "10.3"),
    ("place", {"space": "A1"}, "6.1 6.2"),
    ("place", {"space": "Z1"}, "2.1"),
    ("place", {"card": "1S"}, "5.1"),
    ("place", {"do": "remove"}, "6.3"),
    ("remove", {"do": "place"}, "6.3"),
    ("remove", {"space": "A1"}, "6.3"),
    ("draw", {"card": "1S"}, "10.1"),
    ("draw", {"seat": 9}, "4.1"),
    ("forget", {"seat": 9}, "4.1"),
    ("exchange", {"card": "JD"}, "7.1"),
    ("reshuffle", {"cards": 3}, "10.1"),
    ("sequence", {"spaces": ["A1", "A2", "A3", "A4"]}, "8.3"),
    ("table_talk", {"team": 2}, "9.2"),
    ("forfeit", {"card": "1S"}, "9.2"),
    ("forfeit", {"seat": 9}, "9.2"),
    ("end", {"winner": None}, "8.5"),
    ("end", {"reason": "stalemate"}, "8.5"),
    ("end", {"turns": 3}, "8.5"),
    ("end", {"sequences": [0, 0]}, "8.5"),
]


@pytest.mark.parametrize(("do", "change", "clauses"), WRONG, ids=str)
def test_damage_is_named(
    rich: tuple[Event, list[Event]], do: str, change: dict[str, Any], clauses: str
) -> None:
    header, events = rich
    found = set()
    for at, event in enumerate(events):
        if event["do"] == do:
            found.add(broken(header, [*events[:at], event | change, *events[at + 1 :]]))
    assert found
    assert found <= set(clauses.split())


def test_any_other_space_or_card_of_a_plain_placement_is_refused(
    rich: tuple[Event, list[Event]],
) -> None:
    header, events = rich
    placed = [at for at, event in enumerate(events) if event["do"] == "place"]
    at = next(at for at in placed if events[at]["card"] in PLAIN)
    event, printed = events[at], list(itertools.chain(*header["board"]))
    game = start(header)
    for earlier in events[:at]:
        game.apply(earlier)
    for space in range(100):
        if printed[space] != event["card"]:
            damaged = [*events[:at], event | {"space": SPACES[space]}, *events[at + 1 :]]
            assert broken(header, damaged) == "6.1"
    for card in set(PLAIN) - {event["card"]}:
        clause = broken(header, [*events[:at], event | {"card": card}, *events[at + 1 :]])
        assert clause == ("6.1" if card in game.hands[game.seat] else "5.1")


def test_a_damaged_header_is_refused(rich: tuple[Event, list[Event]]) -> None:
    header, events = rich
    assert broken(header | {"do": "begin"}, events) == "transcript"
    assert broken(header | {"first_seat": 4}, events) == "4.1"
    assert broken(header | {"hands": header["hands"][1:]}, events) == "3.3"
    assert broken(header | {"board": header["board"][1:]}, events) == "2.2"
    assert broken(header, [*events, events[-1]]) == "transcript"
    assert broken(header, []) == "transcript"
