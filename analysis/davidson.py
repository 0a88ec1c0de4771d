"""Davidson's model of two teams: strengths, a term for starting and one for draws.

With d = strength of the starting team - strength of the other + seat, a game is won, drawn and
lost by the starting team in proportion to exp(d / 2), nu, exp(-d / 2) (Davidson, JASA 65, 1970,
with the order of Davidson and Beaver, Biometrics 33, 1977, nu taken between teams that d makes
equal). Rather this than the thresholds of Rao and Kupper (JASA 62, 1967), because here a draw is
exactly half a win and half a loss: a strategy's points tell all about its strength, so that who
scores more in a round robin is rated higher; and the likelihood is concave.

Games without any draw have nu = 0, which is Bradley and Terry's model (Biometrika 39, 1952).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from analysis.estimates import Array
from analysis.likelihood import Likelihood, Terms, maximum, sandwich, separated
from analysis.patterns import DRAWN, LOSS, POINTS, STARTER, WIN

Common = Sequence[tuple[int, int, Array]]

DAVIDSON = "Davidson"
BRADLEY_TERRY = "Bradley-Terry, no draws"
HALVES = "Bradley-Terry, draws as half wins"
NO_SEAT = "Bradley-Terry, draws as half wins, no seat"


@dataclass(frozen=True, eq=False)
class Fit:
    """Estimates of n strategies: `best` is (strengths with mean 0, seat, log nu), natural logs.

    `covariance` (n + 2, n + 2) is by deal; it says nothing of the mean strength. A term that is
    not in the model has estimate 0 and covariance 0; `nu` is 0 without draws.
    """

    model: str
    best: Array
    covariance: Array
    likelihood: Likelihood

    @property
    def nu(self) -> float:
        """Davidson's parameter of draws."""
        return float(np.exp(self.best[-1])) if self.model == DAVIDSON else 0.0

    @property
    def has_seat(self) -> bool:
        """Whether the seat has a term."""
        return self.model != NO_SEAT

    def score(self, lead: Array) -> Array:
        """Score that a lead in strength, seat included, brings."""
        up, down = np.exp(lead / 2), np.exp(-lead / 2)
        return np.asarray((up + self.nu / 2) / (up + self.nu + down))


def fit(patterns: Array, common: Common = ()) -> Fit:
    """Fit strategies that can all be compared (`likelihood.groups`), int64 (n, n, 3, 3).

    `common` are the pairings of `patterns.Field` where all played the same deals.
    The data decide on the model: with too few draws or decided games for a maximum, draws count
    as half wins, which keeps the estimates consistent; if a place to start always wins, that has
    no term.
    """
    starts = patterns.sum(3).astype(np.float64)
    halves = np.zeros_like(starts)
    halves[..., LOSS], halves[..., WIN] = (starts[..., r] + starts[..., 1] / 2 for r in (LOSS, WIN))
    drawn = starts[..., 1].any()
    if drawn and not separated(_more_likely(starts, True, True)):
        return _fit(patterns, starts, DAVIDSON, common)
    if starts.any() and not separated(_more_likely(halves, False, True)):
        return _fit(patterns, halves, HALVES if drawn else BRADLEY_TERRY, common)
    return _fit(patterns, halves, NO_SEAT, common)


def _fit(patterns: Array, starts: Array, model: str, common: Common) -> Fit:
    n, draws, seat = len(patterns), model == DAVIDSON, model != NO_SEAT
    likelihood = _likelihood(starts, draws, seat)
    best = maximum(likelihood, np.zeros(n + 2))
    if common:
        meat = _common_meat(n, common)
    else:
        meat = _meat(patterns, _expected(_log_shares(best, draws)))
    free = np.array([True] * n + [seat, draws])
    meat[~free], meat[:, ~free] = 0, 0
    return Fit(model, best, sandwich(likelihood(best).information, meat), likelihood)


def _more_likely(starts: Array, draws: bool, seat: bool) -> Array:
    """Rows for `separated`: log-odds of each result seen against the two others."""
    n = len(starts)
    rows = []
    for i, j in zip(*np.nonzero(starts.any(2)), strict=True):
        d, tie = np.zeros(n + 2), np.zeros(n + 2)
        d[i], d[j], d[n], tie[n + 1] = 0.5, -0.5, 0.5 * seat, 1
        terms = [-d, tie, d] if draws else [-d, d]
        seen = starts[i, j] if draws else starts[i, j, [LOSS, WIN]]
        rows += [
            this - other
            for this, count in zip(terms, seen, strict=True)
            for other in terms
            if count and this is not other
        ]
    return np.array(rows)


def _log_shares(beta: Array, draws: bool) -> Array:
    """Log-probabilities (n, n, 3) of lost, drawn, won for i starting against j."""
    strength, seat, tie = beta[:-2], beta[-2], beta[-1]
    half = (strength[:, None] - strength + seat) / 2
    logits = np.stack([-half, np.full_like(half, tie if draws else -np.inf), half], axis=-1)
    return np.asarray(logits - np.logaddexp.reduce(logits, axis=-1)[..., None])


def _likelihood(starts: Array, draws: bool, seat: bool) -> Likelihood:
    n, games = len(starts), starts.sum(2)
    out = ~np.array([True] * n + [seat, draws])

    def likelihood(beta: Array) -> Terms:
        logs = _log_shares(beta, draws)
        share = np.exp(logs)
        excess = starts - games[..., None] * share
        lead = (excess[..., WIN] - excess[..., LOSS]) / 2
        swing = (share[..., WIN] - share[..., LOSS]) / 2
        weights = (
            games * ((share[..., WIN] + share[..., LOSS]) / 4 - swing**2),
            -games * share[..., 1] * swing,
            games * share[..., 1] * (1 - share[..., 1]),
        )
        gradient = np.concatenate(
            [lead.sum(1) - lead.sum(0), [lead.sum() * seat, excess[..., 1].sum() * draws]]
        )
        information = _assembled(*weights)
        # The mean strength is kept where it is, and so are terms that are not in the model.
        information[:n, :n] += max(games.sum(), 1) / n**2
        information[out], information[:, out] = 0, 0
        information[out, out] = 1
        return Terms(float((starts * np.where(starts > 0, logs, 0)).sum()), gradient, information)

    return likelihood


def _assembled(dd: Array, dt: Array, tt: Array) -> Array:
    """Spread second derivatives in (d, log nu) of each cell over the parameters."""
    n = len(dd)
    whole = np.zeros((n + 2, n + 2))
    whole[:n, :n] = np.diag(dd.sum(1) + dd.sum(0)) - dd - dd.T
    whole[:n, n] = whole[n, :n] = dd.sum(1) - dd.sum(0)
    whole[:n, n + 1] = whole[n + 1, :n] = dt.sum(1) - dt.sum(0)
    whole[n, n + 1] = whole[n + 1, n] = dt.sum()
    whole[n, n], whole[n + 1, n + 1] = dd.sum(), tt.sum()
    return whole


_FEATURES = np.stack([POINTS, STARTER, DRAWN])
"""What a deal adds to the sufficient statistics: points, points of starting, draws."""


def _expected(logs: Array) -> Array:
    """Mean of the features (n, n, 3) by the model."""
    win, draw, _ = (np.exp(logs[..., r]) for r in (WIN, 1, LOSS))
    first = win + draw / 2
    return np.stack([first + 1 - first.T, first + first.T, draw + draw.T], axis=-1)


def _common_meat(n: int, common: Common) -> Array:
    """Return the summed squares of the scores of deals that all pairings share.

    A single deal shows no spread: pairings that share it are not independent of each other.
    """
    deals = len(common[0][2])
    score = np.zeros((deals, n + 2))
    for i, j, outcomes in common:
        features = _FEATURES[:, outcomes[:, 0], outcomes[:, 1]].T
        off = features - features.mean(axis=0)
        score[:, i] += off[:, 0]
        score[:, j] -= off[:, 0]
        score[:, n:] += off[:, 1:]
    return np.asarray(np.einsum("dk,dl->kl", score, score) * deals / max(deals - 1, 1))


def _meat(patterns: Array, expected: Array) -> Array:
    """Return the summed squares of the deals' scores, each pairing about its own mean.

    Pairings are fixed, so what the model misses between them is not chance. A single deal has no
    mean of its own: it is held against the model.
    """
    n = len(patterns)
    deals = patterns.sum((2, 3))
    upper = np.triu(np.ones((n, n)), 1)
    shares = patterns / np.maximum(deals, 1)[..., None, None]
    mean = np.einsum("ijpq,kpq->ijk", shares, _FEATURES)
    mean = np.where((deals > 1)[..., None], mean, expected)
    off = _FEATURES[None, None] - mean[..., None, None]
    factor = upper * deals * np.where(deals > 1, deals / np.maximum(deals - 1, 1), 1)
    s = np.einsum("ij,ijpq,ijkpq,ijlpq->klij", factor, shares, off, off)
    whole = np.zeros((n + 2, n + 2))
    pairs = s[0, 0] + s[0, 0].T
    whole[:n, :n] = np.diag(pairs.sum(1)) - pairs
    for k in (1, 2):
        whole[:n, n + k - 1] = whole[n + k - 1, :n] = s[0, k].sum(1) - s[0, k].sum(0)
    whole[n:, n:] = s[1:, 1:].sum((2, 3))
    return whole
