"""What a run is to play, and what the kernels filled: the plain data that all else is made of."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from simcore.board import Board
from simcore.rules import Rules

Array = npt.NDArray[Any]

TABLES = ("games", "seats", "sequences", "jacks", "spaces")
"""The tables of a run."""


MAX_SEED = 2**63 - 1

MAX_SHARDS = 10**6

MAX_DEALS = 2**44
"""Deals are numbered from 0 up to this; those of runs, of at most 10^12 games, are the first."""


@dataclass(frozen=True, eq=False)
class Plan:
    """What the tables need to know of a run.

    `names` are the strategies by bot number, each once. `seatings` is int64 (n, MAX_SEATS): the bot
    number by seat for each of the n games of a deal. `intervention` is one of
    setting.INTERVENTIONS. ValueError if a name stands there twice, or
    for a seed that is not 0 to 2^63-1.
    """

    rules: Rules
    board: Board
    names: tuple[str, ...]
    seatings: npt.NDArray[np.int64]
    seed: int
    design: str
    intervention: str = "none"

    def __post_init__(self) -> None:
        whole = isinstance(self.seed, int) and not isinstance(self.seed, bool)
        if not whole or not 0 <= self.seed <= MAX_SEED:
            raise ValueError(f"seed: {self.seed!r}; allowed: 0 to {MAX_SEED}")
        if len(set(self.names)) != len(self.names):
            raise ValueError(f"strategies are {list(self.names)}; allowed: every name once")


class Chunk(NamedTuple):
    """What kernels filled for consecutive whole games; the record types are in records.py.

    `games` GAME_ROW (n,), `seats` SEAT_ROW (n * players,) at row game * players + seat,
    `sequences` SEQUENCE_ROW and `jacks` JACK_ROW with absolute game numbers in the order of games,
    `spaces` int64 (MAX_SEATS, 100, 4): sums by bot and space.
    """

    first_game: int
    games: Array
    seats: Array
    sequences: Array
    jacks: Array
    spaces: npt.NDArray[np.int64]
