"""`seqlab power`."""

import json
from typing import TYPE_CHECKING, Annotated

import typer

from commands.console import print_table
from commands.options import (
    DEFAULT,
    FolderOptions,
    Json,
    Quiet,
    RuleOptions,
    Seed,
    Strategies,
    Threads,
)
from commands.session import session

if TYPE_CHECKING:
    from experiments.power import Answer


def power(
    folder: FolderOptions,
    rules: RuleOptions,
    strategy: Strategies = None,
    half_width: Annotated[
        list[float] | None,
        typer.Option(help="Wanted half-width of the 95 % interval, in points; may be repeated."),
    ] = None,
    effect: Annotated[
        list[float] | None,
        typer.Option(help="Difference that is to be found, in points; may be repeated."),
    ] = None,
    chance: Annotated[float, typer.Option(help="Chance to find the effect.")] = 0.8,
    alpha: Annotated[float, typer.Option(help="Chance to find one where there is none.")] = 0.05,
    deals: Annotated[int, typer.Option(help="Deals of the pilot.")] = 5_000,
    seed: Seed = 0,
    threads: Threads = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Say how many games a wish takes, from how much this design really varies.

    One strategy: the advantage of going first. Two: the score of the first against the second.

    Example: seqlab power -s planner -s tuned --effect 1
    """
    from experiments.power import Task, run_power
    from simcore.simulation import check_numbers
    from simcore.strategy import find_strategy

    task = Task(
        tuple(find_strategy(name) for name in strategy or [DEFAULT]),
        rules.in_force(),
        tuple(each / 100 for each in half_width or []),
        tuple(each / 100 for each in effect or []),
        chance,
        alpha,
        deals,
        seed,
    )
    games = task.arm().games
    check_numbers(games, threads)
    with session("power", folder, seed, threads, games, quiet) as how:
        page, found, sentences = run_power(task, how)
    if as_json:
        print(json.dumps(_rows(found), indent=1))
        return
    for sentence in sentences:
        print(sentence)
    print_table(
        ("wish", "points", "deals", "games", "games unpaired"),
        [
            (kind, f"{100 * wish:g}", f"{need.deals:,}", f"{need.games:,}", _whole(need.unpaired))
            for kind, wish, need in found.needs
        ],
    )
    print(page)


def _whole(number: int | None) -> str:
    return "-" if number is None else f"{number:,}"


def _rows(found: "Answer") -> list[dict[str, object]]:
    return [
        {
            "figure": found.figure,
            "wish": kind,
            "points": 100 * wish,
            "deals": need.deals,
            "games": need.games,
            "games_unpaired": need.unpaired,
            "saved": found.pilot.saved,
        }
        for kind, wish, need in found.needs
    ]
