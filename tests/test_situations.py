"""Situations that other programs get wrong, as the kernels see them: `case 3` is their number."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Any

import naive
import numpy as np
import pytest
from helpers import BUILDER, JIT, TABLES, WILD, Desk, Played, scaled

from simcore.board import CORNERS, LayoutError, lines, load_board, parse_board
from simcore.board import SPACE_NUMBERS as AT
from simcore.cards import CODES, NAMES, ONE_EYED, TWO_EYED
from simcore.moves import any_playable, dead_slot, is_legal, is_playable, is_target
from simcore.rules import MAX_SEATS, Rules, RulesError
from simcore.sequences import score_space
from simcore.strategy import Bot, Parameter, make_strategy
from simcore.table import clear_table, is_dead, place, remove
from simcore.turn import make_play

JACK = CODES["JD"]
ONE_EYED_JACK = CODES["JS"]


class Position(Desk):
    """An empty table on which chips can be put and taken."""

    def __post_init__(self) -> None:
        super().__post_init__()
        clear_table(self.setting, self.table, 0)

    def put(self, team: int, spaces: str) -> list[int]:
        """Place chips in the order given, `E1-E5` in a row; return what each of them scores."""
        scored = []
        for space in expand(spaces):
            full = place(self.setting, self.table, team, AT[space])
            scored.append(
                int(score_space(self.setting, self.table, team, AT[space])) if full else 0
            )
        return scored

    def take(self, space: str) -> None:
        """Take a chip off the board."""
        remove(self.setting, self.table, AT[space])

    def hand(self, seat: int, cards: str) -> Any:
        """Give a hand to a seat and return it."""
        codes = [CODES[card] for card in cards.split()]
        self.table.hand_size[seat] = len(codes)
        self.dealer.hands[seat, : len(codes)] = codes
        return self.dealer.hands[seat, : len(codes)]

    def scores(self) -> list[int]:
        return [int(n) for n in self.table.sequences[: self.rules.teams]]

    def sequences(self, team: int) -> list[list[int]]:
        numbers = self.table.sequence[team, : self.table.sequences[team]]
        return [lines(self.rules.line_length).spaces[line].tolist() for line in numbers]


def expand(spaces: str) -> list[str]:
    """Return the names in `A2-A5 C7`: rows and columns step by one from the first to the last."""
    found = []
    for part in spaces.split():
        first, _, last = part.partition("-")
        (row, column), (last_row, last_column) = (divmod(AT[s], 10) for s in (first, last or first))
        for i in range(max(abs(last_row - row), abs(last_column - column)) + 1):
            down, right = np.sign(last_row - row), np.sign(last_column - column)
            found.append(naive.name(10 * (row + i * int(down)) + column + i * int(right)))
    return found


def position(players: int = 2, teams: int | None = None, **changes: Any) -> Position:
    return Position(Rules(players=players, teams=teams, **changes))


def test_case_1_no_second_five_beside_the_first() -> None:
    at = position()
    assert at.put(0, "E2-E6") == [0, 0, 0, 0, 1]
    assert at.put(0, "E7 E1") == [0, 0]
    assert at.scores() == [1, 0]


def test_case_2_six_with_a_corner_are_one() -> None:
    at = position()
    assert at.put(0, "A2-A5") == [0, 0, 0, 1]
    assert at.put(0, "A6") == [0]
    assert at.sequences(0) == [[AT[space] for space in expand("A1-A5")]]


def test_case_3_nine_in_a_row_are_two() -> None:
    at = position()
    assert at.put(0, "E1-E5") == [0, 0, 0, 0, 1]
    assert at.put(0, "E6-E9") == [0, 0, 0, 1]
    assert set(at.sequences(0)[0]) & set(at.sequences(0)[1]) == {AT["E5"]}


def test_case_4_crossing_sequences_are_two_however_far_apart() -> None:
    at = position()
    assert at.put(0, "C3-C7") == [0, 0, 0, 0, 1]
    at.table.turn += 20
    assert at.put(0, "A5 B5 D5 E5") == [0, 0, 0, 1]
    assert at.scores() == [2, 0]


@pytest.mark.parametrize("teams", [(0, 0), (0, 1)])
def test_case_5_row_and_column_from_a_corner(teams: tuple[int, int]) -> None:
    at = position()
    assert at.put(teams[0], "A2-A5") == [0, 0, 0, 1]
    assert at.put(teams[1], "B1-E1") == [0, 0, 0, 1]
    assert at.scores() == ([2, 0] if teams == (0, 0) else [1, 1])


@pytest.mark.parametrize("space", ["E3", "A1", "F6", "D9"])
def test_case_6_one_eyed_jacks_refused(space: str) -> None:
    """A chip of a sequence, a corner, an open space, a team-mate's chip."""
    at = position(4)
    at.put(1, "E2-E6 C8")
    at.put(0, "D9")
    hand = at.hand(0, "JS")
    assert not is_legal(at.setting, at.table, 0, hand, 0, AT[space])
    assert not is_target(at.setting, at.table, 0, ONE_EYED_JACK, AT[space])
    assert is_legal(at.setting, at.table, 0, hand, 0, AT["C8"])


def test_case_6_with_the_switches() -> None:
    at = position(4, one_eyed_removes="any", sequences_protected=False)
    at.put(1, "E2-E6")
    at.put(0, "D9")
    hand = at.hand(0, "JS")
    legal = [s for s in range(100) if is_legal(at.setting, at.table, 0, hand, 0, s)]
    assert legal == sorted(AT[space] for space in expand("E2-E6 D9"))


def played(games: int, bot: Bot = WILD, **rules: Any) -> Iterable[tuple[Desk, Played]]:
    """Yield games of one bot."""
    desk = Desk(Rules(**rules), (bot,))
    for game in range(max(2, scaled(games))):
        yield desk, desk.run(23, game)


def turns_of(game: Played) -> Iterable[tuple[naive.Game, list[naive.Event]]]:
    """Yield the referee's position at the start of each turn and the events of that turn.

    The position moves on when the next turn is asked for, and then every event is checked.
    """
    start, *events, end = game.events
    referee = naive.start(start)
    for turn in range(1, end["turns"] + 1):
        now = [event for event in events if event["turn"] == turn]
        yield referee, now
        for event in now:
            referee.apply(event)
    referee.apply(end)


def words(events: Iterable[naive.Event]) -> str:
    return " ".join(event["do"] for event in events)


def test_case_7_the_new_card_is_dead_too() -> None:
    """With one exchange a turn it stays, and the seat still plays."""
    met = 0
    for _, game in played(40, players=2, sequences_to_win=4, hand_size=10):
        for position_before, events in turns_of(game):
            text = words(events)
            assert text.count("exchange") <= 1
            if text.startswith("exchange"):
                new = next(event["card"] for event in events if event["do"] == "draw")
                seat, chips = events[0]["seat"], position_before.chips
                dead = new not in naive.KINDS and all(
                    space in chips
                    for space, card in enumerate(position_before.printed)
                    if card == new
                )
                if dead and text.split()[-1] != "pass":
                    assert re.match(r"exchange (reshuffle )?draw (place|remove)", text)
                    assert seat == position_before.seat
                    met += 1
    assert met > 0


def test_case_8_an_exchange_keeps_the_hand_as_large() -> None:
    met = 0
    for _, game in played(10, players=3):
        sizes: Counter[int] = Counter()
        for before, events in turns_of(game):
            for seat, size in sizes.items():
                assert len(before.hands[seat]) == size
            sizes = Counter({seat: len(hand) for seat, hand in enumerate(before.hands)})
            if words(events).startswith("exchange"):
                draws = words(events).count("draw")
                won = before.turn == game.game.turns
                passed = words(events).endswith("pass")
                assert draws == 2 or won or passed
                met += 1
    assert met > 0


def test_case_9_one_covered_space_is_not_dead() -> None:
    at = position()
    card = CODES["6C"]
    first, second = load_board("standard").spaces_of(card)
    hand = at.hand(0, "JD 6C JS")
    place(at.setting, at.table, 1, first)
    assert not is_dead(at.table, card)
    assert dead_slot(at.table, hand) == -1
    place(at.setting, at.table, 0, second)
    assert is_dead(at.table, card)
    assert dead_slot(at.table, hand) == 1
    remove(at.setting, at.table, first)
    assert not is_dead(at.table, card)
    assert not is_dead(at.table, JACK)


def test_case_10_the_discards_become_the_pile() -> None:
    met = 0
    for _, game in played(20, players=2, sequences_to_win=4, line_length=6):
        on_the_pile = 0
        for index, event in enumerate(game.events):
            on_the_pile += event["do"] in ("place", "remove", "exchange")
            if event["do"] == "reshuffle":
                assert event["cards"] == on_the_pile
                assert game.events[index + 1]["do"] == "draw"
                assert game.events[index + 1]["seat"] == game.events[index - 1]["seat"]
                on_the_pile = 0
                met += 1
        assert game.game.reshuffles == words(game.events).count("reshuffle")
    assert met > 0


def test_case_11_a_removal_is_followed_by_the_draw() -> None:
    met = 0
    for _, game in played(10, players=4):
        for event, after in zip(game.events, game.events[1:], strict=False):
            if event["do"] == "remove":
                assert after["do"] in ("draw", "reshuffle")
                met += 1
    assert met > 0


LINES = [line.tolist() for line in lines(5).spaces]


@pytest.mark.parametrize("team", [0, 1])
def test_case_12_every_line_completes(team: int) -> None:
    corner = [line for line in LINES if set(line) & set(CORNERS)]
    diagonal = [line for line in LINES if abs(line[1] - line[0]) in (9, 11)]
    assert len(corner) == 12
    assert len(diagonal) == 72
    free, dead = position(), position(free_corners=False)
    for line in LINES[:: 1 if JIT else 7]:
        # With free corners A2-A6 is a second best to A1-A5, which the same chips fill.
        at = free if line in corner else dead
        chips = [naive.name(space) for space in line if space not in CORNERS]
        for last in chips:
            clear_table(at.setting, at.table, 0)
            others = [space for space in chips if space != last]
            assert at.put(team, " ".join(others)) == [0] * len(others)
            assert at.put(team, last) == [1]
            assert at.sequences(team) == [line]


@pytest.mark.parametrize(("players", "teams"), TABLES)
def test_case_13_sequences_needed_by_table(players: int, teams: int) -> None:
    needed = 1 if teams == 3 else 2
    wins = 0
    for _, game in played(4, bot=BUILDER, players=players, teams=teams):
        end = game.events[-1]
        if end["reason"] == "sequences":
            wins += 1
            assert end["sequences"][end["winner"]] >= needed
            others = [n for team, n in enumerate(end["sequences"]) if team != end["winner"]]
            assert max(others) < needed
            assert game.sequences["winning"][-1]
    assert wins > 0


def test_case_13_partners_add_up() -> None:
    at = position(6)
    chips = expand("C3-C7 A5 B5 D5 E5")
    seats = {space: 2 if space.startswith("C") else 4 for space in chips}
    scored = []
    for space in chips:
        at.hand(seats[space], "JD")
        scored.append(make_play(at.setting, at.table, at.dealer, seats[space], 0, AT[space]))
    assert scored == [0, 0, 0, 0, 1, 0, 0, 0, 1]
    assert at.scores() == [2, 0]


def test_case_14_players_teams_and_hands() -> None:
    assert Rules(players=2).hands() == [7] * 2
    assert Rules(players=12).hands() == [3] * 12
    for players in (5, 7, 11):
        with pytest.raises(RulesError, match="2, 3, 4, 6, 8, 9, 10 or 12"):
            Rules(players=players)
    with pytest.raises(RulesError, match="2 with 4 players"):
        Rules(players=4, teams=3)
    assert [Rules(players=12, teams=teams).teams for teams in (None, 2, 3)] == [2, 2, 3]


def test_case_15_broken_layouts() -> None:
    rows = load_board("standard").rows()
    flat = [card for row in rows for card in row]

    def changed(old: str, new: str) -> list[list[str]]:
        cards = list(flat)
        cards[cards.index(old)] = new
        return [cards[i : i + 10] for i in range(0, 100, 10)]

    with pytest.raises(LayoutError, match=r"row \d+, column \d+.*AS"):
        parse_board(changed("2H", "AS"), "x")
    joker = divmod(flat.index("2H"), 10)
    with pytest.raises(LayoutError, match=f"row {joker[0] + 1}, column {joker[1] + 1}.*joker"):
        parse_board(changed("2H", "joker"), "x")
    with pytest.raises(LayoutError, match=f"row {joker[0] + 1}, column {joker[1] + 1}.*JD"):
        parse_board(changed("2H", "JD"), "x")
    with pytest.raises(LayoutError, match=r"row 10.*9 rows"):
        parse_board(rows[:9], "x")
    with pytest.raises(LayoutError, match="row 3, column 10"):
        parse_board([*rows[:2], rows[2][:9], *rows[3:]], "x")


def one_card_deck(card: str, **rules: Any) -> Desk:
    """Return a desk whose deck is nothing but copies of a card."""
    desk = Desk(Rules(**rules))
    desk.setting.slot_card[:] = CODES[card]
    return desk


def plain_events(desk: Desk, seed: int = 1) -> list[naive.Event]:
    """Return the events of a game; the referee would not believe such a deck."""
    return desk.run(seed, 0).events[1:]


@pytest.mark.parametrize(("players", "teams"), TABLES)
def test_case_16_and_21_nothing_to_remove(players: int, teams: int) -> None:
    """Only one-eyed jacks: everybody passes, keeps the hand, and the game ends."""
    desk = one_card_deck("JH", players=players, teams=teams)
    *events, end = plain_events(desk)
    assert words(events) == " ".join(["pass"] * players)
    assert [event["turn"] for event in events] == list(range(1, players + 1))
    assert (end["winner"], end["reason"], end["turns"]) == (None, "stalemate", players)
    assert desk.table.hand_size[:players].tolist() == desk.rules.hands()


def test_case_16_one_passes_while_others_play() -> None:
    """A seat that passes neither draws nor discards, and those who can go on."""
    passes = 0
    for _, game in played(
        30, players=3, two_eyed_jacks=0, dead_card_exchanges=0, chips=(4, 50, 50)
    ):
        for before, events in turns_of(game):
            if words(events) == "pass":
                assert before.must_pass()
                passes += 1
            else:
                assert not before.must_pass()
    assert passes > 0


def test_case_17_exchanges_without_limit_end() -> None:
    """Every card is dead after the first two turns."""
    desk = one_card_deck("2S", players=2, dead_card_exchanges=-1, max_turns=5)
    *events, end = plain_events(desk)
    by_turn = Counter((event["turn"], event["do"]) for event in events)
    assert [by_turn[turn, "place"] for turn in range(1, 6)] == [1, 1, 0, 0, 0]
    assert [by_turn[turn, "exchange"] for turn in range(1, 6)] == [0, 0, 104, 104, 104]
    assert [by_turn[turn, "pass"] for turn in range(1, 6)] == [0, 0, 1, 1, 1]
    assert (end["reason"], end["turns"]) == ("max_turns", 5)


def test_case_17_no_exchange_without_a_card_to_draw() -> None:
    """Rules 7.2: without reshuffle the exchanges end with the pile.

    The turn with the exchanges is not idle (rules 10.2), though it ends with a pass.
    """
    desk = one_card_deck("2S", players=2, dead_card_exchanges=-1, reshuffle=False)
    *events, end = plain_events(desk)
    assert words(events).count("exchange") == 104 - 14 - 2
    assert words(events).endswith("exchange draw pass pass pass")
    assert (end["reason"], end["winner"]) == ("stalemate", None)


def test_case_19_two_settings_of_one_bot() -> None:
    """They have names and rows of their own."""
    odd = Parameter("odd", 0.0, 0.0, 1.0, "nothing at all")
    bot = Bot("wild", WILD.idea, WILD.choose, WILD.exchange, parameters=(odd,))
    settings = [make_strategy(bot, {}), make_strategy(bot, {"odd": 0.5})]
    assert [strategy.name for strategy in settings] == ["wild", "wild:odd=0.5"]
    seats = np.array([[seat % 2 for seat in range(MAX_SEATS)]])
    desk = Desk(Rules(players=2), tuple(strategy.bot for strategy in settings), seats)
    for number, strategy in enumerate(settings):
        desk.bench.start[number].params[0] = strategy.params[0]
    game = desk.run(4, 0)
    placed = Counter(event["seat"] for event in game.events if event["do"] == "place")
    assert desk.notes.space[:2, :, 0].sum(axis=1).tolist() == [placed[0], placed[1]]
    assert set(game.jacks["bot"]) == {0, 1}
    assert (game.jacks["bot"] == game.jacks["seat"]).all()


def test_case_21_one_eyed_jack_alone() -> None:
    at = position()
    hand = at.hand(0, "JS")
    assert at.setting.kind[hand[0]] == ONE_EYED
    assert not is_playable(at.setting, at.table, 0, hand[0])
    assert not any_playable(at.setting, at.table, 0, hand)
    at.put(0, "E5")
    assert not any_playable(at.setting, at.table, 0, hand)
    at.put(1, "A2-A5")
    assert at.scores() == [0, 1]
    assert not any_playable(at.setting, at.table, 0, hand)
    at.put(1, "J5")
    assert any_playable(at.setting, at.table, 0, hand)


def test_chips_run_out() -> None:
    """Rules 6.5: without chips only one-eyed jacks can be played; a removed chip comes back."""
    at = position(chips=(2, 50))
    hand = at.hand(0, "2S JD")
    at.put(0, "E5 F5")
    assert at.setting.kind[hand[1]] == TWO_EYED
    assert not any_playable(at.setting, at.table, 0, hand)
    at.take("E5")
    assert any_playable(at.setting, at.table, 0, hand)


def test_nothing_is_forgotten_with_nothing_to_draw() -> None:
    """Rules 9.1: of 104 cards 100 are dealt, so four draws are all that can be made or missed."""
    rules = Rules(players=10, hand_size=10, reshuffle=False, forget_draw=0.5, sequences_to_win=4)
    for game in range(4):
        told = words(Desk(rules).run(5, game).events).split()
        draws = [at for at, word in enumerate(told) if word == "draw"]
        assert len(draws) == 4
        assert "forget" in told[: draws[-1]]
        assert "forget" not in told[draws[-1] :]


@pytest.mark.parametrize("shared", range(5))
def test_case_22_only_placements_score(shared: int) -> None:
    at = position(sequences_protected=False, shared_spaces=shared, sequences_to_win=4)
    at.put(0, "E2-E6 G2-G5")
    at.put(1, "H1")
    assert at.scores() == [1, 0]
    before = at.sequences(0)
    for seat, space in ((0, "H1"), (1, "E3")):
        at.hand(seat, "JS")
        assert make_play(at.setting, at.table, at.dealer, seat, 0, AT[space]) == 0
        assert at.sequences(0) == before
    # The broken line is filled again: it has been scored and is not counted a second time.
    assert at.put(0, "E3") == [0]
    assert at.sequences(0) == before
    # Spaces of a broken sequence still count in 8.2: one of them in a new line is one shared.
    at.take("E2")
    assert at.put(0, "E7") == ([1] if shared >= 4 else [0])


@pytest.mark.parametrize("code", range(52))
def test_jacks_are_never_dead(code: int) -> None:
    """Rules 7.1 with the whole board covered."""
    at = position()
    for space in range(100):
        if space not in CORNERS:
            place(at.setting, at.table, space % 2, space)
    assert is_dead(at.table, code) == (not NAMES[code].startswith("J"))
