"""Two teams: the games of a pairing as a histogram of deals.

A deal is played twice, each team starting once, so it ends in one of nine patterns. How often each
came is all that scores, ratings and bootstraps need, and integers add up exactly: nothing depends
on the order in which strategies, pairings or deals are named.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from analysis.estimates import Array, Estimate, moments, proportion

LOSS, DRAW, WIN = range(3)


class Pairing(NamedTuple):
    """Two strategies and what came of their deals.

    `outcomes` is an integer array (deals, 2) of results of `a` (2 won, 1 drawn, 0 lost): in the
    game that its team starts, and in the one that the team of `b` starts.
    """

    a: str
    b: str
    outcomes: ArrayLike


@dataclass(frozen=True, eq=False)
class Field:
    """Strategies by name, sorted, and `patterns`, int64 (n, n, 3, 3).

    `patterns[i, j, p, q]` counts deals in which i had result p against j in the game it started,
    and q in the game that j started. Both orders of a pair are there. `common` has (i, j, outcomes)
    of every pairing if all of them played the same deals, in the same order; it is empty if not.
    """

    names: tuple[str, ...]
    patterns: Array
    common: tuple[tuple[int, int, Array], ...] = ()

    @property
    def deals(self) -> Array:
        """Deals of each pair, int64 (n, n)."""
        return np.asarray(self.patterns.sum((2, 3)))

    @property
    def starts(self) -> Array:
        """Results of i in games that it started against j, int64 (n, n, 3)."""
        return np.asarray(self.patterns.sum(3))

    def basis(self, deals: Array) -> tuple[int, int]:
        """Return games and distinct deals of pairings, given the deals of each."""
        return 2 * int(deals.sum()), int(deals.max(initial=0) if self.common else deals.sum())


def histogram(outcomes: ArrayLike) -> Array:
    """Count the nine patterns of `outcomes`, integers 0 to 2 of shape (deals, 2): int64 (3, 3).

    Raises ValueError for another shape, type or result.
    """
    found = np.asarray(outcomes)
    if found.ndim != 2 or found.shape[1] != 2 or found.dtype.kind not in "iu":
        raise ValueError(f"outcomes: {found.dtype} {found.shape}; allowed: integers (deals, 2)")
    if found.size and (found.min() < 0 or found.max() > 2):
        raise ValueError(f"outcomes: {found.min()} to {found.max()}; allowed: 0, 1, 2")
    pattern = found[:, 0].astype(np.int64) * 3 + found[:, 1]
    return np.bincount(pattern, minlength=9).reshape(3, 3).astype(np.int64)


def turned(patterns: Array) -> Array:
    """Return histograms (..., 3, 3) as the other strategy sees them."""
    return np.asarray(np.swapaxes(patterns, -1, -2)[..., ::-1, ::-1])


def common_field(pairings: Iterable[Pairing]) -> Field:
    """Reduce pairings that all played the same deals, in order, each pair once.

    Raises ValueError as `field` does, and for pairings of different length.
    """
    given = [Pairing(a, b, np.asarray(outcomes)) for a, b, outcomes in pairings]
    if len({len(np.asarray(outcomes)) for _, _, outcomes in given}) > 1:
        raise ValueError("pairings: of different length; allowed: the same deals for all")
    made = field(given)
    index = {name: i for i, name in enumerate(made.names)}
    common = tuple((index[a], index[b], np.asarray(each)) for a, b, each in given)
    return replace(made, common=common)


def field(pairings: Iterable[Pairing]) -> Field:
    """Reduce pairings to a field; a pair may come in parts, in either order.

    Raises ValueError for outcomes that are not allowed and for a strategy against itself, which is
    one game twice.
    """
    return from_histograms((a, b, histogram(outcomes)) for a, b, outcomes in pairings)


def from_histograms(found: Iterable[tuple[str, str, Array]]) -> Field:
    """Make a field of pairs (a, b, int64 (3, 3) as `histogram` makes them)."""
    counted = list(found)
    names = tuple(sorted({name for a, b, _ in counted for name in (a, b)}))
    index = {name: i for i, name in enumerate(names)}
    patterns = np.zeros((len(names), len(names), 3, 3), np.int64)
    for a, b, counts in counted:
        if a == b:
            raise ValueError(f"pairing: {a} against itself; allowed: two strategies")
        patterns[index[a], index[b]] += counts
        patterns[index[b], index[a]] += turned(counts)
    return Field(names, patterns)


def pattern_moments(patterns: Array, values: Array) -> Array:
    """Moments of analysis.estimates, float64 (..., 7), of a figure that patterns decide.

    `values` (3, 3) is the figure summed over the two games of a deal with that pattern.
    """
    deals = patterns.sum((-2, -1)).astype(np.float64)
    y, yy = ((patterns * power).sum((-2, -1)) for power in (values, values**2))
    return np.stack([deals, 2 * deals, 2 * deals, y, 4 * deals, 2 * y, yy], axis=-1)


POINTS = np.add.outer(np.arange(3), np.arange(3)) / 2
"""Score of the first strategy, summed over the two games of a pattern."""

STARTER = np.subtract.outer(np.arange(3), np.arange(3)) / 2 + 1
"""Score of the starting team, summed likewise."""

DRAWN = np.add.outer([0.0, 1.0, 0.0], [0.0, 1.0, 0.0])
"""Games drawn of a pattern."""


def overall(field: Field, values: Array) -> Estimate:
    """Mean over all games of a figure between 0 and 1 that is the same seen from both sides."""
    if field.common:
        summed = np.sum([values[tuple(each.T)] for _, _, each in field.common], axis=0)
        games = np.full(len(summed), 2 * len(field.common))
        return proportion(moments(summed[:, None], games[:, None], games)[0])
    upper = field.patterns[np.triu_indices(len(field.names), 1)]
    return proportion(pattern_moments(upper, values).sum(0))
