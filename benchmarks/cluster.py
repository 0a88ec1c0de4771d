"""Time a run on a cluster of this machine beside the same run on threads, and print the ratio.

    python benchmarks/cluster.py [--rounds 5] [--games 4000000] [--workers 2] [-s random]

A scheduler and workers of one thread each are started with Dask's own commands, with the settings
that docs/large-runs.md names, and play before they are measured. Machines drift, so rounds
alternate and only ratios count. A run's time is told on the clock, and as seconds of processors
over all its processes, which others on the machine change less.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

import psutil

from simcore import simulate

CALM = {
    "DASK_DISTRIBUTED__ADMIN__TICK__INTERVAL": "500ms",
    "DASK_DISTRIBUTED__ADMIN__SYSTEM_MONITOR__INTERVAL": "5s",
    "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",
}

Times = tuple[float, float]
"""Seconds on the clock and of processors."""


@contextmanager
def started(workers: int) -> Iterator[tuple[str, list[psutil.Process]]]:
    """Give the address of a scheduler with workers, and their processes."""
    command = [sys.executable, "-m"]
    quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    quiet["env"] = os.environ | CALM
    processes: list[subprocess.Popen[bytes]] = []
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch) / "scheduler.json"
        told = ["--scheduler-file", str(file), "--no-dashboard"]
        try:
            scheduler = [*command, "distributed.cli.dask_scheduler", "--port", "0", *told]
            processes.append(subprocess.Popen(scheduler, **quiet))
            worker = [*command, "distributed.cli.dask_worker", *told, "--nthreads", "1"]
            worker += ["--no-nanny", "--local-directory", scratch]
            processes += [subprocess.Popen(worker, **quiet) for _ in range(workers)]
            while not file.exists() or not file.read_text():
                time.sleep(0.1)
            address = json.loads(file.read_text())["address"]
            yield address, [psutil.Process(process.pid) for process in processes]
        finally:
            for process in processes:
                process.kill()
                process.wait()


def timed(play: Callable[[Path], object], processes: list[psutil.Process]) -> Times:
    """Return what a run took, this process and others together."""

    def spent() -> float:
        used = [process.cpu_times() for process in [psutil.Process(), *processes]]
        return float(sum(each.user + each.system for each in used))

    with tempfile.TemporaryDirectory() as folder:
        clock, before = time.monotonic(), spent()
        play(Path(folder) / "run")
        return time.monotonic() - clock, spent() - before


def main() -> None:
    """Print a line for each round, and the medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--games", type=int, default=4_000_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("-s", "--strategy", action="append")
    options = parser.parse_args()
    bots = options.strategy or ["random"]
    with started(options.workers) as (address, processes):

        def on_threads(folder: Path, games: int = options.games) -> object:
            return simulate(bots, games, threads=options.workers, out=folder)

        def on_cluster(folder: Path, games: int = options.games) -> object:
            return simulate(bots, games, cluster=address, out=folder)

        for play in (on_threads, on_cluster, on_cluster):
            with tempfile.TemporaryDirectory() as folder:
                play(Path(folder) / "run", min(options.games, 100_000))
        ratios: list[Times] = []
        for number in range(options.rounds):
            both = [(0.0, 0.0), (0.0, 0.0)]
            order = (0, 1) if number % 2 == 0 else (1, 0)
            for which in order:
                play = (on_threads, on_cluster)[which]
                both[which] = timed(play, processes if which else [])
            (threads, cluster) = both
            ratios.append((cluster[0] / threads[0], cluster[1] / threads[1]))
            print(
                f"threads {threads[0]:6.1f} s ({threads[1]:6.1f} s of processors)  "
                f"cluster {cluster[0]:6.1f} s ({cluster[1]:6.1f} s)  "
                f"ratio {ratios[-1][0]:.3f} ({ratios[-1][1]:.3f})  load {os.getloadavg()[0]:.1f}",
                flush=True,
            )
    clock, work = (median(values) for values in zip(*ratios, strict=True))
    print(f"median ratio {clock:.3f} on the clock, {work:.3f} in seconds of processors")


if __name__ == "__main__":
    main()
