"""A run on disk: `run.json` beside Parquet parts. Only parts that run.json lists count.

A part is written under temporary names, renamed, and then entered in run.json, which is replaced in
one step; so a run cut short at any point holds whole parts and nothing else that counts.
"""

import hashlib
import importlib.metadata
import json
import os
import platform
import shutil
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from simcore.board import SPACES, parse_board
from simcore.frames import (
    COLUMNS,
    Chunk,
    Frames,
    Plan,
    Tables,
    conform,
    join_table,
    tables,
    to_frame,
    to_frames,
)
from simcore.jit import source_hash
from simcore.records import GAME_ROW, JACK_ROW, SEAT_ROW, SEQUENCE_ROW
from simcore.rules import MAX_SEATS, Rules

FORMAT = "sequence-lab-run/1"
MANIFEST = "run.json"
_TEMPORARY = ".tmp"
_PACKAGES = ("sequence-lab", "numpy", "numba", "pandas", "pyarrow")

# Rows are sorted by game, so differences take a bit or two where a dictionary of all values takes
# 27 bytes a game more (54 against 27) and twice the time. Level 6 saved 0.1 bytes, level 1 none.
_RISING = ("game", "deal", "turn", "turns")
_LEVEL = 3


class StoreError(ValueError):
    """A folder that cannot be used as asked; one line says what was given and what is allowed."""


def new_manifest(plan: Plan, command: str, games: int, deals: int) -> dict[str, Any]:
    """Return the contents of run.json for a run that is about to start."""
    names, players = plan.names, plan.rules.players
    return {
        "format": FORMAT,
        "command": command,
        "versions": _versions(),
        "source": source_hash(),
        "seed": int(plan.seed),
        "games": games,
        "deals": deals,
        "design": plan.design,
        "rules": plan.rules.settings(),
        "board": plan.board.rows(),
        "strategies": list(names),
        "seatings": [[names[bot] for bot in row[:players]] for row in plan.seatings.tolist()],
        "parts": [],
        "started": _now(),
        "ended": None,
        "seconds": 0.0,
        "finished": False,
    }


def _versions() -> dict[str, str]:
    versions = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            versions[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            versions[package] = "not installed"
    return versions


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def default_folder(command: str, seed: int) -> Path:
    """Return runs/COMMAND-SEED, with -2, -3, ... added if that exists."""
    base = Path("runs") / f"{command}-{seed}"
    folder, number = base, 1
    while os.path.lexists(folder):
        number += 1
        folder = base.with_name(f"{base.name}-{number}")
    return folder


def prepare(path: Path, resume: bool, overwrite: bool) -> dict[str, Any] | None:
    """Make `path` ready for a run; return the manifest of the run to go on with, if there is one.

    A folder that is not empty needs `resume` or `overwrite`, which removes what is in it only if it
    holds a run of ours. Raises StoreError, and then leaves everything as it was.
    """
    if resume and overwrite:
        raise StoreError("out: resume and overwrite; allowed: one of them")
    try:
        if not path.exists():
            _make(path)
            return None
        if not path.is_dir():
            raise StoreError(f"out: {path} is no folder; allowed: a folder, new or empty")
        found = _prepare_old(path, resume, overwrite)
        _check_writable(path)
        if found is None:
            _empty(path)
        return found
    except OSError as error:
        raise StoreError(f"out: {path} cannot be written: {error.strerror or error}") from None


def _prepare_old(path: Path, resume: bool, overwrite: bool) -> dict[str, Any] | None:
    # A run killed in its first moment leaves nothing but an unfinished run.json.
    if all(child.name == MANIFEST + _TEMPORARY for child in path.iterdir()):
        return None
    if resume:
        return load(path).manifest
    if not overwrite:
        allowed = "a folder that is new or empty, or to resume or overwrite the run in it"
        raise StoreError(f"out: {path} exists and is not empty; allowed: {allowed}")
    _read_json(path / MANIFEST)
    return None


def _make(path: Path) -> None:
    """Make a folder with its parents, and take back those made if that fails."""
    missing = [path, *path.parents]
    missing = [folder for folder in missing if not folder.exists()]
    made: list[Path] = []
    try:
        for folder in reversed(missing):
            folder.mkdir(exist_ok=True)
            made.append(folder)
        _check_writable(path)
    except OSError:
        for folder in reversed(made):
            folder.rmdir()
        raise


def _check_writable(path: Path) -> None:
    with tempfile.TemporaryFile(dir=path):
        pass


def _empty(path: Path) -> None:
    """Remove what is in a folder, run.json last, so that it stays one of ours until then."""
    for child in sorted(path.iterdir(), key=lambda child: child.name == MANIFEST):
        if child.is_dir() and not child.is_symlink():
            shutil.rmtree(child)
        else:
            child.unlink()


class Folder:
    """A run being written. `manifest` is what run.json holds; replaced, never changed in place."""

    def __init__(self, path: Path, manifest: dict[str, Any]) -> None:
        """Write run.json to an existing folder; OSError if that fails."""
        self.path = path
        self._lock = threading.Lock()
        for draft in path.glob(f"*/part-*{_TEMPORARY}"):
            draft.unlink()  # of a run that was killed
        self._replace(manifest)

    def write_part(self, number: int, first_deal: int, deals: int, tables: Tables) -> None:
        """Write a part's tables and enter it in run.json. Threads may write parts at once.

        OSError (a full disk, say) leaves no temporary file and the part out of run.json.
        """
        entry = {
            "number": number,
            "first_deal": first_deal,
            "deals": deals,
            "rows": {name: tables[name].num_rows for name in COLUMNS},
            "sha256": self._write_files(number, tables),
        }
        with self._lock:
            others = [part for part in self.manifest["parts"] if part["number"] != number]
            parts = sorted([*others, entry], key=lambda part: part["first_deal"])
            self._replace({**self.manifest, "parts": parts})

    def finish(self, seconds: float) -> None:
        """Enter that the run is whole, and the seconds it took since it was started or resumed."""
        with self._lock:
            total = self.manifest["seconds"] + round(seconds, 3)
            ended = {"ended": _now(), "seconds": total, "finished": True}
            self._replace({**self.manifest, **ended})

    def run(self) -> "Run":
        """Return the run as it is on disk by now."""
        return load(self.path)

    def _write_files(self, number: int, tables: Tables) -> dict[str, str]:
        files = {name: part_file(self.path, name, number) for name in COLUMNS}
        drafts = {name: file.with_name(file.name + _TEMPORARY) for name, file in files.items()}
        try:
            sums = {name: _write_table(draft, tables[name]) for name, draft in drafts.items()}
            for name, draft in drafts.items():
                os.replace(draft, files[name])
        finally:
            for draft in drafts.values():
                draft.unlink(missing_ok=True)
        return sums

    def _replace(self, manifest: dict[str, Any]) -> None:
        draft = self.path / (MANIFEST + _TEMPORARY)
        try:
            draft.write_text(_text(manifest), encoding="utf-8")
            os.replace(draft, self.path / MANIFEST)
        finally:
            draft.unlink(missing_ok=True)
        self.manifest = manifest


def _text(manifest: Mapping[str, Any]) -> str:
    """Return JSON with a line for each key and part; json's own indent is 20 times slower."""
    parts = ",\n ".join(json.dumps(part) for part in manifest["parts"])
    lines = [
        f'"{key}": [\n {parts}]' if key == "parts" else f"{json.dumps(key)}: {json.dumps(value)}"
        for key, value in manifest.items()
    ]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def part_file(folder: Path, name: str, number: int) -> Path:
    """Return where the table `name` of a part is kept."""
    return folder / name / f"part-{number:05d}.parquet"


def _write_table(file: Path, table: pa.Table) -> str:
    """Write a table; return the file's SHA-256."""
    file.parent.mkdir(exist_ok=True)
    rising = [name for name in table.column_names if name in _RISING]
    pq.write_table(
        table,
        file,
        compression="zstd",
        compression_level=_LEVEL,
        use_dictionary=[name for name in table.column_names if name not in rising],
        column_encoding=dict.fromkeys(rising, "DELTA_BINARY_PACKED"),
    )
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


class Run:
    """A run's manifest and tables, held in memory or read from disk when they are asked for."""

    def __init__(self, manifest: Mapping[str, Any], parts: Sequence[Tables]) -> None:
        """Take the tables of every part, in the order of deals."""
        self.manifest = dict(manifest)
        self._parts = parts

    def parts(self) -> Iterator[Frames]:
        """Give the frames of one part after the other, in the order of deals."""
        for part in self._parts:
            yield to_frames(part)

    def _whole(self, name: str) -> pd.DataFrame:
        found = [part[name] for part in self._parts]
        return to_frame(join_table(name, found or [_no_rows(plan_of(self.manifest))[name]]))

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

    def __init__(self, folder: Path, entry: Mapping[str, Any], like: Tables) -> None:
        self._folder, self._entry, self._like = folder, entry, like

    def __getitem__(self, name: str) -> pa.Table:
        file = part_file(self._folder, name, self._entry["number"])
        try:
            data = file.read_bytes()
            if hashlib.sha256(data).hexdigest() != self._entry["sha256"][name]:
                raise ValueError(f"it is not what was written: its sha256 differs from {MANIFEST}")
            table = conform(pq.ParquetFile(pa.BufferReader(data)).read(), self._like[name])
            if table.num_rows != self._entry["rows"][name]:
                raise ValueError(f"it has {table.num_rows} rows, not those of {MANIFEST}")
        except (OSError, ValueError, pa.ArrowException) as error:
            raise StoreError(f"{file} cannot be read: {_first_line(error)}") from None
        return table

    def __iter__(self) -> Iterator[str]:
        return iter(COLUMNS)

    def __len__(self) -> int:
        return len(COLUMNS)


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def load(folder: Path | str) -> Run:
    """Return the run in a folder; StoreError if there is none, or it is damaged."""
    path = Path(folder)
    manifest = read_manifest(path)
    like = _no_rows(plan_of(manifest))
    parts = sorted(manifest["parts"], key=lambda part: int(part["first_deal"]))
    for part in parts:
        for name in COLUMNS:
            file = part_file(path, name, part["number"])
            if not file.is_file():
                raise StoreError(f"{file} is missing; {MANIFEST} lists it")
    return Run(manifest, [_PartOnDisk(path, part, like) for part in parts])


def plan_of(manifest: Mapping[str, Any]) -> Plan:
    """Return the plan that a manifest was made of; ValueError if it fits none."""
    rules = Rules.from_settings(manifest["rules"])
    names = tuple(manifest["strategies"])
    seatings = np.zeros((len(manifest["seatings"]), MAX_SEATS), np.int64)
    for row, seats in zip(seatings, manifest["seatings"], strict=True):
        if len(seats) != rules.players:
            raise ValueError(f"seatings: {len(seats)} seats, not {rules.players}")
        if unknown := [name for name in seats if name not in names]:
            raise ValueError(f"seatings: {unknown[0]!r} is none of the strategies")
        row[: rules.players] = [names.index(name) for name in seats]
    board = parse_board(manifest["board"], rules.board)
    return Plan(rules, board, names, seatings, manifest["seed"], manifest["design"])


def _no_rows(plan: Plan) -> dict[str, pa.Table]:
    """Return tables of the right types without a game; spaces has its rows, of zeros."""
    games, seats, sequences, jacks = (
        np.zeros(0, kind) for kind in (GAME_ROW, SEAT_ROW, SEQUENCE_ROW, JACK_ROW)
    )
    spaces = np.zeros((MAX_SEATS, SPACES, 4), np.int64)
    return tables(Chunk(0, games, seats, sequences, jacks, spaces), plan)


def read_manifest(folder: Path) -> dict[str, Any]:
    """Return what run.json of a folder holds, checked; StoreError if it is damaged or none."""
    file = folder / MANIFEST
    manifest = _read_json(file)
    try:
        _check_manifest(manifest)
        plan_of(manifest)
    except (ValueError, TypeError, LookupError, AttributeError) as error:
        raise StoreError(f"{file} is damaged: {_first_line(error)}") from None
    return manifest


def _read_json(file: Path) -> dict[str, Any]:
    """Return what run.json says if its format is ours; StoreError if not."""
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise StoreError(f"{file.parent} holds no run: there is no {MANIFEST} in it") from None
    except OSError as error:
        raise StoreError(f"{file} cannot be read: {error.strerror or error}") from None
    except (ValueError, RecursionError) as error:
        raise StoreError(f"{file} is damaged: it is no JSON: {_first_line(error)}") from None
    given = found.get("format") if isinstance(found, dict) else None
    if given != FORMAT:
        raise StoreError(f"{file} has format {given!r}; allowed: {FORMAT!r}")
    return dict(found)


_TYPES: dict[str, tuple[type | tuple[type, ...], str]] = {
    **dict.fromkeys(("command", "source", "design", "started"), (str, "a text")),
    **dict.fromkeys(("seed", "games", "deals"), (int, "a number")),
    **dict.fromkeys(("board", "strategies", "seatings", "parts"), (list, "a list")),
    **dict.fromkeys(("versions", "rules"), (dict, "names and values")),
    "ended": ((str, type(None)), "a text or null"),
    "seconds": ((int, float), "a number"),
    "finished": (bool, "true or false"),
}
_PART_TYPES: dict[str, tuple[type | tuple[type, ...], str]] = {
    **dict.fromkeys(("number", "first_deal", "deals"), (int, "a number")),
    **dict.fromkeys(("rows", "sha256"), (dict, "names and values")),
}


def _check_manifest(manifest: Mapping[str, Any]) -> None:
    """Raise ValueError unless every value is of its type and no two parts share a deal."""
    _check_types("", manifest, _TYPES)
    if not 0 < len(manifest["strategies"]) <= MAX_SEATS or not manifest["seatings"]:
        raise ValueError("strategies and seatings: there is none, or there are too many")
    for name in manifest["strategies"]:
        _check_type("strategies", name, str, "texts")
    for part in manifest["parts"]:
        _check_type("parts", part, dict, "a list of parts")
        _check_types("parts: ", part, _PART_TYPES)
        for table in COLUMNS:
            _check_type(f"parts: rows of {table}", part["rows"].get(table), int, "a number")
            _check_type(f"parts: sha256 of {table}", part["sha256"].get(table), str, "a text")
    parts = sorted(manifest["parts"], key=lambda part: int(part["first_deal"]))
    if len({part["number"] for part in parts}) < len(parts):
        raise ValueError("parts: two have one number")
    end = 0
    for part in parts:
        if part["first_deal"] < end or part["deals"] < 1:
            raise ValueError(f"parts: part {part['number']} has deals of another part, or none")
        end = part["first_deal"] + part["deals"]


def _check_types(
    where: str,
    values: Mapping[str, Any],
    types: Mapping[str, tuple[type | tuple[type, ...], str]],
) -> None:
    for name, (wanted, text) in types.items():
        _check_type(where + name, values.get(name), wanted, text)


def _check_type(where: str, value: Any, wanted: type | tuple[type, ...], text: str) -> None:
    """Raise ValueError when a value is of another type; bool is no number, none is below 0."""
    fits = isinstance(value, wanted) and (wanted is bool or not isinstance(value, bool))
    if not fits or (isinstance(value, int) and value < 0):
        raise ValueError(f"{where} is {value!r:.60}; expected {text}")
