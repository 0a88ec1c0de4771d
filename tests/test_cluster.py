"""Runs on a Dask cluster: the same tables, whatever workers come and go, and clear refusals."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from distributed import Client
from helpers import JIT, Seqlab

from simcore import Rules, load, simulate
from simcore.place import Folder, StoreError
from simcore.plan import TABLES
from simcore.run import Run
from simcore.runner import BotError, RunError
from simcore.strategy import Bot, Strategy, StrategyError, find_bot
from simcore.team import ClusterError, LostError

ROOT = Path(__file__).resolve().parent.parent
DASK = (sys.executable, "-m", "distributed.cli.dask_")
QUIET: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
DUE = 60.0
"""Seconds after which something is not going to happen."""

BOT = '''"""A bot of a file with a module beside it."""
from simcore.kit import Parameter, plays
from chooser import pick

PARAMETERS = (Parameter("place", 0, 0, 3, "which play"),)

def choose(setting, table, seat, hand, own):
    return pick(plays(setting, table, seat, hand), own.params[0])
'''
CHOOSER = "def pick(moves, place):\n    return moves[min(int(place), len(moves) - 1)]\n"

pytestmark = [
    pytest.mark.skipif(not JIT, reason="workers compile"),
    pytest.mark.skipif(os.name != "posix", reason="signals as on POSIX"),
]


def dask(command: str, *words: str | Path, sources: Path = ROOT) -> subprocess.Popen[bytes]:
    """Start one of Dask's commands; what is in the folder it stands in comes before all else."""
    return subprocess.Popen(
        [*DASK[:2], DASK[2] + command, *map(str, words), "--no-dashboard"],
        cwd=sources,
        env=os.environ | {"PYTHONPATH": str(sources)},
        **QUIET,
    )


class Cluster:
    """A scheduler, the workers that were started for it, and a client that asks them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        file = folder / "scheduler.json"
        self.processes = [dask("scheduler", "--port", "0", "--scheduler-file", file)]
        wait_for(lambda: file.exists() and file.read_text().endswith("}"))
        self.address = str(json.loads(file.read_text())["address"])
        self.client = Client(self.address, set_as_default=False)

    def start_worker(self, threads: int = 1, sources: Path = ROOT) -> subprocess.Popen[bytes]:
        """Start a worker; return when the scheduler knows it."""
        before = set(self.client.nthreads())
        words = (self.address, "--no-nanny", "--local-directory", self._folder)
        worker = dask("worker", *words, "--nthreads", str(threads), sources=sources)
        self.processes.append(worker)
        wait_for(lambda: set(self.client.nthreads()) - before)
        return worker

    def end(self, worker: subprocess.Popen[bytes]) -> None:
        """Kill a worker."""
        worker.kill()
        worker.wait()

    def ask(self, expression: str) -> dict[str, Any]:
        """Return what workers say to an expression, by address."""
        answers: dict[str, Any] = self.client.run(eval, expression)
        return answers

    def close(self) -> None:
        """End all."""
        self.client.close()
        for process in reversed(self.processes):
            self.end(process)


def wait_for(happened: Callable[[], object]) -> None:
    """Wait until something has happened."""
    end = time.monotonic() + DUE
    while not happened():
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Return a cluster with a worker of one thread and one of two."""
    made = Cluster(tmp_path_factory.mktemp("dask"))
    try:
        made.start_worker()
        made.start_worker(2)
        yield made
    finally:
        made.close()


@pytest.fixture
def seqlab(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Seqlab:
    return Seqlab(monkeypatch, capsys)


def same(one: Run, other: Run) -> None:
    """Assert that two runs have equal tables."""
    for table in TABLES:
        pd.testing.assert_frame_equal(getattr(one, table), getattr(other, table))


def at(games: int, do: Callable[[], object]) -> Callable[[int], None]:
    """Return a progress callback that does something once, when so many games are played."""
    played = 0

    def progress(more: int) -> None:
        nonlocal played
        if played < games <= played + more:
            do()
        played += more

    return progress


# The same tables.


def test_workers_that_die_and_come_change_nothing(tmp_path: Path) -> None:
    """One of three workers is killed while it plays, and another joins."""
    made = Cluster(tmp_path)
    try:
        workers = [made.start_worker() for _ in range(3)]
        first = set(made.client.nthreads())
        told: list[int] = []
        late: dict[str, int] = {}

        def change() -> None:
            os.kill(workers[1].pid, signal.SIGKILL)
            made.start_worker()
            late.update(dict.fromkeys(made.client.nthreads().keys() - first, 0))

        changed = at(4000, change)

        def progress(more: int) -> None:
            told.append(more)
            changed(more)
            if late and not any(late.values()):
                time.sleep(0.5)  # or all may be played before it is looked at
                jobs = made.ask("len(__import__('simcore.job').job._jobs)")
                late.update({worker: jobs[worker] for worker in late})

        out, bots, games = tmp_path / "run", ["greedy", "random"], 40_000
        given: dict[str, Any] = {"part_games": 1500, "progress": progress}
        simulate(bots, games, 5, out=out, cluster=made.address, **given)
        assert list(late.values()) == [1]  # it had work
        assert len(made.client.nthreads()) == 3
    finally:
        made.close()
    assert sum(told) == games
    same(load(out), simulate(bots, games, 5, threads=1))
    assert load(out).manifest["finished"]


def test_in_memory_and_slow_bots(cluster: Cluster) -> None:
    """Parts are cut, as first pieces are small, and put together again."""
    rules = Rules(players=4)
    run = simulate(["random"], 3000, 7, rules, cluster=cluster.address)
    same(run, simulate(["random"], 3000, 7, rules, threads=1))
    assert run.manifest["finished"]


def test_workers_write_to_a_url(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrote: list[str] = []
    write = Folder.write
    monkeypatch.setattr(
        Folder, "write", lambda place, *given: (wrote.append(given[0]), write(place, *given))[1]
    )
    run = simulate(["random"], 9000, 1, out=f"file://{tmp_path}/run", cluster=cluster.address)
    same(run, simulate(["random"], 9000, 1))
    assert set(wrote) == {"run.json"}
    assert len(run.manifest["parts"]) == len(list((tmp_path / "run" / "games").iterdir())) > 4
    with pytest.raises(StoreError, match="which is not there when read from here"):
        simulate(["random"], 9000, out="memory://there/run", cluster=cluster.address)


def test_workers_that_sum_up_otherwise(cluster: Cluster, tmp_path: Path) -> None:
    """Their analysis is of another version, which matters to runs that keep sums only."""
    from analysis.collect import summary

    other = tmp_path / "other"
    for package in ("simcore", "strategies", "analysis"):
        shutil.copytree(ROOT / package, other / package, ignore=shutil.ignore_patterns("__py*"))
    with (other / "analysis" / "length.py").open("a") as file:
        file.write("\n# Another version.\n")
    before = set(cluster.client.nthreads())
    worker = cluster.start_worker(sources=other)
    try:
        wait_for(lambda: set(cluster.client.nthreads()) > before)
        address = (set(cluster.client.nthreads()) - before).pop()
        told = rf"worker {address} has source of analysis \w+, not \w+$"
        with pytest.raises(ClusterError, match=told):
            simulate(["random"], 40, cluster=cluster.address, summary=summary)
    finally:
        cluster.end(worker)
        wait_for(lambda: set(cluster.client.nthreads()) == before)


@pytest.mark.slow
def test_a_summary_is_made_by_workers(cluster: Cluster, tmp_path: Path) -> None:
    from analysis.collect import summary

    given: dict[str, Any] = {"games": 4000, "part_games": 1500, "summary": summary}
    run = simulate(["random"], **given, out=tmp_path / "run", cluster=cluster.address)
    for one, other in zip(run.sums(), simulate(["random"], **given).sums(), strict=True):
        for group, sums in one.items():
            for name, array in sums.items():
                assert (array == other[group][name]).all()


def test_a_bot_travels_with_its_siblings(cluster: Cluster, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(BOT)
    (tmp_path / "chooser.py").write_text(CHOOSER)
    (tmp_path / "numbers.toml").write_text("place = 2")
    bots = [f"{tmp_path}/mine.py:choose@{tmp_path}/numbers.toml", f"{tmp_path}/mine.py:choose"]
    run = simulate(bots, 2000, 3, cluster=cluster.address)
    same(run, simulate(bots, 2000, 3))
    assert set(run.manifest["strategies"]) == {f"{bots[1]}:place=2", bots[1]}
    for folders in cluster.ask("list(__import__('simcore.sent').sent._folders.values())").values():
        for folder in folders:
            assert sorted(file.name for file in folder.glob("*.py")) == ["chooser.py", "mine.py"]
            assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    # Another text under the same name is another bot.
    (tmp_path / "chooser.py").write_text(CHOOSER.replace("- 1", "- 2"))
    again = simulate(bots, 2000, 3, cluster=cluster.address)
    same(again, simulate(bots, 2000, 3))
    assert not again.games.equals(run.games)


SLOW = pytest.mark.slow


@pytest.mark.parametrize(
    "places",
    [("cluster", "threads"), pytest.param(("threads", "cluster"), marks=SLOW)],
)
def test_resume_on_or_off_the_cluster(
    cluster: Cluster, tmp_path: Path, places: tuple[str, str]
) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    where: dict[str, dict[str, Any]] = {
        "cluster": {"cluster": cluster.address},
        "threads": {"threads": 2},
    }
    out, games = tmp_path / "run", 8000
    given: dict[str, Any] = {"out": out, "part_games": 1000}
    with pytest.raises(KeyboardInterrupt):
        simulate(["random"], games, 2, **given, **where[places[0]], progress=at(3000, interrupt))
    left = load(out)
    assert 0 < len(left.games) < games
    told: list[int] = []
    again = where[places[1]]
    whole = simulate(["random"], games, 2, **given, **again, resume=True, progress=told.append)
    assert sum(told) == games - len(left.games)
    same(whole, simulate(["random"], games, 2))


# What goes wrong.


def test_a_fault_of_a_bot(cluster: Cluster, tmp_path: Path) -> None:
    """It arrives as on threads, and the workers play on."""
    file = tmp_path / "bad.py"
    file.write_text(
        "from simcore.kit import plays\n"
        "def choose(setting, table, seat, hand, own):\n"
        "    if table.turn > 20:\n"
        "        raise ValueError('out of ideas')\n"
        "    return plays(setting, table, seat, hand)[0]\n"
    )
    with pytest.raises(BotError) as caught:
        simulate([f"{file}:choose", "random"], 5000, 3, cluster=cluster.address)
    assert re.fullmatch(
        rf"strategy {file}:choose raised ValueError: out of ideas \(game {caught.value.game}, turn "
        rf"\d+, seat [01]\); replay it with: seqlab replay -s {file}:choose -s random --players 2 "
        rf"--teams 2 --seed 3 --design swap --game {caught.value.game}",
        str(caught.value),
    )
    same(simulate(["random"], 100, cluster=cluster.address), simulate(["random"], 100))


def test_a_bot_that_has_no_name(cluster: Cluster, tmp_path: Path) -> None:
    random = find_bot("random")
    mine = Strategy("mine", Bot("mine", "", random.choose), ())
    with pytest.raises(StrategyError, match="mine: a Bot of this process; allowed here: the name"):
        simulate([mine], 10, out=tmp_path / "run", cluster=cluster.address)
    assert list(tmp_path.iterdir()) == []


def test_workers_of_another_version(
    cluster: Cluster, tmp_path: Path, capsys: pytest.CaptureFixture[str], seqlab: Seqlab
) -> None:
    """One that comes late gets no work; with one that is there a run does not begin."""
    other = tmp_path / "other"
    for package in ("simcore", "strategies"):
        shutil.copytree(ROOT / package, other / package, ignore=shutil.ignore_patterns("__py*"))
    with (other / "simcore" / "cards.py").open("a") as file:
        file.write("\n# Another version.\n")
    before = set(cluster.client.nthreads())
    started: list[subprocess.Popen[bytes]] = []
    try:
        said: list[str] = []
        start = at(2000, lambda: started.append(cluster.start_worker(sources=other)))

        def progress(more: int) -> None:
            start(more)
            said.append(capsys.readouterr().err)
            if started and not any(said):
                time.sleep(0.5)  # or all may be played before it is looked at

        given: dict[str, Any] = {"part_games": 1000, "progress": progress}
        simulate(["random"], 60_000, 2, cluster=cluster.address, **given)
        address = (set(cluster.client.nthreads()) - before).pop()
        told = rf"note: worker {address} has source (\w+), not (\w+); it gets no work\n"
        found = re.fullmatch(told, "".join(said) + capsys.readouterr().err)
        assert found
        assert found[1] != found[2]
        out = tmp_path / "run"
        words = ("simulate", "-s", "random", "--games", 10, "--out", out)
        assert seqlab(*words, "--cluster", cluster.address) == 1
        told = f"worker {address} has source {found[1]}, not {found[2]}"
        assert seqlab.err == f"error: cluster: {told}\n"
        assert not out.exists()
    finally:
        for worker in started:
            cluster.end(worker)
        wait_for(lambda: set(cluster.client.nthreads()) == before)


@pytest.mark.parametrize(
    ("address", "code", "told"),
    [
        ("local:0", 2, "cluster: 'local:0'; allowed: local:1 to local:1024"),
        ("local:two", 2, "cluster: 'local:two'; allowed: local:1 to"),
        ("nowhere", 2, "cluster: 'nowhere'; allowed: local:N, or the address of a Dask scheduler"),
        ("gopher://a:1", 2, "cluster: 'gopher://a:1'; allowed: local:N, or"),
        ("tcp://", 2, "cluster: 'tcp://'; allowed: local:N, or"),
        ("tcp://127.0.0.1:1", 1, "cluster: no Dask scheduler answers at tcp://127.0.0.1:1: "),
    ],
)
def test_addresses_that_lead_nowhere(
    tmp_path: Path,
    seqlab: Seqlab,
    monkeypatch: pytest.MonkeyPatch,
    address: str,
    code: int,
    told: str,
) -> None:
    monkeypatch.setattr("simcore.team._ANSWER_SECONDS", 1)
    words = ("simulate", "-s", "random", "--games", 10, "--out", tmp_path / "run")
    assert seqlab(*words, "--cluster", address) == code
    assert told in seqlab.err
    assert seqlab.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_scheduler_without_workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("simcore.team._FIRST_SECONDS", 1)
    made = Cluster(tmp_path)
    try:
        with pytest.raises(ClusterError, match=f"cluster: {made.address} has no worker"):
            simulate(["random"], 10, cluster=made.address)
    finally:
        made.close()


EXITS = """
import os
class Bot:
    def choose(self, setting, table, seat, hand, own):
        os._exit(3)
"""


def test_a_bot_that_ends_its_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Alone it would be given to every worker that comes."""
    monkeypatch.setattr("simcore.cluster._LOOK_SECONDS", 0.1)
    monkeypatch.setattr("simcore.cluster._MOST_LOSSES", 1)
    (tmp_path / "exits.py").write_text(EXITS)
    made = Cluster(tmp_path)
    ended, workers = threading.Event(), [made.start_worker()]

    def start_others() -> None:
        while not ended.is_set():
            if workers[-1].poll() is not None:
                workers.append(made.start_worker())
            time.sleep(0.1)

    helper = threading.Thread(target=start_others)
    helper.start()
    try:
        with pytest.raises(LostError, match=r"all workers went 2 times that had games \d+ to \d+$"):
            simulate([f"{tmp_path}/exits.py:Bot"], 200, cluster=made.address)
    finally:
        ended.set()
        helper.join()
        made.close()


def test_a_scheduler_that_is_lost(seqlab: Seqlab, tmp_path: Path) -> None:
    """What is finished is there, and how to go on is said."""
    made, out = Cluster(tmp_path), tmp_path / "run"
    made.start_worker()

    def lose() -> None:
        wait_for(lambda: list(out.glob("spaces/*.parquet")))
        made.processes[0].kill()

    helper = threading.Thread(target=lose)
    helper.start()
    try:
        words = ("simulate", "-s", "random", "--games", 90_000_000, "--out", out)
        assert seqlab(*words, "--cluster", made.address) == 1
    finally:
        helper.join()
        made.close()
    assert seqlab.err.startswith(f"error: cluster: {made.address} ")
    assert seqlab.err.endswith(
        f"; finished parts are in {out}: "
        f"the same command with --out {out} --resume plays the rest\n"
    )
    assert seqlab.err.count("\n") == 1
    assert 0 < len(load(out).games) < 90_000_000


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(RunError, match=r"allowed: after pip install 'sequence-lab\[cluster\]'"):
        simulate(["random"], 10, cluster="local:1")
    with pytest.raises(RunError, match="threads and cluster: both given"):
        simulate(["random"], 10, threads=1, cluster="local:1")


@pytest.mark.parametrize("number", [pytest.param(signal.SIGINT, marks=SLOW), signal.SIGTERM])
def test_signals(tmp_path: Path, number: signal.Signals) -> None:
    """The command ends within moments with one line, keeps what is finished, leaves no worker."""
    out = tmp_path / "run"
    command = [sys.executable, "-m", "cli", "simulate", "-s", "random", "--games", "99000000"]
    running = subprocess.Popen(
        [*command, "--out", str(out), "--cluster", "local:2"],
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env=os.environ | {"TMPDIR": str(tmp_path)},
        # Or it is ignored where these tests run in the background of a script.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    try:
        wait_for(lambda: list(out.glob("spaces/*.parquet")))
        running.send_signal(number)
        _, told = running.communicate(timeout=DUE)
    finally:
        running.kill()
    assert running.returncode == 128 + number
    assert told.splitlines() == [
        f"error: {'interrupted' if number == signal.SIGINT else 'terminated'}; "
        f"finished parts are in {out}: "
        f"the same command with --out {out} --resume plays the rest"
    ]
    assert 0 < len(load(out).games) < 99_000_000
    assert [child.name for child in tmp_path.iterdir()] == ["run"]
    assert workers_below(tmp_path) == []


def workers_below(folder: Path) -> list[str]:
    """Return the commands of processes that were given a folder below this one."""
    listed = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True)
    return [line for line in listed.stdout.splitlines() if f"{folder}/seqlab-" in line]
