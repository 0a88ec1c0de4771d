"""`seqlab power`."""

import json
from typing import TYPE_CHECKING, Annotated

import typer

from commands.console import print_table, progress
from commands.options import DEFAULT, Json, Quiet, RuleOptions, Seed, Strategies, Threads

if TYPE_CHECKING:
    from experiments.power import Answer


def power(
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
    from experiments.power import answer, pilot_arm
    from simcore.strategy import find_strategy

    found = [find_strategy(name) for name in strategy or [DEFAULT]]
    in_force = rules.in_force()
    games = pilot_arm(found, in_force, max(deals, 1), seed).games
    with progress("playing the pilot", games, quiet) as advance:
        told = answer(
            found,
            in_force,
            half_widths=[each / 100 for each in half_width or []],
            effects=[each / 100 for each in effect or []],
            power=chance,
            alpha=alpha,
            deals=deals,
            seed=seed,
            threads=threads,
            progress=advance,
        )
    if as_json:
        print(json.dumps(_rows(told), indent=1))
        return
    pilot = told.pilot
    print(f"{told.figure}: {100 * pilot.mean:.1f} % in a pilot of {told.deals:,} deals")
    if pilot.saved is not None:
        word = "" if pilot.saved >= 1.2 else ", so pairing does not pay"
        print(f"pairing saves {pilot.saved:.2f} times the games{word}")
    print_table(
        ("wish", "points", "deals", "games", "games unpaired"),
        [
            (kind, f"{100 * wish:g}", f"{need.deals:,}", f"{need.games:,}", _whole(need.unpaired))
            for kind, wish, need in told.needs
        ],
    )
    if told.ahead is not None:
        print(f"the better one is ahead after {told.ahead:,} games with a chance of 95 %")


def _whole(number: int | None) -> str:
    return "-" if number is None else f"{number:,}"


def _rows(told: "Answer") -> list[dict[str, object]]:
    return [
        {
            "figure": told.figure,
            "wish": kind,
            "points": 100 * wish,
            "deals": need.deals,
            "games": need.games,
            "games_unpaired": need.unpaired,
            "saved": told.pilot.saved,
        }
        for kind, wish, need in told.needs
    ]
