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
    *("tests/test_strategies.py", "tests/test_lines.py"),
)
"""The tests of logic: these run once more without compilation."""

CHECKED = (
    *("tests/test_lines.py", "tests/test_golden.py", "tests/test_engine.py"),
    *("-k", "not compiled and not together"),
)
"""The tests that are run with a check of every index, for which all kernels compile anew: games of
every table, switch and bot, without those that take long. Tests marked so run nowhere else."""

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
        tests = [*python, "pytest", "-q"]
        coverage = ["--cov=simcore", "--cov=strategies", "--cov-branch", "--cov-report="]
        # Each of these keeps one core busy, and two processes that play the same compile the same:
        # so those that compile do it once each, side by side. The longest come first.
        alone: list[tuple[str, list[str], dict[str, str]]] = [
            (
                "logic tests without compilation",
                [*tests, *coverage, *PLAIN, f"--junitxml={plain}"],
                logic,
            ),
            ("tests with bounds", [*tests, *CHECKED, f"--junitxml={bounds}"], checked),
            ("compile", [*python, "cli", "bench", "--seconds", "0.1", "-q"], {}),
            ("types", [*python, "mypy"], {}),
            ("lint", [*python, "ruff", "check"], {}),
            ("format", [*python, "ruff", "format", "--check"], {}),
        ]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            passed = list(pool.map(lambda step: check(*step, quiet=True), alone))
        spread, rest = ["-n", "2", "--dist", "worksteal"], ["-m", "not slow and not checked"]
        passed += [
            check("tests", [*tests, *spread, *rest, f"--junitxml={compiled}"]),
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


def check(
    title: str, command: list[str], environment: dict[str, str] | None = None, quiet: bool = False
) -> bool:
    """Run one command under a heading; return whether it succeeded.

    A `quiet` one prints what it said when it has ended, since others run beside it.
    """
    if not quiet:
        print(f"== {title}", flush=True)
    started = time.monotonic()
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=os.environ | (environment or {}),
        stdout=subprocess.PIPE if quiet else None,
        stderr=subprocess.STDOUT if quiet else None,
        text=True,
    )
    word = "ok" if done.returncode == 0 else f"FAILED ({done.returncode})"
    said = f"== {title}\n{done.stdout}" if quiet else ""
    print(f"{said}-- {title}: {word}, {time.monotonic() - started:.0f} s\n", end="", flush=True)
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
