"""Worths of strategies in games of three teams, of which only the winner is known.

A team wins with the probability worth x term of its place in the turn order, over the sum for the
three teams: the first stage of the model of Plackett (Applied Statistics 24, 1975) and Luce
(*Individual Choice Behavior*, 1959); a maximum exists as in Hunter, Annals of Statistics 32, 2004.
A drawn game counts as a third of a win for each, which keeps the estimates consistent, and the
sandwich by deal allows for it. Intervals are symmetric in the logarithm.

Pairings on the same deals are summed up by deal (`thirds.common_table_field`): games of strategies
that play alike are alike there. Other pairings are taken as independent.

A strategy that won, or lost, all its games with those rated gets no value but a bound: the worth
at which the end of Wilson's interval of its share of games would be expected.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import brentq

from analysis.estimates import CANNOT_VARY, ONE_DEAL, Array, Estimate, quantile, wilson
from analysis.likelihood import Likelihood, Terms, maximum, sandwich, separated
from analysis.ranking import LONE, NO_TERM, UNBEATEN, WINLESS, chance, members, order, word
from analysis.thirds import HELD, PLACE, TEAMS, CommonDeals, TableField

LOGARITHM = "sandwich of the logarithm, by deal"


@dataclass(frozen=True)
class Worth:
    """A strategy's worth; the geometric mean of those rated is 1.

    `worth.value` is None where there is only a bound, `low` or `high`; `worth.method` says why.
    `worth.error` is that of the natural logarithm. `better` is the chance (0 to 1) that it is
    better than the next in rank, None where nothing tells.
    """

    name: str
    worth: Estimate
    better: float | None


@dataclass(frozen=True)
class Worths:
    """Worths from best to worst, and the terms of the three places, of geometric mean 1."""

    worths: tuple[Worth, ...]
    places: tuple[Estimate, ...]


def _local() -> Array:
    """Return what a logit is made of, (3, 6, 3, 5): worths of first and second, three places."""
    unit = np.eye(2 + TEAMS)
    return np.asarray(unit[HELD][None] + unit[2 + PLACE][:, None])


_LOCAL = _local()
_FEATURES = np.array([[1, 0, 0, 0], [-1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]) / 3
"""What the features of `TableField` add to the gradient of those five."""


@dataclass(frozen=True, eq=False)
class _Fit:
    """Pairs of those rated, `best` (log worths, log terms), its covariance."""

    places: bool
    best: Array
    covariance: Array


def worths(field: TableField) -> Worths:
    """Return worths with 95 % intervals by deal, and bounds for those without a finite one.

    Rated are the most of whom each can be reached from each by games won or drawn.
    """
    n = len(field.names)
    scored = np.zeros((n, n), bool)
    first, second = field.pairs.T
    scored[first, second] = (field.wins * (1 - HELD)).any((1, 2, 3))
    scored[second, first] = (field.wins * HELD).any((1, 2, 3))
    games, deals = np.array([field.basis((field.pairs == i).any(1)) for i in range(n)]).T
    rated = members(scored, games)
    fit = _fit(field, rated)
    bare = [
        Estimate(None, None, None, None, int(g), int(d), "")
        for g, d in zip(games, deals, strict=True)
    ]
    found = [_worth(field, fit, rated, scored, place, bare[place]) for place in range(n)]
    ranked = sorted(range(n), key=lambda place: order(found[place], field.names[place]))
    return Worths(
        tuple(
            Worth(field.names[i], found[i], _better(fit, rated, deals, i, after))
            for i, after in zip(ranked, [*ranked[1:], None], strict=True)
        ),
        tuple(_term(field, fit, place) for place in range(TEAMS)),
    )


def _games(field: TableField, pairs: Array) -> Array:
    """Games (P, 3, 6) by starting team and table."""
    return np.asarray(field.wins[pairs].sum(3) / 3)


def _shares(strengths: Array, terms: Array) -> Array:
    """Chances (P, 3, 6, 3) of the teams, from log worths (P, 2) and log terms (3,)."""
    logits = strengths[:, HELD][:, None] + terms[PLACE][:, None]
    weights = np.exp(logits - logits.max(-1, keepdims=True))
    return np.asarray(weights / weights.sum(-1, keepdims=True))


def _fit(field: TableField, rated: Array) -> _Fit:
    inside = np.asarray(np.isin(field.pairs, rated).all(1))
    pairs, n = np.searchsorted(rated, field.pairs[inside]), len(rated)
    index = np.concatenate([pairs, np.tile(n + np.arange(TEAMS), (len(pairs), 1))], axis=1)
    wins, games = field.wins[inside] / 3, _games(field, inside)
    places = len(pairs) > 0 and not separated(_more_likely(wins, index, n))
    likelihood = _likelihood(wins, games, index, n, places)
    best = maximum(likelihood, np.zeros(n + TEAMS))
    expected = games[..., None] * _shares(best[pairs], best[n:])
    if field.common is None:
        meat = np.zeros((n + TEAMS, n + TEAMS))
        _add(meat, index, _meat(field, inside, expected))
    else:
        common = field.common._replace(features=field.common.features[inside])
        meat = _common_meat(common, index, n, expected)
    if not places:
        meat[n:], meat[:, n:] = 0, 0
    return _Fit(places, best, sandwich(likelihood(best).information, meat))


def _add(whole: Array, index: Array, local: Array) -> None:
    np.add.at(whole, (index[:, :, None], index[:, None, :]), local)


def _likelihood(wins: Array, games: Array, index: Array, n: int, places: bool) -> Likelihood:
    # The means of log worths and log terms are kept where they are, at zero.
    fixed = np.zeros((n + TEAMS, n + TEAMS))
    fixed[:n, :n] = fixed[n:, n:] = max(1.0, float(games.sum())) / n**2

    def likelihood(best: Array) -> Terms:
        share = _shares(best[index[:, :2]], best[n:])
        excess, spread = wins - games[..., None] * share, games[..., None] * share
        mean = np.einsum("pstu,stuk->pstk", share, _LOCAL)
        local = np.einsum("pstu,stuk,stul->pkl", spread, _LOCAL, _LOCAL, optimize=True)
        local -= np.einsum("pst,pstk,pstl->pkl", games, mean, mean, optimize=True)
        gradient, information = np.zeros(n + TEAMS), fixed.copy()
        np.add.at(gradient, index, np.einsum("pstu,stuk->pk", excess, _LOCAL))
        _add(information, index, local)
        if not places:
            gradient[n:], information[n:], information[:, n:] = 0, 0, 0
            information[n:, n:] = np.eye(TEAMS)
        value = (wins * np.log(np.maximum(share, 1e-300))).sum()
        return Terms(float(value), gradient, information)

    return likelihood


def _more_likely(wins: Array, index: Array, n: int) -> Array:
    """Rows for `separated`: each winner seen against the two other teams of its table."""
    against = (_LOCAL[..., :, None, :] - _LOCAL[..., None, :, :]).reshape(-1, 2 + TEAMS)
    distinct, which = np.unique(against, axis=0, return_inverse=True)
    seen = np.repeat((wins > 0).reshape(len(wins), -1), TEAMS, axis=1)
    found = np.zeros((len(wins), len(distinct)), np.int64)
    np.add.at(found.T, which.ravel(), seen.T)
    pair, row = np.nonzero(found)
    rows = np.zeros((len(pair), n + TEAMS))
    np.add.at(rows, (np.arange(len(pair))[:, None], index[pair]), distinct[row])
    return rows


def _meat(field: TableField, inside: Array, expected: Array) -> Array:
    """Sum the squares (P, 5, 5) of the deals' scores about the mean of their pair and start.

    A single deal has no mean of its own: it is held against the model.
    """
    deals, firsts = field.deals[inside][..., None], field.firsts[inside].astype(np.float64)
    model = 3 * np.einsum("pstu,stuk->psk", expected, _LOCAL)[..., [0, 2, 3, 4]]
    about = np.where(deals > 1, firsts / np.maximum(deals, 1), model)
    cross = about[..., :, None] * firsts[..., None, :]
    square = deals[..., None] * about[..., :, None] * about[..., None, :]
    squares = field.seconds[inside] - cross - np.swapaxes(cross, -1, -2) + square
    squares = squares * np.where(deals > 1, deals / np.maximum(deals - 1, 1), 1)[..., None]
    return np.asarray(_FEATURES @ squares.sum(1) @ _FEATURES.T)


def _common_meat(common: CommonDeals, index: Array, n: int, expected: Array) -> Array:
    """Sum the squares (n + 3, n + 3) of the deals' scores, each over all pairings, by start.

    About the mean of the start, or the model for a single deal, as in `_meat`. Scores are kept as
    integers, near zero, so that their sums do not depend on the order of deals.
    """
    scores = np.zeros((len(common.starting), n + TEAMS), np.int64)
    model = np.zeros((TEAMS, n + TEAMS))
    expectations = np.einsum("pstu,stuk->psk", expected, _LOCAL)
    for (first, second, *_), features, mean in zip(
        index, common.features, expectations, strict=True
    ):
        scores[:, first] += features[:, 0]
        scores[:, second] -= features[:, 0]
        scores[:, n:] += features[:, 1:]
        model[:, first] += 3 * mean[:, 0]
        model[:, second] -= 3 * mean[:, 0]
        model[:, n:] += 3 * mean[:, 2:]
    whole = np.zeros((n + TEAMS, n + TEAMS))
    for start in range(TEAMS):
        found = scores[common.starting == start]
        deals = len(found)
        if deals == 1:
            whole += np.outer(found[0] - model[start], found[0] - model[start])
        elif deals:
            near = found - found.sum(0) // deals
            total = near.sum(0)
            squares = near.T @ near - np.outer(total, total) / deals
            whole += squares * deals / (deals - 1)
    return whole / 9  # thirds of a win, squared


def _logarithm(bare: Estimate, value: float, variance: float) -> Estimate:
    """Fill in exp(value), of the games and deals of `bare`; its error is that of the logarithm."""
    found = replace(bare, value=float(np.exp(value)), error=0.0, method=CANNOT_VARY)
    if bare.deals < 2:
        return replace(found, error=None, method=ONE_DEAL)
    if variance <= 1e-20:
        return found
    error = float(np.sqrt(variance))
    half = quantile(bare.deals) * error
    low, high = float(np.exp(value - half)), float(np.exp(value + half))
    return replace(found, low=low, high=high, error=error, method=LOGARITHM)


def _worth(
    field: TableField, fit: _Fit, rated: Array, scored: Array, place: int, bare: Estimate
) -> Estimate:
    if place in rated:
        contrast = np.zeros(len(fit.best))
        contrast[: len(rated)] = (rated == place) - 1 / len(rated)
        if not contrast.any():
            return replace(bare, value=1.0, error=0.0, method=LONE)
        variance = float(contrast @ fit.covariance @ contrast)
        return _logarithm(bare, float(contrast @ fit.best), variance)
    rows = (field.pairs == place).any(1) & np.isin(field.pairs, rated).any(1)
    told = word(scored, rated, bool(rows.any()), place)
    bound = float(np.exp(_bound(field, fit, rated, place, rows, told))) if rows.any() else None
    low, high = bound if told == UNBEATEN else None, bound if told == WINLESS else None
    return replace(bare, low=low, high=high, method=told)


def _bound(field: TableField, fit: _Fit, rated: Array, place: int, rows: Array, told: str) -> float:
    """Log worth at which the bound of the share of games is expected."""
    pairs, games, (_, deals) = field.pairs[rows], _games(field, rows), field.basis(rows)
    own = HELD[None, None] == (pairs[:, 1] == place)[:, None, None, None]
    share = wilson(1.0, deals, quantile(max(deals, 2)))[0]
    share = share if told == UNBEATEN else 1 - share
    known = np.zeros(len(field.names))
    known[rated] = fit.best[: len(rated)]

    def short(strength: float) -> float:
        strengths = np.where(pairs == place, strength, known[pairs])
        won = (_shares(strengths, fit.best[len(rated) :]) * own).sum(3)
        return float((games * won).sum() / games.sum() - share)

    reach = 60 + float(np.abs(fit.best).max())
    return float(brentq(short, -reach, reach))


def _better(fit: _Fit, rated: Array, deals: Array, place: int, after: int | None) -> float | None:
    if after is None or not np.isin([place, after], rated).all():
        return None
    contrast = np.zeros(len(fit.best))
    contrast[: len(rated)] = (rated == place).astype(int) - (rated == after)
    variance = float(contrast @ fit.covariance @ contrast)
    return chance(float(contrast @ fit.best), variance, int(min(deals[place], deals[after])))


def _term(field: TableField, fit: _Fit, place: int) -> Estimate:
    games, deals = field.basis(np.arange(len(field.pairs)))
    bare = Estimate(None, None, None, None, games, deals, NO_TERM)
    at = len(fit.best) - TEAMS + place
    if not fit.places:
        return bare
    return _logarithm(bare, float(fit.best[at]), float(fit.covariance[at, at]))
