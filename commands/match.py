"""`seqlab match`."""

import json
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from commands.console import print_findings, print_table
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
    print_table(("match", found["a"]), _rows(found))
    print_findings(sentences, page, quiet)


def _rows(found: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the figures that a match came to, in words."""
    names = ("0", "1/2", "1", "1 1/2", "2")
    counts = zip(names, found["pairs"], strict=True)
    return [
        ("verdict", found["verdict"]),
        ("games", f"{found['games']:,}"),
        ("log-likelihood ratio", f"{found['llr']:+.2f}"),
        ("score %", _span(found, "score", 100)),
        ("Elo", _span(found, "elo", 1)),
        ("drawn %", _span(found, "drawn", 100)),
        ("correlation of pairs", _number(found["correlation"], 1, 2)),
        ("games saved", _number(found["games_saved"], 1, 2)),
        *((f"pairs of {name} points", f"{count:,}") for name, count in counts),
    ]


def _span(found: dict[str, Any], name: str, factor: float) -> str:
    value, low, high = (found.get(f"{name}{end}") for end in ("", "_low", "_high"))
    ends = f"{_number(low, factor)} to {_number(high, factor)}"
    return f"{_number(value, factor)} ({ends})"


def _number(value: float | None, factor: float, places: int = 1) -> str:
    return "-" if value is None else f"{factor * value:.{places}f}"


def _foretell(lasts: "Mapping[float, Duration]") -> None:
    from experiments.match_report import expected

    print(expected(lasts), file=sys.stderr)


def _show(test: "SequentialTest", state: "State", ends: tuple[float, float]) -> None:
    low, high = (100 * end for end in ends)
    print(
        f"\r{2 * state.pairs:,} games  LLR {state.ratio:+.2f} "
        f"({test.lower:.2f} to {test.upper:.2f})  score {low:.1f} to {high:.1f} %   ",
        end="",
        file=sys.stderr,
        flush=True,
    )
