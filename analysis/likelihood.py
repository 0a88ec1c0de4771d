"""Maxima of concave likelihoods, their intervals by deal, and whether there is a maximum at all.

Sources: sandwich, Liang and Zeger, Biometrika 73, 1986; likelihood scaled to the variance by
cluster, Chandler and Bate, Biometrika 94, 2007; existence of a maximum, Albert and Anderson,
Biometrika 71, 1984, by linear programming as Konis, thesis, Oxford 2007; who can be compared with
whom, Ford, Am. Math. Monthly 64, 1957.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.optimize import linprog
from scipy.sparse import csgraph

from analysis.estimates import Array


class Terms(NamedTuple):
    """Log-likelihood, its gradient (k,) and information (k, k), which has an inverse."""

    value: float
    gradient: Array
    information: Array


Likelihood = Callable[[Array], Terms]

_CLOSE = 1e-9
"""A step of Newton's method that gains less log-likelihood is the last: the next gains nothing."""

_LONGEST = 5.0
"""No step moves a parameter, on its natural log scale, by more than this."""

_SHORTEST = 1e-9
"""Where no step longer than this gains, rounding hides what there is to gain."""


def maximum(likelihood: Likelihood, start: Array, along: Array | None = None) -> Array:
    """Return where a concave likelihood with a maximum has it, by Newton's method with halving.

    With a contrast `along` (k,) the maximum is among those with its value at the start.
    """
    here, now = start, likelihood(start)
    for _ in range(60):
        step = _step(now, along)
        if step @ now.information @ step < _CLOSE and np.abs(step).max() < _LONGEST:
            return here + step
        ahead = likelihood(here + step)
        slack = 1e-13 * abs(now.value)  # of rounding
        while ahead.value < now.value - slack:
            if np.abs(step).max() < _SHORTEST:
                return here
            step = step / 2
            ahead = likelihood(here + step)
        here, now = here + step, ahead
    return here


def _step(now: Terms, along: Array | None) -> Array:
    # Far out a likelihood is flat to the last digit: the ridge and the limit keep steps finite.
    k = len(now.gradient)
    ridge = now.information + np.eye(k) * (1e-13 * np.trace(now.information) / k + 1e-200)
    if along is None:
        step = np.linalg.solve(ridge, now.gradient)
    else:
        both = np.linalg.solve(ridge, np.stack([now.gradient, along], axis=1))
        step = both[:, 0] - both[:, 1] * (along @ both[:, 0]) / (along @ both[:, 1])
    return np.asarray(step * min(1.0, _LONGEST / max(float(np.abs(step).max()), 1e-300)))


def sandwich(information: Array, meat: Array) -> Array:
    """Covariance of the estimates by cluster, from the summed squares of the clusters' scores."""
    bread = np.linalg.inv(information)
    return np.asarray(bread @ meat @ bread)


def interval(
    likelihood: Likelihood, best: Array, contrast: Array, variance: float, z: float
) -> tuple[float, float]:
    """Return the ends of the interval of `contrast @ parameters`, which is not symmetric.

    The profile likelihood is stretched so that its curvature at the maximum `best` is one over
    `variance`, that by cluster; the ends are where it has fallen by z^2 / 2.
    """
    top = likelihood(best)
    direction = np.linalg.solve(top.information, contrast)
    model, middle = float(contrast @ direction), float(contrast @ best)

    def fallen(width: float) -> float:
        start = best + direction * (width / model)
        value = likelihood(maximum(likelihood, start, contrast)).value
        return float(np.sqrt(max(0.0, 2 * (top.value - value) * model / variance)))

    reach = z * float(np.sqrt(variance))
    return middle + _reached(fallen, -reach, z), middle + _reached(fallen, reach, z)


def _reached(fallen: Callable[[float], float], width: float, z: float) -> float:
    """Secant search: the root of the fall is nearly a line through zero."""
    last, at_last = 0.0, 0.0
    for _ in range(15):
        at = fallen(width)
        if abs(at - z) < 1e-7 * z or at == at_last:
            break
        ahead = width + (z - at) * (width - last) / (at - at_last)
        last, at_last, width = width, at, float(np.clip(ahead / width, 0.25, 4)) * width
    return width


def separated(rows: Array) -> bool:
    """Whether some direction makes what was seen ever more likely, so that there is no maximum.

    A row (k,) of `rows` is how much more likely, on the log scale, a step in each parameter makes
    what was seen than something else that could have been seen in its place.
    """
    if not rows.any():
        return False
    gain = rows.sum(0)
    distinct = np.unique(rows, axis=0)
    found = linprog(-gain, A_ub=-distinct, b_ub=np.zeros(len(distinct)), bounds=(-1, 1))
    return bool(gain @ found.x > 1e-7)


def groups(scored: Array) -> Array:
    """Return a number (n,) of each one's group, inside which ratings are finite.

    `scored[i, j]`: whether i ever won or drew against j. In a group each can be reached from each.
    """
    found = csgraph.connected_components(sparse.csr_array(scored), connection="strong")
    return np.asarray(found[1])


def reached(scored: Array, members: Array) -> Array:
    """Who (n,) of all can be reached from the members (bool (n,)) by steps of `scored`."""
    seen = members.copy()
    while True:
        more = seen | scored[seen].any(0)
        if (more == seen).all():
            return np.asarray(seen)
        seen = more
