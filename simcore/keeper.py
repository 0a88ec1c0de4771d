"""What becomes of a part that is played: kept in memory, or written to a place and entered."""

import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

from simcore.ledger import Ledger, Manifest
from simcore.manifest import is_intact, part_name
from simcore.place import Place, StoreError
from simcore.plan import Plan
from simcore.store import write_files, write_part

if TYPE_CHECKING:
    from simcore.frames import Tables
    from simcore.run import Run

Files = Mapping[str, bytes]
"""Parquet files by table."""


class Keeper(Protocol):
    """Takes parts that are played, from any thread."""

    def take_tables(self, number: int, first_deal: int, deals: int, tables: "Tables") -> None:
        """Take a part as tables of this process."""

    def take_files(self, entry: Mapping[str, Any], files: Files, worker: str) -> None:
        """Take what is entered of a part in run.json, with its files; none if `worker` wrote them.

        StoreError if it did not write them where they are looked for.
        """


class InMemory:
    """Keeps the tables of all parts."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._parts: dict[int, Tables] = {}

    def take_tables(self, number: int, first_deal: int, deals: int, tables: "Tables") -> None:
        """Keep them."""
        self._parts[number] = tables

    def take_files(self, entry: Mapping[str, Any], files: Files, worker: str) -> None:
        """Keep the tables in the files."""
        from simcore.run import decode_table, no_rows

        like = no_rows(self._plan)
        tables = {name: decode_table(name, data, like) for name, data in files.items()}
        self._parts[entry["number"]] = tables

    def run(self, manifest: Manifest) -> "Run":
        """Return all parts as a run."""
        from simcore.run import Run

        return Run(manifest, [self._parts[number] for number in sorted(self._parts)])


class AtPlace:
    """Writes parts to a place, and enters those that are written in its ledger."""

    def __init__(self, place: Place, ledger: Ledger) -> None:
        self._place, self._ledger = place, ledger
        self._trusted: set[str] = set()
        self._lock = threading.Lock()

    def take_tables(self, number: int, first_deal: int, deals: int, tables: "Tables") -> None:
        """Write them."""
        self._ledger.enter(write_part(self._place, number, first_deal, deals, tables))

    def take_files(self, entry: Mapping[str, Any], files: Files, worker: str) -> None:
        """Write them, or see whether the worker's first part is where it has to be."""
        if not files:
            self._check_shared(entry, worker)
        write_files(self._place, entry["number"], files)
        self._ledger.enter(entry)

    def _check_shared(self, entry: Mapping[str, Any], worker: str) -> None:
        """Raise StoreError unless what a worker writes is seen from here."""
        with self._lock:
            if worker in self._trusted:
                return
        for table, checksum in entry["sha256"].items():
            name = part_name(table, entry["number"])
            if not is_intact(self._place, name, checksum):
                told = f"worker {worker} wrote {name}, which is not there when read from here"
                raise StoreError(f"out: {self._place}: {told}; allowed: a place that all share")
        with self._lock:
            self._trusted.add(worker)
