"""What an intervention on one hand is worth: treated games less the same games untreated."""

import numpy as np

from analysis.paired import Figure, figure
from simcore.arms import Table
from simcore.intervention import treated_seats
from simcore.plan import Array
from simcore.rules import Rules

KINDS = {"two_eyed": "two-eyed jack", "one_eyed": "one-eyed jack"}
"""Interventions that put a jack in a hand, and what it is called."""


def happened(kind: str, control: Table, treated: Table, seats: Array) -> Array:
    """Return bool (deals,), whether the treated seat got its jack; a card more is always got."""
    if kind not in KINDS:
        return np.ones(len(seats), bool)
    at = np.arange(len(seats))
    return np.asarray(treated[kind][at, 0, seats] > control[kind][at, 0, seats])


def treated_figure(
    kind: str, control: Table, treated: Table, rules: Rules, seed: int, first_deal: int = 0
) -> Figure:
    """Return the score that the treated team gained, from -1 to 1, over the deals treated.

    Tables are those of `measures.scores` with one game a deal.
    """
    done, before, after = _scores(kind, control, treated, rules, seed, first_deal)
    return figure((after - before) * done, done, 2 * int(done.sum()))


def treated_saved(
    kind: str, control: Table, treated: Table, rules: Rules, seed: int, first_deal: int = 0
) -> float | None:
    """How many times as many games on deals of their own would tell the gain as well."""
    done, before, after = _scores(kind, control, treated, rules, seed, first_deal)
    kept = done > 0
    if kept.sum() < 2:
        return None
    together = float(np.var(after[kept] - before[kept]))
    apart = float(np.var(after[kept]) + np.var(before[kept]))
    return apart / together if together > 0 else None


def treated_correlation(
    kind: str, control: Table, treated: Table, rules: Rules, seed: int, first_deal: int = 0
) -> float | None:
    """Correlation of the team's scores without and with it; None where one does not vary."""
    done, before, after = _scores(kind, control, treated, rules, seed, first_deal)
    kept = done > 0
    if kept.sum() < 2 or min(np.ptp(before[kept]), np.ptp(after[kept])) == 0:
        return None
    return float(np.corrcoef(before[kept], after[kept])[0, 1])


def _scores(
    kind: str, control: Table, treated: Table, rules: Rules, seed: int, first_deal: int
) -> tuple[Array, Array, Array]:
    """Return by deal whether it was done, and the team's score without and with it."""
    deals = len(control["score"])
    seats = treated_seats(seed, first_deal, deals, rules.players)
    done = happened(kind, control, treated, seats).astype(np.float64)
    at, team = np.arange(deals), seats % rules.teams
    return done, control["score"][at, 0, team], treated["score"][at, 0, team]
