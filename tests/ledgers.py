"""What the tests of ledgers share: a small run, written part by part."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from test_frames import make_chunk, make_plan

from simcore.frames import tables
from simcore.ledger import Ledger
from simcore.manifest import RUN, SAME, new_manifest
from simcore.place import place_of
from simcore.rules import Rules
from simcore.store import write_part

PLAN = make_plan(Rules(players=2))
PARTS = [tables(make_chunk(PLAN, 4, first_game=4 * number), PLAN) for number in range(3)]


def manifest(**changes: Any) -> dict[str, Any]:
    """Return run.json of a run of three parts of two deals."""
    new = new_manifest(PLAN, "seqlab simulate", deals=6, part_deals=2)
    return {**new, "files": {}, **changes}


def opened(where: Path | str, new: dict[str, Any] | None = None, **given: bool) -> Ledger:
    """Return a ledger of the run."""
    return Ledger(place_of(where), RUN, new or manifest(), SAME, **given)


def write(ledger: Ledger, numbers: Sequence[int]) -> None:
    """Write parts of the run."""
    for number in numbers:
        ledger.enter(write_part(ledger.place, number, 2 * number, 2, PARTS[number]))


def write_run(where: Path, parts: int = 3) -> Path:
    """Write the run, the last part first, and return its folder."""
    with opened(where) as ledger:
        write(ledger, range(parts)[::-1])
        ledger.update({"finished": True, "seconds": 1.5})
    return where
