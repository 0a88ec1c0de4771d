"""The command, with all that it loads: processes forked from one that has this start at once."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import cli
from simcore import Rules
from simcore.frames import tables
from simcore.runner import Runner
from simcore.simulation import make_plan, warm_up

_PLAN = make_plan(["random"], Rules())
_RUNNER = Runner(*_PLAN)
warm_up(_RUNNER)
tables(_RUNNER.play(0, 2), _PLAN[0])


def command(words: tuple[str, ...], told: Path) -> None:
    """Be the command; what it tells the user goes to a file."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with told.open("w") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    sys.argv = ["seqlab", *words]
    cli.main()
