"""An experiment on disk: `run.json`, and a Parquet table for each arm that is done.

A table is written aside, checksummed and renamed before run.json lists it, so that an experiment
cut short holds whole arms and nothing else that counts.
"""

import hashlib
import json
import os
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from simcore.arms import Arm, Table
from simcore.jit import source_hash
from simcore.manifest import MANIFEST, StoreError, first_line, now, read_json, versions_of
from simcore.store import Kind, manifest_text, prepare, replace_text, write_table

FORMAT = "sequence-lab-experiment/1"
_PACKAGES = ("sequence-lab", "numpy", "numba", "scipy", "pyarrow")
_ARMS = "arms"


class Record:
    """An experiment being written. `manifest` is what run.json holds."""

    def __init__(
        self, path: Path, task: Mapping[str, Any], command: str, resume: bool, overwrite: bool
    ) -> None:
        """Make the folder ready; StoreError if it cannot be used, or holds another experiment.

        `task` says all that the tables depend on, in values that JSON has.
        """
        self.path = path
        self._lock = threading.Lock()
        wanted = json.loads(json.dumps({"source": source_hash(), **task}))
        new = {
            "format": FORMAT,
            "command": command,
            "versions": versions_of(_PACKAGES),
            **wanted,
            "parts": [],
            "started": now(),
            "ended": None,
            "seconds": 0.0,
            "finished": False,
        }
        old = prepare(path, resume, overwrite, Kind(MANIFEST, FORMAT, read_record))
        for key in wanted if old is not None else ():
            if old is not None and old.get(key) != wanted[key]:
                told = f"resume: {path} has another {key}"
                raise StoreError(f"{told}; allowed: its own command, {old['command']}")
        self.manifest: dict[str, Any] = old or new
        self._update({"finished": False})

    def missing(self, arms: Sequence[Arm]) -> list[Arm]:
        """Return the arms that are not done."""
        done = {part["arm"] for part in self.manifest["parts"]}
        return [arm for arm in arms if arm.name not in done]

    def write(self, arm: Arm, table: Table) -> None:
        """Write an arm's table and enter it in run.json. Threads may write arms at once."""
        import pyarrow as pa

        flat = {
            f"{name}.{i}": column
            for name, values in table.items()
            for i, column in enumerate(values.reshape(len(values), -1).T)
        }
        with self._lock:
            number = 1 + max((part["number"] for part in self.manifest["parts"]), default=-1)
            file = arm_file(self.path, number)
            draft = file.with_name(file.name + ".tmp")
            try:
                checksum = write_table(draft, pa.table(flat))
                os.replace(draft, file)
            finally:
                draft.unlink(missing_ok=True)
            entry = {
                "number": number,
                "arm": arm.name,
                "deals": arm.deals,
                "columns": {name: list(values.shape[1:]) for name, values in table.items()},
                "sha256": checksum,
            }
            self._update({"parts": [*self.manifest["parts"], entry]})

    def add_seconds(self, seconds: float) -> None:
        """Enter that games were played for so many seconds more."""
        self._update({"seconds": round(self.manifest["seconds"] + seconds, 3)})

    def finish(self) -> None:
        """Enter that all is done."""
        self._update({"finished": True, "ended": now()})

    def tables(self, arms: Sequence[Arm]) -> dict[str, Table]:
        """Return the tables of arms that are done, by name."""
        names = {arm.name for arm in arms}
        return read_tables(self.path, [p for p in self.manifest["parts"] if p["arm"] in names])

    def _update(self, changes: Mapping[str, Any]) -> None:
        self.manifest = {**self.manifest, **changes}
        replace_text(self.path / MANIFEST, manifest_text(self.manifest))


def arm_file(folder: Path, number: int) -> Path:
    """Return where the table of an arm is kept."""
    return folder / _ARMS / f"arm-{number:05d}.parquet"


def read_tables(folder: Path, parts: Sequence[Mapping[str, Any]]) -> dict[str, Table]:
    """Return the tables of parts of a manifest, by arm; StoreError if one cannot be read."""
    import pyarrow.parquet as pq

    found: dict[str, Table] = {}
    for part in parts:
        file = arm_file(folder, part["number"])
        try:
            columns = pq.read_table(file)
            found[part["arm"]] = {
                name: _column(columns, name, shape) for name, shape in part["columns"].items()
            }
        except (OSError, ValueError, LookupError, TypeError) as error:
            raise StoreError(f"{file} cannot be read: {first_line(error)}") from None
    return found


def _column(table: Any, name: str, shape: list[int]) -> Any:
    size = int(np.prod(shape, dtype=np.int64))
    flat = np.stack([table[f"{name}.{i}"].to_numpy() for i in range(size)], axis=1)
    return flat.reshape(len(flat), *shape)


def read_record(path: Path) -> dict[str, Any]:
    """Return what run.json says, with those arms only whose tables are as they were written."""
    found = read_json(path / MANIFEST, FORMAT)
    try:
        _check(found)
    except (ValueError, TypeError, LookupError, AttributeError) as error:
        raise StoreError(f"{path / MANIFEST} is damaged: {first_line(error)}") from None
    return {**found, "parts": [part for part in found["parts"] if _is_intact(path, part)]}


def _check(manifest: Mapping[str, Any]) -> None:
    """Raise ValueError, or an error of the kind, for values of another type."""
    kinds: dict[str, type | tuple[type, ...]] = {
        **{"command": str, "versions": dict, "parts": list},
        "seconds": (int, float),
    }
    for name, kind in kinds.items():
        if not isinstance(manifest[name], kind):
            raise ValueError(f"{name} is {manifest[name]!r:.60}")
    for part in manifest["parts"]:
        shapes = part["columns"].values()
        numbers = [part["number"], part["deals"], *(n for shape in shapes for n in shape)]
        texts = [part["arm"], part["sha256"], *part["columns"]]
        if not all(type(number) is int and number >= 0 for number in numbers):
            raise ValueError(f"parts: {part['arm']!r:.60} has no whole numbers")
        if not all(isinstance(text, str) for text in texts):
            raise ValueError("parts: texts are expected")
    for key in ("number", "arm"):
        if len({part[key] for part in manifest["parts"]}) < len(manifest["parts"]):
            raise ValueError(f"parts: two have one {key}")


def _is_intact(folder: Path, part: Mapping[str, Any]) -> bool:
    try:
        with arm_file(folder, part["number"]).open("rb") as stream:
            return bool(hashlib.file_digest(stream, "sha256").hexdigest() == part["sha256"])
    except OSError:
        return False
