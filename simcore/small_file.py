"""Texts that a user names: rules and parameters. All are small files."""

from pathlib import Path

MOST = 1_000_000
"""Longest text, in characters: more is a mistake, and would take a long time to parse."""


def read_small(path: Path) -> str:
    """Return a text in UTF-8; raises OSError, and UnicodeDecodeError, for what is none.

    Refused are devices and pipes, which may have no end, and files longer than MOST.
    """
    if path.exists() and not path.is_file():
        raise OSError("no regular file")
    with path.open(encoding="utf-8-sig") as file:
        text = file.read(MOST + 1)
    if len(text) > MOST:
        raise OSError(f"longer than {MOST:,} characters")
    return text
