"""Command lines made of what the commands say of themselves, in processes of their own."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
import typer
from fuzzing import cases, rng_of
from helpers import JIT
from mangling import LONG, TEXTS
from processes import Case, fuzz_processes

import cli

COMMANDS: dict[str, Any] = typer.main.get_command(cli.app).commands  # type: ignore[attr-defined]

GOOD: dict[str, tuple[str, ...]] = {
    "strategy": ("random", "greedy", "balanced", "centre:centre=3", "random:no_blocking=1"),
    **{"players": ("2", "3", "4", "6", "12"), "teams": ("2", "3"), "seed": ("0", "7")},
    **{"preset": ("standard-3", "standard-6", "jacks"), "rules": ("rules.toml",)},
    "set_": ("hand_size=5", "max_turns=20", "board=wedge", "first_seat=0", "chips=[9, 9, 9]"),
    **{"out": ("out", "new/out"), "design": ("auto", "swap", "rotate", "none")},
    **{"threads": ("1", "2"), "turn": ("1", "3"), "game": ("0", "1:2"), "shard": ("1/2",)},
    **{"keep": ("tables", "summary"), "format_": ("round-robin", "gauntlet", "swiss")},
    **{"half_width": ("5",), "effect": ("10",), "chance": ("0.8",), "alpha": ("0.05",)},
    **{"new": ("sample.toml",), "against": ("random",), "only": ("centre",), "tables": ("2",)},
    **{"file": ("study.toml", "bot.py", "game.jsonl"), "files": ("game.jsonl", "-")},
    **{"folder": ("run", "out"), "other": ("run",), "folders": ("run",), "layout": ("wedge",)},
    **{"name": ("random", "centre"), "a": ("random",), "b": ("greedy", "centre")},
}
"""What parameters may well be."""

SMALL = {
    **{"games": "20", "max_games": "40", "deals": "20", "budget": "40", "judge_deals": "20"},
    **{"seconds": "0.01", "threads": "1"},
}
"""Always given, so that nothing takes long."""

URLS = ("memory://x", "nosuch://x", "file:///dev/null/x", "http://[", "://", "a://b://c")


def make(number: int, home: Path) -> Case:
    """Write the files that a command may name, and return one."""
    (home / "rules.toml").write_text("players = 4\nhand_size = 5\n")
    (home / "study.toml").write_text("games = 20\njacks = false\n[factors]\nhand_size = [5, 6]\n")
    (home / "game.jsonl").write_text('{"do": "start"}\n')
    (home / "run").mkdir()
    rng = rng_of("commands", number)
    name = rng.choice(list(COMMANDS))
    words, codes = [name], (0, 1, 2)
    for parameter in COMMANDS[name].params:
        words += _given(rng, parameter)
    if name == "bench":  # else the slow bots play too
        words += ["-s", "random"]
    kind = rng.randrange(8)
    if kind == 0:
        words, codes = [*words, rng.choice(("--nothing", "-Z", "--games=", "--seed=x1")), "x"], (2,)
    elif kind == 1:
        words[0], codes = rng.choice(("runn", "", "-s", "\x1b", LONG)), (2,)
    elif kind == 2:
        words.insert(rng.randint(0, len(words)), rng.choice((*TEXTS, "-h", "--version", "--")))
    elif kind == 3 and len(words) > 1:
        del words[rng.randrange(1, len(words))]
    # No process can be given a NUL.
    return Case([word.replace("\0", "\udcff") for word in words], codes)


def _given(rng: random.Random, parameter: Any) -> list[str]:
    """Return what is said of a parameter, mostly well; often nothing."""
    name, option = parameter.name, parameter.param_type_name == "option"
    if name == "help" or (name not in SMALL and option and rng.random() < 0.75):
        return []
    flag = [rng.choice(parameter.opts)] if option else []
    if getattr(parameter, "is_flag", False):
        return flag
    good = (SMALL[name],) if name in SMALL else GOOD.get(name, ("1",))
    values = [rng.choice(good) for _ in range(rng.choice((1, 1, 2)) if _many(parameter) else 1)]
    if rng.random() < 0.1:
        values[0] = rng.choice((*TEXTS, *URLS, "\udcff", "-0", "0", "9" * 30, "1,2", "²", "1e3"))
    return [word for value in values for word in (*flag, value)]


def _many(parameter: Any) -> bool:
    return bool(getattr(parameter, "multiple", False)) or parameter.nargs != 1


@cases(5 if JIT else 2, 300)
@pytest.mark.skipif(not JIT, reason="commands play games")
def test_commands(count: int, tmp_path: Path) -> None:
    fuzz_processes("commands", count, make, tmp_path)
