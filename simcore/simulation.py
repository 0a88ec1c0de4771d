"""Plan a run (deals, seatings, parts), spread it over threads, collect its tables."""

import math
import shlex
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from simcore.design import Design, make_design
from simcore.manifest import (
    StoreError,
    check_bot_files,
    new_manifest,
    plan_of,
    read_manifest,
)
from simcore.plan import Chunk, Plan
from simcore.rules import Rules
from simcore.runner import RunError, Runner
from simcore.spread import Stopped, Worker, spread
from simcore.store import Folder, prepare
from simcore.strategy import (
    Strategy,
    StrategyError,
    bot_files,
    find_strategy,
    names_file,
)

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
        chunk = runner.play(game, min(pace.games, end - game), stop=stop)
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
