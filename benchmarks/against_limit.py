"""Time our bots beside the C yardstick, in turns, and print the ratios.

    python benchmarks/against_limit.py PATH/limit.c [--rounds 5] [--players 2] [--threads 1,2]

Machines drift, so only ratios from one run count: each round plays the yardstick, then ours, and
the median over the rounds is the figure. `random` is held against games a second, `greedy` and
`balanced` against turns a second, and any other bot against the yardstick's `balanced` in games a
second. All records of a run are kept (simcore.bench). Needs a C compiler.
"""

import argparse
import json
import subprocess
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

from simcore.bench import measure
from simcore.rules import Rules

GAMES = {"random": 100_000, "greedy": 6_000, "balanced": 6_000}


def compile_yardstick(source: Path, folder: Path) -> Path:
    """Compile limit.c and return the program."""
    program = folder / "limit"
    flags = ["-O3", "-march=native", "-o", str(program), str(source), "-lpthread"]
    subprocess.run(["cc", *flags], check=True)
    return program


def yardstick(program: Path, bot: str, rules: Rules, threads: int) -> dict[str, Any]:
    """Return what limit.c prints for a bot."""
    games = GAMES[bot] * threads
    words = [str(program), str(games), str(rules.players), str(rules.teams), str(threads), bot]
    found: dict[str, Any] = json.loads(
        subprocess.run(words, capture_output=True, check=True).stdout
    )
    return found


def compare(program: Path, bot: str, rules: Rules, threads: int, rounds: int) -> str:
    """Return a line with both speeds and their ratio."""
    unit = "turns_per_second" if bot in ("greedy", "balanced") else "games_per_second"
    other = bot if bot in GAMES else "balanced"
    measure(bot, rules, threads, 0.2)
    theirs, ours = [], []
    for _ in range(rounds):
        theirs.append(yardstick(program, other, rules, threads)[unit])
        ours.append(measure(bot, rules, threads, 1.0)[unit])
    ratios = sorted(o / t for o, t in zip(ours, theirs, strict=True))
    return (
        f"{bot:9} {rules.players:2} players {threads} threads  C {median(theirs):12,.0f}  "
        f"ours {median(ours):12,.0f} {unit}  "
        f"ratio {median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})"
    )


def main() -> None:
    """Print a line for each bot and number of threads."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--bots", default=",".join(GAMES))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        program = compile_yardstick(options.source, Path(folder))
        for bot in options.bots.split(","):
            for threads in map(int, options.threads.split(",")):
                rules = Rules(players=options.players)
                print(compare(program, bot, rules, threads, options.rounds), flush=True)


if __name__ == "__main__":
    main()
