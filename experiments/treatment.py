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
    deals = len(control["score"])
    seats = treated_seats(seed, first_deal, deals, rules.players)
    done = happened(kind, control, treated, seats).astype(np.float64)
    at, team = np.arange(deals), seats % rules.teams
    gain = treated["score"][at, 0, team] - control["score"][at, 0, team]
    return figure(gain * done, done, 2 * int(done.sum()))
