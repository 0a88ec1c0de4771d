"""From a run to the evidence of every question, part by part, in memory of one part."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from analysis.question import Evidence, Question, Sums, add, questions
from analysis.setting import Setting
from analysis.view import Part, View
from simcore.sums import pack

if TYPE_CHECKING:
    import pyarrow as pa

    from simcore.frames import Tables

_COUNTS = "counts"
"""The group of sums with the numbers of games and deals."""


class Run(Protocol):
    """What is asked of a run: its manifest, and its tables, or its sums, in parts of whole deals.

    A run has one of the two: `manifest["keep"]` is tables or summary.
    """

    @property
    def manifest(self) -> Mapping[str, Any]:
        """Everything that tells this run from another."""

    def parts(self) -> Iterator[Part]:
        """Give the tables of the parts one after the other."""

    def sums(self) -> Iterator[Mapping[str, Sums]]:
        """Give the sums of the parts one after the other, by question."""


def collect(run: Run, asked: list[Question]) -> dict[str, Evidence]:
    """Put questions to a run; returns their evidence by name.

    ValueError if it has no games, or sums of another version.
    """
    setting = Setting(run.manifest)
    total: dict[str, Sums] = {}
    for new in _sums(run, setting, asked):
        try:
            total = {name: add(total[name], new[name]) for name in new} if total else dict(new)
        except (LookupError, TypeError, ValueError):
            raise ValueError("the sums of the run's parts do not fit each other") from None
    if not total:
        raise ValueError("the run has no games to report on")
    if missing := [question.name for question in asked if question.name not in total]:
        told = f"the run has no sums for {', '.join(missing)}"
        raise ValueError(f"{told}; allowed: one that this version of seqlab played")
    games, deals = (int(total[_COUNTS][name]) for name in ("games", "deals"))
    return {q.name: Evidence(setting, total[q.name], games, deals) for q in asked}


@contextmanager
def fitting(*runs: Run) -> Iterator[None]:
    """Say so where the sums that a run keeps are not those that the questions ask for.

    They are read from a file, and each question knows its own only.
    """
    try:
        yield
    except (LookupError, TypeError, ArithmeticError) as error:
        if all(run.manifest.get("keep") != "summary" for run in runs):
            raise
        told = "the sums that the run keeps are not those that the report asks for"
        raise ValueError(f"{told}; allowed: a run that this version of seqlab played") from error


def _sums(run: Run, setting: Setting, asked: list[Question]) -> Iterator[Mapping[str, Sums]]:
    """Give the sums of all parts that have games."""
    if run.manifest.get("keep") == "summary":
        yield from run.sums()
        return
    for part in run.parts():
        view = View(part, setting)
        if view.games:
            yield sums_of(view, asked)


def sums_of(view: View, asked: list[Question]) -> dict[str, Sums]:
    """Return the sums of a part by question, and how much was played."""
    counts = {"games": np.array(view.games), "deals": np.array(view.deals)}
    return {**{question.name: question.collect(view) for question in asked}, _COUNTS: counts}


def summary(tables: "Tables", manifest: Mapping[str, Any]) -> "pa.Table":
    """Return all that a report needs of a part's tables, as `simcore.simulate` keeps it."""
    from simcore.frames import to_frames

    return pack(sums_of(View(to_frames(tables), Setting(manifest)), questions()))
