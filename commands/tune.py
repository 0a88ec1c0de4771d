"""`seqlab tune`."""

import json
from typing import Annotated

import typer

from commands.console import command_line, keeping, print_table, progress
from commands.options import FolderOptions, Json, Quiet, RuleOptions, Seed, Threads


def tune(
    folder: FolderOptions,
    rules: RuleOptions,
    name: Annotated[str, typer.Argument(help="A bot with parameters, or its values to start at.")],
    against: Annotated[
        list[str] | None,
        typer.Option(help="An opponent; may be repeated. balanced if not given."),
    ] = None,
    only: Annotated[
        str | None, typer.Option(help="Parameters to move, as a,b; all if not given.")
    ] = None,
    budget: Annotated[int, typer.Option(help="Games of the search.")] = 1_000_000,
    deals: Annotated[int, typer.Option(help="Deals that each candidate plays.")] = 2_500,
    judge_deals: Annotated[
        int | None, typer.Option(help="Deals of each pairing of the judge.")
    ] = None,
    seed: Seed = 0,
    threads: Threads = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Search a bot's parameters by CMA-ES, and judge the result on deals kept apart.

    The folder then holds params.toml, for -s NAME@FOLDER/params.toml, and the search's history.

    Example: seqlab tune tuned --against balanced --budget 1000000
    """
    from simcore.strategy import find_strategy
    from tuning import words
    from tuning.record import PARAMS
    from tuning.task import make_task
    from tuning.tune import tune as tune_bot

    task = make_task(
        find_strategy(name),
        [find_strategy(opponent) for opponent in against or ["balanced"]],
        rules.in_force(),
        only=[each.strip() for each in only.split(",")] if only is not None else (),
        budget=budget,
        deals=deals,
        judge_deals=judge_deals,
        seed=seed,
    )
    path = folder.folder("tune", seed)
    with keeping(path, "generations"), progress("tuning", task.all_games, quiet) as advance:
        found = tune_bot(
            task,
            path,
            threads=threads,
            resume=folder.resume,
            overwrite=folder.overwrite,
            command=command_line(),
            progress=advance,
        )
    file = path / PARAMS
    if as_json:
        print(json.dumps({"file": str(file), **found["result"]}, indent=1))
        return
    rows = found["result"]["judged"]
    print_table(words.COLUMNS, [words.cells(row) for row in rows])
    if not quiet:
        print(words.verdict(rows))
    print(file)
