"""Ratings of strategies whose strength is not transitive: Nash averaging and alpha-rank.

Sources: Balduzzi, Tuyls, Perolat and Graepel, *Re-evaluating evaluation*, NeurIPS 2018; Omidshafiei
et al., *alpha-Rank: multi-agent evaluation by evolution*, Scientific Reports 9, 2019; a strictly
complementary solution, Goldman and Tucker 1956; elimination without subtraction, Grassmann, Taksar
and Heyman, Operations Research 33, 1985.
"""

import numpy as np
from scipy.linalg import null_space
from scipy.optimize import Bounds, linprog, minimize

from analysis.estimates import Array

INTENSITY = 100.0
"""Ranking intensity: at a score of 51 % a mutant is e times as likely to be copied as not."""

POPULATION = 50
"""Size of alpha-rank's population, as in the examples of the paper."""


def nash(log_odds: Array) -> Array:
    """Return the Nash equilibrium of greatest entropy, float64 (n,), of an antisymmetric matrix.

    `log_odds[i, j]` is what i gains on j. `log_odds @ nash(log_odds)` are the Nash ratings: 0 for
    those in the equilibrium, below 0 for those that do worse. Raises ValueError for a matrix that
    is not square, finite and antisymmetric.
    """
    _check_square(log_odds)
    if not np.allclose(log_odds, -np.swapaxes(log_odds, -1, -2), rtol=0, atol=1e-12):
        raise ValueError("log-odds: not antisymmetric; allowed: what i gains j loses")
    size = max(float(np.abs(log_odds).max()), 1e-300)
    chosen, mixture = _support(log_odds / size)
    inner = log_odds[np.ix_(chosen, chosen)] / size
    # Of few equilibria the usual case is one; then nothing is left to choose.
    if chosen.sum() > 1 and null_space(np.vstack([inner, np.ones(len(inner))]), 1e-9).size:
        mixture[chosen] = _most_even(inner, log_odds[np.ix_(~chosen, chosen)] / size)
    return mixture


def support(log_odds: Array) -> Array:
    """Return who is in the Nash equilibrium of greatest entropy, bool (n,); raises as `nash`."""
    _check_square(log_odds)
    return _support(log_odds / max(float(np.abs(log_odds).max()), 1e-300))[0]


def _support(gain: Array) -> tuple[Array, Array]:
    """Return who is in any equilibrium, and an equilibrium with all of them in it.

    In equilibrium p each i has p_i = 0 or (gain p)_i = 0, and some p has never both. Such a one
    makes the least of p - gain p as large as can be.
    """
    n = len(gain)
    best = np.flatnonzero((gain > 0).sum(1) == n - 1)
    if len(best):
        alone = np.arange(n) == best[0]
        return alone, alone.astype(np.float64)
    last = np.append(np.zeros(n), -1.0)
    above = np.block([[gain, np.zeros((n, 1))], [gain - np.eye(n), np.ones((n, 1))]])
    total = np.append(np.ones(n), 0.0)[None]
    limits = [(0, 1)] * n + [(None, None)]
    found = linprog(
        last, A_ub=above, b_ub=np.zeros(2 * n), A_eq=total, b_eq=np.ones(1), bounds=limits
    )
    mixture = np.asarray(found.x)[:n]
    chosen = mixture > -gain @ mixture
    inside = np.flatnonzero(chosen)
    # Sharpened: the solver is only exact to 1e-7.
    rows = np.vstack([gain[np.ix_(inside, inside)], np.ones(len(inside))])
    off = np.append(np.zeros(len(inside)), 1.0) - rows @ mixture[inside]
    mixture = np.where(chosen, mixture, 0.0)
    mixture[inside] += np.linalg.lstsq(rows, off, rcond=1e-9)[0]
    return chosen, mixture


def _most_even(inner: Array, outer: Array) -> Array:
    """Return the p of greatest entropy with inner @ p = 0 and outer @ p <= 0, from its dual."""
    rows = np.vstack([inner, outer])

    def dual(weights: Array) -> tuple[float, Array]:
        powers = -weights @ rows
        top = powers.max()
        parts = np.exp(powers - top)
        return float(top + np.log(parts.sum())), -(rows @ parts) / parts.sum()

    limits = Bounds(np.repeat([-np.inf, 0.0], [len(inner), len(outer)]), np.inf)
    found = minimize(
        dual,
        np.zeros(len(rows)),
        jac=True,
        bounds=limits,
        method="L-BFGS-B",
        options={"ftol": 1e-16, "gtol": 1e-12, "maxiter": 10_000, "maxfun": 100_000},
    )
    powers = -np.asarray(found.x) @ rows
    parts = np.exp(powers - powers.max())
    return np.asarray(parts / parts.sum())


def alpha_rank(payoffs: Array, intensity: float = INTENSITY, population: int = POPULATION) -> Array:
    """Return the masses, float64 (..., n), that a single population settles on.

    `payoffs[..., i, j]` is what i gets against j, such as its score (1/2 against itself). A mutant
    r takes over a population of s with the chance that their fitness and `intensity` give; the
    masses are the stationary distribution of the chain of such changes. It is found on the log
    scale without a subtraction, so any intensity is safe. Raises ValueError for other shapes,
    numbers that are not finite, an intensity below 0 and a population below 2.
    """
    _check_square(payoffs)
    if not 0 <= intensity < np.inf or population < 2:
        told = f"intensity {intensity}, population {population}"
        raise ValueError(f"{told}; allowed: from 0 on and finite; at least 2")
    return _stationary(np.swapaxes(_log_fixation(payoffs, intensity, population), -1, -2))


def _check_square(given: Array) -> None:
    if given.ndim < 2 or given.shape[-1] != given.shape[-2] or not given.size:
        raise ValueError(f"matrix: shape {given.shape}; allowed: square")
    if not np.isfinite(given).all():
        raise ValueError("matrix: not finite; allowed: finite numbers")


def _log_fixation(payoffs: Array, intensity: float, population: int) -> Array:
    """Log of the chance (..., r, s) that one r takes over a population of s.

    It is 1 / sum over l < m of exp(-intensity x sum over k <= l of lead(k)), lead(k) being what
    the fitness of r is above that of s where k of m are r; linear in k.
    """
    m, back = population, np.swapaxes(payoffs, -1, -2)
    own = np.diagonal(payoffs, axis1=-2, axis2=-1)
    mine, theirs = own[..., :, None], own[..., None, :]
    slope = intensity * (mine - payoffs - back + theirs) / (m - 1)
    start = intensity * (m * payoffs - mine - (m - 1) * theirs) / (m - 1)
    if np.abs(slope).max() * m < 1e-12:
        return _log_fixation_constant(start, m)
    total, power = np.zeros_like(slope), np.zeros_like(slope)
    for k in range(1, m):
        power = power - start - slope * k
        total = np.logaddexp(total, power)
    return np.asarray(-total)


def _log_fixation_constant(lead: Array, m: int) -> Array:
    """Return the same where the lead is one for all k, as for scores: a geometric series."""
    size = np.maximum(np.abs(lead), 1e-300)
    series = np.log(np.expm1(-m * size) / np.expm1(-size))
    return np.asarray(-np.maximum(0, -(m - 1) * lead) - series)


def _stationary(log_rates: Array) -> Array:
    """Stationary distribution of a chain from the logs of its rates (..., from, to)."""
    rates = log_rates.copy()
    n = rates.shape[-1]
    for k in range(n - 1, 0, -1):
        out = np.logaddexp.reduce(rates[..., k, :k], axis=-1)
        rates[..., :k, k] -= out[..., None]
        through = rates[..., :k, k, None] + rates[..., None, k, :k]
        rates[..., :k, :k] = np.logaddexp(rates[..., :k, :k], through)
    logs = np.zeros(rates.shape[:-1])
    for k in range(1, n):
        logs[..., k] = np.logaddexp.reduce(logs[..., :k] + rates[..., :k, k], axis=-1)
    parts = np.exp(logs - logs.max(-1, keepdims=True))
    return np.asarray(parts / parts.sum(-1, keepdims=True))
