"""What a question is: sums from each part of a run, tables from the sums, charts from the tables.

A module of this package that defines `QUESTION` is a question; nothing else needs to know of it.
"""

import importlib
import pkgutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from analysis.estimates import Array, Estimate
from analysis.setting import Setting
from analysis.view import View
from analysis.yardsticks import Strength

Sums = dict[str, Array]
"""Named arrays that add up over parts; an array that is shorter is padded with zeros."""

Tables = dict[str, pd.DataFrame]

MEASURES = ["value", "low", "high", "error", "unit", "games", "deals", "method"]
"""Columns that every table has, after the columns that say what a row is about."""

ALL = "(all)"
"""Stands for all strategies together where tables name them."""

POINTS = "percentage points"
PERCENT = "%"


@dataclass(frozen=True)
class Evidence:
    """All that the tables of a question are made from.

    `reference` is the same of random bots under the same rules, and `strength` what the strategies
    score against bots that everybody has, where it was asked for.
    """

    setting: Setting
    sums: Sums
    games: int
    deals: int
    reference: "Evidence | None" = None
    strength: Strength | None = None


@dataclass(frozen=True)
class Headline:
    """A sentence that a reader can quote, with the figures in it by name and their unit."""

    question: str
    sentence: str
    figures: dict[str, Estimate]
    unit: str


@dataclass(frozen=True)
class Chart:
    """A picture of one table.

    `height` in inches may depend on the table, as a row for every strategy needs room.
    `square` charts are drawn about as wide as they are high, others as wide as a page or `width`,
    which may depend on the table as well.
    """

    name: str
    table: str
    title: str
    alt: str
    plot: Callable[[pd.DataFrame, Axes], Axes]
    height: Callable[[pd.DataFrame], float]
    square: bool = False
    width: Callable[[pd.DataFrame], float] | None = None


@dataclass(frozen=True)
class Question:
    """One question: its words, how it collects, and what it shows.

    `captions` gives the caption of each table by name. A table left empty is not shown, nor is a
    question of which all are; `headline` may have nothing to say.
    """

    name: str
    title: str
    order: int
    definition: tuple[str, ...]
    collect: Callable[[View], Sums]
    tables: Callable[[Evidence], Tables]
    captions: dict[str, str]
    charts: tuple[Chart, ...] = ()
    headline: Callable[[Evidence], Headline | None] | None = field(default=None)


def questions() -> list[Question]:
    """Find all questions of this package, in the order of the report."""
    package = importlib.import_module("analysis")
    modules = [
        importlib.import_module(f"analysis.{module.name}")
        for module in pkgutil.iter_modules(package.__path__)
    ]
    found = [cast(Question, m.QUESTION) for m in modules if hasattr(m, "QUESTION")]
    return sorted(found, key=lambda question: question.order)


def add(a: Sums, b: Sums) -> Sums:
    """Add two sets of sums; arrays of different length along the first axis are padded."""
    return {name: _add(a[name], b[name]) for name in a}


def _add(a: Array, b: Array) -> Array:
    if a.shape == b.shape:
        return np.asarray(a + b)
    longer, shorter = (a, b) if len(a) > len(b) else (b, a)
    total = longer.copy()
    total[: len(shorter)] += shorter
    return total


def row(estimate: Estimate, unit: str, **about: Any) -> dict[str, Any]:
    """One line of a table: what it is about, then the measures of `MEASURES`.

    An estimate given as a share is turned into percent or percentage points.
    """
    if unit in (PERCENT, POINTS):
        estimate = estimate.affine(100)
    return {
        **about,
        "value": estimate.value,
        "low": estimate.low,
        "high": estimate.high,
        "error": estimate.error,
        "unit": unit,
        "games": estimate.games,
        "deals": estimate.deals,
        "method": estimate.method,
    }


def table(rows: Iterable[dict[str, Any]]) -> pd.DataFrame:
    """Make a table of `row`s: numbers as float64 with gaps as missing values."""
    frame = pd.DataFrame(list(rows))
    numbers = [name for name in ("value", "low", "high", "error") if name in frame]
    return frame.astype(dict.fromkeys(numbers, "float64"))


def estimate_of(line: "pd.Series[Any]") -> Estimate:
    """Give back the estimate in one line of a table, in the unit of the table."""

    def number(name: str) -> float | None:
        return None if pd.isna(line[name]) else float(line[name])

    return Estimate(
        number("value"),
        number("low"),
        number("high"),
        number("error"),
        int(line["games"]),
        int(line["deals"]),
        str(line["method"]),
    )
