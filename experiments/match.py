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
from analysis.estimates import Estimate, games_saved, moments, proportion
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

_LEAST, _BATCH, _WINDOW = 50, 1000, 4
"""Pairs of the first and of the largest batch, and batches played before they are looked at."""

_GROWTH = 4
"""A batch is a fourth of the pairs before it, so that little is played beyond what is needed."""

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
    """How a match ended: games used, int64 (pairs, 2): 2 won by A, 1 drawn, 0 lost.

    The first of a pair is the one that A starts. `path` is the log-likelihood ratio after each of
    `marks` pairs.
    """

    state: State
    games: Array
    marks: Array
    path: Array
    narrow: bool

    @property
    def results(self) -> Array:
        """Pair results, int64 (pairs,), half points of A from 0 to 4."""
        return np.asarray(self.games.sum(axis=1))

    @property
    def level(self) -> bool:
        """Whether all pairs came out level, so that nothing varied that a test could be about."""
        return bool((self.results == RESULTS // 2).all())

    @property
    def drawn(self) -> Estimate:
        """Share of games drawn, by pair."""
        return proportion(self._moments((self.games == 1).sum(axis=1)))

    @property
    def saved(self) -> float | None:
        """How many times as many games on deals of their own would tell the score as well."""
        points = self._moments(self.results / 2)
        return games_saved(points, float((self.games**2).sum()) / 4)

    @property
    def correlation(self) -> float | None:
        """Correlation of A's scores in the two games of a pair; below 0 pairing saves games."""
        return None if self.saved is None else 1 / self.saved - 1

    def _moments(self, y: Array) -> Array:
        two = np.full((len(y), 1), 2.0)
        return np.asarray(moments(np.asarray(y)[:, None], two, two[:, 0])[0])

    @property
    def counts(self) -> Array:
        """Pairs by result, int64 (5,)."""
        return np.bincount(self.results, minlength=RESULTS)


def foretell(match: Match, record: Record, threads: int | None = None) -> dict[float, Duration]:
    """Return how long the test takes for some true Elo differences, by a pilot's pair results.

    Nothing where a width stops the match.
    """
    if match.width is not None:
        return {}
    pilot = _arm(match, PILOT_FIRST, PILOT_DEALS, "pilot")
    games = _games(pilot, play(record, [pilot], threads)["pilot"])
    counts = np.bincount(games.sum(axis=1), minlength=RESULTS)
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
            games = _games(arm, tables[arm.name])
            results = games.sum(axis=1)
            if match.width is None:
                before = state.pairs
                state = advance(match.test, state, results)
                games = games[: state.pairs - before]
            used.append(games)
            sequence.update(np.bincount(games.sum(axis=1), minlength=RESULTS))
            low, high = sequence.interval()
            narrow = match.width is not None and high - low <= match.width
            if narrow or state.verdict != GOES_ON:
                break
        first += sum(arm.deals for arm in arms)
        if match.width is not None:
            state = _standing(match.test, np.concatenate(used).sum(axis=1))
        if watch is not None:
            watch(state, sequence.interval())
        if match.width is None and state.verdict != GOES_ON:
            break
    games = np.concatenate(used)
    marks, path = _path(match.test, games.sum(axis=1))
    return Outcome(state, games, marks, path, narrow)


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
    made: list[Arm] = []
    while len(made) < _WINDOW and first < match.max_pairs:
        deals = min(_BATCH, max(_LEAST, first // _GROWTH), match.max_pairs - first)
        made.append(_arm(match, first, deals, f"pairs from {first}"))
        first += deals
    return made


def _arm(match: Match, first_deal: int, deals: int, name: str) -> Arm:
    pairing = Pairing(match.a, match.b, first_deal, deals)
    made = duel_arm(pairing, match.rules, match.rules.load_board(), match.seed)
    return replace(made, name=name)


def _games(arm: Arm, table: Table) -> Array:
    """Return half points of A in each game, int64 (deals, 2), as `Outcome` has them."""
    return outcomes(arm.design.seatings, table)


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
