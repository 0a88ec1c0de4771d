"""Shares of a run put together: exactly, and only if none is missing or doubled."""

import shlex
from collections.abc import Iterator, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from simcore.ledger import Ledger, Manifest, refuse_other
from simcore.manifest import RUN, SAME, part_files, read_manifest
from simcore.place import Folder, Place, StoreError, place_of
from simcore.simulation import Part

_OF_ONE_RUN = tuple(key for key in SAME if key != "shard")


def merge(
    folders: Sequence[Path | str],
    out: Path | str,
    *,
    resume: bool = False,
    overwrite: bool = False,
) -> None:
    """Put the shares in `folders` (or at URLs) together as one run at `out`.

    The tables are those of the run played as a whole. Raises StoreError if the folders are not
    shares of one run, if a part is in none of them, in two, or damaged.
    """
    places = [place_of(folder) for folder in folders]
    shares = [read_manifest(place) for place in places]
    if not shares:
        raise StoreError("merge: no folder; allowed: the folders of all shares of a run")
    for place, share in zip(places[1:], shares[1:], strict=True):
        refuse_other(share, shares[0], _OF_ONE_RUN, place, "merge")
    to = place_of(out)
    for place in places:
        if _overlap(place, to):
            raise StoreError(f"merge: out {to} is in or around {place}; allowed: another folder")
    home = _homes(places, shares)
    # All of them before there is anything at `out`, or what lies there is removed.
    for place, part in home.values():
        for _ in _files(place, shares[0], part):
            pass
    new = {**shares[0], "command": _unshared(shares[0]["command"]), "shard": None, "parts": []}
    new["seconds"] = round(sum(share["seconds"] for share in shares), 3)
    new["finished"] = False
    with Ledger(to, RUN, new, SAME, resume, overwrite) as ledger:
        done = {part["number"] for part in ledger.manifest["parts"]}
        for number, (place, part) in sorted(home.items()):
            if number not in done:
                _copy(place, ledger.place, shares[0], part)
                ledger.enter(part)
        ledger.update({"ended": max(str(share["ended"]) for share in shares), "finished": True})


def _homes(
    places: Sequence[Place], shares: Sequence[Manifest]
) -> dict[int, tuple[Place, dict[str, Any]]]:
    """Return where each part lies; StoreError unless each part of the run lies in one place."""
    whole = part_numbers({**shares[0], "shard": None})
    home: dict[int, tuple[Place, dict[str, Any]]] = {}
    for place, share in zip(places, shares, strict=True):
        for part in share["parts"]:
            number = part["number"]
            found = Part(number, part["first_deal"], part["deals"])
            if number not in whole or found != _part(shares[0], number):
                raise StoreError(f"merge: part {number} of {place} is none of this run")
            if number in home:
                told = f"merge: part {number} is in {home[number][0]} and in {place}"
                raise StoreError(f"{told}; allowed: every share once")
            home[number] = place, part
    if missing := len(whole) - len(home):
        told = f"merge: {missing} of {len(whole)} parts are in none of the folders"
        first = _part(shares[0], next(number for number in whole if number not in home))
        last = first.first_deal + first.deals - 1
        wanted = "all shares, each finished"
        raise StoreError(
            f"{told}, the first being part {first.number}, deals {first.first_deal} to {last}"
            f"{_missing_shares(shares)}; allowed: {wanted}"
        )
    return home


def part_numbers(manifest: Manifest) -> range:
    """Return the numbers of the parts of a run, or of its shard, without a list of them."""
    number, shards = manifest["shard"] or (1, 1)
    return range(-(-manifest["deals"] // manifest["part_deals"]))[number - 1 :: shards]


def _part(manifest: Manifest, number: int) -> Part:
    first, deals = number * manifest["part_deals"], manifest["part_deals"]
    return Part(number, first, min(deals, manifest["deals"] - first))


def _missing_shares(shares: Sequence[Manifest]) -> str:
    told = [share["shard"] for share in shares if share["shard"]]
    if not told:
        return ""
    missing = sorted(set(range(1, told[0][1] + 1)) - {number for number, _ in told})
    listed = ", ".join(f"{number}/{told[0][1]}" for number in missing[:5])
    return f" (no folder of shard {listed}{', ...' if len(missing) > 5 else ''})" if missing else ""


def _copy(place: Place, to: Place, manifest: Manifest, part: Manifest) -> None:
    for name, data in _files(place, manifest, part):
        to.write(name, data)


def _files(place: Place, manifest: Manifest, part: Manifest) -> Iterator[tuple[str, bytes]]:
    """Give the files of a part; StoreError at one that is not as it was written."""
    for name, checksum in part_files(manifest, part).items():
        data = None
        with suppress(OSError):
            data = place.read(name)
        if data is None or sha256(data).hexdigest() != checksum:
            wanted = "files as written; the share's own command with --resume plays it again"
            raise StoreError(f"merge: {place}/{name} is missing or damaged; allowed: {wanted}")
        yield name, data


def _overlap(one: Place, other: Place) -> bool:
    """Return whether one place is the other, or lies in it."""
    if isinstance(one, Folder) and isinstance(other, Folder):
        a, b = one.path.resolve(), other.path.resolve()
        return a.is_relative_to(b) or b.is_relative_to(a)
    return str(one) == str(other)


def _unshared(command: str) -> str:
    """Return the command of a share without its share: that of the whole run."""
    try:
        words = iter(shlex.split(command))
    except ValueError:  # from elsewhere, with a quotation mark that opens nothing
        return command
    kept = []
    for word in words:
        if word in ("--shard", "--out"):
            next(words, None)
        elif not word.startswith(("--shard=", "--out=")) and word != "--resume":
            kept.append(word)
    return shlex.join(kept)
