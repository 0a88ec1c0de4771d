"""Bots of a user's own file: `my_bot.py:choose`, loaded when the user names it and compiled here.

The file holds plain functions of the signature of simcore/strategy.py. They are compiled
(simcore/compiler.py) together with those they call that stand in the same folder, and never kept on
disk, so that a change of any of these files counts at once. Bots of installed packages are checked
and compiled like those of files.
"""

import hashlib
import importlib
import inspect
import re
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, TypeVar

import numpy as np

from simcore.compiler import Compiler, is_ours
from simcore.given import is_file, quoted
from simcore.interpreted import interpreted_bot
from simcore.jit import python_function
from simcore.setting import Setting
from simcore.strategy import (
    Bot,
    Memory,
    Parameter,
    Params,
    StrategyError,
    check_parameters,
    exchange_first,
    forfeit_least,
    no_memory,
)
from simcore.watch import STUCK_SECONDS, Stuck, told_error, watched

Result = TypeVar("Result")

_ARGUMENTS = ("setting", "table", "seat", "hand", "own")
_lock = threading.Lock()
_loaded: dict[tuple[Path, str], tuple[Bot, dict[Path, str]]] = {}
"""Bots by file and name, with the hashes of the files that they came from."""

_packaged: dict[int, tuple[Bot, Bot]] = {}
"""Bots of packages as they were found, by id, and as they are played."""


def load_bot(name: str) -> Bot:
    """Return the bot of `PATH.py:NAME`: a function, a Bot, or a class or object with `choose`.

    Raises StrategyError with one line that says where the file fails.
    """
    path, what = _split(name)
    if not is_file(path):
        raise StrategyError(f"no strategy {quoted(what)}: there is no file {path}")
    return bot_in(path, what, name)


def bot_in(path: Path, what: str, name: str) -> Bot:
    """Return the bot `what` of a file, under the name that tables and errors give it."""
    key = (path.resolve(), what)
    with _lock:
        bot, files = _loaded.get(key, (None, {}))
        if bot is None or any(_hash(file) != found for file, found in files.items()):
            module, files = _load(path.resolve(), name)
            bot = replace(_looked_at(module, what, name), source=_joined(files))
            _loaded[key] = (bot, files)
        return replace(bot, name=name)


def files_of(name: str) -> tuple[Path, str, dict[Path, str]]:
    """Return what a bot that `load_bot` returned came from: file, name, and hashes of all files."""
    path, what = _split(name)
    with _lock:
        return path.resolve(), what, _loaded[path.resolve(), what][1]


def _split(name: str) -> tuple[Path, str]:
    """Return file and name of `PATH.py:NAME`; a path may hold `.py:` itself."""
    ends = [match.end() for match in re.finditer(r"\.py:", name)]
    end = next((end for end in ends if is_file(Path(name[: end - 1]))), ends[0])
    return Path(name[: end - 1]), name[end:]


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
            _watched(lambda: exec(code, module.__dict__))
        except Exception as error:
            where = _line_in(path, error)
            told = " ".join(told_error(error).split())
            if isinstance(error, SyntaxError):
                told = f"SyntaxError: {error.msg}"
            raise StrategyError(f"{name}: {where} cannot be loaded: {told}") from error
    return module, {file: _hash(file) for file in (path, *siblings)}


def _watched(call: Callable[[], Result]) -> Result:
    """Return what code of a file gives when it is run; an Exception if it does not end."""
    try:
        return watched(call, lambda: "loading")
    except Stuck:
        raise TimeoutError(f"not done after {STUCK_SECONDS:g} s") from None
    except SystemExit as error:  # without a watch
        raise RuntimeError(told_error(error)) from error


@contextmanager
def _importable(folder: Path) -> Iterator[list[Path]]:
    """Let the modules of a folder be imported; give those that were, which are forgotten then.

    So two bots may each have a `helper.py`, and nothing stale is left: no bytecode is written.
    """
    before, wrote, compiler = set(sys.modules), sys.dont_write_bytecode, Compiler(folder)
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
            # A folder without __init__.py is a module that has no file.
            where = file or next(iter(getattr(sys.modules[name], "__path__", ())), None)
            if where and compiler.is_home(Path(where)) and not name.startswith("bot_"):
                siblings += [Path(file)] if file else []
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


def _looked_at(module: ModuleType, what: str, name: str) -> Bot:
    """Return the bot; StrategyError too for what raises when it is only looked at."""
    try:
        return _make_bot(module, what, name)
    except StrategyError:
        raise
    except Exception as error:
        where = _line_in(Path(str(module.__file__)), error)
        raise StrategyError(f"{name}: {where}: {what} raised {told_error(error)}") from error


def _make_bot(module: ModuleType, what: str, name: str) -> Bot:
    found, path = getattr(module, what, None), Path(str(module.__file__))
    if found is None:
        known = [key for key, value in vars(module).items() if _is_own(value, module)]
        raise StrategyError(f"{name}: no {quoted(what)} in the file; allowed: {', '.join(known)}")
    if isinstance(found, Bot):
        return _compiled_bot(found, path.parent, name)
    if isinstance(python_function(found), FunctionType):
        return _compiled_bot(_described(module, found), path.parent, name)
    if isinstance(found, type):
        try:
            found = _watched(found)
        except Exception as error:
            where = _line_in(path, error)
            raise StrategyError(f"{name}: {where}: {what}() raised {told_error(error)}") from error
    if not callable(getattr(found, "choose", None)):
        raise StrategyError(
            f"{name}: {what} is no bot; allowed: a function {_call()}, a Bot, or a class or object "
            f"with a method choose{_call()}"
        )
    for method in ("choose", "exchange", "forfeit"):
        _check_arguments(getattr(found, method, None), f"{name}: {method}")
    given = getattr(found, "PARAMETERS", getattr(module, "PARAMETERS", ()))
    start = _as_memory(getattr(found, "start", no_memory), name)
    return interpreted_bot(name, found, _parameters(given, name), start)


def _call(arguments: tuple[str, ...] = _ARGUMENTS) -> str:
    return f"({', '.join(arguments)})"


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


def _parameters(given: Any, name: str) -> tuple[Parameter, ...]:
    try:
        parameters = tuple(given)
    except TypeError:
        parameters = (given,)
    for each in parameters:
        if not isinstance(each, Parameter):
            raise StrategyError(f"{name}: PARAMETERS holds {each!r}; allowed: Parameter(...)")
    check_parameters(name, parameters)
    return parameters


def package_bot(bot: Bot) -> Bot:
    """Return a bot of an installed package, checked and compiled as one of a file is.

    One whose functions are all ours is returned as it is.
    """
    theirs = [f for f in (bot.choose, bot.exchange, bot.forfeit) if not is_ours(f)]
    if not theirs:
        return bot
    with _lock:
        if id(bot) not in _packaged:
            home = _home(getattr(python_function(theirs[0]), "__module__", __name__))
            _packaged[id(bot)] = bot, _compiled_bot(bot, home, bot.name)
        return _packaged[id(bot)][1]


def _home(module: str) -> Path:
    """Return the folder of a module's package, the file of one that stands alone."""
    package = module.partition(".")[0]
    file = Path(str(sys.modules[package].__file__))
    return file.parent if file.stem == "__init__" else file


def _compiled_bot(bot: Bot, home: Path, name: str) -> Bot:
    """Return the bot with its functions compiled, those of ours as they are."""
    compiler, made = Compiler(home), {}
    for role in ("choose", "exchange", "forfeit"):
        function = getattr(bot, role)
        told = getattr(function, "__name__", role)
        _check_arguments(python_function(function), f"{name}: {told}")
        made[role] = compiler.bot_function(function, name)
    return replace(
        bot,
        name=name,
        **made,
        start=_as_memory(bot.start, name),
        parameters=_parameters(bot.parameters, name),
    )


def _as_memory(start: Any, name: str) -> Callable[[Setting, Params], Memory]:
    """Return a `start` that gives int64, whatever numbers the user's gives; ours as it is."""
    plain = python_function(start)
    _check_arguments(plain, f"{name}: start", ("setting", "params"))
    if is_ours(plain):
        return start  # type: ignore[no-any-return]

    def converted(setting: Setting, params: Params) -> Memory:
        with np.errstate(invalid="raise"):  # of what is no whole number of 64 bits
            memory: Memory = np.ascontiguousarray(plain(setting, params), np.int64)
        if memory.ndim != 1:
            raise ValueError(f"an array of {memory.ndim} dimensions; allowed: one")
        return memory

    return converted


def _check_arguments(function: Any, where: str, arguments: tuple[str, ...] = _ARGUMENTS) -> None:
    """Raise StrategyError if a function cannot be called with these arguments."""
    if function is None:
        return
    if not callable(function):
        raise StrategyError(f"{where} is {function!r}; allowed: a function {_call(arguments)}")
    try:
        signature = inspect.signature(function)
        signature.bind(*arguments)
    except TypeError:
        told = _call(tuple(signature.parameters))
        raise StrategyError(f"{where} takes {told}; allowed: {_call(arguments)}") from None
