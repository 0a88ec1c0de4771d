"""A tune's folder: `tune.json`, which grows by a generation at a time, and `params.toml`.

The state of the search is not kept: it is a function of seed and scores, which tune.json has, so
that going on means to tell the scores of the past again.
"""

import json
import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from simcore.jit import source_hash
from simcore.manifest import (
    StoreError,
    check_bot_files,
    check_hashes,
    first_line,
    now,
    read_json,
    versions_of,
)
from simcore.store import Kind, prepare, replace_text
from simcore.strategy import bot_files
from tuning import words
from tuning.task import Task

FORMAT = "sequence-lab-tune/1"
MANIFEST = "tune.json"
PARAMS = "params.toml"
_PACKAGES = ("sequence-lab", "numpy", "numba", "cma")


class Record:
    """A tune being written. `manifest` is what tune.json holds; replaced as a whole."""

    def __init__(self, path: Path, task: Task, command: str, resume: bool, overwrite: bool) -> None:
        """Make the folder ready; StoreError if it cannot be used, or holds another tune."""
        self.path = path
        new = {
            "format": FORMAT,
            "command": command,
            "versions": versions_of(_PACKAGES),
            "source": source_hash(),
            **task.told(),
            "files": bot_files((task.start, *task.against)),
            "generations": [],
            "result": None,
            "started": now(),
            "seconds": 0.0,
            "finished": False,
        }
        old = prepare(path, resume, overwrite, Kind(MANIFEST, FORMAT, _read))
        if old is not None:
            for key in ("source", *task.told()):
                same = json.loads(json.dumps(new[key])) == old.get(key)
                if not same and key != "judge_deals":  # of which a larger budget has more
                    raise StoreError(f"resume: {path} has another {key}; allowed: {_own(old)}")
            check_bot_files(path, old, new["files"])
            if len(old["generations"]) > task.generations:
                done = f"{len(old['generations'])} generations"
                raise StoreError(f"resume: {path} has {done} already; allowed: a larger budget")
        self.manifest = old or new
        self.update(self.manifest)

    @property
    def generations(self) -> list[dict[str, Any]]:
        """The generations told so far."""
        return list(self.manifest["generations"])

    def is_judged(self, task: Task) -> bool:
        """Return whether the judge has played as many deals as the task says."""
        same = self.manifest.get("judge_deals") == task.judge_deals
        return bool(self.manifest["finished"]) and same and (self.path / PARAMS).is_file()

    def update(self, changes: Mapping[str, Any]) -> None:
        """Change keys of tune.json."""
        self.manifest = {**self.manifest, **changes}
        replace_text(self.path / MANIFEST, _text(self.manifest))

    def write_params(self, values: Mapping[str, float], about: list[str]) -> Path:
        """Write the file that `-s NAME@FILE` takes, with comments on how it came about."""
        file = self.path / PARAMS
        comments = [f"# {_printable(line)}".rstrip() for line in about]
        rows = [f"{_key(name)} = {value!r}" for name, value in values.items()]
        replace_text(file, "\n".join([*comments, "", *rows, ""]))
        return file


def _own(old: Mapping[str, Any]) -> str:
    return f"its own command, {old.get('command')}"


def _read(path: Path) -> dict[str, Any]:
    """Return a tune to go on with; StoreError if tune.json is damaged."""
    found = read_json(path / MANIFEST, FORMAT)
    try:
        for generation in found["generations"]:
            scores, parameters = generation["scores"], generation["parameters"]
            numbers = all(map(_is_number, [*scores, *parameters.values()]))
            if not numbers or len(scores) != found["population"]:
                raise ValueError("generations: scores or parameters are no numbers, or too few")
        check_hashes(found)
        if not _is_number(found["seconds"]) or not isinstance(found["command"], str):
            raise ValueError("seconds is no number, or command no text")
        if found["finished"]:
            rows = found["result"]["judged"]
            words.verdict(rows)
            for row in rows:
                words.cells(row)
    except (ValueError, TypeError, LookupError, AttributeError) as error:
        raise StoreError(f"{path / MANIFEST} is damaged: {first_line(error)}") from None
    return found


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)


def _text(manifest: Mapping[str, Any]) -> str:
    """Return JSON with a line for each key and generation."""
    generations = ",\n ".join(json.dumps(one) for one in manifest["generations"])
    lines = [
        f'"{key}": [\n {generations}]' if key == "generations" else f'"{key}": {json.dumps(value)}'
        for key, value in manifest.items()
    ]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name)


def _printable(text: str) -> str:
    """Return a text in one line: a command may hold what would end a comment."""
    return "".join(c if c.isprintable() else "?" for c in " ".join(text.split()))
