"""Every compile flag, and the folder in which compiled kernels are kept.

Nothing else in the project calls `numba.njit` bare, so a flag is changed here or nowhere.
"""

import hashlib
import os
import shutil
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np
import platformdirs

Function = TypeVar("Function", bound=Callable[..., Any])

Int = Any
"""A whole number in a kernel: an int, or a numpy integer of any width."""

int64: Any = np.int64
"""Widen to 64 bits in a kernel; numpy's own name, without its static type."""

_PACKAGES = ("simcore", "strategies")
_KEEP_DAYS = 30


def source_hash() -> str:
    """Return 12 hex digits that change with any source file a kernel could come from.

    Numba does not notice a change in a function that another file's cached kernel calls, so the
    cache folder carries this hash; a run's manifest carries it to say what made the tables.
    """
    root = Path(__file__).resolve().parent.parent
    digest = hashlib.sha256()
    for package in _PACKAGES:
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
    """Like `kernel`, for one that creates arrays: rarely called, once a decision at most."""
    compiled: Function = numba.njit(**(_options(function) | {"_nrt": True}))(function)
    return compiled


def inlined_kernel(function: Function) -> Function:
    """Like `kernel`, and always compiled into its caller: for small steps of every turn."""
    compiled: Function = numba.njit(forceinline=True, **_options(function))(function)
    return compiled


def typed_kernel(signature: Any, allocates: bool = True) -> Callable[[Function], Function]:
    """Compile for one signature at import, so that the function can be passed as a value.

    With `allocates=False` the function is faster to call and may create no arrays.
    """

    def decorate(function: Function) -> Function:
        compiled: Function = numba.njit(signature, **(_LEAN | {"_nrt": allocates}))(function)
        return compiled

    return decorate


def record_dtype(fields: list[tuple[Any, ...]]) -> np.dtype[Any]:
    """Return an aligned dtype whose items give their fields as attributes, compiled or not."""
    return np.dtype((np.record, np.dtype(fields, align=True)))
