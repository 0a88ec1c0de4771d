"""How fast the engine plays here: games a second of a strategy against itself."""

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from simcore.rules import Rules
from simcore.runner import RunError, Runner
from simcore.simulation import make_plan

_MOST = 2**16
_APART = 10**9
"""Games between the first ones of two threads, so that none is played twice."""


def measure(strategy: str, rules: Rules, threads: int = 1, seconds: float = 2.0) -> dict[str, Any]:
    """Play for about `seconds` on every thread and return what was reached.

    All rows that a run keeps (games, seats, sequences, jacks, spaces) are written; turning them
    into tables and files is not in the figure. Compilation comes before the clock starts. Raises
    the errors of `simulate`.
    """
    if not 1 <= threads <= 4096 or not 0 < seconds <= 3600:
        raise RunError(f"threads {threads}, seconds {seconds:g}; allowed: 1 to 4096, up to 3600")
    runners = [Runner(*make_plan([strategy], rules)) for _ in range(threads)]
    size = _slice_of(runners[0])
    started = time.perf_counter()

    def work(thread: int) -> tuple[int, int]:
        games = turns = 0
        while time.perf_counter() < started + seconds:
            chunk = runners[thread].play(thread * _APART + games, size)
            games += len(chunk.games)
            turns += int(chunk.games["turns"].sum())
        return games, turns

    with ThreadPoolExecutor(threads) as pool:
        done = list(pool.map(work, range(threads)))
    spent = time.perf_counter() - started
    games, turns = (sum(column) for column in zip(*done, strict=True))
    return {
        "strategy": runners[0].plan.names[0],
        "players": rules.players,
        "teams": rules.teams,
        "threads": threads,
        "games": games,
        "seconds": spent,
        "games_per_second": games / spent,
        "turns_per_second": turns / spent,
    }


def _slice_of(runner: Runner) -> int:
    """Compile, then return a number of games that takes over 0.4 seconds: a call costs 4 ms."""
    runner.play(0, 1)
    games = 1
    while True:
        started = time.perf_counter()
        runner.play(0, games)
        if time.perf_counter() - started > 0.4 or games >= _MOST:
            return games
        games *= 2
