"""Runs: the same tables however they are played, faults, interrupts, resuming."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from helpers import JIT, TABLES, scaled

from simcore import Rules, Run, load, simulate
from simcore.board import LayoutError
from simcore.design import DesignError
from simcore.frames import COLUMNS
from simcore.moves import Hand, is_playable
from simcore.place import StoreError
from simcore.rules import parse_assignment
from simcore.runner import BotError, RunError, replay_command
from simcore.setting import Setting
from simcore.simulation import make_plan
from simcore.strategy import (
    Bot,
    Memory,
    Own,
    Params,
    Strategy,
    StrategyError,
    bot_function,
    play,
)
from simcore.table import Table
from strategies.random import BOT as RANDOM

GAMES = 60 if JIT else 6
PART = 20 if JIT else 2


def same(a: Run, b: Run) -> None:
    """Require equal tables; spaces are compared by their sums."""
    for name in COLUMNS:
        pd.testing.assert_frame_equal(getattr(a, name), getattr(b, name))


def sizes(run: Run) -> list[int]:
    """Return the games of each part."""
    return [len(part.games) for part in run.parts()]


# The same tables.


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("part_games", [1, 7, PART, 10_000])
def test_same_tables_in_memory(threads: int, part_games: int) -> None:
    reference = simulate(["random"], GAMES, 5, threads=1)
    run = simulate(["random"], GAMES, 5, threads=threads, part_games=part_games)
    same(run, reference)
    assert sum(sizes(run)) == GAMES


@pytest.mark.parametrize("threads", [1, 2])
def test_same_tables_on_disk(tmp_path: Path, threads: int) -> None:
    reference = simulate(["random", "greedy"], GAMES, 5, threads=1)
    run = simulate(["random", "greedy"], GAMES, 5, threads=threads, out=tmp_path / "run")
    same(run, reference)
    parts = simulate(
        ["random", "greedy"], GAMES, 5, threads=threads, out=tmp_path / "parts", part_games=PART
    )
    same(parts, reference)
    assert sizes(parts) == [PART] * (GAMES // PART)
    same(load(tmp_path / "parts"), reference)


@pytest.mark.parametrize(("players", "teams"), TABLES if JIT else ((2, 2), (6, 3)))
def test_every_table(players: int, teams: int) -> None:
    rules = Rules(players=players, teams=teams)
    bots = ["random", "greedy", "balanced"][:teams]
    games = scaled(36) * (1 if JIT else teams)
    run = simulate(bots, games, 1, rules, threads=2, part_games=max(6, games // 3))
    same(run, simulate(bots, games, 1, rules, threads=1))
    counted = len(run.games)
    assert len(run.seats) == counted * players
    assert counted >= games
    # Scores of the teams of a game add up to one.
    teams_of = run.seats.drop_duplicates(["game", "team"])
    assert np.allclose(teams_of.groupby("game")["score"].sum(), 1)
    assert (run.seats.groupby("strategy", observed=True).size() > 0).all()


def test_a_longer_run_begins_with_the_shorter() -> None:
    short, long = (simulate(["random"], games, 9).games for games in (GAMES, 2 * GAMES))
    pd.testing.assert_frame_equal(long.iloc[:GAMES], short)


def test_seed_and_rules_matter() -> None:
    games = simulate(["random"], GAMES, 1).games
    assert not games.equals(simulate(["random"], GAMES, 2).games)
    assert not games.equals(simulate(["random"], GAMES, 1, Rules(hand_size=5)).games)
    assert (simulate(["random"], 4, 2**63 - 1).games["turns"] > 0).all()


@pytest.mark.parametrize(
    ("bots", "players", "teams", "design", "per_deal"),
    [
        (["random"], 2, 2, "auto", 2),
        (["random"], 3, 3, "auto", 3),
        (["random"], 2, 2, "none", 1),
        (["random", "greedy"], 2, 2, "auto", 2),
        (["random", "greedy"], 3, 3, "swap", 6),
        (["random", "greedy"], 2, 2, "rotate", 2),
    ],
)
def test_games_are_rounded_up_to_whole_deals(
    bots: list[str], players: int, teams: int, design: str, per_deal: int
) -> None:
    rules = Rules(players=players, teams=teams, max_turns=20)
    run = simulate(bots, 7, 0, rules, design, part_games=1)
    due = -(-7 // per_deal) * per_deal
    assert run.manifest["games"] == len(run.games) == due
    assert run.manifest["deals"] == run.games["deal"].nunique() == due // per_deal
    assert run.games["game"].tolist() == list(range(due))
    assert set(run.games.groupby("deal").size()) == {per_deal}
    assert run.games["seating"].tolist() == [game % per_deal for game in range(due)]
    assert set(sizes(run)) == {per_deal}  # no deal is split over parts


def test_rotation_starts_each_team_once() -> None:
    games = simulate(["random"], 30, 3, Rules(players=6, teams=3, max_turns=5)).games
    first = games["first_seat"].to_numpy(np.int64).reshape(-1, 3)
    assert ((first - first[:, :1]) % 6 == [0, 1, 2]).all()


def test_swap_leaves_start_and_hands() -> None:
    run = simulate(["random", "greedy"], 30, 3, Rules(max_turns=5))
    assert (run.games.groupby("deal")["first_seat"].nunique() == 1).all()
    hands = run.seats.groupby(["deal", "seat"])[["opening_two_eyed", "opening_one_eyed"]]
    assert (hands.nunique() == 1).all(axis=None)
    strategies = run.seats.groupby(["deal", "seat"])["strategy"].nunique()
    assert (strategies == 2).all()


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("order", [("random", "greedy"), ("greedy", "random")])
def test_the_better_bot_wins_whichever_is_named_first(order: tuple[str, str], threads: int) -> None:
    seats = simulate(order, 400 if JIT else 10, 2, threads=threads, part_games=50).seats
    score = seats.groupby("strategy", observed=True)["score"].mean()
    assert score["greedy"] > (0.95 if JIT else 0.6)
    assert np.isclose(score.sum(), 1)


def test_parameters_in_names_make_two_strategies() -> None:
    two = [Strategy("mine", RANDOM, ()), Strategy("mine:x=1", RANDOM, ())]
    run = simulate(two, 4, rules=Rules(max_turns=9))
    assert run.manifest["strategies"] == ["mine", "mine:x=1"]
    assert set(run.spaces["strategy"]) == {"mine", "mine:x=1"}


def test_progress_counts_every_game() -> None:
    told: list[int] = []
    simulate(["random"], GAMES, threads=2, part_games=PART, progress=told.append)
    assert sum(told) == GAMES


# What is refused.


@pytest.mark.parametrize(
    ("arguments", "error", "told"),
    [
        ({"games": 0}, RunError, "games: 0; allowed: 1 to 1000000000000"),
        ({"games": -5}, RunError, "games: -5"),
        ({"games": 10**12 + 1}, RunError, "games: 1000000000001"),
        ({"games": 1.5}, RunError, "games: 1.5"),
        ({"games": True}, RunError, "games: True"),
        ({"seed": -1}, ValueError, "seed: -1; allowed: 0 to 9223372036854775807"),
        ({"seed": 2**63}, ValueError, "seed: 9223372036854775808"),
        ({"threads": 0}, RunError, "threads: 0; allowed: 1 to"),
        ({"design": "both"}, DesignError, "design: 'both'"),
        ({"strategies": ["clever"]}, StrategyError, "no strategy 'clever'; allowed: balanced, ce"),
        ({"strategies": []}, DesignError, "0 given"),
        ({"strategies": ["random"] * 3}, DesignError, "3 given"),
        ({"strategies": ["random:x=1"]}, StrategyError, "no parameter 'x'"),
        ({"rules": Rules(board="none.csv")}, LayoutError, "'none.csv' is no layout"),
    ],
)
def test_refused(
    tmp_path: Path, arguments: dict[str, Any], error: type[Exception], told: str
) -> None:
    given: dict[str, Any] = {"strategies": ["random"], "games": 4, "out": tmp_path / "run"}
    with pytest.raises(error) as caught:
        simulate(**given | arguments)
    assert told in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_a_bot_that_wants_too_much(tmp_path: Path) -> None:
    def start(setting: Setting, params: Params) -> Memory:
        return np.zeros(10**6, np.int64)

    greedy = Bot("hungry", "", RANDOM.choose, start=start)
    with pytest.raises(RunError, match="hungry: allowed are at most"):
        simulate([Strategy("hungry", greedy, ())], 4, out=tmp_path / "run")
    assert list(tmp_path.iterdir()) == []


# Faults of bots.

RANDOM_CHOICE = RANDOM.choose
TOO_LATE = 30
"""The turn from which on the bots below go wrong, so that there are games without a fault."""


@bot_function
def choose_elsewhere(setting: Setting, table: Table, seat: int, hand: Hand, own: Own) -> int:
    """Play the first playable card, in the end on a corner."""
    if table.turn > TOO_LATE:
        return play(0, 0)
    return RANDOM_CHOICE(setting, table, seat, hand, own)


@bot_function
def choose_nothing(setting: Setting, table: Table, seat: int, hand: Hand, own: Own) -> int:
    """Give up in the end."""
    if table.turn > TOO_LATE:
        raise ValueError("out of ideas")
    return RANDOM_CHOICE(setting, table, seat, hand, own)


@bot_function
def exchange_alive(setting: Setting, table: Table, seat: int, hand: Hand, own: Own) -> int:
    """Exchange a card that may be alive."""
    for slot in range(len(hand)):
        if is_playable(setting, table, seat % setting.teams, hand[slot]):
            return slot
    return 99


FAULTS = (
    (Bot("elsewhere", "", choose_elsewhere), "made an illegal play"),
    (Bot("nothing", "", choose_nothing), "raised ValueError: out of ideas"),
    (
        Bot("alive", "", RANDOM.choose, exchange_alive),
        "exchanged a card that is not dead or not there",
    ),
)


@pytest.mark.parametrize(("bot", "told"), FAULTS)
@pytest.mark.parametrize("threads", [1, 2])
def test_a_fault_names_bot_game_and_replay(
    tmp_path: Path, bot: Bot, told: str, threads: int
) -> None:
    rules = Rules(players=4, hand_size=5, extra_cards=(0, 1))
    bots = ["random", Strategy(bot.name, bot, ())]
    out = tmp_path / "run"
    with pytest.raises(BotError) as caught:
        simulate(bots, GAMES, 3, rules, threads=threads, out=out, part_games=PART)
    text = str(caught.value)
    assert text.startswith(f"strategy {bot.name} {told} (game ")
    assert "\n" not in text
    replay = text.partition("replay it with: ")[2]
    assert replay.startswith(f"seqlab replay -s random -s {bot.name} --players 4 ")
    for part in ("--seed 3", "--design swap", "--set hand_size=5", "--set 'extra_cards=[0, 1]'"):
        assert part in replay
    assert replay.endswith(f"--game {text.partition('(game ')[2].partition(',')[0]}")
    # What was written before may be read, and does not look finished.
    left = load(out)
    assert left.manifest["finished"] is False
    assert len(left.games) % PART == 0
    assert len(left.games) < GAMES


@pytest.mark.parametrize(
    ("names", "rules", "design"),
    [
        (["random", "greedy"], Rules(players=3), "swap"),  # six tables, not those of three teams
        (["random", "greedy", "random"], Rules(players=3), "swap"),
        (["random", "greedy"], Rules(players=6, teams=3), "swap"),
        (["random", "greedy", "greedy", "balanced"], Rules(players=4), "swap"),
        (["greedy", "random", "random", "random"], Rules(players=4), "none"),
        (["random", "greedy"], Rules(players=4), "rotate"),
        (["random"], Rules(players=3, board="wedge", chips=(9, 4, 6)), "rotate"),
        (["random"], Rules(forget_draw=0.1, reshuffle=False), "none"),
    ],
)
def test_the_replay_command_is_for_that_game(names: list[str], rules: Rules, design: str) -> None:
    plan, made = make_plan(names, rules, 7, design)
    seqlab, command, *words = shlex.split(replay_command(plan, made, 5))
    assert (seqlab, command) == ("seqlab", "replay")
    told = dict(zip(words[::2], words[1::2], strict=True))
    given = [value for word, value in zip(words[::2], words[1::2], strict=True) if word == "-s"]
    sets = [value for word, value in zip(words[::2], words[1::2], strict=True) if word == "--set"]
    settings = {"players": int(told["--players"]), "teams": int(told["--teams"])}
    settings |= dict(map(parse_assignment, sets))
    again, seats = make_plan(
        given, Rules.from_settings(settings), int(told["--seed"]), told["--design"]
    )
    assert (again.rules, again.names, again.seed) == (plan.rules, plan.names, plan.seed)
    assert (seats.name, seats.seatings.tolist()) == (made.name, made.seatings.tolist())
    assert told["--game"] == "5"


def test_seatings_that_no_command_makes_are_in_a_folder() -> None:
    plan, made = make_plan(["random", "greedy"], Rules(players=4), 7)
    seatings = made.seatings[::-1]
    told = replay_command(replace(plan, seatings=seatings), replace(made, seatings=seatings), 5)
    assert told == "seqlab replay FOLDER --game 5"


# Interrupts.


def stop_after(games: int) -> Callable[[int], None]:
    """Return a progress callback that interrupts when so many games are done."""
    seen = 0

    def progress(more: int) -> None:
        nonlocal seen
        seen += more
        if seen >= games:
            raise KeyboardInterrupt

    return progress


@pytest.mark.parametrize("threads", [1, 2])
def test_resume_after_an_interrupt(tmp_path: Path, threads: int) -> None:
    out = tmp_path / "run"
    given: dict[str, Any] = {"seed": 4, "threads": threads, "part_games": PART}
    with pytest.raises(KeyboardInterrupt):
        simulate(["random"], GAMES, out=out, progress=stop_after(2 * PART), **given)
    left = load(out)
    assert left.manifest["finished"] is False
    assert set(sizes(left)) <= {PART}
    assert len(left.games) < GAMES
    reference = simulate(["random"], GAMES, 4)
    kept = reference.games[reference.games["game"].isin(left.games["game"])]
    pd.testing.assert_frame_equal(left.games, kept.reset_index(drop=True))
    assert list(out.rglob("*.tmp")) == []
    told: list[int] = []
    whole = simulate(["random"], GAMES, out=out, resume=True, progress=told.append, **given)
    assert sum(told) == GAMES - len(left.games)  # kept parts are not played again
    same(whole, reference)
    assert whole.manifest["finished"] is True
    same(simulate(["random"], GAMES, out=out, resume=True, **given), reference)


def test_resume_starts_what_is_not_begun(tmp_path: Path) -> None:
    run = simulate(["random"], 4, out=tmp_path / "new", resume=True)
    same(run, simulate(["random"], 4))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"rules": Rules(hand_size=6)}, "another rules"),
        ({"seed": 5}, "another seed"),
        ({"games": 8}, "another games"),
        ({"design": "none"}, "another"),
        ({"strategies": ["greedy"]}, "another strategies"),
        ({"rules": Rules(board="wedge")}, "another"),
    ],
)
def test_resume_of_another_run_is_refused(
    tmp_path: Path, change: dict[str, Any], told: str
) -> None:
    given: dict[str, Any] = {"strategies": ["random"], "games": 4, "seed": 4}
    out = tmp_path / "run"
    before = simulate(**given, out=out)
    text = (out / "run.json").read_text()
    with pytest.raises(StoreError, match=f"resume: .* has {told}"):
        simulate(**given | change, out=out, resume=True)
    assert (out / "run.json").read_text() == text
    same(load(out), before)


def test_folders_are_not_written_over(tmp_path: Path) -> None:
    out = tmp_path / "run"
    simulate(["random"], 4, 1, out=out)
    with pytest.raises(StoreError, match="exists and is not empty"):
        simulate(["random"], 4, 2, out=out)
    assert simulate(["random"], 4, 2, out=out, overwrite=True).manifest["seed"] == 2
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    for choice in ({}, {"resume": True}, {"overwrite": True}):
        with pytest.raises(StoreError):
            simulate(["random"], 4, out=tmp_path / "mine", **choice)
    assert (tmp_path / "mine" / "letter.txt").read_text() == "dear"
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreError, match="is no folder"):
        simulate(["random"], 4, out=tmp_path / "file")


@pytest.mark.skipif(not JIT, reason="would wait long for a part to be finished")
@pytest.mark.skipif(os.name != "posix", reason="signals as on POSIX")
def test_ctrl_c(tmp_path: Path) -> None:
    """The command stops within moments, says so in a line, and keeps what is finished."""
    out = tmp_path / "run"
    command = [sys.executable, "-m", "cli", "simulate", "-s", "random", "--games", "99000000"]
    running = subprocess.Popen(
        [*command, "--out", str(out)],
        stderr=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parent.parent,
        # Or it is ignored where these tests run in the background of a script.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    try:
        end = time.monotonic() + 120
        while time.monotonic() < end and not list(out.glob("spaces/*.parquet")):
            assert running.poll() is None
            time.sleep(0.05)
        running.send_signal(signal.SIGINT)
        _, told = running.communicate(timeout=100)
    finally:
        running.kill()
    assert running.returncode == 130
    assert told.splitlines() == [
        f"error: interrupted; finished parts are in {out}: "
        f"the same command with --out {out} --resume plays the rest"
    ]
    left = load(out)
    assert json.loads((out / "run.json").read_text())["finished"] is False
    assert 0 < len(left.games) < 99_000_000
    assert len(left.seats) == 2 * len(left.games)
