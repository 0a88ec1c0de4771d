"""`seqlab tune`: it finds what is known to be best, says what it is worth, and can be resumed."""

from __future__ import annotations

import json
import math
import subprocess
import sys
import tomllib
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from helpers import Seqlab, edit_manifest

import simcore.strategy
from analysis.duel import duel
from simcore import Rules
from simcore.moves import Hand
from simcore.place import StoreError
from simcore.rng import unit
from simcore.runner import RunError
from simcore.setting import Setting
from simcore.simulation import MAX_GAMES
from simcore.strategy import (
    Bot,
    Own,
    Parameter,
    bot_function,
    find_strategy,
    make_strategy,
)
from simcore.table import Table
from strategies import balanced
from strategies import random as random_bot
from strategies.lines import choose_by_lines
from tuning.record import Record
from tuning.scale import from_unit, to_unit
from tuning.search import Search
from tuning.task import JUDGING, TRAINING, Task, make_task
from tuning.tune import tune

choose_random = random_bot.BOT.choose


@bot_function
def choose_archer(setting: Setting, table: Table, seat: int, hand: Hand, own: Own) -> int:
    """Play as `balanced` does the more often, the nearer aim is to 30 and wind to 0.5."""
    miss = abs(math.log10(own.params[0] / 30.0)) + abs(own.params[1] - 0.5)
    if unit(own.stream) < miss:
        return choose_random(setting, table, seat, hand, own)
    return choose_by_lines(setting, table, seat, hand, own)


ARCHER = Bot(
    "archer",
    "Hits the better, the better it aims.",
    choose_archer,
    start=balanced.BOT.start,
    parameters=(
        Parameter("aim", 150.0, 1.0, 1000.0, "best at 30", "log"),
        Parameter("wind", 0.2, -1.0, 1.0, "best at 0.5"),
        Parameter("bow", 1.0, 1.0, 1.0, "cannot be moved"),
    ),
)
BALANCED, RANDOM = find_strategy("balanced"), find_strategy("random")
START = make_strategy(ARCHER, {})
SMALL: dict[str, Any] = {"budget": 3000, "deals": 60, "judge_deals": 200}


@pytest.fixture
def archer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have `archer` found by name, beside the bots that are installed."""
    installed = simcore.strategy.entry_points
    point = SimpleNamespace(name="archer", value="mine:archer", load=lambda: ARCHER)

    def entry_points(group: str, name: str | None = None) -> list[Any]:
        given = {} if name is None else {"name": name}
        mine = [point] if name in (None, "archer") else []
        return [*installed(group=group, **given), *mine]

    monkeypatch.setattr("simcore.strategy.entry_points", entry_points)


@pytest.fixture
def seqlab(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Seqlab:
    """The command, in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    return Seqlab(monkeypatch, capsys)


def small(**changes: Any) -> Task:
    return make_task(START, [BALANCED], Rules(), **(SMALL | changes))


def without_times(found: dict[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in found.items() if k not in ("started", "ended", "seconds", "command")}


# Scales.


def test_scales() -> None:
    aim, wind, _ = ARCHER.parameters
    assert to_unit([aim, wind], [1, -1]) == pytest.approx([0, 0])
    assert to_unit([aim, wind], [1000, 1]) == pytest.approx([1, 1])
    assert to_unit([aim, wind], [10, 0]) == pytest.approx([1 / 3, 0.5])
    for values in ([1.0, -1.0], [1000.0, 1.0], [31.6228, 0.25], [2.0, 0.0]):
        assert from_unit([aim, wind], to_unit([aim, wind], values), 6) == pytest.approx(values)
    assert from_unit([aim, wind], np.array([0.51234567, 0.51234567]), 4) == [34.44, 0.02469]
    third = Parameter("third", 0.4, 1 / 3, 2 / 3, "rounded, it would be out of range")
    assert from_unit([third], np.array([0.0]), 4) == [1 / 3]
    assert from_unit([third], np.array([1.0]), 4) == [2 / 3]


@pytest.mark.parametrize(("low", "scale"), [(0.0, "log"), (-1.0, "log"), (1.0, "square")])
def test_scales_that_are_not_allowed(low: float, scale: str) -> None:
    with pytest.raises(ValueError, match="allowed: linear, or log from above 0"):
        Parameter("x", 1.0, low, 2.0, "", scale)


# The search alone.


@pytest.mark.parametrize("best", [[0.3], [0.2, 0.9, 0.5]])
def test_search_finds_the_best(best: list[float]) -> None:
    """With noise of the size of what is at stake, and from one dimension on."""
    noise = np.random.default_rng(1)
    search = Search(np.full(len(best), 0.7), seed=4)
    for _ in range(60):
        candidates = search.ask()
        assert candidates.shape == (search.population, len(best))
        assert ((candidates >= 0) & (candidates <= 1)).all()
        distance = ((candidates - best) ** 2).sum(axis=1)
        search.tell((-distance + noise.normal(0, 0.01, len(distance))).tolist())
    assert search.mean() == pytest.approx(best, abs=0.1)
    assert 0 < search.sigma < 1


def test_search_is_a_function_of_its_seed() -> None:
    numpy_stream = np.random.get_state()[1]
    asked = [Search(np.array([0.0, 1.0]), seed).ask() for seed in (2**63 - 1, 2**63 - 1, 5)]
    assert np.array_equal(asked[0], asked[1])
    assert not np.array_equal(asked[0], asked[2])
    assert np.array_equal(np.random.get_state()[1], numpy_stream)


def test_pyplot_is_not_imported() -> None:
    """Nor is cma, or anything it brings along, for the report, which imports all of analysis."""
    code = (
        "import sys; from tuning.search import load_cma; assert 'cma' not in sys.modules; "
        "load_cma(); assert 'matplotlib.pyplot' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")


def test_without_cma(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "cma", None)
    with pytest.raises(
        RunError, match=r"cma is not installed; .* pip install 'sequence-lab\[tune\]'"
    ):
        small()


# The whole.


@pytest.fixture(scope="module")
def tuned(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Task, dict[str, Any]]:
    """Return a folder, a task and what was found."""
    task = make_task(START, [BALANCED, RANDOM], Rules(), budget=40_000, deals=200, judge_deals=1000)
    folder = tmp_path_factory.mktemp("tune") / "archer"
    return folder, task, tune(task, folder, threads=2, command="seqlab tune archer\nand more")


def test_finds_what_is_best(tuned: tuple[Path, Task, dict[str, Any]]) -> None:
    """The interval on deals kept apart excludes the start."""
    _, task, found = tuned
    values = found["result"]["parameters"]
    assert values["aim"] == pytest.approx(30, rel=0.5)
    assert values["wind"] == pytest.approx(0.5, abs=0.2)
    assert values["bow"] == 1.0
    last = found["result"]["judged"][-1]
    assert (last["who"], last["against"]) == ("result", "archer")
    assert last["score_low"] > 0.6
    assert last["gain"] == pytest.approx(last["score"] - 0.5)
    assert [row["who"] for row in found["result"]["judged"]] == [
        *("start", "result", "start", "result", "result")
    ]
    for row in found["result"]["judged"]:
        assert row["score_low"] < row["score"] < row["score_high"]
        assert (row["deals"], row["games"]) == (1000, 2000)
    assert len(found["generations"]) == task.generations
    first, end = found["generations"][0], found["generations"][-1]
    assert end["mean"] > first["mean"] + 0.05
    assert all(one["games"] == task.generation_games for one in found["generations"])
    assert all(len(one["scores"]) == task.population for one in found["generations"])


def test_judges_on_deals_kept_apart(tuned: tuple[Path, Task, dict[str, Any]]) -> None:
    _, task, found = tuned
    result = make_strategy(ARCHER, found["result"]["parameters"])
    alone = duel(result, BALANCED, Rules(), 1000, JUDGING)
    row = found["result"]["judged"][1]
    assert (row["against"], row["score"]) == ("balanced", alone.score.value)
    trained = task.generations * task.deals * len(task.against)
    assert MAX_GAMES < TRAINING < TRAINING + trained < JUDGING


def test_parameters_can_be_played(
    archer: None, tuned: tuple[Path, Task, dict[str, Any]], seqlab: Seqlab
) -> None:
    folder, _, found = tuned
    file = folder / "params.toml"
    assert tomllib.loads(file.read_text()) == found["result"]["parameters"]
    assert find_strategy(f"archer@{file}").name == found["result"]["name"]
    text = file.read_text()
    assert "# Parameters of archer, found by: seqlab tune archer and more\n" in text
    assert "# result against balanced: " in text
    assert "# The result beats the start values: it scores " in text
    assert seqlab("simulate", "-s", f"archer@{file}", "--games", "4", "-q") == 0


def test_threads_change_nothing(tmp_path: Path) -> None:
    one, two = (
        tune(small(), tmp_path / str(threads), threads=threads, command=f"on {threads}")
        for threads in (1, 2)
    )
    assert without_times(one) == without_times(two)
    other = tune(small(seed=1), tmp_path / "other")
    assert other["generations"] != one["generations"]


def test_three_teams_and_some_parameters(tmp_path: Path) -> None:
    task = make_task(START, [RANDOM], Rules(players=3), only=["wind"], **SMALL | {"budget": 9000})
    told: list[int] = []
    found = tune(task, tmp_path / "t", progress=told.append)
    assert found["moved"] == ["wind"]
    assert found["result"]["parameters"].keys() == {"aim", "wind", "bow"}
    assert found["result"]["parameters"]["aim"] == 150.0
    assert task.games == 6
    assert sum(told) == task.all_games


def test_bars_of_the_start_stay(archer: None, tmp_path: Path) -> None:
    """Candidates and result are barred as the start is, in the file too."""
    task = make_task(find_strategy("archer:no_two_eyed=1"), [RANDOM], Rules(), **SMALL)
    assert task.strategy([30, 0.5]).name == "archer:aim=30,wind=0.5,no_two_eyed=1"
    found = tune(task, tmp_path / "t")
    assert found["strategy"]["parameters"]["no_two_eyed"] == 1
    result = find_strategy(f"archer@{tmp_path / 't' / 'params.toml'}")
    assert result.name == found["result"]["name"]
    assert result.bars == task.start.bars
    with pytest.raises(StoreError, match="another strategy"):
        tune(small(), tmp_path / "t", resume=True)


def test_a_result_that_is_the_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tuning.tune.RESULT_DIGITS", 4)
    monkeypatch.setattr("tuning.search.Search.mean", lambda self: to_unit(task.moved, [150, 0.2]))
    task = small()
    found = tune(task, tmp_path / "t")
    last = found["result"]["judged"][-1]
    assert (last["score"], last["score_low"], last["drawn"]) == (0.5, None, None)
    assert "The result plays as the start values do." in (tmp_path / "t/params.toml").read_text()


# Interrupted, resumed.


def interrupt_after(monkeypatch: pytest.MonkeyPatch, calls: int) -> None:
    """Press Ctrl-C when games are played for the time after so many."""
    import tuning.tune

    play = tuning.tune.duels
    made = iter(range(1000))

    def duels(*arguments: Any) -> Any:
        if next(made) == calls:
            raise KeyboardInterrupt
        return play(*arguments)

    monkeypatch.setattr("tuning.tune.duels", duels)


@pytest.mark.parametrize("calls", [0, 2, 4])
def test_resumed_it_finds_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, calls: int
) -> None:
    task = small()
    assert task.generations == 4  # then the judge plays
    whole = tune(task, tmp_path / "whole")
    with monkeypatch.context() as patched:
        interrupt_after(patched, calls)
        with pytest.raises(KeyboardInterrupt):
            tune(task, tmp_path / "cut")
    told: list[int] = []
    resumed = tune(task, tmp_path / "cut", resume=True, progress=told.append)
    assert sum(told) == task.all_games
    assert without_times(resumed) == without_times(whole)
    texts = [(tmp_path / name / "params.toml").read_text() for name in ("whole", "cut")]
    assert texts[0] == texts[1]
    assert tune(task, tmp_path / "cut", resume=True) == resumed  # with nothing left to do
    (tmp_path / "cut" / "params.toml").unlink()
    tune(task, tmp_path / "cut", resume=True)
    assert (tmp_path / "cut" / "params.toml").read_text() == texts[0]


def test_resumed_with_more_games(tmp_path: Path) -> None:
    more = small(budget=5000, judge_deals=300)
    whole = tune(more, tmp_path / "whole")
    tune(small(), tmp_path / "cut")
    assert without_times(tune(more, tmp_path / "cut", resume=True)) == without_times(whole)
    with pytest.raises(StoreError, match="has 6 generations already; allowed: a larger budget"):
        tune(small(), tmp_path / "cut", resume=True)


def test_resumed_as_something_else(tmp_path: Path) -> None:
    tune(small(), tmp_path / "t", command="seqlab tune archer")
    for change, key in (
        ({"seed": 2}, "seed"),
        ({"deals": 61}, "deals"),
        ({"only": ["aim"]}, "moved"),
    ):
        with pytest.raises(
            StoreError, match=f"another {key}: .*; allowed: its own command, seqlab tune"
        ):
            tune(small(**change), tmp_path / "t", resume=True)
    file = tmp_path / "t" / "tune.json"
    found = json.loads(file.read_text())
    for damage, told in (
        ({"generations": [{"scores": [0.5], "parameters": {}}]}, "is damaged: generations"),
        ({"generations": [{}]}, "is damaged"),
        ({"generations": 7}, "is damaged"),
        ({"seconds": None}, "is damaged: seconds"),
        ({"command": 7}, "is damaged: seconds is no number, or command no text"),
        ({"result": None}, "is damaged"),
        ({"result": {"judged": [{"score": "high"}]}}, "is damaged"),
        ({"result": {"judged": []}}, "is damaged"),
        ({"format": "sequence-lab-run/1"}, "allowed: 'sequence-lab-tune/2'"),
    ):
        edit_manifest(file, **found | damage)
        with pytest.raises(StoreError, match=told):
            tune(small(), tmp_path / "t", resume=True)
    found["generations"][1]["scores"].reverse()
    edit_manifest(file, **found)
    with pytest.raises(StoreError, match="made by another version of cma or numpy"):
        tune(small(), tmp_path / "t", resume=True)


def test_resumed_with_another_file(tmp_path: Path) -> None:
    """A bot's file, that of an opponent too, is what it was when the tune was begun."""
    tune(small(), tmp_path / "t")
    task = small()
    start, opponent = (
        replace(each, bot=replace(each.bot, source="aaaa")) for each in (task.start, BALANCED)
    )
    for changed in (replace(task, start=start), replace(task, against=(opponent,))):
        with pytest.raises(StoreError, match=r"another file of a bot: \w+: nothing, not \"aaaa\""):
            Record(tmp_path / "t", changed, "seqlab tune", resume=True, overwrite=False)
    file = tmp_path / "t" / "tune.json"
    found = json.loads(file.read_text())
    assert found["files"] == {}
    for files in ([], {"archer": 1}):
        edit_manifest(file, files=files)
        with pytest.raises(StoreError, match="is damaged: files"):
            Record(tmp_path / "t", task, "seqlab tune", resume=True, overwrite=False)


# The command.

TUNE = ["tune", "archer", "--budget", "1500", "--deals", "50", "--judge-deals", "40"]


@pytest.mark.usefixtures("archer")
def test_command(seqlab: Seqlab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert seqlab(*TUNE, "--against", "random", "--against", "greedy") == 0
    assert seqlab.err == ""
    lines = seqlab.out.splitlines()
    assert lines[-1] == str(Path("runs") / "tune-0" / "params.toml")
    assert lines[-2].startswith("The result ")
    for word in ("random", "greedy", "archer", "start", "result", "gain"):
        assert f" {word} " in seqlab.out
    assert sorted(path.name for path in tmp_path.rglob("*.*")) == [
        *(".lock", "params.toml", "tune.json"),
    ]
    with monkeypatch.context() as patched:
        interrupt_after(patched, 1)
        assert seqlab(*TUNE, "--out", "mine", "--set", "hand_size=6") == 130
    assert seqlab.out == ""
    assert seqlab.err == (
        "error: interrupted; finished generations are in mine: "
        "the same command with --out mine --resume plays the rest\n"
    )
    assert seqlab(*TUNE, "--out", "mine", "--set", "hand_size=6", "--resume", "--json") == 0
    found = json.loads(seqlab.out)
    assert found["file"] == str(Path("mine") / "params.toml")
    assert found["parameters"].keys() == {"aim", "wind", "bow"}
    assert [row["against"] for row in found["judged"]] == ["balanced", "balanced", "archer"]
    assert seqlab(*TUNE, "--out", "mine") == 2
    assert "exists and is not empty" in seqlab.err
    assert seqlab(*TUNE, "--out", "mine", "--overwrite", "-q") == 0
    assert json.loads((tmp_path / "mine" / "tune.json").read_text())["rules"]["hand_size"] == 7
    # From what was found on.
    again = ["tune", "archer@mine/params.toml", *TUNE[2:], "--out", "again", "-q"]
    assert seqlab(*again) == 0
    start = json.loads((tmp_path / "again" / "tune.json").read_text())["strategy"]["parameters"]
    assert start == tomllib.loads((tmp_path / "mine" / "params.toml").read_text())


@pytest.mark.usefixtures("archer")
@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--only", "bow"], "only: 'bow'; allowed: aim, wind"),
        (["--only", "aim,"], "only: ''; allowed: aim, wind"),
        (["--budget", "100"], "budget: 100; allowed: at least 600, one generation"),
        (["--budget", "0"], "budget: 0; allowed: 1 to 1000000000000"),
        (["--deals", "0"], "deals: 0; allowed: 1 to"),
        (["--judge-deals", "1"], "judge-deals: 1; allowed: 2 to"),
        (["--seed", "-1"], "seed: -1; allowed: 0 to 9223372036854775807"),
        (["--threads", "0"], "threads: 0; allowed: 1 to"),
        (["--against", "clever"], "no strategy 'clever'"),
        (["--against", "archer:aim=0"], "archer: aim is 0; allowed: 1 to 1000"),
        (["--players", "5"], "players is 5"),
        (["--resume"], "no folder given; allowed: with --out"),
        (["--out", "full"], "full exists and is not empty"),
        (["--out", "full", "--resume"], "full holds no tune: there is no tune.json in it"),
        (["--out", "full", "--overwrite"], "full holds no tune"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_bad_input(seqlab: Seqlab, tmp_path: Path, words: list[str], told: str) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "letter.txt").write_text("dear")
    assert seqlab(*TUNE, *words) == 2
    assert seqlab.out == ""
    assert seqlab.err.count("\n") == 1
    assert told in seqlab.err
    assert [path.name for path in tmp_path.rglob("*")] == ["full", "letter.txt"]
