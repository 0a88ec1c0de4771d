"""Fixtures for all tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numba
import numpy as np
import pytest
from damage import Lines, rich_game
from helpers import Seqlab


@pytest.fixture(autouse=True)
def _wrapping_integers() -> Iterator[None]:
    """Let uint64 wrap around where kernels are not compiled: the random streams mean to."""
    with np.errstate(over="ignore" if numba.config.DISABLE_JIT else "warn"):
        yield


@pytest.fixture(scope="session")
def rich() -> Lines:
    """Return a transcript in which everything happens; do not change it."""
    return rich_game()


@pytest.fixture
def blank_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the charts undrawn, which takes most of a report's time."""
    monkeypatch.setattr("analysis.page.draw", lambda chart, table, title: b"")


@pytest.fixture
def seqlab(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Seqlab:
    """The command, in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    return Seqlab(monkeypatch, capsys)
