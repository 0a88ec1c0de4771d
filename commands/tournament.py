"""`seqlab tournament`."""

import json
from typing import Annotated, Any

import typer

from commands.console import print_findings, print_table
from commands.options import FolderOptions, Json, Quiet, RuleOptions, Seed, Strategies, Threads
from commands.session import session


def tournament(
    folder: FolderOptions,
    rules: RuleOptions,
    strategy: Strategies = None,
    format_: Annotated[
        str, typer.Option("--format", help="round-robin, gauntlet (of the first named) or swiss.")
    ] = "round-robin",
    games: Annotated[int, typer.Option(help="Games of each pair.")] = 10_000,
    seed: Seed = 0,
    threads: Threads = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Let 2 to 40 strategies meet on the same deals, and rate them.

    Without -s: all installed bots that are fast.

    Example: seqlab tournament -s balanced -s tuned -s planner --games 20000
    """
    from experiments.tournament import make_tournament, run_tournament
    from simcore.simulation import check_numbers
    from simcore.strategy import find_strategy, installed_bots

    check_numbers(games, threads)
    names = strategy or [bot.name for bot in installed_bots()[0] if bot.fast]
    task = make_tournament(
        [find_strategy(name) for name in names], rules.in_force(), format_, games, seed
    )
    with session("tournament", folder, seed, threads, task.all_games, quiet, "pairings") as how:
        page, rows, sentences = run_tournament(task, how)
    if as_json:
        print(json.dumps(rows, indent=1))
        return
    scale = "elo" if task.rules.teams == 2 else "worth"
    print_table(
        ("rank", "strategy", "games", "score %", "95 %", scale.capitalize(), "95 %", "better"),
        [_cells(row, scale) for row in rows],
    )
    print_findings(sentences, page, quiet)


def _cells(row: dict[str, Any], scale: str) -> list[str]:
    from analysis.ranking import SURE
    from analysis.style import decimals

    low, high = row[f"{scale}_low"], row[f"{scale}_high"]
    places = 0 if scale == "elo" else max(2, decimals(low, high))
    better = row["better_than_next"]
    return [
        str(row["rank"]),
        row["strategy"],
        f"{row['games']:,}",
        _number(row["score"], 1, 100),
        _span(row["score_low"], row["score_high"], 1, 100),
        _number(row[scale], places),
        _span(low, high, places),
        f"> {SURE}" if better is not None and better > SURE else _number(better, 3),
    ]


def _number(value: float | None, places: int, factor: float = 1.0) -> str:
    return "-" if value is None else f"{factor * value:.{places}f}"


def _span(low: float | None, high: float | None, places: int, factor: float = 1.0) -> str:
    if low is None and high is None:
        return "-"
    if low is None or high is None:
        bound, sign = (high, "below") if low is None else (low, "above")
        return f"{sign} {_number(bound, places, factor)}"
    return f"{_number(low, places, factor)} to {_number(high, places, factor)}"
