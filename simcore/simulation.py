"""Plan a run (deals, seatings, parts), spread it over threads or a cluster, collect its tables."""

import math
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from simcore.design import Design, make_design
from simcore.jit import source_hash
from simcore.keeper import AtPlace, InMemory, Keeper
from simcore.ledger import Ledger, Manifest
from simcore.manifest import RUN, SAME, new_manifest, now
from simcore.place import is_url, place_of
from simcore.plan import MAX_SHARDS, Chunk, Plan
from simcore.rules import Rules
from simcore.runner import RunError, Runner
from simcore.spread import Stopped, Worker, spread
from simcore.strategy import Strategy, bot_files, find_strategy

if TYPE_CHECKING:
    import pyarrow as pa

    from simcore.frames import Tables
    from simcore.run import Run

MAX_GAMES = 10**12
PART_GAMES = 50_000
"""Games of a part at most: about 30 MB in memory for two players."""
_SLICE_SECONDS = 0.2
"""How long a kernel runs before progress is told and an interrupt is heard."""

Progress = Callable[[int], None]
"""Called from any thread with the number of games just finished."""

Summary = Callable[["Tables", Manifest], "pa.Table"]
"""Makes of a part's tables the table of sums that is kept instead (simcore.sums)."""


@dataclass(frozen=True)
class Part:
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
    shard: tuple[int, int] | None = None,
    summary: Summary | None = None,
    resume: bool = False,
    overwrite: bool = False,
    command: str = "simulate",
    progress: Progress | None = None,
    cluster: str | None = None,
) -> "Run":
    """Play games and return them as a Run: in memory, or in the folder or at the URL `out`.

    `strategies` are one for all seats, one per team or one per seat (names as on the command line,
    or Strategy objects). `games` is rounded up to whole deals. The tables depend on nothing but
    strategies, games, seed, rules and design. With `out` memory does not grow with the games, and
    parts that are finished survive an interrupt. `shard` (k, n) plays the k-th of n shares, which
    `simcore.merge.merge` puts together. With `summary` only the sums that it makes are kept.
    `cluster` is the address of a Dask scheduler whose workers play, or local:N for N processes.

    Raises RunError, RulesError, LayoutError, StrategyError, DesignError or StoreError (all
    ValueErrors) for arguments that are not allowed, BotError for a bot's fault, and ClusterError
    for a cluster that cannot be used.
    """
    check_numbers(games, threads)
    if cluster is not None and threads is not None:
        raise RunError("threads and cluster: both given; allowed: one of them")
    plan, made = make_plan(strategies, rules or Rules(), seed, design)
    deals = math.ceil(games / len(made.seatings))
    Runner(plan, made)  # refuses bots before there is a folder
    parts = cut(deals, len(made.seatings), part_games)
    manifest = new_manifest(plan, command, deals, parts[0].deals)
    manifest["files"] = bot_files(made.bots)
    if summary is not None:
        manifest |= {"keep": "summary", "keep_source": source_hash((package_of(summary),))}
    if shard is not None:
        manifest["shard"] = list(_checked_shard(shard))
        parts = parts[shard[0] - 1 :: shard[1]]
    started = time.monotonic()
    with _players(plan, made, manifest, summary, threads, cluster, out) as play:
        if out is None:
            kept = InMemory(plan)
            play(parts, kept, progress)
            manifest |= {"finished": True, "seconds": round(time.monotonic() - started, 3)}
            return kept.run(manifest)
        place = place_of(out)
        with Ledger(place, RUN, manifest, SAME, resume, overwrite) as ledger:
            done = {part["number"] for part in ledger.manifest["parts"]}
            missing = [part for part in parts if part.number not in done]
            play(missing, AtPlace(place, ledger), progress)
            total = ledger.manifest["seconds"] + round(time.monotonic() - started, 3)
            ledger.update({"ended": now(), "seconds": total, "finished": True})
    from simcore.run import load

    return load(out)


@contextmanager
def _players(
    plan: Plan,
    made: Design,
    manifest: Manifest,
    summary: Summary | None,
    threads: int | None,
    cluster: str | None,
    out: Path | str | None,
) -> Iterator[Callable[[Sequence[Part], Keeper, Progress | None], None]]:
    """Give what plays parts and hands them over: threads of this process, or a cluster."""
    if cluster is not None:
        # Only here: Dask is an extra, and takes a second to import.
        from simcore.cluster import connected
        from simcore.job import make_job

        url = out if isinstance(out, str) and is_url(out) else None
        with connected(cluster, made.bots, summary) as team:
            job = make_job(plan, made.bots, manifest, summary, url)
            yield lambda parts, keeper, progress: team.play(job, parts, keeper, progress)
        return

    def play(parts: Sequence[Part], keeper: Keeper, progress: Progress | None) -> None:
        def finish(part: Part, found: "Tables") -> None:
            found = found if summary is None else {"sums": summary(found, manifest)}
            keeper.take_tables(part.number, part.first_deal, part.deals, found)

        _spread(parts, lambda: Runner(plan, made), finish, threads, progress)

    yield play


def package_of(summary: Summary) -> str:
    """Return the package that makes the sums: with its sources they may change."""
    return summary.__module__.partition(".")[0]


def _checked_shard(shard: tuple[int, int]) -> tuple[int, int]:
    number, shards = shard
    if not 1 <= number <= shards <= MAX_SHARDS:
        raise RunError(f"shard: {number}/{shards}; allowed: 1/N to N/N, N up to {MAX_SHARDS}")
    return shard


def make_plan(
    strategies: Sequence[str | Strategy], rules: Rules, seed: int = 0, design: str = "auto"
) -> tuple[Plan, Design]:
    """Return what a Runner needs; raises StrategyError, DesignError or LayoutError."""
    given = [strategies] if isinstance(strategies, str) else strategies
    found = [find_strategy(s) if isinstance(s, str) else s for s in given]
    made = make_design(found, rules, design)
    names = tuple(strategy.name for strategy in made.bots)
    return Plan(rules, rules.load_board(), names, made.seatings, seed, made.name), made


def check_numbers(games: int, threads: int | None) -> None:
    """Raise RunError for numbers of games or threads that are not allowed."""
    for name, value, low, high in (
        ("games", games, 1, MAX_GAMES),
        ("threads", 1 if threads is None else threads, 1, 4096),
    ):
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            raise RunError(f"{name}: {value!r}; allowed: {low} to {high}")


def cut(deals: int, per_deal: int, part_games: int | None) -> list[Part]:
    """Cut the deals into parts of equal size: about eight, but neither tiny nor huge."""
    size = part_games or min(max(deals * per_deal // 8, 1000), PART_GAMES)
    step = max(size // per_deal, 1)
    starts = range(0, deals, step)
    return [Part(n, first, min(step, deals - first)) for n, first in enumerate(starts)]


def _spread(
    parts: Sequence[Part],
    make_runner: Callable[[], Runner],
    finish: Callable[[Part, "Tables"], None],
    threads: int | None,
    progress: Progress | None,
) -> None:
    """Play all parts on threads; on an error or an interrupt stop them, then raise it."""

    def start_worker() -> Worker[Part]:
        runner = make_runner()
        return lambda part, stop: finish(part, _play_part(runner, part, stop, progress))

    if parts:
        warm_up(make_runner())
    spread(parts, start_worker, threads)


def warm_up(runner: Runner) -> None:
    """Compile in one thread, since compiling holds a lock that all would wait for."""
    runner.play(0, 0)


def _play_part(
    runner: Runner, part: Part, stop: threading.Event, progress: Progress | None
) -> dict[str, Any]:
    """Play a part and return its tables; raises Stopped when the run stops."""
    chunk = play_deals(runner, part.first_deal, part.deals, stop, progress)
    # Only here: pandas and pyarrow take half a second that would stand before the first game.
    from simcore.frames import tables

    return tables(chunk, runner.plan)


def play_deals(
    runner: Runner,
    first_deal: int,
    deals: int,
    stop: threading.Event,
    progress: Progress | None = None,
) -> Chunk:
    """Play all games of consecutive deals; raises BotError, and Stopped once `stop` is set."""
    per_deal = len(runner.plan.seatings)
    pace = Pace(1 if runner.guarded else 64)  # a model may take a second a game
    games = first_deal * per_deal, deals * per_deal
    return joined(list(slices(runner, *games, pace, stop, progress)))


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
