"""Matches: the same verdict at the same pair, whatever the threads, the batches or a break."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from arranged import checksums, count_written, interrupt_after, strategies, without_page
from helpers import Seqlab

from analysis.confidence_sequence import ConfidenceSequence
from analysis.sequential import GOES_ON, SequentialTest, State, advance
from experiments import match as module
from experiments.match import (
    PILOT_DEALS,
    PILOT_FIRST,
    Match,
    Outcome,
    foretell,
    play_match,
    run_match,
)
from experiments.record import Record
from experiments.session import Session
from simcore import Rules, simulate
from simcore.design import make_design
from simcore.runner import RunError

SEED = 6
PAIRS = 700
PAIRINGS = {
    "elo1": ("greedy", "greedy:no_two_eyed=1", 60.0, 110.0),
    "elo0": ("greedy:no_one_eyed=1", "greedy", 0.0, 30.0),
    "undecided": ("balanced", "greedy", 8.0, 12.0),
}


def made(verdict: str = "elo1", width: float | None = None, pairs: int = PAIRS) -> Match:
    a, b, elo0, elo1 = PAIRINGS[verdict]
    test = SequentialTest(elo0, elo1, max_pairs=pairs)
    return Match(*strategies((a, b)), Rules(), SEED, test, width)


def opened(folder: Path, task: Match, resume: bool = False) -> Record:
    return Record(folder, task.told(), "a command", resume, False)


def pair_results(task: Match, pairs: int) -> npt.NDArray[np.int64]:
    """Return half points of A, pair by pair, read from the tables of a run."""
    run = simulate([task.a, task.b], 2 * pairs, SEED, task.rules, "swap")
    seats = run.seats[run.seats["strategy"] == task.a.name]
    halves = (2 * seats["score"].astype(float)).groupby(seats["deal"]).sum()
    return halves.sort_index().to_numpy().astype(np.int64)


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_BATCH", 40)
    monkeypatch.setattr(module, "_WINDOW", 3)


def told(outcome: Outcome) -> tuple[Any, ...]:
    paths = (outcome.results.tolist(), outcome.marks.tolist(), outcome.path.tolist())
    return (outcome.state, outcome.narrow, *paths)


@pytest.mark.parametrize("verdict", PAIRINGS)
@pytest.mark.usefixtures("small_batches")
def test_it_stops_where_the_test_stops_pair_by_pair(tmp_path: Path, verdict: str) -> None:
    task = made(verdict)
    results = pair_results(task, PAIRS)
    state = State()
    for result in results:
        state = advance(task.test, state, [result])
        if state.verdict != GOES_ON:
            break
    used = state.pairs
    assert used > 25  # or the case shows little
    assert state.verdict == verdict
    found = play_match(task, opened(tmp_path / "a", task))
    assert found.results.tolist() == results[:used].tolist()
    assert found.state.counts == state.counts
    assert found.state.ratio == pytest.approx(state.ratio)
    assert (found.state.verdict, found.state.pairs) == (verdict, used)
    assert found.counts.tolist() == np.bincount(results[:used], minlength=5).tolist()
    # The path shown is the ratio after so many pairs, and ends where the test stopped.
    assert found.marks[-1] == used
    assert found.path[-1] == pytest.approx(state.ratio)
    for mark, ratio in zip(found.marks[::17], found.path[::17], strict=True):
        seen = np.bincount(results[:mark], minlength=5)
        assert ratio == pytest.approx(float(task.test.ratio(seen)))


@pytest.mark.parametrize("width", [None, 0.3])
def test_threads_and_breaks_change_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, width: float | None
) -> None:
    monkeypatch.setattr(module, "_BATCH", 10)
    task = made("elo1", width, 300)
    first = play_match(task, opened(tmp_path / "1", task), 1)
    assert told(play_match(task, opened(tmp_path / "2", task), 2)) == told(first)
    known = checksums(tmp_path / "1")
    assert checksums(tmp_path / "2") == known
    for after in range(1, min(len(known), 5)):
        undo = interrupt_after(monkeypatch, after)
        folder = tmp_path / f"cut{after}"
        with pytest.raises(KeyboardInterrupt), opened(folder, task) as begun:
            play_match(task, begun, 2)
        undo()
        assert len(checksums(folder)) == after
        assert told(play_match(task, opened(folder, task, resume=True), 1)) == told(first)
        assert checksums(folder) == known


def test_nothing_is_played_beyond_what_is_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A batch for each thread and more, but not all pairs allowed; none twice."""
    monkeypatch.setattr(module, "_BATCH", 20)
    task = made("elo1", pairs=100_000)
    written = count_written(monkeypatch)
    found = play_match(task, opened(tmp_path / "a", task))
    played = 20 * len(written)
    assert len(written) == len(set(written))
    assert found.state.pairs <= played < found.state.pairs + 4 * 20


@pytest.mark.usefixtures("small_batches")
def test_a_width_stops_where_the_sequence_is_narrow(tmp_path: Path) -> None:
    """Looked at after each batch; the test's verdict does not end it."""
    task = made("elo1", 0.11)
    results = pair_results(task, PAIRS)
    sequence, used = ConfidenceSequence(), 0
    while used < PAIRS:
        sequence.update(np.bincount(results[used : used + 40], minlength=5))
        used += 40
        low, high = sequence.interval()
        if high - low <= 0.11:
            break
    found = play_match(task, opened(tmp_path / "a", task))
    assert 120 < used < PAIRS  # or the case shows nothing
    assert found.narrow
    assert found.results.tolist() == results[:used].tolist()
    assert found.state.pairs == used
    wide = made("elo1", 0.01, 100)
    last = play_match(wide, opened(tmp_path / "b", wide))
    assert (last.narrow, last.state.pairs) == (False, 100)


def test_the_pilot_is_of_deals_that_no_match_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_page(monkeypatch, "match_report")
    task, deals = made("elo1", pairs=20), []
    played = module.play

    def watch(record: Any, arms: Any, *given: Any) -> Any:
        deals.extend((arm.name, arm.first_deal, arm.deals) for arm in arms)
        return played(record, arms, *given)

    monkeypatch.setattr(module, "play", watch)
    run_match(task, Session(tmp_path / "a"))
    assert deals == [("pilot", PILOT_FIRST, PILOT_DEALS), ("pairs from 0", 0, 20)]
    assert PILOT_FIRST > 10**12


def test_who_may_not_meet() -> None:
    test = SequentialTest(0, 10, max_pairs=5)
    a, b = strategies(("greedy", "random"))
    with pytest.raises(RunError, match=r"teams: 3; allowed: a match is for 2 teams"):
        Match(a, b, Rules(players=3), 0, test, None)
    with pytest.raises(RunError, match=r"greedy against itself; allowed: two that differ"):
        Match(a, a, Rules(), 0, test, None)
    for width in (0.0, -0.1, 1.0, 2.0):
        with pytest.raises(RunError, match=r"width: .*; allowed: above 0, below 100"):
            Match(a, b, Rules(), 0, test, width)
    assert make_design([a, b], Rules(players=4), "swap").seatings.shape[0] == 2


def test_the_command(seqlab: Seqlab, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("greedy", "greedy:no_two_eyed=1")
    words = ("match", *names, "--elo0", 60, "--elo1", 110, "--max-games", 4000)
    assert seqlab(*words, "--out", "a") == 0
    assert "greedy is stronger: 110 Elo is accepted against 60, after " in seqlab.out
    assert seqlab.err == ""
    assert Path("a/report/index.html").is_file()
    without_page(monkeypatch, "match_report")
    assert "times as many games on deals of their own" in seqlab.out
    assert "How long it was to take" in Path("a/report/index.html").read_text("utf-8")
    assert seqlab(*words, "--out", "a", "--resume", "-q") == 0
    assert "stronger:" not in seqlab.out
    assert "correlation of pairs" in seqlab.out
    assert seqlab.out.splitlines()[-1] == "a/report/index.html"
    assert seqlab(*words, "--out", "a", "--resume", "--json") == 0
    found = json.loads(seqlab.out)
    assert found["verdict"] == "elo1"
    assert found["games"] == 2 * sum(found["pairs"])
    assert found["llr"] >= found["upper"]
    assert found["score_low"] < found["score"] < found["score_high"]
    raw = sum(n * i for i, n in enumerate(found["pairs"])) / 2 / found["games"]
    assert found["raw_score"] == pytest.approx(raw)
    assert 0 <= found["drawn_low"] <= found["drawn"] <= found["drawn_high"]
    assert found["games_saved"] == pytest.approx(1 / (1 + found["correlation"]))
    assert [each["elo"] for each in found["expected_games"]] == [60, 85, 110]
    assert all(each["games"] > 0 for each in found["expected_games"])
    # Corrected for the early stop the estimate is nearer to the middle, if not so far from it.
    assert found["score"] <= found["raw_score"]
    assert seqlab(*words, "--width", 20, "--json", "--out", "w") == 0
    narrow = json.loads(seqlab.out)
    assert narrow["verdict"] == "narrow"
    assert narrow["score_high"] - narrow["score_low"] <= 0.2
    assert narrow["expected_games"] == []


def test_draws_and_pairing_are_those_of_the_games(tmp_path: Path) -> None:
    a, b = strategies(("greedy", "random"))
    rules = Rules(max_turns=60)
    task = Match(a, b, rules, SEED, SequentialTest(300, 400, max_pairs=60), None)
    found = play_match(task, opened(tmp_path / "a", task))
    run = simulate([a, b], 2 * found.state.pairs, SEED, rules, "swap")
    drawn = (run.games["winner"] < 0).to_numpy()
    assert 0 < found.drawn.value == pytest.approx(drawn.mean())
    scores = run.seats[run.seats["strategy"] == "greedy"].sort_values("game")["score"].to_numpy()
    pairs = scores.astype(float).reshape(-1, 2)
    error = pairs.mean(axis=1).std(ddof=1) / np.sqrt(len(pairs))
    assert found.saved == pytest.approx(pairs.var() / pairs.size / error**2)


def test_a_match_in_which_nothing_varies_has_no_verdict(
    seqlab: Seqlab, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_page(monkeypatch, "match_report")
    for number, more in enumerate(((), ("--width", 30))):
        words = ("match", "greedy", "balanced", "--set", "max_turns=1", "--max-games", 400, *more)
        assert seqlab(*words, "--out", f"a{number}") == 0
        assert "pairs came out level: this experiment cannot vary" in seqlab.out
        assert "stronger" not in seqlab.out
        assert seqlab(*words, "--out", f"a{number}", "--resume", "--json") == 0
        found = json.loads(seqlab.out)
        assert (found["verdict"], found["score"], found["score_low"]) == ("none", 0.5, None)
        assert (found["drawn"], found["games_saved"]) == (1.0, None)


def test_a_width_is_looked_at_soon(tmp_path: Path) -> None:
    """The first batches are small: a wide interval takes few games."""
    task = made("elo1", 0.35)
    record = opened(tmp_path / "a", task)
    found = play_match(task, record)
    assert found.narrow
    assert found.state.pairs <= 100
    assert len(record.manifest["parts"]) <= 4
    assert foretell(task, record) == {}


def test_bad_input_is_one_line(seqlab: Seqlab) -> None:
    for words, told in (
        (("greedy", "greedy"), "match: greedy against itself; allowed: two that differ"),
        (("greedy", "random", "--players", "3"), "teams: 3; allowed: a match is for 2 teams"),
        (("greedy", "nobody"), "no strategy 'nobody'; allowed: "),
        (("greedy", "random", "--elo0", "10"), "elo0 10.0, elo1 10.0: elo0 below elo1 by 0.01"),
        (("greedy", "random", "--elo1", "1e-300"), "elo0 0.0, elo1 1e-300: elo0 below elo1 by"),
        (("greedy", "random", "--elo1", "1e308"), "elo0 0.0, elo1 1e+308: two numbers from -1000"),
        (("greedy", "random", "--elo0=-1e308"), "elo0 -1e+308, elo1 10.0: two numbers from -1000"),
        (
            ("greedy", "random", "--normalized", "--elo1", "4000"),
            "elo0 0.0, elo1 4000.0: two numbers from -1000 to 1000",
        ),
        (
            ("greedy", "random", "--alpha", "0.7"),
            "alpha 0.7, beta 0.05: from 0.000001 to below 0.5",
        ),
        (("greedy", "random", "--alpha", "1e-320"), "alpha 1e-320, beta 0.05: from 0.000001 to"),
        (("greedy", "random", "--width", "0"), "width: 0; allowed: above 0, below 100 (points)"),
        (("greedy", "random", "--max-games", "0"), "games: 0; allowed: 1 to 1000000000000"),
        (("greedy", "random", "--seed", "-1"), "seed: -1; allowed: 0 to "),
        (("greedy",), "Missing argument"),
    ):
        assert seqlab("match", *words) == 2, words
        assert seqlab.err.startswith(f"error: {told}"), seqlab.err
        assert seqlab.err.count("\n") == 1
    assert not Path("runs").exists()
