"""Differences by deal of two arms that played the same deals, and what the pairing saved.

A figure is a ratio R = sum(y) / sum(x) over deals. Its influence in deal d is u = (y - R x) times
D / sum(x), so that the variance of R over D deals is sum(u^2) / (D (D - 1)); for a difference of
figures, and for any sum of them, it is that of the difference of influences deal by deal.

Source: linearised ratio estimator, Cochran, *Sampling Techniques*, 3rd ed. 1977, ch. 6.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from analysis.estimates import (
    DID_NOT_VARY,
    LINEAR,
    NO_DATA,
    ONE_DEAL,
    Array,
    Estimate,
    quantile,
    share,
)

PAIRED = "difference by deal"
APART = "difference of other deals"

PAYS = 1.2
"""Games saved below which a pairing did not pay."""

_NOISE = 1e-10
"""A variance below this share of its terms is what rounding leaves of zero."""


@dataclass(frozen=True, eq=False)
class Figure:
    """A figure of one arm: its value, and its influence in each deal, float64 (deals,).

    `value` is None where nothing was counted.
    """

    value: float | None
    influence: Array
    games: int

    @property
    def deals(self) -> int:
        """Deals that it rests on."""
        return len(self.influence)

    @property
    def variance(self) -> float:
        """Variance of the value; 0 where nothing varies, or with one deal."""
        if self.deals < 2:
            return 0.0
        found = float(np.var(self.influence, ddof=1)) / self.deals
        scale = (self.value or 0.0) ** 2 + 1.0
        return 0.0 if found <= _NOISE**2 * scale else found

    def estimate(self, method: str = LINEAR) -> Estimate:
        """Return the value with a t interval over deals."""
        return _estimate(self.value, self.variance, self.deals, self.games, method)

    def share(self, most: float = 1.0) -> Estimate:
        """Return a value from 0 to `most` with Wilson's interval, which stays between them."""
        if self.value is None or self.deals < 2:
            return self.estimate()
        # Rounding leaves a share of all a little off.
        value = float(np.clip(self.value / most, 0, 1))
        value = round(value) if abs(value - round(value)) < _NOISE else value
        error = float(np.sqrt(self.variance)) / most
        return share(value, error, self.games, self.deals).affine(most)

    def scaled(self, factor: float, shift: float = 0.0) -> "Figure":
        """Return the figure times a factor, plus a constant."""
        value = None if self.value is None else self.value * factor + shift
        return Figure(value, self.influence * factor, self.games)


def figure(y: Array, x: Array, games: int) -> Figure:
    """Return the ratio of sums by deal, y and x float64 (deals,); `games` are those behind it."""
    total = float(x.sum())
    if total <= 0:
        return Figure(None, np.zeros(len(y)), games)
    value = float(y.sum()) / total
    return Figure(value, (y - value * x) * (len(y) / total), games)


def saved_games(found: Figure, squares: float) -> float | None:
    """How many times as many independent games would give the same interval of a mean.

    `squares` is the sum of the squared outcomes of its single games; None where nothing varies.
    """
    if found.value is None or found.variance <= 0 or found.games == 0:
        return None
    single = squares / found.games - found.value**2
    return float(single / (found.games * found.variance))


@dataclass(frozen=True)
class Difference:
    """A difference of two figures, with what pairing them by deal was worth.

    `correlation` is that of their influences and `saved` how many times as many games on
    independent deals would give the same interval; both None where the deals are not the same
    ones, or where a figure cannot vary.
    """

    estimate: Estimate
    correlation: float | None
    saved: float | None


def difference(a: Figure, b: Figure, paired: bool) -> Difference:
    """Return a - b; `paired` says that row by row they stand for the same deals."""
    games = a.games + b.games
    if a.value is None or b.value is None:
        deals = min(a.deals, b.deals)
        return Difference(Estimate(None, None, None, None, games, deals, NO_DATA), None, None)
    value, apart = a.value - b.value, a.variance + b.variance
    if not paired:
        deals = min(a.deals, b.deals)
        return Difference(_estimate(value, apart, deals, games, APART), None, None)
    both = Figure(value, a.influence - b.influence, games)
    estimate = both.estimate(PAIRED)
    if min(a.variance, b.variance, both.variance) <= 0:
        return Difference(estimate, None, None)
    correlation = (apart - both.variance) / (2 * np.sqrt(a.variance * b.variance))
    return Difference(estimate, float(correlation), float(apart / both.variance))


def mean_figure(figures: Sequence[Figure], paired: bool) -> Figure:
    """Return the mean of figures, of the same deals if paired, else as if each had its own."""
    known = [f for f in figures if f.value is not None]
    games = sum(f.games for f in known)
    if not known:
        return Figure(None, np.zeros(0), 0)
    value = sum(f.value or 0.0 for f in known) / len(known)
    if paired:
        return Figure(value, np.mean([f.influence for f in known], axis=0), games)
    # Deals put end to end: each figure's influence weighs as its share of the mean.
    deals = sum(f.deals for f in known)
    parts = [f.influence * (deals / (f.deals * len(known))) for f in known]
    return Figure(value, np.concatenate(parts), games)


def _estimate(
    value: float | None, variance: float, deals: int, games: int, method: str
) -> Estimate:
    if value is None:
        return Estimate(None, None, None, None, games, deals, NO_DATA)
    if deals < 2:
        return Estimate(value, None, None, None, games, deals, ONE_DEAL)
    if variance <= 0:
        return Estimate(value, None, None, 0.0, games, deals, DID_NOT_VARY)
    error = float(np.sqrt(variance))
    half = quantile(deals) * error
    return Estimate(value, value - half, value + half, error, games, deals, method)
