"""Whether what lies in a folder is what was written there, all of it and nothing else."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256

from simcore.ledger import Manifest
from simcore.manifest import KEPT, MANIFEST, part_files
from simcore.place import Place
from simcore.reports import SUMS, files_of_report, is_draft, reports_in

_PART = re.compile(rf"({'|'.join({t for kept in KEPT.values() for t in kept})}|arms)/\w+-\d+\.\w+")


@dataclass(frozen=True)
class Finding:
    """Something wrong with a file, or with the run.

    `kind` is missing, damaged, foreign, surplus or unfinished.
    """

    kind: str
    name: str
    told: str


def check(place: Place, files: Mapping[str, str]) -> list[Finding]:
    """Return what is wrong with the files at a place, of which `files` are those of the parts.

    `files` are checksums by name. Of reports it is looked at whether they are as they were written.
    """
    names = place.names()
    found = list(_of_files(place, names, files, f"{MANIFEST} lists it"))
    reported: set[str] = set()
    for report in reports_in(names):
        sums = f"{report}/{SUMS}"
        reported.add(sums)
        try:
            listed = files_of_report(place, report)
        except OSError as error:
            found.append(_unreadable(sums, error))
            continue
        reported |= listed.keys()
        found += _of_files(place, names, listed, f"{sums} lists it")
    for name in sorted(set(names) - files.keys() - reported - {MANIFEST}):
        found.append(_unlisted(name))
    return found


def _of_files(
    place: Place, names: list[str], files: Mapping[str, str], listed: str
) -> Iterator[Finding]:
    there = set(names)
    for name, checksum in files.items():
        if name not in there:
            yield Finding("missing", name, listed)
            continue
        try:
            if sha256(place.read(name)).hexdigest() != checksum:
                yield Finding("damaged", name, "it is not what was written: its sha256 differs")
        except OSError as error:
            yield _unreadable(name, error)


def _unreadable(name: str, error: OSError) -> Finding:
    return Finding("damaged", name, f"it cannot be read: {error.strerror or error}")


def _unlisted(name: str) -> Finding:
    if is_draft(name):
        return Finding("surplus", name, "left by a process that was killed; it does not count")
    if _PART.fullmatch(name):
        return Finding("surplus", name, f"{MANIFEST} does not list it, so it does not count")
    return Finding("foreign", name, "no file of a run")


def unfinished(manifest: Manifest, numbers: range) -> list[Finding]:
    """Return a finding for the parts of a run that are not there yet, of these numbers."""
    missing = len(numbers) - sum(part["number"] in numbers for part in manifest["parts"])
    if not missing:
        return []
    told = f"{missing} of {len(numbers)} parts are not played; its command with --resume does"
    return [Finding("unfinished", MANIFEST, told)]


def files_of_run(manifest: Manifest) -> dict[str, str]:
    """Return the checksums of a run's files by name."""
    return {
        name: checksum
        for part in manifest["parts"]
        for name, checksum in part_files(manifest, part).items()
    }
