"""A tournament: pairings of strategies on the same deals, and the tables that judge them."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from analysis.duel import Duel, Pairing, duel_arm, games_of_deal, told_duel
from analysis.patterns import Field, common_field
from analysis.patterns import Pairing as Outcomes
from analysis.thirds import TableField, TablePairing, common_table_field
from experiments.play import play
from experiments.record import Record
from experiments.session import Session
from simcore.arms import Arm, Table
from simcore.plan import Array
from simcore.rules import Rules
from simcore.runner import RunError
from simcore.simulation import Progress
from simcore.strategy import Strategy

FORMATS = ("round-robin", "gauntlet", "swiss")
FEWEST, MOST = 2, 40
"""Strategies of a tournament."""


@dataclass(frozen=True)
class Tournament:
    """Strategies in order of their names, `games` a pair; a gauntlet is run by the `challenger`."""

    strategies: tuple[Strategy, ...]
    rules: Rules
    format: str
    games: int
    seed: int
    challenger: str

    @property
    def deals(self) -> int:
        """Deals of each pair, the same ones for all."""
        return -(-self.games // games_of_deal(self.rules))

    @property
    def rounds(self) -> int:
        """Rounds of a Swiss tournament."""
        return min(math.ceil(math.log2(len(self.strategies))) + 1, len(self.strategies) - 1)

    @property
    def pairs(self) -> int:
        """Pairings that are going to be played."""
        n = len(self.strategies)
        return {"round-robin": n * (n - 1) // 2, "gauntlet": n - 1}.get(
            self.format, self.rounds * (n // 2)
        )

    @property
    def all_games(self) -> int:
        """Games of the tournament."""
        return self.pairs * self.deals * games_of_deal(self.rules)

    def told(self) -> dict[str, Any]:
        """Return all that the tables depend on, as run.json has it."""
        return {
            "kind": "tournament",
            "seed": self.seed,
            "rules": self.rules.settings(),
            "board": self.rules.load_board().rows(),
            "strategies": [strategy.name for strategy in self.strategies],
            "files": {s.name: s.bot.source for s in self.strategies if s.bot.source},
            "pairing": self.format,
            "games": self.games,
            "challenger": self.challenger if self.format == "gauntlet" else "",
        }


def make_tournament(
    strategies: Sequence[Strategy],
    rules: Rules,
    format_name: str = "round-robin",
    games: int = 20_000,
    seed: int = 0,
) -> Tournament:
    """Return a tournament; the first strategy named runs a gauntlet. Raises RunError."""
    names = [strategy.name for strategy in strategies]
    if twice := [name for name in names if names.count(name) > 1]:
        raise RunError(f"strategies: {twice[0]} twice; allowed: every strategy once")
    if not FEWEST <= len(names) <= MOST:
        raise RunError(f"strategies: {len(names)} given; allowed: {FEWEST} to {MOST}")
    if format_name not in FORMATS:
        raise RunError(f"format: {format_name!r}; allowed: {', '.join(FORMATS)}")
    ordered = tuple(sorted(strategies, key=lambda strategy: strategy.name))
    return Tournament(ordered, rules, format_name, games, seed, names[0])


def play_tournament(
    tournament: Tournament,
    record: Record,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Mapping[str, Table]:
    """Play what is missing, and return the tables of all pairings."""
    if tournament.format != "swiss":
        return play(record, _arms(tournament, _fixed(tournament)), threads, progress)
    met: list[tuple[str, str]] = []
    tables: dict[str, Table] = {}
    for _ in range(tournament.rounds):
        new = swiss_round(tournament, met, tables)
        # Of this round only: a tournament that goes on may have later ones in its record already.
        tables |= play(record, _arms(tournament, new), threads, progress)
        met += new
    return tables


def _fixed(tournament: Tournament) -> list[tuple[str, str]]:
    names = [strategy.name for strategy in tournament.strategies]
    pairs = list(combinations(names, 2))
    if tournament.format == "gauntlet":
        return [pair for pair in pairs if tournament.challenger in pair]
    return pairs


def swiss_round(
    tournament: Tournament, met: Sequence[tuple[str, str]], tables: Mapping[str, Table]
) -> list[tuple[str, str]]:
    """Return the next round: from the top, each with the next who is free and whom it has not met.

    Standings are points by the games played; who is left over rests: whoever has played most, the
    last of those. Whoever has rested most moves up among equals.
    """
    names = [strategy.name for strategy in tournament.strategies]
    points = dict.fromkeys(names, 0.0)
    played = dict.fromkeys(names, 0)
    for pair, duel in duels_of(tournament, tables).items():
        own = float(duel.points.mean()) / duel.games
        for name, share in zip(pair, (own, 1 - own), strict=True):
            points[name] += share
            played[name] += 1
    mean = {name: points[name] / max(played[name], 1) for name in names}
    standing = sorted(names, key=lambda name: (-mean[name], played[name], name))
    by_rest = sorted(names, key=lambda name: (-played[name], -standing.index(name)))
    pairs_met = {frozenset(pair) for pair in met}
    # Of five or six strategies, those left to meet do not always make up whole pairs.
    for resting in range(len(names) % 2, len(names), 2):
        for rests in combinations(by_rest, resting):
            found = _matched([name for name in standing if name not in rests], pairs_met)
            if found is not None:
                return found
    return []


def _matched(free: Sequence[str], met: set[frozenset[str]]) -> list[tuple[str, str]] | None:
    """Pair off all, the first with the earliest that leaves a way for the others; None if none."""
    if not free:
        return []
    first = free[0]
    for other in free[1:]:
        if frozenset((first, other)) in met:
            continue
        rest = _matched([name for name in free if name not in (first, other)], met)
        if rest is not None:
            return [(min(first, other), max(first, other)), *rest]
    return None


def pair_name(pair: tuple[str, str]) -> str:
    """Return the name of a pairing's arm."""
    return f"{pair[0]} - {pair[1]}"


def _arms(tournament: Tournament, pairs: Sequence[tuple[str, str]]) -> list[Arm]:
    rules, board = tournament.rules, tournament.rules.load_board()
    return [duel_arm(_pairing(tournament, pair), rules, board, tournament.seed) for pair in pairs]


def _pairing(tournament: Tournament, pair: tuple[str, str]) -> Pairing:
    by_name = {strategy.name: strategy for strategy in tournament.strategies}
    return Pairing(by_name[pair[0]], by_name[pair[1]], 0, tournament.deals)


def duels_of(tournament: Tournament, tables: Mapping[str, Table]) -> dict[tuple[str, str], Duel]:
    """Return what each pairing came to, by names in alphabetical order."""
    pairs = _pairs_of(tournament, tables)
    return {
        pair: told_duel(_pairing(tournament, pair), arm, tables[arm.name])
        for pair, arm in zip(pairs, _arms(tournament, pairs), strict=True)
    }


def outcomes_of(
    tournament: Tournament, tables: Mapping[str, Table]
) -> dict[tuple[str, str], Array]:
    """Return the `outcomes` of each pairing of a tournament of two teams, by names."""
    pairs = _pairs_of(tournament, tables)
    return {
        pair: outcomes(arm.design.seatings, tables[arm.name])
        for pair, arm in zip(pairs, _arms(tournament, pairs), strict=True)
    }


def two_team_field(tournament: Tournament, tables: Mapping[str, Table]) -> Field:
    """Return the results of a tournament of two teams as patterns of deals."""
    found = outcomes_of(tournament, tables)
    return common_field(Outcomes(*pair, outcome) for pair, outcome in found.items())


def three_team_field(tournament: Tournament, tables: Mapping[str, Table]) -> TableField:
    """Return the results of a tournament of three teams by table."""
    pairs = _pairs_of(tournament, tables)
    return common_table_field(
        TablePairing(
            *pair,
            arm.design.seatings[:, :3],
            tables[arm.name]["winner"],
            tables[arm.name]["first_team"][:, 0],
        )
        for pair, arm in zip(pairs, _arms(tournament, pairs), strict=True)
    )


def _pairs_of(tournament: Tournament, tables: Mapping[str, Table]) -> list[tuple[str, str]]:
    names = [strategy.name for strategy in tournament.strategies]
    return [pair for pair in combinations(names, 2) if pair_name(pair) in tables]


def outcomes(seatings: Array, table: Table) -> Array:
    """Return int64 (deals, 2): the first strategy's result in the game it starts, and the other.

    2 won, 1 drawn, 0 lost; the table is that of `measures.results` for two seatings.
    """
    own_team = np.argmin(seatings[:, :2], axis=1)  # the team that strategy 0 holds, by seating
    result = np.where(table["winner"] < 0, 1, 2 * (table["winner"] == own_team))
    starts = table["first_team"] == own_team
    at = np.arange(len(result))
    return np.stack(
        [result[at, starts.argmax(axis=1)], result[at, starts.argmin(axis=1)]], axis=1
    ).astype(np.int64)


def run_tournament(
    tournament: Tournament, session: Session
) -> tuple[Path, list[dict[str, Any]], list[str]]:
    """Play a tournament in a session and write its report.

    Returns the page, the rows of the rating table from best to worst, and the page's sentences.
    """
    _arms(tournament, _fixed(tournament)[:1])  # refuses a seed before there is a folder
    with session.record(tournament.told()) as record:
        tables = play_tournament(tournament, record, session.threads, session.progress)
        record.finish()
    from experiments.tournament_report import write

    return write(tournament, tables, record.manifest, session.report)
