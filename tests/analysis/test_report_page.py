"""The report as a whole: what it writes, what it says, and that names stay text."""

import csv
import re
from html.parser import HTMLParser

import pandas as pd
import pytest
from synthetic import Run, make_run

from analysis import page
from analysis.collect import collect
from analysis.compare import compare
from analysis.estimates import CANNOT_VARY, WILSON, Estimate
from analysis.question import questions, row, table
from analysis.report import REFERENCE_SEED, random_reference, report
from analysis.sentence import quote
from analysis.style import PALETTE, SHADES, decimals, number
from analysis.tables_html import shown
from simcore import simulate
from simcore.rules import Rules

HOSTILE = "<script>alert('$1')</script>"


@pytest.fixture
def _one_board(monkeypatch):
    """Draw one board of the four; the others differ in nothing but their column."""
    draw = page.draw

    def some(chart, table, title):
        skipped = chart.square and chart.name != "board_sequences"
        return b"" if skipped else draw(chart, table, title)

    monkeypatch.setattr(page, "draw", some)


class Reader(HTMLParser):
    """Collects text, links, ids and tags of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags, self.ids, self.links, self.text = [], set(), [], ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.tags.append(tag)
        self.ids.add(found.get("id"))
        self.links += [found[k] for k in ("href", "src") if found.get(k)]

    def handle_data(self, data):
        self.text += data.replace("\u00a0", " ")


@pytest.mark.usefixtures("_one_board")
def test_report_of_a_run(tmp_path):
    out = tmp_path / "run" / "report"
    run = make_run(
        60, strategies=("greedy", "balanced"), design="swap", rules=Rules(chips=(40, 40))
    )
    found = report(run, out, reference=make_run(30, strategies=("random",)))
    assert [headline.question for headline in found] == ["first_player", "corners", "jack_value"]
    read = Reader((out / "index.html").read_text(encoding="utf-8"))
    for headline in found:
        assert headline.sentence in read.text
    assert "script" not in read.tags
    assert "random bots" in read.text
    assert "chips = [40, 40]" in read.text
    assert "seqlab simulate --seed 1" in read.text
    assert not re.search(r"\bnan\b|\binf\b", read.text, re.IGNORECASE)
    _check_links(read, out)
    assert sorted(p.name for p in out.parent.iterdir()) == ["report"]


def _check_links(read: Reader, out) -> None:
    """Every link leads somewhere inside the folder; nothing is fetched from elsewhere."""
    for link in read.links:
        if link.startswith("#"):
            assert link[1:] in read.ids
        elif not link.startswith("data:image/png;base64,"):
            assert (out / link).is_file()
    with (out / "first_player.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert float(rows[0]["low"]) < float(rows[0]["value"]) < float(rows[0]["high"])
    assert rows[0]["unit"] == "percentage points"


@pytest.mark.usefixtures("blank_pictures")
def test_names_of_strategies_stay_text(tmp_path):
    report(make_run(6, strategies=(HOSTILE, "b & c"), design="swap"), tmp_path / "r")
    text = (tmp_path / "r" / "index.html").read_text(encoding="utf-8")
    assert "<script" not in text
    assert HOSTILE in Reader(text).text
    assert "b & c" in Reader(text).text


@pytest.mark.usefixtures("blank_pictures")
def test_report_of_one_game(tmp_path):
    found = report(make_run(1, design="none"), tmp_path / "r")
    assert "one deal" in found[0].sentence
    assert not re.search(r"\bnan\b|\binf\b", (tmp_path / "r" / "index.html").read_text().lower())


def test_reference_plays_random_bots_under_the_same_rules(monkeypatch):
    monkeypatch.setattr("analysis.report.REFERENCE_GAMES", 60)
    rules = Rules(players=3, line_length=4)
    found = random_reference(make_run(2, rules=rules))
    expected = simulate(["random"], 60, REFERENCE_SEED, rules)
    for name in ("games", "seats", "sequences", "jacks", "spaces"):
        pd.testing.assert_frame_equal(getattr(found, name), getattr(expected, name))
    assert random_reference(make_run(2, strategies=("random",))) is None


def test_no_layout_is_read_that_a_run_names(monkeypatch):
    """The layout is that of run.json, whatever file its rules name."""
    monkeypatch.setattr("analysis.report.REFERENCE_GAMES", 20)
    wedge, named = make_run(2, rules=Rules(board="wedge")), make_run(2, rules=Rules(board="wedge"))
    named.manifest["rules"] = {**named.manifest["rules"], "board": "/of/no/one.csv"}
    monkeypatch.setattr("simcore.board._read", lambda *_: pytest.fail("a file was read"))
    found, expected = (random_reference(run).games for run in (named, wedge))
    pd.testing.assert_frame_equal(found, expected)


def test_hostile_names_can_be_drawn():
    run = make_run(20, strategies=(HOSTILE, "$x^{"), design="swap")
    question = next(q for q in questions() if q.name == "scores")
    tables = question.tables(collect(run, [question])["scores"])
    assert page.draw(question.charts[0], tables["scores"], "title").startswith(b"\x89PNG")


def test_a_report_that_fails_leaves_nothing_behind(tmp_path):
    with pytest.raises(ValueError, match="no games"):
        report(Run(make_run(2).manifest, []), tmp_path / "r")
    assert list(tmp_path.iterdir()) == []


def test_an_old_report_is_replaced_and_anything_else_is_kept(tmp_path):
    out = tmp_path / "r"
    with page.whole_folder(out) as folder:
        (folder / "index.html").write_text("old")
    with page.whole_folder(out) as folder:
        (folder / "index.html").write_text("new")
    assert (out / "index.html").read_text() == "new"
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("keep")
    with pytest.raises(FileExistsError), page.whole_folder(tmp_path / "mine"):
        pass
    assert (tmp_path / "mine" / "notes.txt").read_text() == "keep"


@pytest.mark.usefixtures("blank_pictures")
def test_two_runs_side_by_side(tmp_path):
    one = make_run(40, strategies=("greedy", "balanced"), design="swap")
    other = make_run(40, rules=Rules(players=3), seed=2)
    compare(one, other, tmp_path / "r")
    text = Reader((tmp_path / "r" / "index.html").read_text(encoding="utf-8")).text
    assert "Run A: Going first" in text
    assert "Run B: Going first" in text
    with (tmp_path / "r" / "length.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["figure"] == "mean"]
    a, b, difference = (float(row["value"]) for row in rows if row["unit"] == "turns")
    assert [row["run"] for row in rows[:3]] == ["A", "B", "B - A"]
    assert difference == pytest.approx(b - a)
    assert "take the two runs as independent" in text
    with (tmp_path / "r" / "scores.csv").open() as file:
        balanced = [row for row in csv.DictReader(file) if row["strategy"] == "balanced"]
    assert [row["run"] for row in balanced] == ["A"]
    with (tmp_path / "r" / "first_player.csv").open() as file:
        drawn = [row for row in csv.DictReader(file) if row["figure"] == "games drawn"]
    assert [row["unit"] for row in drawn] == ["%", "%", "percentage points"]
    assert (tmp_path / "r" / "length-A.png").is_file()


def test_figures_are_quoted_with_interval_games_and_deals():
    found = Estimate(4.62, 4.41, 4.83, 0.1, 1_000_000, 500_000, WILSON)
    assert quote(found, "percentage points of score", sign=True) == (
        "+4.6 percentage points of score "
        "(95 % interval +4.4 to +4.8; 1,000,000 games on 500,000 deals)"
    )
    stuck = Estimate(50.0, None, None, 0.0, 1, 1, CANNOT_VARY)
    assert quote(stuck, "%") == "50.0 % (interval: none, cannot vary; 1 game on 1 deal)"


def test_numbers():
    assert number(-0.04, 1) == "0.0"
    assert number(1234.5, 1) == "1,234.5"
    assert number(float("nan"), 1) == number(None, 1) == "\N{EN DASH}"
    assert [decimals(0, w) for w in (20, 2, 0.4, 0.04)] == [1, 1, 1, 2]


def test_tables_show_counts_as_counts_and_small_figures_with_more_digits():
    def line(value, low, high, **about):
        return row(Estimate(value, low, high, 0.1, 10, 5, WILSON), "worth", of="a", **about)

    data = table(
        line(*figures) | {"won": won, "games saved": 2.0, "chance better than next": chance}
        for figures, won, chance in (
            ((3.5, 2.8, 4.4), 605, 0.99996),
            ((2.3, 1.9, 2.9), 1395, 0.5),
            ((0.102, 0.07, 0.14), 0, None),
        )
    )
    cells = [[cell.text for cell in line] for line in shown("worths", "", data).rows]
    assert [line[1:3] for line in cells] == [
        ["3.5", "2.8 to 4.4"],
        ["2.3", "1.9 to 2.9"],
        ["0.10", "0.07 to 0.14"],
    ]
    assert [line[4] for line in cells] == ["605", "1,395", "0"]
    assert {line[5] for line in cells} == {"2.00"}
    assert [line[6] for line in cells] == ["> 0.999", "0.500", number(None, 1)]


def _luminance(colour) -> float:
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour[:3]]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_dark_text_reads_on_every_shade_and_shades_are_ordered_in_grey():
    greys = [_luminance(SHADES(share / 20)) for share in range(21)]
    assert greys == sorted(greys, reverse=True)
    ink = _luminance((0x22 / 255,) * 3)
    assert (greys[-1] + 0.05) / (ink + 0.05) > 4
    assert len(set(PALETTE)) == len(PALETTE)
