"""A run's manifest and tables, in memory or read from disk."""

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from simcore.board import SPACES
from simcore.frames import Frames, Tables, conform, join_table, tables, to_frame, to_frames
from simcore.ledger import first_line
from simcore.manifest import (
    MANIFEST,
    check_files,
    part_name,
    plan_of,
    read_manifest,
)
from simcore.place import Place, StoreError, place_of
from simcore.plan import Chunk, Plan
from simcore.records import GAME_ROW, JACK_ROW, SEAT_ROW, SEQUENCE_ROW
from simcore.rules import MAX_SEATS
from simcore.sums import Array, checked, unpack


class Run:
    """A run's manifest and tables, held in memory or read from disk when they are asked for."""

    def __init__(self, manifest: Mapping[str, Any], parts: Sequence[Tables]) -> None:
        """Take the tables of every part, in the order of deals."""
        self.manifest = dict(manifest)
        self._parts = parts

    def parts(self) -> Iterator[Frames]:
        """Give the frames of one part after the other, in the order of deals.

        StoreError for a run that keeps a summary only, as for its tables.
        """
        self._check_kept("tables")
        for part in self._parts:
            yield to_frames(part)

    def sums(self) -> Iterator[dict[str, dict[str, Array]]]:
        """Give the sums of one part after the other, of a run that keeps a summary only."""
        self._check_kept("summary")
        for part in self._parts:
            yield unpack(part["sums"])

    def _check_kept(self, wanted: str) -> None:
        kept = self.manifest["keep"]
        if kept != wanted:
            raise StoreError(f"the run keeps {kept}; allowed here: one that keeps {wanted}")

    def _whole(self, name: str) -> pd.DataFrame:
        self._check_kept("tables")
        found = [part[name] for part in self._parts]
        return to_frame(join_table(name, found or [no_rows(plan_of(self.manifest))[name]]))

    @property
    def games(self) -> pd.DataFrame:
        """One row a game; the columns are those of `frames.COLUMNS`, as in all tables."""
        return self._whole("games")

    @property
    def seats(self) -> pd.DataFrame:
        """One row a seat of each game."""
        return self._whole("seats")

    @property
    def sequences(self) -> pd.DataFrame:
        """One row a sequence scored."""
        return self._whole("sequences")

    @property
    def jacks(self) -> pd.DataFrame:
        """One row a jack played, or held at the end."""
        return self._whole("jacks")

    @property
    def spaces(self) -> pd.DataFrame:
        """One row a strategy and space: sums over the run."""
        return self._whole("spaces")


class _PartOnDisk(Mapping[str, pa.Table]):
    """The tables of a part, each read and checked when asked for; StoreError if that fails."""

    def __init__(self, place: Place, entry: Mapping[str, Any], like: Tables) -> None:
        """Take what run.json says of the part, and tables without rows, where they have a type."""
        self._place, self._entry, self._like = place, entry, like

    def __getitem__(self, name: str) -> pa.Table:
        file = part_name(name, self._entry["number"])
        try:
            data = self._place.read(file)
            if sha256(data).hexdigest() != self._entry["sha256"][name]:
                raise ValueError(f"it is not what was written: its sha256 differs from {MANIFEST}")
            table = decode_table(name, data, self._like)
            if table.num_rows != self._entry["rows"][name]:
                raise ValueError(f"it has {table.num_rows} rows, not those of {MANIFEST}")
        except (OSError, ValueError, pa.ArrowException) as error:
            told = f"{self._place}/{file} cannot be read: {first_line(error)}"
            raise StoreError(told) from None
        return table

    def __iter__(self) -> Iterator[str]:
        return iter(self._entry["sha256"])

    def __len__(self) -> int:
        return len(self._entry["sha256"])


def decode_table(name: str, data: bytes, like: Tables) -> pa.Table:
    """Return the table that a file of a part holds; ValueError or ArrowException if it is none."""
    table = pq.ParquetFile(pa.BufferReader(data)).read()
    return conform(table, like[name]) if name in like else checked(table)


def load(folder: Path | str) -> Run:
    """Return the run in a folder or at a URL; StoreError if there is none, or it is damaged."""
    place = place_of(folder)
    manifest = read_manifest(place)
    like = no_rows(plan_of(manifest))
    check_files(place, manifest)
    parts = sorted(manifest["parts"], key=lambda part: int(part["first_deal"]))
    return Run(manifest, [_PartOnDisk(place, part, like) for part in parts])


def no_rows(plan: Plan) -> dict[str, pa.Table]:
    """Return tables of the right types without a game; spaces has its rows, of zeros."""
    games, seats, sequences, jacks = (
        np.zeros(0, kind) for kind in (GAME_ROW, SEAT_ROW, SEQUENCE_ROW, JACK_ROW)
    )
    spaces = np.zeros((MAX_SEATS, SPACES, 4), np.int64)
    return tables(Chunk(0, games, seats, sequences, jacks, spaces), plan)
