"""Starts processes that have everything imported already: a child of this one for each command.

Told on standard input, a line a command, as JSON: `words`, the folder `home` it is started in, the
file stems `told` for what it prints, and the seconds it may take. Answers with a line each, of the
number of the command and how the process ended (-9: killed, as it went on for too long).
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
import traceback
from typing import Any

import analysis.compare
import analysis.page
import analysis.report
import analysis.yardsticks
import cli
import experiments.checked
import experiments.match
import experiments.study
import experiments.tournament
import experiments.worth  # noqa: F401 - what commands import when they are called
import simcore.contract
import simcore.merge  # noqa: F401
from simcore import simulate


def main() -> None:
    for line in sys.stdin:
        case = json.loads(line)
        child = os.fork()
        if not child:
            _run(case)
        started = time.monotonic()
        print(json.dumps({"code": _end_of(child, case["seconds"], started),
                          "seconds": time.monotonic() - started}), flush=True)  # fmt: skip


def _end_of(child: int, seconds: float, started: float) -> int:
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        if time.monotonic() - started > seconds:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return -9
        time.sleep(0.005)


def _run(case: dict[str, Any]) -> None:
    """Be the command `seqlab`, and end as Python would."""
    code = 1
    try:
        os.chdir(case["home"])
        for number, name in (
            (0, os.devnull),
            (1, f"{case['told']}.out"),
            (2, f"{case['told']}.err"),
        ):
            os.dup2(os.open(name, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600), number)
        sys.argv = ["seqlab", *case["words"]]
        cli.main()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(code)


if __name__ == "__main__":
    simulate(["random"], 2, threads=1)  # so that kernels are there
    # A report plays games to hold a run against, and draws: a little is enough here.
    analysis.report.REFERENCE_GAMES = 20
    analysis.page.DPI = 20
    analysis.yardsticks.LEAST = analysis.yardsticks.MOST = 12
    print("ready", flush=True)
    main()
