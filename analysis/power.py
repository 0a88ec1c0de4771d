"""How many games a wish needs, and what a number of games can tell.

A pilot says how much the figure varies from deal to deal; everything follows from that. Independent
games (a deal each) would need `saved` times as many: one over the design effect (Kish 1965).
Small numbers of deals use Student's t, for power the noncentral one (Cohen, *Statistical Power
Analysis*, 2nd ed. 1988, ch. 2).

Units: `sd` is the standard deviation of the figure on one deal, so that n deals have the standard
error sd / sqrt(n); wishes have the unit of the figure (points of score, unless said otherwise).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from scipy.optimize import brentq

from analysis.elo import elo_of_score
from analysis.estimates import DEALS, GAMES, LARGE, X, Y, quantile, standard_error

Array = NDArray[Any]

MOST_DEALS = 10**12
"""A wish that needs more is refused."""

LEAST_ALPHA = 1e-6
"""Tests at a lower level are refused: nobody checks tails of noncentral t further out."""

_FEWEST = 2

_FAR = 6.0
"""Effects of more standard errors are never found with the wrong sign (chance below 1e-9)."""


@dataclass(frozen=True)
class Pilot:
    """What a figure is and how it varies: its mean, `sd` by deal, games of a deal.

    `game_sd` is the standard deviation of the figure over single games, None where unknown.
    """

    mean: float
    sd: float
    games_of_deal: float
    game_sd: float | None = None

    @property
    def saved(self) -> float | None:
        """How many times as many independent games tell as much; None where that is unknown."""
        if self.game_sd is None or self.sd <= 0 or self.game_sd <= 0:
            return None
        return (self.game_sd / self.sd) ** 2 / self.games_of_deal


@dataclass(frozen=True)
class Need:
    """Deals and games that a wish takes, and games if each had a deal of its own."""

    deals: int
    games: int
    unpaired: int | None


def pilot(m: Array, squares: float | None = None) -> Pilot:
    """Read a pilot from one row of moments (`analysis.estimates.moments`), shape (7,).

    `squares` is the sum of squared outcomes of single games, where x counts games; with it the gain
    of pairing is known. Raises ValueError below two deals.
    """
    if m[DEALS] < _FEWEST:
        raise ValueError(f"a pilot of {int(m[DEALS])} deals: {_FEWEST} or more")
    mean = float(m[Y] / m[X])
    game_sd = None if squares is None else float(np.sqrt(max(0.0, squares / m[X] - mean**2)))
    sd = standard_error(m) * float(np.sqrt(m[DEALS]))
    return Pilot(mean, sd, float(m[GAMES] / m[DEALS]), game_sd)


def of_difference(a: Pilot, b: Pilot, correlation: float = 0.0) -> Pilot:
    """Pilot of a - b where both are played on the same deals and correlate by deal.

    Games are those of both. `game_sd` is that of a game of each, independent. Raises ValueError for
    a correlation outside of -1 to 1.
    """
    if not -1 <= correlation <= 1:
        raise ValueError(f"correlation {correlation}: -1 to 1")
    variance = a.sd**2 + b.sd**2 - 2 * correlation * a.sd * b.sd
    games = a.games_of_deal + b.games_of_deal
    single = None
    if a.game_sd is not None and b.game_sd is not None:
        # Half of the games go to each arm, so a game's share of the variance is twice the sum.
        single = float(np.sqrt(2 * (a.game_sd**2 + b.game_sd**2)))
    return Pilot(a.mean - b.mean, float(np.sqrt(max(0.0, variance))), games, single)


def need_for_width(source: Pilot, half_width: float) -> Need | None:
    """Fewest deals whose 95 % interval reaches no further than `half_width` either way.

    None if no deal of the pilot differed from another, which cannot tell. Raises ValueError unless
    half_width is above 0 and the deals can be played.
    """
    _check_positive("half-width", half_width)
    return _need(source, lambda sd, deals: half_width_of(sd, deals) <= half_width)


def need_for_effect(
    source: Pilot, effect: float, power: float = 0.8, alpha: float = 0.05
) -> Need | None:
    """Fewest deals whose two-sided test at `alpha` finds `effect` with the chance `power`.

    None as in `need_for_width`. Raises ValueError unless effect is above 0, and for chances that
    `_check_chances` refuses.
    """
    _check_positive("effect", effect)
    _check_chances(power, alpha)
    return _need(source, lambda sd, deals: power_of(sd, deals, effect, alpha) >= power)


def need_for_elo(source: Pilot, half_width: float) -> Need | None:
    """Fewest deals whose Elo interval is 2 `half_width` Elo wide, at the pilot's score.

    Raises ValueError for a score of 0 or 1, where Elo has no width.
    """
    _check_positive("half-width", half_width)
    return need_for_width(source, score_width(source.mean, half_width))


def score_width(score: float, elo_half_width: float) -> float:
    """Half-width of a score's interval whose Elo interval is 2 `elo_half_width` wide."""
    elo_of_score(score)  # says what is wrong with 0 and 1

    def excess(half: float) -> float:
        return elo_of_score(score + half) - elo_of_score(score - half) - 2 * elo_half_width

    room = min(score, 1 - score)
    return float(brentq(excess, 1e-12 * room, room * (1 - 1e-12)))


def half_width_of(sd: float, deals: int) -> float:
    """Half-width of the 95 % interval after so many deals (2 or more)."""
    return quantile(deals) * sd / float(np.sqrt(deals))


def power_of(sd: float, deals: int, effect: float, alpha: float = 0.05) -> float:
    """Chance that so many deals (2 or more) find `effect` by a two-sided test at `alpha`."""
    if sd <= 0:
        return 1.0
    away = abs(effect) / sd * float(np.sqrt(deals))
    if deals >= LARGE:
        z = stats.norm.isf(alpha / 2)
        return float(stats.norm.sf(z - away) + stats.norm.cdf(-z - away))
    t = stats.t.isf(alpha / 2, deals - 1)
    with catch_warnings():
        simplefilter("ignore", RuntimeWarning)  # scipy warns where its tails turn nan
        wrong = stats.nct.cdf(-t, deals - 1, away) if away < _FAR else 0.0
        right = stats.nct.sf(t, deals - 1, away)
    # Finding it with the wrong sign: there less than a rounding, or than alpha / 2.
    wrong = wrong if np.isfinite(wrong) else 0.0
    return float(right + wrong) if np.isfinite(right) else _power_far(t, deals, away)


def _power_far(t: float, deals: int, away: float) -> float:
    """Noncentral t beyond scipy's reach: the normal approximation of Johnson and Kotz (1970)."""
    f = deals - 1
    z = (t * (1 - 1 / (4 * f)) - away) / np.sqrt(1 + t * t / (2 * f))
    return float(stats.norm.sf(z))


def detectable(sd: float, deals: int, power: float = 0.8, alpha: float = 0.05) -> float:
    """Smallest effect that so many deals (2 or more) find with the chance `power`.

    Raises ValueError for chances that `_check_chances` refuses.
    """
    _check_chances(power, alpha)
    if sd <= 0:
        return 0.0
    most = sd
    while power_of(sd, deals, most, alpha) < power:
        most *= 2
    return float(brentq(lambda effect: power_of(sd, deals, effect, alpha) - power, 0, most))


def _need(source: Pilot, enough: Callable[[float, int], bool]) -> Need | None:
    if source.sd <= 0:
        return None
    deals = _fewest(lambda n: enough(source.sd, n))
    unpaired = None
    if source.game_sd is not None:
        game_sd = source.game_sd
        unpaired = _fewest(lambda n: enough(game_sd, n))
    return Need(deals, int(np.ceil(deals * source.games_of_deal)), unpaired)


def _fewest(enough: Callable[[int], bool]) -> int:
    """Smallest number of 2 or more that is enough, if every larger one is."""
    high = _FEWEST
    while not enough(high):
        high *= 2
        if high > MOST_DEALS:
            raise ValueError(f"more than {MOST_DEALS:.0e} deals: wish for less")
    low = max(_FEWEST - 1, high // 2)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _check_chances(power: float, alpha: float) -> None:
    if not LEAST_ALPHA <= alpha < power < 1:
        raise ValueError(f"power {power}, alpha {alpha}: {LEAST_ALPHA:g} <= alpha < power < 1")


def _check_positive(what: str, number: float) -> None:
    if not (np.isfinite(number) and number > 0):
        raise ValueError(f"{what} {number}: a number above 0")
