"""A watch over games that are played: one that does not move on is given up.

What a bot's endless loop runs in cannot be stopped, compiled or not. So games are played in a
thread that may be left behind, and whoever waits for it looks at where the game is.
"""

import os
import threading
from collections.abc import Callable
from typing import Any, TypeVar

from simcore.jit import PLAIN_PYTHON
from simcore.spread import Stopped

Result = TypeVar("Result")

_MOST_SECONDS = 10**9


def seconds_of(text: str) -> float:
    """Return the value of SEQLAB_STUCK_SECONDS; ValueError if it is not allowed."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= _MOST_SECONDS:
        told = f"SEQLAB_STUCK_SECONDS: {text!r}"
        raise ValueError(f"{told}; allowed: seconds up to {_MOST_SECONDS}, or 0 for any time")
    return seconds


STUCK_SECONDS = seconds_of(os.environ.get("SEQLAB_STUCK_SECONDS", "60"))
"""How long a bot may take for a decision; 0 for any time."""

_LOOKS = 20
"""How often at least the game is looked at in that time."""

_HEARD_SECONDS = 1.0
"""How long a game may go on when all is to stop."""

_left_behind = threading.Event()


class Stuck(Exception):
    """What was waited for does not move on; its thread was left behind."""


class _Ended(Exception):
    """SystemExit or the like was raised in a thread, where no Ctrl-C is heard: it is an error."""


def told_error(error: BaseException) -> str:
    """Return the kind of an error and what it says, if anything."""
    if isinstance(error, _Ended):
        return str(error)
    try:
        return f"{type(error).__name__}: {error}".removesuffix(": ")
    except Exception:  # the class is anybody's
        return type(error).__name__


def left_behind() -> bool:
    """Return whether a thread still runs that cannot be stopped, so that the process has to be."""
    return _left_behind.is_set()


def watched(
    call: Callable[[], Result],
    position: Callable[[], Any],
    stop: threading.Event | None = None,
) -> Result:
    """Return what `call` returns; raise Stuck when `position` stays the same for STUCK_SECONDS.

    A position of None is not looked at. What the call raises is an Exception in any case. Raises
    Stopped soon after `stop` is set, since games of slow bots may take minutes. In plain Python,
    where one may stop to look around, the call is made without a watch.
    """
    if PLAIN_PYTHON:
        return call()
    found: list[Result] = []
    raised: list[Exception] = []
    ended = threading.Event()

    def work() -> None:
        try:
            found.append(call())
        except Exception as error:  # for whoever waits
            raised.append(error)
        except BaseException as error:
            raised.append(_Ended(told_error(error)).with_traceback(error.__traceback__))
        finally:
            ended.set()

    threading.Thread(target=work, daemon=True).start()
    try:
        _wait(ended, position, stop)
    except BaseException:
        _left_behind.set()
        raise
    if raised:
        raise raised[0]
    return found[0]


def _wait(
    ended: threading.Event, position: Callable[[], Any], stop: threading.Event | None
) -> None:
    step = min(STUCK_SECONDS / _LOOKS or _HEARD_SECONDS, _HEARD_SECONDS)
    last, still = position(), 0
    # Looks are counted, not seconds: a process that was asleep has not been stuck.
    while not ended.wait(step):
        if stop is not None and stop.is_set():
            raise Stopped
        now = position()
        still = still + 1 if now == last and now is not None else 0
        last = now
        if 0 < STUCK_SECONDS <= still * step:
            raise Stuck
