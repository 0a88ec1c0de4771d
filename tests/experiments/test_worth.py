"""What things are worth: against a slow reading of treated and untreated games, deal by deal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from arranged import by_deal, strategies, t_interval, without_page
from helpers import Seqlab

from analysis.estimates import DID_NOT_VARY
from analysis.first_player import QUESTION, advantage
from analysis.report import evidence
from experiments.play import play
from experiments.record import Record
from experiments.session import Session
from experiments.worth import (
    BARRED,
    GIFTS,
    START,
    Case,
    Use,
    Worth,
    arms,
    run_worth,
    task,
    worths,
)
from experiments.worth_report import _left_out
from simcore import Rules, simulate
from simcore.frames import PURPOSES, tables, to_frame
from simcore.intervention import treated_seats
from simcore.runner import Runner
from simcore.simulation import make_plan

SEED = 12
GAMES = 600
GREEDY = strategies(("greedy",))[0]
# Of a single deck with few jacks, some deals have them all in hands.
CASES = {
    "two": Case(GREEDY, Rules()),
    "three": Case(GREEDY, Rules(players=3)),
    "few": Case(GREEDY, Rules(players=4, two_eyed_jacks=1, one_eyed_jacks=2)),
    "none": Case(GREEDY, Rules(two_eyed_jacks=0)),
}

Frames = Mapping[str, pd.DataFrame]


class Played:
    """A case, what is made of it, and its games with and without each gift."""

    def __init__(self, case: Case, folder: Path) -> None:
        self.case = case
        record = Record(folder / "a", task([case], GAMES, SEED), "a command", False, False)
        self.tables = play(record, arms([case], GAMES, SEED))
        self.worths, self.uses = worths([case], self.tables, GAMES, SEED)
        self.seats = treated_seats(SEED, 0, GAMES, case.rules.players)

    def worth(self, thing: str) -> Worth:
        (found,) = [worth for worth in self.worths if worth.thing == thing]
        return found

    def use(self, thing: str, purpose: str) -> Use:
        (found,) = [u for u in self.uses if (u.thing, u.purpose) == (thing, purpose)]
        return found

    def games(self, what: str) -> Frames:
        """Return the tables of the games, as a run would hold them."""
        plan, design = make_plan([self.case.strategy], self.case.rules, SEED, "none")
        plan = replace(plan, intervention=what)
        found = tables(Runner(plan, design).play(0, GAMES), plan)
        return {name: to_frame(table) for name, table in found.items()}

    def slow(self, kind: str) -> tuple[list[float], list[int]]:
        """Return what the treated team gained in each deal that was treated, and those deals."""
        control, treated = (
            self.games(what)["seats"].set_index(["game", "seat"]) for what in ("none", kind)
        )
        gains, deals = [], []
        for deal, seat in enumerate(self.seats):
            before, after = (frame.loc[(deal, int(seat))] for frame in (control, treated))
            if kind != "card":
                more = int(after[f"opening_{kind}"]) - int(before[f"opening_{kind}"])
                assert more in (0, 1)
                if more == 0:
                    assert before["score"] == after["score"]  # the same game
                    continue
            gains.append(float(after["score"]) - float(before["score"]))
            deals.append(deal)
        return gains, deals


@pytest.fixture(scope="module", params=CASES)
def played(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Played:
    return Played(CASES[request.param], tmp_path_factory.mktemp("worth"))


def test_gifts_are_worth_what_a_slow_reading_says(played: Played) -> None:
    for kind, thing in GIFTS.items():
        if kind == "two_eyed" and played.case.rules.two_eyed_jacks == 0:
            continue
        found = played.worth(thing)
        gains, deals = played.slow(kind)
        assert found.figure.value == pytest.approx(np.mean(gains), abs=1e-6)
        assert found.figure.games == 2 * len(deals)
        assert _left_out(found) == GAMES - len(deals)
        low, high = t_interval(np.array(gains))
        told = found.figure.estimate()
        assert (told.low, told.high) == pytest.approx((low, high), rel=0.02, abs=1e-3)


def test_deals_are_left_out_where_all_jacks_are_dealt(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    rules = Rules(players=4, two_eyed_jacks=1, one_eyed_jacks=0)
    played = Played(Case(GREEDY, rules), tmp_path_factory.mktemp("one"))
    hands = played.games("none")["seats"].groupby("game")["opening_two_eyed"].sum()
    assert _left_out(played.worth("two-eyed jack")) == (hands == 1).sum() > 50


def test_what_is_not_in_the_deck_is_not_priced(played: Played) -> None:
    things = [worth.thing for worth in played.worths]
    rules = played.case.rules
    assert ("two-eyed jack" in things) == (rules.two_eyed_jacks > 0)
    assert ("one-eyed jack" in things) == (rules.one_eyed_jacks > 0)
    assert {START, "a card more", *BARRED.values()} <= set(things)
    assert len(things) == len(set(things))
    assert {use.thing for use in played.uses} == {t for t in things if t.endswith("jack")}


def test_the_start_is_that_of_the_report(played: Played) -> None:
    rules = played.case.rules
    run = simulate([GREEDY], GAMES, SEED, rules, "rotate")
    known = advantage(evidence(run, [QUESTION])[QUESTION.name])
    found = played.worth(START).figure
    assert found.value == pytest.approx(known.value)
    told = found.estimate()
    assert told.error == pytest.approx(known.error)
    assert (told.games, told.deals) == (known.games, known.deals)
    games = run.games
    score = (games["winner"] == games["first_seat"] % rules.teams).astype(float)
    score = score.mask(games["winner"] < 0, 1 / rules.teams)
    assert found.value == pytest.approx(score.mean() - 1 / rules.teams)
    single = score.var(ddof=0) / (len(score) * told.error**2)
    assert played.worth(START).saved == pytest.approx(single)


@pytest.mark.parametrize("case", ["two", "three"])
def test_what_is_barred_costs_score(case: str, tmp_path: Path) -> None:
    played = Played(CASES[case], tmp_path)
    teams = played.case.rules.teams
    for bar, thing in BARRED.items():
        barred = strategies((f"greedy:{bar}=1",))[0]
        run = simulate([GREEDY, barred], GAMES, SEED, played.case.rules, "swap")
        seats = run.seats[(run.seats["strategy"] == "greedy") & (run.seats["seat"] < teams)]
        mine = by_deal(seats, "score") / {2: 2, 3: 9}[teams] - 1 / teams
        told = played.worth(thing).figure.estimate()
        assert told.value == pytest.approx(mine.mean(), abs=1e-6)
        if told.error:
            assert (told.low, told.high) == pytest.approx(t_interval(mine), abs=1e-6)


def test_what_was_barred_before_costs_nothing(tmp_path: Path) -> None:
    case = Case(strategies(("greedy:no_blocking=1",))[0], Rules())
    told = Played(case, tmp_path).worth("blocking").figure.estimate()
    assert (told.value, told.error, told.method) == (0.0, 0.0, DID_NOT_VARY)


def test_uses_are_those_of_the_jacks_table(played: Played) -> None:
    for kind, thing in GIFTS.items():
        if thing not in {use.thing for use in played.uses}:
            continue
        _, deals = played.slow(kind)
        name = thing.removesuffix(" jack")
        counts = []
        for what in ("none", kind):
            jacks = played.games(what)["jacks"]
            mine = jacks[
                (jacks["kind"].astype(str) == name)
                & (jacks["seat"].to_numpy() == played.seats[jacks["game"].to_numpy()])
                & jacks["game"].isin(deals)
            ]
            counts.append(mine["purpose"].astype(str).value_counts())
        for purpose in PURPOSES:
            before, after = (int(count.get(purpose, 0)) for count in counts)
            found = played.use(thing, purpose).figure
            assert found.value == pytest.approx((after - before) / len(deals)), purpose
            assert found.games == 2 * len(deals)


# The command.


def test_the_command(seqlab: Seqlab, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ("worth", "-s", "greedy", "-s", "random", "--tables", "2,3", "--games", 40)
    assert seqlab(*words, "--out", "a", "--threads", 1) == 0
    first = seqlab.out.replace("a/report", "b/report")
    rows = pd.read_csv("a/report/worth.csv")
    assert len(rows) == 4 * 8
    assert set(rows["players"]) == {2, 3}
    assert rows["value"].notna().all()
    without_page(monkeypatch, "worth_report")
    assert seqlab(*words, "--out", "b", "--threads", 2) == 0
    assert seqlab.out.splitlines()[:-1] == first.splitlines()[:-1]
    assert seqlab.err == ""


def test_bad_input_is_one_line(seqlab: Seqlab) -> None:
    for words, told in (
        (("--tables", "2,x"), "tables: 'x'; allowed: numbers of players, as 2,4,6"),
        (("--tables", ""), "tables: ''; allowed: numbers of players, as 2,4,6"),
        (("--tables", "2", "--players", "4"), "tables and players: both given; allowed: one of"),
        (("--tables", "5"), "rules: players is 5; allowed: 2, 3, "),
        (("-s", "nobody"), "no strategy 'nobody'; allowed: "),
        (("--games", "0"), "games: 0; allowed: 1 to "),
        (("--seed", "-1"), "seed: -1; allowed: 0 to "),
        (("--threads", "0"), "threads: 0; allowed: 1 to "),
    ):
        assert seqlab("worth", *words) == 2, words
        assert seqlab.err.startswith(f"error: {told}"), seqlab.err
        assert seqlab.err.count("\n") == 1
    assert not Path("runs").exists()


def test_a_case_named_twice_counts_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seqlab: Seqlab
) -> None:
    without_page(monkeypatch, "worth_report")
    words = ("worth", "-s", "greedy", "-s", "greedy", "--tables", "2,2", "--games", 10)
    assert seqlab(*words, "--out", "a") == 0
    assert seqlab.out.count("2 players in 2 teams") == 1
    _, said = run_worth([Case(GREEDY, Rules())], Session(tmp_path / "b"), 10)
    assert seqlab.out.startswith(said[0])
