"""Runner: games of a plan, one thread's, and what is said when a bot goes wrong in one."""

import shlex
import threading
from contextlib import suppress
from typing import Any

import numpy as np

from simcore.dealer import DEALER
from simcore.design import Design, DesignError, make_design
from simcore.engine import BENCH, play_games, seat_bot
from simcore.given import InputError
from simcore.jit import as_value
from simcore.plan import Chunk, Plan
from simcore.records import (
    BAD_EXCHANGE,
    BAD_FORFEIT,
    BAD_PLAY,
    BARRED_PLAY,
    EVENT_ROW,
    GAME_ROW,
    JACK_ROW,
    NO_FAULT,
    NOTED_SEQUENCES,
    NOTES,
    SEAT_ROW,
    SEQUENCE_ROW,
    WROTE_TABLE,
)
from simcore.rules import MAX_SEATS
from simcore.setting import Setting, make_setting
from simcore.spread import Stopped
from simcore.strategy import (
    FIRST_BAR,
    MAX_MEMORY,
    Bot,
    Memory,
    Params,
    Strategy,
)
from simcore.table import TABLE
from simcore.watch import STUCK_SECONDS, Stuck, told_error, watched


class RunError(InputError):
    """Arguments of a run that are not allowed; the message says what is."""


class BotError(RuntimeError):
    """A bot's fault on the way; the message names bot and game and the command that replays it.

    `game` is the number of the game.
    """

    def __init__(self, message: str, game: int) -> None:
        super().__init__(message)
        self.game = game


class StuckError(BotError):
    """A game that does not move on. `log` holds its events so far, if a log was kept.

    The runner that played it cannot be used again.
    """

    def __init__(self, error: BotError, log: Any) -> None:
        super().__init__(str(error), error.game)
        self.log = log


class Runner:
    """Plays games of a plan: the records of one table and the bots at it, for one thread."""

    def __init__(self, plan: Plan, design: Design) -> None:
        self.events = 0
        """Events of the last `play`, those that did not fit the log included."""
        self.setting = make_setting(plan.rules, plan.board, plan.intervention)
        self.table = np.zeros(1, TABLE)[0]
        self.dealer = np.zeros(1, DEALER)[0]
        self.notes = np.zeros(1, NOTES)[0]
        self._bench = np.zeros(1, BENCH)[0]
        self._seated: list[Strategy] = []
        self.seat(plan, design)

    def seat(self, plan: Plan, design: Design) -> None:
        """Let other strategies play under the same rules: ten times as fast as a new Runner."""
        self.plan = plan
        self.design = design
        self.guarded = any(strategy.bot.guarded for strategy in design.bots)
        for number, strategy in enumerate(design.bots):
            if self._seated[number : number + 1] != [strategy]:
                self._seat_bot(number, strategy)
        self._seated = list(design.bots)
        bots = [design.bots[min(n, len(design.bots) - 1)].bot for n in range(MAX_SEATS)]
        self._decisions = (
            tuple(as_value(bot.choose) for bot in bots),
            tuple(as_value(bot.exchange) for bot in bots),
            tuple(as_value(bot.forfeit) for bot in bots),
        )

    def _seat_bot(self, number: int, strategy: Strategy) -> None:
        bot, params = strategy.bot, np.array(strategy.params, np.float64)
        self._bench.setting[number] = self.setting
        try:
            start = self._start(bot, self._bench.setting[number], strategy.all_params())
        except Stuck:
            told = f"start has not returned for {STUCK_SECONDS:g} s"
            raise RunError(f"{strategy.name}: {told}") from None
        except Exception as error:  # whatever a bot of anybody's raises
            raise RunError(f"{strategy.name}: start raised {told_error(error)}") from error
        if len(params) > FIRST_BAR or len(start) > MAX_MEMORY:
            limits = f"{FIRST_BAR} parameters and {MAX_MEMORY} words of memory"
            raise RunError(f"{strategy.name}: allowed are at most {limits}")
        if self._wrote_setting(number):
            raise RunError(f"{strategy.name}: start wrote to the setting; allowed: reading it")
        seat_bot(self._bench, number, params, start, strategy.bars, bot.guarded)

    def _start(self, bot: Bot, setting: Setting, params: Params) -> Memory:
        """Return what the bot's `start` does; raises Stuck if a guarded bot's does not end."""
        if not bot.guarded:
            return bot.start(setting, params)
        return watched(lambda: bot.start(setting, params), lambda: "start")

    def play(
        self,
        first_game: int,
        games: int,
        events: Any = None,
        stop: threading.Event | None = None,
    ) -> Chunk:
        """Play up to `games` games from `first_game` on; those that fit the room set aside.

        `events`, EVENT_ROW (room,), takes the log of what happens if it is given. Raises BotError,
        and Stopped soon after `stop` is set, after which the runner cannot be used again.
        """
        rules, rows, used = self.plan.rules, self._rows(games), np.zeros(4, np.int64)
        self.notes.space[:] = 0
        log = np.zeros(0, EVENT_ROW) if events is None else events
        self._play_watched(first_game, rows, log, used, stop)
        done = int(used[0])
        return Chunk(
            first_game,
            rows[0][:done],
            rows[1][: done * rules.players],
            rows[2][: used[1]],
            rows[3][: used[2]],
            self.notes.space.copy(),
        )

    def stop_after(self, turns: int) -> None:
        """Let games end after so many turns, to look at a position."""
        for setting in (self.setting, *self._bench.setting):
            setting.max_turns = turns

    def _rows(self, games: int) -> tuple[Any, ...]:
        rules = self.plan.rules
        return (
            np.zeros(games, GAME_ROW),
            np.zeros(games * rules.players, SEAT_ROW),
            np.zeros(games * 8 + NOTED_SEQUENCES, SEQUENCE_ROW),
            np.zeros(games * 16 + rules.max_turns + 16, JACK_ROW),
        )

    def _fill(self, first_game: int, rows: Any, log: Any, used: Any) -> int:
        """Call the kernel that fills rows, log and used; return NO_FAULT or the fault."""
        self._bench.fault = NO_FAULT
        self.notes.game = -1  # no game yet: the first call compiles, which takes its time
        with np.errstate(over="ignore"):  # streams wrap round, which plain Python warns of
            fault = play_games(
                *(self.setting, self.table, self.dealer, self._bench, self.notes),
                *self._decisions,
                self.design.seatings,
                self.design.name == "rotate",
                *(self.plan.seed, first_game, *rows, log, used),
            )
        return int(self._bench.fault) or int(fault)

    def _play_watched(
        self, first_game: int, rows: Any, log: Any, used: Any, stop: threading.Event | None
    ) -> None:
        """Fill rows, log and used; raises BotError for whatever a bot does that it may not."""

        def error(text: str) -> BotError:
            return self._bot_error(first_game + int(used[0]), text)

        try:
            fault = watched(lambda: self._fill(first_game, rows, log, used), self._position, stop)
        except Stopped:
            raise
        except Stuck:
            done = int(rows[0]["events"][: used[0]].sum())
            told = error(f"has not decided for {STUCK_SECONDS:g} s")
            raise StuckError(told, log[done : used[3]]) from None
        except (Exception, SystemExit) as raised:  # whatever a bot of anybody's raises
            self._check_setting(first_game, int(used[0]) + 1)
            raise error(f"raised {told_error(raised)}") from raised
        finally:
            self.events = int(used[3])
        self._check_setting(first_game, int(used[0]) + 1)
        if fault != NO_FAULT:
            raise error(_FAULTS[fault])

    def _position(self) -> tuple[int, int, int] | None:
        """Return where the game is, None if none has begun."""
        game = int(self.notes.game)
        return None if game < 0 else (game, int(self.table.turn), int(self.table.idle))

    def _wrote_setting(self, bot: int) -> bool:
        return bool(self._bench.setting[bot].tobytes() != self.setting.tobytes())

    def _writers(self) -> list[int]:
        """Return the bots that wrote to their copy of the setting."""
        bots = enumerate(self.design.bots)
        return [n for n, strategy in bots if strategy.bot.guarded and self._wrote_setting(n)]

    def _check_setting(self, first_game: int, games: int) -> None:
        """Raise BotError if a bot wrote to its setting in one of the games just played."""
        writers = self._writers()
        if not writers:
            return
        less = 0  # after which it is as it was, while after `games` it is changed
        while games - less > 1:
            middle = (less + games) // 2
            self._restore_settings()
            with suppress(Exception, SystemExit):
                self._fill(first_game, self._rows(middle), np.zeros(0, EVENT_ROW), np.zeros(4, int))
            if found := self._writers():
                games, writers = middle, found
            else:
                less = middle
        self._restore_settings()
        game = first_game + less
        raise BotError(
            f"strategy {' and '.join(self.plan.names[bot] for bot in writers)} wrote to the "
            f"setting, which it may only read (game {game}); "
            f"replay it with: {replay_command(self.plan, self.design, game)}",
            game,
        )

    def _restore_settings(self) -> None:
        for bot in range(len(self.design.bots)):
            self._bench.setting[bot] = self.setting

    def _bot_error(self, game: int, text: str) -> BotError:
        seat, turn = int(self._bench.asked), int(self.table.turn)
        names = self.plan.names
        bot = names[self.design.seatings[game % len(self.design.seatings), seat]]
        return BotError(
            f"strategy {bot} {text} (game {game}, turn {turn}, seat {seat}); "
            f"replay it with: {replay_command(self.plan, self.design, game)}",
            game,
        )


_FAULTS = {
    BARRED_PLAY: "made a play that it is barred from",
    WROTE_TABLE: "wrote to the table, which it may only read",
    BAD_PLAY: "made an illegal play",
    BAD_EXCHANGE: "exchanged a card that is not dead or not there",
    BAD_FORFEIT: "forfeited a card that is not there",
}


def replay_command(plan: Plan, design: Design, game: int) -> str:
    """Return the command that shows a game of the plan again.

    Seatings that no `-s` makes come from a folder, whose own name the plan does not know.
    """
    names = _names_to_give(plan, design)
    if names is None:
        return f"seqlab replay FOLDER --game {game}"
    parts = [f"-s {shlex.quote(name)}" for name in names]
    parts += [f"--players {plan.rules.players}", f"--teams {plan.rules.teams}"]
    changes = plan.rules.changes().items()
    parts += [f"--set {shlex.quote(f'{name}={_toml(value)}')}" for name, value in changes]
    return (
        f"seqlab replay {' '.join(parts)} --seed {plan.seed} --design {plan.design} --game {game}"
    )


def _names_to_give(plan: Plan, design: Design) -> list[str] | None:
    """Return the fewest strategies that make this design: each once, by team or by seat."""
    by_seat = [design.bots[bot] for bot in design.seatings[0, : plan.rules.players]]
    for given in (design.bots, by_seat[: plan.rules.teams], by_seat):
        with suppress(DesignError):
            made = make_design(given, plan.rules, plan.design)
            if made.bots == design.bots and np.array_equal(made.seatings, design.seatings):
                return [strategy.name for strategy in given]
    return None


def _toml(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
