"""Fixtures of the fuzzing."""

from __future__ import annotations

import functools

import pytest

import simcore.strategy


@pytest.fixture(autouse=True)
def _installed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look for installed packages once: it takes 20 ms, and cases ask 50,000 times."""
    found = functools.cache(simcore.strategy.entry_points)
    monkeypatch.setattr("simcore.strategy.entry_points", found)
