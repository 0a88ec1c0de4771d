"""What every strategy there is has to keep to (simcore/strategy.py), whoever wrote it."""

from __future__ import annotations

import importlib
from dataclasses import replace
from importlib.metadata import EntryPoint
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from helpers import JIT, TABLES, scaled

from simcore import Rules, simulate
from simcore.board import SPACES
from simcore.contract import SETTINGS, all_rules, check_choices, check_games, table_for
from simcore.jit import int64
from simcore.moves import is_legal
from simcore.records import EXCHANGE, FORFEIT, PLACE, REMOVE
from simcore.rng import bot_stream_start
from simcore.setting import make_setting
from simcore.strategy import (
    OWN,
    Bot,
    Parameter,
    Strategy,
    StrategyError,
    bot_function,
    bot_names,
    find_bot,
    find_strategy,
    make_strategy,
    play,
)
from simcore.table import TABLE

FEW = {"search": ("playouts", 12), "ismcts": ("iterations", 12)}
"""What a slow bot is given less of here."""


def quick(bot: Bot) -> Bot:
    """Return a bot that takes no longer than the others."""
    name, few = FEW.get(bot.name, ("", 0))
    told = (replace(p, default=few) if p.name == name else p for p in bot.parameters)
    return replace(bot, parameters=tuple(told))


EVERY = [quick(find_bot(name)) for name in bot_names()]
# Without compilation a move of a slow bot takes minutes, and bots of the same code are one.
BOTS = EVERY if JIT else list({bot.choose: bot for bot in EVERY if bot.fast}.values())
IDS = [bot.name for bot in BOTS]

ALL_RULES = all_rules() if JIT else all_rules()[::11]


@pytest.mark.parametrize("bot", BOTS, ids=IDS)
@pytest.mark.parametrize("rules", ALL_RULES, ids=lambda r: f"{r.players}in{r.teams}")
def test_plays_legal_games_to_their_end(bot: Bot, rules: Rules) -> None:
    """The engine stops with a fault at an illegal play, exchange or forfeit."""
    games = scaled(12)
    played = check_games(bot, rules, games)
    other = table_for(bot, rules, seed=2).play(0, games)
    assert not np.array_equal(other.seats, played.seats)


@pytest.mark.parametrize("bot", EVERY, ids=bot_names())
def test_is_described(bot: Bot) -> None:
    assert bot.idea
    assert "\n" not in bot.idea
    assert len(bot.idea) < 100
    for parameter in bot.parameters:
        assert parameter.low <= parameter.default <= parameter.high
        assert parameter.meaning
    assert find_strategy(bot.name).name == bot.name


@pytest.mark.parametrize("bot", BOTS, ids=IDS)
@pytest.mark.parametrize("number", range(0, len(TABLES), 3 if JIT else 9))
def test_choices(bot: Bot, number: int) -> None:
    """Every answer is legal, changes nothing, and is blind to what the seat cannot see."""
    players, teams = TABLES[number]
    asked = 0
    for change in SETTINGS[number % 2 :: 2] if JIT else SETTINGS[:1]:
        rules = Rules(players=players, teams=teams, max_turns=200).settings() | change
        asked += check_choices(bot, Rules.from_settings(rules), number, asks=scaled(12))
    assert asked > scaled(30)


@pytest.mark.parametrize("bot", BOTS, ids=IDS)
def test_seats_do_not_share_a_stream(bot: Bot) -> None:
    """Games are different on every deal, so that a run is no game played many times."""
    seats = simulate([make_strategy(bot, {})], max(4, scaled(40)), 3, design="none").seats
    assert seats.groupby("game")["played_two_eyed"].sum().nunique() > 1


@bot_function
def choose_by_stream(setting: Any, table: Any, seat: int, hand: Any, own: Any) -> int:
    """Play only with the stream that the seat has in play."""
    if own.stream[0] != bot_stream_start(7, 0, seat):
        return -1
    for slot in range(len(hand)):
        for space in range(SPACES):
            if is_legal(setting, table, int64(setting.team[seat]), hand, slot, space):
                return play(slot, space)
    return -1


def test_checks_hand_out_true_streams() -> None:
    """Or they would not see what a bot does that looks for the deal in its stream."""
    assert check_choices(Bot("stream", "", choose_by_stream), Rules(), 7, asks=4) > 0


def test_what_decisions_are_logged_as() -> None:
    assert len({int(what) for what in (EXCHANGE, FORFEIT, PLACE, REMOVE)}) == 4
    assert SPACES <= 128  # a play keeps its space in seven bits


# Bots of packages.

PACKAGE = '''"""A module that an installed package might be."""
from simcore.strategy import Bot, bot_function, lean_bot_function

def raw(setting, table, seat, hand, own):
    return hand[1]

@lean_bot_function
def past(setting, table, seat, hand, own):
    return hand[2]

@bot_function
def also_past(setting, table, seat, hand, own):
    return hand[2]

RAW, PAST, FLOAT, FIVE, TWIN = (
    Bot("raw", "", raw),
    Bot("past", "", past),
    Bot("float", "", lambda setting, table, seat, hand, own: 0.5),
    Bot("five", "", raw, exchange=5),
    Bot("greedy", "", raw),
)
'''


def test_bots_of_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are checked and compiled like those of files, whatever they are decorated with."""
    (tmp_path / "package_of_bots.py").write_text(PACKAGE)
    monkeypatch.syspath_prepend(tmp_path)
    names = ("raw", "past", "float", "five", "twin")
    points = {n: EntryPoint(n, f"package_of_bots:{n.upper()}", "") for n in names}
    monkeypatch.setattr("simcore.strategy.entry_points", lambda group, name: [points[name]])
    hand = np.array([3, 4], np.uint8)
    hand.flags.writeable = False
    rules = Rules()
    given = make_setting(rules, rules.load_board()), np.zeros(1, TABLE)[0], 0, hand
    own = np.zeros(1, OWN)[0]
    raw = find_bot("raw")
    assert raw.guarded
    assert raw.choose(*given, own) == 4
    assert find_bot("raw").choose is raw.choose
    with pytest.raises(IndexError):
        find_bot("past").choose(*given, own)
    module = importlib.import_module("package_of_bots")
    with pytest.raises(IndexError):  # before it was found, too
        module.also_past(*given, own)
    with pytest.raises(StrategyError, match="has the name 'greedy'; allowed: that of the entry"):
        find_bot("twin")
    with pytest.raises(StrategyError, match=r"five: exchange is 5; allowed: a function \(setting"):
        find_bot("five")
    if JIT:
        with pytest.raises(StrategyError, match=r"float: .*<lambda> returns float64; allowed: a"):
            find_bot("float")


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
    ("value", "told"),
    [
        *((0.123456789, "0.123456789"), (0.1 + 0.2, "0.30000000000000004"), (1e-07, "1e-07")),
        *((9.99999999, "9.99999999"), (10, "10"), (2.0, "2"), (1 / 3, "0.3333333333333333")),
    ],
)
def test_names_read_back_exactly(value: float, told: str) -> None:
    """Games are replayed from names, and strategies with one name are one."""
    name = make_strategy(TUNED, {"attack": value}).name
    assert name == f"tuned:attack={told}"
    assert float(name.partition("=")[2]) == value


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (
            {"attak": 1},
            "tuned: no parameter 'attak'; allowed: attack, block, no_two_eyed, no_one_eyed, "
            "no_corner_lines, no_blocking",
        ),
        ({"no_blocking": 0.5}, "tuned: no_blocking is 0.5; allowed: 0 or 1"),
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
    file.write_text("attack = 4\n", encoding="utf-8-sig")  # as some editors write it
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
        ("tuned@/dev/zero", "/dev/zero cannot be read as TOML: no regular file"),
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
