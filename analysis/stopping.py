"""What a sequential test says beyond its verdict: how strong, and beforehand how long.

The log-likelihood ratio of a test is taken as Brownian motion between its bounds. As it is looked
at once a pair it overshoots them by 0.583 standard deviations of a pair on average, so the bounds
are moved out by that (Siegmund, *Sequential Analysis*, 1985, ch. 10). A test that stopped early did
so because luck and strength pointed the same way; the estimate orders what could have come out,
from a fast pass over slow ones and undecided tests to a fast fail, and takes the strengths under
which the outcome is in the middle, or at the ends, of that order (Siegmund, Biometrika 65, 1978;
Van den Bergh for fishtest). The middle one is median-unbiased.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.integrate import quad
from scipy.optimize import brentq

from analysis.brownian import leaves, mean_time, stays_below
from analysis.elo import (
    ELO_PER_SD,
    GAMES_OF_PAIR,
    ONE_SIDED,
    elo,
    score_of_elo,
    score_of_pairs,
)
from analysis.estimates import NO_DATA, Estimate
from analysis.pair_likelihood import fit, mean_is
from analysis.sequential import (
    ACCEPTS_ELO0,
    ACCEPTS_ELO1,
    SequentialTest,
    State,
    mean_and_variance,
    walk,
)

Array = NDArray[Any]

STOPPED = "corrected for stopping"

OVERSHOOT = 0.583
"""Mean overshoot of a normal random walk in standard deviations of a step."""

FAR = 5.0
"""Standard deviations that the ratio has come, from which on the stop does not bias the score.

If the drift alone takes z standard deviations to the bound, the time of the stop varies by 1/z of
itself and the plain score is off by at most 1/z of its standard error; luck alone comes as far
once in a million tests. Simulated, both ways hold between 4 and 6 (tests/experiments,
test_calibration).
"""

_MANY = 1e6
"""Pairs that chances are taken for, so that filling empty cells does not change them."""

_EDGE = 1e-6
"""How near to 0 and 1 scores are searched."""


def stopped_score(test: SequentialTest, state: State) -> Estimate:
    """Score after a test: median-unbiased, with a 95 % interval; no standard error.

    Holds for a test that is undecided, or still goes on, as well as for one that stopped. An end
    is 0 or 1 where no score is too extreme. Without pairs there is no value. Far from the bounds
    it is the score of the pairs, as if their number had been fixed, which `method` says.
    """
    if state.pairs == 0:
        return Estimate(None, None, None, None, 0, 0, NO_DATA)
    plain = score_of_pairs(state.counts)
    if plain.known and distance(test, state) >= FAR:
        return plain
    value, low, high = (_score_at(test, state, chance) for chance in (0.5, 0.975, 0.025))
    return Estimate(value, low, high, None, GAMES_OF_PAIR * state.pairs, state.pairs, STOPPED)


def stopped_elo(test: SequentialTest, state: State) -> Estimate:
    """Return the logistic Elo of `stopped_score`; ends without an Elo are None (see `elo`)."""
    return elo(stopped_score(test, state))


def stopped_normalized_elo(test: SequentialTest, state: State) -> Estimate:
    """Return the normalized Elo of `stopped_score`: of the most likely chances with each score."""
    score = stopped_score(test, state)

    def move(end: float | None) -> float | None:
        if end is None or not 0 < end < 1:
            return None
        _, variance = mean_and_variance(_MANY * fit(state.counts, mean_is(end)))
        return ELO_PER_SD * (end - 0.5) / float(np.sqrt(GAMES_OF_PAIR * variance))

    low, high = move(score.low), move(score.high)
    bounded = score.known and (low is None or high is None)
    method = ONE_SIDED if bounded else score.method
    return replace(score, value=move(score.value), low=low, high=high, method=method)


def chance_of_worse(test: SequentialTest, state: State, score: float) -> float:
    """Chance that a test of players with this true score comes out worse for A than `state` did.

    Results are taken to have the most likely chances with that score, given the counts.
    """
    upper, lower, drift, sd = _strip(test, fit(state.counts, mean_is(score)))
    if state.verdict == ACCEPTS_ELO1:
        return 1 - leaves(upper, lower, drift, state.pairs)
    fails = leaves(lower, upper, -drift, state.pairs)
    if state.verdict == ACCEPTS_ELO0:
        return fails
    return fails + stays_below(state.ratio / sd, upper, lower, drift, state.pairs)


def distance(test: SequentialTest, state: State) -> float:
    """How far the ratio has come, in the standard deviations of as many pairs as it took."""
    _, sd = walk(test, state.counts)
    return abs(state.ratio) / max(sd * float(np.sqrt(state.pairs)), 1e-300)


def _score_at(test: SequentialTest, state: State, chance: float) -> float:
    """Score under which a worse outcome has `chance`; 0 or 1 if none is that extreme."""

    def excess(score: float) -> float:
        return chance_of_worse(test, state, score) - chance

    if excess(_EDGE) <= 0:
        return 0.0
    if excess(1 - _EDGE) >= 0:
        return 1.0
    return float(brentq(excess, _EDGE, 1 - _EDGE, xtol=1e-7))


def _strip(test: SequentialTest, chances: ArrayLike) -> tuple[float, float, float, float]:
    """Bounds with the overshoot, and drift, in standard deviations of a pair; and that."""
    drift, sd = walk(test, chances)
    return test.upper / sd + OVERSHOOT, -test.lower / sd + OVERSHOOT, drift / sd, sd


@dataclass(frozen=True)
class Duration:
    """How long a test is going to take, in pairs, and how it may end (chances)."""

    mean: float
    median: float
    high: float
    """Nineteen tests of twenty are over by then."""
    elo1: float
    undecided: float


def duration(test: SequentialTest, chances: ArrayLike) -> Duration:
    """Foretell a test whose pair results have these chances (shape (5,), any scale).

    Wald's and Siegmund's formulas for Brownian motion; cut off at `max_pairs` if there is one.
    """
    upper, lower, drift, _ = _strip(test, chances)
    end = np.inf if test.max_pairs is None else float(test.max_pairs)

    def going(pairs: float) -> float:
        return 1 - leaves(upper, lower, drift, pairs) - leaves(lower, upper, -drift, pairs)

    mean = mean_time(upper, lower, drift)
    if np.isfinite(end):
        mean = _mean_until(going, mean, end)
    left = going(end) if np.isfinite(end) else 0.0
    median, high = (min(end, _when(going, share, mean)) for share in (0.5, 0.05))
    return Duration(mean, median, high, leaves(upper, lower, drift, end), max(0.0, left))


def _mean_until(going: Callable[[float], float], mean: float, end: float) -> float:
    """Mean of the smaller of a time with this chance of being survived, and `end`."""
    # Beyond 40 means nothing is left that a quadrature could miss.
    last = min(end, 40 * mean)
    return float(quad(going, 0, last, limit=200, points=[min(last, mean) / 2])[0])


def _when(going: Callable[[float], float], share: float, mean: float) -> float:
    """Time when no more than `share` of tests still go on."""
    last = mean
    while going(last) > share:
        last *= 2
    return float(brentq(lambda pairs: going(pairs) - share, 0, last, xtol=1e-3))


def chances_at(test: SequentialTest, elo_difference: float, counts: ArrayLike) -> Array:
    """Chances of pair results with this Elo, as near as can be to those of a pilot.

    `counts` are the pilot's, shape (5,), and the Elo is in the unit of the test. The shares are
    tilted as the likelihood of the test does.
    """
    chances = test.fit(counts, elo_difference)
    return np.asarray(chances / chances.sum())


def independent_chances(elo_difference: float, draws: float) -> Array:
    """Chances of pair results if games were independent and `draws` of them drawn, shape (5,).

    Raises ValueError where so many draws do not leave room for the Elo difference.
    """
    score = score_of_elo(elo_difference)
    room = 2 * min(score, 1 - score)
    if not 0 <= draws <= room:
        raise ValueError(f"draws {draws}: 0 to {room:.4g} at {elo_difference:g} Elo")
    game = np.array([1 - score - draws / 2, draws, score - draws / 2])
    return np.convolve(game, game)
