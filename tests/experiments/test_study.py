"""Studies: outcomes and effects against plain pandas, variant by variant and deal by deal."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from arranged import by_deal, t_interval, without_page
from scipy import stats
from statsmodels.stats.multitest import multipletests

from analysis.estimates import WILSON, Estimate
from analysis.paired import APART, PAIRED, Figure, figure
from analysis.sentence import interval
from experiments.play import play
from experiments.record import Record
from experiments.session import Session
from experiments.study import (
    ADVANTAGE,
    LENGTH,
    SKILL,
    UNITS,
    Effect,
    arms,
    effects,
    figures,
    run_study,
    task,
)
from experiments.study_report import _fairer
from experiments.study_report import told as told_outcome
from experiments.variants import BASE, Study, Variant, parse_study
from simcore import simulate
from simcore.run import Run

SEED = 8
GAMES = 600
ONE = """
strategy = "greedy"
strong = "greedy"
weak = "random"
games = 600
jacks = false
[factors]
hand_size = [7, 5]
free_corners = [true, false]
players = [2, 3, 4]
"""
FULL = """
strategy = "greedy"
strong = "balanced"
weak = "balanced"
design = "full"
games = 600
jacks = false
[factors]
hand_size = [7, 5, 4]
free_corners = [true, false]
"""

Found = Mapping[str, Mapping[str, Figure]]


class Played:
    """A study and all that came of it."""

    def __init__(self, text: str, folder: Path) -> None:
        self.study = parse_study(text, "f.toml")
        record = Record(folder / "a", task(self.study, SEED), "a command", False, False)
        self.tables = play(record, arms(self.study, SEED))
        self.found = figures(self.study, self.tables, SEED)
        self.effects = effects(self.study, self.found)

    def effect(self, level: str, outcome: str) -> Effect:
        (told,) = [e for e in self.effects if (e.level, e.outcome) == (level, outcome)]
        return told


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Played:
    return Played(ONE, tmp_path_factory.mktemp("one"))


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Played:
    return Played(FULL, tmp_path_factory.mktemp("full"))


def games_of(variant: Variant) -> Run:
    return simulate([variant.strategy], GAMES, SEED, variant.rules, "rotate")


def start_scores(run: Run, teams: int) -> pd.DataFrame:
    """Return the score of the starting team by game."""
    games = run.games.copy()
    won = games["winner"] == games["first_seat"] % teams
    games["score"] = won.astype(float).mask(games["winner"] < 0, 1 / teams)
    return games


def plain(variant: Variant) -> dict[str, float]:
    """Return the outcomes of a variant, read from the tables of a run."""
    run, teams = games_of(variant), variant.rules.teams
    games = run.games.set_index("game")
    first = run.sequences.sort_values(["game", "turn"], kind="stable").groupby("game").team.first()
    won = games[(games["winner"] >= 0) & games.index.isin(first.index)]
    return {
        ADVANTAGE: start_scores(run, teams)["score"].mean() - 1 / teams,
        "draws": (games["winner"] < 0).mean(),
        LENGTH: games["turns"].mean(),
        "comebacks": (first.reindex(won.index) != won["winner"]).mean(),
        "corner usage": (run.sequences["corner"] != "none").mean(),
    }


def test_outcomes_are_those_of_the_games(one: Played) -> None:
    for variant in one.study.variants:
        found = one.found[variant.name]
        for outcome, value in plain(variant).items():
            assert found[outcome].value == pytest.approx(value), (variant.name, outcome)
            assert found[outcome].games == GAMES
            assert found[outcome].deals == GAMES // variant.rules.teams
        skill = simulate([one.study.strong, one.study.weak], GAMES, SEED, variant.rules, "swap")
        seats = skill.seats[skill.seats["seat"] < variant.rules.teams]
        score = seats[seats["strategy"] == "greedy"]["score"].astype(float).mean()
        assert found[SKILL].value == pytest.approx(score, abs=1e-6)
    assert set(found) == {ADVANTAGE, "draws", LENGTH, "comebacks", "corner usage", SKILL}


def paired(a: npt.NDArray[np.float64], b: npt.NDArray[np.float64]) -> tuple[float, ...]:
    """Return difference and interval by deal."""
    return (float((a - b).mean()), *t_interval(a - b))


def told(estimate: Estimate) -> tuple[Any, ...]:
    return estimate.value, estimate.low, estimate.high


def test_effects_are_paired_by_deal(one: Played) -> None:
    base = one.study.base
    for level, name in (("5", "hand_size=5"), ("false", "free_corners=false")):
        (variant,) = [v for v in one.study.variants if v.name == name]
        runs = [games_of(each) for each in (variant, base)]
        for outcome, column in ((LENGTH, "turns"), (ADVANTAGE, "score")):
            mine, theirs = (by_deal(start_scores(run, 2), column) / 2 for run in runs)
            effect = one.effect(level, outcome).difference
            assert effect.estimate.method == PAIRED
            assert told(effect.estimate) == pytest.approx(paired(mine, theirs))
            assert effect.correlation == pytest.approx(np.corrcoef(mine, theirs)[0, 1])
            saved = (mine.var() + theirs.var()) / (mine - theirs).var()
            assert effect.saved == pytest.approx(saved)
            assert (effect.estimate.games, effect.estimate.deals) == (2 * GAMES, GAMES // 2)
        # A ratio of two sums: that of a share in which deals do not weigh alike.
        parts = [figures_of_corners(run) for run in runs]
        value = parts[0][0] - parts[1][0]
        low, high = t_interval(parts[0][1] - parts[1][1])
        corners = one.effect(level, "corner usage").difference.estimate
        assert told(corners) == pytest.approx((value, value + low, value + high), abs=1e-9)


def figures_of_corners(run: Run) -> tuple[float, npt.NDArray[np.float64]]:
    """Return the share of sequences through a corner, and its jackknifed share by deal."""
    rows = run.sequences.assign(corner=(run.sequences["corner"] != "none").astype(float))
    deals = range(run.games["deal"].max() + 1)
    y = rows.groupby("deal")["corner"].sum().reindex(deals, fill_value=0.0).to_numpy()
    x = rows.groupby("deal")["corner"].size().reindex(deals, fill_value=0).to_numpy()
    ratio = y.sum() / x.sum()
    return ratio, (y - ratio * x) / x.mean()


def test_other_numbers_of_players_are_not_paired(one: Played) -> None:
    runs = {v.rules.players: games_of(v) for v in one.study.variants if "players" in v.name}
    base = games_of(one.study.base)
    for players, run in runs.items():
        effect = one.effect(str(players), LENGTH).difference
        assert effect.estimate.method == APART
        assert effect.correlation is None
        assert effect.saved is None
        teams = 3 if players == 3 else 2
        mine, theirs = by_deal(run.games, "turns") / teams, by_deal(base.games, "turns") / 2
        error = np.sqrt(mine.var(ddof=1) / len(mine) + theirs.var(ddof=1) / len(theirs))
        assert effect.estimate.value == pytest.approx(mine.mean() - theirs.mean())
        assert effect.estimate.error == pytest.approx(error)
    assert set(runs) == {3, 4}


def test_the_main_effect_of_a_full_design(full: Played) -> None:
    """The mean over the levels of the other factors, less the same at the first level, by deal."""
    turns = {
        (v.rules.hand_size, v.rules.free_corners): by_deal(games_of(v).games, "turns") / 2
        for v in full.study.variants
    }
    assert len(turns) == 6
    for size in (5, 4):
        mine, base = ((turns[n, True] + turns[n, False]) / 2 for n in (size, 7))
        effect = full.effect(str(size), LENGTH).difference.estimate
        assert told(effect) == pytest.approx(paired(mine, base))
        assert effect.games == 4 * GAMES
    dead, free = (np.mean([turns[n, on] for n in (7, 5, 4)], axis=0) for on in (False, True))
    effect = full.effect("false", LENGTH).difference.estimate
    assert told(effect) == pytest.approx(paired(dead, free))
    assert effect.method == PAIRED
    assert not any(SKILL in each for each in full.found.values())  # strong and weak are one


def test_holm_is_over_all_effects(one: Played) -> None:
    assert len(one.effects) == 4 * 6
    raw = []
    for effect in one.effects:
        told = effect.difference.estimate
        if told.error:
            degrees = told.deals - 1
            z = abs(told.value or 0.0) / told.error
            p = 2 * (stats.t.sf(z, degrees) if told.deals < 200 else stats.norm.sf(z))
        else:
            p = 1.0
        assert effect.p == pytest.approx(p, abs=1e-12)
        raw.append(p)
    adjusted = multipletests(raw, method="holm")[1]
    assert [effect.holm for effect in one.effects] == pytest.approx(adjusted)


def test_jacks_of_a_study(tmp_path: Path) -> None:
    """Each kind where it is in the deck; the control is the same game without."""
    text = ONE.replace("jacks = false", "jacks = true").split("[factors]")[0]
    played = Played(text + "[factors]\ntwo_eyed_jacks = [4, 0]\n", tmp_path)
    base, none = (played.found[v.name] for v in played.study.variants)
    assert {"two-eyed jack", "one-eyed jack"} <= base.keys()
    assert "two-eyed jack" not in none
    assert "one-eyed jack" in none
    assert base["two-eyed jack"].value is not None
    assert base["two-eyed jack"].value > 0.05
    outcomes = [e.outcome for e in played.effects]
    assert "two-eyed jack" not in outcomes  # nothing to hold against the base
    assert "one-eyed jack" in outcomes


def made_up(values: Mapping[str, float], players: Mapping[str, int]) -> tuple[Study, Found]:
    """Return a study whose advantages are given, by level of the number of players."""
    study = parse_study(f"[factors]\nplayers = {list(players.values())}\n", "f.toml")
    rng = np.random.default_rng(1)
    luck = rng.normal(size=400)
    ones = np.ones(400)
    return study, {
        v.name: {ADVANTAGE: figure(luck + value, ones, 400)}
        for v, value in zip(study.variants, values.values(), strict=True)
    }


def test_fairer_is_nearer_to_zero_whichever_way() -> None:
    study, found = made_up({"a": 0.5, "b": -0.2, "c": 0.9}, {"a": 2, "b": 4, "c": 6})
    mean = found[BASE][ADVANTAGE].value or 0.0
    told = {name: each.estimate for name, each, _ in _fairer(study, found)}
    for variant, size in zip(study.variants[1:], (-0.2, 0.9), strict=True):
        mine = abs(found[variant.name][ADVANTAGE].value or 0.0)
        assert told[variant.name].value == pytest.approx(mine - mean)
        assert found[variant.name][ADVANTAGE].value == pytest.approx(mean - 0.5 + size)
        assert told[variant.name].method == APART


def test_the_report_has_every_figure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And threads change none."""
    study = parse_study(ONE.replace("600", "60").replace(", 3, 4]", ", 3]"), "f.toml")
    page, said = run_study(study, Session(tmp_path / "a", 1), SEED)
    rows = pd.read_csv(page.parent / "variants.csv")
    assert len(rows) == 4 * 6
    assert set(rows["outcome"]) == set(UNITS) - {"two-eyed jack", "one-eyed jack"}
    html = page.read_text("utf-8")
    for text in ("Pareto", "Holm", "games saved", "first-player advantage"):
        assert text.lower() in html.lower(), text
    assert any("fairer than the base" in each for each in said)
    effects_csv = sorted(page.parent.glob("effects_*.csv"))
    assert len(effects_csv) == 6
    without_page(monkeypatch, "study_report")
    assert run_study(study, Session(tmp_path / "b", 2), SEED)[1] == said


def test_shares_of_a_study_stay_in_range(tmp_path: Path) -> None:
    """A strong bot that nearly always wins, no draws, and a difference that is zero throughout."""
    text = ONE.split("[factors]")[0].replace("600", "60")
    played = Played(text + "[factors]\nmax_turns = [1000, 999]\n", tmp_path)
    for variant in played.study.variants:
        for outcome in ("draws", SKILL):
            found = told_outcome(variant, outcome, played.found)
            assert found.method == WILSON
            assert 0 <= found.low < found.high <= 1
    effect = played.effect("999", "draws").difference.estimate
    assert effect.value == 0
    assert interval(effect) == "none, did not vary in 30 deals"
