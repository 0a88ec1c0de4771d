"""A run on disk: `run.json` beside Parquet parts. Only parts that run.json lists count.

A part is written under temporary names, renamed, and then entered in run.json, which is replaced in
one step; so a run cut short at any point holds whole parts and nothing else that counts.
"""

import hashlib
import json
import os
import shutil
import tempfile
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simcore.manifest import (
    FORMAT,
    MANIFEST,
    StoreError,
    intact_parts,
    now,
    part_file,
    read_json,
    read_manifest,
)
from simcore.plan import TABLES

if TYPE_CHECKING:
    import pyarrow as pa

    from simcore.frames import Tables

_TEMPORARY = ".tmp"

# Rows are sorted by game, so differences take a bit or two where a dictionary of all values takes
# 27 bytes a game more (54 against 27) and twice the time. Level 6 saved 0.1 bytes, level 1 none.
_RISING = ("game", "deal", "turn", "turns")
_LEVEL = 3


def default_folder(command: str, seed: int) -> Path:
    """Return runs/COMMAND-SEED, with -2, -3, ... added if that exists."""
    base = Path("runs") / f"{command}-{seed}"
    folder, number = base, 1
    while os.path.lexists(folder):
        number += 1
        folder = base.with_name(f"{base.name}-{number}")
    return folder


def _read_run(path: Path) -> dict[str, Any]:
    manifest = read_manifest(path)
    return {**manifest, "parts": intact_parts(path, manifest)}


@dataclass(frozen=True)
class Kind:
    """What a folder of ours holds: the name of its manifest, the format, and how it is read."""

    manifest: str
    format: str
    read: Callable[[Path], dict[str, Any]]


RUN = Kind(MANIFEST, FORMAT, _read_run)


def prepare(path: Path, resume: bool, overwrite: bool, kind: Kind = RUN) -> dict[str, Any] | None:
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
        found = _prepare_old(path, resume, overwrite, kind)
        _check_writable(path)
        if found is None:
            _empty(path, kind)
        return found
    except OSError as error:
        raise StoreError(f"out: {path} cannot be written: {error.strerror or error}") from None


def _prepare_old(path: Path, resume: bool, overwrite: bool, kind: Kind) -> dict[str, Any] | None:
    # A run killed in its first moment leaves nothing but an unfinished manifest.
    if all(child.name == kind.manifest + _TEMPORARY for child in path.iterdir()):
        return None
    if resume:
        return kind.read(path)
    if not overwrite:
        allowed = "a folder that is new or empty, or to resume or overwrite the run in it"
        raise StoreError(f"out: {path} exists and is not empty; allowed: {allowed}")
    read_json(path / kind.manifest, kind.format)
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


def _empty(path: Path, kind: Kind) -> None:
    """Remove what is in a folder, its manifest last, so that it stays one of ours until then."""
    for child in sorted(path.iterdir(), key=lambda child: child.name == kind.manifest):
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

    def write_part(self, number: int, first_deal: int, deals: int, tables: "Tables") -> None:
        """Write a part's tables and enter it in run.json. Threads may write parts at once.

        OSError (a full disk, say) leaves no temporary file and the part out of run.json.
        """
        entry = {
            "number": number,
            "first_deal": first_deal,
            "deals": deals,
            "rows": {name: tables[name].num_rows for name in TABLES},
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
            ended = {"ended": now(), "seconds": total, "finished": True}
            self._replace({**self.manifest, **ended})

    def _write_files(self, number: int, tables: "Tables") -> dict[str, str]:
        files = {name: part_file(self.path, name, number) for name in TABLES}
        drafts = {name: file.with_name(file.name + _TEMPORARY) for name, file in files.items()}
        try:
            sums = {name: write_table(draft, tables[name]) for name, draft in drafts.items()}
            for name, draft in drafts.items():
                os.replace(draft, files[name])
        finally:
            for draft in drafts.values():
                draft.unlink(missing_ok=True)
        return sums

    def _replace(self, manifest: dict[str, Any]) -> None:
        replace_text(self.path / MANIFEST, manifest_text(manifest))
        self.manifest = manifest


def replace_text(file: Path, text: str) -> None:
    """Write a file anew in one step; OSError leaves the old one."""
    draft = file.with_name(file.name + _TEMPORARY)
    try:
        draft.write_text(text, encoding="utf-8")
        os.replace(draft, file)
    finally:
        draft.unlink(missing_ok=True)


def manifest_text(manifest: Mapping[str, Any]) -> str:
    """Return JSON with a line for each key and part; json's own indent is 20 times slower."""
    parts = ",\n ".join(json.dumps(part) for part in manifest["parts"])
    lines = [
        f'"{key}": [\n {parts}]' if key == "parts" else f"{json.dumps(key)}: {json.dumps(value)}"
        for key, value in manifest.items()
    ]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def write_table(file: Path, table: "pa.Table") -> str:
    """Write a table; return the file's SHA-256."""
    # Only here: half a second that would stand between the command and its first game.
    import pyarrow.parquet as pq

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
