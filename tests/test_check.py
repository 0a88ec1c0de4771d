"""`seqlab check`: whatever was changed in a folder is found."""

from __future__ import annotations

import json
import os
import random
import shutil
from pathlib import Path

import pytest
from helpers import JIT, Seqlab, edit_manifest

from analysis.page import whole_folder
from experiments.checked import check_folder
from simcore import load, simulate
from simcore.place import StoreError

FLIPS = 200
GAMES = 40 if JIT else 4


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run with a report."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    simulate(["greedy"], GAMES, 3, out=folder, part_games=max(GAMES // 2, 2))
    with whole_folder(folder / "report") as report:
        (report / "index.html").write_text("<p>figures</p>\n")
        (report / "tables").mkdir()
        (report / "tables" / "a.csv").write_text("value\n1\n")
    return folder


@pytest.fixture
def folder(whole: Path, tmp_path: Path) -> Path:
    """A copy of it to damage."""
    return Path(shutil.copytree(whole, tmp_path / "run"))


def kinds(folder: Path) -> list[tuple[str, str]]:
    return [(finding.kind, finding.name) for finding in check_folder(str(folder))[1]]


def is_found(folder: Path) -> bool:
    """Return whether a damage is found; in the name of the format it is no run of ours."""
    try:
        return bool(kinds(folder))
    except StoreError as error:
        return "run.json has format" in str(error)


def test_a_whole_run_has_no_findings(folder: Path) -> None:
    files, found = check_folder(str(folder))
    assert found == []
    assert files == sum(path.is_file() and path.name != ".lock" for path in folder.rglob("*"))


def test_every_flipped_bit_is_found(folder: Path) -> None:
    files = sorted(p for p in folder.rglob("*") if p.is_file() and p.name != ".lock")
    assert {"run.json", "SHA256SUMS", "index.html"} < {file.name for file in files}
    draw = random.Random(6)
    for number in range(FLIPS):
        file = files[number % len(files)] if number < len(files) else draw.choice(files)
        data = file.read_bytes()
        at = draw.randrange(8 * len(data))
        changed = bytearray(data)
        changed[at // 8] ^= 1 << at % 8
        file.write_bytes(changed)
        assert is_found(folder), (file, at)
        file.write_bytes(data)
    assert kinds(folder) == []


def test_what_is_missing_damaged_surplus_or_foreign_is_told(folder: Path) -> None:
    (folder / "jacks" / "part-00001.parquet").unlink()
    file = folder / "games" / "part-00000.parquet"
    file.write_bytes(file.read_bytes()[:-1])
    shutil.copy(file, folder / "games" / "part-00007.parquet")
    (folder / "seats" / "part-00000.parquet.tmp").write_bytes(b"half")
    (folder / "notes.txt").write_text("mine")
    (folder / "report" / "index.html").write_text("<p>other figures</p>")
    (folder / "report" / "tables" / "a.csv").unlink()
    (folder / "report" / "more.html").write_text("<p>more</p>")
    assert sorted(kinds(folder)) == [
        ("damaged", "games/part-00000.parquet"),
        ("damaged", "report/index.html"),
        ("foreign", "notes.txt"),
        ("foreign", "report/more.html"),
        ("foreign", "report/tables"),
        ("missing", "jacks/part-00001.parquet"),
        ("missing", "report/tables/a.csv"),
        ("surplus", "games/part-00007.parquet"),
        ("surplus", "seats/part-00000.parquet.tmp"),
    ]


def test_resume_mends_what_check_finds(folder: Path) -> None:
    (folder / "jacks" / "part-00001.parquet").unlink()
    file = folder / "games" / "part-00000.parquet"
    file.write_bytes(file.read_bytes()[:-1])
    (folder / "seats" / "part-00000.parquet.tmp").write_bytes(b"half")
    simulate(["greedy"], GAMES, 3, out=folder, part_games=max(GAMES // 2, 2), resume=True)
    assert kinds(folder) == []


def test_a_run_with_parts_to_play_is_unfinished(folder: Path) -> None:
    parts = json.loads((folder / "run.json").read_text())["parts"]
    edit_manifest(folder / "run.json", parts=parts[1:])
    found = kinds(folder)
    assert ("unfinished", "run.json") in found
    assert {kind for kind, _ in found} == {"unfinished", "surplus"}


def test_names_in_a_list_of_checksums_lead_nowhere(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("mine")
    (folder / "report" / "SHA256SUMS").write_text(f"{'0' * 64}  ../../secret\n")
    assert ("missing", "report/../../secret") in kinds(folder)


def test_what_is_no_file_is_damaged(folder: Path) -> None:
    """A pipe would be read for ever."""
    pipe, sums = "games/part-00001.parquet", "report/SHA256SUMS"
    (folder / pipe).unlink()
    os.mkfifo(folder / pipe)
    (folder / sums).unlink()
    (folder / sums / "inside").mkdir(parents=True)
    found = kinds(folder)
    assert ("damaged", pipe) in found
    (folder / sums / "inside").rmdir()
    assert {("damaged", pipe), ("damaged", sums)} <= set(kinds(folder))
    (folder / "run.json").unlink()
    os.mkfifo(folder / "run.json")
    with pytest.raises(StoreError, match=r"run.json cannot be read: it is no regular file"):
        check_folder(str(folder))


def test_tables_on_another_disk(folder: Path, tmp_path: Path) -> None:
    shutil.move(folder / "games", tmp_path / "elsewhere")
    (folder / "games").symlink_to(tmp_path / "elsewhere")
    assert kinds(folder) == []
    assert len(load(folder).games) == GAMES
    (tmp_path / "elsewhere" / "part-00001.parquet").unlink()
    assert ("missing", "games/part-00001.parquet") in kinds(folder)


def test_a_finding_is_a_line(folder: Path, seqlab: Seqlab) -> None:
    (folder / "a\nb\x1b[2J").write_text("")
    assert seqlab("check", folder) == 1
    assert seqlab.out == "foreign: a b?[2J: no file of a run\n"


def test_the_command(folder: Path, seqlab: Seqlab) -> None:
    assert seqlab("check", folder) == 0
    assert seqlab.out.endswith(" files, all as written\n")
    (folder / "notes.txt").write_text("mine")
    assert seqlab("check", folder) == 1
    assert seqlab.out == "foreign: notes.txt: no file of a run\n"
    assert seqlab("check", folder, "--json") == 1
    assert json.loads(seqlab.out)["findings"][0]["kind"] == "foreign"
    (folder / "run.json").write_text("{")
    assert seqlab("check", folder, "-q") == 1
    assert seqlab.out.startswith("damaged: run.json: ")
    assert seqlab("check", folder.parent) == 2
    assert "holds no run" in seqlab.err


def test_an_experiment(seqlab: Seqlab, tmp_path: Path) -> None:
    words = ("tournament", "-s", "greedy", "-s", "random", "--games", GAMES, "--out", "t", "-q")
    assert seqlab(*words) == 0
    assert seqlab("check", "t") == 0
    file = tmp_path / "t" / "arms" / "arm-00000.parquet"
    file.write_bytes(file.read_bytes()[:-1])
    assert seqlab("check", "t") == 1
    assert seqlab.out.startswith("damaged: arms/arm-00000.parquet: ")
    assert seqlab(*words, "--resume") == 0
    assert seqlab("check", "t") == 0
