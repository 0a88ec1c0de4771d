"""CMA-ES (Hansen, *The CMA Evolution Strategy: A Tutorial*, 2016), from the package `cma`.

Scores are noisy. What makes that bearable is that all candidates of a generation play the same
deals, that steps are taken by the weighted mean of the better half, which averages noise away, and
that the result is the mean of the distribution instead of the candidate with the luckiest score.
"""

import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from analysis.estimates import Array
from simcore.runner import RunError

SIGMA = 0.12
"""Standard deviation of the first candidates, of a parameter's range. Eight weights of a line bot
scored 49.9, 51.0 and 48.6 % against `balanced` after 400,000 games with 0.06, 0.12 and 0.2."""

_QUIET: dict[str, Any] = {"verbose": -9, "verb_log": 0, "verb_disp": 0, "signals_filename": None}


def load_cma() -> Any:
    """Return the package; RunError tells how to install it where it is missing."""
    try:
        with _quiet(), _no_pictures():
            import cma
    except ImportError:
        told = "allowed: after pip install 'sequence-lab[tune]'"
        raise RunError(f"tune: the package cma is not installed; {told}") from None
    return cma


@contextmanager
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@contextmanager
def _no_pictures() -> Iterator[None]:
    """Keep cma from importing pyplot, which takes half a second, for charts that we never draw."""
    name = "matplotlib.pyplot"
    if name in sys.modules:
        yield
        return
    sys.modules[name] = None  # type: ignore[assignment]  # which makes an import fail
    try:
        yield
    finally:
        del sys.modules[name]


class Search:
    """Candidates in the unit cube, a generation at a time; a function of start, seed and scores."""

    def __init__(self, start: Array, seed: int) -> None:
        self._size = len(start)
        # cma refuses one dimension; a second that nothing depends on does no harm.
        start = np.append(start, 0.5) if len(start) == 1 else start
        stream = np.random.default_rng(seed)
        options = _QUIET | {
            "bounds": [0.0, 1.0],
            "seed": np.nan,  # leaves numpy's own stream, which is everybody's, alone
            "randn": lambda *shape: stream.standard_normal(shape),
        }
        with _quiet():
            self._strategy = load_cma().CMAEvolutionStrategy(start, SIGMA, options)
        self._asked: Any = []

    @property
    def population(self) -> int:
        """Candidates of a generation."""
        return int(self._strategy.popsize)

    @property
    def sigma(self) -> float:
        """Standard deviation of the candidates, averaged over parameters, of their range."""
        deviations = self._strategy.sigma * self._strategy.sm.variances**0.5
        return float(np.mean(deviations[: self._size]))

    def ask(self) -> Array:
        """Return the candidates of a generation, float64 (population, parameters)."""
        with _quiet():
            self._asked = self._strategy.ask()
        return np.array(self._asked)[:, : self._size]

    def tell(self, scores: Sequence[float]) -> None:
        """Take in the scores of the candidates asked for last; higher is better."""
        with _quiet():
            self._strategy.tell(self._asked, [-score for score in scores])

    def mean(self) -> Array:
        """Return the mean of the distribution, the search's best guess; float64 (parameters,)."""
        return np.array(self._strategy.result.xfavorite)[: self._size]
