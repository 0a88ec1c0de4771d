"""The confidence sequence covers at all times at once, and is not much wider than need be."""

import numpy as np
import pytest
from pair_play import DRAWS, NO_DRAWS, chances

from analysis.confidence_sequence import ANYTIME, ConfidenceSequence, covers, log_wealth
from analysis.estimates import NO_DATA

SCORES = np.linspace(0, 1, 5)


def ever_missed(chance, repeats, pairs, seed):
    """Share of runs whose interval misses the mean after any pair."""
    rng = np.random.default_rng(seed)
    mean = float(np.asarray(chance) @ SCORES)
    missed = 0
    for _ in range(repeats // 50):
        results = rng.choice(5, (50, pairs), p=chance)
        counts = np.eye(5, dtype=np.int32)[results].cumsum(1)
        missed += np.count_nonzero(~covers(counts, mean).all(1))
    return missed / repeats


CASES = [
    chances(0),
    chances(100, NO_DRAWS),
    np.array([0.01, 0, 0.02, 0, 0.97]),
    np.array([0, 0.02, 0.95, 0.03, 0]),
]


@pytest.mark.parametrize("chance", CASES)
def test_misses_are_rare_at_all_times(chance):
    assert ever_missed(chance, repeats=200, pairs=500, seed=1) <= 0.05


@pytest.mark.slow
@pytest.mark.parametrize("chance", CASES)
def test_misses_stay_rare_for_long(chance):
    found = ever_missed(chance, repeats=2000, pairs=5000, seed=2)
    assert 0.005 <= found <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 2000)


@pytest.mark.parametrize("mean", [0.03, 0.5, 0.8])
def test_wealth_is_fair(mean):
    """Exactly: over all results of three pairs the mean wealth is 1 if the mean is as betted."""
    chance = np.array([1 - mean, 0, 0, 0, mean]) * 0.5
    chance[2] += 0.5 * (1 - abs(2 * mean - 1))
    chance[0 if mean < 0.5 else 4] += 0.5 * abs(2 * mean - 1)
    assert chance @ SCORES == pytest.approx(mean)
    results = np.array(np.meshgrid(*[range(5)] * 3)).reshape(3, -1).T
    counts = np.eye(5)[results].sum(1)
    wealth = np.exp(log_wealth(counts, mean))
    assert (chance[results].prod(1) * wealth).sum() == pytest.approx(1)


@pytest.mark.parametrize("pairs", [20, 100, 10_000, 1_000_000])
def test_it_is_about_1_7_times_as_wide_as_an_interval_for_one_look(pairs):
    counts = np.round(np.array(DRAWS) * pairs).astype(int)
    sequence = ConfidenceSequence()
    sequence.update(counts)
    low, high = sequence.interval()
    mean = counts @ SCORES / pairs
    once = 1.96 * np.sqrt(counts @ (SCORES - mean) ** 2 / pairs**2)
    assert 1.68 * once <= (high - low) / 2 <= 1.8 * once


def test_batches_and_their_order_do_not_matter():
    rng = np.random.default_rng(4)
    batches = rng.poisson(4, (6, 5))
    one, other, all_at_once = (ConfidenceSequence() for _ in range(3))
    for batch in batches:
        one.update(batch)
    for batch in batches[::-1]:
        other.update(batch)
    all_at_once.update(batches.sum(0))
    assert one.interval() == other.interval() == all_at_once.interval()


def test_ends_are_where_a_bettor_gets_rich():
    sequence = ConfidenceSequence(level=0.9)
    sequence.update((10, 20, 90, 40, 30))
    low, high = sequence.interval()
    assert 0 < low < high < 1
    for mean, expected in ((low - 1e-6, False), (low + 1e-6, True), (high + 1e-6, False)):
        assert bool(covers(sequence.counts, mean, level=0.9)) is expected
    found = sequence.estimate(games=380)
    assert (found.low, found.high, found.deals, found.games) == (low, high, 190, 380)
    assert found.method == ANYTIME


def test_nothing_and_extremes():
    sequence = ConfidenceSequence(results=3)
    assert sequence.interval() == (0, 1)
    assert sequence.estimate(0).method == NO_DATA
    sequence.update((0, 0, 200))
    low, high = sequence.interval()
    assert 0.94 < low < 1
    assert high == 1
    sequence = ConfidenceSequence(results=3)
    sequence.update((200, 0, 0))
    assert sequence.interval() == pytest.approx((0, 1 - low))


def test_what_makes_no_sense_is_refused():
    with pytest.raises(ValueError, match="level"):
        ConfidenceSequence(level=1)
    for wrong in ((1, 2, 3), (1, 2, 3, 4, -1)):
        with pytest.raises(ValueError, match="counts"):
            ConfidenceSequence().update(wrong)
