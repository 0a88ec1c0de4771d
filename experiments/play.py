"""Play what is missing of an experiment, and keep what is done."""

import time
from collections.abc import Mapping, Sequence

from experiments.record import Record
from simcore.arms import Arm, Table, play_arms
from simcore.simulation import Progress


def play(
    record: Record,
    arms: Sequence[Arm],
    threads: int | None = None,
    progress: Progress | None = None,
) -> Mapping[str, Table]:
    """Play the arms that the record has not; return the tables of those given, by name.

    Raises what play_arms raises; arms that were finished before an error or an interrupt stay.
    """
    started = time.monotonic()
    missing = record.missing(arms)
    done = sum(arm.games for arm in arms) - sum(arm.games for arm in missing)
    if progress is not None:
        progress(done)
    try:
        play_arms(missing, record.write, threads, progress)
    finally:
        record.add_seconds(time.monotonic() - started)
    return record.tables(arms)
