"""Experiments on disk: what is cut short or damaged is played again, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from arranged import (
    checksums,
    count_written,
    interrupt_after,
    manifest,
    report_files,
    without_page,
)
from helpers import Seqlab, edit_manifest

from experiments.checked import check_folder
from experiments.play import play
from experiments.record import Record, arm_name, read_experiment, read_tables
from simcore import Rules, simulate
from simcore.arms import Arm
from simcore.ledger import manifest_text
from simcore.measures import results, scores
from simcore.place import Folder, StoreError
from simcore.simulation import make_plan
from simcore.store import write_table

TOURNAMENT = (
    *("tournament", "-s", "random", "-s", "greedy", "-s", "balanced"),
    *("--games", "60", "--seed", "4", "-q"),
)
OTHERS: dict[str, tuple[str, ...]] = {
    "match": ("match", "greedy", "random", "--elo1", "30", "--max-games", "5000", "-q"),
    "worth": ("worth", "-s", "greedy", "--games", "60", "-q"),
    "study": ("study", "s.toml", "-q"),
}
STUDY = """
strategy = "greedy"
strong = "greedy"
weak = "random"
games = 60
[factors]
hand_size = [7, 5]
"""


def task_arms(games: int = 40) -> list[Arm]:
    """Return four arms, of two measures."""
    made = []
    for name in ("random", "greedy"):
        plan, design = make_plan([name], Rules(), 2)
        made += [
            Arm(f"{name} {m.__name__}", plan, design, 0, games // 2, m) for m in (results, scores)
        ]
    return made


def record(folder: Path, task: dict[str, Any] | None = None, **how: bool) -> Record:
    given = {"resume": False, "overwrite": False} | how
    return Record(folder, task or {"kind": "test", "seed": 2}, "a command", **given)


# By the command.


def test_an_interrupted_tournament_goes_on_to_the_same_tables_and_figures(
    seqlab: Seqlab, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert seqlab(*TOURNAMENT, "--out", "whole") == 0
    printed = seqlab.out.replace("whole", "cut")
    undo = interrupt_after(monkeypatch, 1)
    assert seqlab(*TOURNAMENT, "--out", "cut") == 130
    assert seqlab.err == (
        "error: interrupted; finished pairings are in cut: "
        "the same command with --out cut --resume plays the rest\n"
    )
    assert len(manifest(Path("cut"))["parts"]) == 1
    assert not manifest(Path("cut"))["finished"]
    undo()
    written = count_written(monkeypatch)
    assert seqlab(*TOURNAMENT, "--out", "cut", "--resume") == 0
    assert (len(written), seqlab.out) == (2, printed)
    assert checksums(Path("cut")) == checksums(Path("whole"))
    assert report_files(Path("cut")) == report_files(Path("whole"))
    assert manifest(Path("cut"))["finished"]
    # Of what is finished nothing is played again.
    written.clear()
    assert seqlab(*TOURNAMENT, "--out", "cut", "--resume", "--json") == 0
    assert written == []
    assert [row["rank"] for row in json.loads(seqlab.out)] == [1, 2, 3]


@pytest.mark.parametrize("command", OTHERS)
def test_others_go_on_too(seqlab: Seqlab, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    Path("s.toml").write_text(STUDY)
    words = OTHERS[command]
    assert seqlab(*words, "--out", "whole") == 0
    printed = seqlab.out.replace("whole", "cut")
    undo = interrupt_after(monkeypatch, 2)
    assert seqlab(*words, "--out", "cut") == 130
    assert seqlab.err.count("\n") == 1
    assert "--out cut --resume" in seqlab.err
    assert len(manifest(Path("cut"))["parts"]) == 2
    undo()
    assert seqlab(*words, "--out", "cut", "--resume", "--threads", "1") == 0
    assert seqlab.out == printed
    assert checksums(Path("cut")) == checksums(Path("whole"))
    assert report_files(Path("cut")) == report_files(Path("whole"))


def test_another_task_is_refused_with_what_differs(seqlab: Seqlab) -> None:
    assert seqlab(*TOURNAMENT, "--out", "a") == 0
    before = checksums(Path("a"))
    for other, key in (
        (("--seed", "5"), "seed"),
        (("--games", "80"), "games"),
        (("--format", "swiss"), "pairing"),
        (("-s", "corners"), "strategies"),
        (("--set", "hand_size=5"), "rules"),
        (("--set", "board=wedge"), "rules"),
    ):
        assert seqlab(*TOURNAMENT, *other, "--out", "a", "--resume") == 2, other
        assert seqlab.err.startswith(f"error: resume: a has another {key}: "), key
        assert "seqlab tournament -s random" in seqlab.err
        assert seqlab.err.count("\n") == 1
    assert seqlab("match", "greedy", "random", "--out", "a", "--resume") == 2
    assert seqlab.err.startswith("error: resume: a has another kind: ")
    assert checksums(Path("a")) == before


def test_only_a_folder_of_ours_is_replaced(seqlab: Seqlab) -> None:
    mine = Path("mine")
    mine.mkdir()
    (mine / "letter.txt").write_text("dear")
    assert seqlab(*TOURNAMENT, "--out", "mine") == 2
    assert "mine exists and is not empty" in seqlab.err
    for text in (None, "{}", '{"format": "another/1"}', "[", '{"format": "sequence-lab-run/1"}'):
        if text is not None:
            (mine / "run.json").write_text(text)
        assert seqlab(*TOURNAMENT, "--out", "mine", "--overwrite") == 2, text
        assert seqlab.err.count("\n") == 1
        assert (mine / "letter.txt").read_text() == "dear"
    simulate(["random"], 4, out="run")
    assert seqlab(*TOURNAMENT, "--out", "run", "--overwrite") == 2
    assert Path("run/games").is_dir()
    assert seqlab(*TOURNAMENT, "--out", "a") == 0
    (Path("a") / "old.txt").write_text("old")
    assert seqlab(*TOURNAMENT, "--out", "a") == 2
    assert seqlab(*TOURNAMENT, "--seed", "9", "--out", "a", "--overwrite") == 2
    assert "overwrite: a holds old.txt, which is not ours" in seqlab.err
    (Path("a") / "old.txt").unlink()
    assert seqlab(*TOURNAMENT, "--seed", "9", "--out", "a", "--overwrite") == 0
    assert not (Path("a") / "old.txt").exists()
    assert manifest(Path("a"))["seed"] == 9
    assert seqlab(*TOURNAMENT, "--resume") == 2
    assert seqlab.err == "error: resume, overwrite: no folder given; allowed: with --out FOLDER\n"


@pytest.mark.parametrize("changes", [None, {"versions": None}, {"seed": 7}, {"command": 7}])
def test_a_damaged_manifest_is_one_clear_line(
    seqlab: Seqlab, monkeypatch: pytest.MonkeyPatch, changes: dict[str, Any] | None
) -> None:
    words = ("match", "greedy", "random", "--elo1", "300", "--max-games", "40", "-q")
    without_page(monkeypatch, "match_report")
    assert seqlab(*words, "--out", "a") == 0
    file = Path("a/run.json")
    whole = json.loads(file.read_text())
    file.write_text("{" if changes is None else json.dumps(whole | changes))
    assert seqlab(*words, "--out", "a", "--resume") == 2
    assert seqlab.err.count("\n") == 1


# By arms.


def flip(file: Path) -> None:
    held = bytearray(file.read_bytes())
    held[len(held) // 2] ^= 1
    file.write_bytes(held)


DAMAGES: dict[str, Callable[[Path], object]] = {
    "missing": Path.unlink,
    "empty": lambda file: file.write_bytes(b""),
    "a bit": flip,
    "cut": lambda file: file.write_bytes(file.read_bytes()[:-9]),
    "another": lambda file: file.write_bytes((file.parent.parent / arm_name(0)).read_bytes()),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_arm_is_played_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: str
) -> None:
    arms = task_arms()
    first = play(record(tmp_path / "a"), arms)
    known = checksums(tmp_path / "a")
    hurt = manifest(tmp_path / "a")["parts"][2]
    DAMAGES[damage](tmp_path / "a" / arm_name(hurt["number"]))
    written = count_written(monkeypatch)
    again = play(record(tmp_path / "a", resume=True), arms)
    assert written == [hurt["arm"]]
    assert checksums(tmp_path / "a") == known
    for name, table in first.items():
        for column, values in table.items():
            assert values.dtype == again[name][column].dtype
            assert np.array_equal(values, again[name][column])


@pytest.mark.parametrize("shape", [[2**70], [2**40, 2**40], [0], [3]])
def test_columns_of_another_shape_are_refused(tmp_path: Path, shape: list[int]) -> None:
    play(record(tmp_path / "a"), task_arms()[:1])
    file, place = tmp_path / "a" / "run.json", Folder(tmp_path / "a")
    parts = manifest(tmp_path / "a")["parts"]
    parts[0]["columns"] = dict.fromkeys(parts[0]["columns"], shape)
    edit_manifest(file, parts=parts)
    with pytest.raises(StoreError, match="cannot be read"):
        read_tables(place, read_experiment(place)["parts"])


@pytest.mark.parametrize("value", ["1", {"a": 1}])
def test_columns_without_numbers_are_refused(tmp_path: Path, value: object) -> None:
    play(record(tmp_path / "a"), task_arms()[:1])
    parts, place = manifest(tmp_path / "a")["parts"], Folder(tmp_path / "a")
    name = arm_name(parts[0]["number"])
    table = pq.read_table(tmp_path / "a" / name)
    table = table.set_column(0, table.column_names[0], pa.array([value] * len(table)))
    parts[0]["sha256"] = write_table(place, name, table)
    edit_manifest(tmp_path / "a" / "run.json", parts=parts)
    with pytest.raises(StoreError, match=r"cannot be read: \w+ holds .*, not numbers"):
        read_tables(place, read_experiment(place)["parts"])


def test_a_manifest_that_does_not_say_whether_it_is_finished(tmp_path: Path) -> None:
    play(record(tmp_path / "a"), task_arms()[:1])
    edit_manifest(tmp_path / "a" / "run.json", finished=None)
    (finding,) = check_folder(str(tmp_path / "a"))[1]
    assert "finished is None" in finding.told


def test_tables_come_back_as_they_were_measured(tmp_path: Path) -> None:
    from simcore.arms import play_arms

    arms = task_arms()
    kept = play(record(tmp_path / "a"), arms)
    tables: dict[str, Any] = {}
    play_arms(arms, lambda arm, table: tables.update({arm.name: table}))
    assert kept.keys() == tables.keys()
    for name, table in tables.items():
        assert kept[name].keys() == table.keys()
        for column, values in table.items():
            assert kept[name][column].dtype == values.dtype
            assert np.array_equal(kept[name][column], values)


def test_an_interrupt_between_games_keeps_whole_arms(tmp_path: Path) -> None:
    """Games of an arm that is not done are played anew, and progress counts those that are."""
    arms, told = task_arms(), []

    def progress(games: int) -> None:
        told.append(games)
        if sum(told) > 100:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), record(tmp_path / "a") as begun:
        play(begun, arms, 1, progress)
    parts = manifest(tmp_path / "a")["parts"]
    assert [part["arm"] for part in parts] == [arm.name for arm in arms[:2]]
    assert list((tmp_path / "a" / "arms").glob("*.tmp")) == []
    told.clear()
    play(record(tmp_path / "a", resume=True), arms, 1, lambda games: told.append(games))
    assert told[0] == sum(arm.games for arm in arms[:2])
    assert sum(told) == sum(arm.games for arm in arms)


def test_a_long_arm_is_kept_share_by_share(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An interrupt in the middle of an arm costs a share of it, and the tables stay the same."""
    arms = task_arms()[:2]
    whole = play(record(tmp_path / "whole"), arms)
    monkeypatch.setattr("experiments.play.SHARE_GAMES", 2 * arms[0].games_of_deal)
    take_back = interrupt_after(monkeypatch, 3)
    with pytest.raises(KeyboardInterrupt), record(tmp_path / "cut") as begun:
        play(begun, arms, 1)
    take_back()
    assert len(manifest(tmp_path / "cut")["parts"]) == 3
    again = play(record(tmp_path / "cut", resume=True), arms)
    assert len(manifest(tmp_path / "cut")["parts"]) == sum(-(-arm.deals // 2) for arm in arms)
    for name, table in whole.items():
        for column, values in table.items():
            assert np.array_equal(again[name][column], values)


def test_other_code_and_other_tasks_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    play(record(tmp_path / "a"), task_arms())
    with pytest.raises(
        StoreError, match=r"another seed: 2, not 3; allowed: its own command, a comma"
    ):
        record(tmp_path / "a", {"kind": "test", "seed": 3}, resume=True)
    monkeypatch.setattr("experiments.record.source_hash", lambda: "other")
    with pytest.raises(StoreError, match="another source"):
        record(tmp_path / "a", resume=True)
    with pytest.raises(StoreError, match="resume and overwrite"):
        record(tmp_path / "a", resume=True, overwrite=True)


def sealed(manifest: dict[str, Any]) -> str:
    return manifest_text(manifest, "")


def test_a_manifest_changed_anywhere_is_refused_or_does_no_harm(tmp_path: Path) -> None:
    arms = task_arms(8)[:2]
    first = play(record(tmp_path / "a"), arms)
    file = tmp_path / "a" / "run.json"
    whole = json.loads(file.read_text())
    del whole["checksum"]
    broken: list[str] = ["", "{", "null", "[]", "5", '"x"', file.read_text()[:-40]]
    for key in whole:
        broken += [sealed({**whole, key: value}) for value in (None, [], 7, "x", {"a": 1})]
        broken.append(sealed({k: v for k, v in whole.items() if k != key}))
    for key in whole["parts"][0]:
        for value in (None, [], -1, 2.5, "x", {"a": 1}):
            part = {**whole["parts"][0], key: value}
            broken.append(sealed({**whole, "parts": [part, *whole["parts"][1:]]}))
    broken.append(sealed({**whole, "parts": [whole["parts"][0]] * 2}))
    refused = 0
    for text in broken:
        file.write_text(text)
        try:
            again = play(record(tmp_path / "a", resume=True), arms)
        except StoreError as error:
            refused += "\n" not in str(error)
            continue
        for name, table in first.items():
            for column, values in table.items():
                assert np.array_equal(values, again[name][column]), text
    assert refused > 60


def test_report_says_how_that_of_an_experiment_is_made(
    seqlab: Seqlab, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_page(monkeypatch, "power_report")
    words = ("power", "-s", "random", "--deals", 20, "--effect", 5, "-q", "--out", "a")
    assert seqlab(*words) == 0
    told = seqlab.out
    for asked in (("report", "a"), ("report", "a", "a")):
        assert seqlab(*asked) == 2
        assert seqlab.err == (
            "error: a holds a power, not a run; with --out a --resume its own command writes "
            f"the report again: seqlab {' '.join(map(str, words))}\n"
        )
    written = count_written(monkeypatch)
    assert seqlab(*words, "--resume") == 0
    assert (seqlab.out, written) == (told, [])
    # A folder that is neither is told as before.
    Path("b").mkdir()
    assert seqlab("report", "b") == 2
    assert seqlab.err == "error: b holds no run: there is no run.json in it\n"
