"""A match: is A better than B? Pairs of games, looked at one after the other until it is told.

Pairs count in the order of their deals. They are played in batches on all threads, and those after
the pair at which the test stops are not used, so that the result depends on nothing but the task.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from analysis.confidence_sequence import ConfidenceSequence
from analysis.duel import Pairing, duel_arm
from analysis.sequential import GOES_ON, RESULTS, SequentialTest, State, advance
from analysis.stopping import Duration, chances_at, duration
from experiments.play import play
from experiments.record import Record
from experiments.session import Session
from experiments.tournament import outcomes
from simcore.arms import Arm, Table
from simcore.plan import Array
from simcore.rules import Rules
from simcore.runner import RunError
from simcore.strategy import Strategy

PILOT_DEALS, PILOT_FIRST = 500, 2**42
"""Pairs of the pilot that foretells the length, on deals that no match has."""

_BATCH, _WINDOW = 1000, 4
"""Pairs of a batch, and batches played before they are looked at."""

Watch = Callable[[State, tuple[float, float]], None]
"""Told where the test stands, and the confidence sequence of the score, after each window."""


@dataclass(frozen=True)
class Match:
    """Two strategies, a test, and `width`: stop when the confidence sequence is so narrow.

    Without a width (None) the test stops the match; with one its ratio is shown, not obeyed.
    """

    a: Strategy
    b: Strategy
    rules: Rules
    seed: int
    test: SequentialTest
    width: float | None

    def __post_init__(self) -> None:
        if self.rules.teams != 2:
            raise RunError(f"teams: {self.rules.teams}; allowed: a match is for 2 teams")
        if self.a.name == self.b.name:
            raise RunError(f"match: {self.a.name} against itself; allowed: two that differ")
        if self.width is not None and not 0 < self.width < 1:
            raise RunError(f"width: {100 * self.width:g}; allowed: above 0, below 100 (points)")

    @property
    def max_pairs(self) -> int:
        """Pairs at most."""
        assert self.test.max_pairs is not None
        return self.test.max_pairs

    def told(self) -> dict[str, Any]:
        """Return all that the result depends on, as run.json has it."""
        test = self.test
        return {
            "kind": "match",
            "seed": self.seed,
            "rules": self.rules.settings(),
            "board": self.rules.load_board().rows(),
            "strategies": [self.a.name, self.b.name],
            "files": {s.name: s.bot.source for s in (self.a, self.b) if s.bot.source},
            "elo0": test.elo0,
            "elo1": test.elo1,
            "alpha": test.alpha,
            "beta": test.beta,
            "normalized": test.normalized,
            "max_pairs": test.max_pairs,
            "width": self.width,
        }


@dataclass(frozen=True)
class Outcome:
    """How a match ended: pair results used, int64 (pairs,), half points of A from 0 to 4.

    `path` is the log-likelihood ratio after each of `marks` pairs.
    """

    state: State
    results: Array
    marks: Array
    path: Array
    narrow: bool

    @property
    def counts(self) -> Array:
        """Pairs by result, int64 (5,)."""
        return np.bincount(self.results, minlength=RESULTS)


def foretell(match: Match, record: Record, threads: int | None = None) -> dict[float, Duration]:
    """Return how long the test takes for some true Elo differences, by a pilot's pair results."""
    pilot = _arm(match, PILOT_FIRST, PILOT_DEALS, "pilot")
    counts = np.bincount(_results(pilot, play(record, [pilot], threads)["pilot"]), minlength=5)
    test = match.test
    between = (test.elo0 + test.elo1) / 2
    return {
        elo: duration(test, chances_at(test, elo, counts))
        for elo in (test.elo0, between, test.elo1)
    }


def play_match(
    match: Match, record: Record, threads: int | None = None, watch: Watch | None = None
) -> Outcome:
    """Play until the test stops, the interval is narrow, or the last pair."""
    state, sequence = State(), ConfidenceSequence()
    # With a width the test is only watched, so it must not cut the counting short.
    used: list[Array] = []
    narrow = False
    first = 0
    while first < match.max_pairs and not narrow:
        arms = _window(match, first)
        tables = play(record, arms, threads)
        for arm in arms:
            results = _results(arm, tables[arm.name])
            if match.width is None:
                before = state.pairs
                state = advance(match.test, state, results)
                results = results[: state.pairs - before]
            used.append(results)
            sequence.update(np.bincount(results, minlength=RESULTS))
            low, high = sequence.interval()
            narrow = match.width is not None and high - low <= match.width
            if narrow or state.verdict != GOES_ON:
                break
        first += sum(arm.deals for arm in arms)
        if match.width is not None:
            state = _standing(match.test, np.concatenate(used))
        if watch is not None:
            watch(state, sequence.interval())
        if match.width is None and state.verdict != GOES_ON:
            break
    results = np.concatenate(used)
    marks, path = _path(match.test, results)
    return Outcome(state, results, marks, path, narrow)


def _standing(test: SequentialTest, results: Array) -> State:
    """Return counts and ratio of results, whatever the test would have said on the way."""
    counts = np.bincount(results, minlength=RESULTS)
    return State(tuple(int(n) for n in counts), float(test.ratio(counts)), GOES_ON)


def _path(test: SequentialTest, results: Array) -> tuple[Array, Array]:
    marks = np.unique(np.linspace(1, len(results), min(400, len(results))).astype(np.int64))
    seen = np.zeros((len(marks), RESULTS), np.int64)
    for value in range(RESULTS):
        seen[:, value] = np.cumsum(results == value)[marks - 1]
    return marks, np.asarray(test.ratio(seen))


def _window(match: Match, first: int) -> list[Arm]:
    ends = min(first + _WINDOW * _BATCH, match.max_pairs)
    return [
        _arm(match, at, min(_BATCH, ends - at), f"pairs from {at}")
        for at in range(first, ends, _BATCH)
    ]


def _arm(match: Match, first_deal: int, deals: int, name: str) -> Arm:
    pairing = Pairing(match.a, match.b, first_deal, deals)
    made = duel_arm(pairing, match.rules, match.rules.load_board(), match.seed)
    return replace(made, name=name)


def _results(arm: Arm, table: Table) -> Array:
    """Return half points of A in each pair, int64 (deals,) from 0 to 4."""
    return np.asarray(outcomes(arm.design.seatings, table).sum(axis=1))


def run_match(
    match: Match,
    session: Session,
    watch: Watch | None = None,
    before: Callable[[Mapping[float, Duration]], None] | None = None,
) -> tuple[Path, dict[str, Any], list[str]]:
    """Play a match in a session and write its report.

    `before` is told how long it may take. Returns the page, what --json prints, and the sentences.
    """
    _window(match, 0)  # refuses a seed before there is a folder
    with session.record(match.told()) as record:
        lasts = foretell(match, record, session.threads)
        if before is not None:
            before(lasts)
        outcome = play_match(match, record, session.threads, watch)
        record.finish()
    from experiments.match_report import write

    return write(match, outcome, lasts, record.manifest, session.report)
