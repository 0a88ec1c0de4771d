"""What a worker of a cluster is sent, and does: pieces of a run, and what it says of itself.

Nothing here fails by an exception, which Dask would log and hand over as it likes: what goes wrong
comes back as `Failed`, with its one line.
"""

import functools
import os
import platform
import threading
import time
import uuid
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from simcore.design import Design
from simcore.jit import source_hash
from simcore.ledger import Manifest
from simcore.manifest import versions_of
from simcore.packed import Packed, pack, unpack
from simcore.place import place_of
from simcore.plan import Chunk, Plan
from simcore.runner import BotError, Runner
from simcore.sent import SentStrategy, packages_of, received, sent
from simcore.simulation import Part, Summary, joined, package_of, play_deals, warm_up
from simcore.spread import Stopped
from simcore.store import encode_part, write_files
from simcore.strategy import Strategy

if TYPE_CHECKING:
    from simcore.frames import Tables

_PACKAGES = ("sequence-lab", "numpy", "numba", "pyarrow")
_MOST_JOBS = 4
"""Runs of which a worker keeps the bots and records; several may share a cluster."""

_HERE = versions_of(_PACKAGES) | {
    "python": ".".join(platform.python_version_tuple()[:2]),
    "source": source_hash(),
}
"""What this process was made of when it started, whatever is installed later."""

Entry = dict[str, Any]

Asked = tuple[tuple[str, ...], str | None]
"""What of a process has to be known: its bots, and the package that makes sums if one does."""


@dataclass(frozen=True, eq=False)
class Job:
    """A run as workers are sent it. They write to `url` if there is one."""

    key: str
    plan: Plan
    bots: tuple[SentStrategy, ...]
    manifest: Manifest
    summary: Summary | None
    url: str | None
    asked: Asked
    needs: Mapping[str, str]


class Failed(NamedTuple):
    """Why a piece was not played. `kind`: bot, disk, version, stopped or other."""

    worker: str
    kind: str
    told: str
    game: int = 0


class Played(NamedTuple):
    """Parts that are done, with their files unless the worker wrote them."""

    worker: str
    seconds: float
    parts: list[tuple[Entry, dict[str, bytes]]]


class Begun(NamedTuple):
    """Deals of a part that is played in several pieces."""

    worker: str
    seconds: float
    packed: Packed


Outcome = Played | Begun | Failed


def make_job(
    plan: Plan,
    bots: Sequence[Strategy],
    manifest: Manifest,
    summary: Summary | None,
    url: str | None,
) -> Job:
    """Return what workers are sent; StrategyError for a bot that cannot travel."""
    travelling = tuple(sent(strategy) for strategy in bots)
    about = asked(tuple(strategy.bot for strategy in travelling), summary)
    return Job(uuid.uuid4().hex, plan, travelling, manifest, summary, url, about, described(*about))


def asked(bots: tuple[str, ...], summary: Summary | None) -> Asked:
    """Return of what all processes that play a run have to have the same."""
    return bots, None if summary is None else package_of(summary)


@functools.cache  # it takes ten milliseconds, and every piece asks
def described(bots: tuple[str, ...], sums: str | None) -> dict[str, str]:
    """Return what this process plays bots with, and makes sums with (`Asked`)."""
    more = {} if sums is None else {f"source of {sums}": source_hash((sums,))}
    return _HERE | packages_of(bots) | more


def differences(here: Mapping[str, str], there: Mapping[str, str]) -> str:
    """Say what another process has otherwise; nothing if all is the same."""
    return ", ".join(
        f"{name} {there.get(name, 'unknown')}, not {wanted}"
        for name, wanted in here.items()
        if there.get(name) != wanted
    )


def play_parts(job: Job, parts: Sequence[Part]) -> Outcome:
    """Play whole parts, one after the other."""

    def play(loaded: _Loaded) -> Played:
        runner = loaded.runner()
        started, done = time.monotonic(), []
        for part in parts:
            chunk = play_deals(runner, part.first_deal, part.deals, _Cancelled())
            done.append(_kept(loaded, part, chunk))
        return Played(_worker(), time.monotonic() - started, done)

    return _tried(job, play)


def begin_part(job: Job, first_deal: int, deals: int) -> Outcome:
    """Play some deals of a part."""

    def play(loaded: _Loaded) -> Begun:
        runner = loaded.runner()
        started = time.monotonic()
        chunk = play_deals(runner, first_deal, deals, _Cancelled())
        return Begun(_worker(), time.monotonic() - started, pack(chunk))

    return _tried(job, play)


def finish_part(job: Job, part: Part, pieces: Sequence[Packed]) -> Outcome:
    """Put a part together of what was played of it, in the order of deals."""

    def put_together(loaded: _Loaded) -> Played:
        chunk = joined([unpack(packed) for packed in pieces])
        return Played(_worker(), 0.0, [_kept(loaded, part, chunk)])

    return _tried(job, put_together)


def _tried(job: Job, do: Callable[["_Loaded"], Outcome]) -> Outcome:
    """Do a piece, and say what goes wrong in it."""
    here = _worker()
    try:
        if told := differences(job.needs, described(*job.asked)):
            return Failed(here, "version", f"worker {here} has {told}")
        loaded = _load(job)
        try:
            return do(loaded)
        except BaseException:
            loaded.forget_runner()  # it may be in the middle of a game
            raise
    except BotError as error:
        return Failed(here, "bot", str(error), error.game)
    except Stopped:
        return Failed(here, "stopped", "")
    except OSError as error:
        told = f"out: {job.url} cannot be written by worker {here}: {error.strerror or error}"
        return Failed(here, "disk", told)
    except Exception as error:
        return Failed(here, "other", f"worker {here}: {type(error).__name__}: {error}")


class _Loaded:
    """What a worker keeps of a job: its bots, and a Runner for each of its threads."""

    def __init__(self, job: Job) -> None:
        self.job = job
        bots = tuple(received(strategy, _scratch()) for strategy in job.bots)
        self._design = Design(job.plan.design, bots, job.plan.seatings)
        self._own = threading.local()
        self._warm = threading.Lock()
        self.place = None if job.url is None else place_of(job.url)

    def runner(self) -> Runner:
        """Return this thread's Runner."""
        found: Runner | None = getattr(self._own, "runner", None)
        if found is None:
            found = Runner(self.job.plan, self._design)
            with self._warm:
                warm_up(found)
            self._own.runner = found
        return found

    def forget_runner(self) -> None:
        """Let this thread make another one."""
        self._own.runner = None


_jobs: OrderedDict[str, _Loaded] = OrderedDict()
_lock = threading.Lock()


def _load(job: Job) -> _Loaded:
    """Return what this process keeps of a job, made when its first piece comes."""
    with _lock:
        if job.key not in _jobs:
            _jobs[job.key] = _Loaded(job)
        _jobs.move_to_end(job.key)
        while len(_jobs) > _MOST_JOBS:
            _jobs.popitem(last=False)
        return _jobs[job.key]


def _kept(loaded: _Loaded, part: Part, chunk: Chunk) -> tuple[Entry, dict[str, bytes]]:
    """Return what is entered of a part, and its files unless they are written from here."""
    from simcore.frames import tables

    job = loaded.job
    found: Tables = tables(chunk, job.plan)
    if job.summary is not None:
        found = {"sums": job.summary(found, job.manifest)}
    entry, files = encode_part(part.number, part.first_deal, part.deals, found)
    if loaded.place is None:
        return entry, files
    if _Cancelled().is_set():  # the run may be gone on with by now, by others
        raise Stopped
    write_files(loaded.place, part.number, files)
    return entry, {}


class _Cancelled(threading.Event):
    """Set when Dask has cancelled the task of this thread, or has lost it."""

    def __init__(self) -> None:
        super().__init__()
        from distributed import get_worker

        worker = get_worker()
        self._tasks, self._key = worker.state.tasks, worker.get_current_task()

    def is_set(self) -> bool:
        """Return whether the task is still wanted."""
        task = self._tasks.get(self._key)
        return task is None or task.state == "cancelled"


def _worker() -> str:
    from distributed import get_worker

    return str(get_worker().address)


def _scratch() -> str | None:
    """Return the folder that Dask clears after a worker that was killed."""
    from distributed import get_worker

    folder = get_worker().local_directory
    return folder if os.path.isdir(folder) else None
