"""How many games? A pilot shows how a figure varies in its design; the rest is arithmetic.

One strategy: the advantage of going first, the start rotated. Two strategies: the score of the
first, seats changed. Pilots are played on deals that no run has.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from analysis.ahead import pairs_until_ahead
from analysis.duel import Pairing, duel_arm, games_of_deal, told_duel
from analysis.estimates import moments
from analysis.power import Need, Pilot, need_for_effect, need_for_width, pilot
from experiments.tournament import outcomes
from simcore.arms import Arm, Table, play_arms
from simcore.measures import results
from simcore.rules import Rules
from simcore.runner import RunError
from simcore.simulation import Progress, make_plan
from simcore.strategy import Strategy

PILOT_FIRST = 2**43
"""The first deal of pilots: beyond those of runs and matches."""

WIDTHS = (0.05, 0.02, 0.01, 0.005, 0.002, 0.001)
"""Half-widths and effects that are shown if none is wanted, as shares of a score."""


@dataclass(frozen=True)
class Answer:
    """Needs by wish. `figure` says what of; `ahead` games until the better one is, None if never.

    `kind` is "half-width" or "effect", `wish` a share of a score.
    """

    figure: str
    pilot: Pilot
    deals: int
    needs: tuple[tuple[str, float, Need], ...]
    ahead: int | None


def pilot_arm(strategies: Sequence[Strategy], rules: Rules, deals: int, seed: int) -> Arm:
    """Return the arm that shows how the figure varies; raises RunError for another number."""
    if len(strategies) == 2 and strategies[0].name != strategies[1].name:
        pairing = Pairing(strategies[0], strategies[1], PILOT_FIRST, deals)
        return replace(duel_arm(pairing, rules, rules.load_board(), seed), name="pilot")
    if len(strategies) != 1:
        raise RunError(f"strategies: {len(strategies)}; allowed: one, or two that differ")
    plan, design = make_plan(strategies, rules, seed, "rotate")
    return Arm("pilot", plan, design, PILOT_FIRST, deals, results)


def answer(
    strategies: Sequence[Strategy],
    rules: Rules,
    *,
    half_widths: Sequence[float] = (),
    effects: Sequence[float] = (),
    power: float = 0.8,
    alpha: float = 0.05,
    deals: int = 5_000,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Answer:
    """Play the pilot and say how many games each wish takes.

    Raises RunError for strategies, ValueError for wishes and chances that are not allowed.
    """
    if deals < 2:
        raise RunError(f"deals: {deals}; allowed: 2 or more")
    arm = pilot_arm(strategies, rules, deals, seed)
    tables: dict[str, Table] = {}
    play_arms([arm], lambda arm, table: tables.update({arm.name: table}), threads, progress)
    if len(strategies) == 2:
        found, ahead = _score_pilot(strategies, rules, arm, tables["pilot"])
        figure = f"score of {strategies[0].name} against {strategies[1].name}"
    else:
        found, ahead = _start_pilot(rules, tables["pilot"]), None
        figure = f"advantage of going first, {strategies[0].name} in all seats"
    if not half_widths and not effects:
        half_widths = effects = WIDTHS
    needs = [("half-width", wish, need_for_width(found, wish)) for wish in half_widths]
    needs += [("effect", wish, need_for_effect(found, wish, power, alpha)) for wish in effects]
    return Answer(figure, found, deals, tuple(needs), ahead)


def _score_pilot(
    strategies: Sequence[Strategy], rules: Rules, arm: Arm, table: Table
) -> tuple[Pilot, int | None]:
    pairing = Pairing(strategies[0], strategies[1], PILOT_FIRST, arm.deals)
    played = told_duel(pairing, arm, table)
    held = np.full((arm.deals, 1), played.games * rules.teams / 2)
    m = moments(played.points[:, None], held, np.full(arm.deals, played.games))[0]
    if rules.teams != 2:  # of two teams held only one can win, so that single games tell less
        return pilot(m), None
    results_of_pairs = np.bincount(
        outcomes(arm.design.seatings, table).sum(axis=1), minlength=2 * games_of_deal(rules) + 1
    )
    if played.score.value is not None and played.score.value < 0.5:
        results_of_pairs = results_of_pairs[::-1]
    pairs = pairs_until_ahead(results_of_pairs) if results_of_pairs.any() else None
    return pilot(m, played.squares), None if pairs is None else 2 * pairs


def _start_pilot(rules: Rules, table: Table) -> Pilot:
    drawn = table["winner"] < 0
    score = np.where(drawn, 1 / rules.teams, table["winner"] == table["first_team"])
    ones = np.full((len(score), 1), float(rules.teams))
    m = moments(score.sum(axis=1)[:, None], ones, np.full(len(score), rules.teams))[0]
    return pilot(m, float((score**2).sum()))
