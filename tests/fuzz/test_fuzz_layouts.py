"""Fuzzed layouts: CSV files and names."""

from __future__ import annotations

import random
from pathlib import Path

from fuzzing import cases, fuzz
from mangling import TEXTS, garble, inline, mangle, noise

from simcore.board import BUILT_IN, load_board, parse_board

STANDARD = load_board("standard").rows()


def as_csv(rows: object) -> bytes:
    """Return rows as a file, whatever they are."""
    assert isinstance(rows, list)
    lines = [row if isinstance(row, list) else [row] for row in rows]
    text = "\n".join(",".join(_text(cell) for cell in row) for row in lines)
    return text.encode(errors="surrogatepass")


def _text(cell: object) -> str:
    return cell if isinstance(cell, str) else inline(cell)[:6000]


def make(rng: random.Random) -> bytes | str:
    """Return a CSV file, or the name of a layout."""
    rows = load_board(f"random:{rng.randrange(100)}").rows() if rng.random() < 0.3 else STANDARD
    kind = rng.randrange(10)
    if kind == 0:
        return noise(rng)
    if kind == 1:
        quoted = "\r\n".join(",".join(f' "{cell}"' for cell in row) for row in rows)
        return rng.choice((as_csv(rows), quoted.encode(), b"\xef\xbb\xbf" + as_csv(rows) + b"\n\n"))
    if kind < 5:
        return garble(rng, as_csv(rows))
    if kind < 8:
        return as_csv(mangle(rng, rows))
    name = rng.choice((*BUILT_IN, "random:1", "random:", "", "board.csv", "/", ".", *TEXTS))
    at = rng.randint(0, len(name))
    return name if kind == 8 else name[:at] + rng.choice(TEXTS)[:50] + name[at:]


@cases(500, 20_000)
def test_layouts(count: int, tmp_path: Path) -> None:
    file = tmp_path / "layout.csv"

    def call(case: bytes | str) -> None:
        """Do as `seqlab board` and `--set board=` do."""
        if isinstance(case, bytes):
            file.write_bytes(case)
        board = load_board(str(file) if isinstance(case, bytes) else case)
        assert parse_board(board.rows(), "again").card == board.card

    fuzz("layouts", count, make, call, "^board[: ]")
