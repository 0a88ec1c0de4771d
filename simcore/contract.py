"""What every bot has to keep to (simcore/strategy.py), as checks that can be run on any.

The tests run them on the built-in bots, `seqlab strategies NAME --check` on any.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from simcore.cards import CARDS
from simcore.design import make_design
from simcore.moves import any_playable, is_legal
from simcore.plan import Chunk, Plan
from simcore.rng import bot_stream_start
from simcore.rules import Rules
from simcore.runner import BotError, Runner
from simcore.strategy import KEEP, OWN, Bot, Memory, make_strategy
from simcore.table import is_dead

TABLES = ((2, 2), (3, 3), (4, 2), (6, 2), (6, 3), (8, 2), (9, 3), (10, 2), (12, 2), (12, 3))
"""Every (players, teams) there is (rules 1.2)."""

SETTINGS: tuple[dict[str, Any], ...] = (
    {},
    {"one_eyed_removes": "any", "sequences_protected": False, "shared_spaces": 4},
    {"line_length": 4, "free_corners": False, "two_eyed_jacks": 8, "one_eyed_jacks": 0},
    {"line_length": 6, "board": "random:5", "chips": (12, 9, 7), "reshuffle": False},
    {"dead_card_exchanges": -1, "table_talk": 0.1, "forget_draw": 0.1, "one_eyed_jacks": 8},
    {"hand_size": 1, "sequences_to_win": 4, "deal": "single_deck", "dead_card_exchanges": 0},
)
"""Rules that are odd, each in its own way."""


class ContractError(AssertionError):
    """What a bot does that it may not; the message says where."""


def all_rules() -> list[Rules]:
    """Return every table at two of the settings; each setting at several tables."""
    return [
        Rules(
            players=players,
            teams=teams,
            **({"max_turns": 300} | SETTINGS[(number + half) % len(SETTINGS)]),
        )
        for number, (players, teams) in enumerate(TABLES)
        for half in (0, 3)
    ]


def table_for(bot: Bot, rules: Rules, seed: int = 1) -> Runner:
    """Return a runner of games of the bot against itself, each on a deal of its own."""
    strategy = make_strategy(bot, {})
    made = make_design([strategy], rules, "none")
    plan = Plan(rules, rules.load_board(), (strategy.name,), made.seatings, seed, made.name)
    return Runner(plan, made)


def check_games(bot: Bot, rules: Rules, games: int) -> Chunk:
    """Check that games are legal and end, and depend on nothing but seed and number.

    Returns what was played; raises ContractError, and BotError for a play that is not legal.
    """
    played = table_for(bot, rules).play(0, games)
    turns = played.games["turns"]
    _require(len(played.games) > 0 and bool((turns > 0).all()), "a game without a turn")
    _require(bool((turns <= rules.max_turns).all()), "a game that does not end")
    again = table_for(bot, rules).play(0, games)
    for before, after in zip(played[1:], again[1:], strict=True):
        _require(np.array_equal(before, after), "the same seed gives other games")
    last = len(played.games) - 1
    alone = table_for(bot, rules).play(last, 1) if last else again
    same = np.array_equal(alone.games, played.games[last:])
    _require(same, f"game {last} is another when it is played alone")
    return played


def check_choices(bot: Bot, rules: Rules, seed: int, games: int = 1, asks: int = 40) -> int:
    """Check single decisions: legal, changing nothing, blind to what the seat cannot see.

    Returns the number of positions asked; raises ContractError.
    """
    rng = np.random.default_rng(seed)
    start = table_for(bot, rules).design.bots[0]
    asked = 0
    for game in range(games):
        for runner, seat in _positions(bot, rules, seed, game, asks):
            memory = bot.start(runner.setting, start.all_params())
            team = seat % rules.teams
            stream = int(bot_stream_start(seed, game, seat))  # the true one, as in play
            hand = runner.dealer.hands[seat, : runner.table.hand_size[seat]].copy()
            answers = _ask(bot, runner, memory, seat, stream)
            choice, exchange, forfeit = answers
            if choice is not None:
                legal = is_legal(
                    runner.setting, runner.table, team, hand, choice >> 7, choice & 127
                )
                _require(bool(legal), f"turn {runner.table.turn}: choose is not legal")
            if exchange not in (None, KEEP):
                dead = 0 <= exchange < len(hand) and is_dead(runner.table, hand[exchange])
                _require(bool(dead), f"turn {runner.table.turn}: exchange of no dead card")
            if forfeit is not None:
                there = 0 <= forfeit < len(hand)
                _require(there, f"turn {runner.table.turn}: forfeit of no card")
            _hide(runner, seat, rng)
            again = _ask(bot, runner, memory, seat, stream)
            told = f"turn {runner.table.turn}: decides otherwise when hidden cards are others"
            _require(again == answers, told)
            asked += 1
    return asked


def _require(kept: bool, told: str) -> None:
    if not kept:
        raise ContractError(told)


def _positions(
    bot: Bot, rules: Rules, seed: int, game: int, asks: int
) -> Iterator[tuple[Runner, int]]:
    """Stop a game before each of some turns; give the runner and the seat to move."""
    runner = table_for(bot, rules, seed)
    last = int(runner.play(game, 1).games["turns"][0])
    for turns in range(1, last, max(1, last // max(4, asks))):
        runner.stop_after(turns)
        runner.play(game, 1)
        yield runner, (int(runner.table.seat) + 1) % rules.players


def _ask(bot: Bot, runner: Runner, start: Memory, seat: int, stream: int) -> tuple[Any, Any, Any]:
    """Return what the bot answers from a fresh start: choice, exchange, forfeit; None if none."""
    setting, table = runner.setting, runner.table
    hand = runner.dealer.hands[seat, : table.hand_size[seat]].copy()
    before = hand.copy(), table.tobytes(), setting.tobytes()
    team = seat % runner.plan.rules.teams
    params = runner.design.bots[0].all_params()
    read_only = hand.view()
    read_only.flags.writeable = False
    answers: list[int | None] = []
    for name, may in (
        ("choose", any_playable(setting, table, team, hand)),
        ("exchange", any(is_dead(table, card) for card in hand)),
        ("forfeit", len(hand) > 0),
    ):
        own = np.zeros(1, OWN)[0]
        own.params[:] = params
        own.memory[: len(start)] = start
        own.stream[0] = stream
        decide = getattr(bot, name)
        answers.append(int(decide(setting, table, seat, read_only, own)) if may else None)
        after = hand, table.tobytes(), setting.tobytes()
        unchanged = np.array_equal(after[0], before[0]) and after[1:] == before[1:]
        _require(bool(unchanged), f"turn {table.turn}: {name} changes what it may only read")
    return answers[0], answers[1], answers[2]


def _hide(runner: Runner, seat: int, rng: np.random.Generator) -> None:
    """Change what is hidden from a seat: the other hands and all of the dealer's pile."""
    dealer = runner.dealer
    cards = rng.integers(0, CARDS, dealer.hands.size, np.uint8)
    own = dealer.hands[seat].copy()
    for name in dealer.dtype.names:
        if dealer[name].dtype == np.uint8 and dealer[name].ndim:
            dealer[name][...] = np.resize(cards, dealer[name].shape)
    dealer.hands[seat] = own


def checks(bot: Bot) -> list[tuple[str, Callable[[], object]]]:
    """Return the checks of a bot with what they check; each raises if the bot fails."""
    found: list[tuple[str, Callable[[], object]]] = []
    for rules in all_rules():
        odd = ", ".join(f"{k}={v}" for k, v in rules.changes().items() if k != "max_turns")
        told = f"legal games, the same again: {rules.players} players in {rules.teams} teams"
        found.append((f"{told}; {odd or 'usual rules'}", _bound(check_games, bot, rules, 10)))
    for number, (players, teams) in enumerate(TABLES[::3]):
        rules = Rules(players=players, teams=teams, max_turns=200)
        told = f"reads only, and nothing hidden: {players} players in {teams} teams"
        found.append((told, _bound(check_choices, bot, rules, number)))
    return found


def _bound(check: Callable[..., object], *given: Any) -> Callable[[], object]:
    return lambda: check(*given)


def failure(check: Callable[[], object]) -> str:
    """Run a check; return why it failed, empty if it did not."""
    try:
        check()
    except (ContractError, BotError) as error:
        return str(error)
    except (Exception, SystemExit) as error:  # whatever a bot of anybody's raises
        return f"{type(error).__name__}: {error}"
    return ""
