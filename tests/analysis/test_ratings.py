"""Patterns and Elo against choix, statsmodels, likelihoods written anew and known strengths."""

from __future__ import annotations

import dataclasses

import choix
import numpy as np
import pytest
import statsmodels.api as sm
from scipy import stats
from scipy.optimize import minimize
from tournaments import of_patterns, played, shares

from analysis import estimates as e
from analysis.davidson import BRADLEY_TERRY, DAVIDSON, HALVES, NO_SEAT, fit
from analysis.patterns import (
    DRAWN,
    POINTS,
    STARTER,
    Pairing,
    common_field,
    field,
    histogram,
    overall,
    pattern_moments,
    turned,
)
from analysis.ranking import ABOVE, ANCHOR, APART, LONE, NO_TERM, UNBEATEN, WINLESS
from analysis.ratings import ELO, PROFILE, ratings

FIRST = ("ada", "bob", "cyd")
FOUR = {"ada": 120.0, "bob": 40.0, "cyd": -10.0, "dot": -150.0}


def by_name(found):
    return {each.name: each for each in found.ratings}


def finite(found):
    """All figures of any result are numbers, never nan or inf."""
    for value in dataclasses.astuple(found) if dataclasses.is_dataclass(found) else found:
        if isinstance(value, tuple):
            finite(value)
        elif isinstance(value, float):
            assert np.isfinite(value)


def test_histograms_count_patterns_and_turn():
    rng = np.random.default_rng(1)
    outcomes = rng.integers(0, 3, (50, 2)).astype(np.int8)
    counted = histogram(outcomes)
    for p in range(3):
        for q in range(3):
            assert counted[p, q] == ((outcomes == [p, q]).all(1)).sum()
    assert (turned(counted) == histogram(2 - outcomes[:, ::-1])).all()
    both = field([Pairing("b", "a", outcomes[:20]), Pairing("a", "b", 2 - outcomes[20:, ::-1])])
    assert (both.patterns[1, 0] == counted).all()


@pytest.mark.parametrize(
    ("outcomes", "told"),
    [([[0, 3]], "0 to 3"), ([[0.0, 1]], "float64"), ([0, 1], "shape|(2,)"), ([[-1, 1]], "-1 to 1")],
)
def test_outcomes_that_are_not_allowed(outcomes, told):
    with pytest.raises(ValueError, match=told):
        histogram(outcomes)
    with pytest.raises(ValueError, match="against itself"):
        field([Pairing("a", "a", [[0, 1]])])


def test_figures_of_patterns_are_those_of_the_games():
    rng = np.random.default_rng(2)
    found = played(rng, FOUR, 30, 0.1, 300)
    made = field(found)
    for a, b, outcomes in found:
        i, j = made.names.index(a), made.names.index(b)
        for patterns, seen in (
            (made.patterns[i, j], outcomes),
            (made.patterns[j, i], 2 - outcomes[:, ::-1]),
        ):
            points = seen.sum(1)[:, None] / 2
            assert pattern_moments(patterns, POINTS) == pytest.approx(by_two_games(points))
    every = np.concatenate([outcomes for _, _, outcomes in found])
    started = (every[:, :1] + 2 - every[:, 1:]) / 2
    drawn = (every == 1).sum(1)[:, None]
    for values, summed in ((STARTER, started), (DRAWN, drawn)):
        expected = e.proportion(by_two_games(summed))
        assert dataclasses.astuple(overall(made, values)) == pytest.approx(
            dataclasses.astuple(expected)
        )


def by_two_games(summed):
    """Moments of a figure summed over the two games of each deal."""
    games = np.full(len(summed), 2)
    return e.moments(summed.astype(float), games[:, None], games)[0]


def score_of_two(found):
    """Score of the first of two strategies."""
    return e.proportion(pattern_moments(found.patterns[0, 1], POINTS))


def test_strengths_are_those_of_choix_without_seat_and_draws():
    """Games balanced between the seats have a seat term of zero, so choix needs none."""
    rng = np.random.default_rng(3)
    found = []
    for a, b, outcomes in played(rng, FOUR, 0, 0.0, 200):
        both = np.concatenate([outcomes, outcomes[:, ::-1]])
        found.append(Pairing(a, b, both))
    names = sorted(FOUR)
    wins = [
        (names.index(a), names.index(b)) if result else (names.index(b), names.index(a))
        for a, b, outcomes in found
        for result in outcomes.ravel()
    ]
    expected = choix.ilsr_pairwise(4, wins)
    result = ratings(field(found))
    assert result.model == BRADLEY_TERRY
    assert result.seat.value == pytest.approx(0, abs=1e-9)
    got = [by_name(result)[name].elo.value for name in names]
    assert got == pytest.approx(ELO * (expected - expected.mean()), abs=1e-4)


def test_seat_and_errors_are_those_of_clustered_logistic_regression():
    rng = np.random.default_rng(4)
    found = played(rng, FOUR, 60, 0.0, 1500)
    names, rows, y, deal = sorted(FOUR), [], [], []
    for a, b, outcomes in found:
        for g, (one, other) in enumerate(outcomes):
            row = (np.array(names) == a).astype(float) - (np.array(names) == b)
            rows += [[*row[1:], 1.0], [*row[1:], -1.0]]
            y += [one / 2, other / 2]
            deal += [f"{a}{b}{g}"] * 2
    groups = np.unique(deal, return_inverse=True)[1]
    model = sm.Logit(np.array(y), np.array(rows))
    fit = model.fit(disp=0, cov_type="cluster", cov_kwds={"groups": groups}, tol=1e-12)
    centre = np.zeros((5, 4))  # strengths about their mean, then the seat
    centre[:4, :3] = np.vstack([np.zeros(3), np.eye(3)]) - 1 / 4
    centre[4, 3] = 1
    expected = ELO * centre @ fit.params
    errors = ELO * np.sqrt(np.diag(centre @ fit.cov_params() @ centre.T))
    result = ratings(field(found))
    got = [*(by_name(result)[name].elo for name in names), result.seat]
    assert [each.value for each in got] == pytest.approx(expected, abs=1e-6)
    # statsmodels takes no account of pairings being fixed, which matters little at a good fit.
    assert [each.error for each in got] == pytest.approx(errors, rel=0.02)


def test_davidson_is_the_maximum_of_its_likelihood_and_errors_those_of_the_jackknife():
    rng = np.random.default_rng(5)
    three = {"ada": 90.0, "bob": 0.0, "cyd": -70.0}
    found = played(rng, three, 40, 0.4, 30)
    names = sorted(three)

    def loss(beta, found=found):
        elo = dict(zip(names, [*beta[:2], -beta[:2].sum()], strict=True))
        total = 0.0
        for a, b, outcomes in found:
            for game, side in enumerate((beta[2], -beta[2])):
                chances = shares(elo[a] - elo[b] + side, np.exp(beta[3]))
                total -= np.log(chances)[outcomes[:, game]].sum()
        return total

    expected = minimize(loss, [0, 0, 0, -1], method="BFGS", options={"gtol": 1e-6}).x
    result = ratings(field(found))
    assert result.model == DAVIDSON
    elo = by_name(result)
    got = [elo["ada"].elo.value, elo["bob"].elo.value, result.seat.value, np.log(result.nu)]
    assert got == pytest.approx(expected, abs=1e-2)
    assert loss(np.array(got)) <= loss(expected) + 1e-9
    lead = shares(got[2], np.exp(got[3]))
    assert result.seat_score.value == pytest.approx(lead[2] + lead[1] / 2 - 0.5)
    squares = {"ada": 0.0, "seat": 0.0, "score": 0.0}
    for k, (a, b, outcomes) in enumerate(found):
        without = []
        for deal in range(len(outcomes)):
            one = [*found[:k], Pairing(a, b, np.delete(outcomes, deal, 0)), *found[k + 1 :]]
            left = ratings(field(one))
            score = left.seat_score.value
            without.append([by_name(left)["ada"].elo.value, left.seat.value, score])
        # Without a deal the sums change by what it is off their mean: its square is summed.
        deals = len(outcomes)
        spread = np.var(without, axis=0) * deals * deals / (deals - 1)
        squares = {key: v + s for (key, v), s in zip(squares.items(), spread, strict=True)}
    errors = np.sqrt(list(squares.values()))
    got_errors = [elo["ada"].elo.error, result.seat.error, result.seat_score.error]
    assert got_errors == pytest.approx(errors, rel=0.06)


def test_elo_of_two_is_that_of_their_score():
    found = field(played(np.random.default_rng(6), {"a": 60.0, "b": -60.0}, 0, 0.0, 4000))
    score = score_of_two(found)
    elo = by_name(ratings(found, anchor="b"))
    assert elo["b"].elo.method == ANCHOR
    assert elo["a"].elo.value == pytest.approx(
        ELO * np.log(score.value / (1 - score.value)), abs=0.2
    )
    for end, bound in ((elo["a"].elo.low, score.low), (elo["a"].elo.high, score.high)):
        assert end == pytest.approx(ELO * np.log(bound / (1 - bound)), abs=0.3)


def test_the_interval_is_where_the_scaled_likelihood_falls():
    """Two strategies, no seat by balance: the profile has one parameter, and is written anew."""
    counts = {(2, 2): 40, (0, 0): 3, (2, 0): 10, (0, 2): 10}
    result = by_name(ratings(field([of_patterns("a", "b", counts)]), anchor="b"))["a"].elo
    wins, losses, deals = 100, 26, 63
    share = wins / 126

    def fall(elo):
        p = 1 / (1 + 10 ** (-elo / 400))
        return wins * np.log(share / p) + losses * np.log((1 - share) / (1 - p))

    points = np.repeat([2, 0, 1], [40, 3, 20])
    variance = deals / (deals - 1) * ((points - 2 * share) ** 2).sum() / 126**2
    stretch = share * (1 - share) / 126 / variance
    for end in (result.low, result.high):
        assert 2 * fall(end) * stretch == pytest.approx(e.quantile(deals) ** 2, rel=1e-5)
    assert result.high - result.value > result.value - result.low


def test_order_changes_nothing():
    """To the last digit: named, paired and dealt in any order."""
    rng = np.random.default_rng(7)
    found = played(rng, FOUR, 30, 0.05, 80)
    expected = ratings(field(found))
    figures = pattern_moments(field(found).patterns, POINTS)
    for _ in range(5):
        mixed = []
        for k in rng.permutation(len(found)):
            a, b, outcomes = found[k]
            outcomes = outcomes[rng.permutation(len(outcomes))]
            mixed.append(
                Pairing(a, b, outcomes)
                if rng.random() < 0.5
                else Pairing(b, a, 2 - outcomes[:, ::-1])
            )
        assert ratings(field(mixed)) == expected
        assert (pattern_moments(field(mixed).patterns, POINTS) == figures).all()


def test_who_never_lost_gets_a_lower_bound_and_who_never_won_an_upper_one():
    rng = np.random.default_rng(8)
    found = played(rng, {"bob": 20.0, "cyd": -20.0, "dot": 0.0}, 0, 0.0, 100)
    for name in ("bob", "cyd"):
        found.append(of_patterns("ada", name, {(2, 2): 50}))
        found.append(of_patterns("eve", name, {(0, 0): 50}))
    result = ratings(field(found))
    finite(result)
    names = [each.name for each in result.ratings]
    assert (names[0], names[-1]) == ("ada", "eve")
    top, low = result.ratings[0], result.ratings[-1]
    assert (top.elo.value, top.elo.high, top.elo.method) == (None, None, UNBEATEN)
    assert (low.elo.value, low.elo.low, low.elo.method) == (None, None, WINLESS)
    share = e.wilson(1.0, 100, e.quantile(100))[0]
    elo = by_name(result)
    against = [elo[name].elo.value for name in ("bob", "cyd")]
    side = result.seat.value * np.array([[1], [-1]])
    expected = 1 / (1 + 10 ** ((np.array(against) - top.elo.low + side) / 400))
    assert expected.mean() == pytest.approx(share)
    assert low.elo.high == pytest.approx(-top.elo.low, abs=40)
    assert top.better > 0.999
    assert result.ratings[-2].better > 0.999


def test_two_of_whom_one_won_all():
    result = ratings(field([of_patterns("b", "a", {(2, 2): 30})]))
    finite(result)
    assert [each.name for each in result.ratings] == ["b", "a"]
    assert (result.ratings[1].elo.value, result.ratings[1].elo.method) == (0, LONE)
    named = ratings(field([of_patterns("b", "a", {(2, 2): 30})]), anchor="a")
    assert by_name(named)["a"].elo.method == ANCHOR
    share = e.wilson(1.0, 30, e.quantile(30))[0]
    assert result.ratings[0].elo.low == pytest.approx(ELO * np.log(share / (1 - share)))
    assert result.seat.value is None


def test_elo_counts_a_deal_once_however_many_play_it_alike():
    """Against two copies of one strategy the lead is known no better than against one."""
    rng = np.random.default_rng(1)
    results = 2 * rng.integers(0, 2, (300, 2))
    one = ratings(common_field([Pairing("a", "b", results)]))
    plain = ratings(field([Pairing("a", "b", results)]))
    two = ratings(common_field([Pairing("a", "b", results), Pairing("a", "c", results)]))
    first, second = (by_name(each)["a"].elo for each in (one, two))
    assert first.error == pytest.approx(by_name(plain)["a"].elo.error)
    # Zero is the mean of those rated: a half of the lead is left of it there, two thirds here.
    assert second.value == pytest.approx(first.value * 4 / 3, rel=1e-4)
    assert second.error == pytest.approx(first.error * 4 / 3, rel=1e-4)
    apart = ratings(field([Pairing("a", "b", results), Pairing("a", "c", results)]))
    told = by_name(apart)["a"].elo
    assert told.error < 0.8 * second.error
    with pytest.raises(ValueError, match="the same deals for all"):
        common_field([Pairing("a", "b", results), Pairing("a", "c", results[:9])])


def test_one_deal_gives_no_interval_however_many_played_it():
    results = {("ada", "bob"): [2, 0], ("ada", "cyd"): [2, 1], ("bob", "cyd"): [0, 2]}
    found = [Pairing(*pair, np.array([each])) for pair, each in results.items()]
    result = ratings(common_field(found))
    finite(result)
    for told in (*(each.elo for each in result.ratings), result.seat, result.seat_score):
        assert told.value is not None
        assert (told.low, told.high, told.error, told.deals) == (None, None, None, 1)
        assert told.method == e.ONE_DEAL
    assert {each.better for each in result.ratings} <= {None, 0.5}
    assert not fit(common_field(found).patterns, common_field(found).common).covariance.any()


def test_deals_that_all_played_count_once():
    """Three opponents on the same 12 deals are 12 deals, whatever is asked of them."""
    rng = np.random.default_rng(14)
    results = rng.integers(0, 3, (12, 2))
    pairs = [("ada", "bob"), ("ada", "cyd"), ("bob", "cyd")]
    found = [Pairing(*pair, results) for pair in pairs]
    found += [Pairing("eve", each, np.full((12, 2), 2)) for each in ("ada", "bob", "cyd")]
    common, apart = ratings(common_field(found)), ratings(field(found))
    for result, deals in ((common, (12, 12)), (apart, (36, 72))):
        told = [each.elo for each in result.ratings]
        assert {(each.games, each.deals) for each in told} == {(72, deals[0])}
        for each in (result.seat, result.seat_score, result.starter, result.drawn):
            assert (each.games, each.deals) == (144, deals[1])
    # All games of a deal are alike, so that three pairings tell what one tells.
    alone, three = ratings(field(found[:1])), ratings(common_field(found[:3]))
    for one, all_alike in ((alone.drawn, three.drawn), (alone.starter, three.starter)):
        assert all_alike.error == pytest.approx(one.error)
        assert all_alike.high == pytest.approx(one.high)
    # What bob gains on cyd it loses to ada.
    assert by_name(common)["bob"].elo.method == e.CANNOT_VARY
    # Who won twelve deals against each of three has not won thirty-six.
    for result, deals in ((common, 12), (apart, 36)):
        against = np.array([by_name(result)[name].elo.value for name in FIRST])

        def chances(strength, result=result, against=against):
            leads = strength - against + result.seat.value * np.array([[1], [-1]])
            return np.array([shares(lead, result.nu) for lead in leads.ravel()])

        share = e.wilson(1.0, deals, e.quantile(deals))[0]
        expected = chances(by_name(result)["eve"].elo.low) @ [0, 0.5, 1]
        assert expected.mean() == pytest.approx(share)
        # Nor is it as sure to be better than the next: of each deal one game counts.
        likely = np.log(chances(result.ratings[1].elo.value)[:, 2]).mean() * deals
        sure = stats.t.cdf(np.sqrt(-2 * likely), deals - 1)
        assert result.ratings[0].better == pytest.approx(sure)


def test_those_apart_and_those_above_whom_nobody_met():
    found = [
        of_patterns("a", "b", {(2, 0): 20, (0, 2): 15, (2, 2): 5, (0, 0): 5}),
        of_patterns("b", "c", {(2, 0): 20, (0, 2): 15, (2, 2): 5, (0, 0): 5}),
        of_patterns("u", "a", {(2, 2): 9}),
        of_patterns("v", "u", {(2, 2): 9}),
        of_patterns("x", "y", {(2, 0): 9, (0, 2): 9}),
    ]
    result = ratings(field(found))
    finite(result)
    assert [each.name for each in result.ratings] == ["u", "v", "a", "b", "c", "x", "y"]
    words = {each.name: each.elo.method for each in result.ratings}
    assert words["u"] == UNBEATEN
    assert words["v"] == ABOVE
    assert words["a"] == words["c"] == PROFILE
    assert words["x"] == words["y"] == APART
    # The anchor's group is the one that is rated.
    other = by_name(ratings(field(found), anchor="x"))
    assert (other["x"].elo.value, other["x"].elo.method) == (0.0, ANCHOR)
    assert other["y"].elo.value == pytest.approx(0)
    assert other["a"].elo.method == APART


@pytest.mark.parametrize(
    ("counts", "model"),
    [
        ({(1, 1): 40}, HALVES),  # all drawn
        ({(2, 0): 40}, NO_SEAT),  # who starts wins
        ({(0, 2): 20, (1, 2): 5}, NO_SEAT),  # who starts never wins
        ({(2, 1): 40}, NO_SEAT),  # every deal the same
        ({(2, 2): 30, (1, 1): 10}, HALVES),  # never lost, but drawn
        ({(2, 0): 20, (0, 2): 20}, BRADLEY_TERRY),  # all deals halved
        ({(2, 1): 1}, NO_SEAT),
        ({(1, 0): 30, (1, 2): 5}, DAVIDSON),
    ],
)
def test_what_cannot_vary_or_has_no_maximum_is_told_in_words(counts, model):
    found = field([of_patterns("a", "b", counts)])
    result = ratings(found)
    finite(result)
    assert result.model == model
    score = score_of_two(found)
    elo = by_name(result)["a"].elo
    assert elo.value is not None
    # Of two, half of the difference is above their mean.
    assert model == DAVIDSON or 2 * elo.value == pytest.approx(
        ELO * np.log(score.value / (1 - score.value)), abs=15
    )
    if score.error in (0.0, None):
        word = e.CANNOT_VARY if score.error == 0 else e.ONE_DEAL
        assert (elo.low, elo.method) == (None, word)
    else:
        assert elo.low < elo.value < elo.high
    if model == NO_SEAT:
        assert (result.seat.value, result.seat.method) == (None, NO_TERM)
    if score.value == 0.5 and score.error == 0:
        assert result.ratings[0].better == 0.5


def test_what_is_refused():
    with pytest.raises(ValueError, match="allowed: one of a, b"):
        ratings(field([of_patterns("a", "b", {(2, 0): 4})]), anchor="c")
    with pytest.raises(ValueError, match="games: none"):
        ratings(field([]))
    with pytest.raises(ValueError, match="games: none"):
        ratings(field([Pairing("a", "b", np.zeros((0, 2), int))]))


def test_forty_strategies():
    rng = np.random.default_rng(9)
    many = {f"s{k:02}": float(elo) for k, elo in enumerate(np.linspace(300, -300, 40))}
    result = ratings(field(played(rng, many, 20, 0.02, 100)))
    finite(result)
    gaps = [abs(r.elo.value - many[r.name]) / r.elo.error for r in result.ratings]
    assert np.mean(gaps) == pytest.approx(0.8, abs=0.3)
    assert np.mean([r.better for r in result.ratings[:-1]]) > 0.8


def _coverage(repeats, seed):
    """How often the intervals of Elo and of the seat hold the truth."""
    rng = np.random.default_rng(seed)
    truth = {"ada": 180.0, "bob": 10.0, "cyd": -190.0}
    held = np.zeros(4)
    for _ in range(repeats):
        found = field(played(rng, truth, 50, 0.1, 100))
        result = ratings(found)
        pairs = [(by_name(result)[name].elo, truth[name]) for name in truth]
        pairs.append((result.seat, 50.0))
        held += [each.low <= known <= each.high for each, known in pairs]
    return held / repeats


def test_intervals_of_elo_cover_roughly():
    assert (np.abs(_coverage(150, 10) - 0.95) < 0.05).all()


@pytest.mark.slow
def test_intervals_of_elo_cover_the_truth_as_often_as_they_say():
    found = _coverage(4000, 11)
    assert ((found >= 0.94) & (found <= 0.96)).all(), found
