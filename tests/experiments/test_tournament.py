"""Tournaments: the figures of the games, whatever the order of names, the threads or a break."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from arranged import NAMES, checksums, interrupt_after, strategies, without_page
from helpers import Seqlab
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from analysis.estimates import ONE_DEAL, Estimate
from analysis.question import Tables
from analysis.ranking import LONE
from experiments import tournament as module
from experiments.play import play
from experiments.record import Record
from experiments.session import Session
from experiments.tournament import (
    FORMATS,
    Tournament,
    _arms,
    make_tournament,
    outcomes,
    play_tournament,
    run_tournament,
    swiss_round,
)
from experiments.tournament_report import _ranked, _sentences, write
from simcore import Rules, simulate
from simcore.runner import RunError

RULES = {2: Rules(), 3: Rules(players=3, teams=3)}
SEED = 3
GAMES = {2: 420, 3: 1230}


def entered(
    names: Sequence[str] = NAMES[:3], teams: int = 2, how: str = "round-robin", games: int = 40
) -> Tournament:
    return make_tournament(strategies(names), RULES[teams], how, games, SEED)


def opened(folder: Path, task: Tournament, resume: bool = False) -> Record:
    return Record(folder, task.told(), "a command", resume, False)


# Order, threads, breaks.


@pytest.mark.parametrize("teams", [2, 3])
@pytest.mark.parametrize("how", FORMATS)
def test_order_and_threads_change_no_digit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str, teams: int
) -> None:
    """The shuffle proof; the first named of a gauntlet runs it, so that it stays the first."""
    without_page(monkeypatch, "tournament_report")
    found = []
    orders = [NAMES, NAMES[:1] + NAMES[:0:-1], (NAMES[0], NAMES[3], NAMES[1], NAMES[4], NAMES[2])]
    if how != "gauntlet":
        orders.append(NAMES[::-1])
    for number, order in enumerate(orders):
        folder = tmp_path / str(number)
        _, rows, said = run_tournament(
            entered(order, teams, how, 60), Session(folder, 1 + number % 2)
        )
        found.append((json.dumps(rows), said, checksums(folder)))
    assert all(other == found[0] for other in found)
    assert sorted(row["strategy"] for row in json.loads(found[0][0])) == sorted(NAMES)


@pytest.mark.parametrize(("how", "teams"), [("swiss", 2), ("swiss", 3), ("gauntlet", 2)])
def test_broken_off_anywhere_it_goes_on_to_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str, teams: int
) -> None:
    """A Swiss tournament pairs by the games of earlier rounds, whatever later ones are there."""
    without_page(monkeypatch, "tournament_report")
    task = entered(NAMES, teams, how)
    page = tmp_path / "whole" / "index.html"
    _, rows, _ = run_tournament(task, Session(tmp_path / "whole", 2))
    known = checksums(tmp_path / "whole")
    assert len(known) == task.pairs
    for after in range(1, task.pairs):
        folder = tmp_path / str(after)
        undo = interrupt_after(monkeypatch, after)
        with pytest.raises(KeyboardInterrupt):
            run_tournament(task, Session(folder, 1))
        undo()
        assert len(checksums(folder)) == after
        _, again, _ = run_tournament(task, Session(folder, 2, resume=True))
        assert again == rows
        assert checksums(folder) == known
    assert not page.exists()


def test_a_finished_swiss_tournament_plays_nothing_more(tmp_path: Path) -> None:
    task = entered(NAMES, how="swiss")
    first = play_tournament(task, opened(tmp_path / "a", task))
    told: list[int] = []
    again = play_tournament(task, opened(tmp_path / "a", task, resume=True), None, told.append)
    assert again.keys() == first.keys()
    assert sum(told) == task.all_games  # every game counts once


# Figures.


class Plain:
    """The same pairings by `simulate`, read with pandas."""

    def __init__(self, names: Sequence[str], teams: int) -> None:
        self.teams = teams
        self.runs = {
            pair: simulate(list(pair), GAMES[teams], SEED, RULES[teams], "swap")
            for pair in combinations(sorted(names), 2)
        }

    def teams_held(self, pair: tuple[str, str], name: str) -> pd.DataFrame:
        """Return a row for each team that a strategy held."""
        seats = self.runs[pair].seats
        return seats[(seats["strategy"] == name) & (seats["seat"] < self.teams)]

    def score(self, name: str, against: Sequence[str]) -> tuple[float, float, float]:
        """Return the mean score and Wilson's interval with the effective number of games."""
        pairs = [tuple(sorted((name, other))) for other in against]
        held = pd.concat([self.teams_held(pair, name) for pair in pairs])  # type: ignore[arg-type]
        # A third is not exact in the tables.
        score = held["score"].astype(float).mask(held["score"].between(0.1, 0.9), 1 / self.teams)
        share = (score * self.teams / 2).groupby(held["deal"].to_numpy()).mean()
        value, error = share.mean(), share.std(ddof=1) / np.sqrt(len(share))
        size = value * (1 - value) / error**2
        z = stats.norm.ppf(0.975)
        assert len(share) >= 200
        low, high = proportion_confint(
            value * size, size, alpha=2 * stats.norm.sf(z), method="wilson"
        )
        factor = 2 / self.teams
        return value * factor, low * factor, high * factor


class Told:
    """A tournament: rows and the tables of its report."""

    def __init__(self, folder: Path, teams: int) -> None:
        self.task = entered(teams=teams, games=GAMES[teams])
        self.record = opened(folder / "a", self.task)
        self.games = play_tournament(self.task, self.record)
        self.tables: Tables = {}
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("experiments.tournament_report.write_report", self._keep)
            _, self.rows, self.said = write(self.task, self.games, self.record.manifest, folder)

    def _keep(self, *given: Any) -> Path:
        for chapter in given[-1]:
            self.tables |= chapter.tables
        return Path("index.html")


@pytest.fixture(scope="module", params=[2, 3])
def both(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    teams = request.param
    told = Told(tmp_path_factory.mktemp("tournament"), teams)
    return told, Plain(NAMES[:3], teams)


def test_scores_are_those_of_the_games(both: tuple[Told, Plain]) -> None:
    told, plain = both
    for row in told.rows:
        others = [name for name in NAMES[:3] if name != row["strategy"]]
        found = (row["score"], row["score_low"], row["score_high"])
        assert found == pytest.approx(plain.score(row["strategy"], others), abs=1e-9)
        assert row["games"] == sum(
            len(run.games) for pair, run in plain.runs.items() if row["strategy"] in pair
        )
    scores = [row["score"] for row in told.rows]
    assert scores == sorted(scores, reverse=True)


def test_the_crosstable_is_that_of_the_games(both: tuple[Told, Plain]) -> None:
    told, plain = both
    table = told.tables["crosstable"]
    assert len(table) == 6
    for line in table.to_dict("records"):
        name, other = line["strategy"], line["against"]
        pair = tuple(sorted((name, other)))
        value, low, high = plain.score(name, [other])
        assert line["value"] == pytest.approx(100 * value)
        assert (line["low"], line["high"]) == pytest.approx((100 * low, 100 * high))
        held = plain.teams_held(pair, name)["score"]  # type: ignore[arg-type]
        drawn = held.between(0.1, 0.9)
        assert line["won"] == (held == 1).sum()
        assert line["lost"] == (held == 0).sum()
        assert line["drawn"] == drawn.sum()
        games = plain.runs[pair].games  # type: ignore[index]
        assert line["drawn %"] == pytest.approx(100 * (games["winner"] < 0).mean())
        assert (line["games"], line["deals"]) == (len(games), games["deal"].nunique())


def test_tables_say_who_won_every_game(both: tuple[Told, Plain]) -> None:
    told, plain = both
    for pair, run in plain.runs.items():
        table = told.games[" - ".join(pair)]
        per = {2: 2, 3: 6}[plain.teams]
        assert (table["winner"] == run.games["winner"].to_numpy().reshape(-1, per)).all()
        first = run.games["first_seat"].to_numpy().reshape(-1, per) % plain.teams
        assert (table["first_team"] == first).all()


def test_outcomes_are_a_slow_reading_of_the_games(both: tuple[Told, Plain]) -> None:
    told, plain = both
    if plain.teams == 3:
        return
    for arm in _arms(told.task, list(plain.runs)):
        a, b = arm.name.split(" - ")
        run = plain.runs[a, b]
        seats = run.seats.set_index(["game", "seat"])
        wanted = {}
        for game in run.games.itertuples():
            mine = next(s for s in (0, 1) if seats.loc[(game.game, s), "strategy"] == a)
            result = 1 if game.winner < 0 else 2 * int(game.winner == mine)
            wanted[game.deal, game.first_seat == mine] = result
        found = outcomes(arm.design.seatings, told.games[arm.name])
        for deal, (started, other) in enumerate(found.tolist()):
            assert (started, other) == (wanted[deal, True], wanted[deal, False])


def test_elo_is_that_of_the_score_where_two_meet(tmp_path: Path, monkeypatch: Any) -> None:
    """Of two strategies that never draw, Davidson's model is the score's, apart from the start."""
    without_page(monkeypatch, "tournament_report")
    task = entered(("greedy", "balanced"), games=4000)
    _, rows, _ = run_tournament(task, Session(tmp_path / "a"))
    best = rows[0]
    lead = rows[0]["elo"] - rows[1]["elo"]
    score = best["score"]
    assert lead == pytest.approx(400 * np.log10(score / (1 - score)), rel=0.1)
    assert rows[0]["elo_low"] < rows[0]["elo"] < rows[0]["elo_high"]


def test_who_lost_every_game_has_a_bound_and_a_word(tmp_path: Path) -> None:
    """The page is written all the same: nobody is nan, and nothing is a traceback."""
    _, rows, _ = run_tournament(entered(("random", "balanced", "greedy")), Session(tmp_path / "a"))
    last = rows[-1]
    assert (last["strategy"], last["elo"], last["elo_low"]) == ("random", None, None)
    assert last["elo_high"] < 0
    assert "upper bound" in last["elo_method"]
    assert "NaN" not in json.dumps(rows)
    assert "below -" in (tmp_path / "a" / "report" / "index.html").read_text("utf-8")


def chapters_of(monkeypatch: pytest.MonkeyPatch, task: Tournament, folder: Path) -> Tables:
    """Return the tables of the report of a tournament."""
    found: Tables = {}

    def keep(*given: Any) -> Path:
        for chapter in given[-1]:
            found.update(chapter.tables)
        return Path("index.html")

    monkeypatch.setattr("experiments.tournament_report.write_report", keep)
    run_tournament(task, Session(folder))
    return found


def test_ties_are_told_as_ties(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two turns nobody wins: neither is first, and nobody is better."""
    without_page(monkeypatch, "tournament_report")
    rules = Rules(max_turns=2)
    for names, told in (
        (("greedy", "random"), "greedy and random are tied, each with a score of 50.0 % ("),
        (NAMES, "balanced, balanced:no_blocking=1, greedy, greedy:no_corner_lines=1 and 1 more "),
    ):
        task = make_tournament(strategies(names), rules, "gauntlet", 10, SEED)
        _, rows, said = run_tournament(task, Session(tmp_path / str(len(names))))
        assert len(said) == 1
        assert said[0].startswith(told)
        assert {row["rank"] for row in rows} == {1}


def line(name: str, elo: float | None, low: float | None, better: float | None) -> dict[str, Any]:
    return {
        "strategy": name,
        "elo": elo,
        "elo_low": low,
        "elo_high": None,
        "better_than_next": better,
    }


def test_ranks_are_shared_where_ratings_are_equal() -> None:
    given = [
        *(line("a", None, 50.0, None), line("b", None, 50.0, 0.9)),
        *(line("c", 0.0, -1.0, 0.5), line("d", 1e-9, -2.0, 0.9), line("e", -5.0, -9.0, None)),
        *(line("f", None, None, None), line("g", None, None, None)),
    ]
    assert [row["rank"] for row in _ranked(given, "elo")] == [1, 1, 3, 3, 5, 6, 7]
    score = Estimate(0.6, 0.5, 0.7, 0.05, 10, 5, "")
    totals = {row["strategy"]: score for row in given}
    (said,) = _sentences(given, totals)
    assert said.startswith("a and b are tied for the first place, each with a score of 60.0 %")
    (said,) = _sentences(given, totals | {"b": score.affine(0.9)})
    assert said == "a and b are tied for the first place."


@pytest.mark.parametrize(
    ("better", "told"), [(0.9991, "above 99.9 %"), (1.0, "above 99.9 %"), (0.998, "99.8 %")]
)
def test_no_chance_is_certain(better: float, told: str) -> None:
    rows = _ranked([line("a", 9.0, 1.0, better), line("b", -9.0, -20.0, None)], "elo")
    score = Estimate(0.6, 0.5, 0.7, 0.05, 10, 5, "")
    said = _sentences(rows, {"a": score, "b": score})
    assert said[1] == f"The chance that it is better than b, the next, is {told}."


def test_one_deal_tells_nothing_of_how_sure_a_result_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = chapters_of(monkeypatch, entered(games=1), tmp_path / "a")
    rated = tables["ratings"][tables["ratings"]["value"].notna()]
    assert len(rated)
    assert rated[["low", "high"]].isna().all(axis=None)
    assert set(rated["method"]) <= {ONE_DEAL, LONE}
    assert tables["order"][["in the equilibrium %", "first by alpha-rank %"]].isna().all(axis=None)


def test_who_is_stronger_is_no_part_of_what_the_deal_decides(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pairing of unequals and one of near equals: what cards decide is never below nothing."""
    tables = chapters_of(monkeypatch, entered(games=400), tmp_path / "a")
    luck = tables["luck"].set_index("pairing")
    assert (luck["high"].fillna(0) > -5).all()
    assert luck.loc["balanced - greedy", "low"] > 5


# Formats.


@pytest.fixture
def drawn_lots(monkeypatch: pytest.MonkeyPatch) -> dict[tuple[str, str], float]:
    """Scores of pairings by lot, in place of games."""
    scores: dict[tuple[str, str], float] = {}

    def duels(task: object, tables: object) -> dict[tuple[str, str], Any]:
        return {
            pair: SimpleNamespace(points=np.array([2 * score]), games=2)
            for pair, score in scores.items()
        }

    monkeypatch.setattr(module, "duels_of", duels)
    return scores


@pytest.mark.parametrize("size", [2, 3, 4, 5, 6, 7, 8, 9, 16, 17, 39, 40])
def test_swiss_never_pairs_twice_and_rests_are_shared(
    drawn_lots: dict[tuple[str, str], float], size: int
) -> None:
    rng = np.random.default_rng(size)
    names = [f"s{i:02d}" for i in range(size)]
    task = Tournament(
        tuple(SimpleNamespace(name=name) for name in names),  # type: ignore[misc]
        *(Rules(), "swiss", 2, 0, ""),
    )
    for _ in range(25 if size < 10 else 3):
        drawn_lots.clear()
        met: list[tuple[str, str]] = []
        for _ in range(task.rounds):
            new = swiss_round(task, met, {})
            busy = [name for pair in new for name in pair]
            assert len(busy) == len(set(busy))
            # Of six strategies the pairs left may not hold three that are apart.
            assert len(new) == size // 2 or (size in (5, 6) and len(new) == size // 2 - 1)
            drawn_lots |= {pair: rng.random() for pair in new}
            met += new
        assert len({frozenset(pair) for pair in met}) == len(met)
        assert all(pair[0] < pair[1] for pair in met)
        games = [sum(name in pair for pair in met) for name in names]
        assert max(games) - min(games) <= (2 if size == 5 else 1)


def test_swiss_pairs_neighbours_in_the_standings(
    drawn_lots: dict[tuple[str, str], float],
) -> None:
    task = Tournament(
        tuple(SimpleNamespace(name=name) for name in "abcdefgh"),  # type: ignore[misc]
        *(Rules(), "swiss", 2, 0, ""),
    )
    first = swiss_round(task, [], {})
    assert first == [("a", "b"), ("c", "d"), ("e", "f"), ("g", "h")]
    drawn_lots |= dict.fromkeys(first, 0.75)
    assert swiss_round(task, first, {}) == [("a", "c"), ("e", "g"), ("b", "d"), ("f", "h")]
    drawn_lots[("g", "h")] = 0.25
    assert swiss_round(task, first, {}) == [("a", "c"), ("e", "h"), ("b", "d"), ("f", "g")]


def test_a_gauntlet_is_of_the_first_named(tmp_path: Path) -> None:
    task = entered((NAMES[2], *NAMES[:2], NAMES[3]), how="gauntlet")
    tables = play_tournament(task, opened(tmp_path / "a", task))
    assert len(tables) == task.pairs == 3
    assert all("balanced" in name.split(" - ") for name in tables)


def test_pairs_are_those_of_the_format(tmp_path: Path) -> None:
    for how in FORMATS:
        task = entered(NAMES, how=how)
        tables = play_tournament(task, opened(tmp_path / how, task))
        assert len(tables) == task.pairs == {"round-robin": 10, "gauntlet": 4, "swiss": 8}[how]
        assert task.all_games == 40 * task.pairs


def test_numbers_of_strategies() -> None:
    several = [f"balanced:{p}=1" for p in ("no_blocking", "no_two_eyed")]
    for names, told in (
        (["greedy"], r"strategies: 1 given; allowed: 2 to 40"),
        (["greedy", "random", "greedy"], r"strategies: greedy twice; allowed: every strategy once"),
        ([*several, several[0]], r"balanced:no_blocking=1 twice"),
        (["greedy", "greedy:no_blocking=0"], r"greedy twice"),
    ):
        with pytest.raises(RunError, match=told):
            make_tournament(strategies(names), Rules())
    with pytest.raises(RunError, match=r"format: 'cup'; allowed: round-robin, gauntlet, swiss"):
        make_tournament(strategies(), Rules(), "cup")
    many = [SimpleNamespace(name=f"s{i}") for i in range(41)]
    with pytest.raises(RunError, match=r"strategies: 41 given; allowed: 2 to 40"):
        make_tournament(many, Rules())  # type: ignore[arg-type]
    assert make_tournament(many[:40], Rules()).pairs == 780  # type: ignore[arg-type]


def test_forty_strategies_meet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sixteen ways to bar each of three bots, of which forty play."""
    bars = ("no_two_eyed", "no_one_eyed", "no_corner_lines", "no_blocking")
    names = [
        bot + (":" + ",".join(f"{bar}=1" for bar in chosen) if chosen else "")
        for bot in ("random", "greedy", "balanced")
        for size in range(len(bars) + 1)
        for chosen in combinations(bars, size)
    ]
    without_page(monkeypatch, "tournament_report")
    task = make_tournament(strategies(names[:40]), Rules(), "swiss", 4, SEED)
    _, rows, _ = run_tournament(task, Session(tmp_path / "a"))
    assert len(rows) == 40
    assert [row["rank"] for row in rows] == list(range(1, 41))
    with pytest.raises(RunError, match="41 given"):
        make_tournament(strategies(names[:41]), Rules())


# The command.


@pytest.mark.parametrize("teams", [2, 3])
def test_rows_as_json(seqlab: Seqlab, monkeypatch: pytest.MonkeyPatch, teams: int) -> None:
    without_page(monkeypatch, "tournament_report")
    words = ("tournament", "-s", "greedy", "-s", "balanced", "--games", "60", "--players")
    assert seqlab(*words, {2: 4, 3: 3}[teams], "--out", "a", "--json") == 0
    rows = json.loads(seqlab.out)
    scale = {2: "elo", 3: "worth"}[teams]
    wanted = {"strategy", "games", "score", "score_low", "score_high"}
    wanted |= {scale, f"{scale}_low", f"{scale}_high"}
    for row in rows:
        assert wanted <= row.keys()
        assert row["score_low"] < row["score"] < row["score_high"]
        assert row["games"] == 60
    assert sum(row["score"] for row in rows) == pytest.approx(2 / teams)
    assert seqlab(*words, {2: 4, 3: 3}[teams], "--out", "b", "-q") == 0
    for row in rows:
        assert f" {row['strategy']} " in seqlab.out
        assert f" {100 * row['score']:.1f} " in seqlab.out
    assert seqlab.err == ""


def test_bad_input_is_one_line(seqlab: Seqlab) -> None:
    both = ("-s", "greedy", "-s", "random")
    for words, told in (
        (("-s", "greedy"), "strategies: 1 given; allowed: 2 to 40"),
        ((*both, "-s", "greedy"), "strategies: greedy twice; allowed: every strategy once"),
        ((*both, "--format", "cup"), "format: 'cup'; allowed: round-robin, gauntlet, swiss"),
        ((*both, "--games", "0"), "games: 0; allowed: 1 to 1000000000000"),
        ((*both, "--threads", "0"), "threads: 0; allowed: 1 to 4096"),
        ((*both, "--seed", "-1"), "seed: -1; allowed: 0 to 9223372036854775807"),
        ((*both, "-s", "nobody"), "no strategy 'nobody'; allowed: balanced, "),
        ((*both, "--players", "5"), "rules: players is 5; allowed: 2, 3, "),
    ):
        assert seqlab("tournament", *words) == 2, words
        assert seqlab.err.startswith(f"error: {told}"), seqlab.err
        assert seqlab.err.count("\n") == 1
    assert not Path("runs").exists()


def test_one_pairing_of_a_record_is_that_of_any_other(tmp_path: Path) -> None:
    """A pairing's table does not depend on who else takes part."""
    task, small = entered(NAMES), entered(NAMES[1:3])
    tables = play_tournament(task, opened(tmp_path / "a", task))
    pair = [("balanced", "greedy")]
    alone = play(opened(tmp_path / "b", small), _arms(small, pair))
    for column, values in alone["balanced - greedy"].items():
        assert np.array_equal(values, tables["balanced - greedy"][column])
