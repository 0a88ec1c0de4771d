"""The sequential test against published tests, another method, and its promised error rates."""

import numpy as np
import pytest
from pair_play import DRAWS, NO_DRAWS, chances, play_tests
from scipy.optimize import minimize

from analysis import pair_likelihood
from analysis.elo import ELO_PER_SD, score_of_elo
from analysis.sequential import (
    ACCEPTS_ELO0,
    ACCEPTS_ELO1,
    GOES_ON,
    LEAST_ERROR,
    NEAREST,
    UNDECIDED,
    SequentialTest,
    State,
    advance,
)
from analysis.stopping import chances_at, duration

SCORES = np.linspace(0, 1, 5)

# Results and ratios as printed by fishtest, from pull requests of Stockfish (number, ratio, Elo
# bounds, counts), before it used normalized Elo ...
LOGISTIC = [
    (2493, 2.94, -1, 3, (424, 2948, 5832, 3045, 460)),
    (2493, 2.94, 0, 2, (1284, 17437, 55536, 18085, 1292)),
    (2951, 2.95, -0.5, 1.5, (59, 754, 2467, 865, 75)),
    (2971, 2.96, -0.5, 1.5, (17, 253, 1042, 337, 39)),
    (2971, 2.93, 0.25, 1.75, (11, 407, 3238, 513, 11)),
    (3098, 2.97, 0.25, 1.25, (53, 2220, 21459, 2445, 47)),
    (3209, 2.97, 0.25, 1.25, (58, 3302, 33130, 3518, 84)),
    (3331, 2.93, 0.25, 1.25, (14, 1030, 14318, 1163, 19)),
]
# ... and since; the last three are of brunocodutra/cinder, printed by fastchess.
NORMALIZED = [
    (3514, 2.97, -0.5, 2.5, (264, 5737, 31270, 5964, 269)),
    (3514, 2.94, 0.5, 3.5, (29, 2205, 35000, 2392, 34)),
    (4194, 2.95, 0, 2, (371, 10263, 24989, 10642, 379)),
    (4470, 2.96, -1.75, 0.25, (186, 36697, 114494, 36566, 185)),
    (5843, 2.94, -1.75, 0.25, (0, 4735, 16162, 4896, 6)),
    (6655, 3.01, -1.75, 0.25, (1145, 40248, 87571, 40027, 1201)),
    (727, 2.97, 0, 5, (50, 287, 610, 387, 73)),
    (795, 1.98, 0, 3, (1447, 13972, 26437, 14412, 1441)),
    (820, 2.90, -3, 1, (244, 1980, 3630, 2067, 263)),
]


@pytest.mark.parametrize(("_pull", "ratio", "elo0", "elo1", "counts"), LOGISTIC)
def test_published_ratios(_pull, ratio, elo0, elo1, counts):
    assert SequentialTest(elo0, elo1).ratio(counts) == pytest.approx(ratio, abs=0.0051)


@pytest.mark.parametrize(("_pull", "ratio", "elo0", "elo1", "counts"), NORMALIZED)
def test_published_ratios_in_normalized_elo(_pull, ratio, elo0, elo1, counts):
    test = SequentialTest(elo0, elo1, normalized=True)
    assert test.ratio(counts) == pytest.approx(ratio, abs=0.0051)


def test_published_bounds():
    test = SequentialTest(0, 3, alpha=0.05, beta=0.10)
    assert (test.lower, test.upper) == pytest.approx((-2.25, 2.89), abs=0.005)
    assert SequentialTest(0, 3).upper == pytest.approx(2.944, abs=0.001)


def most_likely(counts, constraint):
    """Greatest log-likelihood of five chances under a constraint, found numerically."""
    shares = np.array(counts) / sum(counts)

    def loss(p):
        return -(shares * np.log(p / shares)).sum()

    best = min(
        (
            minimize(
                loss,
                start,
                jac=lambda p: -shares / p,
                method="SLSQP",
                bounds=[(1e-9, 1)] * 5,
                constraints=[
                    {"type": "eq", "fun": lambda p: p.sum() - 1},
                    {"type": "eq", "fun": constraint},
                ],
                options={"ftol": 1e-16, "maxiter": 500},
            )
            for start in (shares, (shares + 0.2) / 2)
        ),
        key=lambda found: found.fun + 1e3 * abs(constraint(found.x)),
    )
    assert abs(constraint(best.x)) < 1e-11
    return -sum(counts) * best.fun


COUNTS = [
    (10, 20, 40, 25, 15),
    (3, 0.5, 60, 1, 12),
    (1, 2, 3, 4, 5),
    (90, 5, 80, 5, 20),
    (30, 100, 300, 120, 50),
    (2, 2, 2, 2, 40),
    (5, 50, 5, 50, 5),
]


@pytest.mark.parametrize("counts", COUNTS)
@pytest.mark.parametrize(("elo0", "elo1"), [(0, 5), (-20, 40)])
def test_ratio_is_that_of_direct_maximisation(counts, elo0, elo1):
    def constraint(score):
        return lambda p: p @ SCORES - score

    found = [most_likely(counts, constraint(score_of_elo(elo))) for elo in (elo0, elo1)]
    assert SequentialTest(elo0, elo1).ratio(counts) == pytest.approx(found[1] - found[0], abs=1e-6)


@pytest.mark.parametrize("counts", COUNTS)
@pytest.mark.parametrize(("elo0", "elo1"), [(0, 5), (-20, 40)])
def test_normalized_ratio_is_that_of_direct_maximisation(counts, elo0, elo1):
    def constraint(t):
        return lambda p: p @ SCORES - 0.5 - t * np.sqrt(p @ SCORES**2 - (p @ SCORES) ** 2)

    found = [most_likely(counts, constraint(elo / ELO_PER_SD * np.sqrt(2))) for elo in (elo0, elo1)]
    ratio = SequentialTest(elo0, elo1, normalized=True).ratio(counts)
    assert ratio == pytest.approx(found[1] - found[0], abs=1e-6)


@pytest.mark.parametrize("t", [-1.5, -0.1, 0.0, 0.02, 0.4, 2.0])
@pytest.mark.parametrize("counts", [*COUNTS, (0, 0, 50, 0, 0), (0, 0, 0, 0, 9), (0, 0, 0, 0, 0)])
def test_fits_keep_their_constraint(counts, t):
    p = pair_likelihood.fit(counts, pair_likelihood.t_is(t))
    mean = p @ SCORES
    assert p.sum() == pytest.approx(1)
    assert mean - 0.5 == pytest.approx(t * np.sqrt(p @ (SCORES - mean) ** 2), abs=1e-7)
    for score in (0.01, 0.5, 0.9):
        p = pair_likelihood.fit(counts, pair_likelihood.mean_is(score))
        assert p.sum() == pytest.approx(1)
        assert p @ SCORES == pytest.approx(score, abs=1e-7)


@pytest.mark.parametrize("normalized", [False, True])
@pytest.mark.parametrize(
    "counts", [(0, 0, 0, 0, 0), (0, 0, 99, 0, 0), (0, 0, 0, 0, 99), (20, 0, 55, 0, 25)]
)
def test_how_much_empty_cells_count_does_not_matter(monkeypatch, counts, normalized):
    test = SequentialTest(0, 20, normalized=normalized)
    usual = test.ratio(counts)
    monkeypatch.setattr(pair_likelihood, "EMPTY", 1e-6)
    assert test.ratio(counts) == pytest.approx(usual, abs=0.01)


@pytest.mark.parametrize("normalized", [False, True])
def test_many_counts_at_once_are_as_one_by_one(normalized):
    test = SequentialTest(0, 20, normalized=normalized)
    counts = np.random.default_rng(1).poisson(3, (4, 7, 5))
    one_by_one = [[test.ratio(row) for row in block] for block in counts]
    assert test.ratio(counts) == pytest.approx(np.array(one_by_one), abs=1e-9)


@pytest.mark.parametrize("size", [1, 7, 100, 20_000])
def test_the_stop_does_not_depend_on_batches(size):
    test = SequentialTest(0, 20)
    results = np.random.default_rng(2).choice(5, 20_000, p=chances(15))
    state, whole = State(), advance(test, State(), results)
    for start in range(0, len(results), size):
        state = advance(test, state, results[start : start + size])
    assert state == whole
    assert whole.verdict == ACCEPTS_ELO1
    before = np.bincount(results[: whole.pairs - 1], minlength=5)
    assert test.ratio(before) < test.upper <= test.ratio(whole.counts)


def test_after_the_last_pair_a_test_is_undecided():
    test = SequentialTest(0, 5, max_pairs=50)
    results = np.random.default_rng(3).choice(5, 80, p=chances(2))
    state = advance(test, State(), results[:49])
    assert (state.pairs, state.verdict) == (49, GOES_ON)
    state = advance(test, state, results[49:])
    assert (state.pairs, state.verdict) == (50, UNDECIDED)
    assert advance(test, state, results) == state


@pytest.mark.parametrize(
    "wrong",
    [
        {"elo0": 5},
        {"elo1": np.inf},
        {"elo0": np.nan},
        {"elo1": 1e308},
        {"elo0": -1001},
        {"elo1": 1e-300},
        {"elo1": 0.009},
        {"alpha": 0},
        {"alpha": 1e-320},
        {"beta": 0.5},
        {"beta": np.nan},
        {"max_pairs": 0},
    ],
)
def test_what_makes_no_test_is_refused(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        SequentialTest(**({"elo0": 0, "elo1": 5} | wrong))


@pytest.mark.parametrize("normalized", [False, True])
@pytest.mark.parametrize(("elo0", "elo1"), [(-1000, 1000), (999, 1000), (0, NEAREST)])
@pytest.mark.parametrize("counts", [DRAWS, (0, 0, 1, 0, 0), (0, 0, 0, 0, 1)])
def test_the_outermost_tests_have_numbers(normalized, elo0, elo1, counts):
    """No warning (they are errors), and nothing that is no number, up to what may be asked."""
    test = SequentialTest(elo0, elo1, LEAST_ERROR, LEAST_ERROR, normalized, 10**6)
    many = 1e4 * np.array(counts)
    assert np.isfinite(test.ratio(many))
    for elo in (elo0, elo1):
        found = duration(test, chances_at(test, elo, many))
        assert 0 < found.median <= found.high <= 10**6
        assert np.isfinite(found.mean)


def test_results_that_no_pair_has_are_refused():
    with pytest.raises(ValueError, match="results"):
        advance(SequentialTest(0, 5), State(), [0, 5])
    with pytest.raises(ValueError, match="counts"):
        SequentialTest(0, 5).ratio([1, 2, 3, -1, 0])


CASES = [
    (SequentialTest(0, 40), DRAWS),
    (SequentialTest(0, 40), NO_DRAWS),
    (SequentialTest(-20, 20, alpha=0.02, beta=0.1), DRAWS),
    (SequentialTest(0, 50, normalized=True), DRAWS),
]


def error_rates(test, like, repeats, seed):
    """Chances of both errors, simulated at elo0 and elo1."""
    elos = [test.elo0, test.elo1]
    if test.normalized:
        elos = [logistic_of_normalized(elo, like) for elo in elos]
    first, second = (
        [state.verdict for state in play_tests(test, chances(elo, like), repeats, seed)]
        for elo in elos
    )
    return first.count(ACCEPTS_ELO1) / repeats, second.count(ACCEPTS_ELO0) / repeats


def logistic_of_normalized(elo, like):
    p = pair_likelihood.fit(
        1e6 * np.array(like), pair_likelihood.t_is(elo / ELO_PER_SD * np.sqrt(2))
    )
    score = p @ SCORES
    return -400 * np.log10(1 / score - 1)


@pytest.mark.parametrize(("test", "like"), CASES)
def test_errors_are_about_as_rare_as_promised(test, like):
    repeats = 400 if test.normalized else 800
    first, second = error_rates(test, like, repeats, seed=4)
    assert first <= test.alpha + 3 * np.sqrt(test.alpha * (1 - test.alpha) / repeats)
    assert second <= test.beta + 3 * np.sqrt(test.beta * (1 - test.beta) / repeats)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("test", "like"), [*CASES, (SequentialTest(0, 15), DRAWS), (SequentialTest(0, 150), NO_DRAWS)]
)
def test_errors_are_as_rare_as_promised(test, like):
    repeats = 8000
    first, second = error_rates(test, like, repeats, seed=5)
    assert first <= test.alpha + 2 * np.sqrt(test.alpha * (1 - test.alpha) / repeats)
    assert second <= test.beta + 2 * np.sqrt(test.beta * (1 - test.beta) / repeats)
