"""Two runs side by side: the tables of all questions with a row for each run and the difference."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from analysis.collect import Run, fitting
from analysis.estimates import difference
from analysis.page import Section, grids, picture, whole_folder, write_page
from analysis.question import (
    MEASURES,
    PERCENT,
    POINTS,
    Evidence,
    Question,
    estimate_of,
    questions,
    row,
    table,
)
from analysis.report import evidence, headlines
from analysis.summary import summary

RUNS = ("A", "B")
DIFFERENCE = "B - A"
NOTE = (
    "Rows marked B - A are differences. They take the two runs as independent: where both played "
    "the same deals the true interval is usually narrower."
)


def compare(run_a: Run, run_b: Run, out_dir: Path) -> None:
    """Write a report of two runs into `out_dir`, as `report` does of one.

    Differences take the runs as independent, which is cautious where both played the same deals:
    luck that the runs share is counted twice. Raises what `report` raises.
    """
    asked = questions()
    found = {name: evidence(run, asked) for name, run in zip(RUNS, (run_a, run_b), strict=True)}
    with fitting(run_a, run_b), whole_folder(out_dir) as folder:
        quotes = [
            (headline.question, f"Run {name}: {headline.sentence}")
            for name in RUNS
            for headline in headlines(asked, found[name])
        ]
        made = [_section(question, found, folder) for question in asked]
        sections = [section for section in made if section.tables]
        first = asked[0].name
        about = summary([(f"Run {name}", found[name][first]) for name in RUNS], NOTE)
        write_page(about, quotes, sections, folder)


def _section(
    question: Question, found: Mapping[str, Mapping[str, Evidence]], folder: Path
) -> Section:
    made = {name: question.tables(found[name][question.name]) for name in RUNS}
    # A chart of one run is followed by that of the other, where both have it.
    drawn = [
        picture(chart, made[name][chart.table], folder, mark=name)
        for chart in question.charts
        for name in RUNS
        if len(made[name][chart.table])
    ]
    a, b = (made[name] for name in RUNS)
    together = {name: side_by_side(a[name], b[name]) for name in a}
    return Section(question, drawn, grids(question, together, folder), paired=True)


def side_by_side(a: pd.DataFrame, b: pd.DataFrame) -> pd.DataFrame:
    """Put two tables of one kind together, with a column for the run and rows of differences.

    Rows are matched by the columns before the value; one that a run lacks is left out of the
    differences. Plain tables (no value) and columns of one run only are stacked.
    """
    if not len(a) and not len(b):
        return pd.DataFrame()
    both = pd.concat([t.assign(run=name) for name, t in zip(RUNS, (a, b), strict=True) if len(t)])
    if "value" not in both:
        return both[["run", *both.columns.drop("run")]]
    keys = list(both.columns[: both.columns.get_loc("value")])
    shown = both[[*keys, "run", *MEASURES]]
    if not len(a) or not len(b):
        return shown
    differences = _differences(a, b, keys)
    together = pd.concat([shown, differences]) if len(differences) else shown
    # Rows of one matter stand together: A, B, then the difference.
    order = together.groupby([*keys, "unit"], sort=False, dropna=False).ngroup()
    together = together.iloc[order.argsort(kind="stable")].reset_index(drop=True)
    points = (together["run"] == DIFFERENCE) & (together["unit"] == PERCENT)
    together.loc[points, "unit"] = POINTS
    return together


def _differences(a: pd.DataFrame, b: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    lines = {_key(line, keys): line for _, line in a.iterrows()}
    rows = []
    for _, theirs in b.iterrows():
        mine = lines.get(_key(theirs, keys))
        if mine is not None:
            found = difference(estimate_of(theirs), estimate_of(mine))
            about = {key: theirs[key] for key in keys}
            rows.append(row(found, "", **about, run=DIFFERENCE) | {"unit": theirs["unit"]})
    return table(rows)


def _key(line: "pd.Series[Any]", keys: list[str]) -> tuple[Any, ...]:
    # The unit is part of what a row is about: mean turns are not mean rounds.
    return tuple(line[[*keys, "unit"]])
