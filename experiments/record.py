"""An experiment on disk: `run.json`, and a Parquet table for each arm that is done (Ledger)."""

import math
import threading
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from simcore.arms import Arm, Table
from simcore.given import quoted
from simcore.jit import source_hash
from simcore.ledger import Kind, Ledger, Recorded, first_line, read_json
from simcore.manifest import MANIFEST, is_intact, now, versions_of
from simcore.place import DamagedError, Folder, Place, StoreError
from simcore.store import write_table

FORMAT = "sequence-lab-experiment/2"
SHARE_GAMES = 20_000
"""Games of an arm that are kept together: what an interrupt costs, a second of the fast bots."""
_PACKAGES = ("sequence-lab", "numpy", "numba", "scipy", "pyarrow")


class Record(Recorded):
    """An experiment being written, to be used in a `with` statement."""

    def __init__(
        self, path: Path, task: Mapping[str, Any], command: str, resume: bool, overwrite: bool
    ) -> None:
        """Make the folder ready; StoreError if it cannot be used, or holds another experiment.

        `task` says all that the tables depend on, in values that JSON has.
        """
        self.path = path
        self._lock = threading.Lock()
        new = {
            "format": FORMAT,
            "command": command,
            "versions": versions_of(_PACKAGES),
            "source": source_hash(),
            "share_games": SHARE_GAMES,
            **task,
            "parts": [],
            "started": now(),
            "ended": None,
            "seconds": 0.0,
            "finished": False,
        }
        same = ("source", "share_games", *task)
        super().__init__(Ledger(Folder(path), EXPERIMENT, new, same, resume, overwrite))
        self._next = 1 + max((part["number"] for part in self.manifest["parts"]), default=-1)
        self._ledger.update({"finished": False})

    def missing(self, arms: Sequence[Arm]) -> list[Arm]:
        """Return the arms, or shares of arms, that are not done."""
        done = {(part["arm"], part["first_deal"], part["deals"]) for part in self.manifest["parts"]}
        return [arm for arm in arms if (arm.name, arm.first_deal, arm.deals) not in done]

    def write(self, arm: Arm, table: Table) -> None:
        """Write an arm's table and enter it in run.json. Threads may write arms at once."""
        import pyarrow as pa

        flat = {
            f"{name}.{i}": column
            for name, values in table.items()
            for i, column in enumerate(values.reshape(len(values), -1).T)
        }
        with self._lock:
            number, self._next = self._next, self._next + 1
        self._ledger.enter(
            {
                "number": number,
                "arm": arm.name,
                "first_deal": arm.first_deal,
                "deals": arm.deals,
                "columns": {name: list(values.shape[1:]) for name, values in table.items()},
                "sha256": write_table(self._ledger.place, arm_name(number), pa.table(flat)),
            }
        )

    def add_seconds(self, seconds: float) -> None:
        """Enter that games were played for so many seconds more."""
        self._ledger.update({"seconds": round(self.manifest["seconds"] + seconds, 3)})

    def finish(self) -> None:
        """Enter that all is done."""
        self._ledger.update({"finished": True, "ended": now()})

    def tables(self, arms: Sequence[Arm]) -> dict[str, Table]:
        """Return the tables of arms that are done, by name."""
        names = {arm.name for arm in arms}
        return read_tables(
            self._ledger.place, [p for p in self.manifest["parts"] if p["arm"] in names]
        )


def arm_name(number: int) -> str:
    """Return the name of the file that holds the table of an arm."""
    return f"arms/arm-{number:05d}.parquet"


def read_tables(place: Place, parts: Sequence[Mapping[str, Any]]) -> dict[str, Table]:
    """Return the tables of arms by name, put together of the parts of a manifest.

    StoreError if one cannot be read.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    found: dict[str, list[Table]] = {}
    for part in sorted(parts, key=lambda part: int(part["first_deal"])):
        file = arm_name(part["number"])
        try:
            data = place.read(file)
            if sha256(data).hexdigest() != part["sha256"]:
                raise ValueError(f"it is not what was written: its sha256 differs from {MANIFEST}")
            columns = pq.ParquetFile(pa.BufferReader(data)).read()
            if columns.num_rows != part["deals"]:
                raise ValueError(f"it has {columns.num_rows} rows, not those of {MANIFEST}")
            table = {name: _column(columns, name, s) for name, s in part["columns"].items()}
            found.setdefault(part["arm"], []).append(table)
        except (
            OSError,
            ValueError,
            LookupError,
            TypeError,
            OverflowError,
            pa.ArrowException,
        ) as error:
            raise StoreError(f"{place}/{file} cannot be read: {first_line(error)}") from None
    return {arm: _joined(tables) for arm, tables in found.items()}


def _joined(tables: Sequence[Table]) -> Table:
    """Put the shares of an arm together, which have the same columns if one measure made them."""
    return {name: np.concatenate([table[name] for table in tables]) for name in tables[0]}


def _column(table: Any, name: str, shape: list[int]) -> Any:
    size = int(np.prod(shape, dtype=np.int64))
    flat = np.stack([table[f"{name}.{i}"].to_numpy() for i in range(size)], axis=1)
    if flat.dtype.kind not in "biuf":
        raise ValueError(f"{name} holds {table.schema.field(f'{name}.0').type}, not numbers")
    return flat.reshape(len(flat), *shape)


def read_experiment(place: Place) -> dict[str, Any]:
    """Return what run.json says, checked; StoreError if it is damaged or none."""
    found = read_json(place, MANIFEST, FORMAT)
    try:
        _check(found)
    except (ValueError, TypeError, LookupError, AttributeError, OverflowError) as error:
        raise DamagedError(f"{place}/{MANIFEST} is damaged: {first_line(error)}") from None
    return found


def _read_whole(place: Place) -> dict[str, Any]:
    """Return what run.json says, with those arms only whose tables are as they were written."""
    found = read_experiment(place)
    parts = [p for p in found["parts"] if is_intact(place, arm_name(p["number"]), p["sha256"])]
    return {**found, "parts": parts}


EXPERIMENT = Kind(MANIFEST, FORMAT, _read_whole, r"arms(/arm-\d+\.parquet)?")


def _check(manifest: Mapping[str, Any]) -> None:
    """Raise ValueError, or an error of the kind, for values of another type."""
    kinds: dict[str, type | tuple[type, ...]] = {
        **{"command": str, "versions": dict, "parts": list, "finished": bool},
        "seconds": (int, float),
    }
    for name, kind in kinds.items():
        if not isinstance(manifest.get(name), kind):
            raise ValueError(f"{name} is {quoted(manifest.get(name))}")
    for part in manifest["parts"]:
        shapes = part["columns"].values()
        numbers = [
            part["number"],
            part["first_deal"],
            part["deals"],
            *(n for shape in shapes for n in shape),
        ]
        texts = [part["arm"], part["sha256"], *part["columns"]]
        if not all(type(number) is int and number >= 0 for number in numbers):
            raise ValueError(f"parts: {quoted(part['arm'])} has no whole numbers")
        if not all(isinstance(text, str) for text in texts):
            raise ValueError("parts: texts are expected")
    for key in (("number",), ("arm", "first_deal")):
        if len({tuple(part[k] for k in key) for part in manifest["parts"]}) < len(
            manifest["parts"]
        ):
            raise ValueError(f"parts: two have one {' and '.join(key)}")
    if not math.isfinite(manifest["seconds"]):
        raise ValueError(f"seconds is {manifest['seconds']}")
