"""Fuzzed rules: TOML files, and `field=value` as `--set` takes it."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from fuzzing import cases, fuzz
from helpers import SWITCHES, TABLES
from mangling import garble, mangle, noise, odd_value, toml

from simcore.rules import Rules, parse_assignment, read_settings


def good(rng: random.Random) -> dict[str, Any]:
    """Return settings that mostly fit together."""
    players, teams = rng.choice(TABLES)
    chosen = rng.sample(SWITCHES, rng.randint(0, 6))
    settings: dict[str, Any] = {"players": players, "teams": teams}
    for name, values in chosen:
        value = rng.choice(values)
        settings[name] = list(value) if isinstance(value, tuple) else value
    return settings


def make(rng: random.Random) -> bytes | str:
    """Return a TOML file, or the text of an assignment."""
    kind = rng.randrange(10)
    settings = good(rng)
    if kind == 0:
        return noise(rng)
    if kind == 1:
        return toml(settings).encode()
    if kind < 4:
        return garble(rng, toml(settings).encode())
    if kind < 8:
        return toml(mangle(rng, settings)).encode(errors="surrogatepass")
    name = rng.choice([*Rules.__dataclass_fields__, "x", "", "board\n", "\x1b"])
    if kind == 8:
        return toml({name: odd_value(rng)}).rstrip("\n")
    return garble(rng, toml({name: odd_value(rng)}).encode()).decode(errors="surrogateescape")


@cases(500, 20_000)
def test_rules(count: int, tmp_path: Path) -> None:
    file = tmp_path / "rules.toml"

    def call(case: bytes | str) -> None:
        """Do as RuleOptions.in_force does."""
        if isinstance(case, bytes):
            file.write_bytes(case)
            settings = read_settings(file)
        else:
            settings = dict([parse_assignment(case)])
        Rules.from_settings(settings).load_board()

    fuzz("rules", count, make, call, "^(rules|board)[: ]")
