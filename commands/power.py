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
    from analysis.power import Need
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

    One strategy: the score of the team that moves first. Two: that of the first named.

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
    for sentence in () if quiet else sentences:
        print(sentence)
    print_table(
        ("wish", "points", "deals", "games", "games unpaired"),
        [
            (kind, f"{100 * wish:g}", *map(_whole, _numbers(need)))
            for kind, wish, need in found.needs
        ],
    )
    print(page)


def _whole(number: int | None) -> str:
    return "-" if number is None else f"{number:,}"


def _numbers(need: "Need | None") -> tuple[int | None, int | None, int | None]:
    """Return deals, games and games unpaired; None where the pilot cannot tell."""
    return (None, None, None) if need is None else (need.deals, need.games, need.unpaired)


def _rows(found: "Answer") -> list[dict[str, object]]:
    """Return a line for each wish; what is known of the pilot stands in all of them."""
    score = found.score
    pilot = {
        "figure": found.figure,
        "score": score.value,
        "score_low": score.low,
        "score_high": score.high,
        "drawn": found.drawn.value,
        "pilot_deals": score.deals,
        "pilot_games": score.games,
        "games_until_ahead": found.ahead,
        "saved": found.pilot.saved,
    }
    names = ("deals", "games", "games_unpaired")
    return [
        {"wish": kind, "points": 100 * wish} | dict(zip(names, _numbers(need), strict=True)) | pilot
        for kind, wish, need in found.needs
    ]
