"""Elo of the strategies of a tournament of two teams, from Davidson's model.

Elo is 400 log10 of the odds of a team's strength (`analysis.davidson`): without draws it is the
Elo of the score; with many it is further from 0, as a score near 1/2 then tells of more strength.
Pairings on the same deals are summed up by deal (`patterns.common_field`): games of strategies
that play alike are alike there. Other pairings are taken as independent.

A strategy that won all its games against those it could be compared with, or lost them all, gets
no value but a bound: the Elo at which the end of Wilson's interval of its score would be expected.
"""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

from analysis.davidson import Fit, fit
from analysis.estimates import CANNOT_VARY, ONE_DEAL, Array, Estimate, quantile, wilson
from analysis.likelihood import interval
from analysis.patterns import DRAWN, LOSS, STARTER, WIN, Field, overall
from analysis.ranking import ANCHOR, LONE, NO_TERM, UNBEATEN, WINLESS, chance, members, order, word

ELO = float(400 / np.log(10))
"""Elo of one natural log of odds."""

PROFILE = "profile likelihood, by deal"
DELTA = "linearised, by deal"
_NOTHING = 1e-12
"""A variance by deal below this share of the model's is what rounding leaves of zero."""


@dataclass(frozen=True)
class Rating:
    """A strategy's Elo; `value` is None where there is only a bound, `low` or `high`.

    `elo.method` says how it was got or why there is none. `better` is the chance (0 to 1) that it
    is better than the next in rank, None where nothing tells.
    """

    name: str
    elo: Estimate
    better: float | None


@dataclass(frozen=True)
class Ratings:
    """Ratings from best to worst, and what all games share.

    Elo is relative to `anchor`, or to the mean of those rated if that is None. `seat` is what
    starting is worth in Elo, `seat_score` the score of the starting team between equals less 1/2,
    both by the model; `starter` is the plain mean score of starting teams, `drawn` the share of
    games drawn, `nu` the model's parameter of draws. `model` names the model that the data allowed.
    """

    ratings: tuple[Rating, ...]
    anchor: str | None
    seat: Estimate
    seat_score: Estimate
    starter: Estimate
    drawn: Estimate
    nu: float
    model: str


@dataclass(frozen=True, eq=False)
class _Core:
    """The strategies that can be rated: their places in the field, the fit, the zero of Elo.

    `lone` says that nobody is there to rate the only one against, and no anchor was named.
    """

    field: Field
    members: Array
    fit: Fit
    zero: Array
    lone: bool

    def contrast(self, place: int) -> Array:
        """Return what turns parameters into the strength of a member above the zero."""
        return np.append((self.members == place) * 1.0, [0.0, 0.0]) - self.zero


def ratings(field: Field, anchor: str | None = None) -> Ratings:
    """Rate a field; raises ValueError for an anchor that is not in it, and for no games.

    Rated are those with the anchor, or else the most, of whom each can be reached from each by
    wins and draws (Ford 1957); the others get bounds.
    """
    if anchor is not None and anchor not in field.names:
        raise ValueError(f"anchor: {anchor}; allowed: one of {', '.join(field.names)}")
    if not field.patterns.any():
        raise ValueError("games: none; allowed: at least one")
    scored = np.asarray(field.starts[..., [1, 2]].any(2) | field.starts[..., [0, 1]].any(2).T)
    place = None if anchor is None else field.names.index(anchor)
    core = _core(field, members(scored, field.deals.sum(1), place), place)
    places = list(range(len(field.names)))
    elo = {place: _elo(core, place, scored) for place in places}
    ranked = sorted(places, key=lambda place: order(elo[place], field.names[place]))
    followers, seat = [*ranked[1:], None], _seat(core)
    return Ratings(
        tuple(
            Rating(field.names[place], elo[place], _better(core, elo, place, after))
            for place, after in zip(ranked, followers, strict=True)
        ),
        anchor,
        seat,
        _seat_score(core, seat),
        overall(field, STARTER),
        overall(field, DRAWN),
        core.fit.nu,
        core.fit.model,
    )


def _core(field: Field, rated: Array, anchor: int | None) -> _Core:
    zero = np.full(len(rated), 1 / len(rated)) if anchor is None else (rated == anchor) * 1.0
    patterns = field.patterns[np.ix_(rated, rated)]
    at = {int(place): i for i, place in enumerate(rated)}
    common = [(at[i], at[j], each) for i, j, each in field.common if i in at and j in at]
    lone = anchor is None and len(rated) == 1
    return _Core(field, rated, fit(patterns, common), np.append(zero, [0.0, 0.0]), lone)


def _elo(core: _Core, place: int, scored: Array) -> Estimate:
    games, deals = core.field.basis(core.field.deals[place])
    if place in core.members:
        if core.contrast(place).any():
            return _profiled(core, core.contrast(place), games, deals)
        return Estimate(0.0, None, None, 0.0, games, deals, LONE if core.lone else ANCHOR)
    met = bool(core.field.deals[place, core.members].any())
    told = word(scored, core.members, met, place)
    bound = ELO * _bound(core, place, told == UNBEATEN) if met else None
    low, high = bound if told == UNBEATEN else None, bound if told == WINLESS else None
    return Estimate(None, low, high, None, games, deals, told)


def _profiled(core: _Core, contrast: Array, games: int, deals: int) -> Estimate:
    """Estimate, in Elo, of a contrast of the parameters, and what it rests on."""
    fit = core.fit
    value = float(contrast @ fit.best)
    variance = float(contrast @ fit.covariance @ contrast)
    information = fit.likelihood(fit.best).information
    model = float(contrast @ np.linalg.solve(information, contrast))
    if deals < 2:
        return Estimate(value, None, None, None, games, deals, ONE_DEAL).affine(ELO)
    if variance <= _NOTHING * model:
        found = Estimate(value, None, None, 0.0, games, deals, CANNOT_VARY)
        return found.affine(ELO)
    low, high = interval(fit.likelihood, fit.best, contrast, variance, quantile(deals))
    error = float(np.sqrt(variance))
    return Estimate(value, low, high, error, games, deals, PROFILE).affine(ELO)


def _met(core: _Core, place: int) -> tuple[Array, Array]:
    """Games (2, k) of a place against the members, and the seat's part in its lead in each."""
    deals = core.field.deals[place, core.members]
    seat = core.fit.best[-2]
    return np.stack([deals, deals]), np.repeat([[seat], [-seat]], len(core.members), axis=1)


def _bound(core: _Core, place: int, won: bool) -> float:
    """Strength above the zero, in natural logs, at which the bound of the score is expected."""
    games, seat = _met(core, place)
    strengths = core.fit.best[:-2]
    _, deals = core.field.basis(games[0])
    share = wilson(1.0, deals, quantile(max(deals, 2)))[0]
    share = share if won else 1 - share

    def short(strength: float) -> float:
        expected = core.fit.score(strength - strengths + seat)
        return float((games * expected).sum() / games.sum() - share)

    reach = 60 + abs(core.fit.best[-2])
    return float(brentq(short, strengths.min() - reach, strengths.max() + reach)) - float(
        core.zero @ core.fit.best
    )


def _better(core: _Core, elo: dict[int, Estimate], place: int, after: int | None) -> float | None:
    """Chance that a place is better than the one after it."""
    if after is None:
        return None
    fewest = min(core.field.basis(core.field.deals[each])[1] for each in (place, after))
    if place in core.members and after in core.members:
        contrast = core.contrast(place) - core.contrast(after)
        variance = float(contrast @ core.fit.covariance @ contrast)
        return chance(float(contrast @ core.fit.best), variance, fewest)
    words = {elo[place].method, elo[after].method}
    if UNBEATEN in words and after in core.members:
        return chance(_root(core, place, after, WIN), 1.0, fewest)
    if WINLESS in words and place in core.members:
        return chance(_root(core, after, place, LOSS), 1.0, fewest)
    return None


def _root(core: _Core, place: int, equal: int, result: int) -> float:
    """Signed root of the likelihood ratio of always `result` against being equal to a member.

    One game a deal is counted, as it is where a score of 0 or 1 shows no spread.
    """
    games, seat = _met(core, place)
    strength = core.fit.best[int(np.searchsorted(core.members, equal))]
    half = (strength - core.fit.best[:-2] + seat) / 2 * (1 if result == WIN else -1)
    log_nu = np.log(core.fit.nu) if core.fit.nu > 0 else -np.inf
    logs = half - np.logaddexp(np.logaddexp(half, -half), log_nu)
    played, deals = core.field.basis(games[0])
    return float(np.sqrt(-2 * (games * logs).sum() * deals / played))


def _seat(core: _Core) -> Estimate:
    games, deals = core.field.basis(np.triu(core.field.deals))
    if not core.fit.has_seat:
        return Estimate(None, None, None, None, games, deals, NO_TERM)
    unit = np.zeros(len(core.fit.best))
    unit[-2] = 1
    return _profiled(core, unit, games, deals)


def _seat_score(core: _Core, seat: Estimate) -> Estimate:
    """Score of the start between equals less 1/2, with the error of both its terms."""
    if seat.value is None:
        return seat
    s, nu = float(core.fit.best[-2]), core.fit.nu
    both = 2 * np.cosh(s / 2) + nu
    slope = np.array([(2 + nu * np.cosh(s / 2)) / (2 * both**2), -nu * np.sinh(s / 2) / both**2])
    value = float(core.fit.score(np.array(s))) - 0.5
    error = float(np.sqrt(max(0.0, slope @ core.fit.covariance[-2:, -2:] @ slope)))
    if not seat.known:
        return Estimate(value, None, None, seat.error, seat.games, seat.deals, seat.method)
    half = quantile(seat.deals) * error
    return Estimate(value, value - half, value + half, error, seat.games, seat.deals, DELTA)
