"""What users give: files that are read, and what is said of them, in one line that ends.

A text or a number of a file may be of any size, hold what commands a terminal, or lie deeper than
Python can follow.
"""

import tomllib
from pathlib import Path
from typing import Any

MOST_BYTES = 1_000_000
"""Of a file of settings; the longest that is shipped has 2,000."""

_MOST, _END = 500, 200
"""Letters of a message, and those at its end, which says what is allowed, that are always told."""


class InputError(ValueError):
    """Input that cannot be used: one line says what was given and what is allowed."""

    def __init__(self, message: str = "") -> None:
        text = tame(message)
        if len(text) > _MOST:
            text = f"{text[: _MOST - _END - 5]} ... {text[-_END:]}"
        super().__init__(text)


def tame(text: str) -> str:
    """Return a text in one line, without what would command the terminal: names may hold that."""
    return "".join(c if c.isprintable() else "?" for c in " ".join(text.split()))


def quoted(value: object, most: int = 60) -> str:
    """Return a value as Python writes it, or the start of that."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # more digits, or deeper, than Python writes
        text = f"a {type(value).__name__} too large to show"
    return text if len(text) <= most else f"{text[: most - 3]}..."


def is_file(path: Path) -> bool:
    """Return whether there is such a file, for what can be no file's name too."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def read_text(file: Path) -> str:
    """Return what a file of settings holds; InputError says why not, without its name."""
    try:
        if file.exists() and not file.is_file():  # a device or a pipe may have no end
            raise InputError("no regular file")
        with file.open("rb") as stream:
            data = stream.read(MOST_BYTES + 1)
    except OSError as error:
        raise InputError(error.strerror or str(error)) from None
    except InputError:
        raise
    except ValueError:  # a NUL, or half of a surrogate pair
        raise InputError("no file can have this name") from None
    if len(data) > MOST_BYTES:
        raise InputError(f"more than {MOST_BYTES:,} bytes")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"no UTF-8 at byte {error.start + 1}") from None


def parse_toml(text: str) -> dict[str, Any]:
    """Return what a TOML text says; InputError if it is none."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(str(error)) from None
    except ValueError:
        raise InputError("a number of thousands of digits") from None
    except RecursionError:
        raise InputError("lists or tables nested too deeply") from None
