"""The ledger of a run: begun, gone on with, refused, replaced; under a lock, on any disk."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import fsspec
import pandas as pd
import pytest
from helpers import edit_manifest
from ledgers import manifest, opened, write, write_run

from simcore import ledger as ledger_module
from simcore.place import Folder, StoreError, place_of
from simcore.reports import sums_text
from simcore.run import load


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A finished run of three parts of two deals."""
    return write_run(tmp_path / "run")


def contents(path: Path) -> list[str]:
    found = (str(p.relative_to(path)) for p in path.rglob("*"))
    return sorted(name for name in found if name != ".lock")


def test_resume_goes_on_where_a_run_was_cut_short(folder: Path) -> None:
    whole = load(folder).seats
    parts = load(folder).manifest["parts"][::2]
    edit_manifest(folder / "run.json", parts=parts, finished=False)
    draft = folder / "games" / "part-00001.parquet.tmp"
    draft.write_bytes(b"half")
    with opened(folder, resume=True) as ledger:
        assert not draft.exists()
        assert [part["number"] for part in ledger.manifest["parts"]] == [0, 2]
        write(ledger, [1])
    pd.testing.assert_frame_equal(load(folder).seats, whole)


def test_resume_keeps_the_parts_that_are_as_written(folder: Path) -> None:
    (folder / "jacks" / "part-00001.parquet").unlink()
    (folder / "games" / "part-00002.parquet").write_bytes(b"garbage")
    with opened(folder, resume=True) as ledger:
        assert [part["number"] for part in ledger.manifest["parts"]] == [0]


def test_threads_enter_parts_at_once_and_one_again_replaces_the_first(folder: Path) -> None:
    with opened(folder, overwrite=True) as ledger, ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda number: write(ledger, [number]), (2, 0, 1)))
        write(ledger, [1, 0])
    assert load(folder).games["game"].tolist() == list(range(12))


def test_a_failed_write_leaves_no_trace(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before, synced = contents(folder), os.fsync
    calls: list[int] = []

    def full_disk(file: int) -> None:
        calls.append(file)
        if len(calls) >= 3:
            raise OSError(28, "No space left on device")
        synced(file)

    run = opened(folder, resume=True)
    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(OSError, match="No space left"), run:
        write(run, [2])
    monkeypatch.undo()
    assert contents(folder) == before
    assert len(load(folder).manifest["parts"]) == 3
    with opened(folder, resume=True) as again:
        write(again, [2])


def test_the_manifest_is_replaced_seldom_when_that_takes_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [0.0]
    monkeypatch.setattr(ledger_module.time, "monotonic", lambda: clock[0])
    written, count = Folder.write, [0]

    def slow(self: Folder, name: str, data: bytes) -> None:
        clock[0] += 1.0 if name == "run.json" else 0.0
        count[0] += name == "run.json"
        written(self, name, data)

    monkeypatch.setattr(Folder, "write", slow)
    with opened(tmp_path) as ledger:
        write(ledger, [0, 1])
        assert count[0] == 1
        assert load(tmp_path).manifest["parts"] == []
        clock[0] += 21
        write(ledger, [0])
        assert [part["number"] for part in load(tmp_path).manifest["parts"]] == [0, 1]
        write(ledger, [2])
    assert len(load(tmp_path).manifest["parts"]) == 3
    assert count[0] == 3


def test_folders_are_made_and_empty_ones_taken(tmp_path: Path) -> None:
    for given in ({}, {"resume": True}, {"overwrite": True}):
        with opened(tmp_path / "a" / "b", **given):
            assert contents(tmp_path) == ["a", "a/b", "a/b/.lock", "a/b/run.json"]
        (tmp_path / "a" / "b" / "run.json").unlink()


def test_what_is_not_empty_is_refused(folder: Path, tmp_path: Path) -> None:
    before = contents(folder)
    with pytest.raises(StoreError, match="exists and is not empty; allowed: "):
        opened(folder)
    with pytest.raises(StoreError, match="one of them"):
        opened(folder, resume=True, overwrite=True)
    assert contents(folder) == before
    other = tmp_path / "other"
    other.mkdir()
    (other / "thesis.txt").write_text("mine")
    for text in (None, "{}", "[1]", '{"format": "sequence-lab-run/9"}', "{", "[" * 100_000):
        if text is not None:
            (other / "run.json").write_text(text)
        for resume in (True, False):
            with pytest.raises(StoreError, match="other"):
                opened(other, resume=resume, overwrite=not resume)
        assert not (other / ".lock").exists()
    assert (other / "thesis.txt").read_text() == "mine"


def test_overwrite_empties_a_folder_of_ours(folder: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "file").write_text("mine")
    (folder / "link").symlink_to(kept)
    (folder / "report").mkdir()
    (folder / "report" / "page.html").write_text("figures")
    (folder / "report" / "SHA256SUMS").write_text(sums_text({"page.html": b"figures"}))
    (folder / ".report-a1b2c3d4").mkdir()
    (folder / ".report-a1b2c3d4" / "page.html").write_text("fig")
    (folder / "notes").mkdir()
    (folder / "notes" / "thesis.txt").write_text("mine")
    before = contents(folder)
    for name in ("link/file", "notes/thesis.txt"):
        told = f"overwrite: {folder} holds {name}, which is not ours; allowed: after it is moved"
        with pytest.raises(StoreError, match=told):
            opened(folder, overwrite=True)
        assert contents(folder) == before
        shutil.rmtree(folder / "notes") if name.startswith("n") else (folder / "link").unlink()
        before = contents(folder)
    with opened(folder, overwrite=True):
        assert contents(folder) == ["run.json"]
    assert contents(kept) == ["file"]


def test_files_and_what_cannot_be_made_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "file"
    file.write_text("mine")
    for path in (file, file / "run", file / "a" / "b", tmp_path / ("x" * 300)):
        with pytest.raises(StoreError, match="out: ") as caught:
            opened(path, overwrite=True)
        assert "\n" not in str(caught.value)

    def refuse(self: Folder) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Folder, "_check_writable", refuse)
    for path in (tmp_path / "a" / "b", tmp_path / "a"):
        with pytest.raises(StoreError, match="cannot be written: Permission denied"):
            opened(path)
    assert contents(tmp_path) == ["file"]


def test_a_run_killed_in_its_first_moment_is_an_empty_folder(tmp_path: Path) -> None:
    (tmp_path / "run.json.tmp").write_text('{"form')
    with opened(tmp_path, resume=True) as ledger:
        assert ledger.manifest["parts"] == []
        assert contents(tmp_path) == ["run.json"]


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"seed": 4}, "seed: 7, not 4"),
        ({"source": "abc"}, "source: "),
        ({"rules": {"players": 2}}, "rules: "),
        ({"files": {"my.py:f": "12"}}, 'file of a bot: my.py:f: nothing, not "12"'),
        ({"shard": [1, 2]}, r"shard: nothing, not \[1, 2\]"),
        ({"keep": "summary"}, 'keep: "tables", not "summary"'),
        ({"seatings": [["greedy", "random"]]}, "seatings: "),
    ],
)
def test_another_run_is_refused_with_the_difference(
    folder: Path, changes: dict[str, Any], told: str
) -> None:
    before = (folder / "run.json").read_bytes()
    with pytest.raises(StoreError, match=f"resume: .* has another {told}.*; allowed: its own com"):
        opened(folder, manifest(**changes), resume=True)
    assert (folder / "run.json").read_bytes() == before
    with opened(folder, resume=True):
        pass


def test_the_second_of_two_processes_is_refused(tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from simcore.place import Folder\n"
        f"place = Folder(Path({str(tmp_path / 'run')!r})); place.make(); place.lock()\n"
        "print('locked', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        other.stdout.readline()
        for out in (tmp_path / "run", (tmp_path / "run").as_uri()):
            with pytest.raises(StoreError, match=f"another process is writing to {out}; allowed: "):
                opened(out)
        other.kill()
    with opened(tmp_path / "run"):
        pass


def test_a_run_at_a_url(folder: Path) -> None:
    url = "memory://runs/one"
    with opened(url) as ledger:
        write(ledger, [0, 2])
    with opened(url, resume=True) as ledger:
        write(ledger, [1])
    pd.testing.assert_frame_equal(load(url).seats, load(folder).seats)
    with pytest.raises(StoreError, match="exists and is not empty"):
        opened(url)
    with opened(url, overwrite=True):
        assert place_of(url).names() == ["run.json"]
    with pytest.raises(StoreError, match=r"out: nosuch://x: .*; allowed: a URL that fsspec knows"):
        place_of("nosuch://x")


@pytest.fixture(autouse=True)
def _forget() -> Iterator[None]:
    yield
    files = fsspec.filesystem("memory")
    files.store.clear()


def test_every_byte_of_the_manifest_is_sealed(folder: Path) -> None:
    file = folder / "run.json"
    data = file.read_bytes()
    for at in range(0, len(data), 7):
        file.write_bytes(data[:at] + bytes([data[at] ^ (1 << at % 8)]) + data[at + 1 :])
        with pytest.raises(StoreError, match=r"run\.json (is damaged|has format)"):
            load(folder)
    file.write_bytes(data[:-1])
    with pytest.raises(StoreError, match="checksum differs"):
        load(folder)
    assert json.loads(data)["checksum"]


def test_writers_in_one_process_are_two_as_well(tmp_path: Path) -> None:
    refused: list[str] = []

    def other() -> None:
        try:
            opened(tmp_path, resume=True)
        except StoreError as error:
            refused.append(str(error))

    with opened(tmp_path):
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert len(refused) == 1
