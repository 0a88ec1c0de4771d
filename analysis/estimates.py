"""Estimates with honest intervals from sums that add up over the parts of a run.

Games of one deal are not independent, so the deal is the unit everywhere. A figure is a ratio of
sums R = sum(y) / sum(x) over deals, and all that its standard error needs are seven sums
(`moments`), which add over parts; memory is flat in the number of games.

Sources: linearised ratio estimator, Cochran, *Sampling Techniques*, 3rd ed. 1977, ch. 6; design
effect, Kish, *Survey Sampling*, 1965; score interval, Wilson, JASA 22, 1927; cluster-robust
covariance, Liang and Zeger, Biometrika 73, 1986; quantile interval, Woodruff, JASA 47, 1952;
Holm, Scand. J. Stat. 6, 1979; Benjamini and Hochberg, JRSS B 57, 1995.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

Array = NDArray[Any]

DEALS, GAMES, X, Y, XX, XY, YY = range(7)
"""Columns of an array of moments."""

WILSON = "Wilson, by deal"
LINEAR = "linearised, by deal"
CLUSTER_OLS = "OLS, by deal"
QUANTILE = "order statistics, by deal"
DIFFERENCE = "difference of two runs"
CANNOT_VARY = "cannot vary"
DID_NOT_VARY = "did not vary"
ONE_DEAL = "one deal"
TOO_FEW = "too few deals"
NO_DATA = "no data"
NOT_IDENTIFIED = "does not occur"
SUMS_ONLY = "sums only"

LARGE = 200
"""From this number of deals on, normal quantiles stand in for Student's."""

_NOISE = 1e-10
"""A variance below this share of its terms is what rounding leaves of zero."""


@dataclass(frozen=True)
class Estimate:
    """A figure with its 95 % interval.

    `low` and `high` are None where no interval can be had; `method` then says why. `error` is the
    standard error (0 where the figure cannot vary, None where it is unknown). `games` and `deals`
    count what the figure rests on.
    """

    value: float | None
    low: float | None
    high: float | None
    error: float | None
    games: int
    deals: int
    method: str

    @property
    def known(self) -> bool:
        """Whether there is an interval."""
        return self.low is not None and self.high is not None

    def affine(self, scale: float, shift: float = 0.0) -> "Estimate":
        """Return the estimate of `scale * value + shift`, for a scale above zero."""

        def move(number: float | None) -> float | None:
            return None if number is None else scale * number + shift

        return replace(
            self,
            value=move(self.value),
            low=move(self.low),
            high=move(self.high),
            error=None if self.error is None else scale * self.error,
        )


def moments(y: ArrayLike, x: ArrayLike, games: ArrayLike) -> Array:
    """Reduce sums by deal to the seven sums that an interval needs.

    `y` has shape (deals, K), `x` the same or (deals, 1), `games` (games of each deal) (deals,). A
    deal counts where its x is above zero. Returns float64 of shape (K, 7), columns deals, games,
    x, y, xx, xy, yy. Moments of two sets of deals add up.
    """
    y, x = np.atleast_2d(np.asarray(y, np.float64)), np.atleast_2d(np.asarray(x, np.float64))
    played = (x > 0).astype(np.float64)
    # einsum, as a matrix product would start the threads of the linear algebra library, which
    # takes longer than the sums where another run has the cores.
    columns = [
        np.einsum("dk->k", played),
        np.einsum("d,dk->k", np.asarray(games, np.float64), played),
        np.einsum("dk->k", x),
        np.einsum("dk->k", y),
        np.einsum("dk,dk->k", x, x),
        # An x that is one column for all is not spread out over them first.
        np.einsum("d,dk->k", x[:, 0], y) if x.shape[1] == 1 else np.einsum("dk,dk->k", x, y),
        np.einsum("dk,dk->k", y, y),
    ]
    return np.stack(np.broadcast_arrays(*columns), axis=1)


def quantile(deals: int) -> float:
    """97.5 % quantile: Student's t with `deals - 1` degrees of freedom, normal from 200 deals."""
    if deals < LARGE:
        return float(stats.t.ppf(0.975, deals - 1))
    return float(stats.norm.ppf(0.975))


def wilson(share: float, size: float, z: float) -> tuple[float, float]:
    """Return the score interval of a share among `size` (effective) trials (Wilson 1927)."""
    centre = (share + z * z / (2 * size)) / (1 + z * z / size)
    half = z / (1 + z * z / size) * np.sqrt(share * (1 - share) / size + (z / (2 * size)) ** 2)
    low = 0.0 if share <= 0 else max(0.0, float(centre - half))
    return low, 1.0 if share >= 1 else min(1.0, float(centre + half))


def standard_error(m: Array) -> float:
    """Linearised standard error of R = y / x, clustered by deal, of one row of moments.

    The variance is D / (D - 1) * sum((y - R x)^2) / sum(x)^2 over D deals; 0 if nothing varies.
    """
    ratio = m[Y] / m[X]
    squares = m[YY] - 2 * ratio * m[XY] + ratio * ratio * m[XX]
    if squares <= _NOISE * (m[YY] + ratio * ratio * m[XX]):
        return 0.0
    return float(np.sqrt(m[DEALS] / (m[DEALS] - 1) * squares) / m[X])


def mean(m: Array) -> Estimate:
    """Ratio y / x of one row of moments (shape (7,)) with a t interval."""
    return _estimate(m, bounded=False)


def proportion(m: Array) -> Estimate:
    """Ratio y / x between 0 and 1 (a share, a score) with Wilson's interval.

    The effective number of trials is n over Kish's design effect, that is R(1 - R) / error^2; at
    0 and 1, where no design effect can be seen, it is the number of deals.
    """
    return _estimate(m, bounded=True)


def _estimate(m: Array, bounded: bool) -> Estimate:
    deals, games = int(m[DEALS]), int(m[GAMES])
    if deals == 0:
        return Estimate(None, None, None, None, games, deals, NO_DATA)
    value = float(m[Y] / m[X])
    if deals == 1:
        return Estimate(value, None, None, None, games, deals, ONE_DEAL)
    error, z = standard_error(m), quantile(deals)
    if bounded:
        return share(value, error, games, deals)
    if error == 0:
        return Estimate(value, None, None, 0.0, games, deals, CANNOT_VARY)
    return Estimate(value, value - z * error, value + z * error, error, games, deals, LINEAR)


def share(value: float, error: float, games: int, deals: int) -> Estimate:
    """Share from 0 to 1 with this standard error over two deals or more, and Wilson's interval."""
    z = quantile(deals)
    if value <= 0 or value >= 1:
        return Estimate(value, *wilson(value, deals, z), error, games, deals, WILSON)
    if error == 0:
        return Estimate(value, None, None, 0.0, games, deals, CANNOT_VARY)
    low, high = wilson(value, value * (1 - value) / error**2, z)
    return Estimate(value, low, high, error, games, deals, WILSON)


def games_saved(m: Array, squares: float) -> float | None:
    """How many times as many independent games would give the same standard error.

    `m` is one row of moments whose x counts games, `squares` the sum of the squared outcomes of
    single games. This is one over the design effect (Kish 1965); None where nothing varies.
    """
    if m[DEALS] < 2:
        return None
    error = standard_error(m)
    independent = squares / m[X] - (m[Y] / m[X]) ** 2
    return float(independent / m[X] / error**2) if error > 0 and independent > 0 else None


def histogram_quantile(counts: Array, share: float) -> int:
    """Smallest value v with at least `share` of a histogram (counts of 0, 1, ...) at v or below."""
    total = np.cumsum(counts)
    # The slack keeps 0.5 * 10 from asking for a sixth of ten by rounding.
    return int(np.searchsorted(total, share * total[-1] * (1 - 1e-12)))


def quantile_estimate(counts: Array, share: float, games: int, deals: int) -> Estimate:
    """Quantile of a histogram with Woodruff's interval.

    Its position is taken as known no better than from one game a deal, which is cautious.
    """
    if games == 0:
        return Estimate(None, None, None, None, games, deals, NO_DATA)
    value = float(histogram_quantile(counts, share))
    if deals == 1:
        return Estimate(value, None, None, None, games, deals, ONE_DEAL)
    low, high = (
        float(histogram_quantile(counts, p)) for p in wilson(share, deals, quantile(deals))
    )
    return Estimate(value, low, high, None, games, deals, QUANTILE)


def p_value(estimate: Estimate, null: float) -> float:
    """Two-sided p of `estimate` being `null`; 1 where no standard error is known.

    A share of 0 or 1 shows no spread; it is held against that of `null` itself, one game a deal.
    """
    if estimate.value is None or estimate.error is None or estimate.deals < 2:
        return 1.0
    error = estimate.error
    if error == 0 and estimate.method == WILSON:
        error = float(np.sqrt(null * (1 - null) / estimate.deals))
    if error == 0:
        return 1.0
    score = abs(estimate.value - null) / error
    if estimate.deals < LARGE:
        return float(2 * stats.t.sf(score, estimate.deals - 1))
    return float(2 * stats.norm.sf(score))


def holm(p: ArrayLike) -> Array:
    """P-values adjusted for a family (Holm 1979): the chance of one false finding stays at 5 %."""
    p = np.asarray(p, np.float64)
    order = np.argsort(p, kind="stable")
    steps = np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(steps, 1)
    return adjusted


def benjamini_hochberg(p: ArrayLike) -> Array:
    """P-values adjusted for the share of false findings (Benjamini and Hochberg 1995)."""
    p = np.asarray(p, np.float64)
    order = np.argsort(p, kind="stable")[::-1]
    steps = np.minimum.accumulate(p[order] * p.size / np.arange(p.size, 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(steps, 1)
    return adjusted


def difference(a: Estimate, b: Estimate) -> Estimate:
    """Estimate a - b of two runs taken as independent.

    Where both played the same deals the truth is usually narrower.
    """
    games, deals = a.games + b.games, a.deals + b.deals
    if a.value is None or b.value is None:
        return Estimate(None, None, None, None, games, deals, NO_DATA)
    value = a.value - b.value
    if a.error is None or b.error is None:
        return Estimate(value, None, None, None, games, deals, SUMS_ONLY)
    error = float(np.hypot(a.error, b.error))
    if error == 0:
        return Estimate(value, None, None, 0.0, games, deals, CANNOT_VARY)
    half = quantile(min(a.deals, b.deals)) * error
    return Estimate(value, value - half, value + half, error, games, deals, DIFFERENCE)
