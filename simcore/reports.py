"""What lies in the folder of a report: its files, which SHA256SUMS lists as sha256sum does."""

import re
from collections.abc import Mapping, Sequence
from hashlib import sha256

from simcore.place import DRAFT, Place

SUMS = "SHA256SUMS"

_DRAFT_OF_REPORT = re.compile(r"\.[^/]+-[a-z0-9_]{8}/")
"""A report is written in a folder of such a name, which then takes that of the report."""


def is_draft(name: str) -> bool:
    """Return whether a file is one that a process was writing."""
    return name.endswith(DRAFT) or bool(_DRAFT_OF_REPORT.match(name))


def sums_text(files: Mapping[str, bytes]) -> str:
    """Return what SHA256SUMS of a report says of its files by name."""
    lines = (f"{sha256(files[name]).hexdigest()}  {name}\n" for name in sorted(files))
    return "".join(lines)


def reports_in(names: Sequence[str]) -> list[str]:
    """Return the folders of reports at a place, of which these are the files."""
    return sorted({name.partition("/")[0] for name in names if name.endswith(f"/{SUMS}")})


def files_of_report(place: Place, report: str) -> dict[str, str]:
    """Return the checksums of a report's files by name; a line that is none names no file.

    OSError if the list cannot be read.
    """
    text = place.read(f"{report}/{SUMS}").decode(errors="replace")
    lines = [line.partition("  ") for line in text.splitlines()]
    return {f"{report}/{name}": checksum for checksum, _, name in lines}
