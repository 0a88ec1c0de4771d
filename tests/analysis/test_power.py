"""How many games are needed, against simulation, statsmodels and exact chances."""

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.power import TTestPower

from analysis import ahead, power
from analysis.elo import elo_of_score
from analysis.estimates import moments, proportion, quantile
from analysis.stopping import independent_chances


def paired(rng, deals, correlation=-0.4):
    """Outcomes of two games a deal, 0 or 1, shape (deals, 2)."""
    cov = [[1, correlation], [correlation, 1]]
    return (rng.multivariate_normal([0, 0], cov, deals) < 0.2).astype(float)


def pilot_of(outcomes):
    deals, games = outcomes.shape
    played = np.full(deals, games)
    row = moments(outcomes.sum(1)[:, None], played[:, None], played)[0]
    return power.pilot(row, float((outcomes**2).sum())), row


def test_a_pilot_is_read_from_moments():
    outcomes = paired(np.random.default_rng(1), 3000)
    found, row = pilot_of(outcomes)
    assert found.mean == pytest.approx(outcomes.mean())
    assert found.sd == pytest.approx(outcomes.mean(1).std(ddof=1))
    assert found.game_sd == pytest.approx(outcomes.std())
    assert found.games_of_deal == 2
    assert found.saved == pytest.approx((outcomes.var() / 2) / outcomes.mean(1).var(), rel=1e-3)
    assert power.half_width_of(found.sd, 3000) == pytest.approx(
        quantile(3000) * proportion(row).error
    )


@pytest.mark.parametrize("half_width", [0.3, 0.05, 0.01, 0.0007])
def test_the_fewest_deals_for_a_width(half_width):
    source = power.Pilot(0.55, 0.3, 2, 0.49)
    need = power.need_for_width(source, half_width)
    assert power.half_width_of(0.3, need.deals) <= half_width
    assert need.deals == 2 or power.half_width_of(0.3, need.deals - 1) > half_width
    assert need.games == 2 * need.deals
    if half_width < 0.02:
        assert need.unpaired / need.games == pytest.approx(source.saved, rel=0.01)


@pytest.mark.parametrize("deals", [5, 20, 150, 1000])
@pytest.mark.parametrize("effect", [0.02, 0.1])
def test_power_is_that_of_statsmodels(deals, effect):
    expected = TTestPower().power(effect / 0.3, deals, 0.05)
    assert power.power_of(0.3, deals, effect) == pytest.approx(expected, abs=2e-3)


@pytest.mark.parametrize(("effect", "wish"), [(0.4, 0.8), (0.1, 0.9), (0.02, 0.8)])
def test_the_fewest_deals_for_an_effect(effect, wish):
    need = power.need_for_effect(power.Pilot(0.5, 0.3, 2), effect, wish)
    assert need.unpaired is None
    assert power.power_of(0.3, need.deals, effect) >= wish
    assert power.power_of(0.3, need.deals - 1, effect) < wish
    assert power.detectable(0.3, need.deals, wish) == pytest.approx(effect, rel=0.2)
    assert power.detectable(0.3, need.deals, wish) <= effect


@pytest.mark.parametrize("deals", [2, 3, 10, 60, 199])
def test_power_grows_with_the_effect_and_never_is_nan(deals):
    found = [power.power_of(1, deals, effect) for effect in np.geomspace(0.01, 1000, 60)]
    assert np.all(np.isfinite(found))
    assert np.all(np.diff(found) >= -2e-3)
    assert found[-1] == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize("deals", [12, 80])
def test_power_is_what_simulated_experiments_reach(deals):
    rng = np.random.default_rng(2)
    effect = power.detectable(0.3, deals, power=0.8)
    sample = rng.normal(effect, 0.3, (4000, deals))
    found = stats.ttest_1samp(sample, 0, axis=1).pvalue < 0.05
    assert found.mean() == pytest.approx(0.8, abs=3 * np.sqrt(0.16 / 4000))


def test_power_holds_for_results_of_pairs():
    """Pairs have five results, not a normal distribution; at a hundred deals that is no matter."""
    rng = np.random.default_rng(3)
    chance, scores = np.array([0.1, 0.1, 0.4, 0.15, 0.25]), np.linspace(0, 1, 5)
    mean = chance @ scores
    sd = float(np.sqrt(chance @ (scores - mean) ** 2))
    need = power.need_for_effect(power.Pilot(mean, sd, 2), mean - 0.5, power=0.8)
    counts = rng.multinomial(need.deals, chance, 4000)
    means = counts @ scores / need.deals
    errors = np.sqrt((counts @ scores**2 / need.deals - means**2) / (need.deals - 1))
    found = np.abs(means - 0.5) > quantile(need.deals) * errors
    assert found.mean() == pytest.approx(0.8, abs=0.02 + 2 * np.sqrt(0.16 / 4000))


@pytest.mark.parametrize("score", [0.5, 0.66, 0.99])
def test_elo_widths(score):
    half = power.score_width(score, 10)
    assert elo_of_score(score + half) - elo_of_score(score - half) == pytest.approx(20)
    need = power.need_for_elo(power.Pilot(score, 0.2, 2), 10)
    assert need == power.need_for_width(power.Pilot(score, 0.2, 2), half)


def test_arms_on_common_deals_need_fewer():
    rng = np.random.default_rng(4)
    common = rng.normal(size=4000)
    a, b = (0.3 * common + 0.2 * rng.normal(size=4000) for _ in range(2))
    arms = [power.Pilot(arm.mean(), arm.std(), 2, 0.5) for arm in (a, b)]
    found = power.of_difference(*arms, float(np.corrcoef(a, b)[0, 1]))
    assert found.sd == pytest.approx((a - b).std())
    assert found.mean == pytest.approx(a.mean() - b.mean())
    assert found.games_of_deal == 4
    apart = power.of_difference(*arms)
    assert power.need_for_width(apart, 0.01).deals > 3 * power.need_for_width(found, 0.01).deals
    # 2 n independent games, n of each arm, have the variance 0.5^2 / n + 0.5^2 / n.
    games = power.need_for_width(found, 0.01).unpaired
    assert 1.96 * np.sqrt(2 * 0.25 / (games / 2)) == pytest.approx(0.01, rel=1e-3)


def test_what_cannot_be_wished_is_refused():
    source = power.Pilot(0.5, 0.3, 2)
    for wish in (lambda: power.need_for_width(source, 0), lambda: power.need_for_width(source, -1)):
        with pytest.raises(ValueError, match="half-width"):
            wish()
    with pytest.raises(ValueError, match="deals"):
        power.need_for_width(source, 1e-9)
    with pytest.raises(ValueError, match="power"):
        power.need_for_effect(source, 0.1, power=1)
    for alpha in (1e-320, 9e-7):
        for ask in (power.need_for_effect, power.detectable):
            with pytest.raises(ValueError, match="1e-06 <= alpha < power < 1"):
                ask(source if ask is power.need_for_effect else 0.3, 10, alpha=alpha)
    with pytest.raises(ValueError, match=r"effect -0\.1: a number above 0"):
        power.need_for_effect(source, -0.1)
    with pytest.raises(ValueError, match="correlation"):
        power.of_difference(source, source, 2)
    with pytest.raises(ValueError, match="score"):
        power.need_for_elo(power.Pilot(1, 0, 2), 5)
    with pytest.raises(ValueError, match="pilot"):
        power.pilot(np.ones(7))


@pytest.mark.parametrize("deals", [2, 3, 30])
def test_the_lowest_level_can_be_reached(deals):
    effect = power.detectable(0.3, deals, alpha=power.LEAST_ALPHA)
    found = power.power_of(0.3, deals, effect, power.LEAST_ALPHA)
    # Of two deals scipy knows no such tail, and an approximation stands in.
    assert found == pytest.approx(0.8, abs=0.05 if deals == 2 else 1e-6)


def test_a_pilot_that_did_not_vary_cannot_tell():
    flat = power.Pilot(0.5, 0, 2, 0.5)
    assert power.need_for_effect(flat, 0.1) is None
    assert power.need_for_width(flat, 0.1) is None
    assert power.Pilot(0.5, 0, 2, 0.5).saved is None
    assert power.detectable(0, 10) == 0


def convolved(chances, pairs):
    """Chance to be ahead by adding pair after pair."""
    total = np.array([1.0])
    for _ in range(pairs):
        total = np.convolve(total, chances)
    return total[2 * pairs + 1 :].sum()


UNEQUAL = [
    (0.2, 0.1, 0.3, 0.1, 0.3),
    (0.2, 0, 0.5, 0, 0.3),
    (0.45, 0, 0, 0, 0.55),
    (0, 0.4, 0, 0.6, 0),
]


@pytest.mark.parametrize("chances", UNEQUAL)
@pytest.mark.parametrize("pairs", [1, 2, 3, 50, 171])
def test_chances_to_be_ahead_are_those_of_plain_convolution(chances, pairs):
    assert ahead.chance_ahead(chances, pairs) == pytest.approx(convolved(chances, pairs), abs=1e-12)


@pytest.mark.parametrize("chances", [*UNEQUAL, independent_chances(1, 0.1)])
@pytest.mark.parametrize("pairs", [3000, 3001, 20_000])
def test_many_pairs_are_normal(monkeypatch, chances, pairs):
    exact = ahead.chance_ahead(chances, pairs)
    monkeypatch.setattr(ahead, "EXACT", 0)
    assert ahead.chance_ahead(chances, pairs) == pytest.approx(exact, abs=1e-4)


@pytest.mark.parametrize("chances", UNEQUAL)
def test_the_fewest_pairs_until_ahead(chances):
    pairs = ahead.pairs_until_ahead(chances)
    assert min(convolved(chances, pairs), convolved(chances, pairs + 1)) >= 0.95
    assert min(convolved(chances, pairs - 1), convolved(chances, pairs)) < 0.95


def test_being_ahead_in_simulated_matches():
    chances = independent_chances(40, 0.1)
    pairs = ahead.pairs_until_ahead(chances)
    counts = np.random.default_rng(5).multinomial(pairs, chances, 20_000)
    found = (counts @ np.linspace(0, 1, 5) > pairs / 2).mean()
    assert found == pytest.approx(0.95, abs=0.01)


def test_equals_and_certain_winners():
    assert ahead.pairs_until_ahead((0, 0, 0, 0, 1)) == 1
    assert ahead.pairs_until_ahead((0, 0, 1, 0, 0)) is None
    assert ahead.pairs_until_ahead((0.3, 0, 0.5, 0, 0.2)) is None
    assert ahead.pairs_until_ahead((0.25, 0, 0.5 - 1e-7, 0, 0.25 + 1e-7)) is None
    for wrong in ((1,), (0, 0, 0), (1, -1, 2)):
        with pytest.raises(ValueError, match="chances"):
            ahead.chance_ahead(wrong, 5)
    with pytest.raises(ValueError, match="pairs"):
        ahead.chance_ahead((1, 2), 0)
    with pytest.raises(ValueError, match="level"):
        ahead.pairs_until_ahead((1, 2), 0.4)
