"""What all fuzzing shares: how many cases, and what a call may do with what it is given.

    SEQLAB_FUZZ_CASES=2000 SEQLAB_FUZZ_SEED=7 pytest tests/fuzz -m "slow or not slow"

A case is a function of kind, seed and number, so that any can be made again. What a call is given
it takes, or refuses with an error of ours; everything else is a fault.
"""

from __future__ import annotations

import os
import random
import re
import signal
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import pytest

Case = TypeVar("Case")

ROOT = Path(__file__).resolve().parents[2]
SEED = int(os.environ.get("SEQLAB_FUZZ_SEED", "0"))
_GIVEN = os.environ.get("SEQLAB_FUZZ_CASES")

MOST_SECONDS = 1.0
"""Processor time of a case; the clock on the wall would count what else the machine does."""
_HUNG_SECONDS = 30.0
MOST_LETTERS = 500


def cases(few: int, many: int) -> pytest.MarkDecorator:
    """Run a test with a few cases, and with many under `-m slow`."""
    if _GIVEN is not None:
        return pytest.mark.parametrize("count", [int(_GIVEN)])
    return pytest.mark.parametrize("count", [few, pytest.param(many, marks=pytest.mark.slow)])


def rng_of(kind: str, number: int) -> random.Random:
    """Return the random numbers that a case is made of."""
    return random.Random(f"{kind} {SEED} {number}")


def fuzz(
    kind: str,
    count: int,
    make: Callable[[random.Random], Case],
    call: Callable[[Case], object],
    told: str = "",
) -> None:
    """Make cases and give them to a call; fail with one case of each fault.

    Every refusal has to match `told`, a regular expression.
    """
    faults: dict[str, str] = {}
    taken, slowest, started = 0, 0.0, time.monotonic()
    for number in range(count):
        case = make(rng_of(kind, number))
        fault, accepted, seconds = _timed(call, case, told)
        if not fault and seconds > MOST_SECONDS:  # the first to need a kernel waits for it
            fault, accepted, seconds = _timed(call, case, told)
        slowest, taken = max(slowest, seconds), taken + accepted
        if not fault and seconds > MOST_SECONDS:
            fault = f"{seconds:.1f} s"
        if fault:
            faults.setdefault(fault[:90], f"case {number}: {fault}: {case!r:.300}")
    spent = time.monotonic() - started
    print(f"{kind}: {count} cases, {taken} taken, slowest {slowest:.2f} s, {spent:.0f} s in all")
    assert not faults, "\n\n".join(faults.values())
    assert count < 100 or 0 < taken < count, "cases that are all good, or all bad, tell little"


def _timed(call: Callable[[Case], object], case: Case, told: str) -> tuple[str, bool, float]:
    before = time.process_time()
    fault, accepted = fault_of(lambda: call(case), str(case), told)
    return fault, accepted, time.process_time() - before


def fault_of(call: Callable[[], object], given: str, told: str = "") -> tuple[str, bool]:
    """Return what is wrong with how a call ends, and whether it took what it was given."""
    try:
        with _limited():
            call()
    except _Hung:
        return f"no end after {_HUNG_SECONDS:g} s", False
    except ValueError as error:
        if not _is_ours(error):
            return _trace(error), False
        return fault_of_message(str(error), given, told), False
    except Exception as error:
        return _trace(error), False
    return "", True


def fault_of_message(message: str, given: str, told: str = "") -> str:
    """Return what is wrong with the words of a refusal."""
    if not message.strip():
        return "no words"
    if not message.isprintable():
        return f"not one line of printable text: {message!r:.200}"
    if len(message) > MOST_LETTERS:
        return f"{len(message)} letters: {message:.200}"
    for kind in re.findall(r"\b[A-Z]\w+(?:Error|Exception|Warning)\b", message):
        if kind not in given:
            return f"names {kind}: {message:.200}"
    if not re.search(told, message):
        return f"does not tell {told!r}: {message:.200}"
    return ""


class _Hung(BaseException):
    """A case that does not end."""


@contextmanager
def _limited() -> Iterator[None]:
    def stop(number: int, frame: Any) -> None:
        raise _Hung

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, _HUNG_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _is_ours(error: ValueError) -> bool:
    """Return whether an error is of a kind of ours, or raised in so many words in our code."""
    if type(error).__module__.split(".")[0] in ("simcore", "experiments", "analysis", "tuning"):
        return True
    last = traceback.extract_tb(error.__traceback__)[-1]
    ours = ROOT in Path(last.filename).parents and ".venv" not in last.filename
    return ours and type(error) is ValueError and (last.line or "").startswith("raise ")


def _trace(error: Exception) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if ROOT in Path(frame.filename).parents]
    told = f"{Path(ours[-1].filename).name}:{ours[-1].lineno}" if ours else ""
    return f"{type(error).__name__} at {told}: {error!s:.200}"
