"""Runs on disk: read again, and refused when damaged."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq
import pytest
from helpers import edit_manifest
from ledgers import PARTS, PLAN, write_run

from experiments.checked import check_folder
from simcore.frames import COLUMNS
from simcore.manifest import FORMAT, plan_of
from simcore.merge import merge
from simcore.place import StoreError
from simcore.run import Run, load
from simcore.store import default_folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A finished run of three parts of two deals."""
    return write_run(tmp_path / "run")


def edit(folder: Path, **changes: Any) -> None:
    edit_manifest(folder / "run.json", **changes)


def enter_checksum(folder: Path, name: str, number: int) -> None:
    """Make run.json agree with a file that was changed."""
    parts = json.loads((folder / "run.json").read_text())["parts"]
    data = (folder / name / f"part-{number:05d}.parquet").read_bytes()
    parts[number]["sha256"][name] = hashlib.sha256(data).hexdigest()
    edit(folder, parts=parts)


def test_a_run_read_from_disk_equals_the_one_in_memory(folder: Path) -> None:
    disk, memory = load(folder), Run(load(folder).manifest, PARTS)
    for one, other in zip(disk.parts(), memory.parts(), strict=True):
        for name in COLUMNS:
            pd.testing.assert_frame_equal(getattr(one, name), getattr(other, name))
    for name in COLUMNS:
        pd.testing.assert_frame_equal(getattr(disk, name), getattr(memory, name))


def test_parts_in_order_equal_the_whole(folder: Path) -> None:
    run = load(folder)
    assert run.games["game"].tolist() == list(range(12))
    for name in ("games", "seats", "sequences", "jacks"):
        parts = pd.concat([getattr(part, name) for part in run.parts()], ignore_index=True)
        pd.testing.assert_frame_equal(parts, getattr(run, name))
    sums = ["placed", "removed", "in_sequence", "in_winning_sequence", "games"]
    total = sum(part.spaces[sums] for part in run.parts())
    pd.testing.assert_frame_equal(run.spaces[sums], total)


def test_the_manifest_says_what_was_run(folder: Path) -> None:
    found = load(folder).manifest
    written = json.loads((folder / "run.json").read_text())
    assert found == {key: value for key, value in written.items() if key != "checksum"}
    assert (found["format"], found["games"], found["deals"]) == (FORMAT, 12, 6)
    assert found["rules"] == PLAN.rules.settings()
    assert found["seatings"] == [["greedy", "random"], ["random", "greedy"]]
    assert (found["finished"], found["seconds"]) == (True, 1.5)
    assert [part["first_deal"] for part in found["parts"]] == [0, 2, 4]
    assert found["parts"][1]["rows"] == {k: t.num_rows for k, t in PARTS[1].items()}
    plan = plan_of(found)
    assert (plan.rules, plan.board, plan.names) == (PLAN.rules, PLAN.board, PLAN.names)
    assert (plan.seatings == PLAN.seatings).all()


def test_checksums_are_those_of_the_files(folder: Path) -> None:
    for part in load(folder).manifest["parts"]:
        for name, digest in part["sha256"].items():
            data = (folder / name / f"part-{part['number']:05d}.parquet").read_bytes()
            assert hashlib.sha256(data).hexdigest() == digest


def test_a_run_without_a_part_has_empty_tables(tmp_path: Path) -> None:
    write_run(tmp_path, parts=0)
    run = load(tmp_path)
    assert list(run.parts()) == []
    for name, table in PARTS[0].items():
        frame = getattr(run, name)
        assert (frame.dtypes == table.to_pandas().dtypes).all()
        assert len(frame) == (200 if name == "spaces" else 0)


def test_only_parts_in_the_manifest_count(folder: Path) -> None:
    manifest = load(folder).manifest
    edit(folder, parts=manifest["parts"][:1], finished=False)
    assert load(folder).games["game"].tolist() == [0, 1, 2, 3]


def test_default_folder_adds_a_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for expected in ("simulate-7", "simulate-7-2", "simulate-7-3"):
        folder = default_folder("simulate", 7)
        assert folder == Path("runs") / expected
        folder.mkdir(parents=True)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": "sequence-lab-run/9"}, "format 'sequence-lab-run/9'; allowed"),
        ({"seed": "7"}, "seed is '7'; expected a number"),
        ({"games": -1}, "games is -1"),
        ({"finished": 1}, "finished is 1"),
        ({"seconds": float("nan")}, "seconds is nan"),
        ({"seconds": float("inf")}, "seconds is inf"),
        ({"rules": {"players": 5}}, "players is 5"),
        ({"rules": {"speed": 5}}, "no field 'speed'"),
        ({"board": [["2S"]]}, "1 rows, not 10"),
        ({"board": [[{}] * 10] * 10}, "damaged"),
        ({"strategies": []}, "strategies"),
        ({"strategies": ["greedy", 3]}, "strategies is 3"),
        ({"seatings": [["greedy", "nobody"]]}, "'nobody' is none of the strategies"),
        ({"seatings": [["greedy"]]}, "1 seats, not 2"),
        ({"seatings": [3]}, "damaged"),
        ({"parts": [3]}, "parts is 3"),
        ({"parts": [{"number": "../../x"}]}, "number is '../../x'"),
        ({"parts": None}, "parts is None"),
        ({"keep": "all"}, "keep is 'all'; expected one of tables, summary"),
        ({"shard": [1]}, "shard is .1."),
        ({"shard": [3, 2]}, "shard is .3, 2."),
        ({"shard": [1, 10**7]}, "shard is .1, 10000000."),
        ({"deals": 2**45}, "deals is 35184372088832, part_deals"),
        ({"part_deals": 0}, "part_deals 0; expected"),
        ({"design": "auto"}, "design is 'auto'; expected one of swap, rotate, none"),
        ({"shard": [1, "2"]}, "shard is .1, '2'."),
    ],
)
def test_load_refuses_a_manifest_that_is_wrong(
    folder: Path, changes: dict[str, Any], message: str
) -> None:
    edit(folder, **changes)
    with pytest.raises(StoreError, match=message) as caught:
        load(folder)
    assert "run.json" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_switches_that_are_not_told_are_those_of_the_standard_game(folder: Path) -> None:
    """A report reads them from the manifest; rules that grow leave older runs without the new."""
    rules = load(folder).manifest["rules"]
    edit(folder, rules={"players": 2, "teams": None})
    assert load(folder).manifest["rules"] == rules


def test_a_run_of_parts_without_end_is_checked_at_once(folder: Path) -> None:
    edit(folder, deals=2**44, part_deals=1, parts=[])
    assert "17592186044416 of 17592186044416 parts" in str(check_folder(str(folder))[1])
    with pytest.raises(StoreError, match="merge: 17592186044416 of 17592186044416 parts"):
        merge([folder], folder.parent / "out")


def test_load_refuses_parts_that_share_deals_or_numbers(folder: Path) -> None:
    parts = load(folder).manifest["parts"]
    edit(folder, parts=[*parts, {**parts[0], "number": 9}])
    with pytest.raises(StoreError, match="deals of another part"):
        load(folder)
    edit(folder, parts=[*parts, {**parts[0], "first_deal": 90}])
    with pytest.raises(StoreError, match="two have one number"):
        load(folder)


def test_load_refuses_folders_without_a_run(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(StoreError, match="holds no run"):
            load(path)
    (tmp_path / "run.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(StoreError, match=r"run\.json is damaged"):
        load(tmp_path)
    with pytest.raises(StoreError, match="holds no run"):
        load(tmp_path / "run.json")


def test_a_missing_file_is_named(folder: Path) -> None:
    (folder / "jacks" / "part-00001.parquet").unlink()
    with pytest.raises(StoreError, match=r"part-00001\.parquet is missing"):
        load(folder)


@pytest.mark.parametrize("keep", [0, 3, 100, -9, -1])
@pytest.mark.parametrize("known", [True, False])
def test_a_damaged_file_is_named(folder: Path, keep: int, known: bool) -> None:
    file = folder / "games" / "part-00002.parquet"
    file.write_bytes(file.read_bytes()[:keep])
    if known:
        enter_checksum(folder, "games", 2)
    run = load(folder)
    assert len(run.seats) == 24
    reason = "cannot be read: " if known else "cannot be read: it is not what was written"
    with pytest.raises(StoreError, match=rf"part-00002\.parquet {reason}") as caught:
        _ = run.games
    assert "\n" not in str(caught.value)


def test_tables_that_do_not_fit_the_manifest_are_named(folder: Path) -> None:
    file = folder / "games" / "part-00000.parquet"
    table = pq.ParquetFile(file).read()
    pq.write_table(table.slice(1), file)
    enter_checksum(folder, "games", 0)
    with pytest.raises(StoreError, match=r"part-00000\.parquet cannot be read: it has 3 rows"):
        _ = load(folder).games
    pq.write_table(table.drop_columns(["turns"]), file)
    enter_checksum(folder, "games", 0)
    with pytest.raises(StoreError, match=r"part-00000\.parquet cannot be read: columns are"):
        list(load(folder).parts())
