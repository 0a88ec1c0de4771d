"""How many games two unequal players must play until the better one is ahead.

Being ahead is having more points. Its chance is exact: the distribution of the sum of n pairs is
the n-th power of the transform of one pair's, and beyond some length the normal distribution, with
a correction for the lattice of half points, says the same.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from analysis.pair_likelihood import pair_scores

Array = NDArray[Any]

EXACT = 20_000
"""Up to so many pairs chances are exact; the normal distribution is within 1e-4 from there on."""

MOST = 10**9
"""Players who need more pairs are taken for equals."""


def chance_ahead(chances: ArrayLike, pairs: int) -> float:
    """Chance that A has more points than B after `pairs` pairs.

    `chances` are of A's results in a pair, shape (K,), of equally spaced scores from 0 to 1, at any
    scale. Raises ValueError for less than one pair or chances below 0.
    """
    shares = _shares(chances)
    if pairs < 1:
        raise ValueError(f"pairs {pairs}: 1 or more")
    return _exact(shares, pairs) if pairs <= EXACT else _normal(shares, pairs)


def pairs_until_ahead(chances: ArrayLike, level: float = 0.95) -> int | None:
    """Fewest pairs after which A is ahead with the chance `level`, and one pair later too.

    (Where pairs are won or lost outright, even numbers may tie and odd ones may not.) None if A is
    not the better one, or by so little that `MOST` pairs do not tell. Raises ValueError for a level
    outside of (1/2, 1).
    """
    shares = _shares(chances)
    if not 0.5 < level < 1:
        raise ValueError(f"level {level}: above 0.5 and below 1")
    if shares @ pair_scores(shares.size) <= 0.5:
        return None

    def enough(pairs: int) -> bool:
        return min(chance_ahead(shares, pairs), chance_ahead(shares, pairs + 1)) >= level

    high = 1
    while not enough(high):
        high *= 2
        if high > MOST:
            return None
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _shares(chances: ArrayLike) -> Array:
    found = np.asarray(chances, np.float64)
    if found.ndim != 1 or found.size < 2 or np.any(found < 0) or not found.sum() > 0:
        raise ValueError("chances: one row of at least two numbers of 0 or more, not all 0")
    return np.asarray(found / found.sum())


def _exact(shares: Array, pairs: int) -> float:
    steps = (shares.size - 1) * pairs
    size = 1 << steps.bit_length()
    sums = np.fft.irfft(np.fft.rfft(shares, size) ** pairs, size)[: steps + 1]
    return float(np.clip(sums[steps // 2 + 1 :].sum(), 0, 1))


def _normal(shares: Array, pairs: int) -> float:
    steps = np.arange(shares.size)
    mean = shares @ steps
    sd = np.sqrt(shares @ (steps - mean) ** 2 * pairs)
    tie = (shares.size - 1) / 2 * pairs
    if sd == 0:
        return float(mean * pairs > tie)
    # Sums that occur are `lattice` apart; the least that is ahead begins half of that before it.
    least, lattice = steps[shares > 0][0], np.gcd.reduce(np.diff(steps[shares > 0]))
    ahead = least * pairs + lattice * (np.floor((tie - least * pairs) / lattice) + 1)
    return float(stats.norm.sf((ahead - lattice / 2 - mean * pairs) / sd))
