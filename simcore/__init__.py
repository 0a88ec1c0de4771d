"""The engine of sequence-lab: rules, kernels, runs.

    from simcore import Rules, simulate
    run = simulate(["greedy", "random"], games=100_000, seed=7)
    run.games, run.seats, run.sequences, run.jacks, run.spaces   # pandas frames

Names are imported when they are asked for, so that `import simcore.rules` stays quick.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from simcore.rules import Rules
    from simcore.run import Run, load
    from simcore.simulation import simulate

__all__ = ["Rules", "Run", "load", "simulate"]

_HOMES = {"Rules": "rules", "Run": "run", "load": "run", "simulate": "simulation"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'simcore' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"simcore.{_HOMES[name]}"), name)
