"""How far strength is from transitive, and how sure Nash averaging and alpha-rank are of it."""

from collections import Counter
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from analysis.equilibrium import INTENSITY, POPULATION, alpha_rank, nash, support
from analysis.estimates import Array, holm, p_value, proportion
from analysis.patterns import POINTS, Field, pattern_moments
from analysis.ratings import ELO

REPEATS = 500
"""Bootstrapped tournaments, unless told otherwise."""

_DRAWN_AT_ONCE = 4_000_000
"""Deals that are drawn before they are summed up, which bounds the memory it takes."""

SURE = 0.05
"""A pair is decided where its p-value, adjusted for all pairs by Holm, is at most this."""


@dataclass(frozen=True)
class Cycles:
    """Triples of strategies each of which beats the next.

    `triples` were all played among themselves; `decided` are those whose three winners are beyond
    doubt; `cyclic` go round by the bare scores, `sure` beyond doubt, and `share` is sure / triples,
    None without a triple. `examples` are the sure ones by name, each beating the next.
    """

    triples: int
    decided: int
    cyclic: int
    sure: int
    examples: tuple[tuple[str, str, str], ...]

    @property
    def share(self) -> float | None:
        """Share of triples that are cyclic beyond doubt."""
        return self.sure / self.triples if self.triples else None


@dataclass(frozen=True)
class Standing:
    """A strategy by Nash averaging and alpha-rank.

    `nash` is its share of the equilibrium, `rating` what it gains on that, in Elo (0 for those in
    it); `mass` is alpha-rank's. Over bootstrapped deals, `in_support` is how often (0 to 1) the
    equilibrium had it, `top` how often alpha-rank put it first, ties shared.
    """

    name: str
    nash: float
    rating: float
    mass: float
    in_support: float
    top: float


@dataclass(frozen=True)
class Transitivity:
    """Standings by name; supports of the equilibrium with their shares of `repeats`, most first."""

    standings: tuple[Standing, ...]
    supports: tuple[tuple[tuple[str, ...], float], ...]
    cycles: Cycles
    repeats: int


def transitivity(
    field: Field,
    rng: np.random.Generator,
    repeats: int = REPEATS,
    intensity: float = INTENSITY,
    population: int = POPULATION,
) -> Transitivity:
    """Judge a field in which each met each.

    The same generator gives the same figures, whatever the order in which strategies were named.
    Raises ValueError for pairs that never met, no repeats, and what `alpha_rank` refuses.
    """
    n, met = len(field.names), field.deals > 0
    if n < 2 or not (met | np.eye(n, dtype=bool)).all():
        raise ValueError("pairs: some never met; allowed: fields of two or more in which all did")
    if repeats < 1:
        raise ValueError(f"repeats: {repeats}; allowed: at least 1")
    points = np.asarray((field.patterns * POINTS).sum((2, 3)))
    gain = log_odds(points)
    mixture, mass = nash(gain), alpha_rank(_scores(field, points), intensity, population)
    drawn = bootstrap(field, repeats, rng)
    in_support = np.stack([support(each) for each in log_odds(drawn)])
    first = _first(alpha_rank(_scores(field, drawn), intensity, population))
    figures = (mixture, ELO * gain @ mixture, mass, in_support.mean(0), first.mean(0))
    standings = (
        Standing(name, *map(float, each)) for name, *each in zip(field.names, *figures, strict=True)
    )
    return Transitivity(tuple(standings), _counted(field, in_support), cycles(field), repeats)


def log_odds(points: Array) -> Array:
    """Log-odds (..., n, n) of points (..., n, n) that each made against each, antisymmetric.

    Half a win is added on either side, which keeps a score of 0 or 1 finite.
    """
    return np.asarray(np.log(points + 0.5) - np.log(np.swapaxes(points, -1, -2) + 0.5))


def bootstrap(field: Field, repeats: int, rng: np.random.Generator) -> Array:
    """Draw the deals again, with replacement: points float64 (repeats, n, n) of each against each.

    Deals that all pairings played are drawn once for all of them, so that what pairings have in
    common stays; those of other pairings are drawn for each.
    """
    draw = _draw_together if field.common else _draw_apart
    rows, columns, points = draw(field, repeats, rng)
    found = np.zeros((repeats, len(field.names), len(field.names)))
    found[:, rows, columns] = points
    found[:, columns, rows] = 2 * field.deals[rows, columns] - points
    return found


def _draw_together(
    field: Field, repeats: int, rng: np.random.Generator
) -> tuple[Array, Array, Array]:
    """Return the pairings (P,), (P,) and the points (repeats, P) of the first of each."""
    rows, columns, outcomes = zip(*field.common, strict=True)
    by_deal = np.stack([each.sum(1) / 2 for each in outcomes])
    deals = by_deal.shape[1]
    points = np.empty((repeats, len(rows)))
    times = np.empty((min(repeats, max(1, _DRAWN_AT_ONCE // deals)), deals))
    for at in range(0, repeats, len(times)):
        now = times[: repeats - at]
        for row in now:
            row[:] = np.bincount(rng.integers(deals, size=deals), minlength=deals)
        # Halves of whole numbers add up exactly, in whatever order a library does it.
        points[at : at + len(now)] = (by_deal @ now.T).T
    return np.array(rows), np.array(columns), points


def _draw_apart(field: Field, repeats: int, rng: np.random.Generator) -> tuple[Array, Array, Array]:
    """Return the same for pairings that may have played other deals."""
    rows, columns = np.triu_indices(len(field.names), 1)
    counts = field.patterns[rows, columns].reshape(-1, 9)
    deals = counts.sum(1)
    shares = counts / np.maximum(deals, 1)[:, None]
    drawn = rng.multinomial(deals, shares, size=(repeats, len(deals)))
    return rows, columns, drawn @ POINTS.ravel()


def cycles(field: Field) -> Cycles:
    """Count the cycles of three; pairs that never met make no triple."""
    n = len(field.names)
    pairs = [(i, j) for i, j in combinations(range(n), 2) if field.deals[i, j]]
    sums = pattern_moments(field.patterns, POINTS)
    found = [proportion(sums[pair]) for pair in pairs]
    sure = holm([p_value(each, 0.5) for each in found]) <= SURE
    lead, decided, met = (np.zeros((n, n), int) for _ in range(3))
    for (i, j), each, known in zip(pairs, found, sure, strict=True):
        sign = int(np.sign((each.value or 0.0) - 0.5))
        lead[i, j], lead[j, i] = sign, -sign
        decided[i, j] = decided[j, i] = known
        met[i, j] = met[j, i] = 1
    round_trips = list(_round_trips(lead))
    certain = [t for t in round_trips if all(decided[t[k], t[k - 1]] for k in range(3))]
    names = (tuple(field.names[i] for i in trip) for trip in certain)
    return Cycles(
        _triangles(met),
        _triangles(decided),
        len(round_trips),
        len(certain),
        tuple((a, b, c) for a, b, c in names),
    )


def _triangles(joined: Array) -> int:
    return int(np.trace(joined @ joined @ joined)) // 6


def _round_trips(lead: Array) -> list[tuple[int, int, int]]:
    """List the triples each of which beats the next, from the least on."""
    beats = lead > 0
    return [
        (a, b, c)
        for a, b, c in (
            trip for i, j, k in combinations(range(len(lead)), 3) for trip in ((i, j, k), (i, k, j))
        )
        if beats[a, b] and beats[b, c] and beats[c, a]
    ]


def _scores(field: Field, points: Array) -> Array:
    """Scores (..., n, n), 1/2 against oneself."""
    deals = field.deals
    return np.asarray(np.where(deals > 0, points / np.maximum(2 * deals, 1), 0.5))


def _first(masses: Array) -> Array:
    """Share (..., n) of the first place that each mass has."""
    tied = masses >= masses.max(-1, keepdims=True) * (1 - 1e-9)
    return np.asarray(tied / tied.sum(-1, keepdims=True))


def _counted(field: Field, in_support: Array) -> tuple[tuple[tuple[str, ...], float], ...]:
    names = (
        tuple(name for name, inside in zip(field.names, row, strict=True) if inside)
        for row in in_support
    )
    counted = sorted(Counter(names).items(), key=lambda item: (-item[1], item[0]))
    return tuple((each, count / len(in_support)) for each, count in counted)
