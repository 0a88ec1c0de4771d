"""Elo differences of two teams, from scores and from the results of pairs of games.

Logistic Elo is the usual unit. Normalized Elo is the score's distance from 1/2 in standard
deviations of one game, which says how soon it is seen: the number of games that shows a difference
depends on normalized Elo alone, whatever the draws and the luck of the cards. Its scale makes it
equal to logistic Elo for small differences between players who never draw, on independent games.

Sources: Elo, *The Rating of Chessplayers*, 1978; Van den Bergh, "Normalized Elo", 2019, and
fishtest, whose figures these are. Standard error of a mean over a standard deviation: delta method,
Stuart and Ord, *Kendall's Advanced Theory of Statistics* I, 6th ed. 1994, ch. 10.
"""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.estimates import CANNOT_VARY, NO_DATA, ONE_DEAL, Estimate, proportion, quantile
from analysis.pair_likelihood import pair_scores

Array = NDArray[Any]

LOGISTIC = "Elo of the score's interval"
ONE_SIDED = "one-sided bound"
NORMALIZED = "delta method, by pair"

ELO_PER_SD = 800 / float(np.log(10))
"""Normalized Elo of one standard deviation of a game: 347.4."""

GAMES_OF_PAIR = 2


def elo_of_score(score: float) -> float:
    """Return the logistic Elo difference 400 log10(s / (1 - s)) of a score.

    Raises ValueError outside of (0, 1), where no finite difference gives that score.
    """
    if not 0 < score < 1:
        raise ValueError(f"score {score}: above 0 and below 1")
    return 400 * float(np.log10(score) - np.log10(1 - score))


def score_of_elo(elo: float) -> float:
    """Return the expected score of who is `elo` stronger."""
    return float(1 / (1 + 10 ** (-elo / 400)))


def elo_slope(score: float) -> float:
    """Return the Elo that one point of score is worth at `score` (above 0, below 1)."""
    return ELO_PER_SD / 2 / (score * (1 - score))


def elo(score: Estimate) -> Estimate:
    """Logistic Elo of an estimated score, its interval the Elo of the interval's ends.

    An end at 0 or 1 has no Elo: it becomes None, and `method` ONE_SIDED says that the other end is
    a bound (value None, low set: "at least"; high set: "at most"). The error is first order.
    """
    value, low, high = (_inside(end) for end in (score.value, score.low, score.high))
    if score.value is None or not score.known:
        return replace(score, value=value, low=None, high=None, error=_error(score, value))
    method = ONE_SIDED if low is None or high is None else LOGISTIC
    return replace(
        score, value=value, low=low, high=high, error=_error(score, value), method=method
    )


def _inside(score: float | None) -> float | None:
    return elo_of_score(score) if score is not None and 0 < score < 1 else None


def _error(score: Estimate, value: float | None) -> float | None:
    if value is None or score.value is None or score.error is None:
        return None
    return score.error * elo_slope(score.value)


def score_of_pairs(counts: ArrayLike) -> Estimate:
    """Score from counts of pair results (shape (5,): 0, 1/2, 1, 3/2, 2 points), Wilson's interval.

    Raises ValueError unless counts is one row.
    """
    counts = _row(counts)
    points = GAMES_OF_PAIR * pair_scores(counts.size)
    pairs, y, yy = counts.sum(), counts @ points, counts @ points**2
    games = GAMES_OF_PAIR * pairs
    return proportion(
        np.array([pairs, games, games, y, GAMES_OF_PAIR * games, GAMES_OF_PAIR * y, yy])
    )


def elo_of_pairs(counts: ArrayLike) -> Estimate:
    """Logistic Elo from counts of pair results, shape (5,)."""
    return elo(score_of_pairs(counts))


def normalized_elo(counts: ArrayLike) -> Estimate:
    """Return the normalized Elo of counts of pair results, shape (5,).

    The standard deviation per game is sqrt(2) times that of a pair's score. The interval counts in
    that it is estimated too: with t the distance in standard deviations of a pair, the variance of
    t is (1 - skewness t + (kurtosis - 1) t^2 / 4) / pairs. Pairs that all ended alike have no
    standard deviation, and so no normalized Elo: `method` is CANNOT_VARY.
    """
    counts = _row(counts)
    pairs = int(counts.sum())
    games = GAMES_OF_PAIR * pairs
    if pairs < 2:
        return Estimate(None, None, None, None, games, pairs, ONE_DEAL if pairs else NO_DATA)
    shares, scores = counts / pairs, pair_scores(counts.size)
    mean = float(shares @ scores)
    variance = float(shares @ (scores - mean) ** 2)
    if variance <= 0:
        return Estimate(None, None, None, None, games, pairs, CANNOT_VARY)
    away = (scores - mean) / np.sqrt(variance)
    t = (mean - 0.5) / np.sqrt(variance)
    spread = 1 - (shares @ away**3) * t + (shares @ away**4 - 1) * t * t / 4
    scale = ELO_PER_SD / np.sqrt(GAMES_OF_PAIR)
    # Spread is a variance, but rounding may leave it below 0 where only two results occur.
    value, error = float(scale * t), float(scale * np.sqrt(max(float(spread), 0.0) / (pairs - 1)))
    half = quantile(pairs) * error
    return Estimate(value, value - half, value + half, error, games, pairs, NORMALIZED)


def _row(counts: ArrayLike) -> Array:
    found = np.asarray(counts, np.float64)
    if found.ndim != 1 or found.size < 2 or np.any(found < 0):
        raise ValueError("counts: one row of at least two numbers of 0 or more")
    return found
