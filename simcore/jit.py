"""Every compile flag, and the folder in which compiled kernels are kept.

Nothing else in the project calls `numba.njit` bare, so a flag is changed here or nowhere.
"""

import functools
import hashlib
import os
import shutil
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np
import platformdirs
from numba.extending import typeof_impl

Function = TypeVar("Function", bound=Callable[..., Any])

Int = Any
"""A whole number in a kernel: an int, or a numpy integer of any width."""

int64: Any = np.int64
"""Widen to 64 bits in a kernel; numpy's own name, without its static type."""

_PACKAGES = ("simcore", "strategies")
_KEEP_DAYS = 30


@functools.cache
def source_hash(packages: tuple[str, ...] = _PACKAGES) -> str:
    """Return 12 hex digits that change with any source file of packages of this project.

    They are those of the files as this process found them; as a rule of those that a kernel could
    come from.

    Numba does not notice a change in a function that another file's cached kernel calls, so the
    cache folder carries this hash; a run's manifest carries it to say what made the tables.
    """
    root = Path(__file__).resolve().parent.parent
    digest = hashlib.sha256()
    for package in packages:
        for path in sorted((root / package).glob("*.py")):
            digest.update(path.name.encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def _cache_folder() -> Path:
    """Make and return the cache folder of these sources; prune those long unused."""
    base = os.environ.get("NUMBA_CACHE_DIR") or platformdirs.user_cache_dir("sequence-lab")
    folder = Path(base) / f"kernels-{source_hash()}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
        if not os.access(folder, os.W_OK):
            raise PermissionError(folder)
    except OSError:
        # Numba would refuse to import. A fresh private folder costs one compilation a process;
        # a fixed name under the shared temporary folder would let others plant code.
        return Path(tempfile.mkdtemp(prefix="sequence-lab-"))
    _prune(Path(base), keep=folder)
    return folder


def _prune(base: Path, keep: Path) -> None:
    limit = time.time() - _KEEP_DAYS * 86_400
    for old in base.glob("kernels-*"):
        if old != keep and old.stat().st_mtime < limit:
            shutil.rmtree(old, ignore_errors=True)


_config: Any = numba.config  # its attributes are made at run time
PLAIN_PYTHON = bool(_config.DISABLE_JIT)
"""Whether nothing is compiled, so that one can stop and look around."""

_config.CACHE_DIR = str(_cache_folder())
# Bots are passed as functions, which numba calls experimental each time it compiles the engine.
warnings.filterwarnings("ignore", category=numba.NumbaExperimentalFeatureWarning)


# Reference counting is off in kernels: counting the arrays handed to functions took 7 % of a random
# game's time. A kernel must not create arrays.
_LEAN: dict[str, Any] = {"cache": True, "nogil": True, "_nrt": False}


def _options(function: Function) -> dict[str, Any]:
    """Return the flags of a kernel; a private one is called by kernels only and needs no door."""
    door = function.__name__.startswith("_")
    return {**_LEAN, "no_cpython_wrapper": door, "no_cfunc_wrapper": door}


def kernel(function: Function) -> Function:
    """Compile at first use, cached on disk, without the interpreter's lock; allocates nothing."""
    compiled: Function = numba.njit(**_options(function))(function)
    return compiled


def allocating_kernel(function: Function) -> Function:
    """Like `kernel`, for one that creates arrays: at most a few times a decision."""
    compiled: Function = numba.njit(**(_LEAN | {"_nrt": True}))(function)
    return compiled


def inlined_kernel(function: Function) -> Function:
    """Like `kernel`, and always compiled into its caller: for small steps of every turn."""
    compiled: Function = numba.njit(forceinline=True, **_options(function))(function)
    return compiled


class TypedKernel:
    """A function that is compiled for one signature, so that it can be passed as a value.

    Only when it is first used: to list the bots, all of which would be compiled, took a minute and
    a half where there was no cache.
    """

    def __init__(self, function: Callable[..., Any], signature: Any, flags: dict[str, Any]) -> None:
        functools.update_wrapper(self, function)
        self._make = numba.njit(signature, **(_LEAN | flags))
        self.py_func = function

    @functools.cached_property
    def compiled(self) -> Any:
        """What to pass to a kernel."""
        return self._make(self.py_func)

    def __call__(self, *given: Any) -> Any:
        """Call the compiled function."""
        return self.compiled(*given)


@typeof_impl.register(TypedKernel)
def _type_of(function: TypedKernel, context: Any) -> Any:
    """Let kernels call such a function by its name."""
    return typeof_impl(function.compiled, context)


def typed_kernel(
    signature: Any, *, allocates: bool = True, checks: bool = False
) -> Callable[[Function], Function]:
    """Compile for one signature when first used (TypedKernel).

    With `allocates=False` the function is faster to call and may create no arrays; with `checks`
    every index is checked.
    """
    flags = {"_nrt": allocates} | ({"boundscheck": True} if checks else {})

    def decorate(function: Function) -> Function:
        return cast(Function, TypedKernel(function, signature, flags))

    return decorate


def as_value(function: Any) -> Any:
    """Return a bot's function as a kernel takes it."""
    return function.compiled if isinstance(function, TypedKernel) else function


def user_kernel(function: Function, signature: Any = None) -> Function:
    """Compile a user's function: every index is checked, and nothing is kept on disk.

    Numba would not notice a change in a module that the user's file imports.
    """
    compiled: Function = numba.njit(signature, nogil=True, boundscheck=True)(function)
    return compiled


def python_function(function: Any) -> Any:
    """Return the Python function that a compiled one was made of."""
    return getattr(function, "py_func", function)


def checked(function: Function) -> Function:
    """Return a kernel for user's functions to call, with every index checked."""
    plain: Function = python_function(function)
    return user_kernel(plain)


def record_dtype(fields: list[tuple[Any, ...]]) -> np.dtype[Any]:
    """Return an aligned dtype whose items give their fields as attributes, compiled or not."""
    return np.dtype((np.record, np.dtype(fields, align=True)))
