"""From a run to the evidence of every question, part by part, in memory of one part."""

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from analysis.question import Evidence, Question, Sums, add
from analysis.setting import Setting
from analysis.view import Part, View


class Run(Protocol):
    """What is asked of a run: its manifest, and its tables in parts of whole deals."""

    @property
    def manifest(self) -> Mapping[str, Any]:
        """Everything that tells this run from another."""

    def parts(self) -> Iterator[Part]:
        """Give the parts one after the other."""


def collect(run: Run, asked: list[Question]) -> dict[str, Evidence]:
    """Put questions to a run; returns their evidence by name. ValueError if it has no games."""
    setting = Setting(run.manifest)
    sums: dict[str, Sums] = {}
    games = deals = 0
    for part in run.parts():
        view = View(part, setting)
        if not view.games:
            continue
        games, deals = games + view.games, deals + view.deals
        for question in asked:
            new = question.collect(view)
            name = question.name
            sums[name] = add(sums[name], new) if name in sums else new
    if not games:
        raise ValueError("the run has no games to report on")
    return {name: Evidence(setting, found, games, deals) for name, found in sums.items()}
