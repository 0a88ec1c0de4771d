"""From questions with their evidence to a folder: one HTML file, with PNG and CSV beside it."""

import base64
import io
import os
import shutil
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Protocol

import jinja2
import matplotlib as mpl
import pandas as pd

from analysis import style
from analysis.question import Chart, Tables
from analysis.summary import Summary
from analysis.tables_html import Shown, shown
from simcore.reports import SUMS, sums_text

DPI = 180
PAGE = "index.html"


@dataclass(frozen=True)
class Picture:
    """A chart as it stands in the report; `data` is a PNG in base64."""

    name: str
    alt: str
    data: str


class Topic(Protocol):
    """What a section says of its question: a Question, or a Chapter of an experiment."""

    @property
    def name(self) -> str:
        """The anchor in the page."""

    @property
    def title(self) -> str:
        """The heading."""

    @property
    def definition(self) -> tuple[str, ...]:
        """What is counted, in paragraphs."""

    @property
    def captions(self) -> dict[str, str]:
        """The caption of each table, by name."""


@dataclass(frozen=True)
class Section:
    """A question with its pictures and tables, ready for the template.

    `paired` pictures stand two in a row where there is room.
    """

    question: Topic
    pictures: list[Picture]
    tables: list[Shown]
    paired: bool


def grids(question: Topic, tables: Tables, folder: Path) -> list[Shown]:
    """Write the tables of a question as CSV and lay them out; empty ones are left out."""
    for name, table in tables.items():
        if len(table):
            table.to_csv(folder / f"{name}.csv", index=False)
    captions = question.captions
    return [shown(name, captions[name], t) for name, t in tables.items() if len(t)]


def picture(chart: Chart, table: pd.DataFrame, folder: Path, mark: str = "") -> Picture:
    """Draw a chart of its table as PNG; `mark` tells the run apart where there are two."""
    title = f"{chart.title} (run {mark})" if mark else chart.title
    name = f"{chart.name}-{mark}" if mark else chart.name
    data = draw(chart, table, title)
    (folder / f"{name}.png").write_bytes(data)
    text = base64.b64encode(data).decode("ascii")
    return Picture(name, chart.alt, text)


def draw(chart: Chart, table: pd.DataFrame, title: str) -> bytes:
    """Draw a chart of its table and return it as PNG."""
    with mpl.rc_context(style.RC), warnings.catch_warnings():
        picture, ax = style.figure(chart.height(table), chart.square, title)
        if chart.width is not None:
            picture.set_figwidth(chart.width(table))
        chart.plot(table, ax)
        buffer = io.BytesIO()
        # A name in a script that the font lacks is drawn as boxes; tables have it as it is.
        warnings.filterwarnings("ignore", "Glyph .* missing from")
        picture.savefig(buffer, format="png", dpi=DPI, metadata={"Software": None})
    return buffer.getvalue()


def write_page(
    about: Summary, quotes: list[tuple[str, str]], sections: list[Section], folder: Path
) -> None:
    """Write the page; `quotes` are the sentences it opens with, each with its question's name."""
    template = _templates().get_template("report.html")
    page = template.render(about=about, quotes=quotes, sections=sections)
    (folder / PAGE).write_text(page, encoding="utf-8")


@cache
def _templates() -> jinja2.Environment:
    loader = jinja2.FunctionLoader(
        lambda name: (files("analysis") / "templates" / name).read_text(encoding="utf-8")
    )
    return jinja2.Environment(
        loader=loader, autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True
    )


@contextmanager
def whole_folder(out_dir: Path) -> Iterator[Path]:
    """Give a folder to write to that takes the place of `out_dir` once all is written.

    A report that is there already is replaced; any other folder with something in it is not, and
    raises FileExistsError.
    """
    if out_dir.exists() and not _ours(out_dir):
        raise FileExistsError(f"{out_dir} is there already and is no report")
    out_dir.parent.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=f".{out_dir.name}-", dir=out_dir.parent))
    try:
        yield folder
        written = [file for file in folder.rglob("*") if file.is_file()]
        data = {file.relative_to(folder).as_posix(): file.read_bytes() for file in written}
        (folder / SUMS).write_text(sums_text(data), encoding="utf-8")
        # mkdtemp is private to its owner; a report is as open as any folder made here.
        umask = os.umask(0)
        os.umask(umask)
        folder.chmod(0o777 & ~umask)
        if out_dir.exists():
            shutil.rmtree(out_dir)
        folder.rename(out_dir)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _ours(folder: Path) -> bool:
    return folder.is_dir() and ((folder / PAGE).is_file() or not any(folder.iterdir()))
