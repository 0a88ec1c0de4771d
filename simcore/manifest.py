"""What a run's `run.json` says: made, read and checked. One from elsewhere is never trusted."""

import importlib.metadata
import math
import platform
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

import numpy as np

from simcore.board import parse_board
from simcore.given import quoted
from simcore.jit import source_hash
from simcore.ledger import Kind, first_line, read_json
from simcore.place import DamagedError, Place, StoreError
from simcore.plan import MAX_DEALS, MAX_SHARDS, TABLES, Plan
from simcore.rules import MAX_SEATS, Rules

FORMAT = "sequence-lab-run/2"
MANIFEST = "run.json"
_PACKAGES = ("sequence-lab", "numpy", "numba", "pandas", "pyarrow")

SUMMARY = ("sums",)
KEPT = {"tables": TABLES, "summary": SUMMARY}
"""The files of a part, by what a run keeps."""

_DESIGNS = ("swap", "rotate", "none")

SAME = (
    *("source", "seed", "games", "rules", "board", "strategies", "design", "deals", "seatings"),
    *("files", "keep", "keep_source", "shard", "part_deals"),
)
"""What has to be the same for a run to go on."""


def new_manifest(plan: Plan, command: str, deals: int, part_deals: int) -> dict[str, Any]:
    """Return the contents of run.json for a run that is about to start.

    `part_deals` are the deals of every part but the last.
    """
    names, players = plan.names, plan.rules.players
    return {
        "format": FORMAT,
        "command": command,
        "versions": versions_of(_PACKAGES),
        "source": source_hash(),
        "seed": int(plan.seed),
        "games": deals * len(plan.seatings),
        "deals": deals,
        "part_deals": part_deals,
        "shard": None,
        "keep": "tables",
        "keep_source": None,
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
            raise ValueError(f"seatings: {quoted(unknown[0])} is none of the strategies")
        row[: rules.players] = [names.index(name) for name in seats]
    board = parse_board(manifest["board"], rules.board)
    return Plan(rules, board, names, seatings, manifest["seed"], manifest["design"])


def read_manifest(place: Place) -> dict[str, Any]:
    """Return what run.json at a place holds, checked; StoreError if it is damaged or none."""
    manifest = read_json(place, MANIFEST, FORMAT)
    try:
        _check_manifest(manifest)
        rules = plan_of(manifest).rules.settings()  # every switch, also of those not told
    except (ValueError, TypeError, LookupError, AttributeError, OverflowError) as error:
        raise DamagedError(f"{place}/{MANIFEST} is damaged: {first_line(error)}") from None
    return {**manifest, "rules": rules}


_TYPES: dict[str, tuple[type | tuple[type, ...], str]] = {
    **dict.fromkeys(("command", "source", "design", "started"), (str, "a text")),
    **dict.fromkeys(("seed", "games", "deals", "part_deals"), (int, "a number")),
    **dict.fromkeys(("board", "strategies", "seatings", "parts"), (list, "a list")),
    **dict.fromkeys(("versions", "rules"), (dict, "names and values")),
    "ended": ((str, type(None)), "a text or null"),
    "shard": ((list, type(None)), "two numbers or null"),
    "keep": (str, "a text"),
    "keep_source": ((str, type(None)), "a text or null"),
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
    if manifest["design"] not in _DESIGNS:
        told = f"design is {quoted(manifest['design'])}"
        raise ValueError(f"{told}; expected one of {', '.join(_DESIGNS)}")
    if manifest["keep"] not in KEPT:
        raise ValueError(f"keep is {quoted(manifest['keep'])}; expected one of {', '.join(KEPT)}")
    if manifest["deals"] > MAX_DEALS or manifest["part_deals"] < 1:
        told = f"deals is {quoted(manifest['deals'])}, part_deals {quoted(manifest['part_deals'])}"
        raise ValueError(f"{told}; expected up to {MAX_DEALS}, and 1 or more")
    if manifest["shard"] is not None:
        _check_shard(manifest["shard"])
    for part in manifest["parts"]:
        _check_type("parts", part, dict, "a list of parts")
        _check_types("parts: ", part, _PART_TYPES)
        for table in KEPT[manifest["keep"]]:
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


def _check_shard(shard: Any) -> None:
    whole = len(shard) == 2 and all(type(number) is int for number in shard)
    if not whole or not 1 <= shard[0] <= shard[1] <= MAX_SHARDS:
        raise ValueError(f"shard is {quoted(shard)}; expected two numbers or null")


def check_hashes(manifest: Mapping[str, Any]) -> None:
    """Raise ValueError unless `files` holds the hashes of bots' files; older folders have none."""
    files = manifest.get("files", {})
    _check_type("files", files, dict, "names and hashes")
    for source in files.values():
        _check_type("files", source, str, "names and hashes")


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
    fits = fits and not (isinstance(value, float) and not math.isfinite(value))
    if not fits or (isinstance(value, int) and value < 0):
        raise ValueError(f"{where} is {quoted(value)}; expected {text}")


def part_name(table: str, number: int) -> str:
    """Return the name of the file that holds a table of a part."""
    return f"{table}/part-{number:05d}.parquet"


def part_files(manifest: Mapping[str, Any], part: Mapping[str, Any]) -> dict[str, str]:
    """Return the checksums of the files of a part by name."""
    return {
        part_name(table, part["number"]): str(part["sha256"][table])
        for table in KEPT[manifest["keep"]]
    }


def is_intact(place: Place, name: str, checksum: str) -> bool:
    """Return whether a file is there, and as it was written."""
    try:
        return sha256(place.read(name)).hexdigest() == checksum
    except OSError:
        return False


def _read_run(place: Place) -> dict[str, Any]:
    """Return run.json with those parts only that are whole."""
    manifest = read_manifest(place)
    parts = [
        part
        for part in manifest["parts"]
        if all(is_intact(place, *file) for file in part_files(manifest, part).items())
    ]
    return {**manifest, "parts": parts}


_FILES = "|".join(table for kept in KEPT.values() for table in kept)
RUN = Kind(MANIFEST, FORMAT, _read_run, rf"({_FILES})(/part-\d+\.parquet)?")


def check_files(place: Place, manifest: Mapping[str, Any]) -> None:
    """Raise StoreError if a file of a part that the manifest lists is missing."""
    there = set(place.names())
    for part in manifest["parts"]:
        for name in part_files(manifest, part):
            if name not in there:
                raise StoreError(f"{place}/{name} is missing; {MANIFEST} lists it")
