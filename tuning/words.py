"""What a tune found, in words; from the rows of the judge, as tune.json has them."""

from collections.abc import Mapping, Sequence
from typing import Any

Row = Mapping[str, Any]

COLUMNS = (
    "who",
    "against",
    "score %",
    "95 % interval",
    "gain",
    "95 % interval",
    "drawn %",
    "deals",
)


def cells(row: Row) -> list[str]:
    """Return a row of the judge as the cells of COLUMNS; a gain is one over the start values."""
    gain = [_points(row["gain"]), _interval(row, "gain", _points)] if "gain" in row else ["", ""]
    score = [_percent(row["score"]), _interval(row, "score", _percent)]
    drawn = "-" if row["drawn"] is None else _percent(row["drawn"])
    return [row["who"], row["against"], *score, *gain, drawn, f"{row['deals']:,}"]


def line(row: Row) -> str:
    """Say a row in one line."""
    score = f"{_percent(row['score'])} % (95 % interval {_interval(row, 'score', _percent)})"
    return f"{row['who']} against {row['against']}: {score}"


def verdict(rows: Sequence[Row]) -> str:
    """Say whether the result beats the start values, which the last row is about."""
    last = rows[-1]
    if last["gain_low"] is None:
        return "The result plays as the start values do."
    score = f"{_percent(last['score'])} % (95 % interval {_interval(last, 'score', _percent)})"
    if last["gain_low"] > 0:
        return f"The result beats the start values: it scores {score} against them."
    if last["gain_high"] < 0:
        return f"The result is worse than the start values: it scores {score} against them."
    return f"The result is not shown to beat the start values: it scores {score} against them."


def _percent(value: float) -> str:
    return f"{100 * value:.2f}"


def _points(value: float) -> str:
    return f"{100 * value:+.2f}"


def _interval(row: Row, name: str, text: Any) -> str:
    low, high = row[f"{name}_low"], row[f"{name}_high"]
    return "cannot vary" if low is None else f"{text(low)} to {text(high)}"
