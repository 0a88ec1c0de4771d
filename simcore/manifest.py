"""What `run.json` says: made, read and checked. One from elsewhere is data, never trusted."""

import hashlib
import importlib.metadata
import json
import platform
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from simcore.board import parse_board
from simcore.jit import source_hash
from simcore.plan import TABLES, Plan
from simcore.rules import MAX_SEATS, Rules

FORMAT = "sequence-lab-run/1"
MANIFEST = "run.json"
_PACKAGES = ("sequence-lab", "numpy", "numba", "pandas", "pyarrow")


class StoreError(ValueError):
    """A folder that cannot be used as asked; one line says what was given and what is allowed."""


def new_manifest(plan: Plan, command: str, games: int, deals: int) -> dict[str, Any]:
    """Return the contents of run.json for a run that is about to start."""
    names, players = plan.names, plan.rules.players
    return {
        "format": FORMAT,
        "command": command,
        "versions": versions_of(_PACKAGES),
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
        "started": now(),
        "ended": None,
        "seconds": 0.0,
        "finished": False,
    }


def versions_of(packages: Sequence[str]) -> dict[str, str]:
    """Return the versions of Python and of packages that are installed here."""
    versions = {"python": platform.python_version()}
    for package in packages:
        try:
            versions[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            versions[package] = "not installed"
    return versions


def now() -> str:
    """Return the time as run.json has it, UTC to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


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


def read_manifest(folder: Path) -> dict[str, Any]:
    """Return what run.json of a folder holds, checked; StoreError if it is damaged or none."""
    file = folder / MANIFEST
    manifest = read_json(file)
    try:
        _check_manifest(manifest)
        plan_of(manifest)
    except (ValueError, TypeError, LookupError, AttributeError) as error:
        raise StoreError(f"{file} is damaged: {first_line(error)}") from None
    return manifest


def read_json(file: Path, wanted: str = FORMAT) -> dict[str, Any]:
    """Return what a manifest says if its format is the one wanted; StoreError if not."""
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        told = f"{file.parent} holds no {file.stem}: there is no {file.name} in it"
        raise StoreError(told) from None
    except OSError as error:
        raise StoreError(f"{file} cannot be read: {error.strerror or error}") from None
    except (ValueError, RecursionError) as error:
        raise StoreError(f"{file} is damaged: it is no JSON: {first_line(error)}") from None
    given = found.get("format") if isinstance(found, dict) else None
    if given != wanted:
        raise StoreError(f"{file} has format {given!r}; allowed: {wanted!r}")
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
    check_hashes(manifest)
    if not 0 < len(manifest["strategies"]) <= MAX_SEATS or not manifest["seatings"]:
        raise ValueError("strategies and seatings: there is none, or there are too many")
    for name in manifest["strategies"]:
        _check_type("strategies", name, str, "texts")
    for part in manifest["parts"]:
        _check_type("parts", part, dict, "a list of parts")
        _check_types("parts: ", part, _PART_TYPES)
        for table in TABLES:
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


def check_hashes(manifest: Mapping[str, Any]) -> None:
    """Raise ValueError unless `files` holds the hashes of bots' files; older folders have none."""
    files = manifest.get("files", {})
    _check_type("files", files, dict, "names and hashes")
    for source in files.values():
        _check_type("files", source, str, "names and hashes")


def check_bot_files(path: Path, old: Mapping[str, Any], files: Mapping[str, str]) -> None:
    """Raise StoreError if a bot's file is not what it was when a folder was begun."""
    for name, source in files.items():
        if old.get("files", {}).get(name) != source:
            told = f"resume: the file of {name} has changed since {path} was begun"
            raise StoreError(f"{told}; allowed: the file as it was, or a new folder")


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


def part_file(folder: Path, name: str, number: int) -> Path:
    """Return where the table `name` of a part is kept."""
    return folder / name / f"part-{number:05d}.parquet"


def first_line(error: Exception) -> str:
    """Return the first line of an error's text, or its kind if it has none."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def intact_parts(folder: Path, manifest: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the parts whose files are all there as they were written, by their checksums."""
    return [
        part
        for part in manifest["parts"]
        if all(_is_intact(part_file(folder, name, part["number"]), part, name) for name in TABLES)
    ]


def _is_intact(file: Path, part: Mapping[str, Any], name: str) -> bool:
    try:
        with file.open("rb") as stream:
            found = hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError:
        return False
    return found == str(part["sha256"][name])


def check_files(folder: Path, manifest: Mapping[str, Any]) -> None:
    """Raise StoreError if a file of a part that the manifest lists is missing."""
    for part in manifest["parts"]:
        for name in TABLES:
            file = part_file(folder, name, part["number"])
            if not file.is_file():
                raise StoreError(f"{file} is missing; {MANIFEST} lists it")
