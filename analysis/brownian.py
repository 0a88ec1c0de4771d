"""When and where a Brownian motion with drift leaves the strip between two barriers.

The log-likelihood ratio of a sequential test is nearly one. Chances are sums over mirror images of
the barriers, of which every term is at most 1, so that nothing overflows; the sum ends where the
terms are below rounding.

Sources: Cox and Miller, *The Theory of Stochastic Processes*, 1965, ch. 5; Siegmund, *Sequential
Analysis*, 1985, ch. 3. Units: the variance is 1 per unit of time; the motion starts at 0.
"""

import numpy as np
from scipy.special import log_ndtr

_REACH = 9.0
"""Standard deviations beyond which the normal distribution has nothing that a double can see."""

_FLAT = 1e-9
"""Drift times width of the strip that is as good as none."""


def leaves(near: float, far: float, drift: float, time: float) -> float:
    """Chance of leaving through the barrier at `near` by `time`, before the one at `-far`.

    Both distances are above 0; `time` may be infinite. For the other barrier's chance swap the
    distances and turn the drift's sign.
    """
    if time <= 0:
        return 0.0
    if np.isinf(time):
        return _ever(near, far, drift)
    width, root, speed = near + far, float(np.sqrt(time)), abs(drift)
    images = int(np.ceil((_REACH * root + width) / (2 * width)))
    way = near + 2 * width * np.arange(-images, images + 1)
    length = np.abs(way)
    terms = np.exp(drift * near - speed * length + log_ndtr((speed * time - length) / root))
    terms += np.exp(drift * near + speed * length + log_ndtr(-(speed * time + length) / root))
    return float(np.clip((np.sign(way) * terms).sum(), 0, 1))


def _ever(near: float, far: float, drift: float) -> float:
    """Wald's chance (1 - e^(2 m far)) / (e^(-2 m near) - e^(2 m far)) / e^(2 m near), stably."""
    if abs(drift) * (near + far) < _FLAT:
        return far / (near + far)
    if drift > 0:
        return float(np.expm1(-2 * drift * far) / np.expm1(-2 * drift * (near + far)))
    top = np.expm1(2 * drift * far) / np.expm1(2 * drift * (near + far))
    return float(np.exp(2 * drift * near) * top)


def stays_below(level: float, upper: float, lower: float, drift: float, time: float) -> float:
    """Chance of being inside and below `level` at `time`, never having left (`-lower`, `upper`)."""
    width, root = upper + lower, float(np.sqrt(time))
    images = int(np.ceil((_REACH * root + width) / (2 * width))) + 1
    total = 0.0
    for shift in 2 * width * np.arange(-images, images + 1):
        start, mirrored = shift, 2 * upper - shift
        total += _mass(-lower, level, start, drift, time) - _mass(
            -lower, level, mirrored, drift, time
        )
    return float(np.clip(total, 0, 1))


def _mass(low: float, high: float, start: float, drift: float, time: float) -> float:
    """e^(drift start) times the chance that a free motion from `start` is in [low, high]."""
    root = float(np.sqrt(time))
    ends = (np.array([low, high]) - start - drift * time) / root
    # The far tail of a normal distribution is seen from its own side.
    ends = ends if ends[1] < 0 else -ends[::-1]
    low_mass, high_mass = np.exp(drift * start + log_ndtr(ends))
    return float(high_mass - low_mass)


def mean_time(upper: float, lower: float, drift: float) -> float:
    """Mean time until the motion leaves (`-lower`, `upper`) (Wald's identity)."""
    width = upper + lower
    if abs(drift) * width < 1e-4:
        return upper * lower
    return (leaves(upper, lower, drift, np.inf) * width - lower) / drift
