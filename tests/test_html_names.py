"""Names that are HTML, of bots, layouts and levels, appear as text in every report."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest
from helpers import JIT, Seqlab

from simcore.board import load_board
from simcore.new_bot import write_new_bot

SCRIPT = "<script>alert(1)<"
"""Without the slash of an end, which no name of a file has."""
LAYOUT = '"><img src=x onerror=alert(2)>.csv'

pytestmark = pytest.mark.skipif(not JIT, reason="reports play games")


@pytest.fixture
def seqlab(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Seqlab:
    """Return the command, in a folder with a bot and a layout of such names."""
    monkeypatch.chdir(tmp_path)
    write_new_bot(Path(f"{SCRIPT}.py"))
    rows = load_board("wedge").rows()
    Path(LAYOUT).write_text("\n".join(",".join(row) for row in rows))
    for name, value in (
        ("analysis.report.REFERENCE_GAMES", 20),
        ("analysis.yardsticks.LEAST", 12),
        ("analysis.yardsticks.MOST", 12),
        ("analysis.page.DPI", 20),
    ):
        monkeypatch.setattr(name, value)
    return Seqlab(monkeypatch, capsys)


def check(page: Path, *names: str) -> None:
    """Look at all tags and attributes of a page, and that the names stand there as text."""
    text = page.read_text(encoding="utf-8")
    tags = re.findall(r"<[a-zA-Z!/][^>]*>", text)
    assert not [tag for tag in tags if tag.startswith(("<script", "<img src=x"))]
    assert "onerror" not in "".join(re.sub(r'"[^"]*"', "", tag) for tag in tags)
    for name in names:
        assert name not in text
        assert html.escape(name) in text.replace("&#34;", "&quot;")
    for alt in re.findall(r'alt="([^"]*)"', text):
        assert "<" not in alt


def test_run(seqlab: Seqlab) -> None:
    words = ("--games", 20, "--threads", 1, "--set", f"board={LAYOUT}", "--out", "out", "-q")
    assert seqlab("run", "-s", f"{SCRIPT}.py:choose", "-s", "random", *words) == 0, seqlab.err
    check(Path("out/report/index.html"), f"{SCRIPT}.py:choose", LAYOUT)


def test_tournament(seqlab: Seqlab) -> None:
    bots = ("-s", f"{SCRIPT}.py:choose", "-s", "random", "-s", "greedy")
    words = ("--games", 20, "--threads", 1, "--out", "out", "-q")
    assert seqlab("tournament", *bots, *words) == 0, seqlab.err
    check(next(Path("out").rglob("index.html")), f"{SCRIPT}.py:choose")


def test_study(seqlab: Seqlab) -> None:
    Path("s.toml").write_text(
        f"title = '{SCRIPT}/script>'\nstrategy = '{SCRIPT}.py:choose'\ngames = 20\njacks = false\n"
        "strong = 'greedy'\nweak = 'random'\n[factors]\n"
        f"'<b>own' = [{{name = '<i>one'}}, {{name = '<svg onload=x>', hand_size = 5}}]\n"
        f"layout = ['standard', '{LAYOUT}']\n"
    )
    assert seqlab("study", "s.toml", "--threads", 1, "--out", "out", "-q") == 0, seqlab.err
    check(next(Path("out").rglob("index.html")), f"{SCRIPT}/script>", "<svg onload=x>", LAYOUT)
