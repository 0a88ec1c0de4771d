"""Duels: the figures of tables, whatever the threads, and nothing where nothing can vary."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from helpers import JIT, scaled

from analysis.duel import Duel, Pairing, duel, duels, games_of_deal
from analysis.estimates import (
    CANNOT_VARY,
    NO_DATA,
    Estimate,
    moments,
    proportion,
    quantile,
    wilson,
)
from simcore import Rules, simulate
from simcore.plan import MAX_DEALS
from simcore.runner import RunError
from simcore.strategy import find_strategy

BALANCED, GREEDY, RANDOM = map(find_strategy, ("balanced", "greedy", "random"))
DEALS = scaled(300)
TABLES = [
    Rules(),
    Rules(players=4, hand_size=5, free_corners=False),
    Rules(players=3, chips=(9, 9, 9), reshuffle=False),
    Rules(players=6, teams=3, max_turns=70),
]


def figures(estimate: Estimate) -> list[Any]:
    told = (estimate.value, estimate.low, estimate.high, estimate.error)
    return [*told, estimate.games, estimate.deals]


@pytest.mark.parametrize("rules", TABLES if JIT else TABLES[:3:2])
def test_figures_are_those_of_the_tables(rules: Rules) -> None:
    found = duel(BALANCED, RANDOM, rules, DEALS, seed=5)
    run = simulate(["balanced", "random"], DEALS * found.games, 5, rules, "swap")
    seats = run.seats[run.seats["strategy"] == "balanced"]
    seats = seats[seats["seat"] < rules.teams]  # one seat for each team
    # float32 in the tables; a third is not exact there.
    by_deal = seats.assign(score=seats["score"].astype(float)).groupby("deal")["score"]
    assert by_deal.count().eq({2: 2, 3: 9}[rules.teams]).all()
    assert np.allclose(found.points, by_deal.sum(), atol=1e-6)
    games = np.full(DEALS, found.games)
    won = moments(by_deal.sum().to_numpy()[:, None], games[:, None], games)[0]
    expected = proportion(won).affine(2 / rules.teams)
    assert found.score.value == pytest.approx(seats["score"].mean(), abs=1e-6)
    assert figures(found.score) == pytest.approx(figures(expected), abs=1e-6)
    drawn = run.games["winner"] < 0
    assert found.drawn.value == pytest.approx(drawn.mean())
    assert found.games == games_of_deal(rules)
    assert (found.drawn.games, found.drawn.deals) == (len(run.games), DEALS)
    theirs = run.seats[run.seats["strategy"] == "random"]
    assert found.lead.value is not None
    assert found.lead.value == pytest.approx(
        seats["score"].mean() - theirs[theirs["seat"] < rules.teams]["score"].mean(), abs=1e-5
    )


def test_the_other_way_round() -> None:
    """What one wins the other loses; with three teams a strategy holds nine teams a deal."""
    for rules in (Rules(), Rules(players=3)):
        one, other = (
            duel(*pair, rules, DEALS) for pair in ((BALANCED, GREEDY), (GREEDY, BALANCED))
        )
        assert one.score.value is not None
        assert other.score.value is not None
        assert one.score.value + other.score.value == pytest.approx(2 / rules.teams)
        assert one.lead.value == pytest.approx(-(other.lead.value or 0))
        assert one.lead.error == pytest.approx(other.lead.error)


def test_threads_and_company_change_nothing() -> None:
    """Nor does where a deal stands among the deals played."""
    pairings = [
        Pairing(BALANCED, RANDOM, 7, DEALS),
        Pairing(GREEDY, RANDOM, 7, scaled(700)),
        Pairing(BALANCED, GREEDY, 2**40, DEALS),
    ]
    rules = Rules(players=3)
    together = [duels(pairings, rules, seed=3, threads=threads) for threads in (1, 2)]
    alone = [duel(p.a, p.b, rules, p.deals, p.first_deal, 3) for p in pairings]
    for found in (*together, alone):
        for one, same in zip(found, alone, strict=True):
            assert np.array_equal(one.points, same.points)
            assert np.array_equal(one.draws, same.draws)
    later = duel(BALANCED, RANDOM, rules, DEALS - 2, 9, 3)
    assert np.array_equal(later.points, alone[0].points[2:])
    assert not np.array_equal(duel(BALANCED, RANDOM, rules, DEALS, 7, 4).points, alone[0].points)


def test_progress_counts_games() -> None:
    told: list[int] = []
    found = duel(BALANCED, RANDOM, Rules(players=3), 10, progress=told.append)
    assert sum(told) == 10 * found.games == 60


@pytest.mark.parametrize("players", [2, 3])
def test_who_always_wins_scores_all_there_is(players: int) -> None:
    """It has an interval all the same; with three teams one of two teams held has to lose."""
    rules = Rules(players=players, sequences_to_win=3)
    found = duel(BALANCED, RANDOM, rules, 1)
    most = 2 / rules.teams
    points, none = np.full(40, found.games), np.zeros(40)
    won = Duel(found.pairing, rules.teams, found.games, points, none, none)
    low, high = wilson(1.0, 40, quantile(40))
    assert won.score.value == pytest.approx(most)
    assert (won.score.low, won.score.high) == pytest.approx((most * low, most * high))
    assert won.lead.value == pytest.approx(most)


@pytest.mark.parametrize("players", [2, 3])
def test_equals_cannot_vary(players: int) -> None:
    told: list[int] = []
    rules = Rules(players=players)
    found = duel(GREEDY, GREEDY, rules, 10, progress=told.append)
    assert told == []
    equal = 1 / rules.teams
    assert found.score == Estimate(pytest.approx(equal), None, None, 0.0, 0, 0, CANNOT_VARY)
    assert found.lead == Estimate(pytest.approx(0), None, None, 0.0, 0, 0, CANNOT_VARY)
    assert found.drawn == Estimate(None, None, None, None, 0, 0, NO_DATA)
    # Against an equal, a gain is what a score has more than an equal share.
    other = duel(BALANCED, GREEDY, rules, 10)
    gain = other.gain_over(found)
    assert gain.value == pytest.approx((other.score.value or 0) - equal)
    assert gain.error == pytest.approx(other.score.error)


def test_gains_are_paired() -> None:
    """The difference of two scores on the same deals, by deal."""
    rules = Rules()
    strong, weak = duels([Pairing(b, RANDOM, 0, DEALS) for b in (BALANCED, GREEDY)], rules)
    gain = strong.gain_over(weak)
    by_deal = (strong.points - weak.points) / 2
    assert gain.value == pytest.approx(by_deal.mean())
    assert gain.error == pytest.approx(by_deal.std(ddof=1) / np.sqrt(DEALS))
    assert (gain.games, gain.deals) == (2 * DEALS, DEALS)
    with pytest.raises(ValueError, match="allowed: the same"):
        strong.gain_over(duel(GREEDY, RANDOM, rules, DEALS, first_deal=1))


@pytest.mark.parametrize(("deals", "first"), [(0, 0), (5, -1), (1, MAX_DEALS)])
def test_deals_that_are_not_allowed(deals: int, first: int) -> None:
    with pytest.raises(RunError, match="allowed: at least 1, from 0 to 17592186044415"):
        duel(BALANCED, GREEDY, Rules(), deals, first)
