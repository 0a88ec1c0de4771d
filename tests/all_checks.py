"""Run every check of the project with the interpreter this is started with.

    .venv/bin/python tests/all_checks.py

All checks run even if one fails; the exit code says whether any did. The last line sums up the
tests of all runs: compiled, with every index checked, and as plain Python, where coverage can see
into kernels.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

PLAIN = (
    *("tests/test_rules.py", "tests/test_board.py"),
    *("tests/test_design.py", "tests/test_dealer.py", "tests/test_engine.py"),
    *("tests/test_strategies.py", "tests/test_lines.py", "tests/test_simulation.py"),
)
"""The tests of logic: these run once more without compilation."""

CHECKED = (
    *("tests/test_lines.py", "tests/test_golden.py", "tests/test_engine.py"),
    *("-k", "not compiled and not together"),
)
"""The tests that are run with a check of every index, for which all kernels compile anew: games of
every table, switch and bot, without those that take long."""

COVERED = 97
"""Percent of the lines and branches of the logic that PLAIN has to reach."""

UNPLAYED = ",".join(
    f"strategies/{name}.py" for name in ("search", "ismcts", "playouts", "candidates")
)
"""What would take minutes for a move without compilation."""

LOGIC = "board book cards dealer design engine moves rng rules sequences setting table turn"
"""Modules of simcore whose coverage counts: the compiled tests of the others are not measured."""


def main() -> int:
    """Run all checks; return 1 if any failed."""
    python = [sys.executable, "-m"]
    with tempfile.TemporaryDirectory() as scratch:
        results = Path(scratch)
        compiled, bounds, plain = (results / f"{name}.xml" for name in ("jit", "bounds", "plain"))
        logic = {"NUMBA_DISABLE_JIT": "1", "COVERAGE_FILE": str(results / "coverage")}
        checked = {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(results / "kernels")}
        counted = ",".join([*(f"simcore/{name}.py" for name in LOGIC.split()), "strategies/*"])
        spread = [*python, "pytest", "-q", "-n", "2", "--dist", "worksteal"]
        coverage = ["--cov=simcore", "--cov=strategies", "--cov-branch", "--cov-report="]
        first = {
            "lint": [*python, "ruff", "check"],
            "format": [*python, "ruff", "format", "--check"],
            "types": [*python, "mypy"],
            # Before two processes of tests would compile the same.
            "compile": [*python, "cli", "bench", "--seconds", "0.1", "-q"],
        }
        with ThreadPoolExecutor() as pool:  # the last two take half a minute on one core each
            passed = list(pool.map(check, first.keys(), first.values()))
        passed += [
            check("tests", [*spread, f"--junitxml={compiled}"]),
            check("tests with bounds", [*spread, *CHECKED, f"--junitxml={bounds}"], checked),
            check(
                "logic tests without compilation",
                [*spread, *coverage, *PLAIN, f"--junitxml={plain}"],
                logic,
            ),
            check(
                "coverage",
                [
                    *python,
                    "coverage",
                    "report",
                    "-m",
                    f"--fail-under={COVERED}",
                    f"--include={counted}",
                    f"--omit={UNPLAYED}",
                ],
                logic,
            ),
        ]
        good, bad = (
            sum(counts) for counts in zip(*map(count, (compiled, bounds, plain)), strict=True)
        )
    print(f"\nchecks: {sum(passed)} of {len(passed)} passed")
    print(f"{good} passed, {bad} failed")
    return 0 if all(passed) else 1


def check(title: str, command: list[str], environment: dict[str, str] | None = None) -> bool:
    """Run one command under a heading; return whether it succeeded."""
    print(f"== {title}", flush=True)
    started = time.monotonic()
    done = subprocess.run(command, cwd=ROOT, env=os.environ | (environment or {}))
    word = "ok" if done.returncode == 0 else f"FAILED ({done.returncode})"
    print(f"-- {title}: {word}, {time.monotonic() - started:.0f} s\n", end="", flush=True)
    return done.returncode == 0


def count(results: Path) -> tuple[int, int]:
    """Return how many tests passed and failed; a run that wrote no results is one failure."""
    if not results.is_file():
        return 0, 1
    suites = list(ET.parse(results).getroot().iter("testsuite"))
    told = {
        name: sum(int(suite.get(name, 0)) for suite in suites)
        for name in ("tests", "errors", "failures", "skipped")
    }
    bad = told["errors"] + told["failures"]
    return told["tests"] - bad - told["skipped"], bad


if __name__ == "__main__":
    sys.exit(main())
