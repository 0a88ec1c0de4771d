"""Tables as the report shows them: texts of cells, aligned, with intervals in one column."""

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import pandas as pd

from analysis.question import MEASURES, POINTS, estimate_of
from analysis.ranking import SURE
from analysis.sentence import interval
from analysis.style import NONE, decimals, number

LONG = 16
"""Tables with more rows are folded."""


@dataclass(frozen=True)
class Cell:
    """Text of a cell; `right` for numbers."""

    text: str
    right: bool


@dataclass(frozen=True)
class Shown:
    """A table ready for the template."""

    name: str
    caption: str
    head: list[Cell]
    rows: list[list[Cell]]
    folded: bool


def shown(name: str, caption: str, table: pd.DataFrame) -> Shown:
    """Lay out a table: what a row is about, value, interval, unit, the rest, games and deals."""
    if "value" not in table:
        return _simple(name, caption, table)
    about = list(table.columns[: table.columns.get_loc("value")])
    rest = [c for c in table.columns if c not in (*about, *MEASURES)]
    head = [
        *(Cell(str(c), False) for c in about),
        *(Cell(text, True) for text in ("value", "95 % interval")),
        Cell("unit", False),
        *(Cell(c, True) for c in (*rest, "games", "deals")),
    ]
    places = _places(table)
    rows = [
        [*(Cell(str(line[c]), False) for c in about), *_measures(line, rest, places)]
        for _, line in table.iterrows()
    ]
    return Shown(name, caption, head, rows, len(rows) > LONG)


def _places(table: pd.DataFrame) -> dict[str, int]:
    """Decimals for each unit, the same down a column: those of the typical interval."""
    widths = (table["high"] - table["low"]).groupby(table["unit"]).median()
    return {str(unit): decimals(0.0, float(width)) for unit, width in widths.items()}


def _measures(line: "pd.Series[Any]", rest: list[str], places: dict[str, int]) -> list[Cell]:
    found, unit = estimate_of(line), str(line["unit"])
    sign, shown_places = unit == POINTS, places[unit]
    if (
        found.low is not None
        and found.high is not None
        and found.high - found.low < 0.1**shown_places
    ):
        # Both ends would read alike: a narrow interval among wide ones.
        shown_places = decimals(found.low, found.high)
    return [
        Cell(number(found.value, shown_places, sign), True),
        Cell(interval(found, sign, shown_places), True),
        Cell(unit, False),
        *(Cell(_extra(name, line[name]), True) for name in rest),
        Cell(f"{found.games:,}", True),
        Cell(f"{found.deals:,}", True),
    ]


def _extra(name: str, value: Any) -> str:
    if pd.isna(value):
        return NONE
    if isinstance(value, Integral):
        return f"{value:,}"
    if name.startswith("chance"):
        return f"> {SURE}" if value > SURE else f"{value:.3f}"
    if name.startswith("p ("):
        return "< 0.001" if value < 0.001 else f"{value:.3f}"
    return number(float(value), 2)


def _simple(name: str, caption: str, table: pd.DataFrame) -> Shown:
    """Lay out a table of plain numbers."""
    rows = [[_plain(value) for value in line] for line in table.itertuples(index=False)]
    head = [
        Cell(str(name), right.right) for name, right in zip(table.columns, rows[0], strict=True)
    ]
    return Shown(name, caption, head, rows, len(rows) > LONG)


def _plain(value: Any) -> Cell:
    if isinstance(value, str):
        return Cell(value, False)
    return Cell(f"{value:,}" if isinstance(value, Integral) else number(value, 3), True)
