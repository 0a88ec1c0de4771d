"""How many games: what is foretold is what a run of that many games has."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from arranged import by_deal, interrupt_after, manifest, strategies, t_interval, without_page
from helpers import Seqlab
from scipy import stats

from analysis.power import half_width_of, power_of
from analysis.style import NONE
from experiments import power_report
from experiments.power import PILOT_FIRST, WIDTHS, Answer, Task, answer
from simcore import Rules, simulate
from simcore.arms import Table, play_arms
from simcore.runner import RunError

SEED = 5
TWO, THREE = Rules(), Rules(players=3)
WISHES = {2: 0.008, 3: 0.005}
"""Half-widths that take some thousand deals, so that chance moves the interval by little."""

CASES = [
    (("greedy",), TWO),
    (("greedy",), THREE),
    (("greedy", "greedy:no_two_eyed=1"), TWO),
    (("greedy", "balanced"), TWO),
    (("greedy", "balanced"), THREE),
]


def answered(
    names: Sequence[str], rules: Rules, threads: int | None = None, **given: Any
) -> Answer:
    """Return the answer to wishes, of a pilot kept in memory."""
    task = Task(tuple(strategies(names)), rules, **{"seed": SEED, **given})
    tables: list[Table] = []
    play_arms([task.arm()], lambda _, table: tables.append(table), threads)
    return answer(task, tables[0])


def by_deal_of_a_run(names: Sequence[str], rules: Rules, games: int) -> np.ndarray:
    """Return the figure of each deal in a run of that many games."""
    if len(names) == 1:
        run = simulate(list(names), games, SEED, rules, "rotate")
        won = run.games["winner"] == run.games["first_seat"] % rules.teams
        score = won.astype(float).mask(run.games["winner"] < 0, 1 / rules.teams)
        return by_deal(run.games.assign(score=score), "score") / rules.teams
    run = simulate(list(names), games, SEED, rules, "swap")
    seats = run.seats[(run.seats["strategy"] == names[0]) & (run.seats["seat"] < rules.teams)]
    return by_deal(seats, "score") / {2: 2, 3: 9}[rules.teams]


@pytest.mark.parametrize(
    ("names", "rules"), CASES, ids=["greedy-2", "greedy-3", "barred-2", "balanced-2", "balanced-3"]
)
def test_a_run_of_that_many_games_has_the_wanted_width(
    names: tuple[str, ...], rules: Rules
) -> None:
    told = answered(names, rules, half_widths=(WISHES[rules.teams],), deals=3000)
    for kind, wish, need in told.needs:
        assert kind == "half-width"
        found = by_deal_of_a_run(names, rules, need.games)
        assert len(found) == need.deals
        low, high = t_interval(found)
        assert (high - low) / 2 == pytest.approx(wish, rel=0.06)


def test_games_saved_are_those_of_the_run() -> None:
    """Games of their own deals have the variance of single games."""
    told = answered(("greedy",), TWO, half_widths=(0.015,), deals=4000)
    ((_, _, need),) = told.needs
    run = simulate(["greedy"], 8000, SEED, TWO, "none")
    score = (run.games["winner"] == run.games["first_seat"]).astype(float)
    wanted = score.var() * (stats.norm.ppf(0.975) / 0.015) ** 2
    assert need.unpaired == pytest.approx(wanted, rel=0.02)
    assert told.pilot.saved == pytest.approx(need.unpaired / need.games, rel=0.01)


def test_an_effect_is_found_as_often_as_foretold() -> None:
    """Pairs of a run are cut into runs of that many; four in five find what is there."""
    told = answered(("greedy", "greedy:no_corner_lines=1"), TWO, effects=(0.06,), deals=3000)
    ((kind, wish, need),) = told.needs
    assert (kind, wish) == ("effect", 0.06)
    repeats = 160
    found = by_deal_of_a_run(("greedy", "greedy:no_corner_lines=1"), TWO, 2 * repeats * need.deals)
    parts = found.reshape(repeats, need.deals)
    # The true difference is moved to the one that was asked for.
    parts = parts - found.mean() + 0.06
    t = parts.mean(axis=1) / (parts.std(axis=1, ddof=1) / np.sqrt(need.deals))
    share = (abs(t) > stats.norm.ppf(0.975)).mean()
    assert abs(share - 0.8) < 4 * np.sqrt(0.8 * 0.2 / repeats)


def test_the_better_one_is_ahead_after_so_many_games() -> None:
    names = ("greedy", "greedy:no_one_eyed=1")
    told = answered(names, TWO, half_widths=(0.02,), deals=5000)
    assert told.ahead is not None
    repeats, pairs = 400, told.ahead // 2
    found = by_deal_of_a_run(names, TWO, 2 * repeats * pairs).reshape(repeats, pairs)
    ahead = (found.mean(axis=1) > 0.5).mean()
    assert 0.95 - 0.045 < ahead < 0.95 + 0.04
    # Whoever is named first.
    back = answered(names[::-1], TWO, half_widths=(0.02,), deals=5000)
    assert back.ahead == told.ahead
    # Two deals that ended alike tell nothing.
    flat = answered(("greedy", "random"), TWO, half_widths=(0.02,), deals=2)
    assert flat.score.value == 1
    assert flat.ahead is None


def test_threads_change_nothing() -> None:
    one, two = (answered(("greedy",), THREE, n, deals=500) for n in (1, 2))
    assert one == two
    assert [wish for kind, wish, _ in one.needs if kind == "effect"] == list(WIDTHS)


def test_pilots_are_of_deals_that_no_run_has() -> None:
    assert (
        Task(tuple(strategies(("greedy",))), TWO, deals=5).arm().first_deal == PILOT_FIRST > 10**12
    )
    with pytest.raises(RunError, match="strategies: 3; allowed: one, or two that differ"):
        Task(tuple(strategies(("greedy", "random", "balanced"))), THREE)


def test_the_command(seqlab: Seqlab, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ("power", "-s", "greedy", "--deals", 400, "--half-width", 1, "--effect", 2)
    assert seqlab(*words, "--out", "a") == 0
    said = seqlab.out.splitlines()
    assert said[0].startswith("The score of the team that moves first (greedy in all seats) is ")
    assert said[-1] == str(Path("a/report/index.html"))
    page = Path("a/report/index.html").read_text(encoding="utf-8")
    assert all(line.replace(" %", "\u00a0%") in page for line in said[:4])
    assert "seqlab power -s greedy --deals 400" in page
    without_page(monkeypatch, "power_report")
    assert seqlab(*words, "--json") == 0
    rows = json.loads(seqlab.out)
    assert [(row["wish"], row["points"]) for row in rows] == [("half-width", 1), ("effect", 2)]
    assert all(row["games"] == 2 * row["deals"] for row in rows)
    assert manifest(Path("runs/power-0"))["finished"]
    wanted = {"pilot_deals": 400, "pilot_games": 800, "games_until_ahead": None}
    assert all(row.items() >= wanted.items() for row in rows)
    assert rows[0]["score_low"] < rows[0]["score"] < rows[0]["score_high"]
    assert f"Of its games {100 * rows[0]['drawn']:.1f} % (95 % interval " in said[1]
    assert f"is {100 * rows[0]['score']:.1f} % (95 % interval " in said[0]
    for row, line in zip(rows, said[2:4], strict=True):
        assert f"{row['wish']} of {row['points']:g} point" in line
        assert line.endswith(f" takes {row['games']:,} games on {row['deals']:,} deals.")
    table = pd.read_csv("a/report/needs.csv")
    assert list(table["games"]) == [row["games"] for row in rows]
    assert seqlab.err == ""


def test_the_curve_passes_through_the_wishes() -> None:
    task = Task(tuple(strategies(("greedy",))), TWO, (0.01, 0.02), (0.03,))
    found = answered(("greedy",), TWO, half_widths=(0.01, 0.02), effects=(0.03,), deals=500)
    curve = power_report.curve(task, found).set_index("wish")
    for kind, wish, need in found.needs:
        line = curve.loc[f"{kind} {100 * wish:g}"]
        assert (line["deals"], line["games"]) == (need.deals, need.games)
        # The fewest deals that are enough: a little below the wish.
        assert line[kind] == pytest.approx(100 * wish, rel=0.01)
        assert line[kind] <= 100 * wish + 1e-9
    for _, line in curve.iterrows():
        sd = found.pilot.sd
        assert line["half-width"] == pytest.approx(100 * half_width_of(sd, line["deals"]))
        assert power_of(sd, line["deals"], line["effect"] / 100) == pytest.approx(0.8)
    assert curve["games"].is_monotonic_increasing


def test_a_pilot_that_cannot_vary_is_told_in_words(seqlab: Seqlab) -> None:
    """Nobody wins on a board without enough turns, so that all games are drawn."""
    words = ("power", "-s", "greedy", "--set", "max_turns=2", "--deals", 20, "--half-width", 1)
    assert seqlab(*words, "--out", "a") == 0
    assert "No deal of the pilot differed from another, so that it cannot tell" in seqlab.out
    assert "takes" not in seqlab.out.replace("a wish takes", "")
    assert "Of its games 100.0 %" in seqlab.out
    assert not Path("a/report/curve.csv").exists()
    assert list(pd.read_csv("a/report/needs.csv")["deals"]) == [NONE]
    assert seqlab(*words, "--json", "-q") == 0
    (row,) = json.loads(seqlab.out)
    assert seqlab(*words, "--out", "b", "-q") == 0
    assert "pilot" not in seqlab.out
    told = ("deals", "games", "games_unpaired", "saved", "games_until_ahead")
    assert [row[name] for name in told] == [None] * 5


def test_resumed_it_does_not_play_again(seqlab: Seqlab, monkeypatch: pytest.MonkeyPatch) -> None:
    without_page(monkeypatch, "power_report")
    words = ("power", "-s", "greedy", "--deals", 50, "-q", "--out", "a")
    undo = interrupt_after(monkeypatch, 0)
    assert seqlab(*words) == 130
    undo()
    assert seqlab(*words, "--resume") == 0
    told = seqlab.out
    interrupt_after(monkeypatch, 0)
    assert seqlab(*words, "--resume") == 0
    assert seqlab.out == told
    assert seqlab(*words, "--resume", "--effect", 1) == 2
    assert seqlab.err.startswith("error: resume: a has another wishes")


def test_bad_input_is_one_line(seqlab: Seqlab) -> None:
    for words, told in (
        (("-s", "greedy", "-s", "greedy"), "strategies: 2; allowed: one, or two that differ"),
        (("-s", "nobody"), "no strategy 'nobody'; allowed: "),
        (("--deals", "1"), "deals: 1; allowed: 2 or more"),
        (("--deals", "0"), "deals: 0; allowed: 2 or more"),
        (("--half-width", "0"), "half-width: 0; allowed: points above 0"),
        (("--effect", "nan"), "effect: nan; allowed: points above 0"),
        (("--effect", "-1"), "effect: -1; allowed: points above 0"),
        (
            ("--effect", "1", "--chance", "0.01"),
            "power 0.01, alpha 0.05: 1e-06 <= alpha < power < 1",
        ),
        (("--effect", "1", "--alpha", "1e-320"), "power 0.8, alpha 1e-320: 1e-06 <= alpha"),
        (("--half-width", "1e-9"), "more than 1e+12 deals: wish for less"),
        (("--seed", "-1"), "seed: -1; allowed: 0 to "),
        (("--threads", "0"), "threads: 0; allowed: 1 to "),
    ):
        given = words if "-s" in words else ("-s", "random", *words)
        size = () if "--deals" in words else ("--deals", "40")
        assert seqlab("power", *given, *size) == 2, words
        assert seqlab.err.startswith(f"error: {told}"), seqlab.err
        assert seqlab.err.count("\n") == 1
    assert not [file for file in Path("runs").glob("*") if manifest(file)["finished"]]
