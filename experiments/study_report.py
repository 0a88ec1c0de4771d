"""The report of a study: its variants, what every level does, and which variants are fairer."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from analysis import style
from analysis.estimates import Estimate, holm, p_value
from analysis.paired import PAYS, Difference, Figure, difference
from analysis.question import PERCENT, POINTS, Chart, row, table
from analysis.sentence import figure as in_words
from experiments.front import front, front_height, plot_front
from experiments.page import Chapter, write_report
from experiments.study import ADVANTAGE, LENGTH, SKILL, UNITS, Effect
from experiments.variants import BASE, Study, Variant

DOUBT = 0.05
"""P-value, adjusted for all that is compared, below which a finding is beyond doubt."""

_DEFINITIONS = {
    ADVANTAGE: "mean score of the team that moves first less 1/teams",
    "draws": "share of games drawn",
    LENGTH: "mean turns of a game",
    "comebacks": "share of games won by a team that did not score the first sequence, of those "
    "won with a sequence scored",
    "corner usage": "share of scored sequences that run through a corner",
    SKILL: "score of the strong strategy against the weak one, in all seatings of the two",
    "two-eyed jack": "score that a hand gains when a plain card of it, drawn at random, changes "
    "places with a two-eyed jack not dealt to any hand; deals with none are left out",
    "one-eyed jack": "the same with a one-eyed jack",
}


def write(
    study: Study,
    found: Mapping[str, Mapping[str, Figure]],
    effects: Sequence[Effect],
    manifest: Mapping[str, Any],
    out_dir: Path,
) -> tuple[Path, list[str]]:
    """Write the report of a study; return its page and the sentences that it opens with."""
    fairer = _fairer(study, found)
    chapters = [
        _variants_chapter(study, found),
        _effects_chapter(effects),
        _fairness_chapter(study, found, fairer),
    ]
    quotes = [*_base_quote(found), *_effect_quotes(effects), *_fairer_quote(fairer)]
    rules = study.base.rules
    changes = ", ".join(f"{name} = {value}" for name, value in rules.changes().items())
    facts = [
        ("Table", f"{rules.players} players in {rules.teams} teams, as the base has it"),
        ("Strategies", f"{study.base.strategy.name}; skill: {study.strong.name} against "
         f"{study.weak.name}"),
        ("Base", changes or "the standard game"),
        ("Design", f"{study.design}, {len(study.variants)} variants on common deals where the "
         "players are as many"),
        ("Played", f"{study.games:,} games of each kind for each variant"),
    ]  # fmt: skip
    page = write_report(out_dir, study.title, manifest, facts, quotes, chapters)
    return page, [sentence for _, sentence in quotes]


def effect_unit(outcome: str) -> str:
    """Return the unit of a difference: that of shares is points."""
    return POINTS if UNITS[outcome] == PERCENT else UNITS[outcome]


def told(variant: Variant, outcome: str, found: Mapping[str, Mapping[str, Figure]]) -> Estimate:
    """Return an outcome with its interval; shares and scores have one that stays in range."""
    figure = found[variant.name][outcome]
    if UNITS[outcome] != PERCENT:
        return figure.estimate()
    # Of two strategies at a table of three teams, one scores 2/3 at most (see analysis.duel).
    return figure.share(2 / variant.rules.teams if outcome == SKILL else 1.0)


def _variants_chapter(study: Study, found: Mapping[str, Mapping[str, Figure]]) -> Chapter:
    rows = [
        row(told(variant, outcome, found), unit, outcome=outcome, variant=variant.name)
        for outcome, unit in UNITS.items()
        for variant in study.variants
        if outcome in found[variant.name]
    ]
    meaning = "; ".join(f"{name}: {text}" for name, text in _DEFINITIONS.items())
    return Chapter(
        "variants",
        "Outcomes of every variant",
        (f"{meaning}. Shares and scores have Wilson's interval by deal.",),
        {"variants": table(rows)},
        {"variants": "Outcomes by variant"},
    )


def _effects_chapter(effects: Sequence[Effect]) -> Chapter:
    rows = [
        row(
            e.difference.estimate,
            effect_unit(e.outcome),
            outcome=e.outcome,
            factor=e.factor,
            level=e.level,
        )
        | {
            "p (raw)": e.p,
            "p (Holm)": e.holm,
            "correlation": e.difference.correlation,
            "games saved": e.difference.saved,
        }
        for e in effects
    ]
    outcomes = dict.fromkeys(e.outcome for e in effects)
    charts = tuple(
        Chart(
            f"effect-{outcome.replace(' ', '-')}",
            f"effects_{_key(outcome)}",
            f"Effect on {outcome}",
            f"Difference of {outcome} from the first level, with 95 % intervals.",
            _plot_effects,
            style.rows_high,
        )
        for outcome in outcomes
    )
    by_outcome = {
        f"effects_{_key(outcome)}": table(r for r in rows if r["outcome"] == outcome)
        for outcome in outcomes
    }
    return Chapter(
        "effects",
        "What each level does",
        (
            "The outcome with the level less that with the factor's first level, by deal, on the "
            "same deals where the players are as many; in a full design averaged over the levels "
            "of the other factors. Intervals are for each effect alone; p (Holm) is adjusted for "
            "all effects of the study, so that the chance of one false finding stays at 5 %.",
            "Games saved says how many times as many games on independent deals would give the "
            f"same interval, from the correlation by deal; below {PAYS} pairing did not pay. Where "
            "neither stands there, the deals are not the same, or one side cannot vary.",
        ),
        by_outcome,
        {name: f"Effects on {outcome}" for name, outcome in zip(by_outcome, outcomes, strict=True)},
        charts,
    )


def _key(outcome: str) -> str:
    return outcome.replace(" ", "_").replace("-", "_")


def _plot_effects(table: pd.DataFrame, ax: Axes) -> Axes:
    names = [f"{f}={level}" for f, level in zip(table["factor"], table["level"], strict=True)]
    style.forest(table, ax, names)
    style.reference_line(ax, 0.0, "no effect")
    ax.set_xlabel(f"difference ({table['unit'].iloc[0]})")
    ax.set_ylabel("level")
    return ax


def _fairer(
    study: Study, found: Mapping[str, Mapping[str, Figure]]
) -> list[tuple[str, Difference, float]]:
    """Return by how much less each variant favours anybody than the base, and Holm's p."""
    base = _size(found[BASE][ADVANTAGE])
    told = [
        (v.name, difference(_size(found[v.name][ADVANTAGE]), base, _paired(study, found, v.name)))
        for v in study.variants[1:]
    ]
    adjusted = holm([p_value(each.estimate, 0.0) for _, each in told])
    return [(name, each, float(p)) for (name, each), p in zip(told, adjusted, strict=True)]


def _size(figure: Figure) -> Figure:
    """Return the size of an advantage, whosever it is."""
    return figure.scaled(-1.0 if (figure.value or 0.0) < 0 else 1.0)


def _paired(study: Study, found: Mapping[str, Mapping[str, Figure]], name: str) -> bool:
    players = {v.name: v.rules.players for v in study.variants}
    same = found[name][ADVANTAGE].deals == found[BASE][ADVANTAGE].deals
    return players[name] == players[BASE] and same


def _fairness_chapter(
    study: Study,
    found: Mapping[str, Mapping[str, Figure]],
    fairer: Sequence[tuple[str, Difference, float]],
) -> Chapter:
    rows = [
        row(each.estimate, POINTS, variant=name) | {"p (Holm)": p, "games saved": each.saved}
        for name, each, p in fairer
    ]
    drawn = front(study, found)
    return Chapter(
        "fairness",
        "Fairness against length and skill",
        (
            "How far the first player's advantage is from zero, whichever way, less that of the "
            "base: below zero the variant is fairer. p (Holm) is adjusted for all variants. A "
            "variant whose advantage is near zero looks a little less fair than it is, as its "
            "size cannot be below zero.",
            "A variant stands on the front if no other is at least as fair, as short and as "
            "skilful at once, and better in one of the three (by the estimates alone).",
        ),
        {"fairer": table(rows), "front": drawn},
        {
            "fairer": "Size of the first-player advantage, less that of the base",
            "front": "Fairness, length and skill of every variant",
        },
        (
            Chart(
                "pareto",
                "front",
                "Fairness against length and skill",
                "Size of the first-player advantage against turns of a game; skill by shade; "
                "variants on the front are named.",
                plot_front,
                front_height,
            ),
        ),
    )


def _base_quote(found: Mapping[str, Mapping[str, Figure]]) -> list[tuple[str, str]]:
    told = in_words(found[BASE][ADVANTAGE].estimate().affine(100), POINTS, sign=True)
    return [("variants", f"By the base rules, going first is worth {told}.")]


def _effect_quotes(effects: Sequence[Effect]) -> list[tuple[str, str]]:
    sure = [e for e in effects if e.holm < DOUBT]
    said = [("effects", f"{len(sure)} of {len(effects)} effects are beyond doubt.")]
    ahead = [e for e in sure if e.outcome == ADVANTAGE]
    if ahead:
        largest = max(ahead, key=lambda e: abs(e.difference.estimate.value or 0.0))
        told = in_words(largest.difference.estimate.affine(100), POINTS, sign=True)
        said.append(("effects", f"{largest.factor}={largest.level} moves that most, by {told}."))
    return said


def _fairer_quote(fairer: Sequence[tuple[str, Difference, float]]) -> list[tuple[str, str]]:
    sure = [(n, d) for n, d, p in fairer if p < DOUBT and (d.estimate.value or 0.0) < 0]
    if not sure:
        return [("fairness", "No variant is fairer than the base beyond doubt.")]
    name, best = min(sure, key=lambda each: each[1].estimate.value or 0.0)
    told = in_words(best.estimate.affine(100), POINTS, sign=True)
    many = "One variant is" if len(sure) == 1 else f"{len(sure)} variants are"
    return [
        (
            "fairness",
            f"{many} fairer than the base beyond doubt, most of all {name}: the size of the "
            f"advantage changes by {told}.",
        )
    ]
