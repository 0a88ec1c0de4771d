"""The report of an experiment: chapters of tables and charts, in the style of a run's report."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analysis.page import Section, grids, picture, whole_folder, write_page
from analysis.question import Chart, Tables
from analysis.summary import Described, Summary


@dataclass(frozen=True)
class Chapter:
    """A section of the report: its words, tables and charts. Empty tables are not shown."""

    name: str
    title: str
    definition: tuple[str, ...]
    tables: Tables
    captions: dict[str, str]
    charts: tuple[Chart, ...] = ()


def write_report(
    out_dir: Path,
    title: str,
    manifest: Mapping[str, Any],
    facts: Sequence[tuple[str, str]],
    quotes: Sequence[tuple[str, str]],
    chapters: Sequence[Chapter],
) -> Path:
    """Write index.html, PNG and CSV files into `out_dir` as a whole; return the page.

    `facts` are labels and texts for its head, `quotes` the sentences it opens with, each with the
    name of its chapter. Raises FileExistsError for a folder that is no report.
    """
    versions = ", ".join(f"{name} {version}" for name, version in manifest["versions"].items())
    shown = [*facts, ("Seed", str(manifest["seed"])), ("Versions", versions)]
    about = Summary(title, [Described("", shown, str(manifest["command"]))], "")
    with whole_folder(out_dir) as folder:
        sections = [_section(chapter, folder) for chapter in chapters]
        shown_sections = [section for section in sections if section.tables]
        write_page(about, list(quotes), shown_sections, folder)
    return out_dir / "index.html"


def _section(chapter: Chapter, folder: Path) -> Section:
    pictures = [
        picture(chart, chapter.tables[chart.table], folder)
        for chart in chapter.charts
        if len(chapter.tables[chart.table])
    ]
    paired = any(chart.square for chart in chapter.charts)
    return Section(chapter, pictures, grids(chapter, chapter.tables, folder), paired)
