"""What the questions need to know of a run besides its tables, taken from its manifest."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from analysis.estimates import Array
from simcore.board import CORNERS, SPACE_NAMES, lines

CORNER_NAMES = [SPACE_NAMES[corner] for corner in CORNERS]


@dataclass(frozen=True)
class Setting:
    """Rules, board and strategies of a run, read-only."""

    manifest: Mapping[str, Any]

    @property
    def rules(self) -> Mapping[str, Any]:
        """Every rule by its field name."""
        rules: Mapping[str, Any] = self.manifest["rules"]
        return rules

    @property
    def players(self) -> int:
        """Seats at the table."""
        return int(self.rules["players"])

    @property
    def teams(self) -> int:
        """Teams at the table; seat i plays for team i mod teams."""
        return int(self.rules["teams"])

    @property
    def free_corners(self) -> bool:
        """Whether corners count as everybody's own (rules 8.1)."""
        return bool(self.rules["free_corners"])

    @property
    def design(self) -> str:
        """How games of one deal differ: rotate, swap or none."""
        return str(self.manifest["design"])

    @cached_property
    def strategies(self) -> list[str]:
        """Names of the strategies, each once, in the order they were given."""
        return list(dict.fromkeys(self.manifest["strategies"]))

    @cached_property
    def cards(self) -> list[str]:
        """Card on each space in reading order, "**" in the corners."""
        return [str(card) for row in self.manifest["board"] for card in row]

    @cached_property
    def lines(self) -> Array:
        """Spaces (0 to 99, reading order) of every line, in line order; int64 (lines, length)."""
        return lines(int(self.rules["line_length"])).spaces.astype(np.int64)

    @cached_property
    def corner_lines(self) -> int:
        """How many lines run through a corner."""
        return int(np.isin(self.lines, CORNERS).any(axis=1).sum())


def codes(column: "pd.Series[Any]", names: list[str]) -> Array:
    """Turn a column of names into their positions in `names`, as int64.

    Categories may come in any order; a name that is not in `names` is a ValueError.
    """
    categorical = column.astype("category").cat
    numbers = categorical.codes.to_numpy()
    places = {name: i for i, name in enumerate(names)}
    lookup = [places.get(str(category), -1) for category in categorical.categories]
    for number, place in enumerate(lookup):
        if place < 0 and (numbers == number).any():
            unknown = categorical.categories[number]
            raise ValueError(f"column {column.name} holds {unknown!r}, not one of {names}")
    # An empty column has no category at all, and an empty lookup could not be indexed.
    return np.array([*lookup, -1], dtype=np.int64)[numbers]
