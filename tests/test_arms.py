"""Arms: their tables are those of the games of a run, however they are played."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import scaled

from simcore import Rules, simulate
from simcore.arms import Arm, Table, play_arms
from simcore.measures import outcomes, results, scores
from simcore.runner import RunError
from simcore.simulation import make_plan

GAMES = 300


def made(names: list[str], rules: Rules, measure: object = results, name: str = "arm") -> Arm:
    plan, design = make_plan(names, rules, 4)
    return Arm(name, plan, design, 0, scaled(GAMES) // len(design.seatings), measure)  # type: ignore[arg-type]


def played(arms: list[Arm], threads: int = 1) -> dict[str, Table]:
    tables: dict[str, Table] = {}
    play_arms(arms, lambda arm, table: tables.__setitem__(arm.name, table), threads)
    return tables


@pytest.mark.parametrize(
    ("names", "rules"),
    [
        (["greedy", "balanced"], Rules()),
        (["greedy"], Rules(players=3, teams=3)),
        (["random"], Rules(players=4, line_length=4)),
    ],
)
def test_measures_are_sums_of_the_tables_of_a_run(names: list[str], rules: Rules) -> None:
    arms = [made(names, rules, m, m.__name__) for m in (results, outcomes, scores)]
    found = played(arms)
    run = simulate(names, games=arms[0].games, seed=4, rules=rules)
    games = run.games
    per = arms[0].games_of_deal
    assert (found["results"]["winner"] == games.winner.to_numpy().reshape(-1, per)).all()
    first = games.first_seat.to_numpy() % rules.teams
    assert (found["results"]["first_team"] == first.reshape(-1, per)).all()
    rows = run.sequences.sort_values(["game", "turn"], kind="stable")
    scored_first = rows.groupby("game").team.first()
    expected: dict[str, dict[int, float]] = {name: {} for name in found["outcomes"]}
    for game in games.itertuples():
        mine = rows[rows.game == game.game]
        decided = game.game in scored_first.index and game.winner >= 0
        told = {
            "start": 1 / rules.teams
            if game.winner < 0
            else float(game.winner == game.first_seat % rules.teams),
            "drawn": float(game.winner < 0),
            "turns": game.turns,
            "decided": float(decided),
            "comebacks": float(decided and scored_first[game.game] != game.winner),
            "sequences": len(mine),
            "corners": int((mine.corner != "none").sum()),
        }
        for name, value in told.items():
            expected[name][game.deal] = expected[name].get(game.deal, 0) + value
    for name, by_deal in expected.items():
        assert found["outcomes"][name] == pytest.approx(list(by_deal.values())), name
    score = run.seats.groupby(["game", "team"]).score.first().to_numpy()
    assert found["scores"]["score"].ravel() == pytest.approx(score)
    for kind in ("two_eyed", "one_eyed"):
        dealt = run.seats[f"opening_{kind}"].to_numpy()
        assert found["scores"][kind].ravel().tolist() == dealt.tolist()


def test_order_threads_and_company_change_nothing() -> None:
    arms = [
        made(["greedy"], Rules(), outcomes, "a"),
        made(["greedy"], Rules(hand_size=5), outcomes, "b"),
        made(["random", "greedy"], Rules(), results, "c"),
    ]
    one = played(arms)
    other = played(arms[::-1], threads=2)
    for name, table in one.items():
        alone = played([next(arm for arm in arms if arm.name == name)])[name]
        for column, values in table.items():
            assert np.array_equal(values, other[name][column])
            assert np.array_equal(values, alone[column])


@pytest.mark.parametrize(("first", "deals"), [(0, 0), (-1, 5), (2**44, 1)])
def test_deals_that_are_not_allowed(first: int, deals: int) -> None:
    plan, design = make_plan(["random"], Rules())
    with pytest.raises(RunError, match=r"deals: .*allowed: at least 1"):
        Arm("x", plan, design, first, deals, results)
