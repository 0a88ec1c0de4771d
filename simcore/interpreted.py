"""Bots that cannot be compiled: objects with a method `choose`, a trained model for instance.

The engine calls them through the interpreter, thousands of times slower than a compiled bot. They
see copies that cannot be written to; only `own` is the true one, the seat's own. What an object
keeps in itself is not reset with a game, so that its games cannot be replayed.
"""

import operator
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numba
import numpy as np
from numba import objmode

from simcore.jit import user_kernel
from simcore.moves import Hand
from simcore.setting import SETTING, Setting
from simcore.strategy import (
    SIGNATURE,
    Bot,
    Decision,
    Memory,
    Own,
    Parameter,
    Params,
    exchange_first,
    forfeit_least,
)
from simcore.table import TABLE, Table

_TOLD_AFTER = 20
"""Decisions after which the user is told how fast a bot is."""

_asked: list[Callable[..., int]] = []
"""What compiled code can call, by number."""


@dataclass
class InterpretedOwn:
    """What is a seat's own, as an object is given it."""

    params: Params
    memory: Memory
    stream: Any


class _Interpreted:
    """Asks one object for its decisions."""

    def __init__(self, name: str, target: Any) -> None:
        self._name, self.target = name, target
        self._setting = b""
        self._read_only_setting: Setting = None
        self._decisions, self._seconds = 0, 0.0

    def ask(self, method: str, given: tuple[Any, ...]) -> int:
        """Return what the object's method answers."""
        setting, table, seat, hand, params, memory, stream = given
        own = InterpretedOwn(params, memory, stream)
        shown = (self._kept(setting), _record(table, TABLE), seat, _read_only(hand.copy()))
        started = time.perf_counter()
        try:
            answer = getattr(self.target, method)(*shown, own)
        except ModuleNotFoundError as error:
            told = f"{error}; a bot's file imports at its top, not in a function"
            raise ModuleNotFoundError(told) from error
        self._tell(time.perf_counter() - started)
        try:
            return operator.index(answer)
        except TypeError:
            raise TypeError(f"{method} returned {answer!r}, not a whole number") from None

    def _kept(self, setting: Setting) -> Setting:
        """Return the setting as a record that cannot be written to; it is the same for long."""
        content = setting.tobytes()
        if content != self._setting:
            self._setting, self._read_only_setting = content, _record(setting, SETTING)
        return self._read_only_setting

    def _tell(self, seconds: float) -> None:
        self._decisions += 1
        self._seconds += seconds
        if self._decisions == _TOLD_AFTER:
            rate = _TOLD_AFTER / max(self._seconds, 1e-9)
            print(
                f"note: {self._name} is not compiled: about {rate:,.0f} decisions a second",
                file=sys.stderr,
            )


def _read_only(array: Any) -> Any:
    array.flags.writeable = False
    return array


def _record(record: Any, dtype: Any) -> Any:
    """Return a copy of a record that cannot be written to."""
    copy = np.zeros(1, dtype)
    copy[0] = record
    return _read_only(copy)[0]


def interpreted_bot(
    name: str,
    target: Any,
    parameters: tuple[Parameter, ...],
    start: Callable[[Setting, Params], Memory],
) -> Bot:
    """Return the bot that asks an object's methods `choose`, `exchange`, `forfeit`."""
    asked = _Interpreted(name, target)
    doc = (type(target).__doc__ or "A bot that is not compiled.").strip()
    return Bot(
        name,
        doc.partition("\n")[0],
        _bridge(asked, "choose"),
        _bridge(asked, "exchange") if hasattr(target, "exchange") else exchange_first,
        _bridge(asked, "forfeit") if hasattr(target, "forfeit") else forfeit_least,
        parameters,
        start,
    )


def _bridge(asked: _Interpreted, method: str) -> Decision:
    """Return a compiled function that asks the object."""
    number = len(_asked)
    _asked.append(lambda *given: asked.ask(method, given))

    def decide(setting: Setting, table: Table, seat: int, hand: Hand, own: Own) -> int:
        params, memory, stream = own.params, own.memory, own.stream
        with objmode(answer="int64"):
            answer = _asked[number](setting, table, seat, hand, params, memory, stream)
        return answer  # noqa: RET504 - objmode has no return

    with warnings.catch_warnings():
        # That objects are not asked in parallel.
        warnings.simplefilter("ignore", numba.NumbaWarning)
        made = user_kernel(decide, SIGNATURE)
    made.__module__ = type(asked.target).__module__  # whose it is: not ours, but guarded
    return made
