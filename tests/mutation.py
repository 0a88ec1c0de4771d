"""Does a fault in the rules get past the tests? Make small faults one at a time and see.

    .venv/bin/python tests/mutation.py [--only TEXT ...] [--jobs 2]

Each fault goes into a copy of the project, where tests run until one fails: those of its module, or
of the logic without compilation for a fault in the kernels. Faults that survive are listed, and the
exit code is 1 if there are any.
"""

from __future__ import annotations

import argparse
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent

TESTS = (
    *("tests/test_sequences.py", "tests/test_continuations.py", "tests/test_golden.py"),
    *("tests/test_situations.py", "tests/test_dealer.py", "tests/test_engine.py"),
    *("tests/test_properties.py", "tests/test_switches.py", "tests/test_strategies.py"),
)
"""The tests of the kernels, those first that are quick and see most."""

JUDGE_TESTS = ("tests/test_judged_turns.py", "tests/test_judge.py", "tests/test_verify.py")
JUDGE = ("judge", "referee", "headers", "transcripts")

FIGURES = {
    **dict.fromkeys(("ratings", "davidson", "ranking", "patterns"), "analysis/test_ratings.py"),
    **dict.fromkeys(("sequential", "pair_likelihood"), "analysis/test_sequential.py"),
    "confidence_sequence": "analysis/test_confidence_sequence.py",
    "stopping": "analysis/test_stopping.py",
    "worths": "analysis/test_worths.py",
    "paired": "analysis/test_paired.py",
    **dict.fromkeys(("equilibrium", "transitivity"), "analysis/test_transitivity.py"),
    **dict.fromkeys(("worth", "worth_report", "treatment"), "experiments/test_worth.py"),
    "study": "experiments/test_study.py",
    **dict.fromkeys(("tournament", "tournament_report"), "experiments/test_tournament.py"),
    "match": "experiments/test_match.py",
    "power": "experiments/test_needs.py",
}
"""The tests of what comparisons come to, by module of analysis and experiments; compiled."""


class Fault(NamedTuple):
    """A text that stands once in a file, and what is written in its place."""

    file: str
    right: str
    wrong: str


FAULTS = [
    Fault(**given)
    for given in tomllib.loads((ROOT / "tests/faults.toml").read_text(encoding="utf-8"))["fault"]
]


PACKAGES = ("simcore", "strategies", "analysis", "experiments", "tuning", "commands")


def project(folder: Path) -> None:
    """Copy what the tests need."""
    for name in (*PACKAGES, "tests"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("cli.py", "pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, folder / name)


def survives(folder: Path, fault: Fault) -> bool:
    """Run the tests on a copy of the project with the fault; return whether all pass."""
    file = folder / fault.file
    text = file.read_text(encoding="utf-8")
    if text.count(fault.right) != 1:
        raise SystemExit(f"{fault.file}: {text.count(fault.right)} times: {fault.right!r}")
    file.write_text(text.replace(fault.right, fault.wrong), encoding="utf-8")
    words = ["-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
    compiled = file.parent.name in ("analysis", "experiments")
    if compiled:
        words.append(f"tests/{FIGURES[file.stem]}")
    else:
        words += JUDGE_TESTS if file.stem in JUDGE else TESTS
    # The working folder comes first among the modules' folders, before the installed project.
    environment = os.environ | {
        "NUMBA_DISABLE_JIT": "0" if compiled else "1",
        "NUMBA_CACHE_DIR": str(folder / "cache"),
    }
    try:
        done = subprocess.run(
            [sys.executable, *words], cwd=folder, env=environment, capture_output=True, text=True
        )
    finally:
        file.write_text(text, encoding="utf-8")
    if done.returncode not in (0, 1):
        raise SystemExit(f"the tests did not run:\n{done.stdout}{done.stderr}")
    return done.returncode == 0


def main() -> int:
    """Make all faults, or those that have a text of `--only` in them; return 1 if any survives."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="*", help="texts in the file or the right code")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    faults = [
        fault
        for fault in FAULTS
        if any(text in f"{fault.file} {fault.right}" for text in options.only or [""])
    ]
    with tempfile.TemporaryDirectory() as scratch:
        copies: queue.Queue[Path] = queue.Queue()
        for number in range(options.jobs):
            project(Path(scratch) / str(number))
            copies.put(Path(scratch) / str(number))

        def judge(fault: Fault) -> bool:
            copy, started = copies.get(), time.monotonic()
            alive = survives(copy, fault)
            copies.put(copy)
            word = "SURVIVES" if alive else "found"
            spent = time.monotonic() - started
            print(f"{word:8} {spent:4.0f} s  {fault.file}: {fault.right!r}", flush=True)
            return alive

        with ThreadPoolExecutor(options.jobs) as pool:
            alive = sum(pool.map(judge, faults))
    print(f"{len(faults)} faults, {alive} survive")
    return 1 if alive else 0


if __name__ == "__main__":
    sys.exit(main())
