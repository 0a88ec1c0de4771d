"""The report of one run: figures, tables and charts of all questions, and the headlines."""

import math
import threading
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from analysis.collect import Run, collect, fitting
from analysis.page import Section, grids, picture, whole_folder, write_page
from analysis.question import Evidence, Headline, Question, questions
from analysis.summary import summary
from analysis.yardsticks import Strength
from simcore.rules import Rules

REFERENCE_GAMES = 20_000
REFERENCE_SEED = 1


def random_reference(run: Run) -> Run | None:
    """Play random bots under the rules of a run, to hold its corners against.

    On the layout that its manifest has: the rules may name a file, which a folder from elsewhere
    must not make us read. None if the run is of random bots itself.
    """
    # Only here, as importing the engine costs more than a report of a finished run should.
    from simcore.board import parse_board
    from simcore.design import make_design
    from simcore.frames import tables
    from simcore.manifest import new_manifest
    from simcore.plan import Plan
    from simcore.run import Run as Played
    from simcore.runner import Runner
    from simcore.simulation import Pace, joined, slices
    from simcore.strategy import find_strategy

    if set(run.manifest["strategies"]) == {"random"}:
        return None
    rules = Rules.from_settings(run.manifest["rules"])
    board = parse_board(run.manifest["board"], rules.board)
    design = make_design([find_strategy("random")], rules)
    plan = Plan(rules, board, ("random",), design.seatings, REFERENCE_SEED, design.name)
    deals = math.ceil(REFERENCE_GAMES / len(design.seatings))
    games = deals * len(design.seatings)
    chunks = list(slices(Runner(plan, design), 0, games, Pace(), threading.Event()))
    return Played(new_manifest(plan, "", games, deals), [tables(joined(chunks), plan)])


def report(
    run: Run, out_dir: Path, reference: Run | None = None, strength: Strength | None = None
) -> list[Headline]:
    """Write `index.html`, PNG and CSV files of a run into `out_dir` and return the headlines.

    The headlines say what going first, a corner and a jack are worth, and with `strength` what the
    strategies score against known bots. The folder appears as a
    whole or not at all; a report that is there already is replaced. Raises ValueError for a run
    without games, FileExistsError for a folder that is no report and OSError where nothing can be
    written.
    """
    asked = questions()
    found = {
        name: replace(about, strength=strength)
        for name, about in evidence(run, asked, reference).items()
    }
    with fitting(run), whole_folder(out_dir) as folder:
        said = headlines(asked, found)
        made = [_section(question, found[question.name], folder) for question in asked]
        sections = [section for section in made if section.tables]
        about = summary([("", next(iter(found.values())))])
        write_page(about, [(h.question, h.sentence) for h in said], sections, folder)
    return said


def evidence(
    run: Run, asked: list[Question], reference: Run | None = None
) -> Mapping[str, Evidence]:
    """Collect the evidence of questions by name, the reference's beside it."""
    found = collect(run, asked)
    if reference is None:
        return found
    beside = collect(reference, asked)
    return {name: replace(e, reference=beside[name]) for name, e in found.items()}


def headlines(asked: list[Question], found: Mapping[str, Evidence]) -> list[Headline]:
    """Say the sentence of every question that has one."""
    said = [q.headline(found[q.name]) for q in asked if q.headline is not None]
    return [headline for headline in said if headline is not None]


def _section(question: Question, found: Evidence, folder: Path) -> Section:
    tables = question.tables(found)
    return Section(
        question,
        [
            picture(chart, tables[chart.table], folder)
            for chart in question.charts
            if len(tables[chart.table])
        ],
        grids(question, tables, folder),
        paired=any(chart.square for chart in question.charts),
    )
