"""Fuzzed names of strategies, and that no file is read which a name does not tell."""

from __future__ import annotations

import os
import random
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numba
import pytest
from fuzzing import cases, fuzz
from mangling import LONG, TEXTS, garble, inline, mangle, noise, toml

from simcore.strategy import bot_names, find_bot, find_strategy

TRAP = "raise SystemExit('this file was run')\n"
BOT = '''from simcore.kit import Parameter, plays
PARAMETERS = (Parameter("depth", 1, 0, 9, "how deep"),)
class Bot:
    """A bot."""
    def choose(self, setting, table, seat, hand, own):
        return plays(setting, table, seat, hand)[0]
'''
PARAMS = {
    name: {p.name: p.default for p in find_bot(name).parameters} | {"no_blocking": 1}
    for name in ("random", "balanced", "tuned", "planner")
}

_opened: list[str] | None = None


def _hear(event: str, given: tuple[Any, ...]) -> None:
    if _opened is not None and event == "open" and isinstance(given[0], str | bytes):
        _opened.append(os.fsdecode(given[0]))


sys.addaudithook(_hear)  # there is no way to take it off again


@contextmanager
def listening() -> Iterator[list[str]]:
    """Give the names of all files that are opened."""
    global _opened
    _opened = found = []
    try:
        yield found
    finally:
        _opened = None


def named(text: str) -> set[str]:
    """Return the files that a strategy's name tells, by `PATH.py:` or `@PATH`."""
    code = {text[: match.end() - 1] for match in re.finditer(r"\.py:", text)}
    return {str(Path(each)) for each in code | {text[at + 1 :] for at in _signs(text)}}


def _signs(text: str) -> list[int]:
    return [at for at, sign in enumerate(text) if sign == "@"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a working folder full of files that a name might happen on."""
    for name in ("planner", "random", "choose", "trap.py", "greedy.py", "trap", "x", "numbers.py"):
        (tmp_path / name).write_text(TRAP)
    (tmp_path / "trap.toml").write_text("no_blocking = 1\n")
    (tmp_path / "bot.py").write_text(BOT)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def make(rng: random.Random) -> tuple[str, bytes]:
    """Return a name, and what `numbers.toml` holds."""
    bot = rng.choice(list(PARAMS))
    values: dict[str, Any] = dict(PARAMS[bot])
    numbers = toml(values).encode()
    kind = rng.randrange(12)
    if kind < 4:
        pairs = ",".join(f"{key}={_short(value)}" for key, value in mangle(rng, values).items())
        return f"{bot}:{pairs}", b""
    if kind < 6:
        told = toml(mangle(rng, values)).encode(errors="surrogatepass")
        return f"{bot}@numbers.toml", rng.choice((garble(rng, numbers), told, noise(rng)))
    if kind == 6:
        return f"{bot}@numbers.toml", numbers
    files = ("bot.py:Bot", "bot.py:Bot:depth=2", "bot.py:bot", "trap.py", "./trap.py:", "trap:Bot")
    more = ("strategies.trap", "../bot.py:Bot", "trap.toml", "planner@trap.toml@", "none.py:x")
    name = rng.choice((*files, *more, *bot_names(), *TEXTS, f"{LONG}.py:x"))
    if kind > 8:
        name = garble(rng, name.encode(errors="replace")).decode(errors="surrogateescape")
    return name, numbers


def _short(value: Any) -> str:
    return inline(value)[:300]


@cases(500, 20_000)
def test_strategies(count: int, folder: Path) -> None:
    code = (*(str(Path(p).resolve()) for p in sys.path if p), sys.prefix, sys.base_prefix)
    homes = (*code, numba.config.CACHE_DIR)  # modules, metadata of packages, kernels

    def call(case: tuple[str, bytes]) -> None:
        text, numbers = case
        (folder / "numbers.toml").write_bytes(numbers)
        with listening() as opened:
            try:
                find_strategy(text)
            finally:
                told = {str(folder / each) for each in named(text)} | named(text)
                for file in opened:
                    ours = not file.startswith(str(folder)) and file.startswith(homes)
                    assert ours or str(Path(file)) in told, f"{file} was opened"

    find_strategy("bot.py:Bot")
    fuzz("strategies", count, make, call)
