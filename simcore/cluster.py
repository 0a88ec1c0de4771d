"""Play the parts of a run on the workers of a Dask cluster, a bounded number of pieces at a time.

Results are handed over as they come, so that what is finished is kept whatever happens then.
"""

import queue
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, cast

from simcore.job import (
    Begun,
    Failed,
    Job,
    Outcome,
    Played,
    asked,
    begin_part,
    finish_part,
    play_parts,
)
from simcore.keeper import Keeper
from simcore.packed import Packed
from simcore.pieces import Piece, Pieces
from simcore.runner import BotError
from simcore.simulation import Part, Progress, Summary
from simcore.strategy import Strategy
from simcore.team import ClusterError, LostError, Team, gathered, line_of

_PER_THREAD = 2
"""Pieces in flight for each thread: so the next is there when one is done."""
_WRITERS = 4
"""Threads that fetch what has come, and write it."""
_MOST_LOSSES = 3
"""How often a piece is sent again whose workers are all gone: it may be what kills them."""
_LOOK_SECONDS = 1.0
"""How often is looked who is there."""


@contextmanager
def connected(where: str, bots: Sequence[Strategy], summary: Summary | None) -> Iterator["Cluster"]:
    """Give the cluster at an address or of `local:N`, whose workers can play with these bots.

    Raises RunError for an address that is none, and ClusterError.
    """
    with gathered(where, asked(tuple(s.bot.name for s in bots), summary)) as (team, look):
        yield Cluster(team, look)


class Cluster:
    """Workers that play; `look` brings the team up to date."""

    def __init__(self, team: Team, look: Callable[[], None]) -> None:
        self._team, self._look = team, look

    def play(
        self, job: Job, parts: Sequence[Part], keeper: Keeper, progress: Progress | None
    ) -> None:
        """Play all parts; on an error or an interrupt cancel what runs, and raise it.

        Raises BotError for a bot's fault, OSError for a place that cannot be written, ClusterError.
        """
        with ThreadPoolExecutor(_WRITERS) as pool:
            play = _Play(self._team, job, parts, keeper, progress or _untold, pool)
            looking, due = pool.submit(self._look), 0.0
            try:
                while play.fill():
                    play.take(_LOOK_SECONDS)
                    if looking.done() and time.monotonic() > due:
                        looking.result()
                        play.send_stranded()
                        # Beside the rest: a worker may take long to say what it is.
                        looking, due = pool.submit(self._look), time.monotonic() + _LOOK_SECONDS
            except ClusterError as error:
                raise LostError(str(error)) from None
            finally:
                play.cancel()


def _untold(games: int) -> None:
    pass


@dataclass(eq=False)
class _Flight:
    """A piece on its way, or what puts a part together; `workers` are those that may do it.

    `losses` counts how often all of them went away.
    """

    piece: Piece
    packed: list[Packed] | None = None
    future: Any = None
    workers: frozenset[str] = frozenset()
    losses: int = 0


@dataclass
class _Begun:
    """A part that is played in several pieces: what has come of it, by first deal."""

    deals: int = 0
    packed: dict[int, Packed] = field(default_factory=dict)


class _Play:
    """The pieces of one call of `play`. All but `_fetch` is done by one thread."""

    def __init__(
        self,
        team: Team,
        job: Job,
        parts: Sequence[Part],
        keeper: Keeper,
        progress: Progress,
        pool: ThreadPoolExecutor,
    ) -> None:
        self._team, self._job, self._keeper = team, job, keeper
        self._progress, self._pool = progress, pool
        self._games_of_deal = len(job.plan.seatings)
        self._pieces = Pieces(parts, self._games_of_deal)
        self._flights: set[_Flight] = set()
        self._begun: dict[int, _Begun] = {}
        self._events: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        """What to do now that something has come, for the thread that plays."""

    def fill(self) -> bool:
        """Send pieces until enough are in flight; return whether anything is left to do."""
        threads = sum(self._team.threads.values())
        while len(self._flights) < _PER_THREAD * threads:
            piece = self._pieces.next(threads)
            if piece is None:
                break
            self._send(_Flight(piece))
        return bool(self._flights) or self._pieces.left > 0

    def take(self, seconds: float) -> None:
        """Do what is to be done, or wait so long for something."""
        with suppress(queue.Empty):
            self._events.get(timeout=seconds)()

    def send_stranded(self) -> None:
        """Send again what no worker is left for."""
        if self._team.threads:
            for flight in [f for f in self._flights if not f.workers & self._team.threads.keys()]:
                flight.losses += 1
                if flight.losses > _MOST_LOSSES:
                    told = f"all workers went {flight.losses} times that had {self._games(flight)}"
                    raise ClusterError(f"cluster: {told}")
                self._send_again(flight)

    def cancel(self) -> None:
        """Let go of all that is in flight."""
        futures = [flight.future for flight in self._flights]
        self._flights.clear()
        self._cancel(futures)

    def _cancel(self, futures: Sequence[Any]) -> None:
        with suppress(Exception):  # there may be nobody left who hears it
            self._team.client.cancel(futures, force=True)

    def _send(self, flight: _Flight) -> None:
        """Give a piece to the workers that are there."""
        piece, finishing = flight.piece, flight.packed is not None
        function: Callable[..., Outcome]
        given: tuple[Any, ...]
        if finishing:
            function, given = finish_part, (piece.parts[0], flight.packed)
        elif piece.whole:
            function, given = play_parts, (piece.parts,)
        else:
            function, given = begin_part, (piece.first_deal, piece.deals)
        flight.workers = frozenset(self._team.threads)
        future = flight.future = self._team.client.submit(
            function,
            self._job,
            *given,
            key=f"seqlab-{function.__name__}-{uuid.uuid4().hex}",
            workers=sorted(flight.workers),
            priority=int(finishing),
            pure=False,
        )
        self._flights.add(flight)
        future.add_done_callback(lambda f: self._events.put(lambda: self._arrived(flight, f)))

    def _send_again(self, flight: _Flight) -> None:
        self._cancel([flight.future])
        self._send(flight)

    def _arrived(self, flight: _Flight, future: Any) -> None:
        """Fetch and keep what has come, beside what else is done."""
        if self._is_awaited(flight, future):
            self._pool.submit(self._fetch, flight, future)

    def _is_awaited(self, flight: _Flight, future: Any) -> bool:
        """Return whether a piece was neither given up nor sent again."""
        return flight in self._flights and flight.future is future

    def _fetch(self, flight: _Flight, future: Any) -> None:
        outcome: Outcome | BaseException
        try:
            outcome = self._result(flight, future)
            if isinstance(outcome, Played):
                for entry, files in outcome.parts:
                    self._keeper.take_files(entry, files, outcome.worker)
        except BaseException as error:  # for the thread that plays
            outcome = error
        self._events.put(lambda: self._landed(flight, future, outcome))

    def _result(self, flight: _Flight, future: Any) -> Outcome:
        from distributed import KilledWorker

        try:
            return cast(Outcome, future.result())
        except KilledWorker as error:
            died = f"{error.allowed_failures + 1} workers died that had {self._games(flight)}"
            told = f"cluster: {died}, the last was {error.last_worker.address}"
            raise ClusterError(told) from None
        except BaseException as error:
            told = f"cluster: {self._team.where} lost a piece: {line_of(error)}"
            raise ClusterError(told) from None

    def _games(self, flight: _Flight) -> str:
        first = flight.piece.first_deal * self._games_of_deal
        return f"games {first} to {first + flight.piece.deals * self._games_of_deal - 1}"

    def _landed(self, flight: _Flight, future: Any, outcome: Outcome | BaseException) -> None:
        """Take note of what came of a piece; raises what went wrong."""
        if not self._is_awaited(flight, future):
            return
        if isinstance(outcome, BaseException):
            raise outcome
        if isinstance(outcome, Failed):
            self._failed(flight, outcome)
            return
        self._flights.discard(flight)
        if flight.packed is not None:
            return
        deals = flight.piece.deals
        self._pieces.learn(deals, outcome.seconds)
        if isinstance(outcome, Begun):
            self._put_by(flight.piece, outcome)
        self._progress(deals * self._games_of_deal)

    def _failed(self, flight: _Flight, failed: Failed) -> None:
        if failed.kind == "bot":
            raise BotError(failed.told, failed.game)
        if failed.kind == "disk":
            raise OSError(failed.told)
        if failed.kind == "other":
            raise ClusterError(f"cluster: {failed.told}")
        if failed.kind == "version":  # it was another process when it was looked at
            self._team.refuse(failed.worker, failed.told)
        self._send_again(flight)

    def _put_by(self, piece: Piece, begun: Begun) -> None:
        """Keep what has come of a part, and have it put together when that is all."""
        part = piece.parts[0]
        there = self._begun.setdefault(part.number, _Begun())
        there.deals += piece.deals
        there.packed[piece.first_deal] = begun.packed
        if there.deals == part.deals:
            del self._begun[part.number]
            packed = [there.packed[first] for first in sorted(there.packed)]
            self._send(_Flight(Piece((part,), part.first_deal, part.deals), packed))
