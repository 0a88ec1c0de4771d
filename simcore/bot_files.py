"""Bots of a user's own file: `my_bot.py:choose`, loaded when the user names it and compiled here.

The file holds plain functions of the signature of simcore/strategy.py. They are compiled with every
index checked, together with those they call that stand in the same folder, and never kept on disk,
so that a change of any of these files counts at once.
"""

import hashlib
import importlib
import importlib.util
import inspect
import re
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numba
import numpy as np

from simcore.interpreted import interpreted_bot
from simcore.jit import python_function, user_kernel
from simcore.setting import Setting
from simcore.strategy import (
    SIGNATURE,
    Bot,
    Memory,
    Parameter,
    Params,
    StrategyError,
    exchange_first,
    forfeit_least,
    no_memory,
)

_ARGUMENTS = ("setting", "table", "seat", "hand", "own")
_lock = threading.Lock()
_loaded: dict[tuple[Path, str], tuple[Bot, dict[Path, str]]] = {}
"""Bots by file and name, with the hashes of the files that they came from."""


def load_bot(name: str) -> Bot:
    """Return the bot of `PATH.py:NAME`: a function, a Bot, or a class or object with `choose`.

    Raises StrategyError with one line that says where the file fails.
    """
    ends = [match.end() for match in re.finditer(r"\.py:", name)]
    end = next((end for end in ends if Path(name[: end - 1]).is_file()), ends[0])
    path, what = Path(name[: end - 1]), name[end:]
    if not path.is_file():
        raise StrategyError(f"{name}: there is no file {path}")
    key = (path.resolve(), what)
    with _lock:
        bot, files = _loaded.get(key, (None, {}))
        if bot is None or any(_hash(file) != found for file, found in files.items()):
            module, files = _load(path.resolve(), name)
            bot = replace(_make_bot(module, what, name), source=_joined(files))
            _loaded[key] = (bot, files)
        return replace(bot, name=name)


def _hash(file: Path) -> str:
    try:
        return hashlib.sha256(file.read_bytes()).hexdigest()
    except OSError:
        return ""


def _joined(files: dict[Path, str]) -> str:
    told = "".join(f"{file.name}:{files[file]}\n" for file in sorted(files))
    return hashlib.sha256(told.encode()).hexdigest()[:12]


def _load(path: Path, name: str) -> tuple[ModuleType, dict[Path, str]]:
    """Run the file as a module; return it, and the hashes of it and of those beside it it needs."""
    with _importable(path.parent) as siblings:
        try:
            content = path.read_bytes()
            code = compile(content, str(path), "exec")
            module = ModuleType(f"bot_{path.stem}_{hashlib.sha256(content).hexdigest()[:8]}")
            module.__file__ = str(path)
            sys.modules[module.__name__] = module  # where dataclasses look for it
            exec(code, module.__dict__)
        except (Exception, SystemExit) as error:
            where = _line_in(path, error)
            told = " ".join(f"{type(error).__name__}: {_message(error)}".split())
            raise StrategyError(f"{name}: {where} cannot be loaded: {told}") from error
    return module, {file: _hash(file) for file in (path, *siblings)}


def _message(error: BaseException) -> str:
    return str(error.msg if isinstance(error, SyntaxError) else error)


@contextmanager
def _importable(folder: Path) -> Iterator[list[Path]]:
    """Let the modules of a folder be imported; give those that were, which are forgotten then.

    So two bots may each have a `helper.py`, and nothing stale is left: no bytecode is written.
    """
    before, wrote = set(sys.modules), sys.dont_write_bytecode
    siblings: list[Path] = []
    sys.path.insert(0, str(folder))
    sys.dont_write_bytecode = True
    importlib.invalidate_caches()
    try:
        yield siblings
    finally:
        sys.dont_write_bytecode = wrote
        sys.path.remove(str(folder))
        for name in set(sys.modules) - before:
            file = getattr(sys.modules[name], "__file__", None)
            if file and folder in Path(file).parents and not name.startswith("bot_"):
                siblings.append(Path(file))
                del sys.modules[name]


def _line_in(path: Path, error: BaseException) -> str:
    """Return `FILE, line N` for the last line of the file that an error passed."""
    line = error.lineno if isinstance(error, SyntaxError) and error.filename == str(path) else None
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == str(path):
            line = trace.tb_lineno
        trace = trace.tb_next
    return path.name if line is None else f"{path.name}, line {line}"


def _make_bot(module: ModuleType, what: str, name: str) -> Bot:
    found = getattr(module, what, None)
    if found is None:
        known = [key for key, value in vars(module).items() if _is_own(value, module)]
        raise StrategyError(f"{name}: no {what!r} in the file; allowed: {', '.join(known)}")
    if isinstance(found, Bot):
        return _compiled_bot(found, module, name)
    if isinstance(python_function(found), FunctionType):
        return _compiled_bot(_described(module, found), module, name)
    if isinstance(found, type):
        try:
            found = found()
        except Exception as error:
            where = _line_in(Path(str(module.__file__)), error)
            raise StrategyError(
                f"{name}: {where}: {what}() raised {type(error).__name__}: {error}"
            ) from error
    if not callable(getattr(found, "choose", None)):
        raise StrategyError(
            f"{name}: {what} is no bot; allowed: a function {_call()}, a Bot, or a class or object "
            f"with a method choose{_call()}"
        )
    for method in ("choose", "exchange", "forfeit"):
        _check_arguments(getattr(found, method, None), f"{name}: {method}")
    return interpreted_bot(name, found, _parameters(found, module, name))


def _call() -> str:
    return f"({', '.join(_ARGUMENTS)})"


def _is_own(value: Any, module: ModuleType) -> bool:
    return getattr(python_function(value), "__module__", None) == module.__name__


def _described(module: ModuleType, choose: Any) -> Bot:
    """Return the bot that the file's functions and PARAMETERS make."""
    doc = (python_function(choose).__doc__ or module.__doc__ or "A bot of a file.").strip()
    return Bot(
        "",
        doc.partition("\n")[0],
        choose,
        getattr(module, "exchange", exchange_first),
        getattr(module, "forfeit", forfeit_least),
        getattr(module, "PARAMETERS", ()),
        getattr(module, "start", no_memory),
    )


def _parameters(found: Any, module: ModuleType, name: str) -> tuple[Parameter, ...]:
    given = getattr(found, "PARAMETERS", getattr(module, "PARAMETERS", ()))
    try:
        parameters = tuple(given)
    except TypeError:
        parameters = (given,)
    for each in parameters:
        if not isinstance(each, Parameter):
            raise StrategyError(f"{name}: PARAMETERS holds {each!r}; allowed: Parameter(...)")
        if not each.low <= each.default <= each.high:
            raise StrategyError(
                f"{name}: the default of {each.name} is {each.default:g}; allowed: "
                f"{each.low:g} to {each.high:g}"
            )
    return parameters


def _compiled_bot(bot: Bot, module: ModuleType, name: str) -> Bot:
    """Return the bot with its functions compiled, those of ours as they are."""
    folder = Path(str(module.__file__)).parent
    compiler = _Compiler(folder)
    made = {}
    for role in ("choose", "exchange", "forfeit"):
        function = getattr(bot, role)
        _check_arguments(python_function(function), f"{name}: {role}")
        made[role] = compiler.bot_function(function, name)
    start = python_function(bot.start)
    return replace(
        bot,
        name=name,
        **made,
        start=_as_memory(start) if compiler.is_theirs(start) else bot.start,
        parameters=_parameters(SimpleParameters(bot.parameters), module, name),
    )


@dataclass(frozen=True)
class SimpleParameters:
    """What a Bot declares, where `_parameters` looks for it."""

    PARAMETERS: Any


def _as_memory(start: Callable[..., Any]) -> Callable[[Setting, Params], Memory]:
    """Return a `start` that gives int64, whatever numbers the user's gives."""

    def converted(setting: Setting, params: Params) -> Memory:
        memory: Memory = np.ascontiguousarray(start(setting, params), np.int64)
        if memory.ndim != 1:
            raise ValueError(f"an array of {memory.ndim} dimensions; allowed: one")
        return memory

    return converted


def _check_arguments(function: Any, where: str) -> None:
    """Raise StrategyError if a function cannot be called with the five arguments."""
    if function is None:
        return
    if not callable(function):
        raise StrategyError(f"{where} is {function!r}; allowed: a function {_call()}")
    try:
        signature = inspect.signature(function)
        signature.bind(*_ARGUMENTS)
    except TypeError:
        raise StrategyError(f"{where} takes {signature}; allowed: {_call()}") from None


class _Compiler:
    """Compiles functions of one folder, and those of the same folder that they call."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._globals: dict[int, dict[str, Any]] = {}

    def is_theirs(self, function: Any) -> bool:
        """Return whether a function stands in the folder."""
        code = getattr(python_function(function), "__code__", None)
        return code is not None and self._folder in Path(code.co_filename).parents

    def bot_function(self, function: Any, name: str) -> Any:
        """Compile for the signature of bots; StrategyError in one line if that fails."""
        if not self.is_theirs(function):
            return function
        plain = python_function(function)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", numba.NumbaWarning)
                return user_kernel(self._rebound(plain), SIGNATURE)
        except Exception as error:  # numba raises of many kinds
            raise StrategyError(f"{name}: {_essence(plain, error)}") from error

    def _rebound(self, function: FunctionType) -> FunctionType:
        """Return the function with the folder's functions compiled where it calls them."""
        made = FunctionType(
            function.__code__,
            self._compiled_globals(function.__globals__),
            function.__name__,
            function.__defaults__,
            function.__closure__,
        )
        made.__module__, made.__doc__ = function.__module__, function.__doc__
        return made

    def _compiled_globals(self, names: dict[str, Any]) -> dict[str, Any]:
        if id(names) not in self._globals:
            made = self._globals[id(names)] = dict(names)
            for key, value in names.items():
                plain = python_function(value)
                if isinstance(plain, FunctionType) and self.is_theirs(plain):
                    made[key] = user_kernel(self._rebound(plain))
        return self._globals[id(names)]


def _essence(function: FunctionType, error: Exception) -> str:
    """Return where and why numba gave up, and what else can be done."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    path = function.__code__.co_filename
    line = function.__code__.co_firstlineno
    for file, number in re.findall(r'File "([^"]+)", line (\d+)', text):
        if Path(file).name == Path(path).name:
            line = int(number)
    location = getattr(error, "loc", None)
    if location is not None and Path(str(location.filename)).name == Path(path).name:
        line = int(location.line)
    said = [part.strip() for part in text.splitlines()]
    said = [part for part in said if part and not re.match(r"Failed in|During:|File |- Reso", part)]
    told = " ".join(said[:2] if said and said[0].endswith(":") else said[:1]) or "no reason given"
    told = re.sub(r"Record\(.*", "...", told)[:160]  # the type of a record is pages long
    return (
        f"{Path(path).name}, line {line}: {function.__name__} cannot be compiled: {told}; "
        f"a class with a method choose is played uncompiled"
    )
