"""`seqlab worth`."""

from dataclasses import replace
from typing import Annotated

import typer

from commands.console import print_findings
from commands.options import DEFAULT, FolderOptions, Quiet, RuleOptions, Seed, Strategies, Threads
from commands.session import session


def worth(
    folder: FolderOptions,
    rules: RuleOptions,
    strategy: Strategies = None,
    tables: Annotated[
        str | None, typer.Option(help="Numbers of players, as 2,4,6; instead of --players.")
    ] = None,
    games: Annotated[int, typer.Option(help="Games of each kind, for each strategy.")] = 50_000,
    seed: Seed = 0,
    threads: Threads = None,
    quiet: Quiet = False,
) -> None:
    """Say what things are worth in points of score: a jack, a card more, the start, blocking.

    Example: seqlab worth -s planner --tables 2,4
    """
    from experiments.worth import Case, arms, run_worth
    from simcore.simulation import check_numbers
    from simcore.strategy import find_strategy

    check_numbers(games, threads)
    found = [find_strategy(name) for name in strategy or [DEFAULT]]
    named = tables is not None
    if named and rules.players is not None:
        raise ValueError("tables and players: both given; allowed: one of them")
    numbers = [_players(text) for text in str(tables).split(",")] if named else [rules.players]
    cases = [
        Case(each, replace(rules, players=number).in_force())
        for number in dict.fromkeys(numbers)
        for each in {each.name: each for each in found}.values()
    ]
    all_games = sum(arm.games for arm in arms(cases, games, seed))
    with session("worth", folder, seed, threads, all_games, quiet) as how:
        page, sentences = run_worth(cases, how, games, seed)
    print_findings(sentences, page, quiet)


def _players(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"tables: {text!r}; allowed: numbers of players, as 2,4,6") from None
