"""Play arms: the treatments of an experiment, of whose games only what a measure tells is kept.

All that compares - strategies, rules, a jack with no jack - is one experiment: several arms on the
same deals, and differences by deal. An arm's result is a table of one row a deal.
"""

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from simcore.design import Design
from simcore.plan import MAX_DEALS, Array, Chunk, Plan
from simcore.runner import RunError, Runner
from simcore.simulation import Pace, Progress, check_numbers, joined, slices, warm_up
from simcore.spread import Worker, spread
from simcore.strategy import Strategy

_PIECE_GAMES = 4000
"""Games that a thread plays in a row: to start some takes the time of a few hundred fast games."""

Table = Mapping[str, Array]
"""Columns of an arm's result, each with the deals along its first axis."""

Measure = Callable[[Chunk, Plan], Table]
"""Makes the rows of consecutive whole deals, of which the chunk has all games."""


@dataclass(frozen=True, eq=False)
class Arm:
    """A treatment: who plays by which rules, on `deals` deals from `first_deal` on.

    `name` tells it apart from the other arms of its experiment.
    """

    name: str
    plan: Plan
    design: Design
    first_deal: int
    deals: int
    measure: Measure

    def __post_init__(self) -> None:
        if self.deals < 1 or self.first_deal < 0 or self.first_deal + self.deals > MAX_DEALS:
            told = f"{self.deals} from {self.first_deal} on"
            raise RunError(f"deals: {told}; allowed: at least 1, from 0 to {MAX_DEALS - 1}")

    @cached_property
    def games_of_deal(self) -> int:
        """Games of each deal."""
        return len(self.design.seatings)

    @property
    def games(self) -> int:
        """Games of the arm."""
        return self.deals * self.games_of_deal


Finish = Callable[[Arm, Table], None]
"""Takes the table of an arm that is done; called from any thread."""


def play_arms(
    arms: Sequence[Arm],
    finish: Finish,
    threads: int | None = None,
    progress: Progress | None = None,
) -> None:
    """Play all arms, spread over threads together, and hand over the table of each.

    Tables depend on nothing but their arm. Raises RunError for a number of threads that is not
    allowed and BotError for a bot's fault.
    """
    check_numbers(1, threads)
    pieces = [piece for arm in arms for piece in _pieces(arm)]

    def start_worker() -> Worker[_Piece]:
        seats = _Seats()

        def play(piece: _Piece, stop: threading.Event) -> None:
            piece.done.add(piece.number, seats.play(piece, stop, progress), finish)

        return play

    if pieces:
        warm_up(Runner(arms[0].plan, arms[0].design))
    spread(pieces, start_worker, threads)


class _Done:
    """What is done of an arm."""

    def __init__(self, arm: Arm, pieces: int) -> None:
        self._arm = arm
        self._missing = pieces
        self._tables: dict[int, Table] = {}
        self._lock = threading.Lock()

    def add(self, number: int, table: Table, finish: Finish) -> None:
        """Add a piece's table; hand over the whole with the last."""
        with self._lock:
            self._tables[number] = table
            self._missing -= 1
            if self._missing:
                return
        parts = [self._tables.pop(n) for n in sorted(self._tables)]
        finish(self._arm, {name: np.concatenate([p[name] for p in parts]) for name in parts[0]})


class _Piece(NamedTuple):
    """Deals of an arm that one thread plays in a row."""

    done: _Done
    arm: Arm
    number: int
    first_deal: int
    deals: int


def _pieces(arm: Arm) -> list[_Piece]:
    step = max(1, _PIECE_GAMES // arm.games_of_deal)
    starts = range(0, arm.deals, step)
    done = _Done(arm, len(starts))
    return [
        _Piece(done, arm, number, arm.first_deal + at, min(step, arm.deals - at))
        for number, at in enumerate(starts)
    ]


class _Seats:
    """One thread's seats: a Runner whose strategies change from piece to piece."""

    def __init__(self) -> None:
        self._runner: Runner | None = None
        self._paces: dict[tuple[Strategy, ...], Pace] = {}

    def play(self, piece: _Piece, stop: threading.Event, progress: Progress | None) -> Table:
        """Play a piece and measure it."""
        arm, pace = piece.arm, self._paces.setdefault(piece.arm.design.bots, Pace())
        first, games = (n * arm.games_of_deal for n in (piece.first_deal, piece.deals))
        chunks = list(slices(self._seated(arm), first, games, pace, stop, progress))
        return arm.measure(joined(chunks), arm.plan)

    def _seated(self, arm: Arm) -> Runner:
        """Return the runner with the arm's bots; anew only under other rules, which takes long."""
        old = None if self._runner is None else self._runner.plan
        plan = arm.plan
        if self._runner is None or old is None or not _same_game(old, plan):
            self._runner = Runner(plan, arm.design)
        elif old is not plan:
            self._runner.seat(plan, arm.design)
        return self._runner


def _same_game(one: Plan, other: Plan) -> bool:
    same = one.rules == other.rules and one.intervention == other.intervention
    return same and one.board.rows() == other.board.rows()
