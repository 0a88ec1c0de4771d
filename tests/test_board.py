"""Layouts and lines (rules 2 and 8.1)."""

from __future__ import annotations

import itertools
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simcore.board import (
    BUILT_IN,
    CORNERS,
    DIRECTIONS,
    NO_CARD,
    SPACE_NAMES,
    SPACE_NUMBERS,
    LayoutError,
    lines,
    load_board,
    parse_board,
    tracks,
)
from simcore.cards import CODES, NAMES, PLAIN, kind


def count(length: int) -> int:
    """Return the lines of a length on 10 by 10: two straight ways and two diagonals."""
    room = 10 - length + 1
    return 2 * 10 * room + 2 * room * room


@pytest.mark.parametrize(("length", "n"), [(4, 238), (5, 192), (6, 150)])
def test_lines(length: int, n: int) -> None:
    found = lines(length)
    assert found.spaces.shape == (n, length)
    assert n == count(length)
    assert len({frozenset(line) for line in found.spaces.tolist()}) == n
    steps = [(0, 1), (1, 0), (1, 1), (1, -1)]
    for line, direction in zip(found.spaces.tolist(), found.direction.tolist(), strict=True):
        places = [divmod(space, 10) for space in line]
        moved = {(b[0] - a[0], b[1] - a[1]) for a, b in itertools.pairwise(places)}
        assert moved == {steps[direction]}
    order = list(zip(found.spaces[:, 0].tolist(), found.direction.tolist(), strict=True))
    assert order == sorted(order)
    assert Counter(found.direction.tolist()).keys() == set(range(len(DIRECTIONS)))


def test_corner_lines() -> None:
    on_corner = [line for line in lines(5).spaces.tolist() if set(line) & set(CORNERS)]
    assert len(on_corner) == 12
    assert all(len(set(line) & set(CORNERS)) == 1 for line in on_corner)


@pytest.mark.parametrize("length", [4, 5, 6])
def test_tracks_hold_every_line_once(length: int) -> None:
    found = [tuple(int(space) for space in row if space < 100) for row in tracks(length)]
    assert all(len(row) >= length for row in found)
    parts = [row[at : at + length] for row in found for at in range(len(row) - length + 1)]
    assert sorted(parts) == sorted(map(tuple, lines(length).spaces.tolist()))


def test_names_of_spaces() -> None:
    assert [SPACE_NAMES[space] for space in CORNERS] == ["A1", "A10", "J1", "J10"]
    assert SPACE_NUMBERS["B3"] == 12
    assert len(SPACE_NUMBERS) == 100


@pytest.mark.parametrize("name", [*BUILT_IN, "random:0", "random:9223372036854775807"])
def test_every_plain_card_twice(name: str) -> None:
    board = load_board(name)
    assert [space for space in range(100) if board.card[space] == NO_CARD] == list(CORNERS)
    seen = Counter(card for card in board.card if card != NO_CARD)
    assert seen == {card: 2 for card in range(52) if kind(card) == PLAIN}
    for card in seen:
        first, second = board.spaces_of(card)
        assert first < second
        assert board.card[first] == board.card[second] == card
    assert parse_board(board.rows(), name) == board


def test_standard_and_wedge_differ() -> None:
    standard, wedge = (load_board(name).rows() for name in BUILT_IN)
    assert standard != wedge
    assert standard[0][0] == wedge[0][0] == "**"


@settings(deadline=None)
@given(st.integers(0, 2**63 - 1))
def test_random_layouts_depend_on_the_seed_alone(seed: int) -> None:
    board = load_board(f"random:{seed}")
    assert load_board(f"random:{seed}") == board
    other = load_board(f"random:{(seed + 1) % 2**63}")
    assert other.card != board.card
    assert sorted(other.card) == sorted(board.card) == sorted(load_board("standard").card)


def test_random_layouts_put_a_card_anywhere() -> None:
    ace = CODES["AS"]
    seen = {space for seed in range(300) for space in load_board(f"random:{seed}").spaces_of(ace)}
    assert len(seen) > 90


@pytest.mark.parametrize(
    "name", ["random:", "random:-1", "random:x", "random:1.5", f"random:{2**63}", "random:²"]
)
def test_bad_random_seed(name: str) -> None:
    with pytest.raises(LayoutError, match="allowed: random:SEED with SEED from 0"):
        load_board(name)


def standard() -> list[list[str]]:
    return load_board("standard").rows()


def refused(rows: list[list[str]]) -> str:
    with pytest.raises(LayoutError) as caught:
        parse_board(rows, "mine")
    assert str(caught.value).startswith("board mine: ")
    return str(caught.value)


def test_a_card_three_times() -> None:
    rows = standard()
    card = rows[0][1]
    rows[9][8] = card
    told = refused(rows)
    assert "row 10, column 9" in told
    assert f"{card} a third time" in told


@pytest.mark.parametrize("text", ["??", "1S", "SA", "10s", "", "JOKER", "11H"])
def test_an_unknown_card(text: str) -> None:
    rows = standard()
    rows[3][4] = text
    told = refused(rows)
    assert "row 4, column 5" in told
    assert repr(text) in told


@pytest.mark.parametrize("jack", [name for name in NAMES if name.startswith("J")])
def test_a_printed_jack(jack: str) -> None:
    rows = standard()
    rows[5][0] = jack
    assert f"row 6, column 1: {jack}; jacks are not printed" in refused(rows)


def test_free_spaces_out_of_place() -> None:
    rows = standard()
    rows[1][1] = "**"
    assert "row 2, column 2" in refused(rows)
    rows = standard()
    rows[9][9] = "2S"
    assert "row 10, column 10" in refused(rows)
    rows = standard()
    rows[0][0], rows[0][1] = rows[0][1], rows[0][0]
    assert "row 1, column 1" in refused(rows)


def test_rows_missing_or_too_many() -> None:
    assert "row 10: 9 rows, not 10" in refused(standard()[:9])
    assert "11 rows, not 10" in refused([*standard(), standard()[0]])
    assert "row 1: 0 rows, not 10" in refused([])


def test_ragged_rows() -> None:
    rows = standard()
    del rows[2][9]
    assert "row 3, column 10: 9 spaces in the row" in refused(rows)
    rows = standard()
    rows[6].append("2S")
    assert "row 7, column 11: 11 spaces in the row" in refused(rows)


def test_csv(tmp_path: Path) -> None:
    file = tmp_path / "mine.csv"
    text = "\n".join(",".join(row) for row in standard())
    file.write_text(text)
    assert load_board(str(file)).card == load_board("standard").card
    # As spreadsheets write it: a mark of the encoding, spaces, empty lines.
    file.write_text("\ufeff" + text.replace(",", " , ") + "\n\n", encoding="utf-8")
    assert load_board(str(file)).card == load_board("standard").card


def test_no_csv(tmp_path: Path) -> None:
    for name in (str(tmp_path / "none.csv"), str(tmp_path), "classic", ""):
        with pytest.raises(LayoutError, match="allowed: standard, wedge, random:SEED or a CSV"):
            load_board(name)
    file = tmp_path / "mine.csv"
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(LayoutError, match="cannot be read as CSV"):
        load_board(str(file))
    file.write_text("")
    with pytest.raises(LayoutError, match="0 rows"):
        load_board(str(file))
