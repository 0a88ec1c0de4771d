"""The report: figures, tables and charts of all questions, as one HTML file with PNG and CSV."""

import base64
import io
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from pathlib import Path

import jinja2
import matplotlib as mpl
import pandas as pd

from analysis import style
from analysis.collect import Run, collect
from analysis.question import Chart, Evidence, Headline, Question, Tables, questions
from analysis.summary import Summary, summary
from analysis.tables_html import Shown, shown

DPI = 180
REFERENCE_GAMES = 20_000
REFERENCE_SEED = 1


@dataclass(frozen=True)
class Picture:
    """A chart as it stands in the report; `data` is a PNG in base64."""

    name: str
    title: str
    alt: str
    data: str
    square: bool


@dataclass(frozen=True)
class Section:
    """A question with its pictures and tables, ready for the template."""

    question: Question
    pictures: list[Picture]
    tables: list[Shown]


def random_reference(run: Run) -> Run | None:
    """Play random bots under the rules of a run, to hold its corners against.

    None if the run is of random bots itself, or if its layout was a file that is gone.
    """
    from simcore import Rules, simulate
    from simcore.board import LayoutError

    if set(run.manifest["strategies"]) == {"random"}:
        return None
    rules = Rules.from_settings(run.manifest["rules"])
    try:
        reference: Run = simulate(
            ["random"], games=REFERENCE_GAMES, seed=REFERENCE_SEED, rules=rules
        )
    except LayoutError:
        return None
    return reference


def report(run: Run, out_dir: Path, reference: Run | None = None) -> list[Headline]:
    """Write `index.html`, PNG and CSV files of a run into `out_dir` and return the headlines.

    The folder appears as a whole or not at all; one that is there already is replaced. Raises
    ValueError for a run without games and OSError where nothing can be written.
    """
    asked = questions()
    found = collect(run, asked)
    if reference is not None:
        beside = collect(reference, asked)
        found = {name: replace(e, reference=beside[name]) for name, e in found.items()}
    headlines = [q.headline(found[q.name]) for q in asked if q.headline is not None]
    evidence = next(iter(found.values()))
    with _whole_folder(out_dir) as folder:
        sections = [_section(question, found[question.name], folder) for question in asked]
        page = _page(summary(evidence), headlines, sections)
        (folder / "index.html").write_text(page, encoding="utf-8")
    return headlines


def _section(question: Question, evidence: Evidence, folder: Path) -> Section:
    tables = {name: t for name, t in question.tables(evidence).items() if len(t)}
    for name, table in tables.items():
        table.to_csv(folder / f"{name}.csv", index=False)
    pictures = [
        _picture(chart, tables, folder) for chart in question.charts if chart.table in tables
    ]
    captions = question.captions
    return Section(question, pictures, [shown(n, captions[n], t) for n, t in tables.items()])


def _picture(chart: Chart, tables: Tables, folder: Path) -> Picture:
    data = draw(chart, tables[chart.table])
    (folder / f"{chart.name}.png").write_bytes(data)
    text = base64.b64encode(data).decode("ascii")
    return Picture(chart.name, chart.title, chart.alt, text, chart.square)


def draw(chart: Chart, table: pd.DataFrame) -> bytes:
    """Draw a chart of its table and return it as PNG."""
    with mpl.rc_context(style.RC):
        picture, ax = style.figure(chart.height(table), chart.square)
        chart.plot(table, ax)
        ax.set_title(chart.title)
        buffer = io.BytesIO()
        picture.savefig(buffer, format="png", dpi=DPI, metadata={"Software": None})
    return buffer.getvalue()


def _page(about: Summary, headlines: list[Headline], sections: list[Section]) -> str:
    return (
        _templates()
        .get_template("report.html")
        .render(about=about, headlines=headlines, sections=sections)
    )


@cache
def _templates() -> jinja2.Environment:
    loader = jinja2.FunctionLoader(
        lambda name: (files("analysis") / "templates" / name).read_text(encoding="utf-8")
    )
    return jinja2.Environment(
        loader=loader, autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True
    )


@contextmanager
def _whole_folder(out_dir: Path) -> Iterator[Path]:
    """Give a folder to write to that takes the place of `out_dir` once all is written."""
    out_dir.parent.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=f".{out_dir.name}-", dir=out_dir.parent))
    try:
        yield folder
        # mkdtemp is private to its owner; a report is as open as any folder made here.
        umask = os.umask(0)
        os.umask(umask)
        folder.chmod(0o777 & ~umask)
        if out_dir.is_dir():
            shutil.rmtree(out_dir)
        folder.rename(out_dir)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
