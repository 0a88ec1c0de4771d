"""Three teams: the games of two strategies as sums of winners by table, in thirds of a win.

A drawn game is a third of a win for each team. Everything is kept in integers, which add up
exactly, so that nothing depends on the order of strategies, pairings, tables or deals.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from analysis.estimates import Array

TEAMS = 3
TABLES = 6

HELD = np.array([[table >> team & 1 for team in range(TEAMS)] for table in range(1, TABLES + 1)])
"""Who (6, 3) holds each team at a table: 0 the first of the two by name, 1 the other."""

PLACE = (np.arange(TEAMS) - np.arange(TEAMS)[:, None]) % TEAMS
"""Place (3, 3) of a team in the turn order, by starting team and team."""


class TablePairing(NamedTuple):
    """Two strategies at the tables of their deals.

    `tables` int (tables, 3) says which of the two (0 is `a`, 1 is `b`) holds each team at each
    table of a deal; every table has both. `winner` int (deals, tables) is the winning team, -1 for
    a drawn game; `starting` int (deals,) is the team that starts all games of the deal.
    """

    a: str
    b: str
    tables: ArrayLike
    winner: ArrayLike
    starting: ArrayLike


class CommonDeals(NamedTuple):
    """Deals that all pairings of a field played.

    `features` int16 (P, deals, 4) are those that `TableField` sums, by pair and deal; `starting`
    int (deals,) is the team that starts.
    """

    features: Array
    starting: Array


@dataclass(frozen=True, eq=False)
class TableField:
    """Strategies by name, sorted, and sums for each pair of them that met.

    `pairs` (P, 2) are places in `names`. In thirds of a win: `wins` (P, 3, 6, 3) by starting team,
    table (`HELD`) and winning team; `firsts` (P, 3, 4) sums the features of deals (wins of the
    first strategy, wins by place) by starting team, `seconds` (P, 3, 4, 4) their products.
    `deals` (P, 3) counts by starting team. All int64. `common` is None where the pairings may have
    played different deals.
    """

    names: tuple[str, ...]
    pairs: Array
    wins: Array
    firsts: Array
    seconds: Array
    deals: Array
    common: CommonDeals | None = None

    def basis(self, pairs: Array) -> tuple[int, int]:
        """Return games and distinct deals of some pairs: a mask, or their places."""
        deals = self.deals[pairs].sum(1)
        distinct = deals.sum() if self.common is None else deals.max(initial=0)
        return int(self.wins[pairs].sum()) // 3, int(distinct)


def common_table_field(pairings: Iterable[TablePairing]) -> TableField:
    """Reduce pairings that all played the same deals, in order, each pair once.

    Raises ValueError as `table_field` does, for a pair that comes twice, and for pairings of which
    the deals differ in number or in the team that starts.
    """
    given = list(pairings)
    made = table_field(given)
    starting = np.asarray(given[0].starting)
    if any(not np.array_equal(starting, np.asarray(each.starting)) for each in given):
        raise ValueError("pairings: of different deals; allowed: the same deals for all")
    if len(given) > len(made.pairs):
        raise ValueError("pairings: a pair twice; allowed: every pair once")
    features = np.empty((len(given), len(starting), 1 + TEAMS), np.int16)
    row = {pair: k for k, pair in enumerate(map(tuple, made.pairs.tolist()))}
    for each in given:
        (first, second), held = sorted((each.a, each.b)), np.asarray(each.tables)
        pair = (made.names.index(first), made.names.index(second))
        thirds = _thirds(np.asarray(each.winner))
        features[row[pair]] = _features(held if each.a == first else 1 - held, thirds, starting)
    return replace(made, common=CommonDeals(features, starting))


def table_field(pairings: Iterable[TablePairing]) -> TableField:
    """Reduce pairings to a field; a pair may come in parts, in either order.

    Raises ValueError for no pairing, a strategy against itself, and for shapes, types or numbers
    that are not allowed.
    """
    sums: dict[tuple[str, str], list[Array]] = {}
    for a, b, tables, winner, starting in pairings:
        if a == b:
            raise ValueError(f"pairing: {a} against itself; allowed: two strategies")
        held = _checked("tables", tables, (None, TEAMS), 0, 1)
        if not np.isin(held.sum(1), (1, 2)).all():
            raise ValueError("tables: one of a single strategy; allowed: tables of both")
        start = _checked("starting", starting, (None,), 0, TEAMS - 1)
        won = _checked("winner", winner, (len(start), len(held)), -1, TEAMS - 1)
        pair, held = ((a, b), held) if a < b else ((b, a), 1 - held)
        found = _reduced(held, won, start)
        before = sums.get(pair, [np.zeros_like(each) for each in found])
        sums[pair] = [old + new for old, new in zip(before, found, strict=True)]
    if not sums:
        raise ValueError("pairings: none; allowed: at least one")
    names = tuple(sorted({name for pair in sums for name in pair}))
    pairs = np.array([[names.index(name) for name in pair] for pair in sorted(sums)])
    wins, firsts, seconds, deals = (
        np.stack([sums[pair][k] for pair in sorted(sums)]) for k in range(4)
    )
    return TableField(names, pairs, wins, firsts, seconds, deals)


def _checked(
    name: str, given: ArrayLike, shape: tuple[int | None, ...], low: int, high: int
) -> Array:
    found = np.asarray(given)
    fits = found.ndim == len(shape) and all(
        want in (None, have) for want, have in zip(shape, found.shape, strict=True)
    )
    if not fits or found.dtype.kind not in "iu":
        told = str(shape).replace("None", "any")
        raise ValueError(f"{name}: {found.dtype} {found.shape}; allowed: integers {told}")
    if found.size and (found.min() < low or found.max() > high):
        raise ValueError(f"{name}: {found.min()} to {found.max()}; allowed: {low} to {high}")
    return found.astype(np.int64)


def _thirds(winner: Array) -> Array:
    """Thirds of a win (deals, tables, 3) of each team."""
    return np.where(winner[..., None] < 0, 1, 3 * (winner[..., None] == np.arange(TEAMS)))


def _features(held: Array, thirds: Array, starting: Array) -> Array:
    """Features (deals, 4) of `TableField`, by deal."""
    by_place = np.take_along_axis(thirds.sum(1), np.argsort(PLACE, axis=1)[starting], axis=1)
    of_first = (thirds * (1 - held)).sum((1, 2))
    return np.concatenate([of_first[:, None], by_place], axis=1)


def _reduced(held: Array, winner: Array, starting: Array) -> list[Array]:
    """Return wins, firsts, seconds and deals (`TableField`) of one pairing."""
    thirds, table = _thirds(winner), held @ (1 << np.arange(TEAMS)) - 1
    features = _features(held, thirds, starting)
    wins = np.zeros((TEAMS, TABLES, TEAMS), np.int64)
    firsts, seconds, deals = (np.zeros((TEAMS, *s), np.int64) for s in ((4,), (4, 4), ()))
    for start in range(TEAMS):
        chosen = starting == start
        np.add.at(wins[start], table, thirds[chosen].sum(0))
        firsts[start], deals[start] = features[chosen].sum(0), chosen.sum()
        seconds[start] = features[chosen].T @ features[chosen]
    return [wins, firsts, seconds, deals]
