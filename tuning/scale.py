"""Between a parameter's values and the unit interval in which the search takes its steps."""

from collections.abc import Sequence

import numpy as np

from analysis.estimates import Array
from simcore.strategy import Parameter

PLAYED_DIGITS = 6
"""Significant digits of a candidate: its name, which tells them all, is meant to be read."""
RESULT_DIGITS = 4
"""Significant digits of the result: more would be noise."""


def to_unit(parameters: Sequence[Parameter], values: Sequence[float]) -> Array:
    """Return where values stand between low (0) and high (1), on each parameter's scale."""
    return np.array([_position(p, value) for p, value in zip(parameters, values, strict=True)])


def from_unit(parameters: Sequence[Parameter], unit: Array, digits: int) -> list[float]:
    """Return the values at positions from 0 to 1, to so many significant digits, in range."""
    return [_value(p, float(x), digits) for p, x in zip(parameters, unit, strict=True)]


def _position(parameter: Parameter, value: float) -> float:
    low, high = parameter.low, parameter.high
    if parameter.scale == "log":
        return float(np.log(value / low) / np.log(high / low))
    return (value - low) / (high - low)


def _value(parameter: Parameter, x: float, digits: int) -> float:
    low, high = parameter.low, parameter.high
    value = low * (high / low) ** x if parameter.scale == "log" else low + (high - low) * x
    return min(max(float(f"{value:.{digits}g}"), low), high)
