"""Bots of a user's own file: found, compiled, refused in one line, never loaded unasked."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from helpers import JIT, Seqlab

from simcore import kit, load, simulate
from simcore.compiler import Compiler
from simcore.contract import checks, failure
from simcore.new_bot import write_new_bot
from simcore.place import StoreError
from simcore.rules import Rules
from simcore.runner import BotError, RunError
from simcore.setting import make_setting
from simcore.strategy import MAX_MEMORY, OWN, Bot, StrategyError, find_bot, find_strategy
from simcore.table import TABLE

ROOT = Path(__file__).resolve().parent.parent
GAMES = 20 if JIT else 2

FIRST = '''"""A file."""
from simcore.kit import plays, Parameter
from helper import pick

PARAMETERS = (Parameter("place", 0, 0, 3, "which play"),)

def choose(setting, table, seat, hand, own):
    """Plays one by its place."""
    return pick(plays(setting, table, seat, hand), own.params[0])
'''
HELPER = "def pick(moves, place):\n    return moves[min(int(place), len(moves) - 1)]\n"

MODEL = '''from simcore.kit import plays
class Model:
    """Cannot be compiled."""
    def choose(self, setting, table, seat, hand, own):
        own.memory[0] += 1
        moves = {int(m): [m] for m in plays(setting, table, seat, hand)}
        return sorted(moves)[own.memory[0] % len(moves)]
'''


@pytest.fixture
def seqlab(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Seqlab:
    return Seqlab(monkeypatch, capsys)


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    (tmp_path / "helper.py").write_text(HELPER)
    (tmp_path / "first.py").write_text(FIRST)
    return tmp_path / "first.py"


def write(tmp_path: Path, body: str, head: str = "") -> str:
    """Write a file with one `choose` of this body; return its strategy."""
    file = tmp_path / "bad.py"
    file.write_text(f"{head}def choose(setting, table, seat, hand, own):\n    {body}\n")
    return f"{file}:choose"


def test_new_strategy_plays_and_keeps_the_contract(tmp_path: Path, seqlab: Seqlab) -> None:
    file = tmp_path / "my_bot.py"
    assert seqlab("new-strategy", file) == 0
    assert str(file) in seqlab.out
    seats = simulate([f"{file}:choose", "random"], 40 * GAMES, 1).seats
    score = seats.groupby("strategy", observed=True)["score"].mean()
    assert not JIT or score[f"{file}:choose"] > 0.8
    for _, check in checks(find_bot(f"{file}:choose"))[:: 5 if JIT else 30]:
        assert failure(check) == ""
    assert seqlab("new-strategy", file) == 2
    assert seqlab.err == f"error: {file} exists; allowed: the name of a new file\n"
    assert f"own.memory ({MAX_MEMORY} int64" in file.read_text()
    with pytest.raises(StrategyError, match=r"ends in \.py"):
        write_new_bot(tmp_path / "bot")
    for name in ('a"b.py', "a\\b.py", "a\nb.py"):
        with pytest.raises(StrategyError, match="without quotation marks and backslashes"):
            write_new_bot(tmp_path / name)


def test_parameters_and_name(bot: Path, tmp_path: Path, seqlab: Seqlab) -> None:
    name = f"{bot}:choose"
    assert find_strategy(name).name == name
    assert find_strategy(f"{name}:place=2").name == f"{name}:place=2"
    (tmp_path / "p.toml").write_text("place = 3")
    assert find_strategy(f"{name}@{tmp_path / 'p.toml'}").params == (3.0,)
    with pytest.raises(StrategyError, match="place is 4; allowed: 0 to 3"):
        find_strategy(f"{name}:place=4")
    assert seqlab("strategies", name) == 0
    assert "Plays one by its place." in seqlab.out
    assert "which play" in seqlab.out
    assert "no_blocking" in seqlab.out


def test_nothing_is_stale(bot: Path) -> None:
    """A change of the file or of a module beside it counts at once."""
    first = find_bot(f"{bot}:choose")
    assert find_bot(f"{bot}:choose") == first
    (bot.parent / "helper.py").write_text(HELPER.replace("- 1", "- 2"))
    second = find_bot(f"{bot}:choose")
    assert second.source != first.source
    assert second.choose is not first.choose


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{folder}/none.py:choose", "there is no file {folder}/none.py"),
        ("{folder}/first.py", "names no function; allowed: {folder}/first.py:NAME"),
        ("{folder}/first.py:chose", "no 'chose' in the file; allowed: choose"),
        ("{folder}/first.py:PARAMETERS", "PARAMETERS is no bot; allowed: a function (setting"),
    ],
)
def test_bad_names(bot: Path, text: str, told: str) -> None:
    with pytest.raises(StrategyError) as caught:
        find_strategy(text.format(folder=bot.parent))
    assert told.format(folder=bot.parent) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_paths_with_signs(bot: Path) -> None:
    odd = bot.parent / "me@home:a.py:b"
    odd.mkdir()
    (odd / "bot.py").write_text(FIRST.replace("from helper import pick", HELPER))
    name = f"{odd}/bot.py:choose"
    assert find_strategy(f"{name}:place=1").name == f"{name}:place=1"


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("return (", "bad.py, line 2 cannot be loaded: SyntaxError"),
        ("return 1\n1 / 0", "bad.py, line 3 cannot be loaded: ZeroDivisionError: division by zero"),
        ("return 1\nexit(3)", "bad.py, line 3 cannot be loaded: SystemExit: 3"),
        (
            "return 1\nclass E(Exception):\n    __str__ = None\nraise E",
            "bad.py, line 5 cannot be loaded: E",
        ),
        (
            "return 1\nclass A:\n    def __getattr__(self, name):\n        1 / 0\nchoose = A()",
            "bad.py, line 5: choose raised ZeroDivisionError: division by zero",
        ),
    ],
)
def test_files_that_do_not_load(tmp_path: Path, body: str, told: str) -> None:
    with pytest.raises(StrategyError) as caught:
        find_bot(write(tmp_path, body))
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


RAW = "from numpy.lib.stride_tricks import as_strided as wide\n"
AGAIN = "def down(n):\n    return 0 if n < 0 else up(n)\ndef up(n):\n    return down(n - 1)\n"


@pytest.mark.skipif(not JIT, reason="nothing is compiled")
@pytest.mark.parametrize(
    ("head", "body", "told"),
    [
        (
            *("", "x = 1\n    return hand.nothing"),
            "bad.py, line 3: choose cannot be compiled: Unknown attribute 'nothing'",
        ),
        (
            *("", "x = 1\n    return setting.nothing"),
            "bad.py, line 3: choose cannot be compiled: there is no field 'nothing'",
        ),
        (
            *("def f(x):\n    return x.nothing\n", "return f(hand)"),
            "bad.py, line 2: f cannot be compiled: Unknown attribute 'nothing'",
        ),
        ("", "raise ValueError('no')", "line 1: choose never returns anything; allowed: a whole"),
        ("", "while True: own.memory[0] += 1", "line 1: choose never returns anything"),
        ("", "return seat + 0.9", "line 1: choose returns float64; allowed: a whole number"),
        ("", "yield 1", "line 1: choose is a generator or a coroutine"),
        (AGAIN, "return up(seat)", "line 3: up calls itself"),
        ("", "return hand.ctypes", "choose uses ctypes, which reads memory without bounds"),
        (RAW, "return wide(hand, (240,), (1,))[1]", "choose uses as_strided, which reads"),
        ("import helper\n", "return helper.pick(hand, 0)[0]", "file helper.py"),
    ],
)
def test_functions_that_do_not_compile(tmp_path: Path, head: str, body: str, told: str) -> None:
    (tmp_path / "helper.py").write_text(f"{RAW}def pick(x, y):\n    return wide(x, (9,), (1,))\n")
    told = told.replace("file helper.py", "helper.py, line 2: pick uses as_strided")
    with pytest.raises(StrategyError) as caught:
        find_bot(write(tmp_path, body, head))
    assert told in str(caught.value)
    assert str(caught.value).endswith("a class with a method choose is played uncompiled")
    assert "\n" not in str(caught.value)


def decide(bot: Bot) -> int:
    """Return what `choose` answers for a hand of two cards."""
    hand = np.array([3, 4], np.uint8)
    hand.flags.writeable = False
    rules = Rules()
    setting = make_setting(rules, rules.load_board())
    return int(bot.choose(setting, np.zeros(1, TABLE)[0], 0, hand, np.zeros(1, OWN)[0]))


def test_helpers_of_a_module(tmp_path: Path) -> None:
    """They are compiled, with every index checked even of those compiled unchecked."""
    (tmp_path / "helper.py").write_text(
        "from numba import njit\ndef card(x):\n    return x[1]\n"
        "@njit\ndef past(x):\n    return x[2]\n"
    )
    for head, call in (("import helper\n", "helper."), ("from helper import *\n", "")):
        assert decide(find_bot(write(tmp_path, f"return {call}card(hand)", head))) == 4
        with pytest.raises(IndexError):
            decide(find_bot(write(tmp_path, f"return {call}past(hand)", head)))


def test_a_bot_in_the_folder_of_everything(tmp_path: Path) -> None:
    """An environment and this project may stand in the bot's folder; they are not the bot's."""
    home = Compiler(ROOT)
    assert home.is_home(ROOT / "my_bot.py")
    assert home.is_home(ROOT / "mine" / "helper.py")
    assert not home.is_home(Path(kit.__file__).resolve())
    assert not Compiler(Path(sys.prefix)).is_home(Path(np.__file__))


def test_wrong_arguments(tmp_path: Path) -> None:
    file = tmp_path / "few.py"
    file.write_text("def choose(setting, table):\n    return 1\n")
    with pytest.raises(StrategyError) as caught:
        find_bot(f"{file}:choose")
    assert "takes (setting, table); allowed: (setting, table, seat, hand, own)" in str(caught.value)


def test_wrong_starts(tmp_path: Path) -> None:
    for more, told in (
        ("start = 5", "start is 5; allowed: a function (setting, params)"),
        ("def start(): return 1", "start takes (); allowed: (setting, params)"),
    ):
        with pytest.raises(StrategyError) as caught:
            find_bot(write(tmp_path, "return 0", f"{more}\n"))
        assert told in str(caught.value)
    file = tmp_path / "model.py"
    for value, told in (
        ("[[1], [2]]", "ValueError: an array of 2 dim"),
        ("__import__('numpy').array([float('nan')])", "FloatingPointError: invalid value"),
    ):
        file.write_text(f"{MODEL}    def start(self, setting, params): return {value}\n")
        with pytest.raises(RunError) as failed:
            simulate([f"{file}:Model"], 1)
        assert f"{file}:Model: start raised {told}" in str(failed.value)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ('"a", "x", 0, 1, "m"', "parameter a: default is 'x'; allowed: a number"),
        ('"a", 0, 0, float("inf"), "m"', "parameter a: high is inf; allowed: a number"),
        ('"a", 5, 0, 1, "m"', "parameter a: default 5; allowed: 0 to 1"),
        ('"a,b=c", 0, 0, 1, "m"', "parameter 'a,b=c'; allowed: a name of a to z"),
        ('"a", 0, 0, 1, None', "parameter a: meaning is None; allowed: a text"),
        ('"no_blocking", 0, 0, 1, "m"', "parameters no_blocking; allowed: 60 different ones"),
    ],
)
def test_bad_declared_parameters(tmp_path: Path, given: str, told: str) -> None:
    head = f"from simcore.kit import Parameter\nPARAMETERS = (Parameter({given}),)\n"
    with pytest.raises(StrategyError) as caught:
        find_bot(write(tmp_path, "return 0", head))
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_run_names_a_file_that_is_loaded_only_when_named(
    bot: Path, tmp_path: Path, seqlab: Seqlab, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, run = f"{bot}:choose", tmp_path / "run"
    simulate([name, "random"], GAMES, 1, out=run)
    files = json.loads((run / "run.json").read_text())["files"]
    assert list(files) == [name]
    loads: list[str] = []
    real = find_bot
    monkeypatch.setattr(
        "simcore.strategy.find_bot", lambda name: (loads.append(name), real(name))[1]
    )
    assert set(load(run).seats["strategy"]) == {name, "random"}
    assert seqlab("replay", run, "--moves") == 2
    assert f"allowed: add -s {name}, if you trust that file" in seqlab.err
    assert not loads
    assert seqlab("replay", run, "--moves", "-s", name) == 0
    assert seqlab.err == ""
    shown = seqlab.out
    bot.write_text(FIRST + "\n# changed\n")
    assert seqlab("replay", run, "--moves", "-s", name) == 0
    assert seqlab.err == "warning: the file of a bot has changed since the run; games may differ\n"
    assert seqlab.out == shown
    assert seqlab("replay", run, "-s", "greedy") == 2
    assert "no strategy 'greedy' in the run" in seqlab.err
    with pytest.raises(StoreError, match=f"has another file of a bot: {name}: "):
        simulate([name, "random"], GAMES, 1, out=run, resume=True)


def test_objects_play_uncompiled(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The same games for any threads and parts; the user is told once that it is slow."""
    file = tmp_path / "model.py"
    file.write_text(MODEL)
    name = f"{file}:Model"
    one = simulate([name, "random"], 16, 3, threads=1, part_games=16)
    two = simulate([name, "random"], 16, 3, threads=2, part_games=2)
    assert one.seats.equals(two.seats)
    assert capsys.readouterr().err.count(f"note: {name} is not compiled: about") == 1


def test_what_an_object_is_given(tmp_path: Path) -> None:
    """Its `own` is its own, as it is for a compiled bot; modules are imported when it is loaded."""
    file = tmp_path / "model.py"
    (tmp_path / "helper.py").write_text(HELPER)
    file.write_text(MODEL.replace("own.memory[0] += 1", "own.params[:] += 1; own.memory[0] += 1"))
    assert len(simulate([f"{file}:Model"], 4, design="none").games) == 4
    file.write_text(MODEL.replace("own.memory[0] += 1", "import helper"))
    with pytest.raises(BotError, match="No module named 'helper'; a bot's file imports at its top"):
        simulate([f"{file}:Model"], 1)


def test_what_an_object_keeps_in_itself_is_found(tmp_path: Path) -> None:
    file = tmp_path / "model.py"
    file.write_text(
        MODEL.replace("own.memory[0] += 1", "self.n = getattr(self, 'n', 0) + 1").replace(
            "own.memory[0]", "self.n"
        )
    )
    told = [failure(check) for _, check in checks(find_bot(f"{file}:Model"))[:1]]
    assert told[0] in (
        "the same seed gives other games",
        "game 9 is another when it is played alone",
    )


def test_check_tells_each(bot: Path) -> None:
    """Run as a command, which ends with 1 when a check fails."""
    bot.write_text("def choose(setting, table, seat, hand, own):\n    return -1\n")
    done = subprocess.run(
        [sys.executable, "-m", "cli", "strategies", f"{bot}:choose", "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "FAILED legal games" in done.stdout
    assert "made an illegal play" in done.stdout
