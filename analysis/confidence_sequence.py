"""An interval for the mean score that holds at all times at once.

A 95 % interval that is looked at again and again misses the truth sooner or later. This one is
1.7 to 1.8 times as wide, and with a chance of 95 % never misses it, however long and why ever one
goes on or stops. It assumes only that scores lie between 0 and 1 and that all
pairs have the same mean.

To reject the mean m, bet on it: someone who stakes a share on each pair scoring more than m keeps
an expected wealth of at most 1 if the mean is m or less, and reaches 1 / a with a chance of at
most a, ever (Ville). The wealth is shared among bettors with many stakes, of whom one does nearly
as well as the best stake would. Means at which nobody has got rich make up the interval. The
wealth depends on the counts of results alone, so neither their order nor the sizes of batches
matter.

Source: Waudby-Smith and Ramdas, "Estimating means of bounded random variables by betting", JRSS B
86, 2024, section 4 (wealth), Robbins, Ann. Math. Stat. 41, 1970 (mixture).
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq
from scipy.special import logsumexp

from analysis.estimates import NO_DATA, Estimate
from analysis.pair_likelihood import pair_scores

Array = NDArray[Any]

ANYTIME = "confidence sequence"

LEVEL = 0.95

_FINEST, _BOLDEST, _STAKES = 3e-3, 0.9, 24
"""Stakes as a share of what may be staked: those that are best for 20 to a million pairs."""


def _stakes() -> Array:
    return np.geomspace(_FINEST, _BOLDEST, _STAKES)


def log_wealth(counts: ArrayLike, mean: ArrayLike) -> Array:
    """Logarithm of the wealth of those who bet that the mean is above `mean`.

    `counts` has shape (..., K), of K equally spaced scores from 0 to 1; `mean`, above 0 and below
    1, broadcasts against (...). Falls as `mean` rises. Counts reversed and 1 - mean give the wealth
    of those who bet on less. Returns float64.
    """
    found = np.asarray(counts, np.float64)
    mean = np.asarray(mean, np.float64)[..., None, None]
    stakes = _stakes()[:, None]
    gains = np.log1p(stakes * (pair_scores(found.shape[-1]) / mean - 1))
    logs = np.einsum("...k,...sk->...s", found, gains)
    return np.asarray(logsumexp(logs, axis=-1) - np.log(_STAKES))


def covers(counts: ArrayLike, mean: float, level: float = LEVEL) -> Array:
    """Whether the interval after these counts, (..., K), holds `mean`: bool of shape (...)."""
    rich = np.log(2 / (1 - level))
    found = np.asarray(counts)
    above, below = log_wealth(found, mean), log_wealth(found[..., ::-1], 1 - mean)
    return np.asarray((above < rich) & (below < rich))


class ConfidenceSequence:
    """Interval for the mean score of pairs, told of results batch by batch.

    `results` equally spaced scores from 0 to 1 are possible, 5 for pairs. Raises ValueError for a
    `level` outside of (0, 1).
    """

    def __init__(self, level: float = LEVEL, results: int = 5) -> None:
        if not 0 < level < 1:
            raise ValueError(f"level {level}: above 0 and below 1")
        self.level = level
        self.counts: Array = np.zeros(results, np.int64)

    def update(self, counts: ArrayLike) -> None:
        """Add counts of results, shape (K,). Raises ValueError for another shape or below 0."""
        found = np.asarray(counts)
        if found.shape != self.counts.shape or np.any(found < 0):
            raise ValueError(f"counts: {self.counts.size} numbers of 0 or more")
        self.counts = self.counts + found

    def interval(self) -> tuple[float, float]:
        """Return the ends of the interval, (0, 1) before the first pair."""
        low = _lower(self.counts, self.level)
        return low, 1 - _lower(self.counts[::-1], self.level)

    def estimate(self, games: int) -> Estimate:
        """Mean score with this interval, of so many `games`; there is no standard error."""
        pairs = int(self.counts.sum())
        if pairs == 0:
            return Estimate(None, None, None, None, games, 0, NO_DATA)
        value = float(self.counts @ pair_scores(self.counts.size) / pairs)
        return Estimate(value, *self.interval(), None, games, pairs, ANYTIME)


def _lower(counts: Array, level: float) -> float:
    """Largest mean below that of the counts at which those who bet on more are rich."""
    rich = float(np.log(2 / (1 - level)))
    mean = float(counts @ pair_scores(counts.size)) / max(1, int(counts.sum()))
    least = 1e-12

    def excess(m: float) -> float:
        return float(log_wealth(counts, m)) - rich

    # At the observed mean a bet on more has not gained: the logarithm is concave.
    if mean <= least or excess(least) <= 0:
        return 0.0
    return float(brentq(excess, least, min(mean, 1 - least), xtol=1e-9))
