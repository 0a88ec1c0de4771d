"""Likelihood of pair results when the mean or the t-value of the pairs is given.

Two games on one deal, seats swapped, make a pair; its result is one of five (0, 1/2, 1, 3/2 or 2
points), its score half of that. All that is assumed about the five chances is the constraint
(the mean score, or its distance from 1/2 in standard deviations). Their maximum likelihood under it
is p_i = n_i / N / (1 + x d_i), where x makes sum(p_i d_i) zero: a tilt of the observed shares.

Sources: Owen, *Empirical Likelihood*, 2001, ch. 2 (the tilt); Van den Bergh, "Support for MLE of
multinomial distributions" and "Normalized Elo, practical" (fishtest), propositions 1.1 and 4.1.

Everything works on many count vectors at once: counts have shape (..., K), K equally spaced scores
from 0 to 1 (5 for pairs, 3 for single games).
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[Any]

EMPTY = 1e-3
"""What an empty cell counts, in pairs.

The likelihood has a limit as this goes to 0: a result never seen may have any chance that the
constraint asks for. A little mass keeps the tilt off the pole where that limit lies, so that all
wins or all draws need no case of their own. A thousandth (fishtest's figure) moves log-likelihood
ratios by less than 0.01.
"""

_STEPS = 200
_CLOSE = 1e-9
"""Likelihoods are flat at their maximum: this error of a tilt is squared in them."""
_NEAR_POLE, _ROUNDING = 1e-5, 1e-15
"""Error of a tilt as a share of its distance from a pole, and what rounding leaves of one."""
_TOUCHING = 1e-8
"""The same for where a plane touches."""


def pair_scores(results: int = 5) -> Array:
    """Return the scores that belong to `results` counts: float64, equally spaced from 0 to 1."""
    return np.linspace(0.0, 1.0, results)


def filled(counts: ArrayLike) -> Array:
    """Return counts as float64 with `EMPTY` in the cells that are empty.

    Raises ValueError for counts below 0 and for less than two cells.
    """
    found = np.asarray(counts, np.float64)
    if found.ndim == 0 or found.shape[-1] < 2 or np.any(found < 0):
        raise ValueError("counts: at least two numbers of 0 or more")
    return np.where(found == 0, EMPTY, found)


Constraint = Callable[[Array], Array]
"""Turns filled counts into values, of their shape, whose mean the constraint makes zero."""


def mean_is(score: float) -> Constraint:
    """Constraint that the mean is `score`; ValueError unless that is above 0 and below 1."""
    if not 0 < score < 1:
        raise ValueError(f"score {score}: above 0 and below 1")
    return lambda weights: np.broadcast_to(pair_scores(weights.shape[-1]) - score, weights.shape)


def t_is(t: float) -> Constraint:
    """Constraint that the mean is 1/2 plus `t` standard deviations, per pair for counts of pairs.

    The values depend on the counts: they are those of the most likely chances.
    """
    return lambda weights: _t_deviation(weights, t)


def fit(counts: ArrayLike, constraint: Constraint) -> Array:
    """Most likely chances under a constraint: float64 of the shape of counts."""
    weights = filled(counts)
    return _fit(weights, constraint(weights))


def log_likelihood(counts: ArrayLike, constraint: Constraint) -> Array:
    """Log-likelihood under a constraint, less that of the observed shares: float64 (...)."""
    weights = filled(counts)
    deviation = constraint(weights)
    tilt = _solve(weights, deviation)[..., None]
    return np.asarray(-(weights * np.log1p(tilt * deviation)).sum(-1))


def _t_deviation(weights: Array, t: float) -> Array:
    """Values whose mean is zero under the most likely chances with t-value `t`.

    With b the score less 1/2, the constraint is E b = u sqrt(E b^2), u = t / sqrt(1 + t^2). As
    sqrt(q) is the least of (k + q / k) / 2 over k, E[b - u (k + b^2 / k) / 2] = 0 is a plane that
    touches it at k = sqrt(E b^2). Fit under the plane, move k to where it should touch, repeat:
    for t > 0 each fit lies on the allowed side of the next plane, so there always is one.
    """
    shape, rows = weights.shape, weights.reshape(-1, weights.shape[-1])
    b = pair_scores(shape[-1]) - 0.5
    u = t / np.sqrt(1 + t * t)
    # From the outermost result on: a plane touching nearer in has no fit where t is above 2.8.
    touch = np.full(len(rows), np.abs(b).max())
    going = np.arange(len(rows))
    for _ in range(_STEPS):
        before = touch[going]
        touch[going] = np.sqrt(_fit(rows[going], _plane(b, u, before)) @ (b * b))
        going = going[np.abs(touch[going] - before) > _TOUCHING * before]
        if not going.size:
            break
    return _plane(b, u, touch).reshape(shape)


def _plane(b: Array, u: float, touch: Array) -> Array:
    k = touch[:, None]
    return np.asarray(b - u * (k + b * b / k) / 2)


def _fit(weights: Array, deviation: Array) -> Array:
    tilt = _solve(weights, deviation)[..., None]
    return np.asarray(weights / weights.sum(-1, keepdims=True) / (1 + tilt * deviation))


def _solve(weights: Array, deviation: Array) -> Array:
    """Root x of sum(w d / (1 + x d)), which falls between its poles -1 / max(d), -1 / min(d).

    Newton's method, and bisection where it would leave the bracket. Rows that are done drop out.
    """
    shape, cells = weights.shape[:-1], weights.shape[-1]
    w, d = weights.reshape(-1, cells), deviation.reshape(-1, cells)
    low, high = -1 / d.max(1), -1 / d.min(1)
    x = np.zeros(len(w))
    rows = np.arange(len(w))
    for _ in range(_STEPS):
        share = d / (1 + x[rows, None] * d)
        value = np.einsum("ij,ij->i", w, share)
        slope = -np.einsum("ij,ij,ij->i", w, share, share)
        low, high = np.where(value > 0, x[rows], low), np.where(value > 0, high, x[rows])
        new = x[rows] - value / slope
        new = np.where((new > low) & (new < high), new, (low + high) / 2)
        # Next to a pole a chance is a weight over what is left to it, which must be known too.
        left = _NEAR_POLE * np.minimum(new + 1 / d.max(1), -1 / d.min(1) - new)
        close = np.minimum(_CLOSE * np.minimum(1, np.abs(new)), left)
        going = np.abs(new - x[rows]) > np.maximum(close, _ROUNDING * np.abs(new))
        x[rows] = new
        if not going.any():
            break
        rows, w, d, low, high = rows[going], w[going], d[going], low[going], high[going]
    return x.reshape(shape)
