"""Fuzzed studies: TOML files of factors."""

from __future__ import annotations

import random
import tomllib
from pathlib import Path
from typing import Any

from fuzzing import cases, fuzz
from helpers import SWITCHES
from mangling import TEXTS, garble, mangle, noise, odd_value, toml

from experiments.variants import preset_text, presets, read_study, sample_text

SHIPPED = [preset_text(name) for name in presets()] + [sample_text()]


def good(rng: random.Random) -> dict[str, Any]:
    """Return a study that mostly can be."""
    if rng.random() < 0.4:
        return tomllib.loads(rng.choice(SHIPPED))
    factors: dict[str, Any] = {
        name: [list(v) if isinstance(v, tuple) else v for v in values[:3]]
        for name, values in rng.sample(SWITCHES, rng.randint(1, 4))
        if len(values) > 1
    }
    named = [{"name": f"level {n}", "hand_size": n + 4} for n in range(rng.randint(2, 4))]
    return {
        **{"title": "A study", "strategy": rng.choice(("random", "greedy:no_blocking=1"))},
        **{"games": 100, "weak": "random"},
        **{"design": rng.choice(("full", "one-at-a-time")), "rules": {"max_turns": 100}},
        "factors": factors | ({"own": named} if rng.random() < 0.5 else {}),
    }


def make(rng: random.Random) -> bytes:
    """Return a TOML file."""
    kind = rng.randrange(10)
    if kind == 0:
        return noise(rng)
    if kind == 1:
        return rng.choice(SHIPPED).encode()
    if kind < 5:
        return garble(rng, rng.choice((rng.choice(SHIPPED), toml(good(rng)))).encode())
    study = good(rng)
    if kind == 5 and isinstance(study.get("factors"), dict):
        many = rng.choice((2, 12, 60))
        study["factors"] |= {f"f{n}": [{"name": f"{n}"}, {"name": "b"}] for n in range(many)}
        study["design"] = "full"
    if kind == 6:
        name = rng.choice(("own", "layout", "strategy", rng.choice(TEXTS)))
        study["factors"][name] = [odd_value(rng), odd_value(rng)]
    return toml(mangle(rng, study)).encode(errors="surrogatepass")


@cases(500, 20_000)
def test_studies(count: int, tmp_path: Path) -> None:
    file = tmp_path / "study.toml"

    def call(case: bytes) -> None:
        file.write_bytes(case)
        found = read_study(file)
        assert found.base.rules

    fuzz("studies", count, make, call, r"study\.toml|^games: ")
