"""What the tests of experiments share: interrupts, and slow readings of games."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from helpers import Seqlab
from scipy import stats

from experiments.record import Record
from simcore.arms import Arm, Table
from simcore.ledger import read_json
from simcore.place import Folder
from simcore.strategy import Strategy, find_strategy

BARRED = ("balanced:no_blocking=1", "greedy:no_corner_lines=1")
NAMES = ("random", "greedy", "balanced", *BARRED)


def strategies(names: Sequence[str] = NAMES) -> list[Strategy]:
    """Return strategies by name."""
    return [find_strategy(name) for name in names]


@pytest.fixture
def seqlab(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Seqlab:
    """The command, in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    return Seqlab(monkeypatch, capsys)


def manifest(folder: Path) -> dict[str, Any]:
    """Return what run.json of an experiment holds."""
    return read_json(Folder(folder), "run.json", "sequence-lab-experiment/2")


def checksums(folder: Path) -> dict[str, str]:
    """Return the checksum of each arm's file, by arm: which number it has depends on threads."""
    return {part["arm"]: part["sha256"] for part in manifest(folder)["parts"]}


def report_files(folder: Path) -> dict[str, bytes]:
    """Return the figures of a report."""
    return {file.name: file.read_bytes() for file in (folder / "report").rglob("*.csv")}


def interrupt_after(monkeypatch: pytest.MonkeyPatch, arms: int) -> Callable[[], None]:
    """Interrupt once so many arms are written; the function returned takes that back."""
    written, count, lock = Record.write, [0], threading.Lock()

    def write(self: Record, arm: Arm, table: Table) -> None:
        with lock:
            count[0] += 1
            if count[0] > arms:
                raise KeyboardInterrupt
            written(self, arm, table)

    monkeypatch.setattr(Record, "write", write)
    return lambda: monkeypatch.setattr(Record, "write", written)


def count_written(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list to which every arm that is written adds its name."""
    written, names = Record.write, []

    def write(self: Record, arm: Arm, table: Table) -> None:
        names.append(arm.name)
        written(self, arm, table)

    monkeypatch.setattr(Record, "write", write)
    return names


def without_page(monkeypatch: pytest.MonkeyPatch, *reports: str) -> None:
    """Let reports tell their figures without drawing the page, which takes seconds."""
    for report in reports:
        monkeypatch.setattr(
            f"experiments.{report}.write_report", lambda out, *given: out / "index.html"
        )


def by_deal(frame: pd.DataFrame, column: str) -> npt.NDArray[np.float64]:
    """Return the sums of a column over the rows of each deal, in the order of deals."""
    values = frame[column].astype(float).groupby(frame["deal"]).sum()
    return values.sort_index().to_numpy()


def t_interval(values: npt.NDArray[np.float64]) -> tuple[float, float]:
    """Return the 95 % interval of a mean over deals; the normal one from 200 on, as the project."""
    error = values.std(ddof=1) / np.sqrt(len(values))
    z = stats.t.ppf(0.975, len(values) - 1) if len(values) < 200 else stats.norm.ppf(0.975)
    return float(values.mean() - z * error), float(values.mean() + z * error)
