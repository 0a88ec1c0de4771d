"""`seqlab run`, `simulate`, `report` and `bench`: games by the thousand."""

import json
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from commands.bots import installed
from commands.console import command_line, keeping, print_findings, print_table, progress
from commands.options import (
    DEFAULT,
    ClusterAddress,
    FolderOptions,
    Json,
    Players,
    PlayOptions,
    Quiet,
    RuleOptions,
    Strategies,
    Teams,
)
from simcore.given import quoted

if TYPE_CHECKING:
    from simcore.run import Run
    from simcore.simulation import Summary


Shard = Annotated[
    str | None,
    typer.Option(help="K/N plays the K-th of N shares; `seqlab merge` puts them together."),
]
Keep = Annotated[
    str, typer.Option(help="tables, or summary: only what the report needs.", metavar="TEXT")
]


def run(
    play: PlayOptions,
    folder: FolderOptions,
    rules: RuleOptions,
    keep: Keep = "tables",
    cluster: ClusterAddress = None,
    quiet: Quiet = False,
) -> None:
    """Simulate, then write the report: the main job.

    Without options: 100,000 two-player games of `planner`, the best fast bot, with itself.

    Example: seqlab run -s balanced -s greedy --games 200000 --players 4
    """
    _report(*_simulate("run", play, folder, rules, None, keep, cluster, quiet), quiet)


def simulate(
    play: PlayOptions,
    folder: FolderOptions,
    rules: RuleOptions,
    shard: Shard = None,
    keep: Keep = "tables",
    cluster: ClusterAddress = None,
    quiet: Quiet = False,
) -> None:
    """Play games into a folder of tables, without a report.

    Example: seqlab simulate -s balanced -s random --games 1000000 --seed 7 --out runs/mine
    """
    place, _ = _simulate("simulate", play, folder, rules, shard, keep, cluster, quiet)
    print(place)


def _simulate(
    command: str,
    play: PlayOptions,
    folder: FolderOptions,
    rules: RuleOptions,
    shard: str | None,
    keep: str,
    cluster: str | None,
    quiet: bool,
) -> tuple[str, "Run"]:
    from simcore.simulation import simulate

    if keep not in ("tables", "summary"):
        raise ValueError(f"keep: {keep!r}; allowed: tables, summary")
    share = None if shard is None else _share(shard)
    in_force = rules.in_force()
    place = folder.place(command, play.seed)
    with keeping(place, "parts"), progress("playing", play.games, quiet) as advance:
        played = simulate(
            play.strategy or [DEFAULT],
            play.games,
            play.seed,
            in_force,
            play.design,
            play.threads,
            place,
            shard=share,
            summary=_summary() if keep == "summary" else None,
            resume=folder.resume,
            overwrite=folder.overwrite,
            command=command_line(),
            progress=advance,
            cluster=cluster,
        )
    return place, played


def _share(text: str) -> tuple[int, int]:
    number, slash, shards = text.partition("/")
    if not slash or not all(each.isascii() and each.isdigit() for each in (number, shards)):
        raise ValueError(f"shard: {text!r}; allowed: K/N, as 3/16")
    if max(len(number), len(shards)) > 9:
        raise ValueError(f"shard: {quoted(text)}; allowed: K/N, as 3/16")
    return int(number), int(shards)


def _summary() -> "Summary":
    from analysis.collect import summary

    return summary


def report(
    folder: Annotated[str, typer.Argument(help="The folder of a run, or its URL.")],
    other: Annotated[
        str | None, typer.Argument(help="A second run, to stand beside the first.")
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Write figures, charts and one HTML page about a run; two runs stand side by side.

    Example: seqlab report runs/run-0
    """
    if other is None:
        _report(folder, _load(folder), quiet)
        return
    from analysis.compare import compare

    name = f"compare-{other.rstrip('/').rpartition('/')[2] or 'run'}"
    with _written_to(folder, name) as (target, page):
        compare(_load(folder), _load(other), target)
    print(page)


def _load(folder: str) -> "Run":
    """Return the run in a folder; say how the report of an experiment is made again.

    Not by us: its folder names strategies, of which those in files are code, which is never loaded
    because a folder says so.
    """
    from simcore.ledger import read_json
    from simcore.manifest import MANIFEST
    from simcore.place import StoreError, place_of
    from simcore.run import load

    try:
        return load(folder)
    except StoreError as error:
        from experiments.record import FORMAT

        try:
            found = read_json(place_of(folder), MANIFEST, FORMAT)
        except StoreError:
            raise error from None
    told = f"{folder} holds a {found.get('kind', 'experiment')}, not a run"
    again = f"with --out {folder} --resume its own command writes the report again"
    raise StoreError(f"{told}; {again}: {found.get('command')}")


def _report(place: str, found: "Run", quiet: bool) -> None:
    from analysis.report import random_reference
    from analysis.report import report as write_report
    from analysis.yardsticks import strength

    if not quiet and sys.stderr.isatty():
        print("writing the report", file=sys.stderr)
    known = random_reference(found), strength(found.manifest)
    with _written_to(place, "report") as (target, page):
        headlines = write_report(found, target, *known)
    print_findings((headline.sentence for headline in headlines), page)


@contextmanager
def _written_to(place: str, name: str) -> Iterator[tuple[Path, str]]:
    """Give a folder for a report, and the name of its page; to a URL it is sent when it is made."""
    from simcore.place import is_url, place_of

    if not is_url(place):
        yield Path(place) / name, str(Path(place) / name / "index.html")
        return
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder) / name, f"{place}/{name}/index.html"
        for file in sorted(Path(folder).rglob("*")):
            if file.is_file():
                place_of(place).write(file.relative_to(folder).as_posix(), file.read_bytes())


def bench(
    strategy: Strategies = None,
    players: Players = None,
    teams: Teams = None,
    threads: Annotated[int, typer.Option(help="Threads.")] = 1,
    seconds: Annotated[float, typer.Option(help="Time to measure each strategy.")] = 2.0,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Measure games a second of each strategy against itself, with all records kept.

    Example: seqlab bench -s random -s balanced --threads 2
    """
    from simcore.bench import measure

    in_force = RuleOptions(players, teams).in_force()
    names = strategy or [bot.name for bot in installed(quiet)]
    rows = [measure(name, in_force, threads, seconds) for name in names]
    if as_json:
        print(json.dumps(rows, indent=1))
        return
    print_table(
        ("strategy", "players", "teams", "threads", "games", "seconds", "games/s", "turns/s"),
        [[_cell(value) for value in row.values()] for row in rows],
    )


def _cell(value: Any) -> str:
    """Write a number for reading: thousands apart, and decimals only where they say something."""
    if isinstance(value, float):
        return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"
    return f"{value:,}" if isinstance(value, int) else str(value)
