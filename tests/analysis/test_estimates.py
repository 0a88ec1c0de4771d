"""The statistics against statsmodels, scipy and simulated truth."""

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

from analysis import estimates as e
from analysis.regression import regression_moments, slopes


def clustered(rng, deals, games=2, share=0.5, spread=0.3):
    """Outcomes 0 and 1 of shape (deals, games), alike within a deal, with a known mean."""
    latent = rng.normal(0, 1, (deals, 1)) * spread**0.5
    latent = latent + rng.normal(0, 1, (deals, games)) * (1 - spread) ** 0.5
    return (latent < stats.norm.ppf(share)).astype(float)


def moments_of(outcomes):
    deals, games = outcomes.shape
    played = np.full(deals, games)
    return e.moments(outcomes.sum(1)[:, None], played[:, None], played)[0]


@pytest.mark.parametrize(("hits", "n"), [(0, 10), (10, 10), (3, 10), (480, 1000), (1, 400)])
def test_wilson_is_that_of_statsmodels(hits, n):
    found = e.wilson(hits / n, n, e.quantile(1000))
    assert found == pytest.approx(proportion_confint(hits, n, method="wilson"), abs=1e-12)


@pytest.mark.parametrize("p", [[0.01, 0.04, 0.03], [0.5], [0.2, 0.2, 0.9, 0.0001, 0.03, 1.0]])
def test_adjusted_p_values_are_those_of_statsmodels(p):
    assert e.holm(p) == pytest.approx(multipletests(p, method="holm")[1])
    assert e.benjamini_hochberg(p) == pytest.approx(multipletests(p, method="fdr_bh")[1])


def test_standard_error_is_that_of_clustered_least_squares():
    rng = np.random.default_rng(3)
    deal = np.sort(rng.integers(0, 60, 300))
    y = rng.random(300) + 0.2 * (deal % 3)
    fit = sm.OLS(y, np.ones(300)).fit(cov_type="cluster", cov_kwds={"groups": deal})
    x = np.bincount(deal, minlength=60)
    found = e.mean(e.moments(np.bincount(deal, y, 60)[:, None], x[:, None], x)[0])
    assert found.value == pytest.approx(fit.params[0])
    assert found.error == pytest.approx(fit.bse[0])
    deals = int((x > 0).sum())
    assert found.high - found.value == pytest.approx(stats.t.ppf(0.975, deals - 1) * fit.bse[0])


def test_clustered_regression_is_that_of_statsmodels():
    rng = np.random.default_rng(4)
    rows, deals = 900, 250
    deal = rng.integers(0, deals, rows)
    design = np.column_stack([np.ones(rows), rng.poisson(0.6, rows), rng.poisson(0.5, rows)])
    y = design @ [0.4, 0.05, 0.02] + 0.3 * rng.normal(size=deals)[deal] + rng.normal(size=rows)
    fit = sm.OLS(y, design).fit(cov_type="cluster", cov_kwds={"groups": deal})
    xx, xy = np.zeros((deals, 3, 3)), np.zeros((deals, 3))
    np.add.at(xx, deal, design[:, :, None] * design[:, None, :])
    np.add.at(xy, deal, design * y[:, None])
    halves = [regression_moments(xx[part], xy[part]) for part in (slice(0, 90), slice(90, None))]
    two, one = slopes(halves[0] + halves[1], 3, rows)
    used = len(np.unique(deal))
    assert [two.value, one.value] == pytest.approx(fit.params[1:])
    assert [two.error, one.error] == pytest.approx(fit.bse[1:])
    assert (two.low, two.high) == pytest.approx(tuple(fit.conf_int()[1]))
    assert two.deals == used


def test_a_column_that_never_varies_has_no_slope_and_leaves_the_other_alone():
    rng = np.random.default_rng(5)
    xx, xy = np.zeros((300, 3, 3)), np.zeros((300, 3))
    for d in range(300):
        row = np.array([1.0, rng.integers(0, 3), 0.0])
        xx[d], xy[d] = np.outer(row, row), row * rng.random()
    two, one = slopes(regression_moments(xx, xy), 3, 300)
    assert two.method == e.CLUSTER_OLS
    assert one.value is None
    assert one.method == e.NOT_IDENTIFIED


def test_regression_on_too_few_deals_gives_no_interval():
    xx, xy = np.zeros((3, 3, 3)), np.zeros((3, 3))
    for d, row in enumerate([[1.0, 0, 0], [1, 1, 0], [1, 0, 1]]):
        xx[d], xy[d] = np.outer(row, row), np.array(row) * d
    two, one = slopes(regression_moments(xx, xy), 3, 3)
    assert (two.value, one.value) == pytest.approx((1, 2))
    assert two.method == one.method == e.TOO_FEW
    assert two.low is None


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=40), st.data()
)
def test_moments_add_up(pairs, data):
    y, x = np.array(pairs, float).T[:, :, None]
    cut = data.draw(st.integers(0, len(pairs)))
    parts = [e.moments(y[s], x[s], x[s, 0]) for s in (slice(0, cut), slice(cut, None))]
    assert parts[0] + parts[1] == pytest.approx(e.moments(y, x, x[:, 0]))


def test_what_cannot_vary_is_named_and_not_divided_by():
    swapped = np.tile([0.0, 1.0], (50, 1))
    found = e.proportion(moments_of(swapped))
    assert (found.value, found.error, found.method) == (0.5, 0.0, e.CANNOT_VARY)
    assert found.low is None
    assert not found.known
    assert e.p_value(found, 0.5) == 1
    assert e.games_saved(moments_of(swapped), swapped.sum()) is None


def test_one_deal_and_no_deal_have_no_interval():
    assert e.proportion(moments_of(np.array([[0.0, 1.0]]))).method == e.ONE_DEAL
    nothing = e.proportion(e.moments(np.zeros((3, 1)), np.zeros((3, 1)), np.full(3, 2))[0])
    assert (nothing.value, nothing.method, nothing.games) == (None, e.NO_DATA, 0)


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_shares_of_nought_and_one_have_honest_bounds(value):
    found = e.proportion(moments_of(np.full((40, 2), value)))
    inner = found.high if value == 0 else 1 - found.low
    assert 0.05 < inner < 0.15  # about 4 / deals, as 40 deals and not 80 games tell it
    assert e.p_value(found, 0.5) < 1e-6


def test_effective_number_of_games():
    """Games that repeat their deal count once; games that balance within it count for more."""
    rng = np.random.default_rng(6)
    single = clustered(rng, 4000, games=1)
    doubled = np.repeat(single, 2, axis=1)
    assert e.proportion(moments_of(doubled)).error == pytest.approx(
        e.proportion(moments_of(single)).error
    )
    saved = e.games_saved(moments_of(doubled), float(doubled.sum()))
    assert saved == pytest.approx(0.5, rel=1e-3)


def test_quantiles_of_a_histogram_are_those_of_numpy():
    rng = np.random.default_rng(7)
    values = rng.poisson(30, 999)
    counts = np.bincount(values)
    for share in (0.05, 0.25, 0.5, 0.95):
        expected = np.quantile(values, share, method="inverted_cdf")
        found = e.quantile_estimate(counts, share, 999, 999)
        assert found.value == expected
        assert found.low <= found.value <= found.high


def test_difference_of_two_runs():
    a, b = (e.Estimate(v, 0, 1, s, 10, 500, e.WILSON) for v, s in ((0.6, 0.03), (0.5, 0.04)))
    found = e.difference(a, b)
    assert found.value == pytest.approx(0.1)
    assert found.error == pytest.approx(0.05)
    assert found.high - found.low == pytest.approx(2 * 1.959964 * 0.05)
    assert (found.games, found.deals) == (20, 1000)


def _coverage(repeats, interval, truth, seed):
    rng = np.random.default_rng(seed)
    found = [interval(rng) for _ in range(repeats)]
    return np.mean([low <= truth <= high for low, high in found])


def _share(rng, deals=120):
    found = e.proportion(moments_of(clustered(rng, deals, share=0.4)))
    return found.low, found.high


def _pairs(rng, deals=150):
    """Score of the starting team where games of a deal pull in opposite directions."""
    found = e.proportion(moments_of(clustered(rng, deals, share=0.55, spread=0.2)))
    return found.low, found.high


def _rare(rng, deals=400):
    found = e.proportion(moments_of(clustered(rng, deals, share=0.05)))
    return found.low, found.high


def _slope(rng, deals=150):
    xx, xy = np.zeros((deals, 3, 3)), np.zeros((deals, 3))
    luck = rng.normal(size=deals)
    for _ in range(4):
        x = np.column_stack([np.ones(deals), rng.poisson(0.6, (deals, 2))])
        y = x @ [0.4, 0.3, 0.1] + luck + rng.normal(size=deals)
        xx += x[:, :, None] * x[:, None, :]
        xy += x * y[:, None]
    two, _ = slopes(regression_moments(xx, xy), 3, 4 * deals)
    return two.low, two.high


CASES = [(_share, 0.4), (_pairs, 0.55), (_rare, 0.05), (_slope, 0.3)]


@pytest.mark.parametrize(("interval", "truth"), CASES)
def test_intervals_cover_roughly(interval, truth):
    assert 0.925 <= _coverage(600, interval, truth, seed=11) <= 0.975


@pytest.mark.slow
@pytest.mark.parametrize(("interval", "truth"), CASES)
def test_intervals_cover_the_truth_as_often_as_they_say(interval, truth):
    assert 0.94 <= _coverage(4000, interval, truth, seed=12) <= 0.96
