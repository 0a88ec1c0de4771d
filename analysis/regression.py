"""Least squares with standard errors clustered by deal, from sums that add up over parts.

Every deal g gives u_g = X_g' y_g and A_g = X_g' X_g. The slopes b need only their totals, and the
sandwich of Liang and Zeger (Biometrika 73, 1986), sum of (u_g - A_g b)(u_g - A_g b)', is a form
in b over the second moments of (u_g, A_g): a small matrix whatever the number of deals.
"""

import numpy as np

from analysis.estimates import (
    CANNOT_VARY,
    CLUSTER_OLS,
    NO_DATA,
    NOT_IDENTIFIED,
    TOO_FEW,
    Array,
    Estimate,
    quantile,
)


def regression_moments(xx: Array, xy: Array) -> Array:
    """Second moments of (1, u_g, A_g) over deals, for p columns the first of which is constant.

    `xx` has shape (deals, p, p), `xy` (deals, p), float64. Returns (1 + p + p*p) squared; entry
    [0, 0] counts the deals with any row. Moments of two sets of deals add up.
    """
    deals, p = xy.shape
    flat = np.concatenate([np.ones((deals, 1)), xy, xx.reshape(deals, p * p)], axis=1)
    flat[xx[:, 0, 0] == 0] = 0
    return np.asarray(flat.T @ flat)


def slopes(second: Array, p: int, games: int) -> list[Estimate]:
    """Slope of each column but the constant, with t intervals, from `regression_moments`.

    A column that never varies (no such jack was dealt) has no slope: its method says
    "does not occur". With no more deals than columns no interval is given.
    """
    deals = int(second[0, 0])
    if deals == 0:
        return [_without(None, games, deals, NO_DATA)] * (p - 1)
    kept = _varying(second, p)
    found = dict(zip(kept, _fit(second, p, kept, games), strict=True))
    return [found.get(j, _without(None, games, deals, NOT_IDENTIFIED)) for j in range(1, p)]


def _without(value: float | None, games: int, deals: int, method: str) -> Estimate:
    return Estimate(value, None, None, None, games, deals, method)


def _varying(second: Array, p: int) -> list[int]:
    """Return the columns that can have a slope: each adds to the rank of those before."""
    xx = second[0, 1 + p :].reshape(p, p)
    kept = [0]
    for j in range(1, p):
        trial = np.ix_([*kept, j], [*kept, j])
        if np.linalg.matrix_rank(xx[trial], hermitian=True) == len(kept) + 1:
            kept.append(j)
    return kept[1:]


def _fit(second: Array, p: int, kept: list[int], games: int) -> list[Estimate]:
    columns = [0, *kept]
    deals, rows, q = int(second[0, 0]), second[0, 1 + p], len(columns)
    xx = second[0, 1 + p :].reshape(p, p)[np.ix_(columns, columns)]
    bread = np.linalg.inv(xx)
    beta = bread @ second[0, 1 : 1 + p][columns]
    if deals <= q:
        return [_without(float(b), games, deals, TOO_FEW) for b in beta[1:]]
    meat = _meat(second, p, columns, beta)
    # The usual small-sample factor, as in Stata and statsmodels.
    factor = deals / (deals - 1) * (rows - 1) / (rows - q)
    variances = np.diag(bread @ meat @ bread) * factor
    return [
        _interval(float(b), float(v), games, deals)
        for b, v in zip(beta[1:], variances[1:], strict=True)
    ]


def _meat(second: Array, p: int, columns: list[int], beta: Array) -> Array:
    """Sum of the outer products of u_g - A_g b, through the linear map that makes it of (u, A)."""
    form = np.zeros((len(columns), second.shape[0]))
    for i, row in enumerate(columns):
        form[i, 1 + row] = 1
        form[i, [1 + p + row * p + column for column in columns]] = -beta
    return np.asarray(form @ second @ form.T)


def _interval(value: float, variance: float, games: int, deals: int) -> Estimate:
    # Outcomes are of order one, so a variance this small is rounding.
    if variance < 1e-20:
        return Estimate(value, None, None, 0.0, games, deals, CANNOT_VARY)
    error = float(np.sqrt(variance))
    half = quantile(deals) * error
    return Estimate(value, value - half, value + half, error, games, deals, CLUSTER_OLS)
