"""Differences by deal: against the plain formulas, and by coverage of a known answer."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from analysis.estimates import DID_NOT_VARY, NO_DATA, mean, moments, proportion
from analysis.paired import difference, figure, mean_figure


def deals(n: int, seed: int, shared: float = 1.0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    luck = rng.normal(size=n) * shared
    return luck, luck + rng.normal(size=n), luck + rng.normal(size=n) + 0.1


def test_a_figure_is_the_ratio_of_the_report() -> None:
    rng = np.random.default_rng(1)
    x = rng.integers(0, 5, 300).astype(float)
    y = x * rng.random(300)
    games = np.full(300, 2)
    told = figure(y, x, 600).estimate()
    known = mean(moments(y[:, None], x[:, None], games)[0])
    assert told.value == pytest.approx(known.value)
    # That of the report leaves out deals in which nothing is counted.
    assert told.error == pytest.approx(known.error, rel=0.01)


def test_a_difference_is_the_paired_t_test() -> None:
    _, a, b = deals(50, 2)
    ones = np.ones(50)
    told = difference(figure(b, ones, 50), figure(a, ones, 50), paired=True)
    known = stats.ttest_rel(b, a).confidence_interval()
    assert (told.estimate.low, told.estimate.high) == pytest.approx((known.low, known.high))
    assert told.correlation == pytest.approx(np.corrcoef(a, b)[0, 1])
    apart = difference(figure(b, ones, 50), figure(a, ones, 50), paired=False).estimate
    assert told.saved == pytest.approx(
        (apart.error or 0) ** 2 / (told.estimate.error or 1) ** 2  # known above
    )


def test_what_cannot_vary_is_said_and_nothing_divided_by_zero() -> None:
    _, a, _ = deals(40, 3)
    same = difference(figure(a, np.ones(40), 40), figure(a, np.ones(40), 40), paired=True)
    assert same.estimate.method == DID_NOT_VARY
    assert same.estimate.value == 0
    assert same.saved is None
    none = difference(figure(a, np.zeros(40), 40), figure(a, np.ones(40), 40), paired=True)
    assert none.estimate.method == NO_DATA
    assert none.estimate.value is None


def test_means_of_figures() -> None:
    _, a, b = deals(60, 4)
    ones = np.ones(60)
    both = mean_figure([figure(a, ones, 60), figure(b, ones, 60)], paired=True).estimate()
    plain = figure((a + b) / 2, ones, 60).estimate()
    assert both.value == pytest.approx(plain.value)
    assert both.error == pytest.approx(plain.error)
    apart = mean_figure([figure(a, ones, 60), figure(b, ones, 60)], paired=False).estimate()
    wanted = np.sqrt(a.var(ddof=1) / 60 + b.var(ddof=1) / 60) / 2
    assert apart.error == pytest.approx(wanted, rel=0.02)


@pytest.mark.parametrize("paired", [True, False])
def test_intervals_cover(paired: bool) -> None:
    """Over 4,000 repeats of 100 deals the interval holds the truth in 94 to 96 %."""
    rng = np.random.default_rng(7)
    repeats, n = 4000, 100
    held = 0
    for _ in range(repeats):
        luck = rng.normal(size=n)
        other = luck if paired else rng.normal(size=n)
        x = rng.integers(1, 4, n).astype(float)
        a = figure(x * (0.3 + luck + rng.normal(size=n)), x, n)
        b = figure(0.1 + other + rng.normal(size=n), np.ones(n), n)
        told = difference(a, b, paired).estimate
        held += told.low is not None and told.low <= 0.2 <= (told.high or 0)
    assert 0.94 <= held / repeats <= 0.96


@pytest.mark.parametrize("won", [0, 3, 150, 198, 200])
def test_shares_have_the_interval_of_proportions(won):
    """Both ways to a share agree, and neither leaves the range."""
    y = np.zeros(200)
    y[:won] = 1.0
    x = np.ones(200)
    known = proportion(moments(y, x, np.ones(200))[0])
    assert figure(y, x, 200).share() == known
    assert 0 <= known.low < known.high <= 1
    thirds = figure(2 / 3 * y, x, 200).share(2 / 3)
    assert thirds.low == pytest.approx(2 / 3 * known.low, abs=1e-9)
    assert thirds.high == pytest.approx(2 / 3 * known.high)
