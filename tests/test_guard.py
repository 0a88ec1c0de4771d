"""What the engine does with bots that write where they may not, or never decide."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from helpers import JIT

from simcore import load, simulate, watch
from simcore.rules import Rules
from simcore.runner import BotError, RunError, Runner
from simcore.simulation import make_plan, warm_up
from simcore.spread import Stopped
from simcore.strategy import StrategyError, find_bot
from simcore.table import TABLE
from simcore.watch import seconds_of
from simcore.whole import copy_record, same_record

HEAD = "from simcore.kit import plays\n"


def bot(tmp_path: Path, body: str, more: str = "") -> str:
    file = tmp_path / "bot.py"
    file.write_text(
        f"{HEAD}def choose(setting, table, seat, hand, own):\n"
        f"    moves = plays(setting, table, seat, hand)\n    {body}\n    return moves[0]\n{more}"
    )
    return f"{file}:choose"


def test_tables_are_compared_in_every_word() -> None:
    one, other = np.zeros(1, TABLE), np.zeros(1, TABLE)
    for name in TABLE.names or ():
        one[name] = 7
    copy_record(other[0], one[0])
    for name in TABLE.names or ():
        assert same_record(one[0], other[0])
        assert np.array_equal(one[name], other[name])
        last = other[name].reshape(-1)
        last[-1] += 1
        assert not same_record(one[0], other[0]), name
        last[-1] -= 1


@pytest.mark.parametrize("text", ["abc", "", "inf", "nan", "-1", "1e300"])
def test_seconds_that_are_not_allowed(text: str) -> None:
    told = f"SEQLAB_STUCK_SECONDS: {text!r}; allowed: seconds up to 1000000000, or 0 for any time"
    with pytest.raises(ValueError, match=re.escape(told)):
        seconds_of(text)


def test_seconds() -> None:
    assert [seconds_of(text) for text in ("0", "0.5", "1e9")] == [0, 0.5, 1e9]
    assert threading.TIMEOUT_MAX > 1e9


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("if table.turn > 9: table.chip[5] = 2", "wrote to the table, which it may only read"),
        ("if table.turn > 9: table.turn = 2", "wrote to the table, which it may only read"),
        ("if table.turn > 9: setting.chips[0] = 2", "wrote to the setting, which it may only"),
        ("if table.turn > 9: setting.players = 100_000", "wrote to the setting, which it may only"),
        ("if table.turn > 9: own.memory[9999] = 1", "raised IndexError"),
        ("if table.turn > 9: raise ValueError('so it is')", "raised ValueError: so it is"),
        ("if table.turn > 9: return -1", "made an illegal play"),
    ],
)
def test_faults_stop_the_run(tmp_path: Path, body: str, told: str) -> None:
    name = bot(tmp_path, body)
    with pytest.raises(BotError) as caught:
        simulate([name, "random"], 4, 1, design="none")
    assert f"strategy {name} {told}" in str(caught.value)
    assert "game " in str(caught.value)
    assert f"replay it with: seqlab replay -s {name} -s random" in str(caught.value)


def test_a_write_to_the_setting_changes_no_rule(tmp_path: Path) -> None:
    """Not even one that is put back before the game ends, and anybody looks."""
    body = "\n    ".join(
        (
            "if own.memory[0]: setting.kind[own.memory[0] - 1] = 0",
            "own.memory[0] = 0",
            "for slot in range(len(hand) if table.turn < 12 else 0):",
            "    if setting.kind[hand[slot]] == 0 and own.memory[0] == 0:",
            "        own.memory[0] = hand[slot] + 1",
            "        setting.kind[hand[slot]] = 1",
            "moves = plays(setting, table, seat, hand)",
        )
    )
    with pytest.raises(BotError, match="wrote to the setting"):
        simulate([bot(tmp_path, body)], 1, 1, design="none")


def test_a_forfeit_is_laid_to_the_bot_that_made_it(tmp_path: Path) -> None:
    """It may be the other's turn in the team."""
    name = bot(tmp_path, "", "def forfeit(setting, table, seat, hand, own):\n    return 99\n")
    rules = Rules(players=4, table_talk=0.2)
    seats = ["random", "random", name, "random"]
    for game in range(8):
        with pytest.raises(BotError) as caught:
            Runner(*make_plan(seats, rules, 1, "none")).play(game, 60)
        assert f"strategy {name} forfeited a card that is not there" in str(caught.value)
        assert ", seat 2)" in str(caught.value)


@pytest.mark.skipif(not JIT, reason="plain Python is not watched")
@pytest.mark.parametrize("raised", ["SystemExit", "KeyboardInterrupt"])
def test_a_bot_does_not_end_the_process(tmp_path: Path, raised: str) -> None:
    file = tmp_path / "ends.py"
    file.write_text(f"class Bot:\n    def choose(self, *given): raise {raised}(3)\n")
    with pytest.raises(BotError, match=f"strategy {file}:Bot raised {raised}: 3"):
        simulate([f"{file}:Bot"], 1)
    file.write_text(f"class Bot:\n    def __init__(self): raise {raised}(3)\n")
    with pytest.raises(StrategyError, match=rf"line 2: Bot\(\) raised {raised}: 3"):
        find_bot(f"{file}:Bot")
    file.write_text(f"raise {raised}(3)")
    with pytest.raises(StrategyError, match=f"line 1 cannot be loaded: {raised}: 3"):
        find_bot(f"{file}:Bot")
    body = f"def start(setting, params):\n    raise {raised}(3)\n"
    with pytest.raises(RunError, match=f"start raised {raised}: 3"):
        simulate([bot(tmp_path, "", body)], 1)


def test_the_game_of_a_write_to_the_setting(tmp_path: Path) -> None:
    """It is found behind many games that were played at once."""
    name = bot(tmp_path, "if own.stream[0] % 20 == 3: setting.max_turns += 0 * seat + 1")
    with pytest.raises(BotError) as caught:
        simulate([name], 400 if JIT else 40, 1, design="none")
    game = caught.value.game
    if game:
        simulate([name], game, 1, design="none")
    with pytest.raises(BotError):
        simulate([name], game + 1, 1, design="none")


def test_start_only_reads(tmp_path: Path) -> None:
    for line, told in (
        ("setting.teams = 3", "start wrote to the setting"),
        ("raise ValueError('no')", "start raised ValueError: no"),
    ):
        name = bot(tmp_path, "", f"def start(setting, params):\n    {line}\n    return [1]\n")
        with pytest.raises(RunError, match=told):
            simulate([name], 4)


def test_nothing_is_left_from_another_game(tmp_path: Path) -> None:
    body = "if table.turn <= 2 and own.memory[2000] + own.params[50] != 0: return -1"
    name = bot(tmp_path, f"{body}\n    own.memory[2000] = 1\n    own.params[50] = 1")
    assert len(simulate([name], 40, 1).games) == 40


@pytest.mark.skipif(not JIT, reason="plain Python is not watched")
def test_what_does_not_end_before_there_is_a_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("watch", "runner", "bot_files"):
        monkeypatch.setattr(f"simcore.{module}.STUCK_SECONDS", 0.4)
    ended = threading.Event()  # so that no thread is left behind
    monkeypatch.setattr("simcore.watch.ended_by_a_test", ended, raising=False)
    monkeypatch.setattr("simcore.watch._left_behind", threading.Event())
    wait = "from simcore.watch import ended_by_a_test\n{}ended_by_a_test.wait()\n"
    name = bot(tmp_path, "", wait.format("def start(setting, params):\n    "))
    with pytest.raises(RunError, match=re.escape(f"{name}: start has not returned for 0.4 s")):
        simulate([name], 1)
    name = bot(tmp_path, "", wait.format(""))
    with pytest.raises(StrategyError, match=r"TimeoutError: not done after 0\.4 s"):
        find_bot(name)
    assert watch.left_behind()
    ended.set()


@pytest.mark.skipif(not JIT, reason="plain Python is not watched")
@pytest.mark.parametrize("limit", [60, 0])
def test_a_slow_game_is_given_up_when_all_is_to_stop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: float
) -> None:
    """Whoever presses Ctrl-C does not wait for a model that thinks for minutes."""
    for module in ("watch", "runner"):
        monkeypatch.setattr(f"simcore.{module}.STUCK_SECONDS", limit)
    ended = threading.Event()
    monkeypatch.setattr("simcore.watch.ended_by_a_test", ended, raising=False)
    monkeypatch.setattr("simcore.watch._left_behind", threading.Event())
    file = tmp_path / "slow.py"
    file.write_text(
        "from simcore.watch import ended_by_a_test\n"
        "class Bot:\n"
        "    def choose(self, setting, table, seat, hand, own):\n"
        "        ended_by_a_test.wait(100)\n"
        "        return -1\n"
    )
    runner = Runner(*make_plan([f"{file}:Bot"], Rules()))
    warm_up(runner)
    stop = threading.Event()
    stop.set()
    started = time.monotonic()
    with pytest.raises(Stopped):
        runner.play(0, 1, stop=stop)
    assert time.monotonic() - started < 20
    assert watch.left_behind()
    ended.set()


def stuck(tmp_path: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "cli", *words],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"SEQLAB_STUCK_SECONDS": "1"},
        timeout=300,
    )


@pytest.mark.skipif(not JIT, reason="plain Python is not watched")
@pytest.mark.parametrize("compiled", [True, False])
def test_a_game_that_does_not_move_on(tmp_path: Path, compiled: bool) -> None:
    loop = "while table.turn == 7 and own.stream[0] % 64 == 0: own.memory[0] += 1"
    name = bot(tmp_path, loop)
    if not compiled:
        file = Path(name.partition(":")[0])
        head, body = file.read_text().split("\n", 1)
        body = body.replace(
            "(setting, table, seat, hand, own):", "(self, setting, table, seat, hand, own):", 1
        )
        lines = "".join(f"    {line}\n" for line in body.splitlines())
        file.write_text(f"{head}\nclass Bot:\n{lines}")
        name = f"{file}:Bot"
    run = tmp_path / "run"
    done = stuck(
        tmp_path, "simulate", "-s", name, "--games", "3000", "--out", str(run), "--design", "none"
    )
    assert done.returncode == 1, done.stderr
    assert f"strategy {name} has not decided for 1 s (game " in done.stderr
    assert ", turn 7, seat " in done.stderr
    load(run)
    game = done.stderr.partition("(game ")[2].partition(",")[0]
    again = stuck(tmp_path, "replay", str(run), "-s", name, "--game", game, "--moves")
    assert again.returncode == 1
    assert "has not decided for 1 s" in again.stderr
    assert len(again.stdout.splitlines()) >= 6
