"""`seqlab run`, `simulate`, `report` and `bench`: games by the thousand."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from commands.bots import installed
from commands.console import command_line, keeping, print_table, progress
from commands.options import (
    DEFAULT,
    FolderOptions,
    Json,
    Players,
    PlayOptions,
    Quiet,
    RuleOptions,
    Strategies,
    Teams,
)

if TYPE_CHECKING:
    from simcore.run import Run


def run(play: PlayOptions, folder: FolderOptions, rules: RuleOptions, quiet: Quiet = False) -> None:
    """Simulate, then write the report: the main job.

    Without options: 100,000 two-player games of `planner`, the best fast bot, with itself.

    Example: seqlab run -s balanced -s greedy --games 200000 --players 4
    """
    _report(_simulate("run", play, folder, rules, quiet), quiet)


def simulate(
    play: PlayOptions, folder: FolderOptions, rules: RuleOptions, quiet: Quiet = False
) -> None:
    """Play games into a folder of tables, without a report.

    Example: seqlab simulate -s balanced -s random --games 1000000 --seed 7 --out runs/mine
    """
    path, _ = _simulate("simulate", play, folder, rules, quiet)
    print(path)


def _simulate(
    command: str, play: PlayOptions, folder: FolderOptions, rules: RuleOptions, quiet: bool
) -> tuple[Path, "Run"]:
    from simcore.simulation import simulate

    in_force = rules.in_force()
    path = folder.folder(command, play.seed)
    with keeping(path, "parts"), progress("playing", play.games, quiet) as advance:
        played = simulate(
            play.strategy or [DEFAULT],
            play.games,
            play.seed,
            in_force,
            play.design,
            play.threads,
            path,
            resume=folder.resume,
            overwrite=folder.overwrite,
            command=command_line(),
            progress=advance,
        )
    return path, played


def report(
    folder: Annotated[Path, typer.Argument(help="The folder of a run.")],
    other: Annotated[
        Path | None, typer.Argument(help="A second run, to stand beside the first.")
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Write figures, charts and one HTML page about a run; two runs stand side by side.

    Example: seqlab report runs/run-0
    """
    if other is None:
        _report((folder, _load(folder)), quiet)
        return
    from analysis.compare import compare

    target = folder / f"compare-{other.resolve().name}"
    compare(_load(folder), _load(other), target)
    print(target / "index.html")


def _load(folder: Path) -> "Run":
    """Return the run in a folder; say how the report of an experiment is made again.

    Not by us: its folder names strategies, of which those in files are code, which is never loaded
    because a folder says so.
    """
    from simcore.manifest import MANIFEST, StoreError, read_json
    from simcore.run import load

    try:
        return load(folder)
    except StoreError as error:
        from experiments.record import FORMAT

        try:
            found = read_json(folder / MANIFEST, FORMAT)
        except StoreError:
            raise error from None
    told = f"{folder} holds a {found.get('kind', 'experiment')}, not a run"
    again = f"with --out {folder} --resume its own command writes the report again"
    raise StoreError(f"{told}; {again}: {found.get('command')}")


def _report(played: tuple[Path, "Run"], quiet: bool) -> None:
    from analysis.report import random_reference
    from analysis.report import report as write_report
    from analysis.yardsticks import strength

    folder, found = played
    if not quiet and sys.stderr.isatty():
        print("writing the report", file=sys.stderr)
    known = random_reference(found), strength(found.manifest)
    for headline in write_report(found, folder / "report", *known):
        print(headline.sentence)
    print(folder / "report" / "index.html")


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
