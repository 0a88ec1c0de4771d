"""Made-up tournaments with known strengths, whose games are alike within a deal."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from scipy import stats

from analysis.patterns import Pairing
from analysis.thirds import HELD, PLACE, TablePairing


def shares(lead, nu):
    """Chances of lost, drawn, won by Davidson's model, written anew."""
    up, down = 10 ** (lead / 800), 10 ** (-lead / 800)
    return np.array([down, nu, up]) / (up + nu + down)


def played(rng, elo, seat, nu, deals, luck=0.4):
    """Pairings of a round robin; the cards favour one place, by `luck` of the latent variance."""
    found = []
    for a, b in combinations(sorted(elo), 2):
        cards = rng.normal(size=(deals, 1)) * luck**0.5 * np.array([1, -1])
        latent = cards + rng.normal(size=(deals, 2)) * (1 - luck) ** 0.5
        outcomes = np.empty((deals, 2), np.int64)
        for game, side in enumerate((seat, -seat)):
            cuts = stats.norm.ppf(np.cumsum(shares(elo[a] - elo[b] + side, nu))[:2])
            outcomes[:, game] = np.searchsorted(cuts, latent[:, game])
        found.append(Pairing(a, b, outcomes))
    return found


def of_patterns(a, b, counts):
    """Pairing whose deals end as {(result starting, result not starting): deals} says."""
    rows = [pattern for pattern, deals in counts.items() for _ in range(deals)]
    return Pairing(a, b, np.array(rows, np.int64).reshape(-1, 2))


def played_by_three(rng, logs, places, deals, drawn=0.02, luck=0.3):
    """Pairings of three teams; the cards of a deal favour the same team at all its tables."""
    found = []
    for a, b in combinations(sorted(logs), 2):
        starting = rng.integers(0, 3, deals)
        strength = np.array([logs[a], logs[b]])[HELD] + np.array(places)[PLACE[starting]][:, None]
        # Gumbel noise, a part of it shared by the tables through its copula.
        latent = rng.normal(size=(deals, 1, 3)) * luck**0.5
        latent = latent + rng.normal(size=(deals, 6, 3)) * (1 - luck) ** 0.5
        winner = (strength - np.log(-np.log(stats.norm.cdf(latent)))).argmax(-1)
        winner[rng.random(winner.shape) < drawn] = -1
        found.append(TablePairing(a, b, HELD, winner.astype(np.int8), starting.astype(np.int8)))
    return found
