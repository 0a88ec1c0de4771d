"""Every question: the same from one part as from many, right by plain pandas, robust at edges."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from matplotlib.figure import Figure
from synthetic import Run, make_run

from analysis import board_map, corners, first_player, jack_value, length
from analysis.collect import collect
from analysis.question import MEASURES, questions
from analysis.setting import codes
from simcore.board import lines
from simcore.rules import Rules

TWENTY = tuple(f"a-bot-with-a-long-name:depth={i},weight=0.{i}" for i in range(20))
EDGES = {
    "standard": lambda: make_run(30),
    "swap": lambda: make_run(30, strategies=("greedy", "balanced"), design="swap"),
    "corners off": lambda: make_run(30, rules=Rules(free_corners=False)),
    "no jacks": lambda: make_run(30, rules=Rules(two_eyed_jacks=0, one_eyed_jacks=0)),
    "all drawn": lambda: make_run(30, drawn=1.0),
    "one game": lambda: make_run(1, design="none"),
    "one deal": lambda: make_run(1),
    "two deals": lambda: make_run(2),
    "three teams": lambda: make_run(30, rules=Rules(players=3)),
    "twelve players": lambda: make_run(30, rules=Rules(players=12)),
    "twelve in three teams": lambda: make_run(30, rules=Rules(players=12, teams=3)),
    "long lines": lambda: make_run(30, rules=Rules(line_length=6)),
    "twenty strategies": lambda: make_run(30, strategies=TWENTY, design="swap"),
    "formula as name": lambda: make_run(9, strategies=("$x^", "\\frac{"), design="swap"),
    "nothing scored": lambda: _without(make_run(30, drawn=1.0), "none"),
    "only corners": lambda: _without(make_run(30), "corner"),
    "first always wins": lambda: make_run(30, drawn=0.0, advantage=50.0),
}


def _without(run: Run, kept: str) -> Run:
    """Drop all sequences and jacks, or the sequences that miss the corners."""
    part = run.made[0]
    part.sequences = part.sequences[(part.sequences["corner"] != "none") & (kept == "corner")]
    part.jacks = part.jacks[part.jacks["turn"] < 0] if kept == "none" else part.jacks
    return run


def tables_of(run: Run) -> dict[str, pd.DataFrame]:
    asked = questions()
    found = collect(run, asked)
    return {name: t for q in asked for name, t in q.tables(found[q.name]).items()}


def evidence_of(run: Run, question):
    return collect(run, [question])[question.name]


def whole(run: Run, name: str) -> pd.DataFrame:
    return pd.concat([getattr(part, name) for part in run.made], ignore_index=True)


def test_all_questions_are_found_in_order():
    assert [q.name for q in questions()] == [
        "first_player",
        "scores",
        "corners",
        "jack_value",
        "strength",
        "length",
        "board_map",
        "jack_use",
        "endings",
    ]


@pytest.mark.parametrize("name", ["swap", "three teams", "twelve players"])
def test_many_parts_give_the_tables_of_one(name):
    one = EDGES[name]()
    few = _recut(one, 7)
    assert len(list(few.parts())) == 7
    found = tables_of(few)
    for table, expected in tables_of(one).items():
        pd.testing.assert_frame_equal(found[table], expected, rtol=1e-9)


def _recut(run: Run, parts: int) -> Run:
    """Cut a run of one part into several; the sums of spaces go to the first of them."""
    whole_part = run.made[0]
    made = []
    for i, deals in enumerate(np.array_split(whole_part.games["deal"].unique(), parts)):
        cut = {
            name: frame[frame["deal"].isin(deals)]
            for name, frame in vars(whole_part).items()
            if name != "spaces"
        }
        spaces = whole_part.spaces if i == 0 else whole_part.spaces.iloc[:0]
        made.append(type(whole_part)(**cut, spaces=spaces))
    return Run(run.manifest, made)


@pytest.mark.parametrize("name", EDGES)
def test_edges_give_tables_and_charts_without_nonsense(name):
    run = EDGES[name]()
    asked = questions()
    found = collect(run, asked)
    for question in asked:
        tables = question.tables(found[question.name])
        assert set(tables) == set(question.captions)
        for table in tables.values():
            _check(table)
        for chart in question.charts:
            # The boards take long to draw, and edges do not touch them but for dead corners.
            if len(tables[chart.table]) and (not chart.square or name == "corners off"):
                ax = Figure().add_subplot()
                assert chart.plot(tables[chart.table], ax) is ax
                assert ax.get_xlabel()
                assert ax.get_ylabel()
        said = question.headline and question.headline(found[question.name])
        if said is not None:
            sentence = said.sentence
            assert sentence.endswith(".")
            assert "nan" not in sentence
            assert "inf" not in sentence.replace("information", "")


def _check(table: pd.DataFrame) -> None:
    numbers = table.select_dtypes("number")
    assert not np.isinf(numbers.to_numpy(float)).any()
    if "value" not in table:
        return
    assert set(MEASURES) <= set(table.columns)
    assert (table["low"].isna() == table["high"].isna()).all()
    known = table.dropna(subset=["low"])
    assert (known["low"] <= known["value"] + 1e-9).all()
    assert (known["value"] <= known["high"] + 1e-9).all()
    share = known[known["unit"] == "%"]
    assert share["low"].ge(0).all()
    assert share["high"].le(100).all()


def test_first_player_advantage_is_the_mean_score_of_who_starts():
    run = make_run(400, rules=Rules(players=3), parts=3)
    games, seats = whole(run, "games"), whole(run, "seats")
    starters = seats[seats["place"] == 0]
    assert len(starters) == len(games)
    found = first_player.advantage(evidence_of(run, first_player.QUESTION))
    assert found.value == pytest.approx(starters["score"].mean() - 1 / 3, abs=1e-6)
    assert (found.games, found.deals) == (1200, 400)
    by_deal = starters.groupby("deal")["score"].mean()
    assert found.error == pytest.approx(by_deal.std() / 20, rel=1e-5)
    tables = tables_of(run)
    place = seats.groupby("place")["score"].mean() * 100
    assert tables["score_by_place"]["value"].to_numpy() == pytest.approx(place.to_numpy(), abs=1e-4)
    team = seats.groupby("team")["score"].mean() * 100
    assert tables["score_by_team"]["value"].to_numpy() == pytest.approx(team.to_numpy(), abs=1e-4)
    assert "35 chips" in tables["score_by_team"]["team"].iloc[2]


def test_rotation_saves_games_where_the_luck_of_the_cards_is_large():
    line = tables_of(make_run(3000, drawn=0.0))["first_player"].iloc[0]
    assert line["games saved"] > 1.2


def test_scores_by_strategy_are_means_of_seats():
    run = make_run(200, strategies=("a", "b"), design="swap", rules=Rules(players=6))
    seats = whole(run, "seats")
    table = tables_of(run)["scores"].set_index("strategy")
    expected = seats.groupby("strategy", observed=True)["score"].mean() * 100
    assert table["value"].to_dict() == pytest.approx(expected.to_dict(), abs=1e-4)
    drawn = (whole(run, "games")["winner"] < 0).mean() * 100
    assert table["drawn %"].to_numpy() == pytest.approx(drawn)


def test_one_strategy_in_all_seats_cannot_vary():
    table = tables_of(make_run(50, drawn=0.0))["scores"]
    assert table["value"].tolist() == [50]
    assert table["method"].tolist() == ["cannot vary"]


def test_corner_shares_are_counts_of_sequences():
    run = make_run(300, strategies=("a", "b"), design="swap")
    frame, games = whole(run, "sequences"), whole(run, "games")
    evidence = evidence_of(run, corners.QUESTION)
    tables = corners.tables(evidence)
    through = frame["corner"].astype(str) != "none"
    pooled = tables["corners"].set_index("figure")["value"]
    assert pooled["sequences through a corner"] == pytest.approx(100 * through.mean())
    by = through.groupby(frame["strategy"], observed=True).mean() * 100
    shown = tables["corners_by_strategy"].query("figure == 'sequences through a corner'")
    assert shown["value"].tolist() == pytest.approx(by.tolist())
    assert (shown["lines %"] == 6.25).all()
    winners = games.set_index("game")["winner"]
    own = through & (frame["team"].to_numpy() == winners.loc[frame["game"]].to_numpy())
    decided = (winners >= 0).sum()
    share = 100 * frame.loc[own, "game"].nunique() / decided
    assert pooled["wins with a corner sequence"] == pytest.approx(share)
    # 12 corner lines, 180 others.
    odds = (through.sum() / 12) / ((~through).sum() / 180)
    assert pooled["a corner line beside another line"] == pytest.approx(odds)


def test_corners_that_are_not_free_are_worth_nothing():
    evidence = evidence_of(EDGES["corners off"](), corners.QUESTION)
    assert corners.line_share(evidence) == 0
    assert "dead spaces" in corners.headline(evidence).sentence


def test_sentences_for_no_sequence_and_for_corners_only():
    nothing = corners.headline(evidence_of(EDGES["nothing scored"](), corners.QUESTION))
    assert nothing.sentence == "No sequence was scored, through a corner or elsewhere."
    only = corners.headline(evidence_of(EDGES["only corners"](), corners.QUESTION))
    assert only.sentence.startswith("100.0 % (95 % interval ")


def test_jack_slopes_are_those_of_statsmodels():
    run = make_run(300, strategies=("a", "b"), design="swap", parts=2)
    seats = whole(run, "seats")
    x = sm.add_constant(seats[["opening_two_eyed", "opening_one_eyed"]].astype(float))
    groups = {"groups": seats["deal"].to_numpy()}
    y = seats["score"].astype(float)
    fit = sm.OLS(y, x).fit(cov_type="cluster", cov_kwds=groups)
    evidence = evidence_of(run, jack_value.QUESTION)
    pooled = jack_value.slope_estimates(evidence, -1)
    assert [s.value for s in pooled] == pytest.approx(fit.params.iloc[1:].tolist(), rel=1e-6)
    assert [s.error for s in pooled] == pytest.approx(fit.bse.iloc[1:].tolist(), rel=1e-6)
    table = jack_value.tables(evidence)["score_by_jacks"]
    none = seats[seats["opening_one_eyed"] == 0]["score"].mean() * 100
    line = table.query("kind == 'one-eyed' and dealt == 0").iloc[0]
    assert line["value"] == pytest.approx(none, abs=1e-4)


def test_jacks_that_were_never_dealt_are_said_to_be_absent():
    headline = jack_value.headline(evidence_of(EDGES["no jacks"](), jack_value.QUESTION))
    assert headline.sentence == "No jack was ever dealt, so none has a value."


def test_length_is_that_of_the_games():
    run = make_run(200)
    turns = whole(run, "games")["turns"]
    evidence = evidence_of(run, length.QUESTION)
    tables = length.tables(evidence)
    figures = tables["length"].set_index(["figure", "unit"])["value"]
    assert figures["mean", "turns"] == pytest.approx(turns.mean())
    assert figures["mean", "rounds"] == pytest.approx(turns.mean() / 2)
    quantiles = tables["length_quantiles"].set_index(["share of games", "unit"])["value"]
    assert quantiles["median", "turns"] == np.quantile(turns, 0.5, method="inverted_cdf")
    histogram = tables["length_histogram"]
    assert histogram["games"].sum() == 400
    for line in histogram.itertuples(index=False):
        within = turns.between(line[0], line[1]).sum()
        assert within == line.games


def test_board_counts_games_with_a_sequence_over_a_space():
    run = make_run(60, drawn=0.1)
    frame = whole(run, "sequences")
    spaces = lines(5).spaces
    covered = {(g, s) for g, n in zip(frame["game"], frame["line"], strict=True) for s in spaces[n]}
    counts = np.bincount([s for _, s in covered], minlength=100)
    tables = board_map.tables(evidence_of(run, board_map.QUESTION))
    shown = tables["board_sequences"].query("figure == 'in a sequence'")
    assert shown["value"].to_numpy() == pytest.approx(100 * counts / 120)
    assert shown["p (BH)"].isna().sum() == 4
    chips = tables["board_chips"].query("figure == 'chips placed' and space == 'E5'").iloc[0]
    placed = run.made[0].spaces.query("space == 'E5'")["placed"].sum()
    assert chips["value"] == pytest.approx(placed / 120)
    assert chips["method"] == "sums only"


def test_chips_have_intervals_from_many_parts():
    tables = board_map.tables(evidence_of(make_run(64, parts=32), board_map.QUESTION))
    chips = tables["board_chips"].query("space == 'E5'")
    assert chips["low"].notna().all()
    assert (chips["deals"] == 64).all()


def test_jack_purposes_add_up_to_all_jacks():
    run = make_run(100, strategies=("a", "b"), design="swap")
    frame = whole(run, "jacks")
    table = tables_of(run)["jack_purposes"]
    sums = table.groupby(["strategy", "kind"])["value"].sum()
    assert sums.to_numpy() == pytest.approx(100)
    two = frame[frame["kind"] == "two-eyed"]
    share = 100 * (two["purpose"] == "builds").mean()
    line = table.query("strategy == '(all)' and kind == 'two-eyed' and purpose == 'builds'").iloc[0]
    assert line["value"] == pytest.approx(share)


def test_jack_times_are_plays_over_turns():
    run = make_run(100)
    frame, turns = whole(run, "jacks"), whole(run, "games")["turns"]
    played = frame.query("purpose != 'held' and kind == 'one-eyed' and turn <= 10")
    line = tables_of(run)["jack_times"].query("kind == 'one-eyed' and rounds == '1-5'").iloc[0]
    assert line["value"] == pytest.approx(100 * len(played) / np.minimum(turns, 10).sum())


def test_endings_are_shares_of_games():
    run = make_run(200, drawn=0.2)
    games = whole(run, "games")
    table = tables_of(run)["endings"].set_index("ending")["value"]
    assert table["won by sequences"] == pytest.approx(100 * (games["reason"] == "sequences").mean())
    assert table["drawn"] == pytest.approx(100 * (games["winner"] < 0).mean())
    assert table["won by team 1"] == pytest.approx(100 * (games["winner"] == 1).mean())


def test_names_that_are_not_known_are_refused():
    column = pd.Series(pd.Categorical(["a", "b", "a"], categories=["b", "z", "a"]), name="strategy")
    assert codes(column, ["a", "b"]).tolist() == [0, 1, 0]
    with pytest.raises(ValueError, match="column strategy holds 'b'"):
        codes(column, ["a"])


def test_games_with_gaps_are_refused():
    run = make_run(5)
    part = run.made[0]
    part.games = part.games.drop(index=3)
    with pytest.raises(ValueError, match="have gaps"):
        collect(run, questions())


def test_a_run_without_games_is_refused():
    with pytest.raises(ValueError, match="no games"):
        collect(Run(make_run(2).manifest, []), questions())
