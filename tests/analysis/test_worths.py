"""Worths of three teams against statsmodels, the jackknife and known worths."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from statsmodels.discrete.conditional_models import ConditionalLogit
from test_ratings import finite
from tournaments import played_by_three

from analysis import estimates as e
from analysis.ranking import APART, LONE, NO_TERM, UNBEATEN, WINLESS
from analysis.thirds import HELD, PLACE, TablePairing, common_table_field, table_field
from analysis.worths import worths

LOGS = {"ada": 0.6, "bob": 0.1, "cyd": -0.7}
PLACES = [0.2, 0.0, -0.2]


def by_name(found):
    return {each.name: each for each in found.worths}


def logs(found):
    return [np.log(by_name(found)[name].worth.value) for name in sorted(by_name(found))]


def won(a, b, rule, deals=30):
    """Pairing in which the team with the highest `rule(held, place)` wins."""
    starting = np.arange(deals) % 3
    worth = np.broadcast_to(rule(HELD[None], PLACE[starting][:, None]), (deals, 6, 3))
    winner = worth.argmax(-1)
    return TablePairing(a, b, HELD.astype(np.int8), winner.astype(np.int8), starting)


def test_sums_are_those_of_plain_loops():
    found = played_by_three(np.random.default_rng(1), {"a": 0.3, "b": 0}, PLACES, 40, drawn=0.1)[0]
    field = table_field([found])
    wins, features = np.zeros((3, 6, 3)), np.zeros((40, 4))
    for deal, start in enumerate(found.starting):
        for table in range(6):
            winner = found.winner[deal, table]
            for team in range(3):
                points = 1 if winner < 0 else 3 * (winner == team)
                wins[start, table, team] += points
                features[deal, 0] += points * (HELD[table, team] == 0)
                features[deal, 1 + (team - start) % 3] += points
    assert (field.wins[0] == wins).all()
    for start in range(3):
        chosen = features[found.starting == start]
        assert (field.firsts[0, start] == chosen.sum(0)).all()
        assert (field.seconds[0, start] == chosen.T @ chosen).all()
        assert field.deals[0, start] == len(chosen)


def test_worths_and_errors_are_those_of_conditional_logit():
    """Without draws; errors of independent games, which are those of the sandwich there."""
    rng = np.random.default_rng(2)
    found = played_by_three(rng, LOGS, PLACES, 1200, drawn=0, luck=0)
    names, rows, y, game = sorted(LOGS), [], [], []
    for a, b, tables, winner, starting in found:
        for deal, start in enumerate(starting[:100]):
            for table, held in enumerate(tables):
                for team in range(3):
                    who = np.array(names) == (b if held[team] else a)
                    rows.append([*who[1:], *(np.arange(1, 3) == PLACE[start, team])])
                    y.append(int(winner[deal, table] == team))
                    game.append(len(game) // 3)
    fit = ConditionalLogit(np.array(y), np.array(rows, float), groups=np.array(game)).fit(
        method="bfgs", disp=0, gtol=1e-8
    )
    less = [TablePairing(a, b, t, w[:100], s[:100]) for a, b, t, w, s in found]
    result = worths(table_field(less))
    strengths = np.append(0, fit.params[:2])
    assert logs(result) == pytest.approx(strengths - strengths.mean(), abs=1e-4)
    places = np.append(0, fit.params[2:])
    got = [np.log(each.value) for each in result.places]
    assert got == pytest.approx(places - places.mean(), abs=1e-4)
    centre = np.vstack([np.zeros(2), np.eye(2)]) - 1 / 3
    for found_errors, part in (
        ([by_name(result)[name].worth.error for name in names], slice(0, 2)),
        ([each.error for each in result.places], slice(2, 4)),
    ):
        covariance = fit.cov_params()[part, part]
        errors = np.sqrt(np.diag(centre @ covariance @ centre.T))
        # A deal's six tables balance the two strategies, so only that is near, not equal.
        assert found_errors == pytest.approx(errors, rel=0.15)


def test_errors_are_those_of_the_jackknife():
    found = played_by_three(np.random.default_rng(4), LOGS, PLACES, 45, drawn=0.1)
    result = worths(table_field(found))
    squares = np.zeros(6)
    for k, (a, b, tables, winner, starting) in enumerate(found):
        for start in range(3):
            without = []
            for deal in np.flatnonzero(starting == start):
                less = TablePairing(
                    a, b, tables, np.delete(winner, deal, 0), np.delete(starting, deal)
                )
                left = worths(table_field([*found[:k], less, *found[k + 1 :]]))
                without.append([*logs(left), *(np.log(each.value) for each in left.places)])
            # Without a deal the sums change by what it is off their mean: its square is summed.
            deals = len(without)
            squares += np.var(without, axis=0) * deals * deals / (deals - 1)
    errors = [by_name(result)[name].worth.error for name in sorted(LOGS)]
    errors += [each.error for each in result.places]
    assert errors == pytest.approx(np.sqrt(squares), rel=0.05)


def test_order_changes_nothing():
    rng = np.random.default_rng(5)
    found = played_by_three(rng, LOGS, PLACES, 60)
    expected = worths(table_field(found))
    for _ in range(5):
        mixed = []
        for k in rng.permutation(len(found)):
            a, b, tables, winner, starting = found[k]
            deals, order = rng.permutation(len(winner)), rng.permutation(6)
            rest = (winner[deals][:, order], starting[deals])
            turned = rng.random() < 0.5
            tables = tables[order]
            mixed.append(
                TablePairing(b, a, 1 - tables, *rest)
                if turned
                else TablePairing(a, b, tables, *rest)
            )
        assert worths(table_field(mixed)) == expected


def alike(rng, deals):
    """Pairings on the same deals, all worths 1: ann and bea play alike against cy.

    A deal favours teams, and cy or those against cy.
    """
    starting = rng.integers(0, 3, deals)
    cards, suits = rng.normal(size=(deals, 1, 3)), 1.5 * rng.normal(size=(deals, 1, 1))

    def winner(suited):
        return (cards + suited + rng.gumbel(size=(deals, 6, 3))).argmax(-1)

    against = winner(suits * HELD)
    return [
        TablePairing("ann", "bea", HELD, winner(0), starting),
        TablePairing("ann", "cy", HELD, against, starting),
        TablePairing("cy", "bea", 1 - HELD, against, starting),
    ]


def test_intervals_cover_where_strategies_play_alike(monkeypatch):
    """Who takes the pairings as independent is far too sure of cy."""
    # Most of the time goes into this; here every place wins some.
    monkeypatch.setattr("analysis.worths.separated", lambda rows: False)
    rng, repeats = np.random.default_rng(9), (300, 100)
    held = np.zeros((2, 6))
    for repeat in range(repeats[0]):
        found = alike(rng, 60)
        for row, made in enumerate((common_table_field, table_field)):
            if repeat >= repeats[row]:
                continue
            told = worths(made(found))
            every = [by_name(told)[name].worth for name in ("ann", "bea", "cy")]
            held[row] += [each.low <= 1 <= each.high for each in (*every, *told.places)]
    common, apart = held / np.array(repeats)[:, None]
    assert (common >= 0.92).all(), common
    assert apart[2] < 0.88, apart
    assert (apart[3:] < 0.9).all(), apart


def same(one, two):
    """Assert that two results are equal but for rounding."""
    assert one.worths[0].better == pytest.approx(two.worths[0].better, rel=1e-9)
    for first, second in zip(one.worths, two.worths, strict=True):
        assert (first.name, first.worth.method) == (second.name, second.worth.method)
    for first, second in zip(
        [*(each.worth for each in one.worths), *one.places],
        [*(each.worth for each in two.worths), *two.places],
        strict=True,
    ):
        ends = [(each.value, each.low, each.high, each.error) for each in (first, second)]
        assert ends[0] == pytest.approx(ends[1], rel=1e-9)


def test_one_pairing_is_the_same_with_common_deals():
    found = played_by_three(np.random.default_rng(10), {"a": 0.3, "b": 0}, PLACES, 50)[0]
    same(worths(common_table_field([found])), worths(table_field([found])))
    # A single deal of its start is held against the model.
    start = np.minimum(np.arange(50), 1)
    found = found._replace(starting=start)
    same(worths(common_table_field([found])), worths(table_field([found])))


def test_deals_that_all_played_count_once():
    rng = np.random.default_rng(13)
    found = alike(rng, 20)
    starting = found[0].starting
    # `eve` wins all its games, on the same deals.
    for name in ("ann", "bea", "cy"):
        wins = np.tile((1 - HELD).argmax(1), (20, 1))
        found.append(TablePairing("eve", name, HELD, wins, starting))
    common, apart = worths(common_table_field(found)), worths(table_field(found))
    for result, deals in ((common, (20, 20)), (apart, (60, 120))):
        for each in result.worths:
            assert (each.worth.games, each.worth.deals) == (360, deals[0])
        assert {(each.games, each.deals) for each in result.places} == {(720, deals[1])}
    low, high = (by_name(each)["eve"].worth.low for each in (common, apart))
    assert low < high
    few, many = (by_name(each)["cy"].worth for each in (common, apart))
    for each, deals in ((few, 20), (many, 60)):
        assert np.log(each.high / each.value) == pytest.approx(e.quantile(deals) * each.error)


def test_the_chance_to_be_better_is_that_of_the_lead():
    """Of two, the lead is twice the logarithm of a worth, and so is its error."""
    for deals in (20, 300):
        told = worths(common_table_field(alike(np.random.default_rng(14), deals)[1:2]))
        first = told.worths[0].worth
        score = np.log(first.value) / first.error
        chance = stats.t.cdf(score, 19) if deals == 20 else stats.norm.cdf(score)
        assert told.worths[0].better == pytest.approx(chance)
        assert told.worths[1].better is None


def test_order_changes_nothing_on_common_deals():
    rng = np.random.default_rng(11)
    found = alike(rng, 61)
    expected = worths(common_table_field(found))
    for _ in range(5):
        deals, mixed = rng.permutation(61), []
        for k in rng.permutation(len(found)):
            a, b, tables, winner, starting = found[k]
            order = rng.permutation(6)
            tables, rest = tables[order], (winner[deals][:, order], starting[deals])
            turned = rng.random() < 0.5
            mixed.append(
                TablePairing(b, a, 1 - tables, *rest)
                if turned
                else TablePairing(a, b, tables, *rest)
            )
        assert worths(common_table_field(mixed)) == expected


def test_common_deals_are_the_same_for_all():
    found = alike(np.random.default_rng(12), 9)
    other = found[1]._replace(starting=(found[1].starting + 1) % 3)
    less = found[1]._replace(winner=found[1].winner[:8], starting=found[1].starting[:8])
    for wrong in (other, less):
        with pytest.raises(ValueError, match="the same deals for all"):
            common_table_field([found[0], wrong])
    with pytest.raises(ValueError, match="every pair once"):
        common_table_field([found[0], found[0]])
    with pytest.raises(ValueError, match="pairings: none"):
        common_table_field([])


def test_bounds_of_who_won_or_lost_all():
    rng = np.random.default_rng(6)
    found = played_by_three(rng, {"bob": 0.2, "cyd": -0.2}, [0, 0, 0], 60, drawn=0)
    found.append(won("ada", "bob", lambda held, place: 1 - held))
    found.append(won("bob", "eve", lambda held, place: 1 - held))
    found.append(won("x", "y", lambda held, place: -place))
    result = worths(table_field(found))
    finite(result)
    assert [each.name for each in result.worths][:4] == ["ada", "bob", "cyd", "eve"]
    found = by_name(result)
    top, low = found["ada"].worth, found["eve"].worth
    assert (top.value, top.high, top.method) == (None, None, UNBEATEN)
    assert (low.value, low.low, low.method) == (None, None, WINLESS)
    assert found["x"].worth.method == APART
    share = e.wilson(1.0, 30, e.quantile(30))[0]
    ratio = top.low / found["bob"].worth.value
    # Half of the tables hold two of its teams, half one; places are nearly even.
    expected = (2 * ratio / (2 * ratio + 1) + ratio / (ratio + 2)) / 2
    assert expected == pytest.approx(share, abs=5e-3)


def test_what_has_no_maximum_or_cannot_vary():
    first = worths(table_field([won("a", "b", lambda held, place: -place)]))
    finite(first)
    assert {each.method for each in first.places} == {NO_TERM}
    assert [each.worth.value for each in first.worths] == pytest.approx([1, 1])
    assert {each.worth.method for each in first.worths} == {e.CANNOT_VARY}
    assert first.worths[0].better == 0.5
    start = np.arange(9) % 3
    drawn = worths(table_field([TablePairing("a", "b", HELD, np.full((9, 6), -1), start)]))
    finite(drawn)
    assert [each.worth.value for each in drawn.worths] == pytest.approx([1, 1])
    assert [each.value for each in drawn.places] == pytest.approx([1, 1, 1])
    one = worths(table_field([won("a", "b", lambda held, place: 1 - held, deals=1)]))
    finite(one)
    assert one.worths[0].name == "a"
    assert one.worths[0].worth.method == LONE
    single = worths(table_field([won("a", "b", lambda held, place: -place, deals=1)]))
    assert {each.worth.method for each in single.worths} == {e.ONE_DEAL}


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"b": "a"}, "against itself"),
        ({"tables": np.zeros((6, 3), int)}, "tables of both"),
        ({"winner": np.full((4, 6), 3)}, "-1 to 2"),
        ({"winner": np.zeros((4, 5), int)}, "allowed: integers"),
        ({"starting": np.zeros(4)}, "allowed: integers"),
    ],
)
def test_what_is_refused(change, told):
    right = TablePairing("a", "b", HELD, np.zeros((4, 6), int), np.zeros(4, int))
    with pytest.raises(ValueError, match=told):
        table_field([right._replace(**change)])
    with pytest.raises(ValueError, match="pairings: none"):
        table_field([])


def _coverage(repeats, seed):
    rng = np.random.default_rng(seed)
    # Without shared luck the model is exact; drawn games pull worths together.
    held = np.zeros(6)
    for _ in range(repeats):
        found = worths(table_field(played_by_three(rng, LOGS, PLACES, 100, drawn=0, luck=0)))
        pairs = [(by_name(found)[name].worth, LOGS[name]) for name in sorted(LOGS)]
        pairs += list(zip(found.places, PLACES, strict=True))
        held += [np.log(each.low) <= known <= np.log(each.high) for each, known in pairs]
    return held / repeats


def test_intervals_cover_roughly():
    assert (np.abs(_coverage(300, 7) - 0.95) < 0.04).all()


@pytest.mark.slow
def test_intervals_cover_the_truth_as_often_as_they_say():
    found = _coverage(4000, 8)
    assert ((found >= 0.94) & (found <= 0.96)).all(), found
