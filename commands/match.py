"""`seqlab match`."""

import json
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from commands.console import print_table
from commands.options import FolderOptions, Json, Quiet, RuleOptions, Seed, Threads
from commands.session import session

if TYPE_CHECKING:
    from analysis.sequential import SequentialTest, State
    from analysis.stopping import Duration


def match(
    folder: FolderOptions,
    rules: RuleOptions,
    a: Annotated[str, typer.Argument(help="A strategy: is it the better one?")],
    b: Annotated[str, typer.Argument(help="The strategy that it is held against.")],
    elo0: Annotated[float, typer.Option(help="Elo of A over B that is to be refuted.")] = 0.0,
    elo1: Annotated[float, typer.Option(help="Elo that is held against it.")] = 10.0,
    alpha: Annotated[float, typer.Option(help="Chance to accept elo1 wrongly.")] = 0.05,
    beta: Annotated[float, typer.Option(help="Chance to accept elo0 wrongly.")] = 0.05,
    normalized: Annotated[
        bool, typer.Option("--normalized", help="Elo is normalized, not logistic.")
    ] = False,
    width: Annotated[
        float | None,
        typer.Option(help="Stop when the score's interval is so many points wide instead."),
    ] = None,
    max_games: Annotated[int, typer.Option(help="Games at most.")] = 1_000_000,
    seed: Seed = 0,
    threads: Threads = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Is A better than B? A sequential test on pairs of games, which stops once it is told.

    Example: seqlab match planner tuned --elo1 10
    """
    from analysis.sequential import SequentialTest
    from experiments.match import Match, run_match
    from simcore.simulation import check_numbers
    from simcore.strategy import find_strategy

    check_numbers(max_games, threads)
    test = SequentialTest(elo0, elo1, alpha, beta, normalized, max(max_games // 2, 1))
    share = None if width is None else width / 100
    task = Match(find_strategy(a), find_strategy(b), rules.in_force(), seed, test, share)
    live = sys.stderr.isatty() and not quiet
    # No bar: how many games it takes is not known, and what is known is shown live.
    with session("match", folder, seed, threads, 0, True, "pairs") as how:
        page, found, sentences = run_match(
            task,
            how,
            watch=(lambda state, ends: _show(test, state, ends)) if live else None,
            before=_foretell if live and width is None else None,
        )
    if live:
        print(file=sys.stderr)
    if as_json:
        print(json.dumps(found, indent=1))
        return
    for sentence in sentences:
        print(sentence)
    print_table(("points of a pair", "pairs"), _results(found["pairs"]))
    print(page)


def _results(pairs: list[int]) -> list[tuple[str, str]]:
    names = ("0", "1/2", "1", "1 1/2", "2")
    return [(name, f"{count:,}") for name, count in zip(names, pairs, strict=True)]


def _foretell(lasts: "Mapping[float, Duration]") -> None:
    told = "; ".join(f"{2 * each.mean:,.0f} at {elo:g} Elo" for elo, each in lasts.items())
    print(f"expected games: {told}", file=sys.stderr)


def _show(test: "SequentialTest", state: "State", ends: tuple[float, float]) -> None:
    low, high = (100 * end for end in ends)
    print(
        f"\r{2 * state.pairs:,} games  LLR {state.ratio:+.2f} "
        f"({test.lower:.2f} to {test.upper:.2f})  score {low:.1f} to {high:.1f} %   ",
        end="",
        file=sys.stderr,
        flush=True,
    )
