"""A Dask cluster of this machine, for as long as a run takes: `local:N`."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

_ROOT = str(Path(__file__).resolve().parent.parent)

# Dask's own command, where these sources are found as they were here. -P keeps what lies in the
# folder that the user stands in from being taken for a module.
_COMMAND = """
import sys
root = sys.argv.pop(1)
if root not in sys.path:
    sys.path.insert(0, root)
from distributed.cli.dask_worker import main
main()
"""
_CALM = {
    "distributed.admin.tick.interval": "500ms",
    "distributed.admin.system-monitor.interval": "5s",
    "distributed.worker.profile.enabled": False,
}
"""Dask looks at itself so often that an idle worker takes 3.3 % of a core; with these 0.7 %."""
_FEW = 3
"""Workers that are started anew, for each that is wanted, before that is given up."""


class DyingError(RuntimeError):
    """Workers die as soon as they are started."""


@contextmanager
def local_cluster(workers: int) -> Iterator[tuple[str, Callable[[], None]]]:
    """Start a scheduler in this process and workers of a thread each; end them at the end.

    Gives the address, and what starts anew those that have died: it raises DyingError if they die
    time and again.
    """
    import logging

    import dask
    from distributed import LocalCluster

    with (
        tempfile.TemporaryDirectory(prefix="seqlab-", ignore_cleanup_errors=True) as scratch,
        # Or Dask leaves its locks in the system's temporary folder.
        dask.config.set(_CALM | {"temporary-directory": scratch}),
        LocalCluster(
            n_workers=0,
            processes=True,
            scheduler_kwargs={"dashboard": False, "dashboard_address": "127.0.0.1:0"},
            silence_logs=logging.CRITICAL,
        ) as cluster,
    ):
        address = str(cluster.scheduler_address)
        running: list[subprocess.Popen[bytes]] = []
        lives = [workers * (1 + _FEW)]

        def tend() -> None:
            running[:] = [process for process in running if process.poll() is None]
            while len(running) < workers:
                if not lives[0]:
                    raise DyingError(f"cluster: workers die: {workers * (1 + _FEW)} were started")
                lives[0] -= 1
                running.append(_start(address, scratch))

        try:
            tend()
            yield address, tend
        finally:
            # They hold nothing that is not here, so they need not say goodbye.
            for process in running:
                process.kill()
            for process in running:
                process.wait()


def _shouted(name: str) -> str:
    """Return how the environment calls a setting of Dask."""
    return name.upper().replace(".", "__").replace("-", "_")


def _start(address: str, scratch: str) -> "subprocess.Popen[bytes]":
    """Start a worker that ends when the scheduler does. No Ctrl-C of the terminal reaches it."""
    options = ["--nthreads", "1", "--no-nanny", "--no-dashboard", "--memory-limit", "0"]
    options += ["--local-directory", scratch, "--death-timeout", "60"]
    return subprocess.Popen(
        [sys.executable, "-P", "-c", _COMMAND, _ROOT, address, *options],
        env=os.environ | {f"DASK_{_shouted(name)}": str(value) for name, value in _CALM.items()},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
