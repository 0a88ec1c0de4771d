"""Figures in words: an estimate with its interval and what it rests on, ready to be quoted."""

from analysis.estimates import (
    CANNOT_VARY,
    DID_NOT_VARY,
    NO_DATA,
    NOT_IDENTIFIED,
    ONE_DEAL,
    SUMS_ONLY,
    TOO_FEW,
    Estimate,
)
from analysis.style import decimals, number

WHY = {
    NO_DATA: "nothing to count",
    ONE_DEAL: "none, one deal only",
    TOO_FEW: "none, too few deals",
    CANNOT_VARY: "none, cannot vary",
    NOT_IDENTIFIED: "does not occur",
    SUMS_ONLY: "none, kept as sums",
}
"""What to say instead of an interval, by method."""


def interval(estimate: Estimate, sign: bool = False, places: int | None = None) -> str:
    """Write "4.4 to 4.8", "below 4.8", or why there is no interval.

    Decimals go by its width if not given.
    """
    if estimate.low is None and estimate.high is None:
        if estimate.method == DID_NOT_VARY:
            return f"none, did not vary in {estimate.deals:,} deals"
        return WHY.get(estimate.method, f"none, {estimate.method}")
    if places is None:
        places = decimals(estimate.low, estimate.high)
    if estimate.low is None:
        return f"below {number(estimate.high, places, sign)}"
    if estimate.high is None:
        return f"above {number(estimate.low, places, sign)}"
    return f"{number(estimate.low, places, sign)} to {number(estimate.high, places, sign)}"


def basis(estimate: Estimate) -> str:
    """Write "1,000,000 games on 500,000 deals"."""
    games = "game" if estimate.games == 1 else "games"
    deals = "deal" if estimate.deals == 1 else "deals"
    return f"{estimate.games:,} {games} on {estimate.deals:,} {deals}"


def figure(estimate: Estimate, unit: str, sign: bool = False) -> str:
    """Write "+4.6 points (95 % interval +4.4 to +4.8)"."""
    value = number(estimate.value, decimals(estimate.low, estimate.high), sign)
    known = "95 % interval " if estimate.known else "interval: "
    gap = " " if unit else ""
    return f"{value}{gap}{unit} ({known}{interval(estimate, sign)})"


def quote(estimate: Estimate, unit: str, sign: bool = False) -> str:
    """Write a figure with its interval, games and deals."""
    return f"{figure(estimate, unit, sign)[:-1]}; {basis(estimate)})"
