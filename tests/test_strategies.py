"""What every strategy there is has to keep to (simcore/strategy.py), whoever wrote it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from helpers import JIT, TABLES, Desk, scaled

from simcore import Rules, simulate
from simcore.board import SPACES
from simcore.cards import CARDS
from simcore.design import make_design
from simcore.moves import any_playable, is_legal
from simcore.plan import Plan
from simcore.records import EXCHANGE, FORFEIT, PLACE, REMOVE
from simcore.simulation import Runner
from simcore.strategy import (
    KEEP,
    OWN,
    Bot,
    Memory,
    Parameter,
    Strategy,
    StrategyError,
    bot_names,
    find_bot,
    find_strategy,
    make_strategy,
)
from simcore.table import is_dead

BOTS = [find_bot(name) for name in bot_names()]
IDS = [bot.name for bot in BOTS]

SETTINGS: tuple[dict[str, Any], ...] = (
    {},
    {"one_eyed_removes": "any", "sequences_protected": False, "shared_spaces": 4},
    {"line_length": 4, "free_corners": False, "two_eyed_jacks": 8, "one_eyed_jacks": 0},
    {"line_length": 6, "board": "random:5", "chips": (12, 9, 7), "reshuffle": False},
    {"dead_card_exchanges": -1, "table_talk": 0.1, "forget_draw": 0.1, "one_eyed_jacks": 8},
    {"hand_size": 1, "sequences_to_win": 4, "deal": "single_deck", "dead_card_exchanges": 0},
)


def all_settings() -> list[Rules]:
    """Return every table at two of the settings; each setting at several tables."""
    made = []
    for number, (players, teams) in enumerate(TABLES):
        for half in (0, 3):
            change = {"max_turns": 300} | SETTINGS[(number + half) % len(SETTINGS)]
            made.append(Rules(players=players, teams=teams, **change))
    return made if JIT else made[::7]


def runner(bot: Bot, rules: Rules, seed: int = 1) -> Runner:
    strategy = make_strategy(bot, {})
    made = make_design([strategy], rules, "none")
    plan = Plan(rules, rules.load_board(), (strategy.name,), made.seatings, seed, made.name)
    return Runner(plan, made)


@pytest.mark.parametrize("bot", BOTS, ids=IDS)
@pytest.mark.parametrize("rules", all_settings(), ids=lambda r: f"{r.players}in{r.teams}")
def test_plays_legal_games_to_their_end(bot: Bot, rules: Rules) -> None:
    """The engine stops with a fault at an illegal play, exchange or forfeit."""
    games = scaled(40)
    played = runner(bot, rules).play(0, games)
    again = runner(bot, rules).play(0, games)
    assert 0 < len(played.games) <= games
    for before, after in zip(played[1:], again[1:], strict=True):
        assert np.array_equal(before, after)  # same seed, same game
    turns = played.games["turns"]
    assert (turns > 0).all()
    assert (turns <= rules.max_turns).all()
    other = runner(bot, rules, seed=2).play(0, games)
    assert not np.array_equal(other.seats, played.seats)


@pytest.mark.parametrize("bot", BOTS, ids=IDS)
def test_is_described(bot: Bot) -> None:
    assert bot.idea
    assert "\n" not in bot.idea
    assert len(bot.idea) < 100
    for parameter in bot.parameters:
        assert parameter.low <= parameter.default <= parameter.high
        assert parameter.meaning
    assert find_strategy(bot.name).name == bot.name


# One choice at a time.


def positions(bot: Bot, rules: Rules, seed: int) -> Iterator[tuple[Desk, int]]:
    """Stop a game before each of some turns; give the desk and the seat to move."""
    desk = Desk(rules, (bot,))
    last = int(desk.run(seed, 0, log=0).game["turns"])
    for turns in range(0, last, max(1, last // max(4, scaled(40)))):
        if turns:
            desk.setting.max_turns = turns
            desk.run(seed, 0, log=0)
            yield desk, (int(desk.table.seat) + 1) % rules.players


def snapshot(desk: Desk) -> tuple[bytes, bytes]:
    return desk.table.tobytes(), desk.setting.tobytes()


def ask(bot: Bot, desk: Desk, start: Memory, seat: int, seed: int) -> tuple[int, int, int]:
    """Return what the bot answers from a fresh start: choice (or -1), exchange, forfeit."""
    hand = desk.dealer.hands[seat, : desk.table.hand_size[seat]].copy()
    before = hand.copy(), snapshot(desk)
    params = np.array([parameter.default for parameter in bot.parameters])
    setting, table = desk.setting, desk.table
    answers = []
    read_only = hand.view()
    read_only.flags.writeable = False
    team = seat % desk.rules.teams
    for name, may in (
        ("choose", any_playable(setting, table, team, hand)),
        ("exchange", any(is_dead(table, card) for card in hand)),
        ("forfeit", len(hand) > 0),
    ):
        own = np.zeros(1, OWN)[0]
        own.params[: len(params)] = params
        own.memory[: len(start)] = start
        own.stream[0] = seed
        decide = getattr(bot, name)
        given = (setting, table, seat, read_only, own)
        answers.append(int(decide(*given)) if may else KEEP)
    assert np.array_equal(hand, before[0])
    assert snapshot(desk) == before[1]
    return answers[0], answers[1], answers[2]


@pytest.mark.parametrize("bot", BOTS, ids=IDS)
@pytest.mark.parametrize("number", range(0, len(TABLES), 3 if JIT else 9))
def test_choices(bot: Bot, number: int) -> None:
    """Every answer is legal, changes nothing, and is blind to what the seat cannot see."""
    players, teams = TABLES[number]
    rng = random.Random(number)
    asked = 0
    for change in SETTINGS if JIT else SETTINGS[:1]:
        rules = Rules(players=players, teams=teams, max_turns=200).settings() | change
        desk_rules = Rules.from_settings(rules)
        params = np.array([parameter.default for parameter in bot.parameters])
        start = bot.start(Desk(desk_rules).setting, params)
        for desk, seat in positions(bot, desk_rules, seed=number):
            table, dealer = desk.table, desk.dealer
            hand = dealer.hands[seat, : table.hand_size[seat]]
            seed = rng.randrange(2**62)
            choice, exchange, forfeit = ask(bot, desk, start, seat, seed)
            if choice != KEEP:
                slot, space = choice >> 7, choice & 127
                assert is_legal(desk.setting, table, seat % teams, hand, slot, space)
            assert exchange == KEEP or is_dead(table, hand[exchange])
            assert forfeit == KEEP or 0 <= forfeit < len(hand)
            hide(desk, seat, rng)
            assert ask(bot, desk, start, seat, seed) == (choice, exchange, forfeit)
            asked += 1
    assert asked > scaled(100)


def hide(desk: Desk, seat: int, rng: random.Random) -> None:
    """Change what is hidden from a seat: the other hands and all of the dealer's pile."""
    cards = np.array([rng.randrange(CARDS) for _ in range(desk.dealer.hands.size)], np.uint8)
    own = desk.dealer.hands[seat].copy()
    for name in desk.dealer.dtype.names:
        if desk.dealer[name].dtype == np.uint8 and desk.dealer[name].ndim:
            desk.dealer[name][...] = np.resize(cards, desk.dealer[name].shape)
    desk.dealer.hands[seat] = own


@pytest.mark.parametrize("bot", BOTS, ids=IDS)
def test_seats_do_not_share_a_stream(bot: Bot) -> None:
    """Games are different on every deal, so that a run is no game played many times."""
    seats = simulate([bot.name], max(8, scaled(40)), 3, design="none").seats
    assert seats.groupby("game")["played_two_eyed"].sum().nunique() > 1


def test_what_decisions_are_logged_as() -> None:
    assert len({int(what) for what in (EXCHANGE, FORFEIT, PLACE, REMOVE)}) == 4
    assert SPACES <= 128  # a play keeps its space in seven bits


# Names and parameters.

TUNED = Bot(
    "tuned",
    "Has numbers.",
    find_bot("random").choose,
    parameters=(
        Parameter("attack", 1.0, 0.0, 10.0, "own lines"),
        Parameter("block", 0.5, -1.0, 1.0, "the others' lines"),
    ),
)


def test_names_carry_what_is_not_the_default() -> None:
    assert make_strategy(TUNED, {}).name == "tuned"
    assert make_strategy(TUNED, {"attack": 1}).name == "tuned"
    made = make_strategy(TUNED, {"block": -0.25, "attack": 2})
    assert made.name == "tuned:attack=2,block=-0.25"
    assert made.params == (2.0, -0.25)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"attak": 1}, "tuned: no parameter 'attak'; allowed: attack, block"),
        ({"attack": 11}, "tuned: attack is 11; allowed: 0 to 10"),
        ({"block": float("nan")}, "tuned: block is nan; allowed: -1 to 1"),
    ],
)
def test_bad_parameters(given: dict[str, float], told: str) -> None:
    with pytest.raises(StrategyError) as caught:
        make_strategy(TUNED, given)
    assert str(caught.value) == told


@pytest.fixture
def tuned(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have `tuned` found by name, and two bots that are none."""

    def load(name: str) -> Any:
        if name == "broken":
            raise SyntaxError("invalid syntax\nsecond line")
        return TUNED if name == "tuned" else "no bot"

    names = ("tuned", "broken", "text")
    points = [SimpleNamespace(name=n, value=f"mine:{n}", load=lambda n=n: load(n)) for n in names]

    def entry_points(group: str, name: str | None = None) -> list[Any]:
        assert group == "sequence_lab.strategies"
        return [point for point in points if name in (None, point.name)]

    monkeypatch.setattr("simcore.strategy.entry_points", entry_points)


@pytest.mark.usefixtures("tuned")
def test_strategies_in_text(tmp_path: Path) -> None:
    assert find_strategy("tuned") == Strategy("tuned", TUNED, (1.0, 0.5))
    assert find_strategy("tuned:attack=3").params == (3.0, 0.5)
    assert find_strategy("tuned: attack = 3 , block=0").name == "tuned:attack=3,block=0"
    file = tmp_path / "mine.toml"
    file.write_text("attack = 4\nblock = 0.5\n")
    assert find_strategy(f"tuned@{file}").name == "tuned:attack=4"


@pytest.mark.usefixtures("tuned")
@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("other", "no strategy 'other'; allowed: broken, text, tuned"),
        ("", "no strategy ''"),
        ("text", "strategy 'text': mine:text is no Bot"),
        ("broken", "strategy 'broken' cannot be loaded: SyntaxError: invalid syntax"),
        ("tuned:attack", "tuned:attack: '' is no number"),
        ("tuned:attack=many", "'many' is no number"),
        ("tuned:attack=1,attack=2", "attack is given twice"),
        ("tuned:=1", "no parameter ''"),
        ("tuned@none.toml", "none.toml cannot be read as TOML"),
    ],
)
def test_bad_strategies_in_text(text: str, told: str) -> None:
    with pytest.raises(StrategyError) as caught:
        find_strategy(text)
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.usefixtures("tuned")
@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("attack = true", "is no number"),
        ('attack = "much"', "is no number"),
        ("attack = [1]", "is no number"),
        ("attak = 1", "no parameter 'attak'"),
        ("attack =", "cannot be read as TOML"),
    ],
)
def test_bad_parameter_files(tmp_path: Path, content: str, told: str) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(content)
    with pytest.raises(StrategyError) as caught:
        find_strategy(f"tuned@{file}")
    assert told in str(caught.value)
