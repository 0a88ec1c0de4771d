"""Shares of a run, played apart and put together."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pandas as pd
import pytest
from helpers import JIT, Seqlab, edit_manifest

from experiments.checked import check_folder
from simcore import Rules, load, simulate
from simcore.frames import COLUMNS
from simcore.merge import merge
from simcore.place import StoreError
from simcore.runner import RunError

GAMES, PART = (240, 20) if JIT else (12, 2)
SHARES = 3


def play(out: Path, shard: tuple[int, int] | None = None, seed: int = 5) -> None:
    bots = ["greedy", "random"]
    simulate(bots, GAMES, seed, Rules(), out=out, part_games=PART, shard=shard, command="seqlab x")


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the whole run and its shares."""
    folder = tmp_path_factory.mktemp("played")
    play(folder / "whole")
    for number in range(1, SHARES + 1):
        play(folder / f"share-{number}", (number, SHARES))
    return folder


@pytest.fixture
def folder(played: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return Path(shutil.copytree(played, tmp_path / "runs"))


def shares(folder: Path) -> list[Path]:
    return [folder / f"share-{number}" for number in range(1, SHARES + 1)]


def test_shares_are_the_run(folder: Path) -> None:
    whole = load(folder / "whole")
    numbers = [{p["number"] for p in load(share).manifest["parts"]} for share in shares(folder)]
    assert sorted(number for share in numbers for number in share) == list(range(GAMES // PART))
    merge(shares(folder)[::-1], folder / "merged")
    merged = load(folder / "merged")
    for name in COLUMNS:
        pd.testing.assert_frame_equal(getattr(merged, name), getattr(whole, name))
    assert merged.manifest["parts"] == whole.manifest["parts"]
    assert (merged.manifest["finished"], merged.manifest["shard"]) == (True, None)


def test_a_merge_goes_on_where_it_was_cut_short(folder: Path) -> None:
    merge(shares(folder), folder / "merged")
    parts = load(folder / "merged").manifest["parts"]
    edit_manifest(folder / "merged" / "run.json", parts=parts[::2], finished=False)
    merge(shares(folder), folder / "merged", resume=True)
    assert load(folder / "merged").manifest["parts"] == parts


def test_missing_and_doubled_shares_are_named(folder: Path) -> None:
    one, two, three = shares(folder)
    with pytest.raises(
        StoreError,
        match=r"merge: 4 of 12 parts are in none of the folders, the first being part 1, "
        r"deals \d+ to \d+ \(no folder of shard 2/3\); allowed: all shares, each finished"
        if JIT
        else "are in none of the folders",
    ):
        merge([one, three], folder / "merged")
    with pytest.raises(StoreError, match=r"merge: part 0 is in .*share-1 and in .*share-1"):
        merge([one, two, three, one], folder / "merged")
    parts = load(two).manifest["parts"]
    edit_manifest(two / "run.json", parts=parts[:-1], finished=False)
    with pytest.raises(StoreError, match=r"merge: 1 of .* parts are in none of the folders, "):
        merge([one, two, three], folder / "merged")
    with pytest.raises(StoreError, match="merge: no folder"):
        merge([], folder / "merged")
    assert not (folder / "merged").exists()


def test_shares_of_another_run_are_refused_with_the_difference(folder: Path) -> None:
    one, two, three = shares(folder)
    play(folder / "other", (2, SHARES), seed=6)
    with pytest.raises(StoreError, match=r"merge: .*other has another seed: 6, not 5"):
        merge([one, folder / "other", three], folder / "merged")
    parts = load(two).manifest["parts"]
    parts[0] = {**parts[0], "deals": parts[0]["deals"] - 1} if JIT else {**parts[0], "number": 99}
    edit_manifest(two / "run.json", parts=parts)
    with pytest.raises(StoreError, match=r"merge: part \d+ of .*share-2 is none of this run"):
        merge([one, two, three], folder / "merged")


def test_a_damaged_share_is_named(folder: Path) -> None:
    file = shares(folder)[1] / "seats" / "part-00001.parquet"
    file.write_bytes(file.read_bytes()[:-1])
    with pytest.raises(StoreError, match=r"merge: .*part-00001.parquet is missing or damaged"):
        merge(shares(folder), folder / "merged")


def test_a_merge_costs_nothing_that_is_there(folder: Path) -> None:
    """Shares are looked at before what lies in the way is removed, and are not what lies there."""
    merge(shares(folder), folder / "merged")
    parts = load(folder / "merged").manifest["parts"]
    for out in (shares(folder)[0], folder, shares(folder)[0] / "inner"):
        with pytest.raises(StoreError, match=r"merge: out .* is in or around .*share-1; allowed"):
            merge(shares(folder), out, overwrite=True)
    file = shares(folder)[1] / "seats" / "part-00001.parquet"
    file.write_bytes(file.read_bytes()[:-1])
    with pytest.raises(StoreError, match="is missing or damaged"):
        merge(shares(folder), folder / "merged", overwrite=True)
    with pytest.raises(StoreError, match="is missing or damaged"):
        merge(shares(folder), folder / "new")
    assert not (folder / "new").exists()
    for out in (folder / "merged", shares(folder)[0]):
        assert check_folder(str(out))[1] == []
    assert load(folder / "merged").manifest["parts"] == parts


@pytest.mark.parametrize("shard", [(0, 3), (4, 3), (1, 0), (-1, 2), (1, 10**7)])
def test_shares_that_there_are_not(shard: tuple[int, int], tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"shard: .*; allowed: 1/N to N/N"):
        play(tmp_path / "run", shard)


def test_the_commands(seqlab: Seqlab, tmp_path: Path) -> None:
    words = ("simulate", "-s", "random", "--games", GAMES, "-q")
    for number in ("1/2", "2/2"):
        assert seqlab(*words, "--shard", number, "--out", number[0]) == 0
    assert seqlab("merge", "1", "2", "--out", "both") == 0
    assert seqlab.out == "both\n"
    assert seqlab("check", "both") == 0
    assert json.loads((tmp_path / "both" / "run.json").read_text())["shard"] is None
    for text in ("3", "1/2/3", "a/b", "1/", "-1/2", "1.5/2", "٣/٤"):
        assert seqlab(*words, "--shard", text, "--out", "x") == 2
        assert seqlab.err.startswith("error: shard: ")
    assert seqlab("merge", "1", "nowhere", "--out", "x") == 2
    assert "nowhere holds no run" in seqlab.err


def test_a_command_that_is_none_is_kept(folder: Path, tmp_path: Path) -> None:
    for share in shares(folder):
        edit_manifest(share / "run.json", command="seqlab 'simulate")
    merge(shares(folder), tmp_path / "odd")
    assert load(tmp_path / "odd").manifest["command"] == "seqlab 'simulate"


def test_the_command_of_a_merged_run_is_that_of_the_whole(folder: Path) -> None:
    for number, share in enumerate(shares(folder), 1):
        told = f"seqlab simulate --shard {number}/3 -s 'a b' --out=x --seed 4 --out y --resume"
        edit_manifest(share / "run.json", command=told)
    merge(shares(folder), folder / "merged")
    assert load(folder / "merged").manifest["command"] == "seqlab simulate -s 'a b' --seed 4"
