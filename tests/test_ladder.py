"""The table of bots that benchmarks/ladder.py prints."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType

import pytest

from analysis.duel import duel
from simcore import Rules
from simcore.strategy import find_strategy

FILE = Path(__file__).resolve().parent.parent / "benchmarks" / "ladder.py"
WORDS = ["--bots", "random,greedy", "--deals", "30", "--slow-deals", "20"]


SPEED = {"random": 150_000.4, "greedy": 1_500.0}


@pytest.fixture
def ladder(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The program, with speeds that do not depend on who else has the machine."""
    spec = importlib.util.spec_from_file_location("ladder", FILE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    def measure(name: str, rules: Rules, seconds: float) -> dict[str, float]:
        return {"games_per_second": SPEED[name]}

    monkeypatch.setattr(module, "measure", measure)
    return module


@pytest.mark.parametrize("players", [2, 3, 4])
def test_rows(ladder: ModuleType, capsys: pytest.CaptureFixture[str], players: int) -> None:
    ladder.main([*WORDS, "--players", str(players), "--json"])
    rows = json.loads(capsys.readouterr().out)
    assert [row["strategy"] for row in rows] == ["random", "greedy"]
    for row in rows:
        assert row["games_per_second"] == round(SPEED[row["strategy"]])
        assert row["idea"] == find_strategy(row["strategy"]).bot.idea
    expected = duel(*map(find_strategy, ("greedy", "balanced")), Rules(players=players), 20).score
    found = rows[1]["scores"]["balanced"]
    assert [found[k] for k in ("score", "low", "high")] == [
        *(expected.value, expected.low, expected.high)
    ]


def test_table(ladder: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    """The weakest first; a slow bot plays fewer deals, and the table says so."""
    ladder.main(WORDS)
    head, rule, random, greedy = capsys.readouterr().out.splitlines()
    assert head.startswith(
        "| Bot | against `random` | against `greedy` | against `balanced` | deals"
    )
    assert rule.count("---:") == 5
    assert random.startswith("| `random` | - | ")
    assert greedy.startswith("| `greedy` | ")
    assert " | 30 | 150,000 | " in random
    assert " | 20 | 1,500 | " in greedy
    assert " to " in greedy


def test_fine_intervals_are_shown_finely(ladder: ModuleType) -> None:
    assert ladder.cell({"score": 0.9947, "low": 0.994, "high": 0.9955}) == "99.47 (99.40 to 99.55)"
    assert ladder.cell({"score": 0.5, "low": 0.49, "high": 0.51}) == "50.0 (49.0 to 51.0)"
