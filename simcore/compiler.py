"""Compiles the functions of anybody's bot, with every index checked, after a look at what they use.

With a bot's function those of the same home (the folder of its file, or its package) are compiled
that it calls, by name or as `helper.f`. Refused is what no check of an index stops: memory without
bounds, and recursion, which ends the process when it goes too deep. What comes from other packages
is trusted, and so is what Python does that a bot's compiled code asks back.
"""

import dis
import inspect
import re
import sysconfig
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any

import numba
from numba import types
from numba.core.extending import _Intrinsic

from simcore.jit import PLAIN_PYTHON, python_function, user_kernel
from simcore.strategy import SIGNATURE, StrategyError

_PROJECT = Path(__file__).resolve().parent.parent
_OURS = (_PROJECT / "simcore", _PROJECT / "strategies")
_FOREIGN = tuple(Path(sysconfig.get_path(name)) for name in ("stdlib", "purelib", "platlib"))

_RAW_NAMES = {"as_strided", "carray", "farray", "address_as_void_pointer", "ctypes"}
_RAW_TYPES = ("_ctypes", "ctypes", "_cffi_backend")
"""Modules of the types of foreign functions."""

_ENDLESS = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR

_UNBOUND = "which reads memory without bounds"
_NOT_A_REASON = r"Failed in|During:|File |- Reso|.* defined at None"
"""Lines of numba's messages that say where, not why."""

_OTHERWISE = "a class with a method choose is played uncompiled"


class _RefusedError(Exception):
    """A function that is not compiled; the message says where and why."""

    def __init__(self, code: CodeType, told: str) -> None:
        where = f"{Path(code.co_filename).name}, line {code.co_firstlineno}: {code.co_name}"
        super().__init__(f"{where} {told}")


def is_ours(function: Any) -> bool:
    """Return whether a function stands in this project."""
    code = getattr(python_function(function), "__code__", None)
    return code is not None and any(f in Path(code.co_filename).parents for f in _OURS)


class Compiler:
    """Compiles what belongs to one home, a folder or a single file."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._scopes: dict[int, dict[str, Any]] = {}
        self._modules: dict[int, ModuleType] = {}

    def is_home(self, file: Path) -> bool:
        """Return whether a file belongs to the home: a folder may hold an environment, or us."""
        homes = (self._home, *_OURS, *_FOREIGN)
        around = [home for home in homes if home == file or home in file.parents]
        return bool(around) and max(around, key=lambda home: len(home.parts)) == self._home

    def bot_function(self, function: Any, name: str) -> Any:
        """Compile for the signature of bots; StrategyError in one line if that fails."""
        if is_ours(function):
            return function
        plain = python_function(function)
        try:
            self._look_at(plain, ())
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", numba.NumbaWarning)
                return _answering(self._rebound(plain))
        except _RefusedError as error:
            raise StrategyError(f"{name}: {error}; {_OTHERWISE}") from None
        except Exception as error:  # numba raises of many kinds
            raise StrategyError(f"{name}: {_essence(plain, error)}; {_OTHERWISE}") from error

    def _is_theirs(self, value: Any) -> bool:
        """Return whether something is a function to compile: any that was compiled unchecked."""
        plain = python_function(value)
        if not isinstance(plain, FunctionType) or is_ours(plain):
            return False
        return plain is not value or self.is_home(Path(plain.__code__.co_filename))

    def _is_their_module(self, value: Any) -> bool:
        file = getattr(value, "__file__", None) if isinstance(value, ModuleType) else None
        return file is not None and self.is_home(Path(file))

    def _look_at(self, function: FunctionType, above: tuple[CodeType, ...]) -> None:
        """Raise _RefusedError for what may not be compiled, in the function and those it calls."""
        code = function.__code__
        if code.co_flags & _ENDLESS:
            raise _RefusedError(code, "is a generator or a coroutine")
        if code in above:
            raise _RefusedError(code, "calls itself, which may end the process when compiled")
        for inner in _codes(code):
            for name in _RAW_NAMES.intersection(inner.co_names):
                raise _RefusedError(code, f"uses {name}, {_UNBOUND}")
        for value in _outside(function):
            if _is_raw(value):
                raise _RefusedError(code, f"uses {getattr(value, '__name__', value)}, {_UNBOUND}")
            if self._is_theirs(value):
                self._look_at(python_function(value), (*above, code))

    def _rebound(self, function: FunctionType) -> FunctionType:
        """Return the function with what is theirs compiled where it calls that."""
        cells = function.__closure__
        made = FunctionType(
            function.__code__,
            self._scope(function.__globals__),
            function.__name__,
            function.__defaults__,
            cells and tuple(CellType(self._compiled(cell.cell_contents)) for cell in cells),
        )
        made.__module__, made.__doc__ = function.__module__, function.__doc__
        return made

    def _scope(self, names: dict[str, Any]) -> dict[str, Any]:
        if id(names) not in self._scopes:
            made = self._scopes[id(names)] = dict(names)
            for key, value in names.items():
                made[key] = self._compiled(value)
        return self._scopes[id(names)]

    def _compiled(self, value: Any) -> Any:
        """Return what compiled code finds instead of a value of theirs."""
        if self._is_theirs(value):
            return user_kernel(self._rebound(python_function(value)))
        if not self._is_their_module(value):
            return value
        if id(value) not in self._modules:
            made = self._modules[id(value)] = ModuleType(value.__name__)
            vars(made).update(self._scope(vars(value)))
        return self._modules[id(value)]


def _answering(function: FunctionType) -> Callable[..., Any]:
    """Compile a bot's function; refuse one that gives no whole number."""
    made = user_kernel(function, SIGNATURE.args)
    if PLAIN_PYTHON:
        return made
    answer: Any = made.nopython_signatures[0].return_type  # type: ignore[attr-defined]
    if answer == SIGNATURE.return_type:
        return made
    if isinstance(answer, types.Integer | types.Boolean):
        return user_kernel(function, SIGNATURE)
    told = "never returns anything" if answer == types.none else f"returns {answer}"
    raise _RefusedError(function.__code__, f"{told}; allowed: a whole number")


def _codes(code: CodeType) -> Iterator[CodeType]:
    """Yield the code of a function and of those inside it."""
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _codes(inner)


def _outside(function: FunctionType) -> Iterator[Any]:
    """Yield what stands outside of a function that it looks up, as `name` or `module.name`."""
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    for code in _codes(function.__code__):
        value: Any = None
        for step in dis.get_instructions(code):
            if step.opname == "LOAD_GLOBAL":
                value = function.__globals__.get(step.argval)
            elif step.opname == "LOAD_DEREF" and step.argval in cells:
                value = cells[step.argval].cell_contents
            elif step.opname in ("LOAD_ATTR", "LOAD_METHOD") and isinstance(value, ModuleType):
                value = getattr(value, step.argval, None)
            else:
                value = None
            if value is not None:
                yield value


def _is_raw(value: Any) -> bool:
    """Return whether something is a foreign function, or one that gives memory without bounds."""
    foreign = type(value).__module__ in _RAW_TYPES or isinstance(value, _Intrinsic)
    return foreign or getattr(value, "__name__", "") in _RAW_NAMES


def _essence(function: FunctionType, error: Exception) -> str:
    """Return where and why numba gave up."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    file, line, name = _place(function, error, text)
    if isinstance(error, KeyError):  # numba's way to say so
        told = f"there is no field {text}"
    else:
        said = [part.strip() for part in text.splitlines()]
        said = [
            s for s in said if s and not re.match(r"Failed in|During:|File |- Reso|.* at None", s)
        ]
        told = " ".join(said[:2] if said and said[0].endswith(":") else said[:1])
        told = re.sub(r"Record\(.*", "...", told)[:160]  # the type of a record is pages long
    return f"{file}, line {line}: {name} cannot be compiled: {told or 'no reason given'}"


def _place(function: FunctionType, error: Exception, text: str) -> tuple[str, int, str]:
    """Return file, line and function of a fault: numba tells the innermost place first."""
    code = function.__code__
    path, line = Path(code.co_filename), code.co_firstlineno
    for name, number, where in re.findall(r'File "([^"]+)", line (\d+):\ndef (\w+)', text):
        if (path.parent / Path(name).name).is_file():
            return Path(name).name, int(number), where
    location = getattr(error, "loc", None)
    if location is not None and Path(str(location.filename)).name == path.name:
        line = int(location.line)
    if isinstance(error, KeyError):
        uses = (s for s in dis.get_instructions(code) if s.argval == error.args[0] and s.positions)
        line = next((s.positions.lineno or line for s in uses if s.positions), line)
    return path.name, line, code.co_name
