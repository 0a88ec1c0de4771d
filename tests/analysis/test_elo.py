"""Elo against published figures and simulated truth; nothing is ever nan or infinite."""

import numpy as np
import pytest
from pair_play import DRAWS, chances

from analysis import elo as e
from analysis.estimates import CANNOT_VARY, NO_DATA, ONE_DEAL, WILSON, Estimate

# Printed by fastchess: pull requests of brunocodutra/cinder (number, Elo, half-width, normalized
# Elo, half-width, counts); the last by fishtest, Stockfish 6255.
PUBLISHED = [
    (727, 18.04, 8.23, 28.19, 12.84, (50, 287, 610, 387, 73)),
    (778, 15.64, 5.88, 26.56, 9.97, (46, 496, 1073, 640, 79)),
    (800, 7.21, 3.87, 12.07, 6.48, (147, 1252, 2509, 1445, 165)),
    (802, 3.59, 2.53, 5.93, 4.19, (363, 3205, 5861, 3376, 414)),
    (804, 3.99, 2.72, 6.63, 4.52, (320, 2667, 5158, 2850, 359)),
    (820, 2.65, 3.24, 4.36, 5.32, (244, 1980, 3630, 2067, 263)),
    (836, 2.11, 1.70, 3.52, 2.83, (835, 6884, 13116, 7201, 852)),
    (879, 4.40, 3.91, 7.61, 6.75, (115, 1156, 2443, 1233, 141)),
    (6255, 2.22, 1.3, 12.00, 6.8, (1, 137, 4659, 203, 0)),
]


@pytest.mark.parametrize(("pull", "elo", "half", "nelo", "nelo_half", "counts"), PUBLISHED)
def test_published_elo(pull, elo, half, nelo, nelo_half, counts):
    digits = 0.051 if pull == 6255 else 0.0051
    found = e.elo_of_pairs(counts)
    assert found.value == pytest.approx(elo, abs=0.0051)
    assert (found.high - found.low) / 2 == pytest.approx(half, abs=digits + 0.005 * half)
    found = e.normalized_elo(counts)
    assert found.value == pytest.approx(nelo, abs=0.011)
    # Those of fastchess and fishtest take the standard deviation as known.
    assert (found.high - found.low) / 2 == pytest.approx(nelo_half, abs=digits + 0.01 * nelo_half)


@pytest.mark.parametrize("elo", [-700, -30, 0, 1e-9, 12.5, 400])
def test_there_and_back(elo):
    score = e.score_of_elo(elo)
    assert e.elo_of_score(score) == pytest.approx(elo, abs=1e-9)
    step = 1e-6
    slope = (e.elo_of_score(score + step) - e.elo_of_score(score - step)) / (2 * step)
    assert e.elo_slope(score) == pytest.approx(slope, rel=1e-3)


def test_known_differences():
    assert e.elo_of_score(0.75) == pytest.approx(190.85, abs=0.005)
    assert e.elo_of_score(10 / 11) == pytest.approx(400)


@pytest.mark.parametrize("score", [-0.1, 0, 1, 1.1, np.nan])
def test_no_score_of_nought_or_one_has_an_elo(score):
    with pytest.raises(ValueError, match="score"):
        e.elo_of_score(score)


def test_who_never_lost_gets_a_bound():
    found = e.elo_of_pairs((0, 0, 0, 0, 40))
    assert (found.value, found.high, found.method) == (None, None, e.ONE_SIDED)
    assert 350 < found.low < 450
    mirrored = e.elo_of_pairs((40, 0, 0, 0, 0))
    assert mirrored.high == pytest.approx(-found.low)
    assert mirrored.low is None
    assert e.elo(Estimate(0.8, 0.4, 1.0, None, 2, 2, WILSON)).value == e.elo_of_score(0.8)


@pytest.mark.parametrize(
    ("counts", "method"),
    [((0, 0, 0, 0, 0), NO_DATA), ((0, 0, 1, 0, 0), ONE_DEAL), ((0, 0, 9, 0, 0), CANNOT_VARY)],
)
def test_what_tells_nothing_is_named(counts, method):
    for found in (e.elo_of_pairs(counts), e.normalized_elo(counts)):
        assert (found.low, found.high, found.method) == (None, None, method)


@pytest.mark.parametrize(
    "counts", [(0, 0, 0, 0, 7), (0, 1, 0, 0, 1), (2, 0, 0, 0, 2), (0, 0, 0, 1, 9)]
)
def test_nothing_is_nan_or_infinite(counts):
    for found in (e.elo_of_pairs(counts), e.normalized_elo(counts)):
        for number in (found.value, found.low, found.high, found.error):
            assert number is None or np.isfinite(number)


def test_counts_that_are_none_are_refused():
    for wrong in ([[1, 2], [3, 4]], [1], [1, -1, 2]):
        with pytest.raises(ValueError, match="counts"):
            e.score_of_pairs(wrong)


def coverage(elo, pairs, repeats, seed):
    chance, scores = chances(elo, DRAWS), np.linspace(0, 1, 5)
    score = chance @ scores
    nelo = e.ELO_PER_SD * (score - 0.5) / np.sqrt(2 * (chance @ scores**2 - score**2))
    counts = np.random.default_rng(seed).multinomial(pairs, chance, repeats)
    hits = np.zeros(2)
    for row in counts:
        for which, (found, truth) in enumerate(
            ((e.elo_of_pairs(row), elo), (e.normalized_elo(row), nelo))
        ):
            hits[which] += found.low <= truth <= found.high
    return hits / repeats


@pytest.mark.parametrize("elo", [0, 120])
def test_intervals_cover_roughly(elo):
    assert np.all(np.abs(coverage(elo, 150, 500, seed=1) - 0.95) <= 0.03)


@pytest.mark.slow
@pytest.mark.parametrize("elo", [-40, 0, 20, 120, 200])
def test_intervals_cover_as_often_as_they_say(elo):
    assert np.all(np.abs(coverage(elo, 200, 6000, seed=2) - 0.95) <= 0.01)
