"""Nash averaging and alpha-rank on games with known answers, and cycles that are seen or not."""

from __future__ import annotations

import numpy as np
import pytest
from test_ratings import finite
from tournaments import of_patterns, played

from analysis.equilibrium import alpha_rank, nash, support
from analysis.estimates import p_value, proportion
from analysis.patterns import POINTS, Pairing, common_field, field, pattern_moments
from analysis.transitivity import bootstrap, cycles, log_odds, transitivity

ROCK = np.array([[0.0, -1, 1], [1, 0, -1], [-1, 1, 0]])
THIRDS = [1 / 3] * 3


def test_rock_paper_scissors_is_even():
    assert nash(ROCK) == pytest.approx(THIRDS, abs=1e-12)
    for intensity in (0, 0.1, 10, 1e3, 1e6):
        assert alpha_rank((1 + ROCK) / 2, intensity) == pytest.approx(THIRDS, abs=1e-12)


def test_published_equilibria():
    """Invariance to copies: Balduzzi et al. 2018, example 1 (log-odds 4.6); a game of its own."""
    cycle = 4.6 * np.array([[0, 1, -1], [-1, 0, 1], [1, -1, 0]])
    assert nash(cycle) == pytest.approx(THIRDS, abs=1e-12)
    again = cycle[np.ix_([0, 1, 2, 2], [0, 1, 2, 2])]
    assert nash(again) == pytest.approx([1 / 3, 1 / 3, 1 / 6, 1 / 6], abs=1e-7)
    assert again @ nash(again) == pytest.approx([0] * 4, abs=1e-6)
    # Biased rock-paper-scissors, Omidshafiei et al. 2019: the equilibrium is (1, 10, 5) / 16,
    # while the chain at a high intensity goes round and is even.
    biased = np.array([[0, -0.5, 1], [0.5, 0, -0.1], [-1, 0.1, 0]])
    assert nash(biased) == pytest.approx([1 / 16, 10 / 16, 5 / 16], abs=1e-12)
    assert alpha_rank(biased, 1e4) == pytest.approx(THIRDS, abs=1e-9)


def test_masses_of_a_published_table():
    """Stationary distribution of Han et al., J. R. Soc. Interface 10, 2013.

    Values as in the tests of OpenSpiel, whose alpha-rank is that of the paper's authors.
    """
    r, t, p, s, delta, eps = 1.0, 2.0, 0.0, -1.0, 4.0, 0.25
    payoffs = np.array(
        [
            [r - eps / 2, r - eps, 0, s + delta - eps, r - eps],
            [r, r, s, s, s],
            [0, t, p, p, p],
            [t - delta, t, p, p, p],
            [r, t, p, p, p],
        ]
    )
    expected = [0.40966787, 0.07959841, 0.20506998, 0.08505983, 0.2206039]
    assert alpha_rank(payoffs, 0.1, 20) == pytest.approx(expected, abs=1e-7)


def chain(payoffs, intensity, m):
    """Alpha-rank written anew: a plain chain over products, by its eigenvector."""
    n = len(payoffs)
    moves = np.zeros((n, n))
    for s in range(n):
        for r in set(range(n)) - {s}:
            total, product = 1.0, 1.0
            for k in range(1, m):
                ours = ((k - 1) * payoffs[r, r] + (m - k) * payoffs[r, s]) / (m - 1)
                other = (k * payoffs[s, r] + (m - k - 1) * payoffs[s, s]) / (m - 1)
                product *= np.exp(-intensity * (ours - other))
                total += product
            moves[s, r] = 1 / total / (n - 1)
        moves[s, s] = 1 - moves[s].sum()
    values, vectors = np.linalg.eig(moves.T)
    found = np.real(vectors[:, np.argmax(np.real(values))])
    return found / found.sum()


@pytest.mark.parametrize("constant", [True, False])
def test_alpha_rank_is_the_plain_chain(constant):
    rng = np.random.default_rng(1)
    payoffs = rng.random((3, 5, 5))
    if constant:
        payoffs = (payoffs - np.swapaxes(payoffs, 1, 2) + 1) / 2
    found = alpha_rank(payoffs, 1.5, 12)
    for each, masses in zip(payoffs, found, strict=True):
        assert masses == pytest.approx(chain(each, 1.5, 12), abs=1e-10)


def test_high_intensity_is_safe():
    scores = np.array([[0.5, 0.9, 0.51], [0.1, 0.5, 0.7], [0.49, 0.3, 0.5]])
    assert alpha_rank(scores, 1e8) == pytest.approx([1, 0, 0])
    assert alpha_rank(np.full((4, 4), 0.5), 1e8) == pytest.approx([0.25] * 4)
    assert alpha_rank(np.array([[0.5]]), 1) == pytest.approx([1])


def test_equilibria_of_random_games():
    """No one gains on them; all with no loss against them are in; none is more even."""
    rng = np.random.default_rng(2)
    for n in (2, 3, 4, 7, 12, 40):
        gain = rng.normal(size=(n, n))
        gain = gain - gain.T
        found = nash(gain)
        assert found.sum() == pytest.approx(1)
        assert found.min() >= 0
        assert (gain @ found).max() < 1e-9
        assert (support(gain) == (found > 0)).all()
        copied = gain[np.ix_([*range(n), 0], [*range(n), 0])]
        twice = nash(copied)
        assert [*twice[1:n]] == pytest.approx([*found[1:]], abs=1e-6)
        assert twice[[0, n]] == pytest.approx([found[0] / 2] * 2, abs=1e-6)


def test_all_even_is_spread_over_all():
    assert nash(np.zeros((4, 4))) == pytest.approx([0.25] * 4)
    assert nash(np.zeros((1, 1))) == pytest.approx([1])


@pytest.mark.parametrize("matrix", [np.ones((2, 2)), np.ones((2, 3)), np.full((2, 2), np.nan)])
def test_matrices_that_are_refused(matrix):
    with pytest.raises(ValueError, match="allowed"):
        nash(matrix)
    with pytest.raises(ValueError, match="allowed"):
        alpha_rank(matrix, -1.0)


def rounds(deals):
    """Pairings that go round: a beats b beats c beats a, d loses."""
    counts = {(2, 2): 5 * deals, (2, 0): 3 * deals, (0, 2): 3 * deals, (0, 0): deals}
    pairs = ["ab", "bc", "ca", "ad", "bd", "cd"]
    return [of_patterns(*pair, counts) for pair in pairs]


def test_a_cycle_beyond_doubt():
    found = transitivity(field(rounds(20)), np.random.default_rng(3), repeats=100)
    finite(found)
    assert [each.nash for each in found.standings] == pytest.approx([1 / 3] * 3 + [0], abs=1e-9)
    assert [each.mass for each in found.standings] == pytest.approx([1 / 3] * 3 + [0], abs=1e-9)
    assert [each.rating < -1 for each in found.standings] == [False] * 3 + [True]
    assert found.supports[0] == (("a", "b", "c"), found.supports[0][1])
    assert found.supports[0][1] > 0.95
    assert sum(share for _, share in found.supports) == pytest.approx(1)
    assert sum(each.top for each in found.standings) == pytest.approx(1)
    assert (found.cycles.triples, found.cycles.decided, found.cycles.sure) == (4, 4, 1)
    assert found.cycles.examples == (("a", "b", "c"),)
    assert found.cycles.share == 0.25


def test_a_cycle_that_may_be_chance_and_a_field_without():
    few = cycles(field(rounds(1)))
    assert (few.cyclic, few.sure, few.decided) == (1, 0, 0)
    ladder = {"a": 200.0, "b": 100.0, "c": 0.0, "d": -100.0}
    found = transitivity(
        field(played(np.random.default_rng(4), ladder, 0, 0.02, 2000)), np.random.default_rng(5)
    )
    assert (found.cycles.cyclic, found.cycles.decided) == (0, 4)
    assert found.supports == ((("a",), 1.0),)
    assert found.standings[0].nash == found.standings[0].top == 1


def test_a_lead_is_beyond_doubt_only_among_all_pairs():
    """Each lead alone has a p-value below 5 %, of three together none has."""
    counts = {(2, 2): 27, (0, 0): 13}
    made = field([of_patterns(*pair, counts) for pair in ("ab", "bc", "ca")])
    lead = proportion(pattern_moments(made.patterns[0, 1], POINTS))
    assert p_value(lead, 0.5) < 0.05 < 3 * p_value(lead, 0.5)
    found = cycles(made)
    assert (found.cyclic, found.decided, found.sure) == (1, 0, 0)


def test_pairs_that_never_met_make_no_triple():
    assert cycles(field(rounds(20)[:3])).triples == 1
    assert cycles(field(rounds(20)[:2])).share is None
    with pytest.raises(ValueError, match="never met"):
        transitivity(field(rounds(1)[:2]), np.random.default_rng(0))
    with pytest.raises(ValueError, match="repeats"):
        transitivity(field(rounds(1)), np.random.default_rng(0), repeats=0)


def test_bootstrap_keeps_deals_and_spreads_as_they_do():
    found = field(rounds(20))
    drawn = bootstrap(found, 2000, np.random.default_rng(6))
    assert (drawn + np.swapaxes(drawn, 1, 2) == 2 * found.deals).all()
    points = np.repeat([2, 1, 0], [100, 120, 20])
    assert drawn[:, 0, 1].mean() == pytest.approx(points.sum(), abs=1)
    assert drawn[:, 0, 1].std() == pytest.approx(np.sqrt(240) * points.std(), rel=0.1)
    # Pairings that played deals of their own have nothing in common.
    assert abs(np.corrcoef(drawn[:, 0, 1], drawn[:, 1, 2])[0, 1]) < 0.1
    odds = log_odds(drawn)
    assert (odds == -np.swapaxes(odds, 1, 2)).all()


@pytest.mark.parametrize("at_once", [1, 4_000_000])
def test_bootstrap_draws_common_deals_for_all_pairings_at_once(monkeypatch, at_once):
    monkeypatch.setattr("analysis.transitivity._DRAWN_AT_ONCE", at_once)
    rng = np.random.default_rng(10)
    cards = rng.normal(size=200)
    a, b, c = (np.clip(np.round(cards + rng.normal(size=200) + 1), 0, 2) for _ in range(3))
    results = [np.stack([each, each], axis=1).astype(int) for each in (a, b, c)]
    pairs = (("a", "b"), ("c", "a"), ("b", "c"))
    found = common_field(Pairing(*p, each) for p, each in zip(pairs, results, strict=True))
    drawn = bootstrap(found, 2000, np.random.default_rng(11))
    assert (drawn + np.swapaxes(drawn, 1, 2) == 2 * found.deals).all()
    told = np.stack([drawn[:, 0, 1], drawn[:, 2, 0], drawn[:, 1, 2]])
    points = np.stack([each.sum(1) / 2 for each in results])
    assert told.mean(1) == pytest.approx(points.sum(1), abs=1)
    assert np.cov(told) == pytest.approx(200 * np.cov(points, bias=True), rel=0.2)
    assert np.corrcoef(points)[0, 1] > 0.2  # which is what the deals have in common


def test_who_play_alike_are_alike_in_every_bootstrap():
    """Two that play alike are in the equilibrium both or neither."""
    rng = np.random.default_rng(12)
    results = 2 * rng.integers(0, 2, (40, 2))
    even = np.tile([0, 2], (40, 1))
    pairings = [Pairing("a", "c", results), Pairing("b", "c", results), Pairing("a", "b", even)]
    found = transitivity(common_field(pairings), np.random.default_rng(13), repeats=100)
    assert {names for names, _ in found.supports} <= {("a", "b"), ("c",), ("a", "b", "c")}


def test_order_changes_nothing():
    rng = np.random.default_rng(7)
    found = played(rng, dict.fromkeys("abcde", 0.0), 30, 0.05, 60)
    expected = transitivity(field(found), np.random.default_rng(8), repeats=50)
    for _ in range(3):
        mixed = [found[k] for k in rng.permutation(len(found))]
        mixed = [
            Pairing(b, a, 2 - o[:, ::-1]) if rng.random() < 0.5 else Pairing(a, b, o)
            for a, b, o in mixed
        ]
        assert transitivity(field(mixed), np.random.default_rng(8), repeats=50) == expected


def test_who_always_wins_is_finite():
    found = field([of_patterns(*pair, {(2, 2): 30}) for pair in ("ab", "bc", "ac")])
    result = transitivity(found, np.random.default_rng(9), repeats=20)
    finite(result)
    assert result.standings[0].nash == 1
