"""Layouts: which card is printed where, and the lines that run over them.

Spaces are numbered 0 to 99 in reading order; their names are row letter and column number, `A1` at
the top left to `J10` (rules 2).
"""

import csv
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from simcore.cards import CARDS, CODES, NAMES, PLAIN, kind
from simcore.given import InputError, is_file, quoted, read_text

SIDE = 10
SPACES = SIDE * SIDE
CORNERS = (0, 9, 90, 99)
FREE = "**"
NO_CARD = 255
"""The code in `Board.card` of the four corners."""

SPACE_NAMES = tuple(f"{row}{column}" for row in "ABCDEFGHIJ" for column in range(1, SIDE + 1))
SPACE_NUMBERS = {name: number for number, name in enumerate(SPACE_NAMES)}

DIRECTIONS = ("across", "down", "down-right", "down-left")
_STEPS = ((0, 1), (1, 0), (1, 1), (1, -1))

_FOLDER = Path(__file__).parent / "boards"
BUILT_IN = ("standard", "wedge")


class LayoutError(InputError):
    """A layout that breaks rules 2.2; the message names the row and the column."""


@dataclass(frozen=True)
class Board:
    """A checked layout: `card[space]` is the code of the card printed there, 255 in corners."""

    name: str
    card: tuple[int, ...]

    def rows(self) -> list[list[str]]:
        """Return the layout as 10 rows of 10 card texts, `**` in the corners."""
        texts = [FREE if code == NO_CARD else NAMES[code] for code in self.card]
        return [texts[i : i + SIDE] for i in range(0, SPACES, SIDE)]

    def spaces_of(self, card: int) -> tuple[int, int]:
        """Return the two spaces that show a plain card, in reading order."""
        first = self.card.index(card)
        return first, self.card.index(card, first + 1)


@dataclass(frozen=True)
class Lines:
    """All lines of one length, in line order (rules 8.3).

    `spaces` is uint8 (n, length), `direction` uint8 (n,) an index into DIRECTIONS.
    """

    spaces: npt.NDArray[np.uint8]
    direction: npt.NDArray[np.uint8]


@cache
def lines(length: int) -> Lines:
    """Return the lines of `length` spaces: by first space, then across, down and the diagonals."""
    spaces, direction = [], []
    for start in range(SPACES):
        row, column = divmod(start, SIDE)
        for number, (down, right) in enumerate(_STEPS):
            end_row, end_column = row + down * (length - 1), column + right * (length - 1)
            if end_row < SIDE and 0 <= end_column < SIDE:
                spaces.append([start + k * (down * SIDE + right) for k in range(length)])
                direction.append(number)
    return Lines(np.array(spaces, np.uint8), np.array(direction, np.uint8))


@cache
def tracks(length: int) -> npt.NDArray[np.int64]:
    """Return the rows, columns and diagonals that hold a line, int64 (n, 10): spaces in order.

    The lines of a track start at its first spaces, one each, for as far as they fit. Behind the
    end of a short diagonal stands SPACES.
    """
    found = []
    for start in range(SPACES):
        row, column = divmod(start, SIDE)
        for down, right in _STEPS:
            if _on_board(row - down, column - right):
                continue
            steps = [k for k in range(SIDE) if _on_board(row + k * down, column + k * right)]
            if len(steps) >= length:
                spaces = [start + k * (down * SIDE + right) for k in steps]
                found.append(spaces + [SPACES] * (SIDE - len(spaces)))
    return np.array(found, np.int64)


def _on_board(row: int, column: int) -> bool:
    return 0 <= row < SIDE and 0 <= column < SIDE


def load_board(name: str) -> Board:
    """Return the layout called `standard` or `wedge`, `random:SEED`, or read from a CSV file.

    Raises LayoutError when there is no such layout or it breaks rules 2.2.
    """
    if name in BUILT_IN:
        return _read(_FOLDER / f"{name}.csv", name)
    if name.startswith("random:"):
        return _random(name)
    path = Path(name)
    if not is_file(path):
        allowed = f"{', '.join(BUILT_IN)}, random:SEED or a CSV file"
        raise LayoutError(f"board: {quoted(name)} is no layout and no file; allowed: {allowed}")
    return _read(path, name)


def parse_board(rows: Sequence[Sequence[str]], name: str) -> Board:
    """Check 10 rows of 10 texts against rules 2.2 and return the Board; raises LayoutError."""
    if len(rows) != SIDE:
        raise LayoutError(f"board {name}: row {min(len(rows), SIDE) + 1}: {len(rows)} rows, not 10")
    cards: list[int] = []
    seen: Counter[str] = Counter()
    for r, row in enumerate(rows):
        if len(row) != SIDE:
            where = f"row {r + 1}, column {min(len(row), SIDE) + 1}"
            raise LayoutError(f"board {name}: {where}: {len(row)} spaces in the row, not 10")
        for c, text in enumerate(row):
            where = f"board {name}: row {r + 1}, column {c + 1}"
            cards.append(_parse_space(text, r * SIDE + c in CORNERS, where))
            seen[text] += 1
            if text != FREE and seen[text] > 2:
                raise LayoutError(f"{where}: {text} a third time; every card stands twice")
    # 96 spaces, none used more than twice: with 48 plain cards nothing can be missing.
    return Board(name, tuple(cards))


def _parse_space(text: str, corner: bool, where: str) -> int:
    if corner != (text == FREE):
        need = "a corner must be **" if corner else "** stands in the corners only"
        raise LayoutError(f"{where}: {quoted(text)}; {need}")
    if corner:
        return NO_CARD
    if text not in CODES:
        cards = "cards are rank and suit like 10S or AH"
        raise LayoutError(f"{where}: {quoted(text)} is no card; {cards}")
    if kind(CODES[text]) != PLAIN:
        raise LayoutError(f"{where}: {text}; jacks are not printed on the board")
    return CODES[text]


def _read(path: Path, name: str) -> Board:
    try:
        text = read_text(path)
        rows = [[cell.strip() for cell in row] for row in csv.reader(text.splitlines()) if row]
    except (InputError, csv.Error) as error:
        raise LayoutError(f"board {name}: cannot be read as CSV: {error}") from None
    return parse_board(rows, name)


def _random(name: str) -> Board:
    """Return the layout `random:SEED`: the 96 printed cards in an order drawn from the seed."""
    from simcore.rng import LAYOUT, shuffle, stream_start

    seed = name.removeprefix("random:")
    if not (seed.isascii() and seed.isdigit() and len(seed) < 20 and int(seed) < 2**63):
        raise LayoutError(f"board: {quoted(name)}; allowed: random:SEED with SEED from 0 to 2^63-1")
    deck = np.array([c for c in range(CARDS) if kind(c) == PLAIN] * 2, np.uint8)
    shuffle(np.array([stream_start(int(seed), 0, LAYOUT, 0)]), deck, 0, len(deck))
    cards = iter(deck.tolist())
    texts = [FREE if s in CORNERS else NAMES[next(cards)] for s in range(SPACES)]
    return parse_board([texts[i : i + SIDE] for i in range(0, SPACES, SIDE)], name)
