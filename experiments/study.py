"""A study: variants of the rules on common deals, and what each does to the outcomes."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from analysis.duel import Pairing, duel_arm, told_duel
from analysis.estimates import holm, p_value
from analysis.paired import Difference, Figure, difference, figure, mean_figure
from analysis.question import PERCENT, POINTS
from experiments.play import play
from experiments.session import Session
from experiments.treatment import KINDS, treated_figure
from experiments.variants import Study, Variant
from simcore.arms import Arm, Measure, Table
from simcore.measures import outcomes, scores
from simcore.plan import Plan
from simcore.rules import Rules
from simcore.simulation import make_plan
from simcore.strategy import bot_files

ADVANTAGE = "first-player advantage"
LENGTH, SKILL = "length", "skill"
UNITS = {
    ADVANTAGE: POINTS,
    "draws": PERCENT,
    LENGTH: "turns",
    "comebacks": PERCENT,
    "corner usage": PERCENT,
    SKILL: PERCENT,
    "two-eyed jack": POINTS,
    "one-eyed jack": POINTS,
}
"""The outcomes, in order, and their units."""

_PLAY, _SKILL, _CONTROL = "play", "skill", "control"


def arms(study: Study, seed: int) -> list[Arm]:
    """Return the arms of a study: for each variant play, skill and, if asked for, jacks."""
    return [arm for variant in study.variants for arm in _arms(study, variant, seed)]


def _arms(study: Study, variant: Variant, seed: int) -> list[Arm]:
    made = [_play_arm(study, variant, seed, _PLAY, "rotate", outcomes)]
    if study.strong.name != study.weak.name:
        deals = _deals(study.games, 2 if variant.rules.teams == 2 else 6)
        pairing = Pairing(study.strong, study.weak, 0, deals)
        arm = duel_arm(pairing, variant.rules, variant.rules.load_board(), seed)
        made.append(Arm(_name(variant, _SKILL), arm.plan, arm.design, 0, deals, arm.measure))
    if study.jacks:
        made.append(_play_arm(study, variant, seed, _CONTROL, "none", scores))
        made += [
            _play_arm(study, variant, seed, kind, "none", scores, kind)
            for kind in KINDS
            if getattr(variant.rules, f"{kind}_jacks") > 0
        ]
    return made


def _play_arm(
    study: Study,
    variant: Variant,
    seed: int,
    kind: str,
    design_name: str,
    measure: Measure,
    intervention: str = "none",
) -> Arm:
    plan, design = make_plan([variant.strategy], variant.rules, seed, design_name)
    deals = _deals(study.games, len(design.seatings))
    treated = Plan(
        plan.rules, plan.board, plan.names, plan.seatings, seed, plan.design, intervention
    )
    return Arm(_name(variant, kind), treated, design, 0, deals, measure)


def _name(variant: Variant, kind: str) -> str:
    return f"{variant.name} | {kind}"


def _deals(games: int, games_of_deal: int) -> int:
    return -(-games // games_of_deal)


@dataclass(frozen=True)
class Effect:
    """What a level of a factor does to an outcome, against the factor's first level.

    `p` is two-sided, `holm` adjusted for all effects of the study.
    """

    factor: str
    level: str
    outcome: str
    difference: Difference
    p: float
    holm: float


def figures(study: Study, tables: Mapping[str, Table], seed: int) -> dict[str, dict[str, Figure]]:
    """Return the figure of each outcome by variant and outcome."""
    return {variant.name: _figures(study, variant, tables, seed) for variant in study.variants}


def _figures(
    study: Study, variant: Variant, tables: Mapping[str, Table], seed: int
) -> dict[str, Figure]:
    play, teams = tables[_name(variant, _PLAY)], variant.rules.teams
    deals = len(play["start"])
    each = np.full(deals, float(teams))  # games of a deal, as each team starts once
    games = deals * teams
    found = {
        ADVANTAGE: figure(play["start"], each, games).scaled(1, -1 / teams),
        "draws": figure(play["drawn"], each, games),
        LENGTH: figure(play["turns"], each, games),
        "comebacks": figure(play["comebacks"], play["decided"], games),
        "corner usage": figure(play["corners"], play["sequences"], games),
    }
    skill = tables.get(_name(variant, _SKILL))
    if skill is not None:
        found[SKILL] = _skill(study, variant.rules, skill, seed)
    if study.jacks:
        control = tables[_name(variant, _CONTROL)]
        for kind, told in KINDS.items():
            treated = tables.get(_name(variant, kind))
            if treated is not None:
                found[told] = treated_figure(kind, control, treated, variant.rules, seed)
    return found


def _skill(study: Study, rules: Rules, table: Table, seed: int) -> Figure:
    pairing = Pairing(study.strong, study.weak, 0, len(table["winner"]))
    arm = duel_arm(pairing, rules, rules.load_board(), seed)
    played = told_duel(pairing, arm, table)
    held = np.full(pairing.deals, played.games * rules.teams / 2)
    return figure(played.points, held, arm.games)


def effects(study: Study, found: Mapping[str, Mapping[str, Figure]]) -> list[Effect]:
    """Return the effects of all levels on all outcomes, with Holm over all of them."""
    told = [
        (factor, level, outcome, _effect(study, found, factor, level, outcome))
        for outcome in UNITS
        for factor, levels in study.factors.items()
        for level in levels[1:]
    ]
    known = [each for each in told if each[3].estimate.value is not None]
    p = [p_value(each[3].estimate, 0.0) for each in known]
    adjusted = holm(p)
    return [
        Effect(*each, raw, float(all_together))
        for each, raw, all_together in zip(known, p, adjusted, strict=True)
    ]


def _effect(
    study: Study,
    found: Mapping[str, Mapping[str, Figure]],
    factor: str,
    level: str,
    outcome: str,
) -> Difference:
    """Return the effect: in a full design the mean over the levels of the other factors."""
    with_level, without = [], []
    first = study.factors[factor][0]
    for variant in study.variants:
        others = {name: text for name, text in variant.levels.items() if name != factor}
        if study.design != "full" and any(
            text != study.factors[name][0] for name, text in others.items()
        ):
            continue
        if outcome not in found[variant.name]:
            continue
        if variant.levels[factor] == level:
            with_level.append(variant)
        elif variant.levels[factor] == first:
            without.append(variant)
    paired = _on_common_deals([*with_level, *without], found, outcome)
    sides = [
        mean_figure([found[v.name][outcome] for v in side], paired)
        for side in (with_level, without)
    ]
    return difference(sides[0], sides[1], paired)


def _on_common_deals(
    variants: list[Variant], found: Mapping[str, Mapping[str, Any]], outcome: str
) -> bool:
    """Return whether all have the same deals: as many players, and as many games a deal."""
    deals = {(v.rules.players, found[v.name][outcome].deals) for v in variants}
    return len(deals) == 1


def study_games(study: Study, seed: int) -> int:
    """Return the games of a study."""
    return sum(arm.games for arm in arms(study, seed))


def task(study: Study, seed: int) -> dict[str, Any]:
    """Return all that the tables of a study depend on, as run.json has it."""
    return {
        "kind": "study",
        "seed": seed,
        "title": study.title,
        "design": study.design,
        "games": study.games,
        "jacks": study.jacks,
        "strong": study.strong.name,
        "weak": study.weak.name,
        "files": bot_files([study.strong, study.weak, *(v.strategy for v in study.variants)]),
        "factors": {name: list(levels) for name, levels in study.factors.items()},
        "variants": [
            {
                "name": variant.name,
                "levels": dict(variant.levels),
                "rules": variant.rules.settings(),
                "board": variant.rules.load_board().rows(),
                "strategy": variant.strategy.name,
            }
            for variant in study.variants
        ],
    }


def run_study(study: Study, session: Session, seed: int = 0) -> tuple[Path, list[str]]:
    """Play a study in a session and write its report; return the page and its sentences."""
    with session.record(task(study, seed)) as record:
        tables = play(record, arms(study, seed), session.threads, session.progress)
        record.finish()
    found = figures(study, tables, seed)
    from experiments.study_report import write

    return write(study, found, effects(study, found), record.manifest, session.report)
