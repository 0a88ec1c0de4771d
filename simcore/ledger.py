"""What is finished of a run: `run.json`, beside the parts that it lists, and no others count.

A part's files are written whole before the part is entered, and run.json is replaced in one step;
so a run cut short at any point holds whole parts. run.json ends with a checksum of itself.
"""

import json
import re
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from types import TracebackType
from typing import Any, Self

from simcore.given import quoted
from simcore.place import DRAFT, DamagedError, Place, StoreError
from simcore.reports import SUMS, files_of_report, is_draft, reports_in

Manifest = dict[str, Any]

_SPARSELY = 20
"""run.json is replaced after this many times as long as that takes: with 20,000 parts, a billion
games, it takes a quarter of a second, and replacing it for every part would take over an hour."""


@dataclass(frozen=True)
class Kind:
    """What lies at a place of ours: the name of its manifest, the format, and how it is read.

    `files` is a regular expression of the other files that it has. `listed` is the key of the list
    in the manifest that grows. `read` checks what a manifest says and leaves
    those parts in it that are whole; it raises StoreError.
    """

    manifest: str
    format: str
    read: Callable[[Place], Manifest]
    files: str
    listed: str = "parts"


class Ledger:
    """A manifest being written, under a lock. To be used in a `with` statement.

    `manifest` is what it holds; it is replaced, never changed in place.
    """

    def __init__(
        self,
        place: Place,
        kind: Kind,
        new: Manifest,
        same: Sequence[str],
        resume: bool = False,
        overwrite: bool = False,
    ) -> None:
        """Begin at a place that is new or empty, or go on with what lies there.

        `resume` goes on if the keys `same` are as in `new`; `overwrite` removes what lies there if
        it is ours. Raises StoreError, and then leaves everything as it was.
        """
        self.place, self._kind = place, kind
        self._guard = threading.Lock()
        self._cost, self._written, self._changed = 0.0, 0.0, False
        old = _claimed(place, kind, resume, overwrite)
        try:
            if old is not None:
                refuse_other(old, new, same, place)
            for name in place.names():
                if name.endswith(DRAFT):  # of a process that was killed
                    place.remove(name)
            self.manifest: Manifest = old or new
            self._write()
        except BaseException:
            place.unlock()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Enter what is finished, and give the lock back."""
        try:
            with self._guard:
                if self._changed:
                    self._write()
        except OSError:
            if error is None:
                raise
        finally:
            self.place.unlock()

    def enter(self, part: Mapping[str, Any]) -> None:
        """Enter a part whose files are written, in place of one of the same `number`."""
        with self._guard:
            number, others = part["number"], self.manifest[self._kind.listed]
            others = [other for other in others if other["number"] != number]
            parts = sorted([*others, part], key=lambda each: int(each["number"]))
            self.manifest = {**self.manifest, self._kind.listed: parts}
            self._changed = True
            if time.monotonic() - self._written > _SPARSELY * self._cost:
                self._write()

    def update(self, changes: Mapping[str, Any]) -> None:
        """Change keys of the manifest."""
        with self._guard:
            self.manifest = {**self.manifest, **changes}
            self._write()

    def _write(self) -> None:
        started = time.monotonic()
        text = manifest_text(self.manifest, self._kind.listed)
        self.place.write(self._kind.manifest, text.encode())
        self._written, self._changed = time.monotonic(), False
        self._cost = self._written - started


def _claimed(place: Place, kind: Kind, resume: bool, overwrite: bool) -> Manifest | None:
    """Lock a place and return what to go on with; StoreError leaves everything as it was."""
    if resume and overwrite:
        raise StoreError("out: resume and overwrite; allowed: one of them")
    try:
        if not place.make():
            _check_old(place, kind, resume, overwrite)
        place.lock()
    except OSError as error:
        raise StoreError(f"out: {place} cannot be written: {error.strerror or error}") from None
    try:
        # Once more, as it may have changed until the lock was there.
        begun = _check_old(place, kind, resume, overwrite)
        if begun and resume:
            return kind.read(place)
        _clear(place, kind)
    except OSError as error:
        place.unlock()
        raise StoreError(f"out: {place} cannot be written: {error.strerror or error}") from None
    except BaseException:
        place.unlock()
        raise
    return None


def _check_old(place: Place, kind: Kind, resume: bool, overwrite: bool) -> bool:
    """Return whether something was begun; StoreError unless it is ours and may be changed."""
    # A run killed in its first moment leaves nothing but an unfinished manifest.
    if set(place.names()) <= {kind.manifest + DRAFT}:
        return False
    if not resume and not overwrite:
        allowed = "a folder that is new or empty, or to resume or overwrite the run in it"
        raise StoreError(f"out: {place} exists and is not empty; allowed: {allowed}")
    read_json(place, kind.manifest, kind.format)
    return True


def _clear(place: Place, kind: Kind) -> None:
    """Remove what lies at a place, its manifest last, so that it stays one of ours until then.

    StoreError if there is something else: it is somebody's, and nothing is removed.
    """
    names = place.names()
    ours = {kind.manifest}
    for report in reports_in(names):
        ours |= {f"{report}/{SUMS}", *files_of_report(place, report)}
    for name in names:
        if not (name in ours or is_draft(name) or re.fullmatch(kind.files, name)):
            told = f"overwrite: {place} holds {name}, which is not ours"
            raise StoreError(f"{told}; allowed: after it is moved, or another folder")
    for name in sorted(names, key=lambda name: name == kind.manifest):
        place.remove(name)


class Recorded:
    """Something that is written with a ledger of its own, to be used in a `with` statement."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *ended: Any) -> None:
        """Enter what is finished, and let others write."""
        self._ledger.__exit__(*ended)

    @property
    def manifest(self) -> Manifest:
        """What the ledger's file holds."""
        return self._ledger.manifest


def refuse_other(
    old: Manifest, new: Manifest, same: Sequence[str], place: object, asked: str = "resume"
) -> None:
    """Raise StoreError with the first difference in one of the keys `same`."""
    told = json.loads(json.dumps({key: new.get(key) for key in same}))
    for key in same:
        name = "file of a bot" if key == "files" else key
        if difference := _difference(name, old.get(key), told[key]):
            allowed = f"its own command, {old.get('command')}"
            raise StoreError(f"{asked}: {place} has another {difference}; allowed: {allowed}")


def _difference(name: str, old: object, new: object) -> str:
    """Say in what two values differ; nothing if they are equal."""
    if old == new:
        return ""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in {**new, **old}:
            if old.get(key) != new.get(key):
                return f"{name}: {_difference(str(key), old.get(key), new.get(key))}"
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        at = next(at for at in range(len(old)) if old[at] != new[at])
        return f"{name}: {_difference(f'no. {at + 1}', old[at], new[at])}"
    return f"{name}: {_short(old)}, not {_short(new)}"


def _short(value: object) -> str:
    text = "nothing" if value is None else json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def manifest_text(manifest: Mapping[str, Any], listed: str) -> str:
    """Return JSON with a line for each key and part, and a checksum of all lines before the last.

    json's own indent is 20 times slower.
    """
    lines = []
    for key, value in manifest.items():
        text = json.dumps(value)
        if key == listed:
            text = "[\n " + ",\n ".join(map(json.dumps, value)) + "]"
        lines.append(f"{json.dumps(key)}: {text}")
    body = "{\n" + ",\n".join(lines) + ",\n"
    return f'{body}"checksum": "{sha256(body.encode()).hexdigest()}"\n}}\n'


def read_json(place: Place, name: str, *wanted: str) -> Manifest:
    """Return what a manifest says if its format is one wanted and its checksum fits.

    StoreError if not, DamagedError if it is not what was written.
    """
    file = f"{place}/{name}"
    try:
        data = place.read(name)
        found = json.loads(data.decode())
    except (FileNotFoundError, NotADirectoryError):
        kind = name.removesuffix(".json")
        raise StoreError(f"{place} holds no {kind}: there is no {name} in it") from None
    except OSError as error:
        raise StoreError(f"{file} cannot be read: {error.strerror or error}") from None
    except (ValueError, RecursionError) as error:
        raise DamagedError(f"{file} is damaged: it is no JSON: {first_line(error)}") from None
    if not isinstance(found, dict):
        raise DamagedError(f"{file} is damaged: it holds {quoted(found)}, not names and values")
    given = found.get("format")
    if given not in wanted:
        allowed = " or ".join(map(repr, wanted))
        raise StoreError(f"{file} has format {quoted(given)}; allowed: {allowed}")
    if not _is_sealed(data, found.pop("checksum", None)):
        raise DamagedError(f"{file} is damaged: it is not what was written: its checksum differs")
    return dict(found)


def _is_sealed(data: bytes, checksum: object) -> bool:
    """Return whether a manifest ends as `manifest_text` ends it."""
    body, mark, _ = data.rpartition(b'"checksum"')
    ending = f'"checksum": "{sha256(body).hexdigest()}"\n}}\n'.encode()
    return bool(mark) and isinstance(checksum, str) and data == body + ending


def first_line(error: Exception) -> str:
    """Return the first line of an error's text, or its kind if it has none."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
