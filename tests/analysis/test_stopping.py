"""Estimates after a stop and durations before the start, against simulated tests."""

import numpy as np
import pytest
from pair_play import DRAWS, NO_DRAWS, chances, play_tests
from scipy.integrate import quad

from analysis import brownian
from analysis.elo import ELO_PER_SD, ONE_SIDED, score_of_elo
from analysis.estimates import NO_DATA, WILSON
from analysis.pair_likelihood import fit, mean_is
from analysis.sequential import (
    ACCEPTS_ELO0,
    ACCEPTS_ELO1,
    GOES_ON,
    UNDECIDED,
    SequentialTest,
    State,
    advance,
    walk,
)
from analysis.stopping import (
    FAR,
    STOPPED,
    chance_of_worse,
    chances_at,
    distance,
    duration,
    independent_chances,
    stopped_elo,
    stopped_normalized_elo,
    stopped_score,
)

STRIPS = [(1, 1, 0, 0.5), (2, 1, 2, 0.3), (1, 2, -1.5, 1), (2, 1, 1e-12, 50)]


@pytest.mark.parametrize(("upper", "lower", "drift", "time"), STRIPS)
def test_exits_are_those_of_the_eigenfunctions(upper, lower, drift, time):
    """The series in sines (Cox and Miller 1965, 5.7) is another way to the same chances."""
    width, n = upper + lower, np.arange(1, 2000)
    rate = (n * np.pi / width) ** 2 / 2 + drift**2 / 2
    wave = np.sin(n * np.pi * lower / width)
    later = np.exp(drift * upper - rate * time) * np.pi / width**2 * n * (-1.0) ** (n + 1) * wave
    ever = brownian.leaves(upper, lower, drift, np.inf)
    found = brownian.leaves(upper, lower, drift, time)
    assert found == pytest.approx(ever - (later / rate).sum(), abs=1e-9)

    def density(x):
        waves = wave * np.sin(n * np.pi * (x + lower) / width)
        return 2 / width * (np.exp(drift * x - rate * time) * waves).sum()

    inside = brownian.stays_below(0.3, upper, lower, drift, time)
    assert inside == pytest.approx(quad(density, -lower, 0.3)[0], abs=1e-9)


@pytest.mark.parametrize("drift", [-40, -3, -1e-5, 0, 1e-5, 0.5, 40])
@pytest.mark.parametrize("time", [1e-4, 0.1, 2, 1e4])
def test_chances_add_up_to_one(drift, time):
    up, down = brownian.leaves(2, 1, drift, time), brownian.leaves(1, 2, -drift, time)
    assert up + down + brownian.stays_below(2, 2, 1, drift, time) == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("drift", [-40, -3, -1e-5, 0, 1e-5, 0.5, 40])
def test_mean_time_is_the_area_under_survival(drift):
    found = brownian.mean_time(2, 1, drift)

    def stays(t):
        return 1 - brownian.leaves(2, 1, drift, t) - brownian.leaves(1, 2, -drift, t)

    assert found == pytest.approx(quad(stays, 0, 25 * found, limit=200)[0], rel=1e-4)


LOGISTIC = SequentialTest(0, 20)
CASES = [
    (LOGISTIC, DRAWS, -20),
    (LOGISTIC, DRAWS, 0),
    (LOGISTIC, DRAWS, 10),
    (LOGISTIC, DRAWS, 20),
    (LOGISTIC, DRAWS, 40),
    (SequentialTest(0, 40), NO_DRAWS, 0),
    (SequentialTest(0, 40), NO_DRAWS, 60),
    (SequentialTest(0, 20, max_pairs=250), DRAWS, 0),
    (SequentialTest(0, 20, max_pairs=250), DRAWS, 25),
    (SequentialTest(0, 30, normalized=True), DRAWS, 0),
    (SequentialTest(0, 30, normalized=True), DRAWS, 30),
]


def coverage(test, like, elo, repeats, seed):
    """How often the interval misses low and high, and the estimate is too low.

    The interval holds a score where the chance of a worse outcome is from 2.5 to 97.5 %.
    """
    states = play_tests(test, chances(elo, like), repeats, seed)
    worse = np.array([chance_of_worse(test, state, score_of_elo(elo)) for state in states])
    return np.mean(worse < 0.025), np.mean(worse > 0.975), np.mean(worse < 0.5)


@pytest.mark.parametrize(("test", "like", "elo"), CASES[1::3])
def test_corrected_intervals_cover_roughly(test, like, elo):
    high, low, below = coverage(test, like, elo, 150, seed=6)
    assert high + low <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 150)
    assert below == pytest.approx(0.5, abs=3 * np.sqrt(0.25 / 150))


@pytest.mark.parametrize("elo", [60, 150])
def test_the_opponent_sees_the_mirror_image(elo):
    """A test that is even-handed says of B what it says of A, turned."""
    test = SequentialTest(-elo, elo, max_pairs=400)
    rng = np.random.default_rng(8)
    verdicts = set()
    for _ in range(4):
        results = rng.choice(5, 400, p=[0.1, 0.2, 0.4, 0.2, 0.1])
        ours, theirs = (advance(test, State(), each) for each in (results, 4 - results))
        verdicts.add(ours.verdict)
        mine, other = stopped_score(test, ours), stopped_score(test, theirs)
        ends = (1 - other.value, 1 - other.high, 1 - other.low)
        assert (mine.value, mine.low, mine.high) == pytest.approx(ends, abs=1e-5)
    assert {ACCEPTS_ELO0, ACCEPTS_ELO1} <= verdicts


@pytest.mark.slow
@pytest.mark.parametrize(("test", "like", "elo"), CASES)
def test_corrected_intervals_cover_and_the_estimate_is_median_unbiased(test, like, elo):
    """At least 94 %; more where the truth is far outside of the bounds and few pairs are left."""
    high, low, below = coverage(test, like, elo, 4000, seed=7)
    assert 0.94 <= 1 - high - low <= 0.98
    assert max(high, low) <= 0.035
    assert below == pytest.approx(0.5, abs=0.035)


FAR_APART = [0.009, 0.055, 0.32, 0.945]


@pytest.mark.parametrize("score", FAR_APART)
def test_intervals_cover_where_players_are_far_apart(score):
    """There tests stop at about the same pair, whoever is lucky; `test_calibration` has more."""
    test, repeats = SequentialTest(0, 10), 150
    shares = fit(1e6 * np.array(DRAWS), mean_is(score))
    states = play_tests(test, shares / shares.sum(), repeats, seed=12)
    found = [stopped_score(test, state) for state in states]
    held = np.mean([each.low <= score <= each.high for each in found])
    assert held == pytest.approx(0.95, abs=3 * np.sqrt(0.05 * 0.95 / repeats))
    above = np.mean([each.value > score for each in found])
    assert above == pytest.approx(0.5, abs=0.15)
    assert {each.method for each in found} == {WILSON}


def test_the_plain_score_is_told_only_where_the_ratio_has_come_far():
    for elo in (0, 10, 40, 120):
        for state in play_tests(LOGISTIC, chances(elo), 8, seed=13):
            far = distance(LOGISTIC, state) >= FAR
            assert (stopped_score(LOGISTIC, state).method == WILSON) == far
            assert not far or elo > 0
            _, sd = walk(LOGISTIC, state.counts)
            assert distance(LOGISTIC, state) == pytest.approx(
                abs(state.ratio) / sd / np.sqrt(state.pairs)
            )


@pytest.mark.parametrize("verdict", [ACCEPTS_ELO0, ACCEPTS_ELO1, UNDECIDED, GOES_ON])
def test_ends_are_where_the_outcome_is_extreme(verdict):
    elo = {ACCEPTS_ELO0: 0, ACCEPTS_ELO1: 20}.get(verdict, 10)
    test = SequentialTest(0, 20, max_pairs=150 if verdict == UNDECIDED else None)
    size = 100 if verdict == GOES_ON else 5000
    results = np.random.default_rng(3).choice(5, size, p=chances(elo))
    state = advance(test, State(), results)
    assert state.verdict == verdict
    found = stopped_score(test, state)
    for end, chance in ((found.low, 0.975), (found.value, 0.5), (found.high, 0.025)):
        assert chance_of_worse(test, state, end) == pytest.approx(chance, abs=1e-4)
    assert (found.deals, found.games, found.method) == (state.pairs, 2 * state.pairs, STOPPED)
    assert score_of_elo(stopped_elo(test, state).high) == pytest.approx(found.high)


def test_early_passes_are_corrected_downward():
    """Who stopped early was lucky: the raw score says more than the corrected one."""
    test = SequentialTest(0, 20)
    states = play_tests(test, chances(10), 20, seed=8)
    passed = [state for state in states if state.verdict == ACCEPTS_ELO1]
    raw = [np.dot(state.counts, np.linspace(0, 1, 5)) / state.pairs for state in passed]
    corrected = [stopped_score(test, state).value for state in passed]
    assert np.mean(corrected) < np.mean(raw)


def test_normalized_estimates_keep_the_sign_and_the_scale():
    test = SequentialTest(0, 30, normalized=True)
    state = play_tests(test, chances(25), 1, seed=9)[0]
    score, found = stopped_score(test, state), stopped_normalized_elo(test, state)
    shares = np.array(state.counts) / state.pairs
    scores = np.linspace(0, 1, 5)
    sd = np.sqrt(shares @ scores**2 - (shares @ scores) ** 2)
    expected = ELO_PER_SD * (score.value - 0.5) / (np.sqrt(2) * sd)
    assert found.value == pytest.approx(expected, rel=0.02)
    assert found.low < found.value < found.high


@pytest.mark.parametrize("normalized", [False, True])
@pytest.mark.parametrize("counts", [(0, 0, 0, 0, 30), (30, 0, 0, 0, 0), (0, 0, 3, 0, 0)])
def test_extreme_results_have_bounds_and_no_nan(counts, normalized):
    test = SequentialTest(0, 200, normalized=normalized)
    state = State()
    for result in np.repeat(range(5), counts):
        state = advance(test, state, [result])
    for found in (stopped_elo(test, state), stopped_normalized_elo(test, state)):
        ends = (found.low, found.value, found.high)
        assert any(end is not None for end in ends)
        assert all(end is None or np.isfinite(end) for end in ends)
        assert found.known or found.method == ONE_SIDED
    assert stopped_score(test, State()).method == NO_DATA


DURATIONS = [
    (SequentialTest(0, 40), DRAWS, 0),
    (SequentialTest(0, 40), NO_DRAWS, 20),
    (SequentialTest(0, 40), DRAWS, 60),
    (SequentialTest(0, 40, max_pairs=200), DRAWS, 20),
    (SequentialTest(0, 50, normalized=True), DRAWS, 0),
]


@pytest.mark.parametrize(("test", "like", "elo"), DURATIONS)
def test_durations_are_those_of_simulated_tests(test, like, elo):
    repeats = 500 if test.normalized else 1500
    states = play_tests(test, chances(elo, like), repeats, seed=10)
    pairs = np.array([state.pairs for state in states])
    found = duration(test, chances(elo, like))
    assert found.mean == pytest.approx(pairs.mean(), rel=0.03 + 2 * pairs.std() / pairs.mean() / 39)
    assert found.median == pytest.approx(np.median(pairs), rel=0.1)
    assert found.high == pytest.approx(np.quantile(pairs, 0.95), rel=0.1)
    verdicts = [state.verdict for state in states]
    assert found.elo1 == pytest.approx(verdicts.count(ACCEPTS_ELO1) / repeats, abs=0.04)
    assert found.undecided == pytest.approx(verdicts.count(UNDECIDED) / repeats, abs=0.04)


def test_chances_of_pairs():
    found = independent_chances(30, 0.1)
    assert found.sum() == pytest.approx(1)
    assert found @ np.linspace(0, 1, 5) == pytest.approx(score_of_elo(30))
    assert found[4] == pytest.approx((score_of_elo(30) - 0.05) ** 2)
    tilted = chances_at(LOGISTIC, 30, (10, 20, 40, 20, 10))
    scores = np.linspace(0, 1, 5)
    assert tilted @ scores == pytest.approx(score_of_elo(30))
    other = chances_at(SequentialTest(0, 30, normalized=True), 30, (10, 20, 40, 20, 10))
    sd = np.sqrt(2 * other @ (scores - other @ scores) ** 2)
    assert ELO_PER_SD * (other @ scores - 0.5) / sd == pytest.approx(30)
    assert tilted[2] == pytest.approx(0.4, abs=0.01)
    with pytest.raises(ValueError, match="draws"):
        independent_chances(400, 0.5)
