"""Play what is missing of an experiment, share by share, and keep what is done."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from experiments.record import SHARE_GAMES, Record
from simcore.arms import Arm, Table, play_arms
from simcore.simulation import Progress


def play(
    record: Record,
    arms: Sequence[Arm],
    threads: int | None = None,
    progress: Progress | None = None,
) -> Mapping[str, Table]:
    """Play the arms that the record has not; return the tables of those given, by name.

    Raises what play_arms raises; shares of arms that were finished before an error or an interrupt
    stay.
    """
    started = time.monotonic()
    missing = record.missing([share for arm in arms for share in _shares(arm)])
    done = sum(arm.games for arm in arms) - sum(arm.games for arm in missing)
    if progress is not None:
        progress(done)
    try:
        play_arms(missing, record.write, threads, progress)
    finally:
        record.add_seconds(time.monotonic() - started)
    return record.tables(arms)


def _shares(arm: Arm) -> Iterator[Arm]:
    """Cut an arm into shares that are kept one by one, each of whole deals."""
    step = max(1, SHARE_GAMES // arm.games_of_deal)
    for at in range(0, arm.deals, step):
        yield replace(arm, first_deal=arm.first_deal + at, deals=min(step, arm.deals - at))
