"""The command line as users and scripts meet it."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import typer
from helpers import JIT, Seqlab

import cli
import simcore.strategy
from simcore import Rules, load, simulate
from simcore.board import load_board
from simcore.plan import MAX_DEALS
from simcore.rules import PRESETS
from simcore.strategy import bot_names
from tuning.task import JUDGING

ROOT = Path(__file__).resolve().parent.parent
COMMANDS = (
    *("run", "simulate", "report", "replay", "verify", "tune"),
    *("strategies", "rules", "board", "bench", "check", "merge"),
)
FEW = ["--games", "40" if JIT else "4"]


def process(*words: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command as a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "cli", *map(str, words)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=os.environ | environment,
        timeout=200,
    )


# Help.


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example(seqlab: Seqlab, command: str) -> None:
    assert seqlab(command, "--help") == 0
    assert f"Example: seqlab {command}" in seqlab.out
    assert seqlab.err == ""
    help_text = seqlab.out
    assert seqlab(command, "-h") == 0
    assert seqlab.out == help_text


def test_examples_are_valid(seqlab: Seqlab) -> None:
    """Every example of a help text is accepted, apart from the folder of a run it names."""
    examples = []
    for command in COMMANDS:
        assert seqlab(command, "--help") == 0
        found = re.search(r"Example: seqlab (.*)", seqlab.out)
        assert found is not None
        examples.append(found[1].split())
    command = typer.main.get_command(cli.app)
    for words in examples:
        name, *options = words
        command.commands[name].make_context(name, list(options))  # type: ignore[attr-defined]


def test_top_level_help_names_every_command(seqlab: Seqlab) -> None:
    for words in ([], ["--help"], ["-h"]):
        assert seqlab(*words) == 0
        for command in COMMANDS:
            assert f" {command} " in seqlab.out
    assert "Example: seqlab run" in seqlab.out


def test_version(seqlab: Seqlab) -> None:
    assert seqlab("--version") == 0
    assert re.fullmatch(r"seqlab \d+\.\d+\.\d+\n", seqlab.out)


# What there is.


def test_strategies(seqlab: Seqlab) -> None:
    assert seqlab("strategies") == 0
    for name in bot_names():
        assert f" {name} " in seqlab.out
    assert seqlab("strategies", "--json") == 0
    rows = json.loads(seqlab.out)
    assert [row["strategy"] for row in rows] == bot_names()
    assert all(row.keys() == {"strategy", "idea", "parameters"} for row in rows)
    assert seqlab("strategies", "greedy", "--json") == 0
    assert [row["strategy"] for row in json.loads(seqlab.out)] == ["greedy"]


def test_a_broken_package_breaks_nothing_else(
    seqlab: Seqlab, monkeypatch: pytest.MonkeyPatch
) -> None:
    def load() -> None:
        raise ImportError("no module\nof that name")

    installed = simcore.strategy.entry_points
    broken = SimpleNamespace(name="broken", value="theirs:broken", load=load)

    def entry_points(group: str, **name: str) -> list[Any]:
        mine = [broken] if name.get("name", "broken") == "broken" else []
        return [*installed(group=group, **name), *mine]

    monkeypatch.setattr("simcore.strategy.entry_points", entry_points)
    told = "warning: strategy 'broken' cannot be loaded: ImportError: no module\n"
    assert seqlab("strategies", "--json") == 0
    assert seqlab.err == told
    names = [row["strategy"] for row in json.loads(seqlab.out)]
    assert names == [name for name in bot_names() if name != "broken"]
    assert seqlab("strategies", "-q") == 0
    assert seqlab.err == ""
    measured: list[str] = []
    monkeypatch.setattr(
        "simcore.bench.measure", lambda name, *given: measured.append(name) or {"strategy": name}
    )
    assert seqlab("bench", "--json") == 0
    assert (measured, seqlab.err) == (names, told)
    assert seqlab("strategies", "broken") == 2


def test_rules(seqlab: Seqlab) -> None:
    assert seqlab("rules") == 0
    lines = seqlab.out.splitlines()
    for field in fields(Rules):
        assert sum(line.split()[:1] == [field.name] for line in lines) == 1
    for preset in PRESETS:
        assert preset in lines[-1]
    assert seqlab("rules", "--json", "--preset", "standard-12-three-teams") == 0
    assert json.loads(seqlab.out) == Rules(players=12, teams=3).settings()


def test_rules_from_everywhere(seqlab: Seqlab, tmp_path: Path) -> None:
    file = tmp_path / "house.toml"
    file.write_text("players = 3\nhand_size = 5\n")
    assert seqlab("rules", "--json", "--rules", file, "--set", "chips=[9, 9, 9]") == 0
    assert json.loads(seqlab.out) == Rules(players=3, hand_size=5, chips=(9, 9, 9)).settings()
    assert seqlab("rules", "--json", "--rules", file, "--players", "9", "--set", "hand_size=2") == 0
    assert json.loads(seqlab.out) == Rules(players=9, hand_size=2).settings()
    assert seqlab("rules", "--json", "--set", "board=wedge", "--set", "deal=single_deck") == 0
    assert json.loads(seqlab.out) == Rules(board="wedge", deal="single_deck").settings()


@pytest.mark.parametrize("layout", ["standard", "wedge", "random:4"])
def test_board(seqlab: Seqlab, layout: str) -> None:
    assert seqlab("board", layout) == 0
    rows = load_board(layout).rows()
    assert [line.split()[1:] for line in seqlab.out.splitlines()[1:]] == rows
    assert [line.split()[0] for line in seqlab.out.splitlines()[1:]] == list("ABCDEFGHIJ")
    assert seqlab("board", layout, "--json") == 0
    assert json.loads(seqlab.out) == rows


def test_bench(seqlab: Seqlab) -> None:
    given = ["bench", "-s", "random", "--players", "3", "--threads", "2", "--seconds", "0.05"]
    assert seqlab(*given, "--json") == 0
    (row,) = json.loads(seqlab.out)
    counts = {"strategy": "random", "players": 3, "teams": 3, "threads": 2}
    assert row == row | counts
    assert row.keys() - counts.keys() == {
        *("games", "seconds", "games_per_second", "turns_per_second")
    }
    assert row["turns_per_second"] > row["games_per_second"] > 0
    assert seqlab(*given) == 0
    assert "games/s" in seqlab.out


# Playing.


def test_simulate(seqlab: Seqlab, tmp_path: Path) -> None:
    out = tmp_path / "mine"
    words = ["simulate", "-s", "random", "-s", "greedy", *FEW, "--seed", "7", "--out", out]
    assert seqlab(*words, "--set", "hand_size=6") == 0
    assert seqlab.out == f"{out}\n"
    assert seqlab.err == ""
    run = load(out)
    again = simulate(["random", "greedy"], int(FEW[1]), 7, Rules(hand_size=6))
    assert run.games.equals(again.games)
    assert run.manifest["command"].startswith("seqlab simulate -s random -s greedy --games ")
    assert run.manifest["finished"] is True
    # Again: refused, resumed, replaced.
    assert seqlab(*words) == 2
    assert "exists and is not empty" in seqlab.err
    assert seqlab(*words, "--set", "hand_size=6", "--resume") == 0
    assert seqlab(*words, "--resume") == 2
    assert "another rules" in seqlab.err
    assert seqlab(*words, "--overwrite") == 0
    assert load(out).manifest["rules"]["hand_size"] == 7


def test_replay(seqlab: Seqlab, tmp_path: Path) -> None:
    """Of a run or of its seed, as JSON Lines, a line a turn or turn by turn."""
    out = tmp_path / "mine"
    assert (
        seqlab("simulate", "-s", "random", "-s", "greedy", *FEW, "--seed", "7", "--out", out) == 0
    )
    turns = load(out).games.turns.tolist()
    assert seqlab("replay", out, "--game", "1:3", "--json") == 0
    told = [json.loads(line) for line in seqlab.out.splitlines()]
    assert [line["game"] for line in told if line["do"] == "start"] == [1, 2]
    assert [line["turns"] for line in told if line["do"] == "end"] == turns[1:3]
    text = seqlab.out
    words = ["replay", "-s", "random", "-s", "greedy", "--seed", "7", "--game", "1:3"]
    assert seqlab(*words, "--json") == 0
    assert seqlab.out == text
    assert seqlab(*words[:-1], "1", "--moves") == 0
    assert len(seqlab.out.splitlines()) == 1 + turns[1] + 1 + 11
    assert seqlab(*words[:-1], "1") == 0
    assert seqlab.out.count(" 10\n") == 1 + turns[1]  # boards
    assert "\x1b" not in seqlab.out
    assert seqlab(*words[:-1], "1", "--turn", turns[1]) == 0
    assert seqlab.out.count(" 10\n") == 1
    assert f"after {turns[1]} turns" in seqlab.out


def test_replay_of_a_game_of_tune(seqlab: Seqlab) -> None:
    """Its deals are far behind those of runs; an error of it names a game there."""
    words = ["replay", "-s", "random", "-s", "greedy", "--json", "--game"]
    assert seqlab(*words, 2 * JUDGING + 1) == 0
    start = json.loads(seqlab.out.splitlines()[0])
    assert (start["deal"], start["strategies"]) == (JUDGING, ["greedy", "random"])
    assert seqlab(*words, 2 * MAX_DEALS) == 2
    assert f"allowed: N or A:B, from 0 to {2 * MAX_DEALS - 1}" in seqlab.err


def test_folders_by_default(seqlab: Seqlab, tmp_path: Path) -> None:
    for folder in ("simulate-3", "simulate-3-2"):
        assert seqlab("simulate", "-s", "random", *FEW, "--seed", "3", "-q") == 0
        assert seqlab.out == f"runs/{folder}\n"
        assert load(tmp_path / "runs" / folder).manifest["seed"] == 3


@pytest.mark.skipif(not JIT, reason="the reference of a report takes long without compilation")
def test_run_and_report(seqlab: Seqlab, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """The main job: four sentences and where the page is; the same from `report`."""
    assert seqlab("run", "--games", "300", "--threads", "2") == 0
    *sentences, strength, page = seqlab.out.splitlines()
    assert page == str(Path("runs") / "run-0" / "report" / "index.html")
    assert len(sentences) == 3
    for sentence, words in zip(sentences, ("Going first", "corner", "two-eyed jack"), strict=True):
        assert words in sentence
        assert "95 % interval" in sentence
        assert "games on 150 deals" in sentence
    assert re.fullmatch(
        r"planner scores [\d.]+ % \(95 % interval [^)]+\) against random, "
        r"[\d.]+ % \(95 % interval [^)]+\) against greedy, "
        r"[\d.]+ % \(95 % interval [^)]+\) against balanced\.",
        strength,
    )
    html = (tmp_path / page).read_text()
    assert html.startswith("<!")
    assert not re.search(r"(src|href)=[\"']https?://", html)
    folder = tmp_path / "runs" / "run-0"
    assert list((folder / "report").glob("*.png"))
    assert list((folder / "report").glob("*.csv"))
    assert load(folder).manifest["strategies"] == ["planner"]
    request.getfixturevalue("blank_pictures")
    assert seqlab("report", folder) == 0
    assert seqlab.out.splitlines()[:-1] == [*sentences, strength]
    assert seqlab("simulate", "-s", "random", "--games", "300", "--out", "other") == 0
    assert seqlab("report", folder, "other") == 0
    assert seqlab.out == f"{folder / 'compare-other' / 'index.html'}\n"
    assert (folder / "compare-other" / "index.html").is_file()


def test_quiet_prints_results_only(seqlab: Seqlab, tmp_path: Path) -> None:
    assert seqlab("simulate", "-s", "random", *FEW, "-q", "--out", "a") == 0
    assert (seqlab.out, seqlab.err) == ("a\n", "")
    assert seqlab("rules", "-q") == 0
    assert "presets" not in seqlab.out


# Bad input.

ONCE = ["simulate", "-s", "random", *FEW, "--out", "new"]
BAD: list[tuple[list[str], str]] = [  # the command, what the one line has to say
    (
        ["simulate", "-s", "clever"],
        "no strategy 'clever'; allowed: balanced, centre, corners, counter, ",
    ),
    (["run", "-s", "random:x=1"], "random: no parameter 'x'; allowed: no_two_eyed"),
    (["run", "-s", "random@none.toml"], "none.toml cannot be read as TOML"),
    (["strategies", "clever"], "no strategy 'clever'"),
    (["bench", "-s", "clever"], "no strategy 'clever'"),
    (["bench", "--threads", "0"], "threads 0"),
    (["bench", "--seconds", "-1"], "seconds -1"),
    ([*ONCE, "--set", "hands=3"], "no field 'hands'; allowed: players, teams, board"),
    ([*ONCE, "--set", "hand_size"], "allowed: field=value"),
    ([*ONCE, "--set", "hand_size=big"], "hand_size is 'big'; allowed: a whole number"),
    ([*ONCE, "--set", "reshuffle=no"], "reshuffle is 'no'; allowed: true or false"),
    ([*ONCE, "--players", "5"], "players is 5; allowed: 2, 3, 4, 6, 8, 9, 10 or 12"),
    ([*ONCE, "--players", "4", "--teams", "3"], "teams is 3; allowed: 2 with 4 players"),
    ([*ONCE, "--players", "two"], "--players"),
    ([*ONCE, "--games", "-5"], "games: -5; allowed: 1 to 1000000000000"),
    ([*ONCE, "--games", "0"], "games: 0"),
    ([*ONCE, "--games", "1000000000000000"], "games: 1000000000000000"),
    ([*ONCE, "--games", "1e6"], "--games"),
    ([*ONCE, "--seed", "-1"], "seed: -1; allowed: 0 to 9223372036854775807"),
    ([*ONCE, "--threads", "0"], "threads: 0; allowed: 1 to"),
    ([*ONCE, "--design", "fair"], "design: 'fair'; allowed: auto, swap, rotate, none"),
    ([*ONCE, "--design", "swap"], "swap needs two strategies that differ"),
    ([*ONCE, "-s", "greedy", "-s", "balanced"], "strategies: 3 given; allowed: 1, 2"),
    ([*ONCE, "--preset", "classic"], "preset: 'classic'; allowed: standard-2, standard-3"),
    ([*ONCE, "--rules", "none.toml"], "none.toml cannot be read as TOML"),
    ([*ONCE, "--rules", "type.toml"], "hand_size is 'seven'; allowed: a whole number"),
    ([*ONCE, "--rules", "broken.toml"], "broken.toml cannot be read as TOML"),
    ([*ONCE, "--rules", "type.toml", "--preset", "standard-2"], "both given"),
    ([*ONCE, "--set", "board=three.csv"], "three.csv: row 10, column 9: 2S a third time"),
    ([*ONCE, "--set", "board=none.csv"], "'none.csv' is no layout and no file"),
    (["board", "three.csv"], "row 10, column 9: 2S a third time; every card stands twice"),
    (["board", "random:x"], "allowed: random:SEED"),
    (["simulate", "-s", "random", *FEW, "--out", "file"], "file is no folder"),
    (["simulate", "-s", "random", *FEW, "--out", "file/under"], "file/under cannot be written"),
    (["simulate", "-s", "random", *FEW, "--out", "full"], "full exists and is not empty"),
    (["simulate", "-s", "random", *FEW, "--out", "full", "--resume"], "full holds no run"),
    (["simulate", "-s", "random", *FEW, "--out", "full", "--overwrite"], "full holds no run"),
    ([*ONCE, "--resume", "--overwrite"], "allowed: one of them"),
    ([*ONCE[:-1], "memory://x"], "memory://x is gone when the command ends; allowed: a folder, or"),
    ([*ONCE[:-1], "file://host/x"], "no path from the root, which file:///PATH has"),
    ([*ONCE[:-1], "://x"], "no path from the root"),
    ([*ONCE, "--shard", f"1/{10**30}"], f"shard: '1/{10**30}'; allowed: K/N"),
    (["simulate", "-s", "random", *FEW, "--resume"], "no folder given; allowed: with --out"),
    (["simulate", "-s", "random", *FEW, "--overwrite"], "no folder given; allowed: with --out"),
    (["rules", "--set", "board=nofile.csv"], "is no layout and no file"),
    (["replay", "full", "-s", "random"], "full holds no run"),
    (["replay", "none"], "none holds no run"),
    (["replay", "-s", "random", "--game", "-1"], "game: '-1'; allowed: N or A:B, from 0 to"),
    (["replay", "-s", "random", "--game", "5:5"], "game: '5:5'; allowed: N or A:B, from 0 to"),
    (["replay", "-s", "random", "--game", "1:two"], "game: '1:two'; allowed: N or A:B, from 0 to"),
    (["replay", "-s", "random", "--seed", "-1"], "seed: -1; allowed: 0 to 9223372036854775807"),
    (["replay", "-s", "random", "--seed", str(2**64)], "allowed: 0 to 9223372036854775807"),
    (["replay", "full", "--seed", "0"], "a folder and options"),
    (["replay", "full", "--design", "none"], "a folder and options"),
    (["replay", "\x1b[31mred\a"], "?[31mred? holds no run"),
    (["replay", "-s", "random", "--turn", "0"], "turn: 0; allowed: 1 to"),
    (["replay", "-s", "random", "--turn", "1", "--game", "0:2"], "allowed: with one game"),
    (["replay", "-s", "random", "--json", "--moves"], "allowed is one of"),
    (["replay", "-s", "clever"], "no strategy 'clever'"),
    (["tune"], "Missing argument 'name'"),
    (["tune", "clever"], "no strategy 'clever'"),
    (["tune", "random"], "random has no parameter to move; allowed: a bot that has some"),
    (["report", "none"], "none holds no run: there is no run.json in it"),
    (["report", "full"], "full holds no run"),
    (["report", "file"], "file"),
    (["report"], "folder"),
    (["dance"], "dance"),
    (["run", "--dance"], "--dance"),
    (["--dance"], "--dance"),
]


@pytest.fixture
def litter(tmp_path: Path) -> list[str]:
    """Fill the folder with what must not be touched; return what is in it."""
    rows = load_board("standard").rows()
    rows[9][8] = rows[0][1]
    text = "\n".join(",".join(row) for row in rows)
    (tmp_path / "three.csv").write_text(text)
    (tmp_path / "type.toml").write_text('hand_size = "seven"\n')
    (tmp_path / "broken.toml").write_text("hand_size = \n")
    (tmp_path / "file").write_text("x")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "letter.txt").write_text("dear")
    return everything(tmp_path)


def everything(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


@pytest.mark.parametrize(("words", "told"), BAD, ids=[" ".join(words) for words, _ in BAD])
def test_bad_input(
    seqlab: Seqlab, tmp_path: Path, litter: list[str], words: list[str], told: str
) -> None:
    assert seqlab(*words) == 2
    assert seqlab.out == ""
    assert seqlab.err.startswith("error: ")
    assert seqlab.err.count("\n") == 1
    assert told in seqlab.err
    assert "Traceback" not in seqlab.err
    assert everything(tmp_path) == litter
    assert (tmp_path / "full" / "letter.txt").read_text() == "dear"


@pytest.mark.skipif(os.name != "posix", reason="rights as on POSIX")
def test_a_folder_that_cannot_be_written(
    seqlab: Seqlab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    locked = tmp_path / "locked"
    locked.mkdir()
    locked.chmod(stat.S_IRUSR | stat.S_IXUSR)
    if os.access(locked, os.W_OK):  # root may write anywhere: act as the system would

        def refuse(*arguments: object, **options: object) -> None:
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr("simcore.place.tempfile.TemporaryFile", refuse)
    for out in (locked, locked / "run"):
        assert seqlab("simulate", "-s", "random", *FEW, "--out", out) == 2
        assert seqlab.err == f"error: out: {out} cannot be written: Permission denied\n"
        assert everything(locked) == []
    locked.chmod(stat.S_IRWXU)


def test_a_damaged_run(seqlab: Seqlab, tmp_path: Path) -> None:
    assert seqlab(*ONCE) == 0
    part = tmp_path / "new" / "games" / "part-00000.parquet"
    whole = part.read_bytes()
    part.write_bytes(whole[:-4])
    assert seqlab("report", "new") == 2
    assert "part-00000.parquet cannot be read" in seqlab.err
    part.unlink()
    assert seqlab("report", "new") == 2
    assert "part-00000.parquet is missing" in seqlab.err
    part.write_bytes(whole)
    file = tmp_path / "new" / "run.json"
    for text in ("{", "[]", '{"format": "other/1"}'):
        file.write_text(text)
        assert seqlab("report", "new") == 2
        assert seqlab.err.count("\n") == 1
    assert not (tmp_path / "new" / "report").exists()


def test_failures_on_the_way(seqlab: Seqlab, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk and a bot's fault are no bad input."""

    def full(*arguments: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("simcore.store.write_files", full)
        assert seqlab(*ONCE) == 1
    assert seqlab.err == (
        "error: No space left on device; finished parts are in new: "
        "the same command with --out new --resume plays the rest\n"
    )
    assert load("new").manifest["finished"] is False
    assert len(load("new").games) == 0
    assert seqlab(*ONCE, "--resume") == 0
    assert load("new").manifest["finished"] is True


def test_interrupt(seqlab: Seqlab, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*arguments: object, **options: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("simcore.simulation._play_part", interrupt)
        assert seqlab(*ONCE) == 130
    assert seqlab.out == ""
    assert seqlab.err == (
        "error: interrupted; finished parts are in new: "
        "the same command with --out new --resume plays the rest\n"
    )
    with monkeypatch.context() as patched:
        patched.setattr("simcore.bench.measure", interrupt)
        assert seqlab("bench") == 130
    assert seqlab.err == "error: interrupted\n"


# As processes.


def test_processes() -> None:
    done = process("rules", "--players", "6", NO_COLOR="1", FORCE_COLOR="", COLUMNS="70")
    assert done.returncode == 0
    assert done.stderr == ""
    assert "\x1b" not in done.stdout
    assert "sequences_protected" in done.stdout
    done = process("rules", "--players", "5")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == "error: rules: players is 5; allowed: 2, 3, 4, 6, 8, 9, 10 or 12\n"


def test_no_color_wins_over_force_color() -> None:
    for words in (["rules"], ["strategies"], ["--help"]):
        done = process(*words, NO_COLOR="1", FORCE_COLOR="1")
        assert not re.search(r"\x1b\[[0-9;]*3[0-9]m", done.stdout)


def test_help_imports_no_engine() -> None:
    """`--help` is there at once because nothing slow is imported for it."""
    code = "import sys, cli; sys.argv = ['seqlab', '--help']; r = cli._run(cli.command()); "
    code += "print([m for m in ('numba', 'pandas', 'matplotlib', 'pyarrow') if m in sys.modules])"
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            code.replace("cli.command()", "cli.typer.main.get_command(cli.app)"),
        ],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=True,
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_closed_pipe_is_no_crash() -> None:
    command = f"'{sys.executable}' -m cli rules | head -n 1"
    done = subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, cwd=ROOT, timeout=100
    )
    assert "Traceback" not in done.stderr
