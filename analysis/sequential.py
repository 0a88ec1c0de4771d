"""Is A better than B? A sequential test on pairs of games that may be looked at after every pair.

The generalized sequential probability ratio test (GSPRT) adds up how much likelier the results are
if A is `elo1` stronger than if it is `elo0` stronger, and stops at the first pair at which that
log-likelihood ratio leaves its bounds. Pairs count in the order of their deals, so that the stop
depends neither on threads nor on how many pairs were played at once.

Sources: Wald, *Sequential Analysis*, 1947 (bounds); Li, Liu and Ying, *Stat. Sinica* 24, 2014
(GSPRT); Van den Bergh's notes for fishtest (five pair results, normalized Elo). Wald's bounds
ignore that the ratio overshoots them. They are left so: where steps are large enough for that to
matter, simulated errors come up to beta already, as the variance is only estimated (elo0 0, elo1
150, alpha and beta 5 %: 3.8 and 5.0 %), and moving the bounds inward would break the promise.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.elo import ELO_PER_SD, GAMES_OF_PAIR, score_of_elo
from analysis.pair_likelihood import (
    Constraint,
    filled,
    fit,
    log_likelihood,
    mean_is,
    pair_scores,
    t_is,
)

Array = NDArray[Any]

RESULTS = 5
"""Results of a pair: 0, 1/2, 1, 3/2, 2 points."""

MOST_ELO = 1000
"""Elo, either way, that a test may be about: 99.7 % of the points; beyond, chances round to 1."""

NEAREST = 0.01
"""Least Elo between the two: some 10^10 games would tell them apart, and nearer ones never."""

LEAST_ERROR = 1e-6
"""Least alpha and beta: fewer errors could not be told from those of the approximations."""

GOES_ON, ACCEPTS_ELO0, ACCEPTS_ELO1, UNDECIDED = "goes on", "elo0", "elo1", "undecided"

_MANY = 1e6
"""Pairs that chances are taken for, so that filling empty cells does not change them."""

_CHUNK = 4096
"""Pairs that are looked at together; more would be looked at in vain where the test stops soon."""


@dataclass(frozen=True)
class SequentialTest:
    """Test of `elo0` against `elo1`, both from -1000 to 1000 and `NEAREST` or more apart.

    `alpha` is the chance to accept elo1 where elo0 is true, `beta` that to accept elo0 where elo1
    is true. Elo is logistic, or normalized if so said. After `max_pairs` (None: never) a test that
    has not stopped is undecided. Raises ValueError for what makes no test.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05
    normalized: bool = False
    max_pairs: int | None = None

    def __post_init__(self) -> None:
        if not all(abs(elo) <= MOST_ELO for elo in (self.elo0, self.elo1)):
            raise ValueError(
                f"elo0 {self.elo0}, elo1 {self.elo1}: two numbers from -{MOST_ELO} to {MOST_ELO}"
            )
        if not self.elo1 - self.elo0 >= NEAREST:
            raise ValueError(
                f"elo0 {self.elo0}, elo1 {self.elo1}: elo0 below elo1 by {NEAREST} or more"
            )
        if not all(LEAST_ERROR <= error < 0.5 for error in (self.alpha, self.beta)):
            raise ValueError(
                f"alpha {self.alpha}, beta {self.beta}: from {LEAST_ERROR:f} to below 0.5"
            )
        if self.max_pairs is not None and self.max_pairs < 1:
            raise ValueError(f"max_pairs {self.max_pairs}: 1 or more")

    @property
    def lower(self) -> float:
        """Log-likelihood ratio at which elo0 is accepted."""
        return float(np.log(self.beta / (1 - self.alpha)))

    @property
    def upper(self) -> float:
        """Log-likelihood ratio at which elo1 is accepted."""
        return float(np.log((1 - self.beta) / self.alpha))

    def ratio(self, counts: ArrayLike) -> Array:
        """Generalized log-likelihood ratio of counts of pair results, (..., 5): float64, (...)."""
        under0, under1 = (
            log_likelihood(counts, self._constraint(elo)) for elo in (self.elo0, self.elo1)
        )
        return under1 - under0

    def steps(self, chances: ArrayLike) -> Array:
        """Return what each result adds to the ratio if these are its chances: float64, shape (5,).

        To first order the ratio is a random walk with these steps: the logarithm of how much
        likelier the result is under elo1 than under elo0, both fitted to the chances.
        """
        under0, under1 = (self.fit(chances, elo) for elo in (self.elo0, self.elo1))
        return np.asarray(np.log(under1) - np.log(under0))

    def fit(self, counts: ArrayLike, elo: float) -> Array:
        """Most likely chances if A is `elo` stronger, in the unit of the test: shape of counts."""
        return fit(counts, self._constraint(elo))

    def scores(self, counts: ArrayLike) -> tuple[float, float]:
        """Scores that elo0 and elo1 stand for; normalized Elo is turned by the pairs' spread."""
        if not self.normalized:
            return score_of_elo(self.elo0), score_of_elo(self.elo1)
        _, variance = mean_and_variance(counts)
        sd = float(np.sqrt(variance))
        return 0.5 + sd * self._t(self.elo0), 0.5 + sd * self._t(self.elo1)

    def verdict(self, ratio: float, pairs: int) -> str:
        """Return GOES_ON, ACCEPTS_ELO0, ACCEPTS_ELO1 or, at the last pair, UNDECIDED."""
        if ratio >= self.upper:
            return ACCEPTS_ELO1
        if ratio <= self.lower:
            return ACCEPTS_ELO0
        return UNDECIDED if self.max_pairs is not None and pairs >= self.max_pairs else GOES_ON

    def _constraint(self, elo: float) -> Constraint:
        """Return what an Elo says of the five chances."""
        return t_is(self._t(elo)) if self.normalized else mean_is(score_of_elo(elo))

    def _t(self, elo: float) -> float:
        """T-value of a pair: it has sqrt(2) times that of a game."""
        return elo / ELO_PER_SD * float(np.sqrt(GAMES_OF_PAIR))


@dataclass(frozen=True)
class State:
    """Where a test stands: counts of the pair results that it has used, the ratio, the verdict."""

    counts: tuple[int, ...] = (0,) * RESULTS
    ratio: float = 0.0
    verdict: str = GOES_ON

    @property
    def pairs(self) -> int:
        """Pairs that the test has used."""
        return sum(self.counts)


def advance(test: SequentialTest, state: State, results: ArrayLike) -> State:
    """Look at further pairs, one after the other, and stop where the test stops.

    `results` has integers 0 to 4, half points of each pair, shape (N,), in the order of deals.
    Those after the stop are ignored. Raises ValueError for other results.
    """
    found = np.asarray(results, np.int64)
    if found.ndim != 1 or np.any((found < 0) | (found >= RESULTS)):
        raise ValueError(f"results: one row of integers from 0 to {RESULTS - 1}")
    if test.max_pairs is not None:
        found = found[: max(0, test.max_pairs - state.pairs)]
    for start in range(0, len(found), _CHUNK):
        if state.verdict != GOES_ON:
            break
        state = _look(test, state, found[start : start + _CHUNK])
    return state


def _look(test: SequentialTest, state: State, results: Array) -> State:
    seen = np.zeros((len(results), RESULTS), np.int64)
    seen[np.arange(len(results)), results] = 1
    counts = np.asarray(state.counts) + seen.cumsum(0)
    ratios = test.ratio(counts)
    out = np.flatnonzero((ratios >= test.upper) | (ratios <= test.lower))
    last = int(out[0]) if out.size else len(results) - 1
    row, ratio = tuple(int(count) for count in counts[last]), float(ratios[last])
    return State(row, ratio, test.verdict(ratio, sum(row)))


def mean_and_variance(counts: ArrayLike) -> tuple[float, float]:
    """Mean and variance of a pair's score from counts or chances, shape (K,), empty cells filled.

    Filled cells keep the variance above 0.
    """
    weights = filled(counts)
    scores = pair_scores(weights.size)
    shares = weights / weights.sum()
    mean = float(shares @ scores)
    return mean, float(shares @ (scores - mean) ** 2)


def walk(test: SequentialTest, chances: ArrayLike) -> tuple[float, float]:
    """Drift and standard deviation per pair of the ratio where results have these chances."""
    weights = np.asarray(chances, np.float64)
    shares = weights / weights.sum()
    steps = test.steps(_MANY * shares)
    drift = float(shares @ steps)
    return drift, float(np.sqrt(shares @ (steps - drift) ** 2))
