"""How many games? A pilot shows how a figure varies in its design; the rest is arithmetic.

One strategy: the score of the team that moves first, the start rotated. Two strategies: the score
of the first, seats changed. Pilots are played on deals that no run has.
"""

from dataclasses import dataclass, replace
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np

from analysis.ahead import pairs_until_ahead
from analysis.duel import Pairing, duel_arm, games_of_deal, told_duel
from analysis.estimates import Estimate, moments, proportion
from analysis.power import Need, Pilot, need_for_effect, need_for_width, pilot
from experiments.play import play
from experiments.session import Session
from experiments.tournament import outcomes
from simcore.arms import Arm, Table
from simcore.measures import results
from simcore.rules import Rules
from simcore.runner import RunError
from simcore.simulation import make_plan
from simcore.strategy import Strategy, bot_files

PILOT_FIRST = 2**43
"""The first deal of pilots: beyond those of runs and matches."""

WIDTHS = (0.05, 0.02, 0.01, 0.005, 0.002, 0.001)
"""Half-widths and effects that are shown if none is wanted, as shares of a score."""

HALF_WIDTH, EFFECT = "half-width", "effect"
"""The kinds of wishes."""


@dataclass(frozen=True)
class Task:
    """What is wished, and how the pilot is played; wishes are shares of a score.

    An effect is to be found with the chance `power` by a test at `alpha`. Raises RunError for a
    number of strategies or deals, ValueError for wishes and chances that are not allowed.
    """

    strategies: tuple[Strategy, ...]
    rules: Rules
    half_widths: tuple[float, ...] = ()
    effects: tuple[float, ...] = ()
    power: float = 0.8
    alpha: float = 0.05
    deals: int = 5_000
    seed: int = 0

    def __post_init__(self) -> None:
        if self.deals < 2:
            raise RunError(f"deals: {self.deals}; allowed: 2 or more")
        names = {strategy.name for strategy in self.strategies}
        if len(self.strategies) > 2 or len(self.strategies) != len(names) or not names:
            told = f"strategies: {len(self.strategies)}"
            raise RunError(f"{told}; allowed: one, or two that differ")
        for kind, wish in self.wishes():
            if not (isfinite(wish) and wish > 0):
                raise RunError(f"{kind}: {100 * wish:g}; allowed: points above 0")
        needs(self, Pilot(0.5, 0.0, 1.0))  # refuses wishes before there is a folder

    def wishes(self) -> tuple[tuple[str, float], ...]:
        """Return the wishes by kind: all of WIDTHS if none was told."""
        none = not self.half_widths and not self.effects
        widths, effects = (WIDTHS, WIDTHS) if none else (self.half_widths, self.effects)
        return (*((HALF_WIDTH, each) for each in widths), *((EFFECT, each) for each in effects))

    def arm(self) -> Arm:
        """Return the arm that shows how the figure varies."""
        if len(self.strategies) == 2:
            made = duel_arm(self.pairing(), self.rules, self.rules.load_board(), self.seed)
            return replace(made, name="pilot")
        plan, design = make_plan(self.strategies, self.rules, self.seed, "rotate")
        return Arm("pilot", plan, design, PILOT_FIRST, self.deals, results)

    def pairing(self) -> Pairing:
        """Return who meets whom, where two strategies were told."""
        a, b = self.strategies
        return Pairing(a, b, PILOT_FIRST, self.deals)

    def told(self) -> dict[str, Any]:
        """Return all that the answer depends on, as run.json has it."""
        return {
            "kind": "power",
            "seed": self.seed,
            "rules": self.rules.settings(),
            "board": self.rules.load_board().rows(),
            "strategies": [strategy.name for strategy in self.strategies],
            "files": bot_files(self.strategies),
            "deals": self.deals,
            "wishes": self.wishes(),
            "power": self.power,
            "alpha": self.alpha,
        }


@dataclass(frozen=True)
class Answer:
    """Needs by wish, None where the pilot did not vary and cannot tell.

    `figure` says what of, `score` what it is in the pilot, `drawn` the share of its games drawn.
    `ahead` is the games until the better one is ahead with a chance of 95 %, None if nothing tells.
    """

    figure: str
    score: Estimate
    drawn: Estimate
    pilot: Pilot
    needs: tuple[tuple[str, float, Need | None], ...]
    ahead: int | None


def needs(task: Task, found: Pilot) -> tuple[tuple[str, float, Need | None], ...]:
    """Return what each wish takes; raises ValueError for wishes that nothing can meet."""
    return tuple(
        (
            kind,
            wish,
            need_for_width(found, wish)
            if kind == HALF_WIDTH
            else need_for_effect(found, wish, task.power, task.alpha),
        )
        for kind, wish in task.wishes()
    )


def answer(task: Task, table: Table) -> Answer:
    """Say how many games each wish takes, by the table of the pilot; raises as `needs`."""
    names = [strategy.name for strategy in task.strategies]
    if len(names) == 2:
        score, found, ahead = _score_pilot(task, table)
        drawn = told_duel(task.pairing(), task.arm(), table).drawn
        figure = f"score of {names[0]} against {names[1]}"
    else:
        (score, drawn, found), ahead = _start_pilot(task.rules, table), None
        figure = f"score of the team that moves first ({names[0]} in all seats)"
    return Answer(figure, score, drawn, found, needs(task, found), ahead)


def _score_pilot(task: Task, table: Table) -> tuple[Estimate, Pilot, int | None]:
    rules, arm = task.rules, task.arm()
    played = told_duel(task.pairing(), arm, table)
    held = np.full((arm.deals, 1), played.games * rules.teams / 2)
    m = moments(played.points[:, None], held, np.full(arm.deals, played.games))[0]
    if rules.teams != 2:  # of two teams held only one can win, so that single games tell less
        return played.score, pilot(m), None
    results_of_pairs = np.bincount(
        outcomes(arm.design.seatings, table).sum(axis=1), minlength=2 * games_of_deal(rules) + 1
    )
    if played.score.value is not None and played.score.value < 0.5:
        results_of_pairs = results_of_pairs[::-1]
    found = pilot(m, played.squares)
    # Deals that all ended alike would tell of a better one that never loses.
    pairs = pairs_until_ahead(results_of_pairs) if found.sd > 0 else None
    return played.score, found, None if pairs is None else 2 * pairs


def _start_pilot(rules: Rules, table: Table) -> tuple[Estimate, Estimate, Pilot]:
    drawn = table["winner"] < 0
    score = np.where(drawn, 1 / rules.teams, table["winner"] == table["first_team"])
    ones = np.full((len(score), 1), float(rules.teams))
    games = np.full(len(score), rules.teams)
    m, m_drawn = (moments(y.sum(axis=1)[:, None], ones, games)[0] for y in (score, drawn))
    return proportion(m), proportion(m_drawn), pilot(m, float((score**2).sum()))


def run_power(task: Task, session: Session) -> tuple[Path, Answer, list[str]]:
    """Play the pilot in a session and write the report; return page, answer and sentences."""
    arm = task.arm()  # refuses a seed before there is a folder
    with session.record(task.told()) as record:
        found = answer(task, play(record, [arm], session.threads, session.progress)[arm.name])
        record.finish()
    from experiments.power_report import write

    page, sentences = write(task, found, record.manifest, session.report)
    return page, found, sentences
