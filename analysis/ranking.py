"""Who can be rated, in which order strategies are named, and what is said of the others."""

import numpy as np
from scipy import stats

from analysis.estimates import LARGE, Array, Estimate
from analysis.likelihood import groups, reached

UNBEATEN = "won every game against those rated: a lower bound"
WINLESS = "lost every game against those rated: an upper bound"
ABOVE = "above those rated, whom it never met"
BELOW = "below those rated, whom it never met"
APART = "tied to those rated by no game"
ANCHOR = "the anchor"
LONE = "the only one rated"
NO_TERM = "results too uniform to tell it"


SURE = 0.999
"""A chance above this is told as being above it: it rests on a normal tail."""


def members(scored: Array, played: Array, anchor: int | None = None) -> Array:
    """Return the places, ascending, of those who can be rated together.

    `scored` bool (n, n): whether i ever won or drew against j; `played` int (n,) games or deals.
    It is the group (`likelihood.groups`) of the anchor, or else the largest, of such the one that
    played most.
    """
    label = groups(scored)
    if anchor is not None:
        return np.flatnonzero(label == label[anchor])
    candidates = [np.flatnonzero(label == each) for each in np.unique(label)]
    return min(candidates, key=lambda each: (-len(each), -int(played[each].sum()), int(each[0])))


def word(scored: Array, rated: Array, met: bool, place: int) -> str:
    """Say why a place outside of those `rated` has no rating; `met` is whether it met any."""
    inside = np.isin(np.arange(len(scored)), rated)
    if reached(scored.T, inside)[place]:
        return UNBEATEN if met else ABOVE
    if reached(scored, inside)[place]:
        return WINLESS if met else BELOW
    return APART


def order(found: Estimate, name: str) -> tuple[int, float, str]:
    """Key that sorts from best to worst: above those rated, rated, below, apart; then by figure."""
    ranks = {UNBEATEN: 0, ABOVE: 1, WINLESS: 3, BELOW: 4, APART: 5}
    told = next((e for e in (found.value, found.low, found.high) if e is not None), 0.0)
    return ranks.get(found.method, 2), -told, name


def chance(lead: float, variance: float, deals: int) -> float | None:
    """Chance that a lead is above zero; None where it cannot vary and is not zero."""
    if variance <= 1e-20 or deals < 2:
        return 0.5 if abs(lead) < 1e-9 else None
    score = lead / np.sqrt(variance)
    return float(stats.t.cdf(score, deals - 1) if deals < LARGE else stats.norm.cdf(score))
