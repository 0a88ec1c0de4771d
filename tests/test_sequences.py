"""What scores, on positions of every kind, against the referee."""

from __future__ import annotations

import random
from typing import Any

import naive
import numpy as np
import pytest
from helpers import JIT, Desk
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from simcore.board import CORNERS, DIRECTIONS, lines
from simcore.rules import Rules
from simcore.sequences import may_score, score_space
from simcore.table import clear_table, place

DESKS: dict[tuple[int, int, bool], Desk] = {}


def desk_for(length: int, shared: int, free_corners: bool) -> Desk:
    """Return the desk of a setting, made once."""
    key = (length, shared, free_corners)
    if key not in DESKS:
        rules = Rules(line_length=length, shared_spaces=shared, free_corners=free_corners)
        DESKS[key] = Desk(rules)
    return DESKS[key]


def referee_for(desk: Desk) -> naive.Game:
    """Return the referee's empty table."""
    switches = desk.rules.settings()
    deck = iter(naive.packs(switches)[0])
    hands = [[next(deck) for _ in range(size)] for size in naive.hand_sizes(switches, 0)]
    return naive.Game(switches, desk.board.rows(), 0, hands)


@st.composite
def fillings(draw: Any) -> tuple[Desk, list[tuple[int, int]]]:
    """Return a setting and (team, space) in the order of placing: dense, so that lines fill."""
    length = draw(st.integers(4, 6))
    desk = desk_for(length, draw(st.integers(0, length - 1)), draw(st.booleans()))
    rng = random.Random(draw(st.integers(0, 2**32)))
    share = draw(st.sampled_from((0.5, 0.8, 0.95, 1.0)))
    open_spaces = [space for space in range(100) if space not in CORNERS]
    order = rng.sample(open_spaces, draw(st.integers(20, 96)))
    return desk, [(int(rng.random() >= share), space) for space in order]


@settings(
    max_examples=150 if JIT else 12,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
@given(fillings())
def test_placing_scores_as_the_referee_says(filling: tuple[Desk, list[tuple[int, int]]]) -> None:
    desk, chips = filling
    referee = referee_for(desk)
    clear_table(desk.setting, desk.table, 0)
    for team, space in chips:
        # The kernels score up to 24 lines at once, but a game would long be over.
        if desk.table.sequences[team] > 6:
            break
        referee.chips[space] = team
        due = referee.scored_sets(team, space)
        referee.sequences[team] += due
        full = place(desk.setting, desk.table, team, space)
        scored = score_space(desk.setting, desk.table, team, space) if full else 0
        assert full or not due
        assert scored == len(due)
        numbers = desk.table.sequence[team, : desk.table.sequences[team]].tolist()
        assert numbers == [referee.lines.index(line) for line in referee.sequences[team]]


@settings(max_examples=150 if JIT else 12, deadline=None, derandomize=True)
@given(
    st.integers(4, 6).flatmap(
        lambda n: st.tuples(st.just(n), st.integers(0, n - 1), st.booleans(), st.integers(0, 99))
    ),
    st.integers(0, 2**32),
)
def test_the_largest_set_of_many(where: tuple[int, int, bool, int], seed: int) -> None:
    """The last chip on a board nearly full of one team completes up to 24 lines at once."""
    length, shared, free_corners, space = where
    if space in CORNERS:
        return
    desk, rng = desk_for(length, shared, free_corners), random.Random(seed)
    holes = {s for s in range(100) if s in CORNERS or rng.random() < 0.08} | {space}
    referee = referee_for(desk)
    clear_table(desk.setting, desk.table, 0)
    for other in (s for s in range(100) if s not in holes):
        place(desk.setting, desk.table, 0, other)
        referee.chips[other] = 0
    # Some sequences stand already, wherever their lines are full.
    for number in rng.sample(range(len(referee.lines)), 6):
        line = referee.lines[number]
        if all(referee.counts_for(0, s) for s in line) and may_score(
            desk.setting, desk.table, 0, number
        ):
            desk.table.sequence[0, desk.table.sequences[0]] = number
            desk.table.sequences[0] += 1
            referee.sequences[0].append(line)
    before = int(desk.table.sequences[0])
    referee.chips[space] = 0
    due = [referee.lines.index(line) for line in referee.scored_sets(0, space)]
    place(desk.setting, desk.table, 0, space)
    assert score_space(desk.setting, desk.table, 0, space) == len(due)
    assert desk.table.sequence[0, before : before + len(due)].tolist() == due


@pytest.mark.parametrize("length", [4, 5, 6])
def test_line_order(length: int) -> None:
    """Lines are computed alike here and by the referee, with the directions of the rules."""
    found = lines(length)
    assert [tuple(line) for line in found.spaces.tolist()] == naive.lines(length)
    words = [DIRECTIONS[number] for number in found.direction]
    assert words == [naive.DIRECTIONS[line[1] - line[0]] for line in naive.lines(length)]


@pytest.mark.parametrize("length", [4, 5, 6])
def test_geometry(length: int) -> None:
    """Lines through a space and the overlap of lines, against sets."""
    desk = desk_for(length, 1, True)
    all_lines = naive.lines(length)
    for space in range(100):
        through = desk.setting.through[space, : desk.setting.n_through[space]].tolist()
        assert through == [i for i, line in enumerate(all_lines) if space in line]
    for i, line in enumerate(all_lines):
        overlaps = [naive.common(line, other) for other in all_lines]
        assert np.array_equal(desk.setting.overlap[i, : len(all_lines)], overlaps)
        assert desk.setting.line_corners[i] == len(set(line) & set(CORNERS))


def test_two_teams_score_by_one_corner() -> None:
    """Each has its mark there (rules 8.1)."""
    desk = Desk(Rules(players=2))
    clear_table(desk.setting, desk.table, 0)
    for team, spaces in ((0, (1, 2, 3, 4)), (1, (10, 20, 30, 40))):
        filled = [place(desk.setting, desk.table, team, space) for space in spaces]
        assert filled == [False, False, False, True]
        assert score_space(desk.setting, desk.table, team, spaces[-1]) == 1
    assert desk.table.scored[[0, 1, 10, 11]].tolist() == [3, 1, 2, 0]
