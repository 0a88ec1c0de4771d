"""A run on disk as something to play again: its plan, with bots that the user named."""

import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from simcore.design import Design
from simcore.manifest import plan_of, read_manifest
from simcore.place import place_of
from simcore.plan import Plan
from simcore.strategy import StrategyError, find_strategy, names_file


def load_plan(folder: Path | str, named: Sequence[str] = ()) -> tuple[Plan, Design, int]:
    """Return what a Runner needs to play games of a run on disk again, and how many there are.

    `named` are strategies of the run that the user has named: a bot's file is code, which is never
    loaded because a folder from elsewhere says so. Raises StoreError, and StrategyError if a bot of
    the run is not installed here or not named.
    """
    manifest = read_manifest(place_of(folder))
    plan = plan_of(manifest)
    told = {_own_name(plan.names, name): name for name in named}
    for name in plan.names:
        if "@" in name and not names_file(name):
            wanted = "names that tell their values, as every run of seqlab has them"
            raise StrategyError(f"{folder}: {name} would have a file read; allowed: {wanted}")
        if names_file(name) and name not in told:
            wanted = f"add -s {shlex.quote(name)}, if you trust that file"
            raise StrategyError(f"{folder}: {name} is code of a bot's file; allowed: {wanted}")
    bots = (replace(find_strategy(told.get(name, name)), name=name) for name in plan.names)
    return plan, Design(plan.design, tuple(bots), plan.seatings), manifest["games"]


def _own_name(names: Sequence[str], name: str) -> str:
    """Return the strategy of a run that a name tells; a file may lie in another folder by now."""
    tails = [own for own in names if names_file(own) and Path(own).name == Path(name).name]
    if name in names:
        return name
    if len(tails) == 1:
        return tails[0]
    raise StrategyError(f"no strategy {name!r} in the run; allowed: {', '.join(names)}")
