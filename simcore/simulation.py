"""Plan a run (deals, seatings, parts), spread it over threads, collect its tables."""

import math
import shlex
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from simcore.dealer import DEALER
from simcore.design import Design, DesignError, make_design
from simcore.engine import BENCH, play_games, seat_bot
from simcore.jit import as_value
from simcore.manifest import (
    StoreError,
    check_bot_files,
    new_manifest,
    plan_of,
    read_manifest,
)
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
from simcore.rules import MAX_SEATS, Rules
from simcore.setting import Setting, make_setting
from simcore.spread import Stopped, Worker, spread
from simcore.store import Folder, prepare
from simcore.strategy import (
    FIRST_BAR,
    MAX_MEMORY,
    Bot,
    Memory,
    Params,
    Strategy,
    StrategyError,
    bot_files,
    find_strategy,
    names_file,
)
from simcore.table import TABLE
from simcore.watch import STUCK_SECONDS, Stuck, told_error, watched

if TYPE_CHECKING:
    from simcore.frames import Tables
    from simcore.run import Run

MAX_GAMES = 10**12
PART_GAMES = 50_000
"""Games of a part at most: about 30 MB in memory for two players."""
_SLICE_SECONDS = 0.2
"""How long a kernel runs before progress is told and an interrupt is heard."""

Progress = Callable[[int], None]
"""Called from any thread with the number of games just finished."""


class RunError(ValueError):
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

    def play(self, first_game: int, games: int, events: Any = None) -> Chunk:
        """Play up to `games` games from `first_game` on; those that fit the room set aside.

        `events`, EVENT_ROW (room,), takes the log of what happens if it is given. Raises BotError.
        """
        rules, rows, used = self.plan.rules, self._rows(games), np.zeros(4, np.int64)
        self.notes.space[:] = 0
        log = np.zeros(0, EVENT_ROW) if events is None else events
        self._play_watched(first_game, rows, log, used)
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

    def _play_watched(self, first_game: int, rows: Any, log: Any, used: Any) -> None:
        """Fill rows, log and used; raises BotError for whatever a bot does that it may not."""

        def error(text: str) -> BotError:
            return self._bot_error(first_game + int(used[0]), text)

        try:
            fault = watched(lambda: self._fill(first_game, rows, log, used), self._position)
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


@dataclass(frozen=True)
class _Part:
    """Consecutive deals that are played, kept and written together."""

    number: int
    first_deal: int
    deals: int


def simulate(
    strategies: Sequence[str | Strategy],
    games: int = 100_000,
    seed: int = 0,
    rules: Rules | None = None,
    design: str = "auto",
    threads: int | None = None,
    out: Path | str | None = None,
    *,
    part_games: int | None = None,
    resume: bool = False,
    overwrite: bool = False,
    command: str = "simulate",
    progress: Progress | None = None,
) -> "Run":
    """Play games and return them as a Run: in memory, or in the folder `out`.

    `strategies` are one for all seats, one per team or one per seat (names as on the command line,
    or Strategy objects). `games` is rounded up to whole deals. The tables depend on nothing but
    strategies, games, seed, rules and design. With `out` memory does not grow with the games, and
    parts that are finished survive an interrupt.

    Raises RunError, RulesError, LayoutError, StrategyError, DesignError or StoreError (all
    ValueErrors) for arguments that are not allowed, and BotError for a bot's fault.
    """
    check_numbers(games, threads)
    plan, made = make_plan(strategies, rules or Rules(), seed, design)
    deals = math.ceil(games / len(made.seatings))
    Runner(plan, made)  # refuses bots before there is a folder
    manifest = new_manifest(plan, command, deals * len(made.seatings), deals)
    manifest["files"] = bot_files(made.bots)
    folder = _open(out, manifest, resume, overwrite)
    parts = _parts(deals, len(made.seatings), part_games)
    if folder is not None:
        kept = {(p["number"], p["first_deal"], p["deals"]) for p in folder.manifest["parts"]}
        parts = [p for p in parts if (p.number, p.first_deal, p.deals) not in kept]
    keep: dict[int, Tables] = {}
    started = time.monotonic()

    def finish(part: _Part, found: "Tables") -> None:
        if folder is None:
            keep[part.number] = found
        else:
            folder.write_part(part.number, part.first_deal, part.deals, found)

    _spread(parts, lambda: Runner(plan, made), finish, threads, progress)
    from simcore.run import Run, load

    if folder is None:
        manifest |= {"finished": True, "seconds": round(time.monotonic() - started, 3)}
        return Run(manifest, [keep[number] for number in sorted(keep)])
    folder.finish(time.monotonic() - started)
    return load(folder.path)


def make_plan(
    strategies: Sequence[str | Strategy], rules: Rules, seed: int = 0, design: str = "auto"
) -> tuple[Plan, Design]:
    """Return what a Runner needs; raises StrategyError, DesignError or LayoutError."""
    given = [strategies] if isinstance(strategies, str) else strategies
    found = [find_strategy(s) if isinstance(s, str) else s for s in given]
    made = make_design(found, rules, design)
    names = tuple(strategy.name for strategy in made.bots)
    return Plan(rules, rules.load_board(), names, made.seatings, seed, made.name), made


def load_plan(folder: Path, named: Sequence[str] = ()) -> tuple[Plan, Design, int]:
    """Return what a Runner needs to play games of a run on disk again, and how many there are.

    `named` are strategies of the run that the user has named: a bot's file is code, which is never
    loaded because a folder from elsewhere says so. Raises StoreError, and StrategyError if a bot of
    the run is not installed here or not named.
    """
    manifest = read_manifest(folder)
    plan = plan_of(manifest)
    told = {_own_name(plan.names, name): name for name in named}
    for name in plan.names:
        if "@" in name and not names_file(name):
            wanted = "names that tell their values, as every run of seqlab has them"
            raise StrategyError(f"{folder}: {name} would have a file read; allowed: {wanted}")
        if names_file(name) and name not in told:
            wanted = f"add -s {shlex.quote(name)}, if you trust that file"
            raise StrategyError(f"{folder}: {name} is code of a bot's file; allowed: {wanted}")
    bots = (replace(find_strategy(told.get(name, name)), name=name) for name in plan.names)
    return plan, Design(plan.design, tuple(bots), plan.seatings), manifest["games"]


def _own_name(names: Sequence[str], name: str) -> str:
    """Return the strategy of a run that a name tells; a file may lie in another folder by now."""
    tails = [own for own in names if names_file(own) and Path(own).name == Path(name).name]
    if name in names:
        return name
    if len(tails) == 1:
        return tails[0]
    raise StrategyError(f"no strategy {name!r} in the run; allowed: {', '.join(names)}")


def check_numbers(games: int, threads: int | None) -> None:
    """Raise RunError for numbers of games or threads that are not allowed."""
    for name, value, low, high in (
        ("games", games, 1, MAX_GAMES),
        ("threads", 1 if threads is None else threads, 1, 4096),
    ):
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            raise RunError(f"{name}: {value!r}; allowed: {low} to {high}")


def _parts(deals: int, per_deal: int, part_games: int | None) -> list[_Part]:
    """Cut the deals into parts of equal size: about eight, but neither tiny nor huge."""
    size = part_games or min(max(deals * per_deal // 8, 1000), PART_GAMES)
    step = max(size // per_deal, 1)
    starts = range(0, deals, step)
    return [_Part(n, first, min(step, deals - first)) for n, first in enumerate(starts)]


def _spread(
    parts: Sequence[_Part],
    make_runner: Callable[[], Runner],
    finish: Callable[[_Part, "Tables"], None],
    threads: int | None,
    progress: Progress | None,
) -> None:
    """Play all parts on threads; on an error or an interrupt stop them, then raise it."""

    def start_worker() -> Worker[_Part]:
        runner = make_runner()
        return lambda part, stop: finish(part, _play_part(runner, part, stop, progress))

    if parts:
        warm_up(make_runner())
    spread(parts, start_worker, threads)


def warm_up(runner: Runner) -> None:
    """Compile in one thread, since compiling holds a lock that all would wait for."""
    runner.play(0, 0)


def _play_part(
    runner: Runner, part: _Part, stop: threading.Event, progress: Progress | None
) -> dict[str, Any]:
    """Play a part and return its tables; raises Stopped when the run stops."""
    per_deal = len(runner.plan.seatings)
    pace = Pace(1 if runner.guarded else 64)  # a model may take a second a game
    chunks = list(
        slices(runner, part.first_deal * per_deal, part.deals * per_deal, pace, stop, progress)
    )
    # Only here: pandas and pyarrow take half a second that would stand before the first game.
    from simcore.frames import tables

    return tables(joined(chunks), runner.plan)


@dataclass
class Pace:
    """How many games a kernel plays at a time: raised until that takes _SLICE_SECONDS."""

    games: int = 64


def slices(
    runner: Runner,
    first_game: int,
    games: int,
    pace: Pace,
    stop: threading.Event,
    progress: Progress | None = None,
) -> Iterator[Chunk]:
    """Play games slice by slice, adapting the pace; raises Stopped once `stop` is set."""
    game, end = first_game, first_game + games
    while game < end:
        if stop.is_set():
            raise Stopped
        started = time.monotonic()
        chunk = runner.play(game, min(pace.games, end - game))
        game += len(chunk.games)
        if time.monotonic() - started < _SLICE_SECONDS / 2 and len(chunk.games) == pace.games:
            pace.games *= 2
        if progress is not None:
            progress(len(chunk.games))
        yield chunk


def joined(chunks: Sequence[Chunk]) -> Chunk:
    """Return consecutive chunks as one."""
    return Chunk(
        chunks[0].first_game,
        np.concatenate([chunk.games for chunk in chunks]),
        np.concatenate([chunk.seats for chunk in chunks]),
        np.concatenate([chunk.sequences for chunk in chunks]),
        np.concatenate([chunk.jacks for chunk in chunks]),
        np.sum([chunk.spaces for chunk in chunks], axis=0),
    )


def _open(
    out: Path | str | None, manifest: dict[str, Any], resume: bool, overwrite: bool
) -> Folder | None:
    """Return the folder to write to, with an old run's manifest if it is to be resumed."""
    if out is None:
        return None
    old = prepare(Path(out), resume, overwrite)
    if old is not None:
        for key in ("source", "seed", "deals", "design", "rules", "board", "seatings"):
            if old[key] != manifest[key]:
                told = f"resume: {out} has another {key}"
                raise StoreError(f"{told}; allowed: its own command, {old['command']}")
        check_bot_files(Path(out), old, manifest["files"])
    return Folder(Path(out), old or manifest)
