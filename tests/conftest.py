"""Fixtures for all tests."""

from __future__ import annotations

from collections.abc import Iterator

import numba
import numpy as np
import pytest
from damage import Lines, rich_game


@pytest.fixture(autouse=True)
def _wrapping_integers() -> Iterator[None]:
    """Let uint64 wrap around where kernels are not compiled: the random streams mean to."""
    with np.errstate(over="ignore" if numba.config.DISABLE_JIT else "warn"):
        yield


@pytest.fixture(scope="session")
def rich() -> Lines:
    """Return a transcript in which everything happens; do not change it."""
    return rich_game()
