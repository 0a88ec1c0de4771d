"""Runs that are killed at any moment, or run out of disk, and go on to the same tables."""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
from helpers import JIT
from warmed import command

ROOT = Path(__file__).resolve().parent.parent
GAMES, PARTS = 60_000, 8
RUN = ("simulate", "-s", "random", "--games", str(GAMES), "--seed", "9", "-q")
CODES = {signal.SIGKILL: -9, signal.SIGINT: 130, signal.SIGTERM: 143}
needs_jit = pytest.mark.skipif(not JIT, reason="a run of this length takes hours uncompiled")


FORKS = multiprocessing.get_context("forkserver")
# By the name that it has from here: what is in the path of the tests, the server does not know.
FORKS.set_forkserver_preload(["tests.warmed"])


def start(told: Path, *words: str) -> multiprocessing.process.BaseProcess:
    """Start the command as a process of its own, which hears Ctrl-C as one in front does."""
    process = FORKS.Process(target=command, args=(words, told))
    process.start()
    return process


def finish(told: Path, *words: str) -> float:
    """Run the command to its end; return the seconds it took."""
    started = time.monotonic()
    process = start(told, *words)
    process.join(300)
    assert process.exitcode == 0, told.read_text()
    return time.monotonic() - started


def parts(folder: Path) -> list[dict[str, object]]:
    """Return what run.json lists, with the checksum of every file."""
    found: list[dict[str, object]] = json.loads((folder / "run.json").read_text())["parts"]
    return found


@dataclass(frozen=True)
class Whole:
    """An undisturbed run: what it lists, the seconds it takes once all is compiled, its bytes."""

    parts: list[dict[str, object]]
    seconds: float
    size: int


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Whole:
    """The run, undisturbed."""
    folder = tmp_path_factory.mktemp("whole")
    told = folder / "told"
    finish(told, *RUN, "--out", str(folder / "first"))
    seconds = finish(told, *RUN, "--out", str(folder / "run"))
    size = sum(file.stat().st_size for file in (folder / "run").rglob("*") if file.is_file())
    return Whole(parts(folder / "run"), seconds, size)


def is_deaf(code: int | None, told: str) -> bool:
    """Return whether Python could not hear a signal yet, or no longer, and so said nothing."""
    return code is not None and code < 0 and not told.startswith("error")


def stop_until_done(
    out: Path, sent: signal.Signals, draw: random.Random, seconds: float
) -> tuple[int, int]:
    """Stop a run at random moments and resume it until it is done, stopped at least once.

    Returns how often it was stopped, and how often that kept some parts and not all.
    """
    stops = partly = 0
    told = out.with_suffix(".txt")
    while True:
        if stops == 0:
            shutil.rmtree(out, ignore_errors=True)
        resume = ("--resume",) if out.exists() else ()
        told.unlink(missing_ok=True)
        process = start(told, *RUN, "--out", str(out), *resume)
        process.join(draw.uniform(0.1, 1.1) * seconds)
        if process.exitcode is None and process.pid is not None:
            os.kill(process.pid, sent)
        process.join(60)
        code, err = process.exitcode, told.read_text() if told.exists() else ""
        if code == 0:
            if stops:
                return stops, partly
            continue
        assert code == CODES[sent] or is_deaf(code, err), err
        if code in (130, 143):
            assert err.count("\n") == 1
        stops += 1
        if (out / "run.json").exists():
            partly += 0 < len(parts(out)) < PARTS


@needs_jit
@pytest.mark.parametrize("sent", CODES)
def test_a_run_that_is_stopped_goes_on_to_the_same_tables(
    sent: signal.Signals, whole: Whole, tmp_path: Path
) -> None:
    stops, _ = stop_until_done(tmp_path / "run", sent, random.Random(sent), whole.seconds)
    assert stops
    assert parts(tmp_path / "run") == whole.parts
    finish(tmp_path / "told", "check", str(tmp_path / "run"))


@pytest.mark.slow
@needs_jit
@pytest.mark.parametrize("sent", CODES)
def test_a_hundred_runs_that_are_stopped(
    sent: signal.Signals, whole: Whole, tmp_path: Path
) -> None:
    draw, partly = random.Random(sent), 0
    for number in range(100):
        out = tmp_path / f"run-{number}"
        partly += stop_until_done(out, sent, draw, whole.seconds)[1]
        assert parts(out) == whole.parts, number
        finish(tmp_path / "told", "check", str(out))
        shutil.rmtree(out)
    assert partly >= 50


_SMALL_DISK = """
set -e
cd "$1"
mkdir disk
mount -t tmpfs -o size=$3 tmpfs disk
head -c $4 /dev/zero > disk/filler
here=$PWD
cd "$2"
shift 4
if "$@" --out "$here/disk/run"; then echo "no error"; exit 9; fi
rm "$here/disk/filler"
"$@" --out "$here/disk/run" --resume
cp -r "$here/disk/run" "$here/copy"
"""


def _can_mount() -> bool:
    """Return whether a process may mount a file system that nobody else sees."""
    if shutil.which("unshare") is None:
        return False
    script = ["unshare", "-rm", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]
    return subprocess.run(script, capture_output=True, check=False).returncode == 0


@needs_jit
@pytest.mark.skipif(not _can_mount(), reason="no file system can be mounted; see test_ledger")
def test_a_disk_that_is_full_keeps_what_is_finished(whole: Whole, tmp_path: Path) -> None:
    size = whole.size
    process = subprocess.run(
        [
            *("unshare", "-rm", "sh", "-c", _SMALL_DISK, "sh"),
            *(str(tmp_path), str(ROOT), str(4 * size), str(int(3.4 * size))),
            *(sys.executable, "-m", "cli", *RUN),
        ],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert process.returncode == 0, process.stderr
    assert process.stderr.count("\n") == 1
    told = f"error: No space left on device; finished parts are in {tmp_path / 'disk' / 'run'}: "
    assert process.stderr.startswith(told)
    assert parts(tmp_path / "copy") == whole.parts
