"""What a report says of strength: scores against known bots, and who was left out and why."""

import csv
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from matplotlib.figure import Figure
from synthetic import make_run

from analysis import page, yardsticks
from analysis.collect import collect
from analysis.duel import duel
from analysis.estimates import CANNOT_VARY, WILSON, Estimate
from analysis.question import Evidence
from analysis.report import report
from analysis.strength import QUESTION
from analysis.yardsticks import Met, Strength, strength
from simcore.rules import Rules
from simcore.strategy import bot_names, find_strategy

FOUND = Estimate(0.989, 0.984, 0.994, 0.001, 10_000, 5_000, WILSON)
NONE_DRAWN = Estimate(0.0, 0.0, 0.001, 0.0, 10_000, 5_000, WILSON)
STUCK = Estimate(0.5, None, None, 0.0, 0, 0, CANNOT_VARY)


@pytest.fixture(autouse=True)
def _few_games(monkeypatch):
    monkeypatch.setattr(yardsticks, "LEAST", 60)
    monkeypatch.setattr(yardsticks, "MOST", 120)


@pytest.mark.parametrize("rules", [Rules(), Rules(players=3)])
def test_scores_are_those_of_duels_under_the_rules_of_the_run(rules):
    found = strength(make_run(2, strategies=("greedy",), rules=rules).manifest)
    assert [(met.strategy, met.against) for met in found.met] == [
        ("greedy", "random"),
        ("greedy", "balanced"),
    ]
    deals = 60 if rules.teams == 2 else 20
    for met in found.met:
        greedy, other = find_strategy("greedy"), find_strategy(met.against)
        assert met.score == duel(greedy, other, rules, deals, 0, yardsticks.SEED).score
    assert found.left_out == {}


def test_who_is_left_out(monkeypatch):
    asked = []

    def find(name):
        asked.append(name)
        found = find_strategy(name)
        slow = replace(found.bot, fast=False)
        return replace(found, bot=slow) if name == "random" else found

    monkeypatch.setattr("simcore.strategy.find_strategy", find)
    names = (
        "random",
        "mine.py:choose",
        "mine.py:choose:x=1",
        "greedy@p.toml",
        "gone",
        "greedy:x=1",
    )
    found = strength(make_run(2, strategies=names, design="none").manifest)
    assert found.met == ()
    files = "comes from a file, which a report does not load"
    assert found.left_out == {
        "random": "too slow to be played for a report",
        "mine.py:choose": files,
        "mine.py:choose:x=1": files,
        "greedy@p.toml": files,
        "gone": f"not installed here: no strategy 'gone'; allowed: {', '.join(bot_names())}",
        "greedy:x=1": "not installed here: greedy: no parameter 'x'; "
        "allowed: no_two_eyed, no_one_eyed, no_corner_lines, no_blocking",
    }
    assert asked == ["random", "gone", "greedy:x=1"]


def test_many_strategies_share_the_games(monkeypatch):
    played = []
    monkeypatch.setattr(yardsticks, "GAMES", 600)
    monkeypatch.setattr(yardsticks, "_find", lambda name: name)
    monkeypatch.setattr(
        yardsticks, "_meet", lambda name, rules, board, games: played.append(games) or []
    )
    for count in (1, 2, 3, 20):
        names = tuple(f"bot {number}" for number in range(count))
        strength(make_run(1, strategies=names, design="none").manifest)
    assert played == [120] + [100] * 2 + [66] * 3 + [60] * 20


def test_no_layout_is_read_that_a_run_names(monkeypatch):
    """The layout is that of run.json, whatever file its rules name."""
    wedge, named = make_run(2, rules=Rules(board="wedge")), make_run(2, rules=Rules(board="wedge"))
    named.manifest["rules"] = {**named.manifest["rules"], "board": "/of/no/one.csv"}
    monkeypatch.setattr("simcore.board._read", lambda *_: pytest.fail("a file was read"))
    found, expected = strength(named.manifest), strength(wedge.manifest)
    assert len(found.met) == 2
    assert found == expected


def evidence(found: Strength | None, **given) -> Evidence:
    return replace(collect(make_run(3, **given), [QUESTION])["strength"], strength=found)


def test_sentence():
    met = [Met("balanced", name, FOUND, NONE_DRAWN) for name in ("random", "greedy")]
    said = QUESTION.headline(evidence(Strength(tuple(met), {})))
    one = "98.9 % (95 % interval 98.4 to 99.4) against"
    assert said.sentence == f"balanced scores {one} random, {one} greedy."
    assert said.figures["balanced against random"] == FOUND.affine(100)
    said = QUESTION.headline(evidence(Strength(tuple(met), {}), rules=Rules(players=3)))
    assert said.sentence.endswith("; with three teams equals score 33.3 %, and 66.7 % is the most.")
    many = [Met(f"bot {i}", "random", FOUND, NONE_DRAWN) for i in range(5)]
    said = QUESTION.headline(evidence(Strength(tuple(many), {})))
    assert said.sentence.count("scores") == 3
    assert said.sentence.endswith("; 2 more in the table.")
    for nothing in (None, Strength((), {"slow": "too slow"})):
        assert QUESTION.headline(evidence(nothing)) is None


class Text(HTMLParser):
    """Collects the text of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = ""
        self.feed(text)

    def handle_data(self, data):
        self.text += data.replace("\u00a0", " ")


def test_on_the_page(tmp_path, monkeypatch):
    monkeypatch.setattr(page, "draw", lambda chart, table, title: b"")
    met = (Met("greedy", "random", FOUND, NONE_DRAWN), Met("<b>", "greedy", STUCK, NONE_DRAWN))
    found = Strength(met, {"mine.py:choose": "comes from a file"})
    said = report(make_run(6), tmp_path / "r", strength=found)
    assert [headline.question for headline in said][-1] == "strength"
    text = Text((tmp_path / "r" / "index.html").read_text(encoding="utf-8")).text
    assert said[-1].sentence in text
    assert "comes from a file" in text
    with (tmp_path / "r" / "strength.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["strategy"] for row in rows] == ["greedy", "<b>"]
    assert float(rows[0]["value"]) == pytest.approx(98.9)
    assert float(rows[0]["equal share %"]) == 50
    assert rows[1]["low"] == ""
    assert (tmp_path / "r" / "strength_left_out.csv").is_file()


def test_only_left_out_and_nothing_at_all(tmp_path, monkeypatch):
    monkeypatch.setattr(page, "draw", lambda chart, table, title: b"")
    for name, found in (("some", Strength((), {"slow": "too slow"})), ("none", None)):
        report(make_run(6), tmp_path / name, strength=found)
        html = (tmp_path / name / "index.html").read_text(encoding="utf-8")
        assert ("Strategies that were not played" in html) == (name == "some")
        assert ("Strength of the strategies" in html) == (name == "some")


def test_chart():
    long = "a-bot-with-a-long-name:depth=3,weight=0.25"
    met = tuple(Met(long, name, FOUND, NONE_DRAWN) for name in ("random", "greedy"))
    tables = QUESTION.tables(evidence(Strength(met, {})))
    ax = QUESTION.charts[0].plot(tables["strength"], Figure().add_subplot())
    labels = [label.get_text() for label in ax.get_yticklabels()]
    assert labels[0].endswith("- random")
    assert labels[1].endswith("- greedy")
    assert ax.get_xlabel() == "score (%)"
