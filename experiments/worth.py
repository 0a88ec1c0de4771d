"""What things are worth, all in points of score: a jack, a card more, the start, corners, blocking.

A jack of a kind and a card more are interventions on one hand of a deal. The start is the score of
the team that moves first, less an equal share. What a strategy may not do all game long costs it
score against itself unrestricted (Jaffe and others 2012): that is what it is worth.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from analysis.duel import Pairing, duel_arm, told_duel
from analysis.paired import Figure, figure, saved_games
from experiments.play import play
from experiments.session import Session
from experiments.treatment import (
    KINDS,
    happened,
    treated_correlation,
    treated_figure,
    treated_saved,
)
from simcore.arms import Arm, Measure, Table
from simcore.frames import PURPOSES
from simcore.intervention import treated_seats
from simcore.measures import outcomes, uses
from simcore.rules import Rules
from simcore.simulation import make_plan
from simcore.strategy import Strategy, bot_files, make_strategy, values_of

GIFTS = {**KINDS, "card": "a card more"}
BARRED = {
    "no_two_eyed": "playing two-eyed jacks",
    "no_one_eyed": "playing one-eyed jacks",
    "no_corner_lines": "lines through corners",
    "no_blocking": "blocking",
}
START = "going first"


@dataclass(frozen=True)
class Case:
    """A strategy in all seats, under rules of a number of players."""

    strategy: Strategy
    rules: Rules

    @property
    def name(self) -> str:
        """What arms are called by."""
        return f"{self.strategy.name}, {self.rules.players} players in {self.rules.teams} teams"


def arms(cases: Sequence[Case], games: int, seed: int) -> list[Arm]:
    """Return the arms of all cases, about `games` games each."""
    return [arm for case in cases for arm in _arms(case, games, seed)]


def _arms(case: Case, games: int, seed: int) -> list[Arm]:
    made = [
        _arm(case, "start", "rotate", outcomes, games, seed),
        _arm(case, "control", "none", uses, games, seed),
    ]
    made += [_arm(case, kind, "none", uses, games, seed, kind) for kind in _gifts(case.rules)]
    for bar in BARRED:
        pairing = _barred(case, bar, games)
        arm = duel_arm(pairing, case.rules, case.rules.load_board(), seed)
        made.append(replace(arm, name=f"{case.name} | {bar}"))
    return made


def _gifts(rules: Rules) -> list[str]:
    return [kind for kind in GIFTS if kind == "card" or getattr(rules, f"{kind}_jacks") > 0]


def _arm(
    case: Case,
    kind: str,
    design: str,
    measure: Measure,
    games: int,
    seed: int,
    intervention: str = "none",
) -> Arm:
    plan, made = make_plan([case.strategy], case.rules, seed, design)
    deals = -(-games // len(made.seatings))
    treated = replace(plan, intervention=intervention)
    return Arm(f"{case.name} | {kind}", treated, made, 0, deals, measure)


def _barred(case: Case, bar: str, games: int) -> Pairing:
    deals = -(-games // (2 if case.rules.teams == 2 else 6))
    barred = make_strategy(case.strategy.bot, {**values_of(case.strategy), bar: 1})
    return Pairing(case.strategy, barred, 0, deals)


@dataclass(frozen=True)
class Worth:
    """What one thing is worth to a strategy, as a share of a score.

    `saved` is how many times as many independent games would tell it as well, None where unknown.
    """

    case: Case
    thing: str
    figure: Figure
    saved: float | None
    correlation: float | None = None
    """Of scores without and with the gift, or of the games of one deal; None where unknown."""


@dataclass(frozen=True)
class Use:
    """How many more jacks of the kind given are used for a purpose, for one jack given."""

    case: Case
    thing: str
    purpose: str
    figure: Figure


def worths(
    cases: Sequence[Case], tables: Mapping[str, Table], games: int, seed: int
) -> tuple[list[Worth], list[Use]]:
    """Return what each thing is worth by case, and what jacks given are used for."""
    worth: list[Worth] = []
    used: list[Use] = []
    for case in cases:
        told = {name.removeprefix(f"{case.name} | "): table for name, table in tables.items()}
        start, saved = _start(case, told["start"])
        worth.append(Worth(case, START, start, saved, _of_deal(saved, case.rules.teams)))
        control = told["control"]
        for kind in _gifts(case.rules):
            both = (kind, control, told[kind], case.rules, seed)
            told_by = (treated_figure(*both), treated_saved(*both), treated_correlation(*both))
            worth.append(Worth(case, GIFTS[kind], *told_by))
            if kind in KINDS:
                used += _uses(case, kind, control, told[kind], seed)
        for bar, thing in BARRED.items():
            lost, saved = _lost(case, bar, told[bar], games, seed)
            worth.append(Worth(case, thing, lost, saved, _of_deal(saved, 2)))
    return worth, used


def _of_deal(saved: float | None, games: int) -> float | None:
    """Correlation of so many games of a deal: the design effect is 1 + (games - 1) of it (Kish)."""
    return None if saved is None else (1 / saved - 1) / (games - 1)


def _start(case: Case, table: Table) -> tuple[Figure, float | None]:
    teams = case.rules.teams
    each = np.full(len(table["start"]), float(teams))
    found = figure(table["start"], each, len(each) * teams)
    drawn = float(table["drawn"].sum())
    squares = float(table["start"].sum()) - drawn / teams + drawn / teams**2
    return found.scaled(1, -1 / teams), saved_games(found, squares)


def _lost(case: Case, bar: str, table: Table, games: int, seed: int) -> tuple[Figure, float | None]:
    pairing, teams = _barred(case, bar, games), case.rules.teams
    arm = duel_arm(pairing, case.rules, case.rules.load_board(), seed)
    played = told_duel(pairing, arm, table)
    held = np.full(pairing.deals, played.games * teams / 2)
    found = figure(played.points, held, arm.games)
    # With three teams a game has a score for each team held, and they hang together.
    saved = saved_games(found, played.squares) if teams == 2 else None
    return found.scaled(1, -1 / teams), saved


def _uses(case: Case, kind: str, control: Table, treated: Table, seed: int) -> list[Use]:
    deals = len(control["score"])
    seats = treated_seats(seed, 0, deals, case.rules.players)
    done = happened(kind, control, treated, seats).astype(np.float64)
    at, column = np.arange(deals), list(KINDS).index(kind)
    more = (
        treated["uses"][at, 0, seats, column].astype(np.float64)
        - control["uses"][at, 0, seats, column]
    )
    return [
        Use(case, KINDS[kind], PURPOSES[i], figure(more[:, i] * done, done, 2 * int(done.sum())))
        for i in range(len(PURPOSES))
    ]


def task(cases: Sequence[Case], games: int, seed: int) -> dict[str, Any]:
    """Return all that the tables depend on, as run.json has it."""
    return {
        "kind": "worth",
        "seed": seed,
        "games": games,
        "files": bot_files([case.strategy for case in cases]),
        "cases": [
            {
                "strategy": case.strategy.name,
                "rules": case.rules.settings(),
                "board": case.rules.load_board().rows(),
            }
            for case in cases
        ],
    }


def run_worth(
    cases: Sequence[Case], session: Session, games: int, seed: int = 0
) -> tuple[Path, list[str]]:
    """Play all cases in a session and write the report; return the page and its sentences."""
    with session.record(task(cases, games, seed)) as record:
        tables = play(record, arms(cases, games, seed), session.threads, session.progress)
        record.finish()
    from experiments.worth_report import write

    return write(*worths(cases, tables, games, seed), record.manifest, session.report)
