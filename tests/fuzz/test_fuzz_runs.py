"""Fuzzed `run.json`, of runs and of experiments: sealed anew as seqlab seals it, or not."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from fuzzing import cases, fuzz
from helpers import JIT
from mangling import garble, mangle, noise

from analysis.collect import collect, summary
from analysis.question import questions
from analysis.summary import summary as described
from experiments.checked import check_folder
from experiments.record import read_experiment, read_tables
from experiments.session import Session
from experiments.tournament import make_tournament, run_tournament
from simcore import Rules, load, simulate
from simcore.ledger import manifest_text
from simcore.merge import merge
from simcore.place import Folder
from simcore.played import load_plan
from simcore.strategy import find_strategy

KINDS = ("tables", "summary", "shard", "experiment")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return a small folder of each kind."""
    home = tmp_path_factory.mktemp("runs")
    games = 12 if JIT else 2
    two, rules = ["random", "greedy:no_blocking=1"], Rules(players=4)
    simulate(two, games, 1, rules, out=home / "tables", part_games=4)
    simulate(two, games, 1, rules, out=home / "summary", summary=summary, part_games=4)
    simulate(["random"], games, 1, out=home / "shard", shard=(1, 2), part_games=4)
    task = make_tournament([find_strategy(name) for name in two], Rules(), "round-robin", 4, 0)
    run_tournament(task, Session(home / "experiment", 1))
    return {kind: home / kind for kind in KINDS}


def maker(runs: dict[str, Path]) -> Callable[[random.Random], tuple[str, bytes]]:
    """Return what makes a kind of folder, and what its run.json says."""
    texts = {kind: (folder / "run.json").read_bytes() for kind, folder in runs.items()}

    def make(rng: random.Random) -> tuple[str, bytes]:
        kind = rng.choice(KINDS)
        if rng.random() < 0.03:
            return kind, texts[kind]
        if rng.random() < 0.05:
            return kind, garble(rng, texts[kind]) if rng.random() < 0.9 else noise(rng)
        if rng.random() < 0.2:
            return kind, resealed(garble(rng, texts[kind]))
        found = json.loads(texts[kind])
        del found["checksum"]
        return kind, sealed(_mangled(rng, found))

    return make


def _mangled(rng: random.Random, found: dict[str, Any]) -> Any:
    """Return what run.json says with some of it otherwise, in one place of it or in any."""
    if rng.random() < 0.5:
        key = rng.choice(list(found))
        return {**found, **mangle(rng, {key: found[key]})}
    return mangle(rng, found)


def sealed(found: Any) -> bytes:
    """Return run.json with the checksum that belongs to it."""
    try:
        return manifest_text(found, "").encode()
    except (ValueError, TypeError, AttributeError):  # what JSON lacks
        return b'{"format": "sequence-lab-run/2", "seed": ' + b"9" * 5000 + b"}\n"


def resealed(data: bytes) -> bytes:
    """Return a file with the checksum that belongs to what stands before it."""
    body = data.rpartition(b'"checksum"')[0]
    return body + f'"checksum": "{sha256(body).hexdigest()}"\n}}\n'.encode()


@cases(500, 20_000)
def test_runs(count: int, runs: dict[str, Path], tmp_path: Path) -> None:
    asked = questions()
    simulate(["random"], 12 if JIT else 2, 1, out=tmp_path / "good", shard=(2, 2), part_games=4)

    def call(case: tuple[str, bytes]) -> None:
        """Do what report, replay, check and merge do, up to where games are played."""
        kind, text = case
        folder = runs[kind]
        (folder / "run.json").write_bytes(text)
        check_folder(str(folder))
        if kind == "experiment":
            found = read_experiment(Folder(folder))
            read_tables(Folder(folder), found["parts"])
            return
        load_plan(folder)
        run = load(folder)
        evidence = collect(run, asked)
        described([("", next(iter(evidence.values())))])
        if kind == "shard":
            merge([folder, tmp_path / "good"], tmp_path / "merged", overwrite=True)

    fuzz("runs", count, maker(runs), call)
